//! Lists of characters and strings for char variables.
//!
//! Strings and runs of character constants are padded to a multiple of the last dimension's length, then joined.

use std::ops::Range;

use super::element::describe;
use super::scan::{Expect, Scan, ScanStep};
use super::{Flat, ValueSink};
use crate::cdl::constant::{Constant, skip_blanks};
use crate::escape::unescape_text;
use crate::number::{Literal, Suffix};
use netcdf_core::error::Result;

/// Batch size in bytes.
const PIECE: usize = 1 << 20;

/// Reads a list for a char variable. Returns the number of elements.
///
/// # Errors
/// Returns errors of the source and of the sink.
pub(super) fn read(
    scan: &mut Scan<'_>,
    flat: &Flat,
    fill: u8,
    sink: &mut dyn ValueSink,
) -> Result<u64> {
    let mut chars = Chars {
        flat,
        fill,
        sink,
        out: Vec::new(),
        done: 0,
        length: None,
        run: false,
        begin: scan.window.position(),
        too_long: false,
    };
    chars.read(scan)?;
    chars.end_constant(scan)?;
    chars.flush()?;
    Ok(chars.done)
}

struct Chars<'a> {
    flat: &'a Flat,
    fill: u8,
    sink: &'a mut dyn ValueSink,
    /// Characters of the current batch.
    out: Vec<u8>,
    /// Number of characters in earlier batches.
    done: u64,
    /// Length of the current constant or character run before padding.
    length: Option<u64>,
    /// Whether the constant is a run of character constants, which may continue.
    run: bool,
    /// The position of this constant in the source.
    begin: u64,
    /// Whether an error about too many characters was reported.
    too_long: bool,
}

