//! NCZarr codec libraries: they convert Zarr's JSON description of a filter to HDF5's parameters, and back. (A Zarr codec is a name and
//! JSON for a filter; the filter itself is built in or a plugin.)

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::abi::{self, CodecClass};
use super::buffer::allocated;
use super::host::PluginCall;
use super::library::Library;
use super::threads::{self, OneThread};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::ChunkContext;
use crate::filter::user_params::listed;
use crate::model::FilterSpec;

/// The maximum number of codec parameters.
const PARAMETERS: usize = 0xffff;
/// The ids of dataset and variable in calls. Host functions for libraries expect them.
const DATASET: c_int = 0x10000;
const VARIABLE: c_int = 0;

/// A codec of a library.
pub struct LibraryCodec {
    /// The codec name: `id` in Zarr's JSON.
    pub name: String,
    /// The HDF5 number of the filter.
    pub filter: u32,
    /// The library file.
    pub path: PathBuf,
    library: Arc<Library>,
    initialize: Option<abi::LifecycleFn>,
    finalize: Option<abi::LifecycleFn>,
    to_params: abi::ToParams,
    to_json: abi::ToJson,
    modify: Option<abi::Modify>,
    initialized: OnceLock<()>,
    /// Maps working parameters to visible parameters, with the latest last.
    made: Mutex<BTreeMap<Vec<u32>, Vec<Vec<u32>>>>,
}

/// The filter parameters for a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// The parameters in the dataset's metadata.
    pub visible: Vec<u32>,
    /// The parameters that the filter uses.
    pub working: Vec<u32>,
}

impl std::fmt::Debug for LibraryCodec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "codec {} of {}", self.name, self.path.display())
    }
}

/// A memory block that a library allocated.
struct LibraryMemory<T>(*mut T);

impl<T> Drop for LibraryMemory<T> {
    fn drop(&mut self) {
        // SAFETY: libraries allocate their results with the C allocator, or leave them null; the caller owns them.
        unsafe { libc::free(self.0.cast()) };
    }
}

impl LibraryMemory<c_uint> {
    /// Copies parameters for a library, which may free the copy: null without parameters, as in netCDF-C.
    fn of(params: &[u32]) -> Option<Self> {
        if params.is_empty() {
            return Some(Self(std::ptr::null_mut()));
        }
        let bytes = size_of_val(params);
        // SAFETY: any size may be requested; the result is checked.
        let block = unsafe { libc::malloc(bytes) }.cast::<c_uint>();
        if block.is_null() {
            return None;
        }
        // SAFETY: the block is new, large enough, and aligned like all malloc blocks.
        unsafe { std::ptr::copy_nonoverlapping(params.as_ptr(), block, params.len()) };
        Some(Self(block))
    }

    /// Returns the parameters that a library wrote; `None` for more than the maximum, or more than the block contains.
    fn get(&self, count: usize) -> Option<Vec<u32>> {
        // SAFETY: the block is null, or comes from the C allocator.
        let room = unsafe { allocated(self.0.cast()) };
        let fits = || room.is_none_or(|room| count <= room / size_of::<c_uint>());
        match count {
            0 => Some(vec![]),
            _ if self.0.is_null() || !self.0.is_aligned() => None,
            _ if count > PARAMETERS || !fits() => None,
            // SAFETY: the block is aligned and has `count` parameters, according to the allocator or at least the library.
            _ => Some(unsafe { std::slice::from_raw_parts(self.0, count) }.to_vec()),
        }
    }
}

impl LibraryCodec {
    /// Returns the codecs of a library.
    ///
    /// # Errors
    /// Returns the reason if the library has no usable codecs.
    pub(super) fn all(library: &Arc<Library>, path: &std::path::Path) -> Result<Vec<Self>, String> {
        let classes = library.codec_classes()?;
        let made = |class: &&CodecClass| Self::of(library, path.to_owned(), class);
        classes.iter().map(made).collect()
    }

    fn of(library: &Arc<Library>, path: PathBuf, class: &CodecClass) -> Result<Self, String> {
        if class.name.is_null() {
            return Err("the codec has no name".to_owned());
        }
        // SAFETY: the name is a NUL-terminated text, and stays valid.
        let name = unsafe { CStr::from_ptr(class.name) };
        let name = name.to_string_lossy().into_owned();
        match (class.to_params, class.to_json) {
            (Some(to_params), Some(to_json)) if class.filter > 0 && class.filter <= 0xffff => {
                Ok(Self {
                    name,
                    filter: class.filter,
                    path,
                    library: Arc::clone(library),
                    initialize: class.initialize,
                    finalize: class.finalize,
                    to_params,
                    to_json,
                    modify: class.modify,
                    initialized: OnceLock::new(),
                    made: Mutex::default(),
                })
            }
            (Some(_), Some(_)) => Err(format!(
                "the codec {name} is for filter {}, not 1 to 65535",
                class.filter
            )),
            (None, _) | (_, None) => Err(format!("the codec {name} lacks functions")),
        }
    }

    /// Locks the library for calls of one thread; initializes the library on first use.
    fn lock(&self) -> OneThread {
        let held = threads::lock();
        self.initialized.get_or_init(|| {
            let mut all = self.library.uses(&held);
            let uses = all.entry(self.filter).or_default();
            *uses = uses.saturating_add(1);
            if let (1, Some(initialize)) = (*uses, self.initialize) {
                // SAFETY: the function belongs to the library and takes no arguments.
                self.library.enter(|| unsafe { initialize() });
            }
        });
        held
    }

