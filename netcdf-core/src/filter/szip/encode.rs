//! Encodes samples, with the coding option that needs the fewest bits for each block.

use super::put::PutBits;
use super::stream::{BLOCK, PAIRS, SEGMENT, StreamCoding};
use crate::model::Endianness;

/// An encoder of one stream.
pub(super) struct SzipEncoder<'a> {
    coder: &'a StreamCoding,
    bits: PutBits<'a>,
    /// The block's index in its interval.
    number: usize,
    /// Blocks per interval.
    interval: usize,
    /// The previous sample.
    last: u32,
    /// The number of low bits that the sample splitting of the previous block used.
    split: u32,
    zeros: Zeros,
    /// The block's samples, first original, then coded.
    block: [u32; BLOCK],
}

/// A run of zero blocks not written yet.
#[derive(Default)]
struct Zeros {
    blocks: u32,
    /// The reference sample of the first zero block, if it starts an interval.
    reference: Option<u32>,
}

/// A coding option of a block, with its bits excluding option identifier and reference.
#[derive(Clone, Copy)]
enum BlockCoding {
    Pairs,
    Split(u32),
    Uncoded,
}

impl<'a> SzipEncoder<'a> {
    /// Creates an encoder that appends the stream to `output`.
    pub(super) fn new(coder: &'a StreamCoding, output: &'a mut Vec<u8>) -> Self {
        Self {
            coder,
            bits: PutBits::new(output),
            number: 0,
            interval: coder.line.div_ceil(coder.block.max(1)),
            last: 0,
            split: 0,
            zeros: Zeros::default(),
            block: [0; BLOCK],
        }
    }

    /// Appends the stream of all samples.
    pub(super) fn encode(mut self, input: &[u8]) {
        let width = self.coder.width();
        for line in input.chunks(self.coder.line.saturating_mul(width)) {
            for samples in line.chunks(self.coder.block.saturating_mul(width)) {
                self.load(samples);
                self.put();
            }
            // Lines that do not end with a block are padded; the last line is always padded.
            if !self.coder.line.is_multiple_of(self.coder.block) {
                while self.number > 0 {
                    self.load(&[]);
                    self.put();
                }
            }
        }
        self.put_zeros(false);
        self.bits.finish();
    }

    /// Loads a block. Missing samples repeat the prediction.
    fn load(&mut self, samples: &[u8]) {
        let size = self.coder.block;
        let block = self.block.get_mut(..size).unwrap_or_default();
        let n = read(samples, self.coder, block);
        let before = n.checked_sub(1).and_then(|n| block.get(n).copied());
        let padding = match self.coder.predict {
            true => before.unwrap_or(self.last),
            false => 0,
        };
        block.iter_mut().skip(n).for_each(|s| *s = padding);
    }

    /// Writes the loaded block, or counts it as a zero block.
    fn put(&mut self) {
        let reference = self.predict();
        let start = usize::from(reference.is_some());
        let samples = self.block.get(start..self.coder.block).unwrap_or_default();
        if samples.iter().all(|&s| s == 0) {
            if self.zeros.blocks == 0 {
                self.zeros.reference = reference;
            }
            self.zeros.blocks += 1;
        } else {
            self.put_zeros(false);
            self.put_samples(reference);
        }
        self.number += 1;
        if self.number == self.interval {
            self.number = 0;
        }
        if self.number.is_multiple_of(SEGMENT) {
            self.put_zeros(true);
        }
    }

    /// Converts samples to prediction errors (section 4.3). The first sample of an interval is the reference.
    fn predict(&mut self) -> Option<u32> {
        if !self.coder.predict {
            return None;
        }
        let max = self.coder.max();
        let block = self.block.get_mut(..self.coder.block).unwrap_or_default();
        let reference = match block.first_mut() {
            Some(first) if self.number == 0 => {
                self.last = *first;
                Some(std::mem::take(first))
            }
            Some(_) | None => None,
        };
        let mut last = self.last;
        for sample in block.iter_mut().skip(reference.is_some().into()) {
            last = std::mem::replace(sample, map(*sample, last, max));
        }
        self.last = last;
        reference
    }

    fn put_samples(&mut self, reference: Option<u32>) {
        let all = self.coder.block;
        let samples = self.block;
        let samples = samples.get(..all).unwrap_or_default();
        let coded = samples
            .get(usize::from(reference.is_some())..)
            .unwrap_or_default();
        let option_bits = self.coder.option_bits();
        let uncoded = (1 << option_bits) - 1;
        match self.way(samples, coded) {
            BlockCoding::Pairs => {
                self.bits.put(1, option_bits + 1);
                self.reference(reference);
                for pair in samples.as_chunks::<2>().0 {
                    self.bits.zeros(code(*pair));
                }
            }
            BlockCoding::Split(low_bits) => {
                self.bits.put(low_bits + 1, option_bits);
                self.reference(reference);
                coded.iter().for_each(|s| self.bits.zeros(s >> low_bits));
                if low_bits > 0 {
                    let mask = (1 << low_bits) - 1;
                    coded.iter().for_each(|s| self.bits.put(s & mask, low_bits));
                }
            }
            BlockCoding::Uncoded => {
                self.bits.put(uncoded, option_bits);
                self.reference(reference);
                coded
                    .iter()
                    .for_each(|s| self.bits.put(*s, self.coder.bits));
            }
        }
    }