impl Chars<'_> {
    fn read(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        loop {
            let step = if self.at_string(scan)? {
                self.string(scan)?
            } else {
                let mut failed = Ok(());
                let step = scan.token(|scan, constant, place| {
                    self.step(scan, constant, place).unwrap_or_else(|error| {
                        failed = Err(error);
                        ScanStep::End
                    })
                })?;
                failed?;
                step
            };
            match step {
                ScanStep::More => {}
                ScanStep::End => return Ok(()),
            }
        }
    }

    /// Skips blanks and comments. Returns whether a string begins.
    fn at_string(&mut self, scan: &mut Scan<'_>) -> Result<bool> {
        loop {
            let text = scan.window.text();
            // The lexer reports an unterminated comment.
            let Ok(at) = skip_blanks(text, 0) else {
                return Ok(false);
            };
            if at + 1 < text.len() || scan.window.is_last() {
                let string = text.get(at) == Some(&b'"');
                scan.window.advance(at);
                return Ok(string);
            }
            scan.window.refill()?;
        }
    }

    /// Reads a string constant in fragments, because it may be as long as the variable.
    fn string(&mut self, scan: &mut Scan<'_>) -> Result<ScanStep> {
        let begin = scan.window.position();
        if !scan.value(begin..begin + 1) {
            return Ok(ScanStep::End);
        }
        self.begin_constant(scan, begin, false)?;
        scan.window.advance(1);
        let mut bytes = Vec::new();
        loop {
            let text = scan.window.text();
            let plain = memchr::memchr2(b'"', b'\\', text).unwrap_or(text.len());
            bytes.extend_from_slice(text.get(..plain).unwrap_or_default());
            scan.window.advance(plain);
            scan.window.ensure(4)?;
            match scan.window.text() {
                [b'"', ..] => {
                    self.push(scan, &bytes)?;
                    scan.window.advance(1);
                    return Ok(ScanStep::More);
                }
                escape @ [b'\\', letter, ..] => {
                    let len = if matches!(letter, b'x' | b'0'..=b'7') {
                        4
                    } else {
                        2
                    };
                    let escape = escape.get(..len).unwrap_or(escape);
                    if let Err(error) = unescape_text(escape, &mut bytes) {
                        let at = scan.window.position();
                        scan.problems.error(at..at + 1, error.to_string());
                    }
                    let len = escape.len();
                    scan.window.advance(len);
                }
                [] | [b'\\'] => {
                    let what = "the string has no closing quote";
                    scan.problems.error(begin..begin + 1, what);
                    return Ok(ScanStep::End);
                }
                _ => {}
            }
            if bytes.len() >= PIECE {
                self.push(scan, &bytes)?;
                bytes.clear();
            }
        }
    }

    /// Handles a token other than a string.
    fn step(
        &mut self,
        scan: &mut Scan<'_>,
        constant: &Constant<'_>,
        place: Range<u64>,
    ) -> Result<ScanStep> {
        let byte = match constant {
            Constant::Comma => return Ok(scan.comma(place)),
            Constant::Open => return Ok(self.open(scan, place)),
            Constant::Close => return Ok(close(scan, place)),
            Constant::Char(byte) => Some(*byte),
            Constant::Number(number) => byte_constant(number),
            Constant::Fill => Some(self.fill),
            Constant::String(_) | Constant::Opaque(_) | Constant::Nil | Constant::Name(_) => None,
        };
        if !scan.value(place.clone()) {
            return Ok(ScanStep::End);
        }
        let Some(byte) = byte else {
            let found = describe(constant);
            let what = format!("expected a string or a character constant, found {found}");
            scan.problems.error(place, what);
            return Ok(if scan.problems.is_full() {
                ScanStep::End
            } else {
                ScanStep::More
            });
        };
        let single = matches!(constant, Constant::Fill);
        if !self.run || single {
            self.begin_constant(scan, place.start, !single)?;
        }
        self.push(scan, &[byte])?;
        Ok(ScanStep::More)
    }

    /// Handles a brace around rows, which is allowed but has no meaning.
    fn open(&mut self, scan: &mut Scan<'_>, place: Range<u64>) -> ScanStep {
        if scan.expect != Expect::Value {
            scan.problems.error(place, "expected `,` or `;`, found `{`");
            return ScanStep::End;
        }
        if scan.depth + 1 >= self.flat.rank {
            let what = "expected a string or a character constant, found `{`";
            scan.problems.error(place, what);
            return ScanStep::End;
        }
        scan.depth += 1;
        ScanStep::More
    }

    fn begin_constant(&mut self, scan: &mut Scan<'_>, begin: u64, run: bool) -> Result<()> {
        self.end_constant(scan)?;
        self.length = Some(0);
        self.run = run;
        self.begin = begin;
        Ok(())
    }

    /// Pads the last constant.
    fn end_constant(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let Some(length) = self.length.take() else {
            return Ok(());
        };
        let unit = self.flat.unit.max(1);
        // ncdump writes an empty string after a newline that is the last character of the variable.
        let closing = self.flat.rank == 1 && self.stored() >= self.flat.limit;
        // An empty string is a whole row, but not a separate record.
        let missing = if length == 0 {
            if self.flat.unit == 0 || closing {
                0
            } else {
                unit
            }
        } else {
            (unit - length % unit) % unit
        };
        self.run = false;
        self.fill_up(scan, missing)
    }

    /// Stores fill characters without iterating, because the number may be large.
    fn fill_up(&mut self, scan: &mut Scan<'_>, missing: u64) -> Result<()> {
        if missing < PIECE as u64 {
            let count = usize::try_from(missing).unwrap_or(0);
            return self.store(scan, &vec![self.fill; count]);
        }
        let room = self.flat.limit.saturating_sub(self.stored());
        if missing > room {
            self.say_too_long(scan);
        }
        self.flush()?;
        let count = missing.min(room);
        self.sink.repeat(self.done, self.fill, count)?;
        self.done += count;
        Ok(())
    }

    fn say_too_long(&mut self, scan: &mut Scan<'_>) {
        if std::mem::replace(&mut self.too_long, true) {
            return;
        }
        let what = format!(
            "the list has more characters than the variable: {}",
            self.flat.limit
        );
        scan.problems.error(self.begin..self.begin + 1, what);
    }

    fn push(&mut self, scan: &mut Scan<'_>, bytes: &[u8]) -> Result<()> {
        if let Some(length) = &mut self.length {
            *length = length.saturating_add(bytes.len() as u64);
        }
        self.store(scan, bytes)
    }

    /// Returns the number of characters so far.
    fn stored(&self) -> u64 {
        self.done.saturating_add(self.out.len() as u64)
    }

    fn store(&mut self, scan: &mut Scan<'_>, bytes: &[u8]) -> Result<()> {
        let room =
            usize::try_from(self.flat.limit.saturating_sub(self.stored())).unwrap_or(usize::MAX);
        if bytes.len() > room {
            self.say_too_long(scan);
        }
        let part = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        self.out.extend_from_slice(part);
        if self.out.len() >= PIECE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if !self.out.is_empty() {
            self.sink.bytes(self.done, &self.out)?;
            self.done += self.out.len() as u64;
            self.out.clear();
        }
        Ok(())
    }
}

fn close(scan: &mut Scan<'_>, place: Range<u64>) -> ScanStep {
    if scan.depth == 0 || scan.expect != Expect::Comma {
        scan.problems.error(place, "unexpected `}`");
        return ScanStep::End;
    }
    scan.depth -= 1;
    ScanStep::More
}

/// Returns the byte of a number with a byte suffix. All other numbers are not characters.
pub(in crate::cdl) fn byte_constant(number: &Literal) -> Option<u8> {
    match number {
        Literal::Integer(integer, Suffix::Byte | Suffix::UByte) => {
            let value = integer.value()?;
            let signed = i8::try_from(value).map(i8::cast_unsigned);
            signed.or_else(|_| u8::try_from(value)).ok()
        }
        Literal::Integer(..) | Literal::Float(_) | Literal::Double(_) => None,
    }
}
