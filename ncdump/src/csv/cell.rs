//! Values as cells.

use netcdf_core::model::{Atomic, DataType, Schema, Values, VarId, Variable};
use netcdf_core::shown::ShownText;
use netcdf_grammar::cdl::write::{Forms as _, NumberText, constants, number};
use netcdf_grammar::escape::trim_nuls;

use super::CellForms;
use crate::request::Digits;

impl CellForms<'_> {
    /// Returns the number format of a variable, if it is not the default.
    pub(super) fn number(&self, id: VarId, var: &Variable) -> Option<Box<dyn NumberText>> {
        let numeric = match var.ty {
            DataType::Atomic(ty) => !matches!(ty, Atomic::Char | Atomic::String),
            DataType::User(_) => false,
        };
        self.forms.data(id).filter(|_| numeric)
    }
}

/// Writes the cells of a variable.
pub(super) struct CsvCells<'a> {
    pub(super) schema: &'a Schema,
    pub(super) digits: Digits,
    pub(super) number: Option<&'a dyn NumberText>,
    /// The value of an empty cell.
    pub(super) fill: Option<&'a Values>,
}

impl CsvCells<'_> {
    /// Returns the texts of values.
    pub(super) fn all(&self, values: &Values) -> Vec<String> {
        let missing = |i: usize| self.fill == Some(&values.slice(i..i.saturating_add(1)));
        if let Values::String(texts) = values {
            let text = |text: &Option<Box<[u8]>>| text.as_deref().map_or(String::new(), lossy);
            return texts.iter().map(text).collect();
        }
        let digits = (self.digits.float, self.digits.double);
        let constants = constants(self.schema, values, digits).into_iter();
        let cells = constants.enumerate().map(|(i, constant)| {
            if missing(i) {
                return String::new();
            }
            self.formed(values, i).unwrap_or_else(|| usual(&constant))
        });
        cells.collect()
    }

    /// Formats a number in the variable's own format.
    fn formed(&self, values: &Values, i: usize) -> Option<String> {
        let mut out = vec![];
        let written = self.number?.write(number(values, i)?, &mut out);
        written.then(|| lossy(&out).trim_matches('"').to_owned())
    }

    /// Formats a character text.
    pub(super) fn text(&self, text: &[u8]) -> String {
        let is_fill = |fill: &&Values| {
            let fill = fill.as_text().and_then(<[u8]>::first);
            fill.is_some_and(|fill| text.iter().all(|c| c == fill))
        };
        match self.fill.filter(is_fill) {
            Some(_) => String::new(),
            None => quoted(&lossy(trim_nuls(text))),
        }
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Removes the suffix of special floats from a CDL constant.
fn usual(constant: &[u8]) -> String {
    let text = lossy(constant);
    match text.strip_suffix('f') {
        Some(word @ ("NaN" | "Infinity" | "-Infinity")) => word.to_owned(),
        Some(_) | None => text,
    }
}

/// Quotes a cell if its text contains commas, quotes or line ends, or begins or ends with blanks.
pub(super) fn quoted(text: &str) -> String {
    let text = ShownText::new(text).lines().to_string();
    match text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_needed() {
        assert_eq!(quoted("2000-01-01 06"), "2000-01-01 06");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"x\"\n"), "\"say \"\"x\"\"\n\"");
        assert_eq!(quoted(" a"), "\" a\"");
        assert_eq!(quoted("\u{1b}[2J"), "\\x1b[2J");
        assert_eq!(usual(b"NaNf"), "NaN");
    }
}
