//! Appends records to a dataset that is changed in place.

use crate::arithmetic::{Amount, exact};
use crate::chunk::encode::{ChunkEncoder, EncodedChunk};
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::{Block, number, place, put_back};
use crate::chunk::{Dataset, Locate, Placement, Update, elements};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::model::region::product;
use crate::model::{Attribute, DataType, DimId, FillMode, Region, Schema, VarId, Variable};
use crate::runtime::WorkItem;

/// Approximate bytes of records that are written at once.
const BAND: u64 = 4 << 20;

/// The records to append.
#[derive(Debug, Clone, Copy)]
pub struct NewRecords {
    /// The dimension.
    pub dim: DimId,
    /// The first new record.
    pub from: u64,
    /// The new length.
    pub len: u64,
}

/// Appends the records of `set`, whose first `records.from` records are those of the dataset that `update` changes, and commits them. If
/// the records cannot be appended in place, the dataset stays as it is.
///
/// # Errors
/// Returns read errors, and the errors of [`Update`].
pub fn append(set: Dataset<'_>, records: NewRecords, update: &mut dyn Update) -> Result<Placement> {
    let (whole, own) = (set.reader.schema(), update.reader().schema());
    if !is_same_apart_from(records.dim, [whole, own]) {
        return Ok(Placement::Anew("definitions or attributes change"));
    }
    if own.dim(records.dim).map(|dim| dim.len) != Some(records.from) {
        let what = "the number of records changed since the dataset was opened";
        return Err(Error::new(ErrorKind::Changed, what));
    }
    let vars: Vec<VarId> = own
        .var_ids()
        .zip(&own.vars)
        .filter(|(_, var)| var.dims.contains(&records.dim))
        .map(|(id, _)| id)
        .collect();
    let stored = append_all(set, (records, &vars), update);
    match stored {
        Ok(Placement::InPlace) => {
            set.env.cancel.check()?;
            set.env.notes.check()?;
            update.commit(FillMode::Fill)?;
            Ok(Placement::InPlace)
        }
        not_stored => {
            update.abandon()?;
            not_stored
        }
    }
}

fn append_all(
    set: Dataset<'_>,
    (records, vars): (NewRecords, &[VarId]),
    update: &mut dyn Update,
) -> Result<Placement> {
    if let anew @ Placement::Anew(_) = update.set_len(records.dim, records.len)? {
        return Ok(anew);
    }
    let dim = update.reader().schema().dim(records.dim);
    if dim.map(|dim| dim.len) != Some(records.len) {
        return Ok(Placement::Anew("the dimension is not unlimited"));
    }
    for &var in vars {
        if let anew @ Placement::Anew(_) = update.extend_variable(var)? {
            return Ok(anew);
        }
        let variable = AppendedVariable::new(set, (var, records), update)?;
        let placed = match (update.rules(var).chunks, variable.layout.element.plain) {
            (true, true) => variable.chunks(update),
            (true, false) => variable.value_chunks(update),
            (false, true) => variable.runs(update),
            (false, false) => Ok(Placement::Anew(
                "values of user-defined types without chunks",
            )),
        };
        let path = || set.reader.schema().var_path(var);
        if let anew @ Placement::Anew(_) = placed.in_object(path)? {
            return Ok(anew);
        }
    }
    Ok(Placement::InPlace)
}

/// Returns whether two schemas are equal apart from the length of a dimension and the storage.
fn is_same_apart_from(dim: DimId, [a, b]: [&Schema; 2]) -> bool {
    let dims = (0..).map(DimId).zip(a.dims.iter().zip(&b.dims));
    let mut dims = dims.map(|(id, (a, b))| {
        (&a.name, a.group, a.unlimited) == (&b.name, b.group, b.unlimited)
            && (a.len == b.len || id == dim)
    });
    let var = |(a, b): (&Variable, &Variable)| {
        (&a.name, a.group, a.ty) == (&b.name, b.group, b.ty)
            && a.dims == b.dims
            && Attribute::are_same(&a.attributes, &b.attributes)
    };
    let lens = [a, b].map(|s| (s.dims.len(), s.vars.len(), s.groups.len()));
    let is_user = |var: &Variable| matches!(var.ty, DataType::User(_));
    lens[0] == lens[1]
        && (a.types == b.types || !b.vars.iter().any(is_user))
        && dims.all(|same| same)
        && a.vars.iter().zip(&b.vars).all(var)
        && a.groups
            .iter()
            .zip(&b.groups)
            .all(|(a, b)| Attribute::are_same(&a.attributes, &b.attributes))
}

