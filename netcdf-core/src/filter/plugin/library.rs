//! Loads shared objects.
//!
//! Loaded libraries are never unloaded: plugins start threads, and register functions that run when threads end.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::abi::{self, CodecClass, FilterClass};
use super::guard;
use super::threads::{self, OneThread, Threads};
use super::trust::{CheckedFile, Identity};

#[cfg(unix)]
use libloading::os::unix as os;
#[cfg(windows)]
use libloading::os::windows as os;

/// A loaded plugin.
pub(super) struct Library {
    handle: ManuallyDrop<os::Library>,
    /// The library file, for messages.
    file: &'static str,
    /// The calls that the library supports in concurrent threads.
    pub threads: Threads,
    /// The use counts of codecs that need initialization, by filter number.
    uses: Mutex<BTreeMap<u32, usize>>,
}

/// The loaded libraries. The dynamic linker loads a file once per process, with one set of data.
static LOADED: Mutex<BTreeMap<Identity, Arc<Library>>> = Mutex::new(BTreeMap::new());

impl Library {
    /// Loads a library if it is still the checked file. All its dependencies must be available. If the path is a link, dependencies are
    /// searched in the directory of the library itself, not of the link.
    ///
    /// # Errors
    /// Returns the file's defect, or the dynamic linker's message.
    pub(super) fn open(file: &CheckedFile, build: &str) -> Result<Arc<Self>, String> {
        file.check_again()?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = loaded.get(&file.identity) {
            return Ok(Arc::clone(library));
        }
        guard::watch();
        // Libraries stay loaded until the process ends, and their names stay in memory.
        let name: &'static str = Box::leak(file.path.display().to_string().into_boxed_str());
        let alone = threads::lock();
        let handle = guard::inside(name, || load(&file.path));
        drop(alone);
        let handle = handle.map_err(|e| reason(&e, &file.path))?;
        let library = Arc::new(Self::of(handle, name, Threads::of(build)));
        loaded.insert(file.identity, Arc::clone(&library));
        Ok(library)
    }

    fn of(handle: os::Library, file: &'static str, threads: Threads) -> Self {
        Self {
            handle: ManuallyDrop::new(handle),
            file,
            threads,
            uses: Mutex::default(),
        }
    }

    /// Calls a function of the library.
    pub(super) fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        guard::inside(self.file, work)
    }

    /// Calls a function that may not support concurrent threads.
    pub(super) fn enter_alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let alone = threads::lock();
        let done = self.enter(work);
        drop(alone);
        done
    }

    /// Returns the use counts of the library's codecs.
    pub(super) fn uses(&self, _: &OneThread) -> MutexGuard<'_, BTreeMap<u32, usize>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the address of a symbol, if the library has it.
    pub(super) fn address(&self, name: &str) -> Option<*const c_void> {
        // SAFETY: only the address is used; the type of the object is unknown.
        let symbol = unsafe { self.handle.get::<*const c_void>(name) };
        let address = symbol.ok()?.into_raw();
        #[cfg(unix)]
        let address = address.cast_const();
        #[cfg(windows)]
        let address = address.map_or(std::ptr::null(), |f| f as *const c_void);
        (!address.is_null()).then_some(address)
    }

    /// Returns the filter description from `H5PLget_plugin_info`.
    ///
    /// # Errors
    /// Returns the reason if the library has no description.
    pub(super) fn filter_class(&self) -> Result<&'static FilterClass, String> {
        let get = |name: &str| {
            self.address(name)
                .ok_or_else(|| format!("it has no {name}"))
        };
        // SAFETY: functions of these names are of this type in every plugin (H5PLextern.h).
        let ty: abi::GetType = unsafe { std::mem::transmute(get("H5PLget_plugin_type")?) };
        // SAFETY: as above.
        let info: abi::GetInfo = unsafe { std::mem::transmute(get("H5PLget_plugin_info")?) };
        // SAFETY: the function takes no arguments and returns a number.
        match self.enter_alone(|| unsafe { ty() }) {
            abi::TYPE_FILTER => {}
            other => return Err(format!("a plugin of HDF5 of type {other}, not a filter")),
        }
        // SAFETY: the function takes no arguments and returns the address of a class.
        let class = self.enter_alone(|| unsafe { info() }).cast::<FilterClass>();
        if class.is_null() || !class.is_aligned() {
            return Err("it does not describe its filter".to_owned());
        }
        // SAFETY: the address points to a class, which begins with its version, and lives as long as the library.
        let version = unsafe { (*class).version };
        if version != abi::CLASS_VERSION {
            return Err(format!("its filter is of version {version}, not 1"));
        }
        // SAFETY: a class of version 1 has this layout.
        Ok(unsafe { &*class })
    }
}

impl Library {
    /// Returns the codec descriptions from `NCZ_codec_info_defaults` or, if it is missing, `NCZ_get_codec_info`.
    ///
    /// # Errors
    /// Returns the reason if the library has no descriptions.
    pub(super) fn codec_classes(&self) -> Result<Vec<&'static CodecClass>, String> {
        let call = |address: *const c_void| {
            // SAFETY: functions of these names are of this type in every codec library (netcdf_filter_build.h).
            let info: abi::GetInfo = unsafe { std::mem::transmute(address) };
            // SAFETY: the function takes no arguments and returns an address.
            self.enter_alone(|| unsafe { info() })
        };
        let mut classes = vec![];
        if let Some(defaults) = self.address(DEFAULTS) {
            let mut at = call(defaults).cast::<*const CodecClass>();
            while !at.is_null() && at.is_aligned() && classes.len() < CODECS {
                // SAFETY: the list is aligned and ends with a null, which has not been reached.
                let class = unsafe { at.read() };
                if class.is_null() {
                    break;
                }
                classes.push(class);
                // SAFETY: as above.
                at = unsafe { at.add(1) };
            }
        } else if let Some(info) = self.address(CODEC) {
            classes.push(call(info).cast::<CodecClass>());
        }
        match classes.is_empty() {
            true => Err(NO_CODECS.to_owned()),
            false => classes.into_iter().map(codec_class).collect(),
        }
    }
}

