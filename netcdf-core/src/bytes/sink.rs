//! Writes little-endian scalars into a growing buffer.

use crate::error::{Error, ErrorKind, Result};

/// A growing buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByteSink {
    /// The bytes written so far.
    pub bytes: Vec<u8>,
}

macro_rules! scalar {
    ($($name:ident $ty:ty;)*) => {
        $(
            #[doc = concat!("Appends a little-endian `", stringify!($ty), "`.")]
            pub fn $name(&mut self, value: $ty) {
                self.bytes.extend_from_slice(&value.to_le_bytes());
            }
        )*
    };
}

impl ByteSink {
    scalar! {
        u8 u8;
        u16 u16;
        u32 u32;
        u64 u64;
    }

    /// Creates an empty buffer with capacity for `bytes` bytes.
    #[must_use]
    pub fn with_room(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// Returns the number of bytes written so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Checks whether the buffer is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends bytes unchanged.
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends `n` zeros.
    pub fn zeros(&mut self, n: usize) {
        self.bytes.resize(self.bytes.len().saturating_add(n), 0);
    }

    /// Appends zeros up to a multiple of `n` bytes.
    pub fn align(&mut self, n: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(n), 0);
    }

    /// Appends the `width` lower bytes of a number.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for a number that does not fit.
    pub fn uint(&mut self, value: u64, width: usize) -> Result<()> {
        let all = value.to_le_bytes();
        let (low, high) = all.split_at(width.min(8));
        if high.iter().any(|&b| b != 0) {
            let what = format!("{value} does not fit {width} bytes");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        self.put(low);
        self.zeros(width - low.len());
        Ok(())
    }

    /// Overwrites bytes from byte `at` on.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] past the end.
    pub fn patch(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let end = at.checked_add(bytes.len());
        let place = end.and_then(|end| self.bytes.get_mut(at..end));
        let beyond = || Error::new(ErrorKind::Argument, "a patch beyond the bytes written");
        place.ok_or_else(beyond)?.copy_from_slice(bytes);
        Ok(())
    }
}

/// Converts `n` to a number of fewer bits.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] if `n` does not fit: "`what` is `n`, …".
pub(crate) fn narrow<T: TryFrom<u64>>(n: u64, what: &str) -> Result<T> {
    T::try_from(n).map_err(|_| {
        let bits = 8 * size_of::<T>();
        let what = format!("{what} is {n}, HDF5 has {bits} bits for it");
        Error::new(ErrorKind::Limit, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_little_endian() {
        let mut sink = ByteSink::default();
        assert!(sink.is_empty());
        sink.u8(1);
        sink.u16(0x0302);
        sink.uint(0x0004, 3).unwrap();
        sink.align(8);
        sink.patch(6, &[9, 8]).unwrap();
        assert_eq!(sink.bytes, [1, 2, 3, 4, 0, 0, 9, 8]);
        assert!(sink.patch(7, &[0, 0]).is_err());
        assert!(sink.patch(usize::MAX, &[0]).is_err());
    }

    #[test]
    fn numbers_have_to_fit() {
        let mut sink = ByteSink::default();
        assert!(sink.uint(256, 1).is_err());
        assert!(sink.uint(u64::MAX, 8).is_ok() && sink.uint(1, 10).is_ok());
        assert_eq!(sink.len(), 18);
        assert_eq!(narrow::<u16>(65535, "x").unwrap(), 65535);
        let error = narrow::<u16>(65536, "the rank").unwrap_err();
        assert_eq!(error.what(), "the rank is 65536, HDF5 has 16 bits for it");
    }
}
