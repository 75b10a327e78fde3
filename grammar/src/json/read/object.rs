//! Deserializers of objects, member by member.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::input::{InputContext, PathStep};

/// A member name with its position.
#[derive(Debug, Clone, Default)]
pub(super) struct MemberName {
    /// The name without JSON quotes and escapes.
    pub(super) name: String,
    /// The offset of the name.
    pub(super) at: u64,
}

/// Types that are read from object members.
pub(super) trait ReadMembers {
    /// The noun for messages.
    const WHAT: &'static str;

    /// Reads the value of a member.
    ///
    /// # Errors
    /// Returns mistakes in the value.
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error>;
}

/// Reads the members of an object into a value.
pub(super) struct ObjectVisitor<'c, M> {
    pub(super) context: &'c InputContext,
    pub(super) members: M,
}

impl<'de, M: ReadMembers> DeserializeSeed<'de> for ObjectVisitor<'_, M> {
    type Value = M;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<M, D::Error> {
        self.context.begin(0);
        from.deserialize_map(self)
    }
}

impl<'de, M: ReadMembers> Visitor<'de> for ObjectVisitor<'_, M> {
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
            read.map_err(|e| self.context.inside(PathStep::Member(key.name), e))?;
        }
        Ok(self.members)
    }
}

/// Reads the name of a member.
pub(super) struct KeySeed<'c>(pub(super) &'c InputContext);

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = MemberName;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<MemberName, D::Error> {
        let at = self.0.begin(1);
        let name = String::deserialize(from)?;
        Ok(MemberName { name, at })
    }
}

/// Named entries.
pub(super) struct Entries<T>(pub(super) Vec<(MemberName, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<T: ReadMembers + Default> ReadMembers for Entries<T> {
    const WHAT: &'static str = "an object with a member for each name";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let members = T::default();
        let value = map.next_value_seed(ObjectVisitor { context, members })?;
        self.0.push((key.clone(), value));
        Ok(())
    }
}

/// Reports an unknown member.
pub(super) fn unknown<'de, A: MapAccess<'de>>(
    context: &InputContext,
    key: &MemberName,
    known: &[&str],
    map: &mut A,
) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>()?;
    let what = format!("unknown member, expected one of: {}", known.join(", "));
    Err(context.wrong_at(key.at, what))
}
