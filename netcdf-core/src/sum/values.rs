//! Values in canonical form: little-endian, compounds by element and without padding.

use crate::chunk::elements;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Endianness, Values};

/// Replaces the length for a NIL string.
const NIL: u64 = u64::MAX;

/// Maximum nesting depth of lists and compounds.
const DEPTH: u32 = 64;

/// Returns the canonical form of a list of values.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for values nested too deeply.
pub(super) fn canonical(values: &Values) -> Result<Vec<u8>> {
    let mut out = vec![];
    part(values, (0, values.len()), &mut out, 0)?;
    Ok(out)
}

/// Appends `len` values from `start` on.
fn part(
    values: &Values,
    (start, len): (usize, usize),
    out: &mut Vec<u8>,
    depth: u32,
) -> Result<()> {
    if depth > DEPTH {
        return Err(Error::new(ErrorKind::Limit, "values nested too deeply"));
    }
    match values {
        Values::String(strings) => {
            let strings = strings.iter().skip(start).take(len);
            strings.for_each(|text| string(text.as_deref(), out));
        }
        Values::Vlen(_, lists) => {
            for list in lists.iter().skip(start).take(len) {
                out.extend_from_slice(&(list.len() as u64).to_le_bytes());
                part(list, (0, list.len()), out, depth + 1)?;
            }
        }
        Values::Compound {
            len: all, columns, ..
        } => {
            for n in start..start + len {
                for column in columns {
                    let each = column.len().checked_div(*all).unwrap_or(0);
                    part(column, (n * each, each), out, depth + 1)?;
                }
            }
        }
        Values::Enum(_, base) => part(base, (start, len), out, depth + 1)?,
        Values::Opaque { size, bytes, .. } => {
            let bytes = bytes.iter().skip(start * size).take(len * size);
            out.extend(bytes);
        }
        Values::Byte(_) | Values::Short(_) | Values::Int(_) | Values::Int64(_) => {
            numbers(values, (start, len), out)?;
        }
        Values::UByte(_) | Values::UShort(_) | Values::UInt(_) | Values::UInt64(_) => {
            numbers(values, (start, len), out)?;
        }
        Values::Char(_) | Values::Float(_) | Values::Double(_) => {
            numbers(values, (start, len), out)?;
        }
    }
    Ok(())
}

/// Appends a string with its length.
fn string(text: Option<&[u8]>, out: &mut Vec<u8>) {
    let len = text.map_or(NIL, |text| text.len() as u64);
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(text.unwrap_or_default());
}

/// Appends numbers or characters.
fn numbers(values: &Values, (start, len): (usize, usize), out: &mut Vec<u8>) -> Result<()> {
    if (start, len) == (0, values.len()) {
        return elements::encode(values, Endianness::Little, out);
    }
    elements::encode(&values.slice(start..start + len), Endianness::Little, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TypeId;

    #[test]
    fn compounds_are_in_the_order_of_elements() {
        let lists = [vec![], vec![7u8]].map(Values::UByte).to_vec();
        let values = Values::Compound {
            ty: TypeId(0),
            len: 2,
            columns: vec![
                Values::Short(vec![1, 2]),
                Values::Byte(vec![3, 4, 5, 6]),
                Values::Enum(TypeId(1), Box::new(Values::Byte(vec![8, 9]))),
                Values::Vlen(TypeId(2), lists),
                Values::Opaque {
                    ty: TypeId(3),
                    size: 2,
                    bytes: vec![10, 11, 12, 13],
                },
            ],
        };
        let first = [&[1, 0, 3, 4, 8][..], &[0; 8], &[10, 11]].concat();
        let second = [
            &[2, 0, 5, 6, 9][..],
            &[1, 0, 0, 0, 0, 0, 0, 0, 7],
            &[12, 13],
        ]
        .concat();
        assert_eq!(canonical(&values).unwrap(), [first, second].concat());
    }

    #[test]
    fn nil_is_not_the_empty_string() {
        let strings = |all: &[Option<&[u8]>]| {
            let all = all.iter().map(|text| text.map(Into::into)).collect();
            canonical(&Values::String(all)).unwrap()
        };
        assert_eq!(strings(&[None]), [0xff; 8]);
        assert_eq!(strings(&[Some(b"")]), [0; 8]);
        assert_ne!(
            strings(&[Some(b"ab"), Some(b"")]),
            strings(&[Some(b"a"), Some(b"b")])
        );
    }

    #[test]
    fn numbers_are_kept_bit_by_bit() {
        let doubles = |v: f64| canonical(&Values::Double(vec![v])).unwrap();
        assert_eq!(doubles(1.0), [0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        assert_ne!(doubles(0.0), doubles(-0.0));
        let odd = f64::from_bits(f64::NAN.to_bits() ^ 1);
        assert_ne!(doubles(f64::NAN), doubles(odd));
    }

    #[test]
    fn deep_values_are_refused() {
        let mut values = Values::Int(vec![1]);
        for _ in 0..70 {
            values = Values::Vlen(TypeId(0), vec![values]);
        }
        assert_eq!(canonical(&values).unwrap_err().kind(), ErrorKind::Limit);
    }
}
