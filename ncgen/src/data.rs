//! Data lists: to the writer, or nowhere if they are only checked.

use netcdf_core::chunk::elements;
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::Writer;
use netcdf_core::io::Source;
use netcdf_core::model::{Endianness, Schema, Values, VarId};
use netcdf_grammar::cdl::values::{self, List, Problems, Severity, Sink};
use netcdf_grammar::cdl::{Cdl, DataList};
use netcdf_grammar::diagnostic::Reporter;

/// Bytes of fill that are written at a time.
const PIECE: usize = 1 << 20;

/// Reads all lists for what is wrong with them.
///
/// # Errors
/// Those of the source, and a signal.
pub(crate) fn check(
    cdl: &Cdl,
    source: &dyn Source,
    reporter: &mut Reporter<'_>,
    env: &Env,
) -> Result<()> {
    let lists = cdl.replaced.iter().chain(&cdl.data);
    check_each(lists, (cdl, source), reporter, env)
}

fn check_each<'l>(
    lists: impl Iterator<Item = &'l DataList>,
    (cdl, source): (&Cdl, &dyn Source),
    reporter: &mut Reporter<'_>,
    env: &Env,
) -> Result<()> {
    for list in lists {
        let mut problems = Problems::default();
        let text = text(list, source);
        if is_flat(&cdl.schema, list.var) {
            let mut sink = Nowhere { env };
            values::read(
                &text,
                &cdl.schema,
                Endianness::Big,
                &mut problems,
                &mut sink,
            )?;
        } else {
            values::lengths(&text, &cdl.schema, &mut problems)?;
        }
        if !tell(&problems, list, reporter) {
            break;
        }
    }
    Ok(())
}

/// Writes all lists; what is wrong with them goes to `reporter`.
///
/// # Errors
/// Those of the source and of the writer, and a signal.
pub(crate) fn write(
    cdl: &Cdl,
    source: &dyn Source,
    writer: &mut dyn Writer,
    reporter: &mut Reporter<'_>,
    env: &Env,
) -> Result<()> {
    check_each(cdl.replaced.iter(), (cdl, source), reporter, env)?;
    set_lengths(cdl, source, writer)?;
    let schema = writer.schema().clone();
    let mut counts = vec![];
    for list in &cdl.data {
        let order = writer.layout(list.var)?.element.order;
        let mut problems = Problems::default();
        let mut sink = Stored {
            writer: &mut *writer,
            var: list.var,
            env,
        };
        let count = values::read(
            &text(list, source),
            &schema,
            order,
            &mut problems,
            &mut sink,
        );
        let count = count.map_err(|e| e.in_object(&schema.var_path(list.var)))?;
        counts.extend(count.map(|count| (list.var, count)));
        if !tell(&problems, list, reporter) {
            break;
        }
    }
    if reporter.has_errors() {
        return Ok(());
    }
    counts
        .into_iter()
        .try_for_each(|(var, count)| fill_rest(var, count, writer))
}

/// Sets the lengths of unlimited dimensions that must be known before their values can be placed.
fn set_lengths(cdl: &Cdl, source: &dyn Source, writer: &mut dyn Writer) -> Result<()> {
    for list in cdl
        .data
        .iter()
        .filter(|list| !is_flat(&cdl.schema, list.var))
    {
        // What is wrong in the list is said when its values are read.
        let mut problems = Problems::default();
        for (dim, len) in values::lengths(&text(list, source), &cdl.schema, &mut problems)? {
            writer.set_len(dim, len)?;
        }
    }
    Ok(())
}

/// Whether lists of a variable have its elements one after the other.
pub(crate) fn is_flat(schema: &Schema, var: VarId) -> bool {
    schema
        .var(var)
        .is_some_and(|var| values::is_flat(schema, var))
}

/// A list, to be read from its text.
pub(crate) fn text<'a>(list: &DataList, source: &'a dyn Source) -> List<'a> {
    List {
        source,
        bytes: list.bytes.clone(),
        var: list.var,
    }
}

/// Hands problems on; whether there is room for more.
pub(crate) fn tell(problems: &Problems, list: &DataList, reporter: &mut Reporter<'_>) -> bool {
    for problem in problems.found() {
        let (anchor, at) = (list.anchor(), problem.range.start);
        match problem.severity {
            Severity::Error => reporter.error(anchor, at, &*problem.what),
            Severity::Warning => reporter.warning(anchor, at, &*problem.what),
        }
    }
    !reporter.is_full()
}

/// Where nothing else fills: fills what a list did not have of its variable, as ncgen does with -x, too.
fn fill_rest(id: VarId, count: u64, writer: &mut dyn Writer) -> Result<()> {
    let schema = writer.schema();
    let (Some(var), total) = (schema.var(id), elements_of(schema, id)) else {
        return Ok(());
    };
    let Some(fill) = var.fill_value().filter(|_| count < total) else {
        return Ok(());
    };
    let mut one = vec![];
    elements::encode(&fill, writer.layout(id)?.element.order, &mut one)?;
    let per_piece = PIECE / one.len().max(1);
    let piece = one.repeat(per_piece);
    let mut at = count;
    while at < total {
        let left = usize::try_from(total - at)
            .unwrap_or(usize::MAX)
            .min(per_piece);
        let bytes = piece.get(..left * one.len()).unwrap_or_default();
        writer.put_run(id, at, bytes)?;
        at += left as u64;
    }
    Ok(())
}

fn elements_of(schema: &Schema, id: VarId) -> u64 {
    schema.shape(id).into_iter().fold(1, u64::saturating_mul)
}

/// Checks and forgets.
struct Nowhere<'a> {
    env: &'a Env,
}

impl Sink for Nowhere<'_> {
    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<()> {
        self.env.cancel.check()
    }

    fn values(&mut self, _: u64, _: &Values) -> Result<()> {
        self.env.cancel.check()
    }
}

/// Stores in a variable.
struct Stored<'a> {
    writer: &'a mut dyn Writer,
    var: VarId,
    env: &'a Env,
}

impl Sink for Stored<'_> {
    fn bytes(&mut self, element: u64, bytes: &[u8]) -> Result<()> {
        self.env.cancel.check()?;
        self.writer.put_run(self.var, element, bytes)
    }

    fn values(&mut self, _: u64, _: &Values) -> Result<()> {
        let what = "this kind has no strings and no user-defined types";
        Err(Error::new(ErrorKind::Unsupported, what))
    }
}
