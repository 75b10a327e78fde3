//! Directories and temporary names of outputs.

use std::path::Path;

/// The directory of a path.
pub(in crate::io) fn folder(path: &Path) -> &Path {
    let dir = path.parent().filter(|d| !d.as_os_str().is_empty());
    dir.unwrap_or(Path::new("."))
}

/// The maximum length of names that get a prefix and suffix. Longer names may exceed the limit of the file system.
const LONG_NAME: usize = 240;

/// The start of temporary names: a dot and the final name.
pub(in crate::io) fn prefix(path: &Path) -> std::ffi::OsString {
    let mut prefix = std::ffi::OsString::from(".");
    let name = path.file_name().unwrap_or_default();
    if name.len() < LONG_NAME {
        prefix.push(name);
    } else {
        let short: String = name.to_string_lossy().chars().take(LONG_NAME / 4).collect();
        prefix.push(short);
    }
    prefix.push(".");
    prefix
}
