//! Draws the map as an image.

use super::draw::{blocks, heading, headline};
use super::scale::{CellLook, ChunkMap, LOOKS, MapCell};
use crate::array::OpenArray;

/// The cell size in pixels.
const CELL: usize = 10;
/// The margin in pixels.
const EDGE: usize = 16;
/// The height of a text line in pixels.
const LINE: usize = 18;
/// The minimum text width in pixels.
const TEXT: usize = 640;

const STYLE: &str = "text{font:12px sans-serif;fill:#222}.m{fill:#f4f4f4;stroke:#ccc;stroke-width:.5}.f{fill:#f3d9a2}\
    .a{fill:#c6dbef}.b{fill:#6baed6}.c{fill:#2171b5}.d{fill:#08306b}.w{fill:#d7301f}";

/// Returns the image.
pub(super) fn image(opened: &OpenArray<'_>, map: &ChunkMap) -> String {
    let (width, height) = map.slice();
    let per_slice = width.saturating_mul(height).max(1);
    let mut body = String::new();
    let mut top = EDGE + LINE;
    let headline = escape(&headline(opened, map));
    text(&mut body, top, &headline);
    if let Some(block) = blocks(map) {
        top += LINE;
        text(&mut body, top, &block);
    }
    top += LINE / 2;
    for (n, slice) in map.cells.chunks(per_slice).enumerate() {
        if map.shape.len() > 2 {
            top += LINE;
            text(&mut body, top, &heading(map, n, per_slice));
            top += LINE / 3;
        }
        for row in slice.chunks(width) {
            cells(&mut body, map, row, top);
            top += CELL;
        }
        top += CELL;
    }
    top = legend(&mut body, map, top);
    let wide = width.saturating_mul(CELL).max(TEXT) + 2 * EDGE;
    let high = top + EDGE;
    let path = escape(&opened.path);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\" \
         role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">Chunks of {path}</title>\n\
         <desc id=\"desc\">{headline}</desc>\n<style>{STYLE}</style>\n\
         <rect width=\"{wide}\" height=\"{high}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// Draws a row of cells. Neighbours with the same look become one rectangle.
fn cells(body: &mut String, map: &ChunkMap, row: &[MapCell], top: usize) {
    let largest = map.largest();
    let looks: Vec<CellLook> = row.iter().map(|cell| map.look(*cell, largest)).collect();
    let mut left = EDGE;
    for run in looks.chunk_by(|a, b| a == b) {
        let wide = run.len() * CELL;
        if let Some(look) = run.first() {
            rect(body, (left, top), wide, *look);
        }
        left += wide;
    }
}

fn rect(body: &mut String, (left, top): (usize, usize), wide: usize, look: CellLook) {
    let class = LOOKS
        .iter()
        .find(|(l, ..)| *l == look)
        .map_or("m", |row| row.2);
    body.push_str(&format!(
        "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{CELL}\"/>\n"
    ));
}

fn text(body: &mut String, base: usize, text: &str) {
    body.push_str(&format!("<text x=\"{EDGE}\" y=\"{base}\">{text}</text>\n"));
}

/// Draws the legend. Returns its end.
fn legend(body: &mut String, map: &ChunkMap, mut top: usize) -> usize {
    let largest = map.largest();
    for (look, _, _, what) in LOOKS {
        if look == CellLook::Wrong && map.wrong.is_none() {
            continue;
        }
        rect(body, (EDGE, top), CELL, look);
        let more = match look {
            CellLook::Size(3) => format!(" (up to {largest} B a chunk)"),
            CellLook::Size(_) | CellLook::Missing | CellLook::Fill | CellLook::Wrong => {
                String::new()
            }
        };
        let (left, base) = (EDGE + 2 * CELL, top + CELL);
        body.push_str(&format!(
            "<text x=\"{left}\" y=\"{base}\">{what}{more}</text>\n"
        ));
        top += LINE;
    }
    top
}

/// Escapes text for XML.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in crate::out::plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Characters that XML does not allow.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
