//! The few functions of netCDF version 2 that programs still use. They return -1 for errors, and never print or exit.

use std::ffi::c_int;

use netcdf_core::model::Atomic;

use crate::border::{CallerMemory, InText, OutArray, OutText, export_old};
use crate::dataset::int;
use crate::error_number::ErrorNumber;
use crate::inquire::{attribute_name, inquire_attribute};
use crate::lifetime;
use crate::read::get_attribute;

export_old! {
    fn ncclose(ncid: c_int) {
        lifetime::close(ncid).map(|()| 0)
    }

    fn ncattinq(
        ncid: c_int,
        of: c_int,
        name: InText,
        ty: OutArray<c_int>,
        len: OutArray<c_int>,
    ) {
        inquire_attribute(ncid, of, name, |number, count| {
            ty.set(number);
            len.set(int(count));
        })?;
        Ok(1)
    }

    fn ncattget(ncid: c_int, of: c_int, name: InText, out: CallerMemory) {
        get_attribute(ncid, of, name, out).map(|()| 1)
    }

    fn ncattname(ncid: c_int, of: c_int, number: c_int, name: OutText) {
        attribute_name(ncid, of, number, name)?;
        Ok(number)
    }

    fn nctypelen(ty: c_int) {
        let number = u32::try_from(ty).ok();
        let atomic = number.and_then(Atomic::from_number);
        let size = atomic.and_then(Atomic::size);
        size.map(int).ok_or(ErrorNumber::EBADTYPE)
    }

    fn nccreate() {
        Err(ErrorNumber::EPERM)
    }

    fn ncendef() {
        Err(ErrorNumber::EPERM)
    }

    fn ncdimdef() {
        Err(ErrorNumber::EPERM)
    }

    fn ncvardef() {
        Err(ErrorNumber::EPERM)
    }

    fn ncattput() {
        Err(ErrorNumber::EPERM)
    }
}
