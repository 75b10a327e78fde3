//! What commands print: text, or JSON lines. Each line of JSON is an object whose member `record` says what it is; the first
//! is `{"record": "zdump", "schema": 2, "command": …, "store": …}`.

use std::io::Write;

use netcdf_core::error::{Error, Result};
use netcdf_core::json::Json;
use netcdf_core::tool::Io;

/// The version of the schema of the JSON lines: changes when a member or record changes its meaning or goes.
const SCHEMA: u32 = 2;
/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// Colours of text on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Names of groups, headings.
    Bold,
    /// What is less important.
    Dim,
    /// What is right.
    Green,
    /// What may be wrong.
    Yellow,
    /// What is wrong.
    Red,
}

/// Where commands print.
pub(crate) struct Out<'w> {
    to: &'w mut dyn Write,
    buffer: Vec<u8>,
    /// Whether JSON lines are printed.
    pub json: bool,
    /// Whether colours and characters beyond ASCII are printed.
    pub fancy: bool,
}

impl<'w> Out<'w> {
    /// Prints the head of the JSON lines, if they are asked for.
    ///
    /// # Errors
    /// Those of writing.
    pub fn new(json: bool, io: &'w mut Io, (command, store): (&str, &str)) -> Result<Self> {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let mut out = Self {
            fancy: io.screen && !json && !no_colour,
            to: &mut *io.stdout,
            buffer: vec![],
            json,
        };
        if json {
            let schema = ("schema", Json::int(SCHEMA));
            let about = [
                ("command", Json::text(command)),
                ("store", Json::text(store)),
            ];
            out.record("zdump", [schema].into_iter().chain(about))?;
        }
        Ok(out)
    }

    /// A line of JSON.
    ///
    /// # Errors
    /// Those of writing.
    pub fn record(
        &mut self,
        record: &str,
        members: impl IntoIterator<Item = (&'static str, Json)>,
    ) -> Result<()> {
        let mut all = vec![("record".to_owned(), Json::text(record))];
        all.extend(
            members
                .into_iter()
                .map(|(name, json)| (name.to_owned(), json)),
        );
        let line = Json::Object(all).to_bytes();
        self.line(&String::from_utf8_lossy(&line))
    }

    /// A line of text.
    ///
    /// # Errors
    /// Those of writing.
    pub fn line(&mut self, text: &str) -> Result<()> {
        self.bytes(text.as_bytes())?;
        self.bytes(b"\n")
    }

    /// Bytes as they are.
    ///
    /// # Errors
    /// Those of writing.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    /// Text in a colour, where there are colours. Names in a store are anything; on a terminal they must not be more than text.
    pub fn paint(&self, colour: Colour, text: &str) -> String {
        if !self.fancy {
            return text.to_owned();
        }
        let code = match colour {
            Colour::Bold => 1,
            Colour::Dim => 2,
            Colour::Green => 32,
            Colour::Yellow => 33,
            Colour::Red => 31,
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    fn flush(&mut self) -> Result<()> {
        let written = self
            .to
            .write_all(&self.buffer)
            .and_then(|()| self.to.flush());
        self.buffer.clear();
        written.map_err(|e| Error::io("cannot write", "(stdout)", e))
    }

    /// Writes what was gathered.
    ///
    /// # Errors
    /// Those of writing.
    pub fn end(mut self) -> Result<()> {
        self.flush()
    }
}

/// A name from a store as a line of text may have it: without control characters.
pub(crate) fn plain(name: &str) -> String {
    name.replace(char::is_control, "\u{fffd}")
}

/// Numbers as a list in JSON.
pub(crate) fn numbers(numbers: &[u64]) -> Json {
    Json::Array(numbers.iter().map(Json::int).collect())
}

/// A number in JSON, or `null`.
pub(crate) fn maybe(number: Option<u64>) -> Json {
    number.map_or(Json::Null, Json::int)
}
