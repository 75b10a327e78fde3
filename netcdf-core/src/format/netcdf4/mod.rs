//! netCDF-4: the netCDF model in HDF5 files, and the part of other HDF5 files that the model can express.
//!
//! Specification: "The NetCDF-4 Format" in the file format document. The reader walks the objects of a file once, in link order, and
//! collects groups, types, dimension scales and variables. Afterwards the reader matches dimensions with variables, and types with
//! attributes.
//!
//! | module | responsibility |
//! |---|---|
//! | `links` | resolves links to objects |
//! | `companions`, `builder` | the schema under construction, with companion tables |
//! | `skipped_objects` | reports skipped objects |
//! | `paths` | cache of group links along paths |
//! | `hidden_attributes` | attributes with a special meaning for netCDF |
//! | `type_reduction` | the part of a datatype that netCDF can express |
//! | [`types`] | datatypes as netCDF types |
//! | `attributes` | attributes |
//! | `variables` | datasets as variables and dimensions |
//! | `dims` | the dimensions of variables |
//! | `walk` | walks the object tree |
//! | `non_variables` | the data of datasets that are not variables |
//! | [`numbers`], [`values`] | decoding of stored elements |
//! | `form` | the stored form of elements |
//! | `virtual_sources`, `virtual_mappings`, `virtual_extent` | mappings, sources and shapes of virtual datasets |
//! | `virtual_data`, `virtual_copy` | the elements of virtual datasets |
//! | `open_indexes` | chunk indexes of recently read variables |
//! | [`reader`] | data locations for the chunk layer |
//! | `stored_bytes` | stored chunks, some with a second look at the file |
//! | [`mod@write`] | writing |
//!
//! Like the C library, the walk visits the objects of a group before its subgroups, because users see the order of types, dimensions and
//! variables. Soft and external links are followed; a group that contains itself is skipped. A committed type is identified by its address, a
//! type without a name by its content. An object that netCDF cannot represent becomes a note; damage is an error. Damage of one attribute or
//! object can be tolerated (`Env::damage`). Chunk indexes are read with the data, and only the part that a region needs.

mod attributes;
mod builder;
mod companions;
mod dims;
mod files;
mod form;
#[cfg(test)]
mod growing_file_tests;
mod growth;
mod hidden_attributes;
mod links;
mod non_variables;
pub(crate) mod numbers;
mod open_indexes;
mod paths;
pub(crate) mod reader;
mod skipped_objects;
mod stored_bytes;
#[cfg(test)]
mod tests;
mod type_reduction;
pub(crate) mod types;
mod unsized_scales;
mod update;
#[cfg(test)]
mod update_failures_tests;
#[cfg(test)]
mod update_index_tests;
mod update_slots;
#[cfg(test)]
mod update_states_tests;
#[cfg(test)]
mod update_tests;
mod updated_reader;
pub(crate) mod values;
mod variables;
mod virtual_copy;
mod virtual_data;
mod virtual_extent;
mod virtual_mappings;
mod virtual_sources;
mod walk;
pub(crate) mod write;

use std::sync::Arc;

use super::{Format, KindRow, OpenUpdate, Strings, Traits};
use crate::chunk::{Reader, Update, Writer};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format::hdf5::{Hdf5File, ObjectHeader, attributes as hdf5_attributes, superblock};
use crate::io::patched::PatchedFile;
use crate::io::{Container, Output};
use crate::limits::Limits;
use crate::model::{CreateOptions, Kind, Schema};

/// The row of the format table.
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
    update: Some(OpenUpdate::File(open_update)),
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

/// An object: the file number, and the header address in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileObject {
    /// The file number; 0 for the main file.
    pub file: u32,
    /// The address of the object header.
    pub address: u64,
}

fn probe(container: &Container) -> Result<bool> {
    match container {
        Container::Source(source) => Ok(superblock::find(&**source)?.is_some()),
        Container::Store(_) => Ok(false),
    }
}

/// Returns the kind, based only on the attributes of the root group.
fn kind(container: &Container) -> Result<Kind> {
    let Container::Source(source) = container else {
        return Err(no_file(container));
    };
    let file = Hdf5File::open(source.clone(), &Limits::default())?;
    let root = ObjectHeader::read(&file, file.superblock().root);
    let root = root.in_object(|| "/".to_owned())?;
    let mut kind = Kind::NETCDF4;
    let visited = hdf5_attributes::visit(&file, &root, |attribute| {
        if attribute.is_ok_and(|a| a.name == hidden_attributes::STRICT) {
            kind = Kind::NETCDF4_CLASSIC;
        }
        Ok(())
    });
    match visited {
        // Opening the file reports this damage again, and may tolerate the damage.
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

fn open_update(file: Arc<PatchedFile>, env: &Env) -> Result<Option<Box<dyn Update>>> {
    let update = update::open(file, env)?;
    Ok(update.map(|update| Box::new(update) as Box<dyn Update>))
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
