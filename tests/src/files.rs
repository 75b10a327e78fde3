//! Paths of the test data.

use std::path::{Path, PathBuf};

/// Returns the root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the package has a parent").to_owned()
}

/// Returns a path in `testdata`.
#[must_use]
pub fn testdata(path: &str) -> PathBuf {
    root().join("testdata").join(path)
}

/// Returns the files in a directory with this extension, sorted by name.
///
/// # Panics
/// Panics if the directory has no such file, because a test without files would check nothing.
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

/// Returns all files below a directory with this extension, sorted by name, except build output and hidden directories.
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

/// Returns the last component of a path.
#[must_use]
pub fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Returns the last component of a path without its extension.
#[must_use]
pub fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// A line of `testdata/cases.txt`: a recorded run of the C `ncdump`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Name of the file in `testdata/expected`, without extension.
    pub name: String,
    /// Options.
    pub options: Vec<String>,
    /// The file in `testdata/classic`.
    pub file: String,
}

/// Returns the cases of `testdata/cases.txt`.
#[must_use]
pub fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(testdata("cases.txt")).expect("the list of cases");
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(case).collect()
}

fn case(line: &str) -> Case {
    let mut words = split(line).into_iter();
    let name = words.next().expect("a name");
    let mut options: Vec<_> = words.collect();
    let file = options.pop().expect("a file");
    Case {
        name,
        options,
        file,
    }
}

/// Splits a line into words at blanks; double quotes protect blanks.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("there is one").push(c),
        }
    }
    words
}

/// Returns a file with its bytes, or all files below a directory with their relative names.
///
/// # Panics
/// Panics if a file is missing or unreadable.
#[must_use]
pub fn contents(path: &Path) -> Vec<(String, Vec<u8>)> {
    if path.is_file() {
        return vec![(String::new(), std::fs::read(path).expect("a file"))];
    }
    let (mut all, mut folders) = (vec![], vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("an entry").path();
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let name = entry.strip_prefix(path).expect("a file below");
            let bytes = std::fs::read(&entry).expect("a file");
            all.push((name.display().to_string(), bytes));
        }
    }
    assert!(!all.is_empty(), "nothing in {}", path.display());
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_blanks() {
        let case = case(r#"x -n "a b" f.nc"#);
        assert_eq!((case.name.as_str(), case.file.as_str()), ("x", "f.nc"));
        assert_eq!(case.options, ["-n", "a b"]);
    }
}
