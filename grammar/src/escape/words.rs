//! Splitting of texts at unescaped characters.

use super::unescape_name;

/// Splits a text at the first unescaped character `at`.
pub(crate) fn split_once(text: &str, at: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    let found = text.char_indices().find(|(_, c)| {
        let here = *c == at && !escaped;
        escaped = *c == '\\' && !escaped;
        here
    });
    let (place, c) = found?;
    let (before, behind) = text.split_at_checked(place)?;
    Some((before, behind.get(c.len_utf8()..)?))
}

/// Returns a name without escapes.
pub(crate) fn plain(text: &str) -> Vec<u8> {
    let mut out = vec![];
    unescape_name(text.as_bytes(), &mut out);
    out
}

/// Removes trailing blanks, except for an escaped blank.
pub(crate) fn trim_end(text: &str) -> &str {
    let trimmed = text.trim_end_matches(' ');
    match trimmed.ends_with('\\') && trimmed.len() < text.len() {
        true => text.get(..=trimmed.len()).unwrap_or(text),
        false => trimmed,
    }
}