const NO_CODECS: &str = "it does not describe its codecs";

/// Returns the class at an address from a library.
///
/// # Errors
/// Returns an error if the address is null, or the class has another version.
fn codec_class(class: *const CodecClass) -> Result<&'static CodecClass, String> {
    if class.is_null() || !class.is_aligned() {
        return Err(NO_CODECS.to_owned());
    }
    // SAFETY: the address points to a class, and every version begins with version and sort. The size of other versions is unknown.
    let (version, sort) = unsafe { ((*class).version, (*class).sort) };
    if version != abi::CODEC_VERSION || sort != abi::CODEC_HDF5 {
        return Err(format!(
            "its codec is of version {version} and sort {sort}, not 1 and 1"
        ));
    }
    // SAFETY: a class of version 1 has this layout, and lives as long as the library.
    Ok(unsafe { &*class })
}

/// Function names of codec libraries.
const DEFAULTS: &str = "NCZ_codec_info_defaults";
const CODEC: &str = "NCZ_get_codec_info";
/// The maximum number of codecs in a library.
const CODECS: usize = 1000;

/// Checks that plugins find the functions of [`host`](super::host) in this program, which must be linked to export them.
///
/// # Errors
/// Returns the first function that is not exported.
#[cfg(unix)]
pub(super) fn exported() -> Result<(), String> {
    let this = Library::of(os::Library::this(), "", Threads::default());
    let is_found = |e: &super::host::Export| this.address(e.name) == Some(e.address);
    match super::host::all().iter().find(|e| !is_found(e)) {
        None => Ok(()),
        Some(e) => {
            let name = e.name;
            Err(format!(
                "this program was not linked for plugins: {name} is not exported"
            ))
        }
    }
}

/// Does nothing: on Windows, plugins find functions by library name.
///
/// # Errors
/// Never fails.
#[cfg(not(unix))]
pub(super) fn exported() -> Result<(), String> {
    Ok(())
}

#[cfg(unix)]
fn load(path: &Path) -> Result<os::Library, libloading::Error> {
    // SAFETY: the library's constructors run. The file and its permissions were checked; further checks are impossible.
    unsafe { os::Library::open(Some(path), os::RTLD_NOW | os::RTLD_LOCAL) }
}

#[cfg(windows)]
fn load(path: &Path) -> Result<os::Library, libloading::Error> {
    // SAFETY: as on Unix.
    unsafe { os::Library::new(path) }
}

/// Returns the linker's message, without the path at its start.
fn reason(e: &libloading::Error, path: &Path) -> String {
    let text = std::error::Error::source(e).map_or_else(|| e.to_string(), ToString::to_string);
    let text = text.trim_matches('"');
    let path = path.display().to_string();
    let rest = text.strip_prefix(path.as_str());
    rest.map_or(text, |rest| rest.trim_start_matches([':', ' ']))
        .to_owned()
}

/// Loads an empty object in place of the library with this name.
///
/// # Errors
/// Returns the reason if the object cannot be loaded.
#[cfg(target_os = "linux")]
pub(super) fn load_stub(name: &str) -> Result<(), String> {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    let machine = super::object::machine().ok_or("this machine is not known")?;
    let object = super::stub::object(name, machine);
    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    let in_memory = rustix::fs::memfd_create(c"stub", flags).map(std::fs::File::from);
    if let Ok(mut file) = in_memory
        && file.write_all(&object).is_ok()
    {
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        if load(Path::new(&path)).map(ManuallyDrop::new).is_ok() {
            // Keep the file open: the linker would confuse another object with the same path with this one.
            std::mem::forget(file);
            return Ok(());
        }
    }
    // For systems without executable memory files, or without /proc.
    let file = tempfile::NamedTempFile::new().map_err(|e| crate::error::plain(&e))?;
    std::fs::write(file.path(), &object).map_err(|e| crate::error::plain(&e))?;
    let loaded = load(file.path()).map(ManuallyDrop::new);
    loaded.map(|_| ()).map_err(|e| reason(&e, file.path()))
}

/// Does nothing: other linkers do not accept an object in memory as a library.
///
/// # Errors
/// Never fails: the library itself is loaded.
#[cfg(not(target_os = "linux"))]
pub(super) fn load_stub(_: &str) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::plugin::trust;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_stub_is_loaded_by_its_name() {
        let names = ["libhdf5_of_a_test.so.999", "libnetcdf_of_a_test.so.999"];
        for name in names {
            assert!(load(Path::new(name)).is_err());
            load_stub(name).unwrap();
        }
        for name in names {
            let loaded = load(Path::new(name)).map(ManuallyDrop::new);
            assert!(loaded.is_ok(), "{name}");
        }
    }

    #[test]
    fn load_errors_have_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libx.so");
        std::fs::write(&path, "").unwrap();
        let file = trust::file(&path).unwrap();
        let why = Library::open(&file, "").err().unwrap();
        assert!(!why.is_empty() && !why.starts_with('/'), "{why}");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(Library::open(&file, "").err().unwrap(), "not a file");
    }
}
