//! Buffered output of a program's text.

use std::fmt;
use std::io::{BufWriter, Write};

use netcdf_core::error::{Error, Result};

/// The buffer size in bytes.
const BUFFER: usize = 1 << 16;

/// Writes buffered text.
pub(super) struct ProgramOut<'a> {
    to: BufWriter<&'a mut dyn Write>,
}

/// Writes formatted text to an [`ProgramOut`].
macro_rules! put {
    ($out:expr, $($text:tt)*) => { $out.put(format_args!($($text)*)) };
}
pub(super) use put;

impl<'a> ProgramOut<'a> {
    pub(super) fn new(to: &'a mut dyn Write) -> Self {
        Self {
            to: BufWriter::with_capacity(BUFFER, to),
        }
    }

    pub(super) fn put(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
        self.to.write_fmt(text).map_err(failed)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.to.write_all(bytes).map_err(failed)
    }

    /// Writes the remaining buffer.
    pub(super) fn finish(mut self) -> Result<()> {
        self.to.flush().map_err(failed)
    }
}

fn failed(e: std::io::Error) -> Error {
    Error::io("cannot write", "(stdout)", e)
}
