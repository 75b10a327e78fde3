//! Canonical streams: numbers in eight bytes, text with its length, and lists with their number of items.

use super::{Digest, VERSION};

/// A canonical stream, or a part of a stream.
pub(super) enum Stream {
    /// A stream being hashed.
    Hashed(Box<blake3::Hasher>),
    /// A part in memory, for sorting.
    Kept(Vec<u8>),
}

impl Stream {
    /// Creates a stream with the tag `what`.
    pub(super) fn new(what: &str) -> Self {
        let mut stream = Self::Hashed(Box::default());
        stream.text(VERSION.as_bytes());
        stream.text(what.as_bytes());
        stream
    }

    /// Creates a part of a stream.
    pub(super) fn part() -> Self {
        Self::Kept(vec![])
    }

    /// Adds unchanged bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        match self {
            Self::Hashed(hasher) => {
                hasher.update(bytes);
            }
            Self::Kept(part) => part.extend_from_slice(bytes),
        }
    }

    /// Adds a number.
    pub(super) fn number(&mut self, n: u64) {
        self.add(&n.to_le_bytes());
    }

    /// Adds text with its length.
    pub(super) fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.add(text);
    }

    /// Adds a list of named items, sorted by name.
    pub(super) fn sorted(&mut self, mut list: Vec<(Vec<u8>, Vec<u8>)>) {
        list.sort_unstable();
        self.number(list.len() as u64);
        for (name, what) in list {
            self.text(&name);
            self.add(&what);
        }
    }

    /// Returns the digest of the stream.
    pub(super) fn digest(&self) -> Digest {
        match self {
            Self::Hashed(hasher) => Digest::of(hasher),
            Self::Kept(part) => Digest::of(blake3::Hasher::new().update(part)),
        }
    }

    /// Returns the bytes of a part.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Hashed(_) => vec![],
            Self::Kept(part) => part,
        }
    }
}
