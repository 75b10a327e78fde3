//! The store contents: nodes (groups and arrays) according to the metadata, and the role of each key. Memory use grows with the
//! metadata, not with the number of chunks.

mod foreign_files;
mod node;
mod role;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ErrorKind;
use crate::env::Env;
use crate::error::{Error, Result};
use crate::format::zarr::raw::METADATA;
use crate::io::Store;
use crate::io::invalid_entries;
use crate::io::store::{KeyContent, UNKNOWN};
use crate::json::Json;

pub use foreign_files::foreign;
pub use node::{MetadataObject, Node, NodeContent};
pub use role::Role;

/// Approximate maximum memory in bytes per byte of JSON text.
const IN_MEMORY: u64 = 32;

/// Number of metadata keys per concurrent request on a store with latency.
const TOGETHER: usize = 1024;

/// The nodes of a store, sorted by path.
#[derive(Debug)]
pub struct StoreSurvey {
    /// All nodes. The root comes first, if the root has metadata.
    pub nodes: Vec<Node>,
    /// The node number by path.
    by_path: BTreeMap<String, usize>,
    /// Whether nodes were found in consolidated metadata only.
    pub consolidated_only: bool,
    /// Keys, other than metadata, that are links which must not be followed.
    pub unreadable: Vec<String>,
}

impl StoreSurvey {
    /// Lists a store and reads all metadata. Invalid JSON is recorded as an error of the object.
    ///
    /// # Errors
    /// Returns store errors.
    pub fn read(store: &Arc<dyn Store>, env: &Env) -> Result<Self> {
        let mut found: BTreeMap<String, BTreeMap<String, MetadataObject>> = BTreeMap::new();
        let (mut keys, mut unreadable) = (vec![], vec![]);
        store.walk("", &mut |key, size| {
            env.cancel.check()?;
            let (path, name) = split(key);
            if METADATA.contains(&name) {
                keys.push((path.to_owned(), name.to_owned(), known(size)));
            } else if size == UNKNOWN {
                unreadable.push(key.to_owned());
            }
            Ok(())
        })?;
        invalid_entries::add_notes(&store.invalid_entries(false)?, store.name(), &env.notes);
        let mut left = env.limits.metadata / IN_MEMORY;
        for keys in keys.chunks(TOGETHER) {
            let full = keys
                .iter()
                .map(|(path, name, size)| (join(path, name), *size));
            let read = read_all(store, full.collect(), &mut left);
            for ((path, name, _), object) in keys.iter().zip(read) {
                let objects = found.entry(path.clone()).or_default();
                objects.insert(name.clone(), object);
            }
            env.cancel.check()?;
        }
        let consolidated_only = add_consolidated(&mut found);
        let nodes = found.into_iter();
        let nodes: Vec<_> = nodes.map(|(path, o)| Node::new(path, o, env)).collect();
        let by_path = nodes.iter().enumerate();
        let by_path = by_path.map(|(n, node)| (node.path.clone(), n)).collect();
        Ok(Self {
            nodes,
            by_path,
            consolidated_only,
            unreadable,
        })
    }

    /// Checks whether the store has any Zarr metadata.
    pub fn is_store(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Returns the node at a path: `/`, `/g/v`, `g/v`.
    pub fn node(&self, path: &str) -> Option<&Node> {
        let n = self.by_path.get(path.trim_matches('/'))?;
        self.nodes.get(*n)
    }

    /// Returns the role of a key.
    pub fn role(&self, key: &str) -> Role {
        let (path, name) = split(key);
        if METADATA.contains(&name) {
            return Role::Metadata;
        }
        // The key belongs to the deepest array node above the key.
        let mut above = Some(path);
        while let Some(path) = above {
            let node = self.by_path.get(path).copied();
            if let Some((n, array)) = node.and_then(|n| Some((n, self.nodes.get(n)?.array()?))) {
                let rest = key.get(path.len()..).unwrap_or_default();
                return Role::below(n, array, rest.trim_start_matches('/'));
            }
            above = (!path.is_empty()).then(|| split(path).0);
        }
        Role::Other(None)
    }

    /// Visits all keys in order, with size in bytes and role.
    ///
    /// # Errors
    /// Returns errors of the store and of `visit`.
    pub fn each(
        &self,
        (store, env): (&Arc<dyn Store>, &Env),
        visit: &mut dyn FnMut(&str, u64, Role) -> Result<()>,
    ) -> Result<()> {
        store.walk("", &mut |key, size| {
            env.cancel.check()?;
            visit(key, known(size), self.role(key))
        })
    }
}

/// Returns the key size; 0 if the key cannot be read.
pub fn known(size: u64) -> u64 {
    if size == UNKNOWN { 0 } else { size }
}

/// Returns the error for a store that is not a Zarr store.
pub fn no_store(store: &Arc<dyn Store>) -> Error {
    let what =
        "no Zarr store: there is no .zgroup, .zarray, .zattrs, .zmetadata or zarr.json in it";
    Error::new(ErrorKind::UnknownFormat, what).of(store.name())
}

/// Returns the path of a key's node and the last part of the key.
pub fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('/').unwrap_or(("", key))
}

