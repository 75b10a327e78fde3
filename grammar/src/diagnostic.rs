//! Messages about a text with location: file, line, column, the source line and a caret.

use std::fmt;
use std::sync::Arc;

use netcdf_core::io::Source;
use netcdf_core::shown::{ShownText, is_control, number_agreement};

/// Maximum number of errors reported in one run.
pub const MOST: usize = 20;
/// Maximum number of printed characters of a line.
const WIDTH: usize = 120;
/// UTF-8 byte order mark, which does not count as a character of the first line.
const BOM: [u8; 3] = [0xef, 0xbb, 0xbf];
/// Maximum number of printed characters of a message, because names in it may be as long as the text.
const MESSAGE: usize = 400;
/// Number of line bytes read before and after the location.
const REACH: u64 = 4 << 10;

/// A position with a known line. The line of a later position is counted from an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Anchor {
    /// The byte offset.
    pub offset: u64,
    /// The line, from 1.
    pub line: u32,
}

/// The severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The text is unusable.
    Error,
    /// The text is usable, but suspicious.
    Warning,
}

/// A problem with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The message: expected and actual text.
    pub message: String,
    /// A correction hint.
    pub hint: Option<String>,
    /// The line, or the part of the line around the location.
    shown: String,
    /// The blanks before the caret.
    indent: String,
    offset: u64,
}

/// Collects the problems of one text.
#[derive(Debug)]
pub struct Reporter<'s> {
    source: &'s dyn Source,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    strict: bool,
}

impl<'s> Reporter<'s> {
    /// Returns a reporter for `source`.
    #[must_use]
    pub fn new(source: &'s dyn Source) -> Self {
        Self {
            source,
            errors: vec![],
            warnings: vec![],
            strict: false,
        }
    }

    /// Sets whether warnings are errors.
    #[must_use]
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Returns the text.
    #[must_use]
    pub fn source(&self) -> &'s dyn Source {
        self.source
    }

    /// Reports an error at `offset`, which must not precede `anchor`. After [`MOST`] errors, further errors are dropped.
    pub fn error(&mut self, anchor: Anchor, offset: u64, message: impl Into<String>) {
        self.error_with_hint(anchor, offset, message, None);
    }

    /// Like [`Reporter::error`], with a hint.
    pub fn error_with_hint(
        &mut self,
        anchor: Anchor,
        offset: u64,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        if !self.is_full() {
            let mut new = self.diagnostic(Severity::Error, anchor, offset, message.into());
            new.hint = hint;
            self.errors.push(new);
        }
    }

    /// Reports a warning. After [`MOST`] warnings, further warnings are dropped.
    pub fn warning(&mut self, anchor: Anchor, offset: u64, message: impl Into<String>) {
        if self.strict {
            return self.error(anchor, offset, message);
        }
        if self.warnings.len() < MOST {
            let new = self.diagnostic(Severity::Warning, anchor, offset, message.into());
            self.warnings.push(new);
        }
    }

    /// Returns whether there were errors.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Returns the number of errors so far.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors.len()
    }

    /// Returns whether further errors are dropped.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.errors.len() >= MOST
    }

    /// Returns the warnings if there are no errors.
    ///
    /// # Errors
    /// Returns the errors in text order.
    pub fn finish(self) -> Result<Diagnostics, Diagnostics> {
        let file = Arc::clone(self.source.name());
        let failed = self.has_errors();
        let stopped = self.is_full();
        let mut list = if failed { self.errors } else { self.warnings };
        list.sort_by_key(|d| d.offset);
        // A text that is read twice gives some problems twice.
        list.dedup();
        let all = Diagnostics {
            file,
            list,
            stopped: failed && stopped,
        };
        if failed { Err(all) } else { Ok(all) }
    }

    fn diagnostic(
        &self,
        severity: Severity,
        anchor: Anchor,
        offset: u64,
        message: String,
    ) -> Diagnostic {
        let offset = offset.min(self.source.len());
        let line = anchor
            .line
            .saturating_add(self.lines(anchor.offset, offset));
        let reach = offset.saturating_sub(REACH);
        let before = self.bytes(reach, offset);
        let newline = before.iter().rposition(|&b| b == b'\n');
        let farther = newline.map_or_else(|| self.characters(reach), |_| 0);
        let start = newline.map_or(0, |i| i + 1);
        let before = String::from_utf8_lossy(before.get(start..).unwrap_or_default());
        let before = before.trim_start_matches('\u{feff}');
        let after = self.bytes(offset, offset.saturating_add(REACH));
        let end = after
            .iter()
            .position(|&b| b == b'\n')
            .unwrap_or(after.len());
        let after = String::from_utf8_lossy(after.get(..end).unwrap_or_default());
        let (shown, indent) = show(before, after.trim_end());
        let column = before.chars().count().saturating_add(farther + 1);
        Diagnostic {
            severity,
            line,
            column: u32::try_from(column).unwrap_or(u32::MAX),
            message: shortened(number_agreement(message.into()).into_owned()),
            hint: None,
            shown,
            indent,
            offset,
        }
    }

    /// Counts newlines between two offsets.
    fn lines(&self, from: u64, to: u64) -> u32 {
        let (mut at, mut lines) = (from, 0usize);
        while at < to {
            let end = to.min(at + (64 << 10));
            lines += memchr::memchr_iter(b'\n', &self.bytes(at, end)).count();
            at = end;
        }
        u32::try_from(lines).unwrap_or(u32::MAX)
    }

    /// Returns the number of characters before `to` in its line, 0 right after a newline.
    fn characters(&self, to: u64) -> usize {
        let (mut at, mut characters) = (to, 0usize);
        while at > 0 {
            let from = at.saturating_sub(64 << 10);
            let bytes = self.bytes(from, at);
            let newline = memchr::memrchr(b'\n', &bytes);
            let line = bytes.get(newline.map_or(0, |i| i + 1)..);
            // All bytes of a character except the first begin with the bits 10.
            let starts = |b: &&u8| **b & 0xc0 != 0x80;
            characters += line.unwrap_or_default().iter().filter(starts).count();
            if newline.is_some() {
                return characters;
            }
            at = from;
        }
        let marked = to > 0 && self.bytes(0, 3) == BOM;
        characters.saturating_sub(usize::from(marked))
    }

    /// Returns the bytes between two offsets, an empty list if they cannot be read.
    fn bytes(&self, from: u64, to: u64) -> Vec<u8> {
        let to = to.min(self.source.len());
        let mut bytes = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or(0)];
        match self.source.read_at(from, &mut bytes) {
            Ok(()) => bytes,
            Err(_) => vec![],
        }
    }
}

