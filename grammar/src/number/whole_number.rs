//! Whole numbers on command lines, as the C tools read them.

/// Returns the text of a whole number without surrounding blanks and without zeros after the decimal point: `5` for `5.0` and for `5 `. The
/// C tools read the digits and ignore all text after them. This function keeps other text after the digits, so that the caller rejects it:
/// it may be a typing error (`1s`, `2.5`).
#[must_use]
pub fn trimmed(text: &str) -> &str {
    let text = text.trim();
    match text.split_once('.') {
        Some((whole, zeros)) if !whole.is_empty() && zeros.bytes().all(|b| b == b'0') => whole,
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_and_zeros_are_ignored() {
        for (text, want) in [
            ("5", "5"),
            ("5.0", "5"),
            ("5.", "5"),
            (" 5 ", "5"),
            ("5.00 ", "5"),
            ("2.5", "2.5"),
            ("5x", "5x"),
            (".0", ".0"),
            ("1s", "1s"),
            ("", ""),
        ] {
            assert_eq!(trimmed(text), want, "{text}");
        }
    }
}