/// Returns the key with this last part at a path.
pub fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}/{name}"),
    }
}

/// Reads the metadata under keys with these sizes.
fn read_all(
    store: &Arc<dyn Store>,
    keys: Vec<(String, u64)>,
    left: &mut u64,
) -> Vec<MetadataObject> {
    let json = match store.latency() {
        true => read_together(store, &keys, left),
        false => keys
            .iter()
            .map(|(key, size)| read(store, (key, *size), left))
            .collect(),
    };
    let objects = keys.into_iter().zip(json);
    objects
        .map(|((key, size), json)| MetadataObject {
            key,
            size: Some(size),
            json,
        })
        .collect()
}

/// Like [`read`], but requests all keys concurrently.
fn read_together(
    store: &Arc<dyn Store>,
    keys: &[(String, u64)],
    left: &mut u64,
) -> Vec<Result<Json>> {
    let names: Vec<String> = keys.iter().map(|(key, _)| key.clone()).collect();
    let got = store.get_many(&names, *left);
    let read = |(key, content): (&String, Result<KeyContent>)| {
        let said = |e: Error| e.in_object(key).of(store.name());
        match content.map_err(said)? {
            KeyContent::Missing => Err(said(missing_key())),
            KeyContent::Longer(_) => Err(said(too_much())),
            KeyContent::Bytes(bytes) => {
                *left = left.saturating_sub(bytes.len() as u64);
                Json::parse(&bytes).map_err(said)
            }
        }
    };
    names.iter().zip(got).map(read).collect()
}

fn too_much() -> Error {
    let what = "more metadata than the limit allows";
    Error::new(ErrorKind::Limit, what)
}

fn missing_key() -> Error {
    Error::new(ErrorKind::NotFound, "the key no longer exists")
}

/// Reads the JSON of a key within the metadata limit.
fn read(store: &Arc<dyn Store>, (key, size): (&str, u64), left: &mut u64) -> Result<Json> {
    let said = |e: Error| e.in_object(key).of(store.name());
    *left = left.checked_sub(size).ok_or_else(|| said(too_much()))?;
    let bytes = store.get(key).map_err(said)?;
    Json::parse(&bytes.ok_or_else(|| said(missing_key()))?).map_err(said)
}

/// Adds objects from consolidated metadata for nodes without separate objects. Returns whether any object was added.
fn add_consolidated(found: &mut BTreeMap<String, BTreeMap<String, MetadataObject>>) -> bool {
    let Some(root) = found.get("") else {
        return false;
    };
    let json = |name: &str| root.get(name).and_then(|o| o.json.as_ref().ok());
    let v2 = json(".zmetadata").and_then(|j| j.get("metadata"));
    let v3 = json("zarr.json").and_then(|j| j.get("consolidated_metadata")?.get("metadata"));
    let mut more = vec![];
    for (key, json) in v2.map(Json::members).unwrap_or_default() {
        let (path, name) = split(key);
        if METADATA.contains(&name) {
            more.push((path.to_owned(), name.to_owned(), json.clone()));
        }
    }
    for (path, json) in v3.map(Json::members).unwrap_or_default() {
        more.push((
            path.trim_matches('/').to_owned(),
            "zarr.json".to_owned(),
            json.clone(),
        ));
    }
    more.retain(|(path, name, _)| {
        found
            .get(path)
            .is_none_or(|o| path.is_empty() && name != ".zmetadata" && !o.contains_key(name))
    });
    let any = !more.is_empty();
    for (path, name, json) in more {
        let object = MetadataObject {
            key: join(&path, &name),
            size: None,
            json: Ok(json),
        };
        found.entry(path).or_default().insert(name, object);
    }
    any
}
