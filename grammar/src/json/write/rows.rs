//! Rows: start and end of nested lists.

use crate::write::RowGrid;

/// The rows of a variable as lists.
pub(super) struct JsonRows {
    pub(super) grid: RowGrid,
    /// Blanks before a line.
    pub(super) indent: usize,
    /// Whether a row is one text.
    pub(super) text: bool,
}

impl JsonRows {
    /// The text before a row: a line of its own, unless there is only one.
    pub(super) fn begin(&self, index: &[u64], out: &mut Vec<u8>) {
        if index.is_empty() {
            return out.resize(out.len() + self.inner(), b'[');
        }
        let first = |level: &usize| RowGrid::is_first(index, *level);
        let opened = (1..index.len()).filter(first).count() + self.inner();
        out.push(match first(&0) {
            true => b'[',
            false => b',',
        });
        let blanks = self.indent + index.len() - 1 + self.inner() - opened;
        line(blanks, out);
        out.resize(out.len() + opened, b'[');
    }

    /// Writes the text after a row.
    pub(super) fn end(&self, index: &[u64], out: &mut Vec<u8>) {
        let last = |level: &usize| self.grid.is_last(index, *level);
        let closed = (1..index.len()).filter(last).count() + self.inner();
        out.resize(out.len() + closed, b']');
        if !index.is_empty() && last(&0) {
            line(self.indent.saturating_sub(2), out);
            out.push(b']');
        }
    }

    /// Returns the number of lists per row.
    fn inner(&self) -> usize {
        usize::from(!self.text && !self.grid.shape.is_empty())
    }
}

fn line(blanks: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.resize(out.len() + blanks, b' ');
}
