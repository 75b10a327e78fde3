use super::*;
use crate::cancel::Cancel;
use crate::io::file::disk::Disk;
use crate::io::suite;
use crate::io::target::StoreTarget;

fn names(dir: &Path) -> Vec<String> {
    let list = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = list
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// All keys belong to the store.
const ANY: Replace = Replace {
    foreign: |_, _| Ok(Foreign::default()),
    overwrite: false,
};

/// Keys with `old` in their names are foreign.
fn old(store: &Arc<dyn Store>, _: &Cancel) -> Result<Foreign> {
    let mut found = Foreign::default();
    store.walk("", &mut |key, _| {
        if key.contains("old") {
            found.add(key.to_owned());
        }
        Ok(())
    })?;
    Ok(found)
}

fn created(path: &Path, sync: bool, cancel: &Cancel) -> Result<DirTarget> {
    DirTarget::create(path, sync, ANY, cancel)
}

fn made(path: &Path) -> Result<Box<DirTarget>> {
    let target = created(path, false, &Cancel::default())?;
    target.store().put("v/0", b"new")?;
    target.store().put(".zgroup", b"{}")?;
    Ok(Box::new(target))
}

#[test]
fn it_passes_the_suite() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.zarr");
    let target = created(&path, true, &Cancel::default()).unwrap();
    suite::making(Box::new(target));
    let store = DirStore::open(&path).unwrap();
    suite::reading(&store);
    suite::changing(&store);
    assert_eq!(names(dir.path()), ["s.zarr"]);
}

#[test]
fn nothing_is_seen_before_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.zarr");
    let target = made(&path).unwrap();
    let seen = names(dir.path());
    assert!(
        seen[0].starts_with(".s.zarr.") && seen[0].ends_with(".tmp"),
        "{seen:?}"
    );
    drop(target);
    assert!(names(dir.path()).is_empty());
    made(&path).unwrap().commit().unwrap();
    assert_eq!(names(dir.path()), ["s.zarr"]);
    assert_eq!(names(&path), [".zgroup", "v"]);
}

#[test]
fn a_cancelled_run_leaves_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.zarr");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join(".zgroup"), "old").unwrap();
    let cancel = Cancel::default();
    let target = Box::new(created(&path, false, &cancel).unwrap());
    cancel.0.store(15, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(target.commit().unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(std::fs::read(path.join(".zgroup")).unwrap(), b"old");
    assert_eq!(names(dir.path()), ["s.zarr"]);
}

#[test]
fn a_store_is_replaced_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    for marker in MARKERS {
        let path = dir.path().join(format!("is{marker}"));
        std::fs::create_dir_all(path.join("old")).unwrap();
        std::fs::write(path.join(marker), "{}").unwrap();
        made(&path).unwrap().commit().unwrap();
        assert_eq!(names(&path), [".zgroup", "v"], "{marker}");
    }
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    made(&empty).unwrap().commit().unwrap();
    assert_eq!(names(&empty), [".zgroup", "v"]);
    let home = dir.path().join("home");
    std::fs::create_dir_all(home.join("letters")).unwrap();
    let file = dir.path().join("a.nc");
    std::fs::write(&file, "x").unwrap();
    let before = names(dir.path());
    for path in [&home, &file] {
        let e = made(path).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Exists, "{e}");
    }
    for path in ["/", "..", "."] {
        assert!(made(Path::new(path)).is_err(), "{path}");
    }
    assert_eq!(names(&home), ["letters"]);
    assert_eq!(names(dir.path()), before);
}

#[test]
fn files_that_are_no_part_of_a_store_are_kept_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.zarr");
    let fill = || {
        std::fs::create_dir_all(path.join("src")).unwrap();
        for name in [".zgroup", "src/old1", "src/old2", "src/older", "a\nb"] {
            std::fs::write(path.join(name), "x").unwrap();
        }
    };
    fill();
    let replace = |overwrite| Replace {
        foreign: old,
        overwrite,
    };
    let create =
        |overwrite| DirTarget::create(&path, false, replace(overwrite), &Cancel::default());
    let e = create(false).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Exists);
    let text = e.to_string();
    assert!(
        text.contains("a\\nb, src/old1, src/old2 and 1 more") && text.contains("--overwrite"),
        "{text}"
    );
    assert_eq!(names(&path.join("src")), ["old1", "old2", "older"]);
    // Also keys that another process wrote after `create`.
    std::fs::remove_dir_all(&path).unwrap();
    let target = Box::new(create(false).unwrap());
    fill();
    assert_eq!(target.commit().unwrap_err().kind(), ErrorKind::Exists);
    assert_eq!(names(&path.join("src")), ["old1", "old2", "older"]);
    let target = Box::new(create(true).unwrap());
    assert!(!target.goes().is_empty());
    target.store().put(".zgroup", b"{}").unwrap();
    target.commit().unwrap();
    assert_eq!(names(&path), [".zgroup"]);
    assert_eq!(names(dir.path()), ["s.zarr"]);
}

