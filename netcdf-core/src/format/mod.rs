//! The formats. A format locates and describes the stored data; the chunk layer reads and decodes the data.

pub(crate) mod classic;
mod directory_update;
pub mod hdf4;
pub mod hdf5;
mod kinds;
pub(crate) mod netcdf4;
#[cfg(test)]
mod open_cost;
mod outputs;
mod recent;
pub(crate) mod reserved_names;
mod row;
mod string_loss;
mod table;
pub mod zarr;

pub use directory_update::{DirectoryUpdate, DirectoryUpdateRules, update_directory};
pub use kinds::{bare_fill, has_own_metadata, kind_label, kind_named, kind_row, kind_words};
pub use outputs::{BETWEEN_STAGES, begin_between, end_of_store, output, part_of_store};
pub use row::{BareFill, Create, Format, KindRow, OpenUpdate, PROPERTIES, Strings, Traits, nil};
pub use string_loss::tell_of_strings;
pub use table::{
    FORMATS, can_update, check_writes, copied_as, create, open, probe, traits, update,
    update_store, writing,
};
