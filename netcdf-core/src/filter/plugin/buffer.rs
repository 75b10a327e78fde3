//! Memory of the C allocator, which plugins may free and allocate.

use std::ffi::c_void;

/// A block of the C allocator, freed on drop.
pub(super) struct Buffer {
    block: *mut c_void,
    size: usize,
}

impl Buffer {
    /// Creates a block that begins with `bytes`; returns `None` if memory is exhausted.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let size = bytes.len().max(1);
        // SAFETY: any size may be requested; the result is checked.
        let block = unsafe { libc::malloc(size) };
        if block.is_null() {
            return None;
        }
        // SAFETY: the block is new and large enough for the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.cast(), bytes.len()) };
        Some(Self { block, size })
    }

    /// Lends the block to a plugin, which may free and replace it, and change its size.
    pub(super) fn lend<T>(&mut self, work: impl FnOnce(*mut usize, *mut *mut c_void) -> T) -> T {
        work(&raw mut self.size, &raw mut self.block)
    }

    /// Checks whether the block exists: a plugin may have removed it.
    pub(super) fn is_there(&self) -> bool {
        !self.block.is_null()
    }

    /// Returns the first `n` bytes; `None` if the block is smaller.
    pub(super) fn bytes(&self, n: usize) -> Option<&[u8]> {
        // Error codes of compressors, and -1, exceed the size of any block.
        isize::try_from(n).ok()?;
        if self.block.is_null() || n > self.allocated_size() {
            return None;
        }
        // SAFETY: the block is allocated and has `n` bytes, which a slice may have, according to the allocator or, without allocator
        // support, to the plugin that allocated the block. Bytes that a plugin did not write may be uninitialized, as with any C library,
        // but every byte value is valid.
        Some(unsafe { std::slice::from_raw_parts(self.block.cast(), n) })
    }

    /// Returns the size of the block in bytes. The size that a plugin reports is used only if the allocator cannot report it: some plugins
    /// do not update it for a larger block, or store an error there.
    fn allocated_size(&self) -> usize {
        // SAFETY: the block comes from the C allocator: our block or the plugin's replacement.
        unsafe { allocated(self.block) }.unwrap_or(self.size)
    }
}

/// Returns the size of a block of the C allocator, 0 for null; `None` if the allocator cannot report it.
///
/// # Safety
/// The block is null, or comes from the C allocator.
pub(super) unsafe fn allocated(block: *mut c_void) -> Option<usize> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: by the caller.
        Some(unsafe { libc::malloc_usable_size(block) })
    }
    #[cfg(target_os = "macos")]
    {
        // SAFETY: by the caller.
        Some(unsafe { libc::malloc_size(block) })
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let _ = block;
        None
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the block is ours, or the plugin's replacement; no other code uses it.
        unsafe { libc::free(self.block) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_exactly_their_bytes() {
        let mut buffer = Buffer::of(b"abc").unwrap();
        assert_eq!(buffer.bytes(3), Some(&b"abc"[..]));
        assert_eq!(buffer.bytes(1 << 20), None);
        assert!(Buffer::of(b"").unwrap().bytes(0).is_some());
        buffer.lend(|size, block| {
            // SAFETY: the lent pointers are valid, and the new block is as large as the written bytes.
            unsafe {
                libc::free(*block);
                *block = libc::malloc(100);
                (*block).write_bytes(7, 100);
                // If the allocator reports the block size, this size is ignored.
                *size = if super::allocated(*block).is_some() {
                    3
                } else {
                    100
                };
            }
        });
        assert_eq!(buffer.bytes(100), Some(&[7; 100][..]));
    }

    #[test]
    fn impossible_sizes_are_ignored() {
        let mut buffer = Buffer::of(b"abc").unwrap();
        // SAFETY: the lent pointers are valid.
        buffer.lend(|size, _| unsafe { *size = usize::MAX - 19 });
        for n in [usize::MAX - 19, usize::MAX, isize::MAX.cast_unsigned() + 1] {
            assert_eq!(buffer.bytes(n), None, "{n}");
        }
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        assert_eq!(buffer.bytes(1 << 20), None);
    }

    #[test]
    fn removed_blocks_have_no_bytes() {
        let mut buffer = Buffer::of(b"abc").unwrap();
        buffer.lend(|_, block| {
            // SAFETY: the lent pointers are valid.
            unsafe {
                libc::free(*block);
                *block = std::ptr::null_mut();
            }
        });
        assert_eq!(buffer.bytes(0), None);
    }
}
