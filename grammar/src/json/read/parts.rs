//! The parsed parts of a dataset. Only the position of data is stored.

use std::fmt;
use std::ops::Range;

use netcdf_core::Result;
use netcdf_core::io::Source;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::input::{InputContext, ReadFailure, SourceInput};
use super::object::{Entries, MemberName, ObjectVisitor, ReadMembers, unknown};
use super::words::{JsonText, JsonWord, MemberValue, WholeNumber, WordList, WordSeed};
use crate::cdl::ReadOptions;

/// A dataset.
#[derive(Default)]
pub(super) struct DatasetPart {
    pub(super) name: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) root: JsonGroup,
}

/// A group.
#[derive(Default)]
pub(super) struct JsonGroup {
    pub(super) types: Vec<(MemberName, TypePart)>,
    pub(super) dims: Vec<(MemberName, DimensionPart)>,
    pub(super) attributes: Vec<(MemberName, AttributePart)>,
    pub(super) variables: Vec<(MemberName, VariablePart)>,
    pub(super) groups: Vec<(MemberName, JsonGroup)>,
}

/// A dimension.
#[derive(Default)]
pub(super) struct DimensionPart {
    pub(super) size: Option<JsonWord>,
    pub(super) unlimited: bool,
}

/// A type. The required members depend on the class.
#[derive(Default)]
pub(super) struct TypePart {
    pub(super) class: Option<JsonWord>,
    pub(super) size: Option<JsonWord>,
    pub(super) base: Option<JsonWord>,
    pub(super) members: Option<Vec<(MemberName, JsonWord)>>,
    pub(super) fields: Option<Vec<(MemberName, FieldPart)>>,
}

/// A field of a compound type.
#[derive(Default)]
pub(super) struct FieldPart {
    pub(super) ty: Option<JsonWord>,
    pub(super) shape: Vec<JsonWord>,
}

/// An attribute. The values are parsed when the type is known.
#[derive(Default)]
pub(super) struct AttributePart {
    pub(super) ty: Option<JsonWord>,
    pub(super) data: Option<(Box<RawValue>, u64)>,
}

/// A variable.
#[derive(Default)]
pub(super) struct VariablePart {
    pub(super) ty: Option<JsonWord>,
    pub(super) shape: Vec<JsonWord>,
    pub(super) attributes: Vec<(MemberName, AttributePart)>,
    /// The byte range and the first line of the data.
    pub(super) data: Option<(Range<u64>, u32)>,
}

/// Parses the parts of a text. The inner result is the first mistake.
///
/// # Errors
/// Returns errors of the source.
pub(super) fn parse(
    source: &dyn Source,
    options: &ReadOptions,
) -> Result<std::result::Result<DatasetPart, ReadFailure>> {
    let mut mark = [0; 3];
    let marked = source.len() >= 3 && source.read_at(0, &mut mark).is_ok();
    let context = InputContext::new(if marked && mark == *b"\xef\xbb\xbf" {
        3
    } else {
        0
    });
    context.allow(options.limits.metadata);
    let mut from = serde_json::Deserializer::from_reader(SourceInput::new(source, &context));
    let object = ObjectVisitor {
        context: &context,
        members: DatasetPart::default(),
    };
    let read = object.deserialize(&mut from);
    match read.and_then(|part| from.end().map(|()| part)) {
        Ok(part) => Ok(Ok(part)),
        Err(e) => context.failure(&e).map(Err),
    }
}

impl ReadMembers for DatasetPart {
    const WHAT: &'static str = "an object: a dataset";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let text = WordSeed::<JsonText>::member(context);
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

impl ReadMembers for JsonGroup {
    const WHAT: &'static str = "an object: a group";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
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

/// Reads named entries.
fn entries<T>(context: &InputContext) -> ObjectVisitor<'_, Entries<T>> {
    let members = Entries::default();
    ObjectVisitor { context, members }
}

/// Reads dimensions.
fn dimensions(context: &InputContext) -> ObjectVisitor<'_, Dimensions> {
    let members = Dimensions::default();
    ObjectVisitor { context, members }
}

/// Dimensions: sizes or objects.
#[derive(Default)]
struct Dimensions(Vec<(MemberName, DimensionPart)>);

