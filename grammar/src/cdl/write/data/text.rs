//! Character output: one text per row.

use netcdf_core::model::Region;

use super::part::{BandText, CharacterRow};
use super::rows::VariableRows;
use crate::escape::{TextStyle, escape_text, quote_text, trim_nuls};

impl VariableRows {
    /// Returns the text of a band of characters.
    pub(super) fn text_part(&self, band: &Region, stored: &[u8]) -> BandText {
        let span = self.grid.span(band);
        let mut index = self.grid.index(band);
        if !(span.begins && span.ends) {
            return BandText::Characters(self.characters(&index, (span.begins, span.ends), stored));
        }
        let len = usize::try_from(self.grid.len())
            .unwrap_or(usize::MAX)
            .max(1);
        let mut out = self.spare.take(stored.len().saturating_mul(2));
        let style = self.style();
        for row in stored.chunks(len) {
            self.begin(&index, &mut out);
            quote_text(self.shown(row), style, &mut out);
            self.end(&index, self.closed(&index), &mut out);
            self.grid.advance(&mut index);
        }
        BandText::Text(out)
    }

    fn characters(
        &self,
        index: &[u64],
        (begins, ends): (bool, bool),
        stored: &[u8],
    ) -> CharacterRow {
        let mut piece = CharacterRow::default();
        if begins {
            self.begin(index, &mut piece.before);
            piece.before.push(b'"');
        }
        let text = self.shown(stored);
        piece.zeros = stored.len().saturating_sub(text.len());
        escape_text(text, self.style(), &mut piece.text);
        if ends {
            piece.after.push(b'"');
            self.end(index, self.closed(index), &mut piece.after);
        }
        piece
    }

    /// Returns the characters of a row to print; the skipped characters read back as the fill value.
    fn shown<'t>(&self, row: &'t [u8]) -> &'t [u8] {
        match self.zero_fill {
            true => trim_nuls(row),
            false => row,
        }
    }

    /// Returns the text style of a row. A newline starts another string only if there is a single row: with several rows, the second string
    /// would be read back as the next row. A scalar has only one character.
    fn style(&self) -> TextStyle {
        if self.grid.shape.len() == 1 {
            TextStyle::CHAR_DATA
        } else {
            TextStyle::CHAR_MEMBER
        }
    }
}
