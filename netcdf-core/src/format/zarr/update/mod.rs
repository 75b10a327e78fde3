//! Changes Zarr stores in a directory in place: new records, and values of stored variables.
//!
//! New values of keys wait in a hidden directory until the commit. Metadata text keeps all bytes except the changed lengths. The changed
//! metadata is read back before it is accepted, so that other changes than the lengths are impossible.
//!
//! | file | responsibility |
//! |---|---|
//! | `metadata` | the locations of a dimension length in the metadata |
//! | `growth` | chunks outside the old shape, and elements outside it in edge chunks |

mod growth;
mod metadata;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::metadata::LengthChange;
use super::array_keys::Listing;
use super::later_changes::is_same_apart_from_lengths;
use super::node::SUPERBLOCK;
use super::reader::ZarrReader;
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::{Placement, PutRules, Reader, Update};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::io::patched_store::{KeyLevel, PatchedStore};
use crate::io::store::Hints;
use crate::model::region::product;
use crate::model::{DimId, FillMode, Region, Schema, VarId, ZarrVersion};
use crate::notes::{Note, Notes};

/// A store that is changed in place.
pub(super) struct ZarrUpdate {
    store: Arc<PatchedStore>,
    version: ZarrVersion,
    /// The store with all changes.
    reader: ZarrReader,
    /// The settings for reading, without notes.
    env: Env,
    notes: Arc<Notes>,
    /// Whether the store has consolidated metadata, as far as known.
    is_consolidated: Option<bool>,
}

/// Opens a store; `None` for a store that can only be written anew.
///
/// # Errors
/// Returns [`ErrorKind::Changed`] if another program interfered with an unfinished change, and the errors of opening.
pub(super) fn open(
    store: &Arc<PatchedStore>,
    version: ZarrVersion,
    env: &Env,
) -> Result<Option<ZarrUpdate>> {
    let base = store.base();
    let is_old = version == ZarrVersion::V2 && base.size(SUPERBLOCK)?.is_some();
    if base.hints() != Hints::default() || base.latency() || is_old {
        return Ok(None);
    }
    let quiet = env.with_notes(Arc::default());
    // The prefixes of arrays are the same before and after an unfinished change.
    let found = ZarrReader::open(Arc::clone(base), version, &quiet)?;
    store.settle(&found.prefixes(), &env.notes)?;
    let reader = ZarrReader::open(store.view(), version, env)?;
    Ok(Some(ZarrUpdate {
        store: Arc::clone(store),
        version,
        reader,
        env: quiet,
        notes: Arc::clone(&env.notes),
        is_consolidated: None,
    }))
}

