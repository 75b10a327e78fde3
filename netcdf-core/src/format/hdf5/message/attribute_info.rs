//! The Attribute Info message ("IV.A.2.v"): the place of attributes outside of the header.

use crate::error::Result;
use crate::format::hdf5::fields::Fields;

/// How an object keeps its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeInfo {
    /// Whether attributes have a creation order.
    pub tracks_order: bool,
    /// The heap of the attributes, if they are not in the header.
    pub heap: Option<u64>,
    /// B-tree of the attributes by name.
    pub by_name: Option<u64>,
    /// B-tree of the attributes in the order of creation.
    pub by_order: Option<u64>,
}

impl AttributeInfo {
    /// Reads the body of the message, version 0.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`], [`crate::ErrorKind::Unknown`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        c.version(0..=0, "attribute info")?;
        let flags = c.u8()?;
        if flags & 1 != 0 {
            c.skip(2)?; // the largest creation order
        }
        Ok(Self {
            tracks_order: flags & 1 != 0,
            heap: c.address()?,
            by_name: c.address()?,
            by_order: if flags & 2 != 0 { c.address()? } else { None },
        })
    }
}
