//! Selection of the groups, dimensions and variables to keep.

use std::collections::BTreeSet;

use super::CopiedVariable;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::model::{DimId, Dimension, Group, GroupId, Schema, UserType, VarId, Variable};

/// The planned treatment of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupScope {
    /// The output lacks the group.
    Excluded,
    /// The output keeps the group's definitions, but not its variables.
    Definitions,
    /// The output keeps the group with its variables.
    Whole,
}

/// Returns the schema without the groups and variables that `groups` and `vars` exclude, and the kept variables in input and output. Types
/// keep their ids, because values in memory refer to type ids. Therefore groups that define types are kept.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for a variable whose dimension is missing.
pub(super) fn keep(
    input: &Schema,
    groups: &[GroupScope],
    vars: &[bool],
) -> Result<(Schema, Vec<CopiedVariable>)> {
    keep_dims(input, groups, vars, &vec![true; input.dims.len()])
}

/// Like [`keep`]; `dims` selects the dimensions to keep in kept groups.
///
/// # Errors
/// Returns the errors of [`keep`].
pub(super) fn keep_dims(
    input: &Schema,
    groups: &[GroupScope],
    vars: &[bool],
    dims: &[bool],
) -> Result<(Schema, Vec<CopiedVariable>)> {
    let mut out = Schema::new(input.kind);
    out.json_texts = input.json_texts;
    out.groups.clear();
    let groups = needed(input, groups, vars);
    let new_groups = numbers(groups.iter().map(|s| *s != GroupScope::Excluded));
    let group = |id: GroupId| new_groups.get(id.index()).copied().flatten().map(GroupId);
    for (old_id, old) in input.group_ids().zip(&input.groups) {
        if let Some(id) = group(old_id) {
            let parent = old.parent.and_then(group);
            let mut new = Group::new(old.name.clone(), parent);
            new.attributes.clone_from(&old.attributes);
            out.groups.push(new);
            if let Some(parent) = parent {
                let parent = out.groups.get_mut(parent.index());
                parent
                    .or_internal("a group before its parent")?
                    .groups
                    .push(id);
            }
        }
    }
    for ty in &input.types {
        let group = group(ty.group).or_internal("a type without its group")?;
        out.add_type(UserType {
            group,
            ..ty.clone()
        });
    }
    let stays = |(d, stays): (&Dimension, &bool)| *stays && group(d.group).is_some();
    let new_dims = numbers(input.dims.iter().zip(dims).map(stays));
    for (dim, stays) in input.dims.iter().zip(dims) {
        if let Some(group) = group(dim.group).filter(|_| *stays) {
            out.add_dim(Dimension {
                group,
                ..dim.clone()
            });
        }
    }
    let dim = |id: &DimId| new_dims.get(id.index()).copied().flatten().map(DimId);
    let kept = vars.iter().filter(|stays| **stays).count();
    out.vars.reserve_exact(kept);
    let mut pairs = Vec::with_capacity(kept);
    for (from, (var, stays)) in input.var_ids().zip(input.vars.iter().zip(vars)) {
        let whole = groups.get(var.group.index()) == Some(&GroupScope::Whole);
        if let Some(group) = group(var.group).filter(|_| *stays && whole) {
            let dims = var.dims.iter().map(dim).collect::<Option<_>>();
            let dims = dims.ok_or_else(|| lost(input, from))?;
            let to = out.add_var(Variable {
                group,
                dims,
                ..var.clone()
            });
            pairs.push(CopiedVariable { from, to });
        }
    }
    Ok((out, pairs))
}

fn lost(input: &Schema, var: VarId) -> Error {
    let what = "a dimension of this variable is not copied";
    Error::new(ErrorKind::NotFound, what).in_object(&input.var_path(var))
}

/// Adds all required groups: parents, groups with types, and groups with dimensions of kept variables. In HDF5, a variable can have
/// dimensions from any group.
fn needed(input: &Schema, groups: &[GroupScope], vars: &[bool]) -> Vec<GroupScope> {
    let mut all = groups.to_vec();
    let stays = |group: GroupId| {
        groups
            .get(group.index())
            .is_some_and(|s| *s != GroupScope::Excluded)
    };
    let whole = |group: GroupId| groups.get(group.index()) == Some(&GroupScope::Whole);
    let kept = input.vars.iter().zip(vars);
    let kept = kept.filter(|(v, stays)| **stays && whole(v.group));
    let dims = kept.flat_map(|(v, _)| &v.dims);
    let shaping: BTreeSet<_> = dims.filter_map(|&d| Some(input.dim(d)?.group)).collect();
    for (id, group) in input.group_ids().zip(&input.groups) {
        if group.types.is_empty() && !stays(id) && !shaping.contains(&id) {
            continue;
        }
        let mut at = Some(id);
        // Parents precede their groups, so this loop ends.
        while let Some(id) = at {
            if let Some(stay) = all
                .get_mut(id.index())
                .filter(|s| **s == GroupScope::Excluded)
            {
                *stay = GroupScope::Definitions;
            }
            at = input.group(id).and_then(|g| g.parent).filter(|p| *p < id);
        }
    }
    all
}

