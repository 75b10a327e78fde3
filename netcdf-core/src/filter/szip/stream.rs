//! The stream of CCSDS 121.0-B: blocks of samples, each coded with the option that needs the fewest bits.

use crate::bytes::Bits;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::corrupt;
use crate::model::Endianness;

/// The coding parameters of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StreamCoding {
    /// Bits per sample, 1 to 24.
    pub bits: u32,
    /// Samples per block, 2 to [`BLOCK`].
    pub block: usize,
    /// Samples per line; a line is an interval of whole blocks.
    pub line: usize,
    /// Whether samples are predicted from the previous one (the "preprocessor").
    pub predict: bool,
    /// The byte order of decoded samples with several bytes.
    pub order: Endianness,
}

impl StreamCoding {
    /// Returns the bit count of a block's option identifier.
    pub(super) fn option_bits(&self) -> u32 {
        match self.bits {
            0..=8 => 3,
            9..=16 => 4,
            _ => 5,
        }
    }

    /// Returns the largest sample.
    pub(super) fn max(&self) -> u32 {
        u32::MAX >> (32 - self.bits.clamp(1, 32))
    }

    /// Returns the bytes of a decoded sample.
    pub(super) fn width(&self) -> usize {
        match self.bits {
            0..=8 => 1,
            9..=16 => 2,
            _ => 4,
        }
    }
}

/// Samples of the longest block.
pub(super) const BLOCK: usize = 32;

/// Blocks per segment. A run of zero blocks may extend to the segment end (section 3.5.2).
pub(super) const SEGMENT: usize = 64;

/// The number of codes of the second extension (section 3.5.3): pairs whose sum is at most 12.
pub(super) const PAIRS: u32 = 91;

/// A decoder of one stream.
pub(super) struct SzipDecoder<'a> {
    coder: &'a StreamCoding,
    bits: Bits<'a>,
    /// The number of bits of a block's option identifier.
    option_bits: u32,
    /// The block's index in its interval.
    number: usize,
    /// Blocks per interval.
    interval: usize,
    /// The previous sample.
    last: u32,
    /// Largest sample.
    max: u32,
    /// The block's samples, first as coded, then decoded.
    block: [u32; BLOCK],
}

impl<'a> SzipDecoder<'a> {
    pub(super) fn new(coder: &'a StreamCoding, stream: &'a [u8]) -> Self {
        Self {
            coder,
            bits: Bits::new(stream),
            option_bits: coder.option_bits(),
            number: 0,
            interval: coder.line.div_ceil(coder.block.max(1)),
            last: 0,
            max: coder.max(),
            block: [0; BLOCK],
        }
    }

    /// Appends `len` decoded bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] if the stream ends too early, and [`ErrorKind::Corrupt`] if the stream contradicts itself.
    pub(super) fn decode(mut self, len: usize, output: &mut Vec<u8>) -> Result<()> {
        while output.len() < len {
            self.next(output)?;
            if self.bits.is_over() {
                return Err(self.truncated());
            }
        }
        output.truncate(len);
        Ok(())
    }

    fn truncated(&self) -> Error {
        Error::new(
            ErrorKind::Truncated,
            "szip: the stream ends before the chunk is full",
        )
    }

    /// Decodes one block, or a run of zero blocks.
    fn next(&mut self, output: &mut Vec<u8>) -> Result<()> {
        let option = self.take(self.option_bits);
        let first = self.coder.predict && self.number == 0;
        let uncoded = (1 << self.option_bits) - 1;
        if option == 0 {
            return self.low_entropy(first, output);
        }
        if option == uncoded {
            let (bits, size) = (self.coder.bits, self.coder.block);
            for sample in self.block.iter_mut().take(size) {
                *sample = low(self.bits.take(bits));
            }
        } else {
            self.reference(first);
            self.split(option - 1, first)?;
        }
        self.put(first, output);
        Ok(())
    }

    /// Takes the bits of a sample, or fewer.
    #[inline]
    fn take(&mut self, bits: u32) -> u32 {
        low(self.bits.take(bits))
    }

    /// Reads the reference sample, which precedes the coded samples of an interval.
    fn reference(&mut self, first: bool) {
        if first {
            self.block[0] = self.take(self.coder.bits);
        }
    }

    /// Decodes sample splitting (section 3.3): the high bits of all samples as run lengths, then the low bits.
    fn split(&mut self, low_bits: u32, first: bool) -> Result<()> {
        let samples = self.block.iter_mut().take(self.coder.block);
        let mut bits = self.bits.clone();
        for sample in samples.skip(first.into()) {
            let Some(high) = bits.zeros() else {
                return Err(self.truncated());
            };
            *sample = high << low_bits;
        }
        if low_bits > 0 {
            let samples = self.block.iter_mut().take(self.coder.block);
            for sample in samples.skip(first.into()) {
                *sample |= low(bits.take(low_bits));
            }
        }
        self.bits = bits;
        Ok(())
    }

