//! The sums of what a process puts into a store.

use std::sync::{Arc, Mutex, PoisonError};

/// The sums of what is put, as far as it has come. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Sums(Arc<Mutex<PutBytes>>);

#[derive(Debug, Default)]
struct PutBytes {
    hasher: Box<blake3::Hasher>,
    bytes: u64,
}

impl Sums {
    /// Adds a key that is put.
    pub(super) fn note(&self, key: &str, bytes: &[u8]) {
        let mut put = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for part in [key.as_bytes(), bytes] {
            put.hasher.update(&(part.len() as u64).to_le_bytes());
            put.hasher.update(part);
        }
        put.bytes += bytes.len() as u64;
    }

    /// Number of bytes, and BLAKE3 of each key with its length and the bytes with theirs, in the order of putting.
    #[must_use]
    pub fn get(&self) -> (u64, [u8; 32]) {
        let put = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (put.bytes, *put.hasher.finalize().as_bytes())
    }
}
