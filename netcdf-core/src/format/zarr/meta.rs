//! The metadata objects of a store, read one by one or from the consolidated metadata.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::io::Store;
use crate::json::Json;
use crate::model::ZarrVersion;

/// The names of metadata objects of version 2.
pub const V2: [&str; 3] = [".zgroup", ".zarray", ".zattrs"];
/// The name of a metadata object of version 3.
pub const V3: &str = "zarr.json";

/// Approximate bytes of memory, at most, for each byte of JSON text.
const IN_MEMORY: u64 = 32;

/// Reads metadata objects.
pub struct Metadata<'a> {
    /// The store.
    pub store: &'a Arc<dyn Store>,
    /// Limits and notes.
    pub env: &'a Env,
    /// The objects of the consolidated metadata, by key, if they are used.
    consolidated: Option<BTreeMap<String, Json>>,
    /// Bytes of text that may still be read.
    left: u64,
}

impl<'a> Metadata<'a> {
    /// The metadata of a store. Consolidated metadata is used on request and, in version 2, if the root has no metadata of its own.
    ///
    /// # Errors
    /// Those of the store; [`ErrorKind::Corrupt`] for invalid consolidated metadata.
    pub fn open(store: &'a Arc<dyn Store>, version: ZarrVersion, env: &'a Env) -> Result<Self> {
        let mut metadata = Self {
            store,
            env,
            consolidated: None,
            left: env.limits.metadata / IN_MEMORY,
        };
        let wished = store.hints().consolidated;
        match version {
            ZarrVersion::V2 => {
                let own = metadata.exists(".zgroup")? || metadata.exists(".zarray")?;
                if wished || !own {
                    metadata.consolidated = metadata.consolidated_v2()?;
                }
            }
            ZarrVersion::V3 if wished => metadata.consolidated = metadata.consolidated_v3()?,
            ZarrVersion::V3 => {}
        }
        Ok(metadata)
    }

    fn consolidated_v2(&mut self) -> Result<Option<BTreeMap<String, Json>>> {
        let Some(all) = self.get(".zmetadata")? else {
            return Ok(None);
        };
        let found = match all.get("metadata") {
            Some(Json::Object(members)) => members.iter().cloned().collect(),
            _ => return Err(self.wrong(".zmetadata", "no object \"metadata\"")),
        };
        Ok(Some(found))
    }

    fn consolidated_v3(&mut self) -> Result<Option<BTreeMap<String, Json>>> {
        let Some(root) = self.get(V3)? else {
            return Ok(None);
        };
        let nodes = root
            .get("consolidated_metadata")
            .and_then(|c| c.get("metadata"));
        let Some(nodes) = nodes.map(Json::members).filter(|nodes| !nodes.is_empty()) else {
            return Ok(None);
        };
        let key = |path: &String| format!("{}/{V3}", path.trim_matches('/'));
        let mut found: BTreeMap<_, _> = nodes
            .iter()
            .map(|(path, j)| (key(path), j.clone()))
            .collect();
        found.insert(V3.to_owned(), root);
        Ok(Some(found))
    }

    /// An error about an object.
    pub fn wrong(&self, key: &str, what: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::Corrupt, what)
            .in_object(key)
            .of(self.store.name())
    }

    /// The object with this key, if there is one.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it is not JSON, [`ErrorKind::Limit`] if it is too large; those of the store.
    pub fn get(&mut self, key: &str) -> Result<Option<Json>> {
        if let Some(all) = &self.consolidated {
            return Ok(all.get(key).cloned());
        }
        let Some(size) = self.store.size(key)? else {
            return Ok(None);
        };
        self.take(size, key)?;
        let Some(text) = self.store.get(key)? else {
            return Ok(None);
        };
        let json = Json::parse(&text).map_err(|e| e.of(self.store.name()));
        json.in_object(|| key.to_owned()).map(Some)
    }

    /// Counts bytes of memory, beyond those for JSON, that the object with this key needs.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if there are too many.
    pub fn memory(&mut self, bytes: u64, key: &str) -> Result<()> {
        self.take(bytes / IN_MEMORY, key)
    }

    /// Counts bytes of text against the limit.
    fn take(&mut self, text: u64, key: &str) -> Result<()> {
        let left = self.left.checked_sub(text);
        self.left = left.ok_or_else(|| {
            let what = "more metadata than the limit allows";
            Error::new(ErrorKind::Limit, what)
                .in_object(key)
                .of(self.store.name())
        })?;
        Ok(())
    }

    /// True if there is an object with this key.
    ///
    /// # Errors
    /// Those of the store.
    pub fn exists(&self, key: &str) -> Result<bool> {
        match &self.consolidated {
            Some(all) => Ok(all.contains_key(key)),
            None => Ok(self.store.size(key)?.is_some()),
        }
    }

    /// Names directly below a prefix that may be groups or arrays, sorted.
    ///
    /// # Errors
    /// Those of the store.
    pub fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let mut names = match &self.consolidated {
            None => self.store.children(prefix)?,
            Some(all) => {
                let below = all.range(prefix.to_owned()..).map(|(key, _)| key);
                let below = below.map_while(|key| key.strip_prefix(prefix));
                below
                    .filter_map(|rest| Some(rest.split_once('/')?.0.to_owned()))
                    .collect()
            }
        };
        names.retain(|name| !name.starts_with('.') && name != V3);
        names.sort();
        names.dedup();
        Ok(names)
    }
}
