//! Deserializers of values of any type, which are appended to lists.

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::memory::MemorySource;
use netcdf_core::model::{DataType, Schema, Values};
use serde::de::{DeserializeSeed, Deserializer};

use super::input::{InputContext, ReadFailure, SourceInput};
use super::kinds::{AnyLength, Compound, EnumVisitor, OpaqueVisitor, StringVisitor};
use super::leaves::{CharLeaf, ValueLeaf};
use super::levels::Leaf;
use super::number::{JsonNumeric, read_number};
use super::text::append_text;
use crate::cdl::values::push_integer;

/// Reads the values of an attribute: a value, or a list of values. The inner result is the first mistake.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for a type outside the schema.
pub(super) fn attribute_values(
    text: &str,
    schema: &Schema,
    ty: DataType,
) -> Result<std::result::Result<Values, ReadFailure>> {
    let mut values = empty(schema, ty)?;
    let source = MemorySource::new("attribute", text.as_bytes().to_vec());
    let context = InputContext::new(0);
    let mut from = serde_json::Deserializer::from_reader(SourceInput::new(&source, &context));
    let read = match &mut values {
        Values::Char(text) => append_text(text, &context, &mut from),
        values => {
            let mut leaf = ValueLeaf { schema, ty, values };
            match text.starts_with('[') {
                true => AnyLength(&context, &mut leaf).deserialize(&mut from),
                false => leaf.one(&context, &mut from),
            }
        }
    };
    match read {
        Ok(()) => Ok(Ok(values)),
        Err(e) => context.failure(&e).map(Err),
    }
}

/// Returns an empty list of values of a type.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for a type outside the schema.
pub(super) fn empty(schema: &Schema, ty: DataType) -> Result<Values> {
    let unknown = || Error::new(ErrorKind::NotFound, "no such type, or one nested too deep");
    schema.empty_values(ty).ok_or_else(unknown)
}

impl Leaf for ValueLeaf<'_> {
    const TEXT: bool = false;
    fn one<'de, D: Deserializer<'de>>(
        &mut self,
        context: &InputContext,
        from: D,
    ) -> std::result::Result<(), D::Error> {
        match &mut *self.values {
            Values::Byte(v) => push(v, context, from),
            Values::Short(v) => push(v, context, from),
            Values::Int(v) => push(v, context, from),
            Values::Int64(v) => push(v, context, from),
            Values::UByte(v) => push(v, context, from),
            Values::UShort(v) => push(v, context, from),
            Values::UInt(v) => push(v, context, from),
            Values::UInt64(v) => push(v, context, from),
            Values::Float(v) => push(v, context, from),
            Values::Double(v) => push(v, context, from),
            Values::Char(text) => CharLeaf(text).one(context, from),
            Values::String(texts) => {
                texts.push(from.deserialize_any(StringVisitor(context))?);
                Ok(())
            }
            Values::Enum(ty, base) => {
                let members = self.schema.enum_members(*ty).unwrap_or_default();
                let value = from.deserialize_any(EnumVisitor { context, members })?;
                match push_integer(base, value) {
                    true => Ok(()),
                    false => Err(context.wrong(format!("{value} does not fit the enum"))),
                }
            }
            Values::Opaque { size, bytes, .. } => {
                bytes.extend(from.deserialize_str(OpaqueVisitor(context, *size))?);
                Ok(())
            }
            Values::Vlen(ty, lists) => {
                let base = self.schema.vlen_base(*ty).unwrap_or(self.ty);
                lists.push(vlen((self.schema, base), context, from)?);
                Ok(())
            }
            Values::Compound { ty, len, columns } => {
                from.deserialize_map(Compound {
                    context,
                    schema: self.schema,
                    fields: self.schema.compound_fields(*ty).unwrap_or_default(),
                    columns,
                })?;
                *len += 1;
                Ok(())
            }
        }
    }
}

fn push<'de, T: JsonNumeric, D: Deserializer<'de>>(
    values: &mut Vec<T>,
    context: &InputContext,
    from: D,
) -> std::result::Result<(), D::Error> {
    values.push(read_number(context, from)?);
    Ok(())
}

/// A list of any length; of characters, a text.
fn vlen<'de, D: Deserializer<'de>>(
    (schema, ty): (&Schema, DataType),
    context: &InputContext,
    from: D,
) -> std::result::Result<Values, D::Error> {
    let mut values = empty(schema, ty).map_err(|e| context.stop::<D::Error>(e))?;
    if let Values::Char(text) = &mut values {
        append_text(text, context, from)?;
    } else {
        let mut leaf = ValueLeaf {
            schema,
            ty,
            values: &mut values,
        };
        AnyLength(context, &mut leaf).deserialize(from)?;
    }
    Ok(values)
}