    fn low_entropy(&mut self, first: bool, output: &mut Vec<u8>) -> Result<()> {
        let second_extension = self.take(1) == 1;
        self.reference(first);
        let zeros = self.bits.zeros().ok_or_else(|| self.truncated());
        if !second_extension {
            return self.zero_blocks(zeros?, first, output);
        }
        let mut code = zeros?;
        for n in (0..self.coder.block).step_by(2) {
            if n > 0 {
                code = self.bits.zeros().ok_or_else(|| self.truncated())?;
            }
            let (a, b) = pair(code)?;
            let pair = self.block.get_mut(n..n + 2).unwrap_or_default();
            if let [left, right] = pair {
                *left = if first && n == 0 { *left } else { a };
                *right = b;
            }
        }
        self.put(first, output);
        Ok(())
    }

    /// Decodes a run of blocks with only zeros (section 3.5.2).
    fn zero_blocks(&mut self, zeros: u32, first: bool, output: &mut Vec<u8>) -> Result<()> {
        let left = self.interval - self.number;
        let blocks = match usize::try_from(zeros).unwrap_or(usize::MAX) {
            n @ 0..=3 => n + 1,
            4 => left.min(SEGMENT - self.number % SEGMENT),
            n => n,
        };
        if blocks > left {
            let what = format!("szip: {blocks} zero blocks, but only {left} remain");
            return Err(corrupt(what));
        }
        for n in 0..blocks {
            let first = first && n == 0;
            self.block
                .iter_mut()
                .skip(first.into())
                .for_each(|s| *s = 0);
            self.put(first, output);
        }
        Ok(())
    }

    /// Adds the prediction to a block and writes the samples.
    fn put(&mut self, first: bool, output: &mut Vec<u8>) {
        let size = self.coder.block;
        let samples = self.block.get_mut(..size).unwrap_or_default();
        if self.coder.predict {
            self.last = unmap(samples, (!first).then_some(self.last), self.max);
        }
        let done = self.number * size;
        let visible = size.min(self.coder.line.saturating_sub(done));
        let samples = self.block.get(..visible).unwrap_or_default();
        write(samples, self.coder, output);
        self.number += 1;
        if self.number == self.interval {
            self.number = 0;
        }
    }
}

/// Returns the pair for a code of the second extension. Pairs are ordered by sum, then by the second number.
fn pair(code: u32) -> Result<(u32, u32)> {
    let (mut sum, mut before) = (0, 0);
    if code >= PAIRS {
        return Err(corrupt(format!(
            "szip: code {code} of at most {}",
            PAIRS - 1
        )));
    }
    while before + sum < code {
        sum += 1;
        before += sum;
    }
    let second = code - before;
    Ok((sum - second, second))
}

/// Converts prediction errors to samples (section 4.3). The errors alternate in sign up to the distance to the nearer range limit.
/// Larger errors continue in the other direction. Without a previous sample, the first sample is the reference. Returns the last sample.
#[inline]
fn unmap(samples: &mut [u32], before: Option<u32>, max: u32) -> u32 {
    let (first, rest) = match (before, samples.split_first_mut()) {
        (Some(last), _) => (last, samples),
        (None, Some((first, rest))) => (*first, rest),
        (None, None) => return 0,
    };
    let mut last = first;
    // if no error can reach a range limit, all errors alternate in sign
    let reach = rest
        .iter()
        .map(|&error| u64::from(error / 2) + 1)
        .sum::<u64>();
    if reach <= last.min(max.wrapping_sub(last)).into() {
        for sample in rest {
            last = last.wrapping_add(signed(*sample));
            *sample = last;
        }
        return last;
    }
    let half = max / 2 + 1;
    for sample in rest {
        let error = *sample;
        let mirror = if last & half == 0 { 0 } else { max };
        let near = (error >> 1) + (error & 1) <= mirror ^ last;
        let other = mirror ^ error;
        last = if near {
            last.wrapping_add(signed(error))
        } else {
            other
        } & max;
        *sample = last;
    }
    last
}

/// Maps 0, 1, 2, 3, 4 to 0, -1, 1, -2, 2, and so on.
#[inline]
fn signed(error: u32) -> u32 {
    (error >> 1) ^ (error & 1).wrapping_neg()
}

/// Appends samples in one, two or four bytes each.
#[inline]
fn write(samples: &[u32], coder: &StreamCoding, output: &mut Vec<u8>) {
    let all = samples.iter().map(|s| s.to_le_bytes());
    match (coder.bits, coder.order) {
        (0..=8, _) => output.extend(all.map(|[a, ..]| a)),
        (9..=16, Endianness::Little) => append(all.map(|[a, b, ..]| [a, b]), output),
        (9..=16, Endianness::Big) => append(all.map(|[a, b, ..]| [b, a]), output),
        (_, Endianness::Little) => append(all, output),
        (_, Endianness::Big) => append(all.map(|[a, b, c, d]| [d, c, b, a]), output),
    }
}

/// Appends the samples of at most one block.
#[inline]
fn append<const N: usize>(samples: impl Iterator<Item = [u8; N]>, output: &mut Vec<u8>) {
    let mut block = [[0; N]; BLOCK];
    let mut len = 0;
    for (slot, sample) in block.iter_mut().zip(samples) {
        *slot = sample;
        len += N;
    }
    output.extend_from_slice(block.as_flattened().get(..len).unwrap_or_default());
}

/// Returns the lower half. The upper half is zero.
#[inline]
fn low(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
