//! A scanner of blank-separated words and numbers, as lenient as `scanf`, which defines the accepted time units.

/// The unread part of a text.
#[derive(Clone, Copy)]
pub(super) struct TextScan<'a> {
    rest: &'a [u8],
}

impl<'a> TextScan<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// Skips leading white space of the C locale.
    pub(super) fn skip_space(&mut self) {
        while let Some((first, tail)) = self.rest.split_first() {
            if !is_space(*first) {
                break;
            }
            self.rest = tail;
        }
    }

    /// Reads exactly `expected`.
    pub(super) fn literal(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    /// Reads 1 to `max` bytes other than white space, after optional white space.
    pub(super) fn word(&mut self, max: usize) -> Option<&'a [u8]> {
        self.skip_space();
        let (word, tail) = split_while(self.rest, max, |byte| !is_space(byte));
        self.rest = tail;
        (!word.is_empty()).then_some(word)
    }

    /// Skips `count` bytes.
    pub(super) fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    /// Returns the unread text.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads `expected` in any letter case.
    pub(super) fn word_of_any_case(&mut self, expected: &[u8]) -> Option<()> {
        let start = self.rest.get(..expected.len())?;
        start
            .eq_ignore_ascii_case(expected)
            .then(|| self.advance(expected.len()))
    }

    /// Returns the number of digits that follow, after an optional sign.
    pub(super) fn digit_count(&self) -> usize {
        let mut scan = *self;
        scan.sign();
        scan.digits().map_or(0, <[u8]>::len)
    }

    /// Reads a decimal integer with an optional sign, after optional white space. Large numbers saturate.
    pub(super) fn integer(&mut self) -> Option<i64> {
        self.skip_space();
        let negative = self.sign();
        let digits = self.digits()?;
        let magnitude = digits.iter().fold(0_i64, |sum, digit| {
            sum.saturating_mul(10)
                .saturating_add(i64::from(digit.wrapping_sub(b'0')))
        });
        Some(if negative { -magnitude } else { magnitude })
    }

    /// Reads a decimal number with optional sign, fraction and exponent, after optional white space.
    pub(super) fn number(&mut self) -> Option<f64> {
        self.skip_space();
        let start = self.rest;
        self.sign();
        let whole = self.digits();
        let fraction = self.literal(b".").and_then(|()| self.digits());
        whole.or(fraction)?;
        let mut exponent = *self;
        if let Some(b'e' | b'E') = exponent.rest.first() {
            exponent.advance(1);
            exponent.sign();
            if exponent.digits().is_some() {
                *self = exponent;
            }
        }
        let length = start.len().saturating_sub(self.rest.len());
        let text = std::str::from_utf8(start.get(..length)?).ok()?;
        text.parse().ok()
    }

    fn sign(&mut self) -> bool {
        let sign = self.rest.first().copied();
        if matches!(sign, Some(b'-' | b'+')) {
            self.advance(1);
        }
        sign == Some(b'-')
    }

    /// Reads letters, possibly none.
    pub(super) fn letters(&mut self) -> &'a [u8] {
        let (letters, tail) = split_while(self.rest, usize::MAX, |byte| byte.is_ascii_alphabetic());
        self.rest = tail;
        letters
    }

    /// Reads decimal digits.
    pub(super) fn digits(&mut self) -> Option<&'a [u8]> {
        let (digits, tail) = split_while(self.rest, usize::MAX, |byte| byte.is_ascii_digit());
        self.rest = tail;
        (!digits.is_empty()).then_some(digits)
    }
}

fn split_while(text: &[u8], max: usize, keep: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let length = text
        .iter()
        .take(max)
        .take_while(|byte| keep(**byte))
        .count();
    text.split_at_checked(length).unwrap_or((text, &[]))
}

/// Returns whether a byte is white space in the C locale; unlike [`u8::is_ascii_whitespace`], this includes the vertical tab.
pub(super) fn is_space(byte: u8) -> bool {
    byte == 0x0b || byte.is_ascii_whitespace()
}

/// Returns the bytes before the first NUL.
#[must_use]
pub fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_space_or_limit() {
        let mut scan = TextScan::new(b" \x0b\tdays  since");
        assert_eq!(scan.word(63), Some(&b"days"[..]));
        assert_eq!(scan.word(3), Some(&b"sin"[..]));
        assert_eq!(scan.word(3), Some(&b"ce"[..]));
        assert_eq!(scan.word(3), None);
    }

    #[test]
    fn integers_take_signs_and_saturate() {
        assert_eq!(TextScan::new(b" -007x").integer(), Some(-7));
        assert_eq!(TextScan::new(b"+5").integer(), Some(5));
        assert_eq!(TextScan::new(b"-x").integer(), None);
        assert_eq!(TextScan::new(&[b'9'; 40]).integer(), Some(i64::MAX));
    }

    #[test]
    fn numbers_stop_where_they_end() {
        assert_eq!(TextScan::new(b"15.25Z").number(), Some(15.25));
        assert_eq!(TextScan::new(b".5").number(), Some(0.5));
        assert_eq!(TextScan::new(b"5.").number(), Some(5.0));
        assert_eq!(TextScan::new(b"1e1:").number(), Some(10.0));
        assert_eq!(TextScan::new(b"1ex").number(), Some(1.0));
        assert_eq!(TextScan::new(b".").number(), None);
        assert_eq!(TextScan::new(b"nan").number(), None);
    }
}
