//! Types of all classes.

use std::ffi::{c_char, c_int};

use netcdf_core::model::name::MAX_NAME;
use netcdf_core::model::{Atomic, DataType, GroupId, TypeId, TypeKind, UserType};

use super::groups;
use super::storage::check_settings;
use crate::border::{InText, OutArray, OutText, export};
use crate::dataset::{OpenGroup, int, stored_name, type_number};
use crate::error_number::ErrorNumber;
use crate::handles::with;

/// The type classes of `netcdf.h`.
fn class(kind: &TypeKind) -> c_int {
    match kind {
        TypeKind::Vlen { .. } => 13,
        TypeKind::Opaque { .. } => 14,
        TypeKind::Enum { .. } => 15,
        TypeKind::Compound { .. } => 16,
    }
}

/// Returns the number of the base type; 0 without a base type.
fn base(kind: &TypeKind) -> c_int {
    match kind {
        TypeKind::Vlen { base } => type_number(*base),
        TypeKind::Enum { base, .. } => type_number((*base).into()),
        TypeKind::Opaque { .. } | TypeKind::Compound { .. } => 0,
    }
}

/// Returns the number of fields or members.
fn parts(kind: &TypeKind) -> usize {
    match kind {
        TypeKind::Compound { fields, .. } => fields.len(),
        TypeKind::Enum { members, .. } => members.len(),
        TypeKind::Vlen { .. } | TypeKind::Opaque { .. } => 0,
    }
}

fn is_atomic(number: c_int) -> bool {
    let number = u32::try_from(number).ok();
    number.and_then(Atomic::from_number).is_some()
}

/// Runs a function on a user-defined type and its size.
pub(super) fn on_type(
    ncid: c_int,
    number: c_int,
    body: impl FnOnce(&OpenGroup<'_>, &UserType, usize) -> Result<(), ErrorNumber>,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        check_settings(group)?;
        let ty = group.user_type(number)?;
        let size = group.memory_size(group.data_type(number)?)?;
        body(group, ty, size)
    })
}

/// Returns the type with a name in a group.
fn within(group: &OpenGroup<'_>, id: GroupId, name: &[u8]) -> Option<DataType> {
    let schema = group.schema();
    let called = |id: &TypeId| {
        let ty = schema.user_type(*id);
        ty.is_some_and(|ty| ty.name.as_bytes() == name)
    };
    let found = schema.group(id)?.types.iter().copied().find(called);
    found.map(DataType::User)
}

/// Returns the nearest type with a name: in the group, its ancestors, or any group.
fn named(group: &OpenGroup<'_>, name: &[u8]) -> Result<DataType, ErrorNumber> {
    let atomic = Atomic::ALL.into_iter();
    if let Some(atomic) = atomic.into_iter().find(|a| a.name().as_bytes() == name) {
        return Ok(atomic.into());
    }
    check_settings(group)?;
    if name == b"/" {
        return Err(ErrorNumber::EINVAL);
    }
    if name.contains(&b'/') {
        let end = name.iter().rposition(|&b| b == b'/').unwrap_or(0);
        let (path, last) = name.split_at(end);
        let at = match name.first() {
            Some(b'/') => groups::at_path(group, &[b"/", path].concat())?,
            Some(_) | None => return Err(ErrorNumber::EINVAL),
        };
        let last = stored_name(last.get(1..).unwrap_or_default());
        return within(group, at, &last).ok_or(ErrorNumber::EBADTYPE);
    }
    if name.len() > MAX_NAME {
        return Err(ErrorNumber::EMAXNAME);
    }
    let name = stored_name(name);
    let schema = group.schema();
    let parent = |id: &GroupId| schema.group(*id).and_then(|g| g.parent);
    let near = std::iter::successors(Some(group.id), parent).take(schema.groups.len());
    let mut all = near.chain(schema.group_ids());
    let found = all.find_map(|id| within(group, id, &name));
    found.ok_or(ErrorNumber::EBADTYPE)
}

