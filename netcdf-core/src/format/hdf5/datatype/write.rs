//! Writes the Datatype message. Like the library in its 1.8 format, uses version 3 for packed names and offsets, and version 1 otherwise.

use super::parse::offset_width;
use super::{
    Charset, Datatype, Endianness, FloatFields, Member, Padding, ReferenceTarget, TypeClass,
    ValueBits,
};
use crate::bytes::ByteSink;
use crate::bytes::sink::narrow;
use crate::error::{Error, ErrorKind, Result};

impl Datatype {
    /// Appends the message body.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] if the type does not fit into the message, [`ErrorKind::Unsupported`] for times and for HDF5 1.12
    /// references, and [`ErrorKind::Argument`] for contradictory types.
    pub fn write(&self, out: &mut ByteSink) -> Result<()> {
        let start = out.len();
        out.u8(self.version() << 4 | self.number());
        out.zeros(3);
        out.u32(narrow(self.size, "the size of a type")?);
        let bits = self.properties(out)?;
        let bits = bits.to_le_bytes();
        out.patch(start + 1, bits.get(..3).unwrap_or_default())
    }

    fn version(&self) -> u8 {
        match &self.class {
            TypeClass::Compound { .. } | TypeClass::Enum { .. } | TypeClass::Array { .. } => 3,
            TypeClass::Vlen { base } => base.version(),
            TypeClass::Complex { .. } => 5,
            TypeClass::Integer { .. }
            | TypeClass::Float { .. }
            | TypeClass::Time
            | TypeClass::String { .. }
            | TypeClass::Bitfield { .. }
            | TypeClass::Opaque { .. }
            | TypeClass::Reference(_)
            | TypeClass::VlenString { .. } => 1,
        }
    }

    /// The class number.
    fn number(&self) -> u8 {
        match &self.class {
            TypeClass::Integer { .. } => 0,
            TypeClass::Float { .. } => 1,
            TypeClass::Time => 2,
            TypeClass::String { .. } => 3,
            TypeClass::Bitfield { .. } => 4,
            TypeClass::Opaque { .. } => 5,
            TypeClass::Compound { .. } => 6,
            TypeClass::Reference(_) => 7,
            TypeClass::Enum { .. } => 8,
            TypeClass::Vlen { .. } | TypeClass::VlenString { .. } => 9,
            TypeClass::Array { .. } => 10,
            TypeClass::Complex { .. } => 11,
        }
    }

    /// Appends the class properties after the fixed part. Returns the class bits of the fixed part.
    fn properties(&self, out: &mut ByteSink) -> Result<u32> {
        match &self.class {
            TypeClass::Integer { bits, signed } => {
                range(out, *bits);
                Ok(order(*bits) | if *signed { 8 } else { 0 })
            }
            TypeClass::Float { bits, fields } => Ok(float(out, *bits, fields)),
            TypeClass::Time => Err(unsupported("a type of the class time")),
            TypeClass::String { padding, charset } => Ok(pad(*padding) | set(*charset) << 4),
            TypeClass::Bitfield { bits } => {
                range(out, *bits);
                Ok(order(*bits))
            }
            TypeClass::Opaque { tag } => opaque(out, tag),
            TypeClass::Compound { members } => compound(out, members, self.size),
            TypeClass::Reference(ReferenceTarget::Object) => Ok(0),
            TypeClass::Reference(ReferenceTarget::Region) => Ok(1),
            TypeClass::Reference(ReferenceTarget::Any) => {
                Err(unsupported("a reference of HDF5 1.12"))
            }
            TypeClass::Enum { base, members } => enumeration(out, base, members),
            TypeClass::Vlen { base } => base.write(out).map(|()| 0),
            TypeClass::VlenString { charset } => {
                character().write(out)?;
                Ok(1 | set(*charset) << 8)
            }
            TypeClass::Array { dims, base } => array(out, dims, base),
            // The parts have the same type, in rectangular form.
            TypeClass::Complex { base } => base.write(out).map(|()| 1),
        }
    }
}

