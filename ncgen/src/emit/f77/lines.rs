//! Lines in fixed form: statements in columns 7 to 72.

use std::fmt;

use netcdf_core::error::Result;

use super::super::out::{ProgramOut, put};

/// The statement columns of a line.
const COLUMNS: usize = 66;

/// Writes statements.
pub(super) struct Lines<'a, 'o> {
    out: &'a mut ProgramOut<'o>,
}

/// Writes a formatted statement.
macro_rules! line {
    ($out:expr, $($text:tt)*) => { $out.statement(format_args!($($text)*)) };
}
pub(super) use line;

/// Writes a netCDF call with a status check.
macro_rules! call {
    ($out:expr, $($text:tt)*) => { $out.call(format_args!($($text)*)) };
}
pub(super) use call;

impl<'a, 'o> Lines<'a, 'o> {
    pub(super) fn new(out: &'a mut ProgramOut<'o>) -> Self {
        Self { out }
    }

    /// Writes a statement, folded at the end of each line.
    pub(super) fn statement(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
        let text: Vec<char> = text.to_string().chars().collect();
        for (at, part) in text.chunks(COLUMNS).enumerate() {
            let part: String = part.iter().collect();
            let head = if at == 0 { "      " } else { "     1" };
            put!(self.out, "{head}{part}\n")?;
        }
        Ok(())
    }

    /// Writes a call with a status check.
    pub(super) fn call(&mut self, text: fmt::Arguments<'_>) -> Result<()> {
        line!(self, "stat = {text}")?;
        line!(self, "call check_err(stat)")
    }

    pub(super) fn comment(&mut self, text: &str) -> Result<()> {
        put!(self.out, "* {text}\n")
    }

    pub(super) fn blank(&mut self) -> Result<()> {
        put!(self.out, "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_statements_are_folded() {
        let mut bytes: Vec<u8> = vec![];
        let mut out = ProgramOut::new(&mut bytes);
        line!(Lines::new(&mut out), "{}", "x".repeat(67)).unwrap();
        out.finish().unwrap();
        let expected = format!("      {}\n     1x\n", "x".repeat(66));
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
