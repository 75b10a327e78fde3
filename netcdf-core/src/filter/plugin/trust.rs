//! Permission checks of plugin files. A plugin runs with the privileges of the user who runs the tool, so files that other users may have
//! written are not loaded.

use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::{ffi::OsString, fs::Metadata, os::unix::fs::MetadataExt, path::Component};

#[cfg(unix)]
use super::writers;

/// Checks whether the process has more privileges than its user.
#[cfg(target_os = "linux")]
pub(super) fn elevated() -> bool {
    // SAFETY: the function reads a value that the kernel passed to the process.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Checks whether the process has more privileges than its user.
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn elevated() -> bool {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    getuid() != geteuid() || getgid() != getegid()
}

/// Checks whether the process has more privileges than its user.
#[cfg(not(unix))]
pub(super) fn elevated() -> bool {
    false
}

/// The identity of a file: device and inode number.
pub(super) type Identity = (u64, u64);

/// Mode bit: only the owners of a directory's files can replace them.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

/// A file that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckedFile {
    /// The path without symbolic links.
    pub path: PathBuf,
    /// The identity of the file.
    pub identity: Identity,
}

impl CheckedFile {
    /// Checks that the file still passes the checks, and is the same file.
    ///
    /// # Errors
    /// Returns the defect.
    pub(super) fn check_again(&self) -> Result<(), String> {
        match file(&self.path)? == *self {
            true => Ok(()),
            false => Err("the file was replaced after the check".to_owned()),
        }
    }
}

/// Checks that other users cannot put files into a directory or, with the sticky bit, cannot replace existing files. Also checks that other
/// users cannot replace the directory.
///
/// # Errors
/// Returns the defect.
#[cfg(unix)]
pub(super) fn directory(path: &Path) -> Result<(), String> {
    let real = walk(path)?;
    let about = std::fs::metadata(&real).map_err(|e| crate::error::plain(&e))?;
    own(&about)?;
    match writers::other_writer(&real, &about)? {
        Some(who) if about.mode() & STICKY == 0 => Err(format!("writable by {who}")),
        Some(_) | None => Ok(()),
    }
}

/// Checks that no other user may have written a file or put it there, and returns its identity.
///
/// # Errors
/// Returns the defect.
#[cfg(unix)]
pub(super) fn file(path: &Path) -> Result<CheckedFile, String> {
    let about = std::fs::metadata(path).map_err(|e| missing(path, &e))?;
    if !about.is_file() {
        return Err("not a file".to_owned());
    }
    let path = walk(path)?;
    // Examine the resolved file, even if the links have changed by now.
    let about = std::fs::symlink_metadata(&path).map_err(|e| crate::error::plain(&e))?;
    own(&about)?;
    if let Some(who) = writers::other_writer(&path, &about)? {
        return Err(format!("writable by {who}"));
    }
    let identity = (about.dev(), about.ino());
    Ok(CheckedFile { path, identity })
}

/// Checks that a file that root runs belongs to root.
///
/// # Errors
/// Returns the owner if the file belongs to another user.
#[cfg(unix)]
fn own(about: &Metadata) -> Result<(), String> {
    match rustix::process::geteuid().is_root() && about.uid() != 0 {
        true => Err(format!("owned by user {}, not by root", about.uid())),
        false => Ok(()),
    }
}

/// The maximum number of symbolic links to follow.
#[cfg(unix)]
const LINKS: usize = 40;

/// Resolves a path from the root, through links. Checks all directories of the path, and returns the final path.
///
/// # Errors
/// Returns the location where another user could have put a link, directory or file.
#[cfg(unix)]
fn walk(path: &Path) -> Result<PathBuf, String> {
    let whole = std::path::absolute(path).map_err(|e| crate::error::plain(&e))?;
    let mut at = PathBuf::from("/");
    let mut left = parts(&whole);
    let mut links = 0;
    while let Some(part) = left.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(part);
        step(&at, &next, &whole)?;
        let Ok(to) = std::fs::read_link(&next) else {
            at = next;
            continue;
        };
        links += 1;
        if links > LINKS {
            return Err("too many levels of symbolic links".to_owned());
        }
        if to.is_absolute() {
            at = PathBuf::from("/");
        }
        left.extend(parts(&to));
    }
    Ok(at)
}

/// Returns the components of a path, in reverse order.
#[cfg(unix)]
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    let mut parts: Vec<_> = parts.collect();
    parts.reverse();
    parts
}

