//! The structures of whole files.

use super::*;
use crate::ErrorKind;
use crate::bytes::sums::lookup3;
use crate::filter::{ChunkContext, FilterTable, VariableFacts};
use crate::format::hdf5::btree_v1::{BtreeV1, GROUP};
use crate::format::hdf5::btree_v2::{BTree2, records};
use crate::format::hdf5::fractal_heap::FractalHeap;
use crate::format::hdf5::message;
use crate::format::hdf5::message::dense_info::DenseInfo;
use crate::format::hdf5::symbol_table::{self, SymbolCache};

/// Address where these four bytes first occur.
fn find(file: &[u8], signature: &[u8; 4]) -> usize {
    let mut windows = file.windows(4);
    windows.position(|w| w == signature).unwrap()
}

#[test]
fn old_groups_with_trees_of_three_levels() {
    for name in ["groups_old.h5", "groups_narrow.h5"] {
        let file = open(name);
        assert_eq!(file.superblock().base, 512);
        let many = links(&file, "many");
        let mut expected: Vec<_> = (0..100).map(|n| format!("link{n:03}")).collect();
        expected.push("soft".into());
        assert_eq!(names(&many), expected);
        let itself = LinkedObject::Hard(object(&file, "many").address);
        assert!(many[..100].iter().all(|l| l.target == itself));
        assert_eq!(
            many[100].target,
            LinkedObject::Soft(b"/many/link000".to_vec())
        );
        assert_eq!(links(&file, "empty"), []);
    }
}

#[test]
fn entries_of_old_groups_know_groups() {
    let file = open("groups_old.h5");
    let table = object(&file, "many");
    let body = table
        .body_of(&file, message::SYMBOL_TABLE)
        .unwrap()
        .unwrap();
    let mut c = body.fields(&file);
    let (tree, heap) = (c.address().unwrap().unwrap(), c.address().unwrap().unwrap());
    let entries = symbol_table::entries(&file, tree, heap).unwrap();
    let soft = entries.last().unwrap();
    assert_eq!(soft.cache, SymbolCache::SoftLink(b"/many/link000".to_vec()));
    let root = ObjectHeader::read(&file, file.superblock().root).unwrap();
    let body = root.body_of(&file, message::SYMBOL_TABLE).unwrap().unwrap();
    let mut c = body.fields(&file);
    let (tree, heap) = (c.address().unwrap().unwrap(), c.address().unwrap().unwrap());
    let entries = symbol_table::entries(&file, tree, heap).unwrap();
    assert!(
        entries
            .iter()
            .any(|e| matches!(e.cache, SymbolCache::Group { .. }))
    );
}

#[test]
fn trees_do_not_lead_back() {
    let mut file = bytes("groups_old.h5");
    let upper = file
        .windows(6)
        .position(|w| &w[..4] == b"TREE" && w[5] == 1);
    let upper = upper.unwrap();
    let tree = BtreeV1 {
        root: upper as u64 - 512,
        kind: GROUP,
        key: 8,
    };
    let walk = |file: Vec<u8>| {
        let file = open_bytes(file).unwrap();
        tree.walk(&file, &mut |_, _| Ok(true), &mut |_, _| Ok(()))
    };
    assert!(walk(file.clone()).is_ok());
    let mut higher = file.clone();
    higher[upper + 5] = 2;
    let error = walk(higher).unwrap_err();
    assert!(
        error.what().contains("level 0, expected level 1"),
        "{error}"
    );
    let (first, second) = (upper + 24 + 8, upper + 24 + 24);
    file.copy_within(first..first + 8, second);
    let error = walk(file).unwrap_err();
    assert!(error.what().contains("same child twice"), "{error}");
}

#[test]
fn dense_links_by_order_and_by_name() {
    let file = open("groups_dense.h5");
    let mut expected: Vec<_> = (0..60).map(|n| format!("link{:03}", n * 37 % 60)).collect();
    expected.extend(["soft".into(), "external".into()]);
    let both = links(&file, "both");
    assert_eq!(names(&both), expected);
    assert_eq!(
        both[60].target,
        LinkedObject::Soft(b"/both/link000".to_vec())
    );
    let external = LinkedObject::External {
        file: b"other.h5".to_vec(),
        path: b"/x".to_vec(),
    };
    assert_eq!(both[61].target, external);
    let few: Vec<_> = (0..9).rev().map(|n| format!("link{n}")).collect();
    assert_eq!(names(&links(&file, "few")), few);
}

fn link_info(file: &Hdf5File, name: &str) -> DenseInfo {
    let header = object(file, name);
    let body = header.body_of(file, message::LINK_INFO).unwrap().unwrap();
    DenseInfo::of_links(&mut body.fields(file)).unwrap()
}

