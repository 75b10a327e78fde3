//! Writes classic files.

use std::ops::Range;
use std::sync::Arc;

use super::layout::{VariablePlace, VariablePlaces, check_records, lay_out, padded};
use super::runs::{FileRun, SharedVariable, VariableParts};
use super::{fill, header, runs};
use crate::arithmetic::{exact, length, span};
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::{BulkWriter, Runs, Writer};
use crate::error::{Context, Error, ErrorKind, OrInternal as _, Result};
use crate::io::blocks::DirtyBlocks;
use crate::io::spans::Spans;
use crate::io::{Source, Target};
use crate::model::{CreateOptions, DimId, Kind, Schema, Values, VarId};

/// A classic file being written.
#[derive(Debug)]
pub(crate) struct ClassicWriter {
    target: Box<dyn Target>,
    blocks: DirtyBlocks,
    schema: Schema,
    places: VariablePlaces,
    /// The written byte ranges of each variable (row-major, without padding).
    written: Vec<Spans>,
    /// The padding of each variable or record, up to a multiple of four bytes.
    padding: Vec<Vec<u8>>,
    /// The record count.
    records: u64,
    /// A copy that later calls may extend.
    pending: Option<PendingCopy>,
    no_fill: bool,
}

/// The maximum size of a pending copy, so that a run can be cancelled.
const PENDING: u64 = 64 << 20;

/// Bytes to copy from a source to the target. Adjacent ranges are copied together.
#[derive(Debug)]
struct PendingCopy {
    source: Arc<dyn Source>,
    range: Range<u64>,
    to: u64,
}

impl PendingCopy {
    /// Checks whether `source` bytes at `from`, to be copied to `to`, extend this copy.
    fn is_followed_by(&self, source: &Arc<dyn Source>, from: u64, to: u64) -> bool {
        let size = length(&self.range);
        self.range.end == from
            && self.to.checked_add(size) == Some(to)
            && size < PENDING
            && Arc::ptr_eq(&self.source, source)
    }
}

impl ClassicWriter {
    /// Returns the byte offset of an element in a variable's data.
    fn byte(&self, var: VarId, element: u64) -> Result<u64> {
        let size = self.place(var)?.ty.size();
        let size = size.or_internal("a type without a size")? as u64;
        let from = element.checked_mul(size);
        from.ok_or_else(|| beyond(&self.schema, var))
    }

    /// Checks the schema against the limits of the kind, and lays out the file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Strict`], [`ErrorKind::BadType`], [`ErrorKind::Unlimited`], [`ErrorKind::DimSize`] or [`ErrorKind::VarSize`],
    /// with the object's path.
    pub(crate) fn create(
        target: Box<dyn Target>,
        schema: Schema,
        options: CreateOptions,
    ) -> Result<Self> {
        check(&schema)?;
        let header = padded_header(header::len(&schema)?, options.header_pad)?;
        let places = lay_out(&schema, header)?;
        header::write(&schema, 0, &places.vars)?;
        let written = vec![Spans::default(); schema.vars.len()];
        let records = schema.dims.iter().find(|d| d.unlimited);
        let records = records.map_or(0, |d| d.len);
        let (blocks, no_fill) = (DirtyBlocks::default(), options.no_fill);
        let padding = fill::paddings(&schema, &places)?;
        Ok(Self {
            target,
            blocks,
            schema,
            places,
            written,
            padding,
            records,
            pending: None,
            no_fill,
        })
    }

