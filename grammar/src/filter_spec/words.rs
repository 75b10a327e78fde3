//! 64-bit parameters: two 32-bit words, the lower one first, on every machine.

use netcdf_core::model::Endianness;

/// Splits a 64-bit value (for a double, its bits) into two parameters.
#[must_use]
pub fn words(value: u64) -> [u32; 2] {
    let word = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(0);
    [word(value), word(value >> 32)]
}

/// Returns the value of two parameters.
#[must_use]
pub fn value([lower, higher]: [u32; 2]) -> u64 {
    u64::from(higher) << 32 | u64::from(lower)
}

/// Converts the memory of a 64-bit value to the memory of two parameters, on a machine with this byte order, like `ncaux_h5filterspec_fix8`
/// of netCDF-C. The function is its own inverse.
#[must_use]
pub fn fix8(memory: [u8; 8], machine: Endianness) -> [u8; 8] {
    match machine {
        Endianness::Little => memory,
        Endianness::Big => {
            let [a, b, c, d, e, f, g, h] = memory;
            [e, f, g, h, a, b, c, d]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: u64 = 0x0102_0304_0506_0708;
    const WORDS: [u32; 2] = [0x0506_0708, 0x0102_0304];

    #[test]
    fn the_lower_word_comes_first() {
        assert_eq!(words(VALUE), WORDS);
        assert_eq!(
            words(12_345_678.123_456_78_f64.to_bits()),
            [3_287_505_826, 1_097_305_129]
        );
        for v in [0, 1, u64::MAX, 1 << 32, VALUE] {
            assert_eq!(value(words(v)), v);
        }
    }

    /// Checks that both byte orders give the same two words.
    #[test]
    fn both_byte_orders() {
        let halves = |bytes: [u8; 8]| -> [[u8; 4]; 2] {
            [
                bytes[..4].try_into().unwrap(),
                bytes[4..].try_into().unwrap(),
            ]
        };
        let little = halves(fix8(VALUE.to_le_bytes(), Endianness::Little));
        assert_eq!(little.map(u32::from_le_bytes), WORDS);
        let big = halves(fix8(VALUE.to_be_bytes(), Endianness::Big));
        assert_eq!(big.map(u32::from_be_bytes), WORDS);
        for (memory, machine) in [
            (VALUE.to_le_bytes(), Endianness::Little),
            (VALUE.to_be_bytes(), Endianness::Big),
        ] {
            assert_eq!(fix8(fix8(memory, machine), machine), memory);
        }
    }
}
