//! Tests of damaged files: reported losses, and the readable remainder.

use std::path::Path;
use std::sync::Arc;

use super::builder::FileBuilder;
use super::files::Files;
use super::reader::Netcdf4Reader;
use crate::chunk::{Dataset, Reader as _};
use crate::env::{Damage, Env};
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::message::{self, link::LinkedObject};
use crate::format::hdf5::{Hdf5File, ObjectHeader, group};
use crate::io::memory::MemorySource;
use crate::io::{Container, Source};
use crate::limits::Limits;
use crate::model::{Kind, Region, Values};
use crate::notes::Note;

/// Returns a file of `testdata/hdf5`.
fn bytes(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5");
    std::fs::read(root.join(name)).unwrap()
}

fn source(bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(MemorySource::new("file.h5", bytes.to_vec()))
}

/// The readable part of a damaged file, and the notes.
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

    /// Returns the only reported damage, and checks the object path and the offset.
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

/// Opens a file like ncdump: damage of single objects is tolerated.
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

/// Returns the file offset of the header of an object in the root group.
fn place(bytes: &[u8], name: &str) -> usize {
    let file = Hdf5File::open(source(bytes), &Limits::default()).unwrap();
    let root = ObjectHeader::read(&file, file.superblock().root).unwrap();
    let links = group::links(&file, &root).unwrap();
    let link = links.iter().find(|l| l.name == name.as_bytes()).unwrap();
    let LinkedObject::Hard(address) = link.target else {
        panic!("{name} is no object");
    };
    usize::try_from(file.place(address).unwrap()).unwrap()
}

/// Returns a copy of the file with new bytes at an offset.
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
    assert_eq!(
        (e.kind(), e.offset()),
        (ErrorKind::Corrupt, Some(at as u64))
    );
    assert!(e.what().contains("object header, found `NHDR`"), "{e}");
    assert_eq!(signature.vars().len(), all.vars().len() - 1);
    let version = open(&patched(&file, at + 4, &[3])).unwrap();
    let e = version.lost("/strings");
    assert_eq!(e.kind(), ErrorKind::Checksum, "{e}");
    assert_eq!(version.vars().len(), all.vars().len() - 1);
    assert_eq!(version.notes, all.notes);
}

/// Returns the error of a file with a damaged root group.
fn root_error(file: &[u8]) -> Error {
    let e = open(file).expect_err("a damaged root group");
    assert_eq!(e.object(), Some("/"), "{e}");
    assert_eq!(e.kind(), ErrorKind::Corrupt, "{e}");
    assert!(e.offset().is_some(), "{e}");
    e
}

/// Returns the file offset of the root group's header.
fn root(file: &[u8]) -> usize {
    let file = Hdf5File::open(source(file), &Limits::default()).unwrap();
    let root = file.superblock().root;
    usize::try_from(file.place(root).unwrap()).unwrap()
}

#[test]
fn a_root_group_without_links_is_none() {
    let file = bytes("structures/old.h5");
    let at = root(&file);
    assert_eq!(file[at], 1);
    let count = file[at + 2];
    assert!(open(&patched(&file, at + 2, &[count - 1])).is_ok());
    // A too large message count, a block without messages, and a message cut at the end of the block.
    for (field, new) in [(2, count + 1), (8, 0), (8, 4)] {
        let e = root_error(&patched(&file, at + field, &[new]));
        assert!(e.what().contains("messages"), "{e}");
    }
    // The length of the first message, and the message type that marks a group.
    let e = root_error(&patched(&file, at + 18, &[file[at + 18] ^ 1]));
    assert!(e.what().contains("expected a multiple of 8"), "{e}");
    // Changes the type of the symbol table message, which is in a continuation.
    assert_eq!(file[at + 16], 0x10);
    let field = file[at + 24..].first_chunk().unwrap();
    let mut message = 512 + usize::try_from(u64::from_le_bytes(*field)).unwrap();
    while file[message] != 0x11 {
        message += 8 + usize::from(file[message + 2]);
    }
    let e = root_error(&patched(&file, message, &[0x19]));
    assert!(e.what().contains("expected a group"), "{e}");
}

