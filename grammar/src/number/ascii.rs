//! Eight decimal digits at a time, packed in one `u64` in text order (first digit in the lowest byte).

/// The eight characters `00000000`.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Returns the eight digits of `n < 10^8` as values 0 to 9.
#[inline(always)]
pub(super) const fn spread(n: u32) -> u64 {
    let n = n as u64;
    // n / 10^4, then two times / 100, then four times / 10, each by a multiplication that is exact in its range. A quotient q by d and its
    // remainder r = n - q * d replace n: q + (r << s) = (n << s) - q * ((d << s) - 1).
    let high = (n * 109_951_163) >> 40;
    let fours = (n << 32) - high * ((10_000 << 32) - 1);
    let high = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = (fours << 16) - high * ((100 << 16) - 1);
    let high = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    (twos << 8) - high * ((10 << 8) - 1)
}

/// Returns the number of the eight digits up to the last nonzero digit, at least 1.
#[inline(always)]
pub(super) const fn significant(digits: u64) -> usize {
    // Counting trailing zeros is faster than counting leading zeros on processors without an instruction for the latter.
    8 - (digits.swap_bytes() | 1 << 56).trailing_zeros() as usize / 8
}

/// Returns the value of up to eight digit characters; unused bytes, at the low end, are 0 or `0`.
#[inline(always)]
pub(super) const fn gather(text: u64) -> u64 {
    // Four numbers of two digits. The first and third, and the second and fourth, are weighted and added in the upper half of a product
    // each.
    const PAIR: u64 = 0x0000_00ff_0000_00ff;
    const FIRST_AND_THIRD: u64 = 100 + (1_000_000 << 32);
    const SECOND_AND_FOURTH: u64 = 1 + (10_000 << 32);
    let ones = text & 0x0f0f_0f0f_0f0f_0f0f;
    let twos = ones.wrapping_mul(10).wrapping_add(ones >> 8);
    let odd = (twos & PAIR).wrapping_mul(FIRST_AND_THIRD);
    let even = ((twos >> 16) & PAIR).wrapping_mul(SECOND_AND_FOURTH);
    odd.wrapping_add(even) >> 32
}

/// Returns the number of digits at the start of the eight characters.
#[inline(always)]
pub(super) const fn count(text: u64) -> u32 {
    // A digit xor `0` is 0 to 9: it has no high bit, and still none after adding 0x76. Carries from a byte with a high bit only change
    // later bytes, which do not count.
    let xored = text ^ ZEROS;
    ((xored | xored.wrapping_add(0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080).trailing_zeros()
        / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(n: u32) -> u64 {
        u64::from_le_bytes(format!("{n:08}").into_bytes().try_into().unwrap())
    }

    #[test]
    fn there_and_back() {
        for n in (0..100_000_000)
            .step_by(9_973)
            .chain([9, 99, 999, 9_999, 99_999, 999_999, 9_999_999, 99_999_999])
        {
            assert_eq!(spread(n) | ZEROS, text(n), "{n}");
            assert_eq!(gather(text(n)), u64::from(n), "{n}");
        }
    }

    #[test]
    fn counts_leading_digits() {
        for other in (0..=255).filter(|c| !char::from(*c).is_ascii_digit()) {
            for at in 0..8 {
                for after in [b'0', b'9', 0xff, other] {
                    let mut bytes = *b"09182736";
                    bytes[at] = other;
                    bytes[at + 1..].fill(after);
                    assert_eq!(count(u64::from_le_bytes(bytes)) as usize, at, "{bytes:?}");
                }
            }
        }
        assert_eq!(count(ZEROS), 8);
        assert_eq!(count(u64::from_le_bytes(*b"99999999")), 8);
    }
}
