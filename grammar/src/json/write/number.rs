//! Numbers: the shortest text that gives the same bits. Values without a JSON number, and values that JSON readers may round, are strings.

use crate::number::{BUFFER_LEN, FloatForm, FloatFormat, Precision, put_i64, put_u64};
use crate::write::BigEndian;

/// The largest integer that readers with double precision keep exactly.
const KEPT: u64 = (1 << 53) - 1;

const FORMAT: FloatFormat = FloatFormat::new(Precision::Exact, FloatForm::Data);

/// A numeric type.
pub(super) trait JsonNumber: BigEndian {
    /// Appends the text.
    fn push(self, out: &mut Vec<u8>);
}

macro_rules! numeric {
    ($push:ident: $($t:ty)*) => {$(
        impl JsonNumber for $t {
            #[inline]
            fn push(self, out: &mut Vec<u8>) {
                $push(self.into(), out);
            }
        }
    )*};
}

numeric!(signed: i8 i16 i32 i64);
numeric!(unsigned: u8 u16 u32 u64);
numeric!(float: f32);
numeric!(double: f64);

#[inline]
fn signed(value: i64, out: &mut Vec<u8>) {
    quoted(value.unsigned_abs() > KEPT, out, |room| {
        put_i64(value, room)
    });
}

#[inline]
fn unsigned(value: u64, out: &mut Vec<u8>) {
    quoted(value > KEPT, out, |room| put_u64(value, room));
}

/// Appends an integer of any type.
pub(super) fn integer(value: i128, out: &mut Vec<u8>) {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => signed(value, out),
        (Err(_), Ok(value)) => unsigned(value, out),
        (Err(_), Err(_)) => out.extend_from_slice(format!("\"{value}\"").as_bytes()),
    }
}

#[inline]
fn quoted(quotes: bool, out: &mut Vec<u8>, put: impl FnOnce(&mut [u8; BUFFER_LEN]) -> usize) {
    if quotes {
        out.push(b'"');
    }
    let mut room = [0; BUFFER_LEN];
    let len = put(&mut room);
    let end = out.len() + len;
    // Copying a fixed length compiles to a few moves; copying the text length would be a call.
    out.extend_from_slice(&room);
    out.truncate(end);
    if quotes {
        out.push(b'"');
    }
}

#[inline]
fn float(value: f32, out: &mut Vec<u8>) {
    match value.is_finite() {
        true => finite(out, |room| FORMAT.put_f32(value, room)),
        false if value.is_infinite() => infinite(value > 0.0, out),
        false if value.to_bits() == f32::NAN.to_bits() => out.extend_from_slice(b"\"NaN\""),
        false => out.extend_from_slice(format!("\"NaN:{:#010x}\"", value.to_bits()).as_bytes()),
    }
}

#[inline]
fn double(value: f64, out: &mut Vec<u8>) {
    match value.is_finite() {
        true => finite(out, |room| FORMAT.put_f64(value, room)),
        false if value.is_infinite() => infinite(value > 0.0, out),
        false if value.to_bits() == f64::NAN.to_bits() => out.extend_from_slice(b"\"NaN\""),
        false => out.extend_from_slice(format!("\"NaN:{:#018x}\"", value.to_bits()).as_bytes()),
    }
}

fn infinite(positive: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(match positive {
        true => b"\"Infinity\"",
        false => b"\"-Infinity\"",
    });
}

/// Appends a finite number, with `.0` if it looks like an integer: some readers drop the sign of `-0`.
#[inline]
fn finite(out: &mut Vec<u8>, put: impl FnOnce(&mut [u8; BUFFER_LEN]) -> usize) {
    let start = out.len();
    quoted(false, out, put);
    let text = out.get(start..).unwrap_or_default();
    if !text.iter().any(|b| matches!(b, b'.' | b'e')) {
        out.extend_from_slice(b".0");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: JsonNumber>(value: T) -> String {
        let mut out = vec![];
        value.push(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers() {
        assert_eq!(text(-128i8), "-128");
        assert_eq!(text(9_007_199_254_740_991i64), "9007199254740991");
        assert_eq!(text(-9_007_199_254_740_992i64), "\"-9007199254740992\"");
        assert_eq!(text(u64::MAX), "\"18446744073709551615\"");
        assert_eq!(text(i64::MIN), "\"-9223372036854775808\"");
    }

    #[test]
    fn floating_point() {
        assert_eq!(text(1f32), "1.0");
        assert_eq!(text(-0.0f64), "-0.0");
        assert_eq!(text(0.1f32), "0.1");
        assert_eq!(text(1e30f64), "1e+30");
        assert_eq!(text(f64::MIN_POSITIVE), "2.2250738585072014e-308");
        assert_eq!(text(5e-324f64), "5e-324");
        assert_eq!(text(f32::INFINITY), "\"Infinity\"");
        assert_eq!(text(f64::NEG_INFINITY), "\"-Infinity\"");
        assert_eq!(text(f32::NAN), "\"NaN\"");
        assert_eq!(text(f32::from_bits(0xffc0_0001)), "\"NaN:0xffc00001\"");
        assert_eq!(
            text(f64::from_bits(0x7ff0_0000_0000_0001)),
            "\"NaN:0x7ff0000000000001\""
        );
    }
}
