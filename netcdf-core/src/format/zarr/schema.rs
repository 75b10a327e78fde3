//! Builds the store schema by iterating over groups and arrays.

use std::collections::BTreeMap;

use super::array::{ArrayDescription, is_version};
use super::levels::Levels;
use super::meta::MetadataReader;
use super::nczarr::{self, Contents, Extras, NczarrPart};
use super::node::{self, NodeKind, TRIED, node_type};
use super::shard_decoding::ShardDecoding;
use super::{v2, v3};
use crate::chunk::layout::Layout;
use crate::chunk::texts::Texts;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::model::name::{ByName, Interner};
use crate::model::{DimId, Dimension, Endianness, GroupId, Kind, Name, Schema, Zarr, ZarrVersion};
use crate::notes::Note;

/// An array that became a variable.
#[derive(Debug)]
pub(super) struct Array {
    /// The contents of the metadata.
    pub described: ArrayDescription,
    /// The key prefix: empty, or ending in `/`.
    pub prefix: String,
    /// The chunk layout.
    pub layout: Layout,
    /// The storage of variable-length texts, if any.
    pub texts: Option<Texts>,
    /// The decoder of shards with codecs for complete shards.
    pub whole: Option<ShardDecoding>,
}

/// The node metadata objects.
#[derive(Debug, Clone)]
pub(super) struct NodeObjects {
    /// `.zgroup`, `.zarray` or `zarr.json`.
    pub own: Json,
    /// The attributes.
    pub attributes: Json,
}

/// Builds the store schema.
pub(super) struct StoreBuilder<'a> {
    /// The source of the metadata.
    pub meta: MetadataReader<'a>,
    /// The version, and whether netCDF's own metadata is used.
    pub zarr: Zarr,
    /// Whether netCDF's own metadata is in separate objects.
    pub objects: bool,
    /// The schema so far.
    pub schema: Schema,
    /// Parallel to `schema.vars`.
    pub arrays: Vec<Array>,
    /// `_NCProperties`.
    pub properties: Option<Vec<u8>>,
    /// The version of netCDF's superblock; 0 without a superblock.
    pub superblock: u32,
    /// The names seen so far.
    pub names: Interner,
    /// The group contents, by name.
    known: BTreeMap<GroupId, KnownNames>,
}

/// The dimensions and subgroups of a group by name. The first entry wins if names repeat.
#[derive(Debug, Default)]
struct KnownNames {
    dims: ByName<DimId>,
    groups: ByName<GroupId>,
}

impl<'a> StoreBuilder<'a> {
    /// Creates a builder for a store of this version.
    ///
    /// # Errors
    /// Returns errors from reading the root metadata.
    pub(super) fn new(mut meta: MetadataReader<'a>, version: ZarrVersion) -> Result<Self> {
        let objects = version == ZarrVersion::V2 && meta.exists(".nczarr")?;
        let superblock = match root_objects(&mut meta, version)? {
            Some(root) => NczarrPart::Superblock
                .find(&[&root.attributes, &root.own])
                .cloned(),
            None => None,
        };
        let superblock = match superblock {
            None if objects => meta.get(".nczarr")?,
            found => found,
        };
        let pure = meta.store.hints().pure || superblock.is_none();
        let zarr = Zarr { version, pure };
        Ok(Self {
            meta,
            zarr,
            objects,
            schema: Schema {
                json_texts: pure,
                ..Schema::new(Kind::zarr(zarr))
            },
            arrays: vec![],
            properties: None,
            superblock: superblock.as_ref().map_or(0, nczarr::version),
            names: Interner::default(),
            known: BTreeMap::new(),
        })
    }

    /// Builds the schema of the whole store.
    ///
    /// # Errors
    /// Returns damage that is not tolerated, or store errors.
    pub(super) fn build(&mut self) -> Result<()> {
        if self.meta.store.latency() && self.meta.has_objects() {
            Levels::of(&self.meta, self.zarr, self.objects).read()?;
        }
        match self.kind("")? {
            Some(NodeKind::Array) => {
                let name = title(self.meta.store.name());
                let done = self.array(GroupId::ROOT, &name, "");
                done.or_else(|e| self.meta.env.damage.meet_lost(e))
            }
            Some(NodeKind::Group) | None => self.group(GroupId::ROOT, "", 0),
        }
    }

