//! Reads of strings.

use std::ffi::c_int;

use netcdf_core::model::{Atomic, Values};

use super::request::{Request, check_text};
use crate::border::{InArray, InText, OutStrings, export};
use crate::elements::Area;
use crate::error_number::ErrorNumber;
use crate::handles::with;
use crate::inquire::{attribute, name_bytes};

/// Reads strings into new memory of the C allocator.
pub(super) fn get_strings(
    ncid: c_int,
    number: c_int,
    area: Area,
    out: OutStrings,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let request = Request::new(group, number, area)?;
        check_text(request.ty, Atomic::String)?;
        request.check()?;
        if request.ty != Atomic::String.into() {
            return Err(ErrorNumber::EBADTYPE);
        }
        if request.is_empty() {
            return Ok(());
        }
        let selection = &request.selection;
        let list = group.data().read_strings(request.id, &selection.select())?;
        for (n, text) in list.iter().enumerate() {
            out.set_at(selection.position(n), text.as_deref())?;
        }
        Ok(())
    })
}

export! {
    fn nc_get_var_string(ncid: c_int, var: c_int, out: OutStrings) {
        get_strings(ncid, var, Area::Whole, out)
    }

    fn nc_get_var1_string(ncid: c_int, var: c_int, index: InArray<usize>, out: OutStrings) {
        get_strings(ncid, var, Area::One(index), out)
    }

    fn nc_get_vara_string(
        ncid: c_int,
        var: c_int,
        start: InArray<usize>,
        count: InArray<usize>,
        out: OutStrings,
    ) {
        get_strings(ncid, var, Area::Region(start, count), out)
    }

    fn nc_get_vars_string(
        ncid: c_int,
        var: c_int,
        start: InArray<usize>,
        count: InArray<usize>,
        stride: InArray<isize>,
        out: OutStrings,
    ) {
        get_strings(ncid, var, Area::Strided(start, count, stride), out)
    }

    fn nc_get_varm_string(
        ncid: c_int,
        var: c_int,
        start: InArray<usize>,
        count: InArray<usize>,
        stride: InArray<isize>,
        map: InArray<isize>,
        out: OutStrings,
    ) {
        get_strings(ncid, var, Area::Mapped(start, count, stride, map), out)
    }

    fn nc_get_att_string(ncid: c_int, of: c_int, name: InText, out: OutStrings) {
        with(ncid, |group| {
            let (_, found) = attribute(group, of, name_bytes(group, &name)?)?;
            if found.values.is_empty() {
                return Ok(());
            }
            let Values::String(list) = &found.values else {
                check_text(found.ty, Atomic::String)?;
                return Err(ErrorNumber::EBADTYPE);
            };
            for (n, text) in list.iter().enumerate() {
                let position = isize::try_from(n).map_err(|_| ErrorNumber::EINTERNAL)?;
                out.set_at(position, text.as_deref())?;
            }
            Ok(())
        })
    }

    fn nc_free_string(len: usize, strings: OutStrings) {
        strings.free(len);
        Ok(())
    }
}
