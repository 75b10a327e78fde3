//! Skips syntax that can hide significant bytes: blanks, comments, strings, character constants and escaped characters.

use netcdf_core::Result;

use super::Splitter;
use super::piece::Unfinished;
use crate::diagnostic::Anchor;
use crate::escape::char_constant;

impl Splitter<'_> {
    /// Skips blanks and comments. Returns the position of an unterminated comment.
    pub(super) fn skip_blanks(&mut self) -> Result<Option<Anchor>> {
        loop {
            let rest = self.window.rest()?;
            let blanks = rest
                .iter()
                .take_while(|b| matches!(b, b' ' | b'\n' | b'\r' | b'\t' | 0x0c));
            let blanks = blanks.count();
            match rest.get(blanks) {
                None if rest.is_empty() => return Ok(None),
                None => self.window.pass_all(),
                Some(b'/') => {
                    self.window.pass(blanks);
                    if !self
                        .window
                        .ahead(2)?
                        .get(1)
                        .is_some_and(|b| matches!(b, b'/' | b'*'))
                    {
                        return Ok(None);
                    }
                    if let Some((_, place)) = self.skip_quoted(b'/')? {
                        return Ok(Some(place));
                    }
                }
                Some(_) => {
                    self.window.pass(blanks);
                    return Ok(None);
                }
            }
        }
    }

    /// Skips a string, a character constant, a comment or an escaped character. Returns the kind and position of an unterminated construct.
    pub(super) fn skip_quoted(&mut self, mark: u8) -> Result<Option<(Unfinished, Anchor)>> {
        let start = self.position();
        let ahead = self.window.ahead(6)?;
        match (mark, ahead) {
            (b'"', _) => Ok((!self.skip_string()?).then_some((Unfinished::String, start))),
            (b'/', [_, b'/', ..]) => {
                self.find(|rest| memchr::memchr(b'\n', rest))?;
                Ok(None)
            }
            (b'/', [_, b'*', ..]) => {
                self.window.pass(2);
                Ok((!self.skip_comment()?).then_some((Unfinished::Comment, start)))
            }
            _ => {
                let len = match mark {
                    b'\'' => char_constant(ahead).map_or(1, |(_, len)| len),
                    b'\\' => 2,
                    _ => 1,
                };
                let len = len.min(ahead.len());
                self.window.pass(len);
                Ok(None)
            }
        }
    }

    /// Skips to the byte that `search` finds. Returns false at the end of the text.
    pub(super) fn find(&mut self, search: impl Fn(&[u8]) -> Option<usize>) -> Result<bool> {
        loop {
            let rest = self.window.rest()?;
            match search(rest) {
                _ if rest.is_empty() => return Ok(false),
                None => self.window.pass_all(),
                Some(before) => {
                    self.window.pass(before);
                    return Ok(true);
                }
            }
        }
    }

    fn skip_string(&mut self) -> Result<bool> {
        self.window.pass(1);
        while self.find(|rest| memchr::memchr2(b'"', b'\\', rest))? {
            let escape = self.window.ahead(2)?.first() == Some(&b'\\');
            self.window.pass(if escape { 2 } else { 1 });
            if !escape {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn skip_comment(&mut self) -> Result<bool> {
        while self.find(|rest| memchr::memchr(b'*', rest))? {
            let end = self.window.ahead(2)?.get(1) == Some(&b'/');
            self.window.pass(if end { 2 } else { 1 });
            if end {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
