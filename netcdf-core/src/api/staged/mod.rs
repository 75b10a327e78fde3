//! A dataset in editing: the original with staged changes, readable as one dataset.
//!
//! The schema can grow and change in place. Variables, dimensions, types and groups are never removed, so that ids stay valid. Written data
//! goes to a temporary file in any order; small data and tile positions are in memory. Untouched data comes from the original, chunk by chunk, so
//! that it can be copied without decoding.

mod elements;
mod heap;
mod in_place;
mod plan;
mod reader;
mod recent;
mod spool;
mod tiles;
mod value_chunks;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::original::Original;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::Block;
use crate::chunk::{self, ReadCache, Reader, Update};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::model::{
    Atomic, DataType, Endianness, FillMode, Region, Schema, StoredElement, Values, VarId,
};
use recent::RecentTiles;
use spool::StagedSpool;
use tiles::StagedTiles;

/// A dataset in editing.
pub(super) struct Staged {
    /// The new schema.
    pub(super) schema: Schema,
    /// The original dataset.
    base: Option<Base>,
    /// Staged data by variable.
    tiles: BTreeMap<VarId, StagedTiles>,
    spool: Option<StagedSpool>,
    /// The directory for temporary files.
    folder: Option<PathBuf>,
}

/// The original dataset.
struct Base {
    original: Original,
    /// The read cache of the original.
    cache: ReadCache,
    /// The original ids of variables; original variables precede new variables.
    vars: Vec<VarId>,
    /// Like `vars`, with `None` for variables with staged data.
    untouched: Vec<Option<VarId>>,
    /// Tiles that a commit stored as partial chunks.
    recent: RecentTiles,
}

impl Base {
    fn new(original: Original, vars: Vec<VarId>, cache: ReadCache) -> Self {
        Self {
            original,
            cache,
            untouched: vars.iter().copied().map(Some).collect(),
            vars,
            recent: RecentTiles::default(),
        }
    }
}

impl Staged {
    /// Returns a new dataset.
    pub(super) fn new(schema: Schema, folder: Option<PathBuf>) -> Self {
        Self {
            schema,
            base: None,
            tiles: BTreeMap::new(),
            spool: None,
            folder,
        }
    }

    /// Opens an existing dataset with its cache.
    pub(super) fn open(original: Original, folder: Option<PathBuf>, cache: ReadCache) -> Self {
        let schema = original.reader().schema().clone();
        let vars = schema.var_ids().collect();
        let base = Some(Base::new(original, vars, cache));
        Self {
            base,
            ..Self::new(schema, folder)
        }
    }

    /// Returns the edited dataset for reading. The read cache of the original serves untouched variables.
    pub(super) fn set<'a>(&'a self, env: &'a Env) -> chunk::Dataset<'a> {
        let set = chunk::Dataset::new(self, env);
        match &self.base {
            Some(base) => set.with_vars(&base.cache, &base.untouched),
            None => set,
        }
    }

    /// Returns the size in bytes of the original's cached chunks.
    #[cfg(test)]
    pub(super) fn decoded_bytes(&self) -> u64 {
        let base = self.base.as_ref();
        base.map_or(0, |base| base.cache.decoded_bytes())
    }

    /// Returns the original dataset if it is changed in place.
    pub(super) fn update(&self) -> Option<&dyn Update> {
        self.base.as_ref()?.original.update()
    }

    /// Returns the original dataset for reading.
    fn base_set<'a>(&'a self, env: &'a Env) -> Option<chunk::Dataset<'a>> {
        let base = self.base.as_ref()?;
        Some(chunk::Dataset::new(base.original.reader(), env).with(&base.cache))
    }

    /// Returns the original dataset and the variable's id there, if the original has elements of the variable.
    fn base_of(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        let base = self.base.as_ref()?;
        Some((base.original.reader(), *base.vars.get(var.index())?))
    }

    /// Returns the original layout of a variable with the new type: pure Zarr does not distinguish characters from strings of one byte.
    /// Pure Zarr also omits the fill value of a variable if all chunks are stored.
    fn original_layout(&self, var: VarId, (base, id): (&dyn Reader, VarId)) -> Result<Layout> {
        let mut layout = base.layout(id)?;
        let (own, there) = (self.schema.var(var), base.schema().var(id));
        let string = layout.element.ty == Atomic::String.into() && layout.element.size == 1;
        if string && own.is_some_and(|v| v.ty == Atomic::Char.into()) {
            layout.element.ty = Atomic::Char.into();
            layout.element.plain = true;
        }
        let bare = there.is_some_and(|v| v.storage.fill == FillMode::NoFill);
        if bare && own.is_some_and(|v| v.storage.fill == FillMode::Fill) {
            layout.fill = None;
        }
        Ok(layout)
    }

