//! Other users who may write to a file or directory, by its mode and its access control list.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Mode bits.
const ALL_WRITE: u32 = 0o002;
const GROUP_WRITE: u32 = 0o020;

/// Returns a user or group with write permission, other than the owner, root and the current user, as text; `None` if no other user may
/// write.
///
/// # Errors
/// Returns the reason if the writers cannot be determined.
pub(super) fn other_writer(path: &Path, about: &Metadata) -> Result<Option<String>, String> {
    if about.mode() & ALL_WRITE != 0 {
        return Ok(Some("all users".to_owned()));
    }
    let list = access_list(path)?;
    if list.is_empty() {
        let group = about.mode() & GROUP_WRITE != 0;
        return Ok(group.then(|| group_of(about.gid())).flatten());
    }
    listed(&list, about.gid()).ok_or_else(|| "its access control list cannot be read".to_owned())
}

/// Returns the group as text; `None` for root's group, and for a group whose only member is the current user.
fn group_of(gid: u32) -> Option<String> {
    if gid == 0 {
        return None;
    }
    let read = |name| std::fs::read_to_string(name).unwrap_or_default();
    let is_own = is_private(&read("/etc/passwd"), &read("/etc/group"), gid);
    (!is_own).then(|| format!("group {gid}"))
}

/// Checks whether a group has no members other than the current user, according to the system's files. A group that the files do not list
/// may have any members.
fn is_private(users: &str, groups: &str, gid: u32) -> bool {
    let own = rustix::process::geteuid().as_raw();
    is_private_of(users, groups, (own, gid))
}

fn is_private_of(users: &str, groups: &str, (uid, gid): (u32, u32)) -> bool {
    let number = |field: Option<&str>| field.and_then(|n| n.parse::<u32>().ok());
    let own = |line: &&str| number(line.split(':').nth(2)) == Some(uid);
    let name = users
        .lines()
        .find(own)
        .and_then(|line| line.split(':').next());
    let alone = users
        .lines()
        .filter(|line| number(line.split(':').nth(3)) == Some(gid))
        .all(|line| own(&line));
    let group = groups
        .lines()
        .find(|line| number(line.split(':').nth(2)) == Some(gid));
    let members = group.and_then(|line| line.split(':').nth(3));
    let listed = members.is_some_and(|members| {
        let mut members = members.split(',').filter(|member| !member.is_empty());
        members.all(|member| Some(member) == name)
    });
    alone && listed && name.is_some()
}

/// The version and the tags of access control lists in Linux's attribute `system.posix_acl_access`. A list is a version, followed by
/// entries of tag, rights and id.
const VERSION: u32 = 2;
const USER: u16 = 0x02;
const GROUP_OBJECT: u16 = 0x04;
const GROUP: u16 = 0x08;
const MASK: u16 = 0x10;
const WRITE: u16 = 0x02;

/// Returns another user or group with write permission, according to the access control list of a file of group `gid`. Returns `None` for a
/// damaged list.
#[expect(
    clippy::option_option,
    reason = "no other writer and a damaged list are different answers"
)]
fn listed(list: &[u8], gid: u32) -> Option<Option<String>> {
    let (version, entries) = list.split_first_chunk()?;
    if u32::from_le_bytes(*version) != VERSION || !entries.len().is_multiple_of(8) {
        return None;
    }
    let entries: Vec<(u16, u16, u32)> = entries.chunks_exact(8).filter_map(entry).collect();
    let mask = entries.iter().find(|(tag, ..)| *tag == MASK);
    let mask = mask.map_or(WRITE, |(_, rights, _)| *rights);
    let me = rustix::process::geteuid().as_raw();
    let may = entries
        .iter()
        .filter(|(_, rights, _)| rights & mask & WRITE != 0);
    let mut others = may.filter_map(|(tag, _, id)| match *tag {
        USER if *id != 0 && *id != me => Some(format!("user {id}")),
        GROUP_OBJECT => group_of(gid),
        GROUP => group_of(*id),
        _ => None,
    });
    Some(others.next())
}

fn entry(bytes: &[u8]) -> Option<(u16, u16, u32)> {
    let (tag, rest) = bytes.split_first_chunk()?;
    let (rights, id) = rest.split_first_chunk()?;
    let id = id.first_chunk()?;
    Some((
        u16::from_le_bytes(*tag),
        u16::from_le_bytes(*rights),
        u32::from_le_bytes(*id),
    ))
}

