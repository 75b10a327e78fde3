//! The marker of a plan in the store that its parts write.
//!
//! The store contains the marker from its first moment, and keeps it when the store gets its final name. After a kill, the location of
//! the marker decides. If it is beside the output, the store is not finished. If it is in the output, only cleanup remains. A directory
//! beside the output without a marker is the replaced output.

use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use super::not_begun;
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::io::file::disk::Disk;
use crate::io::file::names::folder;
use crate::io::file::{FileLock, full, read_small, replace, swap, temporary};

/// The name of the marker.
pub const MARKER: &str = ".netcdf-tools-plan";

/// The maximum length of a marker, which is far shorter.
const MOST: u64 = 4096;

/// The marker of a plan.
#[derive(Debug, Clone)]
pub struct PlanMark {
    /// A text that is unique to the plan.
    pub identity: String,
    /// The file that processes of the plan lock.
    pub lock: PathBuf,
}

impl PlanMark {
    /// Creates the directory of a store with the marker, atomically. With `sync`, both are synced.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] for an existing directory, and [`ErrorKind::Io`].
    pub fn begin(&self, place: &Path, sync: bool) -> Result<()> {
        let failed = |e| full::failed("cannot create", &place.to_string_lossy(), e);
        temporary::sweep(place);
        let making = temporary::beside(place, 0o777, |builder, within| builder.tempdir_in(within));
        let (making, _lock) = making.map_err(failed)?;
        let disk = sync.then(Disk::default);
        self.write(making.path(), disk.as_ref()).map_err(failed)?;
        replace::take_free_name(making, place).map_err(|e| not_begun(place, e))?;
        disk.map_or(Ok(()), |disk| disk.folder(folder(place)).map_err(failed))
    }

    /// Writes the marker into a directory.
    fn write(&self, within: &Path, disk: Option<&Disk>) -> std::io::Result<()> {
        let marker = within.join(MARKER);
        std::fs::write(&marker, &self.identity)?;
        let Some(disk) = disk else {
            return Ok(());
        };
        disk.file(&marker)?;
        disk.folder(within)
    }

    /// Checks whether the store at `path` belongs to the plan. A store without a marker belongs to none.
    ///
    /// # Errors
    /// Errors of reading the marker.
    pub fn is_in(&self, path: &Path) -> Result<bool> {
        let marker = marker_of(path)?;
        Ok(marker.is_some_and(|bytes| bytes == self.identity.as_bytes()))
    }

    /// Waits until no `--finish` runs, and checks that the store at `place` still belongs to the plan. While the
    /// caller holds the result, no process finishes the store.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if the store was finished or removed; [`ErrorKind::Cancelled`]; [`ErrorKind::Io`].
    pub(super) fn join(&self, place: &Path, cancel: &Cancel) -> Result<Option<FileLock>> {
        let lock = FileLock::shared(&self.lock, cancel)?;
        self.check(place)?;
        Ok(lock)
    }

    /// Checks that the store at `place` still belongs to the plan.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if not; errors of reading the marker.
    pub(super) fn check(&self, place: &Path) -> Result<()> {
        if self.is_in(place)? {
            return Ok(());
        }
        let what = "the store that the parts write is not there: it was finished, or removed";
        let e = Error::new(ErrorKind::Changed, what).of(&place.to_string_lossy());
        Err(e.with_remedy("remove the plan: nccopy --clean FOLDER"))
    }

    /// Checks, just before the store at `place` gets the name `output`, that no other process gave it the name.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] if the output has the marker of the plan; the errors of [`PlanMark::check`].
    pub(super) fn check_free(&self, place: &Path, output: &Path) -> Result<()> {
        if self.is_in(output)? {
            let what = "another process is finishing this plan";
            let e = Error::new(ErrorKind::Busy, what).of(&output.to_string_lossy());
            return Err(e.with_remedy("try again when it has ended"));
        }
        self.check(place)
    }

    /// Cleans up after the store of the plan got the name `output`: removes the replaced directory at `place`, then the marker.
    /// Repeated calls are harmless.
    ///
    /// # Errors
    /// The error states that the output is complete.
    pub fn tidy(&self, place: &Path, output: &Path) -> Result<()> {
        if output.symlink_metadata().is_ok() {
            swap::recover(output);
        }
        temporary::sweep(place);
        temporary::sweep(output);
        if is_unmarked(place)? {
            replace::remove(place)?;
        }
        if self.is_in(output)? {
            unmark(output)?;
        }
        Ok(())
    }

