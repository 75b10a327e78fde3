use super::*;
use crate::io::Store;

fn store(keys: &[&str]) -> (tempfile::TempDir, DirStore) {
    let folder = tempfile::tempdir().unwrap();
    for key in keys {
        let path = folder.path().join(key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "before").unwrap();
    }
    let store = DirStore::open(folder.path()).unwrap();
    (folder, store)
}

#[test]
fn what_was_read_and_is_other_has_changed() {
    let (folder, store) = store(&[".zattrs", "v/0", "v/1", "w/0"]);
    for key in [".zattrs", "v/0", "v/2"] {
        let _ = store.get(key).unwrap();
    }
    assert_eq!(store.changed(), None);
    let path = |key: &str| folder.path().join(key);
    // This file was not read.
    std::fs::write(path("v/1"), "longer than before").unwrap();
    assert_eq!(store.changed(), None);
    std::fs::write(path("v/2"), "new").unwrap();
    let name = store.changed().unwrap();
    assert!(name.ends_with("/v/2"), "{name}");
    std::fs::write(path("v/0"), "longer than before").unwrap();
    assert!(store.changed().unwrap().ends_with("/v/0"));
    std::fs::remove_file(path(".zattrs")).unwrap();
    assert!(store.changed().unwrap().ends_with("/.zattrs"));
}

#[test]
fn a_file_in_the_place_of_another_has_changed() {
    let (folder, store) = store(&["v/0", "other"]);
    let path = |key: &str| folder.path().join(key);
    let _ = store
        .get_ranges("v/0", std::slice::from_ref(&(0..3)))
        .unwrap();
    let before = std::fs::metadata(path("v/0")).unwrap().modified().unwrap();
    let file = std::fs::File::options().write(true).open(path("other"));
    file.unwrap().set_modified(before).unwrap();
    std::fs::rename(path("other"), path("v/0")).unwrap();
    assert!(store.changed().is_some());
}

#[test]
fn what_is_read_twice_is_the_same() {
    let (folder, store) = store(&["v/0"]);
    let _ = store.get("v/0").unwrap();
    std::fs::write(folder.path().join("v/0"), "longer than before").unwrap();
    let _ = store.get("v/0").unwrap();
    assert!(store.changed().unwrap().ends_with("/v/0"));
}

#[test]
fn a_directory_that_was_listed_has_its_files() {
    let (folder, store) = store(&["v/0"]);
    store.walk("v/", &mut |_, _| Ok(())).unwrap();
    assert_eq!(store.changed(), None);
    std::fs::write(folder.path().join("v/1"), "new").unwrap();
    assert!(store.changed().is_some());
}

#[test]
fn of_very_many_keys_some_are_kept() {
    let mut seen = SeenEntries::default();
    for n in 0..3 * MOST {
        seen.add(&format!("v/{n}"), sum(None));
    }
    seen.add("v/.zarray", sum(None));
    assert!(seen.part >= 1 && seen.others.len() <= MOST);
    assert!(seen.others.len() > MOST / 4, "{}", seen.others.len());
    assert_eq!(seen.metadata.len(), 1);
}
