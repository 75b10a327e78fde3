//! Control characters.

/// Returns whether a character must be escaped: it controls a terminal (U+0000 to U+001F, U+007F to U+009F), ends a line, changes the text
/// direction, or is a byte order mark. Letters, accents and symbols of all scripts are text.
#[must_use]
pub fn is_control(c: char) -> bool {
    match c {
        // Fast path for ASCII text.
        ' '..='~' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}
