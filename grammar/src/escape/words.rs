//! Texts in parts: characters behind a backslash do not divide them.

use super::unescape_name;

/// The parts of a text before and behind the first of a character.
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

/// A name without its escapes.
pub(crate) fn plain(text: &str) -> Vec<u8> {
    let mut out = vec![];
    unescape_name(text.as_bytes(), &mut out);
    out
}

/// A text without blanks at its end, but for one behind a backslash.
pub(crate) fn trim_end(text: &str) -> &str {
    let trimmed = text.trim_end_matches(' ');
    match trimmed.ends_with('\\') && trimmed.len() < text.len() {
        true => text.get(..=trimmed.len()).unwrap_or(text),
        false => trimmed,
    }
}
