//! Variables.

use std::ffi::c_int;

use netcdf_core::model::Variable;

use crate::border::{InText, OutArray, OutText, export};
use crate::dataset::{GLOBAL, int, stored_name, type_number};
use crate::error_number::ErrorNumber;
use crate::handles::with;

/// Runs a function on a variable.
fn on_variable(
    ncid: c_int,
    number: c_int,
    body: impl FnOnce(&Variable),
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        body(group.variable(number)?);
        Ok(())
    })
}

fn set_dimensions(var: &Variable, dims: OutArray<c_int>) {
    let numbers = var.dims.iter().map(|id| c_int::try_from(id.0));
    dims.set_all(numbers.map(|n| n.unwrap_or(c_int::MAX)));
}

export! {
    fn nc_inq_varid(ncid: c_int, name: InText, id: OutArray<c_int>) {
        with(ncid, |group| {
            let name = group.name(&name, ErrorNumber::ENOTVAR)?;
            let number = group.variable_number(&stored_name(name))?;
            id.set(int(number));
            Ok(())
        })
    }

    fn nc_inq_varids(ncid: c_int, count: OutArray<c_int>, ids: OutArray<c_int>) {
        with(ncid, |group| {
            let vars = group.group()?.vars.len();
            count.set(int(vars));
            ids.set_all((0..vars).map(int));
            Ok(())
        })
    }

    fn nc_inq_nvars(ncid: c_int, count: OutArray<c_int>) {
        with(ncid, |group| {
            count.set(int(group.group()?.vars.len()));
            Ok(())
        })
    }

    /// As in netCDF-C, `NC_GLOBAL` in netCDF-4 counts the group attributes, and leaves the other arguments unchanged.
    fn nc_inq_var(
        ncid: c_int,
        var: c_int,
        name: OutText,
        ty: OutArray<c_int>,
        rank: OutArray<c_int>,
        dims: OutArray<c_int>,
        attributes: OutArray<c_int>,
    ) {
        with(ncid, |group| {
            if var == GLOBAL && !group.is_classic() {
                attributes.set(int(group.attributes(GLOBAL)?.len()));
                return Ok(());
            }
            let var = group.variable(var)?;
            name.set_name(var.name.as_bytes());
            ty.set(type_number(var.ty));
            rank.set(int(var.dims.len()));
            set_dimensions(var, dims);
            attributes.set(int(var.attributes.len()));
            Ok(())
        })
    }

    fn nc_inq_varname(ncid: c_int, var: c_int, name: OutText) {
        on_variable(ncid, var, |var| name.set_name(var.name.as_bytes()))
    }

    fn nc_inq_vartype(ncid: c_int, var: c_int, ty: OutArray<c_int>) {
        on_variable(ncid, var, |var| ty.set(type_number(var.ty)))
    }

    fn nc_inq_varndims(ncid: c_int, var: c_int, rank: OutArray<c_int>) {
        on_variable(ncid, var, |var| rank.set(int(var.dims.len())))
    }

    fn nc_inq_vardimid(ncid: c_int, var: c_int, dims: OutArray<c_int>) {
        on_variable(ncid, var, |var| set_dimensions(var, dims))
    }

    /// Counts group attributes for `NC_GLOBAL`.
    fn nc_inq_varnatts(ncid: c_int, var: c_int, count: OutArray<c_int>) {
        with(ncid, |group| {
            count.set(int(group.attributes(var)?.len()));
            Ok(())
        })
    }

    fn nc_inq_natts(ncid: c_int, count: OutArray<c_int>) {
        with(ncid, |group| {
            count.set(int(group.attributes(GLOBAL)?.len()));
            Ok(())
        })
    }
}
