//! A dataset being edited: the original and the later changes, readable as one dataset.
//!
//! The schema can grow and be changed in place; variables, dimensions, types and groups are never removed, so
//! that ids stay the same. Written data goes to a temporary file, in any order; only the positions of tiles are
//! held in memory. Untouched data is that of the original, chunk by chunk, so that copying moves it unchanged.

mod elements;
mod heap;
mod plan;
mod reader;
mod spool;
mod tiles;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::chunk::layout::Layout;
use crate::chunk::scatter::Block;
use crate::chunk::{self, ReadCache, Reader};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::model::{
    Atomic, DataType, Endianness, FillMode, Region, Schema, StoredElement, Values, VarId,
};
use spool::StagedSpool;
use tiles::StagedTiles;

/// A dataset being edited.
pub(super) struct Staged {
    /// The new schema.
    pub(super) schema: Schema,
    /// The original.
    base: Option<Base>,
    /// Written data, by variable.
    tiles: BTreeMap<VarId, StagedTiles>,
    spool: Option<StagedSpool>,
    /// Where temporary files are created.
    folder: Option<PathBuf>,
}

/// The original dataset.
struct Base {
    reader: Box<dyn Reader>,
    /// What is kept of it between reads.
    cache: ReadCache,
    /// The ids of variables in it; these variables come first.
    vars: Vec<VarId>,
    /// The same for those to which nothing was written.
    untouched: Vec<Option<VarId>>,
}

impl Base {
    fn new(reader: Box<dyn Reader>, vars: Vec<VarId>, cache: ReadCache) -> Self {
        Self {
            reader,
            cache,
            untouched: vars.iter().copied().map(Some).collect(),
            vars,
        }
    }
}

impl Staged {
    /// A new dataset.
    pub(super) fn new(schema: Schema, folder: Option<PathBuf>) -> Self {
        Self {
            schema,
            base: None,
            tiles: BTreeMap::new(),
            spool: None,
            folder,
        }
    }

    /// An existing dataset and its cache.
    pub(super) fn open(reader: Box<dyn Reader>, folder: Option<PathBuf>, cache: ReadCache) -> Self {
        let schema = reader.schema().clone();
        let vars = schema.var_ids().collect();
        let base = Some(Base::new(reader, vars, cache));
        Self {
            base,
            ..Self::new(schema, folder)
        }
    }

    /// The dataset as it is to be, for reading. What is kept of the original serves the variables to which nothing was
    /// written.
    pub(super) fn set<'a>(&'a self, env: &'a Env) -> chunk::Dataset<'a> {
        let set = chunk::Dataset::new(self, env);
        match &self.base {
            Some(base) => set.with_vars(&base.cache, &base.untouched),
            None => set,
        }
    }

    /// Bytes of decoded chunks of the original that are kept.
    #[cfg(test)]
    pub(super) fn decoded_bytes(&self) -> u64 {
        let base = self.base.as_ref();
        base.map_or(0, |base| base.cache.decoded_bytes())
    }

    /// The original dataset, for reading.
    fn base_set<'a>(&'a self, env: &'a Env) -> Option<chunk::Dataset<'a>> {
        let base = self.base.as_ref()?;
        Some(chunk::Dataset::new(&*base.reader, env).with(&base.cache))
    }

    /// The original dataset, if it has the elements of a variable, or those not written; with the id of the
    /// variable there.
    fn base_of(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        let base = self.base.as_ref()?;
        Some((&*base.reader, *base.vars.get(var.index())?))
    }

    /// How a variable is stored in the original, with the type that it has here: pure Zarr does not distinguish
    /// characters from strings of one byte. Nor does it record the fill value of a variable all of whose chunks
    /// are stored.
    fn under_layout(&self, var: VarId, (base, id): (&dyn Reader, VarId)) -> Result<Layout> {
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

    /// Continues with a dataset written from this one, so that written data need not be kept any longer; false
    /// if it is not the same.
    pub(super) fn rebase(&mut self, reader: Box<dyn Reader>, cache: ReadCache) -> bool {
        let schema = reader.schema();
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
                // Pure Zarr records a fill value only if some chunks are not stored.
                (own.storage.fill, own.storage.unwritten) = (old.fill, old.unwritten);
            }
        }
        self.tiles.clear();
        self.spool = None;
        // What was kept of the old file goes with it.
        self.base = Some(Base::new(reader, vars, cache));
        true
    }

    /// True if the variable is part of the original.
    pub(super) fn is_old(&self, var: VarId) -> bool {
        self.base_of(var).is_some()
    }

    /// True if elements of a variable were written.
    pub(super) fn is_touched(&self, var: VarId) -> bool {
        self.put_in(var).is_some_and(|t| !t.is_empty())
    }

    /// The written data of a variable.
    fn put_in(&self, var: VarId) -> Option<&StagedTiles> {
        self.tiles.get(&var)
    }

    /// Writes values of the variable's type into a region within it.
    ///
    /// # Errors
    /// Those of the temporary file, and of reading the rest of a partly written tile; with the variable's path.
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
        if region.elements() == Some(0) {
            return Ok(());
        }
        let (mut tiles, spool) = self.begin(var, env)?;
        let bytes = elements::stored(values, &tiles, &spool);
        let put = bytes.and_then(|bytes| {
            let mut under = |part: &Block, out: &mut [u8]| self.under(var, part, out, env);
            tiles.put(region, &bytes, (&spool, &mut under))
        });
        self.tiles.insert(var, tiles);
        let untouched = self.base.as_mut().map(|base| &mut base.untouched);
        if let Some(id) = untouched.and_then(|vars| vars.get_mut(var.index())) {
            *id = None;
        }
        put
    }

    /// Takes out the written data of a variable, and the file for more.
    fn begin(&mut self, var: VarId, env: &Env) -> Result<(StagedTiles, StagedSpool)> {
        let spool = match &self.spool {
            Some(spool) => spool.clone(),
            None => {
                let spool = StagedSpool::new(self.folder.as_deref())?;
                self.spool.insert(spool).clone()
            }
        };
        let tiles = match self.tiles.remove(&var) {
            Some(tiles) => tiles,
            None => self.first(var, (&spool, env))?,
        };
        Ok((tiles, spool))
    }

    /// The tiles of a variable to which nothing was written. Elements that cannot stay where they are, because
    /// they have no plain form, are all copied.
    fn first(&self, var: VarId, (spool, env): (&StagedSpool, &Env)) -> Result<StagedTiles> {
        let mut tiles = self.blank(var)?;
        let (Some((base, id)), Some(set)) = (self.base_of(var), self.base_set(env)) else {
            return Ok(tiles);
        };
        let layout = self.under_layout(var, (base, id))?;
        if layout.element.plain_type().is_some() {
            tiles.over = true;
            return Ok(tiles);
        }
        elements::take_over(set, id, &mut tiles, spool)?;
        Ok(tiles)
    }

    /// Empty tiles of a variable.
    fn blank(&self, var: VarId) -> Result<StagedTiles> {
        let unknown = || Error::new(ErrorKind::NoVariable, format!("no variable {}", var.0));
        let variable = self.schema.var(var).ok_or_else(unknown)?;
        let base = match self.base_of(var) {
            Some(base) => Some(self.under_layout(var, base)?.element),
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

/// How elements of a new variable are kept.
fn element(ty: DataType) -> StoredElement {
    let size = ty.atomic().and_then(crate::model::Atomic::size);
    StoredElement {
        ty,
        size: size.map_or(heap::REFERENCE, |n| n as u64),
        order: Endianness::Little,
        plain: size.is_some(),
    }
}
