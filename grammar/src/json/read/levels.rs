//! Nested arrays: one level per dimension, each of exactly the dimension's length.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};

use super::input::InputContext;

/// Accepts the values of an array one by one, in row-major order.
pub(super) trait Leaf {
    /// Whether the last dimension is one text.
    const TEXT: bool;

    /// Accepts a value.
    ///
    /// # Errors
    /// Returns mistakes in the value.
    fn one<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        from: D,
    ) -> Result<(), D::Error>;

    /// Accepts a text of `len` characters. If the last dimension is not a text, accepts a value.
    ///
    /// # Errors
    /// Returns mistakes in the text.
    fn text<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        _len: u64,
        from: D,
    ) -> Result<(), D::Error> {
        self.one(context, from)
    }
}

/// Reads an array into a leaf.
pub(super) struct ArrayLevel<'a, L> {
    context: &'a InputContext,
    /// The lengths of this and the inner dimensions.
    shape: &'a [u64],
    leaf: &'a mut L,
    /// Bytes of the value that were read already.
    read: u64,
}

impl<'a, L> ArrayLevel<'a, L> {
    /// For an unread value.
    pub(super) fn value(context: &'a InputContext, shape: &'a [u64], leaf: &'a mut L) -> Self {
        let read = 0;
        Self {
            context,
            shape,
            leaf,
            read,
        }
    }

    /// For a list item whose first byte was read.
    pub(super) fn item(context: &'a InputContext, shape: &'a [u64], leaf: &'a mut L) -> Self {
        let read = 1;
        Self {
            context,
            shape,
            leaf,
            read,
        }
    }
}

impl<'de, L: Leaf> DeserializeSeed<'de> for ArrayLevel<'_, L> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        self.context.begin(self.read);
        match self.shape {
            [] => self.leaf.one(self.context, from),
            [len] if L::TEXT => self.leaf.text(self.context, *len, from),
            _ => from.deserialize_seq(self),
        }
    }
}

impl<'de, L: Leaf> Visitor<'de> for ArrayLevel<'_, L> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape.first() {
            Some(len) => write!(f, "a list of {len} items"),
            None => f.write_str("a value"),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Some((&len, shape)) = self.shape.split_first() else {
            return Err(A::Error::custom("a list, expected a value"));
        };
        let context = self.context;
        for i in 0..len {
            let level = ArrayLevel::item(context, shape, &mut *self.leaf);
            if context.item(&mut list, i, level)?.is_none() {
                return Err(short(context, len, i));
            }
        }
        context.item(&mut list, len, Excess { context, len })?;
        Ok(())
    }
}

#[cold]
fn short<E: serde::de::Error>(context: &InputContext, len: u64, found: u64) -> E {
    let at = context.begin(1);
    context.wrong_at(at, format!("the list has {found} items, expected {len}"))
}

/// An item after the last one.
struct Excess<'c> {
    context: &'c InputContext,
    len: u64,
}

impl<'de> DeserializeSeed<'de> for Excess<'_> {
    type Value = IgnoredAny;
    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<IgnoredAny, D::Error> {
        self.context.begin(1);
        let what = format!("the list has more items than the expected {}", self.len);
        Err(self.context.wrong(what))
    }
}
