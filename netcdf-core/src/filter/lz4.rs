//! LZ4 in the framing of the HDF5 filter: LZ77 with distances up to 64 KiB, fast to decode.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 32004 |
//! | Names | `lz4` |
//! | Parameters | bytes per block, default 0 for 1 GiB; stored and user's parameters are the same |
//! | Specification | LZ4 block format; the framing: `HDF5_LZ4.pdf` of the filter's authors |
//! | Also read by | hdf5plugin, the HDF Group's plugins, detector software (Dectris) |
//!
//! A chunk is its decoded size (`u64`), the decoded block size (`u32`), and the stored size (`u32`) and bytes of each block, all
//! big-endian. The last block has the remaining bytes. A block whose stored size equals its decoded size is not compressed.

use super::output::{append_with, array, bad, extend, reserve, sized, take};
use super::parameter_names::{Parameter, ParameterMode};
use std::cell::RefCell;

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

use super::codec::ids;
use super::user_params::wrong;
use super::{ChunkContext, Encoded, Filter, FilterEntry, FilterReplacement, Policy};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 32004,
    name: NAME,
    codec: None,
    policy: Policy {
        in_zarr: |_, _| FilterReplacement::substitute(ids::LZ4, &[1]),
        ..Policy::PLAIN
    },
    named: &[ParameterMode::of(&[Parameter::number("block", 0)])],
    prepare: |_, user| match user {
        [] => Ok(vec![]),
        [block] if *block <= MAX_BLOCK => Ok(vec![*block]),
        _ => Err(wrong(
            NAME,
            format_args!("at most one size of a block, up to {MAX_BLOCK} bytes"),
            user,
        )),
    },
    build: |params, _| {
        let block = params
            .first()
            .copied()
            .filter(|&n| (1..=MAX_BLOCK).contains(&n));
        Ok(Box::new(Lz4Filter {
            block: block.unwrap_or(1 << 30),
        }))
    },
};

const NAME: &str = "lz4";

/// The maximum block size of LZ4.
pub(super) const MAX_BLOCK: u32 = 0x7E00_0000;

struct Lz4Filter {
    /// Bytes per block for encoding.
    block: u32,
}

impl Filter for Lz4Filter {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let mut input = input;
        let total = u64::from_be_bytes(array(NAME, &mut input)?);
        let total = reserve(NAME, context, total, output)?;
        let block = u32::from_be_bytes(array(NAME, &mut input)?) as usize;
        while output.len() < total {
            let n = block.min(total.saturating_sub(output.len()));
            if n == 0 {
                return Err(bad(NAME, "blocks of 0 bytes"));
            }
            let stored = u32::from_be_bytes(array(NAME, &mut input)?) as usize;
            let stored = take(NAME, &mut input, stored)?;
            if stored.len() == n {
                output.extend_from_slice(stored);
            } else {
                block_into(NAME, stored, n, output)?;
            }
        }
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        let len = u32::try_from(input.len()).unwrap_or(u32::MAX);
        let block = self.block.min(len);
        output.extend_from_slice(&(input.len() as u64).to_be_bytes());
        output.extend_from_slice(&block.to_be_bytes());
        for block in input.chunks(block.max(1) as usize) {
            sized(output, u32::to_be_bytes, |output| {
                let start = output.len();
                compress(NAME, block, output)?;
                if output.len().saturating_sub(start) >= block.len() {
                    output.truncate(start);
                    output.extend_from_slice(block);
                }
                Ok(())
            })?;
        }
        Ok(Encoded::Applied)
    }
}

/// Appends `input` compressed as an LZ4 block, for `filter`.
pub(super) fn compress(filter: &str, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    thread_local! {
        static SMALL: RefCell<CompressTable> = RefCell::new(CompressTable::small());
        static LARGE: RefCell<CompressTable> = RefCell::new(CompressTable::large());
    }
    let kept = if input.len() < 1 << 15 {
        &SMALL
    } else {
        &LARGE
    };
    append_with(
        filter,
        output,
        get_maximum_output_size(input.len()),
        |room| {
            let made = kept.with_borrow_mut(|table| compress_into_with_table(input, room, table));
            made.map_err(|e| bad(filter, e))
        },
    )
}

/// The maximum decoded bytes per LZ4 byte.
const MAX_PER_BYTE: usize = 255;

/// Appends the `n` decoded bytes of one LZ4 block, for `filter`.
pub(super) fn block_into(filter: &str, block: &[u8], n: usize, output: &mut Vec<u8>) -> Result<()> {
    if n / MAX_PER_BYTE > block.len() {
        let stored = block.len();
        let what = format_args!("{stored} bytes of LZ4 cannot decode to {n} bytes");
        return Err(bad(filter, what));
    }
    let target = extend(filter, output, n)?;
    match lz4_flex::block::decompress_into(block, target) {
        Ok(len) if len == n => Ok(()),
        Ok(len) => Err(bad(
            filter,
            format_args!("an LZ4 block decodes to {len} bytes, expected {n}"),
        )),
        Err(e) => Err(bad(filter, format_args!("a bad LZ4 block: {e}"))),
    }
}
