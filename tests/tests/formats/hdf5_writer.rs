//! The output of the HDF5 writer, read by the HDF5 reader.

use std::sync::Arc;

use netcdf_core::format::hdf5::btree_v2::BTree2;
use netcdf_core::format::hdf5::chunk_index::{Block, DatasetExtent, IndexedChunk, OpenIndex};
use netcdf_core::format::hdf5::dataset::{self, Hdf5Dataset};
use netcdf_core::format::hdf5::datatype::{
    Charset, Endianness, Padding, ReferenceTarget, TypeClass,
};
use netcdf_core::format::hdf5::message::attribute::AttributeMessage;
use netcdf_core::format::hdf5::message::dense_info::DenseInfo;
use netcdf_core::format::hdf5::message::fill::{FillValue, Write};
use netcdf_core::format::hdf5::message::layout::DataLayout;
use netcdf_core::format::hdf5::message::link::LinkedObject;
use netcdf_core::format::hdf5::message::{ATTRIBUTE_INFO, LINK_INFO};
use netcdf_core::format::hdf5::write::SourceRange;
use netcdf_core::format::hdf5::write::{
    FilePlan, FileWriter, ObjectId, Payload, PlannedData, PlannedGroup, PlannedObject,
    PlannedShape, PlannedType,
};
use netcdf_core::format::hdf5::{Hdf5File, ObjectHeader, attributes, group as links_of};
use netcdf_core::io::memory::{MemorySource, MemoryTarget};
use netcdf_core::io::{Source, source};
use netcdf_core::limits::Limits;
use netcdf_core::model::FileSpace;
use netcdf_core::{Error, ErrorKind, Result};
use netcdf_tools_tests::written::*;

/// The bytes of a file.
fn bytes(plan: FilePlan, put: impl FnOnce(&mut FileWriter) -> Result<()>) -> Result<Vec<u8>> {
    let (target, done) = MemoryTarget::new("test");
    let mut writer = FileWriter::create(Box::new(target), plan, FileSpace::Mixed)?;
    put(&mut writer)?;
    writer.finish()?;
    let bytes = done.lock().unwrap().take().unwrap();
    Ok(bytes)
}

fn open(bytes: Vec<u8>) -> Hdf5File {
    let source = MemorySource::new("test", bytes);
    Hdf5File::open(Arc::new(source), &Limits::default()).unwrap()
}

fn file(plan: FilePlan, put: impl FnOnce(&mut FileWriter) -> Result<()>) -> Hdf5File {
    open(bytes(plan, put).unwrap())
}

fn root(file: &Hdf5File) -> ObjectHeader {
    ObjectHeader::read(file, file.superblock().root).unwrap()
}

/// Returns names and addresses of a group's links.
fn links(file: &Hdf5File, group: &ObjectHeader) -> Vec<(String, u64)> {
    let all = links_of::links(file, group).unwrap();
    let link = |l: netcdf_core::format::hdf5::message::link::LinkMessage| match l.target {
        LinkedObject::Hard(address) => (String::from_utf8(l.name).unwrap(), address),
        _ => panic!("a soft link"),
    };
    all.into_iter().map(link).collect()
}

fn object(file: &Hdf5File, name: &str) -> ObjectHeader {
    let links = links(file, &root(file));
    let (_, address) = links.iter().find(|(n, _)| n == name).unwrap();
    ObjectHeader::read(file, *address).unwrap()
}

fn attributes_of(file: &Hdf5File, object: &ObjectHeader) -> Vec<AttributeMessage> {
    let mut all = vec![];
    attributes::visit(file, object, |a| {
        all.push(a.map_err(|unread| unread.error)?);
        Ok(())
    })
    .unwrap();
    all
}

fn read(file: &Hdf5File, name: &str) -> Hdf5Dataset {
    Hdf5Dataset::read(file, &object(file, name)).unwrap()
}

fn numbers(range: std::ops::Range<i32>) -> Vec<u8> {
    range.flat_map(i32::to_le_bytes).collect()
}

