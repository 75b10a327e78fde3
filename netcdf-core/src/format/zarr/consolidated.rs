//! Consolidated metadata: copies of all metadata objects of a store, in one object.
//!
//! Consolidated metadata is stale if a writer changed only the separate objects. Stores without latency therefore use the separate objects.
//! Stores with latency use consolidated metadata, like other readers do, but only if the metadata is *whole*. Metadata is whole if:
//!
//! - the format is known, and all entries are metadata objects under valid keys;
//! - the root is present, and each node is a group or an array in a group that is present;
//! - each array has valid metadata;
//! - every node listed in netCDF's own metadata of a group is present.
//!
//! Attributes are optional, as in a store. `zdump check` finds consolidated metadata that differs from the objects.

use std::collections::BTreeMap;

use super::array::is_version;
use super::nczarr::{Contents, NczarrPart};
use super::node::{self, NodeKind, node_type};
use super::{v2, v3};
use crate::io::key;
use crate::json::Json;
use crate::model::ZarrVersion;

/// Metadata objects by their keys.
pub(super) type Objects = BTreeMap<String, Json>;

/// Returns the objects in `.zmetadata`, or `None` without a `metadata` member.
#[must_use]
pub(super) fn objects_v2(json: &Json) -> Option<Objects> {
    match json.get("metadata") {
        Some(Json::Object(members)) => Some(members.iter().cloned().collect()),
        _ => None,
    }
}

/// Returns the objects in the root's `zarr.json`, including the root, or `None` without consolidated metadata.
#[must_use]
pub(super) fn objects_v3(root: &Json) -> Option<Objects> {
    let all = root.get("consolidated_metadata")?.get("metadata")?;
    let nodes = all.members().iter();
    let key = |path: &str| format!("{}/{}", path.trim_matches('/'), node::V3);
    let mut found: Objects = nodes.map(|(path, j)| (key(path), j.clone())).collect();
    if found.is_empty() {
        return None;
    }
    found.insert(node::V3.to_owned(), root.clone());
    Some(found)
}

/// Returns the objects of consolidated metadata if the metadata is whole. Arrays have at most `rank` dimensions.
#[must_use]
pub(super) fn whole(json: &Json, version: ZarrVersion, rank: u32) -> Option<Objects> {
    let objects = match version {
        ZarrVersion::V2 => {
            let format = json.get("zarr_consolidated_format")?.as_u64();
            objects_v2(json).filter(|_| format == Some(1))
        }
        ZarrVersion::V3 => {
            let kind = json.get("consolidated_metadata")?.get("kind");
            objects_v3(json).filter(|_| kind.is_none_or(|kind| kind.as_str() == Some("inline")))
        }
    };
    let nodes = Nodes::of(objects.as_ref()?, version, rank)?;
    nodes.are_whole().then_some(objects).flatten()
}

/// The nodes of consolidated metadata.
struct Nodes<'a> {
    objects: &'a Objects,
    version: ZarrVersion,
    /// The node kinds by key prefix.
    kinds: BTreeMap<&'a str, NodeKind>,
}

impl<'a> Nodes<'a> {
    /// Returns the nodes if all objects are valid.
    fn of(objects: &'a Objects, version: ZarrVersion, rank: u32) -> Option<Self> {
        let mut kinds = BTreeMap::new();
        for (key, json) in objects {
            let valid = key::check(key).is_ok() && matches!(json, Json::Object(_));
            let at = key.rfind('/').map_or(0, |at| at + 1);
            let (prefix, name) = key.split_at_checked(at).filter(|_| valid)?;
            let Some(kind) = kind((name, json), version, rank)? else {
                continue;
            };
            if kinds.insert(prefix, kind).is_some() {
                return None;
            }
        }
        Some(Self {
            objects,
            version,
            kinds,
        })
    }

    fn are_whole(&self) -> bool {
        let prefixes = self.objects.keys().map(|key| {
            let at = key.rfind('/').map_or(0, |at| at + 1);
            key.get(..at).unwrap_or_default()
        });
        let mut known = prefixes.map(|prefix| self.kinds.contains_key(prefix));
        let mut nodes = self.kinds.iter();
        self.kinds.contains_key("")
            && known.all(|known| known)
            && nodes.all(|(prefix, kind)| self.is_in_a_group(prefix) && self.lists(prefix, *kind))
    }

    fn is_in_a_group(&self, prefix: &str) -> bool {
        let Some(path) = prefix.strip_suffix('/') else {
            return true;
        };
        let at = path.rfind('/').map_or(0, |at| at + 1);
        let around = path.get(..at).and_then(|around| self.kinds.get(around));
        around == Some(&NodeKind::Group)
    }

    /// Checks whether all children listed in a node's netCDF metadata are present.
    fn lists(&self, prefix: &str, kind: NodeKind) -> bool {
        let object = |name: &str| self.objects.get(&format!("{prefix}{name}"));
        let [group, _, attributes] = node::V2;
        let (own, attributes) = match self.version {
            ZarrVersion::V2 => (object(group), object(attributes)),
            ZarrVersion::V3 => (None, object(node::V3).and_then(|own| own.get("attributes"))),
        };
        let objects: Vec<_> = attributes.into_iter().chain(own).collect();
        let Some(part) = NczarrPart::Group.find(&objects) else {
            return true;
        };
        let has = |name: &String, kind| {
            self.kinds.get(format!("{prefix}{name}/").as_str()) == Some(&kind)
        };
        kind == NodeKind::Group
            && Contents::of(part).is_some_and(|contents| {
                let groups = contents
                    .groups
                    .iter()
                    .all(|name| has(name, NodeKind::Group));
                groups
                    && contents
                        .arrays
                        .iter()
                        .all(|name| has(name, NodeKind::Array))
            })
    }
}

/// Returns the kind of the node that an object describes: `Some(None)` for attributes, and `None` for an invalid object.
fn kind((name, json): (&str, &Json), version: ZarrVersion, rank: u32) -> Option<Option<NodeKind>> {
    let [group, array, attributes] = node::V2;
    let found = match version {
        ZarrVersion::V2 if name == attributes => return Some(None),
        ZarrVersion::V2 if name == group => NodeKind::Group,
        ZarrVersion::V2 if name == array => NodeKind::Array,
        ZarrVersion::V3 if name == node::V3 => {
            let said = json.get("node_type").and_then(Json::as_str);
            said.filter(|said| ["array", "group"].contains(said))?;
            node_type(json)
        }
        ZarrVersion::V2 | ZarrVersion::V3 => return None,
    };
    let said = json.get("zarr_format").is_some() && is_version(json, version).is_ok();
    let described = match (found, version) {
        (NodeKind::Group, _) => true,
        (NodeKind::Array, ZarrVersion::V2) => v2::describe(json, rank).is_ok(),
        (NodeKind::Array, ZarrVersion::V3) => v3::describe(json, rank).is_ok(),
    };
    (said && described).then_some(Some(found))
}
