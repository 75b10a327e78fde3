//! A store in a directory that several processes write concurrently. Each process writes distinct keys.
//!
//! The store is created beside the output. A process writes keys to a directory of its own first. On commit it syncs each file and moves it
//! into the store, so a killed process leaves no truncated key. The last process writes the metadata, and renames the store. A marker in
//! the store of a plan identifies the plan, also after the rename (module `mark`).

mod mark;
mod overlay;
mod target;

pub use mark::{MARKER, PlanMark};
pub use target::SharedDirectoryTarget;

use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::io::file::full;
use crate::io::file::names::{folder, prefix};

/// The directory in which the store `output` is created. `tag` distinguishes concurrent stores with the same output.
#[must_use]
pub fn place(output: &Path, tag: &str) -> PathBuf {
    let output: PathBuf = output.components().collect();
    let mut name = prefix(&output);
    name.push(tag);
    name.push(".parts");
    folder(&output).join(name)
}

/// Checks whether `path` may be a directory from [`place`] for `output`.
#[must_use]
pub fn is_place(path: &Path, output: &Path) -> bool {
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.as_encoded_bytes().to_vec())
    };
    let (Some(own), Some(any)) = (name(path), name(&place(output, ""))) else {
        return false;
    };
    let tag = own.len().checked_sub(any.len()).and_then(|len| {
        let start = any.strip_suffix(b".parts")?;
        own.strip_prefix(start)?.get(..len)
    });
    let same_folder = path.parent() == place(output, "").parent();
    let tagged = |tag: &[u8]| tag.iter().all(u8::is_ascii_hexdigit);
    same_folder && own.ends_with(b".parts") && tag.is_some_and(tagged)
}

/// Creates the directory of a store for several processes.
///
/// # Errors
/// Returns [`ErrorKind::Exists`] for an existing directory, and [`ErrorKind::Io`].
pub fn begin(place: &Path) -> Result<()> {
    std::fs::create_dir(place).map_err(|e| not_begun(place, e))
}

/// The error for a directory that cannot be created.
fn not_begun(place: &Path, e: std::io::Error) -> Error {
    let name = place.to_string_lossy();
    match e.kind() {
        Failure::AlreadyExists | Failure::DirectoryNotEmpty => {
            let what = "other processes are writing the same store already";
            let e = Error::new(ErrorKind::Exists, what).of(&name);
            e.with_remedy("wait for them, or remove the directory if no process writes the store")
        }
        _ => full::failed("cannot create", &name, e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_other_directories() {
        let output = Path::new("/a/b.zarr");
        let own = place(output, "01ab");
        assert_eq!(own, Path::new("/a/.b.zarr.01ab.parts"));
        assert!(is_place(&own, output));
        for other in [
            "/a",
            "/",
            "/a/b.zarr",
            "/a/.b.zarr.01ab",
            "/a/.b.zarr.x!.parts",
            "/c/.b.zarr.01ab.parts",
            "/a/.c.01ab.parts",
        ] {
            assert!(!is_place(Path::new(other), output), "{other}");
        }
    }
}
