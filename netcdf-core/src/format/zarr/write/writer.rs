//! A Zarr dataset being written.

use super::check::{check, note_python_readers, note_unrecorded};
use super::fill::{MAX_BYTES, MAX_CHUNKS, WrittenChunks};
use super::foreign_keys::ForeignKeys;
use super::metadata::{JsonMember, MetadataInput};
use super::shards::{Complete, Shards};
use super::storage::{self, ArrayStorage};
use super::texts::note_changed;
use super::{keys, strings, v2, v3};
use crate::arithmetic::Amount;
use crate::cancel::Cancel;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::spread;
use crate::chunk::{PutChunks, PutRules, ReferenceWriter, SharedWriter, Writer};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::filter::FilterChain;
use crate::format::zarr::grid::cells;
use crate::io::reference::{Reference, SourceState};
use crate::io::sums::KeySum;
use crate::io::{Store, StoreTarget};
use crate::json::{Between, Json};
use crate::limits::zeros;
use crate::model::{CreateOptions, DimId, GroupId, Schema, Values, VarId, Zarr, ZarrVersion};

/// A Zarr dataset being written.
#[derive(Debug)]
pub(crate) struct ZarrWriter {
    target: Box<dyn StoreTarget>,
    schema: Schema,
    zarr: Zarr,
    options: CreateOptions,
    /// Parallel to `schema.vars`.
    vars: Vec<VariableState>,
    /// The cancellation flag. After cancellation, no metadata is written.
    cancel: Cancel,
    /// Whether this is a part of a dataset, which stores no metadata.
    is_part: bool,
}

/// The state of a variable.
#[derive(Debug)]
struct VariableState {
    stored: ArrayStorage,
    /// The key prefix.
    prefix: String,
    /// The chunks stored so far.
    put: WrittenChunks,
    /// The incomplete shards, if the variable has shards.
    shards: Option<Shards>,
    /// The filters for data that the writer encodes: scalars, which callers put as runs, and missing chunks.
    chain: Option<FilterChain>,
}

impl ZarrWriter {
    /// Checks the schema and determines the storage.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotInFormat`], [`ErrorKind::BadName`] and [`ErrorKind::Exists`] for a schema that Zarr cannot store,
    /// [`ErrorKind::Argument`] for impossible storage or a schema of another kind, and errors of the filters.
    pub(crate) fn create(
        target: Box<dyn StoreTarget>,
        schema: Schema,
        options: CreateOptions,
        env: &Env,
    ) -> Result<Self> {
        let other = || Error::new(ErrorKind::Argument, "the schema is not for a Zarr dataset");
        let zarr = schema.kind.as_zarr().ok_or_else(other)?;
        check(&schema, options.zarr, env)?;
        note_changed(&schema, zarr, env);
        match zarr.pure {
            true => note_unrecorded(&schema, env),
            false => note_python_readers(&schema, zarr, env),
        }
        let references = target.store().reference_keys().is_some();
        let var = |id| -> Result<VariableState> {
            env.cancel.check()?;
            let mut stored = storage::of(&schema, id, options.no_fill, env)?;
            if references {
                stored.declared = stored.declared.for_references(zarr.version);
            }
            let shards = stored.per_shard();
            let chain = || stored.chain(&schema, env).in_object(|| schema.var_path(id));
            let chain = match schema.shape(id).is_empty() {
                true => Some(chain()?),
                // Copies can move encoded chunks even if these filters are unavailable.
                false => stored.declared.misleads().then(|| chain().ok()).flatten(),
            };
            Ok(VariableState {
                chain,
                stored,
                prefix: keys::var(&schema, id),
                put: WrittenChunks::default(),
                shards: shards.map(|chunks| Shards::new(chunks, env.scratch.clone())),
            })
        };
        let vars = schema.var_ids().map(var).collect::<Result<Vec<_>>>()?;
        let writer = Self {
            target,
            schema,
            zarr,
            options,
            vars,
            cancel: env.cancel.clone(),
            is_part: false,
        };
        // Report errors of the metadata before any data is written.
        writer.metadata(&mut |_, _| Ok(()), env)?;
        Ok(writer)
    }

    fn var(&self, id: VarId) -> Result<&VariableState> {
        self.vars.get(id.index()).ok_or_else(missing)
    }

