//! Compound types.

use std::ffi::c_int;

use netcdf_core::model::{Field, TypeKind};

use super::types::on_type;
use crate::border::{InText, OutArray, OutText, export};
use crate::dataset::{int, size, stored_name, type_number};
use crate::error_number::ErrorNumber;

/// Runs a function on the fields of a compound type.
fn on_fields(
    ncid: c_int,
    ty: c_int,
    body: impl FnOnce(&[Field]) -> Result<(), ErrorNumber>,
) -> Result<(), ErrorNumber> {
    on_type(ncid, ty, |_, ty, _| match &ty.kind {
        TypeKind::Compound { fields, .. } => body(fields),
        TypeKind::Vlen { .. } | TypeKind::Opaque { .. } | TypeKind::Enum { .. } => {
            Err(ErrorNumber::EBADTYPE)
        }
    })
}

/// Runs a function on a field.
fn on_field(
    ncid: c_int,
    ty: c_int,
    number: c_int,
    body: impl FnOnce(&Field),
) -> Result<(), ErrorNumber> {
    on_fields(ncid, ty, |fields| {
        let number = usize::try_from(number).map_err(|_| ErrorNumber::EBADFIELD)?;
        body(fields.get(number).ok_or(ErrorNumber::EBADFIELD)?);
        Ok(())
    })
}

/// Writes the offset of a field in the memory of C programs.
fn set_offset(
    ncid: c_int,
    ty: c_int,
    number: c_int,
    offset: OutArray<usize>,
) -> Result<(), ErrorNumber> {
    on_type(ncid, ty, |group, _, _| {
        let layout = group.loaded.layouts().of(group.data_type(ty)?);
        let number = usize::try_from(number).ok();
        let own = layout.zip(number).and_then(|(l, n)| l.offsets.get(n));
        offset.set(*own.ok_or(ErrorNumber::EBADFIELD)?);
        Ok(())
    })
}

fn set_shape(field: &Field, shape: OutArray<c_int>) {
    shape.set_all(field.dims.iter().map(|&len| int(size(len))));
}

export! {
    fn nc_inq_compound(
        ncid: c_int,
        ty: c_int,
        name: OutText,
        size: OutArray<usize>,
        count: OutArray<usize>,
    ) {
        on_fields(ncid, ty, |fields| {
            count.set(fields.len());
            Ok(())
        })?;
        on_type(ncid, ty, |_, ty, bytes| {
            name.set_name(ty.name.as_bytes());
            size.set(bytes);
            Ok(())
        })
    }

    fn nc_inq_compound_name(ncid: c_int, ty: c_int, name: OutText) {
        on_type(ncid, ty, |_, ty, _| {
            name.set_name(ty.name.as_bytes());
            Ok(())
        })
    }

    fn nc_inq_compound_size(ncid: c_int, ty: c_int, size: OutArray<usize>) {
        on_type(ncid, ty, |_, _, bytes| {
            size.set(bytes);
            Ok(())
        })
    }

    fn nc_inq_compound_nfields(ncid: c_int, ty: c_int, count: OutArray<usize>) {
        on_fields(ncid, ty, |fields| {
            count.set(fields.len());
            Ok(())
        })
    }

    fn nc_inq_compound_field(
        ncid: c_int,
        ty: c_int,
        number: c_int,
        name: OutText,
        offset: OutArray<usize>,
        field_type: OutArray<c_int>,
        rank: OutArray<c_int>,
        shape: OutArray<c_int>,
    ) {
        on_field(ncid, ty, number, |field| {
            name.set_name(field.name.as_bytes());
            field_type.set(type_number(field.ty));
            rank.set(int(field.dims.len()));
            set_shape(field, shape);
        })?;
        set_offset(ncid, ty, number, offset)
    }

    fn nc_inq_compound_fieldname(ncid: c_int, ty: c_int, number: c_int, name: OutText) {
        on_field(ncid, ty, number, |field| name.set_name(field.name.as_bytes()))
    }

    fn nc_inq_compound_fieldindex(
        ncid: c_int,
        ty: c_int,
        name: InText,
        number: OutArray<c_int>,
    ) {
        on_fields(ncid, ty, |fields| {
            let name = stored_name(name.name()?);
            let found = fields.iter().position(|f| f.name.as_bytes() == name);
            number.set(int(found.ok_or(ErrorNumber::EBADFIELD)?));
            Ok(())
        })
    }

    fn nc_inq_compound_fieldoffset(
        ncid: c_int,
        ty: c_int,
        number: c_int,
        offset: OutArray<usize>,
    ) {
        set_offset(ncid, ty, number, offset)
    }

    fn nc_inq_compound_fieldtype(
        ncid: c_int,
        ty: c_int,
        number: c_int,
        field_type: OutArray<c_int>,
    ) {
        on_field(ncid, ty, number, |field| field_type.set(type_number(field.ty)))
    }

    fn nc_inq_compound_fieldndims(
        ncid: c_int,
        ty: c_int,
        number: c_int,
        rank: OutArray<c_int>,
    ) {
        on_field(ncid, ty, number, |field| rank.set(int(field.dims.len())))
    }

    fn nc_inq_compound_fielddim_sizes(
        ncid: c_int,
        ty: c_int,
        number: c_int,
        shape: OutArray<c_int>,
    ) {
        on_field(ncid, ty, number, |field| set_shape(field, shape))
    }
}
