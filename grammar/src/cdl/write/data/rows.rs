//! Rows: start, end, and the text around their values.

use netcdf_core::model::Region;

use super::cells::{BATCH, BandCells, Item};
use super::part::{BandText, Items, TextBuffers};
use crate::cdl::write::options::{Annotation, Language};
use crate::cdl::write::wrap::Wrap;
use crate::number::SEPARATOR;
use crate::write::{RowGrid, Span};

/// Estimated text size of a value in bytes.
const VALUE_LEN: usize = 12;

/// The rows of a variable.
pub(super) struct VariableRows {
    pub(super) grid: RowGrid,
    /// Per dimension, whether it is unlimited.
    pub(super) unlimited: Vec<bool>,
    /// The escaped variable name.
    pub(super) name: Vec<u8>,
    /// The comments to write.
    pub(super) annotation: Annotation,
    /// Whether missing characters of a list read back as NUL.
    pub(super) zero_fill: bool,
    /// The line at the start of a row.
    pub(super) start: Wrap,
    /// Reusable text buffers.
    pub(super) spare: TextBuffers,
}

impl VariableRows {
    /// The text of a band.
    pub(super) fn part<C: BandCells>(&self, band: &Region, cells: &mut C) -> BandText {
        let span = self.grid.span(band);
        let mut index = self.grid.index(band);
        if self.annotation.values || (span.begins && span.ends) {
            let room = span
                .rows
                .saturating_mul(span.values)
                .saturating_mul(VALUE_LEN);
            let mut out = self.spare.take(room);
            for _ in 0..span.rows {
                self.row(&index, &span, cells, &mut out);
                self.grid.advance(&mut index);
            }
            return BandText::Text(out);
        }
        BandText::Items(self.items(&index, &span, cells))
    }

    /// A row; or a part of it, if each value has a comment.
    fn row<C: BandCells>(&self, index: &[u64], span: &Span, cells: &mut C, out: &mut Vec<u8>) {
        let mut wrap = self.start;
        if span.begins {
            wrap = self.begin(index, out);
        }
        if self.annotation.values {
            return self.annotated(index, span, cells, out);
        }
        let closed = self.closed(index);
        list(cells, span.values, |item: &C::Item, last| {
            let tail = if last { closed } else { SEPARATOR.len() };
            if wrap.breaks(item.len() + tail) {
                wrap.break_line(out);
            }
            item.append_to(!last, out);
        });
        self.end(index, closed, out);
    }

    /// Writes values with one comment each.
    fn annotated<C: BandCells>(
        &self,
        index: &[u64],
        span: &Span,
        cells: &mut C,
        out: &mut Vec<u8>,
    ) {
        let mut item = C::Item::default();
        for place in (span.first..).take(span.values) {
            cells.next(&mut item);
            let more = place.saturating_add(1) < self.grid.len();
            item.append_to(more, out);
            if more {
                self.comment(index, place, out);
            } else {
                self.end(index, self.closed(index), out);
            }
        }
    }

    /// Returns a part of a row for later line breaking.
    fn items<C: BandCells>(&self, index: &[u64], span: &Span, cells: &mut C) -> Items {
        let mut items = Items::default();
        if span.begins {
            let wrap = self.begin(index, &mut items.before);
            items.start = Some(wrap);
        }
        items.text.reserve(span.values.saturating_mul(VALUE_LEN));
        items.lengths.reserve(span.values);
        let closed = self.closed(index);
        list(cells, span.values, |item: &C::Item, last| {
            let ends = last && span.ends;
            item.append_to(!ends, &mut items.text);
            if ends {
                items.text.resize(items.text.len() + closed, b'}');
                items.count(item.len() + closed);
            } else {
                items.count(item.len() + SEPARATOR.len());
            }
        });
        if span.ends {
            self.end(index, 0, &mut items.after);
        }
        items
    }

    /// Writes the text before a row: an opening brace for each list that begins here (inner unlimited dimensions), and a comment.
    pub(super) fn begin(&self, index: &[u64], out: &mut Vec<u8>) -> Wrap {
        let mut wrap = self.start;
        for level in 1..self.grid.shape.len() {
            if self.is_list(level) && RowGrid::is_first(index, level) {
                wrap.put(b"{", out);
            }
        }
        if self.annotation.rows && self.grid.shape.len() > 1 {
            self.row_comment(index, out);
            wrap = self.start.continued();
            wrap.break_line(out);
        }
        wrap
    }

    /// Returns the number of closing braces after a row.
    pub(super) fn closed(&self, index: &[u64]) -> usize {
        let levels = 1..self.grid.shape.len();
        let closed = |&l: &usize| self.is_list(l) && self.grid.is_last(index, l);
        levels.filter(closed).count()
    }

    fn is_list(&self, level: usize) -> bool {
        self.unlimited.get(level).copied().unwrap_or(false)
    }

    /// Writes the text after a row.
    pub(super) fn end(&self, index: &[u64], closed: usize, out: &mut Vec<u8>) {
        out.resize(out.len() + closed, b'}');
        let last = self.grid.is_last(index, 0);
        match (self.annotation.values, last) {
            (false, true) => out.extend_from_slice(b" ;\n"),
            (false, false) => out.extend_from_slice(b",\n  "),
            (true, _) => {
                out.push(if last { b';' } else { b',' });
                self.comment(index, self.grid.len().saturating_sub(1), out);
            }
        }
    }

    /// Writes the comment after a value.
    fn comment(&self, index: &[u64], place: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(b"  // ");
        out.extend_from_slice(&self.name);
        let text = match self.annotation.language {
            Language::C => numbers(index.iter().copied().chain([place]), ","),
            Language::Fortran => {
                let all = [place].into_iter().chain(index.iter().rev().copied());
                numbers(all.map(|i| i.saturating_add(1)), ",")
            }
        };
        out.extend_from_slice(format!("({text})\n    ").as_bytes());
    }

    /// Writes the comment before a row.
    fn row_comment(&self, index: &[u64], out: &mut Vec<u8>) {
        out.extend_from_slice(b"// ");
        out.extend_from_slice(&self.name);
        let len = self.grid.len();
        let text = match self.annotation.language {
            Language::C => {
                let row: String = index.iter().map(|i| format!("{i},")).collect();
                match len {
                    1 => row + "0",
                    _ => row + &format!(" 0-{}", len.saturating_sub(1)),
                }
            }
            Language::Fortran => {
                let outer = index.iter().rev().map(|i| i.saturating_add(1));
                let outer: String = outer.map(|i| format!(",{i}")).collect();
                match len {
                    1 => format!("1{outer}"),
                    _ => format!("1-{len} {outer}"),
                }
            }
        };
        out.extend_from_slice(format!("({text})").as_bytes());
    }
}

/// Passes `count` values to `put`, with a flag for the last one.
///
/// A batch of values is formatted before the first is copied: copying text right after writing it stalls the processor.
fn list<C: BandCells>(cells: &mut C, count: usize, mut put: impl FnMut(&C::Item, bool)) {
    let mut items: [C::Item; BATCH] = Default::default();
    let mut left = count;
    while left > 0 {
        let batch = left.min(BATCH);
        for item in items.iter_mut().take(batch) {
            cells.next(item);
        }
        for item in items.iter().take(batch) {
            left -= 1;
            put(item, left == 0);
        }
    }
}

fn numbers(numbers: impl Iterator<Item = u64>, separator: &str) -> String {
    let numbers: Vec<_> = numbers.map(|n| n.to_string()).collect();
    numbers.join(separator)
}
