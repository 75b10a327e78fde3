//! The locations of a dimension length in the metadata: shapes of arrays, netCDF's dimensions of a group, and the same numbers in
//! consolidated metadata.

use std::collections::BTreeMap;

use crate::chunk::Reader as _;
use crate::error::{OrInternal as _, Result};
use crate::format::zarr::nczarr::NczarrPart;
use crate::format::zarr::node::{CONSOLIDATED, V2, V3};
use crate::format::zarr::reader::ZarrReader;
use crate::format::zarr::write::keys;
use crate::io::Store;
use crate::io::patched_store::KeyLevel;
use crate::json::{Json, JsonStep};
use crate::model::{DimId, ZarrVersion};

/// The key with a copy of a number, and the path of the copy.
type NumberCopy = (String, Vec<JsonStep>);

/// The reason why metadata cannot be changed in place.
type MetadataObstacle = &'static str;

/// The new length of a dimension.
pub(super) struct LengthChange<'a> {
    /// The dataset with the old length.
    pub reader: &'a ZarrReader,
    pub version: ZarrVersion,
    pub dim: DimId,
    pub len: u64,
}

/// Changed metadata.
pub(super) struct MetadataEdits {
    /// The prefix of the first changed array.
    pub prefix: String,
    pub texts: Vec<ChangedText>,
    /// Whether consolidated metadata changes, too.
    pub is_consolidated: bool,
}

/// The new text of a key.
pub(super) struct ChangedText {
    pub key: String,
    pub level: KeyLevel,
    pub text: Vec<u8>,
}

/// A number in the metadata of a node.
struct NodeNumber {
    /// The key prefix of the node.
    prefix: String,
    /// The name of the metadata object.
    object: &'static str,
    path: Vec<JsonStep>,
    old: u64,
}

/// The numbers of one key to replace.
#[derive(Default)]
struct KeyEdits {
    is_consolidated: bool,
    numbers: Vec<(Vec<JsonStep>, u64)>,
}

