//! Reads regions of variables: locates, fetches, decodes and scatters chunks, for every format.

mod assembly;
mod canvas;
mod chunk_elements;
mod chunks;
mod fetch_queue;
mod filter_check;
mod gather;
mod ordered_slab;
mod pieces;
mod request_groups;
mod requests;
mod rows;
mod slab;
mod tasks;
mod texts;
mod tiles;
mod variable;

use super::decode::ChunkDecoder;
use super::elements;
use super::layout::Layout;
use super::read_cache::{ReadCache, Usage};
use crate::chunk::Reader;
use crate::env::Env;
use crate::error::{Context as _, Result};
use crate::model::{Region, Values, VarId};
use crate::runtime::Runtime;
pub(crate) use chunks::StoredChunks;

pub(crate) use tasks::{COPIES, Cuts, PartsOf};
pub(crate) use variable::BoxElements;
use variable::ReadVariable;

/// A region to process in bands.
#[derive(Debug, Clone)]
pub struct InBands {
    /// The region.
    pub region: Region,
    /// Approximate number of elements per band.
    pub most: u64,
    /// Whether bands may be larger to avoid caching chunks: for work that needs no memory apart from the elements.
    pub large: bool,
}

impl InBands {
    /// Splits a region into bands of about `most` elements.
    #[must_use]
    pub fn new(region: Region, most: u64) -> Self {
        Self {
            region,
            most,
            large: false,
        }
    }
}

/// An open dataset and its environment.
#[derive(Clone, Copy)]
pub struct Dataset<'a> {
    /// The format's reader.
    pub reader: &'a dyn Reader,
    /// Limits, filters, threads.
    pub env: &'a Env,
    /// The cache, and the ids of the reader's variables in the cache, if they differ.
    cache: Option<(&'a ReadCache, Option<&'a [Option<VarId>]>)>,
}

impl<'a> Dataset<'a> {
    /// Creates a dataset without a cache.
    #[must_use]
    pub fn new(reader: &'a dyn Reader, env: &'a Env) -> Self {
        Self {
            reader,
            env,
            cache: None,
        }
    }

    /// Returns the same dataset with a cache. `cache` must have been created for this reader.
    #[must_use]
    pub fn with(self, cache: &'a ReadCache) -> Self {
        Self {
            cache: Some((cache, None)),
            ..self
        }
    }

    /// Like [`Dataset::with`], for a reader that passes on the chunks of a base reader. `cache` belongs to the base reader; `vars` has the
    /// base reader's id of each variable with chunks from there.
    #[must_use]
    pub fn with_vars(self, cache: &'a ReadCache, vars: &'a [Option<VarId>]) -> Self {
        Self {
            cache: Some((cache, Some(vars))),
            ..self
        }
    }

    /// Returns the cache of a variable, and the variable's id in the cache.
    fn cache_of(&self, var: VarId) -> Option<(&'a ReadCache, VarId)> {
        let (cache, vars) = self.cache?;
        match vars {
            Some(vars) => Some((cache, (*vars.get(var.index())?)?)),
            None => Some((cache, var)),
        }
    }

    /// Returns the values of a region in row-major order.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) with the byte offset if stored data is missing, and all errors of locating and
    /// decoding, with the variable's path.
    pub fn read(&self, var: VarId, region: &Region) -> Result<Values> {
        let layout = self.layout(var)?;
        let bytes = self.read_stored(var, &layout, region)?;
        self.values(var, &layout, &bytes)
            .in_object(|| self.reader.schema().var_path(var))
    }