fn unsupported(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{what} is not written"))
}

/// The element type of variable-length strings.
fn character() -> Datatype {
    let bits = ValueBits {
        order: Endianness::Little,
        offset: 0,
        precision: 8,
    };
    let signed = false;
    Datatype::of(1, TypeClass::Integer { bits, signed })
}

fn range(out: &mut ByteSink, bits: ValueBits) {
    out.u16(bits.offset);
    out.u16(bits.precision);
}

fn order(bits: ValueBits) -> u32 {
    match bits.order {
        Endianness::Little => 0,
        Endianness::Big => 1,
    }
}

fn pad(padding: Padding) -> u32 {
    match padding {
        Padding::NullTerminated => 0,
        Padding::NullPadded => 1,
        Padding::SpacePadded => 2,
    }
}

fn set(charset: Charset) -> u32 {
    match charset {
        Charset::Ascii => 0,
        Charset::Utf8 => 1,
    }
}

fn float(out: &mut ByteSink, bits: ValueBits, fields: &FloatFields) -> u32 {
    range(out, bits);
    for (at, n) in [fields.exponent, fields.mantissa] {
        out.u8(at);
        out.u8(n);
    }
    out.u32(fields.bias);
    let order = if fields.vax { 0x41 } else { order(bits) };
    let normalization = u32::from(fields.normalization) << 4;
    order | normalization | u32::from(fields.sign) << 8
}

/// Writes the tag with a terminating zero byte, padded to eight bytes. An empty tag takes no bytes.
fn opaque(out: &mut ByteSink, tag: &[u8]) -> Result<u32> {
    let len = match tag.len() {
        0 => 0,
        n => (n + 1).next_multiple_of(8),
    };
    if len > 0xf8 {
        let what = "the tag of an opaque type has more than 247 bytes";
        return Err(Error::new(ErrorKind::Limit, what));
    }
    out.put(tag);
    out.zeros(len - tag.len());
    Ok(u32::try_from(len).unwrap_or(0))
}

/// A name with a terminating zero byte.
fn name(out: &mut ByteSink, name: &[u8]) -> Result<()> {
    if name.contains(&0) {
        let what = "a name with a zero byte";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    out.put(name);
    out.u8(0);
    Ok(())
}

/// The member count, for the fixed part.
fn count(members: usize) -> Result<u32> {
    let count: u16 = narrow(members as u64, "the number of a type's members")?;
    Ok(count.into())
}

fn compound(out: &mut ByteSink, members: &[Member], size: u64) -> Result<u32> {
    for member in members {
        name(out, &member.name)?;
        out.uint(member.offset, offset_width(size))?;
        member.datatype.write(out)?;
    }
    count(members.len())
}

fn enumeration(out: &mut ByteSink, base: &Datatype, members: &[(Vec<u8>, Vec<u8>)]) -> Result<u32> {
    base.write(out)?;
    for (member, _) in members {
        name(out, member)?;
    }
    for (_, value) in members {
        if value.len() as u64 != base.size {
            let what = "the value of an enum member does not have the size of the base type";
            return Err(Error::new(ErrorKind::Argument, what));
        }
        out.put(value);
    }
    count(members.len())
}

fn array(out: &mut ByteSink, dims: &[u64], base: &Datatype) -> Result<u32> {
    if dims.len() > MOST_DIMS {
        let what = format!(
            "an array of {} dimensions, HDF5 allows at most {MOST_DIMS}",
            dims.len()
        );
        return Err(Error::new(ErrorKind::Limit, what));
    }
    out.u8(narrow(dims.len() as u64, "the rank of an array")?);
    for &len in dims {
        out.u32(narrow(len, "the length of an array")?);
    }
    base.write(out).map(|()| 0)
}

/// Maximum rank of an array or dataspace.
pub const MOST_DIMS: usize = 32;
