//! Filter queries, identifiers, and functions with a constant result.

use std::ffi::{c_int, c_uint};

use super::super::abi::Hid;
use super::data::{CLASS, CREATION, ERROR, ERROR_CLASS};
use super::{Export, LIST, SPACE, exports, put};

pub(super) fn exports() -> impl IntoIterator<Item = Export> {
    let known = exports![H5Zget_filter_info H5Iget_type H5Iis_valid];
    known.into_iter().chain(constant())
}

/// Writes 3: the filter can encode and decode.
///
/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Zget_filter_info(_id: c_int, info: *mut c_uint) -> c_int {
    // SAFETY: by the caller.
    unsafe { put(info, 3) };
    0
}

/// The number `H5I_DATATYPE`.
const DATATYPE: Hid = 3;

/// Returns the `H5I_type_t` of HDF5 1.12 and later: types are 3, spaces 4, property list classes 10, property lists 11, error classes 12,
/// errors 13.
#[unsafe(no_mangle)]
extern "C" fn H5Iget_type(id: Hid) -> c_int {
    let kind = id >> 56;
    let is_known = match id {
        LIST | SPACE | CLASS | CREATION | ERROR | ERROR_CLASS | MESSAGE | REGISTERED => true,
        _ => kind == DATATYPE,
    };
    let number = c_int::try_from(kind).ok();
    number.filter(|_| is_known).unwrap_or(-1)
}

#[unsafe(no_mangle)]
extern "C" fn H5Iis_valid(id: Hid) -> c_int {
    c_int::from(H5Iget_type(id) > 0)
}

/// The identifiers of a plugin's own error class and messages.
const REGISTERED: Hid = 0x0C00_0000_0000_0002;
const MESSAGE: Hid = 0x0D02_0000_0000_0001;

/// Defines functions with a constant result. The last ones exist only so that plugins that refer to them can be loaded. Arguments are
/// ignored, as C allows, and functions with shorter result types return the low bits.
macro_rules! constant {
    ($($value:expr => $($name:ident)*;)*) => {
        $($(
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> i64 {
                $value
            }
        )*)*

        fn constant() -> impl IntoIterator<Item = Export> {
            exports![$($($name)*)*]
        }
    };
}

constant! {
    REGISTERED => H5Eregister_class;
    MESSAGE => H5Ecreate_msg;
    1 => H5Zfilter_avail H5Iinc_ref H5Idec_ref H5Iget_ref;
    // The host has no other properties; the member offset 0 also means failure.
    0 => H5open H5close H5check_version H5garbage_collect H5dont_atexit H5Pexist H5Pclose H5Sclose H5Tclose
        H5Tget_member_offset H5Zregister H5Zunregister H5Eprint1 H5Eprint2 H5Eset_auto1 H5Eset_auto2
        H5Eunregister_class H5Eclose_msg H5Eget_current_stack H5Eset_current_stack H5Ecreate_stack H5Eclose_stack;
    // The host has no compound members. In C, functions follow as further arguments of `H5Pinsert2`.
    -1 => H5Tget_nmembers H5Pget H5Pset H5Pinsert2
        H5Tget_member_type H5Tget_member_class H5Tget_array_ndims H5Tget_array_dims2
        H5Tget_cset H5Tget_strpad H5Tget_pad H5Tget_norm H5Tget_inpad H5Tget_fields H5Tset_size H5Tset_order
        H5Tset_precision H5Tset_offset H5Tset_sign H5Tcreate H5Tarray_create2 H5Tlock H5Tcommitted
        H5Pcreate H5Pset_chunk H5Pset_fill_value H5Pget_size H5Premove H5Pequal H5Pset_deflate H5Pset_shuffle
        H5Pset_fletcher32 H5Pset_szip H5Pset_nbit H5Pset_scaleoffset H5Pget_fill_time H5Pget_alloc_time
        H5Screate H5Screate_simple H5Sget_select_npoints H5Sset_extent_simple
        H5Ewalk1 H5Ewalk2 H5Eget_msg H5Eget_class_name H5Epop H5Eappend_stack
        H5Iget_name H5Iget_file_id H5Iregister_type
        H5Dcreate2 H5Dopen2 H5Dread H5Dwrite H5Dclose H5Dget_space H5Dget_type H5Dget_create_plist
        H5Fopen H5Fcreate H5Fclose H5Gopen2 H5Gclose H5Aopen H5Aread H5Aclose H5Aexists;
}
