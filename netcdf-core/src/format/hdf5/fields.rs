//! Reads the fields of a structure in order.

use std::ops::{Deref, DerefMut};

use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result};

/// Sizes in bytes of addresses ("offsets") and lengths in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSizes {
    /// Size of an address: 2, 4 or 8.
    pub offset: u8,
    /// Size of a length: 2, 4 or 8.
    pub length: u8,
}

/// A cursor that knows the sizes of addresses and lengths.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) sizes: FieldSizes,
}

impl<'a> Deref for Fields<'a> {
    type Target = Cursor<'a>;
    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl DerefMut for Fields<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl Fields<'_> {
    /// Returns the sizes of addresses and lengths.
    #[must_use]
    pub fn sizes(&self) -> FieldSizes {
        self.sizes
    }

    /// Reads an address. Returns `None` for the undefined address (all bits set).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] past the end.
    pub fn address(&mut self) -> Result<Option<u64>> {
        let size = self.sizes.offset;
        let address = self.cursor.uint_le(size.into())?;
        Ok((address != undefined(size)).then_some(address))
    }

    /// Reads an address that must be defined.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for the undefined address, and [`ErrorKind::Truncated`] past the end.
    pub fn defined_address(&mut self, what: &str) -> Result<u64> {
        let at = self.offset();
        self.address()?.ok_or_else(|| {
            let what = format!("the address of {what} is undefined");
            Error::new(ErrorKind::Corrupt, what).at(self.resource(), at)
        })
    }

    /// Reads a length.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] past the end.
    pub fn length(&mut self) -> Result<u64> {
        let size = self.sizes.length;
        self.cursor.uint_le(size.into())
    }

    /// Reads a length. Returns `None` if all bits are set (as in maximum sizes).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] past the end.
    pub fn length_or_none(&mut self) -> Result<Option<u64>> {
        let length = self.length()?;
        Ok((length != undefined(self.sizes.length)).then_some(length))
    }

    /// Skips a four-byte signature.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for any other signature.
    pub fn signature(&mut self, expected: &[u8; 4]) -> Result<()> {
        let at = self.offset();
        let found = self.array::<4>()?;
        if found == *expected {
            return Ok(());
        }
        let what = format!(
            "expected signature `{}`, found `{}`",
            expected.escape_ascii(),
            found.escape_ascii()
        );
        Err(Error::new(ErrorKind::Corrupt, what).at(self.resource(), at))
    }

    /// Reads a version byte.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unknown`] for a version outside `known`.
    pub fn version(&mut self, known: std::ops::RangeInclusive<u8>, what: &str) -> Result<u8> {
        let at = self.clone();
        let version = self.u8()?;
        if known.contains(&version) {
            return Ok(version);
        }
        let what = format!(
            "version {version} of {what}, expected {} to {}",
            known.start(),
            known.end()
        );
        Err(at.error(ErrorKind::Unknown, what))
    }
}

/// The value of `size` bytes that means "undefined".
fn undefined(size: u8) -> u64 {
    match size {
        8.. => u64::MAX,
        0..8 => (1 << (8 * u32::from(size))) - 1,
    }
}
