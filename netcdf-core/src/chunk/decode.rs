//! Decodes the chunks of one variable, and provides fill for missing chunks.

use std::sync::Arc;

use super::elements;
use super::layout::{ChunkRef, Layout};
use super::texts::{self, Texts};
use crate::arithmetic::Amount;
use crate::chunk::Reader;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{ChunkContext, FilterChain, VariableFacts};
use crate::limits;
use crate::model::{DataType, Endianness, FillMode, Schema, Values, VarId, Variable};
use crate::notes::{Note, Notes};
use crate::runtime::buffers::{Buffers, LARGE};

/// The maximum ratio of decoded to stored bytes for which a large buffer is allocated at once (deflate reaches 1032).
const RATIO: usize = 1 << 10;

/// The data that all chunks of a variable share.
pub(crate) struct ChunkDecoder<'a> {
    reader: &'a dyn Reader,
    layout: &'a Layout,
    chain: FilterChain,
    /// The text encoding, if the decoder returns packed texts.
    texts: Option<&'a Texts>,
    /// The size of a decoded chunk in bytes; `None` if unknown, or too large for this machine's memory.
    len: Option<usize>,
    /// The stored form of a missing element.
    pub(super) fill: Vec<u8>,
    /// The stored form of an element outside the stored extent.
    beyond: Vec<u8>,
    /// Memory for chunks.
    pub(super) buffers: Arc<Buffers>,
    notes: Arc<Notes>,
    /// The variable's path.
    path: String,
}

impl<'a> ChunkDecoder<'a> {
    pub(super) fn new(
        reader: &'a dyn Reader,
        env: &Env,
        var: VarId,
        layout: &'a Layout,
    ) -> Result<Self> {
        let chain = chain(reader, env, var, layout)?;
        Ok(Self {
            len: layout.chunk_bytes(),
            ..Self::with(reader, env, var, (layout, chain))?
        })
    }

    /// Creates a decoder for text chunks. `decode` then returns packed texts.
    pub(super) fn of_texts(
        reader: &'a dyn Reader,
        env: &Env,
        var: VarId,
        (layout, texts): (&'a Layout, &'a Texts),
    ) -> Result<Self> {
        let context = texts::context(reader.schema(), layout);
        let chain = env.filters.chain(&layout.filters, &context)?;
        Ok(Self {
            texts: Some(texts),
            ..Self::with(reader, env, var, (layout, chain))?
        })
    }

