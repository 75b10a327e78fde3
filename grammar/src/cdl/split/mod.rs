//! Splits CDL into statements without parsing them.
//!
//! The splitter recognises the syntax that can hide a `;`: strings, character constants, comments and escaped names. It returns
//! declarations one by one, so that parsing only needs memory for the longest declaration. It skips data lists without parsing their
//! values.

mod list;
mod piece;
mod skip;
#[cfg(test)]
mod tests;
mod window;

pub use piece::{
    CdlPiece, CdlPieceKind, GroupSection, ListPosition, Statement, StatementEnd, Unfinished,
};

use netcdf_core::Result;
use netcdf_core::io::Source;

use crate::diagnostic::Anchor;
use window::TextWindow;

/// Keywords before a colon.
pub const KEYWORDS: [&str; 5] = ["types", "dimensions", "variables", "data", "group"];

/// A keyword before a colon, as opposed to a variable name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Section(GroupSection),
    Group,
}

impl Keyword {
    const ALL: [Self; 5] = [
        Self::Section(GroupSection::Types),
        Self::Section(GroupSection::Dimensions),
        Self::Section(GroupSection::Variables),
        Self::Section(GroupSection::Data),
        Self::Group,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Section(section) => section.name(),
            Self::Group => "group",
        }
    }

    /// Returns the keyword at the end of `text`, unless it is the end of a longer name.
    fn at_end(text: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|keyword| {
            let before = text.strip_suffix(keyword.name().as_bytes());
            before.is_some_and(|b| !ends_in_name(b))
        })
    }
}

/// Returns whether `text` ends within a name or a path. Any escaped character is part of a name.
fn ends_in_name(text: &[u8]) -> bool {
    let Some((&last, before)) = text.split_last() else {
        return false;
    };
    let escapes = before.iter().rev().take_while(|&&b| b == b'\\').count();
    continues_name(last) || last == b'/' || escapes % 2 == 1
}

/// Significant bytes in declarations.
const MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let bytes = b";{}\"'/\\=:";
    let mut i = 0;
    while i < bytes.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            marks[bytes[i] as usize] = true;
        }
        i += 1;
    }
    marks
};

fn marked(byte: u8) -> bool {
    MARKS.get(usize::from(byte)).copied().unwrap_or(false)
}

/// Returns whether a name can continue with this byte, including the backslash of an escape.
pub(in crate::cdl) fn continues_name(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'@' | b'+' | b'-' | b'%' | b'\\' | 0x80..)
}

/// The CDL splitter; see the module documentation.
#[derive(Debug)]
pub struct Splitter<'s> {
    window: TextWindow<'s>,
    text: Vec<u8>,
    data: bool,
    /// Variable names that are also keywords.
    names: Vec<&'static str>,
}

/// A statement being scanned.
struct StatementScan {
    start: Anchor,
    depth: u32,
    body: bool,
    equals: Option<usize>,
    colon: Option<usize>,
}

/// The action after a significant byte.
enum AfterMark {
    On,
    Done(CdlPieceKind),
}

impl<'s> Splitter<'s> {
    /// Returns a splitter at the start of `source`.
    #[must_use]
    pub fn new(source: &'s dyn Source) -> Self {
        let window = TextWindow::new(source);
        Self {
            window,
            text: vec![],
            data: false,
            names: vec![],
        }
    }

    /// Returns the text of the last piece.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Sets whether the next pieces are data lists.
    pub fn in_data(&mut self, data: bool) {
        self.data = data;
    }

    /// Sets the variable names of the group that are also section keywords: with such a variable, `data:units` is an attribute of the
    /// variable `data`.
    pub fn set_names(&mut self, names: Vec<&'static str>) {
        self.names = names;
    }

    /// Returns the position of the next piece, or of blanks before it.
    #[must_use]
    pub fn position(&self) -> Anchor {
        Anchor {
            offset: self.window.at(),
            line: self.window.line(),
        }
    }

