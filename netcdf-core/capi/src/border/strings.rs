//! Arrays of strings.

use std::ffi::c_char;

use super::allocator;
use crate::error_number::ErrorNumber;

/// An array of pointers to strings, which the function allocates or frees.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct OutStrings(*mut *mut c_char);

impl OutStrings {
    pub(super) fn at(pointer: *mut *mut c_char) -> Self {
        Self(pointer)
    }

    /// Writes a new string at a position, which may be negative for mapped access.
    pub(crate) fn set_at(&self, position: isize, text: Option<&[u8]>) -> Result<(), ErrorNumber> {
        if self.0.is_null() {
            return Err(ErrorNumber::EINVAL);
        }
        let text = allocator::text(text)?;
        // SAFETY: the caller passes an array with an element at each position of the function.
        unsafe { self.0.wrapping_offset(position).write_unaligned(text) };
        Ok(())
    }

    /// Frees the first `len` strings.
    pub(crate) fn free(&self, len: usize) {
        if self.0.is_null() {
            return;
        }
        for n in 0..len {
            // SAFETY: the caller passes an array of `len` pointers.
            let string = unsafe { self.0.add(n) };
            // SAFETY: as above; each pointer is freed once, because null replaces it.
            let text = unsafe { string.replace(std::ptr::null_mut()) };
            allocator::free(text.cast());
        }
    }
}
