//! The netCDF-C functions that codec libraries use to query a variable. The ids of dataset and variable are the ids passed to the library.
//! The dimensions are the chunk's dimensions.
//!
//! A value has as many bytes as `nc_inq_type` reports for its type, and lists have an element for each dimension. A variable with more
//! dimensions than netCDF allows is an error: C code may have arrays of `NC_MAX_VAR_DIMS`.

use std::ffi::{c_char, c_int, c_void};

use super::types::HostType;
use super::{Export, NETCDF_RANK, PluginCall, ask, count, exports, put, put_all};
use crate::model::Atomic;

pub(super) fn exports() -> impl IntoIterator<Item = Export> {
    exports![nc_inq_var nc_inq_vartype nc_inq_varndims nc_inq_vardimid nc_inq_type nc_inq_dimlen
        nc_inq_var_chunking nc_inq_var_endian nc_inq_varname nc_inq_var_fill nc_free_string
        ncaux_h5filterspec_fix8]
}

/// netCDF's error codes for unknown ids and names.
const BAD_ID: c_int = -33;
const BAD_TYPE: c_int = -45;
const BAD_DIM: c_int = -46;
/// netCDF's error codes for too many dimensions, and for exhausted memory.
const RANK: c_int = -41;
const MEMORY: c_int = -61;

/// # Safety
/// The pointers are null or valid, with space for a name and for all dimensions.
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
        let Some(dimensions) = call.rank(NETCDF_RANK) else {
            return RANK;
        };
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
/// The pointer is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_vartype(set: c_int, var: c_int, ty: *mut c_int) -> c_int {
    let (name, none) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: by the caller.
    unsafe { nc_inq_var(set, var, name, ty, none, none, none) }
}

/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_varndims(set: c_int, var: c_int, rank: *mut c_int) -> c_int {
    let (name, none) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: by the caller.
    unsafe { nc_inq_var(set, var, name, none, rank, none, none) }
}

/// # Safety
/// `dims` is null or has space for all dimensions.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_vardimid(set: c_int, var: c_int, dims: *mut c_int) -> c_int {
    let (name, none) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: by the caller.
    unsafe { nc_inq_var(set, var, name, none, none, dims, none) }
}

/// # Safety
/// `name` is null or has space for a name.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_varname(set: c_int, var: c_int, name: *mut c_char) -> c_int {
    let none = std::ptr::null_mut();
    // SAFETY: by the caller.
    unsafe { nc_inq_var(set, var, name, none, none, none, none) }
}

/// # Safety
/// The pointers are null or valid, and `name` has space for a name.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_type(
    _set: c_int,
    number: c_int,
    name: *mut c_char,
    size: *mut usize,
) -> c_int {
    let known = match atomic(number) {
        Some(ty) => Some(bytes_of(ty)),
        None => ask(None, |call| {
            let own = number == call.number.cast_signed();
            own.then(|| bytes(call))
        }),
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

fn atomic(number: c_int) -> Option<Atomic> {
    u32::try_from(number).ok().and_then(Atomic::from_number)
}

/// Returns the bytes of a value in memory. A string is an address.
fn bytes_of(ty: Atomic) -> usize {
    ty.size().unwrap_or(size_of::<*const c_char>())
}

/// Returns the bytes of a variable's value in memory.
fn bytes(call: &PluginCall) -> usize {
    match Atomic::from_number(call.number) {
        Some(ty) => bytes_of(ty),
        None if call.ty.is_list() => LIST,
        None => call.ty.bytes(),
    }
}

/// Bytes of an `nc_vlen_t`: a length and an address.
const LIST: usize = size_of::<(usize, *const c_void)>();

/// # Safety
/// The pointer is null or valid.
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
/// The pointers are null or valid, and the shape has space for all dimensions.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_var_chunking(
    _set: c_int,
    _var: c_int,
    storage: *mut c_int,
    shape: *mut usize,
) -> c_int {
    ask(BAD_ID, |call| {
        let Some(dimensions) = call.rank(NETCDF_RANK) else {
            return RANK;
        };
        let lens = call.shape.iter().map(|&n| usize::try_from(n).unwrap_or(0));
        // SAFETY: by the caller.
        unsafe {
            put(storage, 0);
            put_all(shape, dimensions, lens);
        }
        0
    })
}

/// Writes 1 for little-endian, 2 for big-endian.
///
/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_var_endian(_set: c_int, _var: c_int, order: *mut c_int) -> c_int {
    ask(BAD_ID, |call| {
        // SAFETY: by the caller.
        unsafe { put(order, if call.ty.big { 2 } else { 1 }) };
        0
    })
}

/// Writes the fill value in memory form, and whether the variable has none. The caller frees a string.
///
/// # Safety
/// The pointers are null or valid, and `value` has space for a value.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_inq_var_fill(
    _set: c_int,
    _var: c_int,
    none: *mut c_int,
    value: *mut c_void,
) -> c_int {
    ask(BAD_ID, |call| {
        // SAFETY: by the caller.
        unsafe { put(none, c_int::from(call.fill.is_none())) };
        match &call.fill {
            Some(stored) if !value.is_null() => {
                // SAFETY: by the caller.
                unsafe { put_value(call, stored, value) }
            }
            Some(_) | None => 0,
        }
    })
}

