//! What a small file may have read very often.

use super::*;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::dataset;

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
