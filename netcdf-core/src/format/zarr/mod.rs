//! Zarr, versions 2 and 3, with netCDF's own metadata (NCZarr) and without.
//!
//! Specifications: Zarr version 2 and version 3; "The NetCDF NCZarr Implementation".

use super::{CreateOptions, Format, Reader, Writer};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Container, Output};
use crate::model::{Kind, Schema};

/// The row of the table of formats.
pub const FORMAT: Format = Format {
    name: "Zarr",
    probe,
    open,
    creates: &[
        Kind::NCZARR,
        Kind::PURE_ZARR,
        Kind::NCZARR3,
        Kind::PURE_ZARR3,
    ],
    create,
};

fn probe(container: &Container) -> Result<Option<Kind>> {
    match container {
        Container::Source(_) => Ok(None),
        Container::Store(_) => Ok(None),
    }
}

fn open(container: Container, _env: &Env) -> Result<Box<dyn Reader>> {
    Err(Error::new(ErrorKind::Unsupported, "Zarr").of(container.name()))
}

fn create(
    output: Output,
    _schema: Schema,
    _options: CreateOptions,
    _env: &Env,
) -> Result<Box<dyn Writer>> {
    Err(Error::new(ErrorKind::Unsupported, "Zarr").of(output.name()))
}
