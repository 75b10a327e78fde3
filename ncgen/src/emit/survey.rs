//! First pass over the values: collects the facts that code generation needs.

use netcdf_core::chunk::elements;
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::io::Source;
use netcdf_core::model::{Atomic, DimId, Endianness, Schema, Values, VarId};
use netcdf_grammar::cdl::CdlDataset;
use netcdf_grammar::cdl::values::{self, Problems, ValueSink};
use netcdf_grammar::diagnostic::Reporter;

use crate::{data, lists};

/// Checks whether attributes have NaN or infinite values.
pub(super) fn attributes(schema: &Schema) -> bool {
    let groups = schema.groups.iter().flat_map(|g| &g.attributes);
    let vars = schema.vars.iter().flat_map(|v| &v.attributes);
    groups.chain(vars).any(|a| unusual(&a.values))
}

/// Reads all lists. Sets the lengths of unlimited dimensions, reports mistakes, and returns whether any value is NaN or infinite.
///
/// # Errors
/// Returns errors of the source, and signals.
pub(super) fn data(
    cdl: &CdlDataset,
    source: &dyn Source,
    schema: &mut Schema,
    reporter: &mut Reporter<'_>,
    env: &Env,
) -> Result<bool> {
    for &(dim, len) in &cdl.lengths {
        lengthen(schema, dim, len);
    }
    for list in &cdl.data {
        if lists::needs_lengths(list, schema) {
            // The second pass over the list reports mistakes.
            let mut problems = Problems::default();
            let needed = values::lengths(&lists::text(list, source), schema, &mut problems)?;
            needed
                .into_iter()
                .for_each(|(dim, len)| lengthen(schema, dim, len));
        }
    }
    let mut found = false;
    let replaced = cdl.replaced.iter().map(|list| (list, false));
    let counting = cdl.data.iter().map(|list| (list, true));
    for (list, counts) in replaced.chain(counting) {
        let atomic = schema.var(list.var).and_then(|var| var.ty.atomic());
        let mut sink = FiniteSurvey { env, atomic, found };
        let mut problems = Problems::default();
        let text = lists::text(list, source);
        let order = Endianness::Little;
        let count = lists::read(&text, schema, order, &mut problems, &mut sink)?;
        found = sink.found;
        if let Some(count) = count.filter(|_| counts) {
            records(schema, list.var, count);
        }
        if !data::report_problems(&problems, list, reporter) {
            break;
        }
    }
    Ok(found)
}

/// Extends an unlimited first dimension for `count` elements of a variable.
fn records(schema: &mut Schema, var: VarId, count: u64) {
    let shape = schema.shape(var);
    let Some(&dim) = schema.var(var).and_then(|var| var.dims.first()) else {
        return;
    };
    let record = shape.iter().skip(1).copied().fold(1, u64::saturating_mul);
    lengthen(schema, dim, count.div_ceil(record.max(1)));
}

fn lengthen(schema: &mut Schema, dim: DimId, len: u64) {
    if let Some(dim) = schema.dims.get_mut(dim.index()).filter(|d| d.unlimited) {
        dim.len = dim.len.max(len);
    }
}

/// Looks for NaN and infinite values.
struct FiniteSurvey<'a> {
    env: &'a Env,
    atomic: Option<Atomic>,
    found: bool,
}

impl ValueSink for FiniteSurvey<'_> {
    fn repeat(&mut self, _: u64, _: u8, _: u64) -> Result<()> {
        self.env.cancel.check()
    }

    fn bytes(&mut self, _: u64, bytes: &[u8]) -> Result<()> {
        self.env.cancel.check()?;
        if let (false, Some(ty @ (Atomic::Float | Atomic::Double))) = (self.found, self.atomic) {
            self.found = unusual(&elements::decode(ty, Endianness::Little, bytes)?);
        }
        Ok(())
    }

    fn values(&mut self, _: u64, values: &Values) -> Result<()> {
        self.env.cancel.check()?;
        self.found = self.found || unusual(values);
        Ok(())
    }
}

/// Checks whether floating-point values are NaN or infinite.
fn unusual(values: &Values) -> bool {
    match values {
        Values::Float(v) => v.iter().any(|x| !x.is_finite()),
        Values::Double(v) => v.iter().any(|x| !x.is_finite()),
        Values::Vlen(_, lists) => lists.iter().any(unusual),
        Values::Compound { columns, .. } => columns.iter().any(unusual),
        Values::Byte(_) | Values::Char(_) | Values::Short(_) | Values::Int(_) => false,
        Values::Int64(_) | Values::UByte(_) | Values::UShort(_) | Values::UInt(_) => false,
        Values::UInt64(_) | Values::String(_) | Values::Enum(..) | Values::Opaque { .. } => false,
    }
}
