//! Fill values and padding of variables.

use super::layout::{VariablePlace, VariablePlaces, padded};
use crate::arithmetic::exact;
use crate::chunk::elements;
use crate::error::{OrInternal as _, Result};
use crate::model::{Endianness, FillMode, Schema, VarId};

/// The maximum number of fill bytes that are written at a time.
const BLOCK: u64 = 64 << 10;

/// Returns the encoded fill value of a variable, repeated to at least four bytes.
pub(super) fn pattern(schema: &Schema, var: VarId) -> Result<Vec<u8>> {
    let mut one = Vec::new();
    if let Some(fill) = schema.var(var).and_then(|v| v.fill_value()) {
        elements::encode(&fill, Endianness::Big, &mut one)?;
    }
    Ok(one.iter().copied().cycle().take(one.len().max(4)).collect())
}

/// Returns the padding after each variable or after each of its records, up to a multiple of four bytes.
pub(super) fn paddings(schema: &Schema, places: &VariablePlaces) -> Result<Vec<Vec<u8>>> {
    let vars = schema.var_ids().zip(&places.vars);
    vars.map(|(var, place)| padding((schema, var), place, places))
        .collect()
}

fn padding(
    (schema, var): (&Schema, VarId),
    place: &VariablePlace,
    places: &VariablePlaces,
) -> Result<Vec<u8>> {
    let size = (exact(padded(place.slab)?) - place.slab).index()?;
    if size == 0 || places.is_single_record(place) {
        return Ok(vec![]);
    }
    let mut pattern = pattern(schema, var)?;
    pattern.truncate(size);
    Ok(pattern)
}

/// Returns whether unwritten elements of a variable get the fill value.
pub(super) fn is_filled(schema: &Schema, var: VarId) -> bool {
    schema
        .var(var)
        .is_none_or(|v| v.storage.fill != FillMode::NoFill)
}

/// Calls `put` with the offset and the bytes of each part of a gap, a range of a variable's bytes.
pub(super) fn fill_gap(
    gap: std::ops::Range<u64>,
    pattern: &[u8],
    put: &mut dyn FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let most = crate::arithmetic::length(&gap).min(BLOCK);
    let block: Vec<u8> = pattern
        .iter()
        .copied()
        .cycle()
        .take(exact(most).index()?)
        .collect();
    let mut at = gap.start;
    while at < gap.end {
        let n = most.min(gap.end - at);
        let bytes = block.get(..exact(n).index()?);
        put(at, bytes.or_internal("a gap beyond its block")?)?;
        at += n;
    }
    Ok(())
}
