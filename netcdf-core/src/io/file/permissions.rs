//! Copies owner, permissions and extended attributes of a replaced file or directory. Extended attributes include access control lists.

use std::fs::{File, Metadata};

use crate::error::Result;

/// Copies owner, permissions and attributes from `old` to `new`. The set-user-id and set-group-id bits are dropped, because they would
/// apply to another program.
///
/// # Errors
/// Returns [`Unsupported`](crate::error::ErrorKind::Unsupported) for an access control list or attribute that cannot be copied, and
/// [`Io`](crate::error::ErrorKind::Io).
pub(in crate::io) fn keep(name: &str, new: &File, (old, meta): (&File, &Metadata)) -> Result<()> {
    // Only the superuser can change the owner. Otherwise this user owns the new file.
    #[cfg(unix)]
    let _ = keep_owner(new, meta);
    keep_attributes(name, new, old)?;
    let permissions = without_ids(meta);
    new.set_permissions(permissions)
        .map_err(|e| super::full::failed("cannot create", name, e))
}

/// Copies the attributes of `old` to `new`, which has the same content.
///
/// # Errors
/// Returns system errors.
pub(super) fn copy(new: &File, old: &File) -> std::io::Result<()> {
    let meta = old.metadata()?;
    keep("", new, (old, &meta)).map_err(std::io::Error::other)
}

#[cfg(unix)]
fn without_ids(meta: &Metadata) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    // On a directory, the set-group-id bit passes the group to new entries.
    let dropped = if meta.is_dir() { 0o4000 } else { 0o6000 };
    PermissionsExt::from_mode(meta.permissions().mode() & 0o7777 & !dropped)
}

#[cfg(not(unix))]
fn without_ids(meta: &Metadata) -> std::fs::Permissions {
    meta.permissions()
}

/// Sets owner and group of the replaced file, as far as permitted.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if new.gid() != old.gid() {
        let _ = fchown(file, None, Some(old.gid()));
    }
    if new.uid() != old.uid() {
        fchown(file, Some(old.uid()), None)?;
    }
    Ok(())
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn keep_attributes(name: &str, new: &File, old: &File) -> Result<()> {
    let had = attributes::list(old);
    for attribute in attributes::list(new) {
        // New files inherit the default access control list of the directory. The replaced file may not have it.
        if !attributes::is_of_the_system(&attribute) && !had.contains(&attribute) {
            let removed = attributes::remove(new, &attribute);
            removed.map_err(|e| attributes::not_kept(name, &attribute, e))?;
        }
    }
    for attribute in had {
        let value = attributes::get(old, &attribute);
        if value.as_ref().ok() == attributes::get(new, &attribute).ok().as_ref() {
            continue;
        }
        let set = value.and_then(|value| attributes::set(new, &attribute, &value));
        if !attributes::is_of_the_system(&attribute) {
            set.map_err(|e| attributes::not_kept(name, &attribute, e))?;
        }
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn keep_attributes(_: &str, _: &File, _: &File) -> Result<()> {
    Ok(())
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod attributes {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
    use std::fs::File;
    use std::io::Result;

    use crate::error::{Error, ErrorKind};

    /// No system has longer lists or values.
    const MOST: usize = 64 << 10;

    /// The names; empty if attributes are not supported.
    pub(super) fn list(file: &File) -> Vec<Vec<u8>> {
        let mut names = vec![0; MOST];
        let len = flistxattr(file, &mut names[..]).unwrap_or(0);
        names.truncate(len);
        let names = names.split(|&b| b == 0).filter(|name| !name.is_empty());
        names.map(<[u8]>::to_vec).collect()
    }

    pub(super) fn get(file: &File, name: &[u8]) -> Result<Vec<u8>> {
        let mut value = vec![0; MOST];
        let len = fgetxattr(file, name, &mut value[..])?;
        value.truncate(len);
        Ok(value)
    }

    pub(super) fn set(file: &File, name: &[u8], value: &[u8]) -> Result<()> {
        Ok(fsetxattr(file, name, value, XattrFlags::empty())?)
    }

    pub(super) fn remove(file: &File, name: &[u8]) -> Result<()> {
        Ok(fremovexattr(file, name)?)
    }

    /// Checks whether an attribute describes the file's bytes, or belongs to the system.
    pub(super) fn is_of_the_system(attribute: &[u8]) -> bool {
        attribute.starts_with(b"security.") || attribute.starts_with(b"com.apple.")
    }

    /// Returns the error about an attribute that cannot be copied.
    pub(super) fn not_kept(name: &str, attribute: &[u8], e: std::io::Error) -> Error {
        let what = format!(
            "not replaced: the extended attribute {} cannot be copied: {}",
            String::from_utf8_lossy(attribute),
            crate::error::plain(&e)
        );
        let e = Error::new(ErrorKind::Unsupported, what).of(name);
        e.with_remedy("remove it first, or choose another name")
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// An access control list: entries of tag, permissions and id.
    fn list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let mut bytes = 2u32.to_le_bytes().to_vec();
        for (tag, permissions, id) in entries {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(permissions.to_le_bytes());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }

    const NONE: u32 = u32::MAX;

    #[test]
    fn lists_and_attributes_are_kept_and_no_rights_of_others() {
        let dir = tempfile::tempdir().unwrap();
        let made = |name: &str| {
            let path = dir.path().join(name);
            File::options()
                .create_new(true)
                .write(true)
                .open(path)
                .unwrap()
        };
        let (old, new) = (made("old"), made("new"));
        let acl = list(&[
            (1, 6, NONE),
            (2, 6, 4242),
            (4, 0, NONE),
            (16, 6, NONE),
            (32, 0, NONE),
        ]);
        let other = list(&[
            (1, 6, NONE),
            (2, 6, 7),
            (4, 6, NONE),
            (16, 6, NONE),
            (32, 4, NONE),
        ]);
        const ACL: &[u8] = b"system.posix_acl_access";
        if attributes::set(&old, ACL, &acl).is_err() {
            eprintln!("this file system has no access control lists: test skipped");
            return;
        }
        attributes::set(&new, ACL, &other).unwrap();
        attributes::set(&old, b"user.origin", b"here").unwrap();
        attributes::set(&new, b"user.other", b"there").unwrap();
        keep("n", &new, (&old, &old.metadata().unwrap())).unwrap();
        assert_eq!(attributes::get(&new, ACL).unwrap(), acl);
        assert_eq!(attributes::get(&new, b"user.origin").unwrap(), b"here");
        assert!(attributes::get(&new, b"user.other").is_err());
        assert_eq!(new.metadata().unwrap().permissions().mode() & 0o7777, 0o660);
        // A list inherited from the directory. The replaced file has none.
        let (old, new) = (made("old2"), made("new2"));
        attributes::set(&new, ACL, &other).unwrap();
        old.set_permissions(PermissionsExt::from_mode(0o6750))
            .unwrap();
        keep("n", &new, (&old, &old.metadata().unwrap())).unwrap();
        assert!(attributes::get(&new, ACL).is_err());
        assert_eq!(new.metadata().unwrap().permissions().mode() & 0o7777, 0o750);
    }
}
