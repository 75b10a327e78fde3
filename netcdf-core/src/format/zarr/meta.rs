//! The metadata objects of a store, read one by one or from the consolidated metadata.
//!
//! [`super::consolidated`] specifies when consolidated metadata is used.

use std::sync::Arc;

use super::consolidated::{self, Objects};
use super::node::{CONSOLIDATED, SUPERBLOCK, V2, V3, may_be_node};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::io::Store;
use crate::json::Json;
use crate::model::ZarrVersion;

/// Errors of consolidated metadata that are ignored unless the metadata is used.
const UNUSABLE: [ErrorKind; 3] = [ErrorKind::Corrupt, ErrorKind::Limit, ErrorKind::NoContent];

/// Maximum size of prefetched metadata text in bytes.
pub(super) const AHEAD: u64 = 64 << 20;

/// Asks for the objects with these names below prefixes, all at once. [`crate::io::prefetch`] keeps the answers.
pub(super) fn ahead(store: &Arc<dyn Store>, prefixes: &[String], names: &[&str]) {
    let mut keys = Vec::with_capacity(prefixes.len() * names.len());
    for prefix in prefixes {
        keys.extend(names.iter().map(|name| format!("{prefix}{name}")));
    }
    // Ignore errors here: the later read of a key reports them.
    drop(store.get_many(&keys, AHEAD));
}

/// Returns the object that may contain consolidated metadata.
fn consolidated_in(version: ZarrVersion) -> &'static str {
    match version {
        ZarrVersion::V2 => CONSOLIDATED,
        ZarrVersion::V3 => V3,
    }
}

/// Approximate maximum memory in bytes per byte of JSON text.
const IN_MEMORY: u64 = 32;

/// Reads metadata objects.
pub(super) struct MetadataReader<'a> {
    /// The store.
    pub store: &'a Arc<dyn Store>,
    /// Limits and notes.
    pub env: &'a Env,
    version: ZarrVersion,
    /// The objects of the consolidated metadata by key, if used.
    consolidated: Option<Objects>,
    /// The remaining limit for metadata text in bytes.
    left: u64,
}

impl<'a> MetadataReader<'a> {
    /// Opens the metadata of a store. Consolidated metadata is used on request, or if the metadata is whole and the store has latency. In
    /// version 2, consolidated metadata also replaces missing root metadata.
    ///
    /// # Errors
    /// Returns store errors, or [`ErrorKind::Corrupt`] for invalid consolidated metadata that is used.
    pub(super) fn open(
        store: &'a Arc<dyn Store>,
        version: ZarrVersion,
        env: &'a Env,
    ) -> Result<Self> {
        let mut metadata = Self {
            store,
            env,
            version,
            consolidated: None,
            left: env.limits.metadata / IN_MEMORY,
        };
        let wished = store.hints().consolidated;
        if !wished && store.latency() {
            metadata.consolidated = metadata.whole(version)?;
        }
        if metadata.consolidated.is_some() {
            return Ok(metadata);
        }
        match version {
            ZarrVersion::V2 => {
                if store.latency() {
                    ahead(store, &[String::new()], &V2);
                }
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

    /// Returns the consolidated metadata if the metadata is whole.
    fn whole(&mut self, version: ZarrVersion) -> Result<Option<Objects>> {
        // netCDF-C 4.8.0 has objects that are never consolidated.
        if version == ZarrVersion::V2 && self.exists(SUPERBLOCK)? {
            return Ok(None);
        }
        let left = self.left;
        let found = match self.get(consolidated_in(version)) {
            Ok(found) => found,
            // The separate objects may still be valid.
            Err(e) if UNUSABLE.contains(&e.kind()) => None,
            Err(e) => return Err(e),
        };
        let rank = self.env.limits.rank;
        let whole = found.and_then(|json| consolidated::whole(&json, version, rank));
        if whole.is_none() {
            self.left = left;
        }
        Ok(whole)
    }

    /// Checks whether objects are read one by one.
    #[must_use]
    pub(super) fn has_objects(&self) -> bool {
        self.consolidated.is_none()
    }

    fn consolidated_v2(&mut self) -> Result<Option<Objects>> {
        let Some(all) = self.get(CONSOLIDATED)? else {
            return Ok(None);
        };
        match consolidated::objects_v2(&all) {
            None => Err(self.wrong(CONSOLIDATED, "no object \"metadata\"")),
            found => Ok(found),
        }
    }

    fn consolidated_v3(&mut self) -> Result<Option<Objects>> {
        Ok(self
            .get(V3)?
            .and_then(|root| consolidated::objects_v3(&root)))
    }

    /// Returns an error about an object.
    pub(super) fn wrong(
        &self,
        key: &str,
        what: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Error {
        Error::new(ErrorKind::Corrupt, what)
            .in_object(key)
            .of(self.store.name())
    }

    /// Returns the object with this key, or `None` if the key is missing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for invalid JSON, [`ErrorKind::Limit`] for too much metadata, or store errors.
    pub(super) fn get(&mut self, key: &str) -> Result<Option<Json>> {
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
        let json = Json::parse(&text)
            .map_err(|e| self.with_consolidated_remedy(key, e.of(self.store.name())));
        json.in_object(|| key.to_owned()).map(Some)
    }

    /// Adds a remedy to the error about invalid JSON: reading the store through the consolidated metadata, if that is whole.
    fn with_consolidated_remedy(&self, key: &str, e: Error) -> Error {
        let other = consolidated_in(self.version);
        let text = match key == other {
            true => None,
            false => self.store.get(other).ok().flatten(),
        };
        let json = text.and_then(|text| Json::parse(&text).ok());
        let whole =
            json.and_then(|json| consolidated::whole(&json, self.version, self.env.limits.rank));
        if whole.is_none() {
            return e;
        }
        let name = self.store.name();
        let scheme = if name.contains("://") { "" } else { "file://" };
        let mode = if self.store.hints().pure {
            "zarr"
        } else {
            "nczarr"
        };
        e.with_remedy(format!(
            "the consolidated metadata is sound: read {scheme}{name}#mode={mode},consolidated"
        ))
    }

    /// Counts memory in bytes that the object with this key needs beyond the JSON.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] if the total exceeds the limit.
    pub(super) fn memory(&mut self, bytes: u64, key: &str) -> Result<()> {
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

    /// Checks whether the object with this key exists.
    ///
    /// # Errors
    /// Returns store errors.
    pub(super) fn exists(&self, key: &str) -> Result<bool> {
        match &self.consolidated {
            Some(all) => Ok(all.contains_key(key)),
            None => Ok(self.store.size(key)?.is_some()),
        }
    }

    /// Returns the sorted names directly below a prefix that may be groups or arrays.
    ///
    /// # Errors
    /// Returns store errors.
    pub(super) fn children(&self, prefix: &str) -> Result<Vec<String>> {
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
        names.retain(|name| may_be_node(name));
        names.sort();
        names.dedup();
        Ok(names)
    }
}
