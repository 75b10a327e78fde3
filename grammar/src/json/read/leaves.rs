//! Value lists that grow while values are read.

use netcdf_core::error::Result;
use netcdf_core::model::{DataType, Schema, Values};
use serde::de::{DeserializeSeed, Deserializer};

use super::input::InputContext;
use super::levels::Leaf;
use super::text::TextSeed;

/// Appends values to a list.
pub(super) struct ValueLeaf<'a> {
    pub(super) schema: &'a Schema,
    pub(super) ty: DataType,
    pub(super) values: &'a mut Values,
}

/// Like `ValueLeaf`, for characters: the last dimension is a text.
pub(super) struct CharLeaf<'a>(pub(super) &'a mut Vec<u8>);

impl Leaf for CharLeaf<'_> {
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
        let start = self.0.len();
        any_text(self.0, context, from)?;
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        if self.0.len() - start > len {
            let found = self.0.len() - start;
            return Err(context.wrong(format!("the text has {found} bytes, expected {len}")));
        }
        self.0.resize(start + len, 0);
        Ok(())
    }
}

/// Appends a text of any length.
pub(super) fn any_text<'de, D: Deserializer<'de>>(
    out: &mut Vec<u8>,
    context: &InputContext,
    from: D,
) -> std::result::Result<(), D::Error> {
    let mut put = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        Ok(())
    };
    let (put, list) = (&mut put as &mut dyn FnMut(&[u8]) -> Result<()>, true);
    TextSeed { context, put, list }.deserialize(from)
}
