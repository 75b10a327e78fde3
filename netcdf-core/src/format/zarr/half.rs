//! Numbers of half precision: IEEE 754 binary16, and `bfloat16`, the upper half of a float.

/// Converts a half-precision number to a float, exactly.
#[must_use]
pub(super) fn to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits) & 0x3ff;
    match exponent {
        0 => {
            // 2^-24, the unit of subnormal numbers.
            let scale = f32::from_bits(103 << 23);
            let size = f32::from(bits & 0x3ff) * scale;
            f32::from_bits(size.to_bits() | sign)
        }
        0x1f => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

/// Returns the nearest half-precision number, ties to even.
#[must_use]
pub(super) fn from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let size = bits & 0x7fff_ffff;
    let half = if size > 0x7f80_0000 {
        0x7e00 | ((size >> 13) & 0x3ff)
    } else if size >= 0x4780_0000 {
        0x7c00 // beyond the largest
    } else if size < 0x3880_0000 {
        subnormal(size)
    } else {
        round(size - 0x3800_0000, 13)
    };
    u16::try_from(sign | half).unwrap_or(0x7c00)
}

/// Returns `bits >> shift`, rounded to the nearest, ties to even.
fn round(bits: u32, shift: u32) -> u32 {
    let kept = bits >> shift;
    let rest = bits & ((1 << shift) - 1);
    let tie = 1u32 << (shift - 1);
    kept + u32::from(rest > tie || (rest == tie && kept & 1 == 1))
}

fn subnormal(size: u32) -> u32 {
    let exponent = size >> 23;
    let shift = 126u32.saturating_sub(exponent);
    if shift > 24 {
        return 0;
    }
    round((size & 0x7f_ffff) | 0x80_0000, shift)
}

/// Converts a `bfloat16` to a float, exactly.
#[must_use]
pub(super) fn brain_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Returns the nearest `bfloat16`, ties to even.
#[must_use]
pub(super) fn brain_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let upper = match value.is_nan() {
        // A NaN must stay a NaN, even if the set bits are cut off.
        true => (bits >> 16) | 0x40,
        false => round(bits, 16),
    };
    u16::try_from(upper).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_lead_back() {
        for bits in 0..=u16::MAX {
            let value = to_f32(bits);
            if value.is_nan() {
                assert!(to_f32(from_f32(value)).is_nan());
            } else {
                assert_eq!(from_f32(value), bits, "{value}");
            }
        }
    }

    #[test]
    fn all_upper_halves_lead_back() {
        for bits in 0..=u16::MAX {
            let value = brain_to_f32(bits);
            if value.is_nan() {
                assert!(brain_to_f32(brain_from_f32(value)).is_nan());
            } else {
                assert_eq!(brain_from_f32(value), bits, "{value}");
            }
        }
        assert_eq!(brain_to_f32(0x3fc0), 1.5);
        assert_eq!(brain_from_f32(1.003_906_3), 0x3f80);
        assert_eq!(brain_from_f32(1.011_718_8), 0x3f82);
        assert!(brain_to_f32(brain_from_f32(f32::from_bits(0x7f80_0001))).is_nan());
        assert_eq!(brain_from_f32(f32::MAX), 0x7f80);
    }

    #[test]
    fn known_ones() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (1, 5.960_464_5e-8),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(to_f32(bits), value);
        }
        assert_eq!(from_f32(65520.0), 0x7c00);
        assert_eq!(from_f32(2049.0), 0x6800);
    }
}