    fn place(&self, var: VarId) -> Result<VariablePlace> {
        let place = self.places.vars.get(var.index()).copied();
        place.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))
    }

    /// Calls `part` with each run in `from..from + len`, a range of a variable's bytes.
    fn parts(
        &mut self,
        var: VarId,
        from: u64,
        len: u64,
        mut part: impl FnMut(&mut Self, FileRun) -> Result<()>,
    ) -> Result<()> {
        let place = self.place(var)?;
        let end = from
            .checked_add(len)
            .ok_or_else(|| beyond(&self.schema, var))?;
        if place.record {
            self.grow(end.div_ceil(place.slab.max(1)))?;
        } else if end > place.slab {
            return Err(beyond(&self.schema, var));
        }
        let spans = self.written.get_mut(var.index());
        spans
            .or_internal("a variable without spans")?
            .add(from..end);
        self.all_parts(var)?
            .of(from..end, &mut |one| part(self, one))
    }

    /// Returns the runs of a variable.
    fn all_parts(&self, var: VarId) -> Result<VariableParts> {
        let padded = self.padding.get(var.index()).is_some_and(|p| !p.is_empty());
        Ok(VariableParts::new(&self.places, self.place(var)?, padded))
    }

    /// Extends the record dimension to at least `records`.
    fn grow(&mut self, records: u64) -> Result<()> {
        if records <= self.records {
            return Ok(());
        }
        check_records(self.schema.kind, records)?;
        for dim in self.schema.dims.iter_mut().filter(|d| d.unlimited) {
            dim.len = dim.len.max(records);
        }
        self.records = records;
        Ok(())
    }

    fn flush_pending(&mut self) -> Result<()> {
        let Some(p) = self.pending.take() else {
            return Ok(());
        };
        let end = (exact(p.to) + length(&p.range)).get()?;
        self.blocks.forget(&mut *self.target, p.to, end)?;
        self.target.copy_from(&*p.source, p.range, p.to)
    }

    /// Writes fill values to the unwritten bytes of a variable.
    fn fill(&mut self, var: VarId) -> Result<()> {
        let place = self.place(var)?;
        let pattern = fill::pattern(&self.schema, var)?;
        let total = exact(place.slab) * if place.record { self.records } else { 1 };
        if !self.no_fill && fill::is_filled(&self.schema, var) {
            let spans = self.written.get(var.index()).cloned();
            let spans = spans.or_internal("a variable without spans")?;
            for gap in spans.gaps(total.get()?) {
                fill::fill_gap(gap, &pattern, &mut |at, bytes| {
                    self.parts(var, at, bytes.len() as u64, |w, part| {
                        w.put_part(var, bytes, &part)
                    })
                })?;
            }
        }
        Ok(())
    }

    fn put_part(&mut self, var: VarId, bytes: &[u8], part: &FileRun) -> Result<()> {
        let bytes = part.of(bytes)?;
        self.blocks.write(&mut *self.target, part.offset, bytes)?;
        let padding = self.padding.get(var.index()).filter(|_| part.padded);
        match padding {
            Some(pad) => {
                let end = (exact(part.offset) + bytes.len()).get()?;
                self.blocks.write(&mut *self.target, end, pad)
            }
            None => Ok(()),
        }
    }

    /// Copies a part of a run from offset `from` in `source`. Adjacent parts are copied together with the previous part.
    fn move_part(
        &mut self,
        var: VarId,
        source: &Arc<dyn Source>,
        (from, part): (u64, FileRun),
    ) -> Result<()> {
        let start = exact(from) + part.bytes.start;
        let range = span(start.get()?, length(&part.bytes))?;
        let end = (exact(part.offset) + length(&range)).get()?;
        match &mut self.pending {
            Some(p) if p.is_followed_by(source, range.start, part.offset) => {
                p.range.end = range.end
            }
            Some(_) | None => {
                self.flush_pending()?;
                self.pending = Some(PendingCopy {
                    source: Arc::clone(source),
                    range,
                    to: part.offset,
                });
            }
        }
        if let Some(pad) = self.padding.get(var.index()).filter(|_| part.padded) {
            // Bypass the block cache: its blocks would be loaded and dropped between copies.
            let behind = (exact(end) + pad.len()).get()?;
            self.blocks.forget(&mut *self.target, end, behind)?;
            self.target.write_at(end, pad)?;
        }
        Ok(())
    }
}

/// Returns the length of a header with free bytes after it.
fn padded_header(len: u64, pad: u64) -> Result<u64> {
    match len.checked_add(pad) {
        Some(len) => padded(len),
        None => Err(Error::new(
            ErrorKind::Argument,
            "header padding beyond 2^64 bytes",
        )),
    }
}

fn beyond(schema: &Schema, var: VarId) -> Error {
    runs::beyond().in_object(&schema.var_path(var))
}

/// Rejects schemas that no classic kind can store.
fn check(schema: &Schema) -> Result<()> {
    let strict = |what: String| Err(Error::new(ErrorKind::Strict, what));
    let kind = schema.kind.name();
    if let Some(group) = schema.groups.get(1) {
        return strict(format!("group {}: {kind} files have no groups", group.name));
    }
    if let Some(ty) = schema.types.first() {
        return strict(format!(
            "type {}: {kind} files have no user-defined types",
            ty.name
        ));
    }
    let mut unlimited = schema.dims.iter().filter(|d| d.unlimited);
    if let Some(second) = unlimited.nth(1) {
        let what = format!(
            "dimension {}: {kind} files have only one unlimited dimension",
            second.name
        );
        return Err(Error::new(ErrorKind::Unlimited, what));
    }
    for dim in schema.dims.iter().filter(|d| !d.unlimited) {
        check_dim(schema.kind, dim.len).map_err(|e| e.in_object(&format!("/{}", dim.name)))?;
    }
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        let unlimited = |d: &DimId| schema.dim(*d).is_some_and(|d| d.unlimited);
        if var.dims.iter().skip(1).any(unlimited) {
            let what = "the unlimited dimension must be the first";
            return Err(Error::new(ErrorKind::Unlimited, what).in_object(&schema.var_path(id)));
        }
    }
    Ok(())
}

