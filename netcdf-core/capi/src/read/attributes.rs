//! Values of attributes.

use std::borrow::Cow;
use std::ffi::c_int;

use netcdf_core::error::ErrorKind;
use netcdf_core::model::convert::convert;
use netcdf_core::model::kind::Model;
use netcdf_core::model::{Atomic, DataType, Kind, Values};

use super::request::{check_text, is_convertible};
use crate::border::{CallerMemory, InText, OutArray, PlainNumber, export};
use crate::dataset::OpenGroup;
use crate::elements::{CastNumber, cast};
use crate::error_number::ErrorNumber;
use crate::handles::with;
use crate::inquire::{SpecialValue, attribute, name_bytes, special};
use crate::values::{Spots, put_values};

/// Returns the values of an attribute that netCDF-C computes.
fn special_values(group: &OpenGroup<'_>, of: c_int, name: &[u8]) -> Option<Values> {
    special(group, of, name).map(|value| match value {
        SpecialValue::Text(text) => Values::Char(text),
        SpecialValue::Number(number) => Values::Int(vec![number]),
    })
}

/// Returns the values of an attribute and their type.
fn found<'a>(
    group: &OpenGroup<'a>,
    of: c_int,
    name: &[u8],
) -> Result<(Cow<'a, Values>, DataType), ErrorNumber> {
    if let Some(values) = special_values(group, of, name) {
        let ty = values.data_type().unwrap_or(Atomic::Int).into();
        return Ok((Cow::Owned(values), ty));
    }
    let (_, attribute) = attribute(group, of, name)?;
    Ok((Cow::Borrowed(&attribute.values), attribute.ty))
}

/// Converts the values of an attribute. Values that do not fit are cast, with an error number.
fn converted<T: CastNumber>(
    values: &Values,
    kind: Kind,
) -> Result<(Vec<T>, Result<(), ErrorNumber>), ErrorNumber> {
    if matches!(values, Values::Byte(_)) && T::TYPE == Atomic::UByte && kind.model == Model::Classic
    {
        return Ok((cast(values), Ok(())));
    }
    match convert(values, T::TYPE) {
        Err(e) if e.kind() == ErrorKind::Range => Ok((cast(values), Err(ErrorNumber::ERANGE))),
        list => {
            let list = T::list(list?).ok_or(ErrorNumber::EBADTYPE)?;
            Ok((list, Ok(())))
        }
    }
}

/// Reads an attribute as numbers or characters.
pub(super) fn get_numbers<T: CastNumber + PlainNumber>(
    ncid: c_int,
    of: c_int,
    name: InText,
    out: OutArray<T>,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let name = name_bytes(group, &name)?;
        group.owner(of)?;
        let (values, ty) = found(group, of, name)?;
        // As in netCDF-C, null means that the caller does not want the values.
        if values.is_empty() || out.is_null() {
            return Ok(());
        }
        check_text(ty, T::TYPE)?;
        if !is_convertible(ty) {
            return Err(ErrorNumber::EBADTYPE);
        }
        let (list, status) = converted::<T>(&values, group.data().kind())?;
        out.set_all(list);
        status
    })
}

/// Reads an attribute in its own type.
pub(crate) fn get_attribute(
    ncid: c_int,
    of: c_int,
    name: InText,
    out: CallerMemory,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let name = name_bytes(group, &name)?;
        group.owner(of)?;
        let (values, ty) = found(group, of, name)?;
        if out.is_null() {
            return Ok(());
        }
        let bytes = values.len().checked_mul(group.memory_size(ty)?);
        let block = out.block(bytes.ok_or(ErrorNumber::EINVAL)?)?;
        put_values(&values, &Spots::new(group, ty, block)?)
    })
}

export! {
    fn nc_get_att(ncid: c_int, of: c_int, name: InText, out: CallerMemory) {
        get_attribute(ncid, of, name, out)
    }
}
