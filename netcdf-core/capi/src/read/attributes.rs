//! Values of attributes.

use std::ffi::c_int;

use netcdf_core::error::ErrorKind;
use netcdf_core::model::convert::convert;
use netcdf_core::model::kind::Model;
use netcdf_core::model::{Atomic, Kind, Values};

use super::numbers::check_conversion;
use crate::border::{CallerMemory, InText, OutArray, PlainNumber, export};
use crate::dataset::OpenGroup;
use crate::elements::{CastNumber, cast};
use crate::error_number::ErrorNumber;
use crate::handles::with;
use crate::inquire::{SpecialValue, attribute, special};
use crate::values::{Spots, put_values};

/// Returns the values of an attribute that netCDF-C computes.
fn special_values(group: &OpenGroup<'_>, of: c_int, name: &[u8]) -> Option<Values> {
    special(group, of, name).map(|value| match value {
        SpecialValue::Text(text) => Values::Char(text),
        SpecialValue::Number(number) => Values::Int(vec![number]),
    })
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
    let list = match values {
        Values::Enum(_, base) => convert(base, T::TYPE),
        values => convert(values, T::TYPE),
    };
    match list {
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
        let name = name.name()?;
        group.owner(of)?;
        let computed = special_values(group, of, name);
        let values = match &computed {
            Some(values) => values,
            None => &attribute(group, of, name)?.1.values,
        };
        if values.is_empty() {
            return Ok(());
        }
        let ty = values.data_type().unwrap_or(Atomic::Int);
        check_conversion(ty.into(), T::TYPE)?;
        let (list, status) = converted::<T>(values, group.data().kind())?;
        if out.is_null() {
            return Err(ErrorNumber::EINVAL);
        }
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
        let name = name.name()?;
        group.owner(of)?;
        let computed = special_values(group, of, name);
        let (values, ty) = match &computed {
            Some(Values::Char(text)) => {
                return out.block(text.len())?.put(0, text);
            }
            Some(values) => (values, Atomic::Int.into()),
            None => {
                let found = attribute(group, of, name)?.1;
                (&found.values, found.ty)
            }
        };
        let bytes = values.len().checked_mul(group.memory_size(ty)?);
        let block = out.block(bytes.ok_or(ErrorNumber::EINVAL)?)?;
        put_values(values, &Spots::new(group, ty, block)?)
    })
}

export! {
    fn nc_get_att(ncid: c_int, of: c_int, name: InText, out: CallerMemory) {
        get_attribute(ncid, of, name, out)
    }
}
