//! The import graph of the workspace: imports between files, in `use` and in paths.
//!
//! Tests are skipped, because tests may import any item. A test is an item under `#[cfg(test)]`, or the file of a test module.

mod components;
mod paths;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

pub use components::file_circles;
use paths::{Found, find};

/// The crates of the workspace: directory, name in paths.
const CRATES: [(&str, &str); 6] = [
    ("netcdf-core", "netcdf_core"),
    ("grammar", "netcdf_grammar"),
    ("ncdump", "ncdump"),
    ("ncgen", "ncgen"),
    ("nccopy", "nccopy"),
    ("zdump", "zdump"),
];

/// An import of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The importing file, relative to the root of the workspace.
    pub from: String,
    /// The line of the import, from 1.
    pub line: usize,
    /// The file that defines the imported item.
    pub to: String,
    /// The path in the source, starting at the crate.
    pub path: String,
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            from,
            line,
            to,
            path,
        } = self;
        write!(f, "{from}:{line}: {path} of {to}")
    }
}

/// A module: the crate's directory, then the names of modules.
type Module = Vec<String>;

/// The modules of the workspace, and their imports.
struct Modules {
    files: HashMap<Module, String>,
    found: BTreeMap<String, (Module, Found)>,
}

/// Returns all imports between files of the workspace's crates. `sources` has paths relative to the root, and texts.
///
/// # Panics
/// Panics if a text is not Rust.
#[must_use]
pub fn imports(sources: &[(String, String)]) -> Vec<Import> {
    let modules = Modules::new(sources);
    let mut imports = BTreeSet::new();
    for (from, (module, found)) in &modules.found {
        let uses = found.uses.iter().map(|u| (&u.path, u.line));
        let inline = found.paths.iter().map(|(path, line)| (path, *line));
        for (path, line) in uses.chain(inline) {
            let Some(target) = modules.absolute(module, found, path) else {
                continue;
            };
            let Some(to) = modules.definition(&target, 0).filter(|to| to != from) else {
                continue;
            };
            imports.insert(Import {
                from: from.clone(),
                line,
                to,
                path: target.join("::"),
            });
        }
    }
    imports.into_iter().collect()
}

/// Returns the module of a file; `None` for files outside libraries.
fn module_of(path: &str) -> Option<Module> {
    let (folder, rest) = path.split_once("/src/")?;
    CRATES.iter().find(|(name, _)| *name == folder)?;
    let mut module = vec![folder.to_owned()];
    let inner = rest.strip_suffix(".rs")?.split('/');
    module.extend(inner.map(str::to_owned));
    match module.last()?.as_str() {
        "main" => return None,
        "mod" | "lib" => {
            module.pop();
        }
        _ => {}
    }
    Some(module)
}

impl Modules {
    fn new(sources: &[(String, String)]) -> Self {
        let mut found = BTreeMap::new();
        let mut tests = Vec::new();
        for (path, text) in sources {
            let Some(module) = module_of(path) else {
                continue;
            };
            let all = find(text).unwrap_or_else(|e| panic!("{path}: {e}"));
            let within = |name: &String| [&module[..], std::slice::from_ref(name)].concat();
            tests.extend(all.tests.iter().map(within));
            found.insert(path.clone(), (module, all));
        }
        found.retain(|_, (module, _)| !tests.iter().any(|test| module.starts_with(test)));
        let files = found
            .iter()
            .map(|(path, (module, _))| (module.clone(), path.clone()));
        Self {
            files: files.collect(),
            found,
        }
    }

    /// Returns a path starting at the crate's directory; `None` if it leads out of the workspace.
    fn absolute(&self, module: &Module, found: &Found, path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let own = |name: &String| [&module[..], std::slice::from_ref(name)].concat();
        let mut start = match first.as_str() {
            "crate" => vec![module.first()?.clone()],
            "self" => module.clone(),
            "super" => module.split_last()?.1.to_vec(),
            _ if self.files.contains_key(&own(first)) => own(first),
            name => match CRATES.iter().find(|(_, krate)| *krate == name) {
                Some((folder, _)) => vec![(*folder).to_owned()],
                None => {
                    let used = found
                        .uses
                        .iter()
                        .find(|u| u.name == *name && u.path != path)?;
                    self.absolute(module, found, &used.path)?
                }
            },
        };
        for name in rest {
            match name.as_str() {
                "super" => drop(start.pop()),
                "self" => {}
                _ => start.push(name.clone()),
            }
        }
        Some(start)
    }

