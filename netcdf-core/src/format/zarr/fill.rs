//! Fill values: the JSON values of unwritten elements.

use super::attrs::typed;
use super::dtype::{Dtype, StoredType, StructMember};
use crate::chunk::elements::encode;
use crate::json::Json;
use crate::model::{Atomic, Endianness, Values};

/// The default fill value of `double` as netCDF-C writes it, with six digits.
const SIX_DIGITS: &str = "9.96921e+36";

/// Returns the encoded fill value, or `None` if the value does not fit the type. `netcdf` marks values from netCDF writers: text is plain
/// there, and base64 elsewhere. A list of one value stands for the value if the type has no lists, as in netCDF-C.
#[must_use]
pub(super) fn stored(what: &StoredType, json: &Json, netcdf: bool) -> Option<Vec<u8>> {
    let listed = || plain(what, single(json)?, netcdf);
    plain(what, json, netcdf).or_else(listed)
}

/// Returns the only value of a list.
pub(super) fn single(json: &Json) -> Option<&Json> {
    match json.items() {
        Some([one]) => Some(one),
        Some(_) | None => None,
    }
}

/// Returns the encoded form of a fill value that is no list, or a list because the type has several parts.
fn plain(what: &StoredType, json: &Json, netcdf: bool) -> Option<Vec<u8>> {
    let order = what.endianness();
    match &what.dtype {
        Dtype::Number(a) => number(*a, order, json),
        Dtype::Char => Some(vec![character(json)?]),
        Dtype::Bool => Some(vec![u8::from(truth(json)?)]),
        Dtype::Half => half(order, json, super::half::from_f32),
        Dtype::Brain => half(order, json, super::half::brain_from_f32),
        Dtype::Complex(a) => complex(*a, order, json),
        Dtype::Time(_) => time(order, json),
        Dtype::Bytes(n) => padded(fixed(json, *n, netcdf)?, *n),
        Dtype::Utf32(n) => utf32(json, *n, order),
        Dtype::Raw(n) => padded(raw(json, Some(*n))?, *n),
        Dtype::Struct(members) => structure(what, members, json),
        Dtype::Text => Some(text(json)?.to_vec()),
        Dtype::Blob => raw(json, None),
        Dtype::Unknown(..) => None,
    }
}

/// Returns netCDF's default fill value of a type as JSON, or `None` for types that netCDF lacks.
#[must_use]
pub(super) fn default(dtype: &Dtype) -> Option<Json> {
    match dtype {
        Dtype::Number(a) => {
            let bits = encoded(&a.default_fill(), Endianness::Big)?;
            let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
            Some(Json::text(&format!("0x{digits}")))
        }
        Dtype::Char => Some(Json::int(0)),
        Dtype::Bytes(_) | Dtype::Text => Some(Json::text("")),
        Dtype::Bool | Dtype::Half | Dtype::Brain | Dtype::Complex(_) | Dtype::Time(_) => None,
        Dtype::Utf32(_) | Dtype::Raw(_) | Dtype::Struct(_) | Dtype::Blob => None,
        Dtype::Unknown(..) => None,
    }
}

/// Parses a number, or the bits of a number: `"0x7fc00001"`.
fn number(ty: Atomic, order: Endianness, json: &Json) -> Option<Vec<u8>> {
    if let Some(bits) = bits(json, ty.size()?) {
        return Some(ordered(bits, order));
    }
    if matches!((ty, json), (Atomic::Double, Json::Number(text)) if text == SIX_DIGITS) {
        return encoded(&ty.default_fill(), order);
    }
    let value = typed(std::slice::from_ref(json), ty)?;
    encoded(&value, order)
}

fn encoded(values: &Values, order: Endianness) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    encode(values, order, &mut out).ok()?;
    Some(out)
}

/// Parses `size` bytes of hexadecimal digits, most significant byte first.
fn bits(json: &Json, size: usize) -> Option<Vec<u8>> {
    let digits = json.as_str()?.strip_prefix("0x")?;
    let bits = u64::from_str_radix(digits, 16).ok()?;
    (digits.len() == 2 * size).then_some(())?;
    bits.to_be_bytes()
        .get(8usize.checked_sub(size)?..)
        .map(<[u8]>::to_vec)
}

