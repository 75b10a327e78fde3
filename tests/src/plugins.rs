//! Shared libraries for tests, compiled by the C compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::root;

/// Compiles `tests/plugins/SOURCE` with these options to a library. Returns its path.
///
/// # Panics
/// Panics if the compiler is missing or fails.
pub fn library(folder: &Path, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let path = folder.join(name);
    let source = root().join("tests/plugins").join(source);
    compile(&["-Wall", "-o"], &path, Some(&source), options);
    path
}

/// Creates an empty library `name` on which other libraries depend. Returns its path.
pub fn needed(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let itself = format!("-Wl,-soname,{name}");
    compile(
        &["-nostdlib", &itself, "-o"],
        &path,
        None,
        &["-x", "c", "/dev/null"],
    );
    path
}

fn compile(before: &[&str], path: &Path, source: Option<&Path>, after: &[&str]) {
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC"])
        .args(before)
        .arg(path)
        .args(source)
        .args(after);
    let status = cc.status().expect("a C compiler");
    assert!(status.success(), "{cc:?}");
}