/// Returns new numbers for the kept objects.
fn numbers(stays: impl Iterator<Item = bool>) -> Vec<Option<u32>> {
    let mut next = 0;
    let number = |stays: bool| {
        stays.then(|| {
            next += 1;
            next - 1
        })
    };
    stays.map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Atomic, Kind, Name, Storage, TypeKind};

    fn name(text: &str) -> Name {
        Name::stored(text.as_bytes())
    }

    /// Groups /a (dimension x, variable v(x)), /a/b (variable w(x)), /c (type o), /d (dimension x, variable v(x)).
    fn sample() -> Schema {
        let mut s = Schema::new(Kind::NETCDF4);
        let a = s.add_group(GroupId::ROOT, name("a"));
        let b = s.add_group(a, name("b"));
        let c = s.add_group(GroupId::ROOT, name("c"));
        let d = s.add_group(GroupId::ROOT, name("d"));
        let kind = TypeKind::Opaque { size: 3 };
        s.add_type(UserType {
            name: name("o"),
            group: c,
            kind,
        });
        for (group, len) in [(a, 2), (d, 5)] {
            let unlimited = false;
            s.add_dim(Dimension {
                name: name("x"),
                group,
                len,
                unlimited,
            });
        }
        for (var, group, dim) in [("v", a, 0), ("w", b, 0), ("v", d, 1)] {
            s.add_var(Variable {
                name: name(var),
                group,
                ty: Atomic::Int.into(),
                dims: vec![DimId(dim)],
                attributes: vec![],
                storage: Storage::default(),
            });
        }
        s
    }

    fn kept(stays: &[GroupScope], vars: &[bool]) -> (Vec<String>, Vec<String>) {
        let (out, pairs) = keep(&sample(), stays, vars).unwrap();
        let groups = (0..)
            .take(out.groups.len())
            .map(|n| out.group_path(GroupId(n)));
        let var = |p: &CopiedVariable| {
            format!("{} {}{:?}", p.from.0, out.var_path(p.to), out.shape(p.to))
        };
        assert_eq!(out.types.len(), 1, "types stay");
        (groups.collect(), pairs.iter().map(var).collect())
    }

    #[test]
    fn everything_stays() {
        let (out, pairs) = keep(&sample(), &[GroupScope::Whole; 5], &[true; 3]).unwrap();
        assert_eq!(out, sample());
        assert!(pairs.iter().all(|p| p.from == p.to) && pairs.len() == 3);
    }

    #[test]
    fn groups_above_and_with_types_stay_as_frames() {
        use GroupScope::{Excluded, Whole};
        let (groups, vars) = kept(&[Excluded, Excluded, Whole, Excluded, Excluded], &[true; 3]);
        assert_eq!(groups, ["/", "/a", "/a/b", "/c"]);
        assert_eq!(vars, ["1 /a/b/w[2]"]);
        let (groups, vars) = kept(&[Excluded, Excluded, Excluded, Excluded, Whole], &[true; 3]);
        assert_eq!(groups, ["/", "/c", "/d"]);
        assert_eq!(vars, ["2 /d/v[5]"]);
        let (groups, vars) = kept(&[Excluded, Excluded, Excluded, Whole, Excluded], &[true; 3]);
        assert_eq!((groups, vars), (vec!["/".into(), "/c".into()], vec![]));
        let (_, vars) = kept(&[Whole; 5], &[false, false, true]);
        assert_eq!(vars, ["2 /d/v[5]"]);
    }

    /// HDF5 files have variables like this.
    #[test]
    fn groups_with_dimensions_of_others_stay_as_frames() {
        use GroupScope::{Excluded, Whole};
        let mut input = sample();
        input.vars[2].dims = vec![DimId(0), DimId(1)];
        let stays = [Excluded, Excluded, Excluded, Excluded, Whole];
        let (out, pairs) = keep(&input, &stays, &[true; 3]).unwrap();
        let groups: Vec<_> = (0..4).map(|n| out.group_path(GroupId(n))).collect();
        assert_eq!(groups, ["/", "/a", "/c", "/d"]);
        assert_eq!(pairs.len(), 1);
        assert_eq!(out.shape(pairs[0].to), [2, 5]);
        let (out, _) = keep(&input, &stays, &[true, true, false]).unwrap();
        assert_eq!(out.groups.len(), 3, "nothing has the dimension");
        let e = keep_dims(&input, &stays, &[true; 3], &[false, true]).unwrap_err();
        assert!(e.to_string().contains("/d/v"), "{e}");
    }
}