/// Returns the access control list of a file; empty without a list.
///
/// # Errors
/// Returns the reason if the list cannot be read.
#[cfg(target_os = "linux")]
fn access_list(path: &Path) -> Result<Vec<u8>, String> {
    use rustix::io::Errno;
    // Kernel attributes have at most this length.
    let mut list = vec![0; 1 << 16];
    match rustix::fs::lgetxattr(path, c"system.posix_acl_access", list.as_mut_slice()) {
        Ok(len) => {
            list.truncate(len);
            Ok(list)
        }
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(vec![]),
        Err(e) => Err(format!("its access control list cannot be read: {e}")),
    }
}

/// Access control lists of other systems are not checked.
///
/// # Errors
/// Never fails.
#[cfg(not(target_os = "linux"))]
fn access_list(_: &Path) -> Result<Vec<u8>, String> {
    Ok(vec![])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_groups_have_one_member() {
        let users = "root:x:0:0::/:\na:x:1000:1000::/:\nb:x:1001:1001::/:\nc:x:1002:100::/:\nd:x:1003:100::/:\n";
        let groups = "root:x:0:\na:x:1000:\nb:x:1001:b,a\nusers:x:100:\nlab:x:200:a\ne:x:1004:\n";
        for (uid, gid, own) in [
            (1000, 1000, true),
            (1001, 1001, false),
            (1002, 100, false),
            // The user is the only member, under any name.
            (1000, 200, true),
            (1001, 200, false),
            // The primary group of another user, and an unknown group.
            (1000, 1001, false),
            (1000, 7, false),
            (9, 1004, false),
        ] {
            assert_eq!(is_private_of(users, groups, (uid, gid)), own, "{uid} {gid}");
        }
    }

    fn list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let mut list = VERSION.to_le_bytes().to_vec();
        for (tag, rights, id) in entries {
            list.extend(tag.to_le_bytes());
            list.extend(rights.to_le_bytes());
            list.extend(id.to_le_bytes());
        }
        list
    }

    #[test]
    fn lists_name_users_and_groups() {
        let none = u32::MAX;
        let who = |entries: &[_], gid| listed(&list(entries), gid);
        let base = [(1, 6, none), (GROUP_OBJECT, 4, none), (0x20, 4, none)];
        assert_eq!(who(&base, 4242), Some(None));
        let with = |more: &[(u16, u16, u32)]| [&base[..], more].concat();
        let user = with(&[(USER, 6, 4242), (MASK, 6, none)]);
        assert_eq!(who(&user, 0), Some(Some("user 4242".to_owned())));
        // The mask removes this permission; root always has it.
        assert_eq!(
            who(&with(&[(USER, 6, 4242), (MASK, 4, none)]), 0),
            Some(None)
        );
        assert_eq!(who(&with(&[(USER, 6, 0), (MASK, 6, none)]), 0), Some(None));
        let group = with(&[(GROUP, 2, 4243), (MASK, 6, none)]);
        assert_eq!(who(&group, 0), Some(Some("group 4243".to_owned())));
        let own = [(GROUP_OBJECT, 6, none), (MASK, 6, none)];
        assert_eq!(who(&own, 4244), Some(Some("group 4244".to_owned())));
        assert_eq!(who(&own, 0), Some(None));
        for damaged in [&b""[..], &[1, 0, 0, 0], &list(&user)[..10]] {
            assert_eq!(listed(damaged, 0), None);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn access_control_lists_count() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let writer = || other_writer(file.path(), &file.as_file().metadata().unwrap());
        assert_eq!(writer(), Ok(None));
        let entries = [
            (1, 6, u32::MAX),
            (USER, 6, 4242),
            (GROUP_OBJECT, 4, u32::MAX),
            (MASK, 6, u32::MAX),
            (0x20, 4, u32::MAX),
        ];
        let name = c"system.posix_acl_access";
        let flags = rustix::fs::XattrFlags::empty();
        match rustix::fs::setxattr(file.path(), name, &list(&entries), flags) {
            Ok(()) => assert_eq!(writer(), Ok(Some("user 4242".to_owned()))),
            // The kernel adds the other entries.
            Err(e) => assert_eq!(e, rustix::io::Errno::NOTSUP),
        }
    }

    #[test]
    fn groups_with_write_permission_are_reported() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        let set = |mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(file.path(), mode).unwrap();
        };
        let writer = || other_writer(file.path(), &file.as_file().metadata().unwrap());
        // Only root can assign a file to any group.
        if std::os::unix::fs::chown(file.path(), None, Some(4242)).is_ok() {
            set(0o664);
            assert_eq!(writer(), Ok(Some("group 4242".to_owned())));
            set(0o644);
            assert_eq!(writer(), Ok(None));
        }
        set(0o646);
        assert_eq!(writer(), Ok(Some("all users".to_owned())));
    }
}