impl ReadMembers for Dimensions {
    const WHAT: &'static str = "an object with a size for each name";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let dim = map.next_value_seed(DimensionSeed(context))?;
        self.0.push((key.clone(), dim));
        Ok(())
    }
}

struct DimensionSeed<'c>(&'c InputContext);

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
            size: Some(JsonWord {
                text: size.to_string(),
                at: self.0.begin(1),
            }),
            unlimited: false,
        })
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DimensionPart, A::Error> {
        let object = ObjectVisitor {
            context: self.0,
            members: DimensionPart::default(),
        };
        object.visit_map(map)
    }
}

impl ReadMembers for DimensionPart {
    const WHAT: &'static str = "a size, or an object with `size` and `unlimited`";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key.name.as_str() {
            "size" => {
                self.size = Some(map.next_value_seed(WordSeed::<WholeNumber>::member(context))?);
            }
            "unlimited" => {
                self.unlimited = map.next_value_seed(MemberValue::<bool>::new(context))?.0;
            }
            _ => return unknown(context, key, &["size", "unlimited"], map),
        }
        Ok(())
    }
}

impl ReadMembers for TypePart {
    const WHAT: &'static str = "an object: a type";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        const KNOWN: &[&str] = &["class", "size", "base", "members", "fields"];
        let (text, whole) = (
            WordSeed::<JsonText>::member(context),
            WordSeed::<WholeNumber>::member(context),
        );
        match key.name.as_str() {
            "class" => self.class = Some(map.next_value_seed(text)?),
            "base" => self.base = Some(map.next_value_seed(text)?),
            "size" => self.size = Some(map.next_value_seed(whole)?),
            "fields" => self.fields = Some(map.next_value_seed(entries(context))?.0),
            "members" => {
                let members = EnumMembers::default();
                self.members = Some(map.next_value_seed(ObjectVisitor { context, members })?.0);
            }
            _ => return unknown(context, key, KNOWN, map),
        }
        Ok(())
    }
}

/// The members of an enum.
#[derive(Default)]
struct EnumMembers(Vec<(MemberName, JsonWord)>);

impl ReadMembers for EnumMembers {
    const WHAT: &'static str = "an object with a number for each name";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let value = map.next_value_seed(WordSeed::<WholeNumber>::member(context))?;
        self.0.push((key.clone(), value));
        Ok(())
    }
}

impl ReadMembers for FieldPart {
    const WHAT: &'static str = "an object: a field";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key.name.as_str() {
            "type" => self.ty = Some(map.next_value_seed(WordSeed::<JsonText>::member(context))?),
            "shape" => self.shape = map.next_value_seed(WordList::<WholeNumber>::new(context))?,
            _ => return unknown(context, key, &["type", "shape"], map),
        }
        Ok(())
    }
}

impl ReadMembers for AttributePart {
    const WHAT: &'static str = "an object with `type` and `data`: an attribute";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key.name.as_str() {
            "type" => self.ty = Some(map.next_value_seed(WordSeed::<JsonText>::member(context))?),
            "data" => {
                let placed = MemberValue::<Box<RawValue>>::new(context);
                self.data = Some(map.next_value_seed(placed)?);
            }
            _ => return unknown(context, key, &["type", "data"], map),
        }
        Ok(())
    }
}

impl ReadMembers for VariablePart {
    const WHAT: &'static str = "an object: a variable";
    fn member<'de, A: MapAccess<'de>>(
        &mut self,
        context: &InputContext,
        key: &MemberName,
        map: &mut A,
    ) -> Result<(), A::Error> {
        const KNOWN: &[&str] = &["type", "shape", "attributes", "data"];
        match key.name.as_str() {
            "type" => self.ty = Some(map.next_value_seed(WordSeed::<JsonText>::member(context))?),
            "shape" => self.shape = map.next_value_seed(WordList::<JsonText>::new(context))?,
            "attributes" => self.attributes = map.next_value_seed(entries(context))?.0,
            "data" => {
                let (most, line) = (context.allow_all(), context.line());
                let (_, start) = map.next_value_seed(MemberValue::<IgnoredAny>::new(context))?;
                // Data is not stored, so it does not count against the memory limit.
                context.allow_until(most.saturating_add(context.at() - start));
                self.data = Some((start..context.at(), line));
            }
            _ => return unknown(context, key, KNOWN, map),
        }
        Ok(())
    }
}
