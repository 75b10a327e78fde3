//! Skips value lists at the speed of a byte search.

use netcdf_core::Result;

use super::piece::{CdlPieceKind, ListPosition, StatementEnd};
use super::{Splitter, StatementScan, continues_name};
use crate::diagnostic::Anchor;

impl Splitter<'_> {
    /// Returns the piece for the values after the `=` at the position.
    pub(super) fn list(&mut self, scan: &StatementScan) -> Result<CdlPieceKind> {
        self.text
            .extend_from_slice(self.window.passed(scan.start.offset));
        self.window.pass(1);
        self.window.forget();
        let start = self.position();
        let end = self.list_end(start)?;
        let bytes = start.offset..self.window.at();
        if end == StatementEnd::Semicolon {
            self.window.pass(1);
        }
        Ok(CdlPieceKind::Data(ListPosition { start, bytes, end }))
    }

    /// Skips the values from `start` to their end.
    fn list_end(&mut self, start: Anchor) -> Result<StatementEnd> {
        let mut marks = ListMarks::default();
        loop {
            let at = self.window.at();
            let rest = self.window.rest()?;
            if rest.is_empty() {
                return Ok(StatementEnd::Missing);
            }
            let (plain, found) = marks.next(at, rest);
            let mark = rest.get(plain).copied().filter(|_| found);
            self.window.pass(plain);
            match mark {
                None => {}
                Some(b';') => return Ok(StatementEnd::Semicolon),
                Some(b'=') if self.back_before_name(start.offset) => {
                    return Ok(StatementEnd::Missing);
                }
                Some(b'=') => self.window.pass(1),
                Some(mark) => {
                    if let Some((what, place)) = self.skip_quoted(mark)? {
                        return Ok(StatementEnd::Unfinished(what, place));
                    }
                }
            }
        }
    }

    /// Moves back before the name that ends at the position, if the name begins after `limit`.
    fn back_before_name(&mut self, limit: u64) -> bool {
        let from = limit.max(self.window.at().saturating_sub(1000));
        let before = self.window.passed(from);
        let mut rest = before.trim_ascii_end();
        let end = rest.len();
        loop {
            rest = match rest {
                [before @ .., b'\\', _] => before,
                [before @ .., b] if continues_name(*b) || *b == b'/' => before,
                _ => break,
            };
        }
        let (start, found) = (from + rest.len() as u64, rest.len() < end);
        if found {
            self.window.back(start);
        }
        found
    }
}

/// Finds the next significant byte in a value list. One `memchr` search cannot cover all significant bytes, so two searches each cache
/// their progress.
#[derive(Debug, Default)]
struct ListMarks {
    first: ListScan,
    second: ListScan,
}

/// The progress of one search: the searched offset, and whether a byte was found there.
#[derive(Debug, Default, Clone, Copy)]
struct ListScan {
    until: u64,
    found: bool,
}

impl ListScan {
    fn search(&mut self, at: u64, rest: &[u8], bytes: [u8; 3]) {
        if self.until < at || (self.until == at && !self.found) {
            let [a, b, c] = bytes;
            let found = memchr::memchr3(a, b, c, rest);
            self.found = found.is_some();
            self.until = at + found.unwrap_or(rest.len()) as u64;
        }
    }
}

impl ListMarks {
    /// Returns the number of insignificant bytes at the start of `rest`, at offset `at`, and whether a significant byte follows.
    fn next(&mut self, at: u64, rest: &[u8]) -> (usize, bool) {
        self.first.search(at, rest, *b";\"'");
        self.second.search(at, rest, *b"/\\=");
        let (a, b) = (self.first, self.second);
        let near = if (b.until, !b.found) < (a.until, !a.found) {
            b
        } else {
            a
        };
        (usize::try_from(near.until - at).unwrap_or(0), near.found)
    }
}
