//! Conversion of values to and from the stored form of staged elements.

use super::heap;
use super::spool::StagedSpool;
use super::tiles::StagedTiles;
use crate::chunk::InBands;
use crate::chunk::{Dataset, elements};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Region, Schema, Values, VarId};

/// Approximate size in bytes of an element batch for copying.
const BAND: u64 = 1 << 20;

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

/// Resolves element references to values. A null reference gives the fill value.
pub(super) fn resolve(
    schema: &Schema,
    var: VarId,
    bytes: &[u8],
    spool: Option<&StagedSpool>,
) -> Result<Values> {
    let unknown = || Error::new(ErrorKind::NoVariable, format!("no variable {}", var.0));
    let variable = schema.var(var).ok_or_else(unknown)?;
    let fill = match variable.fill_value() {
        Some(fill) => fill,
        None => heap::blank(schema, variable.ty)?,
    };
    let mut out = heap::empty(schema, variable.ty)?;
    for reference in bytes.as_chunks::<16>().0 {
        let (at, len) = reference.split_at(8);
        let number = |part: &[u8]| part.try_into().map_or(0, u64::from_le_bytes);
        match (number(len), spool) {
            (0, _) | (_, None) => {
                out.append(fill.clone());
            }
            (len, Some(spool)) => {
                let value = spool.read(number(at), len)?;
                heap::read(schema, &mut value.as_slice(), &mut out)?;
            }
        }
    }
    Ok(out)
}

/// Returns the stored form of an unwritten element.
pub(super) fn fill(schema: &Schema, var: VarId, tiles: &StagedTiles) -> Result<Vec<u8>> {
    let layout = crate::chunk::layout::Layout {
        fill: None,
        ..tiles.layout(&[])
    };
    crate::chunk::decode::fill(schema, var, &layout)
}

/// Copies all elements of a variable of another dataset, band by band.
pub(super) fn take_over(
    set: Dataset<'_>,
    var: VarId,
    tiles: &mut StagedTiles,
    spool: &StagedSpool,
) -> Result<()> {
    let layout = set.layout(var)?;
    let shape = set.reader.schema().shape(var);
    let most = (BAND / layout.element.size.max(1)).max(1);
    let bands = InBands::new(Region::whole(&shape), most);
    set.bands(
        var,
        bands,
        |band, bytes| Ok((band.clone(), set.resolve(var, &bytes)?)),
        |(band, values)| {
            let bytes = stored(&values, tiles, spool)?;
            tiles.put(&band, &bytes, (spool, &mut |_, _| Ok(())))
        },
    )
}
