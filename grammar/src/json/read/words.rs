//! Strings, sizes, and lists of strings or sizes.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::input::InputContext;

/// A word of the text with its offset.
#[derive(Debug, Clone, Default)]
pub(super) struct JsonWord {
    /// A string without quotes, or the digits of a number.
    pub(super) text: String,
    /// The offset of the word.
    pub(super) at: u64,
}

/// The kind of a word.
pub(super) trait WordKind {
    const WHAT: &'static str;
    /// Whether the word is a whole number, possibly in quotes.
    const NUMBER: bool;
}

/// A name or another string.
pub(super) struct JsonText;

impl WordKind for JsonText {
    const WHAT: &'static str = "a string";
    const NUMBER: bool = false;
}

/// A whole number.
pub(super) struct WholeNumber;

impl WordKind for WholeNumber {
    const WHAT: &'static str = "a whole number";
    const NUMBER: bool = true;
}

/// Reads a word.
pub(super) struct WordSeed<'c, K>(&'c InputContext, u64, PhantomData<K>);

impl<'c, K: WordKind> WordSeed<'c, K> {
    /// Creates a deserializer for the value of a member.
    pub(super) fn member(context: &'c InputContext) -> Self {
        Self(context, 0, PhantomData)
    }

    fn item(context: &'c InputContext) -> Self {
        Self(context, 1, PhantomData)
    }
}

impl<'de, K: WordKind> DeserializeSeed<'de> for WordSeed<'_, K> {
    type Value = JsonWord;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<JsonWord, D::Error> {
        let at = self.0.begin(self.1);
        let text = from.deserialize_any(self)?;
        Ok(JsonWord { text, at })
    }
}

impl<K: WordKind> Visitor<'_> for WordSeed<'_, K> {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(K::WHAT)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        match K::NUMBER && text.parse::<i128>().is_err() {
            true => Err(self.0.wrong("a string, expected a whole number")),
            false => Ok(text.to_owned()),
        }
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<String, E> {
        number::<K, E>(self.0, value.to_string())
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<String, E> {
        number::<K, E>(self.0, value.to_string())
    }
}

fn number<K: WordKind, E: Error>(context: &InputContext, digits: String) -> Result<String, E> {
    match K::NUMBER {
        true => Ok(digits),
        false => Err(context.wrong("a number, expected a string")),
    }
}

/// Reads the value of a member with its start.
pub(super) struct MemberValue<'c, T>(&'c InputContext, PhantomData<T>);

impl<'c, T> MemberValue<'c, T> {
    pub(super) fn new(context: &'c InputContext) -> Self {
        Self(context, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for MemberValue<'_, T> {
    type Value = (T, u64);
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(T, u64), D::Error> {
        let at = self.0.begin(0);
        Ok((T::deserialize(from)?, at))
    }
}

/// Reads a list of words.
pub(super) struct WordList<'c, K>(pub(super) &'c InputContext, pub(super) PhantomData<K>);

impl<'c, K> WordList<'c, K> {
    pub(super) fn new(context: &'c InputContext) -> Self {
        Self(context, PhantomData)
    }
}

impl<'de, K: WordKind> DeserializeSeed<'de> for WordList<'_, K> {
    type Value = Vec<JsonWord>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Vec<JsonWord>, D::Error> {
        self.0.begin(0);
        from.deserialize_seq(self)
    }
}

impl<'de, K: WordKind> Visitor<'de> for WordList<'_, K> {
    type Value = Vec<JsonWord>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list with {} per dimension", K::WHAT)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<JsonWord>, A::Error> {
        let mut words = vec![];
        while let Some(word) =
            self.0
                .item(&mut list, words.len() as u64, WordSeed::<K>::item(self.0))?
        {
            words.push(word);
        }
        Ok(words)
    }
}