impl LengthChange<'_> {
    /// Returns the changed metadata.
    ///
    /// # Errors
    /// Returns store errors.
    pub(super) fn edits(
        &self,
        store: &dyn Store,
    ) -> Result<std::result::Result<MetadataEdits, MetadataObstacle>> {
        let mut numbers = self.shapes()?;
        let Some(prefix) = numbers.first().map(|number| number.prefix.clone()) else {
            return Ok(Err("no variable has the dimension"));
        };
        if self.has_other_version(store, &numbers)? {
            return Ok(Err("the store has metadata of two versions"));
        }
        if self.has_own_metadata() {
            match self.dimension(store)? {
                Some(number) => numbers.push(number),
                None => return Ok(Err("the group does not list the dimension")),
            }
        }
        let mut keys: BTreeMap<String, KeyEdits> = BTreeMap::new();
        for number in numbers {
            let key = format!("{}{}", number.prefix, number.object);
            let edits = keys.entry(key).or_default();
            edits.numbers.push((number.path.clone(), number.old));
            for (key, path) in match self.consolidated(store, &number)? {
                Ok(found) => found,
                Err(obstacle) => return Ok(Err(obstacle)),
            } {
                let edits = keys.entry(key).or_default();
                edits.is_consolidated = true;
                edits.numbers.push((path, number.old));
            }
        }
        let mut edits = MetadataEdits {
            prefix,
            is_consolidated: keys.values().any(|key| key.is_consolidated),
            texts: vec![],
        };
        for (key, change) in keys {
            let text = store.get(&key)?.unwrap_or_default();
            let Some(text) = self.replaced(text, &change.numbers)? else {
                return Ok(Err("metadata and consolidated metadata differ"));
            };
            let level = match change.is_consolidated {
                true => KeyLevel::Consolidated,
                false => KeyLevel::Metadata,
            };
            edits.texts.push(ChangedText { key, level, text });
        }
        Ok(Ok(edits))
    }

    /// Returns whether an array also has metadata of version 2, which readers of this version use.
    fn has_other_version(&self, store: &dyn Store, numbers: &[NodeNumber]) -> Result<bool> {
        let [_, array, _] = V2;
        for number in numbers {
            if number.object != array && store.size(&format!("{}{array}", number.prefix))?.is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the store has netCDF's own metadata.
    fn has_own_metadata(&self) -> bool {
        let zarr = self.reader.schema().kind.as_zarr();
        zarr.is_some_and(|zarr| !zarr.pure)
    }

    /// Returns the lengths in the shapes of all variables with the dimension.
    fn shapes(&self) -> Result<Vec<NodeNumber>> {
        let [_, array, _] = V2;
        let schema = self.reader.schema();
        let mut found = vec![];
        for (id, var) in schema.var_ids().zip(&schema.vars) {
            let stored = &self.reader.data(id)?.array;
            let lens = stored.layout.extent.iter().zip(&var.dims).enumerate();
            for (axis, (len, _)) in lens.filter(|(_, (_, dim))| **dim == self.dim) {
                found.push(NodeNumber {
                    prefix: stored.prefix.clone(),
                    object: match self.version {
                        ZarrVersion::V2 => array,
                        ZarrVersion::V3 => V3,
                    },
                    path: vec![JsonStep::member("shape"), JsonStep::Item(axis)],
                    old: *len,
                });
            }
        }
        Ok(found)
    }

    /// Returns the length in the list of the dimensions of a group.
    fn dimension(&self, store: &dyn Store) -> Result<Option<NodeNumber>> {
        let schema = self.reader.schema();
        let dim = schema.dim(self.dim).or_internal("a dimension")?;
        let prefix = keys::group(schema, dim.group);
        let [group, _, attributes] = V2;
        let places: &[(&'static str, &[JsonStep])] = match self.version {
            ZarrVersion::V2 => &[(attributes, &[]), (group, &[])],
            ZarrVersion::V3 => &[(V3, &[JsonStep::member("attributes")]), (V3, &[])],
        };
        for (object, start) in places {
            let Some(text) = store.get(&format!("{prefix}{object}"))? else {
                continue;
            };
            let json = Json::parse(&text)?;
            let found = json.at(start);
            let Some(part) = found.and_then(|json| part_steps(json, NczarrPart::Group)) else {
                continue;
            };
            let name = dim.name.to_string();
            let path = [start.to_vec(), vec![part]].concat();
            return Ok(dimension_steps(&json, path, &name).map(|path| NodeNumber {
                prefix,
                object,
                path,
                old: dim.len,
            }));
        }
        Ok(None)
    }

    /// Returns the keys with copies of a number, and the paths of the copies.
    fn consolidated(
        &self,
        store: &dyn Store,
        number: &NodeNumber,
    ) -> Result<std::result::Result<Vec<NumberCopy>, MetadataObstacle>> {
        let mut found = vec![];
        for above in above(&number.prefix) {
            let key = format!("{above}{}", object_with_copies(self.version));
            let rest = number.prefix.strip_prefix(above).unwrap_or_default();
            let Some(text) = store.get(&key)? else {
                continue;
            };
            let json = Json::parse(&text)?;
            let places = match self.version {
                ZarrVersion::V2 => v2_places(&json, &format!("{rest}{}", number.object)),
                ZarrVersion::V3 if rest.is_empty() => Some(vec![]),
                ZarrVersion::V3 => v3_places(&json, vec![], rest.trim_end_matches('/')),
            };
            let Some(places) = places else {
                return Ok(Err("the consolidated metadata lacks a variable"));
            };
            for place in places {
                found.push((key.clone(), [place, number.path.clone()].concat()));
            }
        }
        Ok(Ok(found))
    }

    /// Returns a text with the new length at these paths. `None` if an old length differs.
    fn replaced(
        &self,
        mut text: Vec<u8>,
        numbers: &[(Vec<JsonStep>, u64)],
    ) -> Result<Option<Vec<u8>>> {
        for (path, old) in numbers {
            let Some(range) = Json::locate(&text, path)? else {
                return Ok(None);
            };
            let value = text.get(range.clone()).or_internal("a value of JSON")?;
            let list = Json::Array(vec![Json::parse(value)?]);
            if list.lengths().as_deref() != Some(&[*old]) {
                return Ok(None);
            }
            text.splice(range, self.len.to_string().into_bytes());
        }
        Ok(Some(text))
    }
}

fn object_with_copies(version: ZarrVersion) -> &'static str {
    match version {
        ZarrVersion::V2 => CONSOLIDATED,
        ZarrVersion::V3 => V3,
    }
}

/// Returns the prefixes of a node and of all groups above it.
fn above(prefix: &str) -> impl Iterator<Item = &str> {
    let ends = prefix.match_indices('/').map(|(end, _)| end + 1);
    std::iter::once(0)
        .chain(ends)
        .filter_map(|end| prefix.get(..end))
}

/// Returns the path of a metadata object in `.zmetadata`. `None` if the object is missing.
fn v2_places(json: &Json, object: &str) -> Option<Vec<Vec<JsonStep>>> {
    let path = vec![JsonStep::member("metadata"), JsonStep::member(object)];
    json.at(&path)?;
    Some(vec![path])
}

/// Returns the paths of a node in the consolidated metadata of a group, also in groups with consolidated metadata of their own. `None` if
/// the node is missing.
fn v3_places(root: &Json, start: Vec<JsonStep>, node: &str) -> Option<Vec<Vec<JsonStep>>> {
    let more = ["consolidated_metadata", "metadata"].map(JsonStep::member);
    let inside = [start, more.to_vec()].concat();
    let members = root.at(&inside).map(Json::members).unwrap_or_default();
    if members.is_empty() {
        return Some(vec![]);
    }
    let mut found = vec![];
    let mut has_node = false;
    for (name, _) in members {
        let path = || [inside.clone(), vec![JsonStep::member(name)]].concat();
        let own = name.trim_matches('/');
        if own == node {
            has_node = true;
            found.push(path());
        } else if let Some(rest) = node.strip_prefix(own).and_then(|r| r.strip_prefix('/')) {
            found.extend(v3_places(root, path(), rest)?);
        }
    }
    has_node.then_some(found)
}

/// Returns the step to a part of netCDF's metadata.
fn part_steps(json: &Json, part: NczarrPart) -> Option<JsonStep> {
    let names = part.names().iter();
    let mut found = names.filter(|name| matches!(json.get(name), Some(Json::Object(_))));
    found.next().map(|name| JsonStep::member(name))
}

/// Returns the path to the length of a dimension. `path` leads to the metadata of the group.
fn dimension_steps(json: &Json, path: Vec<JsonStep>, name: &str) -> Option<Vec<JsonStep>> {
    let names = ["dimensions", "dims"].map(JsonStep::member);
    let mut lists = names
        .map(|step| [path.clone(), vec![step]].concat())
        .into_iter();
    let list = lists.find(|list| json.at(list).is_some())?;
    let step = match json.at(&list)? {
        Json::Array(items) => {
            let named = |item: &Json| item.get("name").and_then(Json::as_str) == Some(name);
            JsonStep::Item(items.iter().position(named)?)
        }
        Json::Object(_) => JsonStep::member(name),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => return None,
    };
    let dim = [list, vec![step]].concat();
    let size = [dim.clone(), vec![JsonStep::member("size")]].concat();
    match json.at(&size) {
        Some(_) => Some(size),
        None => json.at(&dim).map(|_| dim),
    }
}
