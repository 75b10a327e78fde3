//! Selects the compared objects: `-v` and `-g` without `--ignore`.

use std::collections::BTreeSet;

use netcdf_core::diff::{DatasetSide, IgnoreCandidate, ObjectKind};
use netcdf_core::error::{Error, Result};
use netcdf_core::model::{DataType, GroupId, Name, Schema, VarId};
use netcdf_grammar::ignore_list::IgnoreList;
use netcdf_grammar::selection;

use crate::request::DiffRequest;

/// The compared objects.
pub(super) struct DiffChoice<'a> {
    left_out: &'a IgnoreList,
    /// The objects that `-v` selects in each dataset, if it is given.
    variables: Option<[SelectedVariables; 2]>,
    /// The paths of the groups that `-g` selects in each dataset, if it is given.
    groups: Option<[BTreeSet<String>; 2]>,
}

/// The paths of selected variables, and of the objects that they use.
#[derive(Default)]
struct SelectedVariables {
    paths: BTreeSet<String>,
    dims: BTreeSet<String>,
    types: BTreeSet<String>,
}

impl<'a> DiffChoice<'a> {
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](netcdf_core::error::ErrorKind::NotFound) for a name or pattern that matches no object in either
    /// dataset.
    pub(super) fn new(request: &'a DiffRequest, schemas: [&Schema; 2]) -> Result<Self> {
        let variables = match &request.select.variables {
            Some(list) => {
                let [a, b] = in_both(list, |list, n| selection::variables(nth(schemas, n), list))?;
                Some([selected(schemas[0], a), selected(schemas[1], b)])
            }
            None => None,
        };
        let groups = match &request.select.groups {
            Some(list) => {
                let sides = in_both(list, |list, n| selection::groups(nth(schemas, n), list))?;
                let paths = |schema: &Schema, ids: BTreeSet<GroupId>| {
                    ids.into_iter().map(|id| schema.group_path(id)).collect()
                };
                let [a, b] = sides;
                Some([paths(schemas[0], a), paths(schemas[1], b)])
            }
            None => None,
        };
        Ok(Self {
            left_out: &request.left_out,
            variables,
            groups,
        })
    }

    /// Checks whether an object is compared.
    pub(super) fn takes(&self, candidate: &IgnoreCandidate<'_>) -> bool {
        let out = match candidate.attribute {
            Some(name) => self.left_out.has_attribute(candidate.path, name),
            None => self.left_out.has_object(candidate.path),
        };
        !out && self.is_selected(candidate) && self.is_in_groups(candidate)
    }

    fn is_selected(&self, candidate: &IgnoreCandidate<'_>) -> bool {
        let Some(sides) = &self.variables else {
            return true;
        };
        let own = side(sides, candidate.side);
        let path = candidate.path;
        match candidate.kind {
            ObjectKind::Group => path == "/" || holds(&own.paths, path),
            ObjectKind::Dimension => own.dims.contains(path),
            ObjectKind::Type => own.types.contains(path),
            ObjectKind::Variable | ObjectKind::Attribute => own.paths.contains(path),
        }
    }

    fn is_in_groups(&self, candidate: &IgnoreCandidate<'_>) -> bool {
        let Some(sides) = &self.groups else {
            return true;
        };
        let own = side(sides, candidate.side);
        let path = candidate.path;
        let above = match path.rsplit_once('/') {
            Some(("", _)) | None => "/",
            Some((above, _)) => above,
        };
        match candidate.kind {
            ObjectKind::Group => path == "/" || own.contains(path) || holds(own, path),
            ObjectKind::Dimension | ObjectKind::Type | ObjectKind::Variable => own.contains(above),
            ObjectKind::Attribute => own.contains(path) || (path != "/" && own.contains(above)),
        }
    }
}

fn side<T>([a, b]: &[T; 2], side: DatasetSide) -> &T {
    match side {
        DatasetSide::First => a,
        DatasetSide::Second => b,
    }
}

fn nth([a, b]: [&Schema; 2], n: usize) -> &Schema {
    match n {
        0 => a,
        _ => b,
    }
}

/// Checks whether a path is in a group or in a nested group.
fn holds(paths: &BTreeSet<String>, group: &str) -> bool {
    let start = format!("{group}/");
    let next = paths.range(start.clone()..).next();
    next.is_some_and(|path| path.starts_with(&start))
}

/// Returns the selection of a list in each dataset. Each entry must match an object in one of them.
fn in_both<I: Ord>(
    list: &[Vec<u8>],
    select: impl Fn(&[Vec<u8>], usize) -> Result<BTreeSet<I>>,
) -> Result<[BTreeSet<I>; 2]> {
    let mut kept: [Vec<Vec<u8>>; 2] = [vec![], vec![]];
    for entry in list {
        let one = std::slice::from_ref(entry);
        let found: [Option<Error>; 2] = [0, 1].map(|n| select(one, n).err());
        if let [Some(_), Some(_)] = &found {
            let [first, _] = found;
            return first.map_or(Ok([BTreeSet::new(), BTreeSet::new()]), Err);
        }
        for (kept, failed) in kept.iter_mut().zip(found) {
            if failed.is_none() {
                kept.push(entry.clone());
            }
        }
    }
    let removes = |entry: &Vec<u8>| entry.first() == Some(&b'!');
    let selected = |n: usize, kept: &[Vec<u8>]| {
        // A list with only `!` patterns starts from all objects.
        let none = kept.iter().all(removes) && !list.iter().all(removes);
        match none || list.is_empty() {
            true => Ok(BTreeSet::new()),
            false => select(kept, n),
        }
    };
    let [a, b] = &kept;
    Ok([selected(0, a)?, selected(1, b)?])
}

/// Returns the paths of variables, and of their dimensions and types.
fn selected(schema: &Schema, vars: BTreeSet<VarId>) -> SelectedVariables {
    let path = |group: GroupId, name: &Name| {
        let group = schema.group_path(group);
        format!("{}/{name}", group.trim_end_matches('/'))
    };
    let mut all = SelectedVariables::default();
    for id in vars {
        all.paths.insert(schema.var_path(id));
        let Some(var) = schema.var(id) else { continue };
        let dims = var.dims.iter().filter_map(|&dim| schema.dim(dim));
        all.dims.extend(dims.map(|dim| path(dim.group, &dim.name)));
        if let DataType::User(ty) = var.ty
            && let Some(ty) = schema.user_type(ty)
        {
            all.types.insert(path(ty.group, &ty.name));
        }
    }
    all
}
