//! Reads the lines of a list, grouped by file.

use std::io::{BufRead, Read as _};

use netcdf_core::error::{Error, ErrorKind, Result};

use super::line::SumLine;

/// Maximum bytes of a line.
const LONGEST: u64 = 1 << 20;
/// Maximum number of lines per group.
const MOST: usize = 1 << 14;

/// The lines of a list.
pub(super) struct SumList<'a> {
    from: &'a mut dyn BufRead,
    /// The list's name, for messages.
    name: &'a str,
    /// A line about the next file.
    next: Option<SumLine>,
    /// The number of invalid lines.
    pub(super) odd: u64,
}

impl<'a> SumList<'a> {
    /// Reads a list from `from`.
    pub(super) fn new(from: &'a mut dyn BufRead, name: &'a str) -> Self {
        Self {
            from,
            name,
            next: None,
            odd: 0,
        }
    }

    /// Returns the next lines, all about one file. Returns none at the end.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Io`], and [`ErrorKind::Limit`] for a line that is too long.
    pub(super) fn lines(&mut self) -> Result<Vec<SumLine>> {
        let mut lines: Vec<SumLine> = self.next.take().into_iter().collect();
        while lines.len() < MOST {
            let Some(line) = self.line()? else { break };
            if lines.first().is_some_and(|first| first.file != line.file) {
                self.next = Some(line);
                break;
            }
            lines.push(line);
        }
        Ok(lines)
    }

    /// Returns the next line of a list. Skips empty lines.
    fn line(&mut self) -> Result<Option<SumLine>> {
        loop {
            let mut line = vec![];
            let read = (&mut self.from).take(LONGEST).read_until(b'\n', &mut line);
            read.map_err(|e| Error::io("cannot read", self.name, e))?;
            if line.is_empty() {
                return Ok(None);
            }
            if line.len() as u64 == LONGEST {
                let what = "a line of a megabyte or more, expected a list of digests";
                return Err(Error::new(ErrorKind::Limit, what).of(self.name));
            }
            let text = without_end(&line);
            match SumLine::parse(text) {
                Some(line) => return Ok(Some(line)),
                None if text.is_empty() => {}
                None => self.odd += 1,
            }
        }
    }
}

/// Returns a line without its end.
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_a_file_are_together() {
        let digest = "a".repeat(64);
        let names = ["x#/v", "x", "y", "x#/w"];
        let mut text = String::from("\nodd\n");
        for name in names {
            text += &format!("blake3:{digest}  {name}\r\n");
        }
        let mut from = text.trim_end().as_bytes();
        let mut list = SumList::new(&mut from, "list");
        let mut lines = || {
            list.lines()
                .unwrap()
                .iter()
                .map(SumLine::name)
                .collect::<Vec<_>>()
        };
        assert_eq!(lines(), ["x#/v", "x"]);
        assert_eq!(lines(), ["y"]);
        assert_eq!(lines(), ["x#/w"]);
        assert_eq!(lines(), [""; 0]);
        assert_eq!(list.odd, 1);
    }

    #[test]
    fn endless_lines_are_refused() {
        let text = vec![b'x'; 2 << 20];
        let mut from = &text[..];
        let e = SumList::new(&mut from, "list").lines().unwrap_err();
        assert_eq!((e.kind(), e.resource()), (ErrorKind::Limit, Some("list")));
    }
}
