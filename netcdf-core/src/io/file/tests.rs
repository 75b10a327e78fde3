use std::fs::File;
use std::path::Path;

use super::disk::Disk;
use super::exclusive::locks_are_sure;
use super::small_files::put_if;
use super::unnamed::UnnamedFile;
use super::*;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::io::source::Source as _;
use crate::io::target::Target as _;
#[cfg(unix)]
use crate::notes::Notes;

fn names(dir: &Path) -> Vec<String> {
    let list = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = list
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_stays_of_a_dropped_target() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    std::fs::write(&path, "old").unwrap();
    let mut t = FileTarget::create(&path, false).unwrap();
    t.write_at(0, b"new").unwrap();
    drop(t);
    assert_eq!(names(dir.path()), ["a.nc"]);
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
}

#[test]
fn commit_replaces_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    std::fs::write(&path, "older").unwrap();
    let mut t = FileTarget::create(&path, true).unwrap();
    t.write_at(1, b"new").unwrap();
    Box::new(t).commit().unwrap();
    assert_eq!(names(dir.path()), ["a.nc"]);
    assert_eq!(std::fs::read(&path).unwrap(), b"\0new");
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (path, link) = (dir.path().join("a.nc"), dir.path().join("l.nc"));
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("a.nc", &link).unwrap();
    let mut t = FileTarget::create(&link, false).unwrap();
    t.write_at(0, b"new").unwrap();
    Box::new(t).commit().unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[cfg(unix)]
#[test]
fn same_file_sees_through_links() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    std::fs::write(&path, "x").unwrap();
    std::fs::hard_link(&path, dir.path().join("h")).unwrap();
    std::os::unix::fs::symlink("a", dir.path().join("s")).unwrap();
    assert!(same_file(&path, &dir.path().join("h")));
    assert!(same_file(&path, &dir.path().join("s")));
    assert!(!same_file(&path, &dir.path().join("none")));
}

#[test]
fn copies_ranges_of_files_and_memory() {
    let dir = tempfile::tempdir().unwrap();
    let from = dir.path().join("from");
    std::fs::write(&from, (0..=255).collect::<Vec<u8>>()).unwrap();
    let file = FileSource::open(&from).unwrap();
    let memory = crate::io::memory::MemorySource::new("m", vec![9; 10]);
    let path = dir.path().join("to");
    let mut t = FileTarget::create(&path, false).unwrap();
    t.copy_from(&file, 10..14, 2).unwrap();
    t.copy_from(&memory, 0..2, 6).unwrap();
    assert!(t.copy_from(&file, 250..300, 6).is_err());
    let mut back = [1; 9];
    t.read_at(0, &mut back).unwrap();
    assert_eq!(back[..6], [0, 0, 10, 11, 12, 13]);
}

#[test]
fn a_short_file_is_truncated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    std::fs::write(&path, "abc").unwrap();
    let e = FileSource::open(&path)
        .unwrap()
        .read_at(1, &mut [0; 4])
        .unwrap_err();
    assert_eq!(e.kind(), crate::ErrorKind::Truncated);
    assert_eq!(e.offset(), Some(1));
    assert_eq!(
        FileSource::open(dir.path()).unwrap_err().kind(),
        crate::ErrorKind::Io
    );
}

#[test]
fn near_ranges_come_from_one_read_and_far_ones_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    let bytes: Vec<u8> = (0..100_000u32).map(|n| (n % 251) as u8).collect();
    std::fs::write(&path, &bytes).unwrap();
    let source = FileSource::open(&path).unwrap();
    let ranges = [5..9, 20..20, 30..31, 90_000..90_010, 7..8];
    let want: Vec<Vec<u8>> = ranges
        .iter()
        .map(|r| bytes[r.start as usize..r.end as usize].to_vec())
        .collect();
    assert_eq!(source.read_ranges(&ranges).unwrap(), want);
    let e = source.read_ranges(&[99_990..99_992, 99_998..100_002]);
    assert_eq!(e.as_ref().unwrap_err().offset(), Some(99_998));
    assert!(
        e.unwrap_err()
            .to_string()
            .contains("expected 4 bytes, found 2")
    );
}

