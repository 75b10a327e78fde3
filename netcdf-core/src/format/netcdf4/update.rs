//! Changes netCDF-4 files in place: new records, and values of stored variables.
//!
//! Chunks go to the end of the file at once. A commit writes their locations to the chunk indexes, the lengths to the dataspaces, and the
//! end of the file to the superblock. Until then, the old structures do not refer to anything new.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::growth::{obstacle_of_data, obstacle_of_growth, obstacle_of_length};
use super::reader::Netcdf4Reader;
use super::updated_reader::{NewChunks, UpdatedReader};
use super::write::encode::{self, HeapStore};
use crate::arithmetic::exact;
use crate::chunk::{Placement, PutRules, Reader, Update};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::Hdf5File;
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::message::layout::DataLayout;
use crate::format::hdf5::object_header::ObjectHeader;
use crate::format::hdf5::update::{
    DatasetChange, NewChunk, NewHeap, SlotPair, change, check_closed, obstacle, write_end,
};
use crate::io::patched::PatchedFile;
use crate::model::region::product;
use crate::model::{DimId, FillMode, Schema, Values, VarId};

/// A netCDF-4 file that is changed in place.
pub(super) struct Netcdf4Update {
    pub(super) file: Arc<PatchedFile>,
    hdf5: Arc<Hdf5File>,
    pub(super) reader: UpdatedReader,
    /// The committed lengths of dimensions that have changed.
    pub(super) committed: BTreeMap<DimId, u64>,
    /// The committed shapes of variables that were shorter than their dimensions.
    shorter: BTreeMap<VarId, Vec<u64>>,
    /// The committed partial chunks that this process stored.
    pub(super) partial: BTreeMap<VarId, NewChunks>,
    /// The slots of chunks that fill step by step.
    pub(super) slots: BTreeMap<(VarId, Vec<u64>), SlotPair>,
    /// The chunks of the committed file that are in slots, by the mark of the slots. A chunk stays in use until the commit, also if the next
    /// chunk gets the slots before.
    pub(super) in_use: BTreeMap<u64, u64>,
    /// Full chunks that this process stored, and the slots that they left to their successors.
    pub(super) left: BTreeMap<(VarId, Vec<u64>), Option<SlotPair>>,
}

/// Opens a file; `None` for a file that can only be written anew.
///
/// # Errors
/// Returns [`ErrorKind::Busy`] for a file that is marked as open for writing, and the errors of opening.
pub(super) fn open(file: Arc<PatchedFile>, env: &Env) -> Result<Option<Netcdf4Update>> {
    let base = Netcdf4Reader::open(Arc::clone(&file) as _, env)?;
    let Some(hdf5) = base.only_file().map(Arc::clone) else {
        return Ok(None);
    };
    check_closed(&hdf5)?;
    if obstacle(&hdf5)?.is_some() {
        return Ok(None);
    }
    file.set_signature(hdf5.superblock().base)?;
    let heap = NewHeap::new(Arc::clone(&file), hdf5.superblock().base);
    Ok(Some(Netcdf4Update {
        file,
        hdf5,
        reader: UpdatedReader {
            base,
            new: BTreeMap::new(),
            heap: heap.into(),
        },
        committed: BTreeMap::new(),
        shorter: BTreeMap::new(),
        partial: BTreeMap::new(),
        left: BTreeMap::new(),
        slots: BTreeMap::new(),
        in_use: BTreeMap::new(),
    }))
}

impl Netcdf4Update {
    /// Returns the position of a chunk in the grid.
    fn position(&self, var: VarId, index: u64) -> Result<Vec<u64>> {
        let layout = self.reader.layout(var)?;
        if product(&layout.grid()).is_some_and(|count| index < count) {
            return Ok(layout.place(index));
        }
        let what = format!("chunk {index} is outside the variable");
        let path = self.reader.schema().var_path(var);
        Err(Error::new(ErrorKind::Argument, what).in_object(&path))
    }

