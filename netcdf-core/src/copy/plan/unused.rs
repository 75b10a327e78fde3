//! Drops groups and types that the selected variables do not use, for output kinds without groups or types.

use super::CopiedVariable;
use super::selection::{self, GroupScope};
use crate::error::{OrInternal as _, Result};
use crate::model::{Attribute, DataType, DimId, GroupId, Schema};
use crate::notes::Note;

/// Like [`selection::keep`], but also drops groups without variables, unused types, and unused unlimited dimensions if there are several
/// unlimited dimensions. `notes` names the dropped groups.
///
/// # Errors
/// Returns the errors of [`selection::keep`].
pub(super) fn keep(
    input: &Schema,
    groups: &[GroupScope],
    vars: &[bool],
    notes: &mut Vec<Note>,
) -> Result<(Schema, Vec<CopiedVariable>)> {
    let stays = |n: usize| {
        let group = input.vars.get(n).map(|v| v.group.index());
        let group = group.and_then(|g| groups.get(g)) == Some(&GroupScope::Whole);
        group && vars.get(n) == Some(&true)
    };
    let kept: Vec<_> = (0..input.vars.len()).filter(|&n| stays(n)).collect();
    let kept = || kept.iter().filter_map(|&n| input.vars.get(n));
    let mut asked = vec![GroupScope::Excluded; groups.len()];
    for group in kept().map(|v| v.group).chain([GroupId::ROOT]) {
        let stay = asked.get_mut(group.index()).zip(groups.get(group.index()));
        let (stay, before) = stay.or_internal("the group of a variable")?;
        *stay = *before;
    }
    let mut bare = input.clone();
    let attributes = kept().flat_map(|v| &v.attributes);
    let attributes = attributes.chain(input.groups.iter().take(1).flat_map(|g| &g.attributes));
    let is_user = |ty: DataType| ty.atomic().is_none();
    if !attributes
        .map(|a: &Attribute| a.ty)
        .chain(kept().map(|v| v.ty))
        .any(is_user)
    {
        bare.types.clear();
        bare.groups.iter_mut().for_each(|g| g.types.clear());
    }
    let used = |id: DimId| kept().any(|v| v.dims.contains(&id));
    let dims = (0..).map(DimId).zip(&input.dims);
    // A single unlimited dimension stays, used or unused.
    let many = input.dims.iter().filter(|d| d.unlimited).count() > 1;
    let needless = |id: DimId, unlimited: bool| many && unlimited && !used(id);
    let dims: Vec<bool> = dims.map(|(id, dim)| !needless(id, dim.unlimited)).collect();
    let (schema, pairs) = selection::keep_dims(&bare, &asked, vars, &dims)?;
    // If groups remain, a later check rejects the kind.
    let alone = schema.groups.len() == 1;
    let left_out = (0..).map(GroupId).zip(groups).zip(&asked);
    for ((id, before), now) in left_out.filter(|_| alone) {
        if *before != GroupScope::Excluded && *now == GroupScope::Excluded {
            notes.push(Note {
                object: input.group_path(id),
                what: "skipped: a group without variables to copy".to_owned(),
                remedy: None,
            });
        }
    }
    Ok((schema, pairs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy::{CopyOptions, CopySelection, plan};
    use crate::model::{
        Atomic, Dimension, Kind, Name, Storage, TypeKind, UserType, VarId, Variable,
    };

    fn name(text: &str) -> Name {
        Name::stored(text.as_bytes())
    }

    /// r(x) in the root, o(x) of a type of /g, v(t, u) in /g with two unlimited dimensions of the root.
    fn sample() -> Schema {
        let mut s = Schema::new(Kind::NETCDF4);
        let group = s.add_group(GroupId::ROOT, name("g"));
        let kind = TypeKind::Opaque { size: 3 };
        let ty = s.add_type(UserType {
            name: name("raw"),
            group,
            kind,
        });
        for (dim, len) in [("x", 2), ("t", 0), ("u", 0)] {
            s.add_dim(Dimension {
                name: name(dim),
                group: GroupId::ROOT,
                len,
                unlimited: len == 0,
            });
        }
        let int = DataType::from(Atomic::Int);
        for (var, group, ty, dims) in [
            ("r", GroupId::ROOT, int, vec![DimId(0)]),
            ("o", GroupId::ROOT, DataType::User(ty), vec![DimId(0)]),
            ("v", group, int, vec![DimId(1), DimId(2)]),
        ] {
            let attributes = vec![];
            let storage = Storage::default();
            s.add_var(Variable {
                name: name(var),
                group,
                ty,
                dims,
                attributes,
                storage,
            });
        }
        s
    }

    fn planned(only: u32) -> crate::Result<super::super::Plan> {
        let options = CopyOptions {
            kind: Some(Kind::CLASSIC),
            select: CopySelection::Only([VarId(only)].into()),
            ..CopyOptions::default()
        };
        plan(&sample(), &options)
    }

    #[test]
    fn variables_without_need_of_groups_and_types_go_anywhere() {
        let plan = planned(0).unwrap();
        let names: Vec<_> = plan
            .schema
            .dims
            .iter()
            .map(|d| d.name.to_string())
            .collect();
        assert_eq!(names, ["x"]);
        assert_eq!((plan.schema.groups.len(), plan.schema.types.len()), (1, 0));
        assert_eq!((plan.data.len(), plan.schema.vars.len()), (1, 1));
        let notes: Vec<_> = plan.notes.iter().map(|n| n.object.as_str()).collect();
        assert_eq!(notes, ["/g"]);
    }

    #[test]
    fn a_single_unlimited_dimension_stays() {
        let mut input = sample();
        input
            .dims
            .iter_mut()
            .for_each(|d| d.unlimited &= d.name == name("t"));
        let options = CopyOptions {
            kind: Some(Kind::CLASSIC),
            select: CopySelection::Only([VarId(0)].into()),
            ..CopyOptions::default()
        };
        let schema = plan(&input, &options).unwrap().schema;
        let names: Vec<_> = schema.dims.iter().map(|d| d.name.to_string()).collect();
        assert_eq!(names, ["x", "t", "u"]);
    }

    #[test]
    fn others_are_refused_as_ever() {
        for (only, lacking) in [(1, "user-defined types /g/raw"), (2, "groups /g;")] {
            let e = planned(only).unwrap_err();
            assert!(e.what().contains(lacking), "{e}");
        }
    }
}
