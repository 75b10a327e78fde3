//! Damaged files: what is told of what is lost, and what is still there.

use std::path::Path;
use std::sync::Arc;

use super::reader::Netcdf4Reader;
use crate::env::{Damage, Env, Note};
use crate::error::{Error, ErrorKind, Result};
use crate::format::Reader as _;
use crate::format::hdf5::message::link::Target;
use crate::format::hdf5::{File, ObjectHeader, group};
use crate::io::Source;
use crate::io::memory::MemorySource;
use crate::limits::Limits;

/// A file of `testdata/hdf5`.
fn bytes(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5");
    std::fs::read(root.join(name)).unwrap()
}

fn source(bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(MemorySource::new("file.h5", bytes.to_vec()))
}

/// What is shown of a damaged file, and what is told of the rest.
#[derive(Debug)]
struct Opened {
    reader: Netcdf4Reader,
    damage: Vec<Error>,
    notes: Vec<Note>,
}

impl Opened {
    fn vars(&self) -> Vec<String> {
        let schema = self.reader.schema();
        schema.var_ids().map(|v| schema.var_path(v)).collect()
    }

    /// The only damage that is told: it has the object's path and a place.
    fn lost(&self, object: &str) -> &Error {
        let [e] = self.damage.as_slice() else {
            panic!("{:?}", self.damage);
        };
        assert_eq!(e.object(), Some(object), "{e}");
        assert!(e.resource().is_some(), "{e}");
        assert!(e.is_damage(), "{e}");
        e
    }
}

/// Opens a file as ncdump does: damage of one object is tolerated.
fn open(bytes: &[u8]) -> Result<Opened> {
    let env = Env {
        damage: Damage::tolerated(),
        ..Env::default()
    };
    let reader = Netcdf4Reader::open(source(bytes), &env)?;
    Ok(Opened {
        reader,
        damage: env.damage.take(),
        notes: env.notes.take(),
    })
}

/// Where in the file the header of an object of the root group is.
fn place(bytes: &[u8], name: &str) -> usize {
    let file = File::open(source(bytes), &Limits::default()).unwrap();
    let root = ObjectHeader::read(&file, file.superblock().root).unwrap();
    let links = group::links(&file, &root).unwrap();
    let link = links.iter().find(|l| l.name == name.as_bytes()).unwrap();
    let Target::Hard(address) = link.target else {
        panic!("{name} is no object");
    };
    usize::try_from(file.place(address).unwrap()).unwrap()
}

/// The file with bytes from some place on changed.
fn patched(file: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    file[at..at + new.len()].copy_from_slice(new);
    file
}

#[test]
fn damaged_starts_of_headers_are_damage() {
    let file = bytes("structures/types_new.h5");
    let at = place(&file, "strings");
    let all = open(&file).unwrap();
    assert!(all.damage.is_empty(), "{:?}", all.damage);
    let signature = open(&patched(&file, at, b"NHDR")).unwrap();
    let e = signature.lost("/strings");
    assert_eq!((e.kind(), e.offset()), (ErrorKind::Corrupt, Some(at as u64)));
    assert!(e.what().contains("expected, found `NHDR`"), "{e}");
    assert_eq!(signature.vars().len(), all.vars().len() - 1);
    let version = open(&patched(&file, at + 4, &[3])).unwrap();
    let e = version.lost("/strings");
    assert_eq!(e.kind(), ErrorKind::Checksum, "{e}");
    assert_eq!(version.vars().len(), all.vars().len() - 1);
    assert_eq!(version.notes, all.notes);
}
