//! Comparison of groups, dimensions, variables, and definition orders.

use super::difference::{DatasetSide, DifferenceKind, ObjectKind};
use super::group_walk::{GroupPair, GroupWalk, VariablePair, within};
use super::{attributes, storage, types};
use crate::model::{DataType, DimId, GroupId, Schema, VarId, Variable};

impl<'a> GroupWalk<'a> {
    /// Compares one group after the other, parents first.
    pub(super) fn run(&mut self) {
        let mut left = vec![([GroupId::ROOT; 2], "/".to_owned())];
        while let Some((groups, path)) = left.pop() {
            self.dims(groups, &path);
            types::compare(self, groups, &path);
            self.group_attributes(groups, &path);
            self.variables(groups, &path);
            let mut inner = self.groups(groups, &path);
            inner.reverse();
            left.extend(inner);
        }
    }

    fn groups(&mut self, groups: [GroupId; 2], path: &str) -> Vec<([GroupId; 2], String)> {
        let list = |schema: &'a Schema, group| {
            let ids = schema
                .group(group)
                .map(|g| g.groups.as_slice())
                .unwrap_or_default();
            ids.iter()
                .filter_map(|&id| Some((&schema.group(id)?.name, id)))
                .collect()
        };
        let name = |schema: &'a Schema, id| schema.group(id).map(|g| &g.name);
        self.matched(GroupPair::new(ObjectKind::Group, groups, path), list, name)
    }

    fn group_attributes(&mut self, [a, b]: [GroupId; 2], path: &str) {
        if !self.takes(DatasetSide::First, ObjectKind::Group, path) {
            return;
        }
        let [x, y] = self.schemas;
        let of = |schema: &'a Schema, id| {
            schema
                .group(id)
                .map(|g| g.attributes.as_slice())
                .unwrap_or_default()
        };
        attributes::compare(self, (ObjectKind::Group, path), [of(x, a), of(y, b)]);
    }

    fn dims(&mut self, groups: [GroupId; 2], path: &str) {
        let list = |schema: &'a Schema, group| {
            let ids = schema
                .group(group)
                .map(|g| g.dims.as_slice())
                .unwrap_or_default();
            ids.iter()
                .filter_map(|&id| Some((&schema.dim(id)?.name, id)))
                .collect()
        };
        let name = |schema: &'a Schema, id| schema.dim(id).map(|d| &d.name);
        for (ids, path) in self.matched(
            GroupPair::new(ObjectKind::Dimension, groups, path),
            list,
            name,
        ) {
            self.dim(ids, &path);
        }
    }

    fn dim(&mut self, [a, b]: [DimId; 2], path: &str) {
        let (Some(x), Some(y)) = (self.schemas[0].dim(a), self.schemas[1].dim(b)) else {
            return;
        };
        if x.len != y.len {
            self.lengths.insert(a);
            self.find(
                ObjectKind::Dimension,
                path,
                DifferenceKind::Length([x.len, y.len]),
            );
        }
        if self.options.layout && x.unlimited != y.unlimited {
            let word =
                |unlimited: bool| Some(if unlimited { "unlimited" } else { "limited" }.to_owned());
            let words = [word(x.unlimited), word(y.unlimited)];
            self.find(ObjectKind::Dimension, path, DifferenceKind::Storage(words));
        }
    }

    fn variables(&mut self, groups: [GroupId; 2], path: &str) {
        let list = |schema: &'a Schema, group| {
            let ids = schema
                .group(group)
                .map(|g| g.vars.as_slice())
                .unwrap_or_default();
            ids.iter()
                .filter_map(|&id| Some((&schema.var(id)?.name, id)))
                .collect()
        };
        let name = |schema: &'a Schema, id| schema.var(id).map(|v| &v.name);
        for (vars, path) in self.matched(
            GroupPair::new(ObjectKind::Variable, groups, path),
            list,
            name,
        ) {
            self.variable(vars, path);
        }
    }

    fn variable(&mut self, vars: [VarId; 2], path: String) {
        let [x, y] = self.schemas;
        let (Some(a), Some(b)) = (x.var(vars[0]), y.var(vars[1])) else {
            return;
        };
        let comparable = a.dims.len() == b.dims.len() && types::comparable((x, a.ty), (y, b.ty));
        let names = [types::name(x, a.ty), types::name(y, b.ty)];
        if names[0] != names[1] || class(a.ty) != class(b.ty) {
            self.find(
                ObjectKind::Variable,
                &path,
                DifferenceKind::Type(names, comparable),
            );
        }
        self.shape([a, b], &path, comparable);
        attributes::compare(
            self,
            (ObjectKind::Variable, &path),
            [&a.attributes, &b.attributes],
        );
        if self.options.layout {
            storage::of_variables(self, &path, [a, b]);
        }
        self.pairs.push(VariablePair {
            vars,
            path,
            comparable,
        });
    }

    fn shape(&mut self, vars: [&Variable; 2], path: &str, comparable: bool) {
        let [x, y] = self.schemas;
        let [a, b] = dim_names([(x, vars[0]), (y, vars[1])]);
        if a != b {
            return self.find(
                ObjectKind::Variable,
                path,
                DifferenceKind::Dimensions([a, b], comparable),
            );
        }
        let lens = |schema: &Schema, var: &Variable| {
            let dims = var.dims.iter();
            dims.map(|&d| schema.dim(d).map_or(0, |d| d.len))
                .collect::<Vec<_>>()
        };
        let [a, b] = [lens(x, vars[0]), lens(y, vars[1])];
        let pairs = vars[0].dims.iter().zip(a.iter().zip(&b));
        let mut unnamed = pairs.filter(|(dim, (a, b))| a != b && !self.lengths.contains(dim));
        if unnamed.next().is_some() {
            self.find(ObjectKind::Variable, path, DifferenceKind::Shape([a, b]));
        }
    }
}

/// Returns the dimension names of two variables. A name becomes a path if it refers to different dimensions in the two datasets.
fn dim_names(vars: [(&Schema, &Variable); 2]) -> [Vec<String>; 2] {
    let named = |(schema, var): (&Schema, &Variable)| {
        let name = |&id: &DimId| DimName::new(schema, var.group, id);
        var.dims.iter().map(name).collect::<Vec<_>>()
    };
    let [mut a, mut b] = vars.map(named);
    for (a, b) in a.iter_mut().zip(&mut b) {
        if a.name == b.name && a.nearest != b.nearest && a.path != b.path {
            (a.name, b.name) = (a.path.clone(), b.path.clone());
        }
    }
    [a, b].map(|names| names.into_iter().map(|dim| dim.name).collect())
}

/// The name of a dimension in a variable.
struct DimName {
    name: String,
    path: String,
    /// Whether the name refers to this dimension in the variable's group.
    nearest: bool,
}

impl DimName {
    fn new(schema: &Schema, group: GroupId, id: DimId) -> Self {
        let dim = schema.dim(id);
        Self {
            name: dim.map_or_else(String::new, |d| d.name.to_string()),
            path: dim.map_or_else(String::new, |d| {
                within(&schema.group_path(d.group), &d.name)
            }),
            nearest: schema.is_nearest_dim(group, id),
        }
    }
}

/// Returns whether a type is atomic.
fn class(ty: DataType) -> bool {
    ty.atomic().is_some()
}
