//! Prefetches the metadata objects of a store level by level. The number of round trips is then small, even on a store with high latency.
//!
//! [`crate::io::prefetch`] caches the responses. The traversal that builds the schema fetches one object at a time, as in any other store,
//! and requests missing objects again. This module decides nothing, and reports no errors.
//!
//! Groups with netCDF metadata about their contents are not listed. Arrays are not listed either, because an array may have millions of
//! chunks.

use std::sync::Arc;

use super::meta::{self, MetadataReader};
use super::nczarr::{Contents, NczarrPart};
use super::node::{self, NodeKind, TRIED, may_be_node, node_type};
use crate::env::Env;
use crate::error::Result;
use crate::io::Store;
use crate::io::store::KeyContent;
use crate::json::Json;
use crate::model::{Zarr, ZarrVersion};

/// Maximum number of requests per round trip.
const ROUND: usize = 4096;

/// Prefetcher for the metadata levels of a store.
pub(super) struct Levels<'a> {
    store: &'a Arc<dyn Store>,
    env: &'a Env,
    zarr: Zarr,
    /// Whether netCDF's own metadata is in separate objects.
    objects: bool,
    /// The remaining limit for metadata text in bytes.
    left: u64,
}

/// A name that may be a node.
struct NodeCandidate {
    prefix: String,
    /// The kind according to the enclosing group.
    kind: Option<NodeKind>,
    /// Whether the node may be a group without metadata.
    bare: bool,
}

/// A group, or a name that may be a group.
struct ZarrGroup {
    prefix: String,
    /// The contents, if netCDF metadata lists them.
    contents: Option<Contents>,
    /// Whether the node has metadata.
    known: bool,
}

impl<'a> Levels<'a> {
    /// Creates the prefetcher of a store. `objects`: netCDF's own metadata is in separate objects.
    #[must_use]
    pub(super) fn of(meta: &MetadataReader<'a>, zarr: Zarr, objects: bool) -> Self {
        Self {
            store: meta.store,
            env: meta.env,
            zarr,
            objects,
            left: meta::AHEAD,
        }
    }