    /// Returns the threads and memory for reading.
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        self.env.runtime.for_requests(self.reader.bytes().latency())
    }

    /// Runs a request to the storage. Other workers compute meanwhile.
    pub fn ask<R>(&self, request: impl FnOnce() -> R) -> R {
        self.runtime().ask(request)
    }

    /// Returns the storage layout of a variable.
    ///
    /// # Errors
    /// Returns errors from [`Reader::layout`], with the variable's path.
    pub fn layout(&self, var: VarId) -> Result<Layout> {
        let layout = self.reader.layout(var);
        let checked = layout.and_then(|layout| layout.check().map(|()| layout));
        checked.in_object(|| self.reader.schema().var_path(var))
    }

    /// Returns a region's elements in stored form (type and byte order of the layout) and row-major order, with filters decoded. Each chunk
    /// is decoded once.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::read`].
    pub fn read_stored(&self, var: VarId, layout: &Layout, region: &Region) -> Result<Vec<u8>> {
        let path = || self.reader.schema().var_path(var);
        region.check().in_object(path)?;
        let variable = self.variable(var, layout, Some(region)).in_object(path)?;
        variable.read(region).in_object(path)
    }

    /// Returns the data that all parts of a read share: of a region, or of whole chunks.
    fn variable<'b>(
        &self,
        var: VarId,
        layout: &'b Layout,
        region: Option<&Region>,
    ) -> Result<ReadVariable<'b>>
    where
        'a: 'b,
    {
        let assembly = self.reader.assembly(var);
        let cache = self.cache_of(var).filter(|_| assembly.is_none());
        Ok(ReadVariable {
            set: *self,
            var,
            layout,
            assembly,
            decoder: ChunkDecoder::new(self.reader, self.env, var, layout)?,
            usage: cache.and_then(|cache| Usage::new(cache, layout, region)),
        })
    }

    /// Returns a decoder for fetched chunks of a variable.
    ///
    /// # Errors
    /// Returns errors from the variable's fill value, with the variable's path.
    pub(crate) fn decoder<'b>(&self, var: VarId, layout: &'b Layout) -> Result<ChunkDecoder<'b>>
    where
        'a: 'b,
    {
        let decoder = ChunkDecoder::new(self.reader, self.env, var, layout);
        decoder.in_object(|| self.reader.schema().var_path(var))
    }

    /// Converts stored elements, as passed by [`Dataset::bands`], to values.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::resolve`].
    pub fn values(&self, var: VarId, layout: &Layout, bytes: &[u8]) -> Result<Values> {
        match layout.element.plain_type() {
            Some(a) => elements::decode(a, layout.element.order, bytes),
            None => self.resolve(var, bytes),
        }
    }

    /// Processes a region band by band, in parallel, and passes the results on in order. A band is a box of about `most` elements (whole
    /// rows, unless these are longer), with its elements in stored form. `chunk::plan` decides how the chunks are read. With memory for a
    /// few chunks, each chunk is decoded once.
    ///
    /// # Errors
    /// Returns the first error from reading, `work` or `sink`.
    pub fn bands<R: Send>(
        &self,
        var: VarId,
        bands: InBands,
        work: impl Fn(&Region, Vec<u8>) -> Result<R> + Sync,
        sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        bands.region.check()?;
        let layout = self.layout(var)?;
        let variable = self.variable(var, &layout, Some(&bands.region));
        let variable = variable.in_object(|| self.reader.schema().var_path(var))?;
        let cuts = Cuts::bands(*self, &variable, &bands);
        let work = |band: &Region, part: BoxElements| work(band, part.bytes);
        tasks::run(*self, &variable, cuts, (work, sink))
    }

    /// Like [`Dataset::bands`], for parts of any shape.
    ///
    /// # Errors
    /// Returns the first error from reading, `work` or `sink`.
    pub fn parts<R: Send>(
        &self,
        var: VarId,
        cuts: Cuts<'_>,
        work: impl Fn(&Region, BoxElements) -> Result<R> + Sync,
        sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let layout = self.layout(var)?;
        let variable = self.variable(var, &layout, None);
        let variable = variable.in_object(|| self.reader.schema().var_path(var))?;
        tasks::run(*self, &variable, cuts, (work, sink))
    }
}

#[cfg(test)]
pub(super) mod tests;