    /// Returns the place for a chunk: the old one if its bytes can be patched or are new, else the end of the file.
    fn place(&self, old: Option<NewChunk>, bytes: &[u8]) -> Result<u64> {
        let Some(old) = old.filter(|old| old.size == bytes.len() as u64) else {
            return self.file.append(bytes);
        };
        let is_new = old.place >= self.file.committed_len();
        let range = old.place..old.place.saturating_add(old.size);
        if is_new || self.file.accepts(&range) {
            self.file.replace(old.place, bytes)?;
            return Ok(old.place);
        }
        self.file.append(bytes)
    }

    /// Returns the variables whose object header or chunk index changes.
    fn touched(&self) -> BTreeSet<VarId> {
        let schema = self.reader.schema();
        let longer = |id: &VarId| {
            let dims = schema.var(*id).map(|var| &var.dims);
            dims.is_some_and(|dims| dims.iter().any(|dim| self.committed.contains_key(dim)))
        };
        let mut all: BTreeSet<VarId> = schema.var_ids().filter(longer).collect();
        all.extend(self.reader.new.keys().chain(self.shorter.keys()));
        all
    }

    /// Writes the new structures as patches.
    fn write(&mut self) -> Result<Vec<(VarId, DataLayout)>> {
        self.reader.heap().finish()?;
        let none = NewChunks::new();
        let mut layouts = vec![];
        for var in self.touched() {
            let dataset = self.reader.base.dataset(var)?;
            let changes = DatasetChange {
                dims: Some(&dataset.dataspace.dims),
                chunks: self.reader.new.get(&var).unwrap_or(&none),
            };
            let path = || self.reader.schema().var_path(var);
            let layout = change(&self.file, (&self.hdf5, dataset), changes);
            layouts.push((var, layout.map_err(|e| e.in_object(&path()))?));
        }
        for (dim, old) in &self.committed {
            self.extend_scale(*dim, *old)?;
        }
        write_end(&self.file, self.hdf5.superblock())?;
        Ok(layouts)
    }

    /// Extends the scale of a dimension that is no variable, if it had the length of the dimension.
    fn extend_scale(&self, dim: DimId, old: u64) -> Result<()> {
        let Some(address) = self.reader.base.pure_scale(dim) else {
            return Ok(());
        };
        let header = ObjectHeader::read(&self.hdf5, address)?;
        let dataset = Hdf5Dataset::read(&self.hdf5, &header)?;
        let space = &dataset.dataspace;
        if space.dims != [old] || space.max != [None] {
            return Ok(());
        }
        let len = self
            .reader
            .schema()
            .dim(dim)
            .or_internal("a dimension")?
            .len;
        let changes = DatasetChange {
            dims: Some(&[len]),
            chunks: &NewChunks::new(),
        };
        change(&self.file, (&self.hdf5, &dataset), changes).map(drop)
    }

    /// Sets the lengths of the last commit.
    fn restore_lengths(&mut self) {
        for (dim, len) in std::mem::take(&mut self.committed) {
            self.reader.base.set_len(dim, len);
        }
        for (var, shape) in std::mem::take(&mut self.shorter) {
            self.reader.base.set_shape(var, &shape);
        }
    }
}

impl HeapStore for NewHeap {
    fn put_heap(&mut self, objects: &[(u32, &[u8])]) -> Result<Vec<u8>> {
        self.put(objects)
    }
}

impl Update for Netcdf4Update {
    fn reader(&self) -> &dyn Reader {
        &self.reader
    }

