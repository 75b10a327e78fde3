//! netCDF-4: the netCDF model in HDF5 files, and as much of other HDF5 files as the model can express.
//!
//! Specification: "The NetCDF-4 Format" in the file format document. Opening a file walks it once,
//! in the order of its links, and collects groups, types, dimension scales and variables. Then
//! dimensions are matched with variables, and types with attributes.
//!
//! | module | what |
//! |---|---|
//! | `links` | following links to objects |
//! | `found`, `builder` | the schema in the making, and its companions |
//! | `left_out` | reporting what is left out |
//! | `paths` | the groups along the paths of links |
//! | `hidden` | attributes with a special meaning for netCDF |
//! | `expressible` | the part of a datatype that netCDF can express |
//! | [`types`] | datatypes as netCDF types |
//! | `attributes` | attributes |
//! | `variables` | datasets as variables and dimensions |
//! | `dims` | the dimensions of variables |
//! | `walk` | the tree of objects |
//! | `unseen` | the data of datasets that are not variables |
//! | [`numbers`], [`values`] | stored elements as values |
//! | `form` | the meaning of the bytes of stored elements |
//! | `virtual_sources`, `virtual_mappings`, `virtual_extent` | the mappings of virtual datasets, their sources, and the shape that follows from them |
//! | `virtual_data`, `virtual_copy` | the elements of virtual datasets |
//! | [`reader`] | the format's part of reading data |
//! | [`mod@write`] | writing |

mod attributes;
mod builder;
mod dims;
mod expressible;
mod files;
mod form;
mod found;
mod hidden;
mod left_out;
mod links;
pub(crate) mod numbers;
mod paths;
pub(crate) mod reader;
#[cfg(test)]
mod tests;
pub(crate) mod types;
mod unseen;
mod unsized_scales;
pub(crate) mod values;
mod variables;
mod virtual_copy;
mod virtual_data;
mod virtual_extent;
mod virtual_mappings;
mod virtual_sources;
mod walk;
pub(crate) mod write;

use super::{Format, KindRow, Strings, Traits};
use crate::chunk::{Reader, Writer};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format::hdf5::{Hdf5File, ObjectHeader, attributes as hdf5_attributes, superblock};
use crate::io::{Container, Output};
use crate::limits::Limits;
use crate::model::{CreateOptions, Kind, Schema};

/// The row of the table of formats.
pub(crate) const FORMAT: Format = Format {
    name: "netCDF-4",
    probe,
    kind,
    open,
    kinds: &[
        KindRow {
            kind: Kind::NETCDF4,
            names: &[
                "nc4", "netCDF4", "netcdf-4", "netcdf4", "hdf5", "enhanced", "3",
            ],
            word: "netCDF-4",
            label: "netCDF-4",
            mode: &["NETCDF4"],
            ..KindRow::COMMON
        },
        KindRow {
            kind: Kind::NETCDF4_CLASSIC,
            names: &[
                "nc7",
                "netCDF-4-classic",
                "netCDF-4_classic",
                "netCDF4_classic",
                "hdf5-nc3",
                "enhanced-nc3",
                "4",
            ],
            word: "netCDF-4-classic",
            label: "netCDF-4 classic model",
            mode: &["NETCDF4", "CLASSIC_MODEL"],
            longest: u32::MAX as u64,
            ..KindRow::COMMON
        },
    ],
    create,
    traits: Traits {
        extensions: &["nc4", "h5", "hdf5", "he5", "hdf"],
        keys: false,
        settings: true,
        overhang: false,
        shows_given: false,
        sized_strings: false,
        enhanced: true,
        defines_types: true,
        records: false,
        stores_all: false,
        heap: true,
        all_chunked: false,
        properties: true,
    },
    copied_as: |kind| kind,
    holds: |_| Ok(()),
    strings: Strings::C,
    reads_back: |_, _, _| false,
};

/// An object: the number of its file, and the address of its header there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileObject {
    /// Number of the file; 0 for the one that was opened.
    pub file: u32,
    /// Address of the object header.
    pub address: u64,
}

fn probe(container: &Container) -> Result<bool> {
    match container {
        Container::Source(source) => Ok(superblock::find(&**source)?.is_some()),
        Container::Store(_) => Ok(false),
    }
}

/// The kind by the attributes of the root group alone.
fn kind(container: &Container) -> Result<Kind> {
    let Container::Source(source) = container else {
        return Err(no_file(container));
    };
    let file = Hdf5File::open(source.clone(), &Limits::default())?;
    let root = ObjectHeader::read(&file, file.superblock().root);
    let root = root.in_object(|| "/".to_owned())?;
    let mut kind = Kind::NETCDF4;
    let visited = hdf5_attributes::visit(&file, &root, |attribute| {
        if attribute.is_ok_and(|a| a.name == hidden::STRICT) {
            kind = Kind::NETCDF4_CLASSIC;
        }
        Ok(())
    });
    match visited {
        // The caller who opens the file meets the error again, and may tolerate it.
        Err(e) if !e.is_damage() => Err(e),
        Ok(()) | Err(_) => Ok(kind),
    }
}

fn open(container: Container, env: &Env) -> Result<Box<dyn Reader>> {
    match container {
        Container::Source(source) => Ok(Box::new(reader::Netcdf4Reader::open(source, env)?)),
        Container::Store(_) => Err(no_file(&container)),
    }
}

fn no_file(container: &Container) -> Error {
    Error::new(ErrorKind::UnknownFormat, "not an HDF5 file").of(container.name())
}

fn create(
    output: Output,
    schema: Schema,
    options: CreateOptions,
    env: &Env,
) -> Result<Box<dyn Writer>> {
    let writer =
        write::writer::Netcdf4Writer::create(output.target(FORMAT.name)?, schema, options, env)?;
    Ok(Box::new(writer))
}
