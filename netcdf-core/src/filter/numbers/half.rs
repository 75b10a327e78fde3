//! Floats of 16 bits.

/// Returns the number for some bits.
pub(super) fn from_bits(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1F if fraction == 0.0 => f64::INFINITY,
        0x1F => f64::NAN,
        _ => (fraction + 1024.0) * 2_f64.powi(exponent - 25),
    };
    sign * size
}

/// Returns the bits of the nearest number, ties to even.
pub(super) fn to_bits(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    sign | size(x.abs())
}

fn size(x: f64) -> u16 {
    if x.is_nan() {
        return 0x7E00;
    }
    // Numbers that round up beyond the largest finite number are infinite.
    if x >= 65_520.0 {
        return 0x7C00;
    }
    let exponent = i32::try_from(x.to_bits() >> 52).unwrap_or(0) - 1023;
    let exponent = exponent.max(-14);
    // The number in units of the last digit, exact. A unit above the maximum carries into the exponent.
    let units = (x * 2_f64.powi(10 - exponent)).round_ties_even();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 2048, a whole number"
    )]
    let units = units as u16;
    let biased = u16::try_from(exponent + 14).unwrap_or(0);
    (biased << 10) + units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_and_midpoints_round_correctly() {
        for bits in 0..0x7C00_u16 {
            let x = from_bits(bits);
            assert_eq!(to_bits(x), bits, "{x}");
            assert_eq!(to_bits(-x), bits | 0x8000);
            let next = from_bits(bits + 1);
            if next.is_finite() {
                let (middle, even) = (x / 2.0 + next / 2.0, (bits + 1) & !1);
                assert_eq!(to_bits(middle), even, "{middle}");
                assert_eq!(to_bits(middle.next_down()), bits);
                assert_eq!(to_bits(middle.next_up()), bits + 1);
            }
        }
        assert_eq!(from_bits(0x3555), 0.333_251_953_125);
        assert_eq!(to_bits(65_519.9), 0x7BFF);
        assert_eq!(
            (to_bits(65_520.0), to_bits(f64::INFINITY)),
            (0x7C00, 0x7C00)
        );
        assert!(from_bits(0x7E01).is_nan() && from_bits(0xFC00) == f64::NEG_INFINITY);
    }
}