#[test]
fn links_of_any_number_keep_their_order() {
    let mut counts: Vec<usize> = (0..70).collect();
    counts.extend([1149, 1150, 1151, 30_000]);
    for count in counts {
        let mut plan = plan();
        let leaf = dataset(int(1, true), &[], PlannedData::Contiguous);
        let leaf = add_dataset(&mut plan, "first", leaf);
        for n in 1..count.max(1) {
            link(
                &mut plan,
                ObjectId::ROOT,
                &format!("link {}", n * 7919 % 100_003),
                leaf,
            );
        }
        let expected: Vec<_> = group(&mut plan, ObjectId::ROOT).links.clone();
        let file = file(plan, |_| Ok(()));
        let root = root(&file);
        let found = links(&file, &root);
        let names = found.iter().map(|(name, _)| name.as_bytes());
        assert!(
            names.eq(expected.iter().map(|l| &l.name[..])),
            "{count} links"
        );
        let info = root.body_of(&file, LINK_INFO).unwrap().unwrap();
        let info = DenseInfo::of_links(&mut info.fields(&file)).unwrap();
        assert_eq!(info.heap.is_some(), count > 8);
        for tree in [info.by_name, info.by_order].into_iter().flatten() {
            let mut visited = vec![];
            let tree = BTree2::open(&file, tree).unwrap();
            tree.visit(&file, |mut record| {
                let key = if tree.kind == 5 {
                    record.u32_le()?.into()
                } else {
                    record.u64_le()?
                };
                visited.push(key);
                Ok(())
            })
            .unwrap();
            assert_eq!((visited.len(), tree.total), (count, count as u64));
            assert!(visited.is_sorted());
        }
    }
}

#[test]
fn attributes_of_any_number_and_length() {
    for lens in [
        vec![1; 8],
        vec![1; 9],
        vec![1; 1000],
        vec![16_400],
        vec![5000; 8],
        vec![
            1, 200, 250, 1000, 1100, 4000, 20_000, 1, 16_377, 16_378, 16_379, 3,
        ],
    ] {
        let mut plan = plan();
        for (n, &len) in lens.iter().enumerate() {
            let value = i32::try_from(n).unwrap();
            let attribute = ints(&format!("attribute {n}"), &vec![value; len]);
            group(&mut plan, ObjectId::ROOT).attributes.push(attribute);
        }
        let expected = group(&mut plan, ObjectId::ROOT).attributes.clone();
        let file = file(plan, |_| Ok(()));
        let found = attributes_of(&file, &root(&file));
        assert_eq!(found.len(), lens.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.name, expected.name);
            assert_eq!(found.data, expected.data.bytes);
            assert_eq!(found.dataspace.dims, [expected.data.bytes.len() as u64 / 4]);
        }
        let info = root(&file);
        let info = info.body_of(&file, ATTRIBUTE_INFO).unwrap().unwrap();
        let info = DenseInfo::of_attributes(&mut info.fields(&file)).unwrap();
        assert!(info.tracks_order);
        let long = lens.iter().any(|&n| 4 * n > 65_000);
        assert_eq!(info.heap.is_some(), lens.len() > 8 || long);
    }
}

