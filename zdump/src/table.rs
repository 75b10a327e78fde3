//! Cell formats for sizes, shapes and ratios.

pub(crate) use netcdf_core::tool::table::TextTable;

/// Formats a shape as `12x3`, or `scalar` without dimensions.
pub(crate) fn shape(lengths: &[u64]) -> String {
    if lengths.is_empty() {
        return "scalar".to_owned();
    }
    let lengths: Vec<_> = lengths.iter().map(u64::to_string).collect();
    lengths.join("x")
}

/// Formats a size as `17 B`, `1.5 kB`, `2.0 GB`: at most three digits, and decimal units.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut number = bytes as f64 / 1000.0;
    let mut units = ["kB", "MB", "GB", "TB", "PB", "EB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if number < 999.5 {
            break;
        }
        number /= 1000.0;
        unit = next;
    }
    match number < 9.95 {
        true => format!("{number:.1} {unit}"),
        false => format!("{number:.0} {unit}"),
    }
}

/// Formats a number, or `?` for a number beyond 2^64.
pub(crate) fn count(number: Option<u64>) -> String {
    number.map_or_else(|| "?".to_owned(), |n| n.to_string())
}

/// Formats a compression ratio as `3.2`, or `-` if no chunk is stored or the raw size is unknown.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn ratio(raw: Option<u64>, stored: u64) -> String {
    match raw {
        Some(raw) if stored > 0 => format!("{:.1}", raw as f64 / stored as f64),
        Some(_) | None => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_for_people() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9949, "9.9 kB"),
            (9951, "10 kB"),
            (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (u64::MAX, "18 EB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(shape(&[]), "scalar");
        assert_eq!(shape(&[3, 4]), "3x4");
        assert_eq!(ratio(Some(32), 10), "3.2");
        assert_eq!(ratio(None, 10), "-");
        assert_eq!(ratio(Some(1), 0), "-");
    }
}
