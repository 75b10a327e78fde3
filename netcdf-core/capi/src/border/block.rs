//! Untyped memory: values of any type in the layout of the C compiler.

use std::ffi::{c_char, c_int, c_void};

use super::allocator;
use super::strings::OutStrings;
use super::views::{OutArray, PlainNumber};
use crate::error_number::ErrorNumber;

/// Untyped memory of the caller.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct CallerMemory(*mut c_void);

/// A list in memory (`nc_vlen_t`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct CList {
    len: usize,
    elements: *mut c_void,
}

/// A pointer of this library in memory.
const POINTER: usize = size_of::<*mut c_void>();

impl CallerMemory {
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the memory as an array of numbers.
    pub(crate) fn numbers<T: PlainNumber>(&self) -> OutArray<T> {
        OutArray::at(self.0.cast())
    }

    /// Returns the memory as an array of strings.
    pub(crate) fn strings(&self) -> OutStrings {
        OutStrings::at(self.0.cast())
    }

    /// Returns the first `len` bytes.
    pub(crate) fn block(&self, len: usize) -> Result<MemoryBlock, ErrorNumber> {
        match self.0.is_null() && len > 0 {
            true => Err(ErrorNumber::EINVAL),
            false => Ok(MemoryBlock {
                start: self.0.cast(),
                len,
            }),
        }
    }

    /// Returns a copy of the first `len` bytes.
    pub(crate) fn copied(&self, len: usize) -> Result<Vec<u8>, ErrorNumber> {
        if self.0.is_null() || isize::try_from(len).is_err() {
            return Err(ErrorNumber::EINVAL);
        }
        // SAFETY: the caller passes `len` bytes, which do not change during the call.
        Ok(unsafe { std::slice::from_raw_parts(self.0.cast::<u8>(), len) }.to_vec())
    }
}

/// A part of memory with a known length. All positions are checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryBlock {
    start: *mut u8,
    len: usize,
}

impl MemoryBlock {
    fn position(&self, at: usize, len: usize) -> Result<*mut u8, ErrorNumber> {
        match at.checked_add(len) {
            // The pointer stays within the block.
            Some(end) if end <= self.len => Ok(self.start.wrapping_add(at)),
            Some(_) | None => Err(ErrorNumber::EINTERNAL),
        }
    }

    /// Writes bytes.
    pub(crate) fn put(&self, at: usize, bytes: &[u8]) -> Result<(), ErrorNumber> {
        let to = self.position(at, bytes.len())?;
        // SAFETY: `position` checked the range within the caller's memory.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        Ok(())
    }

    /// Reads bytes.
    pub(crate) fn get(&self, at: usize, len: usize) -> Result<Vec<u8>, ErrorNumber> {
        let from = self.position(at, len)?;
        let mut bytes = vec![0; len];
        // SAFETY: `position` checked the range within the caller's memory.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), len) };
        Ok(bytes)
    }

    /// Writes a pointer to a new string.
    pub(crate) fn put_string(&self, at: usize, text: Option<&[u8]>) -> Result<(), ErrorNumber> {
        let to = self.position(at, POINTER)?.cast::<*mut c_char>();
        let text = allocator::text(text)?;
        // SAFETY: `position` checked the range within the caller's memory.
        unsafe { to.write_unaligned(text) };
        Ok(())
    }

    /// Writes a list of `len` elements in new memory, and returns that memory.
    pub(crate) fn put_list(
        &self,
        at: usize,
        len: usize,
        bytes: usize,
    ) -> Result<Self, ErrorNumber> {
        let to = self.position(at, size_of::<CList>())?.cast::<CList>();
        let elements = allocator::allocate(bytes)?;
        // SAFETY: `position` checked the range within the caller's memory.
        unsafe { to.write_unaligned(CList { len, elements }) };
        Ok(Self {
            start: elements.cast(),
            len: bytes,
        })
    }

