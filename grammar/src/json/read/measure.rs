//! Lengths of unlimited dimensions, from the text or from the data.

use std::fmt;

use netcdf_core::error::Result;
use netcdf_core::io::Source;
use netcdf_core::model::{Atomic, DimId, GroupId, Schema};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::input::{InputContext, SourceInput};
use super::parts::{DimensionPart, JsonGroup};
use super::text::read_text;
use crate::cdl::DataList;

/// Returns the lengths of the unlimited dimensions. Dimensions of length 0 become unlimited, even without a declaration.
///
/// # Errors
/// Returns errors of the source.
pub(super) fn lengths(
    source: &dyn Source,
    schema: &mut Schema,
    root: &JsonGroup,
    data: &[DataList],
) -> Result<Vec<(DimId, u64)>> {
    let (mut known, mut open) = (vec![], vec![]);
    let mut dims = vec![];
    collect(schema, GroupId::ROOT, root, &mut dims);
    let enhanced = schema.kind.is_enhanced();
    for (id, part) in dims {
        let size = part.size.as_ref().and_then(|size| size.text.parse().ok());
        match (size, schema.dims.get_mut(id.index())) {
            (Some(0), Some(dim)) if !part.unlimited => dim.unlimited = !enhanced,
            (Some(len), _) if part.unlimited => known.push((id, len)),
            (None, _) => open.push((id, 0)),
            (Some(_), _) => {}
        }
    }
    if !open.is_empty() {
        for list in data {
            measure(source, schema, list, &mut open)?;
        }
    }
    known.extend(open);
    Ok(known)
}

/// Collects all dimensions with their parsed parts, which have the same order.
fn collect<'p>(
    schema: &Schema,
    id: GroupId,
    part: &'p JsonGroup,
    out: &mut Vec<(DimId, &'p DimensionPart)>,
) {
    let Some(group) = schema.group(id) else {
        return;
    };
    let parts = part.dims.iter().map(|(_, part)| part);
    out.extend(group.dims.iter().copied().zip(parts));
    for (&sub, (_, part)) in group.groups.iter().zip(&part.groups) {
        collect(schema, sub, part, out);
    }
}

/// Extends unlimited dimensions to the length of a variable's data. Only the first item of each list is measured.
fn measure(
    source: &dyn Source,
    schema: &Schema,
    list: &DataList,
    open: &mut [(DimId, u64)],
) -> Result<()> {
    let Some(var) = schema.var(list.var) else {
        return Ok(());
    };
    let is_open = |dim: &DimId| open.iter().any(|(id, _)| id == dim);
    let Some(last) = var.dims.iter().rposition(is_open) else {
        return Ok(());
    };
    let context = InputContext::new(list.bytes.start);
    let text = var.ty == Atomic::Char.into() && last + 1 == var.dims.len();
    let mut found = vec![0; last + 1];
    let seed = Measure {
        context: &context,
        text,
        lengths: &mut found,
    };
    let mut from = serde_json::Deserializer::from_reader(SourceInput::new(source, &context));
    if let Err(e) = seed.deserialize(&mut from) {
        // The data reader reports the mistake.
        let _: super::input::ReadFailure = context.failure(&e)?;
    }
    for (dim, len) in var.dims.iter().zip(found) {
        if let Some((_, longest)) = open.iter_mut().find(|(id, _)| id == dim) {
            *longest = len.max(*longest);
        }
    }
    Ok(())
}

/// Measures nested lists.
struct Measure<'a> {
    context: &'a InputContext,
    /// Whether the last level is a text.
    text: bool,
    /// Receives the length of each level.
    lengths: &'a mut [u64],
}

impl<'de> DeserializeSeed<'de> for Measure<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> std::result::Result<(), D::Error> {
        match self.lengths {
            [] => from.deserialize_ignored_any(IgnoredAny).map(|_| ()),
            [len] if self.text => read_text(self.context, from, &mut |bytes| {
                *len += bytes.len() as u64;
                Ok(())
            }),
            _ => from.deserialize_seq(self),
        }
    }
}

impl<'de> Visitor<'de> for Measure<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        let Some((len, lengths)) = self.lengths.split_first_mut() else {
            return Ok(());
        };
        let first = list.next_element_seed(Measure {
            context: self.context,
            text: self.text,
            lengths,
        })?;
        *len = u64::from(first.is_some());
        while list.next_element::<IgnoredAny>()?.is_some() {
            *len += 1;
        }
        Ok(())
    }
}
