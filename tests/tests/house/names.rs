//! Each type name has one meaning.

use std::collections::BTreeMap;

use netcdf_tools_tests::files::{root, walk};

/// Maximum number of type names that are declared more than once.
const REPEATED: usize = 60;

/// Returns the type name that a line declares, if the line declares a type outside an `impl` or a trait.
fn declared(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest
            .split_once(") ")
            .map_or(rest, |(_, rest)| rest)
            .trim_start(),
        None => line,
    };
    let kinds = ["struct ", "enum ", "trait ", "union ", "type "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
}

/// Returns the source files of the workspace without tests and examples.
fn sources() -> Vec<std::path::PathBuf> {
    let root = root();
    let short = |path: &std::path::PathBuf| {
        let short = path.strip_prefix(&root).expect("under the root");
        short.display().to_string()
    };
    let product = |path: &std::path::PathBuf| {
        let path = short(path);
        let parts = ["tests/", "netcdf-core/fuzz/", "netcdf-core/examples/"];
        let test = path.contains("/tests/") || path.ends_with("tests.rs");
        !test && !parts.iter().any(|part| path.starts_with(part))
    };
    walk(&root, "rs").into_iter().filter(product).collect()
}

#[test]
fn declarations_are_recognised() {
    assert_eq!(declared("pub struct Chunk<'a> {"), Some("Chunk"));
    assert_eq!(declared("pub(in crate::chunk) enum Hit {"), Some("Hit"));
    assert_eq!(declared("type Result<T> = X;"), Some("Result"));
    assert_eq!(declared("    type Item = u8;"), None);
    assert_eq!(declared("impl Chunk {"), None);
}

#[test]
fn type_names_have_one_meaning() {
    let mut files = BTreeMap::<String, Vec<String>>::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("a readable source");
        for name in text.lines().filter_map(declared) {
            let list = files.entry(name.to_owned()).or_default();
            list.push(path.display().to_string());
        }
    }
    assert!(files.len() > 1000, "only {} names", files.len());
    files.retain(|_, files| files.len() > 1);
    assert!(files.len() <= REPEATED, "{}: {files:#?}", files.len());
}