    /// Removes a store of the plan that is not finished. A store of another plan stays.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], also if the marker cannot be read.
    pub fn remove(&self, place: &Path) -> Result<()> {
        temporary::sweep(place);
        if is_unmarked(place)? {
            return replace::remove(place);
        }
        if !self.is_in(place)? {
            return Ok(());
        }
        let failed = |e| Error::io("cannot remove", &place.to_string_lossy(), e);
        // The marker is removed last, so that the next process recognises the store after a kill.
        for entry in std::fs::read_dir(place).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            match entry.file_type().map_err(failed)?.is_dir() {
                true => std::fs::remove_dir_all(entry.path()).map_err(failed)?,
                false if entry.file_name() == MARKER => {}
                false => std::fs::remove_file(entry.path()).map_err(failed)?,
            }
        }
        std::fs::remove_dir_all(place).map_err(failed)
    }
}

/// The content of the marker in the store at `path`, if there is one.
fn marker_of(path: &Path) -> Result<Option<Vec<u8>>> {
    match read_small(&path.join(MARKER), MOST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.is_missing() => Ok(None),
        Err(e) => Err(e),
    }
}

/// Checks whether a plan's store directory contains the remains of a replaced or removed store. A power failure can leave an empty marker.
fn is_unmarked(place: &Path) -> Result<bool> {
    let marker = marker_of(place)?;
    Ok(marker.is_none_or(|bytes| bytes.is_empty()) && place.is_dir())
}

/// Removes the marker of any plan from a finished store.
///
/// # Errors
/// The error states that the output is complete.
pub(super) fn unmark(output: &Path) -> Result<()> {
    let marker = output.join(MARKER);
    match std::fs::remove_file(&marker) {
        Err(e) if e.kind() != Failure::NotFound => {
            let what = "the output is complete, but the plan's marker cannot be removed";
            Err(Error::io(what, &marker.to_string_lossy(), e))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_known_by_its_marker_wherever_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let mark = |identity: &str| PlanMark {
            identity: identity.to_owned(),
            lock: dir.path().join("none"),
        };
        let (place, output) = (dir.path().join(".s.1.parts"), dir.path().join("s"));
        let (own, other) = (mark("own"), mark("other"));
        own.begin(&place, true).unwrap();
        assert_eq!(
            other.begin(&place, true).unwrap_err().kind(),
            ErrorKind::Exists
        );
        assert!(own.is_in(&place).unwrap() && !other.is_in(&place).unwrap());
        assert_eq!(other.check(&place).unwrap_err().kind(), ErrorKind::Changed);
        other.remove(&place).unwrap();
        assert!(place.exists());
        std::fs::write(place.join("k"), "").unwrap();
        replace::take_name(&place, &output, None).unwrap();
        // The replaced directory.
        std::fs::create_dir_all(place.join("v")).unwrap();
        other.tidy(&place, &output).unwrap();
        own.tidy(&place, &output).unwrap();
        own.tidy(&place, &output).unwrap();
        assert!(!place.exists() && output.join("k").exists() && !output.join(MARKER).exists());
        own.begin(&place, true).unwrap();
        own.remove(&place).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    fn mark(dir: &Path) -> PlanMark {
        PlanMark {
            identity: "own".to_owned(),
            lock: dir.join("none"),
        }
    }

    #[test]
    fn a_store_that_has_its_name_already_is_not_exchanged_again() {
        let dir = tempfile::tempdir().unwrap();
        let (place, output) = (dir.path().join(".s.1.parts"), dir.path().join("s"));
        let own = mark(dir.path());
        own.begin(&place, true).unwrap();
        own.check_free(&place, &output).unwrap();
        replace::take_name(&place, &output, None).unwrap();
        let kind = |place: &Path| own.check_free(place, &output).unwrap_err().kind();
        assert_eq!(kind(&place), ErrorKind::Busy);
        // The replaced output is where the store was.
        std::fs::create_dir(&place).unwrap();
        assert_eq!(kind(&place), ErrorKind::Busy);
        std::fs::remove_file(output.join(MARKER)).unwrap();
        assert_eq!(kind(&place), ErrorKind::Changed);
    }

    #[test]
    fn a_marker_that_cannot_be_read_is_an_error_and_an_empty_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join(".s.1.parts");
        let own = mark(dir.path());
        assert!(!own.is_in(&place).unwrap());
        std::fs::create_dir_all(place.join(MARKER)).unwrap();
        assert!(own.is_in(&place).is_err() && own.remove(&place).is_err());
        std::fs::remove_dir(place.join(MARKER)).unwrap();
        std::fs::write(place.join(MARKER), "").unwrap();
        assert!(!own.is_in(&place).unwrap());
        own.remove(&place).unwrap();
        assert!(!place.exists());
        own.remove(&place).unwrap();
    }
}
