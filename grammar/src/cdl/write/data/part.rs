//! The text of a band: whole rows, or a row fragment to join with the previous fragment.

use std::sync::{Mutex, PoisonError};

use netcdf_core::error::Result;

use crate::cdl::write::wrap::Wrap;
use crate::write::TextOutput;

/// The text of a band.
pub(super) enum BandText {
    /// Whole rows.
    Text(Vec<u8>),
    /// A fragment of a row of values.
    Items(Items),
    /// A fragment of a row of characters.
    Characters(CharacterRow),
}

/// A fragment of a row of values without line breaks.
#[derive(Default)]
pub(super) struct Items {
    /// The text before the row if the fragment starts the row.
    pub(super) before: Vec<u8>,
    /// The line of the row start if the fragment starts the row.
    pub(super) start: Option<Wrap>,
    /// The concatenated items.
    pub(super) text: Vec<u8>,
    /// The length of each item in bytes.
    pub(super) lengths: Vec<u32>,
    /// The text after the row if the fragment ends the row.
    pub(super) after: Vec<u8>,
}

/// A fragment of a row of characters, without trailing zeros.
#[derive(Default)]
pub(super) struct CharacterRow {
    /// The text before the row if the fragment starts the row.
    pub(super) before: Vec<u8>,
    /// The escaped characters.
    pub(super) text: Vec<u8>,
    /// The number of trailing zeros.
    pub(super) zeros: usize,
    /// The text after the row if the fragment ends the row.
    pub(super) after: Vec<u8>,
}

/// The state of a row between two fragments.
pub(super) struct PendingRow {
    /// The current line.
    wrap: Wrap,
    /// Zeros that are printed only if other characters follow.
    zeros: usize,
}

impl PendingRow {
    pub(super) fn new(wrap: Wrap) -> Self {
        Self { wrap, zeros: 0 }
    }
}

/// A pool of text buffers: allocating a new buffer for each text takes longer than reading the data.
#[derive(Default)]
pub(super) struct TextBuffers(Mutex<Vec<Vec<u8>>>);

impl TextBuffers {
    /// Returns an empty text with a capacity of about `room` bytes.
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
    /// Writes a part after the previous one. Returns whether the output then ends within quotes.
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

    /// Inserts the line breaks.
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
