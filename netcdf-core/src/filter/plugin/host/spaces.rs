//! Dataspaces: the dataspace of a call has the extent of the chunk.

use std::ffi::c_int;

use super::super::abi::Hid;
use super::{Export, HDF5_RANK, PluginCall, SPACE, ask, count, exports, put_all};
use crate::model::region::product;

pub(super) fn exports() -> impl IntoIterator<Item = Export> {
    exports![H5Sis_simple H5Sget_simple_extent_type H5Sget_simple_extent_ndims H5Sget_simple_extent_npoints
        H5Sget_simple_extent_dims H5Scopy]
}

#[unsafe(no_mangle)]
extern "C" fn H5Sis_simple(space: Hid) -> c_int {
    if space == SPACE { 1 } else { -1 }
}

/// Returns `H5S_SIMPLE`.
#[unsafe(no_mangle)]
extern "C" fn H5Sget_simple_extent_type(space: Hid) -> c_int {
    H5Sis_simple(space)
}

#[unsafe(no_mangle)]
extern "C" fn H5Sget_simple_extent_ndims(space: Hid) -> c_int {
    ask(-1, |call| rank(space, call).map_or(-1, count))
}

/// Returns the rank of the call's dataspace.
fn rank(space: Hid, call: &PluginCall) -> Option<usize> {
    match space {
        SPACE => call.rank(HDF5_RANK),
        _ => None,
    }
}

#[unsafe(no_mangle)]
extern "C" fn H5Sget_simple_extent_npoints(space: Hid) -> i64 {
    ask(-1, |call| match space {
        SPACE => product(&call.shape).map_or(-1, |n| i64::try_from(n).unwrap_or(-1)),
        _ => -1,
    })
}

/// # Safety
/// The pointers are null or have space for all dimensions.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Sget_simple_extent_dims(
    space: Hid,
    dims: *mut u64,
    most: *mut u64,
) -> c_int {
    ask(-1, |call| {
        let Some(rank) = rank(space, call) else {
            return -1;
        };
        for place in [dims, most] {
            // SAFETY: by the caller.
            unsafe { put_all(place, rank, call.shape.iter().copied()) };
        }
        count(rank)
    })
}

#[unsafe(no_mangle)]
extern "C" fn H5Scopy(space: Hid) -> Hid {
    if space == SPACE { SPACE } else { -1 }
}
