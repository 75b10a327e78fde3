//! The result for a band: text, or a piece of a row that must be joined to the previous piece.

use std::sync::{Mutex, PoisonError};

use netcdf_core::error::Result;

use crate::cdl::write::wrap::Wrap;
use crate::write::TextOutput;

/// A band as text.
pub(super) enum BandText {
    /// Whole rows.
    Text(Vec<u8>),
    /// A piece of a row of values.
    Items(Items),
    /// A piece of a row of characters.
    Characters(CharacterRow),
}

/// A piece of a row of values whose lines are not broken yet.
#[derive(Default)]
pub(super) struct Items {
    /// The text before the row, if it begins here.
    pub(super) before: Vec<u8>,
    /// The line where the row begins, if it begins here.
    pub(super) start: Option<Wrap>,
    /// The items, one after the other.
    pub(super) text: Vec<u8>,
    /// Length of each item in bytes.
    pub(super) lengths: Vec<u32>,
    /// The text after the row, if it ends here.
    pub(super) after: Vec<u8>,
}

/// A piece of a row of characters, without trailing zeros.
#[derive(Default)]
pub(super) struct CharacterRow {
    /// The text before the row, if it begins here.
    pub(super) before: Vec<u8>,
    /// The characters, escaped.
    pub(super) text: Vec<u8>,
    /// Number of zeros after them.
    pub(super) zeros: usize,
    /// The text after the row, if it ends here.
    pub(super) after: Vec<u8>,
}

/// The state of a row for its next piece.
pub(super) struct PendingRow {
    /// The line.
    wrap: Wrap,
    /// Zeros that are shown only if other characters follow.
    zeros: usize,
}

impl PendingRow {
    pub(super) fn new(wrap: Wrap) -> Self {
        Self { wrap, zeros: 0 }
    }
}

/// Memory of written texts, reused for later ones: requesting it from the system again and again takes longer than reading the
/// data.
#[derive(Default)]
pub(super) struct TextBuffers(Mutex<Vec<Vec<u8>>>);

impl TextBuffers {
    /// An empty text with room for about `room` bytes.
    pub(super) fn take(&self, room: usize) -> Vec<u8> {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spare.pop().unwrap_or_else(|| Vec::with_capacity(room))
    }

    fn give(&self, mut text: Vec<u8>) {
        text.clear();
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spare.push(text);
    }
}

impl BandText {
    /// Writes a part after the previous one. Returns whether the text then ends within a quoted text.
    pub(super) fn put(
        self,
        pending: &mut PendingRow,
        spare: &TextBuffers,
        out: &mut TextOutput<'_>,
    ) -> Result<bool> {
        match self {
            Self::Text(text) => {
                out.long(&text)?;
                spare.give(text);
                Ok(false)
            }
            Self::Items(items) => items.put(pending, out).map(|()| false),
            Self::Characters(characters) => {
                let in_quotes = characters.after.is_empty();
                characters.put(pending, out).map(|()| in_quotes)
            }
        }
    }
}

impl Items {
    /// Counts an item.
    #[inline]
    pub(super) fn count(&mut self, len: usize) {
        self.lengths.push(u32::try_from(len).unwrap_or(u32::MAX));
    }

    /// Breaks the lines.
    fn put(self, pending: &mut PendingRow, out: &mut TextOutput<'_>) -> Result<()> {
        out.bytes(&self.before);
        let mut wrap = self.start.unwrap_or(pending.wrap);
        let mut rest = self.text.as_slice();
        let mut line = 0usize;
        for &len in &self.lengths {
            let len = len as usize;
            if wrap.breaks(len) {
                let (done, left) = rest.split_at_checked(line).unwrap_or((rest, &[]));
                out.bytes(done);
                wrap.break_line(&mut out.text);
                out.pass()?;
                (rest, line) = (left, 0);
            }
            line = line.saturating_add(len);
        }
        out.bytes(rest);
        out.bytes(&self.after);
        pending.wrap = wrap;
        out.pass()
    }
}

impl CharacterRow {
    fn put(self, pending: &mut PendingRow, out: &mut TextOutput<'_>) -> Result<()> {
        if !self.before.is_empty() {
            pending.zeros = 0;
            out.bytes(&self.before);
        }
        if !self.text.is_empty() {
            for _ in 0..std::mem::take(&mut pending.zeros) {
                out.bytes(b"\\000");
                out.pass()?;
            }
            out.long(&self.text)?;
        }
        pending.zeros = pending.zeros.saturating_add(self.zeros);
        out.bytes(&self.after);
        out.pass()
    }
}
