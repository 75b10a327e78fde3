//! Functions that free or copy values in the memory of the program.

use std::ffi::c_int;

use netcdf_core::model::TypeKind;

use crate::border::{CallerMemory, OutArray, export};
use crate::error_number::ErrorNumber;
use crate::handles::with;
use crate::values::{Spots, free_values};

/// Size of a list (`nc_vlen_t`).
const LIST: usize = 2 * size_of::<usize>();

/// Frees the lists and strings within values.
fn reclaim(ncid: c_int, ty: c_int, memory: CallerMemory, count: usize) -> Result<(), ErrorNumber> {
    if memory.is_null() {
        return match count {
            0 => Ok(()),
            _ => Err(ErrorNumber::EINVAL),
        };
    }
    with(ncid, |group| {
        let ty = match ty {
            0 => return Err(ErrorNumber::EINVAL),
            number => group
                .data_type(number)
                .map_err(|_| ErrorNumber::EBADTYPID)?,
        };
        let bytes = count.checked_mul(group.memory_size(ty)?);
        let block = memory.block(bytes.ok_or(ErrorNumber::EINVAL)?)?;
        free_values(&Spots::new(group, ty, block)?, count)
    })
}

export! {
    fn nc_free_vlen(list: CallerMemory) {
        list.block(LIST)?.free_list(0)
    }

    fn nc_free_vlens(count: usize, lists: CallerMemory) {
        let bytes = count.checked_mul(LIST).ok_or(ErrorNumber::EINVAL)?;
        let block = lists.block(bytes)?;
        (0..bytes).step_by(LIST).try_for_each(|at| block.free_list(at))
    }

    fn nc_reclaim_data(ncid: c_int, ty: c_int, memory: CallerMemory, count: usize) {
        reclaim(ncid, ty, memory, count)
    }

    /// Frees the memory itself, too.
    fn nc_reclaim_data_all(ncid: c_int, ty: c_int, memory: CallerMemory, count: usize) {
        reclaim(ncid, ty, memory, count)?;
        memory.free();
        Ok(())
    }

    /// Copies the elements of a list.
    fn nc_get_vlen_element(
        ncid: c_int,
        ty: c_int,
        list: CallerMemory,
        len: OutArray<usize>,
        elements: CallerMemory,
    ) {
        with(ncid, |group| {
            let TypeKind::Vlen { base } = &group.user_type(ty)?.kind else {
                return Err(ErrorNumber::EBADTYPE);
            };
            let size = group.memory_size(*base)?;
            let (count, from) = list.block(LIST)?.list(0, size)?;
            len.set(count);
            let bytes = count.checked_mul(size).ok_or(ErrorNumber::EINVAL)?;
            elements.block(bytes)?.put(0, &from.get(0, bytes)?)
        })
    }
}
