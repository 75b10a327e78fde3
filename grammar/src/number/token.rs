//! A small stack buffer for the text of one number.

use super::buffer::{self, BUFFER_LEN};

/// The longest text of one number: 20 digits with sign, point, exponent and suffix take 28 bytes.
const LONGEST: usize = 32;
/// Buffer size for writing digits in chunks of fixed length that may extend past the text.
const CAPACITY: usize = 56;

/// The text of one number.
///
/// The writer of a data list must know the length of a value before it decides on a line break, so it writes values here first and appends
/// them afterwards.
#[derive(Clone, Copy, Debug)]
pub struct NumberToken {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl Default for NumberToken {
    fn default() -> Self {
        Self::new()
    }
}

impl NumberToken {
    /// Returns an empty token.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: [0; CAPACITY],
            len: 0,
        }
    }

    /// Returns the text.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Appends the text to `out`.
    #[inline]
    pub fn append_to(&self, out: &mut Vec<u8>) {
        let end = out.len().saturating_add(self.len);
        // Copying a fixed length compiles to a few moves; copying a variable length would be a call.
        if let Some(text) = self.bytes.first_chunk::<LONGEST>() {
            out.extend_from_slice(text);
        }
        out.truncate(end);
    }

    /// Replaces the text.
    #[inline]
    pub(super) fn set(&mut self, text: &[u8]) {
        self.len = 0;
        self.push(text);
    }

    /// Appends a short text; excess bytes are dropped.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        for &byte in text {
            if self.len < LONGEST {
                self.put(self.len, [byte]);
                self.len += 1;
            }
        }
    }

    /// Replaces the text with the text that `write` writes in place.
    #[inline]
    pub(super) fn write(&mut self, write: impl FnOnce(&mut [u8; BUFFER_LEN]) -> usize) {
        if let Some(room) = self.bytes.first_chunk_mut() {
            self.len = write(room).min(LONGEST);
        }
    }

    /// Writes the text in place, like the functions for single types.
    #[inline]
    pub(super) fn put_into(&self, out: &mut [u8; BUFFER_LEN]) -> usize {
        if let Some(text) = self.bytes.first_chunk() {
            *out = *text;
        }
        buffer::end(out, self.len)
    }

    /// Writes `N` bytes at `at`, without changing the length.
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, at: usize, text: [u8; N]) {
        if let Some(slot) = self.bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *slot = text;
        }
    }

    /// Sets the text to the first `len` bytes.
    #[inline]
    pub(super) fn set_len(&mut self, len: usize) {
        self.len = len.min(LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_only_the_text() {
        let mut token = NumberToken::new();
        assert!(token.as_bytes().is_empty());
        token.put(0, *b"12345678");
        token.set_len(3);
        token.push(b"LL");
        assert_eq!(token.as_bytes(), b"123LL");
        let mut out = b"x = ".to_vec();
        token.append_to(&mut out);
        assert_eq!(out, b"x = 123LL");
    }

    #[test]
    fn never_writes_past_its_end() {
        let mut token = NumberToken::new();
        token.put(CAPACITY - 7, *b"12345678");
        assert_eq!(token.bytes, [0; CAPACITY]);
        token.push(&[b'7'; 40]);
        assert_eq!(token.as_bytes(), [b'7'; LONGEST]);
        token.set_len(99);
        assert_eq!(token.as_bytes().len(), LONGEST);
    }
}
