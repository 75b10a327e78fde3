//! Error numbers of the core's errors.

use netcdf_core::error::{Error, ErrorKind};

use crate::border;
use crate::error_number::ErrorNumber;

impl From<Error> for ErrorNumber {
    fn from(e: Error) -> Self {
        border::remember(&e.to_string());
        of_kind(e.kind()).unwrap_or_else(|| of_system(&e))
    }
}

/// Returns the error number of a kind. I/O errors have the number of the system.
fn of_kind(kind: ErrorKind) -> Option<ErrorNumber> {
    Some(match kind {
        ErrorKind::Io => return None,
        ErrorKind::Truncated => ErrorNumber::ETRUNC,
        ErrorKind::Corrupt | ErrorKind::Unknown | ErrorKind::Checksum => ErrorNumber::EHDFERR,
        ErrorKind::UnknownFormat => ErrorNumber::ENOTNC,
        ErrorKind::Unsupported | ErrorKind::NotInFormat => ErrorNumber::ENOTBUILT,
        ErrorKind::FilterUnavailable | ErrorKind::NoFilter => ErrorNumber::ENOFILTER,
        ErrorKind::VariableLength => ErrorNumber::EFILTER,
        ErrorKind::NotNetcdf4 => ErrorNumber::ENOTNC4,
        ErrorKind::NoVariable => ErrorNumber::ENOTVAR,
        ErrorKind::NotInDefineMode => ErrorNumber::ENOTINDEFINE,
        ErrorKind::InDefineMode => ErrorNumber::EINDEFINE,
        ErrorKind::ReadOnly => ErrorNumber::EPERM,
        ErrorKind::NoDimension => ErrorNumber::EBADDIM,
        ErrorKind::Coordinates => ErrorNumber::EINVALCOORDS,
        ErrorKind::Edge => ErrorNumber::EEDGE,
        ErrorKind::Stride => ErrorNumber::ESTRIDE,
        ErrorKind::LateDefinition => ErrorNumber::ELATEDEF,
        ErrorKind::Exists => ErrorNumber::EEXIST,
        ErrorKind::NoContent => ErrorNumber::EEMPTY,
        ErrorKind::Limit => ErrorNumber::ENOMEM,
        ErrorKind::Scalar | ErrorKind::Argument => ErrorNumber::EINVAL,
        ErrorKind::Range => ErrorNumber::ERANGE,
        ErrorKind::BadName => ErrorNumber::EBADNAME,
        ErrorKind::BadType => ErrorNumber::EBADTYPE,
        ErrorKind::DimSize => ErrorNumber::EDIMSIZE,
        ErrorKind::VarSize => ErrorNumber::EVARSIZE,
        ErrorKind::Strict => ErrorNumber::ESTRICTNC3,
        ErrorKind::Unlimited => ErrorNumber::EUNLIMIT,
        ErrorKind::NotFound => ErrorNumber(libc::ENOENT),
        ErrorKind::Changed | ErrorKind::Busy | ErrorKind::Cancelled => ErrorNumber::EIO,
        _ => ErrorNumber::EINTERNAL,
    })
}

fn of_system(e: &Error) -> ErrorNumber {
    e.system_number().map_or(ErrorNumber::EIO, ErrorNumber)
}
