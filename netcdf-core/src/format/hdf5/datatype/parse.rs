//! Reads the Datatype message.

use std::ops::Range;

use super::{
    Charset, Datatype, Endianness, FloatFields, Member, Padding, ReferenceTarget, TypeClass,
    ValueBits,
};
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;
use crate::limits::Limits;

/// The fixed part of the message.
struct TypeHead {
    version: u8,
    bits: u32,
    size: u64,
}

impl Datatype {
    /// Reads the message body.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Unknown`], [`ErrorKind::Corrupt`], and [`ErrorKind::Limit`] for types nested beyond
    /// the limit.
    pub fn parse(c: &mut Fields, limits: &Limits) -> Result<Self> {
        nested(c, limits.depth)
    }
}

fn nested(c: &mut Fields, depth: u32) -> Result<Datatype> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(c.error(ErrorKind::Limit, "types nested too deep".into()));
    };
    let at = c.clone();
    let first = c.u8()?;
    let low = c.uint_le(3)?;
    let head = TypeHead {
        version: first >> 4,
        bits: u32::try_from(low).unwrap_or(0),
        size: c.u32_le()?.into(),
    };
    if !(1..=5).contains(&head.version) {
        let what = format!("version {} of a datatype, expected 1 to 5", head.version);
        return Err(at.error(ErrorKind::Unknown, what));
    }
    let class = match first & 0x0f {
        0 => TypeClass::Integer {
            bits: bits(c, &head)?,
            signed: head.bits & 8 != 0,
        },
        1 => float(c, &head)?,
        2 => {
            c.skip(2)?;
            TypeClass::Time
        }
        3 => string(&head),
        4 => TypeClass::Bitfield {
            bits: bits(c, &head)?,
        },
        5 => opaque(c, &head)?,
        6 => compound(c, &head, depth)?,
        7 => reference(c, &head)?,
        8 => enumeration(c, &head, depth)?,
        9 => vlen(c, &head, depth)?,
        10 => array(c, &head, depth)?,
        11 => TypeClass::Complex {
            base: Box::new(nested(c, depth)?),
        },
        other => {
            let what = format!("datatype class {other}, expected 0 to 11");
            return Err(at.error(ErrorKind::Unknown, what));
        }
    };
    if head.size == 0 && !matches!(class, TypeClass::Opaque { .. } | TypeClass::String { .. }) {
        return Err(at.error(ErrorKind::Corrupt, "a datatype of size 0".into()));
    }
    Ok(Datatype::of(head.size, class))
}

fn bits(c: &mut Fields, head: &TypeHead) -> Result<ValueBits> {
    let order = if head.bits & 1 == 0 {
        Endianness::Little
    } else {
        Endianness::Big
    };
    let (offset, precision) = (c.u16_le()?, c.u16_le()?);
    let end = u64::from(offset) + u64::from(precision);
    if precision == 0 || end > head.size.saturating_mul(8) {
        let what = format!("bits {offset} to {end} of a number of {} bytes", head.size);
        return Err(c.error(ErrorKind::Corrupt, what));
    }
    Ok(ValueBits {
        order,
        offset,
        precision,
    })
}

fn float(c: &mut Fields, head: &TypeHead) -> Result<TypeClass> {
    let byte = |shift: u32| u8::try_from((head.bits >> shift) & 0xff).unwrap_or(0);
    let bits = bits(c, head)?;
    let fields = FloatFields {
        sign: byte(8),
        exponent: (c.u8()?, c.u8()?),
        mantissa: (c.u8()?, c.u8()?),
        bias: c.u32_le()?,
        normalization: (byte(0) >> 4) & 3,
        vax: head.bits & 0x41 == 0x41,
    };
    float_parts(&bits, &fields).map_err(|what| c.error(ErrorKind::Corrupt, what))?;
    Ok(TypeClass::Float { bits, fields })
}

