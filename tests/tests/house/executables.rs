//! Test executables: every file in a test directory belongs to one executable, and the number of executables is limited.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use netcdf_tools_tests::files::{name, root, stem, walk};

/// The directories of tests, and the executables in each.
const EXECUTABLES: [(&str, &[&str]); 3] = [
    ("nccopy/tests", &["processes"]),
    ("netcdf-core/tests", &["api"]),
    (
        "tests/tests",
        &[
            "copy",
            "damage",
            "formats",
            "house",
            "plugins",
            "processes",
            "runtime_model.rs",
            "servers",
            "stress.rs",
            "tools",
            "zarr",
        ],
    ),
];
/// Executables of unit tests: one for each library.
const LIBRARIES: usize = 7;
/// The maximum number of executables: each links all crates.
const LIMIT: usize = 20;

/// The crates: directories with a manifest.
fn crates() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root()).expect("the root");
    let paths = entries.map(|e| e.expect("an entry").path());
    let crates: Vec<_> = paths
        .filter(|p| p.join("Cargo.toml").is_file() && p.join("src").is_dir())
        .collect();
    assert_eq!(crates.len(), LIBRARIES, "{crates:?}");
    crates
}

/// Rust files and directories with Rust files.
fn executables(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("a directory of tests");
    let paths = entries.map(|e| e.expect("an entry").path());
    let has_code = |path: &PathBuf| match path.is_dir() {
        true => !walk(path, "rs").is_empty(),
        false => path.extension().is_some_and(|e| e == "rs"),
    };
    paths.filter(has_code).map(|p| name(&p)).collect()
}

#[test]
fn executables_are_few_and_listed() {
    let mut count = LIBRARIES;
    for path in crates() {
        let tests = path.join("tests");
        let found = match tests.is_dir() {
            true => executables(&tests),
            false => BTreeSet::new(),
        };
        let here = format!("{}/tests", name(&path));
        let listed = EXECUTABLES.iter().find(|(folder, _)| *folder == here);
        let listed = listed.map_or(&[][..], |(_, names)| names);
        let listed: BTreeSet<String> = listed.iter().map(|n| (*n).to_owned()).collect();
        assert_eq!(found, listed, "{here}");
        count += found.len();
    }
    assert!(count <= LIMIT, "{count} executables");
}

/// Collects a file and all files of its modules.
fn declared(file: &Path, found: &mut BTreeSet<PathBuf>) {
    found.insert(file.to_owned());
    let folder = file.parent().expect("a file in a directory");
    let folder = match stem(file).as_str() {
        "main" | "mod" => folder.to_owned(),
        stem => folder.join(stem),
    };
    let text = std::fs::read_to_string(file).expect("a readable source");
    let modules = text.lines().filter_map(|line| {
        let line = line.trim();
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    for module in modules {
        let beside = folder.join(format!("{module}.rs"));
        let below = folder.join(module).join("mod.rs");
        let file = if beside.is_file() { beside } else { below };
        declared(&file, found);
    }
}

#[test]
fn every_file_is_a_module_of_its_executable() {
    let mut seen = 0;
    for (folder, names) in EXECUTABLES {
        for name in names.iter().filter(|name| !name.ends_with(".rs")) {
            let folder = root().join(folder).join(name);
            let mut found = BTreeSet::new();
            declared(&folder.join("main.rs"), &mut found);
            let files: BTreeSet<_> = walk(&folder, "rs").into_iter().collect();
            assert_eq!(found, files, "{}", folder.display());
            seen += files.len();
        }
    }
    assert!(seen > 60, "{seen} files");
}

/// Executables of tools and helpers are built without a test harness, so a test in their sources would never run.
#[test]
fn executables_without_a_harness_have_no_tests() {
    let mut seen = 0;
    for path in crates() {
        let mut files = vec![path.join("src/main.rs")];
        for folder in ["src/bin", "examples"] {
            let folder = path.join(folder);
            if folder.is_dir() {
                files.extend(walk(&folder, "rs"));
            }
        }
        for file in files.iter().filter(|file| file.is_file()) {
            let text = std::fs::read_to_string(file).expect("a readable source");
            assert!(!text.contains("#[test]"), "{}", file.display());
            seen += 1;
        }
    }
    assert!(seen > 12, "{seen} files");
}
