//! Deserializers of texts: a string, an object with base64, or a list of strings and objects to join.

use std::fmt;

use netcdf_core::Error;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::input::{InputContext, PathStep};
use super::object::KeySeed;
use netcdf_core::bytes::base64;

/// Passes the bytes of a text to a function.
pub(super) struct TextSeed<'a> {
    pub(super) context: &'a InputContext,
    /// The receiver of the bytes.
    pub(super) put: &'a mut dyn FnMut(&[u8]) -> Result<(), Error>,
    /// Whether a list is allowed.
    pub(super) list: bool,
}

impl<'de> DeserializeSeed<'de> for TextSeed<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl TextSeed<'_> {
    fn take<E: de::Error>(self, bytes: &[u8]) -> Result<(), E> {
        (self.put)(bytes).map_err(|e| self.context.stop(e))
    }
}

impl<'de> Visitor<'de> for TextSeed<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an object with `base64`")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.take(text.as_bytes())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let key = map.next_key_seed(KeySeed(self.context))?;
        if key.as_ref().is_none_or(|key| key.name != "base64") {
            return Err(self.context.wrong("an object without `base64`"));
        }
        let text: String = map.next_value()?;
        let Some(bytes) = base64::decode(text.as_bytes()) else {
            return Err(self.context.wrong("the string is not base64"));
        };
        match map.next_key_seed(KeySeed(self.context))? {
            None => self.take(&bytes),
            Some(_) => Err(self.context.wrong("unknown member, expected only `base64`")),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if !self.list {
            return Err(self.context.wrong("a list, expected a string"));
        }
        for i in 0.. {
            let piece = list.next_element_seed(TextSeed {
                context: self.context,
                put: &mut *self.put,
                list: false,
            });
            let piece = piece.map_err(|e| self.context.inside(PathStep::Item(i), e))?;
            if piece.is_none() {
                break;
            }
        }
        Ok(())
    }
}