#[test]
fn a_cancelled_target_is_not_committed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let cancel = Cancel::default();
    let t = FileTarget::create(&path, true)
        .unwrap()
        .cancelled_by(&cancel);
    cancel.0.store(15, std::sync::atomic::Ordering::Relaxed);
    let e = Box::new(t).commit().unwrap_err();
    assert_eq!(e.kind(), crate::ErrorKind::Cancelled);
    assert!(names(dir.path()).is_empty());
}

#[test]
fn names_that_cannot_be_are_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "x").unwrap();
    for name in [
        "x".repeat(256),
        "file/a.nc".to_owned(),
        "no/a.nc".to_owned(),
    ] {
        let e = FileTarget::create(&dir.path().join(&name), false).unwrap_err();
        assert!(e.what().starts_with("cannot create"), "{e}");
    }
}

#[test]
fn the_longest_names_can_be_written() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["x".repeat(255), "\u{6d77}".repeat(85)] {
        let t = FileTarget::create(&dir.path().join(&name), false).unwrap();
        Box::new(t).commit().unwrap();
        assert!(names(dir.path()).contains(&name));
    }
}

#[cfg(unix)]
#[test]
fn a_dataset_that_is_cut_off_is_no_broken_pipe_to_be_quiet_about() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let out = File::from(std::os::fd::OwnedFd::from(writer));
    let mut t = FileTarget::through("-", out).unwrap();
    t.write_at(0, b"CDF").unwrap();
    let e = Box::new(t).commit().unwrap_err();
    assert!(
        !e.is_broken_pipe() && e.to_string().contains("output pipe was closed"),
        "{e}"
    );
}

#[cfg(unix)]
#[test]
fn owner_and_group_stay() {
    use std::os::unix::fs::{MetadataExt, chown};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    std::fs::write(&path, "old").unwrap();
    if chown(&path, Some(4321), Some(1234)).is_err() {
        eprintln!("only the superuser can change the owner: test skipped");
        return;
    }
    let t = FileTarget::create(&path, false).unwrap();
    Box::new(t).commit().unwrap();
    let new = std::fs::metadata(&path).unwrap();
    assert_eq!((new.uid(), new.gid(), new.len()), (4321, 1234, 0));
}

/// Data copied by the kernel arrives at the right offset for every source offset.
#[test]
fn long_ranges_are_copied_from_anywhere_to_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..5 * PIECE).map(|n| (n % 251) as u8).collect();
    let from = dir.path().join("from");
    std::fs::write(&from, &bytes).unwrap();
    let from = FileSource::open(&from).unwrap();
    for (start, end, to) in [
        (0, 5 * PIECE, 0),
        (7, 4 * PIECE + 9, 7),
        (1, 3, PIECE - 1),
        (9, 3 * PIECE, 2 * PIECE - 5),
    ] {
        let path = dir.path().join("to");
        let mut t = FileTarget::create(&path, false).unwrap();
        t.copy_from(&from, start as u64..end as u64, to as u64)
            .unwrap();
        Box::new(t).commit().unwrap();
        let made = std::fs::read(&path).unwrap();
        assert!(made[to..] == bytes[start..end] && made.len() == to + end - start);
    }
}

