//! The link order of a group, and the variables that are scales.

use std::collections::HashMap;

use crate::model::{DimId, GroupId, Name, Schema, VarId};

/// The target of a link in a group, except types and groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// The scale of a dimension without a variable.
    Dim(DimId),
    /// A variable.
    Var(VarId),
}

/// The variables that are dimension scales.
#[derive(Debug, Default)]
pub(super) struct Scales {
    /// Parallel to `schema.dims`.
    of_dims: Vec<Option<VarId>>,
    /// Dimension names by group.
    names: Vec<HashMap<Name, DimId>>,
}

impl Scales {
    /// Finds the scales. A variable is a scale if the first dimension has the same group and name.
    #[must_use]
    pub(super) fn of(schema: &Schema) -> Self {
        let mut scales = Self {
            of_dims: vec![None; schema.dims.len()],
            names: vec![HashMap::new(); schema.groups.len()],
        };
        for (n, dim) in (0..).zip(&schema.dims) {
            if let Some(names) = scales.names.get_mut(dim.group.index()) {
                names.insert(dim.name.clone(), DimId(n));
            }
        }
        for (id, var) in schema.var_ids().zip(&schema.vars) {
            let named = scales.named(var.group, &var.name);
            let own = var.dims.first().filter(|d| Some(**d) == named);
            if let Some(slot) = own.and_then(|d| scales.of_dims.get_mut(d.index())) {
                slot.get_or_insert(id);
            }
        }
        scales
    }

    /// Returns the dimension with this name in a group.
    fn named(&self, group: GroupId, name: &Name) -> Option<DimId> {
        self.names.get(group.index())?.get(name).copied()
    }

    /// Returns the variable that is the scale of a dimension.
    #[must_use]
    pub(super) fn variable(&self, dim: DimId) -> Option<VarId> {
        self.of_dims.get(dim.index()).copied().flatten()
    }

    /// Returns the dimension of a scale variable.
    #[must_use]
    pub(super) fn dimension(&self, schema: &Schema, var: VarId) -> Option<DimId> {
        let first = schema.var(var)?.dims.first().copied()?;
        (self.variable(first) == Some(var)).then_some(first)
    }

    /// Checks whether a variable has the name of a dimension in the group without being the dimension's scale.
    #[must_use]
    pub(super) fn clashes(&self, schema: &Schema, var: VarId) -> bool {
        let named = schema.var(var).and_then(|v| self.named(v.group, &v.name));
        named.is_some_and(|dim| self.variable(dim) != Some(var))
    }

    /// Returns the scales and variables of a group in netCDF-C's creation order: variables in definition order, and dimensions without a
    /// variable before the next dimension with a variable.
    #[must_use]
    pub(super) fn order(&self, schema: &Schema, group: GroupId) -> Vec<LinkTarget> {
        let Some(group) = schema.group(group) else {
            return vec![];
        };
        let (mut dims, mut vars) = (group.dims.iter().peekable(), group.vars.iter().peekable());
        let mut items = Vec::with_capacity(group.dims.len() + group.vars.len());
        while dims.peek().is_some() || vars.peek().is_some() {
            let mut awaited = None;
            for &dim in dims.by_ref() {
                awaited = self.variable(dim);
                if awaited.is_some() {
                    break;
                }
                items.push(LinkTarget::Dim(dim));
            }
            for &var in vars.by_ref() {
                items.push(LinkTarget::Var(var));
                if awaited == Some(var) {
                    break;
                }
            }
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Atomic, Dimension, Kind, Storage, Variable};

    fn dim(schema: &mut Schema, name: &str) -> DimId {
        schema.add_dim(Dimension {
            name: Name::stored(name.as_bytes()),
            group: GroupId::ROOT,
            len: 2,
            unlimited: false,
        })
    }

    fn var(schema: &mut Schema, name: &str, dims: &[DimId]) -> VarId {
        schema.add_var(Variable {
            name: Name::stored(name.as_bytes()),
            group: GroupId::ROOT,
            ty: Atomic::Int.into(),
            dims: dims.to_vec(),
            attributes: vec![],
            storage: Storage::default(),
        })
    }

    #[test]
    fn variables_keep_their_order() {
        let mut s = Schema::new(Kind::NETCDF4);
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| dim(&mut s, n));
        let v = var(&mut s, "v", &[a]);
        let cv = var(&mut s, "c", &[c, a]);
        let bv = var(&mut s, "b", &[b]);
        let dv = var(&mut s, "d", &[a, d]);
        let scales = Scales::of(&s);
        assert_eq!(
            [a, b, c, d].map(|d| scales.variable(d)),
            [None, Some(bv), Some(cv), None]
        );
        assert!(scales.clashes(&s, dv) && !scales.clashes(&s, cv));
        assert_eq!(scales.dimension(&s, cv), Some(c));
        assert_eq!(scales.dimension(&s, dv), None);
        let [v, cv, bv, dv] = [v, cv, bv, dv].map(LinkTarget::Var);
        let order = scales.order(&s, GroupId::ROOT);
        assert_eq!(
            order,
            [LinkTarget::Dim(a), v, cv, bv, dv, LinkTarget::Dim(d)]
        );
    }
}
