//! Reads items of a data list one by one, for numbers and texts.

use std::ops::Range;

use super::problems::Problems;
use super::window::SourceWindow;
use crate::cdl::constant::{Constant, ConstantToken, LexErrorKind, Lexer};
use netcdf_core::error::Result;

/// Maximum length of a number for the fast path.
pub(super) const MARGIN: usize = 512;

/// The expected next token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expect {
    /// A value: at the start of the list, or after a comma.
    Value,
    /// A comma or the end: after a value.
    Comma,
}

/// A data list in reading.
pub(super) struct Scan<'a> {
    pub(super) window: SourceWindow<'a>,
    pub(super) problems: &'a mut Problems,
    pub(super) expect: Expect,
    /// Number of open braces.
    pub(super) depth: usize,
}

/// The result of a step.
pub(super) enum ScanStep {
    /// More tokens may follow.
    More,
    /// The list has ended, or is unreadable from here.
    End,
}

impl<'a> Scan<'a> {
    pub(super) fn new(window: SourceWindow<'a>, problems: &'a mut Problems) -> Self {
        Self {
            window,
            problems,
            expect: Expect::Value,
            depth: 0,
        }
    }

    /// Returns the next token and its byte range in the source. The token is `None` at the end of the list, and after a lexer error, which
    /// is reported and ends the list.
    ///
    /// # Errors
    /// Returns errors of the source.
    pub(super) fn take(&mut self) -> Result<Option<(Option<Owned>, Range<u64>)>> {
        let found = loop {
            let text = self.window.text();
            let found = Lexer::new(text, 0).next_token();
            let end = match &found {
                Ok(None) => text.len(),
                Ok(Some(token)) => token.range.end,
                Err(error) => error.range.end,
            };
            // A token at the end of the window may continue after it.
            let whole = end + MARGIN < text.len() || self.window.is_last();
            let found = found.map(|token| token.map(Owned::new));
            if whole || !self.window.refill()? {
                break found;
            }
        };
        let at = self.window.position();
        Ok(match found {
            Ok(None) => {
                let end = at.saturating_add(self.window.text().len() as u64);
                Some((None, end..end))
            }
            Ok(Some(token)) => {
                let place = absolute(at, &token.range);
                self.window.advance(token.range.end);
                Some((Some(token), place))
            }
            Err(error) => {
                self.lex_error(error.kind, absolute(at, &error.range));
                None
            }
        })
    }

    /// Passes the next token to `step`, with its byte range in the source.
    ///
    /// # Errors
    /// Returns errors of the source.
    pub(super) fn token(
        &mut self,
        step: impl FnOnce(&mut Self, &Constant<'_>, Range<u64>) -> ScanStep,
    ) -> Result<ScanStep> {
        Ok(match self.take()? {
            Some((Some(token), place)) => token.with(|constant| step(self, constant, place)),
            Some((None, place)) => self.finish(place),
            None => ScanStep::End,
        })
    }

    #[cold]
    fn lex_error(&mut self, kind: LexErrorKind, place: Range<u64>) {
        self.problems.error(place, kind.to_string());
    }

    /// Checks that the list may end here.
    fn finish(&mut self, end: Range<u64>) -> ScanStep {
        if self.depth > 0 {
            self.problems
                .error(end, "expected `}`, found the end of the list");
        } else if self.expect == Expect::Value {
            self.problems
                .error(end, "expected a value, found the end of the list");
        }
        ScanStep::End
    }

    /// Checks that a value is allowed here.
    pub(super) fn value(&mut self, place: Range<u64>) -> bool {
        let fine = self.expect == Expect::Value;
        if !fine {
            self.problems.error(place, "expected `,` or `;`");
        }
        self.expect = Expect::Comma;
        fine
    }

    /// Handles a comma.
    pub(super) fn comma(&mut self, place: Range<u64>) -> ScanStep {
        if self.expect == Expect::Value {
            self.problems.error(place, "expected a value, found `,`");
            return ScanStep::End;
        }
        self.expect = Expect::Value;
        ScanStep::More
    }
}

/// A token that does not borrow from the window. The constant has no text: see [`Owned::with`].
pub(super) struct Owned {
    pub(super) constant: Constant<'static>,
    text: Vec<u8>,
    range: Range<usize>,
}

impl Owned {
    /// Copies the text that the token borrows.
    fn new(token: ConstantToken<'_>) -> Self {
        let (constant, text): (Constant<'static>, &[u8]) = match token.constant {
            Constant::Number(number) => (Constant::Number(number), b""),
            Constant::Char(byte) => (Constant::Char(byte), b""),
            Constant::String(text) => (Constant::String(b""), text),
            Constant::Opaque(text) => (Constant::Opaque(b""), text),
            Constant::Fill => (Constant::Fill, b""),
            Constant::Nil => (Constant::Nil, b""),
            Constant::Name(text) => (Constant::Name(b""), text),
            Constant::Open => (Constant::Open, b""),
            Constant::Close => (Constant::Close, b""),
            Constant::Comma => (Constant::Comma, b""),
        };
        Self {
            constant,
            text: text.to_vec(),
            range: token.range,
        }
    }

    /// Passes the token to `take`, with its text.
    pub(super) fn with<R>(&self, take: impl FnOnce(&Constant<'_>) -> R) -> R {
        take(&match self.constant {
            Constant::String(_) => Constant::String(&self.text),
            Constant::Opaque(_) => Constant::Opaque(&self.text),
            Constant::Name(_) => Constant::Name(&self.text),
            other => other,
        })
    }
}

/// Converts a byte range of the window, which begins at `at`, to a range in the source.
fn absolute(at: u64, range: &Range<usize>) -> Range<u64> {
    at.saturating_add(range.start as u64)..at.saturating_add(range.end as u64)
}
