//! Records of version 2 B-trees, except those of chunks.

use crate::error::Result;
use crate::format::hdf5::fields::Fields;

/// Type of the trees of huge objects with an id, without and with filters.
pub(crate) const HUGE_BY_ID: [u8; 2] = [1, 2];
/// Type of the trees of links by name.
pub(crate) const LINK_NAME: u8 = 5;
/// Type of the trees of links by creation order.
pub(crate) const LINK_ORDER: u8 = 6;
/// Type of the trees of attributes by name.
pub(crate) const ATTRIBUTE_NAME: u8 = 8;
/// Type of the trees of attributes by creation order.
pub(crate) const ATTRIBUTE_ORDER: u8 = 9;

/// A link by name (type 5); in the order of the hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkName {
    /// `lookup3` of the name.
    pub hash: u32,
    /// The id of the link in the group's heap.
    pub id: [u8; 7],
}

/// A link by creation order (type 6): links are found by name and sorted afterwards.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkOrder {
    /// Its number in the order of creation.
    pub order: u64,
    /// The id of the link in the group's heap.
    pub id: [u8; 7],
}

/// An attribute by name (type 8), in the order of the hashes, or by creation order (type 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttributeRecord {
    /// Where the message is: in the object's heap, or if it is shared in that of shared messages.
    pub id: [u8; 8],
    /// Flags of the message.
    pub flags: u8,
    /// Its number in the order of creation.
    pub order: u32,
    /// `lookup3` of the name; only with type 8.
    pub hash: Option<u32>,
}

/// A huge object of a fractal heap (types 1 to 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HugeRecord {
    /// Its address.
    pub address: u64,
    /// Its length in the file, in bytes.
    pub len: u64,
    /// Mask of the filters that were not applied, and its length in bytes before them.
    pub filtered: Option<(u32, u64)>,
    /// Its number; only with types 1 and 2.
    pub id: Option<u64>,
}

impl LinkName {
    /// # Errors
    /// [`crate::ErrorKind::Truncated`].
    pub(crate) fn parse(c: &mut Fields) -> Result<Self> {
        Ok(Self {
            hash: c.u32_le()?,
            id: c.array()?,
        })
    }
}

#[cfg(test)]
impl LinkOrder {
    /// # Errors
    /// [`crate::ErrorKind::Truncated`].
    pub(crate) fn parse(c: &mut Fields) -> Result<Self> {
        Ok(Self {
            order: c.u64_le()?,
            id: c.array()?,
        })
    }
}

impl AttributeRecord {
    /// Of a tree of this type.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`].
    pub(crate) fn parse(c: &mut Fields, kind: u8) -> Result<Self> {
        let (id, flags, order) = (c.array()?, c.u8()?, c.u32_le()?);
        let hash = (kind == ATTRIBUTE_NAME).then(|| c.u32_le()).transpose()?;
        Ok(Self {
            id,
            flags,
            order,
            hash,
        })
    }
}

impl HugeRecord {
    /// Reads the form in records and heap ids, without the id.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`]; [`crate::ErrorKind::Corrupt`] for the undefined address.
    pub(crate) fn parse(c: &mut Fields, filtered: bool) -> Result<Self> {
        let (address, len) = (c.defined_address("a huge object")?, c.length()?);
        let filtered = filtered.then(|| Ok((c.u32_le()?, c.length()?)));
        let filtered = filtered.transpose()?;
        Ok(Self {
            address,
            len,
            filtered,
            id: None,
        })
    }

    /// With its id, as records of types 1 and 2.
    ///
    /// # Errors
    /// As [`HugeRecord::parse`].
    pub(crate) fn parse_with_id(c: &mut Fields, filtered: bool) -> Result<Self> {
        let huge = Self::parse(c, filtered)?;
        let id = Some(c.length()?);
        Ok(Self { id, ..huge })
    }
}
