use super::*;
use proptest::prelude::*;

fn f32_text(value: f32, precision: Precision, form: FloatForm) -> String {
    let mut token = NumberToken::new();
    FloatFormat::new(precision, form).write_f32(value, &mut token);
    String::from_utf8(token.as_bytes().to_vec()).unwrap()
}

fn f64_text(value: f64, precision: Precision, form: FloatForm) -> String {
    let mut token = NumberToken::new();
    FloatFormat::new(precision, form).write_f64(value, &mut token);
    String::from_utf8(token.as_bytes().to_vec()).unwrap()
}

/// Returns C's `%.{precision}g`, or `%#.{precision}g` without trailing zeros, from the exact digits of `core::fmt`.
fn reference(value: f64, precision: usize, point: bool) -> String {
    let scientific = format!("{:.*e}", precision - 1, value);
    let (mantissa, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let plain = exponent >= -4 && exponent < precision as i32;
    let number = if plain {
        format!("{:.*}", (precision as i32 - 1 - exponent) as usize, value)
    } else {
        mantissa.to_owned()
    };
    let number = if number.contains('.') {
        number.trim_end_matches('0').to_owned()
    } else {
        number + "."
    };
    let number = if point {
        number
    } else {
        number.trim_end_matches('.').to_owned()
    };
    let sign = if exponent < 0 { '-' } else { '+' };
    if plain {
        number
    } else {
        format!("{number}e{sign}{:02}", exponent.abs())
    }
}

fn check(value: f64, precision: u8) {
    if !value.is_finite() {
        return;
    }
    let digits = Precision::Digits(precision);
    let expected = reference(value, usize::from(precision), false);
    assert_eq!(
        f64_text(value, digits, FloatForm::Data),
        expected,
        "{value:e} with {precision} digits"
    );
    let expected = reference(value, usize::from(precision), true);
    assert_eq!(
        f64_text(value, digits, FloatForm::Attribute),
        expected,
        "{value:e} with {precision} digits"
    );
    assert_eq!(
        f64_text(value, digits, FloatForm::Ncml),
        expected,
        "{value:e} with {precision} digits"
    );
    let single = value as f32;
    if single.is_finite() {
        let wide = f64::from(single);
        assert_eq!(
            f32_text(single, digits, FloatForm::Data),
            reference(wide, usize::from(precision), false)
        );
        assert_eq!(
            f32_text(single, digits, FloatForm::Attribute),
            reference(wide, usize::from(precision), true) + "f"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn any_bits(bits in any::<u64>(), precision in 1u8..=20) {
        check(f64::from_bits(bits), precision);
        check(f64::from(f32::from_bits((bits >> 32) as u32)), precision);
    }

    #[test]
    fn everyday_values(whole in -1_000_000_000i64..1_000_000_000, scale in 0i32..16, precision in 1u8..=20) {
        check(whole as f64 / 10f64.powi(scale), precision);
        check(whole as f64 * 10f64.powi(scale), precision);
        check(whole as f64 / 2f64.powi(scale), precision);
    }

    /// Sums of a few powers of two have few digits, so they are often halfway between two shorter numbers.
    #[test]
    fn binary_ties(bits in 0u64..4096, shift in -60i32..60, precision in 1u8..=20) {
        check(bits as f64 * 2f64.powi(shift), precision);
    }

    #[test]
    fn around_decimals(digits in 1u64..100_000_000, exponent in -320i32..300, ulps in -3i64..=3, precision in 1u8..=20) {
        let near: f64 = format!("{digits}e{exponent}").parse().unwrap();
        check(f64::from_bits(near.to_bits().saturating_add_signed(ulps)), precision);
        let tie: f64 = format!("{digits}5e{exponent}").parse().unwrap();
        check(f64::from_bits(tie.to_bits().saturating_add_signed(ulps)), precision);
    }
}

#[test]
fn around_all_powers_of_ten() {
    for exponent in -323..=308 {
        for digits in ["1", "9.9999995", "9.999999999999995", "9.5"] {
            let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
            for ulps in -3..=3 {
                for precision in 1..=18 {
                    check(
                        f64::from_bits(value.to_bits().saturating_add_signed(ulps)),
                        precision,
                    );
                }
            }
        }
    }
}

/// Checks lines `bits precision %g-text %#g-text` recorded from the C library.
#[test]
fn as_recorded_from_printf() {
    let table = include_str!("printf.txt");
    let mut lines = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [bits, precision, data, attribute] = fields[..] else {
            panic!("{line}")
        };
        let value = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        let precision = Precision::Digits(precision.parse().unwrap());
        assert_eq!(f64_text(value, precision, FloatForm::Data), data, "{line}");
        assert_eq!(
            f64_text(value, precision, FloatForm::Ncml),
            attribute,
            "{line}"
        );
        lines += 1;
    }
    assert!(lines > 900, "{lines}");
}

#[test]
fn attributes_show_their_type() {
    let seven = Precision::Digits(7);
    for (value, expected) in [
        (1.0, "1.f"),
        (0.1, "0.1f"),
        (1e30, "1.e+30f"),
        (-0.0, "-0.f"),
        (9.96921e36, "9.96921e+36f"),
        (1_234_567.0, "1234567.f"),
        (1e-5, "1.e-05f"),
        (f32::NAN, "NaNf"),
        (f32::INFINITY, "Infinityf"),
        (f32::NEG_INFINITY, "-Infinityf"),
    ] {
        assert_eq!(f32_text(value, seven, FloatForm::Attribute), expected);
        assert_eq!(
            f32_text(value, seven, FloatForm::Ncml),
            expected.trim_end_matches('f')
        );
    }
    for (value, expected) in [
        (1.0, "1."),
        (1e300, "1.e+300"),
        (0.0, "0."),
        (f64::NAN, "NaN"),
        (f64::NEG_INFINITY, "-Infinity"),
    ] {
        assert_eq!(
            f64_text(value, Precision::Digits(15), FloatForm::Attribute),
            expected
        );
    }
}

#[test]
fn data_values() {
    for (value, expected) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (-f32::NAN, "NaNf"),
        (f32::INFINITY, "Infinityf"),
        (f32::NEG_INFINITY, "-Infinityf"),
        (100.0, "100"),
    ] {
        assert_eq!(
            f32_text(value, Precision::Digits(7), FloatForm::Data),
            expected
        );
        assert_eq!(f32_text(value, Precision::Exact, FloatForm::Data), expected);
    }
    for (value, expected) in [
        (-0.0, "-0"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        (1e15, "1e+15"),
        (-1e-4, "-0.0001"),
    ] {
        assert_eq!(
            f64_text(value, Precision::Digits(15), FloatForm::Data),
            expected
        );
        assert_eq!(f64_text(value, Precision::Exact, FloatForm::Data), expected);
    }
}

#[test]
fn exact_form_extends_the_default_one() {
    for (value, expected) in [
        (0.1, "0.1"),
        (16_777_216.0, "1.677722e+07"),
        (0.333_333_34, "0.3333333"),
        (1e-45, "1.401298e-45"),
    ] {
        assert_eq!(
            f32_text(value, Precision::Digits(7), FloatForm::Data),
            expected
        );
    }
    for (value, expected) in [
        (0.1, "0.1"),
        (16_777_216.0, "1.6777216e+07"),
        (0.333_333_34, "0.33333334"),
        (1e-45, "1e-45"),
        (1_234_567.9, "1234567.9"),
    ] {
        assert_eq!(f32_text(value, Precision::Exact, FloatForm::Data), expected);
    }
    for (value, expected) in [
        (0.1 + 0.2, "0.30000000000000004"),
        (1e15, "1e+15"),
        (9.007_199_254_740_993e15, "9.007199254740992e+15"),
        (5e-324, "5e-324"),
    ] {
        assert_eq!(f64_text(value, Precision::Exact, FloatForm::Data), expected);
    }
    assert_eq!(
        f32_text(0.333_333_34, Precision::Exact, FloatForm::Attribute),
        "0.33333334f"
    );
    assert_eq!(
        f64_text(5e-324, Precision::Exact, FloatForm::Attribute),
        "5.e-324"
    );
}

#[test]
fn precision_is_brought_into_range() {
    assert_eq!(f64_text(1.25, Precision::Digits(0), FloatForm::Data), "1");
    assert_eq!(
        f64_text(0.1, Precision::Digits(255), FloatForm::Data),
        f64_text(0.1, Precision::Digits(20), FloatForm::Data)
    );
}

/// Checks that text written in place equals the text in a token, with a separator after it.
#[test]
fn in_place_as_in_a_token() {
    let precisions = [7, 15, 9, 17, 20].map(Precision::Digits);
    let mut token = NumberToken::new();
    for precision in precisions.into_iter().chain([Precision::Exact]) {
        for form in [FloatForm::Data, FloatForm::Attribute, FloatForm::Ncml] {
            let format = FloatFormat::new(precision, form);
            for value in [
                0.0,
                -0.0,
                1.5,
                -283.25,
                1e-4,
                -1.234_567_890_123_456_7e-308,
                1e14,
                1e300,
                5e-324,
                f64::NAN,
                f64::NEG_INFINITY,
            ] {
                let mut out = [b'#'; BUFFER_LEN];
                format.write_f64(value, &mut token);
                let len = format.put_f64(value, &mut out);
                assert_eq!(out[..len + 2], [token.as_bytes(), b", "].concat());
                let single = value as f32;
                format.write_f32(single, &mut token);
                let len = format.put_f32(single, &mut out);
                assert_eq!(out[..len + 2], [token.as_bytes(), b", "].concat());
            }
        }
    }
}