    /// Frees a string, and writes null.
    pub(crate) fn free_string(&self, at: usize) -> Result<(), ErrorNumber> {
        let string = self.position(at, POINTER)?.cast::<*mut c_void>();
        // SAFETY: `position` checked the range within the caller's memory, which has a string there.
        let text = unsafe { string.read_unaligned() };
        allocator::free(text);
        // SAFETY: as above.
        unsafe { string.write_unaligned(std::ptr::null_mut()) };
        Ok(())
    }

    /// Returns the length of a list and its elements of `size` bytes.
    pub(crate) fn list(&self, at: usize, size: usize) -> Result<(usize, Self), ErrorNumber> {
        let list = self.position(at, size_of::<CList>())?.cast::<CList>();
        // SAFETY: `position` checked the range within the caller's memory, which has a list there.
        let CList { len, elements } = unsafe { list.read_unaligned() };
        let bytes = len.checked_mul(size).ok_or(ErrorNumber::EINVAL)?;
        Ok((len, CallerMemory(elements).block(bytes)?))
    }

    /// Frees the elements of a list, and empties it.
    pub(crate) fn free_list(&self, at: usize) -> Result<(), ErrorNumber> {
        let list = self.position(at, size_of::<CList>())?.cast::<CList>();
        // SAFETY: `position` checked the range within the caller's memory, which has a list there.
        let CList { elements, .. } = unsafe { list.read_unaligned() };
        allocator::free(elements);
        let empty = CList {
            len: 0,
            elements: std::ptr::null_mut(),
        };
        // SAFETY: as above.
        unsafe { list.write_unaligned(empty) };
        Ok(())
    }
}

impl CallerMemory {
    /// Frees the memory.
    pub(crate) fn free(self) {
        allocator::free(self.0);
    }
}

/// A dataset in memory (`NC_memio`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct ImageFields {
    size: usize,
    memory: CallerMemory,
    flags: c_int,
}

/// The caller keeps the memory (`NC_MEMIO_LOCKED`).
const LOCKED: c_int = 1;

/// An argument that describes a dataset in memory.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct MemoryImage(*mut ImageFields);

impl MemoryImage {
    fn fields(&self) -> Result<ImageFields, ErrorNumber> {
        if self.0.is_null() {
            return Err(ErrorNumber::EINVAL);
        }
        // SAFETY: the caller passes a valid `NC_memio`.
        Ok(unsafe { self.0.read() })
    }

    /// Returns a copy of the dataset.
    pub(crate) fn copied(&self) -> Result<Vec<u8>, ErrorNumber> {
        let fields = self.fields()?;
        fields.memory.copied(fields.size)
    }

    /// Returns the memory, which belongs to the dataset until it is closed.
    pub(crate) fn kept(&self) -> Result<KeptImage, ErrorNumber> {
        Ok(KeptImage(self.fields()?))
    }

    /// Returns memory to the caller.
    pub(crate) fn set(&self, image: KeptImage) {
        match self.0.is_null() {
            true => image.free(),
            // SAFETY: the caller passes memory for an `NC_memio`.
            false => unsafe { self.0.write(image.0) },
        }
    }
}

/// The memory of a dataset, until the dataset is closed. It is only freed or returned, never read.
#[derive(Debug)]
pub(crate) struct KeptImage(ImageFields);

// SAFETY: one thread frees or returns the memory.
unsafe impl Send for KeptImage {}

// SAFETY: a shared image gives no access to the memory.
unsafe impl Sync for KeptImage {}

impl KeptImage {
    /// Returns memory that the caller keeps.
    pub(crate) fn locked(memory: CallerMemory, size: usize) -> Self {
        Self(ImageFields {
            size,
            memory,
            flags: LOCKED,
        })
    }

    /// Frees the memory if the caller gave it to the library.
    pub(crate) fn free(self) {
        if self.0.flags & LOCKED == 0 {
            self.0.memory.free();
        }
    }
}
