//! Output of text from files.
//!
//! A name in a file may contain any bytes: it can move the cursor of a terminal, end a CDL comment, or reverse the text direction. All
//! output of file text (messages, notes, tables, comments) uses [`ShownText`], so that one module decides which characters are printed and
//! how the remaining characters are escaped.

mod address;
mod agreement;
mod control;

pub use address::{FRAGMENT_WORDS, ShownAddress, without_secrets};
pub use agreement::number_agreement;
pub use control::is_control;

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// Text from a file. Callers only get the escaped form: one line, with escapes for control characters.
///
/// ```
/// use netcdf_core::shown::ShownText;
///
/// assert_eq!(ShownText::new("è\n\u{9b}1m \u{202e}").to_string(), "è\\n\\x9b1m \\u202e");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShownText<'t> {
    text: &'t str,
    /// Maximum number of characters to print.
    most: usize,
    /// Whether line ends and tabs are kept.
    lines: bool,
}

impl<'t> ShownText<'t> {
    /// Escapes the whole text to one line.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            most: usize::MAX,
            lines: false,
        }
    }

    /// Returns the first `most` characters.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Keeps line ends, for own text that contains only escaped file text.
    #[must_use]
    pub fn lines(self) -> Self {
        Self {
            lines: true,
            ..self
        }
    }

    /// Returns whether the text is `other`.
    #[must_use]
    pub fn is(self, other: &str) -> bool {
        self.text == other
    }

    /// Returns whether the text contains `part`.
    #[must_use]
    pub fn contains(self, part: &str) -> bool {
        self.text.contains(part)
    }

    /// Returns whether the text starts with `part`.
    #[must_use]
    pub fn starts_with(self, part: &str) -> bool {
        self.text.starts_with(part)
    }

    /// Returns whether the text ends with `part`.
    #[must_use]
    pub fn ends_with(self, part: &str) -> bool {
        self.text.ends_with(part)
    }

    /// Returns the escaped text.
    #[must_use]
    pub fn text(self) -> Cow<'t, str> {
        let plain = !self.text.contains(is_control);
        match plain && self.text.len() <= self.most {
            true => Cow::Borrowed(self.text),
            false => Cow::Owned(self.to_string()),
        }
    }
}

impl fmt::Display for ShownText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, c) in self.text.chars().enumerate() {
            if n == self.most {
                return f.write_str("…");
            }
            match c {
                '\n' | '\t' if self.lines => f.write_char(c)?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                c if !is_control(c) => f.write_char(c)?,
                c if u32::from(c) < 0x100 => write!(f, "\\x{:02x}", u32::from(c))?,
                c => write!(f, "\\u{:04x}", u32::from(c))?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for ShownText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

impl From<ShownText<'_>> for String {
    fn from(shown: ShownText<'_>) -> Self {
        shown.to_string()
    }
}

impl From<ShownText<'_>> for Cow<'static, str> {
    fn from(shown: ShownText<'_>) -> Self {
        Cow::Owned(shown.to_string())
    }
}

impl<T: AsRef<str> + ?Sized> PartialEq<T> for ShownText<'_> {
    fn eq(&self, other: &T) -> bool {
        self.is(other.as_ref())
    }
}

/// Returns JSON on one line with only text characters. Control characters occur only in JSON strings, and are escaped there.
#[must_use]
pub fn json(line: &str) -> Cow<'_, str> {
    if !line.contains(is_control) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if is_control(c) {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_all_scripts_is_text() {
        let text = "größe 温度 температура درجة שלום ไทย 👩‍🔬 µ° \u{a0}„“ \u{200b}\u{200c}\u{200d}";
        assert_eq!(ShownText::new(text).to_string(), text);
        assert!(matches!(ShownText::new(text).text(), Cow::Borrowed(_)));
    }

    #[test]
    fn no_control_character_is_left() {
        let all: String = (0..0x3000)
            .chain(0xf000..0x1_1000)
            .filter_map(char::from_u32)
            .collect();
        let shown = ShownText::new(&all).to_string();
        assert!(!shown.contains(is_control));
        assert!(!shown.contains(char::is_control));
        let bidi =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{2029}\u{feff}";
        let shown = "\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069\\u2028\\u2029\\ufeff";
        assert_eq!(ShownText::new(bidi).text(), shown);
        assert_eq!(
            ShownText::new("\0\u{7f}\u{85}\u{9b}").text(),
            "\\x00\\x7f\\x85\\x9b"
        );
    }

    #[test]
    fn escaped_text_is_not_escaped_again() {
        let shown = ShownText::new("a\\\n\u{9b}").to_string();
        assert_eq!(ShownText::new(&shown).to_string(), shown);
    }

    #[test]
    fn lines_are_for_text_of_our_own() {
        let text = ShownText::new("a\n\tb\r\x1b");
        assert_eq!(text.lines().to_string(), "a\n\tb\\r\\x1b");
        assert_eq!(text.to_string(), "a\\n\\tb\\r\\x1b");
        assert_eq!(text.at_most(2).text(), "a\\n…");
        assert_eq!(ShownText::new("ab").at_most(2).text(), "ab");
    }

    #[test]
    fn json_stays_json() {
        assert_eq!(
            json("{\"a\": \"\u{9b}\u{202e}é\u{7f}\"}"),
            "{\"a\": \"\\u009b\\u202eé\\u007f\"}"
        );
        assert_eq!(json("{\"a\": \"é\"}"), "{\"a\": \"é\"}");
    }
}
