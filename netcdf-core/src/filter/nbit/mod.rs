//! N-bit: numbers without unused bits.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 5 |
//! | Names | `nbit` |
//! | Parameters | stored: the number of parameters, 1 for an unchanged chunk, chunk elements, then the type. A type is 1, bytes, byte order (1 big-endian), precision, offset for a number; 2, bytes, element type for an array; 3, bytes, members, then offset and type of each member for a compound; 4, bytes for a type without packing |
//! | Stored form | the significant bits of all numbers without gaps, most significant bit first |
//! | Specification | HDF5 file format, "N-bit filter"; unspecified details are as in libhdf5 |
//! | Also read by | libhdf5 and software built on it, jhdf in part |
//!
//! Bits outside the precision decode to zero: sign extension is part of type conversion, not of the filter.

use super::output::{allocate, extend};
use super::{
    ChunkContext, Encoded, Filter, FilterEntry, FilterReplacement, Policy, corrupt, read_only,
};
use crate::bytes::Bits;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Endianness;

mod packing;

use packing::{NbitPacking, PackedNumber};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 5,
    name: "nbit",
    codec: None,
    policy: Policy {
        read_only: Some(is_whole),
        in_zarr: |_, _| FilterReplacement::Drop,
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |_, _| Err(read_only("nbit")),
    build: |params, _| Ok(Box::new(Nbit::new(params)?)),
};

/// Checks whether chunks with these parameters contain whole elements of this size in bytes.
fn is_whole(params: &[u32], size: u64) -> bool {
    let whole = params.get(1).is_some_and(|&whole| whole != 0);
    whole && params.get(4).is_none_or(|&n| u64::from(n) == size)
}

/// The filter's parameters.
enum Nbit {
    /// Chunks are stored unchanged.
    Plain,
    /// The number of elements, and their type and size in bytes.
    Packed {
        elements: u32,
        size: usize,
        packing: NbitPacking,
    },
}

impl Filter for Nbit {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        match self {
            Self::Plain => context.clone(),
            Self::Packed { .. } => context.of_any_length(),
        }
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let Self::Packed {
            elements,
            size,
            packing,
        } = self
        else {
            allocate("nbit", output, input.len())?;
            output.extend_from_slice(input);
            return Ok(());
        };
        let bytes = u64::from(*elements).saturating_mul(*size as u64);
        let len = context.checked_len(bytes, "nbit")?;
        let bits = u64::from(*elements).saturating_mul(packing.bits());
        if bits.div_ceil(8) > input.len() as u64 {
            let what = format!("nbit: {} bytes, expected {}", input.len(), bits.div_ceil(8));
            return Err(Error::new(ErrorKind::Truncated, what));
        }
        extend("nbit", output, len)?;
        unpack(packing, *size, &mut Bits::new(input), output);
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only("nbit"))
    }
}

impl Nbit {
    fn new(params: &[u32]) -> Result<Self> {
        let [count, plain, elements, ty @ ..] = params else {
            let what = format!("nbit: {} parameters, expected more", params.len());
            return Err(corrupt(what));
        };
        if u64::from(*count) != params.len() as u64 {
            let what = format!("nbit: {} parameters, expected {count}", params.len());
            return Err(corrupt(what));
        }
        if *plain != 0 {
            return Ok(Self::Plain);
        }
        let (packing, size) = NbitPacking::parse(ty)?;
        Ok(Self::Packed {
            elements: *elements,
            size,
            packing,
        })
    }
}

/// Unpacks `size`-byte elements into the zeroed buffer `to`.
fn unpack(packing: &NbitPacking, size: usize, bits: &mut Bits, to: &mut [u8]) {
    match packing {
        NbitPacking::Number(number) => match number.size {
            1 => numbers(number, bits, to.as_chunks_mut::<1>().0),
            2 => numbers(number, bits, to.as_chunks_mut::<2>().0),
            4 => numbers(number, bits, to.as_chunks_mut::<4>().0),
            8 => numbers(number, bits, to.as_chunks_mut::<8>().0),
            _ => to
                .chunks_exact_mut(size)
                .for_each(|e| long(number, bits, e)),
        },
        NbitPacking::Bytes(_) => to.iter_mut().for_each(|byte| *byte = low(bits.take(8))),
        NbitPacking::Array { len, step, of } => to.chunks_exact_mut(size).for_each(|e| {
            let elements = e.get_mut(..len.saturating_mul(*step)).unwrap_or_default();
            unpack(of, *step, bits, elements);
        }),
        NbitPacking::Compound(members) => to.chunks_exact_mut(size).for_each(|e| {
            for (range, member) in members {
                let to = e.get_mut(range.clone()).unwrap_or_default();
                unpack(member, range.len(), bits, to);
            }
        }),
    }
}

/// Unpacks numbers of at most eight bytes.
fn numbers<const N: usize>(number: &PackedNumber, bits: &mut Bits, to: &mut [[u8; N]]) {
    for element in to {
        let value = bits.take_long(number.precision) << number.offset;
        let bytes = value.to_le_bytes();
        *element = bytes.first_chunk().copied().unwrap_or([0; N]);
        if number.order == Endianness::Big {
            element.reverse();
        }
    }
}

/// Unpacks a number of any size, byte by byte from the most significant one.
fn long(number: &PackedNumber, bits: &mut Bits, element: &mut [u8]) {
    let bytes: &mut dyn DoubleEndedIterator<Item = &mut u8> = &mut element.iter_mut();
    let end = number.offset + number.precision;
    let mut fill = |first_bit: u32, byte: &mut u8| {
        let (from, to) = (first_bit.max(number.offset), (first_bit + 8).min(end));
        if from < to {
            *byte = low(bits.take(to - from) << (from - first_bit));
        }
    };
    let shifts = (0..number.size).rev().map(|n| n * 8);
    match number.order {
        Endianness::Little => shifts.zip(bytes.rev()).for_each(|(at, b)| fill(at, b)),
        Endianness::Big => shifts.zip(bytes).for_each(|(at, b)| fill(at, b)),
    }
}

/// Returns the lowest byte.
fn low(value: u64) -> u8 {
    value.to_le_bytes()[0]
}
