//! Text of floating-point values.

use super::buffer::{self, BUFFER_LEN};
use super::common_precision;
use super::digits::{self, DigitText};
use super::shortest_digits;
use super::token::NumberToken;

/// Significant digits of a printed floating-point value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// A number of digits, as in C's `%.{n}g`; clamped to 1 to 20.
    Digits(u8),
    /// The fewest digits that read back as the same value.
    Exact,
}

/// The position of a printed floating-point value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatForm {
    /// A value in a data section, `%.{n}g`: `1`, `0.5`, `1e+30`, `NaNf`.
    Data,
    /// An attribute value in CDL, which shows its type: `%#.{n}g` without trailing zeros, and `f` for a float: `1.f`, `1.`, `1.e+30f`.
    Attribute,
    /// An attribute value in NcML: as in CDL without the `f`.
    Ncml,
}

/// The format of floating-point values, built once for many values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    precision: Precision,
    form: FloatForm,
    /// Number of digits of data values, or 0 for other positions and for the fewest digits.
    data_digits: u8,
}

/// The layout of finite values of one type in one format.
#[derive(Clone, Copy)]
struct FloatLayout {
    /// The smallest decimal exponent with an exponent part.
    limit: u32,
    point: bool,
    suffix: bool,
}

impl FloatFormat {
    /// Returns a format; digits are clamped to 1 to 20.
    #[must_use]
    pub const fn new(precision: Precision, form: FloatForm) -> Self {
        let precision = match precision {
            Precision::Digits(0) => Precision::Digits(1),
            Precision::Digits(21..) => Precision::Digits(20),
            Precision::Digits(_) | Precision::Exact => precision,
        };
        let data_digits = match (precision, form) {
            (Precision::Digits(count), FloatForm::Data) => count,
            (Precision::Digits(_) | Precision::Exact, _) => 0,
        };
        Self {
            precision,
            form,
            data_digits,
        }
    }

    /// Replaces the text of `token` with the text of `value`.
    #[inline]
    pub fn write_f32(&self, value: f32, token: &mut NumberToken) {
        if self.has_digits(common_precision::FLOAT_DIGITS)
            && common_precision::is_plain(value.into())
        {
            return token.write(|out| common_precision::seven(value.into(), out));
        }
        self.write_any_f32(value, token);
    }

    /// Replaces the text of `token` with the text of `value`.
    #[inline]
    pub fn write_f64(&self, value: f64, token: &mut NumberToken) {
        if self.has_digits(common_precision::DOUBLE_DIGITS) && common_precision::is_plain(value) {
            return token.write(|out| common_precision::fifteen(value, out));
        }
        self.write_any_f64(value, token);
    }

    /// Writes the text of `value` to the start of `out` and returns its length; see [`BUFFER_LEN`] for the bytes after it.
    #[inline]
    pub fn put_f32(&self, value: f32, out: &mut [u8; BUFFER_LEN]) -> usize {
        if !self.has_digits(common_precision::FLOAT_DIGITS) {
            return self.put_any_f32(value, out);
        }
        if common_precision::is_plain(value.into()) {
            common_precision::seven(value.into(), out)
        } else if value == 0.0 {
            put_zero(value.is_sign_negative(), out)
        } else {
            self.put_any_f32(value, out)
        }
    }

    /// Writes the text of `value` to the start of `out` and returns its length; see [`BUFFER_LEN`] for the bytes after it.
    #[inline]
    pub fn put_f64(&self, value: f64, out: &mut [u8; BUFFER_LEN]) -> usize {
        if !self.has_digits(common_precision::DOUBLE_DIGITS) {
            return self.put_any_f64(value, out);
        }
        if common_precision::is_plain(value) {
            common_precision::fifteen(value, out)
        } else if value == 0.0 {
            put_zero(value.is_sign_negative(), out)
        } else {
            self.put_any_f64(value, out)
        }
    }

    /// Returns whether data values have this number of digits, which has a fast path.
    #[inline]
    fn has_digits(&self, digits: u32) -> bool {
        u32::from(self.data_digits) == digits
    }

    #[inline(never)]
    fn put_any_f32(&self, value: f32, out: &mut [u8; BUFFER_LEN]) -> usize {
        let mut token = NumberToken::new();
        self.write_any_f32(value, &mut token);
        token.put_into(out)
    }

    #[inline(never)]
    fn put_any_f64(&self, value: f64, out: &mut [u8; BUFFER_LEN]) -> usize {
        let mut token = NumberToken::new();
        self.write_any_f64(value, &mut token);
        token.put_into(out)
    }

    #[inline(never)]
    fn write_any_f32(&self, value: f32, token: &mut NumberToken) {
        let wide = f64::from(value);
        if wide == 0.0 || !wide.is_finite() {
            return self.write_special(wide, true, token);
        }
        match self.precision {
            Precision::Digits(count) => self.write_digits(wide, u32::from(count), true, token),
            Precision::Exact => self.layout(common_precision::FLOAT_DIGITS, true).write(
                &shortest_digits::digits_f32(value.abs()),
                value < 0.0,
                token,
            ),
        }
    }

    #[inline(never)]
    fn write_any_f64(&self, value: f64, token: &mut NumberToken) {
        if value == 0.0 || !value.is_finite() {
            return self.write_special(value, false, token);
        }
        match self.precision {
            Precision::Digits(count) => self.write_digits(value, u32::from(count), false, token),
            Precision::Exact => self.layout(common_precision::DOUBLE_DIGITS, false).write(
                &shortest_digits::digits_f64(value.abs()),
                value < 0.0,
                token,
            ),
        }
    }