#[test]
fn what_becomes_of_a_directory_in_the_meantime_counts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.zarr");
    let target = made(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("letter"), "dear").unwrap();
    assert_eq!(target.commit().unwrap_err().kind(), ErrorKind::Exists);
    assert_eq!(names(&path), ["letter"]);
    assert_eq!(names(dir.path()), ["s.zarr"]);
}

#[test]
fn two_names_on_one_file_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let target = made(&dir.path().join("s.zarr")).unwrap();
    let store = target.store();
    store.put_if_absent("v/.zarray", b"{}").unwrap();
    // As on a file system that ignores case.
    let e = store.put_if_absent("v/.zarray", b"{}").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Exists);
}

#[cfg(unix)]
mod links {
    use super::*;
    use crate::io::store::UNKNOWN;
    use std::os::unix::fs::symlink;

    /// Creates a store `s` with the keys `.zgroup` and `v/0`, and a directory `out` beside it.
    fn store(dir: &Path) -> DirStore {
        let root = dir.join("s");
        std::fs::create_dir_all(root.join("v")).unwrap();
        std::fs::create_dir(dir.join("out")).unwrap();
        std::fs::write(root.join("v/0"), "zero").unwrap();
        std::fs::write(root.join(".zgroup"), "{}").unwrap();
        std::fs::write(dir.join("out/secret"), "secret").unwrap();
        DirStore::open(&root).unwrap()
    }

    fn keys(store: &DirStore) -> Result<Vec<String>> {
        let mut keys = vec![];
        store.walk("", &mut |key, _| {
            keys.push(key.to_owned());
            Ok(())
        })?;
        Ok(keys)
    }

    #[test]
    fn no_link_leads_out_of_a_store() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        symlink("../out/secret", dir.path().join("s/file")).unwrap();
        symlink(dir.path().join("out"), dir.path().join("s/w")).unwrap();
        for key in ["file", "w/secret"] {
            let e = store.get(key).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
            assert!(store.size(key).is_err() && store.get_ranges(key, &[0..1, 2..3]).is_err());
            assert!(store.put(key, b"x").is_err());
        }
        assert!(store.put("w/new", b"x").is_err());
        assert!(store.put("w/new/x", b"x").is_err());
        assert!(store.children("w/").is_err());
        assert_eq!(keys(&store).unwrap(), [".zgroup", "file", "v/0", "w"]);
        assert_eq!(names(&dir.path().join("out")), ["secret"]);
        let bytes = std::fs::read(dir.path().join("out/secret")).unwrap();
        assert_eq!(bytes, b"secret");
        let store = store.allow_external(true);
        assert_eq!(store.get("w/secret").unwrap().unwrap(), b"secret");
    }

    #[test]
    fn links_within_a_store_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        symlink("v", dir.path().join("s/w")).unwrap();
        symlink("v/0", dir.path().join("s/zero")).unwrap();
        assert_eq!(store.get("w/0").unwrap().unwrap(), b"zero");
        assert_eq!(keys(&store).unwrap(), [".zgroup", "v/0", "w/0", "zero"]);
        assert_eq!(store.size("zero").unwrap(), Some(4));
    }

    #[test]
    fn circles_and_loose_ends_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        symlink("nowhere", dir.path().join("s/v/1")).unwrap();
        assert!(store.get("v/1").is_err(), "not just a missing chunk");
        symlink(dir.path(), dir.path().join("s/v/2")).unwrap();
        let mut listed = vec![];
        let mut visit = |key: &str, size| {
            listed.push((key.to_owned(), size));
            Ok(())
        };
        store.walk("v/", &mut visit).unwrap();
        assert_eq!(
            listed[1..],
            [("v/1".to_owned(), UNKNOWN), ("v/2".to_owned(), UNKNOWN)]
        );
        assert!(store.get("v/2").is_err());
        std::fs::remove_file(dir.path().join("s/v/2")).unwrap();
        std::fs::remove_file(dir.path().join("s/v/1")).unwrap();
        symlink("..", dir.path().join("s/v/up")).unwrap();
        assert_eq!(keys(&store).unwrap_err().kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn pipes_are_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let path = dir.path().join("s/v/1");
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert_eq!(store.get("v/1").unwrap_err().kind(), ErrorKind::Unsupported);
    }

    #[test]
    fn a_link_to_a_store_stays() {
        let dir = tempfile::tempdir().unwrap();
        drop(store(dir.path()));
        let link = dir.path().join("link");
        symlink("s", &link).unwrap();
        made(&link).unwrap().commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(dir.path().join("s/v/0")).unwrap(), b"new");
    }
}

#[test]
fn names_that_no_file_can_have_are_not_there() {
    let dir = tempfile::tempdir().unwrap();
    let store = DirStore::open(dir.path()).unwrap();
    let long = "g".repeat(5000);
    for key in [long.clone(), format!("{long}/.zgroup")] {
        assert_eq!(store.get(&key).unwrap(), None);
        assert_eq!(store.size(&key).unwrap(), None);
        assert!(store.put(&key, b"").is_err());
    }
    assert!(store.children(&format!("{long}/")).unwrap().is_empty());
}

