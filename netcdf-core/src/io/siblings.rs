//! Files beside an opened dataset that the dataset refers to.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Source;
use super::file::{FileId, FileSource};
use crate::error::{Error, ErrorKind, Result};
use crate::shown::ShownAddress;

/// The files that a run creates or replaces. Input datasets must not refer to these files, by any name.
#[derive(Debug, Clone, Default)]
pub struct Outputs(Arc<Mutex<HashSet<FileId>>>);

impl Outputs {
    /// Adds the file at `path`, if it exists.
    pub fn add(&self, path: &Path) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.extend(FileId::of_path(path));
    }

    fn check(&self, source: &dyn Source) -> Result<()> {
        let ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.is_empty() || !FileId::of_source(source).is_some_and(|id| ids.contains(&id)) {
            return Ok(());
        }
        let what = "output would overwrite a file of the input";
        Err(Error::new(ErrorKind::Argument, what).of(source.name()))
    }
}

/// The opened files beside datasets, with their states ([`Source::state`]).
#[derive(Debug, Clone, Default)]
pub struct OpenedSiblings(Arc<Mutex<FileStates>>);

#[derive(Debug, Default)]
struct FileStates {
    opened: BTreeMap<String, String>,
    /// The states when a plan was made.
    planned: BTreeMap<String, String>,
}

impl OpenedSiblings {
    fn lock(&self) -> MutexGuard<'_, FileStates> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state that a file had when a plan was made.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if the file has another state now.
    pub fn expect(&self, name: &str, state: &str) -> Result<()> {
        let mut files = self.lock();
        files.planned.insert(name.to_owned(), state.to_owned());
        match files.opened.get(name) {
            Some(opened) if opened != state => Err(changed(name, PLANNED)),
            Some(_) | None => Ok(()),
        }
    }

    /// Adds a file with its state.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if the file had another state before.
    pub fn add(&self, name: &str, state: &str) -> Result<()> {
        let mut files = self.lock();
        let planned = files.planned.get(name).is_none_or(|known| known == state);
        let known = files.opened.entry(name.to_owned());
        let same = known.or_insert_with(|| state.to_owned()) == state;
        match (planned, same) {
            (false, _) => Err(changed(name, PLANNED)),
            (true, false) => Err(changed(name, MEANWHILE)),
            (true, true) => Ok(()),
        }
    }

    /// Checks that no local file changed since it was opened.
    ///
    /// # Errors
    /// Returns the errors of [`OpenedSiblings::add`].
    pub fn check(&self) -> Result<()> {
        for (name, _) in self.states() {
            // A later read reports a missing file.
            if let Ok(file) = FileSource::open(Path::new(&name)) {
                self.add(&name, &file.state())?;
            }
        }
        Ok(())
    }

    /// The names and states.
    #[must_use]
    pub fn states(&self) -> Vec<(String, String)> {
        let files = self.lock();
        let pairs = files
            .opened
            .iter()
            .map(|(name, state)| (name.clone(), state.clone()));
        pairs.collect()
    }
}

const PLANNED: &str = "this input file has changed since the plan was made";
const MEANWHILE: &str = "this input file changed while parts of the copy ran";

fn changed(name: &str, what: &'static str) -> Error {
    let e = Error::new(ErrorKind::Changed, what).of(name);
    e.with_remedy("create the plan again, and do not change the input meanwhile")
}

/// Rules for opening files beside a dataset.
#[derive(Debug, Clone, Default)]
pub struct SiblingAccess {
    /// Whether files outside the dataset's directory may be opened.
    pub outside: bool,
    /// Files that must not be opened.
    pub outputs: Outputs,
    /// The opened files.
    pub opened: OpenedSiblings,
}

