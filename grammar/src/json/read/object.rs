//! Objects, member by member.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::input::{Context, Step};

/// The name of a member, and its position.
#[derive(Debug, Clone, Default)]
pub(super) struct Key {
    /// The name, without JSON's quotes and escapes.
    pub(super) name: String,
    /// Its offset.
    pub(super) at: u64,
}

/// What has members.
pub(super) trait Members {
    /// What the object is, for messages.
    const WHAT: &'static str;

    /// Reads the value of a member.
    ///
    /// # Errors
    /// Mistakes in it.
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error>;
}

/// Reads an object into something.
pub(super) struct Object<'c, M> {
    pub(super) context: &'c Context,
    pub(super) members: M,
}

impl<'de, M: Members> DeserializeSeed<'de> for Object<'_, M> {
    type Value = M;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<M, D::Error> {
        self.context.begin(0);
        from.deserialize_map(self)
    }
}

impl<'de, M: Members> Visitor<'de> for Object<'_, M> {
    type Value = M;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(M::WHAT)
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<M, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key_seed(KeySeed(self.context))? {
            let read = match seen.insert(key.name.clone()) {
                true => self.members.member(self.context, &key, &mut map),
                false => Err(self.context.wrong_at(key.at, "this name occurs twice")),
            };
            read.map_err(|e| self.context.inside(Step::Member(key.name), e))?;
        }
        Ok(self.members)
    }
}

/// Reads the name of a member.
pub(super) struct KeySeed<'c>(pub(super) &'c Context);

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Key;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Key, D::Error> {
        let at = self.0.begin(1);
        let name = String::deserialize(from)?;
        Ok(Key { name, at })
    }
}

/// Things with names.
pub(super) struct Entries<T>(pub(super) Vec<(Key, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<T: Members + Default> Members for Entries<T> {
    const WHAT: &'static str = "an object with a member for each name";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let members = T::default();
        let value = map.next_value_seed(Object { context, members })?;
        self.0.push((key.clone(), value));
        Ok(())
    }
}

/// A member that is not known.
pub(super) fn unknown<'de, A: MapAccess<'de>>(
    context: &Context,
    key: &Key,
    known: &[&str],
    map: &mut A,
) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>()?;
    let what = format!("no such member, expected one of: {}", known.join(", "));
    Err(context.wrong_at(key.at, what))
}
