//! Floating-point constants with enough digits to read back the same value.

use std::str::FromStr;

use netcdf_grammar::number::{FloatForm, FloatFormat, NumberToken, Precision};

/// Formats like C's `%.8g`, with a ninth digit if eight digits do not read back as the same value.
pub(super) fn float(value: f32) -> String {
    shorter_or([8, 9], value, FloatFormat::write_f32)
}

/// Formats like C's `%.16g`, with a seventeenth digit if sixteen digits do not read back as the same value.
pub(super) fn double(value: f64) -> String {
    shorter_or([16, 17], value, FloatFormat::write_f64)
}

fn shorter_or<T: Copy + PartialEq + FromStr>(
    [few, enough]: [u8; 2],
    value: T,
    write: impl Fn(&FloatFormat, T, &mut NumberToken),
) -> String {
    let text = |digits| {
        let mut token = NumberToken::new();
        let format = FloatFormat::new(Precision::Digits(digits), FloatForm::Data);
        write(&format, value, &mut token);
        String::from_utf8_lossy(token.as_bytes()).into_owned()
    };
    let short = text(few);
    match short.parse().is_ok_and(|back: T| back == value) {
        true => short,
        false => text(enough),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_c_tool_prints_them() {
        assert_eq!(float(-1e36), "-9.9999996e+35");
        assert_eq!(float(270.1), "270.10001");
        assert_eq!(double(1e308), "1e+308");
        assert_eq!(double(0.01), "0.01");
    }

    #[test]
    fn every_value_leads_back() {
        for n in 0..100_000u32 {
            let value = f32::from_bits(0x3f80_0000 + n);
            assert_eq!(float(value).parse(), Ok(value));
        }
        assert_eq!(double(0.1 + 0.2), "0.30000000000000004");
    }
}
