//! A node: a group, an array, or a broken node.

use std::collections::BTreeMap;

use crate::env::Env;
use crate::error::Result;
use crate::format::zarr::raw::RawArray;
use crate::json::Json;
use crate::model::ZarrVersion;
use crate::shown::ShownText;

/// A metadata object.
#[derive(Debug)]
pub struct MetadataObject {
    /// The key.
    pub key: String,
    /// The text size in bytes. `None` for objects in consolidated metadata only.
    pub size: Option<u64>,
    /// The contents.
    pub json: Result<Json>,
}

/// The contents of a node.
#[derive(Debug)]
pub enum NodeContent {
    /// A group.
    Group,
    /// An array.
    Array(Box<RawArray>),
    /// An array or group with invalid metadata, and the defect.
    Broken(String),
    /// A node with attributes only, or without objects that determine the kind.
    Nothing,
}

/// A node.
#[derive(Debug)]
pub struct Node {
    /// The path: empty for the root, else `g/v`.
    pub path: String,
    /// The metadata objects by name (the last part of the key).
    pub objects: BTreeMap<String, MetadataObject>,
    /// The version of the describing object.
    pub version: Option<ZarrVersion>,
    /// The kind and contents.
    pub what: NodeContent,
}

impl Node {
    /// Creates the node with these objects. The later version takes precedence if the node has metadata of two versions.
    pub fn new(path: String, objects: BTreeMap<String, MetadataObject>, env: &Env) -> Self {
        let mut node = Self {
            path,
            objects,
            version: None,
            what: NodeContent::Nothing,
        };
        let has = |name: &str| node.objects.contains_key(name);
        let (version, what) = if has("zarr.json") {
            (Some(ZarrVersion::V3), node.v3(env))
        } else if has(".zarray") {
            (
                Some(ZarrVersion::V2),
                node.array_of(".zarray", ZarrVersion::V2, env),
            )
        } else if has(".zgroup") {
            (Some(ZarrVersion::V2), node.group_of(".zgroup"))
        } else {
            (None, NodeContent::Nothing)
        };
        node.version = version;
        node.what = what;
        node
    }

    fn v3(&self, env: &Env) -> NodeContent {
        match self
            .json("zarr.json")
            .and_then(|j| j.get("node_type")?.as_str())
        {
            Some("array") => self.array_of("zarr.json", ZarrVersion::V3, env),
            Some("group") | None => self.group_of("zarr.json"),
            Some(other) => NodeContent::Broken(format!("a node of an unknown type \"{other}\"")),
        }
    }

    fn group_of(&self, name: &str) -> NodeContent {
        match self.objects.get(name).map(|o| &o.json) {
            Some(Err(e)) => NodeContent::Broken(e.what().to_string()),
            Some(Ok(_)) | None => NodeContent::Group,
        }
    }

    fn array_of(&self, name: &str, version: ZarrVersion, env: &Env) -> NodeContent {
        match self.objects.get(name).map(|o| &o.json) {
            None => NodeContent::Nothing,
            Some(Err(e)) => NodeContent::Broken(e.what().to_string()),
            Some(Ok(json)) => match RawArray::new(json, version, env) {
                Ok(array) => NodeContent::Array(Box::new(array)),
                Err(why) => NodeContent::Broken(why),
            },
        }
    }

    /// Returns the contents of a metadata object, if the object exists and is JSON.
    pub fn json(&self, name: &str) -> Option<&Json> {
        self.objects.get(name)?.json.as_ref().ok()
    }

    /// Returns the attributes as a JSON object: `.zattrs`, or the member of `zarr.json`.
    pub fn attributes(&self) -> Option<&Json> {
        match self.version {
            Some(ZarrVersion::V3) => self.json("zarr.json")?.get("attributes"),
            Some(ZarrVersion::V2) | None => self.json(".zattrs"),
        }
    }

    /// Returns the array, if the node is an array.
    pub fn array(&self) -> Option<&RawArray> {
        match &self.what {
            NodeContent::Array(array) => Some(array),
            NodeContent::Group | NodeContent::Broken(_) | NodeContent::Nothing => None,
        }
    }

    /// Returns the path with a leading `/`, for users.
    pub fn shown(&self) -> String {
        ShownText::new(&format!("/{}", self.path)).to_string()
    }

    /// Returns the number of enclosing groups: 0 for the root, 1 for nodes directly below.
    pub fn depth(&self) -> usize {
        match self.path.as_str() {
            "" => 0,
            path => path.split('/').count(),
        }
    }
}
