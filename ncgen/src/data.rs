//! Data lists: passed to the writer, or only checked.

use std::ops::Range;

use netcdf_core::chunk::assemble::{self, Assembler};
use netcdf_core::chunk::{Writer, elements};
use netcdf_core::env::Env;
use netcdf_core::error::{Context as _, Error, ErrorKind, Result};
use netcdf_core::format;
use netcdf_core::io::Source;
use netcdf_core::model::{Endianness, FillMode, Schema, StoredElement, Values, VarId};
use netcdf_grammar::cdl::values::{self, Problems, ValueSink};
use netcdf_grammar::cdl::{CdlDataset, DataList};
use netcdf_grammar::diagnostic::Reporter;

use crate::lists::{self, text};

/// Maximum fill bytes after the values of one list: more would fill the disk.
const FILL: u64 = 1 << 40;
/// The number of fill bytes per write.
const PIECE: usize = 1 << 20;

/// Reads all lists and reports their errors.
///
/// # Errors
/// Returns errors of the source, and signals.
pub(crate) fn check(
    cdl: &CdlDataset,
    source: &dyn Source,
    reporter: &mut Reporter<'_>,
    env: &Env,
) -> Result<()> {
    let lists = cdl.replaced.iter().chain(&cdl.data);
    check_each(lists, (cdl, source), reporter, env)
}

fn check_each<'l>(
    lists: impl Iterator<Item = &'l DataList>,
    (cdl, source): (&CdlDataset, &dyn Source),
    reporter: &mut Reporter<'_>,
    env: &Env,
) -> Result<()> {
    let schema = lists::with_lengths(cdl.schema.clone(), cdl);
    for list in lists {
        let mut problems = Problems::default();
        let text = text(list, source);
        if lists::needs_lengths(list, &schema) {
            values::lengths(&text, &schema, &mut problems)?;
        } else {
            let mut sink = Nowhere { env };
            lists::read(&text, &schema, Endianness::Big, &mut problems, &mut sink)?;
        }
        if !report_problems(&problems, list, reporter) {
            break;
        }
    }
    Ok(())
}

/// Writes all lists. `reporter` receives their errors.
///
/// # Errors
/// Returns errors of the source and of the writer, and signals.
pub(crate) fn write(
    cdl: &CdlDataset,
    source: &dyn Source,
    writer: &mut dyn Writer,
    reporter: &mut Reporter<'_>,
    env: &Env,
) -> Result<()> {
    check_each(cdl.replaced.iter(), (cdl, source), reporter, env)?;
    set_lengths(cdl, source, writer)?;
    let schema = lists::with_lengths(writer.schema().clone(), cdl);
    let mut ends = vec![];
    for list in &cdl.data {
        let order = writer.layout(list.var)?.element.order;
        let mut problems = Problems::default();
        let path = || schema.var_path(list.var);
        let mut sink = VarSink::new(writer, list.var, env).in_object(path)?;
        let text = text(list, source);
        lists::read(&text, &schema, order, &mut problems, &mut sink).in_object(path)?;
        if !report_problems(&problems, list, reporter) {
            break;
        }
        if !reporter.has_errors() {
            ends.extend(sink.finish().in_object(path)?);
        }
    }
    if reporter.has_errors() {
        return Ok(());
    }
    ends.into_iter().try_for_each(|(var, end)| {
        fill_rest(var, end, writer, env).in_object(|| schema.var_path(var))
    })
}

/// Sets the lengths of unlimited dimensions that must be known before writing values.
fn set_lengths(cdl: &CdlDataset, source: &dyn Source, writer: &mut dyn Writer) -> Result<()> {
    for &(dim, len) in &cdl.lengths {
        writer.set_len(dim, len)?;
    }
    let lists = cdl.data.iter();
    for list in lists.filter(|list| lists::needs_lengths(list, &cdl.schema)) {
        // The second pass over the list reports mistakes.
        let mut problems = Problems::default();
        for (dim, len) in values::lengths(&text(list, source), &cdl.schema, &mut problems)? {
            writer.set_len(dim, len)?;
        }
    }
    Ok(())
}

/// Passes problems to `reporter`. Returns whether it accepts more.
pub(crate) fn report_problems(
    problems: &Problems,
    list: &DataList,
    reporter: &mut Reporter<'_>,
) -> bool {
    problems.report(list.anchor(), reporter);
    !reporter.is_full()
}

