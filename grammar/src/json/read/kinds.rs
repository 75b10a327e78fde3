//! Deserializers of strings and of the classes of user-defined types.

use std::fmt;

use netcdf_core::model::{Field, Name, Schema, Values};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::input::{InputContext, PathStep};
use super::leaves::{CharLeaf, ValueLeaf};
use super::levels::ArrayLevel;
use super::object::KeySeed;
use super::text::read_base64;
use crate::escape::{trim_nuls, unescape_name};

/// Accepts a string or NIL.
pub(super) struct StringVisitor<'c>(pub(super) &'c InputContext);

impl<'de> Visitor<'de> for StringVisitor<'_> {
    type Value = Option<Box<[u8]>>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, null, or an object with `base64`")
    }
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.as_bytes().into()))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Ok(Some(read_base64(self.0, map)?.into()))
    }
}

/// Accepts an enum member by name or number.
pub(super) struct EnumVisitor<'a> {
    pub(super) context: &'a InputContext,
    pub(super) members: &'a [(Name, i128)],
}

impl Visitor<'_> for EnumVisitor<'_> {
    type Value = i128;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member, or a whole number")
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<i128, E> {
        Ok(value.into())
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<i128, E> {
        Ok(value.into())
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<i128, E> {
        let mut name = vec![];
        unescape_name(text.as_bytes(), &mut name);
        let named = |(member, _): &&(Name, i128)| trim_nuls(member.as_bytes()) == name;
        let found = self.members.iter().find(named).map(|(_, value)| *value);
        let number = || text.parse().ok();
        found.or_else(number).ok_or_else(|| {
            let what = format!("the enum has no member {text:?}");
            self.context.wrong(what)
        })
    }
}

/// Accepts an opaque value of this size in bytes.
pub(super) struct OpaqueVisitor<'c>(pub(super) &'c InputContext, pub(super) usize);

impl Visitor<'_> for OpaqueVisitor<'_> {
    type Value = Vec<u8>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`0x` and {} hexadecimal digits",
            self.1.saturating_mul(2)
        )
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
        let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        let bytes = digits.and_then(hexadecimal);
        bytes.filter(|bytes| bytes.len() == self.1).ok_or_else(|| {
            let digits = self.1.saturating_mul(2);
            let what = format!("expected `0x` and {digits} hexadecimal digits");
            self.0.wrong(what)
        })
    }
}

fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let pairs = pairs.iter();
    let bytes = pairs.map(|[high, low]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok());
    bytes.collect()
}

/// Reads a list of any length.
pub(super) struct AnyLength<'c, 'l, 'v>(
    pub(super) &'c InputContext,
    pub(super) &'l mut ValueLeaf<'v>,
);

impl<'de> DeserializeSeed<'de> for AnyLength<'_, '_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for AnyLength<'_, '_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self(context, leaf) = self;
        for i in 0.. {
            if context
                .item(&mut list, i, ArrayLevel::item(context, &[], leaf))?
                .is_none()
            {
                break;
            }
        }
        Ok(())
    }
}

/// Accepts a compound value: a value for each field, in any order.
pub(super) struct Compound<'a> {
    pub(super) context: &'a InputContext,
    pub(super) schema: &'a Schema,
    pub(super) fields: &'a [Field],
    pub(super) columns: &'a mut [Values],
}

impl<'de> Visitor<'de> for Compound<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a member for each field")
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let (context, start) = (self.context, self.context.begin(1));
        let mut seen = vec![false; self.fields.len()];
        while let Some(key) = map.next_key_seed(KeySeed(context))? {
            let read = self.member(&key.name, &mut seen, &mut map);
            read.map_err(|e| context.inside(PathStep::Member(key.name), e))?;
        }
        let missing = self.fields.iter().zip(seen).find(|(_, seen)| !seen);
        match missing {
            None => Ok(()),
            Some((field, _)) => {
                let what = format!("the field `{}` is missing", field.name);
                Err(context.wrong_at(start, what))
            }
        }
    }
}

impl Compound<'_> {
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        seen: &mut [bool],
        map: &mut A,
    ) -> Result<(), A::Error> {
        let mut bytes = vec![];
        unescape_name(name.as_bytes(), &mut bytes);
        let named = |field: &Field| trim_nuls(field.name.as_bytes()) == bytes;
        let place = self.fields.iter().position(named);
        let found = place.and_then(|i| {
            let field = self.fields.get(i)?;
            Some((field, self.columns.get_mut(i)?, seen.get_mut(i)?))
        });
        let Some((field, column, seen)) = found else {
            return Err(self.context.wrong("unknown field"));
        };
        if std::mem::replace(seen, true) {
            return Err(self.context.wrong("this name occurs twice"));
        }
        let (context, shape) = (self.context, field.dims.as_slice());
        if let Values::Char(text) = column {
            return map.next_value_seed(ArrayLevel::value(context, shape, &mut CharLeaf(text)));
        }
        let leaf = &mut ValueLeaf {
            schema: self.schema,
            ty: field.ty,
            values: column,
        };
        map.next_value_seed(ArrayLevel::value(context, shape, leaf))
    }
}
