//! Powers of ten as 128-bit significands, computed by the compiler.
//!
//! `10^k = (s + d) * 2^(floor_log2(k) - 127)`, where `s` has its top bit set and `0 <= d < 1`: significands are truncated, never rounded
//! up. They are exact (`d = 0`) for `k` in `0..=55`, and have no low half for `k` in `0..=27`.

use super::tables::{AS_F64, MIN, MIN_F64, SIGNIFICANDS, SMALL};

pub(super) use super::tables::floor_log2;

/// The largest `k` for which `significand(k)` is exactly `10^k`.
pub(super) const EXACT_WIDE: i32 = 55;

/// Returns the 128-bit significand of `10^k`, or `None` outside the table.
#[inline]
pub(super) fn significand(k: i32) -> Option<u128> {
    let at = usize::try_from(k.wrapping_sub(MIN)).ok()?;
    SIGNIFICANDS.get(at).copied()
}

/// Returns the high half of the significand of `10^k`, or 0 outside the table.
#[inline]
pub(super) fn high(k: i32) -> u64 {
    let at = usize::try_from(k.wrapping_sub(MIN)).unwrap_or(usize::MAX);
    SIGNIFICANDS.get(at).map_or(0, |power| (power >> 64) as u64)
}

/// Returns the bits of the smallest `f64` that is at least `10^k`, for `k` in `-323..=309`. The bits of positive values have the order of
/// the values.
#[inline]
pub(super) fn bits(k: i32) -> u64 {
    let at = usize::try_from(k.wrapping_sub(MIN_F64)).unwrap_or(usize::MAX);
    AS_F64.get(at).copied().unwrap_or(u64::MAX)
}

/// `floor(e * log10(2))` for `|e| <= 1650`.
#[inline]
pub(super) const fn floor_log10(e: i32) -> i32 {
    (e.wrapping_mul(78_913)) >> 18
}

/// `10^n`, or 0 if it does not fit in 64 bits.
#[inline]
pub(super) fn small_power(n: u32) -> u64 {
    SMALL.get(n as usize).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::tables::{MAX, MAX_F64};

    #[test]
    fn small_powers_are_exact() {
        for k in 0..=38 {
            let exact = 10u128.pow(k);
            let shift = exact.leading_zeros();
            let k = i32::try_from(k).unwrap();
            assert_eq!(significand(k), Some(exact << shift), "10^{k}");
            assert_eq!(floor_log2(k), 127 - i32::try_from(shift).unwrap(), "10^{k}");
        }
    }

    /// Checks values of the reference table in the Eisel-Lemire literature, which also truncates negative powers.
    #[test]
    fn ends_of_the_table() {
        assert_eq!(
            significand(-342),
            Some(0xeef4_53d6_923b_d65a_113f_aa29_06a1_3b3f)
        );
        assert_eq!(
            significand(308),
            Some(0x8e67_9c2f_5e44_ff8f_570f_09ea_a7ea_7648)
        );
        assert_eq!(significand(342).unwrap().leading_zeros(), 0);
        assert_eq!(significand(-343), None);
        assert_eq!(significand(343), None);
    }

    /// Checks that `10^k * 10^-k` is just below 1: both significands are truncated by less than one unit.
    #[test]
    fn a_power_times_its_reciprocal_is_one() {
        for k in 1..=MAX {
            let (a, b) = (significand(k).unwrap(), significand(-k).unwrap());
            let high = (a >> 64) * (b >> 64)
                + (((a >> 64) * (b & u128::from(u64::MAX))) >> 64)
                + (((b >> 64) * (a & u128::from(u64::MAX))) >> 64);
            let exponent = floor_log2(k) + floor_log2(-k) + 2;
            assert_eq!(exponent, 1, "10^{k}");
            assert!((u128::MAX >> 1) - high < 8, "10^{k}: {high:x}");
        }
    }

    /// Checks that the low half shows whether bits are missing; rounding up to an `f64` relies on it.
    #[test]
    fn only_exact_powers_lack_a_low_half() {
        for k in MIN..=MAX {
            let narrow = significand(k).unwrap() & u128::from(u64::MAX) == 0;
            assert_eq!(narrow, (0..=27).contains(&k), "10^{k}");
        }
    }

    /// Checks by decimal text that no `f64` lies between the power and the table value.
    #[test]
    fn powers_as_f64_are_rounded_up() {
        for k in MIN_F64..MAX_F64 {
            let nearest: f64 = format!("1e{k}").parse().unwrap();
            let exact = |value: f64| format!("{value:.1100e}");
            let power = |value: f64| {
                let text = exact(value);
                let (mantissa, exponent) = text.split_once('e').unwrap();
                let exponent: i32 = exponent.parse().unwrap();
                exponent > k || (exponent == k && mantissa >= "1")
            };
            let expected = if power(nearest) {
                nearest.to_bits()
            } else {
                nearest.to_bits() + 1
            };
            assert_eq!(bits(k), expected, "1e{k}");
        }
        assert_eq!(bits(MAX_F64), f64::INFINITY.to_bits());
    }

    #[test]
    fn logarithms() {
        for e in -1100..=1100 {
            assert_eq!(
                floor_log10(e),
                (f64::from(e) * 2f64.log10()).floor() as i32,
                "{e}"
            );
        }
        for k in MIN..=MAX {
            assert_eq!(
                floor_log2(k),
                (f64::from(k) * 10f64.log2()).floor() as i32,
                "{k}"
            );
        }
    }
}
