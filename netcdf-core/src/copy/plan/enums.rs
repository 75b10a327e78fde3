//! Conversion of enums to numbers, for kinds without enums.

use crate::error::{Result, list_names};
use crate::format::{has_own_metadata, kind_label, traits};
use crate::model::convert::convert;
use crate::model::{Atomic, Attribute, DataType, Kind, Name, Schema, TypeKind, Values, Variable};
use crate::notes::Note;

/// Name prefix of types that readers generate.
const INVENTED: &[u8] = b"_Anonymous";

/// The stored form of an enum.
struct StoredEnum {
    base: Atomic,
    /// The attributes that describe the numbers of a variable; `None` if variables keep the enum.
    described: Option<[Attribute; 2]>,
    /// Whether attributes become numbers.
    attributes: bool,
}

/// Stores enums as numbers. With `flags`, all enums become numbers, and CF attributes describe the numbers. Truth values stay if the
/// schema's kind has truth values. Without `flags`, only attributes with invented types become numbers, if the kind has no enums.
///
/// # Errors
/// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for members beyond the base type.
pub(super) fn to_numbers(schema: &mut Schema, flags: bool, notes: &mut Vec<Note>) -> Result<()> {
    let types = schema.types.iter();
    let how = types.map(|ty| stored(schema.kind, (&ty.name, &ty.kind), flags));
    let how: Vec<Option<StoredEnum>> = how.collect::<Result<_>>()?;
    let mut changed = vec![];
    let paths: Vec<String> = schema.group_ids().map(|id| schema.group_path(id)).collect();
    for (group, path) in schema.groups.iter_mut().zip(paths) {
        let owner = path.trim_end_matches('/');
        attributes(&mut group.attributes, (owner, &how), &mut changed);
    }
    let mut any = false;
    for id in schema.var_ids() {
        let path = schema.var_path(id);
        let var = schema.var_mut(id)?;
        attributes(&mut var.attributes, (&path, &how), &mut changed);
        any |= variable(var, &how);
    }
    if !changed.is_empty() && !flags {
        let kind = kind_label(schema.kind);
        notes.push(Note {
            object: list_names(&changed),
            what: format!("stored as numbers: {kind} datasets have no enums"),
            remedy: None,
        });
    }
    if any || !changed.is_empty() {
        forget_types(schema);
    }
    Ok(())
}

/// Returns the stored form of a type; `None` if the type is no enum.
fn stored(kind: Kind, (name, ty): (&Name, &TypeKind), flags: bool) -> Result<Option<StoredEnum>> {
    let TypeKind::Enum { base, members } = ty else {
        return Ok(None);
    };
    let keys = traits(kind).keys;
    let lacks = keys || !kind.is_enhanced();
    let truth = ty.is_truth() && keys && !has_own_metadata(kind);
    Ok(Some(StoredEnum {
        base: *base,
        described: match flags && !truth {
            true => Some(described(*base, members)?),
            false => None,
        },
        attributes: flags || lacks && name.as_bytes().starts_with(INVENTED),
    }))
}

/// Returns `flag_values` and `flag_meanings`.
fn described(base: Atomic, members: &[(Name, i128)]) -> Result<[Attribute; 2]> {
    let outside = |_| crate::Error::internal("an enum member beyond the base type");
    let numbers = members.iter().map(|(_, value)| *value);
    let values = match base {
        Atomic::UInt64 => {
            let numbers = numbers.map(|n| u64::try_from(n).map_err(outside));
            Values::UInt64(numbers.collect::<Result<_>>()?)
        }
        _ => {
            let numbers = numbers.map(|n| i64::try_from(n).map_err(outside));
            convert(&Values::Int64(numbers.collect::<Result<_>>()?), base)?
        }
    };
    let word = |name: &Name| {
        name.to_string()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("_")
    };
    let words: Vec<String> = members.iter().map(|(name, _)| word(name)).collect();
    let attribute = |name: &str, ty: Atomic, values| Attribute {
        name: Name::stored(name.as_bytes()),
        ty: ty.into(),
        values,
    };
    let text = Values::Char(words.join(" ").into_bytes());
    Ok([
        attribute("flag_values", base, values),
        attribute("flag_meanings", Atomic::Char, text),
    ])
}

fn of(ty: DataType, how: &[Option<StoredEnum>]) -> Option<&StoredEnum> {
    match ty {
        DataType::User(id) => how.get(id.index())?.as_ref(),
        DataType::Atomic(_) => None,
    }
}

/// Returns the numbers of enum values.
fn numbers(values: &mut Values) {
    if let Values::Enum(_, base) = values {
        *values = std::mem::replace(base, Values::Byte(vec![]));
    }
}

/// Turns the attributes of an owner into numbers; adds their paths to `changed`.
fn attributes(
    list: &mut [Attribute],
    (owner, how): (&str, &[Option<StoredEnum>]),
    changed: &mut Vec<String>,
) {
    for attribute in list {
        if let Some(stored) = of(attribute.ty, how).filter(|stored| stored.attributes) {
            attribute.ty = stored.base.into();
            numbers(&mut attribute.values);
            changed.push(format!("{owner}:{}", attribute.name));
        }
    }
}

/// Turns a variable into numbers with descriptive attributes. Returns whether the variable changed.
fn variable(var: &mut Variable, how: &[Option<StoredEnum>]) -> bool {
    let Some((base, described)) =
        of(var.ty, how).and_then(|s| Some((s.base, s.described.as_ref()?)))
    else {
        return false;
    };
    var.ty = base.into();
    if let Some(values) = &mut var.storage.unwritten {
        numbers(values);
    }
    let known = described
        .iter()
        .any(|a| var.attributes.iter().any(|b| a.name == b.name));
    if !known {
        var.attributes.extend(described.iter().cloned());
    }
    true
}

/// Removes all type definitions if all types are unused enums. A partial removal would change type ids.
fn forget_types(schema: &mut Schema) {
    let groups = schema.groups.iter().flat_map(|group| &group.attributes);
    let vars = schema.vars.iter().flat_map(|var| &var.attributes);
    let attributes = groups.chain(vars).map(|a| a.ty);
    let mut used = attributes.chain(schema.vars.iter().map(|var| var.ty));
    let enums = |kind: &TypeKind| matches!(kind, TypeKind::Enum { .. });
    if used.any(|ty| ty.atomic().is_none()) || !schema.types.iter().all(|t| enums(&t.kind)) {
        return;
    }
    schema.types.clear();
    schema
        .groups
        .iter_mut()
        .for_each(|group| group.types.clear());
}
