//! Attributes.

use std::ffi::c_int;

use netcdf_core::model::Attribute;

use super::special::{SpecialValue, special};
use crate::border::{InText, OutArray, OutText, export};
use crate::dataset::{OpenGroup, int, stored_name, type_number};
use crate::error_number::ErrorNumber;
use crate::handles::with;

/// Numbers of the types of special attributes (`NC_CHAR`, `NC_INT`).
const CHAR: c_int = 2;
const INT: c_int = 4;

/// Returns an attribute with its number.
pub(crate) fn attribute<'a>(
    group: &OpenGroup<'a>,
    of: c_int,
    name: &[u8],
) -> Result<(usize, &'a Attribute), ErrorNumber> {
    let all = group.attributes(of)?.iter().enumerate();
    let name = stored_name(name);
    let mut named = all.filter(|(_, a)| a.name.as_bytes() == name);
    let found = named.next();
    found.ok_or_else(|| group.not_found(&name, ErrorNumber::ENOTATT))
}

/// Returns the bytes of an attribute name to look up.
pub(crate) fn name_bytes<'n>(
    group: &OpenGroup<'_>,
    name: &'n InText,
) -> Result<&'n [u8], ErrorNumber> {
    match name.is_null() {
        true => Err(ErrorNumber::EBADNAME),
        false => group.name(name, ErrorNumber::ENOTATT),
    }
}

/// Writes type and length of an attribute.
pub(crate) fn inquire_attribute(
    ncid: c_int,
    of: c_int,
    name: InText,
    set: impl FnOnce(c_int, usize),
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let name = name_bytes(group, &name)?;
        group.owner(of)?;
        match special(group, of, name) {
            Some(SpecialValue::Text(text)) => set(CHAR, text.len()),
            Some(SpecialValue::Number(_)) => set(INT, 1),
            None => {
                let (_, found) = attribute(group, of, name)?;
                set(type_number(found.ty), found.values.len());
            }
        }
        Ok(())
    })
}

/// Writes the name of an attribute.
pub(crate) fn attribute_name(
    ncid: c_int,
    of: c_int,
    number: c_int,
    name: OutText,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let all = group.attributes(of)?;
        let number = usize::try_from(number).map_err(|_| ErrorNumber::ENOTATT)?;
        let found = all.get(number).ok_or(ErrorNumber::ENOTATT)?;
        name.set_name(found.name.as_bytes());
        Ok(())
    })
}

export! {
    fn nc_inq_att(
        ncid: c_int,
        of: c_int,
        name: InText,
        ty: OutArray<c_int>,
        len: OutArray<usize>,
    ) {
        inquire_attribute(ncid, of, name, |number, count| {
            ty.set(number);
            len.set(count);
        })
    }

    fn nc_inq_atttype(ncid: c_int, of: c_int, name: InText, ty: OutArray<c_int>) {
        inquire_attribute(ncid, of, name, |number, _| ty.set(number))
    }

    fn nc_inq_attlen(ncid: c_int, of: c_int, name: InText, len: OutArray<usize>) {
        inquire_attribute(ncid, of, name, |_, count| len.set(count))
    }

    fn nc_inq_attid(ncid: c_int, of: c_int, name: InText, number: OutArray<c_int>) {
        with(ncid, |group| {
            let name = name_bytes(group, &name)?;
            if special(group, of, name).is_some() {
                // As in netCDF-C: the attribute has no number.
                return Err(ErrorNumber::EATTMETA);
            }
            let (found, _) = attribute(group, of, name)?;
            number.set(int(found));
            Ok(())
        })
    }

    fn nc_inq_attname(ncid: c_int, of: c_int, number: c_int, name: OutText) {
        attribute_name(ncid, of, number, name)
    }
}