#[test]
fn a_hand_writes_beside_its_target() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let bytes: Vec<u8> = (0..3 * PIECE).map(|n| (n % 251) as u8).collect();
    let mut t = FileTarget::create(&path, false).unwrap();
    let hand = t.concurrent_writer().unwrap();
    t.write_at(0, b"abc").unwrap();
    for at in [3, PIECE - 3, PIECE] {
        hand.write_at(at as u64, &bytes).unwrap();
    }
    t.write_at(3, b"def").unwrap();
    drop(hand);
    Box::new(t).commit().unwrap();
    let made = std::fs::read(&path).unwrap();
    assert_eq!(made.len(), 4 * PIECE);
    assert_eq!(&made[..6], b"abcdef");
    assert!(made[6..PIECE - 3] == bytes[3..PIECE - 6]);
    assert_eq!(made[PIECE - 3..PIECE], [0, 1, 2]);
    assert!(made[PIECE..] == bytes);
}

/// Replaces a file while a disk fails for files or directories. Returns the error and the content of the file.
fn failing(folders: bool) -> (String, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    std::fs::write(&path, "old").unwrap();
    let mut t = FileTarget::create(&path, true).unwrap();
    let above = dir.path().to_owned();
    t.sync = Some(Disk::of(move |path, file| {
        let is_folder = file.metadata()?.is_dir();
        assert!(!is_folder || path == above);
        match is_folder == folders {
            true => Err(std::io::Error::from_raw_os_error(5)),
            false => Ok(()),
        }
    }));
    t.write_at(0, b"new").unwrap();
    let e = Box::new(t).commit().unwrap_err();
    assert_eq!(names(dir.path()), ["a.nc"]);
    (e.to_string(), std::fs::read(&path).unwrap())
}

#[test]
fn errors_of_syncing_say_what_is_there() {
    let (e, bytes) = failing(false);
    assert!(
        e.ends_with("a.nc: cannot write to disk: Input/output error"),
        "{e}"
    );
    assert_eq!(bytes, b"old");
    let (e, bytes) = failing(true);
    assert!(
        e.contains("a.nc: the output is complete and in place, but a power failure may undo that"),
        "{e}"
    );
    assert_eq!(bytes, b"new");
}

/// Commits an output for an existing file. Returns the notes.
#[cfg(unix)]
fn written(path: &Path, keep_links: bool, strict: bool) -> Result<Vec<String>> {
    let notes = match strict {
        true => Notes::strict(),
        false => Notes::default(),
    };
    let how = Replacement {
        keep_links,
        at_most: Some(100),
        notes: Some(&notes),
    };
    let mut target = FileTarget::create_as(path, true, how)?;
    target.write_at(0, b"new")?;
    Box::new(target).commit()?;
    Ok(notes.take().into_iter().map(|n| n.what).collect())
}

#[cfg(unix)]
#[test]
fn other_names_keep_the_old_content_or_get_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let (path, other) = (dir.path().join("a.nc"), dir.path().join("b.nc"));
    let link = || {
        let _ = std::fs::remove_file(&other);
        std::fs::write(&path, "older").unwrap();
        std::fs::hard_link(&path, &other).unwrap();
    };
    let read = || std::fs::read_to_string(&other).unwrap();
    link();
    assert!(written(&path, false, true).is_err());
    assert_eq!((names(dir.path()).len(), read().as_str()), (2, "older"));
    let notes = written(&path, false, false).unwrap();
    assert!(notes.concat().contains("1 other name"), "{notes:?}");
    assert_eq!(read(), "older");
    assert_eq!(written(&path, true, true).unwrap(), [""; 0]);
    link();
    let notes = written(&path, true, true).unwrap().concat();
    assert!(notes.contains("which is not atomic"), "{notes}");
    assert_eq!((names(dir.path()).len(), read().as_str()), (2, "new"));
    assert_eq!(super::names(&path), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_copy_into_an_existing_file_keeps_the_output() {
    let dir = tempfile::tempdir().unwrap();
    let (path, other) = (dir.path().join("a.nc"), dir.path().join("b.nc"));
    std::fs::write(&path, "older").unwrap();
    std::fs::hard_link(&path, &other).unwrap();
    let notes = Notes::default();
    let how = Replacement {
        keep_links: true,
        // Small enough for a directory in memory.
        at_most: Some(1 << 20),
        notes: Some(&notes),
    };
    let mut target = FileTarget::create_as(&path, false, how).unwrap();
    target.write_at(0, b"new").unwrap();
    // Another program replaces the file meanwhile.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "another").unwrap();
    let e = Box::new(target).commit().unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), b"another");
    let left = names(dir.path());
    let complete = left.iter().find(|n| n.ends_with(".complete")).unwrap();
    assert!(e.to_string().contains(&**complete), "{e}");
    assert_eq!(std::fs::read(dir.path().join(complete)).unwrap(), b"new");
}

