//! Surveys all stored chunks of an array.

use netcdf_core::chunk::scatter::advance;
use netcdf_core::error::{Error, Result};
use netcdf_core::model::Values;
use netcdf_core::runtime::pool::Item;

use super::scale::Map;
use crate::array::values::{ValueAt, is_only};
use crate::array::{ChunkPlace, FoundChunk, Lost, Opened};

/// The map of an array.
///
/// # Errors
/// Errors of listing the store.
pub(super) fn look(opened: &Opened<'_>) -> Result<Map> {
    let mut map = Map::new(&opened.grid());
    // Without a fill value no chunk can be all fill, so nothing needs to be decoded.
    let chain = opened.chain().map(|_| ());
    let decodes = chain.is_ok() && opened.fill.is_some();
    map.undecoded = chain.err();
    opened.stored(&mut |batch| {
        let items = batch.into_iter().map(|place| {
            let bytes = place.as_ref().map_or(0, |p| opened.memory(p));
            Ok(Item {
                bytes: if decodes { bytes } else { 0 },
                value: place,
            })
        });
        let work = |place: FoundChunk| match place {
            Err(lost) => Ok((Err(lost), Ok(false))),
            Ok(place) if !decodes => Ok((Ok(place), Ok(false))),
            Ok(place) => {
                opened.env.cancel.check()?;
                let fill = opened
                    .decode(&place)
                    .map(|values| all_fill(opened, &place, &values));
                Ok((Ok(place), fill))
            }
        };
        opened.env.pool.ordered(items, work, |(place, fill)| {
            match place {
                Ok(place) => enter(&mut map, &place, fill),
                Err(lost) => lose(&mut map, opened, lost),
            }
            Ok(())
        })
    })?;
    Ok(map)
}

/// Enters a stored chunk.
fn enter(map: &mut Map, place: &ChunkPlace, fill: Result<bool>) {
    if let Some(cell) = map.cell(&place.place) {
        let len = place.range.end.saturating_sub(place.range.start);
        cell.present = cell.present.saturating_add(1);
        cell.bytes = cell.bytes.saturating_add(len);
        cell.fill = cell
            .fill
            .saturating_add(u64::from(matches!(fill, Ok(true))));
        cell.wrong = cell.wrong.saturating_add(u64::from(fill.is_err()));
    }
    if let Err(e) = fill {
        map.wrong(e);
    }
}

/// Enters a shard whose chunks cannot be found: all its cells are marked as wrong.
fn lose(map: &mut Map, opened: &Opened<'_>, lost: Lost) {
    let outer = opened.array.outer().iter().zip(&opened.chunk);
    let ratio: Vec<u64> = outer
        .map(|(outer, inner)| (outer / (*inner).max(1)).max(1))
        .collect();
    let first = lost.key_place.iter().zip(&ratio);
    let first: Vec<u64> = first.map(|(at, n)| at.saturating_mul(*n)).collect();
    map.wrong_cells(&first, &ratio);
    map.wrong(lost.error);
}

/// Whether all elements of a chunk that lie in the array are the fill value.
fn all_fill(opened: &Opened<'_>, place: &ChunkPlace, values: &Values) -> bool {
    let Some(fill) = &opened.fill else {
        return false;
    };
    let block = opened.block(&place.place);
    let inside = opened.inside(&block);
    let row = block.count.last().copied().unwrap_or(1);
    let len = inside.last().copied().unwrap_or(1);
    let outer = block.count.len().saturating_sub(1);
    let lengths = inside.get(..outer).unwrap_or_default();
    let mut at = vec![0u64; outer];
    loop {
        let first = at.iter().zip(&block.count);
        let first = first.fold(0u64, |n, (at, len)| {
            n.saturating_mul(*len).saturating_add(*at)
        });
        let first = usize::try_from(first.saturating_mul(row)).unwrap_or(usize::MAX);
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        if !is_only(ValueAt::new(values, first), fill, len) {
            return false;
        }
        if !advance(&mut at, lengths) {
            return true;
        }
    }
}

/// The note if the chunks of an array cannot be decoded.
pub(super) fn why(e: &Error) -> String {
    let what = e.what();
    format!("chunks are not decoded, so chunks of fill values only are not marked: {what}")
}
