//! Objects and members as indented text, buffered in blocks.

use std::io::Write;

use crate::json::text::{push_bytes, push_text};
use crate::write::TextOutput;

/// Blanks before the members of an object, more than before the object.
const STEP: usize = 2;

/// The output.
pub(super) struct Document<'w> {
    pub(super) block: TextOutput<'w>,
    /// For each open object, whether it has members.
    open: Vec<bool>,
}

impl<'w> Document<'w> {
    pub(super) fn new(sink: &'w mut dyn Write) -> Self {
        Self {
            block: TextOutput::new(sink),
            open: vec![],
        }
    }

    /// Begins an object.
    pub(super) fn begin(&mut self) {
        self.block.text.push(b'{');
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
            self.block.text.push(b',');
        }
        self.line();
        push_text(key, &mut self.block.text);
        self.block.bytes(b": ");
    }

    /// Writes a member with a text.
    pub(super) fn member(&mut self, key: &str, value: &[u8]) {
        self.key(key);
        push_bytes(value, &mut self.block.text);
    }

    /// Writes a member with JSON text.
    pub(super) fn plain(&mut self, key: &str, json: &str) {
        self.key(key);
        self.block.bytes(json.as_bytes());
    }

    /// Ends an object.
    pub(super) fn end(&mut self) {
        if self.open.pop() == Some(true) {
            self.line();
        }
        self.block.text.push(b'}');
    }

    fn line(&mut self) {
        self.block.text.push(b'\n');
        let end = self.block.text.len() + self.indent();
        self.block.text.resize(end, b' ');
    }

    /// Returns the indentation of members.
    pub(super) fn indent(&self) -> usize {
        STEP * self.open.len()
    }
}
