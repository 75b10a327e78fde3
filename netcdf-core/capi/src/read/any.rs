//! Reads in the variable's own type.

use std::ffi::c_int;

use netcdf_core::api::Char;
use netcdf_core::model::{Atomic, DataType};

use super::numbers::get;
use super::request::Request;
use super::strings::get_strings;
use crate::border::{CallerMemory, InArray, export};
use crate::elements::Area;
use crate::error_number::ErrorNumber;
use crate::handles::with;
use crate::values::{Spots, put_values};

/// Reads elements into memory for the variable's type.
fn get_any(ncid: c_int, number: c_int, area: Area, out: CallerMemory) -> Result<(), ErrorNumber> {
    let ty = with(ncid, |group| Ok(group.variable(number)?.ty))?;
    let atomic = match ty {
        DataType::Atomic(atomic) => atomic,
        DataType::User(_) => return get_user(ncid, number, area, out),
    };
    match atomic {
        Atomic::Byte => get::<i8>(ncid, number, area, out.numbers()),
        Atomic::Char => get::<Char>(ncid, number, area, out.numbers()),
        Atomic::Short => get::<i16>(ncid, number, area, out.numbers()),
        Atomic::Int => get::<i32>(ncid, number, area, out.numbers()),
        Atomic::Float => get::<f32>(ncid, number, area, out.numbers()),
        Atomic::Double => get::<f64>(ncid, number, area, out.numbers()),
        Atomic::UByte => get::<u8>(ncid, number, area, out.numbers()),
        Atomic::UShort => get::<u16>(ncid, number, area, out.numbers()),
        Atomic::UInt => get::<u32>(ncid, number, area, out.numbers()),
        Atomic::Int64 => get::<i64>(ncid, number, area, out.numbers()),
        Atomic::UInt64 => get::<u64>(ncid, number, area, out.numbers()),
        Atomic::String => get_strings(ncid, number, area, out.strings()),
    }
}

/// Reads elements of a user-defined type. As in netCDF-C, mapped reads are for atomic types only.
fn get_user(ncid: c_int, number: c_int, area: Area, out: CallerMemory) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let request = Request::new(group, number, area)?;
        request.check()?;
        if request.is_empty() {
            return Ok(());
        }
        let (ty, select) = (request.ty, request.selection.select());
        let values = group.data().read_values(request.id, &select)?;
        let bytes = values.len().checked_mul(group.memory_size(ty)?);
        let block = out.block(bytes.ok_or(ErrorNumber::EINVAL)?)?;
        put_values(&values, &Spots::new(group, ty, block)?)
    })
}

export! {
    fn nc_get_var(ncid: c_int, var: c_int, out: CallerMemory) {
        get_any(ncid, var, Area::Whole, out)
    }

    fn nc_get_var1(ncid: c_int, var: c_int, index: InArray<usize>, out: CallerMemory) {
        get_any(ncid, var, Area::One(index), out)
    }

    fn nc_get_vara(
        ncid: c_int,
        var: c_int,
        start: InArray<usize>,
        count: InArray<usize>,
        out: CallerMemory,
    ) {
        get_any(ncid, var, Area::Region(start, count), out)
    }

    fn nc_get_vars(
        ncid: c_int,
        var: c_int,
        start: InArray<usize>,
        count: InArray<usize>,
        stride: InArray<isize>,
        out: CallerMemory,
    ) {
        get_any(ncid, var, Area::Strided(start, count, stride), out)
    }

    fn nc_get_varm(
        ncid: c_int,
        var: c_int,
        start: InArray<usize>,
        count: InArray<usize>,
        stride: InArray<isize>,
        map: InArray<isize>,
        out: CallerMemory,
    ) {
        get_any(ncid, var, Area::Mapped(start, count, stride, map), out)
    }
}