    fn with(
        reader: &'a dyn Reader,
        env: &Env,
        var: VarId,
        (layout, chain): (&'a Layout, FilterChain),
    ) -> Result<Self> {
        env.buffers.forget_huge();
        Ok(Self {
            reader,
            layout,
            chain,
            texts: None,
            len: None,
            fill: fill(reader.schema(), var, layout)?,
            beyond: beyond(reader.schema(), var, layout)?,
            buffers: Arc::clone(&env.buffers),
            notes: Arc::clone(&env.notes),
            path: reader.schema().var_path(var),
        })
    }

    /// Returns the stored forms of a missing element: within the stored extent, and outside.
    pub(super) fn fills(&self) -> (&[u8], &[u8]) {
        (&self.fill, &self.beyond)
    }

    /// Returns memory for `stored` bytes of a chunk, with capacity for its decoded form. The content is arbitrary.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] without enough memory.
    pub(super) fn memory(&self, stored: usize) -> Result<Vec<u8>> {
        let len = match self.layout.filters.len() {
            0 => 0,
            _ => self.room(stored),
        };
        self.buffers.filled(stored, len)
    }

    /// Returns the size of a decoded chunk in bytes; 0 if the stored bytes are too few for it.
    pub(crate) fn room(&self, stored: usize) -> usize {
        let most = (Amount::of(stored) * RATIO).count();
        self.len.filter(|&len| len <= most).unwrap_or(0)
    }

    /// Decodes a chunk from its stored bytes.
    pub(crate) fn decode(&self, chunk: &ChunkRef, stored: Vec<u8>) -> Result<Vec<u8>> {
        if let Some(texts) = self.texts {
            let bytes = self.chain.decode(chunk.mask, stored, &mut Vec::new());
            let packed = bytes.and_then(|bytes| texts.packed(&bytes));
            return packed.map_err(|e| self.at_origin(e, chunk));
        }
        self.decode_by(chunk, stored, |chain, bytes, scratch| {
            chain.decode_any_length(chunk.mask, bytes, scratch)
        })
    }

    /// Like [`Self::decode`], but accepts only chunk forms that readers of other formats accept.
    pub(crate) fn decode_strictly(&self, chunk: &ChunkRef, stored: Vec<u8>) -> Result<Vec<u8>> {
        match chunk.mask {
            0 => self.decode_by(chunk, stored, FilterChain::decode_strictly),
            _ => self.decode(chunk, stored),
        }
    }

    fn decode_by(
        &self,
        chunk: &ChunkRef,
        stored: Vec<u8>,
        decode: impl FnOnce(&FilterChain, Vec<u8>, &mut Vec<u8>) -> Result<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        let buffers = &self.buffers;
        let len = self.room(stored.len());
        let mut bytes = stored;
        // A filter writes its output over the input of the previous filter.
        let several = self.layout.filters.len() > 1;
        if several && len >= LARGE && bytes.capacity() < len {
            let stored = std::mem::replace(&mut bytes, buffers.take(len)?);
            bytes.extend_from_slice(&stored);
        }
        if len == 0 {
            // The memory grows with the output.
            limits::room(self.len.unwrap_or(0), "a chunk").map_err(|e| self.in_chunk(e, chunk))?;
        }
        let mut scratch = buffers.take(len)?;
        let decoded = decode(&self.chain, bytes, &mut scratch);
        if len < LARGE || scratch.capacity() >= len {
            buffers.give(scratch);
        }
        let bytes = decoded.map_err(|e| self.in_chunk(e, chunk))?;
        let whole = self.whole(chunk, bytes);
        whole.map_err(|e| self.in_chunk(e, chunk))
    }

    /// Returns a chunk with all elements of the chunk shape. `bytes` may lack elements outside the extent.
    fn whole(&self, chunk: &ChunkRef, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let found = bytes.len();
        let Some(len) = self
            .len
            .filter(|&len| is_enough(self.layout, chunk.index, len, found))
        else {
            let want = self.len;
            let want = want.map_or("more than fit in memory".into(), |n| n.to_string());
            let what = format!("{found} bytes, but the chunk shape needs {want}");
            return Err(Error::new(ErrorKind::Corrupt, what));
        };
        if found != len && !self.chain.is_empty() {
            self.notes.remark(other_length(self.path.clone()));
        }
        complete(&mut bytes, len, &self.beyond)?;
        Ok(bytes)
    }

    /// Adds the chunk's position in the grid and in the file to an error, except to an error about a missing filter.
    pub(super) fn in_chunk(&self, e: Error, chunk: &ChunkRef) -> Error {
        if e.kind() == ErrorKind::FilterUnavailable {
            return e;
        }
        let place = self.layout.place(chunk.index);
        let place: Vec<String> = place.iter().map(u64::to_string).collect();
        let range = &chunk.range;
        let (place, end) = (place.join(", "), range.end);
        let e = e.within(&format!("chunk ({place}), bytes {}..{end}", range.start));
        self.at_origin(e, chunk)
    }

    /// Adds the chunk's location in its file or key to an error.
    fn at_origin(&self, e: Error, chunk: &ChunkRef) -> Error {
        match self.reader.bytes().name(chunk) {
            Some(name) => e.at(&name, chunk.range.start),
            None => e,
        }
    }
}

/// The maximum chunk size in bytes for which any number of bytes may be missing.
const COMPLETED: usize = 64 << 20;

/// Returns true if `found` bytes of the chunk with number `index` and `whole` bytes contain all elements inside the extent.
pub(crate) fn is_enough(layout: &Layout, index: u64, whole: usize, found: usize) -> bool {
    let needed = || layout.needed_bytes(index);
    let possible = whole <= COMPLETED || whole / RATIO <= found;
    found >= whole || possible && needed().is_some_and(|n| n <= found)
}

/// Resizes a chunk to `len` bytes: adds missing elements, or drops trailing bytes.
pub(crate) fn complete(bytes: &mut Vec<u8>, len: usize, fill: &[u8]) -> Result<()> {
    bytes.truncate(len);
    let found = bytes.len();
    let missing = len.saturating_sub(found);
    limits::reserve(bytes, missing, "a chunk")?;
    let rest = fill.iter().copied().cycle();
    let start = found.checked_rem(fill.len()).unwrap_or(0);
    bytes.extend(rest.skip(start).take(missing));
    Ok(())
}

/// Returns the remark about chunks with more or fewer bytes than their shape.
pub(crate) fn other_length(path: String) -> Note {
    Note {
        object: path,
        what:
            "chunks are shorter or longer than their shape; all elements of the variable are there"
                .to_owned(),
        remedy: None,
    }
}

/// Returns the filters of a variable's chunks.
///
/// # Errors
/// Returns errors from [`fill`] and [`FilterTable::chain`](crate::filter::FilterTable::chain).
pub(crate) fn chain(
    reader: &dyn Reader,
    env: &Env,
    var: VarId,
    layout: &Layout,
) -> Result<FilterChain> {
    let schema = reader.schema();
    let about = VariableFacts::new(schema, layout.element.ty, &layout.filters);
    let context = ChunkContext {
        fill: Some(fill(schema, var, layout)?),
        ..layout.context(about)
    };
    env.filters.chain(&layout.filters, &context)
}

/// Returns the stored form of a missing element: from the layout, else from the variable's fill value. Zero bytes are an empty list or
/// string, and also stand for numbers in unusual forms.
pub(crate) fn fill(schema: &Schema, var: VarId, layout: &Layout) -> Result<Vec<u8>> {
    let size = limits::element(layout.element.size)?;
    if let Some(bytes) = layout.fill.as_ref().filter(|b| b.len() == size) {
        return Ok(bytes.clone());
    }
    let mut bytes = vec![0; size];
    let element = layout.element;
    let known = match element.ty {
        DataType::Atomic(_) => element.plain_type().is_some(),
        DataType::User(_) => element.ty.fixed_size(schema) == Some(element.size),
    };
    let value = schema.var(var).and_then(|v| v.unwritten());
    if let Some(value) = value.filter(|_| known) {
        encode(&value, (schema, element.order), &mut bytes, 0);
    }
    Ok(bytes)
}

/// Returns the stored form of an element outside the stored extent of a variable. If HDF5 has no fill value, this is netCDF's fill value,
/// although HDF5's zeros apply within the extent.
///
/// # Errors
/// Returns errors from [`fill`].
pub(crate) fn beyond(schema: &Schema, var: VarId, layout: &Layout) -> Result<Vec<u8>> {
    let zeros = schema.kind.storage.zeros_within();
    let bare = |v: &Variable| v.storage.fill == FillMode::NoFill;
    if !zeros || layout.extent == schema.shape(var) || !schema.var(var).is_some_and(bare) {
        return fill(schema, var, layout);
    }
    let layout = Layout {
        fill: None,
        ..layout.clone()
    };
    fill(schema, var, &layout)
}

/// The maximum nesting depth of types.
const DEPTH: u32 = 64;

/// Writes the stored form of values to the start of `out`. Heap data stays zero. Lists of compounds within a compound also stay zero.
fn encode(values: &Values, (schema, order): (&Schema, Endianness), out: &mut [u8], depth: u32) {
    let Values::Compound { ty, len, columns } = values else {
        let mut bytes = Vec::new();
        let fits = elements::encode(values, order, &mut bytes).is_ok();
        if let Some(place) = out.get_mut(..bytes.len()).filter(|_| fits) {
            place.copy_from_slice(&bytes);
        }
        return;
    };
    let fields = schema.compound_fields(*ty);
    let Some(fields) = fields.filter(|_| *len == 1 && depth < DEPTH) else {
        return;
    };
    for (field, column) in fields.iter().zip(columns) {
        let from = usize::try_from(field.offset).ok();
        if let Some(place) = from.and_then(|from| out.get_mut(from..)) {
            encode(column, (schema, order), place, depth + 1);
        }
    }
}
