//! Run lengths, an HDF4 coder.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none; HDF4's coder 1 |
//! | Names | `hdf4_rle` |
//! | Parameters | none |
//! | Stored form | runs, without an end mark |
//! | Specification | none; libhdf4 defines it |
//! | Also read by | libhdf4 and software built on it |
//!
//! A byte of 128 or more starts a repetition: the next byte is repeated 3 to 130 times, the value less 125. A smaller byte starts a run of
//! 1 to 128 literal bytes, one more than its value.

use super::super::output::{allocate, bad, take, truncated};
use super::super::{ChunkContext, Encoded, Filter, FilterEntry, read_only};
use super::{POLICY, expected, ids};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::RLE,
    name: NAME,
    codec: None,
    policy: POLICY,
    named: &[],
    prepare: |_, _| Err(read_only(NAME)),
    build: |_, _| Ok(Box::new(Rle)),
};

const NAME: &str = "hdf4_rle";

/// The smallest byte that starts a repetition. It repeats three bytes.
const REPEATED: u8 = 128;

/// The maximum decoded bytes per stream byte: two stream bytes decode to at most 130 bytes.
const RATIO: usize = 65;

struct Rle;

impl Filter for Rle {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let len = expected(context, NAME)?;
        allocate(NAME, output, input.len().saturating_mul(RATIO).min(len))?;
        let mut input = input;
        while output.len() < len {
            run(&mut input, len.saturating_sub(output.len()), output)?;
        }
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only(NAME))
    }
}

/// Decodes a run of at most `left` bytes.
#[inline]
fn run(input: &mut &[u8], left: usize, output: &mut Vec<u8>) -> Result<()> {
    let (&head, rest) = input.split_first().ok_or_else(|| truncated(NAME))?;
    *input = rest;
    let count = match head {
        REPEATED.. => usize::from(head - REPEATED) + 3,
        _ => usize::from(head) + 1,
    };
    if count > left {
        let what = format_args!("a run of {count} bytes, expected at most {left}");
        return Err(bad(NAME, what));
    }
    if head < REPEATED {
        output.extend_from_slice(take(NAME, input, count)?);
        return Ok(());
    }
    let (&byte, rest) = input.split_first().ok_or_else(|| truncated(NAME))?;
    *input = rest;
    output.resize(output.len().saturating_add(count), byte);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::filter::tests::{damage, decode};

    #[test]
    fn runs_of_both_kinds() {
        let stored = [0x80, 7, 0x02, 1, 2, 3, 0xFF, 9, 0x00, 4];
        let mut data = vec![7, 7, 7, 1, 2, 3];
        data.extend([9; 130]);
        data.push(4);
        assert_eq!(decode(ids::RLE, &[], 137, &stored).unwrap(), data);
        damage(ids::RLE, &[], 137, &stored);
    }

    #[test]
    fn bytes_after_the_data_are_ignored() {
        assert_eq!(decode(ids::RLE, &[], 3, &[0x80, 7, 0x85]).unwrap(), [7; 3]);
        assert!(decode(ids::RLE, &[], 0, &[0x85]).unwrap().is_empty());
    }

    #[test]
    fn runs_that_are_too_long_are_corrupt() {
        for stored in [&[0x81, 7][..], &[0x03, 1, 2, 3, 4]] {
            let e = decode(ids::RLE, &[], 3, stored).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Corrupt);
        }
        for stored in [&[][..], &[0x80], &[0x02, 1, 2]] {
            let e = decode(ids::RLE, &[], 3, stored).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Truncated);
        }
    }
}
