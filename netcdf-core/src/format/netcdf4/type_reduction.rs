//! Reduces datatypes to the part that netCDF can express. Inexpressible compound fields are skipped.

use std::sync::Arc;

use super::numbers;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::datatype::{Datatype, Member, TypeClass, ValueBits};
use crate::model::Atomic;

/// A skipped field.
#[derive(Debug)]
pub(crate) struct SkippedField {
    /// The field name, after the names of the enclosing fields.
    pub field: String,
    /// The reason.
    pub why: Error,
}

/// Returns the part of a datatype that netCDF can express, and the skipped fields.
///
/// # Errors
/// Returns the errors of [`reduce`].
pub(super) fn reduced(datatype: &Arc<Datatype>) -> Result<(Arc<Datatype>, Vec<SkippedField>)> {
    let mut rest = Datatype::clone(datatype);
    let left_out = reduce(&mut rest)?;
    let reduced = match left_out.is_empty() {
        true => Arc::clone(datatype),
        false => Arc::new(rest),
    };
    Ok((reduced, left_out))
}

/// Removes the fields that netCDF cannot express from a datatype. The offsets of the remaining fields do not change.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] if no field remains.
fn reduce(datatype: &mut Datatype) -> Result<Vec<SkippedField>> {
    let mut left_out = vec![];
    reduce_in("", datatype, &mut left_out)?;
    Ok(left_out)
}

/// Reduces the type of the field `within`, a name followed by a dot. The outermost type has an empty name.
fn reduce_in(
    within: &str,
    datatype: &mut Datatype,
    left_out: &mut Vec<SkippedField>,
) -> Result<()> {
    if numbers::atomic(datatype).is_some() {
        return Ok(());
    }
    let size = datatype.size;
    match &mut datatype.class {
        TypeClass::Compound { members } => reduce_members(within, members, left_out),
        TypeClass::Vlen { base } | TypeClass::Complex { base } => reduce_in(within, base, left_out),
        TypeClass::Enum { base, .. } => enum_base(base).map(drop),
        TypeClass::Opaque { .. } if size > 0 => Ok(()),
        TypeClass::Opaque { .. } => Err(unsupported("an opaque type of size 0")),
        TypeClass::Reference(_) => Err(unsupported("references")),
        TypeClass::Time => Err(unsupported("HDF5 times")),
        TypeClass::Bitfield { .. } => Err(unsupported("bit fields")),
        TypeClass::Array { .. } => Err(unsupported("elements that are arrays")),
        TypeClass::Integer { bits, .. } => {
            Err(unsupported(&format!("integers of {} bits", bits.precision)))
        }
        TypeClass::Float { .. } => Err(unsupported(&format!(
            "floating-point numbers of {size} bytes in this layout"
        ))),
        TypeClass::String { .. } | TypeClass::VlenString { .. } => {
            Err(unsupported("a committed string type"))
        }
    }
}

fn reduce_members(
    within: &str,
    members: &mut Vec<Member>,
    left_out: &mut Vec<SkippedField>,
) -> Result<()> {
    let mut last = None;
    members.retain_mut(|member| {
        let field = format!("{within}{}", String::from_utf8_lossy(&member.name));
        let before = left_out.len();
        let Err(why) = reduce_field(&format!("{field}."), &mut member.datatype, left_out) else {
            return true;
        };
        // All inner fields are skipped as well, so the name of the outer field is sufficient.
        left_out.truncate(before);
        last = Some(unsupported_as(&why));
        left_out.push(SkippedField { field, why });
        false
    });
    match (members.is_empty(), last) {
        (false, _) => Ok(()),
        (true, Some(why)) => Err(why),
        (true, None) => Err(unsupported("a compound type without fields")),
    }
}

/// Like [`reduce_in`], for a field, which may also be an array.
fn reduce_field(
    within: &str,
    datatype: &mut Datatype,
    left_out: &mut Vec<SkippedField>,
) -> Result<()> {
    match &mut datatype.class {
        TypeClass::Array { base, .. } => reduce_field(within, base, left_out),
        _ => reduce_in(within, datatype, left_out),
    }
}

/// Returns the same reason for the enclosing compound.
fn unsupported_as(why: &Error) -> Error {
    Error::new(ErrorKind::Unsupported, why.what().to_string())
}

/// The tag of opaque types that replace inexpressible types. Tags in files end at a zero byte.
const RAW: &[u8] = b"\0raw";

/// Checks whether a datatype replaces an inexpressible type.
pub(super) fn is_raw(datatype: &Datatype) -> bool {
    matches!(&datatype.class, TypeClass::Opaque { tag } if tag == RAW)
}

/// Replaces inexpressible fixed-size types within a datatype with opaque types. References stay, because their bytes are addresses, which
/// differ between equal files.
pub(super) fn as_bytes(datatype: &mut Arc<Datatype>) {
    let mut made = Datatype::clone(datatype);
    bytes_in(&mut made, false);
    if made != **datatype {
        *datatype = Arc::new(made);
    }
}

