//! Strings, sizes and lists of them.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::input::Context;

/// A word of the text, and its offset.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    /// A string without quotes, or the digits of a number.
    pub(super) text: String,
    /// Its offset.
    pub(super) at: u64,
}

/// What a word is.
pub(super) trait WordKind {
    const WHAT: &'static str;
    /// Whether it is a whole number, possibly in quotes, or a string.
    const NUMBER: bool;
}

/// A name, or another string.
pub(super) struct Text;

impl WordKind for Text {
    const WHAT: &'static str = "a string";
    const NUMBER: bool = false;
}

/// A whole number.
pub(super) struct Whole;

impl WordKind for Whole {
    const WHAT: &'static str = "a whole number";
    const NUMBER: bool = true;
}

/// Reads a word.
pub(super) struct WordSeed<'c, K>(&'c Context, u64, PhantomData<K>);

impl<'c, K: WordKind> WordSeed<'c, K> {
    /// For the value of a member.
    pub(super) fn member(context: &'c Context) -> Self {
        Self(context, 0, PhantomData)
    }

    fn item(context: &'c Context) -> Self {
        Self(context, 1, PhantomData)
    }
}

impl<'de, K: WordKind> DeserializeSeed<'de> for WordSeed<'_, K> {
    type Value = Word;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Word, D::Error> {
        let at = self.0.begin(self.1);
        let text = from.deserialize_any(self)?;
        Ok(Word { text, at })
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

fn number<K: WordKind, E: Error>(context: &Context, digits: String) -> Result<String, E> {
    match K::NUMBER {
        true => Ok(digits),
        false => Err(context.wrong("a number, expected a string")),
    }
}

/// Reads the value of a member, and where it begins.
pub(super) struct Placed<'c, T>(&'c Context, PhantomData<T>);

impl<'c, T> Placed<'c, T> {
    pub(super) fn new(context: &'c Context) -> Self {
        Self(context, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Placed<'_, T> {
    type Value = (T, u64);
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(T, u64), D::Error> {
        let at = self.0.begin(0);
        Ok((T::deserialize(from)?, at))
    }
}

/// Reads a list of words.
pub(super) struct WordList<'c, K>(pub(super) &'c Context, pub(super) PhantomData<K>);

impl<'c, K> WordList<'c, K> {
    pub(super) fn new(context: &'c Context) -> Self {
        Self(context, PhantomData)
    }
}

impl<'de, K: WordKind> DeserializeSeed<'de> for WordList<'_, K> {
    type Value = Vec<Word>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Vec<Word>, D::Error> {
        self.0.begin(0);
        from.deserialize_seq(self)
    }
}

impl<'de, K: WordKind> Visitor<'de> for WordList<'_, K> {
    type Value = Vec<Word>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list with {} per dimension", K::WHAT)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Word>, A::Error> {
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
