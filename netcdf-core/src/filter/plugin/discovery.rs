//! The directories that are searched for plugins, and their candidate files.
//!
//! As in HDF5 and netCDF-C, the search uses the directories of `HDF5_PLUGIN_PATH`, if it is set (even if it contains no directory), else
//! the default directories, in order. Files are sorted by name, so that the result does not depend on the file system.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::trust;

/// The environment variable with the plugin directories.
pub const VARIABLE: &str = "HDF5_PLUGIN_PATH";
/// The environment variable that switches plugins off if its value is `::`.
pub const PRELOAD: &str = "HDF5_PLUGIN_PRELOAD";
/// The value of [`PRELOAD`] that switches plugins off.
const OFF: &str = "::";

/// The directories to search for plugins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PluginSearch {
    /// Directories with filters and codecs.
    pub directories: Vec<PathBuf>,
    /// Additional directories, searched for codecs only: the default directories if the variable contains others.
    pub for_codecs: Vec<PathBuf>,
    /// The reasons for ignored parts of the variable.
    pub ignored: Vec<String>,
    /// The reason if plugins are switched off.
    pub off: Option<String>,
}

impl PluginSearch {
    /// Returns the search that the environment of the process configures.
    #[must_use]
    pub fn from_environment() -> Self {
        let path = std::env::var_os(VARIABLE);
        let preload = std::env::var_os(PRELOAD);
        Self::new(path.as_deref(), preload.as_deref(), trust::elevated())
    }

    /// Returns the search for these values of the variables. In a process with more privileges than its user, they can only switch plugins
    /// off.
    #[must_use]
    pub fn new(path: Option<&OsStr>, preload: Option<&OsStr>, elevated: bool) -> Self {
        if preload.is_some_and(|value| value == OFF) {
            return Self {
                off: Some(format!("plugins are switched off by {PRELOAD}")),
                ..Self::default()
            };
        }
        match path {
            None => Self::usual(None),
            // A variable without directories switches plugins off for every process.
            Some(path) if elevated && names_any(path) => {
                let why = format!("{VARIABLE} is ignored in a program with raised privileges");
                Self::usual(Some(why))
            }
            Some(path) => Self::listed(path),
        }
    }

    /// Returns a search of exactly these directories.
    #[must_use]
    pub fn only(directories: Vec<PathBuf>) -> Self {
        Self {
            directories,
            ..Self::default()
        }
    }

    fn usual(ignored: Option<String>) -> Self {
        Self {
            directories: usual(),
            ignored: ignored.into_iter().collect(),
            ..Self::default()
        }
    }

    fn listed(path: &OsStr) -> Self {
        let mut search = Self {
            for_codecs: usual(),
            ..Self::default()
        };
        for entry in std::env::split_paths(path) {
            if entry.as_os_str().is_empty() || search.directories.contains(&entry) {
                continue;
            }
            if entry.is_absolute() {
                search.directories.push(entry);
            } else {
                let entry = entry.display();
                let why = format!("{entry} in {VARIABLE} is not an absolute path");
                search.ignored.push(why);
            }
        }
        let known = &search.directories;
        search.for_codecs.retain(|usual| !known.contains(usual));
        search
    }
}

/// Checks whether the value of the variable contains a directory.
fn names_any(path: &OsStr) -> bool {
    std::env::split_paths(path).any(|entry| !entry.as_os_str().is_empty())
}

/// Returns the default directories: HDF5's own installation and the directories of distributions.
#[cfg(unix)]
fn usual() -> Vec<PathBuf> {
    let mut usual = vec![PathBuf::from("/usr/local/hdf5/lib/plugin")];
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        let machine = std::env::consts::ARCH;
        usual.push(format!("/usr/lib/{machine}-linux-gnu/hdf5/serial/plugins").into());
        usual.push("/usr/lib64/hdf5/plugin".into());
    }
    usual
}

#[cfg(not(unix))]
fn usual() -> Vec<PathBuf> {
    let root = std::env::var_os("ALLUSERSPROFILE").map(PathBuf::from);
    let root = root.filter(|root| root.is_absolute());
    root.map(|root| root.join("hdf5").join("lib").join("plugin"))
        .into_iter()
        .collect()
}

/// Checks whether a file has the name of a plugin.
#[must_use]
fn is_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    if cfg!(windows) {
        return name.ends_with(".dll");
    }
    name.starts_with("lib") && (name.contains(".so") || name.contains(".dylib"))
}

/// Returns the files of a directory that may be plugins, sorted by name.
///
/// # Errors
/// Returns the reason if the directory is not searched.
pub(super) fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(directory).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => "does not exist".to_owned(),
        std::io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        _ => crate::error::plain(&e),
    })?;
    trust::directory(directory)?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let mut names: Vec<OsString> = names.filter(|name| is_name(name)).collect();
    names.sort();
    Ok(names.iter().map(|name| directory.join(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str) -> PluginSearch {
        PluginSearch::new(Some(path.as_ref()), None, false)
    }

    #[test]
    #[cfg(unix)]
    fn the_variable_replaces_the_default_directories() {
        let usual = PluginSearch::new(None, None, false);
        assert_eq!(
            usual.directories[0],
            Path::new("/usr/local/hdf5/lib/plugin")
        );
        assert_eq!(usual.for_codecs, [""; 0].map(PathBuf::from));
        let none = listed("");
        assert_eq!(
            (none.directories.len(), none.for_codecs),
            (0, super::usual())
        );
        let some = listed("/a::/b:/a:c/d:/usr/local/hdf5/lib/plugin");
        assert_eq!(
            some.directories,
            ["/a", "/b", "/usr/local/hdf5/lib/plugin"].map(PathBuf::from)
        );
        assert!(!some.for_codecs.contains(&some.directories[2]));
        assert_eq!(
            some.ignored,
            ["c/d in HDF5_PLUGIN_PATH is not an absolute path"]
        );
    }

    #[test]
    fn raised_privileges_and_preload() {
        let elevated = PluginSearch::new(Some("/a".as_ref()), None, true);
        assert_eq!(elevated.directories, usual());
        assert_eq!(elevated.ignored.len(), 1);
        for nothing in ["", ":"] {
            let none = PluginSearch::new(Some(nothing.as_ref()), None, true);
            assert_eq!(none, listed(""), "{nothing}");
        }
        for elevated in [false, true] {
            let off = PluginSearch::new(Some("/a".as_ref()), Some("::".as_ref()), elevated);
            assert!(off.off.is_some() && off.directories.is_empty());
        }
        let other = PluginSearch::new(Some("/a".as_ref()), Some("x".as_ref()), false);
        assert_eq!(other.off, None);
    }

    #[test]
    #[cfg(unix)]
    fn names_of_plugins() {
        for (name, is) in [
            ("libx.so", true),
            ("libx.so.1", true),
            ("libx.dylib", true),
            ("x.so", false),
            ("libx.a", false),
            ("nolib.so", false),
        ] {
            assert_eq!(is_name(name.as_ref()), is, "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn files_come_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libb.so", "liba.so.2", "readme", "libc.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = files(folder.path()).unwrap();
        assert_eq!(
            found,
            ["liba.so.2", "libb.so"].map(|n| folder.path().join(n))
        );
        assert_eq!(
            files(&folder.path().join("no")).unwrap_err(),
            "does not exist"
        );
        let file = folder.path().join("readme");
        assert_eq!(files(&file).unwrap_err(), "not a directory");
    }
}
