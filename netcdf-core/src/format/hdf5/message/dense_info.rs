//! The Link Info and Attribute Info messages ("IV.A.2.c" and "IV.A.2.v"): links or attributes stored outside the header.

use crate::error::Result;
use crate::format::hdf5::fields::Fields;

/// The storage of an object's links or attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenseInfo {
    /// Whether the object tracks their creation order.
    pub tracks_order: bool,
    /// The heap address; `None` if they are in the header.
    pub heap: Option<u64>,
    /// Address of the B-tree by name.
    pub by_name: Option<u64>,
    /// Address of the B-tree by creation order.
    pub by_order: Option<u64>,
}

impl DenseInfo {
    /// Reads the Link Info message body, version 0.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Truncated`] and [`crate::ErrorKind::Unknown`].
    pub fn of_links(c: &mut Fields) -> Result<Self> {
        Self::parse(c, "link info", 8)
    }

    /// Reads the Attribute Info message body, version 0.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Truncated`] and [`crate::ErrorKind::Unknown`].
    pub fn of_attributes(c: &mut Fields) -> Result<Self> {
        Self::parse(c, "attribute info", 2)
    }

    /// Reads the message body with a maximum creation order of `width` bytes.
    fn parse(c: &mut Fields, what: &str, width: usize) -> Result<Self> {
        c.version(0..=0, what)?;
        let flags = c.u8()?;
        if flags & 1 != 0 {
            c.skip(width)?;
        }
        Ok(Self {
            tracks_order: flags & 1 != 0,
            heap: c.address()?,
            by_name: c.address()?,
            by_order: if flags & 2 != 0 { c.address()? } else { None },
        })
    }
}