export! {
    /// Atomic types need no open dataset, as in netCDF-C.
    fn nc_inq_type(ncid: c_int, ty: c_int, name: OutText, size: OutArray<usize>) {
        if let Some(atomic) = u32::try_from(ty).ok().and_then(Atomic::from_number) {
            size.set(atomic.size().unwrap_or(size_of::<*const c_char>()));
            name.set_name(atomic.name().as_bytes());
            return Ok(());
        }
        let described = with(ncid, |group| {
            let user = group.user_type(ty)?;
            size.set(group.memory_size(group.data_type(ty)?)?);
            name.set_name(user.name.as_bytes());
            Ok(())
        });
        described.map_err(|e| match e {
            ErrorNumber::EBADID => ErrorNumber::EBADTYPE,
            other => other,
        })
    }

    fn nc_inq_typeid(ncid: c_int, name: InText, ty: OutArray<c_int>) {
        with(ncid, |group| {
            ty.set(type_number(named(group, name.path()?)?));
            Ok(())
        })
    }

    fn nc_inq_typeids(ncid: c_int, count: OutArray<c_int>, ids: OutArray<c_int>) {
        with(ncid, |group| {
            let types = &group.group()?.types;
            count.set(int(types.len()));
            ids.set_all(types.iter().map(|&id| type_number(DataType::User(id))));
            Ok(())
        })
    }

    fn nc_inq_user_type(
        ncid: c_int,
        ty: c_int,
        name: OutText,
        size: OutArray<usize>,
        base_type: OutArray<c_int>,
        fields: OutArray<usize>,
        type_class: OutArray<c_int>,
    ) {
        on_type(ncid, ty, |_, ty, bytes| {
            name.set_name(ty.name.as_bytes());
            size.set(bytes);
            base_type.set(base(&ty.kind));
            fields.set(parts(&ty.kind));
            type_class.set(class(&ty.kind));
            Ok(())
        })
    }

    fn nc_inq_vlen(
        ncid: c_int,
        ty: c_int,
        name: OutText,
        size: OutArray<usize>,
        base_type: OutArray<c_int>,
    ) {
        on_type(ncid, ty, |_, ty, bytes| {
            let TypeKind::Vlen { base } = &ty.kind else {
                return Err(ErrorNumber::EBADTYPE);
            };
            name.set_name(ty.name.as_bytes());
            size.set(bytes);
            base_type.set(type_number(*base));
            Ok(())
        })
    }

    fn nc_inq_opaque(ncid: c_int, ty: c_int, name: OutText, size: OutArray<usize>) {
        on_type(ncid, ty, |_, ty, bytes| {
            let TypeKind::Opaque { .. } = &ty.kind else {
                return Err(ErrorNumber::EBADTYPE);
            };
            name.set_name(ty.name.as_bytes());
            size.set(bytes);
            Ok(())
        })
    }

    /// Compares types of two datasets: atomic types by number, other types by name and contents. An atomic type differs from every other
    /// number.
    fn nc_inq_type_equal(
        ncid: c_int,
        ty: c_int,
        other_ncid: c_int,
        other: c_int,
        equal: OutArray<c_int>,
    ) {
        if ty <= 0 || other <= 0 {
            return Err(ErrorNumber::EINVAL);
        }
        if is_atomic(ty) != is_atomic(other) {
            equal.set(0);
            return Ok(());
        }
        let described = |ncid, ty| {
            with(ncid, |group| {
                let id = group.data_type(ty)?;
                let user = match id {
                    DataType::Atomic(_) => None,
                    DataType::User(_) => Some(group.user_type(ty)?.clone()),
                };
                Ok((id.atomic(), user.map(|ty| (ty.name, ty.kind))))
            })
        };
        let same = described(ncid, ty)? == described(other_ncid, other)?;
        equal.set(same.into());
        Ok(())
    }
}
