//! Fuzz functions: each function takes any bytes, and must not panic, take long, or need much
//! memory.
//!
//! Structures are read from an *image*: a file with a valid superblock in place of its first bytes.
//! The input selects the sizes in the superblock, so nearly all inputs pass it. Checksums are not
//! verified in these builds (`cfg(fuzzing)`).
#![deny(unsafe_code)]

mod calls;
mod codecs;
mod filters;
mod grammar;
mod hdf4;
mod image;
mod journal;
mod references;
mod store;
mod structures;
mod text;
mod virtual_dataset;
mod zarr;

pub use calls::calls;
pub use codecs::codecs;
pub use filters::filter;
pub use grammar::{cdl, specs};
pub use hdf4::{hdf4, hdf4_structures};
pub use image::{Image, Numbers, superblock};
pub use journal::journal;
pub use references::references;
pub use structures::{
    btree_v1, btree_v2, chunk_index, fractal_heap, global_heap, local_heap, message, object,
};
pub use text::{json, names};
pub use virtual_dataset::{selection, virtual_dataset};
pub use zarr::{shard_index, zarr_v2, zarr_v3, zip};

use std::sync::Arc;

use netcdf_core::Error;
use netcdf_core::chunk::{Dataset, Reader};
use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::memory::MemorySource;
use netcdf_core::io::{Container, Source};
use netcdf_core::limits::Limits;
use netcdf_core::model::Region;
use netcdf_core::runtime::Runtime;

/// Maximum number of elements read per variable.
const ELEMENTS: u64 = 1 << 12;

/// Limits within which a run stays fast.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        metadata: 16 << 20,
        ..Limits::default()
    }
}

/// Returns the bytes as a source.
#[must_use]
pub fn source(bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(MemorySource::new("fuzz", bytes.to_vec()))
}

/// A whole file of any format: opens it, and reads the start of all variables.
pub fn whole(bytes: &[u8]) {
    read(Container::Source(source(bytes)), u64::MAX);
}

/// Opens a possible dataset, and reads the start of all variables with chunks of at most `most`
/// bytes.
fn read(container: Container, most: u64) {
    let env = env();
    if let Ok(reader) = format::open(container, &env) {
        variables(&*reader, &env, most);
    }
    let _ = env.notes.take();
}

/// Returns an environment with one thread.
fn env() -> Env {
    Env {
        limits: limits(),
        runtime: Runtime::single(),
        ..Env::default()
    }
}

/// Reads the start and the end of variables. Returns the errors.
fn variables(reader: &dyn Reader, env: &Env, most: u64) -> Vec<Error> {
    let dataset = Dataset::new(reader, env);
    let schema = reader.schema();
    let mut errors = vec![];
    for var in schema.var_ids().take(64) {
        let shape = schema.shape(var);
        let layout = dataset.layout(var);
        let size = layout.as_ref().map_or(1, |l| l.element.size.max(1));
        let chunk = layout.map_or(Some(0), |l| l.chunk_bytes());
        if size > 1 << 20 || chunk.map_or(u64::MAX, |n| n as u64) > most {
            continue;
        }
        errors.extend(dataset.read(var, &first(&shape, (ELEMENTS * 8 / size).max(1))).err());
        let last = Region {
            start: shape.iter().map(|n| n.saturating_sub(2)).collect(),
            count: shape.iter().map(|n| (*n).min(2)).collect(),
            stride: vec![1; shape.len()],
        };
        if last.elements().is_some_and(|n| n <= ELEMENTS) {
            errors.extend(dataset.read(var, &last).err());
        }
    }
    errors
}

/// Returns the first elements of a variable, with all elements along as many dimensions as
/// possible.
fn first(shape: &[u64], mut left: u64) -> Region {
    let mut count: Vec<u64> = vec![];
    for &len in shape.iter().rev() {
        count.push(len.min(left.max(1)));
        left /= len.max(1);
    }
    count.reverse();
    Region::boxed(vec![0; shape.len()], count)
}
