//! Rejects schemas that netCDF-4 files, or files of the classic model, cannot store.

use std::collections::HashSet;

use super::super::hidden_attributes::is_reserved;
use super::order::Scales;
use crate::error::{Error, ErrorKind, Result};
use crate::format::reserved_names::ReservedNames;
use crate::model::{Attribute, DataType, GroupId, Kind, Schema};

/// The maximum dimension length of the classic model.
const CLASSIC_DIM: u64 = u32::MAX as u64;

/// Rejects a schema that files of the schema's kind cannot store, and lists all defects.
///
/// # Errors
/// Returns [`ErrorKind::Strict`] for features that the classic model lacks, [`ErrorKind::BadName`] for names that are not allowed, or
/// [`ErrorKind::Exists`] for duplicate names.
pub(super) fn check(schema: &Schema, scales: &Scales) -> Result<()> {
    if schema.kind == Kind::NETCDF4_CLASSIC {
        strict(schema)?;
    }
    let mut reserved = ReservedNames::default();
    each_list(schema, |(path, is_group), attributes| {
        for a in attributes.iter().filter(|a| is_reserved(a.name.as_bytes())) {
            reserved.add(&path(), is_group, &a.name);
        }
    });
    reserved.check("netCDF-4 files")?;
    twice(schema)?;
    links(schema, scales)
}

/// Calls `look` with each attribute list, the owner's path, and whether the owner is a group.
fn each_list(schema: &Schema, mut look: impl FnMut((&dyn Fn() -> String, bool), &[Attribute])) {
    for (n, group) in (0..).zip(&schema.groups) {
        let path = || {
            let path = schema.group_path(GroupId(n));
            path.trim_end_matches('/').to_owned()
        };
        look((&path, true), &group.attributes);
    }
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        look((&|| schema.var_path(id), false), &var.attributes);
    }
}

fn twice(schema: &Schema) -> Result<()> {
    let mut found = None;
    each_list(schema, |(path, _), attributes| {
        let mut names = HashSet::with_capacity(attributes.len());
        let double = attributes.iter().find(|a| !names.insert(&a.name));
        if let (None, Some(a)) = (&found, double) {
            found = Some(format!("{}:{}", path(), a.name));
        }
    });
    match found {
        None => Ok(()),
        Some(path) => {
            let what = "two attributes have this name";
            Err(Error::new(ErrorKind::Exists, what).in_object(&path))
        }
    }
}

/// Checks link names: the types, groups, dimensions and variables of a group must have different names.
fn links(schema: &Schema, scales: &Scales) -> Result<()> {
    let mut names = HashSet::new();
    let mut link = |group: GroupId, name: Vec<u8>| {
        let path = || {
            let group = schema.group_path(group);
            let name = String::from_utf8_lossy(&name).into_owned();
            format!("{}/{name}", group.trim_end_matches('/'))
        };
        if name.is_empty() || name == b"." || name.contains(&b'/') || name.contains(&0) {
            let what = "HDF5 does not allow this name";
            return Err(Error::new(ErrorKind::BadName, what).in_object(&path()));
        }
        if names.contains(&(group, name.clone())) {
            let what = "two objects have this name: the types, groups, variables and, in netCDF-4 files, \
                        dimensions of a group must have different names";
            return Err(Error::new(ErrorKind::Exists, what).in_object(&path()));
        }
        names.insert((group, name));
        Ok(())
    };
    for ty in &schema.types {
        link(ty.group, ty.name.as_bytes().to_vec())?;
    }
    for group in &schema.groups {
        if let Some(parent) = group.parent {
            link(parent, group.name.as_bytes().to_vec())?;
        }
    }
    for (n, dim) in (0..).zip(&schema.dims) {
        if scales.variable(crate::model::DimId(n)).is_none() {
            link(dim.group, dim.name.as_bytes().to_vec())?;
        }
    }
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        link(var.group, super::plan::link_name(schema, scales, id)?)?;
    }
    Ok(())
}

/// Rejects features that the classic model lacks.
fn strict(schema: &Schema) -> Result<()> {
    let mut lacking = vec![];
    let mut groups = (1..).zip(schema.groups.iter().skip(1));
    lacking.extend(
        groups
            .by_ref()
            .map(|(n, _)| format!("group {}", schema.group_path(GroupId(n)))),
    );
    lacking.extend(schema.types.iter().map(|t| format!("type {}", t.name)));
    let unlimited = schema.dims.iter().filter(|d| d.unlimited).skip(1);
    lacking.extend(unlimited.map(|d| format!("a second unlimited dimension {}", d.name)));
    let long = schema.dims.iter().filter(|d| d.len > CLASSIC_DIM);
    lacking.extend(long.map(|d| format!("dimension {} of length {}", d.name, d.len)));
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        if !is_classic(var.ty) {
            lacking.push(format!(
                "the {} of {}",
                type_name(var.ty),
                schema.var_path(id)
            ));
        }
    }
    each_list(schema, |(path, _), attributes| {
        for a in attributes.iter().filter(|a| !is_classic(a.ty)) {
            lacking.push(format!("the {} of {}:{}", type_name(a.ty), path(), a.name));
        }
    });
    if lacking.is_empty() {
        return Ok(());
    }
    let what = format!(
        "{} files cannot hold {}",
        Kind::NETCDF4_CLASSIC.name(),
        lacking.join(", ")
    );
    Err(Error::new(ErrorKind::Strict, what).with_remedy("use -k nc4"))
}

fn is_classic(ty: DataType) -> bool {
    ty.atomic().is_some_and(crate::model::Atomic::is_classic)
}

fn type_name(ty: DataType) -> String {
    match ty {
        DataType::Atomic(atomic) => format!("type {}", atomic.name()),
        DataType::User(_) => "user-defined type".into(),
    }
}
