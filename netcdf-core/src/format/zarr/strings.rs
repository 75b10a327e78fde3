//! Values of any length: a chunk has all of its values one after the other, so an element is known by chunk and number,
//! and decoded chunks are kept for a while.

use super::array::Heap;
use super::fill;
use super::schema::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;

/// Bytes by which an element is known: the number of its chunk and its number in it.
pub const SIZE: u64 = 16;

/// The number of no chunk.
const MISSING: u64 = u64::MAX;

/// What stands for an element that is not stored.
#[must_use]
pub fn missing() -> Vec<u8> {
    element(MISSING, 0).to_vec()
}

/// What stands for an element.
#[must_use]
pub fn element(chunk: u64, n: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    let (front, back) = bytes.split_at_mut(8);
    front.copy_from_slice(&chunk.to_le_bytes());
    back.copy_from_slice(&n.to_le_bytes());
    bytes
}

/// The chunk and the number of an element; `None` for one that is not stored.
#[must_use]
pub fn place(bytes: &[u8; 16]) -> Option<(u64, usize)> {
    let ([chunk, n], _) = bytes.as_chunks::<8>() else {
        return None;
    };
    let chunk = u64::from_le_bytes(*chunk);
    let n = usize::try_from(u64::from_le_bytes(*n)).ok()?;
    (chunk != MISSING).then_some((chunk, n))
}

/// The value that an element has which is not stored.
#[must_use]
pub fn fill_text(array: &Array) -> Vec<u8> {
    let described = &array.described;
    fill::stored(&described.stored, &described.fill, false).unwrap_or_default()
}

/// The values of a chunk of `count` elements.
///
/// # Errors
/// [`ErrorKind::Corrupt`] if they are not as many, or not all there.
pub fn decode(heap: Heap, bytes: &[u8], count: u64) -> Result<Vec<Box<[u8]>>> {
    let values = match heap {
        Heap::Lengths => lengths(bytes)?,
        Heap::Json => json(bytes)?,
    };
    if values.len() as u64 != count {
        let have = values.len();
        let what = format!("{have} values where the chunk has {count}");
        return Err(Error::new(ErrorKind::Corrupt, what));
    }
    Ok(values)
}

fn short() -> Error {
    Error::new(ErrorKind::Corrupt, "the texts of a chunk end too early")
}

/// Number of values, then length and bytes of each.
fn lengths(bytes: &[u8]) -> Result<Vec<Box<[u8]>>> {
    let (count, mut rest) = bytes.split_first_chunk::<4>().ok_or_else(short)?;
    let count = usize::try_from(u32::from_le_bytes(*count)).map_err(|_| short())?;
    if count > rest.len() / 4 {
        return Err(short());
    }
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        let (len, more) = rest.split_first_chunk::<4>().ok_or_else(short)?;
        let len = usize::try_from(u32::from_le_bytes(*len)).map_err(|_| short())?;
        let (value, more) = more.split_at_checked(len).ok_or_else(short)?;
        values.push(value.into());
        rest = more;
    }
    Ok(values)
}

/// A list of the values, then their type and the shape. Texts are as they are, other values are JSON.
fn json(bytes: &[u8]) -> Result<Vec<Box<[u8]>>> {
    let Json::Array(mut items) = Json::parse(bytes)? else {
        return Err(short());
    };
    let kept = items.len().checked_sub(2).ok_or_else(short)?;
    items.truncate(kept);
    let value = |item: Json| match item {
        Json::Text(text) => text.into(),
        other => other.to_bytes().into(),
    };
    Ok(items.into_iter().map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: Vec<Box<[u8]>>) -> Vec<String> {
        values
            .iter()
            .map(|v| String::from_utf8(v.to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn elements_lead_back() {
        assert_eq!(place(&element(7, 9)), Some((7, 9)));
        assert_eq!(place(missing().as_slice().try_into().unwrap()), None);
    }

    #[test]
    fn texts_of_a_chunk() {
        let bytes = b"\x02\0\0\0\x01\0\0\0a\x03\0\0\0bcd";
        assert_eq!(
            texts(decode(Heap::Lengths, bytes, 2).unwrap()),
            ["a", "bcd"]
        );
        let bytes = br#"["a",{"b":1},null,"|O",[3]]"#;
        assert_eq!(
            texts(decode(Heap::Json, bytes, 3).unwrap()),
            ["a", "{\"b\": 1}", "null"]
        );
    }

    #[test]
    fn damage_is_found() {
        for bytes in [
            &b""[..],
            b"\x02\0\0",
            b"\x02\0\0\0\x01\0\0\0a",
            b"\xff\xff\xff\xff",
            b"\x01\0\0\0\x09\0\0\0a",
        ] {
            let e = decode(Heap::Lengths, bytes, 2).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Corrupt);
        }
        assert!(decode(Heap::Lengths, b"\x01\0\0\0\0\0\0\0", 2).is_err());
        assert!(decode(Heap::Json, b"[1]", 1).is_err());
    }
}
