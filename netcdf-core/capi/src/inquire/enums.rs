//! Enum types.

use std::ffi::{c_int, c_longlong};

use netcdf_core::model::{Atomic, Name, TypeKind};

use super::types::on_type;
use crate::border::{CallerMemory, OutArray, OutText, export};
use crate::dataset::type_number;
use crate::error_number::ErrorNumber;

/// Runs a function on the base type and the members of an enum.
fn on_members(
    ncid: c_int,
    ty: c_int,
    body: impl FnOnce(Atomic, &[(Name, i128)]) -> Result<(), ErrorNumber>,
) -> Result<(), ErrorNumber> {
    on_type(ncid, ty, |_, ty, _| match &ty.kind {
        TypeKind::Enum { base, members } => body(*base, members),
        TypeKind::Vlen { .. } | TypeKind::Opaque { .. } | TypeKind::Compound { .. } => {
            Err(ErrorNumber::EBADTYPE)
        }
    })
}

export! {
    fn nc_inq_enum(
        ncid: c_int,
        ty: c_int,
        name: OutText,
        base_type: OutArray<c_int>,
        size: OutArray<usize>,
        count: OutArray<usize>,
    ) {
        on_members(ncid, ty, |base, members| {
            base_type.set(type_number(base.into()));
            count.set(members.len());
            Ok(())
        })?;
        on_type(ncid, ty, |_, ty, bytes| {
            name.set_name(ty.name.as_bytes());
            size.set(bytes);
            Ok(())
        })
    }

    fn nc_inq_enum_member(
        ncid: c_int,
        ty: c_int,
        number: c_int,
        name: OutText,
        value: CallerMemory,
    ) {
        on_members(ncid, ty, |base, members| {
            let number = usize::try_from(number).map_err(|_| ErrorNumber::EINVAL)?;
            let (own, member) = members.get(number).ok_or(ErrorNumber::EINVAL)?;
            name.set_name(own.as_bytes());
            if value.is_null() {
                return Ok(());
            }
            // The value's lowest bytes, in the order of this machine.
            let bytes = member.to_le_bytes();
            let mut low = bytes.get(..base.size().unwrap_or(1)).unwrap_or_default().to_vec();
            if cfg!(target_endian = "big") {
                low.reverse();
            }
            value.block(low.len())?.put(0, &low)
        })
    }

    /// As in netCDF-C, 0 without a name is `_UNDEFINED`.
    fn nc_inq_enum_ident(ncid: c_int, ty: c_int, value: c_longlong, name: OutText) {
        on_members(ncid, ty, |_, members| {
            let named = members.iter().find(|(_, v)| *v == i128::from(value));
            match named {
                Some((own, _)) => name.set_name(own.as_bytes()),
                None if value == 0 => name.set_name(b"_UNDEFINED"),
                None => return Err(ErrorNumber::EINVAL),
            }
            Ok(())
        })
    }
}
