//! The plugins of a run: located and loaded when needed, with the reasons for unused files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::codec::LibraryCodec;
use super::discovery::{self, PluginSearch};
use super::filter::Plugin;
use super::helper::{Helpers, Isolation};
use super::library::{self, Library, load_stub};
#[cfg(unix)]
use super::local::Local;
use super::object::{self, SharedObject};
use super::{host, stub, trust};

/// The plugins of a run.
///
/// Loading a plugin changes the process permanently, because plugins stay loaded. On Unix, descriptor 1 then points to the target of
/// descriptor 2, so that the output of plugins does not enter our output. A program that prints must use
/// `io::stdout`, which writes to the original descriptor 1.
#[derive(Default)]
pub struct Plugins {
    search: PluginSearch,
    prefer: bool,
    state: Mutex<FoundPlugins>,
}

/// The results of the search so far.
#[derive(Default)]
struct FoundPlugins {
    /// The searched directories with their results; `None` before the search.
    directories: Option<Vec<(PathBuf, Result<(), String>)>>,
    /// Files that may be plugins, in order of precedence.
    candidates: Vec<PluginFile>,
    /// The index of the first candidate with an unloaded filter.
    next: usize,
    /// The helpers that run plugins; `None` if this process runs them.
    helpers: Option<Arc<Helpers>>,
    /// The filters by their number.
    filters: BTreeMap<u32, Arc<Plugin>>,
    /// The codecs; `None` before the search.
    codecs: Option<Vec<Arc<LibraryCodec>>>,
    /// The loaded libraries, and the reasons for libraries that failed to load: each library is tried once.
    libraries: BTreeMap<PathBuf, Result<Arc<Library>, String>>,
    /// Unused files with the reasons.
    unused: Vec<(PathBuf, String)>,
    /// Names of libraries replaced by a stub.
    stubs: BTreeSet<String>,
    /// Whether this program supports plugins; `None` before the check.
    support: Option<Result<(), String>>,
}

/// A file that declares itself a plugin.
#[derive(Debug, Clone)]
struct PluginFile {
    /// The path in its directory, for messages.
    path: PathBuf,
    /// The checked file to read and load.
    file: trust::CheckedFile,
    object: SharedObject,
    /// Whether the file is used for filters and codecs, or only for codecs.
    for_filters: bool,
}

impl PluginFile {
    fn has_filter(&self) -> bool {
        self.for_filters && self.object.defines("H5PLget_plugin_info")
    }

    fn has_defaults(&self) -> bool {
        self.object.defines("NCZ_codec_info_defaults")
    }

    fn has_codec(&self) -> bool {
        self.has_defaults() || self.object.defines("NCZ_get_codec_info")
    }
}

impl std::fmt::Debug for Plugins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "plugins of {:?}", self.search.directories)
    }
}

impl Plugins {
    /// Returns the plugins of these directories. With `prefer`, they take precedence over built-in filters.
    #[must_use]
    pub fn new(search: PluginSearch, prefer: bool) -> Self {
        Self {
            search,
            prefer,
            state: Mutex::default(),
        }
    }

    /// Runs the plugins in separate processes.
    #[must_use]
    pub fn isolated(mut self, isolation: Isolation) -> Self {
        let state = self.state.get_mut();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.helpers = Some(Arc::new(Helpers::new(isolation)));
        self
    }

    /// Returns the plugins that the environment of the process specifies.
    #[must_use]
    pub fn from_environment(prefer: bool) -> Self {
        Self::new(PluginSearch::from_environment(), prefer)
    }

    /// Checks whether plugins take precedence over built-in filters.
    #[must_use]
    pub fn preferred(&self) -> bool {
        self.prefer
    }

