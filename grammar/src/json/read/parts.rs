//! The parts of a dataset, as the text has them. Of data, only the place is kept.

use std::fmt;
use std::ops::Range;

use netcdf_core::Result;
use netcdf_core::io::Source;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::input::{Context, Failure, Input};
use super::object::{Entries, Key, Members, Object, unknown};
use super::words::{Placed, Text, Whole, Word, WordList, WordSeed};
use crate::cdl::ReadOptions;

/// A dataset.
#[derive(Default)]
pub(super) struct DatasetPart {
    pub(super) name: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) root: GroupPart,
}

/// A group.
#[derive(Default)]
pub(super) struct GroupPart {
    pub(super) types: Vec<(Key, TypePart)>,
    pub(super) dims: Vec<(Key, DimensionPart)>,
    pub(super) attributes: Vec<(Key, AttributePart)>,
    pub(super) variables: Vec<(Key, VariablePart)>,
    pub(super) groups: Vec<(Key, GroupPart)>,
}

/// A dimension.
#[derive(Default)]
pub(super) struct DimensionPart {
    pub(super) size: Option<Word>,
    pub(super) unlimited: bool,
}

/// A type; which members it has to have depends on its class.
#[derive(Default)]
pub(super) struct TypePart {
    pub(super) class: Option<Word>,
    pub(super) size: Option<Word>,
    pub(super) base: Option<Word>,
    pub(super) members: Option<Vec<(Key, Word)>>,
    pub(super) fields: Option<Vec<(Key, FieldPart)>>,
}

/// A field of a compound type.
#[derive(Default)]
pub(super) struct FieldPart {
    pub(super) ty: Option<Word>,
    pub(super) shape: Vec<Word>,
}

/// An attribute; its values are read once its type is known.
#[derive(Default)]
pub(super) struct AttributePart {
    pub(super) ty: Option<Word>,
    pub(super) data: Option<(Box<RawValue>, u64)>,
}

/// A variable.
#[derive(Default)]
pub(super) struct VariablePart {
    pub(super) ty: Option<Word>,
    pub(super) shape: Vec<Word>,
    pub(super) attributes: Vec<(Key, AttributePart)>,
    /// Where its data is, and in which line it begins.
    pub(super) data: Option<(Range<u64>, u32)>,
}

/// Reads the parts of a text. The inner result is the first mistake.
///
/// # Errors
/// Errors of the source.
pub(super) fn parse(
    source: &dyn Source,
    options: &ReadOptions,
) -> Result<std::result::Result<DatasetPart, Failure>> {
    let mut mark = [0; 3];
    let marked = source.len() >= 3 && source.read_at(0, &mut mark).is_ok();
    let context = Context::new(if marked && mark == *b"\xef\xbb\xbf" {
        3
    } else {
        0
    });
    context.allow(options.limits.metadata);
    let mut from = serde_json::Deserializer::from_reader(Input::new(source, &context));
    let object = Object {
        context: &context,
        members: DatasetPart::default(),
    };
    let read = object.deserialize(&mut from);
    match read.and_then(|part| from.end().map(|()| part)) {
        Ok(part) => Ok(Ok(part)),
        Err(e) => context.failure(&e).map(Err),
    }
}

impl Members for DatasetPart {
    const WHAT: &'static str = "an object: a dataset";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let text = WordSeed::<Text>::member(context);
        match key.name.as_str() {
            "name" => self.name = Some(map.next_value_seed(text)?.text),
            "kind" => self.kind = Some(map.next_value_seed(text)?.text),
            "$schema" => {
                map.next_value::<IgnoredAny>()?;
            }
            _ => return self.root.member(context, key, map),
        }
        Ok(())
    }
}

impl Members for GroupPart {
    const WHAT: &'static str = "an object: a group";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        const KNOWN: &[&str] = &["types", "dimensions", "attributes", "variables", "groups"];
        match key.name.as_str() {
            "types" => self.types = map.next_value_seed(entries(context))?.0,
            "dimensions" => self.dims = map.next_value_seed(dimensions(context))?.0,
            "attributes" => self.attributes = map.next_value_seed(entries(context))?.0,
            "variables" => self.variables = map.next_value_seed(entries(context))?.0,
            "groups" => self.groups = map.next_value_seed(entries(context))?.0,
            _ => return unknown(context, key, KNOWN, map),
        }
        Ok(())
    }
}

/// Reads things with names.
fn entries<T>(context: &Context) -> Object<'_, Entries<T>> {
    let members = Entries::default();
    Object { context, members }
}

/// Reads dimensions.
fn dimensions(context: &Context) -> Object<'_, Dimensions> {
    let members = Dimensions::default();
    Object { context, members }
}

