//! The file of this library.

use std::ffi::{CStr, OsStr, c_void};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Returns the path of the file that contains this library, if the dynamic linker knows it.
pub(crate) fn library_file() -> Option<PathBuf> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    let own = library_file as *const c_void;
    // SAFETY: the first argument is an address of this library, and the second one points to memory for the answer.
    if unsafe { libc::dladdr(own, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: zeroes are a valid answer, which the call has completed.
    let name = unsafe { info.assume_init() }.dli_fname;
    if name.is_null() {
        return None;
    }
    // SAFETY: the name is a C text in the linker's memory, which lives as long as the library. The library is never unloaded.
    let name = unsafe { CStr::from_ptr(name) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).to_owned())
}
