//! Formats.

use std::ffi::c_int;

use netcdf_core::model::Kind;
use netcdf_core::model::kind::{Cdf, Model, StorageFormat};

use crate::border::{OutArray, export};
use crate::handles::with;

/// Opens with the classic model (`NC_CLASSIC_MODEL`).
const CLASSIC_MODEL: c_int = 0x100;

/// Returns the format number of `nc_inq_format`. As in netCDF-C, the mode of `nc_open` may request the classic model.
fn format(kind: Kind, mode: c_int) -> c_int {
    match (kind.storage, kind.model) {
        (StorageFormat::Cdf(Cdf::V1), _) => 1,
        (StorageFormat::Cdf(Cdf::V2), _) => 2,
        (StorageFormat::Cdf(Cdf::V5), _) => 5,
        (_, Model::Enhanced | Model::Cdf5) if mode & CLASSIC_MODEL == 0 => 3,
        (_, Model::Enhanced | Model::Cdf5 | Model::Classic) => 4,
    }
}

/// Returns the format number of `nc_inq_format_extended`.
fn extended(kind: Kind) -> c_int {
    match kind.storage {
        StorageFormat::Cdf(_) => 1,
        StorageFormat::Hdf5 => 2,
        StorageFormat::ReadOnly(_) => 3,
        StorageFormat::Zarr(_) => 10,
    }
}

export! {
    fn nc_inq_format(ncid: c_int, number: OutArray<c_int>) {
        with(ncid, |group| {
            number.set(format(group.data().kind(), group.arguments.mode));
            Ok(())
        })
    }

    fn nc_inq_format_extended(ncid: c_int, number: OutArray<c_int>, mode: OutArray<c_int>) {
        with(ncid, |group| {
            number.set(extended(group.data().kind()));
            let own = c_int::try_from(group.data().provenance().mode).unwrap_or(0);
            mode.set(own | group.arguments.mode);
            Ok(())
        })
    }

    fn nc_show_metadata(ncid: c_int) {
        with(ncid, |_| Ok(()))
    }
}