/// Converts big-endian bytes to this byte order.
fn ordered(mut bytes: Vec<u8>, order: Endianness) -> Vec<u8> {
    if order == Endianness::Little {
        bytes.reverse();
    }
    bytes
}

fn character(json: &Json) -> Option<u8> {
    match json {
        Json::Text(text) => Some(match latin_1(text) {
            Some(byte) => byte,
            None => text.first().copied().unwrap_or(0),
        }),
        Json::Number(text) => text.parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Returns the byte for a text of one character. JSON cannot represent a byte directly.
fn latin_1(text: &[u8]) -> Option<u8> {
    let mut chars = std::str::from_utf8(text).ok()?.chars();
    let only = chars.next().filter(|_| chars.next().is_none())?;
    u8::try_from(u32::from(only)).ok()
}

fn truth(json: &Json) -> Option<bool> {
    match json {
        Json::Bool(b) => Some(*b),
        Json::Number(text) => text.parse::<f64>().ok().map(|n| n != 0.0),
        Json::Null | Json::Text(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

fn half(order: Endianness, json: &Json, of: fn(f32) -> u16) -> Option<Vec<u8>> {
    if let Some(bits) = bits(json, 2) {
        return Some(ordered(bits, order));
    }
    let Values::Float(value) = typed(std::slice::from_ref(json), Atomic::Float)? else {
        return None;
    };
    let bits = of(*value.first()?);
    Some(ordered(bits.to_be_bytes().to_vec(), order))
}

fn complex(ty: Atomic, order: Endianness, json: &Json) -> Option<Vec<u8>> {
    let zero = Json::int(0);
    let pair = match json.items() {
        Some([re, im]) => [re, im],
        Some(_) => return None,
        None => [json, &zero],
    };
    let mut out = Vec::new();
    for part in pair {
        out.extend(number(ty, order, part)?);
    }
    Some(out)
}

fn time(order: Endianness, json: &Json) -> Option<Vec<u8>> {
    let none = json.as_str() == Some("NaT");
    let least = Json::int(i64::MIN);
    number(Atomic::Int64, order, if none { &least } else { json })
}

/// Parses text or bytes of at most `n` bytes.
fn fixed(json: &Json, n: u64, netcdf: bool) -> Option<Vec<u8>> {
    let text = match json {
        Json::Number(text) if text == "0" => return Some(vec![]),
        other => text(other)?,
    };
    let bytes = if netcdf { None } else { base64(text) };
    let fits = bytes.filter(|b| b.len() as u64 <= n);
    Some(fits.unwrap_or_else(|| text.to_vec()))
}

fn text(json: &Json) -> Option<&[u8]> {
    match json {
        Json::Text(text) => Some(text),
        Json::Number(text) if text == "0" => Some(b""),
        _ => None,
    }
}

/// Returns the bytes, padded with zeros.
fn padded(mut bytes: Vec<u8>, n: u64) -> Option<Vec<u8>> {
    let n = usize::try_from(n).ok().filter(|&n| bytes.len() <= n)?;
    bytes.resize(n, 0);
    Some(bytes)
}

fn utf32(json: &Json, n: u64, order: Endianness) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text(json)?).ok()?;
    let code = |c: char| ordered(u32::from(c).to_be_bytes().to_vec(), order);
    padded(text.chars().flat_map(code).collect(), n.checked_mul(4)?)
}

/// Parses bytes: base64, a list of numbers, or zeros.
fn raw(json: &Json, n: Option<u64>) -> Option<Vec<u8>> {
    match json {
        Json::Text(text) => base64(text).filter(|b| n.is_none_or(|n| b.len() as u64 <= n)),
        Json::Array(items) => match typed(items, Atomic::UByte)? {
            Values::UByte(bytes) => Some(bytes),
            _ => None,
        },
        Json::Number(text) if text == "0" => Some(vec![]),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => None,
    }
}

/// Parses a structure: the bytes, or the fields by name or in order.
fn structure(what: &StoredType, members: &[StructMember], json: &Json) -> Option<Vec<u8>> {
    let size = what.size()?;
    let part = |n: usize, m: &StructMember| match json {
        Json::Array(items) => items.get(n).cloned(),
        other => other.get(&m.name).cloned(),
    };
    if matches!(json, Json::Text(_) | Json::Number(_)) {
        return padded(raw(json, Some(size))?, size);
    }
    let mut out = Vec::new();
    for (n, member) in members.iter().enumerate() {
        let one = stored(&member.stored, &part(n, member)?, false)?;
        for _ in 0..member.elements()? {
            out.extend_from_slice(&one);
        }
    }
    Some(out)
}

/// Decodes base64.
#[must_use]
pub fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text
        .strip_suffix(b"==")
        .or(text.strip_suffix(b"="))
        .unwrap_or(text);
    if !text.len().is_multiple_of(4) || digits.len() % 4 == 1 {
        return None;
    }
    let (mut bits, mut count, mut out) = (0u32, 0u32, Vec::with_capacity(text.len() / 4 * 3));
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xff).unwrap_or(0));
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::zarr::dtype::numpy;

    fn fill(ty: &str, json: &str) -> Option<Vec<u8>> {
        stored(&numpy(ty), &Json::parse(json.as_bytes()).unwrap(), false)
    }

    #[test]
    fn numbers() {
        assert_eq!(fill("<i2", "-9"), Some(vec![0xf7, 0xff]));
        assert_eq!(fill(">i2", "-9.0"), Some(vec![0xff, 0xf7]));
        assert_eq!(fill("<f4", "\"0x7fc00001\""), Some(vec![1, 0, 0xc0, 0x7f]));
        assert_eq!(
            fill("<f8", "\"-Infinity\"").unwrap(),
            f64::NEG_INFINITY.to_le_bytes()
        );
        assert_eq!(fill("<f4", "NaN").unwrap(), f32::NAN.to_le_bytes());
        let default = f64::from_bits(0x479e_0000_0000_0000);
        assert_eq!(fill("<f8", "9.96921e+36").unwrap(), default.to_le_bytes());
        assert_eq!(fill("<i1", "300"), None);
        assert_eq!(fill("<f2", "1.5"), Some(vec![0, 0x3e]));
    }

    #[test]
    fn others() {
        assert_eq!(fill("|b1", "true"), Some(vec![1]));
        assert_eq!(fill("|S4", "\"eno=\""), Some(b"zz\0\0".to_vec()));
        assert_eq!(fill("|S4", "\"\""), Some(vec![0; 4]));
        assert_eq!(fill("|S2", "\"a-long-one\""), None);
        assert_eq!(fill("<U2", "\"z\""), Some(vec![b'z', 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(fill("|V3", "\"AAAA\""), Some(vec![0; 3]));
        assert_eq!(
            fill("<M8[ns]", "\"NaT\""),
            Some(vec![0, 0, 0, 0, 0, 0, 0, 0x80])
        );
        let pair = [1f32.to_le_bytes(), 2f32.to_le_bytes()].concat();
        assert_eq!(fill("<c8", "[1.0,2.0]"), Some(pair));
        assert_eq!(fill("|O", "0"), None);
    }

    #[test]
    fn lists_of_one_value() {
        assert_eq!(fill("<i2", "[-32767]"), fill("<i2", "-32767"));
        assert_eq!(fill("<f8", "[\"NaN\"]"), fill("<f8", "\"NaN\""));
        assert_eq!(fill("|b1", "[true]"), Some(vec![1]));
        assert_eq!(fill("|S2", "[\"\"]"), Some(vec![0, 0]));
        assert_eq!(fill("<U1", "[\"z\"]"), fill("<U1", "\"z\""));
        assert_eq!(fill("<c8", "[[1, 2]]"), fill("<c8", "[1, 2]"));
        assert_eq!(fill("|V3", "[7]"), Some(vec![7, 0, 0]));
        for bad in ["[]", "[1, 2]", "[[1]]", "[null]"] {
            assert_eq!(fill("<i2", bad), None, "{bad}");
        }
    }

    #[test]
    fn base_64() {
        assert_eq!(base64(b"YWJj"), Some(b"abc".to_vec()));
        assert_eq!(base64(b"AP8="), Some(vec![0, 255]));
        for bad in [&b"abc"[..], b"a===", b"ab c", b"\xff\xff\xff\xff"] {
            assert_eq!(base64(bad), None);
        }
    }
}