    /// Returns the grid position of a chunk. The slowest varying dimension may still grow.
    fn place(&self, id: VarId, index: u64) -> Result<Vec<u64>> {
        let shape = &self.var(id)?.stored.layout.chunk;
        let extent = self.schema.shape(id);
        let mut rest = index;
        let mut place = Vec::with_capacity(shape.len());
        for (len, chunk) in extent.iter().zip(shape).skip(1).rev() {
            let cells = len.div_ceil((*chunk).max(1)).max(1);
            place.push(rest % cells);
            rest /= cells;
        }
        if !shape.is_empty() {
            place.push(rest);
        }
        place.reverse();
        Ok(place)
    }

    /// Returns the chunk grid of a variable, with the current dimension lengths.
    fn grid(&self, id: VarId) -> Result<Vec<u64>> {
        let lines = self.schema.shape(id).into_iter();
        let lines = lines.zip(&self.var(id)?.stored.layout.chunk);
        Ok(lines
            .map(|(len, chunk)| len.div_ceil((*chunk).max(1)))
            .collect())
    }

    fn put(&mut self, id: VarId, index: u64, bytes: &[u8]) -> Result<()> {
        let (place, grid) = (self.place(id, index)?, self.grid(id)?);
        let version = self.zarr.version;
        let var = self.vars.get_mut(id.index()).ok_or_else(missing)?;
        var.put.note(index, &grid)?;
        let place = &place;
        let store = self.target.store();
        match &mut var.shards {
            None => {
                let key = format!("{}{}", var.prefix, keys::chunk(version, place));
                store.put(&key, bytes)
            }
            Some(shards) => {
                let done = shards.put(place, bytes)?;
                put_shards(&**store, &var.prefix, &done)
            }
        }
    }

    /// Adds the chunk keys for a run of chunk indexes, or the keys of the shards that contain these chunks.
    fn keys_of(&self, id: VarId, (start, end): (u64, u64), keys: &mut ForeignKeys) -> Result<()> {
        let var = self.var(id)?;
        for index in start..end {
            let mut place = self.place(id, index)?;
            if let Some(chunks) = var.stored.per_shard() {
                place = cells(&place, &chunks);
            }
            keys.add(place, |place| {
                let key = keys::chunk(self.zarr.version, place);
                format!("{}{key}", var.prefix)
            });
        }
        Ok(())
    }

    /// Puts the incomplete shards. No more chunks will follow.
    fn put_last_shards(&mut self) -> Result<()> {
        let store = self.target.store();
        for (id, var) in self.schema.var_ids().zip(&mut self.vars) {
            if let Some(shards) = &mut var.shards {
                let path = || self.schema.var_path(id);
                let done = shards.complete().in_object(path)?;
                put_shards(&**store, &var.prefix, &done).in_object(path)?;
            }
        }
        Ok(())
    }

    /// Records which variables have all chunks. If a fill value would mislead readers, stores a limited number of missing chunks.
    fn complete(&mut self) -> Result<()> {
        let (mut bytes, mut chunks) = (MAX_BYTES, MAX_CHUNKS);
        for id in self.schema.var_ids().collect::<Vec<_>>() {
            let grid = self.grid(id)?;
            let var = self.var(id)?;
            let Some(lacking) = var.put.missing(&grid) else {
                continue;
            };
            let count: u64 = lacking.iter().map(|(start, end)| end - start).sum();
            let need = (Amount::of(var.stored.layout.chunk_bytes()) * count).get();
            let few = var.stored.declared.misleads() && var.chain.is_some();
            let few = few && need <= bytes && count <= chunks;
            let misread = count > 0 && !few && var.stored.declared.misleads();
            if misread && self.target.store().reference_keys().is_some() {
                return Err(misread_chunks(count).in_object(&self.path(id)));
            }
            if count > 0 && few {
                (bytes, chunks) = (bytes - need, chunks - count);
                let path = || self.path(id);
                let chunk = self.unwritten(id).in_object(path)?;
                for index in lacking.into_iter().flat_map(|(start, end)| start..end) {
                    self.put(id, index, &chunk)
                        .in_object(|| self.schema.var_path(id))?;
                }
            }
            let var = self.vars.get_mut(id.index()).ok_or_else(missing)?;
            var.stored.whole = count == 0 || few;
        }
        Ok(())
    }

    /// Returns the encoded form of a chunk of unwritten elements.
    fn unwritten(&self, id: VarId) -> Result<Vec<u8>> {
        let VariableState { stored, chain, .. } = self.var(id)?;
        let len = Amount::of(stored.layout.chunk_bytes()).count();
        let mut bytes = zeros(len, "a chunk")?;
        spread(&stored.declared.value, &mut bytes);
        match chain {
            Some(chain) => Ok(chain.encode(bytes, &mut vec![])?.1),
            None => Ok(bytes),
        }
    }

