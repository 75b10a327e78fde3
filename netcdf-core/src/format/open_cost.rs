//! Limits for the round trips and bytes of opening a dataset.

use std::path::Path;
use std::sync::Arc;

use super::{create, open};
use crate::env::Env;
use crate::io::memory::{MemorySource, MemoryTarget};
use crate::io::rounds::{RequestCount, Rounds};
use crate::io::{Container, Source};
use crate::model::{CreateOptions, FileSpace, Schema};

/// Returns the contents of a file in testdata. The function decompresses files with the extension `.zst`.
fn bytes(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata");
    let stored = std::fs::read(root.join(name)).unwrap();
    match name.ends_with(".zst") {
        true => zstd::bulk::decompress(&stored, 1 << 25).unwrap(),
        false => stored,
    }
}

/// Returns the requests of opening a file, and the number of variables.
fn opening(name: &str) -> (RequestCount, usize) {
    let (asked, schema) = opened(name, bytes(name));
    (asked, schema.vars.len())
}

/// Returns the requests of opening a file with these contents, and the schema.
fn opened(name: &str, bytes: Vec<u8>) -> (RequestCount, Schema) {
    let inner: Arc<dyn Source> = Arc::new(MemorySource::new(name, bytes));
    let source = Rounds::of(inner);
    let container = Container::Source(Arc::clone(&source) as Arc<dyn Source>);
    let reader = open(container, &Env::default()).unwrap();
    (source.asked(), reader.schema().clone())
}

/// Asserts limits for opening a file: `rounds` round trips, and twice the metadata size that `h5stat -S` prints.
fn takes(name: &str, vars: usize, rounds: u64, metadata: u64) {
    let (asked, found) = opening(name);
    assert_eq!(found, vars);
    let within = asked.rounds <= rounds && asked.bytes <= 2 * metadata;
    assert!(within, "{name}: {asked:?}");
}

#[test]
fn a_small_file() {
    takes("netcdf4/short.nc", 4, 2, 8_777);
}

#[test]
fn a_thousand_variables_with_strings() {
    takes("rounds/strings.nc.zst", 1046, 12, 3_817_935);
}

#[test]
fn many_attributes_in_groups() {
    takes("rounds/groups.nc.zst", 5000, 40, 19_593_940);
}

#[test]
fn pages_of_metadata_are_read_as_a_whole() {
    takes("rounds/paged.nc.zst", 400, 3, 960_944);
}

/// Returns a file without data that has this schema.
fn rewritten(schema: &Schema, space: FileSpace) -> Vec<u8> {
    let (target, written) = MemoryTarget::new("rewritten.nc");
    let options = CreateOptions {
        space,
        ..CreateOptions::default()
    };
    let env = Env::default();
    let mut writer = create(Box::new(target), schema.clone(), options, &env).unwrap();
    writer.chunk_index().unwrap().expect_chunks(&[]).unwrap();
    writer.finish().unwrap();
    written.lock().unwrap().take().unwrap()
}

/// If all headers are at the front, the first two requests fetch 8 MiB, and each further request doubles the size.
#[test]
fn metadata_in_front_is_read_at_once() {
    for (name, least, rounds) in [
        ("netcdf4/short.nc", 1, 2),
        ("rounds/strings.nc.zst", 1 << 20, 2),
        ("rounds/groups.nc.zst", (16 << 20) + 1, 4),
    ] {
        let (before, schema) = opened(name, bytes(name));
        for space in [FileSpace::Front, FileSpace::Paged(None)] {
            let bytes = rewritten(&schema, space);
            let len = bytes.len() as u64;
            assert!(len >= least, "{len} bytes");
            let (asked, found) = opened(name, bytes);
            assert_eq!(found.vars.len(), schema.vars.len());
            let within = asked.rounds <= rounds && asked.bytes <= len + (64 << 10);
            assert!(
                within,
                "{name}, {space:?}, {len} bytes: {asked:?}, was {before:?}"
            );
        }
    }
}