#[test]
fn the_root_is_a_group() {
    let file = bytes("structures/old.h5");
    // Addresses are relative to the superblock, which contains the root address.
    let base = 512;
    let stored = |place: usize| ((place - base) as u64).to_le_bytes();
    let field = file[base..]
        .windows(8)
        .position(|w| w == stored(root(&file)));
    let dataset = stored(place(&file, "contiguous"));
    let e = root_error(&patched(&file, base + field.unwrap(), &dataset));
    assert!(e.what().contains("expected a group"), "{e}");
}

/// Returns the file offset of a message body of an object in the root group.
fn message(bytes: &[u8], name: &str, kind: u16) -> usize {
    let file = Hdf5File::open(source(bytes), &Limits::default()).unwrap();
    let address = (place(bytes, name) as u64) - file.superblock().base;
    let header = ObjectHeader::read(&file, address).unwrap();
    let body = header.raw(header.find(kind).unwrap());
    usize::try_from(file.place(body.address.unwrap()).unwrap()).unwrap()
}

/// Returns the report for one damaged byte in a message of `/strings`.
fn lost_strings(kind: u16, byte: usize, new: u8) -> (ErrorKind, String) {
    let file = bytes("structures/types_old.h5");
    let at = message(&file, "strings", kind).wrapping_add(byte);
    let opened = open(&patched(&file, at, &[new])).unwrap();
    let e = opened.lost("/strings");
    assert!(e.offset().is_some(), "{e}");
    let all = open(&file).unwrap();
    assert_eq!(opened.vars().len(), all.vars().len() - 1);
    assert_eq!(opened.notes, all.notes);
    (e.kind(), e.what().to_string())
}

#[test]
fn versions_and_classes_that_nobody_knows_are_damage() {
    for (kind, byte, new, says) in [
        (message::DATASPACE, 0, 9, "version 9 of a dataspace"),
        (message::LAYOUT, 0, 9, "version 9 of a data layout"),
        (message::LAYOUT, 1, 7, "data layout class 7"),
        (message::DATATYPE, 0, 0x1c, "datatype class 12"),
        (message::DATATYPE, 0, 0x99, "version 9 of a datatype"),
        (message::DATATYPE, 1, 2, "a variable-length type of kind 2"),
    ] {
        let (found, what) = lost_strings(kind, byte, new);
        assert_eq!(found, ErrorKind::Unknown, "{what}");
        assert!(what.starts_with(says), "{what}");
    }
    // Without the datatype message, the object is unreadable.
    let (found, what) = lost_strings(message::DATATYPE, usize::MAX - 7, 0x1e);
    assert_eq!(found, ErrorKind::Corrupt, "{what}");
    assert!(what.starts_with("an object of unknown kind"), "{what}");
}

#[test]
fn notes_have_the_place() {
    let env = Env::default();
    let file = bytes("structures/old.h5");
    let builder = FileBuilder::new(Files::open(source(&file), &env).unwrap(), &env);
    let e = Error::new(ErrorKind::Unsupported, "odd").at(&"a.h5".into(), 7);
    builder.note("/x".into(), &e);
    let said = env.notes.take();
    assert_eq!(said[0].to_string(), "/x: skipped: odd at byte 7 of a.h5");
}

/// Returns the values of `/strings` after a change to a heap reference.
fn strings(change: impl Fn(&mut [u8])) -> Result<Values> {
    let mut file = bytes("structures/types_old.h5");
    let layout = message(&file, "strings", message::LAYOUT);
    // Version 3, contiguous: the address of three references of 16 bytes.
    assert_eq!(file[layout..layout + 2], [3, 1]);
    let field = file[layout + 2..].first_chunk().unwrap();
    let hdf5 = Hdf5File::open(source(&file), &Limits::default()).unwrap();
    let place = hdf5.place(u64::from_le_bytes(*field)).unwrap();
    change(&mut file[usize::try_from(place).unwrap()..][..48]);
    read(&file, "/strings")
}