    fn error(&self, kind: ErrorKind, what: &str) -> Error {
        let (name, path) = (&self.name, self.path.display());
        Error::new(kind, format!("codec {name} of {path}: {what}"))
    }

    fn no_memory(&self) -> Error {
        self.error(ErrorKind::Limit, "no memory for the parameters")
    }

    /// Checks the `status` that a call returned.
    fn done(&self, status: c_int, asked: &str) -> Result<()> {
        match status {
            0 => Ok(()),
            _ => {
                let what = format!("it does not take {asked} (error {status})");
                Err(self.error(ErrorKind::Argument, &what))
            }
        }
    }

    /// Converts JSON to parameters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if the library rejects the JSON.
    pub fn parameters(&self, json: &[u8]) -> Result<Vec<u32>> {
        let asked = String::from_utf8_lossy(json);
        let no_text = |_| self.error(ErrorKind::Argument, "a NUL in the JSON");
        let text = CString::new(json).map_err(no_text)?;
        let (mut count, mut params) = (0, LibraryMemory(std::ptr::null_mut()));
        let held = self.lock();
        // SAFETY: the function belongs to the library; the text is NUL-terminated, the pointers are valid.
        let status = self.library.enter(|| unsafe {
            (self.to_params)(text.as_ptr(), &raw mut count, &raw mut params.0)
        });
        drop(held);
        self.done(status, &asked)?;
        params.get(count).ok_or_else(|| self.wild(count))
    }

    fn wild(&self, count: usize) -> Error {
        self.error(
            ErrorKind::Corrupt,
            &format!("it returns {count} parameters"),
        )
    }

    /// Converts visible parameters to JSON.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if the library rejects the parameters.
    pub fn json(&self, visible: &[u32]) -> Result<Vec<u8>> {
        let mut json: LibraryMemory<c_char> = LibraryMemory(std::ptr::null_mut());
        let params = abi::params(visible);
        let held = self.lock();
        // SAFETY: the function belongs to the library; the count is right, the pointers are valid or null.
        let status = self
            .library
            .enter(|| unsafe { (self.to_json)(visible.len(), params, &raw mut json.0) });
        drop(held);
        self.done(status, &format!("the parameters {}", listed(visible)))?;
        if json.0.is_null() {
            return Err(self.error(ErrorKind::Corrupt, "it returns no JSON"));
        }
        // SAFETY: the library returned a NUL-terminated text.
        Ok(unsafe { CStr::from_ptr(json.0) }.to_bytes().to_vec())
    }

    /// Returns the parameters for a variable. The library may change the visible parameters, and computes the working parameters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if the library rejects the parameters.
    pub fn modify(&self, context: &ChunkContext, visible: &[u32]) -> Result<Parameters> {
        let Some(modify) = self.modify else {
            return Ok(Parameters {
                visible: visible.to_vec(),
                working: visible.to_vec(),
            });
        };
        let mut shown = LibraryMemory::of(visible).ok_or_else(|| self.no_memory())?;
        let mut shown_count = visible.len();
        let (mut count, mut working) = (0, LibraryMemory(std::ptr::null_mut()));
        let spec = FilterSpec {
            id: self.filter,
            params: visible.to_vec(),
        };
        let call = PluginCall::new(context, &spec);
        let held = self.lock();
        let (status, _) = call.during(|| {
            let shown = (&raw mut shown_count, &raw mut shown.0);
            let working = (&raw mut count, &raw mut working.0);
            // SAFETY: the function belongs to the library, all pointers are valid, and the blocks come from the C allocator or are null,
            // because the library may free them.
            self.library.enter(|| unsafe {
                modify(DATASET, VARIABLE, shown.0, shown.1, working.0, working.1)
            })
        });
        drop(held);
        let given = working.get(count);
        if working.0 == shown.0 {
            // A library may return one block for both; free it only once.
            working.0 = std::ptr::null_mut();
        }
        self.done(status, &format!("the parameters {}", listed(visible)))?;
        let made = Parameters {
            visible: shown
                .get(shown_count)
                .ok_or_else(|| self.wild(shown_count))?,
            working: given.ok_or_else(|| self.wild(count))?,
        };
        // The metadata contains the given parameters. The library may have added to them.
        let mut known = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let candidates = known.entry(made.working.clone()).or_default();
        candidates.retain(|given| given != visible);
        candidates.push(visible.to_vec());
        Ok(made)
    }

    /// Returns the visible parameters that this run converted to the working parameters, or else the working parameters. Visible parameters
    /// of different chunks may have equal working parameters, so the result matches this context.
    #[must_use]
    pub fn described(&self, context: &ChunkContext, working: &[u32]) -> Vec<u32> {
        let mut candidates = {
            let known = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(working).cloned().unwrap_or_default()
        };
        let makes = |given: &&Vec<u32>| {
            let made = self.modify(context, given);
            made.is_ok_and(|made| made.working == working)
        };
        let fits = candidates.iter().rev().find(makes).cloned();
        fits.or_else(|| candidates.pop())
            .unwrap_or_else(|| working.to_vec())
    }
}

impl Drop for LibraryCodec {
    fn drop(&mut self) {
        if self.initialized.get().is_none() {
            return;
        }
        let held = threads::lock();
        let mut all = self.library.uses(&held);
        let uses = all.entry(self.filter).or_default();
        *uses = uses.saturating_sub(1);
        if let (0, Some(finalize)) = (*uses, self.finalize) {
            // SAFETY: the function belongs to the library and takes no arguments; the library is loaded.
            self.library.enter(|| unsafe { finalize() });
        }
    }
}
