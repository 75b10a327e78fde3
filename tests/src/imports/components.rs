//! Circles of files: files that import each other, directly or through further files.

use std::collections::{BTreeMap, BTreeSet};

use super::Import;

/// Returns the circles between files, each as a list of imports. The files of a circle are a maximal set of two or more files in which
/// every file imports every other file, directly or through files of the set. Imports of items that the parent module of a file defines are
/// not counted, because a parent module always names its children.
#[must_use]
pub fn file_circles(imports: &[Import]) -> Vec<Vec<String>> {
    let counted: Vec<&Import> = imports.iter().filter(|i| !names_parent(i)).collect();
    let within = |files: BTreeSet<&str>| {
        let inner = |i: &&&Import| files.contains(&*i.from) && files.contains(&*i.to);
        let inner = counted.iter().filter(inner);
        inner.map(|import| import.to_string()).collect()
    };
    Graph::new(&counted)
        .circles()
        .into_iter()
        .map(within)
        .collect()
}

/// Returns whether an import names an item that the parent module of the file defines.
fn names_parent(import: &Import) -> bool {
    let path = import.from.strip_suffix(".rs").unwrap_or_default();
    let module = path.strip_suffix("/mod").unwrap_or(path);
    let folder = module.rsplit_once('/').map_or("", |(folder, _)| folder);
    let rest = import.to.strip_prefix(folder);
    rest.is_some_and(|rest| ["/mod.rs", "/lib.rs", ".rs"].contains(&rest))
}

/// The files that each file imports.
struct Graph<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> Graph<'a> {
    fn new(imports: &[&'a Import]) -> Self {
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for import in imports {
            edges.entry(&import.from).or_default().insert(&import.to);
            edges.entry(&import.to).or_default();
        }
        Self(edges)
    }

    /// Returns the sets of two or more files that reach each other.
    fn circles(&self) -> BTreeSet<BTreeSet<&'a str>> {
        let reached: BTreeMap<_, _> = self.0.keys().map(|&f| (f, self.reached(f))).collect();
        let circle = |(file, files): (&&str, &BTreeSet<&'a str>)| {
            let back = files.iter().filter(|to| reached[*to].contains(file));
            back.copied().collect::<BTreeSet<_>>()
        };
        let circles = reached.iter().map(circle);
        circles.filter(|files| files.len() > 1).collect()
    }

    /// Returns the files that a file imports, directly or through further files.
    fn reached(&self, start: &'a str) -> BTreeSet<&'a str> {
        let mut waiting = vec![start];
        let mut reached = BTreeSet::new();
        while let Some(file) = waiting.pop() {
            let next = self.0.get(file).into_iter().flatten().copied();
            waiting.extend(next.filter(|to| reached.insert(*to)));
        }
        reached
    }
}
