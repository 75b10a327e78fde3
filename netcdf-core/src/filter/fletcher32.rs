//! Fletcher32: a checksum after the data.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 3 |
//! | Names | `fletcher32` |
//! | Parameters | none |
//! | Stored form | the data, then two sums of 16 bits as one little-endian number, the second sum in the upper half |
//! | Specification | HDF5 file format, "Fletcher32 filter": sums of big-endian words modulo 65535; an odd last byte is the upper half of a word |
//! | Also read by | every HDF5 library |
//!
//! libhdf5 before release 1.6.3 swapped the bytes of both sums on little-endian machines. Like libhdf5, we also accept swapped sums.

use super::codec::CodecStage;
use super::output::allocate;
use super::user_params::none;
use super::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy, StrictCheck};
use crate::error::{Error, ErrorKind, Result};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 3,
    name: "fletcher32",
    codec: Some(CodecNames {
        name: "fletcher32",
        v3: "numcodecs.fletcher32",
        stage: CodecStage::Bytes,
        read: |_| Ok(vec![]),
        write: |_, _| Ok(vec![]),
    }),
    policy: Policy {
        rank: 0,
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |_, user| none("fletcher32", user),
    build: |_, _| Ok(Box::new(Fletcher32)),
};

/// Bytes of the checksum.
const SIZE: usize = 4;

struct Fletcher32;

impl Filter for Fletcher32 {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        ChunkContext {
            len: context.len.and_then(|len| len.checked_add(SIZE)),
            ..context.clone()
        }
    }

    fn decode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let Some((data, stored)) = input.split_last_chunk::<SIZE>() else {
            let what = format!(
                "fletcher32: {} bytes are too few for a checksum",
                input.len()
            );
            return Err(Error::new(ErrorKind::Truncated, what));
        };
        let (found, stored) = (checksum(data), u32::from_le_bytes(*stored));
        let [a, b, c, d] = found.to_be_bytes();
        let fits = stored == found || stored == u32::from_be_bytes([b, a, d, c]);
        if !fits && !cfg!(fuzzing) {
            let what = format!("fletcher32: checksum {found:08x}, stored is {stored:08x}");
            return Err(Error::new(ErrorKind::Checksum, what));
        }
        allocate("fletcher32", output, data.len())?;
        output.extend_from_slice(data);
        Ok(())
    }

    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Decoding
    }

    /// numcodecs rejects swapped sums.
    fn decode_strictly(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<bool> {
        self.decode(context, input, output)?;
        Ok(input.ends_with(&checksum(output).to_le_bytes()))
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        output.reserve(input.len().saturating_add(SIZE));
        output.extend_from_slice(input);
        output.extend_from_slice(&checksum(input).to_le_bytes());
        Ok(Encoded::Applied)
    }
}

/// Words summed in parallel.
const LANES: usize = 16;
/// Words of a lane between two reductions: the sum of sums stays below 2³².
const STEPS: usize = 256;

/// Returns both sums, the second in the upper half.
pub(super) fn checksum(data: &[u8]) -> u32 {
    let (mut first, mut second) = (0, 0);
    let (words, odd) = data.as_chunks::<2>();
    for block in words.chunks(LANES * STEPS) {
        (first, second) = add(first, second, block);
    }
    if let [byte] = odd {
        (first, second) = add(first, second, &[[*byte, 0]]);
    }
    second << 16 | first
}

/// Returns both sums after more words. The second sum counts a word once, and once more for each word after it.
fn add(first: u32, second: u32, words: &[[u8; 2]]) -> (u32, u32) {
    let (rows, rest) = words.as_chunks::<LANES>();
    let (mut sums, mut sums_of_sums) = ([0_u32; LANES], [0_u32; LANES]);
    for row in rows {
        for ((sum, sums), word) in sums.iter_mut().zip(&mut sums_of_sums).zip(row) {
            *sum += u32::from(u16::from_be_bytes(*word));
            *sums += *sum;
        }
    }
    let (mut a, mut b) = (u64::from(first), u64::from(second));
    b += a * (rows.len() * LANES) as u64;
    b += LANES as u64 * sums_of_sums.iter().copied().map(u64::from).sum::<u64>();
    for (lane, sum) in (0_u64..).zip(sums) {
        a += u64::from(sum);
        b -= lane * u64::from(sum);
    }
    for word in rest {
        a += u64::from(u16::from_be_bytes(*word));
        b += a;
    }
    (reduce(a), reduce(b))
}

/// Returns the sum modulo 65535, with 65535 instead of zero unless the sum is zero: the result of adding with end-around carry.
fn reduce(mut sum: u64) -> u32 {
    while sum >> 16 != 0 {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    u32::try_from(sum).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::{build, context, damage, decode};

    /// Computes the checksum word by word.
    fn plain(data: &[u8]) -> u32 {
        let (mut first, mut second) = (0_u32, 0_u32);
        for word in data.chunks(2) {
            first += u32::from(word[0]) << 8 | u32::from(*word.get(1).unwrap_or(&0));
            first = (first & 0xFFFF) + (first >> 16);
            second += first;
            second = (second & 0xFFFF) + (second >> 16);
        }
        second << 16 | first
    }

    #[test]
    fn sums_match_the_definition() {
        let data: Vec<u8> = (0..40_000_u32)
            .map(|n| u8::try_from(n * n / 5 % 256).unwrap())
            .collect();
        for len in (0..200).chain([8191, 8192, 8193, 8194, 20_001, 40_000]) {
            assert_eq!(checksum(&data[..len]), plain(&data[..len]), "{len}");
            assert_eq!(checksum(&vec![255; len]), plain(&vec![255; len]), "{len}");
            assert_eq!(checksum(&vec![0; len]), 0);
        }
    }

    #[test]
    fn accepts_both_byte_orders() {
        let mut stored = b"abcde".to_vec();
        let sum = plain(b"abcde").to_le_bytes();
        stored.extend(sum);
        assert_eq!(decode(3, &[], 5, &stored).unwrap(), b"abcde");
        stored.truncate(5);
        stored.extend([sum[1], sum[0], sum[3], sum[2]]);
        assert_eq!(decode(3, &[], 5, &stored).unwrap(), b"abcde");
        stored[0] ^= 1;
        let e = decode(3, &[], 5, &stored).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Checksum);
    }

    #[test]
    fn round_trips_and_notices_damage() {
        for len in [0, 1, 2, 3, 64, 99] {
            let data = vec![0x5A; len];
            let (context, mut stored) = (context(len, 1), vec![]);
            let filter = build(3, &[], &context).unwrap();
            assert_eq!(filter.output(&context).len, Some(len + 4));
            filter.encode(&context, &data, &mut stored).unwrap();
            assert_eq!(stored.len(), len + 4);
            assert_eq!(decode(3, &[], len, &stored).unwrap(), data);
            damage(3, &[], len, &stored);
            for n in 0..stored.len() {
                stored[n] ^= 0x10;
                assert!(decode(3, &[], len, &stored).is_err());
                stored[n] ^= 0x10;
            }
        }
        let e = decode(3, &[], 0, &[1, 2, 3]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Truncated);
    }
}
