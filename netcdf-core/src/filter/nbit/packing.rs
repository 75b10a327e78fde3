//! Type descriptions in the parameters of the N-bit filter.

use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};
use crate::filter::corrupt;
use crate::model::Endianness;

/// The stored bits of an element.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NbitPacking {
    /// The significant bits of a number.
    Number(PackedNumber),
    /// All bytes of a type with this size.
    Bytes(usize),
    /// One packing for each of `len` elements of `step` bytes.
    Array {
        len: usize,
        step: usize,
        of: Box<NbitPacking>,
    },
    /// The byte range of each member within the compound, with its packing.
    Compound(Vec<(Range<usize>, NbitPacking)>),
}

/// A number of `size` bytes with significant bits `offset` to `offset + precision`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PackedNumber {
    pub size: u32,
    pub order: Endianness,
    pub precision: u32,
    pub offset: u32,
}

/// The maximum size of a number in bytes; HDF5's built-in numbers have at most 16.
const MAX_SIZE: u32 = 1 << 16;

/// The maximum type nesting depth.
const DEPTH: u32 = 32;

impl NbitPacking {
    /// Returns the type at the start of `params`, and its size in bytes.
    pub(super) fn parse(params: &[u32]) -> Result<(Self, usize)> {
        Params(params).ty(DEPTH)
    }

    /// Returns the bit count of a stored element, at least one.
    pub(super) fn bits(&self) -> u64 {
        match self {
            Self::Number(number) => number.precision.into(),
            Self::Bytes(size) => (*size as u64).saturating_mul(8),
            Self::Array { len, of, .. } => of.bits().saturating_mul(*len as u64),
            Self::Compound(members) => members
                .iter()
                .fold(0, |sum: u64, (_, m)| sum.saturating_add(m.bits())),
        }
    }
}

/// The unread parameters.
struct Params<'a>(&'a [u32]);

impl Params<'_> {
    fn next(&mut self) -> Result<u32> {
        let (&first, rest) = self
            .0
            .split_first()
            .ok_or_else(|| corrupt("nbit: fewer parameters than the type takes"))?;
        self.0 = rest;
        Ok(first)
    }

    /// Reads a size in bytes, which is not zero.
    fn size(&mut self) -> Result<usize> {
        match usize::try_from(self.next()?) {
            Ok(size @ 1..) => Ok(size),
            Ok(0) | Err(_) => Err(corrupt("nbit: a type of 0 bytes")),
        }
    }

    fn ty(&mut self, depth: u32) -> Result<(NbitPacking, usize)> {
        let Some(depth) = depth.checked_sub(1) else {
            let what = format!("nbit: types nested more than {DEPTH} deep");
            return Err(Error::new(ErrorKind::Limit, what));
        };
        match self.next()? {
            1 => self.number(),
            2 => self.array(depth),
            3 => self.compound(depth),
            4 => self.size().map(|size| (NbitPacking::Bytes(size), size)),
            other => Err(corrupt(format!("nbit: class {other}, expected 1 to 4"))),
        }
    }

    fn number(&mut self) -> Result<(NbitPacking, usize)> {
        let bytes = self.size()?;
        let order = match self.next()? {
            0 => Endianness::Little,
            1 => Endianness::Big,
            other => return Err(corrupt(format!("nbit: byte order {other}"))),
        };
        let (precision, offset) = (self.next()?, self.next()?);
        let size = u32::try_from(bytes).ok().filter(|&size| size <= MAX_SIZE);
        let fits = |size: &u32| precision.checked_add(offset).is_some_and(|n| n <= size * 8);
        let size = size.filter(fits).filter(|_| precision > 0);
        let size = size.ok_or_else(|| {
            corrupt(format!(
                "nbit: {precision} bits from bit {offset} in {bytes} bytes"
            ))
        })?;
        let number = PackedNumber {
            size,
            order,
            precision,
            offset,
        };
        Ok((NbitPacking::Number(number), bytes))
    }

    fn array(&mut self, depth: u32) -> Result<(NbitPacking, usize)> {
        let size = self.size()?;
        // Like libhdf5, use the size of the array for elements without packing.
        let (of, step) = match self.ty(depth)? {
            (NbitPacking::Bytes(_), _) => return Ok((NbitPacking::Bytes(size), size)),
            other => other,
        };
        let len = size / step;
        if len == 0 {
            return Err(corrupt(format!("nbit: elements of {step} bytes in {size}")));
        }
        let of = Box::new(of);
        Ok((NbitPacking::Array { len, step, of }, size))
    }

    fn compound(&mut self, depth: u32) -> Result<(NbitPacking, usize)> {
        let (size, count) = (self.size()?, self.next()?);
        let (mut members, mut used) = (vec![], 0_usize);
        for _ in 0..count {
            let offset = usize::try_from(self.next()?).unwrap_or(usize::MAX);
            let (member, bytes) = self.ty(depth)?;
            used = used.saturating_add(bytes);
            let end = offset.saturating_add(bytes);
            if used > size || end > size {
                let what = format!("nbit: a member of {bytes} bytes at {offset} of {size}");
                return Err(corrupt(what));
            }
            members.push((offset..end, member));
        }
        if members.is_empty() {
            return Err(corrupt("nbit: a compound without members"));
        }
        Ok((NbitPacking::Compound(members), size))
    }
}