#[test]
fn both_indexes_lead_to_the_same_links() {
    let file = open("groups_dense.h5");
    let info = link_info(&file, "both");
    let heap = FractalHeap::open(&file, info.heap.unwrap()).unwrap();
    let by_name = BTree2::open(&file, info.by_name.unwrap()).unwrap();
    by_name.expect(&file, &[records::LINK_NAME]).unwrap();
    assert_eq!(by_name.total, 62);
    let mut visited = 0;
    let by_order = BTree2::open(&file, info.by_order.unwrap()).unwrap();
    by_order.expect(&file, &[records::LINK_ORDER]).unwrap();
    by_order
        .visit(&file, |mut record| {
            let record = records::LinkOrder::parse(&mut record)?;
            assert_eq!(record.order, visited);
            visited += 1;
            let object = heap.object(&file, &record.id)?;
            let link = LinkMessage::parse(&mut object.fields(&file))?;
            let hash = lookup3(&link.name);
            let found = by_name.find(&file, |mut r| Ok(r.u32_le()?.cmp(&hash)))?;
            let found = found.unwrap();
            let found = records::LinkName::parse(&mut file.fields_of(&found, None))?;
            assert_eq!(found.id, record.id);
            Ok(())
        })
        .unwrap();
    assert_eq!(visited, 62);
}

#[test]
fn deep_trees_in_order_and_in_part() {
    let file = open("groups_deep.h5");
    let expected: Vec<_> = (0..1300).map(|n| format!("{n:04}")).collect();
    assert_eq!(names(&links(&file, "deep")), expected);
    let tree = BTree2::open(&file, link_info(&file, "deep").by_name.unwrap()).unwrap();
    let mut hashes = vec![];
    tree.visit(&file, |mut r| {
        hashes.push(r.u32_le()?);
        Ok(())
    })
    .unwrap();
    assert!(hashes.is_sorted());
    assert_eq!(hashes.len(), 1300);
    for (from, to) in [(0, 0), (3, 700), (1299, 1299), (0, 1299), (44, 46)] {
        let wanted = hashes[from]..=hashes[to];
        let mut found = vec![];
        let compare = |mut r: crate::format::hdf5::Fields| {
            let hash = r.u32_le()?;
            let before = hash.cmp(wanted.start()).is_lt();
            Ok(match wanted.contains(&hash) {
                true => std::cmp::Ordering::Equal,
                false if before => std::cmp::Ordering::Less,
                false => std::cmp::Ordering::Greater,
            })
        };
        tree.visit_range::<crate::error::Error>(&file, compare, |mut r| {
            found.push(r.u32_le()?);
            Ok(())
        })
        .unwrap();
        assert_eq!(found, hashes[from..=to]);
    }
    let missing = tree.find(&file, |mut r| Ok(r.u32_le()?.cmp(&(hashes[9] + 1))));
    assert_eq!(missing.unwrap(), None);
}

#[test]
fn dense_attributes_and_huge_ones() {
    let file = open("attributes_dense.h5");
    let all = attributes_of(&file, "g");
    assert_eq!(all.len(), 52);
    for (attribute, n) in all.iter().zip(0..50) {
        let name = format!("a{:02}", n * 7 % 50);
        assert_eq!(attribute.name, name.as_bytes());
        let n = usize::try_from(n).unwrap();
        assert_eq!(ints(attribute), vec![n as i32; 1 + n % 4]);
    }
    for (attribute, n) in all[50..].iter().zip(0..) {
        assert_eq!(attribute.name, format!("large{n}").as_bytes());
        assert_eq!(ints(attribute), (0..1100 + n).collect::<Vec<_>>());
    }
}

#[test]
fn heaps_with_filters() {
    let file = open("heap_filtered.h5");
    for (group, count, len) in [("small", 5, 30), ("nested", 170, 3900), ("huge", 3, 4090)] {
        let links = links(&file, group);
        let expected: Vec<_> = (0..count).map(|n| format!("L{n:03}")).collect();
        assert_eq!(names(&links), expected);
        for (link, n) in links.iter().zip(0..) {
            let target = LinkedObject::Soft(vec![b'a' + n % 26; len]);
            assert_eq!(link.target, target, "{group}");
        }
    }
}

