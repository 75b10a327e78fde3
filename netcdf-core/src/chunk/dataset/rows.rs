//! The rows of a box in two arrays: the ranges that are contiguous in both.

/// A box along a dimension, in elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxLine {
    /// The length of the box.
    pub(super) count: usize,
    /// The offset of the box and the length of the array, for the source and the destination.
    pub(super) from: (usize, usize),
    pub(super) to: (usize, usize),
}

/// The rows of a box in two row-major arrays.
#[derive(Default)]
pub(super) struct BoxRows {
    /// The dimensions to loop over, innermost first.
    loops: Vec<RowLoop>,
    /// The byte offsets of the first row.
    from: usize,
    to: usize,
    /// The length of a row in bytes.
    len: usize,
}

/// A dimension, with the distance between rows in bytes.
struct RowLoop {
    count: usize,
    /// The number of remaining rows.
    left: usize,
    from: usize,
    to: usize,
}

/// Equally spaced rows.
#[derive(Clone, Copy)]
struct Steps {
    first: usize,
    step: usize,
}

/// `count` rows of `len` bytes, with their offsets in both arrays.
struct RowsToCopy {
    from: Steps,
    to: Steps,
    count: usize,
    len: usize,
}

impl BoxRows {
    /// Computes the rows of a box with elements of `size` bytes.
    pub(super) fn lay(&mut self, lines: impl DoubleEndedIterator<Item = BoxLine>, size: usize) {
        self.loops.clear();
        (self.from, self.to, self.len) = (0, 0, size);
        let (mut from, mut to, mut whole) = (size, size, true);
        for line in lines.rev() {
            let count = line.count;
            self.from += line.from.0 * from;
            self.to += line.to.0 * to;
            if whole {
                self.len *= count;
                whole = count == line.from.1 && count == line.to.1;
            } else if count != 1 {
                self.loops.push(RowLoop {
                    count,
                    left: 0,
                    from,
                    to,
                });
            }
            from *= line.from.1;
            to *= line.to.1;
        }
    }

    /// Copies the box; `None` if an array is too short.
    pub(super) fn copy(&mut self, from: &[u8], to: &mut [u8]) -> Option<()> {
        let len = self.len;
        let Some((inner, outer)) = self.loops.split_first_mut() else {
            let place = to.get_mut(self.to..)?.get_mut(..len)?;
            place.copy_from_slice(from.get(self.from..)?.get(..len)?);
            return Some(());
        };
        let begin = |l: &mut RowLoop| l.left = l.count.saturating_sub(1);
        outer.iter_mut().for_each(begin);
        let steps = |first, step| Steps { first, step };
        let (mut a, mut b) = (steps(self.from, inner.from), steps(self.to, inner.to));
        loop {
            let rows = RowsToCopy {
                from: a,
                to: b,
                count: inner.count,
                len,
            };
            copy(from, to, &rows)?;
            let moved = outer.iter_mut().any(|l| {
                if l.left > 0 {
                    l.left -= 1;
                    a.first += l.from;
                    b.first += l.to;
                    return true;
                }
                l.left = l.count.saturating_sub(1);
                a.first -= l.left * l.from;
                b.first -= l.left * l.to;
                false
            });
            if !moved {
                return Some(());
            }
        }
    }
}

fn copy(from: &[u8], to: &mut [u8], rows: &RowsToCopy) -> Option<()> {
    let &RowsToCopy {
        from: a,
        to: b,
        count,
        len,
    } = rows;
    let Some(more) = count.checked_sub(1).filter(|_| len > 0) else {
        return Some(());
    };
    let end = |s: Steps| {
        more.checked_mul(s.step)?
            .checked_add(len)?
            .checked_add(s.first)
    };
    let from = from.get(a.first..end(a)?)?;
    let to = to.get_mut(b.first..end(b)?)?;
    let steps = (a.step.max(len), b.step.max(len));
    // Calling a function for a few bytes takes longer than copying them.
    macro_rules! short {
        ($($n:literal)*) => {
            match len {
                $($n => short::<$n>(from, to, steps),)*
                _ => {
                    let rows = to.chunks_mut(steps.1).zip(from.chunks(steps.0));
                    let rows = rows.filter_map(|(t, f)| Some((t.get_mut(..len)?, f.get(..len)?)));
                    rows.for_each(|(t, f)| t.copy_from_slice(f));
                }
            }
        };
    }
    short!(1 2 3 4 5 6 8 10 12 14 16 18 20 24 28 30 32 36 40 44 48 52 56 60 64 72 80 96 112 128);
    Some(())
}

/// Copies rows of `N` bytes.
fn short<const N: usize>(from: &[u8], to: &mut [u8], (a, b): (usize, usize)) {
    let rows = |n: usize| from.get(n..).and_then(<[u8]>::first_chunk);
    let mut at = 0;
    if b == N {
        for to in to.as_chunks_mut::<N>().0 {
            if let Some(row) = rows(at) {
                *to = *row;
            }
            at += a;
        }
        return;
    }
    for row in to.chunks_mut(b) {
        if let (Some(to), Some(row)) = (row.first_chunk_mut::<N>(), rows(at)) {
            *to = *row;
        }
        at += a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_every_length_go_there_and_back() {
        for len in 0..140usize {
            let array: Vec<u8> = (0..6 * (len + 3)).map(|n| (n * 7 % 251) as u8).collect();
            // Rows 1 and 2 of each of two planes of three, without their first two bytes and their last.
            let lines = [(0, 2, 2), (1, 2, 3), (2, len, len + 3)];
            let lines = lines.map(|(first, count, all)| BoxLine {
                count,
                from: (first, all),
                to: (0, count),
            });
            let back = lines.map(|line| BoxLine {
                from: line.to,
                to: line.from,
                ..line
            });
            let mut rows = BoxRows::default();
            rows.lay(lines.into_iter(), 1);
            let mut list = vec![0; 4 * len];
            rows.copy(&array, &mut list).unwrap();
            let row = |n: usize| &array[n * (len + 3) + 2..][..len];
            assert_eq!(list, [row(1), row(2), row(4), row(5)].concat(), "{len}");
            if len > 0 {
                assert_eq!(
                    rows.copy(&array[..array.len() - 2], &mut list.clone()),
                    None
                );
                assert_eq!(rows.copy(&array, &mut vec![0; 4 * len - 1]), None);
            }
            rows.lay(back.into_iter(), 1);
            let mut again = vec![0; array.len()];
            rows.copy(&list, &mut again).unwrap();
            let lines = array.chunks(len + 3).zip(again.chunks(len + 3));
            for (n, (there, back)) in lines.enumerate() {
                let inside = |i: usize| n % 3 > 0 && (2..len + 2).contains(&i);
                let want = |i: usize| if inside(i) { there[i] } else { 0 };
                assert!((0..len + 3).all(|i| back[i] == want(i)), "{len} {n}");
            }
        }
    }
}