    /// Returns the node kind below a prefix, if the node has metadata.
    fn kind(&mut self, prefix: &str) -> Result<Option<NodeKind>> {
        match self.zarr.version {
            ZarrVersion::V2 => {
                let [group, array, _] = node::V2;
                if self.meta.exists(&format!("{prefix}{array}"))? {
                    return Ok(Some(NodeKind::Array));
                }
                let group = self.meta.exists(&format!("{prefix}{group}"))?;
                Ok(group.then_some(NodeKind::Group))
            }
            ZarrVersion::V3 => {
                let key = format!("{prefix}{}", node::V3);
                let json = match self.meta.get(&key) {
                    Ok(json) => json,
                    Err(e) if e.kind() == ErrorKind::Corrupt => {
                        self.meta.env.damage.meet(e)?;
                        None
                    }
                    Err(e) => return Err(e),
                };
                Ok(json.map(|json| node_type(&json)))
            }
        }
    }

    /// Returns the node metadata objects.
    pub(super) fn objects_of(
        &mut self,
        prefix: &str,
        node: NodeKind,
    ) -> Result<Option<NodeObjects>> {
        objects(&mut self.meta, self.zarr.version, (prefix, node))
    }

    /// Returns a part of netCDF's own metadata.
    pub(super) fn part(
        &mut self,
        part: NczarrPart,
        prefix: &str,
        objects: &NodeObjects,
    ) -> Result<Option<Json>> {
        if let Some(found) = part.find(&[&objects.attributes, &objects.own]) {
            return Ok(Some(found.clone()));
        }
        for key in part.keys().iter().filter(|_| self.objects) {
            if let Some(found) = self.meta.get(&format!("{prefix}{key}"))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Notes a tolerated defect of an object.
    pub(super) fn note(&self, path: &str, what: impl Into<String>) {
        self.meta.env.notes.say(Note {
            object: format!("{}: {path}", self.meta.store.name()),
            what: what.into(),
            remedy: None,
        });
    }

    fn group(&mut self, id: GroupId, prefix: &str, depth: u32) -> Result<()> {
        self.meta.env.cancel.check()?;
        if depth > self.meta.env.limits.groups {
            let what = format!(
                "groups nested more than {} deep",
                self.meta.env.limits.groups
            );
            return Err(Error::new(ErrorKind::Limit, what)
                .in_object(prefix)
                .of(self.meta.store.name()));
        }
        let objects = self.group_objects(prefix)?;
        let types = self.part(NczarrPart::Attributes, prefix, &objects)?;
        self.group_attributes(id, &objects.attributes, types.as_ref());
        let contents = self.contents(prefix, &objects)?;
        for dim in &contents.dims {
            self.define(id, &dim.name, dim.len, dim.unlimited);
        }
        for name in unique(&contents.arrays) {
            if self.is_name(prefix, name) {
                let done = self.array(id, name, &format!("{prefix}{name}/"));
                done.or_else(|e| self.meta.env.damage.meet_lost(e))?;
            }
        }
        let mut groups = vec![];
        for name in unique(&contents.groups) {
            if self.is_name(prefix, name) {
                groups.push((self.add_group(id, name), name));
            }
        }
        for (group, name) in groups {
            self.group(group, &format!("{prefix}{name}/"), depth + 1)?;
        }
        Ok(())
    }

    /// Returns the group metadata objects; empty objects for damaged metadata.
    fn group_objects(&mut self, prefix: &str) -> Result<NodeObjects> {
        let objects = match self.objects_of(prefix, NodeKind::Group) {
            Ok(found) => found.unwrap_or_else(empty),
            Err(e) => {
                self.meta.env.damage.meet_lost(e)?;
                empty()
            }
        };
        let key = match self.zarr.version {
            ZarrVersion::V2 => node::V2[0],
            ZarrVersion::V3 => node::V3,
        };
        let right = match matches!(objects.own, Json::Object(_)) {
            true => is_version(&objects.own, self.zarr.version),
            false => Err("the metadata of a group is not a JSON object".to_owned()),
        };
        if let Err(what) = right {
            let e = self.meta.wrong(&format!("{prefix}{key}"), what);
            self.meta.env.damage.meet(e)?;
        }
        Ok(objects)
    }

    /// Returns the group contents from netCDF's own metadata, or else from the keys of the store.
    fn contents(&mut self, prefix: &str, objects: &NodeObjects) -> Result<Contents> {
        if !self.zarr.pure
            && let Some(json) = self.part(NczarrPart::Group, prefix, objects)?
        {
            if let Some(contents) = Contents::of(&json) {
                return Ok(contents);
            }
            let what = "the list of the group's contents is damaged";
            self.meta.env.damage.meet(self.meta.wrong(prefix, what))?;
        }
        self.listed(prefix)
    }

    /// Finds the groups and arrays below a prefix.
    fn listed(&mut self, prefix: &str) -> Result<Contents> {
        let mut contents = Contents::default();
        for name in self.meta.children(prefix)? {
            self.meta.env.cancel.check()?;
            let below = format!("{prefix}{name}/");
            let node = self.node_below(&below);
            let lost = |e| self.meta.env.damage.meet_lost(e).map(|()| None);
            match node.or_else(lost)? {
                Some(NodeKind::Array) => contents.arrays.push(name),
                Some(NodeKind::Group) => contents.groups.push(name),
                None => {}
            }
        }
        Ok(contents)
    }

    /// Returns the node kind below a prefix. The node may have no metadata.
    fn node_below(&mut self, prefix: &str) -> Result<Option<NodeKind>> {
        match self.kind(prefix)? {
            Some(node) => Ok(Some(node)),
            None => Ok(self.holds_nodes(prefix)?.then_some(NodeKind::Group)),
        }
    }

    /// Checks whether a prefix directly contains groups or arrays, and therefore is a group without metadata.
    fn holds_nodes(&mut self, prefix: &str) -> Result<bool> {
        for name in self.meta.children(prefix)?.iter().take(TRIED) {
            let below = format!("{prefix}{name}/");
            let keys = match self.zarr.version {
                ZarrVersion::V2 => &node::V2[..2],
                ZarrVersion::V3 => &[node::V3],
            };
            for key in keys {
                if self.meta.exists(&format!("{below}{key}"))? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Checks whether a node name is valid, and notes an invalid name.
    fn is_name(&self, prefix: &str, name: &str) -> bool {
        let odd = name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']);
        if odd {
            self.note(
                &format!("/{prefix}"),
                format!(
                    "\"{}\" is not a valid name of an object",
                    name.escape_debug()
                ),
            );
        }
        !odd
    }

    /// Defines a dimension.
    pub(super) fn define(
        &mut self,
        group: GroupId,
        name: &str,
        len: u64,
        unlimited: bool,
    ) -> DimId {
        let name = self.names.stored(name.as_bytes());
        let id = self.schema.add_dim(Dimension {
            name: name.clone(),
            group,
            len,
            unlimited,
        });
        let known = self.known.entry(group).or_default();
        known.dims.entry(name).or_insert(id);
        id
    }

    fn add_group(&mut self, parent: GroupId, name: &str) -> GroupId {
        let name = self.names.stored(name.as_bytes());
        let id = self.schema.add_group(parent, name.clone());
        let known = self.known.entry(parent).or_default();
        known.groups.entry(name).or_insert(id);
        id
    }

    /// Returns the dimension of this name in a group.
    pub(super) fn dim_of(&self, group: GroupId, name: &str) -> Option<DimId> {
        let known = self.known.get(&group)?;
        known.dims.get(name.as_bytes()).copied()
    }

    /// Returns the subgroup of this name in a group.
    pub(super) fn group_of(&self, group: GroupId, name: &str) -> Option<GroupId> {
        let known = self.known.get(&group)?;
        known.groups.get(name.as_bytes()).copied()
    }

    /// Describes the array below a prefix.
    pub(super) fn describe(
        &mut self,
        prefix: &str,
    ) -> Result<(ArrayDescription, NodeObjects, Extras)> {
        let Some(objects) = self.objects_of(prefix, NodeKind::Array)? else {
            return Err(self
                .meta
                .wrong(prefix, "the group lists this array, but it does not exist"));
        };
        let rank = self.meta.env.limits.rank;
        let described = match self.zarr.version {
            ZarrVersion::V2 => v2::describe(&objects.own, rank),
            ZarrVersion::V3 => v3::describe(&objects.own, rank),
        };
        let mut described = described.map_err(|what| self.meta.wrong(prefix, what))?;
        if self.objects || objects.own.get("_NCZARR_ARRAY").is_some() {
            // netCDF-C up to 4.9.0 writes big-endian types, but stores numbers in native byte order.
            let order = described.stored.order.map(|_| Endianness::Little);
            described.stored.order = order.filter(|_| described.stored.size() != Some(1));
        }
        let extras = match self.zarr.pure {
            true => None,
            false => self.part(NczarrPart::Array, prefix, &objects)?,
        };
        let extras = extras.as_ref().map(Extras::of).unwrap_or_default();
        Ok((described, objects, extras))
    }

    /// Returns the path of a name in a group, for messages.
    pub(super) fn path(&self, group: GroupId, name: &str) -> String {
        let path = self.schema.group_path(group);
        format!("{}/{name}", if path == "/" { "" } else { &path })
    }

    /// Returns a name, exactly as in the store.
    pub(super) fn name(&mut self, name: &str) -> Name {
        self.names.stored(name.as_bytes())
    }
}

fn empty() -> NodeObjects {
    NodeObjects {
        own: Json::Object(vec![]),
        attributes: Json::Object(vec![]),
    }
}

/// Returns the distinct names.
fn unique(names: &[String]) -> Vec<&String> {
    let mut known = std::collections::HashSet::new();
    names.iter().filter(|name| known.insert(*name)).collect()
}

/// Returns the node metadata objects.
fn objects(
    meta: &mut MetadataReader<'_>,
    version: ZarrVersion,
    (prefix, node): (&str, NodeKind),
) -> Result<Option<NodeObjects>> {
    let [group, array, attributes] = node::V2;
    let key = match (version, node) {
        (ZarrVersion::V2, NodeKind::Group) => group,
        (ZarrVersion::V2, NodeKind::Array) => array,
        (ZarrVersion::V3, _) => node::V3,
    };
    let own = meta.get(&format!("{prefix}{key}"))?;
    let attributes = match (version, &own) {
        (ZarrVersion::V2, _) => meta.get(&format!("{prefix}{attributes}"))?,
        (ZarrVersion::V3, own) => own.as_ref().and_then(|own| own.get("attributes").cloned()),
    };
    if own.is_none() && attributes.is_none() || own.is_none() && node == NodeKind::Array {
        return Ok(None);
    }
    Ok(Some(NodeObjects {
        own: own.unwrap_or(Json::Object(vec![])),
        attributes: attributes.unwrap_or(Json::Object(vec![])),
    }))
}

/// Returns the metadata objects of the root, which is a group or an array.
pub(super) fn root_objects(
    meta: &mut MetadataReader<'_>,
    version: ZarrVersion,
) -> Result<Option<NodeObjects>> {
    let group = objects(meta, version, ("", NodeKind::Group))?;
    match group {
        Some(group) => Ok(Some(group)),
        None => objects(meta, version, ("", NodeKind::Array)),
    }
}

/// Returns the variable name for an array at the root: the store name up to the first dot.
fn title(store: &str) -> String {
    let store = store.split('#').next().unwrap_or_default();
    let last = store
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let name = last.split('.').next().unwrap_or_default();
    if name.is_empty() {
        "array".to_owned()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        assert_eq!(title("/data/sst.zarr"), "sst");
        assert_eq!(title("file:///data/sst.zarr/#mode=zarr"), "sst");
        assert_eq!(title(".."), "array");
    }
}
