//! HDF5 structures, one by one.

use netcdf_core::format::hdf5::btree_v1::{CHUNKS, GROUP, BtreeV1};
use netcdf_core::format::hdf5::btree_v2::BTree2;
use netcdf_core::format::hdf5::chunk_index::{Block, DatasetExtent, OpenIndex};
use netcdf_core::format::hdf5::dataset::{self, Hdf5Dataset};
use netcdf_core::format::hdf5::dataspace::Dataspace;
use netcdf_core::format::hdf5::datatype::Datatype;
use netcdf_core::format::hdf5::fractal_heap::FractalHeap;
use netcdf_core::format::hdf5::local_heap::LocalHeap;
use netcdf_core::format::hdf5::message::attribute::AttributeMessage;
use netcdf_core::format::hdf5::message::dense_info::DenseInfo;
use netcdf_core::format::hdf5::message::external::ExternalFiles;
use netcdf_core::format::hdf5::message::fill::FillMessage;
use netcdf_core::format::hdf5::message::layout::{ChunkIndexKind, ChunkedLayout, DataLayout};
use netcdf_core::format::hdf5::message::link::LinkMessage;
use netcdf_core::format::hdf5::message::{filters, reference};
use netcdf_core::format::hdf5::{Hdf5File, ObjectHeader, attributes, group};

use crate::image::{Image, NUMBERS};

/// An object header and its messages: links, attributes, the dataset.
pub fn object(input: &[u8]) {
    let Some(mut image) = Image::new(input) else {
        return;
    };
    let address = image.u32();
    let file = image.file();
    let Ok(header) = ObjectHeader::read(file, address) else {
        return;
    };
    let _ = dataset::kind(&header);
    let _ = dataset::datatype(file, &header);
    let _ = Hdf5Dataset::read(file, &header);
    let _ = group::links(file, &header);
    let _ = attributes::visit(file, &header, |_| Ok(()));
}

/// The body of a message; the first byte selects the message type.
pub fn message(input: &[u8]) {
    let Some((kind, body)) = input.split_first() else {
        return;
    };
    let numbers = [kind >> 6; NUMBERS];
    let empty = [numbers.as_slice(), [0; NUMBERS].as_slice()].concat();
    let Some(image) = Image::new(&empty) else {
        return;
    };
    let file: &Hdf5File = image.file();
    let mut c = file.fields_of(body, Some(0));
    match kind & 15 {
        0 => drop(Dataspace::parse(&mut c)),
        1 => drop(DenseInfo::of_links(&mut c)),
        2 => drop(Datatype::parse(&mut c, file.limits())),
        3 => drop(FillMessage::parse_old(&mut c)),
        4 => drop(FillMessage::parse(&mut c)),
        5 => drop(LinkMessage::parse(&mut c)),
        6 => drop(ExternalFiles::parse(&mut c)),
        7 => drop(DataLayout::parse(&mut c)),
        8 => drop(filters::parse(&mut c)),
        9 => drop(AttributeMessage::parse(file, &mut c)),
        10 => drop(DenseInfo::of_attributes(&mut c)),
        11 => drop(reference::SharedMessage::parse(&mut c)),
        _ => drop(Datatype::parse(&mut c, file.limits())),
    }
}

/// A chunk index of one kind: lookups in the first, middle and last part of the grid.
pub fn chunk_index(kind: u8, input: &[u8]) {
    let Some(mut image) = Image::new(input) else {
        return;
    };
    let address = Some(image.u32());
    let flags = image.u8();
    let filtered = (flags & 1 != 0).then(|| (image.u32(), 0));
    let index = match kind {
        0 => ChunkIndexKind::BTree1,
        1 => ChunkIndexKind::Single(filtered),
        2 => ChunkIndexKind::Implicit,
        3 => ChunkIndexKind::FixedArray,
        4 => ChunkIndexKind::ExtensibleArray,
        _ => ChunkIndexKind::BTree2,
    };
    let rank = usize::from(image.u8() & 3) + 1;
    let chunked = ChunkedLayout {
        dims: (0..rank).map(|_| u64::from(image.u8()).max(1)).collect(),
        element_size: u64::from(image.u8()).max(1),
        edges_unfiltered: flags & 2 != 0,
        index,
        address,
    };
    let dims: Vec<u64> = (0..rank).map(|_| image.u32()).collect();
    let most: Vec<Option<u64>> = (0..rank)
        .map(|_| Some(image.u32()).filter(|&n| n != u64::from(u32::MAX)))
        .collect();
    let extent = DatasetExtent {
        dims: &dims,
        max: &most,
    };
    let file = image.file();
    let Ok(index) = OpenIndex::open(file, &chunked, &extent) else {
        return;
    };
    let grid = index.grid().to_vec();
    for part in [0, 1, 2] {
        // Few chunks, so that indexes without a structure (of all chunks) end soon.
        let start: Vec<u64> = grid
            .iter()
            .map(|n| n.saturating_sub(4) / 2 * part)
            .collect();
        let count = vec![4; start.len()];
        let _ = index.locate(file, &Block { start, count }, &mut |_| Ok(()));
    }
}

/// A fractal heap: lookup of an object by id.
pub fn fractal_heap(input: &[u8]) {
    let Some(mut image) = Image::new(input) else {
        return;
    };
    let address = image.u32();
    let Ok(heap) = FractalHeap::open(image.file(), address) else {
        return;
    };
    let ids: Vec<[u8; 8]> = (0..6).map(|_| [0; 8].map(|_| image.u8())).collect();
    for id in ids {
        for len in [7, 8] {
            let _ = heap.object(image.file(), &id[..len]);
        }
    }
}

/// A local heap: lookup of names.
pub fn local_heap(input: &[u8]) {
    let Some(mut image) = Image::new(input) else {
        return;
    };
    let address = image.u32();
    let Ok(heap) = LocalHeap::read(image.file(), address) else {
        return;
    };
    for _ in 0..8 {
        let offset = image.u32();
        let _ = heap.name_at(image.file(), offset);
    }
}

/// A global heap collection: lookup of objects.
pub fn global_heap(input: &[u8]) {
    let Some(mut image) = Image::new(input) else {
        return;
    };
    let address = image.u32();
    for index in 0..32 {
        let _ = image.file().heap_object(address, index);
    }
}

/// A B-tree of version 1, with links or chunks.
pub fn btree_v1(input: &[u8]) {
    let Some(mut image) = Image::new(input) else {
        return;
    };
    let (root, flags) = (image.u32(), image.u8());
    let kind = if flags & 1 == 0 { GROUP } else { CHUNKS };
    let key = usize::from(image.u8());
    let tree = BtreeV1 { root, kind, key };
    let _ = tree.walk(image.file(), &mut |_, _| Ok(true), &mut |_, _| Ok(()));
}

/// A B-tree of version 2, with records of any type.
pub fn btree_v2(input: &[u8]) {
    let Some(mut image) = Image::new(input) else {
        return;
    };
    let file = image.u32();
    let (address, file) = (file, image.file());
    if let Ok(tree) = BTree2::open(file, address) {
        let _ = tree.visit(file, |_| Ok(()));
    }
}
