//! Buffered text output in blocks.

use std::io::Write;

use netcdf_core::error::{Error, Result};
use netcdf_core::shown::ShownText;

use super::wrap::{Wrap, blanks};

/// Approximate block size in bytes.
const BLOCK: usize = 1 << 16;

/// The output.
pub(super) struct CdlOut<'w> {
    sink: &'w mut dyn Write,
    /// The buffered text; callers append to it directly.
    pub(super) text: Vec<u8>,
    /// The line of the last list, and the group's indentation.
    pub(super) wrap: Wrap,
}

impl<'w> CdlOut<'w> {
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

    /// Appends the indentation of the group.
    pub(super) fn indent(&mut self) {
        blanks(self.wrap.indent, &mut self.text);
    }

    /// Appends the indentation of the group, then bytes.
    pub(super) fn line(&mut self, bytes: &[u8]) {
        self.indent();
        self.bytes(bytes);
    }

    /// Appends file text to a comment that ends with the line: no character of the text can end the comment early.
    pub(super) fn comment(&mut self, text: ShownText<'_>) {
        self.bytes(text.text().as_bytes());
    }

    /// Writes the text if it fills a block.
    pub(super) fn pass(&mut self) -> Result<()> {
        if self.text.len() >= BLOCK {
            return self.flush();
        }
        Ok(())
    }

    /// Writes a long text.
    pub(super) fn long(&mut self, text: &[u8]) -> Result<()> {
        if text.len() < BLOCK / 2 {
            self.bytes(text);
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