/// Opens the file `name` that a dataset refers to. By default, the file must be in or below the dataset's directory: a downloaded dataset
/// must not read files such as `/etc/passwd`.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for a name that leads outside, [`ErrorKind::Argument`] for an output of the run,
/// [`ErrorKind::Changed`] for a file that changed since it was opened, and errors of opening the file.
pub fn open(source: &dyn Source, name: &[u8], access: &SiblingAccess) -> Result<Arc<dyn Source>> {
    let text = String::from_utf8_lossy(name);
    let path = PathBuf::from(text.as_ref());
    if !access.outside && !is_below(&path) {
        let what = format!("the dataset refers to the file {text}, outside of its directory");
        let error = Error::new(ErrorKind::Unsupported, what).of(source.name());
        return Err(error.with_remedy("use --allow-external to open it"));
    }
    let sibling = source.sibling(&path, access.outside)?;
    access.outputs.check(&*sibling)?;
    let name = ShownAddress::new(sibling.name());
    access.opened.add(name.text(), &sibling.state())?;
    Ok(sibling)
}

/// Whether a path stays inside a directory.
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
            let e = open(&source, name, &SiblingAccess::default()).unwrap_err();
            assert!(e.to_string().contains("--allow-external"), "{e}");
        }
        let e = open(&source, b"sub/b.h5", &SiblingAccess::default()).unwrap_err();
        assert!(!e.to_string().contains("--allow-external"), "{e}");
    }

    #[test]
    #[cfg(unix)]
    fn no_link_leads_out_of_the_directory_of_a_dataset() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        std::fs::create_dir(&data).unwrap();
        for path in ["secret", "data/a.h5", "data/b.h5"] {
            std::fs::write(dir.path().join(path), "x").unwrap();
        }
        symlink("../secret", data.join("notes.raw")).unwrap();
        symlink("..", data.join("up")).unwrap();
        symlink("b.h5", data.join("same")).unwrap();
        let mode = Mode::from_raw_mode(0o600);
        mknodat(CWD, data.join("fifo"), FileType::Fifo, mode, 0).unwrap();
        let source = FileSource::open(&data.join("a.h5")).unwrap();
        let access = |outside| SiblingAccess {
            outside,
            ..SiblingAccess::default()
        };
        for name in [&b"notes.raw"[..], b"up/secret"] {
            let e = open(&source, name, &access(false)).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Unsupported);
            assert!(e.to_string().contains("--allow-external"), "{e}");
            assert!(open(&source, name, &access(true)).is_ok());
        }
        assert!(open(&source, b"same", &access(false)).is_ok());
        // Opening a pipe does not block.
        for name in [&b"fifo"[..], b"../data/fifo", b"/dev/null", b"."] {
            assert!(open(&source, name, &access(true)).is_err());
        }
    }

    #[test]
    fn a_file_that_changed_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.h5", "b.h5"] {
            std::fs::write(dir.path().join(name), "x").unwrap();
        }
        let source = FileSource::open(&dir.path().join("a.h5")).unwrap();
        let access = SiblingAccess::default();
        for _ in 0..2 {
            assert!(open(&source, b"b.h5", &access).is_ok());
        }
        assert_eq!(access.opened.states().len(), 1);
        access.opened.check().unwrap();
        std::fs::write(dir.path().join("b.h5"), "xy").unwrap();
        assert!(access.opened.check().is_err());
        let e = open(&source, b"b.h5", &access).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Changed);
    }

    #[test]
    fn a_file_that_changed_since_the_plan_is_noticed() {
        let opened = OpenedSiblings::default();
        opened.expect("b", "1 bytes").unwrap();
        assert_eq!(opened.states(), []);
        opened.add("b", "1 bytes").unwrap();
        let e = opened.add("b", "2 bytes").unwrap_err();
        assert!(e.to_string().contains("since the plan was made"), "{e}");
        let opened = OpenedSiblings::default();
        opened.add("b", "2 bytes").unwrap();
        opened.expect("a", "1 bytes").unwrap();
        assert!(opened.expect("b", "1 bytes").is_err());
    }

    #[test]
    fn no_output_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.h5", "b.h5", "c.h5"] {
            std::fs::write(dir.path().join(name), "x").unwrap();
        }
        let source = FileSource::open(&dir.path().join("a.h5")).unwrap();
        let access = SiblingAccess::default();
        access.outputs.add(&dir.path().join("./b.h5"));
        access.outputs.add(&dir.path().join("none"));
        assert!(open(&source, b"c.h5", &access).is_ok());
        let e = open(&source, b"b.h5", &access).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Argument);
        assert!(
            e.to_string()
                .ends_with("b.h5: output would overwrite a file of the input"),
            "{e}"
        );
    }
}
