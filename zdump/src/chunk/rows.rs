//! Values of a chunk, row by row, in small fragments to save memory.

use netcdf_core::chunk::scatter::advance;
use netcdf_core::error::Result;
use netcdf_core::model::{Values, ZarrVersion};

use crate::array::values::same;
use crate::array::{ChunkPlace, OpenArray};

/// Maximum values per fragment.
const PIECE: usize = 1024;

/// A fragment of a row.
pub(super) struct RowPiece {
    /// The index of the first element in the array.
    pub index: Vec<u64>,
    /// The values as constants; `_` for the fill value.
    pub constants: Vec<String>,
    /// The number of leading values inside the array.
    pub inside: usize,
}

/// Visits the rows of a chunk.
///
/// # Errors
/// Returns errors of `visit`.
pub(super) fn each(
    opened: &OpenArray<'_>,
    place: &ChunkPlace,
    values: &Values,
    visit: &mut dyn FnMut(RowPiece) -> Result<()>,
) -> Result<()> {
    let block = opened.block(&place.place);
    let inside = opened.inside(&block);
    let row = usize::try_from(block.count.last().copied().unwrap_or(1)).unwrap_or(usize::MAX);
    let outer = block.count.len().saturating_sub(1);
    let lengths = block.count.get(..outer).unwrap_or_default();
    let mut at = vec![0u64; outer];
    let mut first = 0usize;
    loop {
        let whole = at.iter().zip(&inside).all(|(at, n)| at < n);
        let last = inside.last().copied().unwrap_or(1);
        let shown = if whole {
            usize::try_from(last).unwrap_or(row)
        } else {
            0
        };
        let mut from = 0;
        while from < row {
            let len = PIECE.min(row - from);
            let start = first.saturating_add(from);
            let part = values.slice(start..start.saturating_add(len));
            let inside = shown.saturating_sub(from).min(len);
            let within = at.iter().copied().chain([from as u64]);
            let index = block.start.iter().zip(within);
            let index = index.map(|(start, n)| start.saturating_add(n)).collect();
            visit(piece(opened, index, &part, inside))?;
            from += len;
        }
        first = first.saturating_add(row);
        if !advance(&mut at, lengths) {
            return Ok(());
        }
    }
}

fn piece(opened: &OpenArray<'_>, index: Vec<u64>, part: &Values, inside: usize) -> RowPiece {
    let constants = match part {
        Values::Char(text) => return text_piece(opened, index, text, inside),
        other => opened.shown(other),
    };
    let fill = opened.fill.as_ref();
    let fills = |n: usize| fill.is_some_and(|fill| same(part, n, fill, 0));
    let constants = constants.into_iter().enumerate();
    // Version 3 always has a fill value, which may be a real time.
    let always = opened.array.described.version == ZarrVersion::V3;
    let is_date = |text: &str| always && opened.times.is_some() && text.starts_with('"');
    let constants = constants.map(|(n, text)| match fills(n) && !is_date(&text) {
        true => "_".to_owned(),
        false => text,
    });
    RowPiece {
        index,
        constants: constants.collect(),
        inside,
    }
}

/// Returns the characters of a row as one text, and the characters beyond the array as another text.
fn text_piece(opened: &OpenArray<'_>, index: Vec<u64>, text: &[u8], inside: usize) -> RowPiece {
    let (within, beyond) = text.split_at_checked(inside).unwrap_or((text, &[]));
    let texts = [within, beyond].into_iter().filter(|t| !t.is_empty());
    let texts: Vec<_> = texts.map(|t| Some(t.into())).collect();
    RowPiece {
        index,
        constants: opened.constants(&Values::String(texts)),
        inside: usize::from(!within.is_empty()),
    }
}
