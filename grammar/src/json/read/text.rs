//! Deserializers of texts: a string, an object with base64, or a list of strings and objects to join.

use std::fmt;

use netcdf_core::Error;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::input::InputContext;
use super::object::KeySeed;
use netcdf_core::bytes::base64;

/// Takes the bytes of a text.
type Put<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), Error>;

/// Reads a text, and passes the bytes to `put`.
pub(super) fn read_text<'de, D: Deserializer<'de>>(
    context: &InputContext,
    from: D,
    put: Put<'_>,
) -> Result<(), D::Error> {
    let list = true;
    TextSeed { context, put, list }.deserialize(from)
}

/// Appends a text of any length.
pub(super) fn append_text<'de, D: Deserializer<'de>>(
    out: &mut Vec<u8>,
    context: &InputContext,
    from: D,
) -> Result<(), D::Error> {
    read_text(context, from, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })
}

/// Reads the members of an object with base64.
pub(super) fn read_base64<'de, A: MapAccess<'de>>(
    context: &InputContext,
    mut map: A,
) -> Result<Vec<u8>, A::Error> {
    let key = map.next_key_seed(KeySeed(context))?;
    if key.as_ref().is_none_or(|key| key.name != "base64") {
        return Err(context.wrong("an object without `base64`"));
    }
    let text: String = map.next_value()?;
    let Some(bytes) = base64::decode(text.as_bytes()) else {
        return Err(context.wrong("the string is not base64"));
    };
    match map.next_key_seed(KeySeed(context))? {
        None => Ok(bytes),
        Some(_) => Err(context.wrong("no such member, expected only `base64`")),
    }
}

/// Passes the bytes of a text to a function.
struct TextSeed<'a> {
    context: &'a InputContext,
    put: Put<'a>,
    /// Whether a list may stand here.
    list: bool,
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
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let bytes = read_base64(self.context, map)?;
        self.take(&bytes)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self { context, put, .. } = self;
        if !self.list {
            return Err(context.wrong("a list, expected a string"));
        }
        for i in 0.. {
            let (put, list) = (&mut *put, false);
            let text = TextSeed { context, put, list };
            if context.item(&mut items, i, text)?.is_none() {
                break;
            }
        }
        Ok(())
    }
}