    /// Prefetches all metadata.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Cancelled`].
    pub(super) fn read(mut self) -> Result<()> {
        let root = NodeCandidate {
            prefix: String::new(),
            kind: None,
            bare: true,
        };
        let mut level = vec![root];
        for _ in 0..=self.env.limits.groups {
            let groups = self.ask(&level)?;
            level = self.child_nodes(groups)?;
            if level.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Fetches the objects of a level, and returns the groups.
    fn ask(&mut self, level: &[NodeCandidate]) -> Result<Vec<ZarrGroup>> {
        let mut groups = vec![];
        let most = self.names(None).len();
        for part in level.chunks((ROUND / most).max(1)) {
            self.env.cancel.check()?;
            let mut keys = vec![];
            for NodeCandidate { prefix, kind, .. } in part {
                let names = self.names(*kind).into_iter();
                keys.extend(names.map(|name| format!("{prefix}{name}")));
            }
            let mut got = self.store.get_many(&keys, self.left).into_iter();
            for candidate in part {
                let names = self.names(candidate.kind).into_iter();
                let answers = Answers(names.zip(got.by_ref()).collect());
                self.left = self.left.saturating_sub(answers.bytes());
                groups.extend(self.group(candidate, &answers));
            }
        }
        Ok(groups)
    }

    /// Returns the object names of a node.
    fn names(&self, kind: Option<NodeKind>) -> Vec<&'static str> {
        if self.zarr.version == ZarrVersion::V3 {
            return vec![node::V3];
        }
        let [group, array, attributes] = node::V2;
        let is = |of| kind.is_none_or(|kind| kind == of);
        let mut names = vec![attributes];
        names.extend(is(NodeKind::Group).then_some(group));
        names.extend(is(NodeKind::Array).then_some(array));
        if self.objects {
            names.extend(NczarrPart::Attributes.keys());
            names.extend(
                NczarrPart::Group
                    .keys()
                    .iter()
                    .filter(|_| is(NodeKind::Group)),
            );
            names.extend(
                NczarrPart::Array
                    .keys()
                    .iter()
                    .filter(|_| is(NodeKind::Array)),
            );
        }
        names
    }

    /// Returns the possible group that the node objects describe, or `None` for an array.
    fn group(&self, candidate: &NodeCandidate, answers: &Answers) -> Option<ZarrGroup> {
        let [group, _, attributes] = node::V2;
        let (own, attributes) = match self.zarr.version {
            ZarrVersion::V2 => (answers.json(group), answers.json(attributes)),
            ZarrVersion::V3 => {
                let own = answers.json(node::V3);
                let attributes = own.as_ref().and_then(|own| own.get("attributes").cloned());
                (own, attributes)
            }
        };
        let kind = answers.kind(own.as_ref()).or(candidate.kind);
        let known = kind.is_some() || candidate.prefix.is_empty();
        if kind == Some(NodeKind::Array) || !(known || candidate.bare) {
            return None;
        }
        let objects: Vec<_> = attributes.iter().chain(&own).collect();
        let part = NczarrPart::Group.find(&objects).cloned();
        let mut keys = NczarrPart::Group.keys().iter();
        let part = part.or_else(|| keys.find_map(|name| answers.json(name)));
        let part = part.filter(|_| !self.zarr.pure);
        Some(ZarrGroup {
            prefix: candidate.prefix.clone(),
            contents: part.and_then(|part| Contents::of(&part)),
            known,
        })
    }

    /// Returns the possible nodes in groups.
    fn child_nodes(&self, groups: Vec<ZarrGroup>) -> Result<Vec<NodeCandidate>> {
        let mut found = vec![];
        let mut unknown = vec![];
        for group in groups {
            match &group.contents {
                Some(contents) => found.extend(group.in_metadata(contents)),
                None => unknown.push(group),
            }
        }
        for part in unknown.chunks(ROUND) {
            self.env.cancel.check()?;
            let prefixes: Vec<_> = part.iter().map(|group| group.prefix.clone()).collect();
            let lists = self.store.children_many(&prefixes);
            for (group, names) in part.iter().zip(lists) {
                found.extend(group.in_listing(&names.unwrap_or_default()));
            }
        }
        Ok(found)
    }
}

impl ZarrGroup {
    /// Returns the nodes that netCDF's own metadata lists.
    fn in_metadata(&self, contents: &Contents) -> Vec<NodeCandidate> {
        let arrays = contents.arrays.iter().map(|name| (name, NodeKind::Array));
        let groups = contents.groups.iter().map(|name| (name, NodeKind::Group));
        let all = arrays.chain(groups);
        let candidate = |(name, kind)| NodeCandidate {
            prefix: format!("{}{name}/", self.prefix),
            kind: Some(kind),
            bare: true,
        };
        all.map(candidate).collect()
    }

    /// Returns the possible nodes among listed names. A group without metadata needs arrays or groups with metadata directly below.
    fn in_listing(&self, names: &[String]) -> Vec<NodeCandidate> {
        let names = names.iter().filter(|name| may_be_node(name));
        let most = if self.known { usize::MAX } else { TRIED };
        let candidate = |name| NodeCandidate {
            prefix: format!("{}{name}/", self.prefix),
            kind: None,
            bare: self.known,
        };
        names.take(most).map(candidate).collect()
    }
}

/// The fetched objects of a node, by name.
struct Answers(Vec<(&'static str, Result<KeyContent>)>);

impl Answers {
    fn get(&self, name: &str) -> Option<&KeyContent> {
        let (_, content) = self.0.iter().find(|(of, _)| *of == name)?;
        content.as_ref().ok()
    }

    fn json(&self, name: &str) -> Option<Json> {
        match self.get(name)? {
            KeyContent::Bytes(bytes) => Json::parse(bytes).ok(),
            KeyContent::Missing | KeyContent::Longer(_) => None,
        }
    }

    /// Returns the total size in bytes.
    fn bytes(&self) -> u64 {
        let bytes = self.0.iter().map(|(_, content)| match content {
            Ok(KeyContent::Bytes(bytes)) => bytes.len() as u64,
            Ok(KeyContent::Missing | KeyContent::Longer(_)) | Err(_) => 0,
        });
        bytes.sum()
    }

    /// Returns the node kind that the objects describe. `own` is the object of version 3.
    fn kind(&self, own: Option<&Json>) -> Option<NodeKind> {
        let there = |name| self.get(name).is_some_and(|c| *c != KeyContent::Missing);
        let [group, array, _] = node::V2;
        if there(node::V3) {
            return own.map(node_type);
        }
        match there(array) {
            true => Some(NodeKind::Array),
            false => there(group).then_some(NodeKind::Group),
        }
    }
}
