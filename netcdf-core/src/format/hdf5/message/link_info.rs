//! The Link Info message ("IV.A.2.c"): how a group keeps its links.

use crate::error::Result;
use crate::format::hdf5::fields::Fields;

/// How a group keeps its links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkInfo {
    /// Whether links have a creation order.
    pub tracks_order: bool,
    /// The heap of the links, if they are not in the header.
    pub heap: Option<u64>,
    /// B-tree of the links by name.
    pub by_name: Option<u64>,
    /// B-tree of the links in the order of creation.
    pub by_order: Option<u64>,
}

impl LinkInfo {
    /// Reads the body of the message, version 0.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`], [`crate::ErrorKind::Unknown`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        c.version(0..=0, "link info")?;
        let flags = c.u8()?;
        if flags & 1 != 0 {
            c.skip(8)?; // the largest creation order
        }
        Ok(Self {
            tracks_order: flags & 1 != 0,
            heap: c.address()?,
            by_name: c.address()?,
            by_order: if flags & 2 != 0 { c.address()? } else { None },
        })
    }
}
