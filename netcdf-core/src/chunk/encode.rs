//! Encodes the chunks of a variable being written.

use std::sync::Arc;

use super::decode::fill;
use super::layout::Layout;
use super::quantize::Quantizer;
use super::scatter::{Block, put_back, spread};
use crate::chunk::Writer;
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::{ChunkContext, FilterChain, VariableFacts};
use crate::model::{Region, VarId};
use crate::runtime::buffers::Buffers;

/// Data shared by all chunks of a variable.
#[derive(Debug)]
pub struct ChunkEncoder {
    chain: FilterChain,
    /// Shape of a chunk, and bytes of an element and of a chunk.
    chunk: Vec<u64>,
    size: u64,
    len: usize,
    /// Stored form of a missing element.
    fill: Vec<u8>,
    quantize: Option<Quantizer>,
    /// Lengths of the dimensions; the first may still grow.
    shape: Vec<u64>,
    buffers: Arc<Buffers>,
    /// The variable's path.
    path: String,
}

/// A chunk in stored form.
#[derive(Debug)]
pub struct EncodedChunk {
    /// Bit `n` set: filter `n` was not applied.
    pub mask: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl ChunkEncoder {
    /// An encoder for a variable of `writer` with the storage `layout`.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for chunks too large for this machine's memory; those of the filters.
    pub fn new(writer: &dyn Writer, env: &Env, var: VarId, layout: &Layout) -> Result<Self> {
        let path = writer.schema().var_path(var);
        Self::made(writer, env, var, layout).in_object(|| path)
    }

    fn made(writer: &dyn Writer, env: &Env, var: VarId, layout: &Layout) -> Result<Self> {
        layout.check()?;
        let schema = writer.schema();
        let fill = fill(schema, var, layout)?;
        let about = VariableFacts {
            mandatory: writer.rules(var).all_filters,
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
            quantize: layout.quantize,
            shape: layout.extent.clone(),
            buffers: Arc::clone(&env.buffers),
            path: schema.var_path(var),
        })
    }

    /// The filters of the chunks.
    #[must_use]
    pub fn chain(&self) -> &FilterChain {
        &self.chain
    }

    /// Stored form of a missing element.
    #[must_use]
    pub fn fill(&self) -> &[u8] {
        &self.fill
    }

    /// Bytes of a whole chunk without filters.
    #[must_use]
    pub fn chunk_bytes(&self) -> usize {
        self.len
    }

    /// A whole chunk with `bytes` as its first `count` elements per dimension; the others are fill.
    fn whole(&self, count: &[u64], bytes: Vec<u8>) -> Result<Vec<u8>> {
        if count == self.chunk {
            return Ok(bytes);
        }
        let mut all = self.blank()?;
        let part = Region::whole(count);
        // This copies in the other direction: the part is the source.
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

    /// A chunk full of fill.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if there is no memory for it.
    pub fn blank(&self) -> Result<Vec<u8>> {
        let mut all = self.buffers.zeros(self.len)?;
        if self.fill.iter().any(|&b| b != 0) {
            spread(&self.fill, &mut all);
        }
        Ok(all)
    }

    /// The stored form of a chunk with `bytes` as its elements at `place`, which starts where the chunk does;
    /// the others are fill.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if there is no memory for it; [`ErrorKind::Argument`] if there are too few bytes;
    /// those of the filters, with the variable's path.
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
