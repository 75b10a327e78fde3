//! The state of a schema comparison: differences found so far, and objects matched by name.

use std::collections::BTreeSet;

use super::difference::{DatasetSide, Difference, DifferenceKind, ObjectKind};
use super::matching::MatchedObjects;
use super::rule::EqualityRule;
use super::{DiffOptions, IgnoreCandidate};
use crate::model::{Attribute, DimId, GroupId, Name, Schema, VarId};

/// A common variable of two datasets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VariablePair {
    pub(super) vars: [VarId; 2],
    pub(super) path: String,
    /// Whether the values can be compared.
    pub(super) comparable: bool,
}

/// A traversal of the groups of two datasets.
pub(super) struct GroupWalk<'a> {
    pub(super) schemas: [&'a Schema; 2],
    pub(super) options: &'a DiffOptions<'a>,
    pub(super) found: Vec<Difference>,
    pub(super) pairs: Vec<VariablePair>,
    /// The different attributes, with the paths of their owners.
    pub(super) attributes: Vec<(String, [&'a Attribute; 2])>,
    /// The rule for attribute values.
    pub(super) rule: EqualityRule,
    /// Dimensions of the first dataset with a reported difference of length.
    pub(super) lengths: BTreeSet<DimId>,
}

/// A common group, and the object kind to compare.
pub(super) struct GroupPair<'p> {
    kind: ObjectKind,
    groups: [GroupId; 2],
    path: &'p str,
}

impl<'p> GroupPair<'p> {
    pub(super) fn new(kind: ObjectKind, groups: [GroupId; 2], path: &'p str) -> Self {
        Self { kind, groups, path }
    }
}

impl<'a> GroupWalk<'a> {
    pub(super) fn new(schemas: [&'a Schema; 2], options: &'a DiffOptions<'a>) -> Self {
        Self {
            schemas,
            options,
            found: vec![],
            pairs: vec![],
            attributes: vec![],
            rule: EqualityRule::default(),
            lengths: BTreeSet::new(),
        }
    }

    /// Returns whether an object is compared.
    pub(super) fn takes(&self, side: DatasetSide, kind: ObjectKind, path: &str) -> bool {
        (self.options.takes)(&IgnoreCandidate {
            side,
            kind,
            path,
            attribute: None,
        })
    }

    pub(super) fn find(&mut self, kind: ObjectKind, path: &str, finding: DifferenceKind) {
        self.found.push(Difference {
            kind,
            path: path.to_owned(),
            attribute: None,
            finding,
        });
    }

    /// Matches the compared objects of a kind. An object in only one dataset is a difference.
    pub(super) fn matched<I: Copy>(
        &mut self,
        inside: GroupPair<'_>,
        list: impl Fn(&'a Schema, GroupId) -> Vec<(&'a Name, I)>,
        name: impl Fn(&'a Schema, I) -> Option<&'a Name>,
    ) -> Vec<([I; 2], String)> {
        let GroupPair { kind, groups, path } = inside;
        let ([x, y], group) = (groups, path);
        let schemas = self.schemas;
        let taken = |side: DatasetSide, (schema, id): (&'a Schema, GroupId)| {
            let mut all = list(schema, id);
            all.retain(|(name, _)| self.takes(side, kind, &within(group, name)));
            all
        };
        let [a, b] = schemas;
        let matched = MatchedObjects::new([
            taken(DatasetSide::First, (a, x)),
            taken(DatasetSide::Second, (b, y)),
        ]);
        let path = |schema: &'a Schema, id: I| {
            name(schema, id).map_or_else(String::new, |name| within(group, name))
        };
        for (side, (ids, schema)) in DatasetSide::BOTH
            .into_iter()
            .zip(matched.only.iter().zip(schemas))
        {
            for id in ids {
                self.find(kind, &path(schema, *id), DifferenceKind::Only(side));
            }
        }
        if let Some(order) = matched.order.filter(|_| self.options.layout) {
            self.find(ObjectKind::Group, group, DifferenceKind::Order(kind, order));
        }
        let both = matched.both.into_iter();
        both.map(|ids| (ids, path(a, ids[0]))).collect()
    }
}

/// Returns the path of an object in a group.
pub(super) fn within(group: &str, name: &Name) -> String {
    format!("{}/{name}", group.trim_end_matches('/'))
}