#[test]
fn types_read_back() {
    let base = Box::new(int(2, true));
    let members = vec![(b"a".to_vec(), vec![1, 0]), (b"bc".to_vec(), vec![2, 1])];
    let named = of(2, TypeClass::Enum { base, members });
    let (padding, charset) = (Padding::SpacePadded, Charset::Utf8);
    let inner = compound(&[("x", named.clone()), ("y", array(&[2, 3], string()))]);
    let mut vax = float(Endianness::Big);
    if let TypeClass::Float { fields, .. } = &mut vax.class {
        fields.vax = true;
    }
    let all = [
        int(1, false),
        int(8, true),
        float(Endianness::Big),
        vax,
        text(7),
        of(3, TypeClass::String { padding, charset }),
        string(),
        reference(),
        of(12, TypeClass::Reference(ReferenceTarget::Region)),
        of(
            9,
            TypeClass::Opaque {
                tag: b"tag".to_vec(),
            },
        ),
        of(9, TypeClass::Opaque { tag: vec![] }),
        of(
            1,
            TypeClass::Bitfield {
                bits: match int(1, true).class {
                    TypeClass::Integer { bits, .. } => bits,
                    _ => unreachable!(),
                },
            },
        ),
        named,
        vlen(vlen(inner.clone())),
        compound(&[("z", inner.clone())]),
        compound(&[("gap", int(1, true)), ("big", array(&[70_000], inner))]),
        of(
            8,
            TypeClass::Complex {
                base: Box::new(float(Endianness::Little)),
            },
        ),
    ];
    let mut plan = plan();
    for (n, ty) in all.iter().enumerate() {
        let committed = PlannedObject::Datatype(ty.clone());
        let committed = add(&mut plan, ObjectId::ROOT, &format!("type {n}"), committed);
        let mut one = dataset(ty.clone(), &[1], PlannedData::Contiguous);
        one.attributes.push(attribute(
            "null",
            ty.clone(),
            PlannedShape::Null,
            plain(&[]),
        ));
        one.attributes[0].ty = PlannedType::Committed(committed, ty.clone());
        add_dataset(&mut plan, &format!("dataset {n}"), one);
    }
    let file = file(plan, |_| Ok(()));
    for (n, ty) in all.iter().enumerate() {
        let header = object(&file, &format!("type {n}"));
        assert_eq!(*dataset::datatype(&file, &header).unwrap(), *ty);
        let header_of_dataset = object(&file, &format!("dataset {n}"));
        assert_eq!(*dataset::datatype(&file, &header_of_dataset).unwrap(), *ty);
        let attribute = &attributes_of(&file, &header_of_dataset)[0];
        assert_eq!(attribute.datatype.class, ty.class);
        assert_eq!(attribute.datatype.committed, Some(header.address));
    }
}

/// Returns the chunks of a dataset, in index order.
fn chunks(file: &Hdf5File, dataset: &Hdf5Dataset) -> Vec<IndexedChunk> {
    let DataLayout::Chunked(chunked) = &dataset.layout else {
        panic!("no chunks");
    };
    let extent = DatasetExtent {
        dims: &dataset.dataspace.dims,
        max: &dataset.dataspace.max,
    };
    let (start, count) = (
        vec![0; extent.dims.len()],
        vec![u64::MAX; extent.dims.len()],
    );
    let mut all = vec![];
    let index = OpenIndex::open(file, chunked, &extent).unwrap();
    let mut visit = |found| {
        all.push(found);
        Ok(())
    };
    let all_chunks = Block { start, count };
    index.locate(file, &all_chunks, &mut visit).unwrap();
    all
}

#[test]
fn chunks_of_any_number_are_found() {
    let counts = [0, 1, 2, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 70_000];
    let mut plan = plan();
    let ids = counts.map(|count: u64| {
        let mut one = dataset(int(4, true), &[0], PlannedData::Chunked(vec![2]));
        one.max = Some(vec![None]);
        (count, add_dataset(&mut plan, &format!("{count}"), one))
    });
    let written = bytes(plan, |writer| {
        for n in 0..70_000 {
            for &(count, id) in ids.iter().filter(|(count, _)| n < *count) {
                let first = i32::try_from(2 * n).unwrap();
                writer.put_chunk(id, &[n], 0, &numbers(first..first + 2))?;
                if n + 1 == count {
                    writer.set_extent(id, &[2 * count])?;
                }
            }
        }
        Ok(())
    })
    .unwrap();
    let memory = MemorySource::new("test", written.clone());
    let file = open(written);
    for count in counts {
        let dataset = read(&file, &count.to_string());
        assert_eq!(dataset.dataspace.dims, [2 * count]);
        assert_eq!(dataset.dataspace.max, [None]);
        let found = chunks(&file, &dataset);
        assert_eq!(found.len() as u64, count);
        for (n, chunk) in (0u64..).zip(found) {
            assert_eq!((chunk.index, chunk.size, chunk.mask), (n, 8, 0));
            let stored = source::read_range(&memory, &(chunk.address..chunk.address + 8)).unwrap();
            let first = i32::try_from(2 * n).unwrap();
            assert_eq!(stored, numbers(first..first + 2));
        }
    }
}

