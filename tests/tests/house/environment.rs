//! docs/environment.md lists each environment variable that the tools read.

use std::collections::BTreeSet;

use netcdf_tools_tests::files::{root, walk};

/// Prefixes of the names of environment variables.
const PREFIXES: [&str; 15] = [
    "AWS_",
    "AZURE_",
    "CURL_",
    "GCE_",
    "GOOGLE_",
    "HDF5_",
    "JOB_",
    "NCRCENV_",
    "NCTRACING",
    "NCZARR_",
    "NETCDF_",
    "NO_COLOR",
    "REQUESTS_",
    "SLURM_",
    "SSL_",
];

/// Returns the string literals of a source that are names of environment variables.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split('"');
    words.filter(|word| {
        let is_name = word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        is_name && PREFIXES.iter().any(|prefix| word.starts_with(prefix))
    })
}

#[test]
fn variables_are_listed() {
    let page = std::fs::read_to_string(root().join("docs/environment.md")).expect("a page");
    let mut found = BTreeSet::new();
    for folder in [
        "netcdf-core/src",
        "netcdf-core/capi/src",
        "grammar/src",
        "nccopy/src",
        "ncdump/src",
        "ncgen/src",
        "zdump/src",
    ] {
        for path in walk(&root().join(folder), "rs") {
            let text = std::fs::read_to_string(path).expect("a source");
            found.extend(variables(&text).map(str::to_owned));
        }
    }
    let missing: Vec<_> = found
        .iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "not in docs/environment.md: {missing:?}"
    );
    assert!(found.len() > 50, "{found:?}");
}
