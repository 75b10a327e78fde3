use super::*;
use crate::number::{FloatForm, FloatFormat, NumberToken, Precision};
use proptest::prelude::*;

fn integer(value: i64) -> Integer {
    Integer {
        negative: value < 0,
        magnitude: value.unsigned_abs(),
        overflow: false,
        radix: Radix::Decimal,
        invalid_octal: false,
    }
}

#[test]
fn integer_suffixes_in_both_orders_and_cases() {
    let table = [
        ("", Suffix::None),
        ("b", Suffix::Byte),
        ("ub", Suffix::UByte),
        ("s", Suffix::Short),
        ("us", Suffix::UShort),
        ("l", Suffix::Int),
        ("u", Suffix::UInt),
        ("ul", Suffix::UInt),
        ("ll", Suffix::Int64),
        ("ull", Suffix::UInt64),
    ];
    for (text, suffix) in table {
        let turned = text
            .strip_prefix('u')
            .map(|rest| format!("{rest}u"))
            .unwrap_or_default();
        for text in [
            text.to_owned(),
            text.to_uppercase(),
            turned.to_uppercase(),
            turned,
        ]
        .iter()
        .filter(|t| t.len() == text.len())
        {
            let expected = (Literal::Integer(integer(-42), suffix), 3 + text.len());
            assert_eq!(
                literal(format!("-42{text}, 1").as_bytes()),
                Some(expected),
                "{text}"
            );
            assert_eq!(
                literal(format!("-42{text}").as_bytes()),
                Some(expected),
                "{text}"
            );
        }
    }
    assert_eq!(
        literal(b"1bb"),
        Some((Literal::Integer(integer(1), Suffix::Byte), 2))
    );
    assert_eq!(literal(b"1lll").unwrap().1, 3);
    assert_eq!(literal(b"1ubs").unwrap().1, 3);
    assert_eq!(literal(b"12abc").unwrap().1, 2);
}

#[test]
fn real_constants() {
    for (text, expected, len) in [
        ("1.", Literal::Double(1.0), 2),
        (".5,", Literal::Double(0.5), 2),
        ("1e3", Literal::Double(1000.0), 3),
        ("+1.5e-3d", Literal::Double(0.0015), 8),
        ("1.5L", Literal::Double(1.5), 4),
        ("1.f", Literal::Float(1.0), 3),
        ("-1.e+30f ;", Literal::Float(-1e30), 8),
        ("1e3F", Literal::Float(1000.0), 4),
        ("1f", Literal::Float(1.0), 2),
        ("010d", Literal::Double(10.0), 4),
        ("1.5.5", Literal::Double(1.5), 3),
        ("1.5b", Literal::Double(1.5), 3),
    ] {
        assert_eq!(literal(text.as_bytes()), Some((expected, len)), "{text}");
    }
    assert_eq!(literal(b"1fold").unwrap().1, 1);
    for text in ["", ".", "+", "-", "-x", "e5", "f", "_", "\"1\"", "+.e1"] {
        assert_eq!(literal(text.as_bytes()), None, "{text}");
    }
}

/// Checks that the suffix decides whether a constant is rounded once or twice on its way to `f32`.
#[test]
fn float_constants_are_rounded_once() {
    let just_above_middle = b"1.00000005960464477540";
    assert_eq!(literal(just_above_middle).unwrap().0.to_f32(), 1.0);
    assert_eq!(
        literal(b"1.00000005960464477540f").unwrap().0.to_f32(),
        1.000_000_1
    );
    assert_eq!(literal(b"16777217").unwrap().0.to_f32(), 16_777_216.0);
}

