//! InText arguments.

use std::ffi::{CStr, c_char};

use super::allocator;
use crate::error_number::ErrorNumber;

/// The longest name (`NC_MAX_NAME`).
const MAX_NAME: usize = 256;
/// The longest path or group path.
const MAX_PATH: usize = 1 << 16;

/// A text that ends with NUL.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct InText(*const c_char);

impl InText {
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the bytes of a name.
    pub(crate) fn name(&self) -> Result<&[u8], ErrorNumber> {
        self.bytes(MAX_NAME)
    }

    /// Returns the bytes of a path or URL.
    pub(crate) fn path(&self) -> Result<&[u8], ErrorNumber> {
        self.bytes(MAX_PATH)
    }

    fn bytes(&self, longest: usize) -> Result<&[u8], ErrorNumber> {
        if self.0.is_null() {
            return Err(ErrorNumber::EINVAL);
        }
        // SAFETY: the caller passes a text that ends with NUL; at most one byte more than `longest` is read.
        let len = unsafe { libc::strnlen(self.0, longest + 1) };
        if len > longest {
            return Err(ErrorNumber::EMAXNAME);
        }
        // SAFETY: `strnlen` found `len` bytes, which do not change during the call.
        Ok(unsafe { std::slice::from_raw_parts(self.0.cast(), len) })
    }
}

/// CallerMemory for a text.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct OutText(*mut c_char);

impl OutText {
    /// Writes a name of at most `NC_MAX_NAME` bytes, and NUL.
    pub(crate) fn set_name(&self, name: &[u8]) {
        self.set(name.get(..MAX_NAME).unwrap_or(name));
    }

    /// Writes a text for which the caller has queried the length, and NUL.
    pub(crate) fn set(&self, text: &[u8]) {
        if self.0.is_null() {
            return;
        }
        let ended = text.iter().chain(&[0]).enumerate();
        for (n, &byte) in ended {
            // SAFETY: the caller passes memory for the text and NUL.
            unsafe { self.0.add(n).write(byte.cast_signed()) };
        }
    }
}

/// A text of this library. It lives as long as the process, or until the next call of the thread, or until the program frees it.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct StaticText(*const c_char);

impl From<&'static CStr> for StaticText {
    fn from(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }
}

impl StaticText {
    /// Returns a text that a thread keeps until its next call.
    pub(super) fn of_thread(text: &CStr) -> Self {
        Self(text.as_ptr())
    }

    /// Returns a copy of a text, which the program frees: null for no text, or without memory.
    pub(crate) fn copied(text: Option<&[u8]>) -> Self {
        Self(allocator::text(text).unwrap_or(std::ptr::null_mut()))
    }

    /// Returns the system's text for an error number.
    pub(crate) fn of_system(number: std::ffi::c_int) -> Self {
        // SAFETY: `strerror` returns a text for every number.
        Self(unsafe { libc::strerror(number) })
    }
}
