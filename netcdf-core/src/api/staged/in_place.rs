//! Changes that the format makes in the original dataset.

use std::collections::BTreeSet;

use super::Staged;
use super::recent::LARGEST;
use crate::arithmetic::{exact, indices};
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::{Block, ElementRun, number, place, runs};
use crate::chunk::{Placement, Reader, Update, elements};
use crate::env::Env;
use crate::error::{Context as _, OrInternal as _, Result};
use crate::filter::names::is_lossy;
use crate::format;
use crate::limits::zeros;
use crate::model::region::product;
use crate::model::{DimId, FillMode, Region, Schema, Values, VarId};

impl Staged {
    /// Writes values into the original dataset, where other programs do not see them before the commit. Returns false if the values must be
    /// staged.
    pub(super) fn put_in_place(
        &mut self,
        var: VarId,
        region: &Region,
        values: &Values,
    ) -> Result<bool> {
        if self.tiles.contains_key(&var) {
            return Ok(false);
        }
        let Some(base) = &mut self.base else {
            return Ok(false);
        };
        let id = base.vars.get(var.index()).copied();
        let (Some(id), Some(update)) = (id, base.original.update_mut()) else {
            return Ok(false);
        };
        let is_store = format::traits(update.reader().schema().kind).keys;
        if is_store || update.rules(id).chunks {
            // The cache may have scalars of stores.
            return Ok(false);
        }
        let element = update.reader().element(id)?;
        if element.plain_type().is_none() {
            return Ok(false);
        }
        let mut bytes = vec![];
        elements::encode(values, element.order, &mut bytes)?;
        let placed = put_runs((update, id), region, (&bytes, element.size));
        placed.map(|placed| placed == Placement::InPlace)
    }

    /// Makes all changes visible in the original dataset. `redefined`: definitions, attributes or names have changed.
    pub(in crate::api) fn commit(
        &mut self,
        (redefined, fill): (bool, FillMode),
        env: &Env,
    ) -> Result<Placement> {
        let Some(base) = &mut self.base else {
            return Ok(Placement::Anew("the dataset is new"));
        };
        let same_ids = base.vars.iter().copied().eq(self.schema.var_ids());
        let Some(update) = base.original.update_mut() else {
            return Ok(Placement::Anew("the format has no changes in place"));
        };
        if !same_ids {
            return Ok(Placement::Anew("the dataset has new variables"));
        }
        let before = lengths(update.reader().schema());
        let placed = set_lengths(update, &self.schema)?;
        let is_longer = before != lengths(update.reader().schema());
        if is_longer {
            // The cache has numbers of chunks in the old grid.
            base.cache.clear(env);
        }
        if let Placement::Anew(reason) = placed {
            return Ok(Placement::Anew(reason));
        }
        if is_longer && lacks_fill_value(update.reader().schema(), &self.schema) {
            return Ok(Placement::Anew("the store records no fill value"));
        }
        if let Placement::Anew(reason) = define(update, &self.schema, redefined)? {
            return Ok(Placement::Anew(reason));
        }
        if let Placement::Anew(reason) = self.put_all_tiles(env)? {
            return Ok(Placement::Anew(reason));
        }
        if let Some(base) = &mut self.base
            && let Some(update) = base.original.update_mut()
        {
            update.commit(fill)?;
            if !self.tiles.is_empty() {
                // The cache has the chunks before the change.
                base.cache.clear(env);
                base.untouched = base.vars.iter().copied().map(Some).collect();
                self.remember_tiles()?;
                self.tiles.clear();
                self.spool = None;
            }
        }
        Ok(Placement::InPlace)
    }

    /// Keeps the tiles of partial chunks, if the filters are lossless.
    fn remember_tiles(&mut self) -> Result<()> {
        let (Some(base), Some(spool)) = (&mut self.base, &self.spool) else {
            return Ok(());
        };
        for (&var, tiles) in &mut self.tiles {
            let id = *base.vars.get(var.index()).or_internal("a variable")?;
            let layout = base.original.reader().layout(id)?;
            let is_plain = layout.element.plain_type().is_some();
            let exact =
                is_plain && layout.quantize.is_none() && !layout.filters.iter().any(is_lossy);
            if !exact || !tiles.over || tiles.shape() != layout.chunk || tiles.bytes()? > LARGEST {
                continue;
            }
            let unread = std::mem::take(&mut tiles.recent);
            for (place, bytes) in unread {
                base.recent.put(var, place, bytes);
            }
            for (place, at) in tiles.partial(&growing_lens(&self.schema, var)) {
                base.recent.put(var, place.clone(), tiles.read(at, spool)?);
            }
        }
        Ok(())
    }

