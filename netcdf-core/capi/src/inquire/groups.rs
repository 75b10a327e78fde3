//! Groups.

use std::ffi::c_int;

use netcdf_core::model::GroupId;

use crate::border::{InText, OutArray, OutText, export};
use crate::dataset::{OpenGroup, int, stored_name};
use crate::error_number::ErrorNumber;
use crate::handles::with;

/// Returns the subgroup with a name.
fn child(group: &OpenGroup<'_>, of: GroupId, name: &[u8]) -> Result<GroupId, ErrorNumber> {
    if name.contains(&b'/') {
        return Err(ErrorNumber::EBADNAME);
    }
    let schema = group.schema();
    let name = stored_name(name);
    let called = |id: &GroupId| {
        let child = schema.group(*id);
        child.is_some_and(|g| g.name.as_bytes() == name)
    };
    let parent = schema.group(of).ok_or(ErrorNumber::EBADID)?;
    let found = parent.groups.iter().copied().find(called);
    found.ok_or(ErrorNumber::ENOGRP)
}

/// Returns the group at a path: absolute paths start with `/`.
pub(super) fn at_path(group: &OpenGroup<'_>, path: &[u8]) -> Result<GroupId, ErrorNumber> {
    let from = match path.first() {
        Some(b'/') => GroupId::ROOT,
        Some(_) | None => group.id,
    };
    let mut names = path.split(|&b| b == b'/').filter(|name| !name.is_empty());
    names.try_fold(from, |at, name| child(group, at, name))
}

fn full_name(group: &OpenGroup<'_>) -> Vec<u8> {
    let mut names: Vec<&[u8]> = group
        .with_ancestors()
        .filter(|g| g.parent.is_some())
        .map(|g| g.name.as_bytes())
        .collect();
    names.push(b"");
    names.reverse();
    match names.len() {
        1 => b"/".to_vec(),
        _ => names.join(&b'/'),
    }
}

/// Writes the id of the subgroup with a name. As in netCDF-C, null stands for the group itself. In classic files, every name stands for the
/// root group.
fn child_or_self(ncid: c_int, name: InText, id: OutArray<c_int>) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let found = match group.is_classic() || name.is_null() {
            true => group.id,
            false => match name.name()? {
                b"" => return Err(ErrorNumber::EBADNAME),
                name => child(group, group.id, name)?,
            },
        };
        id.set((group.ids)(found)?);
        Ok(())
    })
}

export! {
    fn nc_inq_grps(ncid: c_int, count: OutArray<c_int>, ids: OutArray<c_int>) {
        with(ncid, |group| {
            let groups = &group.group()?.groups;
            count.set(int(groups.len()));
            let numbers: Result<Vec<_>, _> = groups.iter().map(|&id| (group.ids)(id)).collect();
            ids.set_all(numbers?);
            Ok(())
        })
    }

    fn nc_inq_grpname(ncid: c_int, name: OutText) {
        with(ncid, |group| {
            name.set_name(group.group()?.name.as_bytes());
            Ok(())
        })
    }

    fn nc_inq_grpname_full(ncid: c_int, len: OutArray<usize>, name: OutText) {
        with(ncid, |group| {
            let full = full_name(group);
            len.set(full.len());
            name.set(&full);
            Ok(())
        })
    }

    fn nc_inq_grpname_len(ncid: c_int, len: OutArray<usize>) {
        with(ncid, |group| {
            len.set(full_name(group).len());
            Ok(())
        })
    }

    fn nc_inq_grp_parent(ncid: c_int, parent: OutArray<c_int>) {
        with(ncid, |group| {
            let id = group.group()?.parent.ok_or(ErrorNumber::ENOGRP)?;
            parent.set((group.ids)(id)?);
            Ok(())
        })
    }

    fn nc_inq_ncid(ncid: c_int, name: InText, id: OutArray<c_int>) {
        child_or_self(ncid, name, id)
    }

    fn nc_inq_grp_ncid(ncid: c_int, name: InText, id: OutArray<c_int>) {
        child_or_self(ncid, name, id)
    }

    /// As in netCDF-C, classic files have no group paths.
    fn nc_inq_grp_full_ncid(ncid: c_int, name: InText, id: OutArray<c_int>) {
        with(ncid, |group| {
            if group.is_classic() {
                return Err(ErrorNumber::ENOGRP);
            }
            id.set((group.ids)(at_path(group, name.path()?)?)?);
            Ok(())
        })
    }
}
