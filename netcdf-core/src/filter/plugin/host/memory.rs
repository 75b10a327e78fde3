//! Memory functions with the C allocator, as in libhdf5.

use std::ffi::{c_int, c_uint, c_void};

use super::{Export, exports, put};

pub(super) fn exports() -> impl IntoIterator<Item = Export> {
    exports![H5get_libversion H5allocate_memory H5resize_memory H5free_memory H5is_library_threadsafe]
}

/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5get_libversion(
    major: *mut c_uint,
    minor: *mut c_uint,
    release: *mut c_uint,
) -> c_int {
    for (place, value) in [(major, 1), (minor, 14), (release, 6)] {
        // SAFETY: by the caller.
        unsafe { put(place, value) };
    }
    0
}

/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5is_library_threadsafe(yes: *mut bool) -> c_int {
    // SAFETY: by the caller.
    unsafe { put(yes, false) };
    0
}

/// Allocates memory. `clear` is a C boolean of one byte or more: all values except 0 are true.
#[unsafe(no_mangle)]
extern "C" fn H5allocate_memory(size: usize, clear: u8) -> *mut c_void {
    match (size, clear != 0) {
        (0, _) => std::ptr::null_mut(),
        // SAFETY: any size may be requested.
        (_, true) => unsafe { libc::calloc(1, size) },
        // SAFETY: any size may be requested.
        (_, false) => unsafe { libc::malloc(size) },
    }
}

/// # Safety
/// The block is null, or comes from the C allocator.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5resize_memory(block: *mut c_void, size: usize) -> *mut c_void {
    if size == 0 {
        // SAFETY: by the caller.
        unsafe { libc::free(block) };
        return std::ptr::null_mut();
    }
    // SAFETY: by the caller.
    unsafe { libc::realloc(block, size) }
}

/// # Safety
/// The block is null, or comes from the C allocator.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5free_memory(block: *mut c_void) -> c_int {
    // SAFETY: by the caller.
    unsafe { libc::free(block) };
    0
}
