//! Small files that repeatedly refer to the same bytes.

use super::*;
use crate::error::ErrorKind;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message::external::ExternalFiles;
use crate::format::hdf5::{dataset, message, symbol_table};

/// A file with a remaining byte limit of little more than `left`.
fn nearly_read(name: &str, left: u64) -> Hdf5File {
    let file = open(name);
    // Opening the file may already have used the limit.
    file.start();
    file.take((1 << 28) + 4 * file.source().len() - left - 32, 0)
        .unwrap();
    file
}

fn datatype(file: &Hdf5File, name: &str) -> Arc<Datatype> {
    dataset::datatype(file, &object(file, name)).unwrap()
}

/// Any number of objects may share one large type.
#[test]
fn shared_types_are_read_once() {
    let committed = open("shared_types.h5");
    let (one, two) = (datatype(&committed, "one"), datatype(&committed, "two"));
    assert!(one.committed.is_some() && Arc::ptr_eq(&one, &two));
    for name in ["one", "two"] {
        let attributes = attributes_of(&committed, name);
        assert!(Arc::ptr_eq(&attributes[0].datatype, &one));
    }
    let heap = open("structures/shared_list.h5");
    let (one, two) = (datatype(&heap, "x1"), datatype(&heap, "x2"));
    assert!(one.committed.is_none() && Arc::ptr_eq(&one, &two));
    let header = object(&heap, "x1");
    heap.start();
    heap.take((1 << 28) + 4 * heap.source().len() - 32, 0)
        .unwrap();
    assert!(dataset::datatype(&heap, &header).is_ok());
}

/// All entries of a symbol table may share one name.
#[test]
fn names_of_old_groups_count() {
    let table = |file: &Hdf5File| {
        let header = object(file, "many");
        let body = header.body_of(file, message::SYMBOL_TABLE).unwrap();
        let body = body.unwrap();
        let mut c = body.fields(file);
        [(); 2].map(|()| c.address().unwrap().unwrap())
    };
    let [tree, heap] = table(&open("groups_old.h5"));
    let read = |left| symbol_table::entries(&nearly_read("groups_old.h5", left), tree, heap);
    // 101 names of 7 bytes (one name has 4), and one path of 5.
    let all = 101 * (32 + 7) + 32 + 100;
    assert_eq!(read(all).unwrap().len(), 101);
    assert_eq!(read(all / 2).unwrap_err().kind(), ErrorKind::Limit);
}

/// All slots of an external file list may share one name.
#[test]
fn names_of_external_files_count() {
    let read = |left| {
        let file = open("external.h5");
        let header = object(&file, "x");
        let body = header.body_of(&file, message::EXTERNAL).unwrap().unwrap();
        let external = ExternalFiles::parse(&mut body.fields(&file)).unwrap();
        external.pieces(&nearly_read("external.h5", left), 0..40)
    };
    assert_eq!(read(3 * (32 + 14)).unwrap().len(), 3);
    assert_eq!(read(2 * (32 + 14)).unwrap_err().kind(), ErrorKind::Limit);
}

/// A global heap collection with objects of these sizes. The bytes of each object are its number.
fn collection(objects: &[usize]) -> Vec<u8> {
    let mut bytes = b"GCOL\x01\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    for (number, &size) in (1u8..).zip(objects) {
        bytes.extend([number, 0, 1, 0, 0, 0, 0, 0]);
        bytes.extend((size as u64).to_le_bytes());
        bytes.resize(bytes.len() + size.next_multiple_of(8), number);
    }
    let len = bytes.len() as u64;
    bytes[8..16].copy_from_slice(&len.to_le_bytes());
    bytes
}

/// A file with these bytes appended, and their address.
fn with(more: &[u8]) -> (Hdf5File, u64) {
    let mut bytes = bytes("strings.h5");
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let at = bytes.len() as u64;
    bytes.extend(more);
    let file = open_bytes(bytes).unwrap();
    let base = file.superblock().base;
    (file, at - base)
}

const LARGE: usize = 9 << 20;

/// A collection within an object of another collection. Each is too large for both to stay cached.
#[test]
fn large_collections_for_small_objects_are_not_read_without_end() {
    let inner = collection(&[8, LARGE]);
    let mut outer = collection(&[8, inner.len()]);
    let within = outer.len() - inner.len();
    outer[within..].copy_from_slice(&inner);
    let (file, at) = with(&outer);
    let places = [at, at + within as u64].into_iter().cycle();
    let objects = places.take(100).map(|place| file.heap_object(place, 1));
    let errors: Vec<_> = objects.filter_map(Result::err).collect();
    assert!((20..90).contains(&errors.len()), "{}", errors.len());
    assert!(errors.iter().all(|e| e.kind() == ErrorKind::Limit));
    assert!(errors[0].to_string().contains("scattered"), "{}", errors[0]);
}

/// libhdf5 stores a large object in a separate collection.
#[test]
fn large_objects_may_be_read_in_any_order_any_number_of_times() {
    let one = collection(&[LARGE]);
    let (file, at) = with(&[&one[..], &one].concat());
    let places = [at, at + one.len() as u64].into_iter().cycle();
    for place in places.take(100) {
        let object = file.heap_object(place, 1).unwrap().unwrap();
        assert_eq!(object.len(), LARGE);
    }
}
