//! Comparison of attributes.

use super::IgnoreCandidate;
use super::difference::{AttributeValues, DatasetSide, Difference, DifferenceKind, ObjectKind};
use super::group_walk::GroupWalk;
use super::matching::MatchedObjects;
use super::single_values::General;
use super::types;
use crate::model::{Attribute, Values};

/// Compares the attributes of an object that both datasets have.
pub(super) fn compare<'a>(
    walk: &mut GroupWalk<'a>,
    (kind, owner): (ObjectKind, &str),
    sides: [&'a [Attribute]; 2],
) {
    let taken = |side: DatasetSide, all: &'_ [Attribute]| -> Vec<usize> {
        let takes = |a: &Attribute| {
            (walk.options.takes)(&IgnoreCandidate {
                side,
                kind: ObjectKind::Attribute,
                path: owner,
                attribute: Some(&a.name.to_string()),
            })
        };
        (0..all.len())
            .filter(|&n| all.get(n).is_some_and(takes))
            .collect()
    };
    let [a, b] = sides;
    let (p, q) = (taken(DatasetSide::First, a), taken(DatasetSide::Second, b));
    let named = |all, places: Vec<usize>| -> Vec<_> {
        let all: &[Attribute] = all;
        places
            .into_iter()
            .filter_map(|n| Some((&all.get(n)?.name, n)))
            .collect()
    };
    let matched = MatchedObjects::new([named(a, p), named(b, q)]);
    for [i, j] in matched.both {
        if let (Some(a), Some(b)) = (a.get(i), b.get(j))
            && let Some(finding) = differing(walk, a, b)
        {
            walk.found.push(difference(owner, a, finding));
            walk.attributes.push((owner.to_owned(), [a, b]));
        }
    }
    for ((side, all), only) in DatasetSide::BOTH.into_iter().zip(sides).zip(matched.only) {
        let only = only.into_iter().filter_map(|n| all.get(n));
        walk.found
            .extend(only.map(|a| difference(owner, a, DifferenceKind::Only(side))));
    }
    if let Some(order) = matched.order.filter(|_| walk.options.layout) {
        walk.find(
            kind,
            owner,
            DifferenceKind::Order(ObjectKind::Attribute, order),
        );
    }
}

fn difference(owner: &str, attribute: &Attribute, finding: DifferenceKind) -> Difference {
    Difference {
        kind: ObjectKind::Attribute,
        path: owner.to_owned(),
        attribute: Some(attribute.name.to_string()),
        finding,
    }
}

/// Returns the difference between two attributes with the same name.
fn differing(walk: &GroupWalk<'_>, a: &Attribute, b: &Attribute) -> Option<DifferenceKind> {
    let [x, y] = walk.schemas;
    let types = [types::name(x, a.ty), types::name(y, b.ty)];
    let general = General {
        schemas: walk.schemas,
        rule: walk.rule,
    };
    let same = general.all_same(&a.values, &b.values);
    if same && types[0] == types[1] {
        return None;
    }
    Some(DifferenceKind::Attribute(Box::new(AttributeValues {
        types,
        equal: same || same_text(&a.values, &b.values),
        values: [a.values.clone(), b.values.clone()],
    })))
}

/// Returns whether one dataset stores a text as characters and the other dataset as a string.
fn same_text(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::Char(text), Values::String(strings))
        | (Values::String(strings), Values::Char(text)) => match strings.as_slice() {
            [Some(one)] => **one == **text,
            _ => false,
        },
        _ => false,
    }
}
