//! Existing files that a rename cannot replace.

use std::fs::Metadata;
use std::io::Result;
use std::path::Path;

/// The reason why the bytes of a file are overwritten instead of replacing the file by a rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The caller wants all names (hard links) of the file to lead to the new bytes.
    Links,
    /// The file is a mount point (EBUSY).
    Mount,
    /// No files can be created in the directory (EACCES, EROFS).
    Directory,
    /// The directory only accepts new files (EPERM).
    AppendOnly,
    /// The file belongs to another user, and the directory is sticky (EPERM).
    Sticky,
}

impl Obstacle {
    /// Returns the obstacle to replacing the file `path`, as far as it is known without creating a file.
    pub(super) fn find(path: &Path, meta: &Metadata) -> Option<Self> {
        if is_mount_point(path, meta) {
            return Some(Self::Mount);
        }
        if is_append_only(super::names::folder(path)) {
            return Some(Self::AppendOnly);
        }
        is_sticky(path, meta).then_some(Self::Sticky)
    }

    /// The reason, for messages.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Links => "--keep-links keeps all names of the file",
            Self::Mount => "a mount point cannot be replaced",
            Self::Directory => "no files can be created in its directory",
            Self::AppendOnly => "files of an append-only directory cannot be replaced",
            Self::Sticky => "a file of another user in a sticky directory cannot be replaced",
        }
    }
}

/// Checks whether a file may be overwritten. The file is not opened, because programs that watch it would take the close for a finished
/// output.
///
/// # Errors
/// Returns the error of opening the file for writing.
pub(super) fn may_write(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, AtFlags, CWD, accessat};
        use rustix::io::Errno;
        // Opening the file reports that it is append-only.
        if !is_append_only(path) {
            match accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS) {
                Err(Errno::NOSYS | Errno::INVAL) => {}
                found => return Ok(found?),
            }
        }
    }
    open(path).map(drop)
}

/// Opens an existing file for writing without truncating it.
///
/// # Errors
/// Returns system errors.
pub(super) fn open(path: &Path) -> Result<std::fs::File> {
    let mut options = std::fs::File::options();
    options.write(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(path)
}

/// Opens an existing file to read its attributes. A file that cannot be read is opened for writing.
///
/// # Errors
/// Returns system errors.
pub(super) fn open_to_read(path: &Path) -> Result<std::fs::File> {
    super::references::open_itself(path).or_else(|_| open(path))
}

/// Checks whether files can be created in a directory, as far as the system reports it.
pub(super) fn may_create(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, AtFlags, CWD, accessat};
        let rights = Access::WRITE_OK | Access::EXEC_OK;
        !matches!(
            accessat(CWD, folder, rights, AtFlags::EACCESS),
            Err(rustix::io::Errno::ACCESS | rustix::io::Errno::PERM | rustix::io::Errno::ROFS)
        )
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        true
    }
}

/// Whether an error means that no files can be created in a directory.
pub(super) fn is_closed(e: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(e.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// The attributes of a file that the system reports, among those of a mask.
#[cfg(target_os = "linux")]
fn attributes(path: &Path) -> Option<(rustix::fs::StatxAttributes, rustix::fs::StatxAttributes)> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    let found = statx(CWD, path, AtFlags::empty(), StatxFlags::BASIC_STATS).ok()?;
    Some((found.stx_attributes, found.stx_attributes_mask))
}

/// Whether a path is a mount point.
#[cfg(target_os = "linux")]
pub(in crate::io) fn is_mount_point(path: &Path, meta: &Metadata) -> bool {
    use rustix::fs::StatxAttributes;
    match attributes(path) {
        Some((found, known)) if known.contains(StatxAttributes::MOUNT_ROOT) => {
            found.contains(StatxAttributes::MOUNT_ROOT)
        }
        // The system is older than Linux 5.8.
        Some(_) | None => is_of_another_device(path, meta),
    }
}

/// Whether a path is a mount point.
#[cfg(all(unix, not(target_os = "linux")))]
pub(in crate::io) fn is_mount_point(path: &Path, meta: &Metadata) -> bool {
    is_of_another_device(path, meta)
}

/// Whether a path is a mount point.
#[cfg(not(unix))]
pub(in crate::io) fn is_mount_point(_: &Path, _: &Metadata) -> bool {
    false
}

/// Whether a file is on another file system than its directory.
#[cfg(unix)]
fn is_of_another_device(path: &Path, meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let above = std::fs::metadata(super::names::folder(path));
    above.is_ok_and(|above| above.dev() != meta.dev())
}

/// Whether a file or directory only accepts additions.
#[cfg(target_os = "linux")]
pub(super) fn is_append_only(path: &Path) -> bool {
    use rustix::fs::StatxAttributes;
    attributes(path).is_some_and(|(found, _)| found.contains(StatxAttributes::APPEND))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_append_only(_: &Path) -> bool {
    false
}

/// Whether the directory lets only the owner of the file replace it, and the owner is another user.
#[cfg(unix)]
fn is_sticky(path: &Path, meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(above) = std::fs::metadata(super::names::folder(path)) else {
        return false;
    };
    let own = rustix::process::geteuid().as_raw();
    let restricted = above.mode() & 0o1000 != 0;
    restricted && above.uid() != own && meta.uid() != own && !acts_as_owner(path)
}

#[cfg(not(unix))]
fn is_sticky(_: &Path, _: &Metadata) -> bool {
    false
}

/// Whether the process has the rights of the owner of a file. Opening a file without a change of its access time needs the same right
/// as replacing it in a sticky directory (`CAP_FOWNER`).
#[cfg(target_os = "linux")]
fn acts_as_owner(path: &Path) -> bool {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::NOATIME | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = |access| rustix::fs::open(path, flags | access, Mode::empty());
    match opened(OFlags::RDONLY) {
        Err(rustix::io::Errno::ACCESS) => opened(OFlags::WRONLY).is_ok(),
        opened => opened.is_ok(),
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn acts_as_owner(_: &Path) -> bool {
    rustix::process::geteuid().is_root()
}