/// A variable whose records are appended.
pub(super) struct AppendedVariable<'a> {
    pub(super) set: Dataset<'a>,
    pub(super) var: VarId,
    pub(super) records: NewRecords,
    /// The number of the dimension in the variable.
    pub(super) axis: usize,
    /// The storage in the dataset that is changed.
    pub(super) layout: Layout,
}

impl<'a> AppendedVariable<'a> {
    fn new(
        set: Dataset<'a>,
        (var, records): (VarId, NewRecords),
        update: &dyn Update,
    ) -> Result<Self> {
        let dims = &set.reader.schema().var(var).or_internal("a variable")?.dims;
        let axis = dims.iter().position(|dim| *dim == records.dim);
        Ok(Self {
            layout: update.reader().layout(var)?,
            axis: axis.or_internal("the dimension of records")?,
            set,
            var,
            records,
        })
    }

    /// Returns the elements of a region in stored form.
    fn stored(&self, set: Dataset<'_>, region: &Region) -> Result<Vec<u8>> {
        let mut bytes = vec![];
        let values = set.read(self.var, region)?;
        elements::encode(&values, self.layout.element.order, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends the records as runs of elements, for a variable whose slowest dimension has the records.
    fn runs(&self, update: &mut dyn Update) -> Result<Placement> {
        let shape = &self.layout.extent;
        let per = product(shape.get(1..).unwrap_or_default());
        let per = per.or_internal("the elements of a record")?;
        let bytes = Amount::of(per) * self.layout.element.size;
        let band = (BAND / bytes.get().max(1)).max(1);
        let mut at = self.records.from;
        while at < self.records.len {
            let count = band.min(self.records.len - at);
            let mut region = Region::whole(shape);
            self.limit(&mut region, at, count);
            let stored = self.stored(self.set, &region)?;
            let element = (exact(at) * per).get()?;
            if let anew @ Placement::Anew(_) = update.put_run(self.var, element, &stored)? {
                return Ok(anew);
            }
            at += count;
        }
        Ok(Placement::InPlace)
    }

    /// Sets the range of records of a region.
    pub(super) fn limit(&self, region: &mut Region, start: u64, count: u64) {
        if let Some(own) = region.start.get_mut(self.axis) {
            *own = start;
        }
        if let Some(own) = region.count.get_mut(self.axis) {
            *own = count;
        }
    }

    /// Appends the records as chunks. Chunks that have old records, too, come first.
    fn chunks(&self, update: &mut dyn Update) -> Result<Placement> {
        let env = self.set.env;
        let target = (update.reader().schema(), update.rules(self.var));
        let encoder = ChunkEncoder::of(target, env, self.var, &self.layout)?;
        let grid = self.layout.grid();
        let chunk = self
            .layout
            .chunk
            .get(self.axis)
            .copied()
            .unwrap_or(1)
            .max(1);
        let first = self.records.from / chunk;
        let shared = !self.records.from.is_multiple_of(chunk);
        let mut mixed = Block::whole(&grid);
        if shared {
            self.limit_block(&mut mixed, first, 1);
            for index in indices(&mixed, &grid)? {
                let index = index?;
                let encoded = self.mixed_chunk((index, env), &encoder, update)?;
                let placed = update.put_chunk(self.var, index, encoded.mask, &encoded.bytes)?;
                if let anew @ Placement::Anew(_) = placed {
                    return Ok(anew);
                }
            }
        }
        let start = first + u64::from(shared);
        let mut new = Block::whole(&grid);
        let end = grid.get(self.axis).copied().unwrap_or(start);
        self.limit_block(&mut new, start, (exact(end) - start).get()?);
        self.new_chunks(indices(&new, &grid)?, &encoder, update)
    }

    pub(super) fn limit_block(&self, block: &mut Block, start: u64, count: u64) {
        if let Some(own) = block.start.get_mut(self.axis) {
            *own = start;
        }
        if let Some(own) = block.count.get_mut(self.axis) {
            *own = count;
        }
    }

    /// Stores chunks that have only new records.
    fn new_chunks(
        &self,
        indices: impl Iterator<Item = Result<u64>>,
        encoder: &ChunkEncoder,
        update: &mut dyn Update,
    ) -> Result<Placement> {
        let bytes = (Amount::of(encoder.chunk_bytes() as u64) * 2u64).get();
        let items = indices.map(|index| Ok(WorkItem::new(bytes, index?)));
        let moves = self.moves(update)?;
        let made = |index: u64| {
            if moves {
                return Ok((index, self.moved(index)?));
            }
            let region = self.region(index);
            let stored = self.stored(self.set, &region)?;
            Ok((index, Some(encoder.encode(&region, stored)?)))
        };
        let mut placement = Placement::InPlace;
        self.set.runtime().ordered(items, made, |(index, chunk)| {
            if let (Placement::InPlace, Some(chunk)) = (placement, chunk) {
                placement = update.put_chunk(self.var, index, chunk.mask, &chunk.bytes)?;
            }
            Ok(())
        })?;
        Ok(placement)
    }

    /// Returns whether stored chunks of the records are chunks of the dataset, in the same kind of file.
    fn moves(&self, update: &dyn Update) -> Result<bool> {
        let reader = self.set.reader;
        Ok(!reader.assembles(self.var)
            && reader.schema().kind == update.reader().schema().kind
            && self.set.layout(self.var)? == self.layout)
    }

    /// Returns the location of a chunk of the variable in `set`; `None` for a missing chunk.
    fn located(&self, set: Dataset<'_>, index: u64) -> Result<Option<ChunkRef>> {
        let position = self.layout.place(index);
        let one = Block {
            count: vec![1; position.len()],
            start: position,
        };
        let mut found = None;
        let mut visit = |chunk: ChunkRef| {
            found = Some(chunk);
            Ok(())
        };
        set.locate_chunks(self.var, &one, Locate::Stored, &mut visit)?;
        Ok(found)
    }

    /// Returns a stored chunk; `None` for a missing chunk.
    fn moved(&self, index: u64) -> Result<Option<EncodedChunk>> {
        let found = self.located(self.set, index)?;
        let stored = |chunk: ChunkRef| {
            Ok(EncodedChunk {
                mask: chunk.mask,
                bytes: self.set.fetch_one(&chunk)?,
            })
        };
        found.map(stored).transpose()
    }

    /// Returns the elements of a chunk, as a region of the variable.
    pub(super) fn region(&self, index: u64) -> Region {
        self.layout.chunk_region(index)
    }

    /// Returns a chunk with old and new records.
    fn mixed_chunk(
        &self,
        (index, env): (u64, &Env),
        encoder: &ChunkEncoder,
        update: &dyn Update,
    ) -> Result<EncodedChunk> {
        let region = self.region(index);
        let from = self.records.from;
        let start = region.start.get(self.axis).copied().unwrap_or(0);
        let count = region.count.get(self.axis).copied().unwrap_or(0);
        let (mut old, mut new) = (region.clone(), region.clone());
        self.limit(&mut old, start, from - start);
        self.limit(&mut new, from, (exact(start) + count - from).get()?);
        let size = self.layout.element.size;
        let len = product(&region.count).and_then(|n| n.checked_mul(size));
        let mut all = vec![0; exact(len.or_internal("a chunk")?).index()?];
        let block = Block {
            start: region.start.clone(),
            count: region.count.clone(),
        };
        let own = Dataset::new(update.reader(), env);
        for (set, part) in [(own, &old), (self.set, &new)] {
            put_back(&block, part, size, &self.stored(set, part)?, &mut all)?;
        }
        encoder.encode(&region, all)
    }
}

/// Returns the numbers of the chunks in a block of the grid.
pub(super) fn indices<'g>(
    block: &Block,
    grid: &'g [u64],
) -> Result<impl Iterator<Item = Result<u64>> + use<'g>> {
    let count = product(&block.count).or_internal("chunks")?;
    let block = block.clone();
    Ok((0..count).map(move |n| {
        let inside = place(n, &block.count);
        let position = inside
            .iter()
            .zip(&block.start)
            .map(|(at, start)| at + start);
        number(&position.collect::<Vec<u64>>(), grid)
    }))
}
