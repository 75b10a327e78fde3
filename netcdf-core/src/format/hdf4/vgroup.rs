//! Vgroups: named lists of elements.

use super::dd::TagRef;
use super::special::{cut, u16_be};
use crate::bytes::Cursor;
use crate::error::Result;

/// A Vgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vgroup {
    /// The members.
    pub members: Vec<TagRef>,
    /// The name.
    pub name: Vec<u8>,
    /// The class, which defines its purpose.
    pub class: Vec<u8>,
}

impl Vgroup {
    /// Parses a Vgroup.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Truncated`].
    pub fn parse(c: &mut Cursor<'_>) -> Result<Self> {
        let count = usize::from(u16_be(c)?);
        // Check for four bytes per member before allocating.
        let lists = c.bytes(count.saturating_mul(4))?;
        let (tags, references) = lists.split_at(count.saturating_mul(2));
        let number = |pair: &[u8]| pair.first_chunk().map_or(0, |&b| u16::from_be_bytes(b));
        let pairs = tags.chunks_exact(2).zip(references.chunks_exact(2));
        let members = pairs.map(|(tag, reference)| TagRef::new(number(tag), number(reference)));
        Ok(Self {
            members: members.collect(),
            name: text(c)?,
            class: text(c)?,
        })
    }

    /// Whether the Vgroup has this class.
    #[must_use]
    pub fn is(&self, class: &str) -> bool {
        self.class == class.as_bytes()
    }

    /// The reference numbers of the members with a tag.
    pub fn with(&self, tag: u16) -> impl Iterator<Item = u16> {
        let found = self.members.iter().filter(move |m| m.tag == tag);
        found.map(|m| m.reference)
    }
}

/// Reads text stored after its length.
///
/// # Errors
/// Returns [`crate::ErrorKind::Truncated`].
pub fn text(c: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let len = usize::from(u16_be(c)?);
    Ok(cut(c.bytes(len)?).to_vec())
}
