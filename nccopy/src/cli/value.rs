//! Values of options.

use netcdf_core::model::convert::whole_number;
use netcdf_grammar::chunk_spec;
use netcdf_grammar::edit::{AttributeEdit, Rename};
use netcdf_grammar::number::whole_number;

use crate::request::CloudRules;

pub(super) fn parse_rename(text: &str) -> Result<Rename, String> {
    Rename::parse(text).map_err(|e| e.to_string())
}

pub(super) fn parse_attribute(text: &str) -> Result<AttributeEdit, String> {
    AttributeEdit::parse(text).map_err(|e| e.to_string())
}

/// Parses a deflate level. Like the C tool, accepts `5.0` as 5.
pub(super) fn parse_level(text: &str) -> Result<u8, String> {
    let level = whole_number::trimmed(text).parse::<u8>().ok();
    let level = level.filter(|level| *level <= 9);
    level.ok_or_else(|| "expected a level from 0 to 9".to_owned())
}

/// Checks the syntax of `-c` and `--shard`. The names depend on the input. As in the C tool, an empty text has no effect.
pub(super) fn parse_chunks(text: &str) -> Result<String, String> {
    if !text.is_empty() {
        chunk_spec::parse(text).map_err(|mistake| mistake.in_line())?;
    }
    Ok(text.to_owned())
}

pub(super) fn parse_chunk_size(text: &str) -> Result<u64, String> {
    match parse_memory(text)? {
        0 => Err("expected at least one byte".to_owned()),
        size => Ok(size),
    }
}

/// Parses a size with a suffix of the C tool (`5000000`, `5M`, `0.5g`) or a suffix for a power of two.
///
/// # Errors
/// Returns a message for any other text.
pub(super) fn parse_memory(text: &str) -> Result<u64, String> {
    let binary = |unit: char| {
        let number = text.strip_suffix('B').unwrap_or(text).strip_suffix(['i'])?;
        number.strip_suffix([unit, unit.to_ascii_lowercase()])
    };
    for (power, unit) in (1..).zip(['K', 'M', 'G', 'T']) {
        if let Some(number) = binary(unit) {
            let number: f64 = number.parse().map_err(|_| "expected a number".to_owned())?;
            let size = whole_number((number * 1024_f64.powi(power)).floor());
            let size = size.and_then(|n| u64::try_from(n).ok());
            return size.ok_or_else(|| "expected a size".to_owned());
        }
    }
    parse_size(text)
}

/// Parses a number with a decimal suffix, as in the C tool: `5000000`, `5M`, `0.5g`. The C tool ignores text after the suffix. Here, only
/// `B` may follow (`500MB`, `5kb`).
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || "expected a number, optionally followed by K, M, G, T or P".to_owned();
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = text.get(digits.len()..).unwrap_or_default();
    let unit = match suffix.strip_suffix(['B', 'b']) {
        Some(unit) if !unit.is_empty() => unit,
        Some(_) | None => suffix,
    };
    let power = match unit {
        "" => 0,
        "k" | "K" => 3,
        "m" | "M" => 6,
        "g" | "G" => 9,
        "t" | "T" => 12,
        "p" | "P" => 15,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let size = whole_number(number * 10f64.powi(power));
    size.and_then(|n| u64::try_from(n).ok()).ok_or_else(wrong)
}

/// Parses `RULES`: an empty text, `cmip7`, `paged[,SIZE]`, or both with a comma between them.
pub(super) fn parse_cloud(text: &str) -> Result<CloudRules, String> {
    let mut rules = CloudRules::default();
    let mut words = text.split(',').filter(|_| !text.is_empty()).peekable();
    while let Some(word) = words.next() {
        match word {
            "cmip7" => rules.cmip7 = true,
            "paged" => {
                let size = words.next_if(|next| *next != "cmip7");
                rules.paged = Some(size.map(parse_page_size).transpose()?);
            }
            _ => return Err("expected cmip7, paged, or paged,SIZE".to_owned()),
        }
    }
    Ok(rules)
}

/// Parses `FROM=TO`.
pub(super) fn parse_prefix(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !from.is_empty() => Ok((from.to_owned(), to.to_owned())),
        Some(_) | None => Err("expected FROM=TO".to_owned()),
    }
}

fn parse_page_size(text: &str) -> Result<u64, String> {
    let size = parse_memory(text)?;
    match size.is_power_of_two() && (512..=1 << 30).contains(&size) {
        true => Ok(size),
        false => Err("expected a power of two from 512 to 1Gi as the size of pages".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_suffixes() {
        assert_eq!(parse_size("5000000"), Ok(5_000_000));
        assert_eq!(parse_size("1.5k"), Ok(1500));
        assert_eq!(parse_size("500MB"), Ok(500_000_000));
        assert_eq!(parse_size("5kb "), Ok(5000));
        assert_eq!(parse_size("1Gb"), Ok(1_000_000_000));
        assert_eq!(parse_size("2P"), Ok(2_000_000_000_000_000));
        for wrong in ["", "k", "5x", "-1", "5kk", "1e400", "5B", "5MBB", "5MB/s"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn levels_are_whole_numbers() {
        for level in ["5", "5.0", "5 ", "05", "+5"] {
            assert_eq!(parse_level(level), Ok(5), "{level}");
        }
        for wrong in ["", "10", "1s", "5.5", "-1", "5x"] {
            assert!(parse_level(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn memory_has_binary_suffixes_too() {
        assert_eq!(parse_memory("96M"), Ok(96_000_000));
        assert_eq!(parse_memory("96Mi"), Ok(96 << 20));
        assert_eq!(parse_memory("1.5GiB"), Ok(3 << 29));
        for wrong in ["", "Mi", "5xi", "-1Mi", "1MBB"] {
            assert!(parse_memory(wrong).is_err(), "{wrong}");
        }
    }
}
