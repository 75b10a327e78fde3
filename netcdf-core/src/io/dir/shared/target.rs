//! The keys that one process adds to a shared store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::mark::{self, PlanMark};
use super::overlay::Overlay;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::io::dir::sync::Tree;
use crate::io::dir::{DirStore, Replace};
use crate::io::file::adopt::adopt;
use crate::io::file::disk::Disk;
use crate::io::file::replace::Replaced;
use crate::io::file::temporary::{self, Lock};
use crate::io::file::{full, real, replace, swap};
use crate::io::store::{MARKERS, Store};
use crate::io::sums::RunningSums;
use crate::io::target::StoreTarget;

/// Keys that a process adds to a shared store.
#[derive(Debug)]
pub struct SharedDirectoryTarget {
    store: Arc<dyn Store>,
    making: TempDir,
    _lock: Lock,
    /// The shared store.
    place: PathBuf,
    /// The plan that the store belongs to.
    mark: Option<PlanMark>,
    /// The final path and the replacement rules, in the last process.
    becomes: Option<(PathBuf, Replace)>,
    /// `None` if the store is not synced.
    sync: Option<Disk>,
    cancel: Cancel,
}

impl SharedDirectoryTarget {
    /// Starts a part of the store in `place`. Commit moves the keys into the store, and syncs them if `sync` is set.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn create(place: &Path, sync: bool, cancel: &Cancel) -> Result<(Self, RunningSums)> {
        let name = place.to_string_lossy();
        let failed = |e| full::failed("cannot create", &name, e);
        let others = DirStore::open(place)?;
        temporary::sweep(place);
        let making = temporary::beside(place, 0o777, |builder, folder| builder.tempdir_in(folder));
        let (making, lock) = making.map_err(failed)?;
        let root = std::fs::canonicalize(making.path()).map_err(failed)?;
        let sums = RunningSums::default();
        let store = Overlay {
            own: DirStore::at(&name, root),
            others,
            sums: sums.clone(),
        };
        let target = Self {
            store: Arc::new(store),
            making,
            _lock: lock,
            place: place.to_owned(),
            mark: None,
            becomes: None,
            sync: sync.then(Disk::default),
            cancel: cancel.clone(),
        };
        Ok((target, sums))
    }

    /// Sets the plan of the store. On commit, the store must have the marker of the plan.
    #[must_use]
    pub fn of_plan(mut self, mark: &PlanMark) -> Self {
        self.mark = Some(mark.clone());
        self
    }

    /// Sets the final path, for the last part. On commit, the store becomes the directory `path`, and replaces a Zarr store or an empty
    /// directory. The caller removes the replaced store ([`PlanMark::tidy`]).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`](crate::ErrorKind::Exists) for a directory that is not replaced.
    pub fn becoming(mut self, path: &Path, replace: Replace) -> Result<Self> {
        // Replace the target of a symbolic link. A trailing `/` would hide the link.
        let path: PathBuf = path.components().collect();
        let path = real(&path);
        swap::recover(&path);
        replace
            .check(&path, &self.cancel)
            .map_err(|e| e.of(&path.to_string_lossy()))?;
        self.becomes = Some((path, replace));
        Ok(self)
    }

    /// Moves the keys of this process into the shared store. Root metadata comes last.
    fn publish(&self) -> Result<()> {
        let name = self.store.name();
        if let Some(disk) = &self.sync {
            let tree = Tree {
                name,
                root: self.making.path(),
                disk,
                cancel: &self.cancel,
            };
            tree.sync()?;
        }
        self.cancel.check()?;
        let _lock = match (&self.mark, &self.becomes) {
            (Some(mark), None) => mark.join(&self.place, &self.cancel)?,
            // The caller holds the exclusive lock.
            (Some(mark), Some(_)) => mark.check(&self.place).map(|()| None)?,
            (None, _) => None,
        };
        let moved = adopt(
            self.making.path(),
            &self.place,
            &MARKERS,
            self.sync.as_ref(),
        );
        moved.map_err(|e| full::failed("cannot write", name, e))
    }
}

impl StoreTarget for SharedDirectoryTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn written(&mut self) -> Result<Arc<dyn Store>> {
        self.publish()?;
        Ok(Arc::new(DirStore::open(&self.place)?))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.commit_if(&|| Ok(()))
    }

    fn commit_if(self: Box<Self>, check: &dyn Fn() -> Result<()>) -> Result<()> {
        check()?;
        self.publish()?;
        let Some((path, replace)) = &self.becomes else {
            return Ok(());
        };
        // The directory may have changed since the first check.
        let checked = replace.check(path, &self.cancel);
        checked.map_err(|e| e.of(&path.to_string_lossy()))?;
        check()?;
        if let Some(mark) = &self.mark {
            mark.check_free(&self.place, path)?;
        }
        // From here on, only the new store may have a marker.
        mark::unmark(path)?;
        let replaced = replace::take_name(&self.place, path, self.sync.as_ref())?;
        match (&self.mark, &replaced) {
            // The caller removes the replaced store after the plan is finished.
            (Some(_), Replaced::Exchanged(_) | Replaced::Nothing) => Ok(()),
            // File systems without an exchange of two names move the replaced store aside.
            (Some(_), Replaced::Aside(aside)) => {
                aside.take_name(&self.place).or_else(|_| replaced.remove())
            }
            (None, _) => replaced.remove(),
        }
    }
}