    /// Passes all metadata with keys to `put`. The root comes last.
    fn metadata(&self, put: &mut dyn FnMut(String, Json) -> Result<()>, env: &Env) -> Result<()> {
        let metadata = MetadataInput {
            schema: &self.schema,
            zarr: self.zarr,
            options: self.options,
            env,
        };
        for (id, var) in self.schema.var_ids().zip(&self.vars) {
            self.cancel.check()?;
            let path = || self.schema.var_path(id);
            let prefix = &var.prefix;
            match self.zarr.version {
                ZarrVersion::V2 => {
                    let array = metadata.zarray(id, &var.stored).in_object(path)?;
                    let attributes = metadata.var_zattrs(id, &var.stored).in_object(path)?;
                    put(format!("{prefix}.zarray"), array)?;
                    put(format!("{prefix}.zattrs"), attributes)?;
                }
                ZarrVersion::V3 => {
                    let array = metadata.array_json(id, &var.stored).in_object(path)?;
                    put(format!("{prefix}zarr.json"), array)?;
                }
            }
        }
        let groups = (0..).zip(&self.schema.groups).map(|(n, _)| GroupId(n));
        let groups: Vec<_> = groups.collect();
        for id in groups.into_iter().rev() {
            self.cancel.check()?;
            let prefix = keys::group(&self.schema, id);
            match self.zarr.version {
                ZarrVersion::V2 => {
                    put(format!("{prefix}.zattrs"), metadata.group_zattrs(id)?)?;
                    put(format!("{prefix}.zgroup"), v2::group())?;
                }
                ZarrVersion::V3 => put(format!("{prefix}zarr.json"), metadata.group_json(id)?)?,
            }
        }
        Ok(())
    }

    /// Puts all metadata.
    fn put_metadata(&self) -> Result<()> {
        let store = self.target.store();
        let consolidated = self.options.zarr.consolidated;
        let mut all: Vec<JsonMember> = vec![];
        // Notes were already reported when the dataset was created.
        let env = Env::default();
        let mut put = |key: String, json: Json| {
            let json = match &*key {
                "zarr.json" if consolidated => v3::consolidated(json, nodes(&mut all)),
                _ => json,
            };
            store.put_if_absent(&key, json.line(Between::Comma)?.as_bytes())?;
            if consolidated {
                all.push((key, json));
            }
            Ok(())
        };
        self.metadata(&mut put, &env)?;
        if consolidated && self.zarr.version == ZarrVersion::V2 {
            in_tree_order(&mut all);
            let json = v2::consolidated(all).line(Between::Comma)?;
            store.put_if_absent(".zmetadata", json.as_bytes())?;
        }
        Ok(())
    }

    fn path(&self, id: VarId) -> String {
        self.schema.var_path(id)
    }
}

/// Returns metadata with node paths, in tree order.
fn nodes(all: &mut Vec<JsonMember>) -> Vec<JsonMember> {
    let named = std::mem::take(all).into_iter().map(|(key, json)| {
        let name = key.trim_end_matches("zarr.json").trim_end_matches('/');
        (name.to_owned(), json)
    });
    let mut nodes: Vec<_> = named.collect();
    in_tree_order(&mut nodes);
    nodes
}

/// Sorts paths so that the group contents directly follow the group. zarr-python does not find groups with scattered members.
fn in_tree_order(all: &mut [JsonMember]) {
    all.sort_by_cached_key(|(path, _)| path.replace('/', "\0"));
}

fn put_shards(store: &dyn Store, prefix: &str, done: &[Complete]) -> Result<()> {
    done.iter().try_for_each(|(place, bytes)| {
        let key = format!("{prefix}{}", keys::chunk(ZarrVersion::V3, place));
        store.put(&key, bytes)
    })
}

/// The error for missing chunks that readers of references would read as other values.
fn misread_chunks(count: u64) -> Error {
    let what = format!(
        "{count} chunks are missing, and readers of version 2 references would not read them as the fill value"
    );
    let e = Error::new(ErrorKind::Unsupported, what);
    e.with_remedy("use -k kerchunk3")
}

fn missing() -> Error {
    Error::new(ErrorKind::NotFound, "no such variable")
}

