//! Variable-length values. A chunk holds its values one after the other, so an element is identified by its chunk and its number
//! there; decoded chunks are kept for a while.

use super::array::{Described, HeapCodec, lengths as numbers};
use super::fill;
use super::schema::Array;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::advance;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{About, Context};
use crate::json::Json;
use crate::model::region::product;
use crate::model::{Element, Schema};

/// The values of a chunk.
type Texts = Vec<Box<[u8]>>;

/// Bytes that identify an element: the number of its chunk, and its number in the chunk.
pub const SIZE: u64 = 16;

/// Most bytes of a JSON chunk, which takes up to 32 times as many in memory.
const MOST_JSON: usize = 1 << 27;

/// A chunk number that stands for "not stored".
const MISSING: u64 = u64::MAX;

/// Most bytes of the texts of a chunk; to be on the safe side, filters may produce eight times as many.
const MOST_TEXT: u64 = 1 << 27;

/// The context of filters for a chunk of texts. The number of bytes is not known in advance, so filters get a limit that
/// does not depend on the number of texts.
#[must_use]
pub fn context(schema: &Schema, layout: &Layout) -> Context {
    let byte = Element {
        size: 1,
        ..layout.element
    };
    Context {
        shape: vec![MOST_TEXT],
        element: byte,
        fill: None,
        len: None,
        about: About::new(schema, layout.element.ty, &layout.filters),
    }
}

/// The identifier of an element that is not stored.
#[must_use]
pub fn missing() -> Vec<u8> {
    element(MISSING, 0).to_vec()
}

/// The identifier of an element.
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

/// The value of an element that is not stored.
#[must_use]
pub fn fill_text(array: &Array) -> Vec<u8> {
    let described = &array.described;
    fill::stored(&described.stored, &described.fill, false).unwrap_or_default()
}

/// The values of a chunk, row-major.
///
/// # Errors
/// [`ErrorKind::Corrupt`] if their number is wrong or they are incomplete, and for arrays without such values.
pub fn decode(described: &Described, bytes: &[u8]) -> Result<Vec<Box<[u8]>>> {
    let (shape, turned) = (&described.chunk, described.turned.as_slice());
    let (values, order) = match described.heap.ok_or_else(short)? {
        HeapCodec::Lengths => (lengths(bytes)?, turned),
        HeapCodec::Json => json(bytes, shape, turned)?,
    };
    let count = product(shape).unwrap_or(u64::MAX);
    if values.len() as u64 != count {
        let have = values.len();
        let what = format!("{have} values, but the chunk has {count}");
        return Err(Error::new(ErrorKind::Corrupt, what));
    }
    match order {
        [] => Ok(values),
        order => Ok(row_major(values, shape, order)),
    }
}

/// Puts values that were encoded with their dimensions in another order into row-major order.
fn row_major(values: Vec<Box<[u8]>>, shape: &[u64], order: &[usize]) -> Vec<Box<[u8]>> {
    let mut steps = vec![0u64; shape.len()];
    let mut step = 1u64;
    for &dim in order.iter().rev() {
        if let Some((place, len)) = steps.get_mut(dim).zip(shape.get(dim)) {
            *place = step;
            step = step.saturating_mul(*len);
        }
    }
    let mut values: Vec<Option<Box<[u8]>>> = values.into_iter().map(Some).collect();
    let mut found = Vec::with_capacity(values.len());
    let mut at = vec![0u64; shape.len()];
    loop {
        let n: u64 = at.iter().zip(&steps).map(|(at, step)| at * step).sum();
        let value = usize::try_from(n)
            .ok()
            .and_then(|n| values.get_mut(n)?.take());
        found.push(value.unwrap_or_default());
        if !advance(&mut at, shape) {
            return found;
        }
    }
}

fn short() -> Error {
    Error::new(ErrorKind::Corrupt, "the texts of a chunk end too early")
}

/// Decodes the number of values, then the length and bytes of each.
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

