//! Cargo features: builds of the tools contain no test code.

use netcdf_tools_tests::files::{root, walk};

/// Returns the lines of a manifest outside of dev-dependencies with the feature `testing`.
fn turns_testing_on(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut found = vec![];
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        let code = line.split('#').next().unwrap_or_default();
        let defined = section == "[features]" && code == "testing = []";
        if code.contains("testing") && !defined && section != "[dev-dependencies]" {
            found.push(format!("{section} {line}"));
        }
    }
    found
}

/// Cargo builds the tools without features of dev-dependencies (resolver 3).
#[test]
fn only_dev_dependencies_turn_testing_on() {
    let manifests: Vec<_> = walk(&root(), "toml")
        .into_iter()
        .filter(|path| path.ends_with("Cargo.toml"))
        .map(|path| std::fs::read_to_string(path).expect("a manifest"))
        .collect();
    assert!(manifests.len() >= 8, "{} manifests", manifests.len());
    let found: Vec<_> = manifests.iter().flat_map(|m| turns_testing_on(m)).collect();
    assert_eq!(found, [""; 0]);
    let root = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    assert!(root.contains("resolver = \"3\""));
}

#[test]
fn a_dependency_with_testing_is_found() {
    let with = "netcdf-core = { workspace = true, features = [\"testing\"] }";
    let manifest = |section: &str| format!("[features]\ntesting = []\n\n[{section}]\n{with}\n");
    assert_eq!(turns_testing_on(&manifest("dev-dependencies")), [""; 0]);
    for section in [
        "dependencies",
        "workspace.dependencies",
        "target.x.dependencies",
    ] {
        let found = turns_testing_on(&manifest(section));
        assert_eq!(found, [format!("[{section}] {with}")]);
    }
    let default = turns_testing_on("[features]\ndefault = [\"testing\"]\n");
    assert_eq!(default.len(), 1);
}
