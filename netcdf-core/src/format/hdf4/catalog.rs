//! All Vgroups and Vdata headers of a file.

use std::collections::BTreeMap;

use super::dd::TagRef;
use super::file::Hdf4File;
use super::tags;
use super::vdata::Vdata;
use super::vgroup::Vgroup;
use crate::bytes::Cursor;
use crate::env::Env;
use crate::error::Result;

/// Vgroups and Vdatas by reference number.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    /// Vgroups.
    pub vgroups: BTreeMap<u16, Vgroup>,
    /// Headers of Vdatas.
    pub vdatas: BTreeMap<u16, Vdata>,
}

impl Catalog {
    /// Reads all Vgroups and Vdata headers.
    ///
    /// # Errors
    /// Returns read errors, and damage errors unless the settings tolerate damage.
    pub(super) fn read(file: &Hdf4File, env: &Env) -> Result<Self> {
        Ok(Self {
            vgroups: all(file, env, tags::VGROUP, Vgroup::parse)?,
            vdatas: all(file, env, tags::VDATA_HEADER, Vdata::parse)?,
        })
    }
}

/// Reads and parses all elements with a tag.
fn all<T>(
    file: &Hdf4File,
    env: &Env,
    tag: u16,
    parse: fn(&mut Cursor<'_>) -> Result<T>,
) -> Result<BTreeMap<u16, T>> {
    let found = file.descriptors().with(tag);
    let mut ids: Vec<TagRef> = found.map(|d| d.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut parsed = BTreeMap::new();
    for (id, bytes) in ids.iter().zip(file.read(&ids)?) {
        let start = file.descriptor(*id)?.range.start;
        let item =
            bytes.and_then(|bytes| parse(&mut Cursor::new(&bytes, file.source().name(), start)));
        match item {
            Ok(item) => {
                parsed.insert(id.reference, item);
            }
            Err(e) => env.damage.meet(e.in_object(&id.to_string()))?,
        }
    }
    Ok(parsed)
}
