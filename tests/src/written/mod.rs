//! Files of the HDF5 writer for other programs to read: all its structures, without netCDF.

mod parts;
mod samples;

use std::path::Path;

use netcdf_core::Result;
use netcdf_core::format::hdf5::write::{FilePlan, FileWriter};
use netcdf_core::io::locator;
use netcdf_core::model::FileSpace;

pub use parts::*;

/// A file: its name, and how it is made.
pub type Sample = (&'static str, fn(&str) -> Result<()>);

/// All files.
pub static SAMPLES: &[Sample] = samples::ALL;

/// Writes all files into a folder.
///
/// # Errors
/// Returns errors of writing.
pub fn all(folder: &Path) -> Result<()> {
    for (name, make) in SAMPLES {
        let path = folder.join(name);
        make(&path.to_string_lossy())?;
    }
    Ok(())
}

/// Starts a file.
///
/// # Errors
/// Returns errors of the writer.
pub fn create(path: &str, plan: FilePlan) -> Result<FileWriter> {
    FileWriter::create(
        locator::output(Path::new(path), false)?,
        plan,
        FileSpace::Mixed,
    )
}
