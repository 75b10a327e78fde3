//! A dataset that is edited: what it was, and what was put since, as one dataset to be read.
//!
//! The schema may grow and be changed in place; variables, dimensions, types and groups are never taken away, so that
//! ids stay what they are. What is put goes to a temporary file, whatever its order; nothing but the places of tiles is
//! held in memory. What was not touched is that of the dataset edited, chunk by chunk, so that copying moves it as it is.

mod elements;
mod heap;
mod plan;
mod reader;
mod spool;
mod tiles;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::chunk::layout::{Element, Layout};
use crate::chunk::scatter::Block;
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format::Reader;
use crate::model::{
    Atomic, DataType, Endianness, Fill, Region, Schema, StorageLayout, Values, VarId,
};
use spool::Spool;
use tiles::Tiles;

/// A dataset that is edited.
pub(super) struct Staged {
    /// What it is to be.
    pub(super) schema: Schema,
    /// What it was.
    base: Option<Base>,
    /// What was put, by variable.
    tiles: Vec<Option<Tiles>>,
    spool: Option<Spool>,
    /// Where temporary files are made.
    folder: Option<PathBuf>,
}

/// The dataset edited.
struct Base {
    reader: Box<dyn Reader>,
    /// The ids that variables have in it; they are the first ones.
    vars: Vec<VarId>,
}

impl Staged {
    /// A new dataset.
    pub(super) fn new(schema: Schema, folder: Option<PathBuf>) -> Self {
        Self {
            schema,
            base: None,
            tiles: vec![],
            spool: None,
            folder,
        }
    }

    /// A dataset that exists.
    pub(super) fn open(reader: Box<dyn Reader>, folder: Option<PathBuf>) -> Self {
        let schema = reader.schema().clone();
        let vars = schema.var_ids().collect();
        let base = Some(Base { reader, vars });
        Self {
            base,
            ..Self::new(schema, folder)
        }
    }

    /// The dataset edited, if it is that which has the elements of a variable, or those that were not put.
    /// With the id of the variable there.
    fn base_of(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        let base = self.base.as_ref()?;
        Some((&*base.reader, *base.vars.get(var.index())?))
    }

    /// How a variable is stored in the dataset edited, with the type that it has here: pure Zarr does not tell characters from
    /// strings of one byte. Nor does it tell the fill value of a variable all of whose chunks are stored.
    fn under_layout(&self, var: VarId, (base, id): (&dyn Reader, VarId)) -> Result<Layout> {
        let mut layout = base.layout(id)?;
        let (own, there) = (self.schema.var(var), base.schema().var(id));
        let string = layout.element.ty == Atomic::String.into() && layout.element.size == 1;
        if string && own.is_some_and(|v| v.ty == Atomic::Char.into()) {
            layout.element.ty = Atomic::Char.into();
            layout.element.plain = true;
        }
        let bare = there.is_some_and(|v| v.storage.fill == Fill::NoFill);
        let zarr = self.schema.kind.as_zarr().is_some();
        if zarr && bare && own.is_some_and(|v| v.storage.fill == Fill::Fill) {
            layout.fill = None;
        }
        Ok(layout)
    }

    /// Goes on with a dataset that was written of this one, so that what was put need not be kept any more; false if it
    /// is not the same.
    pub(super) fn rebase(&mut self, reader: Box<dyn Reader>) -> bool {
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
                // Pure Zarr says of a fill value only where there are chunks that are not stored.
                (own.storage.fill, own.storage.unwritten) = (old.fill, old.unwritten);
            }
        }
        self.tiles.clear();
        self.spool = None;
        self.base = Some(Base { reader, vars });
        true
    }

    /// True if the variable was there before the dataset was edited.
    pub(super) fn is_old(&self, var: VarId) -> bool {
        self.base_of(var).is_some()
    }

    /// True if elements of a variable were put.
    pub(super) fn is_touched(&self, var: VarId) -> bool {
        self.put_in(var).is_some_and(|t| !t.is_empty())
    }

    /// What was put of a variable.
    fn put_in(&self, var: VarId) -> Option<&Tiles> {
        self.tiles.get(var.index())?.as_ref()
    }

    /// Puts values, which have the type of the variable, into a region that lies in it.
    ///
    /// # Errors
    /// Those of the temporary file, and of reading what is not put of a part of it; with the variable's path.
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
        let (mut tiles, mut spool) = self.begin(var, env)?;
        let bytes = elements::stored(values, &tiles, &mut spool);
        let put = bytes.and_then(|bytes| {
            let mut under = |part: &Block, out: &mut [u8]| self.under(var, part, out, env);
            tiles.put(region, &bytes, (&mut spool, &mut under))
        });
        self.spool = Some(spool);
        self.keep(var, tiles);
        put
    }

    /// What was put of a variable so far, and the file for more, taken out.
    fn begin(&mut self, var: VarId, env: &Env) -> Result<(Tiles, Spool)> {
        let mut spool = match self.spool.take() {
            Some(spool) => spool,
            None => Spool::new(self.folder.as_deref())?,
        };
        let old = self.tiles.get_mut(var.index()).and_then(Option::take);
        let tiles = match old {
            Some(tiles) => Ok(tiles),
            None => self.first(var, (&mut spool, env)),
        };
        match tiles {
            Ok(tiles) => Ok((tiles, spool)),
            Err(e) => {
                self.spool = Some(spool);
                Err(e)
            }
        }
    }

    fn keep(&mut self, var: VarId, tiles: Tiles) {
        if self.tiles.len() <= var.index() {
            self.tiles.resize_with(var.index() + 1, || None);
        }
        if let Some(place) = self.tiles.get_mut(var.index()) {
            *place = Some(tiles);
        }
    }

    /// The tiles of a variable of which nothing was put. Elements that cannot stay where they are, as they have no plain
    /// form, are put all.
    fn first(&self, var: VarId, (spool, env): (&mut Spool, &Env)) -> Result<Tiles> {
        let mut tiles = self.blank(var)?;
        let Some((base, id)) = self.base_of(var) else {
            return Ok(tiles);
        };
        let layout = self.under_layout(var, (base, id))?;
        if layout.element.plain_type().is_some() {
            tiles.over = true;
            return Ok(tiles);
        }
        elements::take_over(base, (id, env), &mut tiles, spool)?;
        Ok(tiles)
    }

    /// No tiles of a variable.
    fn blank(&self, var: VarId) -> Result<Tiles> {
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
        let chunk = match &variable.storage.layout {
            Some(StorageLayout::Chunked(shape)) => Some(shape.as_slice()),
            Some(StorageLayout::Contiguous | StorageLayout::Compact) | None => None,
            Some(StorageLayout::Virtual | StorageLayout::Unknown) => None,
        };
        let mut tiles = Tiles::new(element, vec![], &shape, chunk);
        tiles.fill = elements::fill(&self.schema, var, &tiles)?;
        Ok(tiles)
    }
}

/// How elements of a new variable are kept.
fn element(ty: DataType) -> Element {
    let size = ty.atomic().and_then(crate::model::Atomic::size);
    Element {
        ty,
        size: size.map_or(heap::REFERENCE, |n| n as u64),
        order: Endianness::Little,
        plain: size.is_some(),
    }
}