/// After a power failure, the finished output still has its name: its directory is synced before the existing file changes.
#[cfg(target_os = "linux")]
#[test]
fn no_byte_changes_before_the_finished_output_is_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let (path, other) = (dir.path().join("a.nc"), dir.path().join("b.nc"));
    std::fs::write(&path, "older").unwrap();
    std::fs::hard_link(&path, &other).unwrap();
    let notes = Notes::default();
    let how = Replacement {
        keep_links: true,
        // Small enough for a directory in memory.
        at_most: Some(1 << 20),
        notes: Some(&notes),
    };
    let mut target = FileTarget::create_as(&path, true, how).unwrap();
    target.sync = Some(Disk::of(|path, _| match path.is_dir() {
        true => Err(std::io::Error::other("no disk")),
        false => Ok(()),
    }));
    target.write_at(0, b"new").unwrap();
    let e = Box::new(target).commit().unwrap_err();
    assert!(e.to_string().contains("no disk"), "{e}");
    assert_eq!(std::fs::read(&path).unwrap(), b"older");
    assert!(names(dir.path()).iter().any(|n| n.ends_with(".complete")));
}

/// The close and rename events that programs receive, with file names.
#[cfg(target_os = "linux")]
#[test]
fn watchers_see_one_event_after_the_data_is_whole() {
    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
    let dir = tempfile::tempdir().unwrap();
    let probe = UnnamedFile::new(&dir.path().join("probe")).unwrap();
    if !locks_are_sure(dir.path()) || !names(dir.path()).is_empty() {
        eprintln!("this file system has no files without names: test skipped");
        return;
    }
    drop(probe);
    let watch = init(CreateFlags::NONBLOCK).unwrap();
    add_watch(
        &watch,
        dir.path(),
        WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO,
    )
    .unwrap();
    let events = || {
        let mut buf = [std::mem::MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(&watch, &mut buf);
        let mut seen = vec![];
        while let Ok(event) = reader.next() {
            let moved = event.events().contains(ReadFlags::MOVED_TO);
            let name = event.file_name().unwrap().to_str().unwrap().to_owned();
            seen.push((if moved { "moved" } else { "closed" }, name));
        }
        seen
    };
    let path = dir.path().join("a.nc");
    let of = |event| vec![(event, "a.nc".to_owned())];
    written(&path, false, true).unwrap();
    assert_eq!(events(), of("closed"), "new");
    written(&path, false, true).unwrap();
    assert_eq!(events(), of("moved"), "replaced");
    std::fs::hard_link(&path, dir.path().join("b.nc")).unwrap();
    written(&path, true, true).unwrap();
    assert_eq!(events().last(), of("closed").last(), "overwritten");
}

/// On a file system without permissions, all users may read each file.
#[test]
fn private_files_need_permissions() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("plan.json");
    let put = |readers| put_if(&path, b"secret", (readers, |_| true));
    let e = put(Readers::Owner).unwrap_err();
    assert_eq!(e.kind(), crate::ErrorKind::Unsupported);
    assert!(
        e.to_string().contains("plan.json: other users could read"),
        "{e}"
    );
    assert_eq!(names(dir.path()), [""; 0], "the secret was written");
    assert!(put(Readers::OwnerIfPossible).unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), b"secret");
    assert!(!put(Readers::Umask).unwrap());
}
