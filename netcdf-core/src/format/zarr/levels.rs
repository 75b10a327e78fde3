//! Asks for the metadata objects of a store level by level: few rounds of requests are then enough, where each takes long.
//!
//! [`crate::io::prefetch`] keeps the answers. The walk that builds the schema asks for one object at a time, as in any other store, and asks
//! again for what is not there. Nothing is decided here, and no error is reported.
//!
//! Groups whose contents netCDF's own metadata tells are not listed; neither are arrays, which may have millions of chunks.

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

/// Most requests of a round.
const ROUND: usize = 4096;

/// Reads the levels of a store.
pub(super) struct Levels<'a> {
    store: &'a Arc<dyn Store>,
    env: &'a Env,
    zarr: Zarr,
    /// Whether netCDF's own metadata is in separate objects.
    objects: bool,
    /// Bytes of text that may still be asked for.
    left: u64,
}

/// What may be a node.
struct NodeCandidate {
    prefix: String,
    /// What the group around it says that it is.
    kind: Option<NodeKind>,
    /// Whether it may be a group even if it has no metadata.
    bare: bool,
}

/// A group, or what may be one.
struct ZarrGroup {
    prefix: String,
    /// What is in it, if that is known.
    contents: Option<Contents>,
    /// Whether it has metadata.
    known: bool,
}

impl<'a> Levels<'a> {
    /// The levels of a store; `objects` says whether netCDF's own metadata is in separate objects.
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

    /// Asks for all metadata.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Cancelled`].
    pub(super) fn read(mut self) -> Result<()> {
        let root = NodeCandidate {
            prefix: String::new(),
            kind: None,
            bare: true,
        };
        let mut level = vec![root];
        for _ in 0..=self.env.limits.groups {
            let groups = self.ask(&level)?;
            level = self.below(groups)?;
            if level.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Asks for the objects of a level; returns its groups.
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

    /// The names of the objects of a node.
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

    /// What may be a group, from the contents of its objects; `None` for an array.
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

    /// What may be in groups.
    fn below(&self, groups: Vec<ZarrGroup>) -> Result<Vec<NodeCandidate>> {
        let mut found = vec![];
        let mut unknown = vec![];
        for group in groups {
            match &group.contents {
                Some(contents) => found.extend(group.told(contents)),
                None => unknown.push(group),
            }
        }
        for part in unknown.chunks(ROUND) {
            self.env.cancel.check()?;
            let prefixes: Vec<_> = part.iter().map(|group| group.prefix.clone()).collect();
            let lists = self.store.children_many(&prefixes);
            for (group, names) in part.iter().zip(lists) {
                found.extend(group.listed(&names.unwrap_or_default()));
            }
        }
        Ok(found)
    }
}

impl ZarrGroup {
    /// What netCDF's own metadata says is in it.
    fn told(&self, contents: &Contents) -> Vec<NodeCandidate> {
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

    /// What a list says is in it. If it has no metadata, only its arrays and groups with metadata make it a group.
    fn listed(&self, names: &[String]) -> Vec<NodeCandidate> {
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

/// The objects of a node that were asked for, by name.
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

    /// Bytes of all of them.
    fn bytes(&self) -> u64 {
        let bytes = self.0.iter().map(|(_, content)| match content {
            Ok(KeyContent::Bytes(bytes)) => bytes.len() as u64,
            Ok(KeyContent::Missing | KeyContent::Longer(_)) | Err(_) => 0,
        });
        bytes.sum()
    }

    /// The kind of node that they describe; `own` is that of version 3.
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
