//! Imports run down only: the layers of the workspace, and forbidden names.

use std::sync::OnceLock;

use netcdf_tools_tests::files::{root, walk};
use netcdf_tools_tests::imports::{Import, circles, file_circles, imports, is_in, upward};

/// The layers, lowest first.
const LAYERS: &[&[&str]] = &[
    &[
        "netcdf-core/src/arithmetic",
        "netcdf-core/src/bytes",
        "netcdf-core/src/cancel",
        "netcdf-core/src/error",
        "netcdf-core/src/json",
        "netcdf-core/src/limits",
        "netcdf-core/src/model",
        "netcdf-core/src/notes",
        "netcdf-core/src/per_process",
        "netcdf-core/src/shown",
    ],
    &["netcdf-core/src/io"],
    &["netcdf-core/src/runtime"],
    &["netcdf-core/src/filter"],
    &["netcdf-core/src/env"],
    &["netcdf-core/src/chunk"],
    &["netcdf-core/src/format"],
    &[
        "netcdf-core/src/copy",
        "netcdf-core/src/diff",
        "netcdf-core/src/stats",
        "netcdf-core/src/sum",
        "netcdf-core/src/survey",
    ],
    &["netcdf-core/src/api", "netcdf-core/src/tool"],
    &["netcdf-core/capi/src", "grammar/src"],
    &["ncdump/src", "ncgen/src", "nccopy/src", "zdump/src"],
];

/// The imports of the workspace, parsed once for all tests.
fn workspace() -> &'static [Import] {
    static IMPORTS: OnceLock<Vec<Import>> = OnceLock::new();
    IMPORTS.get_or_init(parsed)
}

fn parsed() -> Vec<Import> {
    let root = root();
    let sources: Vec<_> = walk(&root, "rs")
        .iter()
        .map(|path| {
            let short = path.strip_prefix(&root).expect("under the root");
            let text = std::fs::read_to_string(path).expect("a readable source");
            (short.display().to_string(), text)
        })
        .collect();
    let imports = imports(&sources);
    assert!(imports.len() > 2000, "only {} imports", imports.len());
    imports
}

/// Returns the imports that a rule forbids.
fn forbidden(rule: impl Fn(&Import) -> bool) -> Vec<String> {
    let all = workspace().iter().filter(|import| rule(import));
    all.map(|import| import.to_string()).collect()
}

#[test]
fn imports_run_down_only() {
    let imports = workspace();
    assert_eq!(upward(imports, LAYERS), [""; 0]);
    assert_eq!(circles(imports), [[""; 0]; 0]);
    let placed = |path: &str| LAYERS.iter().flat_map(|l| *l).any(|part| is_in(path, part));
    let mut loose = imports.iter().map(|i| i.from.as_str());
    assert_eq!(
        loose.find(|path| !placed(path) && *path != "netcdf-core/src/lib.rs"),
        None
    );
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    assert_eq!(file_circles(workspace()), [[""; 0]; 0]);
}

/// Returns the format directory of a file.
fn format(path: &str) -> Option<&str> {
    let (name, _) = path
        .strip_prefix("netcdf-core/src/format/")?
        .split_once('/')?;
    Some(name)
}

