//! Samples of exhaustive loops.
//!
//! A plain test run checks a sample of the cases, the same sample in each run. A run with `EXHAUSTIVE=1` in the environment checks
//! all cases.

use std::cell::Cell;

/// Whether loops run all their cases.
#[must_use]
pub fn is_exhaustive() -> bool {
    std::env::var_os("EXHAUSTIVE").is_some_and(|value| value == "1")
}

/// Returns `all` in an exhaustive run, else `few`.
#[must_use]
pub fn count<T>(few: T, all: T) -> T {
    if is_exhaustive() { all } else { few }
}

/// A sample of one case per `one_in` cases. Dropping the sample prints the numbers of selected and of all cases.
#[derive(Debug)]
pub struct Sample {
    name: &'static str,
    one_in: usize,
    seed: Cell<u64>,
    taken: Cell<usize>,
    seen: Cell<usize>,
}

impl Sample {
    /// Creates a sample; an exhaustive run selects all cases.
    #[must_use]
    pub fn new(name: &'static str, one_in: usize) -> Self {
        Self::with(name, count(one_in, 1))
    }

    fn with(name: &'static str, one_in: usize) -> Self {
        assert!(one_in > 0, "{name}: an empty sample");
        Self {
            name,
            one_in,
            seed: Cell::new(0x9e37_79b9_7f4a_7c15),
            taken: Cell::new(0),
            seen: Cell::new(0),
        }
    }

    /// Selects cases of a file: the first case, and a random case of each later block of `one_in` cases.
    pub fn of<T>(&self, cases: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        let one_in = self.one_in;
        let mut wanted = 0;
        cases.enumerate().filter_map(move |(n, case)| {
            self.seen.set(self.seen.get() + 1);
            if n % one_in == 0 && n > 0 {
                wanted = n + self.below(one_in);
            }
            (n == wanted).then(|| {
                self.taken.set(self.taken.get() + 1);
                case
            })
        })
    }

    /// A pseudo-random number below `end` (xorshift).
    fn below(&self, end: usize) -> usize {
        let mut seed = self.seed.get();
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        self.seed.set(seed);
        usize::try_from(seed >> 33).expect("31 bits") % end
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        println!(
            "{}: {} of {} cases",
            self.name,
            self.taken.get(),
            self.seen.get()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_one_case_of_each_block() {
        let sample = Sample::with("blocks", 10);
        let taken: Vec<u32> = sample.of(0..100).collect();
        let blocks: Vec<u32> = taken.iter().map(|n| n / 10).collect();
        assert_eq!(blocks, (0..10).collect::<Vec<_>>());
        assert!(taken.iter().any(|n| n % 10 > 4), "{taken:?}");
        assert_eq!((sample.taken.get(), sample.seen.get()), (10, 100));
        assert_eq!(sample.of(0..3).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn the_whole_is_everything() {
        let sample = Sample::with("all", 1);
        assert!(sample.of(0..100).eq(0..100));
    }
}
