//! Prints the map as text and as JSON lines.

use netcdf_core::error::Result;
use netcdf_core::json::Json;
use netcdf_core::shown::number_agreement;
use netcdf_core::tool::table::right;

use super::scale::{CellLook, ChunkMap, LOOKS, MapCell};
use super::survey::why;
use crate::array::OpenArray;
use crate::out::{Colour, CommandOut, numbers as list, plain};
use crate::table::{shape, size};

/// Returns the character for a cell.
fn sign(look: CellLook, fancy: bool) -> char {
    let row = LOOKS.iter().find(|row| row.0 == look);
    row.map_or(
        '#',
        |&(_, [plain, shade], ..)| if fancy { shade } else { plain },
    )
}

/// Draws the map.
///
/// # Errors
/// Returns write errors.
pub(super) fn text(out: &mut CommandOut<'_>, opened: &OpenArray<'_>, map: &ChunkMap) -> Result<()> {
    let title = headline(opened, map);
    let title = out.paint(Colour::Bold, &title);
    out.line(&title)?;
    if let Some(block) = blocks(map) {
        out.line(&block)?;
    }
    let largest = map.largest();
    let (width, height) = map.slice();
    let slices = map.cells.chunks(width.saturating_mul(height).max(1));
    for (n, slice) in slices.enumerate() {
        out.line("")?;
        if map.shape.len() > 2 {
            let text = heading(map, n, width.saturating_mul(height));
            out.line(&text)?;
        }
        for (row, cells) in slice.chunks(width).enumerate() {
            let signs = cells
                .iter()
                .map(|cell| sign(map.look(*cell, largest), out.fancy));
            let signs: String = signs.collect();
            let label = label(map, n, row, (width, height));
            out.line(&format!("  {label}{signs}"))?;
        }
    }
    legend(out, map, largest)
}

/// Returns the first line: the array and its chunks.
pub(super) fn headline(opened: &OpenArray<'_>, map: &ChunkMap) -> String {
    let total = map.total();
    let chunks = match map.grid.is_empty() {
        true => "one chunk, of a scalar".to_owned(),
        false => {
            let chunks = format!("{} chunks of {}", shape(&map.grid), shape(&opened.chunk));
            number_agreement(chunks.into()).into_owned()
        }
    };
    format!(
        "{}: {chunks}; {} stored ({}), {} of them fill only, {} missing",
        opened.path,
        total.present,
        size(total.bytes),
        total.fill,
        total.chunks.saturating_sub(total.present)
    )
}

/// Returns the line about cells, if a cell stands for more than one chunk.
pub(super) fn blocks(map: &ChunkMap) -> Option<String> {
    (!map.is_whole()).then(|| format!("each cell is a block of {} chunks", shape(&map.block)))
}

/// Returns the location of a slice, in chunks.
pub(super) fn heading(map: &ChunkMap, slice: usize, cells: usize) -> String {
    let place = map.place((slice as u64).saturating_mul(cells as u64));
    let outer = map.shape.len().saturating_sub(2);
    let spans = place.iter().zip(&map.block).zip(&map.grid).take(outer);
    let spans: Vec<_> = spans.map(|((at, b), n)| span(*at, *b, *n)).collect();
    format!("[{},*,*]", spans.join(","))
}

/// Returns the chunks of a cell along a dimension.
fn span(at: u64, block: u64, cells: u64) -> String {
    let first = at.saturating_mul(block);
    let last = first.saturating_add(block).min(cells).saturating_sub(1);
    match first == last {
        true => first.to_string(),
        false => format!("{first}..{last}"),
    }
}

/// Returns the first chunk number of a row along the vertical dimension.
fn label(map: &ChunkMap, slice: usize, row: usize, (width, height): (usize, usize)) -> String {
    let first = slice
        .saturating_mul(height)
        .saturating_add(row)
        .saturating_mul(width);
    let place = map.place(first as u64);
    let down = match map.shape.len() {
        0 => return String::new(),
        1 => 0,
        rank => rank.saturating_sub(2),
    };
    let at = |n: &[u64]| n.get(down).copied().unwrap_or(0);
    let digits = at(&map.grid).saturating_sub(1).to_string().len();
    let chunk = at(&place).saturating_mul(at(&map.block));
    right(&chunk.to_string(), digits) + " "
}

fn legend(out: &mut CommandOut<'_>, map: &ChunkMap, largest: u64) -> Result<()> {
    let fancy = out.fancy;
    let shades: String = (0..4).map(|n| sign(CellLook::Size(n), fancy)).collect();
    out.line("")?;
    let mean = if map.is_whole() {
        ""
    } else {
        " a chunk, on average"
    };
    let missing = sign(CellLook::Missing, fancy);
    let fill = sign(CellLook::Fill, fancy);
    out.line(&format!(
        "{missing} missing  {fill} fill value only  {shades} stored, by quarters of {largest} B{mean}"
    ))?;
    if map.wrong.is_some() {
        let wrong = sign(CellLook::Wrong, fancy);
        let text = out.paint(Colour::Red, &format!("{wrong} cannot be decoded"));
        out.line(&text)?;
    }
    match &map.undecoded {
        None => Ok(()),
        Some(e) => out.line(&plain(&why(e))),
    }
}

/// Prints the map as JSON: a record for the array, and one per row of cells.
///
/// # Errors
/// Returns write errors.
pub(super) fn records(
    out: &mut CommandOut<'_>,
    opened: &OpenArray<'_>,
    map: &ChunkMap,
) -> Result<()> {
    let total = map.total();
    let undecoded = map.undecoded.as_ref().map(why);
    out.record(
        "map",
        [
            ("path", Json::text(&opened.path)),
            ("grid", list(&map.grid)),
            ("chunk", list(&opened.chunk)),
            ("block", list(&map.block)),
            ("present", Json::int(total.present)),
            ("fill_only", Json::int(total.fill)),
            ("wrong", Json::int(total.wrong)),
            ("stored_bytes", Json::int(total.bytes)),
            ("problem", undecoded.map_or(Json::Null, |t| Json::text(&t))),
        ],
    )?;
    let row = map.shape.last().copied().unwrap_or(1);
    let row = usize::try_from(row).unwrap_or(usize::MAX).max(1);
    for (n, cells) in map.cells.chunks(row).enumerate() {
        let first = map.place((n as u64).saturating_mul(row as u64));
        let first: Vec<u64> = first
            .iter()
            .zip(&map.block)
            .map(|(at, b)| at.saturating_mul(*b))
            .collect();
        let each = |of: fn(&MapCell) -> u64| list(&cells.iter().map(of).collect::<Vec<_>>());
        out.record(
            "cells",
            [
                ("first", list(&first)),
                ("chunks", each(|c| c.chunks)),
                ("present", each(|c| c.present)),
                ("fill_only", each(|c| c.fill)),
                ("wrong", each(|c| c.wrong)),
                ("stored_bytes", each(|c| c.bytes)),
            ],
        )?;
    }
    Ok(())
}
