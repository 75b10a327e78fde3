//! Tables of powers of ten, computed by the compiler.

#![expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, where a wrong index is a build error"
)]

/// The smallest exponent in the table: 19 significant digits that still reach the smallest subnormal `f64`.
pub(super) const MIN: i32 = -342;
/// The largest exponent in the table: 17 digits of the smallest subnormal `f64`.
pub(super) const MAX: i32 = 342;
const LEN: usize = 685;

/// The smallest and largest exponent of [`AS_F64`].
pub(super) const MIN_F64: i32 = -323;
pub(super) const MAX_F64: i32 = 309;
const LEN_F64: usize = 633;

/// Powers of ten that fit in 64 bits.
pub(super) const SMALL: [u64; 20] = small();
pub(super) static SIGNIFICANDS: [u128; LEN] = significands();
/// The bits of the smallest `f64` that is at least each power of ten.
pub(super) static AS_F64: [u64; LEN_F64] = as_f64();

/// Word count of the big integer: `5^342` has 795 bits, and 128 more bits must remain after 342 divisions.
const WORDS: usize = 16;

const fn small() -> [u64; 20] {
    let mut table = [1; 20];
    let mut i = 1;
    while i < 20 {
        table[i] = table[i - 1] * 10;
        i += 1;
    }
    table
}

const fn significands() -> [u128; LEN] {
    let mut table = [0; LEN];
    let mut up = [0; WORDS];
    up[0] = 1;
    let mut down = [0; WORDS];
    down[WORDS - 1] = 1 << 63;
    let zero = MIN.unsigned_abs() as usize;
    let mut k = 0;
    while k <= MAX.unsigned_abs() as usize {
        table[zero + k] = top_bits(&up);
        // Truncating after each division by 5 equals truncating once: floor(floor(x / 5) / 5) = floor(x / 25).
        table[zero - k] = top_bits(&down);
        times_5(&mut up);
        divide_by_5(&mut down);
        k += 1;
    }
    table
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 53 bits remain, or 2^53 after rounding up"
)]
const fn as_f64() -> [u64; LEN_F64] {
    let mut table = [0; LEN_F64];
    let mut k = MIN_F64;
    while k <= MAX_F64 {
        let significand = SIGNIFICANDS[k.abs_diff(MIN) as usize];
        let exponent = floor_log2(k);
        // Subnormal values have fewer bits.
        let normal = exponent >= -1022;
        let cut = if normal { 75 } else { 75 + (-1022 - exponent) };
        let cut_off = significand & ((1 << cut) - 1) != 0;
        let mantissa = (significand >> cut) as u64 + cut_off as u64;
        // The top bit of normal values is implied; rounding up to the next power of two carries into the exponent.
        let biased = if normal {
            exponent.abs_diff(-1023) as u64 - 1
        } else {
            0
        };
        table[k.abs_diff(MIN_F64) as usize] = (biased << 52) + mantissa;
        k += 1;
    }
    table[LEN_F64 - 1] = 0x7ff << 52;
    table
}

#[expect(clippy::cast_possible_truncation, reason = "only the low word is kept")]
const fn times_5(words: &mut [u64; WORDS]) {
    let mut carry = 0;
    let mut i = 0;
    while i < WORDS {
        let product = words[i] as u128 * 5 + carry;
        words[i] = product as u64;
        carry = product >> 64;
        i += 1;
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a quotient by 5 with a remainder below 5 above it fits"
)]
const fn divide_by_5(words: &mut [u64; WORDS]) {
    let mut remainder = 0;
    let mut i = WORDS;
    while i > 0 {
        i -= 1;
        let dividend = (remainder << 64) | words[i] as u128;
        words[i] = (dividend / 5) as u64;
        remainder = dividend % 5;
    }
}

/// Returns the 128 bits from the highest set bit down.
const fn top_bits(words: &[u64; WORDS]) -> u128 {
    let mut top = WORDS - 1;
    while words[top] == 0 {
        top -= 1;
    }
    let high = words[top] as u128;
    let middle = if top > 0 { words[top - 1] as u128 } else { 0 };
    let low = if top > 1 { words[top - 2] as u128 } else { 0 };
    let shift = words[top].leading_zeros();
    let spare = (high << 64 | middle) << shift;
    if shift == 0 {
        spare
    } else {
        spare | low >> (64 - shift)
    }
}

/// Returns `floor(k * log2(10))` for `|k| <= 600`.
#[inline]
pub(super) const fn floor_log2(k: i32) -> i32 {
    (k.wrapping_mul(217_706)) >> 16
}
