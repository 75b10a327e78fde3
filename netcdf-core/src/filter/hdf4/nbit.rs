//! N-bit, an HDF4 coder: some neighbouring bits of each number.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none; HDF4's coder 2 |
//! | Names | `hdf4_nbit` |
//! | Parameters | number type, whether the sign is extended (not 0), whether unstored bits are ones (1), first bit (0 is the lowest), number of bits, number size |
//! | Stored form | the bits of all numbers without gaps, most significant bit first |
//! | Specification | none; libhdf4 defines it |
//! | Also read by | libhdf4 and software built on it |
//!
//! The stored bits are the first bit and the bits below it, down to bit 0 if the parameters specify more bits than a number has. With a
//! sign, all bits above the first bit are copies of it, and only the bits below the last stored bit can be ones.
//!
//! The coder treats the first byte of a number as the most significant byte. In little-endian numbers, the coder therefore stores other
//! bits than the writing program intended, but writing and reading agree.

use super::super::output::{bad, extend, truncated};
use super::super::{ChunkContext, Encoded, Filter, FilterEntry, read_only};
use super::{POLICY, expected, ids};
use crate::bytes::Bits;
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::NBIT,
    name: NAME,
    codec: None,
    policy: POLICY,
    named: &[],
    prepare: |_, _| Err(read_only(NAME)),
    build: |params, _| Ok(Box::new(BitField::new(params)?)),
};

const NAME: &str = "hdf4_nbit";

/// The stored bits of a number, and the values of the other bits.
#[derive(Debug, PartialEq, Eq)]
struct BitField {
    /// Number size in bytes, at most 8.
    size: usize,
    /// Stored bits, 1 to 64.
    count: u32,
    /// Bits below the stored bits.
    below: u32,
    /// The sign bit, which all bits of `above` copy; 0 without sign extension.
    sign: u64,
    /// A mask of the bits above the stored bits.
    above: u64,
    /// A mask of the bits that are always one.
    ones: u64,
}

impl Filter for BitField {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let len = expected(context, NAME)?;
        if !len.is_multiple_of(self.size) {
            let what = format_args!("{len} bytes of numbers of {} bytes", self.size);
            return Err(bad(NAME, what));
        }
        let numbers = (len / self.size) as u64;
        let bits = numbers.checked_mul(self.count.into());
        if bits.is_none_or(|bits| bits.div_ceil(8) > input.len() as u64) {
            return Err(truncated(NAME));
        }
        let (to, mut bits) = (extend(NAME, output, len)?, Bits::new(input));
        match self.size {
            1 => self.numbers(&mut bits, to.as_chunks_mut::<1>().0),
            2 => self.numbers(&mut bits, to.as_chunks_mut::<2>().0),
            4 => self.numbers(&mut bits, to.as_chunks_mut::<4>().0),
            _ => self.numbers(&mut bits, to.as_chunks_mut::<8>().0),
        }
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only(NAME))
    }
}

impl BitField {
    fn new(params: &[u32]) -> Result<Self> {
        let &[_, signed, ones, first, count, size] = params else {
            let what = format_args!("{} parameters, expected 6", params.len());
            return Err(bad(NAME, what));
        };
        if !matches!(size, 1 | 2 | 4 | 8) {
            return Err(bad(NAME, format_args!("numbers of {size} bytes")));
        }
        if first >= size * 8 || count == 0 || count > i32::MAX.unsigned_abs() {
            let what = format_args!("{count} bits from bit {first}, in numbers of {size} bytes");
            return Err(bad(NAME, what));
        }
        let count = count.min(first + 1);
        let below = first + 1 - count;
        let stored = (u64::MAX >> (64 - count)) << below;
        let under = (1 << below) - 1;
        let above = !(stored | under);
        Ok(Self {
            size: size as usize,
            count,
            below,
            sign: if signed == 0 { 0 } else { 1 << first },
            above,
            ones: match (ones, signed) {
                (1, 0) => above | under,
                (1, _) => under,
                _ => 0,
            },
        })
    }

    /// Decodes numbers of `N` bytes.
    #[inline]
    fn numbers<const N: usize>(&self, bits: &mut Bits, to: &mut [[u8; N]]) {
        for number in to {
            let value = bits.take_long(self.count) << self.below | self.ones;
            let above = if value & self.sign == 0 {
                0
            } else {
                self.above
            };
            let bytes = (value | above).to_be_bytes();
            *number = bytes.last_chunk().copied().unwrap_or([0; N]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::filter::tests::{damage, decode};

    #[test]
    fn unstored_bits() {
        let stored = [0b1010_0100];
        for (signed, ones, want) in [
            (0, 0, [0x14, 0x04]),
            (0, 1, [0xF7, 0xE7]),
            (1, 0, [0xF4, 0x04]),
            (1, 1, [0xF7, 0x07]),
            (7, 9, [0xF4, 0x04]),
        ] {
            let params = [20, signed, ones, 4, 3, 1];
            let found = decode(ids::NBIT, &params, 2, &stored).unwrap();
            assert_eq!(found, want, "{signed} {ones}");
            damage(ids::NBIT, &params, 2, &stored);
        }
    }

    #[test]
    fn parameters_are_checked() {
        let whole = [6, 1, 1, 63, 64, 8];
        assert_eq!(
            decode(ids::NBIT, &whole, 8, &[5; 8]).unwrap(),
            [5; 8],
            "all bits"
        );
        for params in [
            &[24, 0, 0, 7, 8][..],
            &[24, 0, 0, 7, 8, 0],
            &[24, 0, 0, 7, 8, 3],
            &[24, 0, 0, 7, 8, 16],
            &[24, 0, 0, 32, 8, 4],
            &[24, 0, 0, u32::MAX, 8, 4],
            &[24, 0, 0, 7, 0, 4],
            &[24, 0, 0, 7, u32::MAX, 4],
        ] {
            let e = BitField::new(params).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Corrupt, "{params:?}");
        }
        let e = decode(ids::NBIT, &whole, 12, &[5; 12]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
        let e = decode(ids::NBIT, &whole, 16, &[5; 15]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Truncated);
    }
}
