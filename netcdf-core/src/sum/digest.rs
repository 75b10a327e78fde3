//! A digest, and its hexadecimal form.

use std::fmt;

/// A BLAKE3 digest of a canonical stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest(blake3::Hash);

impl Digest {
    /// Returns the digest of the hashed bytes.
    pub(crate) fn of(hasher: &blake3::Hasher) -> Self {
        Self(hasher.finalize())
    }

    /// Returns the digest of bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }

    /// Creates a digest from its bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(blake3::Hash::from_bytes(bytes))
    }

    /// Parses a digest from 64 hexadecimal digits.
    #[must_use]
    pub fn parse(hex: &[u8]) -> Option<Self> {
        blake3::Hash::from_hex(hex).ok().map(Self)
    }

    /// Returns the 32 bytes of the digest.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_lead_back() {
        let digest = Digest::of(&blake3::Hasher::new());
        // The first test vector of BLAKE3.
        let hex = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(digest.to_string(), hex);
        assert_eq!(Digest::parse(hex.as_bytes()), Some(digest));
        assert_eq!(Digest::parse(hex.to_uppercase().as_bytes()), Some(digest));
        assert_eq!(Digest::parse(&hex.as_bytes()[1..]), None);
        assert_eq!(Digest::parse(b"x"), None);
    }
}