/// Quadratic time would not finish here.
#[test]
fn many_chunks_links_and_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.h5");
    let (chunks, many) = (300_000u64, 100_000);
    let mut plan = plan();
    let mut one = dataset(
        int(1, true),
        &[1000, 1000],
        PlannedData::Chunked(vec![1, 1]),
    );
    one.attributes = (0..1000).map(|n| ints(&format!("a{n}"), &[n])).collect();
    let id = add_dataset(&mut plan, "x", one);
    for n in 1..many {
        link(&mut plan, ObjectId::ROOT, &format!("link {n}"), id);
    }
    let mut writer = create(&path.to_string_lossy(), plan).unwrap();
    for n in 0..chunks {
        let value = n.to_le_bytes()[0];
        writer
            .put_chunk(id, &[n / 1000, n % 1000], 0, &[value])
            .unwrap();
    }
    writer.finish().unwrap();
    let source = netcdf_core::io::file::FileSource::open(&path).unwrap();
    let file = Hdf5File::open(Arc::new(source), &Limits::default()).unwrap();
    assert_eq!(links(&file, &root(&file)).len(), many);
    let found = self::chunks(&file, &read(&file, "x"));
    assert_eq!(found.len() as u64, chunks);
    assert!(found.iter().map(|c| c.index).eq(0..chunks));
    assert_eq!(attributes_of(&file, &object(&file, "x")).len(), 1000);
}

#[test]
fn chunks_may_be_left_out_and_moved() {
    let shape = [7, 9, 11];
    let make = || {
        let mut plan = plan();
        let mut one = dataset(int(1, true), &shape, PlannedData::Chunked(vec![2, 3, 4]));
        one.filters = vec![(
            netcdf_core::model::FilterSpec {
                id: 1,
                params: vec![1],
            },
            true,
        )];
        (add_dataset(&mut plan, "x", one), plan)
    };
    let places: Vec<[u64; 3]> = (0..36)
        .filter(|n| n % 5 != 2)
        .map(|n| [n / 9, n / 3 % 3, n % 3])
        .collect();
    let stored = |n: usize| vec![u8::try_from(n).unwrap(); n + 1];
    let (id, plan) = make();
    let put = bytes(plan, |writer| {
        for (n, place) in places.iter().enumerate() {
            writer.put_chunk(id, place, 0, &stored(n))?;
        }
        Ok(())
    });
    let (id, plan) = make();
    let all: Vec<u8> = (0..places.len()).flat_map(stored).collect();
    let source: Arc<dyn Source> = Arc::new(MemorySource::new("s", all));
    let moved = bytes(plan, |writer| {
        let mut at = 0;
        for (n, place) in places.iter().enumerate() {
            let range = at..at + n as u64 + 1;
            at = range.end;
            let from = SourceRange {
                source: &source,
                range,
            };
            writer.move_chunk(id, place, 0, &from)?;
        }
        Ok(())
    });
    let put = put.unwrap();
    assert_eq!(put, moved.unwrap());
    let file = open(put);
    let found = chunks(&file, &read(&file, "x"));
    let sizes: Vec<_> = found.iter().map(|c| c.size).collect();
    assert_eq!(sizes, (1..=places.len() as u64).collect::<Vec<_>>());
    let index = |[a, b, c]: &[u64; 3]| a * 9 + b * 3 + c;
    assert!(found.iter().map(|c| c.index).eq(places.iter().map(index)));
}

