//! Decodes the texts of a chunk.

use std::borrow::Cow;

use super::{TextCodec, Texts};
use crate::chunk::scatter::advance;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::model::region::product;

/// The maximum size of a JSON chunk in bytes. In memory, it takes up to 32 times this size.
pub(super) const MOST_JSON: usize = 1 << 27;

/// The values of a chunk.
type ChunkTexts<'b> = Vec<Cow<'b, [u8]>>;

/// Decodes the values of a chunk, row-major.
pub(super) fn decode<'b>(texts: &Texts, bytes: &'b [u8]) -> Result<ChunkTexts<'b>> {
    let (shape, turned) = (&texts.chunk, texts.turned.as_slice());
    let (values, order) = match texts.codec {
        TextCodec::Lengths => (lengths(bytes)?, turned),
        TextCodec::Json => json(bytes, shape, turned)?,
    };
    let count = product(shape);
    if count != Some(values.len() as u64) {
        let have = values.len();
        let count = count.map_or("2^64 or more".to_owned(), |count| count.to_string());
        let what = format!("{have} values, but the chunk has {count}");
        return Err(Error::new(ErrorKind::Corrupt, what));
    }
    match order {
        [] => Ok(values),
        order => Ok(row_major(values, shape, order)),
    }
}

/// Transposes values that were encoded with permuted dimensions to row-major order.
fn row_major<'b>(values: ChunkTexts<'b>, shape: &[u64], order: &[usize]) -> ChunkTexts<'b> {
    let mut steps = vec![0u64; shape.len()];
    let mut step = 1u64;
    for &dim in order.iter().rev() {
        if let Some((place, len)) = steps.get_mut(dim).zip(shape.get(dim)) {
            *place = step;
            step *= *len;
        }
    }
    let mut values: Vec<Option<Cow<[u8]>>> = values.into_iter().map(Some).collect();
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
fn lengths(bytes: &[u8]) -> Result<ChunkTexts<'_>> {
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

/// Decodes a list of values (nested lists for several dimensions), followed by their type and their shape. Texts stay unchanged, other
/// values become JSON text. The second result is the order of the dimensions. A list in the shape of the chunk has the order of the chunk.
/// A flat list follows `order`.
fn json<'o>(
    bytes: &[u8],
    chunk: &[u64],
    order: &'o [usize],
) -> Result<(ChunkTexts<'static>, &'o [usize])> {
    if bytes.len() > MOST_JSON {
        let have = bytes.len();
        let what = format!("a chunk with {have} bytes of JSON, the limit is {MOST_JSON}");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let Json::Array(mut items) = Json::parse(bytes)? else {
        return Err(short());
    };
    let shape = items.pop().and_then(|last| last.lengths());
    let shape = shape.filter(|_| items.pop().is_some()).ok_or_else(short)?;
    if shape.len() > 1 && shape != chunk {
        let what = format!("values in the shape {shape:?}, but the chunk has {chunk:?}");
        return Err(Error::new(ErrorKind::Corrupt, what));
    }
    let items = flat(items, &shape)?;
    let value = |item: Json| match item {
        Json::Text(text) => Cow::Owned(text),
        other => Cow::Owned(other.to_bytes()),
    };
    let order = if shape == chunk { &[] } else { order };
    Ok((items.into_iter().map(value).collect(), order))
}

/// Returns the values of nested lists in row-major order.
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