/// Checks that the bit fields of a floating-point number are within its value bits and do not overlap.
fn float_parts(bits: &ValueBits, fields: &FloatFields) -> Result<(), String> {
    let part = |(at, n): (u8, u8)| u32::from(at)..u32::from(at) + u32::from(n);
    let (sign, exponent, mantissa) = (
        part((fields.sign, 1)),
        part(fields.exponent),
        part(fields.mantissa),
    );
    let end = u32::from(bits.offset) + u32::from(bits.precision);
    let apart = |a: &Range<u32>, b: &Range<u32>| a.end <= b.start || b.end <= a.start;
    if [&sign, &exponent, &mantissa].iter().all(|p| p.end <= end)
        && apart(&sign, &exponent)
        && apart(&sign, &mantissa)
        && apart(&exponent, &mantissa)
    {
        return Ok(());
    }
    Err(format!(
        "a floating-point number of {end} bits with the sign in bit {}, the exponent in bits {exponent:?} and the mantissa \
         in bits {mantissa:?}, expected parts within the number that do not overlap",
        fields.sign
    ))
}

fn padding(code: u32) -> Padding {
    match code & 0x0f {
        1 => Padding::NullPadded,
        2 => Padding::SpacePadded,
        _ => Padding::NullTerminated,
    }
}

fn charset(code: u32) -> Charset {
    if code & 0x0f == 1 {
        Charset::Utf8
    } else {
        Charset::Ascii
    }
}

fn string(head: &TypeHead) -> TypeClass {
    TypeClass::String {
        padding: padding(head.bits),
        charset: charset(head.bits >> 4),
    }
}

fn opaque(c: &mut Fields, head: &TypeHead) -> Result<TypeClass> {
    let len = usize::try_from(head.bits & 0xff).unwrap_or(0);
    let tag = c.bytes(len)?;
    let end = tag.iter().position(|&b| b == 0).unwrap_or(len);
    let tag = tag.get(..end).unwrap_or_default().to_vec();
    Ok(TypeClass::Opaque { tag })
}

/// A name with a terminating zero byte. Up to version 2, names are padded to eight bytes.
fn name(c: &mut Fields, version: u8) -> Result<Vec<u8>> {
    let start = c.position();
    let name = c.zero_terminated()?.to_vec();
    if version < 3 {
        let used = c.position() - start;
        c.skip(used.next_multiple_of(8) - used)?;
    }
    Ok(name)
}

/// Bytes of a member offset from version 3 on: the minimum for the compound size.
pub(super) fn offset_width(size: u64) -> usize {
    match size {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x100_0000 => 3,
        _ => 4,
    }
}

fn compound(c: &mut Fields, head: &TypeHead, depth: u32) -> Result<TypeClass> {
    let mut members = vec![];
    for _ in 0..head.bits & 0xffff {
        let name = name(c, head.version)?;
        let offset = match head.version {
            1 | 2 => c.u32_le()?.into(),
            _ => c.uint_le(offset_width(head.size))?,
        };
        let dims = if head.version == 1 {
            old_dims(c)?
        } else {
            vec![]
        };
        let mut datatype = nested(c, depth)?;
        if !dims.is_empty() {
            datatype = array_of(c, dims, datatype)?;
        }
        if offset
            .checked_add(datatype.size)
            .is_none_or(|end| end > head.size)
        {
            let what = format!(
                "a member of {} bytes at byte {offset} of a compound of {}",
                datatype.size, head.size
            );
            return Err(c.error(ErrorKind::Corrupt, what));
        }
        members.push(Member {
            name,
            offset,
            datatype,
        });
    }
    apart(&members).map_err(|what| c.error(ErrorKind::Corrupt, what))?;
    Ok(TypeClass::Compound { members })
}

/// Checks that the members of a compound do not overlap.
fn apart(members: &[Member]) -> Result<(), String> {
    let mut places: Vec<_> = members.iter().filter(|m| m.datatype.size > 0).collect();
    places.sort_by_key(|m| m.offset);
    let end = |m: &Member| m.offset.saturating_add(m.datatype.size);
    let overlap = places.iter().zip(places.iter().skip(1));
    match overlap.into_iter().find(|(a, b)| end(a) > b.offset) {
        None => Ok(()),
        Some((a, b)) => Err(format!(
            "the member `{}` of a compound at bytes {} to {} overlaps `{}` at byte {}",
            a.name.escape_ascii(),
            a.offset,
            end(a),
            b.name.escape_ascii(),
            b.offset
        )),
    }
}

