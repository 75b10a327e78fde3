//! A new store in a directory.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::sync::Tree;
use super::{DirStore, Foreign, Replace};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::io::file::disk::Disk;
use crate::io::file::obstacle::is_mount_point;
use crate::io::file::place::{self, PathEnd};
use crate::io::file::temporary::{self, Lock};
use crate::io::file::{full, permissions, refuse_writers, replace, swap};
use crate::io::store::Store;
use crate::io::target::StoreTarget;

/// A new store in a directory `.NAME.*.tmp` beside the final directory.
#[derive(Debug)]
pub struct DirTarget {
    store: Arc<dyn Store>,
    making: TempDir,
    _lock: Lock,
    /// The final path.
    path: PathBuf,
    /// `None` if the store is not synced.
    pub(super) sync: Option<Disk>,
    cancel: Cancel,
    replace: Replace,
    /// Foreign files of the replaced store, which are removed.
    goes: Foreign,
}

impl DirTarget {
    /// Creates a store that becomes the directory `path` on commit. Replaces an empty directory, or a Zarr store without foreign files. A
    /// symbolic link stays, and its target is replaced.
    ///
    /// With `sync`, the data is synced before the rename, and the name before the replaced store is removed. After `cancel` is set, commit
    /// fails.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] for a path that is not replaced, [`ErrorKind::Argument`] for a path that cannot be the name of a
    /// directory, and [`ErrorKind::Io`].
    pub fn create(path: &Path, sync: bool, replace: Replace, cancel: &Cancel) -> Result<Self> {
        let name = path.to_string_lossy();
        let failed = |e| full::failed("cannot create", &name, e);
        // A trailing `/` would hide a link.
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
        if std::fs::metadata(&path).is_ok_and(|meta| is_mount_point(&path, &meta)) {
            let what = "a mount point, which a store cannot replace";
            let inside = path.join("NAME.zarr");
            let e = Error::new(ErrorKind::Unsupported, what).of(&name);
            return Err(e.with_remedy(format!("use a name in it: {}", inside.display())));
        }
        swap::recover(&path);
        drop(refuse_writers(&path)?);
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
            sync: sync.then(Disk::default),
            cancel: cancel.clone(),
            replace,
            goes,
        })
    }

    /// The foreign files that commit removes.
    #[must_use]
    pub fn goes(&self) -> &Foreign {
        &self.goes
    }
}

impl StoreTarget for DirTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn commit(self: Box<Self>) -> Result<()> {
        let name = Arc::clone(self.store.name());
        if let Some(disk) = &self.sync {
            let tree = Tree {
                name: &name,
                root: self.making.path(),
                disk,
                cancel: &self.cancel,
            };
            tree.sync()?;
        }
        self.cancel.check()?;
        // The directory may have changed since the first check.
        let shared = refuse_writers(&self.path)?;
        let cancel = &self.cancel;
        let goes = self.replace.check(&self.path, cancel);
        goes.map_err(|e| e.of(&name))?;
        drop(shared);
        let disk = self.sync.as_ref();
        replace::take_place(self.making, &self.path, disk).map_err(|e| e.of(&name))
    }
}

/// Copies permissions and attributes of the replaced directory to the new directory, before files inherit them.
fn keep(name: &str, making: &Path, old: &Path) -> Result<()> {
    let (Ok(new), Ok(old)) = (File::open(making), File::open(old)) else {
        return Ok(());
    };
    let failed = |e| full::failed("cannot create", name, e);
    let meta = old.metadata().map_err(failed)?;
    permissions::keep(name, &new, (&old, &meta))?;
    // The process needs write permission until the store is complete.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = new.metadata().map_err(failed)?.permissions().mode();
        let ours = std::fs::Permissions::from_mode(mode | 0o700);
        new.set_permissions(ours).map_err(failed)?;
    }
    Ok(())
}
