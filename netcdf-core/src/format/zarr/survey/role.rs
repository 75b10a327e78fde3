//! The roles of keys.

use crate::format::zarr::raw::RawArray;

/// The role of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Metadata.
    Metadata,
    /// A chunk: the number of the array's node, and the place in the grid of keys.
    Chunk(usize, Vec<u64>),
    /// A shard: the same.
    Shard(usize, Vec<u64>),
    /// Something else: the node of the array that it is below, if there is one.
    Other(Option<usize>),
}

impl Role {
    /// The role of the key `rest` below an array.
    pub fn below(node: usize, array: &RawArray, rest: &str) -> Self {
        match array.place(rest) {
            Some(place) if array.described.shards.is_empty() => Self::Chunk(node, place),
            Some(place) => Self::Shard(node, place),
            None => Self::Other(Some(node)),
        }
    }

    /// Its name for people and in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Chunk(..) => "chunk",
            Self::Shard(..) => "shard",
            Self::Other(_) => "other",
        }
    }
}