/// The shape of a member in version 1.
fn old_dims(c: &mut Fields) -> Result<Vec<u64>> {
    let rank = c.u8()?;
    c.skip(3 + 4 + 4)?; // reserved, permutation, reserved
    let all: Vec<u64> = (0..4)
        .map(|_| c.u32_le().map(u64::from))
        .collect::<Result<_>>()?;
    Ok(all.into_iter().take(rank.into()).collect())
}

fn array_of(c: &Fields, dims: Vec<u64>, base: Datatype) -> Result<Datatype> {
    let size = crate::model::region::product(&dims).and_then(|n| n.checked_mul(base.size));
    let size = size.filter(|&n| n > 0 && n <= u32::MAX.into());
    let Some(size) = size else {
        return Err(c.error(
            ErrorKind::Corrupt,
            "the array type size is zero or too large".into(),
        ));
    };
    let base = Box::new(base);
    Ok(Datatype::of(size, TypeClass::Array { dims, base }))
}

fn reference(c: &Fields, head: &TypeHead) -> Result<TypeClass> {
    let kind = match head.bits & 0x0f {
        0 => ReferenceTarget::Object,
        1 => ReferenceTarget::Region,
        2..=4 => ReferenceTarget::Any,
        other => {
            let what = format!("a reference of kind {other}, expected 0 to 4");
            return Err(c.error(ErrorKind::Unknown, what));
        }
    };
    Ok(TypeClass::Reference(kind))
}

fn enumeration(c: &mut Fields, head: &TypeHead, depth: u32) -> Result<TypeClass> {
    let base = nested(c, depth)?;
    if !matches!(
        base.class,
        TypeClass::Integer { .. } | TypeClass::Bitfield { .. }
    ) {
        let what = "an enum whose base type is not an integer".to_owned();
        return Err(c.error(ErrorKind::Corrupt, what));
    }
    let count = head.bits & 0xffff;
    let names: Vec<_> = (0..count)
        .map(|_| match name(c, head.version)? {
            name if name.is_empty() => {
                let what = "an enum has a value without a name".to_owned();
                Err(c.error(ErrorKind::Corrupt, what))
            }
            name => Ok(name),
        })
        .collect::<Result<_>>()?;
    let size = usize::try_from(base.size).unwrap_or(usize::MAX);
    let members = names.into_iter().map(|n| Ok((n, c.bytes(size)?.to_vec())));
    let members = members.collect::<Result<_>>()?;
    let base = Box::new(base);
    Ok(TypeClass::Enum { base, members })
}

fn vlen(c: &mut Fields, head: &TypeHead, depth: u32) -> Result<TypeClass> {
    let base = Box::new(nested(c, depth)?);
    match head.bits & 0x0f {
        0 => Ok(TypeClass::Vlen { base }),
        1 => Ok(TypeClass::VlenString {
            charset: charset(head.bits >> 8),
        }),
        other => {
            let what = format!("a variable-length type of kind {other}, expected 0 or 1");
            Err(c.error(ErrorKind::Unknown, what))
        }
    }
}

fn array(c: &mut Fields, head: &TypeHead, depth: u32) -> Result<TypeClass> {
    let rank = c.u8()?;
    if head.version < 3 {
        c.skip(3)?;
    }
    let dims: Vec<u64> = (0..rank)
        .map(|_| c.u32_le().map(u64::from))
        .collect::<Result<_>>()?;
    if head.version < 3 {
        c.skip(4 * usize::from(rank))?; // permutation
    }
    let base = nested(c, depth)?;
    let array = array_of(c, dims, base)?;
    if array.size != head.size {
        let what = format!(
            "an array type of {} bytes, but its stored size is {}",
            array.size, head.size
        );
        return Err(c.error(ErrorKind::Corrupt, what));
    }
    Ok(array.class)
}
