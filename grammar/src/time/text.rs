//! Text of dates.

use super::Separator;
use super::calendar::{Date, SLACK_HOURS, truncate};

/// Tolerance for rounding errors in seconds and minutes: half a microsecond.
const SLACK_SECONDS: f64 = 0.5e-6;
const SLACK_MINUTES: f64 = SLACK_SECONDS / 60.0;

/// Appends `YYYY-`: years before 0 with a minus sign, years after 9999 with all digits.
pub(super) fn push_year(year: i64, out: &mut Vec<u8>) {
    if year < 0 {
        out.push(b'-');
    }
    push_padded(year.unsigned_abs(), 4, out);
    out.push(b'-');
}

/// Appends `MM-DD` and the time of day, if it is not midnight.
pub(super) fn push_date_and_time(date: &Date, separator: Separator, out: &mut Vec<u8>) {
    push_padded(date.month.unsigned_abs(), 2, out);
    out.push(b'-');
    push_padded(date.day.unsigned_abs(), 2, out);
    let time = TimeOfDay::new(date.hour);
    if time.is_midnight() {
        return;
    }
    out.push(match separator {
        Separator::Blank => b' ',
        Separator::T => b'T',
    });
    time.push(out);
}

/// Hours split into units; `second` is `Err` with all digits if it is not whole.
struct TimeOfDay {
    hour: u64,
    minute: u64,
    second: Result<u64, f64>,
}

impl TimeOfDay {
    fn new(hours: f64) -> Self {
        let (hour, rest) = split(hours, SLACK_HOURS);
        let (minute, rest) = split(60.0 * rest, SLACK_MINUTES);
        let seconds = 60.0 * rest;
        let (whole, rest) = split(seconds, SLACK_SECONDS);
        let second = if rest < SLACK_SECONDS {
            Ok(whole)
        } else {
            Err(seconds)
        };
        Self {
            hour,
            minute,
            second,
        }
    }

    fn is_midnight(&self) -> bool {
        self.hour == 0 && self.minute == 0 && self.second == Ok(0)
    }

    /// Appends the shortest sufficient form of `HH`, `HH:MM`, `HH:MM:SS` and `HH:MM:S.ffffff`. Fractional seconds have no leading zero.
    fn push(&self, out: &mut Vec<u8>) {
        push_padded(self.hour, 2, out);
        if self.minute == 0 && self.second == Ok(0) {
            return;
        }
        out.push(b':');
        push_padded(self.minute, 2, out);
        match self.second {
            Ok(0) => {}
            Ok(second) => {
                out.push(b':');
                push_padded(second, 2, out);
            }
            Err(second) => out.extend_from_slice(format!(":{second:.6}").as_bytes()),
        }
    }
}

/// Returns the integer part of a value that may be low by `slack`, and the remainder.
fn split(value: f64, slack: f64) -> (u64, f64) {
    let whole = truncate(value + slack);
    (whole.unsigned_abs(), value - whole as f64)
}

fn push_padded(number: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut rest = number;
    let mut used = 0_usize;
    for place in digits.iter_mut().rev() {
        if rest == 0 && used >= width {
            break;
        }
        // A remainder of ten fits any type.
        *place = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        used += 1;
    }
    let start = digits.len().saturating_sub(used);
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}
