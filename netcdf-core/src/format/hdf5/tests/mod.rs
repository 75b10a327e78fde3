//! Groups, attributes and heaps in files made by testdata/hdf5/make_heaps.py.

mod damage;
mod messages;
mod repeated_reads;
mod structures;
mod types;

use std::path::Path;
use std::sync::Arc;

use super::message::attribute::AttributeMessage;
use super::message::link::{LinkMessage, LinkedObject};
use super::{Hdf5File, ObjectHeader, attributes, group};
use crate::error::Result;
use crate::io::memory::MemorySource;
use crate::limits::Limits;

fn bytes(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5");
    std::fs::read(root.join(name)).unwrap()
}

fn open_bytes(bytes: Vec<u8>) -> Result<Hdf5File> {
    let source = MemorySource::new("test", bytes);
    Hdf5File::open(Arc::new(source), &Limits::default())
}

fn open(name: &str) -> Hdf5File {
    open_bytes(bytes(name)).unwrap()
}

/// The object with a name in the root group.
fn object(file: &Hdf5File, name: &str) -> ObjectHeader {
    let root = ObjectHeader::read(file, file.superblock().root).unwrap();
    let links = group::links(file, &root).unwrap();
    let link = links.iter().find(|l| l.name == name.as_bytes()).unwrap();
    match link.target {
        LinkedObject::Hard(address) => ObjectHeader::read(file, address).unwrap(),
        _ => panic!("{name} is no object"),
    }
}

fn links(file: &Hdf5File, name: &str) -> Vec<LinkMessage> {
    group::links(file, &object(file, name)).unwrap()
}

fn names(links: &[LinkMessage]) -> Vec<String> {
    let name = |l: &LinkMessage| String::from_utf8(l.name.clone()).unwrap();
    links.iter().map(name).collect()
}

fn attributes_of(file: &Hdf5File, name: &str) -> Vec<AttributeMessage> {
    let mut all = vec![];
    attributes::visit(file, &object(file, name), |a| {
        all.push(a.map_err(|u| u.error)?);
        Ok(())
    })
    .unwrap();
    all
}

/// The elements of an attribute with little-endian 32-bit integers.
fn ints(attribute: &AttributeMessage) -> Vec<i32> {
    let numbers = attribute.data.chunks_exact(4);
    numbers
        .map(|n| i32::from_le_bytes(n.try_into().unwrap()))
        .collect()
}
