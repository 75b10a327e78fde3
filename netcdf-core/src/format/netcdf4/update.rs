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
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Locate, VisitStop};
use crate::chunk::{Placement, PutRules, Reader, Update};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::Hdf5File;
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::message::layout::DataLayout;
use crate::format::hdf5::object_header::ObjectHeader;
use crate::format::hdf5::update::{
    DatasetChange, NewChunk, NewHeap, SlotOwner, SlotPair, change, check_closed, obstacle,
    write_end,
};
use crate::io::patched::PatchedFile;
use crate::model::region::product;
use crate::model::{DimId, FillMode, Schema, Values, VarId};

/// The length in bytes from which a new chunk gets slots only when it changes.
const LARGE: u64 = 1 << 20;

/// A netCDF-4 file that is changed in place.
pub(super) struct Netcdf4Update {
    file: Arc<PatchedFile>,
    hdf5: Arc<Hdf5File>,
    reader: UpdatedReader,
    /// The committed lengths of dimensions that have changed.
    committed: BTreeMap<DimId, u64>,
    /// The committed shapes of variables that were shorter than their dimensions.
    shorter: BTreeMap<VarId, Vec<u64>>,
    /// The slots of chunks that fill step by step.
    slots: BTreeMap<(VarId, Vec<u64>), SlotPair>,
    /// The chunks of the committed file that are in slots, by the mark of the slots. A chunk stays in use until the commit, also if the next
    /// chunk gets the slots before.
    in_use: BTreeMap<u64, u64>,
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

    /// Returns the stored chunk at a position.
    fn stored(&self, var: VarId, position: &[u64]) -> Result<Option<ChunkRef>> {
        located(&self.reader, var, position)
    }

    /// Returns the place for a chunk: the old one if its bytes can be patched or are new, else the end of the file.
    fn place(&self, old: Option<ChunkRef>, bytes: &[u8]) -> Result<u64> {
        let len = bytes.len() as u64;
        let Some(old) = old.filter(|old| old.range.end - old.range.start == len) else {
            return self.file.append(bytes);
        };
        let is_new = old.range.start >= self.file.committed_len();
        if is_new || self.file.accepts(&old.range) {
            self.file.replace(old.range.start, bytes)?;
            return Ok(old.range.start);
        }
        self.file.append(bytes)
    }

    /// Returns whether a chunk has room for more records.
    fn has_room(&self, var: VarId, layout: &Layout, position: &[u64]) -> bool {
        self.has_room_in(var, &|len, _| len, (layout, position))
    }

    /// Returns whether a chunk had room for more records at the last commit. Readers expect only such chunks in slots.
    fn had_room(&self, var: VarId, layout: &Layout, position: &[u64]) -> bool {
        let committed = |len, dim| self.committed.get(&dim).copied().unwrap_or(len);
        self.has_room_in(var, &committed, (layout, position))
    }

    /// Returns whether a chunk has room for more records. `len` returns the length of a dimension.
    fn has_room_in(
        &self,
        var: VarId,
        len: &dyn Fn(u64, DimId) -> u64,
        (layout, position): (&Layout, &[u64]),
    ) -> bool {
        let schema = self.reader.schema();
        let Some(variable) = schema.var(var) else {
            return false;
        };
        let lens = layout.extent.iter().zip(&layout.chunk).zip(position);
        lens.zip(&variable.dims)
            .any(|(((extent, chunk), at), dim)| {
                let end = at.saturating_add(1).saturating_mul(*chunk);
                end > len(*extent, *dim) && schema.is_unlimited(*dim)
            })
    }

