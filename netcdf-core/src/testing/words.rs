//! Short functions for names, texts and fields.

use crate::model::{DataType, Field, Name, Values};

/// Returns a stored name.
#[must_use]
pub fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

/// Returns characters.
#[must_use]
pub fn text(value: &str) -> Values {
    Values::Char(value.as_bytes().to_vec())
}

/// Returns strings; `None` for NIL.
#[must_use]
pub fn strings(values: &[Option<&str>]) -> Values {
    let one = |s: &Option<&str>| s.map(|s| s.as_bytes().into());
    Values::String(values.iter().map(one).collect())
}

/// Returns a compound field at offset 0.
pub fn field(field: &str, ty: impl Into<DataType>, dims: &[u64]) -> Field {
    Field {
        name: name(field),
        ty: ty.into(),
        dims: dims.to_vec(),
        offset: 0,
    }
}
