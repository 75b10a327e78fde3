//! Property lists: the list of a call contains the chunk shape, the fill value and the filter pipeline.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::super::abi::{Hid, OPTIONAL};
use super::data::CREATION;
use super::types::{HostType, convertible};
use super::{Export, HDF5_RANK, LIST, PluginCall, ask, count, exports, put, put_all};
use crate::filter::optional;
use crate::model::FilterSpec;

pub(super) fn exports() -> impl IntoIterator<Item = Export> {
    exports![H5Pget_chunk H5Pget_layout H5Pget_filter_by_id1 H5Pget_filter_by_id2 H5Pget_filter1 H5Pget_filter2
        H5Pget_nfilters H5Pmodify_filter H5Pset_filter H5Premove_filter H5Pall_filters_avail H5Pfill_value_defined
        H5Pget_fill_value H5Pisa_class H5Pget_class H5Pcopy]
}

/// Queries the call's property list.
fn of<T>(list: Hid, failure: T, answer: impl FnOnce(&mut PluginCall) -> Option<T>) -> T {
    let result = ask(None, |call| match list {
        LIST => answer(call),
        _ => None,
    });
    result.unwrap_or(failure)
}

/// Converts a C filter number to our type.
fn number(id: c_int) -> Option<u32> {
    u32::try_from(id).ok()
}

/// # Safety
/// `dims` is null or has space for `most` numbers.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pget_chunk(list: Hid, most: c_int, dims: *mut u64) -> c_int {
    of(list, -1, |call| {
        let rank = call.rank(HDF5_RANK)?;
        let room = usize::try_from(most).unwrap_or(0);
        // SAFETY: by the caller.
        unsafe { put_all(dims, room, call.shape.iter().copied()) };
        Some(count(rank))
    })
}

/// Returns `H5D_CHUNKED`.
#[unsafe(no_mangle)]
extern "C" fn H5Pget_layout(list: Hid) -> c_int {
    of(list, -1, |_| Some(2))
}

/// The pointers for a plugin's query about a filter.
struct FilterQuery {
    flags: *mut c_uint,
    count: *mut usize,
    params: *mut c_uint,
    room: usize,
    name: *mut c_char,
    config: *mut c_uint,
}

impl FilterQuery {
    /// Writes a filter's flags and parameters, and that it can encode and decode. `count` contains the capacity for parameters, and
    /// receives their number. The filter name is only for display, and stays empty.
    ///
    /// # Safety
    /// The pointers are null or valid. The parameters have space for `count` numbers, and the name for `room` bytes.
    unsafe fn write(&self, filter: &FilterSpec) {
        let flags = if optional(filter.id) { OPTIONAL } else { 0 };
        // SAFETY: by the caller.
        unsafe {
            put(self.flags, flags);
            put(self.config, 3);
            if self.room > 0 {
                put(self.name, 0);
            }
            if self.count.is_null() {
                return;
            }
            let room = self.count.read();
            put_all(self.params, room, filter.params.iter().copied());
            self.count.write(filter.params.len());
        }
    }
}

/// # Safety
/// The requirements of [`FilterQuery::write`] apply.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pget_filter_by_id2(
    list: Hid,
    id: c_int,
    flags: *mut c_uint,
    count: *mut usize,
    params: *mut c_uint,
    room: usize,
    name: *mut c_char,
    config: *mut c_uint,
) -> c_int {
    let wanted = FilterQuery {
        flags,
        count,
        params,
        room,
        name,
        config,
    };
    of(list, -1, |call| {
        let id = number(id)?;
        let filter = call.pipeline.iter().find(|f| f.id == id)?;
        // SAFETY: by the caller.
        unsafe { wanted.write(filter) };
        Some(0)
    })
}

/// # Safety
/// The requirements of [`FilterQuery::write`] apply.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pget_filter_by_id1(
    list: Hid,
    id: c_int,
    flags: *mut c_uint,
    count: *mut usize,
    params: *mut c_uint,
    room: usize,
    name: *mut c_char,
) -> c_int {
    let config = std::ptr::null_mut();
    // SAFETY: by the caller.
    unsafe { H5Pget_filter_by_id2(list, id, flags, count, params, room, name, config) }
}

