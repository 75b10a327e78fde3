//! Whose files are run. A plugin runs with the rights of who runs the tool: what anybody may have written is
//! not loaded.

use std::path::Path;

/// Whether the process has more rights than its user.
#[cfg(target_os = "linux")]
pub(super) fn elevated() -> bool {
    // SAFETY: the function reads a value that the kernel gave to the process.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Whether the process has more rights than its user.
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn elevated() -> bool {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    getuid() != geteuid() || getgid() != getegid()
}

/// Whether the process has more rights than its user.
#[cfg(not(unix))]
pub(super) fn elevated() -> bool {
    false
}

/// What tells one file from another.
pub(super) type Identity = (u64, u64);

/// Bit of a mode: all may write.
#[cfg(unix)]
const ALL_WRITE: u32 = 0o002;
/// Bit of a mode: files of a directory can be replaced by their owner only.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

/// That not everybody can put files into a directory, or, if everybody can, that nobody can replace those of others.
///
/// # Errors
/// What is wrong.
#[cfg(unix)]
pub(super) fn directory(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let about = std::fs::metadata(path).map_err(|e| crate::error::plain(&e))?;
    match about.mode() & (ALL_WRITE | STICKY) {
        ALL_WRITE => Err("everybody may write to it".to_owned()),
        _ => Ok(()),
    }
}

/// That a file is one that not everybody may have written; which one it is.
///
/// # Errors
/// What is wrong.
#[cfg(unix)]
pub(super) fn file(path: &Path) -> Result<Identity, String> {
    use std::os::unix::fs::MetadataExt;
    let about = std::fs::metadata(path).map_err(|e| missing(path, &e))?;
    if !about.is_file() {
        return Err("not a file".to_owned());
    }
    if about.mode() & ALL_WRITE != 0 {
        return Err("everybody may write to it".to_owned());
    }
    let shared = path.parent().and_then(|p| std::fs::metadata(p).ok());
    let shared = shared.is_some_and(|p| p.mode() & ALL_WRITE != 0);
    let mine = about.uid() == 0 || about.uid() == rustix::process::geteuid().as_raw();
    if shared && !mine {
        let owner = about.uid();
        return Err(format!("put by user {owner} where everybody may write"));
    }
    Ok((about.dev(), about.ino()))
}

/// Why a file that is listed cannot be looked at.
#[cfg(unix)]
fn missing(path: &Path, e: &std::io::Error) -> String {
    match std::fs::read_link(path) {
        Ok(target) if e.kind() == std::io::ErrorKind::NotFound => {
            format!("a link to {}, which is not there", target.display())
        }
        Ok(_) | Err(_) => crate::error::plain(e),
    }
}

/// Nothing is known of rights.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub(super) fn directory(_: &Path) -> Result<(), String> {
    Ok(())
}

/// That it is a file. Which one is told by its path.
///
/// # Errors
/// What is wrong.
#[cfg(not(unix))]
pub(super) fn file(path: &Path) -> Result<Identity, String> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let path = std::fs::canonicalize(path).map_err(|e| crate::error::plain(&e))?;
    if !path.is_file() {
        return Err("not a file".to_owned());
    }
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    Ok((0, hasher.finish()))
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
    fn what_everybody_may_write_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libx.so");
        std::fs::write(&path, "").unwrap();
        mode(&path, 0o755);
        assert!(file(&path).is_ok() && directory(folder.path()).is_ok());
        mode(&path, 0o757);
        assert_eq!(file(&path).unwrap_err(), "everybody may write to it");
        mode(folder.path(), 0o777);
        assert!(directory(folder.path()).is_err());
        mode(folder.path(), 0o1777);
        assert!(directory(folder.path()).is_ok());
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
        assert_eq!(why, "a link to no, which is not there");
        assert_eq!(file(folder.path()).unwrap_err(), "not a file");
    }
}
