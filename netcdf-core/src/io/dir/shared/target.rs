//! What a process adds to a shared store.

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
use crate::io::file::{aside, full, real, replace};
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
    /// Where it goes when these keys are there, if they are the last.
    becomes: Option<(PathBuf, Replace)>,
    /// None if it need not be on disk.
    sync: Option<Disk>,
    cancel: Cancel,
}

impl SharedDirectoryTarget {
    /// Keys for the store that is made in `place`; they are there on commit. `sync` asks for them to be on disk then.
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

    /// The same, as the last keys: on commit, the store becomes the directory `path`, where a Zarr store or an empty directory is
    /// replaced. The caller removes the replaced store ([`PlanMark::tidy`]).
    ///
    /// # Errors
    /// [`ErrorKind::Exists`](crate::ErrorKind::Exists) for what is not replaced.
    pub fn becoming(mut self, path: &Path, replace: Replace) -> Result<Self> {
        // A symbolic link stays. Without a trailing `/`, which would hide it.
        let path: PathBuf = path.components().collect();
        let path = real(&path);
        aside::recover(&path);
        replace
            .check(&path, &self.cancel)
            .map_err(|e| e.of(&path.to_string_lossy()))?;
        self.becomes = Some((path, replace));
        Ok(self)
    }

    /// Moves what was put into the shared store, the metadata of the root last.
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
        // It may have changed in the meantime.
        let checked = replace.check(path, &self.cancel);
        checked.map_err(|e| e.of(&path.to_string_lossy()))?;
        check()?;
        if let Some(mark) = &self.mark {
            mark.check_free(&self.place, path)?;
        }
        // Only this store may have a marker from here on.
        mark::unmark(path)?;
        let replaced = replace::take_name(&self.place, path, self.sync.as_ref())?;
        match (&self.mark, &replaced) {
            // The caller removes it once the plan is finished.
            (Some(_), Replaced::Exchanged(_) | Replaced::Nothing) => Ok(()),
            // The same, on file systems that cannot exchange two names.
            (Some(_), Replaced::Aside(aside)) => {
                aside.take_name(&self.place).or_else(|_| replaced.remove())
            }
            (None, _) => replaced.remove(),
        }
    }
}