impl ZarrUpdate {
    /// Returns why the data of a variable cannot be changed in place, if it cannot.
    fn obstacle(&self, var: VarId) -> Result<Option<&'static str>> {
        let array = &self.reader.data(var)?.array;
        let described = &array.described;
        if !described.shards.is_empty() {
            return Ok(Some("the variable has shards"));
        }
        if described.problem.is_some() {
            return Ok(Some("the data of the variable cannot be read"));
        }
        let is_plain = array.texts.is_none() && array.layout.element.plain;
        Ok((!is_plain).then_some("the variable has strings, lists or a user-defined type"))
    }

    /// Stores the new value of a key of a variable.
    fn put(&mut self, var: VarId, key: &str, bytes: &[u8]) -> Result<Placement> {
        if !self.store.is_plain(key) {
            return Ok(Placement::Anew("the store has links"));
        }
        let prefix = self.reader.data(var)?.array.prefix.clone();
        self.store.put((KeyLevel::Chunk, &prefix), key, bytes)?;
        self.reader.forget_listing(var);
        Ok(Placement::InPlace)
    }

    /// Changes the metadata to a dimension length. Returns why the metadata cannot be changed, if it cannot.
    fn change_length(&mut self, dim: DimId, len: u64) -> Result<Option<&'static str>> {
        let change = LengthChange {
            reader: &self.reader,
            version: self.version,
            dim,
            len,
        };
        let view = self.store.view();
        let edits = match change.edits(&*view)? {
            Ok(edits) => edits,
            Err(obstacle) => return Ok(Some(obstacle)),
        };
        let first = edits.prefix.clone();
        let mut old = vec![];
        for edit in &edits.texts {
            if !self.store.is_plain(&edit.key) {
                return Ok(Some("the store has links"));
            }
            let known = self.store.is_changed(&edit.key);
            let text = known.then(|| view.get(&edit.key)).transpose()?.flatten();
            old.push((edit, text));
            self.store
                .put((edit.level, &first), &edit.key, &edit.text)?;
        }
        let reader = ZarrReader::open(Arc::clone(&view), self.version, &self.env)?;
        if self.is_grown((dim, len), &reader)? {
            self.reader = reader;
            self.note_lengths(edits.is_consolidated, edits.texts.len());
            return Ok(None);
        }
        for (edit, text) in old {
            match text {
                Some(text) => self.store.put((edit.level, &first), &edit.key, &text)?,
                None => self.store.withdraw(&edit.key),
            }
        }
        Ok(Some("the changed metadata would not have the new length"))
    }

    /// Recommends consolidated metadata, because readers may see arrays of different lengths without it.
    fn note_lengths(&mut self, is_consolidated: bool, count: usize) {
        if self.is_consolidated.replace(is_consolidated).is_none() && !is_consolidated && count > 1
        {
            self.notes.remark(Note {
                object: self.store.base().name().to_string(),
                what: "while records are added, other programs may see arrays of different lengths"
                    .to_owned(),
                remedy: Some("consolidate the metadata".to_owned()),
            });
        }
    }

    /// Checks that a reader has the current dataset with another dimension length.
    fn is_grown(&self, (dim, len): (DimId, u64), reader: &ZarrReader) -> Result<bool> {
        let (old, new) = (self.reader.schema(), reader.schema());
        if !is_same_but_length(old, new, (dim, len)) {
            return Ok(false);
        }
        for (id, var) in old.var_ids().zip(&old.vars) {
            let (old, new) = (&self.reader.data(id)?.array, &reader.data(id)?.array);
            let mut want = old.layout.clone();
            for (own, of) in want.extent.iter_mut().zip(&var.dims) {
                if *of == dim {
                    *own = len;
                }
            }
            if want != new.layout || old.prefix != new.prefix {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Checks that two schemas differ only in the length of a dimension.
fn is_same_but_length(old: &Schema, new: &Schema, (dim, len): (DimId, u64)) -> bool {
    let dims = (0..).map(DimId).zip(old.dims.iter().zip(&new.dims));
    let mut dims = dims.map(|(id, (old, new))| {
        let want = if id == dim { len } else { old.len };
        // Zarr without netCDF's metadata has no mark for unlimited dimensions; dimensions without elements count as unlimited.
        let same_limit = old.unlimited == new.unlimited || (id == dim && old.len == 0);
        (&old.name, old.group, want) == (&new.name, new.group, new.len) && same_limit
    });
    is_same_apart_from_lengths(old, new) && dims.all(|same| same)
}

impl Update for ZarrUpdate {
    fn reader(&self) -> &dyn Reader {
        &self.reader
    }

    fn rules(&self, var: VarId) -> PutRules {
        let data = self.reader.data(var);
        PutRules {
            chunks: data.is_ok_and(|data| !data.array.layout.chunk.is_empty()),
            all_filters: true,
            heap_fill: false,
        }
    }

    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<Placement> {
        let path = || self.reader.schema().var_path(var);
        let wrong = |what: String| Err(Error::new(ErrorKind::Argument, what).in_object(&path()));
        if let Some(reason) = self.obstacle(var)? {
            return Ok(Placement::Anew(reason));
        }
        if mask != 0 {
            return wrong("a chunk that skips filters".to_owned());
        }
        let grid = self.reader.data(var)?.array.layout.grid();
        if product(&grid).is_none_or(|count| index >= count) {
            return wrong(format!("chunk {index} is outside the variable"));
        }
        let key = self.reader.chunks(var)?.keys.key(index);
        self.put(var, &key, bytes)
    }

    /// Stores a scalar, which is a single run.
    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<Placement> {
        if let Some(reason) = self.obstacle(var)? {
            return Ok(Placement::Anew(reason));
        }
        let layout = self.reader.layout(var)?;
        let is_whole = element == 0 && bytes.len() as u64 == layout.element.size;
        if !is_whole || !layout.chunk.is_empty() {
            let what = "part of a variable; this data must be written as chunks";
            let path = self.reader.schema().var_path(var);
            return Err(Error::new(ErrorKind::Argument, what).in_object(&path));
        }
        let target = (self.reader.schema(), self.rules(var));
        let encoder = ChunkEncoder::of(target, &self.env, var, &layout)?;
        let encoded = encoder.encode(&Region::whole(&[]), bytes.to_vec())?;
        let key = self.reader.chunks(var)?.keys.key(0);
        self.put(var, &key, &encoded.bytes)
    }

    fn set_len(&mut self, dim: DimId, len: u64) -> Result<Placement> {
        let schema = self.reader.schema();
        if len <= schema.dim(dim).or_internal("a dimension")?.len {
            return Ok(Placement::InPlace);
        }
        if len > i64::MAX.unsigned_abs() {
            let what = format!("a dimension of length {len} is too long");
            return Err(Error::new(ErrorKind::DimSize, what));
        }
        let vars = schema.var_ids().zip(&schema.vars);
        let grown: Vec<VarId> = vars
            .filter(|(_, var)| var.dims.contains(&dim))
            .map(|(id, _)| id)
            .collect();
        for &var in &grown {
            if let Some(reason) = self.obstacle(var)? {
                return Ok(Placement::Anew(reason));
            }
        }
        let mut shapes = vec![];
        for var in &grown {
            shapes.push(self.reader.data(*var)?.array.layout.extent.clone());
        }
        if let Some(obstacle) = self.change_length(dim, len)? {
            return Ok(Placement::Anew(obstacle));
        }
        for (var, old) in grown.into_iter().zip(shapes) {
            let path = self.reader.schema().var_path(var);
            if let Err(e) = self.clear_outside(var, &old).in_object(|| path) {
                self.abandon()?;
                return Err(e);
            }
        }
        Ok(Placement::InPlace)
    }

    fn define(&mut self, _schema: &Schema) -> Result<Placement> {
        Ok(Placement::Anew("attributes and names of Zarr change"))
    }

    fn commit(&mut self, _fill: FillMode) -> Result<()> {
        self.store.commit()
    }

    fn abandon(&mut self) -> Result<()> {
        self.store.abandon()?;
        self.reader = ZarrReader::open(self.store.view(), self.version, &self.env)?;
        Ok(())
    }

    fn prepare_replacement(&self) -> Result<()> {
        self.store.check_all_unchanged()?;
        self.store.share_lock();
        Ok(())
    }
}

impl ZarrReader {
    /// Returns the key prefixes of all arrays.
    pub(super) fn prefixes(&self) -> Vec<&str> {
        let ids = self.schema().var_ids();
        let prefix = |id| self.data(id).ok().map(|data| data.array.prefix.as_str());
        ids.filter_map(prefix).collect()
    }

    /// Forgets which keys of a variable exist.
    fn forget_listing(&mut self, var: VarId) {
        if let Some(listing) = self.listing_mut(var) {
            *listing = Listing::default();
        }
    }
}
