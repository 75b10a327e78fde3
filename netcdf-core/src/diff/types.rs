//! Comparison of user-defined types.

use super::difference::{DifferenceKind, ObjectKind};
use super::group_walk::{GroupPair, GroupWalk};
use super::matching::MatchedObjects;
use crate::model::{Atomic, DataType, Field, GroupId, Name, Schema, TypeId, TypeKind};

/// Compares the types of a group.
pub(super) fn compare<'a>(walk: &mut GroupWalk<'a>, groups: [GroupId; 2], path: &str) {
    let list = |schema: &'a Schema, group| {
        let ids = schema
            .group(group)
            .map(|g| g.types.as_slice())
            .unwrap_or_default();
        ids.iter()
            .filter_map(|&id| Some((&schema.user_type(id)?.name, id)))
            .collect()
    };
    let name = |schema: &'a Schema, id| schema.user_type(id).map(|t| &t.name);
    for (ids, path) in walk.matched(GroupPair::new(ObjectKind::Type, groups, path), list, name) {
        for (part, both) in parts(walk.schemas, ids) {
            walk.find(ObjectKind::Type, &path, DifferenceKind::Part(part, both));
        }
    }
}

/// A differing property of a type, and its form in each dataset.
type TypeDifference = (String, [Option<String>; 2]);

/// Returns the differing properties of two types.
fn parts(schemas: [&Schema; 2], [a, b]: [TypeId; 2]) -> Vec<TypeDifference> {
    let [x, y] = schemas;
    let (Some(a), Some(b)) = (x.user_type(a), y.user_type(b)) else {
        return vec![];
    };
    match (&a.kind, &b.kind) {
        (
            TypeKind::Enum { base, members },
            TypeKind::Enum {
                base: other,
                members: more,
            },
        ) => {
            let mut found = differing("base", [base.name().to_owned(), other.name().to_owned()]);
            found.extend(differing_members([members, more]));
            found
        }
        (TypeKind::Opaque { size }, TypeKind::Opaque { size: other }) => {
            differing("size", [size.to_string(), other.to_string()])
        }
        (TypeKind::Vlen { base }, TypeKind::Vlen { base: other }) => {
            differing("base", [name(x, *base), name(y, *other)])
        }
        (TypeKind::Compound { fields, .. }, TypeKind::Compound { fields: more, .. }) => {
            differing_fields(schemas, [fields, more])
        }
        (a, b) => differing("class", [class(a).to_owned(), class(b).to_owned()]),
    }
}

fn differing(part: &str, [a, b]: [String; 2]) -> Vec<TypeDifference> {
    match a == b {
        true => vec![],
        false => vec![(part.to_owned(), [Some(a), Some(b)])],
    }
}

/// Returns differing members by name. A member found in only one dataset is compared by number if the number exists in the other dataset.
fn differing_members([a, b]: [&[(Name, i128)]; 2]) -> Vec<TypeDifference> {
    let named = |members: &'_ [(Name, i128)]| -> Vec<(Name, (Name, i128))> {
        members.iter().map(|m| (m.0.clone(), m.clone())).collect()
    };
    let (left, right) = (named(a), named(b));
    let ids = |list: &'_ [(Name, (Name, i128))]| -> Vec<(Name, usize)> {
        list.iter()
            .enumerate()
            .map(|(n, m)| (m.0.clone(), n))
            .collect()
    };
    let (p, q) = (ids(&left), ids(&right));
    let matched = MatchedObjects::new([
        p.iter().map(|(name, n)| (name, *n)).collect(),
        q.iter().map(|(name, n)| (name, *n)).collect(),
    ]);
    let mut found = vec![];
    for [i, j] in &matched.both {
        if let (Some((name, x)), Some((_, y))) = (a.get(*i), b.get(*j)) {
            found.extend(differing(
                &format!("member {name}"),
                [x.to_string(), y.to_string()],
            ));
        }
    }
    let [only, others] = matched.only;
    let (only, mut others): (Vec<_>, Vec<_>) = (
        only.iter().filter_map(|n| a.get(*n)).collect(),
        others.iter().filter_map(|n| b.get(*n)).collect(),
    );
    for (name, value) in only {
        let same = others.iter().position(|(_, v)| v == value);
        let other = same.map(|n| others.remove(n).0.to_string());
        found.push((format!("member {value}"), [Some(name.to_string()), other]));
    }
    let rest = others.into_iter();
    found.extend(rest.map(|(name, v)| (format!("member {v}"), [None, Some(name.to_string())])));
    found
}

/// Returns differing fields by name, with their types and shapes, and their order.
fn differing_fields(schemas: [&Schema; 2], [a, b]: [&[Field]; 2]) -> Vec<TypeDifference> {
    let ids = |fields: &'_ [Field]| -> Vec<usize> { (0..fields.len()).collect() };
    let (p, q) = (ids(a), ids(b));
    let matched = MatchedObjects::new([
        a.iter().map(|f| &f.name).zip(p).collect(),
        b.iter().map(|f| &f.name).zip(q).collect(),
    ]);
    let text = |schema: &Schema, field: &Field| {
        let dims: Vec<_> = field.dims.iter().map(u64::to_string).collect();
        let shape = match dims.is_empty() {
            true => String::new(),
            false => format!("({})", dims.join(", ")),
        };
        format!("{}{shape}", name(schema, field.ty))
    };
    let part = |field: &Field| format!("field {}", field.name);
    let mut found = vec![];
    for [i, j] in &matched.both {
        if let (Some(x), Some(y)) = (a.get(*i), b.get(*j)) {
            let both = [text(schemas[0], x), text(schemas[1], y)];
            found.extend(differing(&part(x), both));
        }
    }
    let only = matched.only[0].iter().filter_map(|n| a.get(*n));
    found.extend(only.map(|f| (part(f), [Some(text(schemas[0], f)), None])));
    let only = matched.only[1].iter().filter_map(|n| b.get(*n));
    found.extend(only.map(|f| (part(f), [None, Some(text(schemas[1], f))])));
    if let Some([a, b]) = matched.order {
        found.extend(differing("order of fields", [a.join(", "), b.join(", ")]));
    }
    found
}

fn class(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Enum { .. } => "enum",
        TypeKind::Opaque { .. } => "opaque",
        TypeKind::Vlen { .. } => "vlen",
        TypeKind::Compound { .. } => "compound",
    }
}

/// Returns the name of a type.
pub(super) fn name(schema: &Schema, ty: DataType) -> String {
    match ty {
        DataType::Atomic(atomic) => atomic.name().to_owned(),
        DataType::User(id) => {
            let ty = schema.user_type(id);
            ty.map_or_else(String::new, |ty| ty.name.to_string())
        }
    }
}

/// Returns whether values of the types can be compared: numbers with numbers, text with text, all else with the same class.
pub(super) fn comparable((x, a): (&Schema, DataType), (y, b): (&Schema, DataType)) -> bool {
    let number = |ty: Atomic| !matches!(ty, Atomic::Char | Atomic::String);
    let kind = |schema: &'_ Schema, ty: DataType| match ty {
        DataType::Atomic(ty) if number(ty) => "number",
        DataType::Atomic(_) => "text",
        DataType::User(id) => match schema.user_type(id).map(|t| &t.kind) {
            // Enum values are numbers.
            Some(TypeKind::Enum { .. }) => "number",
            Some(kind) => class(kind),
            None => "",
        },
    };
    kind(x, a) == kind(y, b)
}
