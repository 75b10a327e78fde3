//! String attributes in kinds without strings.

use crate::error::{Result, list_names};
use crate::model::{Atomic, Attribute, Schema, Values};
use crate::notes::Note;

/// Converts string attributes with at most one string to text if the schema's kind has no strings. Readers find the same characters. An
/// attribute with several strings or a null string stays, because text cannot represent its value.
///
/// Returns a remark that names the attributes, if any.
///
/// # Errors
/// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for invalid ids.
pub(super) fn strings_to_text(schema: &mut Schema) -> Result<Option<Note>> {
    if schema.kind.is_enhanced() {
        return Ok(None);
    }
    let mut changed = vec![];
    let paths: Vec<_> = schema.group_ids().map(|id| schema.group_path(id)).collect();
    for (group, path) in schema.groups.iter_mut().zip(paths) {
        convert(
            &mut group.attributes,
            path.trim_end_matches('/'),
            &mut changed,
        );
    }
    for id in schema.var_ids() {
        let owner = schema.var_path(id);
        convert(&mut schema.var_mut(id)?.attributes, &owner, &mut changed);
    }
    Ok((!changed.is_empty()).then(|| Note {
        object: list_names(&changed),
        what: format!(
            "string attributes become text: {} files have no strings",
            schema.kind.name()
        ),
        remedy: None,
    }))
}

fn convert(attributes: &mut [Attribute], owner: &str, changed: &mut Vec<String>) {
    for attribute in attributes {
        let text = match &attribute.values {
            Values::String(strings) => match strings.as_slice() {
                [] => vec![],
                [Some(text)] => text.to_vec(),
                _ => continue,
            },
            _ => continue,
        };
        attribute.ty = Atomic::Char.into();
        attribute.values = Values::Char(text);
        changed.push(format!("{owner}:{}", attribute.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, Name};

    fn sample(kind: Kind) -> Schema {
        let mut schema = Schema::new(kind);
        let text = |text: &str| Some(text.as_bytes().into());
        for (name, strings) in [
            ("one", vec![text("caf\u{e9}")]),
            ("empty", vec![text("")]),
            ("none", vec![]),
            ("null", vec![None]),
            ("two", vec![text("a"), text("b")]),
        ] {
            let name = Name::stored(name.as_bytes());
            let attribute = Attribute::atomic(name, Values::String(strings));
            schema.groups[0].attributes.extend(attribute);
        }
        schema
    }

    #[test]
    fn single_strings_become_text() {
        for kind in [
            Kind::CLASSIC,
            Kind::OFFSET64,
            Kind::CDF5,
            Kind::NETCDF4_CLASSIC,
        ] {
            let mut schema = sample(kind);
            let note = strings_to_text(&mut schema).unwrap().unwrap();
            assert_eq!(note.object, ":one, :empty, :none");
            let texts: Vec<_> = schema.groups[0]
                .attributes
                .iter()
                .map(|a| a.values.as_text().map(<[u8]>::to_vec))
                .collect();
            let one = "caf\u{e9}".as_bytes().to_vec();
            assert_eq!(texts, [Some(one), Some(vec![]), Some(vec![]), None, None]);
        }
        for kind in [Kind::NETCDF4, Kind::NCZARR3] {
            let mut schema = sample(kind);
            assert_eq!(strings_to_text(&mut schema).unwrap(), None);
            assert_eq!(schema, sample(kind));
        }
    }
}
