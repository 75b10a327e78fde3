//! Encodes a chunk as blocks.

use super::codec::BloscCodec;
use super::header::{self, BloscHeader, BloscShuffle};
use super::params::BloscSettings;
use super::{BloscScratch, NAME};
use crate::error::Result;
use crate::filter::bits::transposed;
use crate::filter::output::{allocate, sized};
use crate::filter::shuffle::shuffle;
use crate::filter::user_params::wrong_length;

/// Appends the chunk that encodes `input`.
pub(super) fn chunk(choice: &BloscSettings, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    // The sizes in the header are signed.
    let most = i32::MAX.unsigned_abs() as usize - header::SIZE;
    if input.len() > most {
        return Err(wrong_length(NAME, input.len(), Some(most)));
    }
    let header = BloscHeader {
        decoded: input.len(),
        block: block_size(choice, input.len()),
        stored: 0,
        element: choice.element.into(),
        shuffle: choice.shuffle,
        copied: choice.level == 0,
        split: choice.splits(),
        codec: choice.codec,
    };
    let start = output.len();
    if !header.copied {
        compressed(&header, choice.level, input, output)?;
    }
    let made = output.len().saturating_sub(start);
    if header.copied || made >= input.len().saturating_add(header::SIZE) {
        output.truncate(start);
        return copied(header, input, output);
    }
    let bytes = BloscHeader {
        stored: made,
        ..header
    };
    if let Some(slot) = output.get_mut(start..).and_then(|o| o.first_chunk_mut()) {
        *slot = bytes.write();
    }
    Ok(())
}

/// Appends a chunk without compression.
fn copied(header: BloscHeader, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    let stored = input.len().saturating_add(header::SIZE);
    allocate(NAME, output, stored)?;
    let header = BloscHeader {
        stored,
        copied: true,
        ..header
    };
    output.extend_from_slice(&header.write());
    output.extend_from_slice(input);
    Ok(())
}

/// Appends the header, the offsets and the blocks.
fn compressed(header: &BloscHeader, level: u32, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    let start = output.len();
    let blocks = input.len().div_ceil(header.block.max(1));
    let table = start.saturating_add(header::SIZE);
    allocate(NAME, output, input.len() / 2)?;
    output.resize(table.saturating_add(blocks.saturating_mul(4)), 0);
    let mut scratch = BloscScratch::default();
    for (n, block) in input.chunks(header.block.max(1)).enumerate() {
        let offset = u32::try_from(output.len().saturating_sub(start)).unwrap_or(u32::MAX);
        let slot = output.get_mut(table.saturating_add(n.saturating_mul(4))..);
        if let Some(slot) = slot.and_then(|o| o.first_chunk_mut()) {
            *slot = offset.to_le_bytes();
        }
        header.encode_block(level, block, &mut scratch, output)?;
    }
    Ok(())
}

impl BloscHeader {
    fn encode_block(
        &self,
        level: u32,
        block: &[u8],
        scratch: &mut BloscScratch,
        output: &mut Vec<u8>,
    ) -> Result<()> {
        let BloscScratch { shuffled, planes } = scratch;
        shuffled.clear();
        let elements = block.len() / self.element;
        let block = match self.shuffle {
            BloscShuffle::None => block,
            BloscShuffle::Bytes => {
                shuffle(self.element, block, shuffled);
                shuffled
            }
            BloscShuffle::Bits if elements.is_multiple_of(8) => {
                let (whole, rest) = block.split_at(elements.saturating_mul(self.element));
                transposed(whole, self.element, planes, shuffled);
                shuffled.extend_from_slice(rest);
                shuffled
            }
            BloscShuffle::Bits => block,
        };
        let streams = if self.splits(block.len()) {
            self.element
        } else {
            1
        };
        for stream in block.chunks((block.len() / streams).max(1)) {
            sized(output, u32::to_le_bytes, |output| {
                let start = output.len();
                self.codec.encode(level, stream, output)?;
                // Readers take a stream for uncompressed bytes if its stored length equals its decoded length.
                if output.len().saturating_sub(start) >= stream.len() {
                    output.truncate(start);
                    output.extend_from_slice(stream);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Minimum bytes per block: many small blocks take long.
const MIN_BLOCK: usize = 128;

/// Returns the bytes per block: the requested size, or whole elements that fit a cache. Blocks are larger for higher levels, for codecs
/// with large windows, and if each byte of the elements has its own stream.
fn block_size(choice: &BloscSettings, len: usize) -> usize {
    let element = usize::from(choice.element);
    let far = match choice.codec {
        BloscCodec::Zlib | BloscCodec::Zstd => 2,
        BloscCodec::BloscLz | BloscCodec::Lz4 | BloscCodec::Snappy => 1,
    };
    let kib = match choice.level {
        0..=2 => 32,
        3 => 64,
        4 | 5 => 128,
        _ => 256,
    };
    let streams = if choice.splits() { element.min(8) } else { 1 };
    let bytes: usize = kib * 1024 * far * streams.min(1024 / kib);
    // Bits are shuffled in groups of 8 elements.
    let whole = element * 8;
    let bytes = match choice.block {
        0 => bytes,
        block => block.max(whole).clamp(MIN_BLOCK, header::MAX_BLOCK),
    };
    match len <= bytes {
        true => single(choice, len),
        false => (bytes - bytes % whole).max(whole),
    }
}

/// Returns the bytes of the block for a chunk that fits one block. The block has whole elements, because readers divide it into streams of
/// equal length. A short undivided block follows for the remaining chunk bytes.
fn single(choice: &BloscSettings, len: usize) -> usize {
    let element = usize::from(choice.element);
    let unit = match choice.shuffle {
        // Smaller blocks are not shuffled.
        BloscShuffle::Bits if len > element * 8 => element * 8,
        BloscShuffle::None | BloscShuffle::Bytes | BloscShuffle::Bits => element,
    };
    match len < element {
        true => len.max(1),
        false => len - len % unit,
    }
}