#[test]
fn shared_messages() {
    let file = open("shared_messages.h5");
    for (dataset, count) in [("d0", 2), ("d1", 2), ("d2", 8)] {
        let all = attributes_of(&file, dataset);
        assert_eq!(all.len(), count);
        let mut all: Vec<_> = all.iter().map(|a| (&a.name, ints(a))).collect();
        all.sort();
        for ((name, values), n) in all.into_iter().zip(0..) {
            assert_eq!(*name, format!("a{n:02}").into_bytes());
            let expected = if n % 2 == 1 {
                vec![n]
            } else {
                vec![n, n + 1, n + 2]
            };
            assert_eq!(values, expected);
        }
        let header = object(&file, dataset);
        let message = header.find(message::DATASPACE).unwrap();
        // The first message stays in its header.
        assert_eq!(message.flags & message::SHARED != 0, dataset != "d0");
        let body = header.body(&file, message).unwrap();
        let space = crate::format::hdf5::dataspace::Dataspace::parse(&mut body.fields(&file));
        assert_eq!(space.unwrap().dims, [4, 3]);
    }
    let error = file.shared_message(message::LINK, &[0; 8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
}

#[test]
fn strings_of_several_collections() {
    let file = open("strings.h5");
    let mut words = vec![];
    for part in 0..4 {
        let all = attributes_of(&file, &format!("part{part}"));
        for element in all[0].data.chunks_exact(16) {
            let mut c = file.fields_of(element, None);
            let (len, address) = (c.u32_le().unwrap(), c.address().unwrap().unwrap());
            let object = file.heap_object(address, c.u32_le().unwrap()).unwrap();
            let object = object.as_deref().unwrap_or_default();
            assert!(object.len() >= len as usize);
            words.push(object[..len as usize].to_vec());
        }
    }
    for (word, n) in words.iter().zip(0..60usize) {
        let word: &[u8] = word.strip_suffix(b"\0").unwrap_or(word);
        let expected = match n {
            7 => vec![],
            50 => vec![b'x'; 5000],
            _ => n.to_string().repeat(n).into_bytes(),
        };
        assert_eq!(word, expected, "{n}");
    }
}

#[test]
fn no_object_and_missing_objects_of_the_global_heap() {
    let data = bytes("strings.h5");
    let address = find(&data, b"GCOL") as u64;
    let file = open("strings.h5");
    let object = |address, index| file.heap_object(address, index);
    assert!(object(address, 1).unwrap().is_some());
    assert!(object(address, 0).unwrap().is_none());
    assert!(object(0, 1).unwrap().is_none());
    assert!(object(u64::MAX, 1).unwrap().is_none());
    assert_eq!(
        object(address, 70000).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    assert_eq!(
        object(address + 8, 1).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    let error = object(data.len() as u64, 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.what().contains("beyond the end"), "{error}");
}

/// A file that ends with the header of a heap without blocks, and the open heap.
fn made_heap(ids: u16, filters: &[u8], before: &[u8]) -> (Hdf5File, FractalHeap, u64) {
    let mut data = bytes("groups_dense.h5");
    let place = data.len() as u64;
    data.extend(before);
    let start = data.len();
    data.extend(b"FRHP\0");
    data.extend(ids.to_le_bytes());
    data.extend((filters.len() as u16).to_le_bytes());
    data.push(2);
    data.extend(100u32.to_le_bytes());
    data.extend([0; 8]);
    data.extend([0xff; 8]); // no huge objects with an id
    data.extend([0; 8]);
    data.extend([0xff; 8]);
    data.extend([0; 8 * 8]);
    data.extend(4u16.to_le_bytes());
    data.extend(512u64.to_le_bytes());
    data.extend(2048u64.to_le_bytes());
    data.extend([32, 0, 1, 0]);
    data.extend([0xff; 8]);
    data.extend([0; 2]);
    if !filters.is_empty() {
        data.extend([0; 12]);
        data.extend(filters);
    }
    let sum = lookup3(&data[start..]);
    data.extend(sum.to_le_bytes());
    let file = open_bytes(data).unwrap();
    let heap = FractalHeap::open(&file, start as u64).unwrap();
    (file, heap, place)
}

#[test]
fn objects_in_their_ids() {
    let (file, heap, _) = made_heap(18, &[], &[]);
    let mut id = vec![0x2f];
    id.extend(1..=17);
    let object = heap.object(&file, &id).unwrap();
    assert_eq!(object.data(), (1..=16).collect::<Vec<_>>());
    let (file, heap, _) = made_heap(300, &[], &[]);
    let mut id = vec![0x21, 3];
    id.extend(std::iter::repeat_n(7, 298));
    assert_eq!(heap.object(&file, &id).unwrap().data(), [7; 260]);
    id[0] = 0x2f;
    let error = heap.object(&file, &id).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
    id[0] = 0x31;
    let error = heap.object(&file, &id).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    id[0] = 0x61;
    let error = heap.object(&file, &id).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unknown);
    id[0] = 0;
    let error = heap.object(&file, &id).unwrap_err();
    assert!(error.what().contains("no block"), "{error}");
}

#[test]
fn huge_objects_found_by_their_ids() {
    let object: Vec<u8> = (0..200).collect();
    let (file, heap, place) = made_heap(17, &[], &object);
    let id = [&[0x10][..], &place.to_le_bytes(), &200u64.to_le_bytes()].concat();
    assert_eq!(heap.object(&file, &id).unwrap().data(), object);
    let (file, heap, _) = made_heap(16, &[], &object);
    let error = heap.object(&file, &id[..16]).unwrap_err();
    assert!(error.what().contains("no huge object"), "{error}");
}

#[test]
fn huge_objects_with_filters_found_by_their_ids() {
    let object: Vec<u8> = (0..200).collect();
    let context = ChunkContext {
        shape: vec![200],
        element: crate::model::StoredElement {
            ty: crate::model::Atomic::UByte.into(),
            size: 1,
            order: crate::model::Endianness::Little,
            plain: true,
        },
        fill: None,
        len: Some(200),
        about: VariableFacts::default(),
    };
    let entry = FilterTable::default();
    let filter = entry.entry(3).unwrap().build(&[], &context).unwrap();
    let mut stored = vec![];
    filter.encode(&context, &object, &mut stored).unwrap();
    let message = [2, 1, 3, 0, 0, 0, 0, 0];
    let (file, heap, place) = made_heap(29, &message, &stored);
    let id = |mask: u32| {
        let len = stored.len() as u64;
        let mut id = [&[0x10][..], &place.to_le_bytes(), &len.to_le_bytes()].concat();
        id.extend(mask.to_le_bytes());
        id.extend(200u64.to_le_bytes());
        id
    };
    assert_eq!(heap.object(&file, &id(0)).unwrap().data(), object);
    assert!(heap.object(&file, &id(0)).unwrap().address().is_none());
    // The mask marks the filter as skipped, but the stored length is not 200 bytes.
    assert!(heap.object(&file, &id(1)).is_err());
}

#[test]
fn checksums_are_verified() {
    for (name, signature, at) in [
        ("groups_dense.h5", b"BTHD", 5),
        ("groups_dense.h5", b"BTIN", 20),
        ("groups_dense.h5", b"BTLF", 20),
        ("groups_dense.h5", b"FRHP", 20),
        ("groups_dense.h5", b"FHIB", 30),
        ("groups_dense.h5", b"FHDB", 500),
        ("shared_messages.h5", b"SMTB", 12),
    ] {
        let mut data = bytes(name);
        let found = |n: &usize| data[*n..].starts_with(signature);
        let places: Vec<_> = (0..data.len()).filter(found).collect();
        places.iter().for_each(|n| data[n + at] ^= 0x10);
        let file = open_bytes(data).unwrap();
        let errors = damage::errors(&file);
        assert!(
            errors.iter().any(|e| e.kind() == ErrorKind::Checksum),
            "{name} {}: {errors:?}",
            signature.escape_ascii()
        );
    }
}

/// Changes the element size in the layout message (version 4) of the object header at an address.
fn with_element_size(mut file: Vec<u8>, header: usize, size: u8) -> Vec<u8> {
    let flags = file[header + 5];
    let times = if flags & 0x20 == 0 { 0 } else { 16 };
    let limits = if flags & 0x10 == 0 { 0 } else { 4 };
    let (at, width) = (header + 6 + times + limits, 1 << (flags & 3));
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
    let mut message = at + width;
    let end = message + number(&file[at..at + width]);
    while file[message] != message::LAYOUT as u8 {
        let order = if flags & 4 == 0 { 0 } else { 2 };
        message += 4 + order + number(&file[message + 1..message + 3]);
    }
    let body = message + 4 + if flags & 4 == 0 { 0 } else { 2 };
    let (version, rank, bytes) = (file[body], file[body + 3], file[body + 4]);
    assert!(version >= 4 && bytes == 1);
    file[body + 4 + usize::from(rank)] = size;
    let sum = lookup3(&file[header..end]).to_le_bytes();
    file[end..end + 4].copy_from_slice(&sum);
    file
}

/// The datasets have one-byte elements. Old PureHDF versions store other sizes.
#[test]
fn the_datatype_defines_the_element_size() {
    use crate::format::hdf5::dataset::Hdf5Dataset;
    use crate::format::hdf5::message::layout::DataLayout;
    let stored = bytes("chunks_v110.h5");
    for name in ["fixed", "early", "empty"] {
        let header = object(&open("chunks_v110.h5"), name).address;
        for size in [1, 0, 4] {
            let header = usize::try_from(header).unwrap();
            let file = open_bytes(with_element_size(stored.clone(), header, size)).unwrap();
            let DataLayout::Chunked(chunked) = Hdf5Dataset::read(&file, &object(&file, name))
                .unwrap()
                .layout
            else {
                panic!("{name} has no chunks");
            };
            assert_eq!(chunked.element_size, 1, "{name} {size}");
        }
    }
}
