//! Value lists that grow while values are read.

use netcdf_core::error::Result;
use netcdf_core::model::{DataType, Schema, Values};
use serde::de::Deserializer;

use super::input::InputContext;
use super::levels::Leaf;
use super::text::read_text;

/// Maximum length of the text of a value or a string in bytes.
pub(super) const VALUE_TEXT: u64 = 1 << 29;

/// Appends values to a list.
pub(super) struct ValueLeaf<'a> {
    pub(super) schema: &'a Schema,
    pub(super) ty: DataType,
    pub(super) values: &'a mut Values,
}

/// Collects characters.
pub(super) trait CharSink {
    /// Whether the characters leave memory, so that each string may have the maximum length.
    const STREAMED: bool;

    /// Appends characters.
    ///
    /// # Errors
    /// Errors of the sink.
    fn characters(&mut self, text: &[u8]) -> Result<()>;

    /// Appends zeros for characters that a text omits.
    ///
    /// # Errors
    /// Errors of the sink.
    fn zeros(&mut self, count: u64) -> Result<()>;
}

impl CharSink for &mut Vec<u8> {
    const STREAMED: bool = false;
    fn characters(&mut self, text: &[u8]) -> Result<()> {
        self.extend_from_slice(text);
        Ok(())
    }
    fn zeros(&mut self, count: u64) -> Result<()> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.resize(self.len().saturating_add(count), 0);
        Ok(())
    }
}

/// Passes characters on: the last dimension is a text.
pub(super) struct CharLeaf<S>(pub(super) S);

impl<S: CharSink> Leaf for CharLeaf<S> {
    const TEXT: bool = true;
    fn one<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        from: D,
    ) -> std::result::Result<(), D::Error> {
        self.text(context, 1, from)
    }
    fn text<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        len: u64,
        from: D,
    ) -> std::result::Result<(), D::Error> {
        let (mut found, sink) = (0u64, &mut self.0);
        let allow = || {
            if S::STREAMED {
                context.allow(VALUE_TEXT);
            }
        };
        allow();
        read_text(context, from, &mut |bytes| {
            found += bytes.len() as u64;
            // An excess is reported below.
            allow();
            match found <= len {
                true => sink.characters(bytes),
                false => Ok(()),
            }
        })?;
        match len.checked_sub(found) {
            Some(zeros) => sink.zeros(zeros).map_err(|e| context.stop(e)),
            None => Err(context.wrong(format!("the text has {found} bytes, expected {len}"))),
        }
    }
}
