//! Sums of many numbers, as pairs of doubles. The second double stores the rounding error of the first, about 32 digits in total. Therefore
//! results do not depend on the order of addition, except very rarely in the last digit.

/// A sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ExactSum {
    high: f64,
    low: f64,
    /// The sum of infinite numbers.
    endless: f64,
}

/// Returns a sum of two numbers, and its rounding error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// Returns a product of two numbers, and its rounding error.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

impl ExactSum {
    fn of((high, low): (f64, f64)) -> Self {
        let (high, low) = two_sum(high, low);
        Self {
            high,
            low,
            endless: 0.0,
        }
    }

    /// Adds a number.
    pub(super) fn add(&mut self, x: f64) {
        let (high, low) = two_sum(self.high, x);
        if !high.is_finite() {
            self.endless += x;
            return;
        }
        (self.high, self.low) = two_sum(high, low + self.low);
    }

    /// Adds the square of `high + low`.
    pub(super) fn add_square(&mut self, high: f64, low: f64) {
        let (high, low) = two_sum(high, low);
        self.add_product(high, high);
        if low != 0.0 && low.is_finite() {
            self.add_product(2.0 * high, low);
            self.add_product(low, low);
        }
    }

    fn add_product(&mut self, a: f64, b: f64) {
        let (high, low) = two_product(a, b);
        self.add(high);
        if low.is_finite() {
            self.add(low);
        }
    }

    /// Adds another sum.
    pub(super) fn join(&mut self, other: Self) {
        self.add(other.high);
        self.add(other.low);
        self.endless += other.endless;
    }

    /// Returns the sum as a double.
    pub(super) fn get(self) -> f64 {
        match self.endless == 0.0 {
            true => self.high + self.low,
            false => self.endless,
        }
    }

    /// Returns the sum divided by a number.
    pub(super) fn divided(self, by: f64) -> Self {
        let first = self.high / by;
        let (product, short) = two_product(first, by);
        let left = (self.high - product) - short + self.low;
        Self {
            endless: self.endless,
            ..Self::of((first, left / by))
        }
    }

    /// Returns the square of the sum.
    pub(super) fn squared(self) -> Self {
        let (high, low) = two_product(self.high, self.high);
        Self {
            endless: self.endless,
            ..Self::of((high, low + 2.0 * self.high * self.low))
        }
    }

    /// Returns the difference from another sum.
    pub(super) fn without(self, other: Self) -> Self {
        let mut sum = self;
        sum.join(Self {
            high: -other.high,
            low: -other.low,
            endless: -other.endless,
        });
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(all: &[f64]) -> ExactSum {
        let mut sum = ExactSum::default();
        all.iter().for_each(|&x| sum.add(x));
        sum
    }

    #[test]
    fn nothing_is_lost() {
        assert_eq!(sum(&[1e16, 1.0, -1e16]).get(), 1.0);
        assert_eq!(sum(&[0.1; 10]).get(), 1.0);
        let mut both = sum(&[1e16, 0.5]);
        both.join(sum(&[0.25, -1e16]));
        assert_eq!(both.get(), 0.75);
        assert_eq!(sum(&[1.0]).divided(3.0).get(), 1.0 / 3.0);
    }

    #[test]
    fn small_deviations_from_large_values_stay() {
        let values = [1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0];
        let mut squares = ExactSum::default();
        values.iter().for_each(|&x| squares.add_square(x, 0.0));
        let mean = sum(&values).divided(3.0);
        let variance = squares.divided(3.0).without(mean.squared());
        assert!((variance.get() - 2.0 / 3.0).abs() < 1e-12, "{variance:?}");
    }

    #[test]
    fn squares_have_all_digits() {
        let mut squares = ExactSum::default();
        squares.add_square(9_007_199_254_740_992.0, 1.0);
        let mut large = ExactSum::default();
        large.add_square(9_007_199_254_740_992.0, 0.0);
        assert_eq!(squares.without(large).get(), 18_014_398_509_481_985.0);
    }

    #[test]
    fn infinite_numbers_are_infinite_sums() {
        assert_eq!(sum(&[1.0, f64::INFINITY, 2.0]).get(), f64::INFINITY);
        assert!(sum(&[f64::NEG_INFINITY, f64::INFINITY]).get().is_nan());
        assert_eq!(
            sum(&[1.0, f64::NEG_INFINITY]).divided(2.0).get(),
            f64::NEG_INFINITY
        );
    }
}