/// Decodes a list of values (nested lists for several dimensions), followed by their type and their shape. Texts are taken
/// unchanged, other values as JSON. The second result is the order of the dimensions: if the list has the shape of the chunk,
/// its dimensions are those of the chunk, whatever `order` says; a flat list follows `order`.
fn json<'o>(bytes: &[u8], chunk: &[u64], order: &'o [usize]) -> Result<(Texts, &'o [usize])> {
    if bytes.len() > MOST_JSON {
        let have = bytes.len();
        let what = format!("a chunk with {have} bytes of JSON, the limit is {MOST_JSON}");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let Json::Array(mut items) = Json::parse(bytes)? else {
        return Err(short());
    };
    let shape = items.pop().and_then(|last| numbers(Some(&last)));
    let shape = shape.filter(|_| items.pop().is_some()).ok_or_else(short)?;
    if shape.len() > 1 && shape != chunk {
        let what = format!("values in the shape {shape:?}, but the chunk has {chunk:?}");
        return Err(Error::new(ErrorKind::Corrupt, what));
    }
    let items = flat(items, &shape)?;
    let value = |item: Json| match item {
        Json::Text(text) => text.into(),
        other => other.to_bytes().into(),
    };
    let order = if shape == chunk { &[] } else { order };
    Ok((items.into_iter().map(value).collect(), order))
}

/// The values in nested lists of a shape, in row-major order.
fn flat(mut items: Vec<Json>, shape: &[u64]) -> Result<Vec<Json>> {
    let check = |items: &Vec<Json>, len: u64| match items.len() as u64 == len {
        true => Ok(()),
        false => {
            let what = format!("a list of {}, but the shape has {len}", items.len());
            Err(Error::new(ErrorKind::Corrupt, what))
        }
    };
    check(&items, shape.first().copied().unwrap_or(1))?;
    for &len in shape.iter().skip(1) {
        let mut inner = vec![];
        for item in items {
            let Json::Array(list) = item else {
                return Err(short());
            };
            check(&list, len)?;
            inner.extend(list);
        }
        items = inner;
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::zarr::v2;

    fn decoded(codec: &str, chunk: &[u64], turned: &[usize], bytes: &[u8]) -> Result<Vec<String>> {
        let text = format!(
            r#"{{"shape":{chunk:?},"chunks":{chunk:?},"dtype":"|O","filters":[{{"id":"{codec}"}}]}}"#
        );
        let mut described = v2::describe(&Json::parse(text.as_bytes()).unwrap(), 8).unwrap();
        described.turned = turned.to_vec();
        let text = |v: Box<[u8]>| String::from_utf8(v.to_vec()).unwrap();
        Ok(decode(&described, bytes)?.into_iter().map(text).collect())
    }

    #[test]
    fn elements_lead_back() {
        assert_eq!(place(&element(7, 9)), Some((7, 9)));
        assert_eq!(place(missing().as_slice().try_into().unwrap()), None);
    }

    #[test]
    fn texts_of_a_chunk() {
        let bytes = b"\x02\0\0\0\x01\0\0\0a\x03\0\0\0bcd";
        let read = |codec, count, bytes| decoded(codec, &[count], &[], bytes).unwrap();
        assert_eq!(read("vlen-utf8", 2, bytes), ["a", "bcd"]);
        let bytes = br#"["a",{"b":1},null,"|O",[3]]"#;
        assert_eq!(read("json2", 3, bytes), ["a", "{\"b\": 1}", "null"]);
    }

    #[test]
    fn json_of_several_dimensions_is_lists_in_lists() {
        let bytes = br#"[["a","b",["c"]],["d","e","f"],"|O",[2,3]]"#;
        for turned in [&[][..], &[1, 0]] {
            let read = decoded("json2", &[2, 3], turned, bytes).unwrap();
            assert_eq!(read, ["a", "b", "[\"c\"]", "d", "e", "f"]);
        }
        let column = br#"[["a"],["b"],["c"],"|O",[3,1]]"#;
        let read = |chunk: &[u64], bytes| decoded("json2", chunk, &[], bytes);
        assert_eq!(read(&[3, 1], column).unwrap(), ["a", "b", "c"]);
        let deep = br#"[[["a","b"],["c","d"]],"|O",[1,2,2]]"#;
        assert_eq!(read(&[1, 2, 2], deep).unwrap(), ["a", "b", "c", "d"]);
        assert_eq!(read(&[], br#"["a","|O",[]]"#).unwrap(), ["a"]);
        assert_eq!(read(&[], br#"["a","|O",[1]]"#).unwrap(), ["a"]);
        for (chunk, bytes) in [
            (&[3][..], &column[..]),
            (&[1, 3], column),
            (&[2, 3], &bytes[..30]),
            (&[2, 2], br#"[["a","b"],["c"],"|O",[2,2]]"#),
            (&[2, 2], br#"[["a","b"],"c","|O",[2,2]]"#),
            (&[2, 2], br#"["a","b","|O",2]"#),
        ] {
            assert_eq!(read(chunk, bytes).unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }

    #[test]
    fn values_in_another_order_of_dimensions() {
        let bytes = |texts: &str| {
            let one = |b: u8| [1, 0, 0, 0, b];
            let count = (texts.len() as u32).to_le_bytes();
            [count.to_vec(), texts.bytes().flat_map(one).collect()].concat()
        };
        // a b c / d e f, column by column.
        let read = decoded("vlen-utf8", &[2, 3], &[1, 0], &bytes("adbecf")).unwrap();
        assert_eq!(read.concat(), "abcdef");
        // Of the shape 2, 1, 3 as 3, 2, 1.
        let read = decoded("vlen-utf8", &[2, 1, 3], &[2, 0, 1], &bytes("adbecf")).unwrap();
        assert_eq!(read.concat(), "abcdef");
        let line = br#"["a","d","b","e","c","f","|O",[6]]"#;
        let read = decoded("json2", &[2, 3], &[1, 0], line).unwrap();
        assert_eq!(read.concat(), "abcdef");
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
            let e = decoded("vlen-utf8", &[2], &[], bytes).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Corrupt);
        }
        assert!(decoded("vlen-utf8", &[2], &[], b"\x01\0\0\0\0\0\0\0").is_err());
        assert!(decoded("json2", &[1], &[], b"[1]").is_err());
        let e = decoded("json2", &[1], &[], &vec![0; MOST_JSON + 1]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit);
    }
}
