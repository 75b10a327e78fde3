//! Filters of variables.

use std::ffi::{c_int, c_uint};

use netcdf_core::filter::FilterTable;
use netcdf_core::filter::ids::{BLOSC, DEFLATE, FLETCHER32, SHUFFLE, SZIP, ZSTD};
use netcdf_core::model::{FilterSpec, Variable};

use super::storage::check_settings;
use crate::border::{OutArray, export};
use crate::error_number::ErrorNumber;
use crate::handles::with;

/// Bzip2.
const BZIP2: c_uint = 307;

/// Runs a function on a variable.
fn on_variable(
    ncid: c_int,
    number: c_int,
    body: impl FnOnce(&Variable) -> Result<(), ErrorNumber>,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| body(group.variable(number)?))
}

/// Like [`on_variable`], but classic files are an error.
fn on_netcdf4(
    ncid: c_int,
    number: c_int,
    body: impl FnOnce(&Variable) -> Result<(), ErrorNumber>,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let var = group.variable(number)?;
        check_settings(group)?;
        body(var)
    })
}

fn filter(var: &Variable, id: c_uint) -> Option<&FilterSpec> {
    var.storage.filters.iter().find(|f| f.id == id)
}

/// Returns the filters in the order of netCDF-C, which lists the checksum and then shuffle before all others.
fn listed(var: &Variable) -> Vec<&FilterSpec> {
    let mut all: Vec<_> = var.storage.filters.iter().collect();
    all.sort_by_key(|f| match f.id {
        FLETCHER32 => 0,
        SHUFFLE => 1,
        _ => 2,
    });
    all
}

/// Returns a parameter of a filter as a signed number.
fn parameter(filter: &FilterSpec, n: usize) -> c_int {
    filter.params.get(n).copied().unwrap_or(0).cast_signed()
}

fn set_parameters(filter: &FilterSpec, count: OutArray<usize>, params: OutArray<c_uint>) {
    count.set(filter.params.len());
    params.set_all(filter.params.iter().copied());
}

/// Writes whether a variable has a filter, and the filter's first parameter.
fn set_level(
    var: &Variable,
    id: c_uint,
    present: OutArray<c_int>,
    level: OutArray<c_int>,
) -> Result<(), ErrorNumber> {
    let found = filter(var, id);
    present.set(found.is_some().into());
    if let Some(found) = found {
        level.set(parameter(found, 0));
    }
    Ok(())
}

export! {
    fn nc_inq_var_deflate(
        ncid: c_int,
        var: c_int,
        shuffle: OutArray<c_int>,
        deflate: OutArray<c_int>,
        level: OutArray<c_int>,
    ) {
        on_variable(ncid, var, |var| {
            shuffle.set(filter(var, SHUFFLE).is_some().into());
            let found = filter(var, DEFLATE);
            deflate.set(found.is_some().into());
            level.set(found.map_or(0, |f| parameter(f, 0)));
            Ok(())
        })
    }

    fn nc_inq_var_fletcher32(ncid: c_int, var: c_int, present: OutArray<c_int>) {
        on_variable(ncid, var, |var| {
            present.set(filter(var, FLETCHER32).is_some().into());
            Ok(())
        })
    }

    fn nc_inq_var_szip(
        ncid: c_int,
        var: c_int,
        options: OutArray<c_int>,
        pixels: OutArray<c_int>,
    ) {
        on_variable(ncid, var, |var| {
            let found = filter(var, SZIP);
            options.set(found.map_or(0, |f| parameter(f, 0)));
            pixels.set(found.map_or(0, |f| parameter(f, 1)));
            Ok(())
        })
    }

    fn nc_inq_var_zstandard(
        ncid: c_int,
        var: c_int,
        present: OutArray<c_int>,
        level: OutArray<c_int>,
    ) {
        on_netcdf4(ncid, var, |var| set_level(var, ZSTD, present, level))
    }

    fn nc_inq_var_bzip2(
        ncid: c_int,
        var: c_int,
        present: OutArray<c_int>,
        level: OutArray<c_int>,
    ) {
        on_netcdf4(ncid, var, |var| set_level(var, BZIP2, present, level))
    }

    fn nc_inq_var_blosc(
        ncid: c_int,
        var: c_int,
        present: OutArray<c_int>,
        compressor: OutArray<c_uint>,
        level: OutArray<c_uint>,
        block: OutArray<c_uint>,
        shuffle: OutArray<c_uint>,
    ) {
        on_netcdf4(ncid, var, |var| {
            let found = filter(var, BLOSC);
            present.set(found.is_some().into());
            if let Some(found) = found {
                // The parameters of the HDF5 filter for blosc: the first four describe the chunk.
                let of = |n: usize| found.params.get(n).copied().unwrap_or(0);
                level.set(of(4));
                shuffle.set(of(5));
                compressor.set(of(6));
                block.set(of(2));
            }
            Ok(())
        })
    }

    fn nc_inq_var_filter(
        ncid: c_int,
        var: c_int,
        id: OutArray<c_uint>,
        count: OutArray<usize>,
        params: OutArray<c_uint>,
    ) {
        on_variable(ncid, var, |var| {
            let first = listed(var).into_iter().next();
            // As in netCDF-C, 0 means no filter, and the other arguments stay unchanged.
            id.set(first.map_or(0, |f| f.id));
            if let Some(first) = first {
                set_parameters(first, count, params);
            }
            Ok(())
        })
    }

    fn nc_inq_var_filter_ids(
        ncid: c_int,
        var: c_int,
        count: OutArray<usize>,
        ids: OutArray<c_uint>,
    ) {
        on_variable(ncid, var, |var| {
            let all = listed(var);
            count.set(all.len());
            ids.set_all(all.iter().map(|f| f.id));
            Ok(())
        })
    }

    fn nc_inq_var_filter_info(
        ncid: c_int,
        var: c_int,
        id: c_uint,
        count: OutArray<usize>,
        params: OutArray<c_uint>,
    ) {
        on_variable(ncid, var, |var| {
            let found = filter(var, id).ok_or(ErrorNumber::ENOFILTER)?;
            set_parameters(found, count, params);
            Ok(())
        })
    }

    fn nc_inq_filter_avail(ncid: c_int, id: c_uint) {
        with(ncid, |group| {
            check_settings(group)?;
            let known = FilterTable::default().entry(id).is_ok();
            known.then_some(()).ok_or(ErrorNumber::ENOFILTER)
        })
    }
}
