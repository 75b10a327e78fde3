use super::*;
use crate::number::literal::any_literal;
use crate::number::{
    FloatForm, FloatFormat, Literal, NumberToken, Precision, Radix, Suffix, literal,
};
use proptest::prelude::*;

/// Returns `text` and the text after it in a list, with at least the bytes of a window.
fn in_list(text: &str, behind: &str) -> Vec<u8> {
    let mut bytes = format!("{text}{behind}").into_bytes();
    bytes.resize(bytes.len() + WINDOW, b' ');
    bytes
}

/// Returns the result of the general reader for a number without suffix.
fn plain(text: &[u8]) -> Option<(Literal, usize)> {
    any_literal(text).filter(|(value, _)| match value {
        Literal::Integer(integer, suffix) => {
            *suffix == Suffix::None && integer.radix == Radix::Decimal && !integer.overflow
        }
        Literal::Float(_) => false,
        Literal::Double(_) => true,
    })
}

/// Checks that all readers agree on the numbers that they find.
fn agree(text: &[u8]) {
    let shown = String::from_utf8_lossy(text);
    let expected = plain(text);
    let window = text.first_chunk();
    if let Some((value, len)) = window.and_then(short) {
        let (literal, literal_len) = expected.unwrap();
        assert_eq!(
            (value.to_bits(), len),
            (literal.to_f64().to_bits(), literal_len),
            "{shown}"
        );
    }
    if let Some((value, len)) = window.and_then(short_integer) {
        let (Literal::Integer(integer, _), literal_len) = expected.unwrap() else {
            panic!("{shown}")
        };
        assert_eq!(
            (integer.value(), literal_len),
            (Some(value.into()), len),
            "{shown}"
        );
    }
    // `==` does not work, as `NaN` differs from itself.
    assert_eq!(
        format!("{:?}", literal(text)),
        format!("{:?}", any_literal(text)),
        "{shown}"
    );
}

/// Returns the length of the number that a fast path finds.
fn found(text: &str, behind: &str) -> Option<usize> {
    let bytes = in_list(text, behind);
    agree(&bytes);
    let window = bytes.first_chunk()?;
    let real = short(window).map(|(_, len)| len);
    real.or_else(|| short_integer(window).map(|(_, len)| len))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn agree_on_numbers(text in "-?[0-9]{0,18}(\\.[0-9]{0,24})?([eE][+-]?[0-9]{0,4})?", behind in "[, ;\\n}a-zA-Z_.+-]?[0-9, ]{0,2}") {
        agree(&in_list(&text, &behind));
    }

    #[test]
    fn agree_on_short_numbers(text in "-?[0-9]{0,8}(\\.[0-9]{0,9})?", behind in "[,e.]") {
        agree(&in_list(&text, &behind));
    }

    #[test]
    fn agree_on_parts_of_numbers(text in "[-+0-9.eExXfFdDlLuUsSbB, ]{0,24}") {
        agree(&in_list(&text, ""));
        agree(text.as_bytes());
    }

    #[test]
    fn agree_on_bytes(text in proptest::collection::vec(any::<u8>(), 0..60)) {
        agree(&text);
    }

    #[test]
    fn agree_on_printed_numbers(bits in any::<u64>(), digits in -1_000_000_000_000_000i64..1_000_000_000_000_000, places in 0..20i32) {
        let decimal = digits as f64 / 10f64.powi(places);
        let mut token = NumberToken::new();
        for value in [decimal, f64::from_bits(bits)] {
            for precision in [7, 15] {
                FloatFormat::new(Precision::Digits(precision), FloatForm::Data).write_f64(value, &mut token);
                for behind in [", ", ",", " ,", ";", "\n", "}"] {
                    found(std::str::from_utf8(token.as_bytes()).unwrap(), behind);
                }
            }
        }
        for behind in [", ", ";"] {
            found(&digits.to_string(), behind);
        }
    }
}

#[test]
fn everyday_numbers_are_found() {
    for text in [
        "0",
        "-0",
        "7",
        "-273",
        "1234567",
        "1.",
        "0.5",
        "-0.0001",
        "283.1234",
        "1234567.12345678",
        "0.123456789012345",
        "0.000123456789012",
    ] {
        assert_eq!(found(text, ", "), Some(text.len()), "{text}");
        for behind in [" ,", ";", "\n", "}"] {
            assert_eq!(found(text, behind), None, "{text}{behind}");
        }
    }
}

#[test]
fn unusual_numbers_are_not() {
    for text in [
        "",
        "-",
        "+1",
        ".5",
        "-.5",
        "010",
        "-00",
        "0x10",
        "1b",
        "1.f",
        "1.5d",
        "1e",
        "1e+",
        "1.e",
        "1e+30",
        "1e5000",
        "NaN",
        "_",
        "12345678",
        "12345678.5",
        "0.12345678901234567890123",
        "12abc",
        "--1",
    ] {
        assert_eq!(found(text, ", "), None, "{text}");
    }
    let short_of = |text: &[u8]| text.first_chunk().and_then(short);
    assert_eq!(short_of(b"1.5, 2"), None, "too near to the end");
    assert_eq!(short_of(&in_list("010.5", ", ")), Some((10.5, 5)));
}