    /// Stores all staged data as chunks.
    fn put_all_tiles(&mut self, env: &Env) -> Result<Placement> {
        let vars: Vec<VarId> = self.tiles.keys().copied().collect();
        for var in vars {
            if let Placement::Anew(reason) = self.extend_variable(var, env)? {
                return Ok(Placement::Anew(reason));
            }
            let path = || self.schema.var_path(var);
            let chunks = self.staged_chunks(var, env).in_object(path)?;
            let Some(chunks) = chunks else {
                match self.put_unchunked(var, env)? {
                    Placement::InPlace => continue,
                    anew @ Placement::Anew(_) => return Ok(anew),
                }
            };
            for &index in &chunks.indices {
                let encoded = match chunks.layout.element.plain_type() {
                    Some(_) => {
                        let region = chunks.layout.chunk_region(index);
                        let bytes = self.stored_elements(var, (&chunks.layout, &region), env)?;
                        chunks.encoder.encode(&region, bytes)?
                    }
                    None => self.value_chunk((var, index), &chunks, env)?,
                };
                let update = self.base.as_mut().and_then(|b| b.original.update_mut());
                let update = update.or_internal("a dataset that is changed in place")?;
                let id = chunks.id;
                if let Placement::Anew(reason) =
                    update.put_chunk(id, index, encoded.mask, &encoded.bytes)?
                {
                    return Ok(Placement::Anew(reason));
                }
            }
        }
        Ok(Placement::InPlace)
    }

    /// Extends the storage of a variable with staged data to the lengths of its dimensions.
    fn extend_variable(&mut self, var: VarId, env: &Env) -> Result<Placement> {
        let path = || self.schema.var_path(var);
        let Some(base) = &mut self.base else {
            return Ok(Placement::InPlace);
        };
        let id = *base.vars.get(var.index()).or_internal("a variable")?;
        let Some(update) = base.original.update_mut() else {
            return Ok(Placement::InPlace);
        };
        let before = update.reader().layout(id)?.extent;
        let placed = update.extend_variable(id).in_object(path)?;
        if update.reader().layout(id)?.extent != before {
            base.cache.clear(env);
        }
        Ok(placed)
    }

    /// Stores the staged elements of a variable without chunks: values with heap data, or a scalar.
    fn put_unchunked(&mut self, var: VarId, env: &Env) -> Result<Placement> {
        let Some(base) = &self.base else {
            return Ok(Placement::Anew("the variable is new"));
        };
        let id = *base.vars.get(var.index()).or_internal("a variable")?;
        let element = base.original.reader().layout(id)?.element;
        if element.plain_type().is_none() {
            return self.put_unchunked_values(var, env);
        }
        if !self.schema.shape(var).is_empty() {
            return Ok(Placement::Anew("large changes of data without chunks"));
        }
        let values = self.set(env).read(var, &Region::whole(&[]))?;
        let mut bytes = vec![];
        elements::encode(&values, element.order, &mut bytes)?;
        let update = self
            .update_mut()
            .or_internal("a dataset that is changed in place")?;
        update.put_run(id, 0, &bytes)
    }

