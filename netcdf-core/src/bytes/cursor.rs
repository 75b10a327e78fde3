//! Reads scalars from bytes at a known offset of a resource.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};

/// A position in the bytes of a resource. Every read is checked, and every error contains its offset.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    data: &'a [u8],
    resource: &'a Arc<str>,
    base: u64,
    pos: usize,
}

macro_rules! scalar {
    ($($name:ident $ty:ty, $from:ident, $order:literal;)*) => {
        $(
            #[doc = concat!("The next ", $order, "`", stringify!($ty), "`.")]
            ///
            /// # Errors
            /// Returns [`ErrorKind::Truncated`] past the end.
            #[inline]
            pub fn $name(&mut self) -> Result<$ty> {
                self.array().map(<$ty>::$from)
            }
        )*
    };
}

impl<'a> Cursor<'a> {
    /// Reads `data`, which starts at byte `base` of `resource`.
    #[must_use]
    pub fn new(data: &'a [u8], resource: &'a Arc<str>, base: u64) -> Self {
        Self {
            data,
            resource,
            base,
            pos: 0,
        }
    }

    /// Returns the resource offset of the next read, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base.saturating_add(self.pos as u64)
    }

    /// Returns the resource name, for messages.
    #[must_use]
    pub fn resource(&self) -> &'a Arc<str> {
        self.resource
    }

    /// Returns the number of remaining bytes.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.data.len().saturating_sub(self.pos)
    }

    /// Reads the next `n` bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] past the end.
    #[inline]
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8]> {
        let rest = self.data.get(self.pos..).unwrap_or_default();
        match rest.get(..n) {
            Some(taken) => {
                self.pos += n;
                Ok(taken)
            }
            None => Err(self.short(n as u64)),
        }
    }

    /// Reads the next little-endian unsigned integer of `n` bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] past the end, and [`ErrorKind::Corrupt`] if the number does not fit 64 bits.
    #[inline]
    pub fn uint_le(&mut self, n: usize) -> Result<u64> {
        match n {
            2 => return self.u16_le().map(u64::from),
            4 => return self.u32_le().map(u64::from),
            8 => return self.u64_le(),
            _ => {}
        }
        let (low, high) = self.bytes(n)?.split_at(n.min(8));
        if high.iter().any(|&b| b != 0) {
            return Err(self.error(ErrorKind::Corrupt, "a number of more than 64 bits".into()));
        }
        let mut eight = [0; 8];
        eight.iter_mut().zip(low).for_each(|(to, from)| *to = *from);
        Ok(u64::from_le_bytes(eight))
    }

    /// Skips `n` bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] past the end.
    pub fn skip(&mut self, n: usize) -> Result<()> {
        self.bytes(n).map(|_| ())
    }

    /// Reads the bytes up to the next zero byte, and skips this byte.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] if no zero byte follows.
    pub fn zero_terminated(&mut self) -> Result<&'a [u8]> {
        let rest = self.data.get(self.pos..).unwrap_or_default();
        match rest.iter().position(|&b| b == 0) {
            Some(end) => {
                self.pos += end + 1;
                Ok(rest.get(..end).unwrap_or_default())
            }
            None => Err(self.error(ErrorKind::Truncated, "a name without an end".into())),
        }
    }

    /// Returns the number of bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.pos
    }

    /// Returns the error for `n` missing bytes.
    #[must_use]
    #[cold]
    pub fn short(&self, n: u64) -> Error {
        let what = format!("truncated: need {n} bytes, have {}", self.remaining());
        self.error(ErrorKind::Truncated, what)
    }

    /// Returns an error at the current position.
    #[must_use]
    pub fn error(&self, kind: ErrorKind, what: String) -> Error {
        Error::new(kind, what).at(self.resource, self.offset())
    }

    /// Reads the next `N` bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] past the end.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let rest = self.data.get(self.pos..).unwrap_or_default();
        match rest.first_chunk() {
            Some(taken) => {
                self.pos += N;
                Ok(*taken)
            }
            None => Err(self.short(N as u64)),
        }
    }

    scalar! {
        u8 u8, from_be_bytes, "";
        u32_be u32, from_be_bytes, "big-endian ";
        u64_be u64, from_be_bytes, "big-endian ";
        u16_le u16, from_le_bytes, "little-endian ";
        u32_le u32, from_le_bytes, "little-endian ";
        u64_le u64, from_le_bytes, "little-endian ";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_offset() {
        let name: Arc<str> = "f".into();
        let mut c = Cursor::new(&[0, 0, 0, 7, 1], &name, 100);
        assert_eq!(c.u32_be().unwrap(), 7);
        let e = c.u32_be().unwrap_err();
        assert_eq!(
            e.to_string(),
            "f: truncated: need 4 bytes, have 1 at byte 104"
        );
        assert_eq!(c.u8().unwrap(), 1);
    }
}
