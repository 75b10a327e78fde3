//! Functions and data of HDF5 and netCDF-C for plugins. Our executables export them.
//!
//! A plugin uses functions of libhdf5 to query the shape and type of the current chunk, and its own position in the pipeline. The
//! executable exports these functions (see `exports.list`), and the dynamic linker prefers them. They answer from the [`PluginCall`] of the
//! thread. Unknown identifiers are errors, and no function panics.

mod constants;
mod data;
mod errors;
mod lists;
mod memory;
mod netcdf;
mod spaces;
mod types;

pub(super) use types::HostType;

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};

use super::abi::Hid;
use crate::filter::ChunkContext;
#[cfg(unix)]
use crate::filter::plugin::wire::MessageReader;
use crate::filter::plugin::wire::MessageWriter;
use crate::model::FilterSpec;

/// The property list, type and space of a call. As in libhdf5, the first byte of an identifier is its `H5I_type_t`. The values match the
/// version from `H5get_libversion`.
pub(super) const LIST: Hid = 0x0B00_0000_0000_0101;
pub(super) const TYPE: Hid = 0x0300_0000_0000_0102;
pub(super) const SPACE: Hid = 0x0400_0000_0000_0103;

/// The context of a plugin call: the current chunk, and the messages that the plugin reports.
#[derive(Debug)]
pub(super) struct PluginCall {
    /// The chunk shape.
    shape: Vec<u64>,
    /// The stored type of an element.
    ty: HostType,
    /// netCDF's number for the type.
    number: u32,
    /// The fill value in stored form.
    fill: Option<Vec<u8>>,
    /// The filter pipeline.
    pipeline: Vec<FilterSpec>,
    /// The plugin's error messages.
    messages: Vec<String>,
}

thread_local! {
    static CALL: RefCell<Option<PluginCall>> = const { RefCell::new(None) };
}

/// The maximum rank of an HDF5 dataspace (`H5S_MAX_RANK`) and of a netCDF variable (`NC_MAX_VAR_DIMS`). C code may have arrays of this
/// length.
const HDF5_RANK: usize = 32;
const NETCDF_RANK: usize = 1024;

/// The maximum number of messages per call; some plugins report one for each layer.
const MESSAGES: usize = 8;

impl PluginCall {
    /// Returns a call for a filter whose parameters are in the chunk's pipeline.
    pub(super) fn new(context: &ChunkContext, filter: &FilterSpec) -> Self {
        let mut pipeline = context.about.filters.clone();
        match pipeline.iter_mut().find(|f| f.id == filter.id) {
            Some(own) => own.params.clone_from(&filter.params),
            None => pipeline.push(filter.clone()),
        }
        Self {
            shape: context.shape.clone(),
            ty: HostType::of(context),
            number: context.element.ty.number(),
            fill: context.fill.clone(),
            pipeline,
            messages: vec![],
        }
    }

    /// Calls `work`, during which plugins see this call. Also returns the call.
    pub(super) fn during<T>(self, work: impl FnOnce() -> T) -> (T, Option<Self>) {
        let before = CALL.replace(Some(self));
        let done = work();
        (done, CALL.replace(before))
    }

    /// Returns the filter parameters.
    pub(super) fn params(&self, id: u32) -> Option<&[u32]> {
        let filter = self.pipeline.iter().find(|f| f.id == id);
        filter.map(|f| f.params.as_slice())
    }

    /// Returns the messages, as the end of an error message.
    pub(super) fn message_text(&self) -> String {
        match self.messages.as_slice() {
            [] => String::new(),
            some => format!(": {}", some.join("; ")),
        }
    }

    /// Serializes the call for another process.
    pub(super) fn put(&self, out: &mut MessageWriter) {
        out.number(self.shape.len() as u64);
        for &n in &self.shape {
            out.number(n);
        }
        self.ty.put(out);
        out.number(self.number.into()).truth(self.fill.is_some());
        out.bytes(self.fill.as_deref().unwrap_or_default());
        out.number(self.pipeline.len() as u64);
        for filter in &self.pipeline {
            out.number(filter.id.into()).numbers(&filter.params);
        }
    }

    /// Deserializes the call of another process.
    #[cfg(unix)]
    pub(super) fn get(read: &mut MessageReader<'_>) -> Option<Self> {
        let dims = read.number()?;
        let shape = (0..dims).map(|_| read.number()).collect::<Option<_>>()?;
        let (ty, number) = (HostType::get_from(read)?, read.small()?);
        let (is, fill) = (read.truth()?, read.bytes()?);
        let filters = read.number()?;
        let mut filter = || {
            let (id, params) = (read.small()?, read.numbers()?);
            Some(FilterSpec { id, params })
        };
        Some(Self {
            shape,
            ty,
            number,
            fill: is.then(|| fill.to_vec()),
            pipeline: (0..filters).map(|_| filter()).collect::<Option<_>>()?,
            messages: vec![],
        })
    }

    /// Returns the rank, or `None` if the rank exceeds `most`: C code has no memory for more dimensions.
    fn rank(&self, most: usize) -> Option<usize> {
        Some(self.shape.len()).filter(|&rank| rank <= most)
    }

    fn add_message(&mut self, message: String) {
        if self.messages.len() < MESSAGES {
            self.messages.push(message);
        }
    }
}

/// Queries the call of this thread; returns `failure` without a call.
fn ask<T>(failure: T, answer: impl FnOnce(&mut PluginCall) -> T) -> T {
    let result = CALL.try_with(|call| {
        let mut call = call.try_borrow_mut().ok()?;
        call.as_mut().map(answer)
    });
    result.ok().flatten().unwrap_or(failure)
}

/// Writes a value unless the plugin passes null.
///
/// # Safety
/// `place` is null or valid for a write.
unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: by the caller.
        unsafe { place.write(value) };
    }
}

/// Writes values up to the capacity `room`.
///
/// # Safety
/// `place` is null or valid for `room` writes.
unsafe fn put_all<T: Copy>(place: *mut T, room: usize, values: impl IntoIterator<Item = T>) {
    if place.is_null() {
        return;
    }
    for (n, value) in values.into_iter().take(room).enumerate() {
        // SAFETY: `n` is less than `room`.
        unsafe { place.add(n).write(value) };
    }
}

/// Converts a C text.
///
/// # Safety
/// `text` is null or ends with a NUL.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by the caller.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}

/// Converts a count to C's `int`.
fn count(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

/// An exported name and its address in this program.
#[derive(Clone, Copy)]
pub(super) struct Export {
    /// The name.
    pub name: &'static str,
    /// The address.
    #[cfg_attr(
        not(unix),
        expect(
            dead_code,
            reason = "a reference to the symbol keeps it in the program"
        )
    )]
    pub address: *const c_void,
}

/// Lists the exports of functions or data.
macro_rules! exports {
    ($($name:ident)*) => {
        [$($crate::filter::plugin::host::Export {
            name: stringify!($name),
            address: $name as *const ::std::ffi::c_void,
        }),*]
    };
}
use exports;

/// Returns all exports. The references keep them in the program.
pub(super) fn all() -> Vec<Export> {
    let mut all = vec![];
    all.extend(data::exports());
    all.extend(errors::exports());
    all.extend(lists::exports());
    all.extend(memory::exports());
    all.extend(netcdf::exports());
    all.extend(constants::exports());
    all.extend(spaces::exports());
    all.extend(types::exports());
    all
}