    /// Continues with the dataset written from this one and discards the staged data. Returns false if the datasets differ.
    pub(super) fn rebase(&mut self, original: Original, cache: ReadCache) -> bool {
        let schema = original.reader().schema();
        let (own, written) = (self.schema.types.iter(), schema.types.iter());
        let types = own.len() == written.len()
            && own
                .zip(written)
                .all(|(a, b)| a.name == b.name && a.kind == b.kind);
        let ids = schema.var_ids().map(|id| (schema.var_path(id), id));
        let ids: BTreeMap<String, VarId> = ids.collect();
        let found = self.schema.var_ids().map(|id| {
            let at = ids.get(&self.schema.var_path(id)).copied();
            at.filter(|&at| schema.shape(at) == self.schema.shape(id))
        });
        let Some(vars) = found.collect::<Option<Vec<_>>>().filter(|_| types) else {
            return false;
        };
        for (own, id) in self.schema.vars.iter_mut().zip(&vars) {
            if let Some(written) = schema.var(*id) {
                let old = std::mem::replace(&mut own.storage, written.storage.clone());
                own.storage.quantize = old.quantize;
                // Pure Zarr records a fill value only if some chunks are missing.
                (own.storage.fill, own.storage.unwritten) = (old.fill, old.unwritten);
            }
        }
        self.tiles.clear();
        self.spool = None;
        // The new base has a new cache; the cache of the old file is dropped.
        self.base = Some(Base::new(original, vars, cache));
        true
    }

    /// Returns whether the original has the variable.
    pub(super) fn is_old(&self, var: VarId) -> bool {
        self.base_of(var).is_some()
    }

    /// Returns whether the variable has staged data.
    pub(super) fn is_touched(&self, var: VarId) -> bool {
        self.tiles_of(var).is_some_and(|t| !t.is_empty())
    }

    /// Returns the staged data of a variable.
    fn tiles_of(&self, var: VarId) -> Option<&StagedTiles> {
        self.tiles.get(&var)
    }

    /// Writes values of the variable's type into a region within it.
    ///
    /// # Errors
    /// Returns errors of the temporary file, and read errors for the remainder of a partly written tile, with the variable's path.
    pub(super) fn put(
        &mut self,
        var: VarId,
        region: &Region,
        values: &Values,
        env: &Env,
    ) -> Result<()> {
        let done = self.put_values(var, region, values, env);
        done.in_object(|| self.schema.var_path(var))
    }

    fn put_values(
        &mut self,
        var: VarId,
        region: &Region,
        values: &Values,
        env: &Env,
    ) -> Result<()> {
        if region.elements() == Some(0) || self.put_in_place(var, region, values)? {
            return Ok(());
        }
        let (mut tiles, spool) = self.begin(var)?;
        if let Some(base) = self
            .base
            .as_mut()
            .filter(|_| tiles.is_empty() && tiles.over)
        {
            tiles.recent.append(&mut base.recent.take(var));
        }
        let bytes = elements::stored(values, &tiles, &spool);
        let put = bytes.and_then(|bytes| {
            let mut under = |part: &Block, out: &mut [u8]| self.read_original(var, part, out, env);
            tiles.put(region, &bytes, (&spool, &mut under))
        });
        self.tiles.insert(var, tiles);
        let untouched = self.base.as_mut().map(|base| &mut base.untouched);
        if let Some(id) = untouched.and_then(|vars| vars.get_mut(var.index())) {
            *id = None;
        }
        put
    }

    /// Removes and returns the staged data of a variable, with the temporary file.
    fn begin(&mut self, var: VarId) -> Result<(StagedTiles, StagedSpool)> {
        let spool = match &self.spool {
            Some(spool) => spool.clone(),
            None => {
                let spool = StagedSpool::new(self.folder.as_deref());
                self.spool.insert(spool).clone()
            }
        };
        let tiles = match self.tiles.remove(&var) {
            Some(tiles) => tiles,
            None => self.first(var)?,
        };
        Ok((tiles, spool))
    }

    /// Returns the tiles of a variable without staged data.
    fn first(&self, var: VarId) -> Result<StagedTiles> {
        let mut tiles = self.blank(var)?;
        tiles.over = self.is_old(var);
        Ok(tiles)
    }

    /// Returns empty tiles of a variable.
    fn blank(&self, var: VarId) -> Result<StagedTiles> {
        let unknown = || Error::new(ErrorKind::NoVariable, format!("no variable {}", var.0));
        let variable = self.schema.var(var).ok_or_else(unknown)?;
        let base = match self.base_of(var) {
            Some(base) => Some(self.original_layout(var, base)?.element),
            None => None,
        };
        let element = match base.filter(|e| e.plain_type().is_some()) {
            Some(element) => element,
            None => element(variable.ty),
        };
        let shape = self.schema.shape(var);
        let mut tiles = StagedTiles::new(element, vec![], &shape, variable.storage.chunk());
        tiles.fill = elements::fill(&self.schema, var, &tiles)?;
        Ok(tiles)
    }
}

/// Returns the stored form of elements of a new variable.
fn element(ty: DataType) -> StoredElement {
    let size = ty.atomic().and_then(crate::model::Atomic::size);
    StoredElement {
        ty,
        size: size.map_or(heap::REFERENCE, |n| n as u64),
        order: Endianness::Little,
        plain: size.is_some(),
    }
}
