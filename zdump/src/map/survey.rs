//! Surveys all stored chunks of an array.

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{Region, Values};

use super::scale::ChunkMap;
use crate::array::values::ValueAt;
use crate::array::{ChunkPlace, ElementValues, FoundChunk, OpenArray, UnreadableShard, rows};

/// Returns the map of an array. `far` permits decoding the chunks of a remote store.
///
/// # Errors
/// Returns errors of listing the store.
pub(super) fn look(opened: &OpenArray<'_>, far: bool) -> Result<ChunkMap> {
    let mut map = ChunkMap::new(&opened.grid());
    let chain = match opened.store.latency() && !far && opened.fill.is_some() {
        true => Err(too_far()),
        false => opened.chain().map(|_| ()),
    };
    // Without a fill value no chunk can be all fill, so decoding is unnecessary.
    let decodes = chain.is_ok() && opened.fill.is_some();
    map.undecoded = chain.err();
    let work = |place: FoundChunk| match place {
        Err(lost) => Ok((Err(lost), Ok(false))),
        Ok(place) if !decodes => Ok((Ok(place), Ok(false))),
        Ok(place) => {
            opened.env.cancel.check()?;
            let values = opened.decode(&place);
            let fill = values.map(|values| all_fill(opened, &place, &values));
            Ok((Ok(place), fill))
        }
    };
    let bytes = |place: &ChunkPlace| if decodes { opened.memory(place) } else { 0 };
    opened.each_stored(bytes, work, |(place, fill)| {
        match place {
            Ok(place) => enter(&mut map, &place, fill),
            Err(lost) => lose(&mut map, opened, lost),
        }
        Ok(())
    })?;
    Ok(map)
}

/// Returns the reason why chunks of a remote store are not decoded: the list contains their sizes, but each chunk would need a request.
fn too_far() -> Error {
    let what = "the store is remote (--decode reads all chunks)";
    Error::new(ErrorKind::Unsupported, what)
}

/// Adds a stored chunk.
fn enter(map: &mut ChunkMap, place: &ChunkPlace, fill: Result<bool>) {
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

/// Marks all cells of an unreadable shard as wrong.
fn lose(map: &mut ChunkMap, opened: &OpenArray<'_>, lost: UnreadableShard) {
    let ratio: Vec<u64> = opened.per_key().iter().map(|n| (*n).max(1)).collect();
    let first = lost.key_place.iter().zip(&ratio);
    let first: Vec<u64> = first.map(|(at, n)| at.saturating_mul(*n)).collect();
    map.wrong_cells(&first, &ratio);
    map.wrong(lost.error);
}

/// Checks whether all elements of a chunk inside the array are the fill value.
fn all_fill(opened: &OpenArray<'_>, place: &ChunkPlace, values: &Values) -> bool {
    let Some(fill) = &opened.fill else {
        return false;
    };
    let block = opened.block(&place.place);
    let inside = Region::boxed(block.start.clone(), opened.inside(&block));
    let chunk = ElementValues::Chunk(values, &block);
    rows(&inside, &mut |index, len| {
        let first = chunk.at(index);
        (0..len).all(|n| first.same_after(ValueAt::only(fill), n))
    })
}

/// Returns the note that the chunks of an array cannot be decoded.
pub(super) fn why(e: &Error) -> String {
    let what = e.what();
    format!("chunks are not decoded, so chunks of fill values only are not marked: {what}")
}
