//! Reads of numbers and characters of one type.

use std::ffi::{c_int, c_long, c_longlong, c_ulonglong};

use netcdf_core::api::Char;
use netcdf_core::error::ErrorKind;
use netcdf_core::model::VarId;

use super::attributes::get_numbers;
use super::request::{Request, check_text, is_convertible};
use crate::border::{InArray, InText, OutArray, PlainNumber, export};
use crate::dataset::OpenGroup;
use crate::elements::{Area, CastNumber, Selection, cast};
use crate::error_number::ErrorNumber;
use crate::handles::with;

/// Reads elements into the caller's memory.
pub(super) fn get<T: CastNumber + PlainNumber>(
    ncid: c_int,
    number: c_int,
    area: Area,
    out: OutArray<T>,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let request = Request::new(group, number, area)?;
        check_text(request.ty, T::TYPE)?;
        if !is_convertible(request.ty) {
            request.check()?;
            return Err(ErrorNumber::EBADTYPE);
        }
        let (id, selection) = (request.id, &request.selection);
        let small = &group.loaded.small_reads;
        let served = small.get(group.data(), id, selection, |list| out.set_list(list));
        if let Some(status) = served {
            return status;
        }
        request.check()?;
        if request.is_empty() {
            return Ok(());
        }
        match selection.map {
            None => out.fill(selection.elements()?, |list| {
                read_into(group, id, selection, list)
            }),
            Some(_) => read_mapped(group, id, selection, out),
        }
    })
}

fn read_into<T: CastNumber>(
    group: &OpenGroup<'_>,
    id: VarId,
    selection: &Selection,
    list: &mut [T],
) -> Result<(), ErrorNumber> {
    match group.data().read_into(id, &selection.select(), list) {
        Err(e) if e.kind() == ErrorKind::Range => {
            let values = group.data().read_values(id, &selection.select())?;
            let all = list.iter_mut().zip(cast(&values));
            all.for_each(|(to, value)| *to = value);
            Err(ErrorNumber::ERANGE)
        }
        read => Ok(read?),
    }
}

/// Reads elements to positions in memory, which may be negative.
fn read_mapped<T: CastNumber + PlainNumber>(
    group: &OpenGroup<'_>,
    id: VarId,
    selection: &Selection,
    out: OutArray<T>,
) -> Result<(), ErrorNumber> {
    let (list, status) = match group.data().read(id, &selection.select()) {
        Err(e) if e.kind() == ErrorKind::Range => {
            let values = group.data().read_values(id, &selection.select())?;
            (cast(&values), Err(ErrorNumber::ERANGE))
        }
        read => (read?, Ok(())),
    };
    if out.is_null() && !list.is_empty() {
        return Err(ErrorNumber::EINVAL);
    }
    for (n, value) in list.into_iter().enumerate() {
        out.set_at(selection.position(n), value);
    }
    status
}

/// Declares the functions for one type in memory.
macro_rules! reads {
    ($($ty:ty: $var:ident $var1:ident $vara:ident $vars:ident $varm:ident $att:ident;)*) => {
        export! {
            $(
                fn $var(ncid: c_int, var: c_int, out: OutArray<$ty>) {
                    get(ncid, var, Area::Whole, out)
                }

                fn $var1(ncid: c_int, var: c_int, index: InArray<usize>, out: OutArray<$ty>) {
                    get(ncid, var, Area::One(index), out)
                }

                fn $vara(
                    ncid: c_int,
                    var: c_int,
                    start: InArray<usize>,
                    count: InArray<usize>,
                    out: OutArray<$ty>,
                ) {
                    get(ncid, var, Area::Region(start, count), out)
                }

                fn $vars(
                    ncid: c_int,
                    var: c_int,
                    start: InArray<usize>,
                    count: InArray<usize>,
                    stride: InArray<isize>,
                    out: OutArray<$ty>,
                ) {
                    get(ncid, var, Area::Strided(start, count, stride), out)
                }

                fn $varm(
                    ncid: c_int,
                    var: c_int,
                    start: InArray<usize>,
                    count: InArray<usize>,
                    stride: InArray<isize>,
                    map: InArray<isize>,
                    out: OutArray<$ty>,
                ) {
                    get(ncid, var, Area::Mapped(start, count, stride, map), out)
                }

                fn $att(ncid: c_int, of: c_int, name: InText, out: OutArray<$ty>) {
                    get_numbers(ncid, of, name, out)
                }
            )*
        }
    };
}

reads! {
    Char: nc_get_var_text nc_get_var1_text nc_get_vara_text nc_get_vars_text nc_get_varm_text nc_get_att_text;
    i8: nc_get_var_schar nc_get_var1_schar nc_get_vara_schar nc_get_vars_schar nc_get_varm_schar nc_get_att_schar;
    u8: nc_get_var_uchar nc_get_var1_uchar nc_get_vara_uchar nc_get_vars_uchar nc_get_varm_uchar nc_get_att_uchar;
    u8: nc_get_var_ubyte nc_get_var1_ubyte nc_get_vara_ubyte nc_get_vars_ubyte nc_get_varm_ubyte nc_get_att_ubyte;
    i16: nc_get_var_short nc_get_var1_short nc_get_vara_short nc_get_vars_short nc_get_varm_short nc_get_att_short;
    u16: nc_get_var_ushort nc_get_var1_ushort nc_get_vara_ushort nc_get_vars_ushort nc_get_varm_ushort nc_get_att_ushort;
    i32: nc_get_var_int nc_get_var1_int nc_get_vara_int nc_get_vars_int nc_get_varm_int nc_get_att_int;
    u32: nc_get_var_uint nc_get_var1_uint nc_get_vara_uint nc_get_vars_uint nc_get_varm_uint nc_get_att_uint;
    c_long: nc_get_var_long nc_get_var1_long nc_get_vara_long nc_get_vars_long nc_get_varm_long nc_get_att_long;
    c_longlong: nc_get_var_longlong nc_get_var1_longlong nc_get_vara_longlong nc_get_vars_longlong nc_get_varm_longlong nc_get_att_longlong;
    c_ulonglong: nc_get_var_ulonglong nc_get_var1_ulonglong nc_get_vara_ulonglong nc_get_vars_ulonglong nc_get_varm_ulonglong nc_get_att_ulonglong;
    f32: nc_get_var_float nc_get_var1_float nc_get_vara_float nc_get_vars_float nc_get_varm_float nc_get_att_float;
    f64: nc_get_var_double nc_get_var1_double nc_get_vara_double nc_get_vars_double nc_get_varm_double nc_get_att_double;
}