    fn rules(&self, var: VarId) -> PutRules {
        let layout = self.reader.base.dataset(var).map(|dataset| &dataset.layout);
        PutRules {
            chunks: matches!(layout, Ok(DataLayout::Chunked(_))),
            all_filters: false,
            heap_fill: self.reader.base.has_heap_fill(var),
        }
    }

    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<Placement> {
        if let Some(reason) = obstacle_of_data(&self.reader, var)? {
            return Ok(Placement::Anew(reason));
        }
        let position = self.position(var, index)?;
        let old = self.stored(var, &position)?;
        let layout = self.reader.layout(var)?;
        let chunk = NewChunk {
            place: match layout.filters.is_empty() {
                true => self.place(old, bytes)?,
                false => self.put_filtered((var, &layout, &position), bytes)?,
            },
            size: bytes.len() as u64,
            mask,
        };
        if old != Some(chunk) {
            let new = self.reader.new.entry(var).or_default();
            new.insert(position, chunk);
        }
        Ok(Placement::InPlace)
    }

    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<Placement> {
        if let Some(reason) = obstacle_of_data(&self.reader, var)? {
            return Ok(Placement::Anew(reason));
        }
        let layout = self.reader.layout(var)?;
        let stored = self.stored(var, &vec![0; layout.extent.len()])?;
        let Some(stored) = stored else {
            return Ok(Placement::Anew("no storage is allocated"));
        };
        let start = exact(element) * layout.element.size + stored.place;
        let range = start.get()?..(start + bytes.len()).get()?;
        if range.end > stored.place.saturating_add(stored.size) {
            let what = "elements outside the variable";
            let path = self.reader.schema().var_path(var);
            return Err(Error::new(ErrorKind::Argument, what).in_object(&path));
        }
        if !self.file.accepts(&range) {
            return Ok(Placement::Anew("more than 64 MiB of stored values change"));
        }
        self.file.replace(range.start, bytes)?;
        Ok(Placement::InPlace)
    }

    fn put_heap(&mut self, var: VarId, values: &Values) -> Result<Vec<u8>> {
        let datatype = &self.reader.base.dataset(var)?.datatype;
        let put = encode::store(values, datatype, &mut *self.reader.heap());
        put.in_object(|| self.reader.schema().var_path(var))
    }

    fn set_len(&mut self, dim: DimId, len: u64) -> Result<Placement> {
        let schema = self.reader.schema();
        let old = schema.dim(dim).or_internal("a dimension")?;
        if !old.unlimited || len <= old.len {
            return Ok(Placement::InPlace);
        }
        let old = old.len;
        if let Some(reason) = obstacle_of_growth(&self.reader, dim, len)? {
            return Ok(Placement::Anew(reason));
        }
        self.committed.entry(dim).or_insert(old);
        self.reader.base.set_len(dim, len);
        Ok(Placement::InPlace)
    }

    fn extend_variable(&mut self, var: VarId) -> Result<Placement> {
        let shape = self.reader.schema().shape(var);
        let old = self.reader.layout(var)?.extent;
        if let Some(reason) = obstacle_of_data(&self.reader, var)? {
            return Ok(Placement::Anew(reason));
        }
        if old == shape {
            return Ok(Placement::InPlace);
        }
        if let Some(reason) = obstacle_of_length(&self.reader, var)? {
            return Ok(Placement::Anew(reason));
        }
        let most = &self.reader.base.dataset(var)?.dataspace.max;
        let mut lens = shape.iter().zip(&old).zip(most);
        if !lens.all(|((len, old), most)| len == old || (len > old && most.is_none())) {
            return Ok(Placement::Anew("a variable is shorter than its dimensions"));
        }
        self.shorter.entry(var).or_insert(old);
        self.reader.base.set_shape(var, &shape);
        Ok(Placement::InPlace)
    }

    fn define(&mut self, _schema: &Schema) -> Result<Placement> {
        Ok(Placement::Anew("attributes and names of netCDF-4 change"))
    }

    fn commit(&mut self, _fill: FillMode) -> Result<()> {
        if self.touched().is_empty() && self.file.pending().patched == 0 {
            return Ok(());
        }
        let written = match self.write() {
            Ok(written) => written,
            Err(e) => {
                self.abandon()?;
                return Err(e);
            }
        };
        self.reader.base.take_over(&self.file);
        self.file.commit()?;
        for (var, layout) in written {
            self.reader.base.set_layout(var, layout);
        }
        self.remember_partial()?;
        self.committed.clear();
        self.shorter.clear();
        self.in_use.clear();
        Ok(())
    }

    fn abandon(&mut self) -> Result<()> {
        self.reader.new.clear();
        self.reader.heap().abandon();
        self.in_use.clear();
        // Slots that were new are not in the file any more. The others are found again.
        self.slots.clear();
        self.left.clear();
        self.restore_lengths();
        self.file.abandon()?;
        self.reader.base.forget();
        Ok(())
    }

    fn prepare_replacement(&self) -> Result<()> {
        self.file.check_unchanged()?;
        self.file.share_lock();
        Ok(())
    }
}