    /// Stores a filtered chunk: in a slot while it has room for more records, else at the end.
    fn put_filtered(
        &mut self,
        (var, layout, position): (VarId, &Layout, &[u64]),
        bytes: &[u8],
    ) -> Result<u64> {
        let file = Arc::clone(&self.file);
        let len = layout.chunk_bytes().or_internal("the bytes of a chunk")? as u64;
        let owner = SlotOwner {
            file: &file,
            header: self.reader.base.dataset(var)?.address,
            len,
        };
        let committed = self.committed_chunk(var, position)?;
        let known = self.known_slots((var, position), owner)?;
        if let (Some(pair), Some(chunk)) = (known, &committed)
            && pair.has(chunk.range.start)
        {
            self.in_use.insert(pair.mark(), chunk.range.start);
        }
        if !self.has_room(var, layout, position) || bytes.len() as u64 > len {
            self.slots.remove(&(var, position.to_vec()));
            let is_left = committed.is_none() || self.had_room(var, layout, position);
            return match known.filter(|_| is_left) {
                Some(pair) => owner.leave(pair, bytes),
                None => file.append(bytes),
            };
        }
        let pair = match (known, &committed) {
            (Some(pair), _) => pair,
            // Large slots would take more space than the data, if the chunk never changes again.
            (None, None) if len > LARGE => return file.append(bytes),
            (None, _) => owner.create()?,
        };
        self.slots.insert((var, position.to_vec()), pair);
        owner.put(pair, self.in_use.get(&pair.mark()).copied(), bytes)
    }

    /// Returns the slots of a chunk, which this process or an earlier one created.
    fn known_slots(
        &self,
        (var, position): (VarId, &[u64]),
        owner: SlotOwner<'_>,
    ) -> Result<Option<SlotPair>> {
        if let Some(pair) = self.slots.get(&(var, position.to_vec())) {
            return Ok(Some(*pair));
        }
        if let Some(chunk) = self.committed_chunk(var, position)? {
            let stored = chunk.range.end - chunk.range.start;
            return owner.of_chunk(chunk.range.start, stored);
        }
        let Some(before) = self.predecessor(var, position) else {
            return Ok(None);
        };
        match self.stored(var, &before)? {
            Some(chunk) => owner.left_by(chunk.range.start),
            None => Ok(None),
        }
    }

    /// Returns the position of the chunk with the records before a chunk.
    fn predecessor(&self, var: VarId, position: &[u64]) -> Option<Vec<u64>> {
        let schema = self.reader.schema();
        let dims = &schema.var(var)?.dims;
        let axis = dims.iter().position(|dim| schema.is_unlimited(*dim))?;
        let mut before = position.to_vec();
        let at = before.get_mut(axis)?;
        *at = at.checked_sub(1)?;
        Some(before)
    }

    /// Returns the chunk of the last commit at a position.
    fn committed_chunk(&self, var: VarId, position: &[u64]) -> Result<Option<ChunkRef>> {
        located(&self.reader.base, var, position)
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

/// Returns the stored chunk of a reader at a position.
fn located(reader: &dyn Reader, var: VarId, position: &[u64]) -> Result<Option<ChunkRef>> {
    let block = Block {
        start: position.to_vec(),
        count: vec![1; position.len()],
    };
    let mut found = None;
    let visited = reader.locate(var, &block, Locate::Stored, &mut |chunk| {
        found = Some(chunk);
        Ok(())
    });
    match visited {
        Ok(()) | Err(VisitStop::Enough) => Ok(found),
        Err(VisitStop::Error(e)) => Err(e),
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
                true => self.place(old.clone(), bytes)?,
                false => self.put_filtered((var, &layout, &position), bytes)?,
            },
            size: bytes.len() as u64,
            mask,
        };
        let same = |old: &ChunkRef| {
            let range = chunk.place..chunk.place.saturating_add(chunk.size);
            old.range == range && old.mask == mask
        };
        if !old.as_ref().is_some_and(same) {
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
        let start = exact(element) * layout.element.size + stored.range.start;
        let range = start.get()?..(start + bytes.len()).get()?;
        if range.end > stored.range.end {
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
        if old == shape {
            return Ok(Placement::InPlace);
        }
        let reason = match obstacle_of_data(&self.reader, var)? {
            Some(reason) => Some(reason),
            None => obstacle_of_length(&self.reader, var)?,
        };
        if let Some(reason) = reason {
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
        self.file.commit()?;
        for (var, layout) in written {
            self.reader.base.set_layout(var, layout);
        }
        self.reader.new.clear();
        self.committed.clear();
        self.shorter.clear();
        self.in_use.clear();
        self.reader.base.forget();
        Ok(())
    }

    fn abandon(&mut self) -> Result<()> {
        self.reader.new.clear();
        self.reader.heap().abandon();
        self.in_use.clear();
        // Slots that were new are not in the file any more. The others are found again.
        self.slots.clear();
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