/// Fills the elements without values in the list. Like the C tool, does so independent of options.
fn fill_rest(id: VarId, end: u64, writer: &mut dyn Writer, env: &Env) -> Result<()> {
    let total = elements_of(writer.schema(), id);
    if end >= total {
        return Ok(());
    }
    repeat_fill((writer, id), end..total, |writer, at, bytes| {
        env.cancel.check()?;
        writer.put_run(id, at, bytes)
    })
}

/// Checks that the number of fill bytes is plausible.
fn admit(elements: u64, size: usize) -> Result<()> {
    let bytes = elements.saturating_mul(size as u64);
    if bytes <= FILL {
        return Ok(());
    }
    let what =
        format!("{bytes} bytes would be fill values, because the text has no values for them");
    let remedy = "shorten the dimensions, or store in chunks, as -k nczarr3 does";
    Err(Error::new(ErrorKind::Limit, what).with_remedy(remedy))
}

/// Writes a byte to all positions of a range, in blocks.
fn repeat(
    byte: u8,
    places: Range<u64>,
    mut put: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut piece = vec![];
    blocks(places, PIECE).try_for_each(|(at, count)| {
        if piece.is_empty() {
            piece = vec![byte; count];
        }
        put(at, piece.get(..count).unwrap_or_default())
    })
}

/// Writes the fill value to all positions of a range, in blocks. Each element has its own heap data: libhdf5 frees the heap data of an
/// element that it overwrites.
fn repeat_fill(
    (writer, id): (&mut dyn Writer, VarId),
    places: Range<u64>,
    mut put: impl FnMut(&mut dyn Writer, u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let Some(fill) = fill_of(writer.schema(), id) else {
        return Ok(());
    };
    let element = writer.layout(id)?.element;
    let size = usize::try_from(element.size).unwrap_or(PIECE).max(1);
    admit(places.end - places.start, size)?;
    let mut blocks = blocks(places, (PIECE / size).max(1));
    if element.plain_type().is_some() {
        let mut piece = vec![];
        return blocks.try_for_each(|(at, count)| {
            if piece.is_empty() {
                piece = stored(writer, id, element, &fill.repeat(count))?;
            }
            put(writer, at, piece.get(..count * size).unwrap_or_default())
        });
    }
    blocks.try_for_each(|(at, count)| {
        let piece = writer.put_heap(id, &fill.repeat(count))?;
        put(writer, at, &piece)
    })
}

/// Splits a range into blocks of at most `most` elements: the start and the number of elements.
fn blocks(places: Range<u64>, most: usize) -> impl Iterator<Item = (u64, usize)> {
    let starts = places.clone().step_by(most);
    starts.map(move |at| {
        let left = usize::try_from(places.end - at).unwrap_or(usize::MAX);
        (at, left.min(most))
    })
}

/// Returns the fill value of a variable, or of its type.
fn fill_of(schema: &Schema, id: VarId) -> Option<Values> {
    let var = schema.var(id)?;
    var.fill_value().or_else(|| values::fill(schema, var.ty))
}

/// Returns the stored form of a variable's values.
fn stored(
    writer: &mut dyn Writer,
    id: VarId,
    element: StoredElement,
    values: &Values,
) -> Result<Vec<u8>> {
    if element.plain_type().is_none() {
        return writer.put_heap(id, values);
    }
    let mut bytes = vec![];
    elements::encode(values, element.order, &mut bytes)?;
    Ok(bytes)
}

fn elements_of(schema: &Schema, id: VarId) -> u64 {
    schema.shape(id).into_iter().fold(1, u64::saturating_mul)
}

/// Discards all values.
struct Nowhere<'a> {
    env: &'a Env,
}

impl ValueSink for Nowhere<'_> {
    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<()> {
        self.env.cancel.check()
    }

    fn repeat(&mut self, _: u64, _: u8, _: u64) -> Result<()> {
        self.env.cancel.check()
    }

    fn values(&mut self, _: u64, _: &Values) -> Result<()> {
        self.env.cancel.check()
    }
}

