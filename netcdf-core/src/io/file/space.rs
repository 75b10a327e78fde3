//! Selects the directory of a temporary output.

use std::path::{Path, PathBuf};

#[cfg(unix)]
use crate::arithmetic::Amount;

use super::obstacle::{is_append_only, may_create};

/// The free space of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Space {
    /// Free bytes, if known.
    free: Option<u64>,
    /// Whether the file system keeps its files in memory.
    in_memory: bool,
}

/// Directories for an output of `at_most` bytes that replaces the file `path`, best first: the directory of the file, `TMPDIR`, and other
/// directories on disk. Excludes directories in memory that may be too small, and append-only directories, because their files cannot be
/// removed.
pub(super) fn directories(path: &Path, at_most: Option<u64>) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let all = [
        Some(super::names::folder(path).to_owned()),
        Some(std::env::temp_dir()),
        Some(PathBuf::from("/var/tmp")),
        Some(PathBuf::from(".")),
        home,
    ];
    let all = all.into_iter().flatten();
    let usable =
        |folder: &PathBuf| folder.is_dir() && may_create(folder) && !is_append_only(folder);
    let usable = all.filter(usable);
    sorted(usable.map(|folder| (space(&folder), folder)), at_most)
}

/// Sorts directories: first directories that certainly have the space, then directories on disk by free space.
fn sorted(all: impl Iterator<Item = (Space, PathBuf)>, at_most: Option<u64>) -> Vec<PathBuf> {
    let fits = |space: Space| match at_most {
        Some(bytes) => space.free.is_none_or(|free| free >= bytes),
        None => !space.in_memory,
    };
    let (good, mut others): (Vec<_>, Vec<_>) = all.partition(|(space, _)| fits(*space));
    others.retain(|(space, _)| !space.in_memory);
    others.sort_by_key(|(space, _)| std::cmp::Reverse(space.free));
    good.into_iter()
        .chain(others)
        .map(|(_, folder)| folder)
        .collect()
}

#[cfg(target_os = "linux")]
fn space(folder: &Path) -> Space {
    // tmpfs, ramfs.
    const MEMORY: [i64; 2] = [0x0102_1994, 0x8584_58f6];
    let found = rustix::fs::statfs(folder);
    let in_memory = found.is_ok_and(|found| MEMORY.contains(&found.f_type));
    let memory = if in_memory { available_memory() } else { None };
    Space {
        free: free(folder).into_iter().chain(memory).min(),
        in_memory,
    }
}

#[cfg(not(target_os = "linux"))]
fn space(folder: &Path) -> Space {
    Space {
        free: free(folder),
        in_memory: false,
    }
}

/// Free bytes for this user on the file system of `path`.
#[cfg(unix)]
pub(super) fn free(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    Some((Amount::of(found.f_bavail) * found.f_frsize).get())
}

#[cfg(not(unix))]
pub(super) fn free(_: &Path) -> Option<u64> {
    None
}

/// Available memory in bytes.
#[cfg(target_os = "linux")]
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((Amount::of(kibibytes) * 1024u64).get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_only_for_outputs_that_certainly_fit() {
        let of = |free, in_memory, name: &str| {
            (
                Space {
                    free: Some(free),
                    in_memory,
                },
                PathBuf::from(name),
            )
        };
        let all = || {
            [
                of(100, true, "memory"),
                of(50, false, "small"),
                of(70, false, "disk"),
            ]
            .into_iter()
        };
        let names = |at_most| {
            let paths = sorted(all(), at_most);
            let names: Vec<_> = paths
                .iter()
                .map(|p| p.to_str().unwrap().to_owned())
                .collect();
            names.join(" ")
        };
        assert_eq!(names(None), "small disk");
        assert_eq!(names(Some(80)), "memory disk small");
        assert_eq!(names(Some(60)), "memory disk small");
        assert_eq!(names(Some(500)), "disk small");
        assert_eq!(names(Some(10)), "memory small disk");
    }

    #[test]
    fn the_own_directory_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        let found = directories(&dir.path().join("a.nc"), Some(1));
        assert_eq!(found.first().map(PathBuf::as_path), Some(dir.path()));
    }
}
