//! Buffered output of text, collected in blocks.

use std::io::Write;

use netcdf_core::error::{Error, Result};

/// The approximate length of a block in bytes.
const BLOCK: usize = 1 << 16;

/// The output.
pub(crate) struct TextOutput<'w> {
    sink: &'w mut dyn Write,
    /// The text of the current block; appended to directly.
    pub(crate) text: Vec<u8>,
}

impl<'w> TextOutput<'w> {
    pub(crate) fn new(sink: &'w mut dyn Write) -> Self {
        Self {
            sink,
            text: Vec::with_capacity(BLOCK + BLOCK / 4),
        }
    }

    /// Appends bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Writes the block if the block is full.
    pub(crate) fn pass(&mut self) -> Result<()> {
        match self.text.len() >= BLOCK {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Appends a long text.
    pub(crate) fn long(&mut self, text: &[u8]) -> Result<()> {
        if text.len() < BLOCK / 2 {
            self.bytes(text);
            return self.pass();
        }
        self.flush()?;
        self.sink.write_all(text).map_err(failed)
    }

    /// Writes all text.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let written = self.sink.write_all(&self.text);
        self.text.clear();
        written.and_then(|()| self.sink.flush()).map_err(failed)
    }
}

fn failed(e: std::io::Error) -> Error {
    Error::io("cannot write", "(stdout)", e)
}
