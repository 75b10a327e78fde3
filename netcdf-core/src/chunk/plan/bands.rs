//! Cuts regions into bands: consecutive boxes that are processed one by one.

use std::ops::Mul as _;

use crate::arithmetic::Amount;
use crate::model::Region;

/// Consecutive bands of a region in row-major order, each of at most `most` elements. The bands are parts of rows
/// if a row of the last dimension is longer.
#[derive(Debug, Clone)]
pub struct Bands {
    region: Region,
    /// The chunk shape in elements of the variable.
    chunk: Vec<u64>,
    /// The dimension that is cut. In a band, earlier dimensions have length 1, and later dimensions are whole.
    cut: usize,
    /// The maximum length of a band along `cut`.
    step: u64,
    /// The start of the next band relative to the region, up to and including `cut`; `None` at the end.
    next: Option<Vec<u64>>,
}

impl Bands {
    /// Creates bands of about `most` elements. Along the cut dimension, bands end at chunk boundaries: each has a
    /// maximum number of whole chunks, or an equal part of one chunk.
    #[must_use]
    pub fn new(region: Region, chunk: &[u64], most: u64) -> Self {
        let (mut cut, mut below) = (region.count.len(), 1u64);
        while cut > 0 {
            let len = region.count.get(cut - 1).copied().unwrap_or(1);
            match below.checked_mul(len) {
                Some(n) if n <= most => (cut, below) = (cut - 1, n),
                Some(_) | None => break,
            }
        }
        let empty = region.count.contains(&0);
        let next = (!empty).then(|| vec![0; cut]);
        let mut bands = Self {
            chunk: chunk.to_vec(),
            region,
            cut,
            step: (most / below.max(1)).max(1),
            next,
        };
        let along = bands.of_chunk(cut.wrapping_sub(1));
        if bands.step < along {
            bands.step = along.div_ceil(along.div_ceil(bands.step));
        }
        bands
    }

    /// Returns the maximum number of bands that share a chunk.
    #[must_use]
    pub fn passes(&self) -> u64 {
        let Some(last) = self.cut.checked_sub(1) else {
            return 1;
        };
        let above = (0..last).map(|d| self.of_chunk(d));
        let along = self.of_chunk(last).div_ceil(self.step);
        above.fold(Amount::of(along), Amount::mul).get()
    }

    /// Returns the number of elements in the largest band.
    #[must_use]
    pub fn largest(&self) -> u64 {
        let behind = self.region.count.iter().skip(self.cut);
        let along = match self.cut.checked_sub(1) {
            Some(d) => self
                .step
                .min(self.region.count.get(d).copied().unwrap_or(1)),
            None => 1,
        };
        behind.fold(Amount::of(along), |n, &len| n * len).get()
    }

    /// Returns the maximum number of the region's elements in a chunk, along a dimension.
    fn of_chunk(&self, dim: usize) -> u64 {
        let (start, count, stride) = self.line(dim);
        let chunk = self.chunk.get(dim).copied().unwrap_or(1).max(1);
        let last = start + (count.max(1) - 1) * stride;
        if start / chunk == last / chunk {
            return count;
        }
        chunk.div_ceil(stride).min(count)
    }

    /// Returns start, count and stride of the region along a dimension.
    fn line(&self, dim: usize) -> (u64, u64, u64) {
        let of = |list: &[u64], other| list.get(dim).copied().unwrap_or(other);
        let (start, count) = (of(&self.region.start, 0), of(&self.region.count, 1));
        (start, count, of(&self.region.stride, 1).max(1))
    }

    /// Returns the length along `dim` of the band with the index `at` along `dim`.
    fn length(&self, dim: usize, at: u64) -> u64 {
        let (start, count, stride) = self.line(dim);
        let fits = self.step.min(count - at);
        let chunk = self.chunk.get(dim).copied().unwrap_or(1).max(1);
        let place = |n: u64| start + n * stride;
        // The first element of the region in the chunk that starts at `edge`.
        let first = |edge: u64| edge.saturating_sub(start).div_ceil(stride);
        let end = if self.step < self.of_chunk(dim) {
            first((place(at) / chunk + 1) * chunk)
        } else if at + fits >= count {
            count
        } else {
            first(place(at + fits) / chunk * chunk)
        };
        match end.saturating_sub(at) {
            0 => fits,
            n => n.min(fits),
        }
    }

    /// Returns the start of the next band after the band at `at`, which is `step` long.
    fn following(&self, mut at: Vec<u64>, mut step: u64) -> Option<Vec<u64>> {
        for (index, &len) in at.iter_mut().zip(&self.region.count).rev() {
            *index += step;
            if *index < len {
                return Some(at);
            }
            *index = 0;
            step = 1;
        }
        None
    }
}

