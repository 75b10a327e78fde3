//! A store being written to a directory.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::{DirStore, Foreign, Replace};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::io::file::place::{self, PathEnd};
use crate::io::file::temporary::{self, Lock};
use crate::io::file::unnamed::folder;
use crate::io::file::{full, kept, replace};
use crate::io::store::Store;
use crate::io::target::StoreTarget;

/// A store being written, to a directory `.NAME.*.tmp` beside its final one.
#[derive(Debug)]
pub struct DirTarget {
    store: Arc<dyn Store>,
    making: TempDir,
    _lock: Lock,
    /// Its final path.
    path: PathBuf,
    sync: bool,
    cancel: Cancel,
    replace: Replace,
    /// The files removed with the replaced store although they were not part of it.
    goes: Foreign,
}

/// Up to this many keys are synced one by one; for more, the whole file system is.
const FEW: usize = 64;

impl DirTarget {
    /// Creates a store that becomes the directory `path` on commit. An existing Zarr store with nothing else in
    /// its directory, or an empty directory, is replaced; anything else is refused. A symbolic link stays, and
    /// its target is replaced.
    ///
    /// `sync` asks for the data to be on disk before that. Nothing is committed once `cancel` is set.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`] for what is not replaced; [`ErrorKind::Argument`] for what cannot be the name of a
    /// directory; [`ErrorKind::Io`].
    pub fn create(path: &Path, sync: bool, replace: Replace, cancel: &Cancel) -> Result<Self> {
        let name = path.to_string_lossy();
        let failed = |e| full::failed("cannot create", &name, e);
        // Without a trailing `/`, which would hide a link.
        let path: PathBuf = path.components().collect();
        let PathEnd::Path(path) = place::resolve(&path).map_err(failed)? else {
            let what =
                "a Zarr store is a directory or a zip file, it cannot be written to an open file";
            return Err(Error::new(ErrorKind::Argument, what).of(&name));
        };
        if path.file_name().is_none() {
            let what = "not the name of a directory that can be created or replaced";
            return Err(Error::new(ErrorKind::Argument, what).of(&name));
        }
        let goes = replace.check(&path, cancel).map_err(|e| e.of(&name))?;
        temporary::sweep(&path);
        let making = temporary::beside(&path, 0o777, |builder, folder| builder.tempdir_in(folder));
        let (making, lock) = making.map_err(failed)?;
        keep(&name, making.path(), &path)?;
        let root = std::fs::canonicalize(making.path()).map_err(failed)?;
        Ok(Self {
            store: Arc::new(DirStore::at(&name, root)),
            making,
            _lock: lock,
            path,
            sync,
            cancel: cancel.clone(),
            replace,
            goes,
        })
    }

    /// Files in the replaced directory that are removed although they are not part of the store.
    #[must_use]
    pub fn goes(&self) -> &Foreign {
        &self.goes
    }

    fn failed(&self, e: std::io::Error) -> Error {
        full::failed("cannot write to disk", self.store.name(), e)
    }

    /// Syncs everything to disk: many files at once, where the system can do that, else one by one.
    fn sync(&self) -> Result<()> {
        let root = self.making.path();
        let failed = |e| self.failed(e);
        let mut files = 0usize;
        let mut count = |_: &Path, is_folder: bool| {
            files += usize::from(!is_folder);
            match files > FEW {
                true => ControlFlow::Break(Ok(())),
                false => ControlFlow::Continue(()),
            }
        };
        visit(root, &mut count).map_err(failed)?;
        if files > FEW && sync_all(root).map_err(failed)? {
            return Ok(());
        }
        let mut cancelled = Ok(());
        let mut one = |path: &Path, is_folder: bool| {
            cancelled = self.cancel.check();
            if cancelled.is_err() {
                return ControlFlow::Break(Ok(()));
            }
            if is_folder {
                sync_folder(path);
                return ControlFlow::Continue(());
            }
            match File::open(path).and_then(|f| f.sync_all()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(e) => ControlFlow::Break(Err(e)),
            }
        };
        visit(root, &mut one).map_err(failed)?;
        cancelled
    }
}

/// Visits all files below a folder, and each folder after its files, without collecting names: there may be millions.
fn visit(
    root: &Path,
    one: &mut dyn FnMut(&Path, bool) -> ControlFlow<std::io::Result<()>>,
) -> std::io::Result<()> {
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if let ControlFlow::Break(end) = one(&entry.path(), false) {
                return end;
            }
        }
        if let ControlFlow::Break(end) = one(&folder, true) {
            return end;
        }
    }
    Ok(())
}

impl StoreTarget for DirTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn commit(self: Box<Self>) -> Result<()> {
        if self.sync {
            self.sync()?;
        }
        self.cancel.check()?;
        let name = Arc::clone(self.store.name());
        // It may have changed in the meantime.
        let cancel = &self.cancel;
        let goes = self.replace.check(&self.path, cancel);
        goes.map_err(|e| e.of(&name))?;
        let above = folder(&self.path).to_owned();
        replace::take_place(self.making, &self.path).map_err(|e| e.of(&name))?;
        if self.sync {
            sync_folder(&above);
        }
        Ok(())
    }
}

/// Gives the new directory the permissions and attributes of the one that it replaces, so that its files inherit
/// them from the start.
fn keep(name: &str, making: &Path, old: &Path) -> Result<()> {
    let (Ok(new), Ok(old)) = (File::open(making), File::open(old)) else {
        return Ok(());
    };
    let failed = |e| full::failed("cannot create", name, e);
    let meta = old.metadata().map_err(failed)?;
    kept::keep(name, &new, (&old, &meta))?;
    // Until it is complete, we have to write to it.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = new.metadata().map_err(failed)?.permissions().mode();
        let ours = std::fs::Permissions::from_mode(mode | 0o700);
        new.set_permissions(ours).map_err(failed)?;
    }
    Ok(())
}

/// Syncs the file system of a directory; false if that is not possible.
#[cfg(target_os = "linux")]
fn sync_all(folder: &Path) -> std::io::Result<bool> {
    rustix::fs::syncfs(File::open(folder)?)?;
    Ok(true)
}

#[cfg(not(target_os = "linux"))]
fn sync_all(_: &Path) -> std::io::Result<bool> {
    Ok(false)
}

/// Asks for the names in a directory to be on disk, which not every file system supports.
fn sync_folder(folder: &Path) {
    if let Ok(dir) = File::open(folder) {
        let _ = dir.sync_all();
    }
}