impl Writer for ZarrWriter {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        let mut layout = self.var(var)?.stored.layout.clone();
        layout.extent = self.schema.shape(var);
        Ok(layout)
    }

    fn rules(&self, var: VarId) -> PutRules {
        let state = self.var(var);
        PutRules {
            chunks: state.is_ok_and(|v| !v.stored.layout.chunk.is_empty()),
            all_filters: true,
            heap_fill: false,
        }
    }

    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()> {
        if mask != 0 {
            let what = "a chunk that skips filters; Zarr chunks need all filters of the variable";
            return Err(Error::new(ErrorKind::Argument, what).in_object(&self.path(var)));
        }
        let put = self.put(var, index, bytes);
        put.in_object(|| self.path(var))
    }

    /// Stores a scalar, which is a single run.
    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()> {
        let VariableState { stored, chain, .. } = self.var(var)?;
        let layout = &stored.layout;
        let whole = element == 0 && bytes.len() as u64 == layout.element.size;
        let scalar = chain.as_ref().filter(|_| whole && layout.chunk.is_empty());
        let Some(scalar) = scalar else {
            let what = "part of a variable; this data must be written as chunks";
            return Err(Error::new(ErrorKind::Argument, what).in_object(&self.path(var)));
        };
        let mut bytes = bytes.to_vec();
        if let Some(quantizer) = layout.quantize {
            quantizer.run(0, &mut bytes);
        }
        let encoded = scalar.encode(bytes, &mut vec![]);
        let (_, bytes) = encoded.in_object(|| self.path(var))?;
        let put = self.put(var, 0, &bytes);
        put.in_object(|| self.path(var))
    }

    fn put_heap(&mut self, var: VarId, values: &Values) -> Result<Vec<u8>> {
        let stored = &self.var(var)?.stored;
        let encoded = match &stored.user {
            Some(user) => super::user_types::encode(user, values),
            None => strings::encode(values, stored.layout.element.size),
        };
        encoded.in_object(|| self.path(var))
    }

    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()> {
        if len > i64::MAX.unsigned_abs() {
            let what = format!("a dimension of length {len} is too long");
            return Err(Error::new(ErrorKind::DimSize, what));
        }
        let dim = self.schema.dims.get_mut(dim.index());
        if let Some(dim) = dim.filter(|d| d.unlimited) {
            dim.len = dim.len.max(len);
        }
        Ok(())
    }

    fn references(&mut self) -> Option<&mut dyn ReferenceWriter> {
        self.target.store().reference_keys()?;
        Some(self)
    }

    fn shared(&mut self) -> Result<&mut dyn SharedWriter> {
        Ok(self)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if self.is_part {
            return self.target.commit();
        }
        self.complete()?;
        self.put_last_shards()?;
        self.put_metadata()?;
        self.target.commit()
    }
}

impl ReferenceWriter for ZarrWriter {
    fn put_reference(&mut self, id: VarId, index: u64, reference: &Reference) -> Result<()> {
        let (place, grid) = (self.place(id, index)?, self.grid(id)?);
        let version = self.zarr.version;
        let var = self.vars.get_mut(id.index()).ok_or_else(missing)?;
        var.put.note(index, &grid)?;
        let key = format!("{}{}", var.prefix, keys::chunk(version, &place));
        let store = self.target.store();
        let put = store
            .reference_keys()
            .or_internal("a store of references")?;
        put.put_reference(&key, reference)
            .in_object(|| self.path(id))
    }

    fn put_source(&mut self, url: &str, state: SourceState) {
        if let Some(keys) = self.target.store().reference_keys() {
            keys.put_source(url, state);
        }
    }
}

impl SharedWriter for ZarrWriter {
    fn put_elsewhere(&mut self, chunks: &PutChunks, check: Option<&Env>) -> Result<KeySum> {
        let id = chunks.var;
        let grid = self.grid(id)?;
        let mut keys = ForeignKeys::default();
        for &run in &chunks.runs {
            self.keys_of(id, run, &mut keys)?;
            let var = self.vars.get_mut(id.index()).ok_or_else(missing)?;
            var.put.note_run(run, &grid)?;
        }
        let store = self.target.store();
        let sum = match check {
            Some(env) => keys.sum(store, env),
            None => keys
                .check(&**store, &self.cancel)
                .map(|()| KeySum::default()),
        };
        sum.in_object(|| self.path(id))
    }

    fn end_part(&mut self) -> Result<Vec<PutChunks>> {
        self.is_part = true;
        self.put_last_shards()?;
        let vars = self.schema.var_ids().zip(&self.vars);
        let put = vars.map(|(var, state)| PutChunks {
            var,
            runs: state.put.runs(),
        });
        Ok(put.filter(|put| !put.runs.is_empty()).collect())
    }
}