    /// Returns the file that defines the target of a path: the file of the last module on the path, after following `pub use`.
    fn definition(&self, path: &[String], depth: usize) -> Option<String> {
        let mut len = 1;
        while len < path.len() && self.files.contains_key(&path[..=len]) {
            len += 1;
        }
        let file = self.files.get(&path[..len])?;
        let again = path.get(len).filter(|_| depth < 10).and_then(|name| {
            let (module, found) = self.found.get(file)?;
            let used = found.uses.iter().find(|u| u.public && u.name == *name)?;
            let mut target = self.absolute(module, found, &used.path)?;
            target.extend_from_slice(&path[len + 1..]);
            self.definition(&target, depth + 1)
        });
        Some(again.unwrap_or_else(|| file.clone()))
    }
}

/// Returns imports that lead upward, if the directories and files in `layers` are layers, lowest first. Each layer lists its members. Files
/// outside the layers are ignored.
#[must_use]
pub fn upward(imports: &[Import], layers: &[&[&str]]) -> Vec<String> {
    let layer = |path: &str| {
        layers
            .iter()
            .position(|l| l.iter().any(|part| is_in(path, part)))
    };
    let up = |import: &&Import| match (layer(&import.from), layer(&import.to)) {
        (Some(from), Some(to)) => from < to,
        _ => false,
    };
    imports.iter().filter(up).map(Import::to_string).collect()
}

/// Returns whether a file is this file, or in this directory. The paths have no `.rs`.
#[must_use]
pub fn is_in(path: &str, part: &str) -> bool {
    let rest = path.strip_prefix(part);
    rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Returns the circles between sibling directories. Each circle is a list of imports that begins and ends in one directory. A file `a.rs`
/// next to a directory `a` belongs to the directory; other files next to directories belong to the parent.
#[must_use]
pub fn circles(imports: &[Import]) -> Vec<Vec<String>> {
    let mut graph: BTreeMap<(&str, &str), BTreeMap<&str, &Import>> = BTreeMap::new();
    let folders: BTreeSet<&str> = imports
        .iter()
        .flat_map(|i| [&i.from, &i.to])
        .flat_map(|path| path.match_indices('/').map(|(at, _)| &path[..at]))
        .collect();
    for import in imports {
        let (from, to) = (parts(&import.from, &folders), parts(&import.to, &folders));
        let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        if let (Some(a), Some(b)) = (from.get(same), to.get(same)) {
            let parent = same.checked_sub(1).map_or("", |n| from[n]);
            graph
                .entry((parent, a))
                .or_default()
                .entry(b)
                .or_insert(import);
        }
    }
    let starts: Vec<_> = graph.keys().copied().collect();
    let mut found: BTreeMap<BTreeSet<&str>, Vec<String>> = BTreeMap::new();
    for (parent, start) in starts {
        if let Some(circle) = way_back(&graph, parent, start) {
            let on: BTreeSet<_> = circle.iter().map(|(folder, _)| *folder).collect();
            let lines = circle.iter().map(|(_, import)| import.to_string());
            found.entry(on).or_insert_with(|| lines.collect());
        }
    }
    found.into_values().collect()
}

/// Returns the directories of a file, outermost first.
fn parts<'a>(path: &'a str, folders: &BTreeSet<&str>) -> Vec<&'a str> {
    let inner = path.strip_suffix(".rs").filter(|own| folders.contains(own));
    let slashes = path.match_indices('/').map(|(at, _)| &path[..at]);
    slashes.chain(inner).collect()
}

type Edges<'a> = BTreeMap<(&'a str, &'a str), BTreeMap<&'a str, &'a Import>>;

/// Returns the shortest path from a directory back to it, through directories with the same parent.
fn way_back<'a>(
    graph: &Edges<'a>,
    parent: &'a str,
    start: &'a str,
) -> Option<Vec<(&'a str, &'a Import)>> {
    let mut came: BTreeMap<&str, (&str, &Import)> = BTreeMap::new();
    let mut waiting = std::collections::VecDeque::from([start]);
    while let Some(at) = waiting.pop_front() {
        for (&to, &import) in graph.get(&(parent, at)).into_iter().flatten() {
            if came.contains_key(to) {
                continue;
            }
            came.insert(to, (at, import));
            waiting.push_back(to);
        }
    }
    let mut way = Vec::new();
    let mut at = start;
    loop {
        let (from, import) = *came.get(at)?;
        way.push((from, import));
        at = from;
        if at == start {
            way.reverse();
            return Some(way);
        }
    }
}
