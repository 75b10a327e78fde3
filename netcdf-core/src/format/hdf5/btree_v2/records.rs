//! Records of version 2 B-trees, except chunk records.

use crate::error::Result;
use crate::format::hdf5::fields::Fields;

/// Types of huge object trees with an id, without and with filters.
pub(crate) const HUGE_BY_ID: [u8; 2] = [1, 2];
/// Type of link trees by name.
pub(crate) const LINK_NAME: u8 = 5;
/// Type of link trees by creation order.
pub(crate) const LINK_ORDER: u8 = 6;
/// Type of attribute trees by name.
pub(crate) const ATTRIBUTE_NAME: u8 = 8;
/// Type of attribute trees by creation order.
pub(crate) const ATTRIBUTE_ORDER: u8 = 9;

/// A link by name (type 5), sorted by hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkName {
    /// `lookup3` of the name.
    pub hash: u32,
    /// The id of the link in the group heap.
    pub id: [u8; 7],
}

/// A link by creation order (type 6). The reader finds links by name and sorts them afterwards.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkOrder {
    /// The creation order number.
    pub order: u64,
    /// The id of the link in the group heap.
    pub id: [u8; 7],
}

/// An attribute by name (type 8, sorted by hash) or by creation order (type 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttributeRecord {
    /// The heap id of the message. Shared messages are in the shared message heap, all further messages in the object heap.
    pub id: [u8; 8],
    /// Message flags.
    pub flags: u8,
    /// The creation order number.
    pub order: u32,
    /// `lookup3` of the name, only with type 8.
    pub hash: Option<u32>,
}

/// A huge fractal heap object (types 1 to 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HugeRecord {
    /// The address.
    pub address: u64,
    /// The stored length in bytes.
    pub len: u64,
    /// The mask of skipped filters, and the unfiltered length in bytes.
    pub filtered: Option<(u32, u64)>,
    /// The object id, only with types 1 and 2.
    pub id: Option<u64>,
}

impl LinkName {
    /// # Errors
    /// Returns [`crate::ErrorKind::Truncated`].
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
    /// Returns [`crate::ErrorKind::Truncated`].
    pub(crate) fn parse(c: &mut Fields) -> Result<Self> {
        Ok(Self {
            order: c.u64_le()?,
            id: c.array()?,
        })
    }
}

impl AttributeRecord {
    /// Parses a record in a tree of this type.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Truncated`].
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
    /// Parses the fields shared by records and heap ids, without the id.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Truncated`], and [`crate::ErrorKind::Corrupt`] for the undefined address.
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

    /// Parses a record of type 1 or 2, with its id.
    ///
    /// # Errors
    /// Returns errors from [`HugeRecord::parse`].
    pub(crate) fn parse_with_id(c: &mut Fields, filtered: bool) -> Result<Self> {
        let huge = Self::parse(c, filtered)?;
        let id = Some(c.length()?);
        Ok(Self { id, ..huge })
    }
}