/// # Safety
/// The requirements of [`FilterQuery::write`] apply.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pget_filter2(
    list: Hid,
    place: c_uint,
    flags: *mut c_uint,
    count: *mut usize,
    params: *mut c_uint,
    room: usize,
    name: *mut c_char,
    config: *mut c_uint,
) -> c_int {
    let wanted = FilterQuery {
        flags,
        count,
        params,
        room,
        name,
        config,
    };
    of(list, -1, |call| {
        let filter = call.pipeline.get(usize::try_from(place).ok()?)?;
        // SAFETY: by the caller.
        unsafe { wanted.write(filter) };
        c_int::try_from(filter.id).ok()
    })
}

/// # Safety
/// The requirements of [`FilterQuery::write`] apply.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pget_filter1(
    list: Hid,
    place: c_uint,
    flags: *mut c_uint,
    count: *mut usize,
    params: *mut c_uint,
    room: usize,
    name: *mut c_char,
) -> c_int {
    let config = std::ptr::null_mut();
    // SAFETY: by the caller.
    unsafe { H5Pget_filter2(list, place, flags, count, params, room, name, config) }
}

#[unsafe(no_mangle)]
extern "C" fn H5Pget_nfilters(list: Hid) -> c_int {
    of(list, -1, |call| Some(count(call.pipeline.len())))
}

/// The maximum number of filter parameters, which HDF5's message can store.
const PARAMETERS: usize = 0xffff;

/// Returns the parameters that a plugin passes; `None` for more than the maximum.
///
/// # Safety
/// `params` points to `count` parameters.
unsafe fn given(count: usize, params: *const c_uint) -> Option<Vec<u32>> {
    match count {
        0 => Some(vec![]),
        _ if params.is_null() || count > PARAMETERS => None,
        // SAFETY: by the caller.
        _ => Some(unsafe { std::slice::from_raw_parts(params, count) }.to_vec()),
    }
}

/// # Safety
/// `params` points to `count` parameters.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pmodify_filter(
    list: Hid,
    id: c_int,
    _flags: c_uint,
    count: usize,
    params: *const c_uint,
) -> c_int {
    of(list, -1, |call| {
        let id = number(id)?;
        // SAFETY: by the caller.
        let params = unsafe { given(count, params) }?;
        let filter = call.pipeline.iter_mut().find(|f| f.id == id)?;
        filter.params = params;
        Some(0)
    })
}

/// # Safety
/// `params` points to `count` parameters.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pset_filter(
    list: Hid,
    id: c_int,
    _flags: c_uint,
    count: usize,
    params: *const c_uint,
) -> c_int {
    of(list, -1, |call| {
        let id = number(id)?;
        // SAFETY: by the caller.
        let params = unsafe { given(count, params) }?;
        let has_room = call.pipeline.len() < 32;
        match call.pipeline.iter_mut().find(|f| f.id == id) {
            Some(filter) => filter.params = params,
            None if has_room => call.pipeline.push(FilterSpec { id, params }),
            None => return None,
        }
        Some(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn H5Premove_filter(list: Hid, id: c_int) -> c_int {
    of(list, -1, |call| {
        let id = number(id)?;
        call.pipeline.retain(|f| f.id != id);
        Some(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn H5Pall_filters_avail(list: Hid) -> c_int {
    of(list, -1, |_| Some(1))
}

/// Writes 1 for the format's default fill value, 2 for the user's.
///
/// # Safety
/// The pointer is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pfill_value_defined(list: Hid, state: *mut c_int) -> c_int {
    of(list, -1, |call| {
        let known = if call.fill.is_some() { 2 } else { 1 };
        // SAFETY: by the caller.
        unsafe { put(state, known) };
        Some(0)
    })
}

/// # Safety
/// `value` has space for an element of the type.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Pget_fill_value(list: Hid, ty: Hid, value: *mut c_void) -> c_int {
    of(list, -1, |call| {
        let (from, to) = (call.ty, HostType::get(ty, Some(call))?);
        let size = convertible(from, to)?;
        let mut bytes = match &call.fill {
            Some(bytes) => bytes.get(..size)?.to_vec(),
            None => vec![0; size],
        };
        if from.big != to.big {
            bytes.reverse();
        }
        // SAFETY: by the caller, `value` has space for `size` bytes.
        unsafe { put_all(value.cast::<u8>(), size, bytes) };
        Some(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn H5Pisa_class(list: Hid, _class: Hid) -> c_int {
    c_int::from(list == LIST)
}

#[unsafe(no_mangle)]
extern "C" fn H5Pget_class(list: Hid) -> Hid {
    if list == LIST { CREATION } else { -1 }
}

#[unsafe(no_mangle)]
extern "C" fn H5Pcopy(list: Hid) -> Hid {
    if list == LIST { LIST } else { -1 }
}