    /// Reads the head of the dataset: `netcdf`, the name, `{`. The text is the part between the two tokens. The result is an error if the
    /// head is incomplete.
    ///
    /// # Errors
    /// Returns errors of the source.
    pub fn head(&mut self) -> Result<std::result::Result<Anchor, Anchor>> {
        self.text.clear();
        if self.window.ahead(3)?.starts_with(b"\xef\xbb\xbf") {
            self.window.pass(3);
        }
        if self.skip_blanks()?.is_some() {
            return Ok(Err(self.position()));
        }
        let start = self.position();
        let ahead = self.window.ahead(7)?;
        let word = ahead.get(..6).unwrap_or_default();
        let known = [&b"netcdf"[..], b"NETCDF", b"netCDF"].contains(&word);
        if !known
            || ahead
                .get(6)
                .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        {
            return Ok(Err(start));
        }
        self.window.pass(6);
        self.window.keep();
        let name = self.window.at();
        let found = self.find(|rest| memchr::memchr(b'{', rest))?;
        self.text.extend_from_slice(self.window.passed(name));
        self.window.forget();
        if !found {
            return Ok(Err(self.position()));
        }
        self.window.pass(1);
        Ok(Ok(start))
    }

    /// Returns the next piece.
    ///
    /// # Errors
    /// Returns errors of the source.
    pub fn next_piece(&mut self) -> Result<CdlPiece> {
        self.text.clear();
        let unfinished = self.skip_blanks()?;
        let start = self.position();
        if let Some(place) = unfinished {
            let end = StatementEnd::Unfinished(Unfinished::Comment, place);
            let kind = CdlPieceKind::Statement(Statement {
                equals: None,
                colon: None,
                end,
            });
            return Ok(CdlPiece { kind, start: place });
        }
        match self.window.rest()?.first() {
            None => {
                return Ok(CdlPiece {
                    kind: CdlPieceKind::End,
                    start,
                });
            }
            Some(b'}') => {
                self.window.pass(1);
                return Ok(CdlPiece {
                    kind: CdlPieceKind::GroupEnd,
                    start,
                });
            }
            Some(_) => self.window.keep(),
        }
        let kind = self.statement(start);
        self.window.forget();
        kind.map(|(kind, start)| CdlPiece { kind, start })
    }

    fn statement(&mut self, start: Anchor) -> Result<(CdlPieceKind, Anchor)> {
        let mut scan = StatementScan {
            start,
            depth: 0,
            body: false,
            equals: None,
            colon: None,
        };
        loop {
            let rest = self.window.rest()?;
            if rest.is_empty() {
                return Ok((self.finish(&scan, StatementEnd::Missing), scan.start));
            }
            let Some(plain) = rest.iter().position(|&b| marked(b)) else {
                self.window.pass_all();
                continue;
            };
            let mark = rest.get(plain).copied().unwrap_or(0);
            self.window.pass(plain);
            if let AfterMark::Done(kind) = self.mark(mark, &mut scan)? {
                return Ok((kind, scan.start));
            }
        }
    }

    /// Handles the significant byte at the position.
    fn mark(&mut self, mark: u8, scan: &mut StatementScan) -> Result<AfterMark> {
        let passed = self.window.passed(scan.start.offset).len();
        match mark {
            b'"' | b'\'' | b'/' | b'\\' => {
                if let Some((what, place)) = self.skip_quoted(mark)? {
                    return Ok(AfterMark::Done(
                        self.finish(scan, StatementEnd::Unfinished(what, place)),
                    ));
                }
                return Ok(AfterMark::On);
            }
            b':' => return self.colon(scan, passed),
            b'}' if scan.depth == 0 => {
                return Ok(AfterMark::Done(self.finish(scan, StatementEnd::Missing)));
            }
            b';' if scan.depth == 0 || !scan.body => {
                let kind = self.finish(scan, StatementEnd::Semicolon);
                self.window.pass(1);
                return Ok(AfterMark::Done(kind));
            }
            b'=' if scan.depth == 0 && scan.equals.is_none() => {
                scan.equals = Some(passed);
                if self.data && scan.colon.is_none() {
                    return self.list(scan).map(AfterMark::Done);
                }
            }
            b'{' => {
                scan.body |= scan.depth == 0 && scan.equals.is_none();
                scan.depth += 1;
            }
            b'}' => scan.depth -= 1,
            _ => {}
        }
        self.window.pass(1);
        if mark == b'}' && scan.depth == 0 && scan.body {
            return self.type_end(scan).map(AfterMark::Done);
        }
        Ok(AfterMark::On)
    }