/// Dimensions: sizes, or objects.
#[derive(Default)]
struct Dimensions(Vec<(Key, DimensionPart)>);

impl Members for Dimensions {
    const WHAT: &'static str = "an object with a size for each name";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let dim = map.next_value_seed(DimensionSeed(context))?;
        self.0.push((key.clone(), dim));
        Ok(())
    }
}

struct DimensionSeed<'c>(&'c Context);

impl<'de> DeserializeSeed<'de> for DimensionSeed<'_> {
    type Value = DimensionPart;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<DimensionPart, D::Error> {
        self.0.begin(0);
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DimensionSeed<'_> {
    type Value = DimensionPart;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size, or an object with `size` and `unlimited`")
    }
    fn visit_u64<E: Error>(self, size: u64) -> Result<DimensionPart, E> {
        Ok(DimensionPart {
            size: Some(Word {
                text: size.to_string(),
                at: self.0.begin(1),
            }),
            unlimited: false,
        })
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DimensionPart, A::Error> {
        let object = Object {
            context: self.0,
            members: DimensionPart::default(),
        };
        object.visit_map(map)
    }
}

impl Members for DimensionPart {
    const WHAT: &'static str = "a size, or an object with `size` and `unlimited`";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key.name.as_str() {
            "size" => {
                self.size = Some(map.next_value_seed(WordSeed::<Whole>::member(context))?);
            }
            "unlimited" => {
                self.unlimited = map.next_value_seed(Placed::<bool>::new(context))?.0;
            }
            _ => return unknown(context, key, &["size", "unlimited"], map),
        }
        Ok(())
    }
}

impl Members for TypePart {
    const WHAT: &'static str = "an object: a type";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        const KNOWN: &[&str] = &["class", "size", "base", "members", "fields"];
        let (text, whole) = (
            WordSeed::<Text>::member(context),
            WordSeed::<Whole>::member(context),
        );
        match key.name.as_str() {
            "class" => self.class = Some(map.next_value_seed(text)?),
            "base" => self.base = Some(map.next_value_seed(text)?),
            "size" => self.size = Some(map.next_value_seed(whole)?),
            "fields" => self.fields = Some(map.next_value_seed(entries(context))?.0),
            "members" => {
                let members = EnumMembers::default();
                self.members = Some(map.next_value_seed(Object { context, members })?.0);
            }
            _ => return unknown(context, key, KNOWN, map),
        }
        Ok(())
    }
}

/// The members of an enum.
#[derive(Default)]
struct EnumMembers(Vec<(Key, Word)>);

impl Members for EnumMembers {
    const WHAT: &'static str = "an object with a number for each name";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let value = map.next_value_seed(WordSeed::<Whole>::member(context))?;
        self.0.push((key.clone(), value));
        Ok(())
    }
}

impl Members for FieldPart {
    const WHAT: &'static str = "an object: a field";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key.name.as_str() {
            "type" => self.ty = Some(map.next_value_seed(WordSeed::<Text>::member(context))?),
            "shape" => self.shape = map.next_value_seed(WordList::<Whole>::new(context))?,
            _ => return unknown(context, key, &["type", "shape"], map),
        }
        Ok(())
    }
}

impl Members for AttributePart {
    const WHAT: &'static str = "an object with `type` and `data`: an attribute";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key.name.as_str() {
            "type" => self.ty = Some(map.next_value_seed(WordSeed::<Text>::member(context))?),
            "data" => {
                let placed = Placed::<Box<RawValue>>::new(context);
                self.data = Some(map.next_value_seed(placed)?);
            }
            _ => return unknown(context, key, &["type", "data"], map),
        }
        Ok(())
    }
}

impl Members for VariablePart {
    const WHAT: &'static str = "an object: a variable";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &Context,
        key: &Key,
        map: &mut A,
    ) -> Result<(), A::Error> {
        const KNOWN: &[&str] = &["type", "shape", "attributes", "data"];
        match key.name.as_str() {
            "type" => self.ty = Some(map.next_value_seed(WordSeed::<Text>::member(context))?),
            "shape" => self.shape = map.next_value_seed(WordList::<Text>::new(context))?,
            "attributes" => self.attributes = map.next_value_seed(entries(context))?.0,
            "data" => {
                let (most, line) = (context.allow_all(), context.line());
                let (_, start) = map.next_value_seed(Placed::<IgnoredAny>::new(context))?;
                // Data is not kept.
                context.allow_until(most.saturating_add(context.at() - start));
                self.data = Some((start..context.at(), line));
            }
            _ => return unknown(context, key, KNOWN, map),
        }
        Ok(())
    }
}
