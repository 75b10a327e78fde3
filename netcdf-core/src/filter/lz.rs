//! Shared code for LZ77 codecs: decoder output from literals and repeats, and the search for repeats.

use super::output::{bad, too_long};
use crate::error::{Error, Result};

/// The decoded bytes, at most `limit`.
pub(super) struct LzWindow<'a> {
    filter: &'static str,
    output: &'a mut Vec<u8>,
    start: usize,
    limit: usize,
}

impl<'a> LzWindow<'a> {
    /// Creates a window that appends at most `limit` bytes to `output`. Repeats do not reach the earlier contents of `output`.
    pub(super) fn new(filter: &'static str, output: &'a mut Vec<u8>, limit: usize) -> Self {
        let start = output.len();
        Self {
            filter,
            output,
            start,
            limit,
        }
    }

    /// Returns the number of decoded bytes.
    pub(super) fn len(&self) -> usize {
        self.output.len().saturating_sub(self.start)
    }

    /// Appends bytes.
    pub(super) fn literal(&mut self, bytes: &[u8]) -> Result<()> {
        self.check(bytes.len())?;
        self.output.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends `n` bytes, each a copy of the byte `distance` before it.
    pub(super) fn repeat(&mut self, distance: usize, n: usize) -> Result<()> {
        self.check(n)?;
        if distance == 0 || distance > self.len() {
            return Err(self.before_start(distance));
        }
        let from = self.output.len().saturating_sub(distance);
        let mut left = n;
        while left > 0 {
            // The bytes from `from` on repeat every `distance` bytes, so each copy can be twice as long.
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

/// The range of repeats that a format can express.
pub(super) struct RepeatLimits {
    /// Length of the shortest repeat worth storing, at least 3.
    pub shortest: usize,
    /// Length of the longest repeat.
    pub longest: usize,
    /// The largest distance, at most 2¹⁶.
    pub farthest: usize,
}

/// A repeat of earlier bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repeat {
    /// The distance to the start of the repeat, at least 1.
    pub distance: usize,
    /// The length in bytes.
    pub len: usize,
}

impl Repeat {
    /// Returns the distance less 1 in the stored form of the formats: its upper and its lower byte.
    pub(super) fn distance_less_1(self) -> [u8; 2] {
        let distance = u16::try_from(self.distance.saturating_sub(1));
        distance.unwrap_or(u16::MAX).to_be_bytes()
    }
}

/// The number of index bits of the position table.
const HASH: u32 = 14;

/// Splits `input` into literals and repeats. Calls `sink` with the literals before each repeat, and with the literals after the last
/// repeat.
pub(super) fn parse(
    input: &[u8],
    limits: &RepeatLimits,
    mut sink: impl FnMut(&[u8], Option<Repeat>),
) {
    // The last position of bytes with each hash, counted from 1.
    let mut positions = vec![0_u32; 1 << HASH];
    let (mut at, mut done) = (0, 0);
    while let Some(next) = input.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        let here = u32::try_from(at + 1).unwrap_or_default();
        let position = positions
            .get_mut(hash(*next))
            .map(|p| std::mem::replace(p, here));
        let before = position.and_then(|p| (p as usize).checked_sub(1));
        let repeat = before.and_then(|before| look(input, before, at, limits));
        match repeat {
            Some(repeat) => {
                sink(input.get(done..at).unwrap_or_default(), Some(repeat));
                at += repeat.len;
                done = at;
            }
            // Data without repeats is tried at fewer positions.
            None => at += 1 + ((at - done) >> 7),
        }
    }
    let rest = input.get(done..).unwrap_or_default();
    if !rest.is_empty() {
        sink(rest, None);
    }
}

#[inline]
fn hash(bytes: [u8; 4]) -> usize {
    let [a, b, c, _] = bytes;
    let number = u32::from_le_bytes([a, b, c, 0]);
    (number.wrapping_mul(0x9E37_79B1) >> (32 - HASH)) as usize
}

/// Returns the repeat at `at` of the bytes at `before`, if the format can express it.
#[inline]
fn look(input: &[u8], before: usize, at: usize, limits: &RepeatLimits) -> Option<Repeat> {
    let distance = at.checked_sub(before)?;
    if distance == 0 || distance > limits.farthest {
        return None;
    }
    let (old, new) = (input.get(before..)?, input.get(at..)?);
    let len = common(old, new.get(..limits.longest).unwrap_or(new));
    (len >= limits.shortest).then_some(Repeat { distance, len })
}

/// Returns the length of the common prefix.
#[inline]
fn common(a: &[u8], b: &[u8]) -> usize {
    let mut len = 0;
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        let other = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if other != 0 {
            return len + (other.trailing_zeros() / 8) as usize;
        }
        len += 8;
    }
    let rest = a.iter().skip(len).zip(b.iter().skip(len));
    len + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_overlap_themselves() {
        let mut output = b"before".to_vec();
        let mut window = LzWindow::new("lz", &mut output, 20);
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
    fn parsed_pieces_restore_the_input() {
        let limits = RepeatLimits {
            shortest: 3,
            longest: 40,
            farthest: 500,
        };
        for (period, len) in [
            (1, 100),
            (3, 7),
            (7, 2000),
            (499, 3000),
            (500, 3000),
            (501, 3000),
        ] {
            let mut state = 1_u32;
            let mut next = || {
                state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
                state.to_be_bytes()[0]
            };
            let mut input: Vec<u8> = (0..period).map(|_| next()).collect();
            (period..len).for_each(|n| input.push(input[n - period]));
            input.truncate(len);
            let (mut output, mut repeats) = (vec![], 0);
            let mut window = LzWindow::new("lz", &mut output, len);
            parse(&input, &limits, |literals, repeat| {
                window.literal(literals).unwrap();
                if let Some(Repeat { distance, len }) = repeat {
                    assert!((3..=40).contains(&len) && distance <= 500);
                    window.repeat(distance, len).unwrap();
                    repeats += len;
                }
            });
            assert_eq!(output, input, "{period}");
            // The search finds most repeats, although it skips bytes.
            let most = len - period;
            assert!(
                period > 500 || repeats + 5 > most / 10 * 9,
                "{period}: {repeats}"
            );
        }
    }

    #[test]
    fn never_makes_more_than_the_limit() {
        let mut output = Vec::new();
        let mut window = LzWindow::new("lz", &mut output, 4);
        assert!(window.literal(b"abcde").is_err());
        window.literal(b"abc").unwrap();
        assert!(window.repeat(2, 2).is_err());
        window.repeat(2, 1).unwrap();
        assert_eq!(output, b"abcb");
    }
}
