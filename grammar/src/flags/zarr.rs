//! Options of Zarr output.

use clap::Args;
use netcdf_core::io::locator::OutputRequest;
use netcdf_core::model::Kind;

use super::heading;

/// Options of Zarr output.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::ZARR)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub struct ZarrArgs {
    /// Write consolidated metadata: all metadata in one key
    #[arg(long)]
    consolidated: bool,
    /// Prefix all keys of a zip file with a directory named after the file, as netCDF-C requires [default for nczarr and nczarr3]
    #[arg(long = "zip-prefix", overrides_with = "no_zip_prefix")]
    zip_prefix: bool,
    /// Write the keys of a zip file without a prefix, as zarr-python expects [default for zarr and zarr3]
    #[arg(long = "no-zip-prefix", overrides_with = "zip_prefix")]
    no_zip_prefix: bool,
    /// Replace a store even if its directory contains unrelated files. A note names each removed file
    #[arg(long)]
    overwrite: bool,
}

impl ZarrArgs {
    /// The options for an output of this kind.
    #[must_use]
    pub fn asked(&self, kind: Option<Kind>) -> OutputRequest {
        let zip_prefix = (self.zip_prefix || self.no_zip_prefix).then_some(self.zip_prefix);
        OutputRequest {
            kind,
            consolidated: self.consolidated,
            zip_prefix,
            overwrite: self.overwrite,
            ..OutputRequest::default()
        }
    }
}