#[test]
fn contiguous_data_is_filled_where_nothing_was_put() {
    let mut plan = plan();
    let mut some = dataset(int(4, true), &[6], PlannedData::Contiguous);
    some.fill.value = FillValue::User(7i32.to_le_bytes().to_vec());
    let mut never = some.clone();
    never.fill.write = Some(Write::Never);
    let compact = PlannedData::Compact;
    let mut inside = dataset(int(4, true), &[6], compact);
    inside.fill.value = some.fill.value.clone();
    let untouched = some.clone();
    let [some, never, inside, untouched] = [
        ("some", some),
        ("never", never),
        ("inside", inside),
        ("untouched", untouched),
    ]
    .map(|(name, one)| add_dataset(&mut plan, name, one));
    let written = bytes(plan, |writer| {
        for id in [some, never, inside] {
            writer.put_bytes(id, 12, &numbers(1..2))?;
            writer.put_bytes(id, 4, &numbers(2..3))?;
            // Data that ends within an element is filled correctly.
            writer.put_bytes(id, 16, &[9, 9])?;
        }
        writer.put_bytes(untouched, 24, &[])
    })
    .unwrap();
    let file = open(written.clone());
    let data = |name| match read(&file, name).layout {
        DataLayout::Compact(data) => data,
        DataLayout::Contiguous {
            address: Some(at),
            size: Some(24),
        } => written[at as usize..at as usize + 24].to_vec(),
        other => panic!("{other:?}"),
    };
    let seven = 7i32.to_le_bytes();
    let filled = |fill: [u8; 4], cut: [u8; 4]| {
        [
            fill,
            2i32.to_le_bytes(),
            fill,
            1i32.to_le_bytes(),
            cut,
            fill,
        ]
        .concat()
    };
    assert_eq!(data("some"), filled(seven, [9, 9, 0, 0]));
    assert_eq!(data("never"), filled([0; 4], [9, 9, 0, 0]));
    assert_eq!(data("inside"), filled(seven, [9, 9, 0, 0]));
    let nothing = DataLayout::Contiguous {
        address: None,
        size: Some(24),
    };
    assert_eq!(read(&file, "untouched").layout, nothing);
}

/// Returns the referenced objects of 16-byte elements; `None` for elements without a reference.
fn heap_objects(file: &Hdf5File, elements: &[u8]) -> Vec<Option<(u32, Vec<u8>)>> {
    let each = |e: &[u8]| {
        let count = u32::from_le_bytes(e[..4].try_into().unwrap());
        let address = u64::from_le_bytes(e[4..12].try_into().unwrap());
        let index = u32::from_le_bytes(e[12..].try_into().unwrap());
        let object = file.heap_object(address, index).unwrap();
        object.map(|o| (count, o.to_vec()))
    };
    elements.chunks_exact(16).map(each).collect()
}

