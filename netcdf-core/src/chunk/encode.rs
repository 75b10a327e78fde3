//! Encodes the chunks of a variable that is written.

use std::sync::Arc;

use super::decode::fill;
use super::layout::Layout;
use super::quantize::Quantizer;
use super::scatter::{Block, put_back, spread};
use super::unwritten::WrittenPart;
use crate::chunk::{PutRules, Writer};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::{ChunkContext, FilterChain, VariableFacts};
use crate::model::{Region, Schema, VarId};
use crate::runtime::buffers::Buffers;

/// The data that all chunks of a variable share.
#[derive(Debug)]
pub struct ChunkEncoder {
    chain: FilterChain,
    /// The chunk shape, the element size and the chunk size in bytes.
    chunk: Vec<u64>,
    size: u64,
    len: usize,
    /// The stored form of a missing element.
    fill: Vec<u8>,
    /// Whether each unwritten element needs its own heap data.
    heap_fill: bool,
    quantize: Option<Quantizer>,
    /// The lengths of the dimensions; the first may still grow.
    shape: Vec<u64>,
    buffers: Arc<Buffers>,
    /// The variable's path.
    path: String,
}

/// A chunk in stored form.
#[derive(Debug)]
pub struct EncodedChunk {
    /// Bit `n` is set if filter `n` was not applied.
    pub mask: u32,
    /// The stored bytes.
    pub bytes: Vec<u8>,
}

impl ChunkEncoder {
    /// Creates an encoder for a variable of `writer` with the storage `layout`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for chunks too large for this machine's memory, and errors from the filters.
    pub fn new(writer: &dyn Writer, env: &Env, var: VarId, layout: &Layout) -> Result<Self> {
        Self::of((writer.schema(), writer.rules(var)), env, var, layout)
    }

    /// Creates an encoder for a variable of a schema with the storage `layout`.
    ///
    /// # Errors
    /// Returns the errors of [`ChunkEncoder::new`].
    pub fn of(target: (&Schema, PutRules), env: &Env, var: VarId, layout: &Layout) -> Result<Self> {
        let path = || target.0.var_path(var);
        Self::made(target, env, var, layout).in_object(path)
    }

    fn made(
        (schema, rules): (&Schema, PutRules),
        env: &Env,
        var: VarId,
        layout: &Layout,
    ) -> Result<Self> {
        layout.check()?;
        let fill = fill(schema, var, layout)?;
        let about = VariableFacts {
            mandatory: rules.all_filters,
            ..VariableFacts::new(schema, layout.element.ty, &layout.filters)
        };
        let context = ChunkContext {
            fill: Some(fill.clone()),
            ..layout.context(about)
        };
        let large = || {
            Error::new(
                ErrorKind::Limit,
                "a chunk too large for this machine's memory",
            )
        };
        Ok(Self {
            chain: env.filters.chain(&layout.filters, &context)?,
            chunk: layout.chunk.clone(),
            size: layout.element.size,
            len: context.len.ok_or_else(large)?,
            fill,
            heap_fill: rules.heap_fill,
            quantize: layout.quantize,
            shape: layout.extent.clone(),
            buffers: Arc::clone(&env.buffers),
            path: schema.var_path(var),
        })
    }

    /// Returns the filters of the chunks.
    #[must_use]
    pub fn chain(&self) -> &FilterChain {
        &self.chain
    }

    /// Returns the stored form of a missing element.
    #[must_use]
    pub fn fill(&self) -> &[u8] {
        &self.fill
    }

    /// Returns whether each unwritten element needs its own heap data.
    pub(crate) fn heap_fill(&self) -> bool {
        self.heap_fill
    }

    /// Returns the size of a whole chunk without filters, in bytes.
    #[must_use]
    pub fn chunk_bytes(&self) -> usize {
        self.len
    }