/// Checks that only root or the current user could have put `entry` into `directory`, if other users may add files there. `whole` is the
/// path being resolved.
///
/// # Errors
/// Returns the user and the directory if another user could have put `entry` there.
#[cfg(unix)]
fn step(directory: &Path, entry: &Path, whole: &Path) -> Result<(), String> {
    let failed = |e| crate::error::plain(&e);
    let about = std::fs::symlink_metadata(directory).map_err(failed)?;
    let at = directory.display();
    own(&about).map_err(|why| format!("{at}: {why}"))?;
    let owner = std::fs::symlink_metadata(entry).map_err(failed)?.uid();
    let is_mine = owner == 0 || owner == rustix::process::geteuid().as_raw();
    match writers::other_writer(directory, &about)? {
        Some(who) if about.mode() & STICKY == 0 => Err(format!("{at} is writable by {who}")),
        Some(who) if !is_mine => {
            let what = format!("owned by user {owner}, in a directory writable by {who}");
            Err(match entry == whole {
                true => what,
                false => format!("{} is {what}", entry.display()),
            })
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the reason why a listed file cannot be examined.
#[cfg(unix)]
fn missing(path: &Path, e: &std::io::Error) -> String {
    match std::fs::read_link(path) {
        Ok(target) if e.kind() == std::io::ErrorKind::NotFound => {
            format!("a dangling link to {}", target.display())
        }
        Ok(_) | Err(_) => crate::error::plain(e),
    }
}

/// Always succeeds: this system has no permission check.
///
/// # Errors
/// Never fails.
#[cfg(not(unix))]
pub(super) fn directory(_: &Path) -> Result<(), String> {
    Ok(())
}

/// Checks that the path is a file, which the path identifies.
///
/// # Errors
/// Returns the defect.
#[cfg(not(unix))]
pub(super) fn file(path: &Path) -> Result<CheckedFile, String> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let path = std::fs::canonicalize(path).map_err(|e| crate::error::plain(&e))?;
    if !path.is_file() {
        return Err("not a file".to_owned());
    }
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    let identity = (0, hasher.finish());
    Ok(CheckedFile { path, identity })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn files_writable_by_everybody_are_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libx.so");
        std::fs::write(&path, "").unwrap();
        mode(&path, 0o755);
        assert!(file(&path).is_ok() && directory(folder.path()).is_ok());
        mode(&path, 0o757);
        assert_eq!(file(&path).unwrap_err(), "writable by all users");
        mode(folder.path(), 0o777);
        assert!(directory(folder.path()).is_err());
        mode(folder.path(), 0o1777);
        assert!(directory(folder.path()).is_ok());
    }

    #[test]
    fn every_directory_and_link_of_a_path_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for made in ["all", "all/in", "own"] {
            std::fs::create_dir(at(made)).unwrap();
            mode(&at(made), 0o755);
        }
        let library = at("all/in/libx.so");
        std::fs::write(&library, "").unwrap();
        mode(&library, 0o644);
        // By its own name, by a link to it, by a link to its directory, and by a link within the path.
        symlink(&library, at("own/libx.so")).unwrap();
        symlink("../all/in", at("own/in")).unwrap();
        std::fs::write(at("own/liby.so"), "").unwrap();
        mode(&at("own/liby.so"), 0o644);
        symlink("../own/liby.so", at("all/liby.so")).unwrap();
        symlink("../all/liby.so", at("own/libz.so")).unwrap();
        let ways = ["all/in/libx.so", "own/libx.so", "own/in/libx.so"];
        for way in ways.into_iter().chain(["own/libz.so"]) {
            assert!(file(&at(way)).is_ok(), "{way}");
        }
        assert_eq!(file(&at("own/in/libx.so")), file(&library));
        mode(&at("all"), 0o777);
        let why = format!(
            "{} is writable by all users",
            at("all").canonicalize().unwrap().display()
        );
        for way in ways.into_iter().chain(["own/libz.so"]) {
            assert_eq!(file(&at(way)).unwrap_err(), why, "{way}");
        }
        assert_eq!(directory(&at("own/in")).unwrap_err(), why);
        assert!(file(&at("own/liby.so")).is_ok());
        mode(&at("all"), 0o1777);
        assert!(file(&library).is_ok() && directory(&at("own/in")).is_ok());
        // Only root can change the owner of a file.
        if std::os::unix::fs::chown(at("all/in"), Some(4242), None).is_ok() {
            let why = file(&library).unwrap_err();
            let what = "/all/in is owned by user 4242, in a directory writable by all users";
            assert!(why.ends_with(what), "{why}");
            assert!(directory(&at("own/in")).is_err());
            // Even without other writers, root runs only root's files.
            mode(&at("all"), 0o755);
            let why = file(&library).unwrap_err();
            assert!(
                why.ends_with("/all/in: owned by user 4242, not by root"),
                "{why}"
            );
            assert!(
                directory(&at("own/in"))
                    .unwrap_err()
                    .contains("owned by user 4242")
            );
            std::os::unix::fs::chown(at("all/in"), Some(0), None).unwrap();
            assert!(file(&library).is_ok());
            std::os::unix::fs::chown(&library, Some(4242), None).unwrap();
            assert_eq!(
                file(&library).unwrap_err(),
                "owned by user 4242, not by root"
            );
        }
    }

    #[test]
    fn replaced_files_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "b"] {
            std::fs::write(at(name), "").unwrap();
            mode(&at(name), 0o644);
        }
        symlink("a", at("link")).unwrap();
        let known = file(&at("link")).unwrap();
        assert!(known.path.ends_with("a") && known.check_again().is_ok());
        // The checked path contains no link.
        std::fs::remove_file(at("link")).unwrap();
        symlink("b", at("link")).unwrap();
        assert!(known.check_again().is_ok());
        std::fs::remove_file(at("a")).unwrap();
        symlink("b", at("a")).unwrap();
        let why = known.check_again().unwrap_err();
        assert_eq!(why, "the file was replaced after the check");
    }

    #[test]
    fn links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "").unwrap();
        mode(&at("a"), 0o644);
        symlink("a", at("b")).unwrap();
        symlink("no", at("c")).unwrap();
        assert_eq!(file(&at("a")).unwrap(), file(&at("b")).unwrap());
        let why = file(&at("c")).unwrap_err();
        assert_eq!(why, "a dangling link to no");
        assert_eq!(file(folder.path()).unwrap_err(), "not a file");
    }
}