#[test]
fn hexadecimal_constants() {
    let hex = |magnitude| Integer {
        radix: Radix::Hexadecimal,
        magnitude,
        ..integer(0)
    };
    assert_eq!(
        literal(b"0x1B,"),
        Some((Literal::Integer(hex(27), Suffix::None), 4))
    );
    assert_eq!(
        literal(b"0XffS"),
        Some((Literal::Integer(hex(255), Suffix::UShort), 5))
    );
    assert_eq!(
        literal(b"0xfl"),
        Some((Literal::Integer(hex(15), Suffix::UInt), 4))
    );
    assert_eq!(
        literal(b"0xfll"),
        Some((Literal::Integer(hex(15), Suffix::UInt64), 5))
    );
    assert_eq!(
        literal(b"0xg"),
        Some((Literal::Integer(integer(0), Suffix::None), 1))
    );
    assert_eq!(literal(b"-0x1").unwrap().1, 2);
}

#[test]
fn words() {
    for (word, value) in WORDS {
        let text = String::from_utf8(word.to_vec()).unwrap();
        for tail in ["", ",", " ;", "\n"] {
            let (found, len) = literal(format!("{text}{tail}").as_bytes()).unwrap();
            assert_eq!(
                (format!("{found:?}"), len),
                (format!("{value:?}"), word.len()),
                "{text}{tail}"
            );
        }
        for tail in ["x", "1", "_", "-", "\\ ", "é"] {
            assert_eq!(
                literal(format!("{text}{tail}").as_bytes()),
                None,
                "{text}{tail}"
            );
        }
    }
    for text in [
        "NAN",
        "inf",
        "Inf",
        "-NaN",
        "+Infinity",
        "infinity",
        "NaNd",
        "-DoubleInf",
        "Nan",
    ] {
        assert_eq!(literal(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn values() {
    assert_eq!(integer(-5).value(), Some(-5));
    assert_eq!(
        literal(b"18446744073709551616").map(|(l, _)| match l {
            Literal::Integer(integer, _) => integer.value(),
            Literal::Float(_) | Literal::Double(_) => Some(0),
        }),
        Some(None)
    );
    assert_eq!(
        literal(b"18446744073709551615").unwrap().0.to_f64(),
        18_446_744_073_709_551_615.0
    );
    assert_eq!(
        literal(b"-0").unwrap().0.to_f64().to_bits(),
        (-0.0f64).to_bits()
    );
    assert_eq!(
        literal(b"-0").unwrap().0.to_f32().to_bits(),
        (-0.0f32).to_bits()
    );
}

fn same_f32(value: f32) {
    let mut token = NumberToken::new();
    for form in [FloatForm::Data, FloatForm::Attribute, FloatForm::Ncml] {
        FloatFormat::new(Precision::Exact, form).write_f32(value, &mut token);
        let (found, len) = literal(token.as_bytes()).unwrap();
        assert_eq!(
            (found.to_f32().to_bits(), len),
            (value.to_bits(), token.as_bytes().len()),
            "{value:e}"
        );
    }
}

fn same_f64(value: f64) {
    let mut token = NumberToken::new();
    for form in [FloatForm::Data, FloatForm::Attribute, FloatForm::Ncml] {
        FloatFormat::new(Precision::Exact, form).write_f64(value, &mut token);
        let (found, len) = literal(token.as_bytes()).unwrap();
        assert_eq!(
            (found.to_f64().to_bits(), len),
            (value.to_bits(), token.as_bytes().len()),
            "{value:e}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50_000))]
    #[test]
    fn what_is_printed_exactly_reads_back(bits in any::<u64>()) {
        let single = f32::from_bits((bits >> 32) as u32);
        if !single.is_nan() {
            same_f32(single);
        }
        let double = f64::from_bits(bits);
        if !double.is_nan() {
            same_f64(double);
        }
    }

    #[test]
    fn never_fails_on_bytes(text in proptest::collection::vec(any::<u8>(), 0..40)) {
        if let Some((_, len)) = literal(&text) {
            prop_assert!(len > 0 && len <= text.len());
        }
    }
}

#[test]
fn special_values_read_back() {
    for value in [
        0.0,
        -0.0,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        1e-45,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ] {
        same_f32(value);
    }
    for value in [
        0.0,
        -0.0,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ] {
        same_f64(value);
    }
}