/// Stores values in a variable, in runs or in chunks.
struct VarSink<'a> {
    writer: &'a mut dyn Writer,
    var: VarId,
    element: StoredElement,
    /// Assembles chunks if the variable is chunked.
    chunks: Option<Assembler<'a>>,
    /// The number of elements so far: one more than the index of the last element.
    end: u64,
    env: &'a Env,
}

impl<'a> VarSink<'a> {
    fn new(writer: &'a mut dyn Writer, var: VarId, env: &'a Env) -> Result<Self> {
        let shape = writer.schema().shape(var);
        let element = writer.layout(var)?.element;
        let chunks = match writer.rules(var).chunks {
            true => Some(Assembler::new(&*writer, var, &shape, (env, env.memory.0))?),
            false => None,
        };
        Ok(Self {
            writer,
            var,
            element,
            chunks,
            end: 0,
            env,
        })
    }

    /// Completes the chunks. For a variable without chunks, returns the variable and the end of its values. The caller then fills the
    /// remaining elements.
    fn finish(mut self) -> Result<Option<(VarId, u64)>> {
        let Some(mut chunks) = self.chunks.take() else {
            return Ok(Some((self.var, self.end)));
        };
        self.grow()?;
        let total = elements_of(self.writer.schema(), self.var);
        // If missing chunks read as the fill value, large gaps are not stored. Small gaps are stored, as in the C tool.
        let size = self.element.size.max(1);
        let much = (total.saturating_sub(self.end)).saturating_mul(size) > assemble::FILLED;
        if self.end < total && !(much && self.is_filled()) {
            let env = self.env;
            repeat_fill(
                (self.writer, self.var),
                self.end..total,
                |writer, at, bytes| {
                    env.cancel.check()?;
                    chunks.put_run(at, bytes, writer)
                },
            )?;
        }
        chunks.finish(self.writer)?;
        Ok(None)
    }

    /// Checks whether missing chunks read as the fill value.
    fn is_filled(&self) -> bool {
        let plain = self.element.plain_type().is_some();
        let var = self.writer.schema().var(self.var).filter(|_| plain);
        var.is_some_and(|var| var.storage.fill == FillMode::Fill && var.fill_value().is_some())
    }

    /// Extends an unlimited first dimension for the values so far.
    fn grow(&mut self) -> Result<()> {
        let schema = self.writer.schema();
        let Some(var) = schema.var(self.var).filter(|var| schema.is_record(var)) else {
            return Ok(());
        };
        let (dim, shape) = (var.dims.first().copied(), schema.shape(self.var));
        let inner = shape
            .iter()
            .skip(1)
            .fold(1, |n: u64, &len| n.saturating_mul(len));
        match dim {
            Some(dim) => self.writer.set_len(dim, self.end.div_ceil(inner.max(1))),
            None => Ok(()),
        }
    }

    fn put(&mut self, element: u64, bytes: &[u8]) -> Result<()> {
        let count = bytes.len() as u64 / self.element.size.max(1);
        self.end = self.end.max(element.saturating_add(count));
        match &mut self.chunks {
            Some(chunks) => chunks.put_run(element, bytes, self.writer),
            None => self.writer.put_run(self.var, element, bytes),
        }
    }
}

impl ValueSink for VarSink<'_> {
    fn bytes(&mut self, element: u64, bytes: &[u8]) -> Result<()> {
        self.env.cancel.check()?;
        self.put(element, bytes)
    }

    fn repeat(&mut self, element: u64, byte: u8, count: u64) -> Result<()> {
        let end = element.saturating_add(count);
        if let (Some(_), true) = (&self.chunks, self.is_filled()) {
            // The next run, if any, follows these elements.
            self.end = self.end.max(end);
            return Ok(());
        }
        admit(count, 1)?;
        repeat(byte, element..end, |at, bytes| {
            self.env.cancel.check()?;
            self.put(at, bytes)
        })
    }

    fn values(&mut self, element: u64, values: &Values) -> Result<()> {
        self.env.cancel.check()?;
        if self.element.plain_type().is_none() {
            let schema = self.writer.schema();
            let path = || schema.var_path(self.var);
            format::tell_of_strings(values, schema.kind, &self.env.notes, path)?;
        }
        let bytes = stored(self.writer, self.var, self.element, values)?;
        self.put(element, &bytes)
    }
}
