//! Objects and members as indented text, buffered in blocks.

use std::io::Write;

use netcdf_core::error::{Error, Result};

use crate::json::text::{push_bytes, push_text};

/// Approximate block size in bytes.
const BLOCK: usize = 1 << 16;
/// Additional indentation per object level.
const STEP: usize = 2;

/// The output.
pub(super) struct Document<'w> {
    sink: &'w mut dyn Write,
    /// The buffered text; callers append values directly.
    pub(super) text: Vec<u8>,
    /// Whether each open object has members.
    open: Vec<bool>,
}

impl<'w> Document<'w> {
    pub(super) fn new(sink: &'w mut dyn Write) -> Self {
        Self {
            sink,
            text: Vec::with_capacity(BLOCK + BLOCK / 4),
            open: vec![],
        }
    }

    /// Begins an object.
    pub(super) fn begin(&mut self) {
        self.text.push(b'{');
        self.open.push(false);
    }

    /// Begins a member with an object.
    pub(super) fn begin_member(&mut self, key: &str) {
        self.key(key);
        self.begin();
    }

    /// Begins a member; the value follows.
    pub(super) fn key(&mut self, key: &str) {
        if let Some(last) = self.open.last_mut()
            && std::mem::replace(last, true)
        {
            self.text.push(b',');
        }
        self.line();
        push_text(key, &mut self.text);
        self.text.extend_from_slice(b": ");
    }

    /// Writes a member with a text.
    pub(super) fn member(&mut self, key: &str, value: &[u8]) {
        self.key(key);
        push_bytes(value, &mut self.text);
    }

    /// Writes a member with JSON text.
    pub(super) fn plain(&mut self, key: &str, json: &str) {
        self.key(key);
        self.text.extend_from_slice(json.as_bytes());
    }

    /// Ends an object.
    pub(super) fn end(&mut self) {
        if self.open.pop() == Some(true) {
            self.line();
        }
        self.text.push(b'}');
    }

    fn line(&mut self) {
        self.text.push(b'\n');
        let end = self.text.len() + self.indent();
        self.text.resize(end, b' ');
    }

    /// Returns the indentation of members.
    pub(super) fn indent(&self) -> usize {
        STEP * self.open.len()
    }

    /// Writes the text if it fills a block.
    pub(super) fn pass(&mut self) -> Result<()> {
        match self.text.len() >= BLOCK {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes a long text.
    pub(super) fn long(&mut self, text: &[u8]) -> Result<()> {
        if text.len() < BLOCK / 2 {
            self.text.extend_from_slice(text);
            return self.pass();
        }
        self.flush()?;
        self.sink.write_all(text).map_err(failed)
    }

    /// Writes all buffered text.
    pub(super) fn flush(&mut self) -> Result<()> {
        let written = self.sink.write_all(&self.text);
        self.text.clear();
        written.and_then(|()| self.sink.flush()).map_err(failed)
    }
}

fn failed(e: std::io::Error) -> Error {
    Error::io("cannot write", "(stdout)", e)
}
