//! Command output as text or JSON lines. Each JSON line is an object, and its member `record` is the record type. The first line is
//! `{"record": "zdump", "schema": 2, "command": …, "store": …}`.

use std::borrow::Cow;
use std::io::Write;

use netcdf_core::error::{Error, Result};
use netcdf_core::json::{Between, Json};
use netcdf_core::shown::{ShownAddress, ShownText, is_control, json};
use netcdf_core::tool::Io;

/// The schema version of the JSON lines. It changes if a member or record is removed or changes its meaning.
const SCHEMA: u32 = 2;
/// The buffer size in bytes.
const BUFFER: usize = 1 << 16;

/// Colours of text on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Names of groups, headings.
    Bold,
    /// Less important text.
    Dim,
    /// Success.
    Green,
    /// Warnings.
    Yellow,
    /// Errors.
    Red,
}

/// The terminal codes of the colours.
const CODES: [(Colour, &str); 5] = [
    (Colour::Bold, "\u{1b}[1m"),
    (Colour::Dim, "\u{1b}[2m"),
    (Colour::Green, "\u{1b}[32m"),
    (Colour::Yellow, "\u{1b}[33m"),
    (Colour::Red, "\u{1b}[31m"),
];

/// The output of a command.
pub(crate) struct CommandOut<'w> {
    to: &'w mut dyn Write,
    buffer: Vec<u8>,
    /// Whether JSON lines are printed.
    pub json: bool,
    /// Whether colours and characters beyond ASCII are printed.
    pub fancy: bool,
}

impl<'w> CommandOut<'w> {
    /// Prints the head of the JSON lines, if requested.
    ///
    /// # Errors
    /// Returns write errors.
    pub(crate) fn new(json: bool, io: &'w mut Io, (command, store): (&str, &str)) -> Result<Self> {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let mut out = Self {
            fancy: io.screen && !json && !no_colour,
            to: &mut *io.stdout,
            buffer: vec![],
            json,
        };
        if json {
            let members = [
                ("schema", Json::int(SCHEMA)),
                ("command", Json::text(command)),
                ("store", Json::text(ShownAddress::new(store).text())),
            ];
            out.record("zdump", members)?;
        }
        Ok(out)
    }

    /// Prints a line of JSON.
    ///
    /// # Errors
    /// Returns write errors.
    pub(crate) fn record(
        &mut self,
        record: &str,
        members: impl IntoIterator<Item = (&'static str, Json)>,
    ) -> Result<()> {
        let head = [("record", Json::text(record))];
        let line = object(head.into_iter().chain(members)).line(Between::Comma)?;
        self.line(&json(&line))
    }

    /// Prints a line of text. Names in a store may contain any bytes, so characters that control a terminal are escaped.
    ///
    /// # Errors
    /// Returns write errors.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        let text = shown(text, self.fancy);
        self.bytes(text.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Prints bytes unchanged.
    ///
    /// # Errors
    /// Returns write errors.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    /// Colours a text, if colours are enabled.
    pub(crate) fn paint(&self, colour: Colour, text: &str) -> String {
        if !self.fancy {
            return text.to_owned();
        }
        let code = CODES.iter().find(|(of, _)| *of == colour);
        let code = code.map_or("", |(_, code)| code);
        format!("{code}{}{UNPAINTED}", plain(text))
    }

    fn flush(&mut self) -> Result<()> {
        let written = self
            .to
            .write_all(&self.buffer)
            .and_then(|()| self.to.flush());
        self.buffer.clear();
        written.map_err(|e| Error::io("cannot write", "(stdout)", e))
    }

    /// Writes the remaining buffer.
    ///
    /// # Errors
    /// Returns write errors.
    pub(crate) fn end(mut self) -> Result<()> {
        self.flush()
    }
}

/// Escapes a name from a store for a line of text.
pub(crate) fn plain(name: &str) -> String {
    ShownText::new(name).to_string()
}

/// The terminal code that ends a colour.
const UNPAINTED: &str = "\u{1b}[0m";

/// Escapes a line, so that only our own colours control the terminal.
fn shown(line: &str, fancy: bool) -> Cow<'_, str> {
    if !line.contains(is_control) {
        return Cow::Borrowed(line);
    }
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('\u{1b}').filter(|_| fancy) {
        let (before, code) = rest.split_at_checked(at).unwrap_or((rest, ""));
        text.push_str(&plain(before));
        let ours = CODES.iter().map(|(_, code)| *code).chain([UNPAINTED]);
        let ours = ours.into_iter().find(|own| code.starts_with(own));
        text.push_str(ours.unwrap_or("\\x1b"));
        rest = code.get(ours.map_or(1, str::len)..).unwrap_or_default();
    }
    text.push_str(&plain(rest));
    Cow::Owned(text)
}

/// Returns an object in JSON.
pub(crate) fn object(members: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    let members = members.into_iter();
    Json::Object(
        members
            .map(|(name, json)| (name.to_owned(), json))
            .collect(),
    )
}

/// Returns numbers as a list in JSON.
pub(crate) fn numbers(numbers: &[u64]) -> Json {
    Json::Array(numbers.iter().map(Json::int).collect())
}

/// Returns a number in JSON, or `null`.
pub(crate) fn maybe(number: Option<u64>) -> Json {
    number.map_or(Json::Null, Json::int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_our_own_colours_only() {
        let line = "\u{1b}[1ma\n\u{1b}[0m \u{1b}[2J\u{9b}31m\u{202e}";
        let fancy = "\u{1b}[1ma\\n\u{1b}[0m \\x1b[2J\\x9b31m\\u202e";
        assert_eq!(shown(line, true), fancy);
        assert_eq!(shown(line, false), fancy.replace('\u{1b}', "\\x1b"));
        assert_eq!(shown("größe", true), "größe");
    }
}