/// Like [`as_bytes`]. `field` marks the type of a compound field. netCDF allows arrays in compound fields.
fn bytes_in(datatype: &mut Datatype, field: bool) {
    if numbers::atomic(datatype).is_some() || datatype.size == 0 {
        return;
    }
    let opaque = match &mut datatype.class {
        TypeClass::Compound { members } => {
            let types = members.iter_mut().map(|member| &mut member.datatype);
            types.for_each(|ty| bytes_in(ty, true));
            false
        }
        TypeClass::Vlen { base } => {
            bytes_in(base, false);
            false
        }
        TypeClass::Array { base, .. } if field => {
            bytes_in(base, true);
            false
        }
        TypeClass::Array { base, .. } => is_flat(base),
        TypeClass::Complex { base } => numbers::atomic(base).is_none(),
        TypeClass::Enum { base, .. } => enum_base(base).is_err(),
        TypeClass::Time
        | TypeClass::Bitfield { .. }
        | TypeClass::Integer { .. }
        | TypeClass::Float { .. } => true,
        TypeClass::Opaque { .. } | TypeClass::Reference(_) => false,
        TypeClass::String { .. } | TypeClass::VlenString { .. } => false,
    };
    if opaque {
        datatype.class = TypeClass::Opaque { tag: RAW.to_vec() };
    }
}

/// Checks whether the elements of a type contain all bytes, without addresses of other data.
fn is_flat(datatype: &Datatype) -> bool {
    match &datatype.class {
        TypeClass::Vlen { .. } | TypeClass::VlenString { .. } | TypeClass::Reference(_) => false,
        TypeClass::Compound { members } => members.iter().all(|m| is_flat(&m.datatype)),
        TypeClass::Array { base, .. }
        | TypeClass::Complex { base }
        | TypeClass::Enum { base, .. } => is_flat(base),
        TypeClass::Integer { .. }
        | TypeClass::Float { .. }
        | TypeClass::Time
        | TypeClass::String { .. } => true,
        TypeClass::Bitfield { .. } | TypeClass::Opaque { .. } => true,
    }
}

/// Returns the integer type of an enum, the bits of the stored form, and whether the type is signed.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for base types that netCDF does not allow.
pub(super) fn enum_base(base: &Datatype) -> Result<(Atomic, ValueBits, bool)> {
    let (bits, signed) = match &base.class {
        TypeClass::Integer { bits, signed } => (*bits, *signed),
        TypeClass::Bitfield { bits } => (*bits, false),
        _ => {
            return Err(unsupported(
                "an enum with a base type other than an integer",
            ));
        }
    };
    let integer = Datatype {
        class: TypeClass::Integer { bits, signed },
        ..base.clone()
    };
    let atomic = numbers::atomic(&integer);
    let atomic = atomic.ok_or_else(|| unsupported("an enum of integers of this size"))?;
    Ok((atomic, bits, signed))
}

/// Returns the error for an object that netCDF cannot express.
pub(super) fn unsupported(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{INEXPRESSIBLE}{what}"))
}

/// The start of all messages of [`unsupported`].
const INEXPRESSIBLE: &str = "netCDF cannot express ";

/// Checks whether an error comes from [`unsupported`].
pub(super) fn is_inexpressible(e: &Error) -> bool {
    e.what().starts_with(INEXPRESSIBLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::hdf5::datatype::{Endianness, ReferenceTarget};

    fn of(size: u64, class: TypeClass) -> Datatype {
        Datatype {
            size,
            class,
            committed: None,
        }
    }

    fn int() -> Datatype {
        let bits = ValueBits {
            order: Endianness::Little,
            offset: 0,
            precision: 32,
        };
        of(4, TypeClass::Integer { bits, signed: true })
    }

    fn reference() -> Datatype {
        of(8, TypeClass::Reference(ReferenceTarget::Object))
    }

    fn compound(members: &[(&str, u64, Datatype)]) -> Datatype {
        let member = |(name, offset, datatype): &(&str, u64, Datatype)| Member {
            name: name.as_bytes().to_vec(),
            offset: *offset,
            datatype: datatype.clone(),
        };
        let members = members.iter().map(member).collect();
        of(32, TypeClass::Compound { members })
    }

    fn names(left_out: &[SkippedField]) -> Vec<&str> {
        left_out.iter().map(|l| l.field.as_str()).collect()
    }

    #[test]
    fn fields_stay_where_they_are() {
        let mut ty = compound(&[("a", 0, int()), ("r", 8, reference()), ("b", 16, int())]);
        let left_out = reduce(&mut ty).unwrap();
        assert_eq!(ty, compound(&[("a", 0, int()), ("b", 16, int())]));
        assert_eq!(names(&left_out), ["r"]);
        assert_eq!(left_out[0].why.what(), "netCDF cannot express references");
    }

    #[test]
    fn fields_of_fields_and_of_lists_are_left_out() {
        let only = compound(&[("r", 0, reference())]);
        let some = compound(&[("r", 0, reference()), ("x", 8, int())]);
        let base = Box::new(some.clone());
        let list = of(16, TypeClass::Vlen { base });
        let array = of(
            16,
            TypeClass::Array {
                dims: vec![2],
                base: Box::new(reference()),
            },
        );
        let mut ty = compound(&[
            ("only", 0, only),
            ("some", 0, some),
            ("list", 0, list),
            ("array", 0, array),
        ]);
        let left_out = reduce(&mut ty).unwrap();
        assert_eq!(names(&left_out), ["only", "some.r", "list.r", "array"]);
    }

    #[test]
    fn nothing_else_in_it_is_an_error() {
        for mut ty in [
            compound(&[("r", 0, reference())]),
            of(
                16,
                TypeClass::Vlen {
                    base: Box::new(reference()),
                },
            ),
            reference(),
        ] {
            let error = reduce(&mut ty).unwrap_err();
            assert_eq!(error.what(), "netCDF cannot express references");
        }
        let mut none = compound(&[]);
        let error = reduce(&mut none).unwrap_err();
        assert!(error.what().contains("without fields"), "{error}");
    }
}
