//! Finds files in the directory of a store that do not belong to the store.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Node, NodeContent, Role, StoreSurvey, split};
use crate::cancel::Cancel;
use crate::env::Env;
use crate::error::Result;
use crate::io::Store;
use crate::io::dir::Foreign;
use crate::io::dir::shared::MARKER;
use crate::io::patched_store::is_hidden;
use crate::json::Json;

/// Returns the keys that do not belong to a group or array of the store: foreign files in the directory, and invalid metadata.
///
/// # Errors
/// Returns store errors.
pub fn foreign(store: &Arc<dyn Store>, cancel: &Cancel) -> Result<Foreign> {
    let env = Env {
        cancel: cancel.clone(),
        ..Env::default()
    };
    let survey = StoreSurvey::read(store, &env)?;
    let own = own_nodes(&survey);
    let mut found = Foreign::default();
    survey.each((store, &env), &mut |key, _, role| {
        let (path, name) = split(key);
        let part = match role {
            Role::Metadata => {
                own.contains(path) && survey.node(path).is_some_and(|node| is_sound(node, name))
            }
            Role::Chunk(n, _) | Role::Shard(n, _) => {
                let node = survey.nodes.get(n);
                node.is_some_and(|node| own.contains(node.path.as_str()))
            }
            Role::Other(n) => n.is_some_and(|n| is_of_change(&survey, n, key)),
        };
        // A finished plan removes the marker. The marker of a killed plan remains.
        if !part && key != MARKER {
            found.add(key.to_owned());
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the paths of the nodes with enclosing groups in the store. All other nodes belong to separate, nested stores.
fn own_nodes(survey: &StoreSurvey) -> BTreeSet<&str> {
    let mut own = BTreeSet::new();
    // Nodes are sorted by path: a group precedes the group contents.
    for node in &survey.nodes {
        let path = node.path.as_str();
        let above = |path| own.contains(path) && survey.node(path).is_some_and(is_group);
        if path.is_empty() || above(split(path).0) {
            own.insert(path);
        }
    }
    own
}

/// Checks whether a key belongs to an unfinished change in place of an array.
fn is_of_change(survey: &StoreSurvey, array: usize, key: &str) -> bool {
    let rest = survey.nodes.get(array).and_then(|node| match &*node.path {
        "" => Some(key),
        path => key.strip_prefix(path)?.strip_prefix('/'),
    });
    rest.is_some_and(is_hidden)
}

fn is_group(node: &Node) -> bool {
    match &node.what {
        // Metadata of older netCDF-C versions, and attributes of a group without other metadata.
        NodeContent::Group | NodeContent::Nothing => true,
        NodeContent::Array(_) | NodeContent::Broken(_) => false,
    }
}

/// Checks whether an object with a metadata name is Zarr metadata. Any program may write a `zarr.json`; Zarr's has a `zarr_format`.
fn is_sound(node: &Node, name: &str) -> bool {
    match (name, node.json(name)) {
        ("zarr.json", Some(json)) => json.get("zarr_format").is_some(),
        (_, Some(json)) => matches!(json, Json::Object(_)),
        (_, None) => false,
    }
}
