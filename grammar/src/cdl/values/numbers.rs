//! Lists of numbers: `ncgen` spends most of its time in this loop.

use super::element::{Element, Fit, expected};
use super::scan::{Expect, MARGIN, Scan, ScanStep};
use super::{Flat, ValueSink};
use crate::cdl::constant::Constant;
use crate::number::{literal, plain};
use netcdf_core::error::Result;
use netcdf_core::model::Endianness;
use std::ops::Range;

/// Batch size in stored bytes.
const PIECE: usize = 1 << 20;

/// Reads a list of numbers. Returns the number of elements.
///
/// # Errors
/// Returns errors of the source and of the sink.
pub(super) fn read<T: Element>(
    scan: &mut Scan<'_>,
    flat: &Flat,
    fill: T,
    sink: &mut dyn ValueSink,
) -> Result<u64> {
    // A value and its comma take at least two bytes of text.
    let most = scan.window.left() / 2 * size_of::<T>() as u64;
    let most = usize::try_from(most).unwrap_or(PIECE).min(PIECE);
    let mut numbers = NumberList {
        fill,
        out: Vec::with_capacity(most + MARGIN),
        done: 0,
        left: flat.limit,
        extra: None,
    };
    match flat.order {
        Endianness::Big => numbers.run::<true>(scan, sink)?,
        Endianness::Little => numbers.run::<false>(scan, sink)?,
    }
    numbers.flush(sink)?;
    if let Some(place) = numbers.extra {
        let what = format!(
            "the variable has only {} values; the rest is ignored",
            flat.limit
        );
        scan.problems.warning(place, what);
    }
    Ok(numbers.done)
}

struct NumberList<T> {
    fill: T,
    /// Stored form of the current batch.
    out: Vec<u8>,
    /// Number of elements in earlier batches.
    done: u64,
    /// Remaining number of elements in the variable.
    left: u64,
    /// The first excess value.
    extra: Option<Range<u64>>,
}

impl<T: Element> NumberList<T> {
    fn run<const BIG: bool>(
        &mut self,
        scan: &mut Scan<'_>,
        sink: &mut dyn ValueSink,
    ) -> Result<()> {
        loop {
            if scan.expect == Expect::Value {
                self.quickly::<BIG>(scan);
            }
            if self.out.len() >= PIECE {
                self.flush(sink)?;
            }
            if scan.window.text().len() < MARGIN {
                scan.window.refill()?;
            }
            match scan.token(|scan, constant, place| self.step::<BIG>(scan, constant, place))? {
                ScanStep::More => {}
                ScanStep::End => return Ok(()),
            }
        }
    }

    /// Reads plain numbers and commas in the window.
    #[inline]
    fn quickly<const BIG: bool>(&mut self, scan: &mut Scan<'_>) {
        let text = scan.window.text();
        let safe = if scan.window.is_last() {
            text.len()
        } else {
            text.len().saturating_sub(MARGIN)
        };
        let size = size_of::<T>();
        let room = (PIECE.saturating_sub(self.out.len()) / size).max(1);
        let room = usize::try_from(self.left).unwrap_or(room).min(room);
        let (mut at, mut count) = (0, 0);
        while at < safe && count < room {
            let start = at + blanks(text.get(at..).unwrap_or_default());
            let rest = text.get(start..).unwrap_or_default();
            if let Some(number) = plain(rest)
                && rest.get(number.len) == Some(&b',')
                && let Some(element) = T::plain(number)
            {
                put::<T, BIG>(element, &mut self.out);
                at = start + number.len + 1;
            } else if let Some((element, len)) = self.quick(rest) {
                put::<T, BIG>(element, &mut self.out);
                at = start + len;
            } else {
                break;
            }
            count += 1;
        }
        self.left -= count as u64;
        scan.window.advance(at);
    }

    /// Returns the element at the start of `rest`, if it is `_` or a fitting number without suffix, and its length including the comma.
    fn quick(&self, rest: &[u8]) -> Option<(T, usize)> {
        let (element, len) = self.number_or_fill(rest)?;
        let comma = len + blanks(rest.get(len..)?);
        (rest.get(comma) == Some(&b',')).then_some((element, comma + 1))
    }

    fn number_or_fill(&self, rest: &[u8]) -> Option<(T, usize)> {
        match rest {
            [b'0'..=b'9' | b'-' | b'.', ..] => {
                let (number, len) = literal(rest)?;
                let plain = matches!(rest.get(len), Some(b',' | b' ' | b'\n')) && len < MARGIN / 2;
                let last = rest.get(len.wrapping_sub(1));
                let suffix = last.is_some_and(u8::is_ascii_alphabetic);
                if !plain || suffix {
                    return None;
                }
                Some((T::exact(&number)?, len))
            }
            [b'_', b',' | b' ' | b'\n', ..] => Some((self.fill, 1)),
            _ => None,
        }
    }

    /// Handles any token.
    fn step<const BIG: bool>(
        &mut self,
        scan: &mut Scan<'_>,
        constant: &Constant<'_>,
        place: Range<u64>,
    ) -> ScanStep {
        let fit = match constant {
            Constant::Comma => return scan.comma(place),
            Constant::Open | Constant::Close => {
                scan.problems.error(place, expected(T::TYPE, constant));
                return ScanStep::End;
            }
            Constant::Fill => Fit::Exact(self.fill),
            Constant::Number(_) | Constant::Char(_) | Constant::String(_) => {
                T::from_constant(constant)
            }
            Constant::Opaque(_) | Constant::Nil | Constant::Name(_) => T::from_constant(constant),
        };
        if !scan.value(place.clone()) {
            return ScanStep::End;
        }
        if self.left == 0 {
            self.extra.get_or_insert(place);
            return ScanStep::More;
        }
        let element = match fit {
            Fit::Exact(element) => element,
            Fit::Lossy(element, why) => {
                scan.problems.warning(place, why);
                element
            }
            Fit::Not(why) => {
                scan.problems.error(place, why);
                if scan.problems.is_full() {
                    return ScanStep::End;
                }
                self.fill
            }
        };
        put::<T, BIG>(element, &mut self.out);
        self.left -= 1;
        ScanStep::More
    }

    fn flush(&mut self, sink: &mut dyn ValueSink) -> Result<()> {
        if !self.out.is_empty() {
            sink.bytes(self.done, &self.out)?;
            self.done += (self.out.len() / size_of::<T>()) as u64;
            self.out.clear();
        }
        Ok(())
    }
}

#[inline]
fn put<T: Element, const BIG: bool>(element: T, out: &mut Vec<u8>) {
    if BIG {
        element.put_big(out);
    } else {
        element.put_little(out);
    }
}

/// Returns the number of blanks at the start of `text`.
#[inline]
fn blanks(text: &[u8]) -> usize {
    // The most frequent case is one blank before a number.
    match text {
        [b' ', after, ..] if *after > b' ' => 1,
        _ => text
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r'))
            .count(),
    }
}
