//! Memory of the C allocator, which plugins free and allocate as they like.

use std::ffi::c_void;

/// A block of the C allocator, freed when dropped.
pub(super) struct Buffer {
    block: *mut c_void,
    size: usize,
}

impl Buffer {
    /// A block that begins with `bytes`; `None` if there is no memory.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let size = bytes.len().max(1);
        // SAFETY: any size may be asked for; the answer is looked at.
        let block = unsafe { libc::malloc(size) };
        if block.is_null() {
            return None;
        }
        // SAFETY: the block is new and has room for the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.cast(), bytes.len()) };
        Some(Self { block, size })
    }

    /// Lets a plugin work on the block: what it is handed may be freed and replaced, with its size.
    pub(super) fn lend<T>(&mut self, work: impl FnOnce(*mut usize, *mut *mut c_void) -> T) -> T {
        work(&raw mut self.size, &raw mut self.block)
    }

    /// The first `n` bytes; `None` if the block does not have so many.
    ///
    /// A plugin may leave the size as it was although it made a larger block: the allocator knows better.
    pub(super) fn bytes(&self, n: usize) -> Option<&[u8]> {
        if self.block.is_null() || n > self.size.max(self.allocated()) {
            return None;
        }
        // SAFETY: the block is allocated and, as its size or the allocator says, has `n` bytes. What a
        // plugin did not write has been through no initialisation of ours, as with every C library;
        // bytes have no invalid values.
        Some(unsafe { std::slice::from_raw_parts(self.block.cast(), n) })
    }

    /// Bytes of the block, as the allocator has it; 0 where it does not say.
    fn allocated(&self) -> usize {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: the block is one of the allocator.
            unsafe { libc::malloc_usable_size(self.block) }
        }
        #[cfg(not(target_os = "linux"))]
        {
            0
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the block is ours or the one that a plugin put in its place; nobody else has it.
        unsafe { libc::free(self.block) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_its_bytes_and_no_more() {
        let mut buffer = Buffer::of(b"abc").unwrap();
        assert_eq!(buffer.bytes(3), Some(&b"abc"[..]));
        assert_eq!(buffer.bytes(1 << 20), None);
        assert!(Buffer::of(b"").unwrap().bytes(0).is_some());
        buffer.lend(|size, block| {
            // SAFETY: what is lent is valid, and the new block has the bytes that are written.
            unsafe {
                libc::free(*block);
                *block = libc::malloc(100);
                (*block).write_bytes(7, 100);
                *size = 3;
            }
        });
        assert_eq!(buffer.bytes(100), Some(&[7; 100][..]));
    }

    #[test]
    fn a_block_that_was_taken_away_has_no_bytes() {
        let mut buffer = Buffer::of(b"abc").unwrap();
        buffer.lend(|_, block| {
            // SAFETY: what is lent is valid.
            unsafe {
                libc::free(*block);
                *block = std::ptr::null_mut();
            }
        });
        assert_eq!(buffer.bytes(0), None);
    }
}