    /// Returns the elements of a region in stored form.
    fn stored_elements(
        &self,
        var: VarId,
        (layout, region): (&Layout, &Region),
        env: &Env,
    ) -> Result<Vec<u8>> {
        let block = Block::of(region);
        if let (Some(tiles), Some(spool)) = (self.tiles.get(&var), &self.spool)
            && tiles.element == layout.element
            && tiles.covers(&block)
        {
            let elements = exact(product(&region.count).or_internal("elements")?);
            let size = (elements * layout.element.size).get()?;
            let mut bytes = zeros(env.limits.item(size, "a chunk")?, "a chunk")?;
            tiles.copy_tiles(&block, spool, &mut bytes)?;
            return Ok(bytes);
        }
        let values = self.set(env).read(var, region)?;
        let mut bytes = vec![];
        elements::encode(&values, layout.element.order, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the chunks of the original dataset that have staged data; `None` if the variable has no chunks that can be changed.
    fn staged_chunks(&self, var: VarId, env: &Env) -> Result<Option<StagedChunks>> {
        let (Some(base), Some(tiles)) = (&self.base, self.tiles.get(&var)) else {
            return Ok(None);
        };
        let id = *base.vars.get(var.index()).or_internal("a variable")?;
        let Some(update) = base.original.update() else {
            return Ok(None);
        };
        let layout = update.reader().layout(id)?;
        let has_values = format::traits(update.reader().schema().kind).heap;
        let is_possible = layout.element.plain_type().is_some() || has_values;
        if !update.rules(id).chunks || !is_possible {
            return Ok(None);
        }
        let grid = layout.grid();
        let mut indices = BTreeSet::new();
        for region in tiles.regions() {
            let touched = layout.touched(&region);
            let count = product(&touched.count).or_internal("chunks")?;
            for n in 0..count {
                let inside = place(n, &touched.count);
                let position = inside
                    .iter()
                    .zip(&touched.start)
                    .map(|(at, start)| at + start);
                indices.insert(number(&position.collect::<Vec<u64>>(), &grid)?);
            }
        }
        let target = (update.reader().schema(), update.rules(id));
        Ok(Some(StagedChunks {
            id,
            indices,
            encoder: ChunkEncoder::of(target, env, id, &layout)?,
            layout,
        }))
    }
}

/// The chunks of a variable that have staged data.
pub(super) struct StagedChunks {
    /// The id in the original dataset.
    pub(super) id: VarId,
    /// The chunk numbers, in order.
    indices: BTreeSet<u64>,
    pub(super) layout: Layout,
    pub(super) encoder: ChunkEncoder,
}

fn lengths(schema: &Schema) -> Vec<u64> {
    schema.dims.iter().map(|dim| dim.len).collect()
}

/// Returns whether a new file would record the fill value of a variable, but the original dataset does not.
fn lacks_fill_value(original: &Schema, schema: &Schema) -> bool {
    let mut vars = original.vars.iter().zip(&schema.vars);
    vars.any(|(old, new)| {
        old.storage.fill == FillMode::NoFill && new.storage.fill == FillMode::Fill
    })
}

/// Returns the lengths of the unlimited dimensions of a variable, and `None` for other dimensions.
fn growing_lens(schema: &Schema, var: VarId) -> Vec<Option<u64>> {
    let dims = schema.var(var).map(|var| var.dims.iter());
    let len = |id: &DimId| {
        schema
            .dim(*id)
            .filter(|dim| dim.unlimited)
            .map(|dim| dim.len)
    };
    dims.map_or(vec![], |dims| dims.map(len).collect())
}

/// Extends the unlimited dimensions.
fn set_lengths(update: &mut dyn Update, schema: &Schema) -> Result<Placement> {
    for (id, dim) in (0..)
        .map(DimId)
        .zip(&schema.dims)
        .filter(|(_, dim)| dim.unlimited)
    {
        if let Placement::Anew(reason) = update.set_len(id, dim.len)? {
            return Ok(Placement::Anew(reason));
        }
    }
    Ok(Placement::InPlace)
}

fn define(update: &mut dyn Update, schema: &Schema, redefined: bool) -> Result<Placement> {
    match redefined {
        true => update.define(schema),
        false => Ok(Placement::InPlace),
    }
}

/// Writes the elements of a region, in stored form.
fn put_runs(
    (update, var): (&mut dyn Update, VarId),
    region: &Region,
    (bytes, size): (&[u8], u64),
) -> Result<Placement> {
    if let Some(element) = single_run(update.reader().schema(), var, region) {
        return update.put_run(var, element, bytes);
    }
    let mut found: Vec<ElementRun> = vec![];
    let shape = grown_shape(update.reader(), var, region);
    runs(&Block::whole(&shape), region, |run| {
        found.push(run);
        Ok(())
    })?;
    for run in found {
        let (len, count) = match run.step {
            1 => (run.len, 1),
            _ => (1, run.len),
        };
        for n in 0..count {
            let element = run.from.saturating_add(n.saturating_mul(run.step));
            let part = indices(exact(run.to + n) * size, exact(len) * size)?;
            let part = bytes.get(part).or_internal("elements of a region")?;
            if let Placement::Anew(reason) = update.put_run(var, element, part)? {
                return Ok(Placement::Anew(reason));
            }
        }
    }
    Ok(Placement::InPlace)
}

/// Returns the first element of a region if row-major order has its elements without gaps; otherwise `None`.
fn single_run(schema: &Schema, var: VarId, region: &Region) -> Option<u64> {
    let dims = &schema.var(var)?.dims;
    let axes = region.start.iter().zip(&region.count).zip(&region.stride);
    // From the last dimension: whole dimensions, then one part of a dimension, then single indices.
    let (mut first, mut below, mut is_whole) = (0u64, 1u64, true);
    for (((start, count), stride), dim) in axes.zip(dims).rev() {
        let is_adjacent = *count == 1 || (is_whole && *stride == 1);
        if !is_adjacent {
            return None;
        }
        let len = schema.dim(*dim)?.len;
        is_whole &= (*start, *count) == (0, len);
        first = first.checked_add(start.checked_mul(below)?)?;
        below = below.checked_mul(len.max(*count))?;
    }
    Some(first)
}

/// Returns the shape of a variable after the write of a region.
fn grown_shape(reader: &dyn Reader, var: VarId, region: &Region) -> Vec<u64> {
    let shape = reader.schema().shape(var);
    let ends = region.start.iter().zip(&region.count).zip(&region.stride);
    let ends = ends.map(|((start, count), stride)| {
        let last = count.saturating_sub(1).saturating_mul(*stride);
        start.saturating_add(last).saturating_add(1)
    });
    shape
        .iter()
        .zip(ends)
        .map(|(len, end)| (*len).max(end))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::api::{Dataset, InPlace, Length, Options, Select};
    use crate::model::{Atomic, GroupId, Kind, StorageLayout};

    /// netCDF-C and this library only extend the datasets of variables that a program writes.
    #[test]
    fn a_variable_that_is_shorter_than_its_dimension_is_extended() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.nc");
        let root = GroupId::ROOT;
        let mut data = Dataset::create(&path, Kind::NETCDF4).unwrap();
        let time = data.define_dim(root, "time", Length::Unlimited).unwrap();
        let a = data.define_var(root, "a", Atomic::Int, &[time]).unwrap();
        let b = data.define_var(root, "b", Atomic::Int, &[time]).unwrap();
        data.end_definition().unwrap();
        data.write(a, &Select::region(&[0], &[9]), &[1; 9]).unwrap();
        data.close().unwrap();
        for (at, end) in [(2, 9), (7, 9), (9, 10)] {
            let options = Options {
                in_place: InPlace::Always,
                ..Options::default()
            };
            let mut data = Dataset::open_for_writing_with(&path, options).unwrap();
            data.write(b, &Select::at(&[at]), &[at]).unwrap();
            data.close().unwrap();
            let data = Dataset::open(&path).unwrap();
            assert_eq!(data.read::<u64>(b, &Select::at(&[at])).unwrap(), [at]);
            assert_eq!(data.shape(b).unwrap(), [end]);
        }
    }

    /// The number of a chunk changes if the grid grows along the last dimension.
    #[test]
    fn chunks_are_found_after_the_last_dimension_grows() {
        for writes_scalar in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("a.nc");
            let root = GroupId::ROOT;
            let mut data = Dataset::create(&path, Kind::NETCDF4).unwrap();
            let x = data.define_dim(root, "x", 3.into()).unwrap();
            let time = data.define_dim(root, "time", Length::Unlimited).unwrap();
            let v = data.define_var(root, "v", Atomic::Int, &[x, time]).unwrap();
            let w = data.define_var(root, "w", Atomic::Int, &[time]).unwrap();
            let scalar = data.define_var(root, "scalar", Atomic::Int, &[]).unwrap();
            data.define_chunking(v, StorageLayout::Chunked(vec![1, 2]))
                .unwrap();
            data.end_definition().unwrap();
            let values: Vec<i32> = (0..12).collect();
            let whole = Select::region(&[0, 0], &[3, 4]);
            data.write(v, &whole, &values).unwrap();
            data.close().unwrap();

            let mut data = Dataset::open_for_writing(&path).unwrap();
            assert_eq!(data.read::<i32>(v, &whole).unwrap(), values);
            if writes_scalar {
                // No storage is allocated: the dataset is written anew.
                data.write(scalar, &Select::all(), &[1]).unwrap();
            }
            data.write(v, &Select::at(&[2, 1]), &[9]).unwrap();
            data.write(v, &Select::at(&[1, 4]), &[70]).unwrap();
            data.write(w, &Select::at(&[20]), &[1]).unwrap();
            data.close().unwrap();
            let data = Dataset::open(&path).unwrap();
            let found = data.read::<i32>(v, &whole).unwrap();
            assert_eq!(found, values, "{writes_scalar}");
            assert_eq!(data.read::<i32>(v, &Select::at(&[1, 4])).unwrap(), [70]);
        }
    }
}
