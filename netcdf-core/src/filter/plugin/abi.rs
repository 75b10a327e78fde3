//! The C structures that describe plugins (`H5Zpublic.h`, `H5PLextern.h`, `netcdf_filter_build.h`).

use std::ffi::{c_char, c_int, c_uint, c_void};

/// An identifier of HDF5 1.10 and later.
pub(super) type Hid = i64;

/// The only version of [`FilterClass`].
pub(super) const CLASS_VERSION: c_int = 1;
/// The type of a filter, returned by `H5PLget_plugin_type`.
pub(super) const TYPE_FILTER: c_int = 0;
/// Call flag: decode.
pub(super) const REVERSE: c_uint = 0x0100;
/// Call flag of an optional filter, which chunks may skip.
pub(super) const OPTIONAL: c_uint = 0x0001;

/// Examines a chunk (`dcpl`, `type`, `space`). `can_apply` returns more than 0 if the filter can be applied. `set_local` converts the
/// user's parameters to stored parameters, and returns a negative number for an error.
pub(super) type FilterCheck = unsafe extern "C" fn(Hid, Hid, Hid) -> c_int;
/// Encodes or decodes: flags, number of parameters, parameters, bytes in the buffer, size of the buffer, buffer. Returns the bytes in the
/// buffer after the call, 0 for a failure.
pub(super) type Apply = unsafe extern "C" fn(
    c_uint,
    usize,
    *const c_uint,
    usize,
    *mut usize,
    *mut *mut c_void,
) -> usize;

/// `H5Z_class2_t`.
#[repr(C)]
pub(super) struct FilterClass {
    pub version: c_int,
    pub id: c_int,
    pub encoder_present: c_uint,
    pub decoder_present: c_uint,
    pub name: *const c_char,
    pub can_apply: Option<FilterCheck>,
    pub set_local: Option<FilterCheck>,
    pub filter: Option<Apply>,
}

/// The only supported version and sort of [`CodecClass`].
pub(super) const CODEC_VERSION: c_int = 1;
pub(super) const CODEC_HDF5: c_int = 1;

/// Initializes a codec before its first use, or finalizes it after its last use.
pub(super) type LifecycleFn = unsafe extern "C" fn();
/// Converts JSON to parameters: their number and a block. Returns 0 for success.
pub(super) type ToParams =
    unsafe extern "C" fn(*const c_char, *mut usize, *mut *mut c_uint) -> c_int;
/// Converts parameters to JSON. Returns 0 for success.
pub(super) type ToJson = unsafe extern "C" fn(usize, *const c_uint, *mut *mut c_char) -> c_int;
/// Converts visible to working parameters for a variable: dataset, variable, visible parameters, working parameters. Returns 0 for success.
pub(super) type Modify = unsafe extern "C" fn(
    c_int,
    c_int,
    *mut usize,
    *mut *mut c_uint,
    *mut usize,
    *mut *mut c_uint,
) -> c_int;

/// `NCZ_codec_t`.
#[repr(C)]
pub(super) struct CodecClass {
    pub version: c_int,
    pub sort: c_int,
    pub name: *const c_char,
    pub filter: c_uint,
    pub initialize: Option<LifecycleFn>,
    pub finalize: Option<LifecycleFn>,
    pub to_params: Option<ToParams>,
    pub to_json: Option<ToJson>,
    pub modify: Option<Modify>,
}

/// Returns the address of parameters for C; null without parameters, as in HDF5 and netCDF-C.
pub(super) fn params(params: &[u32]) -> *const c_uint {
    match params {
        [] => std::ptr::null(),
        some => some.as_ptr(),
    }
}

/// `H5PLget_plugin_type`.
pub(super) type GetType = unsafe extern "C" fn() -> c_int;
/// `H5PLget_plugin_info`, `NCZ_get_codec_info`.
pub(super) type GetInfo = unsafe extern "C" fn() -> *const c_void;

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn structures_match_c() {
        assert_eq!(size_of::<FilterClass>(), 48);
        assert_eq!(offset_of!(FilterClass, decoder_present), 12);
        assert_eq!(offset_of!(FilterClass, name), 16);
        assert_eq!(offset_of!(FilterClass, filter), 40);
        assert_eq!(size_of::<CodecClass>(), 64);
        assert_eq!(offset_of!(CodecClass, filter), 16);
        assert_eq!(offset_of!(CodecClass, modify), 56);
    }
}
