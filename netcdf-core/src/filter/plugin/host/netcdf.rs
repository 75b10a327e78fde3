//! The netCDF-C functions by which codec libraries ask about a variable. The ids of dataset and variable are
//! those passed to the library; the dimensions are those of the chunk.

use std::ffi::{c_char, c_int, c_void};

use super::{Export, ask, count, exports, put, put_all};
use crate::model::Atomic;

pub(super) fn exports() -> impl IntoIterator<Item = Export> {
    exports![nc_inq_var nc_inq_vartype nc_inq_varndims nc_inq_vardimid nc_inq_type nc_inq_dimlen
        nc_inq_var_chunking nc_inq_var_endian nc_inq_varname nc_inq_var_fill ncaux_h5filterspec_fix8]
}

/// netCDF's errors for things that do not exist.
const BAD_ID: c_int = -33;
const BAD_TYPE: c_int = -45;
const BAD_DIM: c_int = -46;

/// # Safety
/// The places are null or valid, and have room for a name and for all dimensions.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_var(
    _set: c_int,
    _var: c_int,
    name: *mut c_char,
    ty: *mut c_int,
    rank: *mut c_int,
    dims: *mut c_int,
    attributes: *mut c_int,
) -> c_int {
    ask(BAD_ID, |call| {
        let dimensions = call.shape.len();
        // SAFETY: by the caller.
        unsafe {
            put(name, 0);
            put(ty, call.number.cast_signed());
            put(rank, count(dimensions));
            put_all(dims, dimensions, 0..);
            put(attributes, 0);
        }
        0
    })
}

/// # Safety
/// The place is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_vartype(set: c_int, var: c_int, ty: *mut c_int) -> c_int {
    let (name, none) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: by the caller.
    unsafe { nc_inq_var(set, var, name, ty, none, none, none) }
}

/// # Safety
/// The place is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_varndims(set: c_int, var: c_int, rank: *mut c_int) -> c_int {
    let (name, none) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: by the caller.
    unsafe { nc_inq_var(set, var, name, none, rank, none, none) }
}

/// # Safety
/// The place is null or has room for all dimensions.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_vardimid(set: c_int, var: c_int, dims: *mut c_int) -> c_int {
    let (name, none) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: by the caller.
    unsafe { nc_inq_var(set, var, name, none, none, dims, none) }
}

/// # Safety
/// The place is null or has room for a name.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_varname(set: c_int, var: c_int, name: *mut c_char) -> c_int {
    let none = std::ptr::null_mut();
    // SAFETY: by the caller.
    unsafe { nc_inq_var(set, var, name, none, none, none, none) }
}

/// # Safety
/// The places are null or valid, that of the name has room for one.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_type(
    _set: c_int,
    number: c_int,
    name: *mut c_char,
    size: *mut usize,
) -> c_int {
    let atomic = u32::try_from(number).ok().and_then(Atomic::from_number);
    let own = || {
        ask(None, |call| {
            let same = number == call.number.cast_signed();
            same.then_some(call.ty.bytes())
        })
    };
    let pointer = size_of::<*const c_void>();
    let known = match atomic {
        Some(ty) => Some(ty.size().unwrap_or(pointer)),
        None => own(),
    };
    let Some(known) = known else {
        return BAD_TYPE;
    };
    // SAFETY: by the caller.
    unsafe {
        put(name, 0);
        put(size, known);
    }
    0
}

/// # Safety
/// The place is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_dimlen(_set: c_int, dim: c_int, len: *mut usize) -> c_int {
    ask(BAD_DIM, |call| {
        let dim = usize::try_from(dim).ok().and_then(|n| call.shape.get(n));
        let Some(known) = dim.and_then(|&n| usize::try_from(n).ok()) else {
            return BAD_DIM;
        };
        // SAFETY: by the caller.
        unsafe { put(len, known) };
        0
    })
}

/// # Safety
/// The places are null or valid, that of the shape has room for all dimensions.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_var_chunking(
    _set: c_int,
    _var: c_int,
    storage: *mut c_int,
    shape: *mut usize,
) -> c_int {
    ask(BAD_ID, |call| {
        let lens = call.shape.iter().map(|&n| usize::try_from(n).unwrap_or(0));
        // SAFETY: by the caller.
        unsafe {
            put(storage, 0);
            put_all(shape, call.shape.len(), lens);
        }
        0
    })
}

/// 1 little-endian, 2 big-endian.
///
/// # Safety
/// The place is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_var_endian(_set: c_int, _var: c_int, order: *mut c_int) -> c_int {
    ask(BAD_ID, |call| {
        // SAFETY: by the caller.
        unsafe { put(order, if call.ty.big { 2 } else { 1 }) };
        0
    })
}

/// The fill value as stored, or the fact that there is none.
///
/// # Safety
/// The places are null or valid, that of the value has room for one.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_var_fill(
    _set: c_int,
    _var: c_int,
    none: *mut c_int,
    value: *mut c_void,
) -> c_int {
    ask(BAD_ID, |call| {
        let known = call.fill.as_deref().unwrap_or_default();
        // SAFETY: by the caller.
        unsafe {
            put(none, c_int::from(call.fill.is_none()));
            put_all(value.cast::<u8>(), call.ty.bytes(), known.iter().copied());
        }
        0
    })
}

/// Converts the two parameters of an eight-byte number to its bytes, or back: the lower half comes first, each
/// half in the machine's byte order.
///
/// # Safety
/// There are eight bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ncaux_h5filterspec_fix8(bytes: *mut u8, _decode: c_int) {
    if cfg!(target_endian = "big") && !bytes.is_null() {
        // SAFETY: by the caller.
        let bytes = unsafe { std::slice::from_raw_parts_mut(bytes, 8) };
        bytes.rotate_left(4);
    }
}
