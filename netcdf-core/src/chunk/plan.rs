//! Cuts regions into bands: consecutive parts, each a box, that are worked on one by one.

use crate::model::Region;

/// Consecutive bands of a region in row-major order, each of at most `most` elements where a row
/// of the last dimension allows it, else of parts of rows.
#[derive(Debug, Clone)]
pub struct Bands {
    region: Region,
    /// The dimension that is cut; those before it have length 1 in a band, those behind are whole.
    cut: usize,
    /// Length of a band along `cut`.
    step: u64,
    /// Start of the next band relative to the region, up to and with `cut`; `None` at the end.
    next: Option<Vec<u64>>,
}

impl Bands {
    /// Bands of about `most` elements; along the dimension that is cut, multiples of the chunk
    /// length where that fits.
    #[must_use]
    pub fn new(region: Region, chunk: &[u64], most: u64) -> Self {
        let rank = region.count.len();
        let (mut cut, mut below) = (rank, 1u64);
        while cut > 0 {
            let len = region.count.get(cut - 1).copied().unwrap_or(1);
            match below.checked_mul(len) {
                Some(n) if n <= most => (cut, below) = (cut - 1, n),
                Some(_) | None => break,
            }
        }
        let step = match cut.checked_sub(1) {
            None => 1,
            Some(dim) => {
                let fits = (most / below.max(1)).max(1);
                let chunk = chunk.get(dim).copied().unwrap_or(1).max(1);
                if chunk < fits {
                    fits - fits % chunk
                } else {
                    fits
                }
            }
        };
        let empty = region.count.contains(&0);
        let next = (!empty).then(|| vec![0; cut]);
        Self {
            region,
            cut,
            step,
            next,
        }
    }
}

impl Iterator for Bands {
    type Item = Region;

    fn next(&mut self) -> Option<Region> {
        let at = self.next.take()?;
        let mut band = self.region.clone();
        let last = self.cut.wrapping_sub(1);
        let dims = band
            .start
            .iter_mut()
            .zip(&mut band.count)
            .zip(&band.stride)
            .zip(&at);
        for (dim, (((start, count), stride), &offset)) in dims.enumerate() {
            *start = start.saturating_add(offset.saturating_mul(*stride));
            *count = if dim == last {
                self.step.min(*count - offset)
            } else {
                1
            };
        }
        self.next = self.following(at);
        Some(band)
    }
}

impl Bands {
    /// The start of the band behind the one at `at`.
    fn following(&self, mut at: Vec<u64>) -> Option<Vec<u64>> {
        let mut step = self.step;
        for (index, &len) in at.iter_mut().zip(&self.region.count).rev() {
            *index = index.saturating_add(step);
            if *index < len {
                return Some(at);
            }
            *index = 0;
            step = 1;
        }
        None
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