/// Writes a value of the variable, given in stored form.
///
/// # Safety
/// The memory at `value` has the size that [`bytes()`] returns.
unsafe fn put_value(call: &PluginCall, stored: &[u8], value: *mut c_void) -> c_int {
    if call.number == Atomic::String.number() {
        let Some(text) = c_text(stored) else {
            return MEMORY;
        };
        // SAFETY: by the caller. The write supports any alignment.
        unsafe { value.cast::<*mut c_char>().write_unaligned(text) };
        return 0;
    }
    let own = match call.ty.is_list() {
        // Files store lists as references, not as addresses.
        true => vec![],
        false => native(call.ty, stored),
    };
    let zeros = std::iter::repeat(0);
    // SAFETY: by the caller.
    unsafe {
        put_all(
            value.cast::<u8>(),
            bytes(call),
            own.into_iter().chain(zeros),
        )
    };
    0
}

/// Returns a stored value in this machine's byte order.
fn native(ty: HostType, stored: &[u8]) -> Vec<u8> {
    let mut bytes = stored.get(..ty.bytes()).unwrap_or(stored).to_vec();
    if ty.is_swapped() {
        bytes.reverse();
    }
    bytes
}

/// Copies a text with a final NUL to a new block of the C allocator; returns null if memory is exhausted.
fn c_text(stored: &[u8]) -> Option<*mut c_char> {
    let end = stored.iter().position(|&b| b == 0);
    let text = stored.get(..end.unwrap_or(stored.len()))?;
    // SAFETY: any size may be requested, and the block is filled with zeros.
    let block = unsafe { libc::calloc(1, text.len().checked_add(1)?) }.cast::<c_char>();
    if block.is_null() {
        return None;
    }
    // SAFETY: the block is new and one byte larger than the text.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), block.cast(), text.len()) };
    Some(block)
}

/// Frees strings returned as values.
///
/// # Safety
/// `texts` has `count` addresses of the C allocator or nulls.
#[unsafe(no_mangle)]
unsafe extern "C" fn nc_free_string(count: usize, texts: *mut *mut c_char) -> c_int {
    if texts.is_null() {
        return 0;
    }
    for n in 0..count {
        // SAFETY: by the caller.
        unsafe { libc::free(texts.add(n).read().cast()) };
    }
    0
}

/// Converts the two parameters of an eight-byte number to its bytes, or back. The lower half comes first, and each half has the machine's
/// byte order.
///
/// # Safety
/// `bytes` points to eight bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ncaux_h5filterspec_fix8(bytes: *mut u8, _decode: c_int) {
    if cfg!(target_endian = "big") && !bytes.is_null() {
        // SAFETY: by the caller.
        let bytes = unsafe { std::slice::from_raw_parts_mut(bytes, 8) };
        bytes.rotate_left(4);
    }
}