impl Iterator for Bands {
    type Item = Region;

    fn next(&mut self) -> Option<Region> {
        let at = self.next.take()?;
        let last = self.cut.wrapping_sub(1);
        let step = self.length(last, at.last().copied().unwrap_or(0));
        let mut band = self.region.clone();
        let starts = band.start.iter_mut().zip(&mut band.count);
        let dims = starts.zip(&band.stride).zip(&at);
        for (dim, (((start, count), stride), &offset)) in dims.enumerate() {
            *start += offset * stride;
            *count = if dim == last { step } else { 1 };
        }
        self.next = self.following(at, step);
        Some(band)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(count: &[u64], chunk: &[u64], most: u64) -> Vec<(Vec<u64>, Vec<u64>)> {
        let bands = Bands::new(Region::whole(count), chunk, most);
        bands.map(|b| (b.start, b.count)).collect()
    }

    #[test]
    fn small_regions_are_one_band() {
        assert_eq!(cut(&[], &[], 10), [(vec![], vec![])]);
        assert_eq!(cut(&[2, 3], &[2, 3], 6), [(vec![0, 0], vec![2, 3])]);
        assert_eq!(cut(&[0, 3], &[1, 3], 6), []);
    }

    #[test]
    fn cuts_where_it_must() {
        let got = cut(&[2, 5, 3], &[1, 1, 1], 6);
        let starts: Vec<_> = got.iter().map(|(s, c)| (s[0], s[1], c[1])).collect();
        assert_eq!(
            starts,
            [
                (0, 0, 2),
                (0, 2, 2),
                (0, 4, 1),
                (1, 0, 2),
                (1, 2, 2),
                (1, 4, 1)
            ]
        );
    }

    #[test]
    fn rows_longer_than_a_band_are_cut() {
        let got = cut(&[2, 7], &[2, 7], 3);
        let all: Vec<_> = got.iter().map(|(s, c)| (s[0], s[1], c[1])).collect();
        assert_eq!(
            all,
            [
                (0, 0, 3),
                (0, 3, 3),
                (0, 6, 1),
                (1, 0, 3),
                (1, 3, 3),
                (1, 6, 1)
            ]
        );
    }

    #[test]
    fn bands_follow_chunks() {
        let got = cut(&[10, 2], &[3, 2], 14);
        let rows: Vec<_> = got.iter().map(|(s, c)| (s[0], c[0])).collect();
        assert_eq!(rows, [(0, 6), (6, 4)]);
    }

    #[test]
    fn bands_end_where_chunks_end() {
        let rows = |start, count, stride, most| {
            let region = Region {
                start: vec![start],
                count: vec![count],
                stride: vec![stride],
            };
            let bands = Bands::new(region, &[10], most);
            let passes = bands.passes();
            (bands.map(|b| b.start[0]).collect::<Vec<_>>(), passes)
        };
        assert_eq!(rows(7, 40, 1, 15), (vec![7, 20, 30, 40], 1));
        assert_eq!(rows(7, 40, 1, 25), (vec![7, 30], 1));
        assert_eq!(rows(0, 20, 1, 7), (vec![0, 5, 10, 15], 2));
        assert_eq!(rows(8, 7, 1, 4), (vec![8, 10, 14], 2));
        assert_eq!(rows(1, 10, 4, 4), (vec![1, 13, 21, 33], 1));
        assert_eq!(rows(1, 4, 20, 2), (vec![1, 41], 1));
        assert_eq!(rows(2, 5, 1, 4), (vec![2, 5], 2));
    }

    #[test]
    fn passes_count_the_dimensions_above() {
        let passes = |most| Bands::new(Region::whole(&[9, 10, 10]), &[3, 5, 5], most).passes();
        let all: Vec<_> = [900, 300, 299, 100, 99, 50, 49, 10, 5].map(passes).into();
        assert_eq!(all, [1, 1, 2, 3, 3, 3, 6, 15, 15]);
    }

    #[test]
    fn bands_cover_every_element_once_in_order() {
        for most in 1..40 {
            let (count, mut seen) = ([3, 4, 5], vec![]);
            for b in Bands::new(Region::whole(&count), &[2, 3, 2], most) {
                for i in 0..b.count[0] {
                    for j in 0..b.count[1] {
                        for k in 0..b.count[2] {
                            let p = [b.start[0] + i, b.start[1] + j, b.start[2] + k];
                            seen.push((p[0] * 4 + p[1]) * 5 + p[2]);
                        }
                    }
                }
            }
            assert_eq!(seen, (0..60).collect::<Vec<_>>(), "{most}");
        }
    }
}
