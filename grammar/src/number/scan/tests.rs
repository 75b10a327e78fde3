use super::*;
use proptest::prelude::*;

fn agrees(text: &str) {
    let mut bytes = text.as_bytes().to_vec();
    for tail in ["", ",", ", 1.5e3, 17", " ;         "] {
        bytes.truncate(text.len());
        bytes.extend_from_slice(tail.as_bytes());
        let (value, len) = float_prefix(&bytes).unwrap();
        assert_eq!(
            (value.to_bits(), len),
            (text.parse::<f64>().unwrap().to_bits(), text.len()),
            "{text}"
        );
        let single = decimal(&bytes).unwrap().to_f32(&bytes);
        assert_eq!(
            single.to_bits(),
            text.parse::<f32>().unwrap().to_bits(),
            "{text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn as_std_reads(text in "[+-]?([0-9]{1,25}\\.?|[0-9]{0,9}\\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?") {
        agrees(&text);
    }

    #[test]
    fn doubles_printed_with_any_precision(bits in any::<u64>(), places in 0usize..25) {
        let value = f64::from_bits(bits);
        if value.is_finite() {
            agrees(&format!("{value:.places$e}"));
        }
    }

    #[test]
    fn integers_as_std_reads(text in "[+-]?[1-9][0-9]{0,22}") {
        let expected = text.parse::<i128>().unwrap();
        let (found, len) = integer_prefix(text.as_bytes()).unwrap();
        prop_assert_eq!(len, text.len());
        prop_assert_eq!(found.negative, expected < 0);
        prop_assert_eq!(found.overflow, expected.unsigned_abs() > u128::from(u64::MAX));
        if !found.overflow {
            prop_assert_eq!(u128::from(found.magnitude), expected.unsigned_abs());
        }
    }

    #[test]
    fn other_radixes(value in any::<u64>()) {
        for (text, radix) in [(format!("0{value:o}"), Radix::Octal), (format!("0x{value:x}"), Radix::Hexadecimal), (format!("0X{value:X}"), Radix::Hexadecimal)] {
            let expected = Integer { negative: false, magnitude: value, overflow: false, radix, invalid_octal: false };
            prop_assert_eq!(integer_prefix(text.as_bytes()), Some((expected, text.len())));
        }
    }
}

#[test]
fn any_bytes_are_harmless() {
    for text in [
        "", "+", "-", ".", "-.", "e5", "-e5", ".e5", "x", "0", "00", "0x", "0xg", "1e", "1e+",
        "1.e-", "\u{ff}1",
    ] {
        let lengths = [
            float_prefix(text.as_bytes()).map(|(_, len)| len),
            integer_prefix(text.as_bytes()).map(|(_, len)| len),
        ];
        assert!(
            lengths
                .into_iter()
                .flatten()
                .all(|len| (1..=text.len()).contains(&len)),
            "{text}"
        );
    }
    assert_eq!(float_prefix(b"."), None);
    assert_eq!(float_prefix(b"+e5"), None);
    assert_eq!(float_prefix(b"1e+"), Some((1.0, 1)));
    assert_eq!(float_prefix(b"1.e,"), Some((1.0, 2)));
    assert_eq!(float_prefix(b"-.5e1f"), Some((-5.0, 5)));
    assert_eq!(integer_prefix(b"-"), None);
    assert_eq!(integer_prefix(b"0xg").unwrap().1, 1);
}

#[test]
fn limits() {
    for text in [
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
    ] {
        agrees(text);
    }
    for text in [
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "-0",
        "-0.0",
        "0.00000000000000000000000000001",
    ] {
        agrees(text);
    }
    // Values near the middle between two floats, which rounding to double first would round wrongly.
    for text in [
        "1.00000005960464477539",
        "1.000000059604644775390625",
        "1.00000005960464477540",
        "1.1754943508e-38",
        "3.40282356779733661637e38",
        "1.4e-45",
        "7e-46",
    ] {
        agrees(text);
    }
    let long = "9".repeat(5_000);
    assert_eq!(float_prefix(long.as_bytes()), Some((f64::INFINITY, 5_000)));
    assert!(integer_prefix(long.as_bytes()).unwrap().0.overflow);
}

#[test]
fn octal_stops_at_the_first_other_digit() {
    for (text, magnitude, invalid_octal) in [
        ("08", 0, true),
        ("0178", 15, true),
        ("017", 15, false),
        ("00", 0, false),
    ] {
        let (found, len) = integer_prefix(text.as_bytes()).unwrap();
        assert_eq!(
            (found.magnitude, found.invalid_octal, len),
            (magnitude, invalid_octal, text.len()),
            "{text}"
        );
        assert_eq!(found.radix, Radix::Octal);
    }
    assert!(
        !integer_prefix(b"01777777777777777777777")
            .unwrap()
            .0
            .overflow
    );
    assert!(
        integer_prefix(b"02000000000000000000000")
            .unwrap()
            .0
            .overflow
    );
    assert!(integer_prefix(b"0x10000000000000000").unwrap().0.overflow);
    assert_eq!(integer_prefix(b"0").unwrap().0.radix, Radix::Decimal);
}