    /// Returns the state, after reading the directories.
    fn state(&self) -> MutexGuard<'_, FoundPlugins> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.list(&self.search);
        state
    }

    /// Returns the plugin for a filter, from the first file that has one.
    #[must_use]
    pub fn filter(&self, id: u32) -> Option<Arc<Plugin>> {
        self.state().filter(id)
    }

    /// Returns the codec of a filter, from the first library for this filter alone, or else from a library with defaults.
    #[must_use]
    pub fn codec_of(&self, filter: u32) -> Option<Arc<LibraryCodec>> {
        self.codecs().into_iter().find(|c| c.filter == filter)
    }

    /// Returns the codec with this name, like [`Self::codec_of`].
    #[must_use]
    pub fn codec(&self, name: &str) -> Option<Arc<LibraryCodec>> {
        self.codecs().into_iter().find(|c| c.name == name)
    }

    /// Returns the codecs, one per filter.
    #[must_use]
    pub fn codecs(&self) -> Vec<Arc<LibraryCodec>> {
        let mut state = self.state();
        if state.codecs.is_none() {
            let found = state.find_codecs();
            state.codecs = Some(found);
        }
        state.codecs.clone().unwrap_or_default()
    }

    /// Returns the searched directories and the failures there, for a message.
    #[must_use]
    pub fn searched(&self) -> String {
        if let Some(off) = &self.search.off {
            return off.clone();
        }
        let state = self.state();
        let directories = state.directories.iter().flatten();
        let directories = directories.map(|(path, read)| match read {
            Ok(()) => path.display().to_string(),
            Err(why) => format!("{} ({why})", path.display()),
        });
        let mut text = match directories.collect::<Vec<_>>().as_slice() {
            [] => format!("{} names no directory", discovery::VARIABLE),
            [first, _, more @ ..] if !more.is_empty() => {
                let first = first.strip_suffix(" (does not exist)").unwrap_or(first);
                let more = more.len() + 1;
                format!("no plugin for it in {first} and {more} more directories")
            }
            some => format!("no plugin for it in {}", some.join(", ")),
        };
        let files = state
            .unused
            .iter()
            .map(|(path, why)| format!("{}: {why}", path.display()));
        let reasons = files.chain(self.search.ignored.iter().cloned());
        for (n, reason) in reasons.enumerate() {
            if n == MAX_REASONS {
                text.push_str("; more files are not used");
                break;
            }
            text.push_str("; ");
            text.push_str(&reason);
        }
        text
    }
}

/// The maximum number of reasons in a message.
const MAX_REASONS: usize = 16;

impl FoundPlugins {
    /// Reads the directories, once. No file is loaded.
    fn list(&mut self, search: &PluginSearch) {
        if self.directories.is_some() {
            return;
        }
        let mut known = BTreeSet::new();
        let mut directories = vec![];
        if search.off.is_none() {
            for directory in &search.directories {
                let read = self.list_one(directory, true, &mut known);
                directories.push((directory.clone(), read));
            }
            for directory in &search.for_codecs {
                // Ignore errors: default directories usually do not exist.
                let _ = self.list_one(directory, false, &mut known);
            }
        }
        self.directories = Some(directories);
    }

