//! Conversion of values to and from the stored form of staged elements.

use super::heap;
use super::spool::StagedSpool;
use super::tiles::StagedTiles;
use crate::chunk::scatter::place;
use crate::chunk::{Dataset, elements};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::model::{Region, Schema, Values, VarId};

/// Returns the stored form of values, element by element.
pub(super) fn stored(values: &Values, tiles: &StagedTiles, spool: &StagedSpool) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    if tiles.element.plain_type().is_some() {
        elements::encode(values, tiles.element.order, &mut out)?;
        return Ok(out);
    }
    let mut bytes = Vec::new();
    for n in 0..values.len() {
        bytes.clear();
        let written = heap::write(values, n..n + 1, &mut bytes);
        written.ok_or_else(|| {
            Error::new(
                ErrorKind::Argument,
                "compounds with columns of different lengths",
            )
        })?;
        let at = spool.append(&bytes)?;
        out.extend(at.to_le_bytes());
        out.extend((bytes.len() as u64).to_le_bytes());
    }
    Ok(out)
}

/// The length in references to elements of the original dataset. The offset is the row-major number of the element.
const ORIGINAL: u64 = u64::MAX;

/// The source of referenced values.
#[derive(Clone, Copy)]
pub(super) struct ReferencedValues<'a> {
    pub(super) spool: Option<&'a StagedSpool>,
    /// The original dataset with the variable's id there.
    pub(super) original: Option<(Dataset<'a>, VarId)>,
}

/// Returns a reference to an element of the original dataset, from its row-major number.
pub(super) fn original_reference(number: u64) -> [u8; 16] {
    let both = u128::from(number) | (u128::from(ORIGINAL) << 64);
    both.to_le_bytes()
}

fn decoded(reference: &[u8; 16]) -> (u64, u64) {
    let (at, len) = reference.split_at(8);
    let number = |part: &[u8]| part.try_into().map_or(0, u64::from_le_bytes);
    (number(at), number(len))
}

/// Resolves element references to values. A null reference gives the fill value.
pub(super) fn resolve(
    schema: &Schema,
    var: VarId,
    bytes: &[u8],
    from: ReferencedValues<'_>,
) -> Result<Values> {
    let unknown = || Error::new(ErrorKind::NoVariable, format!("no variable {}", var.0));
    let variable = schema.var(var).ok_or_else(unknown)?;
    let fill = match variable.fill_value() {
        Some(fill) => fill,
        None => heap::blank(schema, variable.ty)?,
    };
    let mut out = heap::empty(schema, variable.ty)?;
    let mut rest = bytes.as_chunks::<16>().0;
    while let Some(reference) = rest.first() {
        let (at, len) = decoded(reference);
        let mut count = 1;
        match (len, from.spool) {
            (ORIGINAL, _) => {
                let next = rest.iter().zip(at..=u64::MAX);
                count = next
                    .take_while(|(r, n)| decoded(r) == (*n, ORIGINAL))
                    .count();
                let (set, id) = from.original.or_internal("the original dataset")?;
                append_original((set, id), at, count as u64, &mut out)?;
            }
            (0, _) | (_, None) => {
                out.append(fill.clone());
            }
            (len, Some(spool)) => {
                let value = spool.read(at, len)?;
                heap::read(schema, &mut value.as_slice(), &mut out)?;
            }
        }
        rest = rest.get(count..).unwrap_or_default();
    }
    Ok(out)
}

/// Appends `count` elements of the original dataset, row by row.
fn append_original(
    (set, id): (Dataset<'_>, VarId),
    first: u64,
    count: u64,
    out: &mut Values,
) -> Result<()> {
    let shape = set.reader.schema().shape(id);
    let row = shape.last().copied().unwrap_or(1).max(1);
    let end = first.saturating_add(count);
    let mut at = first;
    while at < end {
        let start = place(at, &shape);
        let len = (row - at % row).min(end - at);
        let mut counts = vec![1; shape.len()];
        if let Some(last) = counts.last_mut() {
            *last = len;
        }
        out.append(set.read(id, &Region::boxed(start, counts))?);
        at += len;
    }
    Ok(())
}

/// Returns the stored form of an unwritten element.
pub(super) fn fill(schema: &Schema, var: VarId, tiles: &StagedTiles) -> Result<Vec<u8>> {
    let layout = crate::chunk::layout::Layout {
        fill: None,
        ..tiles.layout(&[])
    };
    crate::chunk::decode::fill(schema, var, &layout)
}