/// Two exceptions: netCDF-4 is stored in another format, HDF5, and zdump reads the storage of Zarr.
#[test]
fn formats_are_named_by_their_table_only() {
    let found = forbidden(|import| match (format(&import.from), format(&import.to)) {
        (_, None) => false,
        (Some(from), Some(to)) => from != to && (from, to) != ("netcdf4", "hdf5"),
        (None, Some("zarr")) if import.from.starts_with("zdump/") => false,
        (None, Some(_)) => !import.from.starts_with("netcdf-core/src/format/"),
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn tools_do_not_name_each_other() {
    let found = forbidden(|import| {
        let krate = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
        let (from, to) = (krate(&import.from), krate(&import.to));
        from != to && to != "netcdf-core" && to != "grammar"
    });
    assert_eq!(found, [""; 0]);
}

/// zdump shows stores that readers reject.
#[test]
fn zdump_goes_through_no_reader() {
    let readers = [
        "chunk/reader",
        "chunk/dataset",
        "format/zarr/reader",
        "api",
        "copy",
    ];
    let found = forbidden(|import| {
        let to = import
            .to
            .strip_prefix("netcdf-core/src/")
            .unwrap_or_default();
        let reads =
            readers.iter().any(|part| is_in(to, part)) || import.path.ends_with("::format::open");
        import.from.starts_with("zdump/") && reads
    });
    assert_eq!(found, [""; 0]);
}

fn of(sources: &[(&str, &str)]) -> Vec<Import> {
    let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    imports(&sources.iter().map(own).collect::<Vec<_>>())
}

#[test]
fn all_forms_of_imports_are_found() {
    let low = ("netcdf-core/src/low.rs", "pub struct A;");
    let lib = ("netcdf-core/src/lib.rs", "pub use low::A;");
    for text in [
        "use crate::low::A;",
        "use super::low::{A as B};",
        "use crate::{low::{self}};",
        "use crate::A;",
        "fn f(_: crate::low::A) {}",
        "use crate::low; fn f(_: low::A) {}",
        "fn f() { println!(\"{}\", crate::low::A); }",
        "mod inner { use super::super::low::A; }",
        "fn f() -> Option<super::low::A> { None }",
    ] {
        let found = of(&[low, lib, ("netcdf-core/src/high.rs", text)]);
        let from_high: Vec<_> = found
            .iter()
            .filter(|i| i.from.ends_with("high.rs"))
            .collect();
        assert!(!from_high.is_empty(), "{text}");
        assert!(
            from_high.iter().all(|i| i.to.ends_with("low.rs")),
            "{text}: {from_high:?}"
        );
    }
    let tool = ("zdump/src/lib.rs", "use netcdf_core::A;");
    assert!(
        of(&[low, lib, tool])
            .iter()
            .any(|i| i.from == "zdump/src/lib.rs" && i.to.ends_with("low.rs"))
    );
}

#[test]
fn tests_may_name_anything() {
    let low = (
        "netcdf-core/src/low.rs",
        "#[cfg(test)] mod tests { use crate::high::B; }\n#[cfg(test)] mod more;\n#[cfg(any(test, feature = \"testing\"))] pub mod testing;",
    );
    let more = ("netcdf-core/src/low/more.rs", "use crate::high::B;");
    let testing = ("netcdf-core/src/low/testing.rs", "use crate::high::B;");
    let high = (
        "netcdf-core/src/high.rs",
        "pub struct B; #[cfg(test)] use crate::low::A;",
    );
    assert_eq!(of(&[low, more, testing, high]), []);
}

#[test]
fn wrong_imports_are_found() {
    let a = (
        "netcdf-core/src/a/mod.rs",
        "use crate::b::inner::B; pub struct A;",
    );
    let b = (
        "netcdf-core/src/b/inner.rs",
        "pub struct B; fn f(_: crate::c::C) {}",
    );
    let mid = ("netcdf-core/src/b/mod.rs", "pub mod inner;");
    let c = ("netcdf-core/src/c/mod.rs", "pub struct C;");
    let back = ("netcdf-core/src/c/mod.rs", "use crate::a::A; pub struct C;");
    let layers: &[&[&str]] = &[
        &["netcdf-core/src/c"],
        &["netcdf-core/src/b"],
        &["netcdf-core/src/a"],
    ];
    let good = of(&[a, b, mid, c]);
    assert_eq!(good.len(), 2, "{good:?}");
    assert_eq!(upward(&good, layers), [""; 0]);
    assert_eq!(circles(&good), [[""; 0]; 0]);
    let bad = of(&[a, b, mid, back]);
    assert_eq!(
        upward(&bad, layers),
        ["netcdf-core/src/c/mod.rs:1: netcdf-core::a::A of netcdf-core/src/a/mod.rs"]
    );
    assert_eq!(circles(&bad).concat().len(), 3);
}

/// Returns the files of a directory, each with its text.
fn folder(files: &[(&'static str, &'static str)]) -> Vec<Import> {
    let full: Vec<_> = files
        .iter()
        .map(|(name, text)| (format!("netcdf-core/src/{name}.rs"), *text))
        .collect();
    let sources: Vec<_> = full.iter().map(|(name, text)| (&**name, *text)).collect();
    of(&sources)
}

#[test]
fn circles_of_files_are_found() {
    let found = file_circles(&folder(&[
        ("f/mod", "mod a; mod b; mod c; mod low;"),
        ("f/a", "use super::b::B; use super::low::L; pub struct A;"),
        ("f/b", "pub struct B; fn f(_: super::c::C) {}"),
        ("f/c", "use crate::f::a::A; pub struct C;"),
        ("f/low", "pub struct L;"),
    ]));
    let lines = [
        "netcdf-core/src/f/a.rs:1: netcdf-core::f::b::B of netcdf-core/src/f/b.rs",
        "netcdf-core/src/f/b.rs:1: netcdf-core::f::c::C of netcdf-core/src/f/c.rs",
        "netcdf-core/src/f/c.rs:1: netcdf-core::f::a::A of netcdf-core/src/f/a.rs",
    ];
    assert_eq!(found, [lines]);
}

/// Only the direct parent of a file may both use the file and define items for it.
#[test]
fn a_parent_further_up_is_no_exception() {
    let found = file_circles(&folder(&[
        ("f/mod", "pub mod g; use g::part::P; pub trait T {}"),
        ("f/g/mod", "pub mod part;"),
        ("f/g/part", "use crate::f::T; pub struct P;"),
    ]));
    assert_eq!(found.concat().len(), 2, "{found:?}");
}

#[test]
fn trees_of_files_pass() {
    let tree = folder(&[
        (
            "f/mod",
            "mod a; mod b; pub mod g; pub use a::A; use b::B; pub struct Own; #[cfg(test)] mod tests;",
        ),
        (
            "f/a",
            "use super::Own; use super::b::B; pub struct A; pub(in crate::f) struct Part;",
        ),
        (
            "f/b",
            "use super::g::G; pub struct B; #[cfg(test)] mod tests { use super::super::a::A; }",
        ),
        (
            "f/g/mod",
            "use super::Own; pub struct G; fn f() -> Own { self::f() }",
        ),
        ("f/tests", "use super::a::A; use super::b::B;"),
    ]);
    assert!(tree.len() > 4, "{tree:?}");
    assert_eq!(file_circles(&tree), [[""; 0]; 0]);
}