    /// Returns a whole chunk with `bytes` as its first `count` elements per dimension, and fill in the remaining
    /// elements.
    fn whole(&self, count: &[u64], bytes: Vec<u8>) -> Result<Vec<u8>> {
        if count == self.chunk {
            return Ok(bytes);
        }
        if self.heap_fill {
            return Err(Error::internal("unwritten elements that share heap data"));
        }
        let mut all = self.blank()?;
        let part = Region::whole(count);
        // This copies in the reverse direction: the part is the source.
        put_back(
            &Block::whole(&self.chunk),
            &part,
            self.size,
            &bytes,
            &mut all,
        )?;
        self.buffers.give_large(bytes);
        Ok(all)
    }

    /// Returns a chunk of fill, whose elements share heap data.
    pub(crate) fn blank(&self) -> Result<Vec<u8>> {
        let mut all = self.buffers.zeros(self.len)?;
        if self.fill.iter().any(|&b| b != 0) {
            spread(&self.fill, &mut all);
        }
        Ok(all)
    }

    /// Returns whether a chunk with written elements at `place` has unwritten elements that need heap data.
    pub(crate) fn needs_heap(&self, place: &Region) -> bool {
        self.heap_fill && place.count != self.chunk
    }

    /// Returns a whole chunk with `bytes` as elements of `part`. `put_fill` stores the given number of unwritten elements.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] without enough memory, [`ErrorKind::Argument`] for too few bytes, and errors from `put_fill`.
    pub(crate) fn complete(
        &self,
        (chunk, part): (&Block, &Region),
        bytes: Vec<u8>,
        put_fill: impl FnOnce(u64) -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        let part = WrittenPart {
            chunk,
            region: part,
            size: self.size,
        };
        let missing = part.unwritten()?;
        if missing == 0 {
            return Ok(bytes);
        }
        let mut all = self.blank()?;
        match self.heap_fill {
            true => part.merge(&bytes, &put_fill(missing)?, &mut all)?,
            false => put_back(chunk, part.region, self.size, &bytes, &mut all)?,
        }
        self.buffers.give_large(bytes);
        Ok(all)
    }

    /// Like [`Self::encode`], but `put_fill` stores the given number of unwritten elements with heap data. The order of the calls determines
    /// the location of the heap data.
    ///
    /// # Errors
    /// Returns the errors of [`Self::complete`] and [`Self::encode`].
    pub(crate) fn encode_in_order(
        &self,
        place: &Region,
        bytes: Vec<u8>,
        put_fill: impl FnOnce(u64) -> Result<Vec<u8>>,
    ) -> Result<EncodedChunk> {
        if !self.needs_heap(place) {
            return self.encode(place, bytes);
        }
        let (chunk, part) = (Block::whole(&self.chunk), Region::whole(&place.count));
        let bytes = self.complete((&chunk, &part), bytes, put_fill)?;
        let whole = Region {
            count: self.chunk.clone(),
            ..place.clone()
        };
        self.encode(&whole, bytes)
    }

    /// Returns the stored form of a chunk. `bytes` are the elements at `place`, which begins at the start of the
    /// chunk. All other elements are fill.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] without enough memory, [`ErrorKind::Argument`] for too few bytes,
    /// [`ErrorKind::Internal`] if unwritten elements need heap data, and errors of the filters, with the variable's path.
    pub fn encode(&self, place: &Region, mut bytes: Vec<u8>) -> Result<EncodedChunk> {
        if let Some(quantizer) = &self.quantize {
            quantizer.boxed(place, &self.shape, &mut bytes);
        }
        let bytes = self.whole(&place.count, bytes)?;
        if self.chain.is_empty() {
            return Ok(EncodedChunk { mask: 0, bytes });
        }
        let mut scratch = self.buffers.take(self.len)?;
        let encoded = self.chain.encode(bytes, &mut scratch);
        self.buffers.give(scratch);
        let named = encoded.map_err(|e| e.within(&format!("the chunk at {:?}", place.start)));
        let (mask, bytes) = named.in_object(|| self.path.clone())?;
        Ok(EncodedChunk { mask, bytes })
    }
}
