//! Scale-offset: stores numbers relative to their minimum, in as few bits as possible.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 6 |
//! | Names | `scaleoffset` |
//! | Parameters | stored, 20: kind (0 decimal scaling of floats, 1 undefined binary scaling, 2 integers), factor (decimal digits, or bits of an integer, 0 for the minimum), chunk elements, class (0 integer, 1 float), element size, signed, byte order (1 big-endian), whether a fill value exists, and the fill value bytes from the least significant on |
//! | Stored form | bits per number (4 bytes), 8, the minimum (8 bytes), 8 zeros, all little-endian; then the numbers without gaps, most significant bit first |
//! | Specification | HDF5 file format, "Scale-offset filter"; unspecified details are as in libhdf5 |
//! | Also read by | libhdf5 and software built on it, jhdf in part |
//!
//! A number with all bits set is the fill value, if one exists. If the bit count equals the type's bits, elements are stored
//! unchanged, little-endian. The encoder rounds floats to decimal digits. The decoder divides the number by a power of ten and adds the
//! minimum, both in the type's precision.

use super::output::{allocate, extend};
use super::{
    ChunkContext, Encoded, Filter, FilterEntry, FilterReplacement, Policy, corrupt, read_only,
};
use crate::bytes::Bits;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Endianness;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 6,
    name: "scaleoffset",
    codec: None,
    policy: Policy {
        lossy: |_| true,
        read_only: Some(is_whole),
        in_zarr: |_, _| FilterReplacement::Drop,
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |_, _| Err(read_only("scaleoffset")),
    build: |params, _| Ok(Box::new(ScaleOffset::new(params)?)),
};

/// Bytes before the numbers.
const HEADER: usize = 21;

/// Checks whether chunks with these parameters contain elements of this size in bytes.
fn is_whole(params: &[u32], size: u64) -> bool {
    params.get(4).is_none_or(|&n| u64::from(n) == size)
}

/// The filter's parameters.
struct ScaleOffset {
    elements: u32,
    size: u32,
    order: Endianness,
    /// Bits of the fill value.
    fill: Option<u64>,
    scale: Scale,
}

/// The scaling of the numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Elements are stored unchanged.
    None,
    Integer,
    /// A float times this power of ten.
    Decimal(i32),
}

/// The header before the numbers of a chunk.
struct ScaleHeader {
    /// Bits of each number.
    bits: u32,
    /// The minimum, or its bits.
    least: u64,
}

impl Filter for ScaleOffset {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        match self.scale {
            Scale::None => context.clone(),
            Scale::Integer | Scale::Decimal(_) => context.of_any_length(),
        }
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        if self.scale == Scale::None {
            allocate("scaleoffset", output, input.len())?;
            output.extend_from_slice(input);
            return Ok(());
        }
        let bytes = u64::from(self.elements) * u64::from(self.size);
        let len = context.checked_len(bytes, "scaleoffset")?;
        let (header, numbers) = self.header(input)?;
        extend("scaleoffset", output, len)?;
        match self.size {
            1 => self.elements(&header, numbers, output.as_chunks_mut::<1>().0),
            2 => self.elements(&header, numbers, output.as_chunks_mut::<2>().0),
            4 => self.elements(&header, numbers, output.as_chunks_mut::<4>().0),
            _ => self.elements(&header, numbers, output.as_chunks_mut::<8>().0),
        }
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only("scaleoffset"))
    }
}

impl ScaleOffset {
    fn new(params: &[u32]) -> Result<Self> {
        let &[
            kind,
            factor,
            elements,
            class,
            size,
            _,
            order,
            filled,
            low,
            high,
            ..,
        ] = params
        else {
            let what = format!("scaleoffset: {} parameters, expected 20", params.len());
            return Err(corrupt(what));
        };
        let order = match order {
            0 => Endianness::Little,
            1 => Endianness::Big,
            other => return Err(corrupt(format!("scaleoffset: byte order {other}"))),
        };
        let fill = (filled != 0).then_some(u64::from(high) << 32 | u64::from(low));
        Ok(Self {
            elements,
            size,
            order,
            fill,
            scale: Scale::new(kind, factor.cast_signed(), (class, size))?,
        })
    }