    fn list_one(
        &mut self,
        directory: &Path,
        for_filters: bool,
        known: &mut BTreeSet<trust::Identity>,
    ) -> Result<(), String> {
        for path in discovery::files(directory)? {
            let looked = match trust::file(&path) {
                Ok(file) if !known.insert(file.identity) => continue,
                Ok(file) => object::read(&file.path).map(|object| (file, object)),
                Err(why) => Err(why),
            };
            match looked {
                Ok((file, object)) => {
                    let candidate = PluginFile {
                        path,
                        file,
                        object,
                        for_filters,
                    };
                    // Libraries that plugins depend on may be in the same directory.
                    if candidate.has_filter() || candidate.has_codec() {
                        self.candidates.push(candidate);
                    }
                }
                Err(why) if for_filters => self.unused.push((path, why)),
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn filter(&mut self, id: u32) -> Option<Arc<Plugin>> {
        while !self.filters.contains_key(&id) {
            let candidate = self.candidates.get(self.next)?.clone();
            self.next = self.next.saturating_add(1);
            if !candidate.has_filter() {
                continue;
            }
            let path = candidate.path.clone();
            match self.plugin(&candidate) {
                Ok(plugin) => {
                    let plugin = Arc::new(plugin);
                    self.filters.entry(plugin.id).or_insert(plugin);
                }
                Err(why) => self.refuse(path, why),
            }
        }
        self.filters.get(&id).cloned()
    }

    fn plugin(&mut self, candidate: &PluginFile) -> Result<Plugin, String> {
        let path = candidate.path.clone();
        match self.helpers.clone() {
            Some(helpers) => Plugin::in_helper(&helpers, &candidate.file, path),
            None => Plugin::of(self.library(candidate)?, path),
        }
    }

    /// Returns one codec per filter: libraries for a single filter take precedence over defaults.
    fn find_codecs(&mut self) -> Vec<Arc<LibraryCodec>> {
        let candidates = self.candidates.clone();
        let candidates = candidates.iter().filter(|c| c.has_codec());
        let (defaults, own): (Vec<_>, Vec<_>) = candidates.partition(|c| c.has_defaults());
        let mut codecs: Vec<Arc<LibraryCodec>> = vec![];
        for candidate in own.into_iter().chain(defaults) {
            match self.codecs_of(candidate) {
                Ok(found) => {
                    for codec in found {
                        if codecs.iter().all(|c| c.filter != codec.filter) {
                            codecs.push(Arc::new(codec));
                        }
                    }
                }
                Err(why) => self.refuse(candidate.path.clone(), why),
            }
        }
        codecs
    }

    fn codecs_of(&mut self, candidate: &PluginFile) -> Result<Vec<LibraryCodec>, String> {
        let library = self.library(candidate)?;
        let codecs = LibraryCodec::all(&library, &candidate.path)?;
        if candidate.has_filter() && !candidate.has_defaults() {
            let filter = Plugin::of(library, candidate.path.clone())?.id;
            if let Some(other) = codecs.iter().find(|c| c.filter != filter) {
                let other = other.filter;
                return Err(format!("its filter is {filter}, its codec is for {other}"));
            }
        }
        Ok(codecs)
    }

    /// Returns the library of a candidate, loaded once.
    fn library(&mut self, candidate: &PluginFile) -> Result<Arc<Library>, String> {
        if let Some(known) = self.libraries.get(&candidate.path) {
            return known.clone();
        }
        let loaded = self.load(candidate);
        let path = candidate.path.clone();
        self.libraries.insert(path, loaded.clone());
        loaded
    }

    fn load(&mut self, candidate: &PluginFile) -> Result<Arc<Library>, String> {
        self.support.get_or_insert_with(prepare).clone()?;
        check_functions(&candidate.object)?;
        self.load_stubs(&candidate.object)?;
        Library::open(&candidate.file, &candidate.object.build)
    }

    /// Records the reason for an unused file.
    fn refuse(&mut self, path: PathBuf, why: String) {
        let refusal = (path, why);
        if !self.unused.contains(&refusal) {
            self.unused.push(refusal);
        }
    }

    /// Loads stubs in place of the libraries that plugins must not load.
    fn load_stubs(&mut self, object: &SharedObject) -> Result<(), String> {
        for name in object.needed.iter().filter(|name| stub::replaces(name)) {
            if !self.stubs.contains(name) {
                load_stub(name).map_err(|e| format!("{name} cannot be replaced: {e}"))?;
                self.stubs.insert(name.clone());
            }
        }
        Ok(())
    }
}

/// Loads a file that another process checked, and its filter.
///
/// # Errors
/// Returns the reason if loading fails.
#[cfg(unix)]
pub(super) fn open_alone(path: &Path, identity: trust::Identity) -> Result<Local, String> {
    let file = trust::file(path)?;
    if file.identity != identity {
        return Err("the file was replaced after the check".to_owned());
    }
    let candidate = PluginFile {
        path: path.to_owned(),
        object: object::read(&file.path)?,
        file,
        for_filters: true,
    };
    Local::of(FoundPlugins::default().load(&candidate)?)
}

/// Checks that the HDF5 and netCDF functions that an object uses exist in this program. The dynamic linker would report only one missing
/// function.
fn check_functions(object: &SharedObject) -> Result<(), String> {
    let exports = host::all();
    let ours = |name: &str| exports.iter().any(|e| e.name == name);
    let of_hdf5 = |name: &str| {
        let known = ["H5", "nc_", "ncaux_", "NC_"];
        known.iter().any(|prefix| name.starts_with(prefix))
    };
    let missing = object.undefined.iter().map(String::as_str);
    let missing: Vec<_> = missing.filter(|n| of_hdf5(n) && !ours(n)).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => {
            let missing = missing.join(", ");
            Err(format!(
                "it uses functions that are not supported: {missing}"
            ))
        }
    }
}

/// Checks that plugins find their functions in this program, and separates their output from ours.
fn prepare() -> Result<(), String> {
    library::exported()?;
    crate::io::stdout::lead_to_stderr().map_err(|e| crate::error::plain(&e))
}