    /// Returns the piece that ends before the position.
    fn finish(&mut self, scan: &StatementScan, end: StatementEnd) -> CdlPieceKind {
        self.text
            .extend_from_slice(self.window.passed(scan.start.offset));
        CdlPieceKind::Statement(Statement {
            equals: scan.equals,
            colon: scan.colon,
            end,
        })
    }

    /// Ends a type; the `;` after its body is optional.
    fn type_end(&mut self, scan: &StatementScan) -> Result<CdlPieceKind> {
        let kind = self.finish(scan, StatementEnd::Brace);
        let unfinished = self.skip_blanks()?;
        if unfinished.is_none() && self.window.rest()?.first() == Some(&b';') {
            self.window.pass(1);
        }
        Ok(kind)
    }

    /// Handles a colon; a keyword before it starts a section or group.
    fn colon(&mut self, scan: &mut StatementScan, passed: usize) -> Result<AfterMark> {
        let glued = self
            .window
            .ahead(2)?
            .get(1)
            .is_some_and(|&b| continues_name(b));
        let found = Keyword::at_end(self.window.passed(scan.start.offset));
        let found = found.filter(|keyword| !(glued && self.names.contains(&keyword.name())));
        let Some(keyword) = found else {
            if scan.equals.is_none() && scan.depth == 0 {
                scan.colon.get_or_insert(passed);
            }
            self.window.pass(1);
            return Ok(AfterMark::On);
        };
        if passed > keyword.name().len() {
            let before = self.window.at() - keyword.name().len() as u64;
            self.window.back(before);
            return Ok(AfterMark::Done(self.finish(scan, StatementEnd::Missing)));
        }
        self.window.pass(1);
        match keyword {
            Keyword::Section(section) => Ok(AfterMark::Done(CdlPieceKind::Section(section))),
            Keyword::Group => self.group(scan).map(AfterMark::Done),
        }
    }

    /// Reads a group name up to `{`.
    fn group(&mut self, scan: &mut StatementScan) -> Result<CdlPieceKind> {
        self.skip_blanks()?;
        scan.start = self.position();
        loop {
            let rest = self.window.rest()?;
            let stop = |b: &u8| matches!(b, b'{' | b'}' | b';' | b'=' | b'\\' | b'/');
            match rest.iter().position(stop).map(|i| (i, rest.get(i))) {
                None if rest.is_empty() => return Ok(self.finish(scan, StatementEnd::Missing)),
                None => self.window.pass_all(),
                Some((plain, Some(b'\\'))) => {
                    self.window.pass(plain);
                    self.skip_quoted(b'\\')?;
                }
                Some((plain, Some(b'/'))) => {
                    self.window.pass(plain);
                    self.skip_quoted(b'/')?;
                }
                Some((plain, Some(b'{'))) => {
                    self.window.pass(plain);
                    let passed = self.window.passed(scan.start.offset);
                    self.text.extend_from_slice(passed);
                    self.window.pass(1);
                    return Ok(CdlPieceKind::GroupStart);
                }
                Some((plain, _)) => {
                    self.window.pass(plain);
                    return Ok(self.finish(scan, StatementEnd::Missing));
                }
            }
        }
    }
}