    /// Returns the chunk header, and the numbers after it.
    fn header<'a>(&self, input: &'a [u8]) -> Result<(ScaleHeader, &'a [u8])> {
        let (head, numbers) = input
            .split_first_chunk::<HEADER>()
            .ok_or_else(|| truncated(HEADER as u64, input.len()))?;
        let [a, b, c, d, width, least @ ..] = *head;
        let bits = u32::from_le_bytes([a, b, c, d]);
        if bits > self.size * 8 {
            let what = format!("scaleoffset: {bits} bits in {} bytes", self.size);
            return Err(corrupt(what));
        }
        let bytes = (u64::from(self.elements) * u64::from(bits)).div_ceil(8);
        if bytes > numbers.len() as u64 {
            return Err(truncated(bytes.saturating_add(HEADER as u64), input.len()));
        }
        let least = least.iter().take(width.min(8).into()).rev();
        let least = least.fold(0, |value, &byte| value << 8 | u64::from(byte));
        Ok((ScaleHeader { bits, least }, numbers))
    }

    /// Decodes all elements of a chunk.
    fn elements<const N: usize>(&self, header: &ScaleHeader, numbers: &[u8], to: &mut [[u8; N]]) {
        if header.bits == self.size * 8 {
            let (stored, _) = numbers.as_chunks::<N>();
            let pairs = to.iter_mut().zip(stored);
            return pairs.for_each(|(to, from)| *to = ordered(*from, self.order));
        }
        match self.scale {
            Scale::None | Scale::Integer => {
                let value = |n: u64| n.wrapping_add(header.least);
                self.values(header, numbers, to, value);
            }
            Scale::Decimal(digits) if N == 4 => {
                let power = power_of_ten::<f32>(digits);
                let [a, b, c, d, ..] = header.least.to_le_bytes();
                let least = f32::from_le_bytes([a, b, c, d]);
                let value = |n: u64| u64::from((n as f32 / power + least).to_bits());
                self.values(header, numbers, to, value);
            }
            Scale::Decimal(digits) => {
                let power = power_of_ten::<f64>(digits);
                let least = f64::from_bits(header.least);
                let value = |n: u64| (n as f64 / power + least).to_bits();
                self.values(header, numbers, to, value);
            }
        }
    }

    /// Writes all elements: the `value` of each number, or the fill value.
    #[inline]
    fn values<const N: usize>(
        &self,
        header: &ScaleHeader,
        numbers: &[u8],
        to: &mut [[u8; N]],
        value: impl Fn(u64) -> u64,
    ) {
        let mut bits = Bits::new(numbers);
        let all_set = (1_u64 << header.bits.min(63)) - 1;
        for element in to {
            let number = bits.take_long(header.bits);
            let whole = match self.fill {
                Some(fill) if number == all_set => fill,
                Some(_) | None => value(number),
            };
            let bytes = whole.to_le_bytes();
            let bytes = bytes.first_chunk().copied().unwrap_or([0; N]);
            *element = ordered(bytes, self.order);
        }
    }
}

impl Scale {
    fn new(kind: u32, factor: i32, (class, size): (u32, u32)) -> Result<Self> {
        match (kind, class, size) {
            (2, 0, 1 | 2 | 4 | 8) if i64::from(factor) == i64::from(size) * 8 => Ok(Self::None),
            (2, 0, 1 | 2 | 4 | 8) if i64::from(factor) < i64::from(size) * 8 => Ok(Self::Integer),
            (0, 1, 4 | 8) => Ok(Self::Decimal(factor)),
            (1, 1, _) => Err(Error::new(
                ErrorKind::Unsupported,
                "scaleoffset: binary scaling, which was never defined",
            )),
            _ => Err(corrupt(format!(
                "scaleoffset: kind {kind} with factor {factor} for class {class} of {size} bytes"
            ))),
        }
    }
}

/// Converts little-endian bytes to a byte order.
#[inline]
fn ordered<const N: usize>(mut bytes: [u8; N], order: Endianness) -> [u8; N] {
    if order == Endianness::Big {
        bytes.reverse();
    }
    bytes
}

/// Returns the float nearest to a power of ten, identical on every machine.
fn power_of_ten<T: std::str::FromStr + From<u8>>(digits: i32) -> T {
    format!("1e{digits}").parse().unwrap_or_else(|_| T::from(1))
}

fn truncated(wanted: u64, found: usize) -> Error {
    let what = format!("scaleoffset: {found} bytes, expected {wanted}");
    Error::new(ErrorKind::Truncated, what)
}
