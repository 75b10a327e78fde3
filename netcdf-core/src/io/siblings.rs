//! Files that belong to a dataset beside the one that was opened.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::Source;
use crate::error::{Error, ErrorKind, Result};

/// Opens the file that a dataset refers to by `name`. Only files in the directory of the dataset
/// and below are opened, unless the user allows others: a dataset from elsewhere must not make
/// us read `/etc`.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for a name that leads elsewhere; those of opening.
pub fn open(source: &dyn Source, name: &[u8], allow_external: bool) -> Result<Arc<dyn Source>> {
    let text = String::from_utf8_lossy(name);
    let path = PathBuf::from(text.as_ref());
    if !allow_external && !is_below(&path) {
        let what = format!("the dataset refers to the file {text}, outside of its directory");
        let error = Error::new(ErrorKind::Unsupported, what).of(source.name());
        return Err(error.with_remedy("use --allow-external to open it"));
    }
    source.sibling(&path)
}

/// True for a path that cannot lead out of a directory.
fn is_below(path: &Path) -> bool {
    let mut parts = path.components();
    parts.all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let source = MemorySource::new("a.h5", vec![]);
        for name in [&b"/etc/passwd"[..], b"../b.h5", b"x/../../b.h5"] {
            let e = open(&source, name, false).unwrap_err();
            assert!(e.to_string().contains("--allow-external"), "{e}");
        }
        let e = open(&source, b"sub/b.h5", false).unwrap_err();
        assert!(!e.to_string().contains("--allow-external"), "{e}");
    }
}
