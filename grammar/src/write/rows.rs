//! The rows of a variable: a row runs along the last dimension.

use netcdf_core::model::Region;

/// The grid of rows.
pub(crate) struct RowGrid {
    /// The variable's shape.
    pub(crate) shape: Vec<u64>,
}

/// The part of rows in a band.
pub(crate) struct Span {
    /// Rows.
    pub(crate) rows: usize,
    /// Values of each row.
    pub(crate) values: usize,
    /// Position of the first value in its row.
    pub(crate) first: u64,
    /// Whether the rows begin in the band.
    pub(crate) begins: bool,
    /// Whether the rows end in the band.
    pub(crate) ends: bool,
}

impl RowGrid {
    /// Values in a row.
    pub(crate) fn len(&self) -> u64 {
        self.shape.last().copied().unwrap_or(1)
    }

    /// The dimensions that number rows.
    pub(crate) fn outer(&self) -> &[u64] {
        let outer = self.shape.split_last().map(|(_, outer)| outer);
        outer.unwrap_or_default()
    }

    /// The rows of a band.
    pub(crate) fn span(&self, band: &Region) -> Span {
        let outer = band.count.get(..self.outer().len()).unwrap_or_default();
        let first = band.start.last().copied().unwrap_or(0);
        let values = band.count.last().copied().unwrap_or(1);
        // A band is in memory: its lengths are sizes.
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Span {
            rows: outer.iter().fold(1, |n, &len| n.saturating_mul(size(len))),
            values: size(values),
            first,
            begins: first == 0,
            ends: first.saturating_add(values) >= self.len(),
        }
    }

    /// Index of a band's first row.
    pub(crate) fn index(&self, band: &Region) -> Vec<u64> {
        let start = band.start.get(..self.outer().len());
        start.unwrap_or_default().to_vec()
    }

    /// Advances the index of a row to the next one; false after the last one.
    pub(crate) fn advance(&self, index: &mut [u64]) -> bool {
        for (i, &len) in index.iter_mut().zip(&self.shape).rev() {
            *i = i.saturating_add(1);
            if *i < len {
                return true;
            }
            *i = 0;
        }
        false
    }

    /// Whether a row is the first along the dimensions from `level` on.
    pub(crate) fn is_first(index: &[u64], level: usize) -> bool {
        index.iter().skip(level).all(|&i| i == 0)
    }

    /// Whether a row is the last along the dimensions from `level` on.
    pub(crate) fn is_last(&self, index: &[u64], level: usize) -> bool {
        let mut inner = index.iter().zip(&self.shape).skip(level);
        inner.all(|(&i, &len)| i.saturating_add(1) == len)
    }
}
