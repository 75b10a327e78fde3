//! The roles of keys.

use crate::format::zarr::raw::RawArray;

/// The role of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Metadata.
    Metadata,
    /// A chunk: the node number of the array, and the position in the key grid.
    Chunk(usize, Vec<u64>),
    /// A shard: the node number of the array, and the position in the key grid.
    Shard(usize, Vec<u64>),
    /// An unknown key: the node number of the enclosing array, if any.
    Other(Option<usize>),
}

impl Role {
    /// Returns the role of the key `rest` below an array.
    pub fn below(node: usize, array: &RawArray, rest: &str) -> Self {
        match array.place(rest) {
            Some(place) if array.described.shards.is_empty() => Self::Chunk(node, place),
            Some(place) => Self::Shard(node, place),
            None => Self::Other(Some(node)),
        }
    }

    /// Returns the name in messages and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Chunk(..) => "chunk",
            Self::Shard(..) => "shard",
            Self::Other(_) => "other",
        }
    }
}
