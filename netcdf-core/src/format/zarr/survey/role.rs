//! What a key is.

use crate::format::zarr::raw::RawArray;

/// What a key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Metadata.
    Metadata,
    /// A chunk of the array that is the node of this number, and its place in the grid of keys.
    Chunk(usize, Vec<u64>),
    /// A shard, likewise.
    Shard(usize, Vec<u64>),
    /// Something else; the node of the array that it is below, if there is one.
    Other(Option<usize>),
}

impl Role {
    /// What the key `rest` below an array is.
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
