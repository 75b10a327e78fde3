//! Formatting of floating-point numbers: exact decimals, rounded half to even.

use super::{AttributeFloatFormat, ConvertedNumber, FloatConversion};

const DEFAULT_PRECISION: usize = 6;

impl AttributeFloatFormat {
    /// Appends a value; floats are passed as doubles. Values that are not finite become `inf` or `nan` as in `printf`; callers that write
    /// CDL must handle these values before the call.
    pub fn write(&self, value: f64, out: &mut Vec<u8>) {
        let magnitude = value.abs();
        let mut digits = if magnitude.is_nan() {
            "nan".to_owned()
        } else if magnitude.is_infinite() {
            "inf".to_owned()
        } else {
            self.digits(magnitude)
        };
        if self.upper {
            digits.make_ascii_uppercase();
        }
        let number = ConvertedNumber {
            prefix: self.spec.sign(value.is_sign_negative()).to_owned(),
            digits,
            zero_padding: value.is_finite(),
        };
        self.spec.write(&number, out);
    }

    fn digits(&self, magnitude: f64) -> String {
        let precision = self.spec.precision.unwrap_or(DEFAULT_PRECISION);
        let point = self.spec.flags.alternative;
        match self.conversion {
            FloatConversion::Exponent => exponent(magnitude, precision, point),
            FloatConversion::Fixed => fixed(magnitude, precision, point),
            FloatConversion::General => general(magnitude, precision.max(1), point),
        }
    }
}

/// Formats `%f`. With `point`, the point stays even if no digit follows.
fn fixed(magnitude: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{magnitude:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

/// Formats `%e`: the exponent has a sign and at least two digits.
fn exponent(magnitude: f64, precision: usize, point: bool) -> String {
    let (mut text, exponent) = scientific(magnitude, precision);
    if point && precision == 0 {
        text.push('.');
    }
    push_exponent(&mut text, exponent);
    text
}

/// Formats `%g` with at least one significant digit. Without `point`, trailing zeros are dropped.
fn general(magnitude: f64, significant: usize, point: bool) -> String {
    let (mantissa, exponent) = scientific(magnitude, significant - 1);
    let after = i64::try_from(significant).unwrap_or(i64::MAX) - 1 - exponent;
    match usize::try_from(after) {
        Ok(precision) if exponent >= -4 => {
            let text = fixed(magnitude, precision, point);
            if point { text } else { without_zeros(text) }
        }
        _ => {
            let mut text = if point {
                mantissa
            } else {
                without_zeros(mantissa)
            };
            if point && significant == 1 {
                text.push('.');
            }
            push_exponent(&mut text, exponent);
            text
        }
    }
}

/// Returns the mantissa `d.ddd` with `precision` digits after the point, and the decimal exponent.
fn scientific(magnitude: f64, precision: usize) -> (String, i64) {
    let text = format!("{magnitude:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

fn push_exponent(text: &mut String, exponent: i64) {
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("e{sign}{:02}", exponent.abs()));
}

fn without_zeros(text: String) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
