use super::*;

fn integer(format: &str, bits: u32, value: i64) -> Option<String> {
    let mut out = Vec::new();
    IntegerFormat::parse(format.as_bytes(), bits)?.write_signed(value, &mut out);
    Some(String::from_utf8(out).unwrap())
}

fn unsigned(format: &str, bits: u32, value: u64) -> Option<String> {
    let mut out = Vec::new();
    IntegerFormat::parse(format.as_bytes(), bits)?.write_unsigned(value, &mut out);
    Some(String::from_utf8(out).unwrap())
}

fn float(format: &str, value: f64) -> Option<String> {
    let mut out = Vec::new();
    AttributeFloatFormat::parse(format.as_bytes())?.write(value, &mut out);
    Some(String::from_utf8(out).unwrap())
}

/// Kind (`f`, or `s`/`u` and the bits), format, value, and the text that glibc's printf prints.
#[test]
fn values_print_as_recorded_from_printf() {
    let mut count = 0;
    for line in include_str!("recorded.txt").lines() {
        let fields: Vec<&str> = line.strip_suffix('|').unwrap().split('\t').collect();
        let (kind, format, value) = (fields[0], fields[1], fields[2]);
        let printed = match kind.split_at(1) {
            ("s", bits) => integer(format, bits.parse().unwrap(), value.parse().unwrap()),
            ("u", bits) => unsigned(format, bits.parse().unwrap(), value.parse().unwrap()),
            _ => float(format, value.parse().unwrap()),
        };
        assert_eq!(printed.as_deref(), Some(fields[3]), "{line}");
        count += 1;
    }
    assert!(count > 300, "{count}");
}

#[test]
fn formats_that_do_not_fit_are_refused() {
    for format in ["%f", "%s", "%c", "%e", "%g", "%a", "%p", "%n", "%Ls"] {
        assert_eq!(integer(format, 32, 1), None, "{format}");
    }
    for format in ["%d", "%s", "%c", "%x", "%a", "%p", "%n", "%hf", "%llf"] {
        assert_eq!(float(format, 1.0), None, "{format}");
    }
}

#[test]
fn formats_of_another_form_are_refused() {
    let long = format!("%d{}", "x".repeat(98));
    for format in [
        "",
        "%",
        "%%",
        "text",
        "%d%d",
        "%s%n%s",
        "%d %",
        "%*d",
        "%.*d",
        "%1$d",
        "%'d",
        "%Id",
        "%5",
        "%.",
        "%-",
        "%ll",
        "%d\n",
        "%d\t",
        "\x1b[0m%d",
        "%513d",
        "%.513d",
        "%99999999d",
        "%18446744073709551617d",
        "%.-1d",
        "%hhhd",
        "\0%d",
        "%\0d",
        &long,
    ] {
        assert_eq!(integer(format, 32, 1), None, "{format:?}");
        assert_eq!(float(&format.replace('d', "f"), 1.0), None, "{format:?}");
    }
    assert_eq!(integer("%d\0%n", 32, 1).unwrap(), "1");
    assert_eq!(integer(&long[..99], 32, 1).unwrap().len(), 98);
}

#[test]
fn surrounding_text_may_have_any_bytes() {
    let mut out = Vec::new();
    let format = AttributeFloatFormat::parse(b"\xb0%%%.1fK\xff").unwrap();
    format.write(0.25, &mut out);
    assert_eq!(out, b"\xb0%0.2K\xff");
}

/// Differences from C's printf, which prints other values or is undefined here.
#[test]
fn values_are_never_cut_short() {
    assert_eq!(integer("%hd", 32, 70_000).unwrap(), "70000");
    assert_eq!(integer("%hhx", 16, 0x1234).unwrap(), "1234");
    assert_eq!(integer("%d", 64, i64::MIN).unwrap(), i64::MIN.to_string());
    assert_eq!(integer("%u", 32, -1).unwrap(), "-1");
    assert_eq!(integer("%+u", 32, 1).unwrap(), "1");
    assert_eq!(unsigned("%d", 32, 4_000_000_000).unwrap(), "4000000000");
    assert_eq!(
        unsigned("%lld", 64, u64::MAX).unwrap(),
        u64::MAX.to_string()
    );
    assert_eq!(integer("%ld", 32, -1).unwrap(), "-1");
    assert_eq!(integer("%lx", 32, -1).unwrap(), "ffffffff");
    assert_eq!(integer("%hhx", 8, -1).unwrap(), "ff");
    assert_eq!(integer("%hx", 8, -1).unwrap(), "ffff");
    assert_eq!(float("%Lf", 1.5).unwrap(), "1.500000");
}

/// Some C libraries drop the zeros when rounding adds a digit; the standard keeps the zeros.
#[test]
fn general_keeps_zeros_when_rounding_carries() {
    assert_eq!(float("%#g", 999_999.5).unwrap(), "1.00000e+06");
    assert_eq!(float("%g", 999_999.5).unwrap(), "1e+06");
    assert_eq!(float("%#.1g", 9.6).unwrap(), "1.e+01");
}

#[test]
fn largest_results_stay_small() {
    let text = float("%512.512f", f64::MAX).unwrap();
    assert_eq!(text.len(), 309 + 1 + 512);
    let text = float("%.512g", 5e-324).unwrap();
    assert!(text.starts_with("4.940656458412465441765687928682213723650598026143247644255856825"));
    assert_eq!(float("%5.1f|", f64::NEG_INFINITY).unwrap(), " -inf|");
    assert_eq!(float("%05G", f64::NAN).unwrap(), "  NAN");
}

/// Checks random attributes and values: formatting never panics, and an accepted decimal format keeps the value.
#[test]
fn random_formats_and_values() {
    const BYTES: &[u8] = b"%%%%-+ #0123456789.hlLqjztdiuoxXeEfFgGasn*$'\0\n\xff";
    let mut random = 88_172_645_463_325_252_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut accepted = 0;
    for _ in 0..60_000 {
        let length = usize::try_from(next() % 8).unwrap();
        let mut format = b"%".to_vec();
        for _ in 0..length {
            let index = usize::try_from(next() >> 8).unwrap() % BYTES.len();
            format.push(BYTES[index]);
        }
        let value = i64::from_ne_bytes(next().to_ne_bytes());
        let mut out = Vec::new();
        if let Some(format) = IntegerFormat::parse(&format, 64) {
            accepted += 1;
            format.write_signed(value, &mut out);
            format.write_unsigned(value.unsigned_abs(), &mut out);
            let text = String::from_utf8_lossy(&out).into_owned();
            if format.conversion == IntegerConversion::Decimal {
                assert!(text.contains(&value.unsigned_abs().to_string()), "{text}");
            }
        }
        if let Some(format) = AttributeFloatFormat::parse(&format) {
            accepted += 1;
            format.write(f64::from_ne_bytes(next().to_ne_bytes()), &mut out);
        }
        assert!(out.len() < 4 * 900);
    }
    assert!(accepted > 1000, "{accepted}");
}
