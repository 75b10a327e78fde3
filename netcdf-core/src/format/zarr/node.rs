//! Nodes of a store: node kinds, and names of metadata objects.

use crate::json::Json;

/// The format name in messages.
pub(super) const FORMAT_NAME: &str = "Zarr";

/// The names of version 2 metadata objects.
pub(super) const V2: [&str; 3] = [".zgroup", ".zarray", ".zattrs"];
/// The name of version 3 metadata objects.
pub(super) const V3: &str = "zarr.json";

/// The name of version 2 consolidated metadata.
pub(super) const CONSOLIDATED: &str = ".zmetadata";
/// The name of the superblock of netCDF-C 4.8.0, which stores netCDF metadata in separate objects.
pub(super) const SUPERBLOCK: &str = ".nczarr";

/// Checks whether a name below a group may name a group or array.
#[must_use]
pub(super) fn may_be_node(name: &str) -> bool {
    !name.starts_with('.') && name != V3
}

/// Maximum number of names below a name without metadata to check for nodes.
pub(super) const TRIED: usize = 64;

/// The node kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// A group.
    Group,
    /// An array.
    Array,
}

/// Returns the node kind according to `zarr.json`.
pub(super) fn node_type(json: &Json) -> NodeKind {
    match json.get("node_type").and_then(Json::as_str) {
        Some("array") => NodeKind::Array,
        _ => NodeKind::Group,
    }
}
