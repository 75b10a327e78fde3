//! What a small file may have read very often.

use super::*;
use crate::error::ErrorKind;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message::external::External;
use crate::format::hdf5::{dataset, message, symbol_table};

/// A file of which hardly more may be read than so many bytes.
fn nearly_read(name: &str, left: u64) -> File {
    let file = open(name);
    // Opening may have counted something.
    file.start();
    file.take((1 << 28) + 4 * file.source().len() - left - 32, 0)
        .unwrap();
    file
}

fn datatype(file: &File, name: &str) -> Arc<Datatype> {
    dataset::datatype(file, &object(file, name)).unwrap()
}

/// Any number of objects may have the same large type.
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

/// All entries of a symbol table may have the same name.
#[test]
fn names_of_old_groups_count() {
    let table = |file: &File| {
        let header = object(file, "many");
        let body = header.body_of(file, message::SYMBOL_TABLE).unwrap();
        let body = body.unwrap();
        let mut c = body.fields(file);
        [(); 2].map(|()| c.address().unwrap().unwrap())
    };
    let [tree, heap] = table(&open("groups_old.h5"));
    let read = |left| symbol_table::entries(&nearly_read("groups_old.h5", left), tree, heap);
    // 101 names of 7 bytes, one of them 4, and one path of 5.
    let all = 101 * (32 + 7) + 32 + 100;
    assert_eq!(read(all).unwrap().len(), 101);
    assert_eq!(read(all / 2).unwrap_err().kind(), ErrorKind::Limit);
}

/// So may all slots of a list of external files.
#[test]
fn names_of_external_files_count() {
    let read = |left| {
        let file = open("external.h5");
        let header = object(&file, "x");
        let body = header.body_of(&file, message::EXTERNAL).unwrap().unwrap();
        let external = External::parse(&mut body.fields(&file)).unwrap();
        external.pieces(&nearly_read("external.h5", left), 0..40)
    };
    assert_eq!(read(3 * (32 + 14)).unwrap().len(), 3);
    assert_eq!(read(2 * (32 + 14)).unwrap_err().kind(), ErrorKind::Limit);
}