/// Shortens a message to [`MESSAGE`] characters and escapes control characters.
fn shortened(message: String) -> String {
    let mut message: String = message.chars().map(printable).collect();
    if let Some((end, _)) = message.char_indices().nth(MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
    message
}

/// Returns the line, shortened to [`WIDTH`], and the blanks before the caret.
fn show(before: &str, after: &str) -> (String, String) {
    let skip = before.chars().count().saturating_sub(WIDTH * 2 / 3);
    let mut shown = String::new();
    if skip > 0 {
        shown.push('…');
    }
    shown.extend(before.chars().skip(skip).map(printable));
    let indent = shown
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let room = WIDTH.saturating_sub(shown.chars().count());
    shown.extend(after.chars().take(room).map(printable));
    if after.chars().nth(room).is_some() {
        shown.push('…');
    }
    (shown, indent)
}

fn printable(c: char) -> char {
    if is_control(c) && c != '\t' {
        '\u{fffd}'
    } else {
        c
    }
}

/// `FILE:LINE:COLUMN: error: MESSAGE`, the line, a caret, and a hint if there is one.
impl Diagnostic {
    fn write(&self, file: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Self {
            line,
            column,
            message,
            shown,
            indent,
            ..
        } = self;
        let file = ShownText::new(file);
        writeln!(f, "{file}:{line}:{column}: {severity}: {message}")?;
        write!(f, "  {shown}\n  {indent}^")?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {}", ShownText::new(hint)),
            None => Ok(()),
        }
    }
}

