//! HDF4: reads the scientific datasets (SD) of HDF4 files.
//!
//! Specification: "HDF Specification and Developer's Guide", version 4. Opening a file reads its descriptors, then all Vgroups and Vdata
//! headers. One more step reads all elements that the datasets need.
//!
//! | module | contents |
//! |---|---|
//! | [`tags`], [`dd`] | descriptors of data elements |
//! | [`special`], `piece_source`, [`mod@file`] | elements stored in other files, in pieces or compressed |
//! | [`ntype`] | number types |
//! | [`vgroup`], [`vdata`], `catalog` | lists of elements, tables of records |
//! | `sd`, `dims`, `attributes`, `elements` | datasets, dimensions and attributes |
//! | `dfsd`, [`dimension_record`], `predefined`, `annotations` | datasets, dimensions and attributes of older files |
//! | `unsupported_objects` | objects that are not shown |
//! | `names`, `builder` | netCDF names, and the schema under construction |
//! | [`sds_data`], [`chunk_table`] | stored data of variables |
//! | `reader` | the reader of the format |

mod annotations;
mod attributes;
mod builder;
mod catalog;
pub mod chunk_table;
pub mod dd;
mod dfsd;
pub mod dimension_record;
mod dims;
mod elements;
pub mod file;
mod names;
pub mod ntype;
pub(crate) mod piece_source;
mod predefined;
pub(crate) mod reader;
mod sd;
pub mod sds_data;
pub mod special;
pub mod tags;
#[cfg(test)]
mod tests;
mod unsupported_objects;
pub mod vdata;
pub mod vgroup;

use super::{Format, Strings, Traits};
use crate::chunk::{Reader, Writer};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Container, Output};
use crate::model::kind::{Model, StorageFormat};
use crate::model::{CreateOptions, Kind, Schema};

/// The name of the format.
const NAME: &str = "HDF4";

/// The kind of HDF4 datasets.
const KIND: Kind = Kind {
    model: Model::Enhanced,
    storage: StorageFormat::ReadOnly(NAME),
};

/// The entry in the format table.
pub const FORMAT: Format = Format {
    name: NAME,
    probe,
    kind: |_| Ok(KIND),
    open,
    kinds: &[],
    create,
    update: None,
    traits: Traits {
        extensions: &["h4", "hdf4", "he4"],
        keys: false,
        settings: true,
        overhang: false,
        shows_given: false,
        sized_strings: false,
        enhanced: true,
        defines_types: false,
        records: false,
        stores_all: false,
        heap: true,
        all_chunked: false,
        properties: false,
    },
    copied_as: |_| Kind::NETCDF4,
    holds: |_| Ok(()),
    strings: Strings::C,
    reads_back: |_, _, _| false,
};

fn probe(container: &Container) -> Result<bool> {
    let Container::Source(source) = container else {
        return Ok(false);
    };
    let mut magic = [0; dd::MAGIC.len()];
    if source.len() < magic.len() as u64 {
        return Ok(false);
    }
    source.read_at(0, &mut magic)?;
    Ok(magic == dd::MAGIC)
}

fn open(container: Container, env: &Env) -> Result<Box<dyn Reader>> {
    match container {
        Container::Source(source) => Ok(Box::new(reader::Hdf4Reader::open(source, env)?)),
        Container::Store(store) => {
            let what = "a store of keys is not an HDF4 file";
            Err(Error::new(ErrorKind::UnknownFormat, what).of(store.name()))
        }
    }
}

fn create(_: Output, _: Schema, _: CreateOptions, _: &Env) -> Result<Box<dyn Writer>> {
    let what = "HDF4 files can be read but not written";
    Err(Error::new(ErrorKind::Unsupported, what))
}