#[test]
fn heap_data_is_at_its_recorded_offset() {
    let mut plan = plan();
    let mut one = dataset(string(), &[3000], PlannedData::Contiguous);
    one.fill.value = FillValue::User(vec![0; 16]);
    one.fill_heap = Some(strings(&[Some("filled")]));
    let id = add_dataset(&mut plan, "data", one);
    let long = "long ".repeat(40_000);
    let texts = [Some("a"), Some(""), None, Some(&*long), Some("z")];
    let shape = |n: u64| PlannedShape::Simple(vec![n]);
    let inner = Payload {
        bytes: vec![0; 16],
        references: vec![(8, id)],
        heap: vec![],
    };
    let mut outer = plain(&[0; 48]);
    outer.heap = vec![(32, 2, inner)];
    let root_attributes = vec![
        attribute("texts", string(), shape(5), strings(&texts)),
        attribute("references", vlen(reference()), shape(3), outer),
    ];
    group(&mut plan, ObjectId::ROOT).attributes = root_attributes;
    let many: Vec<Vec<u8>> = (0..2999).map(|n| vec![b'x'; n % 100]).collect();
    let written = bytes(plan, |writer| {
        let objects: Vec<_> = (0..).zip(&many).map(|(n, b)| (n, &b[..])).collect();
        let references = writer.put_heap(&objects)?;
        writer.put_bytes(id, 16, &references)
    })
    .unwrap();
    let file = open(written.clone());
    let attributes = attributes_of(&file, &root(&file));
    let object = |t: Option<&str>| t.map(|t| (t.len() as u32, t.as_bytes().to_vec()));
    assert_eq!(heap_objects(&file, &attributes[0].data), texts.map(object));
    let found = heap_objects(&file, &attributes[1].data);
    let address = self::object(&file, "data").address;
    let expected = [[0; 8], address.to_le_bytes()].concat();
    assert_eq!(found, [None, None, Some((2, expected))]);
    let dataset = read(&file, "data");
    let FillValue::User(fill) = &dataset.fill.value else {
        panic!("no fill value");
    };
    let filled = Some((6, b"filled".to_vec()));
    assert_eq!(heap_objects(&file, fill), std::slice::from_ref(&filled));
    let DataLayout::Contiguous {
        address: Some(at), ..
    } = dataset.layout
    else {
        panic!("no data");
    };
    let data = heap_objects(&file, &written[at as usize..at as usize + 48_000]);
    // Elements share no heap data, so the caller stores unwritten elements.
    assert_eq!(data[0], None);
    assert!(
        data[1..]
            .iter()
            .zip(0..)
            .zip(&many)
            .all(|((d, n), b)| *d == Some((n, b.clone())))
    );
}

/// Tries to write a dataset with an extra chunk or extra bytes.
fn attempt(
    one: netcdf_core::format::hdf5::write::PlannedDataset,
    put: impl FnOnce(&mut FileWriter, ObjectId) -> Result<()>,
) -> Error {
    let mut plan = plan();
    let sub = add(
        &mut plan,
        ObjectId::ROOT,
        "sub",
        PlannedObject::Group(PlannedGroup::default()),
    );
    let id = add(&mut plan, sub, "x", PlannedObject::Dataset(Box::new(one)));
    bytes(plan, |writer| put(writer, id)).unwrap_err()
}

#[test]
fn unsupported_objects_are_errors_with_their_path() {
    let contiguous = || dataset(int(4, true), &[4], PlannedData::Contiguous);
    let chunked = |chunk: &[u64]| {
        let mut one = dataset(
            int(4, true),
            &vec![0; chunk.len()],
            PlannedData::Chunked(chunk.to_vec()),
        );
        one.max = Some(vec![None; chunk.len()]);
        one
    };
    let named = |name: String| {
        let mut one = contiguous();
        one.attributes.push(ints(&name, &[1]));
        one
    };
    let mut twice = named("a".into());
    twice.attributes.push(ints("a", &[2]));
    let mut short = named("a".into());
    short.attributes[0].data.bytes.pop();
    let mut fill = contiguous();
    fill.fill.value = FillValue::User(vec![1]);
    let mut grows = contiguous();
    grows.max = Some(vec![None]);
    let cases = [
        (
            dataset(int(4, true), &[1; 33], PlannedData::Contiguous),
            ErrorKind::Limit,
            "33 dimensions",
        ),
        (
            dataset(int(4, true), &[1 << 62, 4], PlannedData::Contiguous),
            ErrorKind::Limit,
            "2^64",
        ),
        (
            dataset(int(4, true), &[20_000], PlannedData::Compact),
            ErrorKind::Limit,
            "80000 bytes of compact",
        ),
        (
            chunked(&[1 << 32]),
            ErrorKind::Limit,
            "the length of a chunk",
        ),
        (
            chunked(&[1 << 20, 1 << 12]),
            ErrorKind::Limit,
            "the size of a chunk in bytes",
        ),
        (chunked(&[0]), ErrorKind::Argument, "chunks of no elements"),
        (
            named("a".repeat(65_535)),
            ErrorKind::Limit,
            "the name of an attribute has 65535 bytes",
        ),
        (named(String::new()), ErrorKind::Argument, "empty"),
        (twice, ErrorKind::Argument, "two attributes named a"),
        (
            short,
            ErrorKind::Argument,
            "attribute a: 3 bytes, but the shape and type need 4",
        ),
        (
            fill,
            ErrorKind::Argument,
            "a fill value of 1 byte, but elements have 4",
        ),
        (grows, ErrorKind::Argument, "may grow"),
    ];
    for (one, kind, what) in cases {
        let error = attempt(one, |_, _| Ok(()));
        assert_eq!(
            (error.kind(), error.object()),
            (kind, Some("/sub/x")),
            "{error}"
        );
        assert!(error.what().contains(what), "{error}");
    }
}

