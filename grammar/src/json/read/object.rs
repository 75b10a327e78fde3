//! Deserializers of objects, member by member.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::input::{InputContext, PathStep};
use super::words::{JsonText, JsonWord, MemberValue, WholeNumber, WordKind, WordList, WordSeed};

/// A member name with its position.
#[derive(Debug, Clone, Default)]
pub(super) struct MemberName {
    /// The name without JSON quotes and escapes.
    pub(super) name: String,
    /// The offset of the name.
    pub(super) at: u64,
}

/// What has members.
pub(super) trait ReadMembers: Default {
    /// The object, for messages.
    const WHAT: &'static str;
    /// The object with an object of this type for each name, for messages.
    const ENTRIES: &'static str = "an object with a member for each name";

    /// Reads the value of a member.
    ///
    /// # Errors
    /// Mistakes in it.
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error>;

    /// Reads the object as the value of a member.
    ///
    /// # Errors
    /// Mistakes in it.
    fn entry<'de, A: MapAccess<'de>>(from: Member<'_, A>) -> Result<Self, A::Error> {
        from.object()
    }
}

/// A member with an unread value.
pub(super) struct Member<'m, A> {
    pub(super) context: &'m InputContext,
    pub(super) key: &'m MemberName,
    map: &'m mut A,
}

impl<'de, A: MapAccess<'de>> Member<'_, A> {
    /// Reads the value with a seed.
    pub(super) fn value<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.map.next_value_seed(seed)
    }

    /// Reads an object.
    pub(super) fn object<M: ReadMembers>(self) -> Result<M, A::Error> {
        let context = self.context;
        self.value(ObjectVisitor::new(context))
    }

    /// Reads an object with a member for each name.
    pub(super) fn entries<M: ReadMembers>(self) -> Result<Vec<(MemberName, M)>, A::Error> {
        Ok(self.object::<Entries<M>>()?.0)
    }

    /// Reads a string.
    pub(super) fn text(self) -> Result<JsonWord, A::Error> {
        let context = self.context;
        self.value(WordSeed::<JsonText>::member(context))
    }

    /// Reads a whole number.
    pub(super) fn whole(self) -> Result<JsonWord, A::Error> {
        let context = self.context;
        self.value(WordSeed::<WholeNumber>::member(context))
    }

    /// Reads a list of words.
    pub(super) fn words<K: WordKind>(self) -> Result<Vec<JsonWord>, A::Error> {
        let context = self.context;
        self.value(WordList::<K>::new(context))
    }

    /// Reads a value; returns the value and its offset.
    pub(super) fn placed<T: Deserialize<'de>>(self) -> Result<(T, u64), A::Error> {
        let context = self.context;
        self.value(MemberValue::<T>::new(context))
    }

    /// Skips the value.
    pub(super) fn skip(self) -> Result<(), A::Error> {
        self.map.next_value::<IgnoredAny>().map(|_| ())
    }

    /// Skips the value, and reports that the name is not one of these.
    pub(super) fn unknown(self, known: &[&str]) -> Result<(), A::Error> {
        let (context, at) = (self.context, self.key.at);
        self.skip()?;
        let what = format!("no such member, expected one of: {}", known.join(", "));
        Err(context.wrong_at(at, what))
    }
}

/// Reads an object.
pub(super) struct ObjectVisitor<'c, M>(&'c InputContext, PhantomData<M>);

impl<'c, M> ObjectVisitor<'c, M> {
    pub(super) fn new(context: &'c InputContext) -> Self {
        Self(context, PhantomData)
    }
}

impl<'de, M: ReadMembers> DeserializeSeed<'de> for ObjectVisitor<'_, M> {
    type Value = M;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<M, D::Error> {
        self.0.begin(0);
        from.deserialize_map(self)
    }
}

impl<'de, M: ReadMembers> Visitor<'de> for ObjectVisitor<'_, M> {
    type Value = M;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(M::WHAT)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<M, A::Error> {
        let (context, mut members, mut seen) = (self.0, M::default(), HashSet::new());
        while let Some(key) = map.next_key_seed(KeySeed(context))? {
            let member = Member {
                context,
                key: &key,
                map: &mut map,
            };
            let read = match seen.insert(key.name.clone()) {
                true => members.member(member),
                false => Err(context.wrong_at(key.at, "this name occurs twice")),
            };
            read.map_err(|e| context.inside(PathStep::Member(key.name), e))?;
        }
        Ok(members)
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

/// Objects with names.
struct Entries<M>(Vec<(MemberName, M)>);

impl<M> Default for Entries<M> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<M: ReadMembers> ReadMembers for Entries<M> {
    const WHAT: &'static str = M::ENTRIES;
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        self.0.push((from.key.clone(), M::entry(from)?));
        Ok(())
    }
}