    fn reference(&mut self, reference: Option<u32>) {
        if let Some(sample) = reference {
            self.bits.put(sample, self.coder.bits);
        }
    }

    /// Returns the coding option with the fewest bits.
    fn way(&mut self, samples: &[u32], coded: &[u32]) -> BlockCoding {
        let (split, bits) = self.best_split(coded);
        let pairs = pairs(samples).map_or(u64::MAX, |bits| bits + 1);
        let uncoded = coded.len() as u64 * u64::from(self.coder.bits);
        if uncoded <= bits.min(pairs) {
            return BlockCoding::Uncoded;
        }
        if pairs < bits {
            BlockCoding::Pairs
        } else {
            BlockCoding::Split(split)
        }
    }

    /// Returns the best number of low bits to split off, and the resulting bits of the block. The size falls and then rises with the number
    /// of low bits, so the search starts from the number of the previous block.
    fn best_split(&mut self, coded: &[u32]) -> (u32, u64) {
        let most = (1 << self.coder.option_bits()) - 3;
        let bits = |low_bits: u32| {
            let high: u64 = coded.iter().map(|&s| u64::from(s >> low_bits)).sum();
            high + coded.len() as u64 * u64::from(low_bits + 1)
        };
        let mut best = (self.split, bits(self.split));
        while best.0 < most && bits(best.0 + 1) < best.1 {
            best = (best.0 + 1, bits(best.0 + 1));
        }
        while best.0 > 0 && bits(best.0 - 1) < best.1 {
            best = (best.0 - 1, bits(best.0 - 1));
        }
        self.split = best.0;
        best
    }

    /// Writes the zero blocks. `end` is true if a segment or the interval ends after them (section 3.5.2).
    fn put_zeros(&mut self, end: bool) {
        let Zeros { blocks, reference } = std::mem::take(&mut self.zeros);
        if blocks == 0 {
            return;
        }
        self.bits.put(0, self.coder.option_bits() + 1);
        self.reference(reference);
        self.bits.zeros(match blocks {
            1..=4 => blocks - 1,
            _ if end => 4,
            _ => blocks,
        });
    }
}

/// Returns the size of the block coded as pairs, in bits, if all pairs have codes.
fn pairs(samples: &[u32]) -> Option<u64> {
    let mut bits = 0;
    for pair in samples.as_chunks::<2>().0 {
        let [a, b] = *pair;
        if a > PAIRS || b > PAIRS || code(*pair) >= PAIRS {
            return None;
        }
        bits += u64::from(code(*pair)) + 1;
    }
    Some(bits)
}

/// Returns the code of a pair. Pairs are ordered by sum, then by the second number (section 3.5.3).
fn code([a, b]: [u32; 2]) -> u32 {
    (a + b) * (a + b + 1) / 2 + b
}

/// Returns the error of predicting that `sample` equals `last`. Errors alternate above and below up to the distance to the nearer end of
/// the range. Larger errors continue in the other direction.
#[inline]
fn map(sample: u32, last: u32, max: u32) -> u32 {
    let near = last.min(max - last.min(max));
    let distance = sample.abs_diff(last);
    match distance <= near {
        true if sample >= last => 2 * distance,
        true => 2 * distance - 1,
        false => near + distance,
    }
}

/// Reads samples, and returns the number of samples.
fn read(bytes: &[u8], coder: &StreamCoding, block: &mut [u32]) -> usize {
    let max = coder.max();
    let mut fill = |samples: &mut dyn Iterator<Item = u32>| {
        let slots = block.iter_mut().zip(samples);
        slots.map(|(slot, sample)| *slot = sample & max).count()
    };
    match (coder.width(), coder.order) {
        (1, _) => fill(&mut bytes.iter().map(|&b| b.into())),
        (2, Endianness::Little) => fill(
            &mut bytes
                .as_chunks()
                .0
                .iter()
                .map(|b| u16::from_le_bytes(*b).into()),
        ),
        (2, Endianness::Big) => fill(
            &mut bytes
                .as_chunks()
                .0
                .iter()
                .map(|b| u16::from_be_bytes(*b).into()),
        ),
        (_, Endianness::Little) => {
            fill(&mut bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)))
        }
        (_, Endianness::Big) => {
            fill(&mut bytes.as_chunks().0.iter().map(|b| u32::from_be_bytes(*b)))
        }
    }
}
