//! Where the test data are.

use std::path::{Path, PathBuf};

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the package has a parent").to_owned()
}

/// A path in `testdata`.
#[must_use]
pub fn testdata(path: &str) -> PathBuf {
    root().join("testdata").join(path)
}

/// The files of a folder with this extension, in the order of their names.
///
/// # Panics
/// If there are none: a test over no files would hold nothing.
#[must_use]
pub fn list(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|e| e.expect("a folder entry").path());
    let mut list: Vec<_> = paths
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    list.sort();
    assert!(!list.is_empty(), "no .{extension} in {}", folder.display());
    list
}

/// All files under a folder with this extension, in the order of their names; build output and
/// hidden folders are left out.
#[must_use]
pub fn walk(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for path in entries.map(|e| e.expect("a folder entry").path()) {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A file's last path component.
#[must_use]
pub fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// A file's last path component without its extension.
#[must_use]
pub fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