/// Returns all values of a variable.
fn read(file: &[u8], path: &str) -> Result<Values> {
    let reader = open(file)?.reader;
    let env = Env::default();
    let schema = reader.schema();
    let var = schema
        .var_ids()
        .find(|v| schema.var_path(*v) == path)
        .unwrap();
    Dataset::new(&reader, &env).read(var, &Region::whole(&schema.shape(var)))
}

#[test]
fn values_without_an_address_are_damage() {
    let whole = strings(|_| ()).unwrap();
    let nil = strings(|r| r[4..12].fill(0)).unwrap();
    let zeros = strings(|r| r[..16].fill(0)).unwrap();
    let empty = strings(|r| {
        r[..4].fill(0);
        r[4..12].fill(0xff);
    });
    assert_ne!(whole, nil);
    assert_eq!(nil, zeros);
    assert_eq!(nil, empty.unwrap());
    let e = strings(|r| r[4..12].fill(0xff)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Corrupt, "{e}");
    assert!(e.what().contains("is undefined"), "{e}");
    assert_eq!(
        (e.object(), e.resource()),
        (Some("/strings"), Some("file.h5"))
    );
}

#[test]
fn addresses_beyond_a_whole_file_are_damage() {
    let file = bytes("structures/old.h5");
    // The root address in a superblock of version 1, after 512 bytes.
    let root = 512 + 28 + 4 * 8 + 8;
    let far = 1u64 << 39;
    let e = root_error(&patched(&file, root, &far.to_le_bytes()));
    let says = format!(
        "an address beyond the end of the file ({} bytes)",
        file.len()
    );
    assert_eq!(
        (&*e.what().text(), e.offset()),
        (says.as_str(), Some(512 + far))
    );
}

#[test]
fn compact_data_is_as_long_as_its_shape() {
    let file = bytes("structures/old.h5");
    assert!(read(&file, "/compact").is_ok());
    let layout = message(&file, "compact", message::LAYOUT);
    assert_eq!(file[layout..layout + 4], [3, 0, 8, 0]);
    let e = read(&patched(&file, layout + 2, &[6]), "/compact").unwrap_err();
    assert_eq!(
        e.to_string(),
        format!(
            "file.h5: 6 bytes are stored in the header, but the shape needs 8 in /compact at byte {}",
            place(&file, "compact")
        )
    );
}

#[test]
fn external_files_have_names() {
    let file = bytes("external.h5");
    let name = file.windows(9).position(|w| w == b"external_").unwrap();
    let file = patched(&file, name, &[0]);
    let opened = open(&file).unwrap();
    let path = opened.vars().swap_remove(0);
    let e = read(&file, &path).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Corrupt, "{e}");
    assert_eq!(e.what(), "an external file without a name");
    assert_eq!(e.object(), Some(path.as_str()));
    assert!(e.offset().is_some());
}

/// Damaged root attributes affect only the root group. The format is known, and all other objects are shown.
#[test]
fn damaged_root_attributes_are_reported() {
    let mut file = bytes("structures/dense.h5");
    let whole = open(&file).unwrap();
    let trees: Vec<_> = (0..file.len())
        .filter(|&at| file[at..].starts_with(b"BTHD") && matches!(file[at + 5], 8 | 9))
        .collect();
    assert!(!trees.is_empty());
    for at in trees {
        file[at] = b'X';
    }
    let container = Container::Source(source(&file));
    assert_eq!(super::kind(&container).unwrap(), Kind::NETCDF4);
    let opened = open(&file).unwrap();
    assert_eq!(opened.lost("/").kind(), ErrorKind::Corrupt);
    assert_eq!(opened.vars(), whole.vars());
}
