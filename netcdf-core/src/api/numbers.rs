//! Converts between the types of variables and those in memory.

use crate::error::{Error, Result};
use crate::model::convert::convert_fitting;
use crate::model::kind::Model;
use crate::model::{Atomic, Kind, Region, Values};

/// Values read as a type in memory, and an error for those that do not fit.
pub(super) fn read(values: Values, ty: Atomic, kind: Kind) -> Result<(Values, Option<Error>)> {
    let values = match (values, ty) {
        (Values::Enum(_, base), _) => *base,
        (Values::Byte(v), Atomic::UByte) if bytes_have_no_sign(kind) => {
            let bytes = v.into_iter().map(i8::cast_unsigned);
            return Ok((Values::UByte(bytes.collect()), None));
        }
        (values, _) => values,
    };
    to(values, ty, &ty.default_fill())
}

/// Values in memory converted to the type of a variable with the fill value `fill`, and an error for those that
/// do not fit.
pub(super) fn written(
    values: Values,
    ty: Atomic,
    (fill, kind): (&Values, Kind),
) -> Result<(Values, Option<Error>)> {
    match (values, ty) {
        (Values::UByte(v), Atomic::Byte) if bytes_have_no_sign(kind) => {
            let bytes = v.into_iter().map(u8::cast_signed);
            Ok((Values::Byte(bytes.collect()), None))
        }
        (values, _) => to(values, ty, fill),
    }
}

fn to(values: Values, ty: Atomic, fill: &Values) -> Result<(Values, Option<Error>)> {
    match values.data_type() == Some(ty) {
        true => Ok((values, None)),
        false => convert_fitting(&values, ty, fill),
    }
}

/// True if `byte` stands for signed and unsigned numbers because the kind has no other one-byte type.
fn bytes_have_no_sign(kind: Kind) -> bool {
    kind.model == Model::Classic
}

/// An error for elements of a part of a region, which counts them from the part's start.
pub(super) fn placed(e: Error, part: &Region, region: &Region) -> Error {
    if part == region {
        return e;
    }
    let start: Vec<String> = part.start.iter().map(u64::to_string).collect();
    e.within(&format!("from ({}) on", start.join(", ")))
}