#[test]
fn names_that_are_no_keys_are_not_listed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a\nb"), "").unwrap();
    std::fs::write(dir.path().join("c"), "").unwrap();
    let store = DirStore::open(dir.path()).unwrap();
    assert_eq!(store.children("").unwrap(), ["c"]);
}

/// A target for `path` with a disk that fails for the path `wrong`, and the synced paths relative to `above`.
fn on_disk(
    path: &Path,
    wrong: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> (Box<DirTarget>, Arc<Mutex<Vec<PathBuf>>>) {
    let mut target = made(path).unwrap();
    let synced: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let to = Arc::clone(&synced);
    target.sync = Some(Disk::of(move |path, _| {
        to.lock().unwrap().push(path.to_owned());
        match wrong(path) {
            true => Err(std::io::Error::from_raw_os_error(5)),
            false => Ok(()),
        }
    }));
    (target, synced)
}

/// Creates a store with the keys `.zgroup` and `old`.
fn there(path: &Path) {
    std::fs::create_dir(path).unwrap();
    for name in [".zgroup", "old"] {
        std::fs::write(path.join(name), "{}").unwrap();
    }
}

#[test]
fn all_of_a_store_is_synced_then_its_name_then_the_old_one_goes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.zarr");
    there(&path);
    let (above, to) = (dir.path().to_owned(), path.clone());
    let seen: Arc<Mutex<Vec<_>>> = Arc::default();
    let see = Arc::clone(&seen);
    let (target, synced) = on_disk(&path, move |path| {
        if path == above {
            // The new store has the final name, and the replaced store still exists.
            see.lock().unwrap().push((names(&to), names(&above).len()));
        }
        false
    });
    target.commit().unwrap();
    let new = || [".zgroup", "v"].map(str::to_owned).to_vec();
    assert_eq!(*seen.lock().unwrap(), [(new(), 2)]);
    assert_eq!(names(dir.path()), ["s.zarr"]);
    let synced = synced.lock().unwrap().clone();
    assert_eq!(synced.last().unwrap(), dir.path());
    let mut ends: Vec<_> = synced
        .iter()
        .filter_map(|path| path.strip_prefix(dir.path()).ok())
        // Drop the temporary name.
        .map(|path| path.components().skip(1).collect::<PathBuf>())
        .collect();
    ends.sort();
    // The store directory again after its permissions were set, and the directory above.
    assert_eq!(ends, ["", "", "", ".zgroup", "v", "v/0"].map(PathBuf::from));
}

#[test]
fn what_is_not_on_disk_does_not_replace_anything() {
    for wrong in [".zgroup", "v", "0", ".s.zarr."] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.zarr");
        there(&path);
        let is_wrong = move |path: &Path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name == wrong || (wrong.len() > 7 && name.starts_with(wrong))
        };
        let (target, _) = on_disk(&path, is_wrong);
        let e = target.commit().unwrap_err().to_string();
        assert!(e.contains("s.zarr: cannot write to disk: Input"), "{e}");
        assert_eq!(names(&path), [".zgroup", "old"], "{wrong}");
        assert_eq!(names(dir.path()), ["s.zarr"], "{wrong}");
    }
}

#[test]
fn what_is_replaced_stays_until_the_new_name_is_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.zarr");
    let above = dir.path().to_owned();
    let commit = || {
        let above = above.clone();
        let (target, _) = on_disk(&path, move |path| path == above);
        target.commit().unwrap_err().to_string()
    };
    let e = commit();
    assert!(
        e.contains("s.zarr: the output is complete and in place") && !e.contains("kept"),
        "{e}"
    );
    assert_eq!(names(&path), [".zgroup", "v"]);
    std::fs::remove_dir_all(&path).unwrap();
    there(&path);
    let e = commit();
    assert_eq!(names(&path), [".zgroup", "v"]);
    let left = names(dir.path());
    let kept = dir.path().join(&left[0]);
    assert!(left.len() == 2 && left[0].ends_with(".old.tmp"), "{left:?}");
    assert_eq!(names(&kept.join("old")), [".zgroup", "old"]);
    assert!(e.contains(&format!("is kept in {}", kept.display())), "{e}");
    // The next run with the same output does not remove it.
    made(&path).unwrap().commit().unwrap();
    assert_eq!(names(dir.path()), left);
}

/// A writer renames new values and removes its hidden directory while a reader lists the store.
#[test]
fn what_is_removed_during_a_listing_is_skipped() {
    let dir = tempfile::tempdir().unwrap();
    for key in ["a", "b", "c/0", "d"] {
        let path = dir.path().join(key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    let store = DirStore::open(dir.path()).unwrap();
    let mut found = vec![];
    let mut visit = |key: &str, _| {
        found.push(key.to_owned());
        if key == "a" {
            std::fs::remove_file(dir.path().join("b")).unwrap();
            std::fs::remove_dir_all(dir.path().join("c")).unwrap();
        }
        Ok(())
    };
    store.walk("", &mut visit).unwrap();
    assert_eq!(found, ["a", "d"]);
}