    #[inline]
    fn layout(&self, limit: u32, float: bool) -> FloatLayout {
        match self.form {
            FloatForm::Data => FloatLayout {
                limit,
                point: false,
                suffix: false,
            },
            FloatForm::Attribute => FloatLayout {
                limit,
                point: true,
                suffix: float,
            },
            FloatForm::Ncml => FloatLayout {
                limit,
                point: true,
                suffix: false,
            },
        }
    }

    #[inline]
    fn write_digits(&self, value: f64, precision: u32, float: bool, token: &mut NumberToken) {
        let magnitude = value.abs();
        let text = if precision <= digits::MAX_FAST {
            DigitText::new(digits::round(magnitude.to_bits(), precision), precision)
        } else {
            DigitText::scientific(magnitude, precision)
        };
        self.layout(precision, float)
            .write(&text, value < 0.0, token);
    }

    /// Returns the text of zeros, infinities and NaNs. Infinities and NaNs of type float have an `f` wherever CDL distinguishes types.
    #[cold]
    fn write_special(&self, value: f64, float: bool, token: &mut NumberToken) {
        let negative = value.is_sign_negative() && !value.is_nan();
        token.set(if negative { b"-" } else { b"" });
        let (text, suffix): (&[u8], bool) = match (value == 0.0, value.is_nan(), self.form) {
            (true, _, FloatForm::Data) => (b"0", false),
            (true, _, FloatForm::Attribute) => (b"0.", float),
            (true, _, FloatForm::Ncml) => (b"0.", false),
            (_, true, form) => (b"NaN", float && form != FloatForm::Ncml),
            (_, false, form) => (b"Infinity", float && form != FloatForm::Ncml),
        };
        token.push(text);
        token.push(if suffix { b"f" } else { b"" });
    }
}

#[inline]
fn put_zero(negative: bool, out: &mut [u8; BUFFER_LEN]) -> usize {
    let start = usize::from(negative);
    buffer::put::<0, 1>(out, 0, *b"-");
    buffer::put::<1, 1>(out, start, *b"0");
    buffer::end(out, start + 1)
}

impl FloatLayout {
    /// Formats C's `%g`: a plain decimal from 0.0001 up to `limit` digits before the point, otherwise an exponent of two or three digits.
    #[inline]
    fn write(self, text: &DigitText, negative: bool, token: &mut NumberToken) {
        token.put(0, *b"-");
        let start = usize::from(negative);
        let end = if text.exponent < -4
            || text.exponent >= i32::try_from(self.limit).unwrap_or(i32::MAX)
        {
            self.write_scientific(text, start, token)
        } else if text.exponent < 0 {
            token.put(start, *b"0.000000");
            let digits = start + 1 + text.exponent.unsigned_abs() as usize;
            put_digits(text, digits, digits + 1, token);
            digits + text.significant
        } else {
            self.write_plain(text, start, token)
        };
        token.put(end, *b"f");
        token.set_len(end + usize::from(self.suffix));
    }

    /// Writes digits with the point among or after them. Returns the end.
    #[inline]
    fn write_plain(self, text: &DigitText, start: usize, token: &mut NumberToken) -> usize {
        let whole = text.exponent.unsigned_abs() as usize + 1;
        let point = start + whole;
        put_digits(text, start, start + 1, token);
        if let Some(rest) = text.rest.checked_shr(8 * text.exponent.unsigned_abs()) {
            token.put(point + 1, rest.to_le_bytes());
            token.put(start + 18, text.tail.to_le_bytes());
        } else {
            // `first` and `rest` have fewer digits than the integer part.
            token.put(point + 1, (text.tail >> (8 * (whole - 17))).to_le_bytes());
        }
        token.put(point, *b".");
        if text.significant > whole {
            start + text.significant + 1
        } else {
            point + usize::from(self.point)
        }
    }

    /// Writes one digit, the point, the remaining digits and the exponent. Returns the end.
    #[inline]
    fn write_scientific(self, text: &DigitText, start: usize, token: &mut NumberToken) -> usize {
        let exponent = text.exponent.unsigned_abs();
        put_digits(text, start, start + 2, token);
        token.put(start + 1, *b".");
        let bare = text.significant == 1 && !self.point;
        let mark = if bare {
            start + 1
        } else {
            start + 1 + text.significant
        };
        token.put(mark, [b'e', if text.exponent < 0 { b'-' } else { b'+' }]);
        let [tens, ones] = [exponent / 10 % 10, exponent % 10].map(digit);
        if exponent < 100 {
            token.put(mark + 2, [tens, ones]);
            return mark + 4;
        }
        token.put(mark + 2, [digit(exponent / 100), tens, ones]);
        mark + 5
    }
}

/// Writes the first digit at `start` and the remaining digits from `next`.
#[inline]
fn put_digits(text: &DigitText, start: usize, next: usize, token: &mut NumberToken) {
    token.put(start, [text.first]);
    token.put(next, text.rest.to_le_bytes());
    token.put(next + 16, text.tail.to_le_bytes());
}

#[inline]
fn digit(value: u32) -> u8 {
    b'0' + u8::try_from(value % 10).unwrap_or_default()
}

#[cfg(test)]
mod tests;
