//! The output side of the decoders of the LZ77 family: literals, and repeats of what came before.

use super::output::{bad, too_long};
use crate::error::{Error, Result};

/// Decoded bytes so far, of which there are never more than `limit`.
pub(super) struct Window<'a> {
    filter: &'static str,
    output: &'a mut Vec<u8>,
    start: usize,
    limit: usize,
}

impl<'a> Window<'a> {
    /// Appends at most `limit` bytes to `output`; repeats do not see what was there.
    pub fn new(filter: &'static str, output: &'a mut Vec<u8>, limit: usize) -> Self {
        let start = output.len();
        Self {
            filter,
            output,
            start,
            limit,
        }
    }

    /// Bytes decoded.
    pub fn len(&self) -> usize {
        self.output.len().saturating_sub(self.start)
    }

    /// Appends bytes.
    pub fn literal(&mut self, bytes: &[u8]) -> Result<()> {
        self.check(bytes.len())?;
        self.output.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends `n` bytes, each the one that is `distance` before it.
    pub fn repeat(&mut self, distance: usize, n: usize) -> Result<()> {
        self.check(n)?;
        if distance == 0 || distance > self.len() {
            return Err(self.before_start(distance));
        }
        let from = self.output.len().saturating_sub(distance);
        let mut left = n;
        while left > 0 {
            // From `from` on, all is a repetition of `distance` bytes, twice as much each time.
            let run = left.min(self.output.len().saturating_sub(from));
            self.output
                .extend_from_within(from..from.saturating_add(run));
            left = left.saturating_sub(run);
        }
        Ok(())
    }

    fn check(&self, n: usize) -> Result<()> {
        match self.len().checked_add(n) {
            Some(len) if len <= self.limit => Ok(()),
            Some(_) | None => Err(too_long(self.filter, "more", self.limit)),
        }
    }

    #[cold]
    fn before_start(&self, distance: usize) -> Error {
        let what = format_args!("repeats byte -{distance} of {}", self.len());
        bad(self.filter, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_overlap_themselves() {
        let mut output = b"before".to_vec();
        let mut window = Window::new("lz", &mut output, 20);
        assert!(window.repeat(1, 1).is_err(), "nothing to repeat yet");
        window.literal(b"abc").unwrap();
        window.repeat(3, 8).unwrap();
        window.repeat(1, 3).unwrap();
        window.repeat(12, 2).unwrap();
        assert!(window.repeat(17, 1).is_err());
        assert_eq!(window.len(), 16);
        assert_eq!(output, b"beforeabcabcabcabbbbca");
    }

    #[test]
    fn never_makes_more_than_the_limit() {
        let mut output = Vec::new();
        let mut window = Window::new("lz", &mut output, 4);
        assert!(window.literal(b"abcde").is_err());
        window.literal(b"abc").unwrap();
        assert!(window.repeat(2, 2).is_err());
        window.repeat(2, 1).unwrap();
        assert_eq!(output, b"abcb");
    }
}
