//! The parsed parts of a dataset. Only the position of data is stored.

use std::fmt;
use std::ops::Range;

use netcdf_core::Result;
use netcdf_core::io::Source;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::input::{InputContext, ReadFailure, SourceInput};
use super::object::{Member, MemberName, ObjectVisitor, ReadMembers};
use super::words::{JsonText, JsonWord, WholeNumber};
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
    let read = ObjectVisitor::<DatasetPart>::new(&context).deserialize(&mut from);
    match read.and_then(|part| from.end().map(|()| part)) {
        Ok(part) => Ok(Ok(part)),
        Err(e) => context.failure(&e).map(Err),
    }
}

impl ReadMembers for DatasetPart {
    const WHAT: &'static str = "an object: a dataset";
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        match from.key.name.as_str() {
            "name" => self.name = Some(from.text()?.text),
            "kind" => self.kind = Some(from.text()?.text),
            "$schema" => from.skip()?,
            _ => return self.root.member(from),
        }
        Ok(())
    }
}

impl ReadMembers for JsonGroup {
    const WHAT: &'static str = "an object: a group";
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        const KNOWN: &[&str] = &["types", "dimensions", "attributes", "variables", "groups"];
        match from.key.name.as_str() {
            "types" => self.types = from.entries()?,
            "dimensions" => self.dims = from.entries()?,
            "attributes" => self.attributes = from.entries()?,
            "variables" => self.variables = from.entries()?,
            "groups" => self.groups = from.entries()?,
            _ => return from.unknown(KNOWN),
        }
        Ok(())
    }
}

impl ReadMembers for DimensionPart {
    const WHAT: &'static str = "a size, or an object with `size` and `unlimited`";
    const ENTRIES: &'static str = "an object with a size for each name";
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        match from.key.name.as_str() {
            "size" => self.size = Some(from.whole()?),
            "unlimited" => self.unlimited = from.placed()?.0,
            _ => return from.unknown(&["size", "unlimited"]),
        }
        Ok(())
    }
    fn entry<'de, A: MapAccess<'de>>(from: Member<'_, A>) -> Result<Self, A::Error> {
        let context = from.context;
        from.value(DimensionSeed(context))
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
        f.write_str(DimensionPart::WHAT)
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
        ObjectVisitor::new(self.0).visit_map(map)
    }
}

impl ReadMembers for TypePart {
    const WHAT: &'static str = "an object: a type";
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        const KNOWN: &[&str] = &["class", "size", "base", "members", "fields"];
        match from.key.name.as_str() {
            "class" => self.class = Some(from.text()?),
            "base" => self.base = Some(from.text()?),
            "size" => self.size = Some(from.whole()?),
            "fields" => self.fields = Some(from.entries()?),
            "members" => self.members = Some(from.object::<EnumMembers>()?.0),
            _ => return from.unknown(KNOWN),
        }
        Ok(())
    }
}

/// The members of an enum.
#[derive(Default)]
struct EnumMembers(Vec<(MemberName, JsonWord)>);

impl ReadMembers for EnumMembers {
    const WHAT: &'static str = "an object with a number for each name";
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        self.0.push((from.key.clone(), from.whole()?));
        Ok(())
    }
}

impl ReadMembers for FieldPart {
    const WHAT: &'static str = "an object: a field";
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        match from.key.name.as_str() {
            "type" => self.ty = Some(from.text()?),
            "shape" => self.shape = from.words::<WholeNumber>()?,
            _ => return from.unknown(&["type", "shape"]),
        }
        Ok(())
    }
}

impl ReadMembers for AttributePart {
    const WHAT: &'static str = "an object with `type` and `data`: an attribute";
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        match from.key.name.as_str() {
            "type" => self.ty = Some(from.text()?),
            "data" => self.data = Some(from.placed()?),
            _ => return from.unknown(&["type", "data"]),
        }
        Ok(())
    }
}

impl ReadMembers for VariablePart {
    const WHAT: &'static str = "an object: a variable";
    fn member<'de, A: MapAccess<'de>>(&mut self, from: Member<'_, A>) -> Result<(), A::Error> {
        const KNOWN: &[&str] = &["type", "shape", "attributes", "data"];
        match from.key.name.as_str() {
            "type" => self.ty = Some(from.text()?),
            "shape" => self.shape = from.words::<JsonText>()?,
            "attributes" => self.attributes = from.entries()?,
            "data" => {
                let context = from.context;
                let (most, line) = (context.allow_all(), context.line());
                let (_, start) = from.placed::<IgnoredAny>()?;
                // Data is not kept.
                context.allow_until(most.saturating_add(context.at() - start));
                self.data = Some((start..context.at(), line));
            }
            _ => return from.unknown(KNOWN),
        }
        Ok(())
    }
}