/// The problems of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    file: Arc<str>,
    /// The problems in text order.
    pub list: Vec<Diagnostic>,
    stopped: bool,
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.list.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            diagnostic.write(&self.file, f)?;
        }
        if self.stopped {
            write!(
                f,
                "\n{}: stopped after {} errors",
                ShownText::new(&self.file),
                self.list.len()
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// Returns the candidate that `name` most likely misspells.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let far = (name.chars().count() / 3).max(1);
    let distance = |c: &'a str| Some((distance(name, c, far)?, c));
    let best = candidates.filter_map(distance).min();
    best.map(|(_, candidate)| candidate)
}

/// Returns the edit distance (insert, delete, replace, swap neighbours), or `None` beyond `far`.
fn distance(a: &str, b: &str, far: usize) -> Option<usize> {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > far || a.len() > 64 {
        return None;
    }
    let mut older: Vec<usize> = vec![];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let at = |row: &[usize], i: usize| row.get(i).copied().unwrap_or(usize::MAX / 2);
    for (i, ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let replaced = at(&last, j) + usize::from(ca != cb);
            let mut best = replaced.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(cb) && b.get(j - 1) == Some(ca);
            if swapped {
                best = best.min(at(&older, j - 1) + 1);
            }
            row.push(best);
        }
        older = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|&d| d <= far)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::io::memory::MemorySource;

    const START: Anchor = Anchor { offset: 0, line: 1 };

    #[test]
    fn shows_line_and_caret() {
        let source = MemorySource::new("x.cdl", b"one\n\ttwo \xc3\xa9 three  \nfour".to_vec());
        let mut reporter = Reporter::new(&source);
        reporter.error(START, 12, "bad `three`");
        reporter.error_with_hint(START, 0, "bad", Some("good".to_owned()));
        let text = reporter.finish().unwrap_err().to_string();
        assert_eq!(
            text,
            "x.cdl:1:1: error: bad\n  one\n  ^\n  hint: good\n\
             x.cdl:2:8: error: bad `three`\n  \ttwo é three\n  \t      ^"
        );
    }

    #[test]
    fn shortens_long_lines() {
        let mut line = vec![b'a'; 10_000];
        line.extend(vec![b'b'; 10_000]);
        let source = MemorySource::new("x.cdl", line);
        let mut reporter = Reporter::new(&source);
        reporter.error(START, 10_000, "bad");
        let found = reporter.finish().unwrap_err();
        let shown = &found.list[0].shown;
        assert_eq!(shown.chars().count(), 121);
        assert_eq!(shown.find('b'), Some(found.list[0].indent.len() + 2));
        assert_eq!(found.list[0].indent.len(), 81);
    }

    #[test]
    fn columns_count_from_the_start_of_long_lines() {
        let column = |text: &[&[u8]], offset| {
            let source = MemorySource::new("x.cdl", text.concat());
            let mut reporter = Reporter::new(&source);
            reporter.error(START, offset, "bad");
            reporter.finish().unwrap_err().list[0].column
        };
        let (long, accents) = ([b'a'; 200_000], "é".repeat(50_000));
        assert_eq!(column(&[&long], 150_000), 150_001);
        assert_eq!(column(&[b"one\n", &long], 150_004), 150_001);
        assert_eq!(column(&[accents.as_bytes(), b"x"], 100_000), 50_001);
        assert_eq!(column(&[&BOM, &long], 150_003), 150_001);
        assert_eq!(column(&[&[b'\n'; 5000]], 4999), 1);
    }

    #[test]
    fn messages_do_not_control_terminals() {
        assert_eq!(
            shortened("found `\u{1b}[31m`".to_owned()),
            "found `\u{fffd}[31m`"
        );
    }

    #[test]
    fn shortens_long_messages() {
        let source = MemorySource::new("x.cdl", b"v".to_vec());
        let mut reporter = Reporter::new(&source);
        reporter.error(START, 0, "ä".repeat(500));
        let found = reporter.finish().unwrap_err();
        assert_eq!(found.list[0].message, "ä".repeat(400) + "…");
    }

    #[test]
    fn stops_after_twenty() {
        let source = MemorySource::new("x.cdl", vec![]);
        let mut reporter = Reporter::new(&source);
        for n in 0..30 {
            reporter.error(START, 0, format!("bad {n}"));
        }
        let found = reporter.finish().unwrap_err();
        assert_eq!(found.list.len(), 20);
        assert!(
            found
                .to_string()
                .ends_with("\nx.cdl: stopped after 20 errors")
        );
    }

    #[test]
    fn warnings_are_no_failure() {
        let source = MemorySource::new("x.cdl", b"v".to_vec());
        let mut reporter = Reporter::new(&source);
        reporter.warning(START, 0, "odd");
        let found = reporter.finish().unwrap();
        assert_eq!(found.to_string(), "x.cdl:1:1: warning: odd\n  v\n  ^");
    }

    #[test]
    fn misspellings() {
        let names = ["time", "latitude", "lat"];
        assert_eq!(nearest("tiem", names.into_iter()), Some("time"));
        assert_eq!(nearest("Lat", names.into_iter()), Some("lat"));
        assert_eq!(nearest("latitute", names.into_iter()), Some("latitude"));
        assert_eq!(nearest("pressure", names.into_iter()), None);
    }
}