fn check_dim(kind: Kind, len: u64) -> Result<()> {
    let limit = match kind {
        Kind::CLASSIC => i32::MAX.unsigned_abs().into(),
        Kind::OFFSET64 => u32::MAX.into(),
        _ => i64::MAX.unsigned_abs(),
    } - 3;
    if len == 0 {
        let what = "a fixed dimension of length 0 would be read as the record dimension";
        return Err(Error::new(ErrorKind::DimSize, what));
    }
    if len > limit {
        let what = format!(
            "length {len} exceeds the limit of {limit} for {} files",
            kind.name()
        );
        return Err(Error::new(ErrorKind::DimSize, what).with_remedy("use -k cdf5"));
    }
    Ok(())
}

impl Writer for ClassicWriter {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        let place = self.place(var)?;
        Ok(place.layout(self.schema.shape(var), place.record))
    }

    fn put_chunk(&mut self, _: VarId, _: u64, _: u32, _: &[u8]) -> Result<()> {
        Err(Error::new(
            ErrorKind::Unsupported,
            "classic files have no chunks",
        ))
    }

    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()> {
        self.flush_pending()?;
        let from = self.byte(var, element)?;
        self.parts(var, from, bytes.len() as u64, |w, part| {
            w.put_part(var, bytes, &part)
        })
    }

    fn put_heap(&mut self, _: VarId, _: &Values) -> Result<Vec<u8>> {
        Err(Error::new(
            ErrorKind::Unsupported,
            "classic files have no heap",
        ))
    }

    fn bulk(&mut self) -> Option<&mut dyn BulkWriter> {
        Some(self)
    }

    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()> {
        match self.schema.dim(dim) {
            Some(d) if d.unlimited => self.grow(len),
            Some(_) | None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.flush_pending()?;
        for var in self.schema.var_ids() {
            self.fill(var).in_object(|| self.schema.var_path(var))?;
        }
        let header = header::write(&self.schema, self.records, &self.places.vars)?;
        self.blocks.write(&mut *self.target, 0, &header)?;
        self.blocks.flush(&mut *self.target)?;
        let end = self.places.end(self.records)?;
        self.target.set_len(end.max(header.len() as u64))?;
        self.target.commit()
    }
}

impl BulkWriter for ClassicWriter {
    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, _: &Arc<dyn Source>) -> Result<()> {
        self.put_chunk(var, chunk.index, chunk.mask, &[])
    }

    fn move_run(
        &mut self,
        var: VarId,
        element: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()> {
        let from = self.byte(var, element)?;
        let len = length(&range);
        self.parts(var, from, len, |w, part| {
            w.move_part(var, source, (range.start, part))
        })
    }

    fn runs(&mut self, var: VarId) -> Result<Option<Box<dyn Runs>>> {
        let parts = self.all_parts(var)?;
        let Some(hand) = self
            .target
            .concurrent_writer()
            .filter(|_| parts.are_large())
        else {
            return Ok(None);
        };
        self.flush_pending()?;
        // Flush first: cached blocks contain old file contents, and would overwrite data from other threads.
        self.blocks.flush(&mut *self.target)?;
        let padding = self.padding.get(var.index()).cloned();
        Ok(Some(Box::new(SharedVariable {
            writer: hand,
            parts,
            padding: padding.or_internal("a variable without padding")?,
            path: self.schema.var_path(var),
        })))
    }

    fn ran(&mut self, var: VarId, element: u64, bytes: u64) -> Result<()> {
        let from = self.byte(var, element)?;
        self.parts(var, from, bytes, |w, part| {
            let size = length(&part.bytes);
            let padding = w.padding.get(var.index()).filter(|_| part.padded);
            let end = exact(part.offset) + size + padding.map_or(0, Vec::len);
            w.blocks.forget(&mut *w.target, part.offset, end.get()?)
        })
    }
}