#[test]
fn misplaced_chunks_are_errors() {
    let contiguous = || dataset(int(4, true), &[4], PlannedData::Contiguous);
    let chunked = || dataset(int(4, true), &[4, 4], PlannedData::Chunked(vec![2, 3]));
    let chunk = [0; 24];
    let errors = [
        attempt(contiguous(), |w, id| w.put_bytes(id, 13, &[0; 4])),
        attempt(contiguous(), |w, id| w.put_bytes(id, u64::MAX, &[0; 4])),
        attempt(contiguous(), |w, id| w.put_chunk(id, &[0], 0, &chunk)),
        attempt(contiguous(), |w, id| w.set_extent(id, &[3])),
        attempt(contiguous(), |w, _| w.put_bytes(ObjectId::ROOT, 0, &[0; 4])),
        attempt(contiguous(), |w, _| w.put_bytes(ObjectId(99), 0, &[0; 4])),
        attempt(chunked(), |w, id| w.put_bytes(id, 0, &[0; 4])),
        attempt(chunked(), |w, id| w.put_chunk(id, &[0], 0, &chunk)),
        attempt(chunked(), |w, id| w.put_chunk(id, &[2, 0], 0, &chunk)),
        attempt(chunked(), |w, id| w.put_chunk(id, &[0, 0], 0, &chunk[1..])),
        attempt(chunked(), |w, id| {
            w.put_chunk(id, &[0, u64::MAX], 0, &chunk)
        }),
        attempt(chunked(), |w, id| w.set_extent(id, &[5, 4])),
        attempt(chunked(), |w, id| {
            w.put_chunk(id, &[1, 0], 0, &chunk)?;
            w.put_chunk(id, &[0, 1], 0, &chunk)
        }),
    ];
    for error in errors {
        assert_eq!(error.kind(), ErrorKind::Argument, "{error}");
    }
}

#[test]
fn links_need_existing_targets_and_unique_names() {
    let mut nowhere = plan();
    link(&mut nowhere, ObjectId::ROOT, "x", ObjectId(7));
    let mut twice = plan();
    link(&mut twice, ObjectId::ROOT, "x", ObjectId::ROOT);
    link(&mut twice, ObjectId::ROOT, "x", ObjectId::ROOT);
    let mut long = plan();
    link(
        &mut long,
        ObjectId::ROOT,
        &"x".repeat(65_535),
        ObjectId::ROOT,
    );
    for (plan, kind) in [
        (nowhere, ErrorKind::Argument),
        (twice, ErrorKind::Argument),
        (long, ErrorKind::Limit),
        (FilePlan::default(), ErrorKind::Argument),
    ] {
        let error = bytes(plan, |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
}

/// Writes all samples twice, with the same bytes. An unfinished file leaves no output.
#[test]
fn the_same_plan_and_data_give_the_same_bytes() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    all(one.path()).unwrap();
    all(other.path()).unwrap();
    for (name, _) in SAMPLES {
        let [a, b] = [&one, &other].map(|d| std::fs::read(d.path().join(name)).unwrap());
        assert!(a == b && !a.is_empty(), "{name}");
        open(a);
    }
    let path = one.path().join("unfinished.h5");
    drop(create(&path.to_string_lossy(), plan()).unwrap());
    assert!(!path.exists());
}
