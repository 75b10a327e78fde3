//! Text on its way out: collected in blocks.

use std::io::Write;

use netcdf_core::error::{Error, Result};
use netcdf_core::shown::Shown;

use super::wrap::{Wrap, blanks};

/// Text is handed on in blocks of about this size.
const BLOCK: usize = 1 << 16;

/// The output.
pub(super) struct Out<'w> {
    sink: &'w mut dyn Write,
    /// What is not handed on yet; appended to directly.
    pub(super) text: Vec<u8>,
    /// Line of the list that was written last, and the group's blanks.
    pub(super) wrap: Wrap,
}

impl<'w> Out<'w> {
    pub(super) fn new(sink: &'w mut dyn Write, line_length: usize) -> Self {
        Self {
            sink,
            text: Vec::with_capacity(BLOCK + BLOCK / 4),
            wrap: Wrap::new(line_length),
        }
    }

    /// Appends bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Appends the blanks of the group.
    pub(super) fn indent(&mut self) {
        blanks(self.wrap.indent, &mut self.text);
    }

    /// Appends the blanks of the group, then bytes.
    pub(super) fn line(&mut self, bytes: &[u8]) {
        self.indent();
        self.bytes(bytes);
    }

    /// Appends text that is not ours to a comment, which ends with the line: nothing in the text ends it.
    pub(super) fn comment(&mut self, text: Shown<'_>) {
        self.bytes(text.text().as_bytes());
    }

    /// Hands on what is there if it is a block.
    pub(super) fn pass(&mut self) -> Result<()> {
        if self.text.len() >= BLOCK {
            return self.flush();
        }
        Ok(())
    }

    /// Hands on a long text.
    pub(super) fn long(&mut self, text: &[u8]) -> Result<()> {
        if text.len() < BLOCK / 2 {
            self.bytes(text);
            return self.pass();
        }
        self.flush()?;
        self.sink.write_all(text).map_err(failed)
    }

    /// Hands on all there is.
    pub(super) fn flush(&mut self) -> Result<()> {
        let written = self.sink.write_all(&self.text);
        self.text.clear();
        written.and_then(|()| self.sink.flush()).map_err(failed)
    }
}

fn failed(e: std::io::Error) -> Error {
    Error::io("cannot write", "(stdout)", e)
}
