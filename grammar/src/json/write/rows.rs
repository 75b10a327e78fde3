//! Rows: start and end of nested lists.

use netcdf_core::model::Region;

/// The rows of a variable along its last dimension; for characters, along the second-last dimension.
pub(super) struct JsonRows {
    /// The shape of the variable.
    pub(super) shape: Vec<u64>,
    /// Indentation of a line.
    pub(super) indent: usize,
    /// Whether a row is one text.
    pub(super) text: bool,
}

/// The part of rows in a band.
pub(super) struct JsonRowSpan {
    /// The number of rows.
    pub(super) rows: usize,
    /// The number of values per row.
    pub(super) values: usize,
    /// Whether the rows begin in the band.
    pub(super) begins: bool,
    /// Whether the rows end in the band.
    pub(super) ends: bool,
}

impl JsonRows {
    /// Returns the number of values in a row.
    pub(super) fn len(&self) -> u64 {
        self.shape.last().copied().unwrap_or(1)
    }

    /// Returns the dimensions that number rows.
    pub(super) fn outer(&self) -> &[u64] {
        let outer = self.shape.split_last().map(|(_, outer)| outer);
        outer.unwrap_or_default()
    }

    pub(super) fn span(&self, band: &Region) -> JsonRowSpan {
        let outer = self.outer().len();
        let counts = band.count.get(..outer).unwrap_or_default();
        let first = band.start.last().copied().unwrap_or(0);
        let values = band.count.last().copied().unwrap_or(1);
        // A band is in memory, so its lengths fit `usize`.
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        JsonRowSpan {
            rows: counts.iter().fold(1, |n, &len| n.saturating_mul(size(len))),
            values: size(values),
            begins: first == 0,
            ends: first + values >= self.len(),
        }
    }

    /// Returns the index of a band's first row.
    pub(super) fn index(&self, band: &Region) -> Vec<u64> {
        let start = band.start.get(..self.outer().len());
        start.unwrap_or_default().to_vec()
    }

    /// Advances the index of a row to the next row. Returns false after the last row.
    pub(super) fn advance(&self, index: &mut [u64]) -> bool {
        for (i, &len) in index.iter_mut().zip(&self.shape).rev() {
            *i += 1;
            if *i < len {
                return true;
            }
            *i = 0;
        }
        false
    }

    /// Writes the text before a row, with a line break unless there is only one row.
    pub(super) fn begin(&self, index: &[u64], out: &mut Vec<u8>) {
        if index.is_empty() {
            return out.resize(out.len() + self.inner(), b'[');
        }
        let first = |level: &usize| index.iter().skip(*level).all(|&i| i == 0);
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
        let last = |level: &usize| {
            let mut inner = index.iter().zip(&self.shape).skip(*level);
            inner.all(|(&i, &len)| i + 1 == len)
        };
        let closed = (1..index.len()).filter(last).count() + self.inner();
        out.resize(out.len() + closed, b']');
        if !index.is_empty() && last(&0) {
            line(self.indent.saturating_sub(2), out);
            out.push(b']');
        }
    }

    /// Returns the number of lists per row.
    fn inner(&self) -> usize {
        usize::from(!self.text && !self.shape.is_empty())
    }
}

fn line(blanks: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.resize(out.len() + blanks, b' ');
}
