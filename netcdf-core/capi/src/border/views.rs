//! Arrays of numbers in the caller's memory.

use super::pages;
use crate::error_number::ErrorNumber;

/// A number type without invalid bit patterns.
///
/// # Safety
/// Every bit pattern of the type's size must be a value.
pub(crate) unsafe trait PlainNumber: Copy + Default + 'static {}

macro_rules! plain {
    ($($ty:ty)*) => {
        $(
            // SAFETY: each bit pattern of a primitive number is a value.
            unsafe impl PlainNumber for $ty {}
        )*
    };
}

plain!(i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64);

// SAFETY: `Char` is a transparent byte.
unsafe impl PlainNumber for netcdf_core::api::Char {}

/// An array that the function reads.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct InArray<T>(*const T);

/// An array that the function writes. Null means that the caller does not want the values.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct OutArray<T>(*mut T);

impl<T> Clone for InArray<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for InArray<T> {}

impl<T> Clone for OutArray<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OutArray<T> {}

impl<T: PlainNumber> InArray<T> {
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Returns a copy of the first `len` elements, or `None` for a null pointer.
    pub(crate) fn list(&self, len: usize) -> Option<Vec<T>> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: the caller passes an array of at least `len` elements; unaligned arrays are allowed.
        let element = |n| unsafe { self.0.add(n).read_unaligned() };
        Some((0..len).map(element).collect())
    }
}

impl<T: PlainNumber> OutArray<T> {
    pub(super) fn at(pointer: *mut T) -> Self {
        Self(pointer)
    }

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Writes the first element.
    pub(crate) fn set(&self, value: T) {
        self.set_all([value]);
    }

    /// Writes the first elements.
    pub(crate) fn set_all(&self, values: impl IntoIterator<Item = T>) {
        if self.0.is_null() {
            return;
        }
        for (n, value) in values.into_iter().enumerate() {
            // SAFETY: the caller passes an array with an element for each value of the function.
            unsafe { self.0.add(n).write_unaligned(value) };
        }
    }

    /// Writes the first elements; a null pointer is an error.
    pub(crate) fn set_list(&self, list: &[T]) -> Result<(), ErrorNumber> {
        if self.0.is_null() {
            return Err(ErrorNumber::EINVAL);
        }
        // SAFETY: the caller passes an array with an element for each value of the function.
        unsafe {
            std::ptr::copy_nonoverlapping(
                list.as_ptr().cast::<u8>(),
                self.0.cast(),
                size_of_val(list),
            )
        };
        Ok(())
    }

    /// Writes an element at a position, which may be negative for mapped access.
    pub(crate) fn set_at(&self, position: isize, value: T) {
        // SAFETY: the map of the caller describes elements of the caller's memory.
        unsafe { self.0.wrapping_offset(position).write_unaligned(value) };
    }

    /// Lets `fill` write `len` elements, directly in the caller's memory if it is aligned.
    pub(crate) fn fill(
        &self,
        len: usize,
        fill: impl FnOnce(&mut [T]) -> Result<(), ErrorNumber>,
    ) -> Result<(), ErrorNumber> {
        if len == 0 {
            return fill(&mut []);
        }
        let bytes = len.checked_mul(size_of::<T>());
        let fits = bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok());
        if self.0.is_null() || !fits {
            return Err(ErrorNumber::EINVAL);
        }
        if !self.0.is_aligned() {
            let mut list = vec![T::default(); len];
            let filled = fill(&mut list);
            self.set_all(list);
            return filled;
        }
        // SAFETY: the caller passes `len` elements that no other thread uses during the call. Each bit pattern is a value.
        let list = unsafe { std::slice::from_raw_parts_mut(self.0, len) };
        pages::advise(list);
        fill(list)
    }
}
