//! CallerMemory of the C allocator, which programs free.

use std::ffi::{c_char, c_void};

use crate::error_number::ErrorNumber;

/// Returns new memory of this size, set to zero; null for size 0.
pub(super) fn allocate(len: usize) -> Result<*mut c_void, ErrorNumber> {
    if len == 0 {
        return Ok(std::ptr::null_mut());
    }
    // SAFETY: `calloc` has no requirements.
    let memory = unsafe { libc::calloc(len, 1) };
    match memory.is_null() {
        true => Err(ErrorNumber::ENOMEM),
        false => Ok(memory),
    }
}

/// Returns a copy of a text with NUL; null for NIL.
pub(super) fn text(bytes: Option<&[u8]>) -> Result<*mut c_char, ErrorNumber> {
    let Some(bytes) = bytes else {
        return Ok(std::ptr::null_mut());
    };
    let copy = allocate(bytes.len().saturating_add(1))?;
    // SAFETY: the new memory has one byte more than the text, and that byte is NUL.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), copy.cast(), bytes.len()) };
    Ok(copy.cast())
}

/// Frees memory from [`allocate`], [`text`] or the program's own `malloc`.
pub(super) fn free(memory: *mut c_void) {
    // SAFETY: the contract of the freeing functions: the memory came from `malloc` and is freed once.
    unsafe { libc::free(memory) };
}
