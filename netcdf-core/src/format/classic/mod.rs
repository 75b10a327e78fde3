//! The classic formats: CDF-1, CDF-2 (64-bit offset) and CDF-5 (64-bit data).
//!
//! Specification: "The NetCDF Classic Format Specification" and "The 64-bit Offset Format" in the
//! file format document; CDF-5 is CDF-2 with 64-bit counts and five more types.
//!
//! The three formats share one grammar with three widths. `layout` computes `vsize` and offsets: padding to four bytes, none for a single record
//! variable, and all ones in `vsize` if the value does not fit. Reading ignores the stored `vsize`, which is redundant and often wrong in large
//! files. Reading trusts `begin`, but refuses variables that overlap each other or the header. Names are checked only when they are created. If
//! the record count is all ones (STREAMING), the count follows from the file's length. Data beyond the end of a file is an error.

mod fill;
pub(crate) mod header;
pub(crate) mod layout;
mod new_records;
pub(crate) mod reader;
mod runs;
mod update;
pub(crate) mod writer;

use std::sync::Arc;

use super::{Format, KindRow, OpenUpdate, Strings, Traits};
use crate::chunk::{Reader, Update, Writer};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::patched::PatchedFile;
use crate::io::{Container, Output, Source};
use crate::model::kind::{Cdf, StorageFormat};
use crate::model::{CreateOptions, Kind, Schema};

/// The row of the format table.
pub(crate) const FORMAT: Format = Format {
    name: "classic",
    probe,
    kind,
    open,
    kinds: &[
        KindRow {
            kind: Kind::CLASSIC,
            names: &["nc3", "1"],
            word: "classic",
            label: "classic",
            longest: i32::MAX as u64 - 3,
            records_below: u32::MAX as u64,
            ..KindRow::COMMON
        },
        KindRow {
            kind: Kind::OFFSET64,
            names: &["nc6", "64-bit-offset", "2"],
            word: "64-bit-offset",
            label: "64-bit offset",
            mode: &["64BIT_OFFSET"],
            longest: u32::MAX as u64 - 3,
            records_below: u32::MAX as u64,
            ..KindRow::COMMON
        },
        KindRow {
            kind: Kind::CDF5,
            names: &["nc5", "cdf-5", "64-bit-data", "64-bit data", "5"],
            word: "cdf5",
            label: "cdf5",
            mode: &["64BIT_DATA"],
            longest: i64::MAX as u64 - 3,
            ..KindRow::COMMON
        },
    ],
    create,
    update: Some(OpenUpdate::File(open_update)),
    traits: Traits {
        extensions: &["nc3"],
        keys: false,
        settings: false,
        overhang: false,
        shows_given: false,
        sized_strings: false,
        enhanced: false,
        defines_types: false,
        records: true,
        stores_all: true,
        heap: true,
        all_chunked: false,
        properties: false,
    },
    copied_as: |kind| kind,
    holds: |_| Ok(()),
    strings: Strings::C,
    reads_back: |_, _, _| false,
};

/// Returns the version byte of a kind, or `None` if the kind is not classic.
#[must_use]
pub(crate) fn version(kind: Kind) -> Option<u8> {
    match kind.storage {
        StorageFormat::Cdf(Cdf::V1) => Some(1),
        StorageFormat::Cdf(Cdf::V2) => Some(2),
        StorageFormat::Cdf(Cdf::V5) => Some(5),
        StorageFormat::Hdf5 | StorageFormat::Zarr(_) | StorageFormat::ReadOnly(_) => None,
    }
}

fn probe(container: &Container) -> Result<bool> {
    match container {
        Container::Source(source) => kind_of(&**source).map(|kind| kind.is_some()),
        Container::Store(_) => Ok(false),
    }
}

fn kind(container: &Container) -> Result<Kind> {
    let Container::Source(source) = container else {
        return Err(not_classic(container));
    };
    kind_of(&**source)?.ok_or_else(|| not_classic(container))
}

/// Returns the error for input that is not a classic file.
fn not_classic(container: &Container) -> Error {
    Error::new(ErrorKind::UnknownFormat, "not a classic netCDF file").of(container.name())
}

/// Returns the file kind, by the first bytes, or `None` if the file is not classic.
fn kind_of(source: &dyn Source) -> Result<Option<Kind>> {
    let mut magic = [0; 4];
    if source.len() < 4 {
        return Ok(None);
    }
    source.read_at(0, &mut magic)?;
    let kinds = [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5];
    Ok(match magic {
        [b'C', b'D', b'F', byte] => kinds.into_iter().find(|&k| version(k) == Some(byte)),
        _ => None,
    })
}

fn open(container: Container, env: &Env) -> Result<Box<dyn Reader>> {
    match container {
        Container::Source(source) => Ok(Box::new(reader::ClassicReader::open(source, env)?)),
        Container::Store(store) => {
            let what = "a store of keys is not a classic file";
            Err(Error::new(ErrorKind::UnknownFormat, what).of(store.name()))
        }
    }
}

fn create(
    output: Output,
    schema: Schema,
    options: CreateOptions,
    _: &Env,
) -> Result<Box<dyn Writer>> {
    Ok(Box::new(writer::ClassicWriter::create(
        output.target(FORMAT.name)?,
        schema,
        options,
    )?))
}

fn open_update(file: Arc<PatchedFile>, env: &Env) -> Result<Option<Box<dyn Update>>> {
    Ok(Some(Box::new(update::ClassicUpdate::open(file, env)?)))
}

/// Returns a source with these bytes, for tests.
#[cfg(test)]
pub(crate) fn source(bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(crate::io::memory::MemorySource::new(
        "test.nc",
        bytes.to_vec(),
    ))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod update_failures_tests;
#[cfg(test)]
mod update_states_tests;
#[cfg(test)]
mod update_tests;
