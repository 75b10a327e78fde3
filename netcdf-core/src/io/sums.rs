//! Digests of the keys that a process stores.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use crate::arithmetic::Amount;

/// A digest of keys and bytes. It does not depend on the order of the keys, so many threads can compute it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeySum {
    /// The number of bytes of all values.
    pub bytes: u64,
    /// The sum of one BLAKE3 digest per key, modulo 2^256, little-endian. A digest covers key length, key, value length and value.
    pub sum: [u8; 32],
}

impl KeySum {
    /// Computes the digest of one key from fragments of its bytes.
    ///
    /// # Errors
    /// Returns the first error of the fragments.
    pub fn of<E>(
        (key, len): (&str, u64),
        pieces: impl IntoIterator<Item = Result<Vec<u8>, E>>,
    ) -> Result<Self, E> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(key.len() as u64).to_le_bytes());
        hasher.update(key.as_bytes());
        hasher.update(&len.to_le_bytes());
        for piece in pieces {
            hasher.update(&piece?);
        }
        Ok(Self {
            bytes: len,
            sum: *hasher.finalize().as_bytes(),
        })
    }

    fn of_bytes(key: &str, bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [key.as_bytes(), bytes] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self {
            bytes: bytes.len() as u64,
            sum: *hasher.finalize().as_bytes(),
        }
    }

    /// Adds another digest.
    pub fn add(&mut self, other: &Self) {
        self.bytes = (Amount::of(self.bytes) + other.bytes).get();
        let mut carry = false;
        for (own, more) in self.sum.iter_mut().zip(other.sum) {
            let (sum, first) = own.overflowing_add(more);
            let (sum, second) = sum.overflowing_add(u8::from(carry));
            *own = sum;
            carry = first || second;
        }
    }
}

/// The states of keys: sizes and times or tags. Like [`KeySum`], the states do not depend on the order of the keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyStates {
    count: u64,
    sum: KeySum,
}

impl KeyStates {
    /// Adds a key with its size and its time or tag.
    pub fn add(&mut self, key: &str, size: u64, state: &str) {
        self.count += 1;
        let mut one = KeySum::of_bytes(key, format!("{size} {state}").as_bytes());
        one.bytes = size;
        self.sum.add(&one);
    }

    /// The number of keys.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// A text that changes with every state.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{} keys, {} bytes, ", self.count, self.sum.bytes);
        for byte in self.sum.sum {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// The running digest of all puts. Clones share the digest.
#[derive(Debug, Clone, Default)]
pub struct RunningSums(Arc<Mutex<KeySum>>);

impl RunningSums {
    /// Adds a key.
    pub(super) fn note(&self, key: &str, bytes: &[u8]) {
        let one = KeySum::of_bytes(key, bytes);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.add(&one);
    }

    /// The digest so far.
    #[must_use]
    pub fn get(&self) -> KeySum {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_the_order_of_keys() {
        let keys = [("a", "1"), ("b", ""), ("c", "333")];
        let sum = |keys: &[(&str, &str)]| {
            let sums = RunningSums::default();
            keys.iter()
                .for_each(|(key, bytes)| sums.note(key, bytes.as_bytes()));
            sums.get()
        };
        let [a, b, c] = keys;
        let all = sum(&keys);
        assert_eq!(all, sum(&[c, a, b]));
        assert_eq!(all.bytes, 4);
        for other in [
            [a, b, ("c", "334")],
            [a, b, ("d", "333")],
            [a, ("b", "1"), ("c", "33")],
        ] {
            assert_ne!(all.sum, sum(&other).sum);
        }
        let pieces = [b"33".to_vec(), b"3".to_vec()].map(Ok::<_, ()>);
        assert_eq!(KeySum::of(("c", 3), pieces), Ok(sum(&[c])));
    }
}
