//! Changes of the schema of the whole: variables and dimensions of other inputs, a new dimension, and removed variables.

use std::collections::BTreeSet;

use netcdf_core::copy::plan::carry_fill;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::{DataType, DimId, Dimension, GroupId, Name, Schema, StorageLayout, VarId};
use netcdf_core::model::{Storage, Values, Variable};

use super::dimension::{dim_of, dim_path};

/// Adds a variable of another input to the whole, with missing groups and dimensions.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for a user-defined type, and [`ErrorKind::Argument`] for a dimension of another length.
pub(super) fn add_variable(whole: &mut Schema, from: &Schema, id: VarId) -> Result<()> {
    let var = from.var(id).or_internal("a variable of an input")?;
    let path = from.var_path(id);
    if let DataType::User(_) = var.ty {
        let what = "the first input lacks a variable of a user-defined type";
        return Err(Error::new(ErrorKind::Unsupported, what).in_object(&path));
    }
    let group = group(whole, from, var.group)?;
    let dims = var.dims.iter().map(|dim| dimension(whole, from, *dim));
    let dims = dims.collect::<Result<Vec<_>>>()?;
    let mut added = Variable {
        group,
        dims,
        ..var.clone()
    };
    carry_fill((from.kind, var), (whole.kind, &mut added));
    whole.add_var(added);
    Ok(())
}

/// Returns the group of the whole with the path of another input's group.
fn group(whole: &mut Schema, from: &Schema, id: GroupId) -> Result<GroupId> {
    let path = from.group_path(id);
    let known = whole.group_ids().find(|id| whole.group_path(*id) == path);
    if let Some(known) = known {
        return Ok(known);
    }
    let own = from.group(id).or_internal("a group of an input")?;
    let parent = own.parent.filter(|parent| *parent < id);
    let parent = group(whole, from, parent.or_internal("the parent of a group")?)?;
    let added = whole.add_group(parent, own.name.clone());
    if let Some(group) = whole.groups.get_mut(added.index()) {
        group.attributes.clone_from(&own.attributes);
    }
    Ok(added)
}

/// Returns the dimension of the whole with the path of another input's dimension.
fn dimension(whole: &mut Schema, from: &Schema, id: DimId) -> Result<DimId> {
    let path = dim_path(from, id);
    let own = from.dim(id).or_internal("a dimension of an input")?;
    match dim_of(whole, &path) {
        Some(known) => Ok(known),
        None => {
            let group = group(whole, from, own.group)?;
            Ok(whole.add_dim(Dimension {
                group,
                ..own.clone()
            }))
        }
    }
}

/// Adds a fixed dimension to the root group.
pub(super) fn add_dimension(whole: &mut Schema, name: &str, len: u64) -> DimId {
    whole.add_dim(Dimension {
        name: Name::stored(name.as_bytes()),
        group: GroupId::ROOT,
        len,
        unlimited: false,
    })
}

/// Prepends a dimension to a variable.
///
/// # Errors
/// Returns an internal error for an unknown variable.
pub(super) fn prepend(whole: &mut Schema, id: VarId, dim: DimId) -> Result<()> {
    let var = whole.var_mut(id)?;
    var.dims.insert(0, dim);
    if let Some(StorageLayout::Chunked(lengths)) = &mut var.storage.layout {
        lengths.insert(0, 1);
    }
    Ok(())
}

/// Adds the coordinate variable of a new dimension.
///
/// # Errors
/// Returns an internal error for values of a user-defined type.
pub(super) fn add_labels(whole: &mut Schema, dim: DimId, values: &Values) -> Result<VarId> {
    let name = whole
        .dim(dim)
        .or_internal("the new dimension")?
        .name
        .clone();
    let ty = values.data_type().or_internal("labels of an atomic type")?;
    Ok(whole.add_var(Variable {
        name,
        group: GroupId::ROOT,
        ty: ty.into(),
        dims: vec![dim],
        attributes: vec![],
        storage: Storage::default(),
    }))
}

/// Removes variables.
pub(super) fn remove_variables(whole: &mut Schema, removed: &BTreeSet<String>) {
    let ids: Vec<VarId> = whole.var_ids().collect();
    let stays: Vec<bool> = ids
        .iter()
        .map(|id| !removed.contains(&whole.var_path(*id)))
        .collect();
    let mut next = (0..).map(VarId);
    let new = stays
        .iter()
        .map(|stays| if *stays { next.next() } else { None });
    let new: Vec<Option<VarId>> = new.collect();
    for group in &mut whole.groups {
        let kept = group
            .vars
            .iter()
            .filter_map(|id| new.get(id.index()).copied().flatten());
        group.vars = kept.collect();
    }
    let mut keep = stays.iter();
    whole.vars.retain(|_| keep.next().copied().unwrap_or(true));
}
