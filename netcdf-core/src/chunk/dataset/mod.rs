//! Reads regions of variables: locates, fetches, decodes and scatters, for every format.

mod available;

use std::ops::Range;

use super::elements;
use super::layout::{ChunkRef, Layout};
use super::plan::Bands;
use super::pool::Item;
use super::scatter::{Block, Run, advance, intersection, runs};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::Context;
use crate::format::Reader;
use crate::model::{Region, Values, VarId};

/// An open dataset with the means to read it.
#[derive(Clone, Copy)]
pub struct Dataset<'a> {
    /// The format's part.
    pub reader: &'a dyn Reader,
    /// Limits, filters, threads.
    pub env: &'a Env,
}

/// Parts of chunks fetched at a time.
const BATCH: usize = 1 << 14;

impl<'a> Dataset<'a> {
    /// A dataset read by `reader`.
    #[must_use]
    pub fn new(reader: &'a dyn Reader, env: &'a Env) -> Self {
        Self { reader, env }
    }

    /// The values of a region, row-major.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] with the byte offset where stored data is missing, and all that
    /// locating and decoding can bring, with the variable's path.
    pub fn read(&self, var: VarId, region: &Region) -> Result<Values> {
        let layout = self.layout(var)?;
        let bytes = self.read_stored(var, &layout, region)?;
        self.values(var, &layout, &bytes)
            .in_object(|| self.reader.schema().var_path(var))
    }

    /// How a variable is stored.
    ///
    /// # Errors
    /// As [`Reader::layout`], with the variable's path.
    pub fn layout(&self, var: VarId) -> Result<Layout> {
        self.reader
            .layout(var)
            .in_object(|| self.reader.schema().var_path(var))
    }

    /// The elements of a region in stored form (type and byte order of the layout), row-major,
    /// without filters.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn read_stored(&self, var: VarId, layout: &Layout, region: &Region) -> Result<Vec<u8>> {
        let path = || self.reader.schema().var_path(var);
        if region.stride.iter().any(|&s| s != 1) {
            return self.read_strided(var, layout, region).in_object(path);
        }
        self.read_box(var, layout, region).in_object(path)
    }

    /// The values behind stored elements.
    fn values(&self, var: VarId, layout: &Layout, bytes: &[u8]) -> Result<Values> {
        match layout.element.plain_type() {
            Some(a) => elements::decode(a, layout.element.order, bytes),
            None => self.reader.resolve(var, bytes),
        }
    }

    /// Works on a region band by band, in parallel, and hands the results on in order. A band is
    /// a box of about `most` elements with its elements in stored form.
    ///
    /// # Errors
    /// The first error of reading, `work` or `sink`.
    pub fn bands<R: Send>(
        &self,
        var: VarId,
        (region, most): (Region, u64),
        work: impl Fn(&Region, Vec<u8>) -> Result<R> + Sync,
        sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let layout = self.layout(var)?;
        let size = layout.element.size;
        let items = Bands::new(region, &layout.chunk, most).map(|band| {
            self.env.cancel.check()?;
            let bytes = band.elements().unwrap_or(u64::MAX).saturating_mul(size);
            Ok(Item {
                bytes: bytes.saturating_mul(4),
                value: band,
            })
        });
        let one = |band: Region| work(&band, self.read_stored(var, &layout, &band)?);
        self.env.pool.ordered(items, one, sink)
    }

    /// A region with gaps: rows of the enclosing box are read and thinned out.
    fn read_strided(&self, var: VarId, layout: &Layout, region: &Region) -> Result<Vec<u8>> {
        let size = usize::try_from(layout.element.size).unwrap_or(1).max(1);
        let mut out = Vec::new();
        let rank = region.count.len();
        let outer = region
            .count
            .get(..rank.saturating_sub(1))
            .unwrap_or_default();
        if region.count.contains(&0) {
            return Ok(out);
        }
        let step = region.stride.last().copied().unwrap_or(1).max(1);
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        let mut index = vec![0; outer.len()];
        loop {
            let mut row = Region {
                stride: vec![1; rank],
                ..region.clone()
            };
            for (((start, count), stride), i) in row
                .start
                .iter_mut()
                .zip(&mut row.count)
                .zip(&region.stride)
                .zip(&index)
            {
                *start = start.saturating_add(i * stride);
                *count = 1;
            }
            if let Some(last) = row.count.last_mut() {
                *last = (*last - 1).saturating_mul(step as u64).saturating_add(1);
            }
            let bytes = self.read_box(var, layout, &row)?;
            bytes
                .chunks(size)
                .step_by(step)
                .for_each(|e| out.extend_from_slice(e));
            if !advance(&mut index, outer) {
                return Ok(out);
            }
        }
    }

    fn read_box(&self, var: VarId, layout: &Layout, region: &Region) -> Result<Vec<u8>> {
        let wanted = Block {
            start: region.start.clone(),
            count: region.count.clone(),
        };
        let bytes = region
            .elements()
            .and_then(|n| n.checked_mul(layout.element.size));
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 bytes"))?;
        let size = self.env.limits.item(bytes, "a region")?;
        let origin = Block {
            start: vec![0; layout.extent.len()],
            count: layout.extent.clone(),
        };
        let stored = intersection(&wanted, &origin);
        let mut gather = Gather {
            set: self,
            var,
            layout,
            wanted: &wanted,
            out: Out::Empty(size),
            parts: vec![],
        };
        if let Some(stored) = stored.filter(|_| size > 0) {
            let grid = chunk_box(&stored, layout);
            self.reader
                .locate(var, &grid, &mut |chunk| gather.chunk(&chunk))?;
            gather.flush()?;
        }
        gather.out.into_bytes(|| self.fill(var, layout))
    }

    /// The stored form of the variable's fill value.
    fn fill(&self, var: VarId, layout: &Layout) -> Result<Vec<u8>> {
        if let Some(fill) = &layout.fill {
            return Ok(fill.clone());
        }
        let fill = self.reader.schema().var(var).and_then(|v| v.fill_value());
        let mut bytes = Vec::new();
        match fill.filter(|_| layout.element.plain_type().is_some()) {
            Some(values) => elements::encode(&values, layout.element.order, &mut bytes)?,
            None => {
                bytes.resize(usize::try_from(layout.element.size).unwrap_or(1), 0);
            }
        }
        Ok(bytes)
    }
}

/// The chunks that a box of elements touches, counted in chunks.
fn chunk_box(wanted: &Block, layout: &Layout) -> Block {
    let dims = wanted.start.iter().zip(&wanted.count).zip(&layout.chunk);
    let (start, count) = dims
        .map(|((&s, &n), &c)| {
            let (c, last) = (c.max(1), s.saturating_add(n.saturating_sub(1)));
            (s / c, last / c - s / c + 1)
        })
        .unzip();
    Block { start, count }
}

/// The bytes of a region in the making.
enum Out {
    /// Nothing yet, and how many bytes it is to be.
    Empty(usize),
    /// All of it, as it was fetched.
    Whole(Vec<u8>),
    /// Parts of it, and which bytes they are.
    Parts {
        bytes: Vec<u8>,
        set: Vec<Range<usize>>,
    },
}

impl Out {
    fn put(&mut self, to: usize, part: &[u8]) {
        if let Self::Empty(size) = self {
            *self = Self::Parts {
                bytes: vec![0; *size],
                set: vec![],
            };
        }
        let Self::Parts { bytes, set } = self else {
            return;
        };
        let place = to..to.saturating_add(part.len());
        if let Some(place) = bytes.get_mut(place.clone()) {
            place.copy_from_slice(part);
        }
        match set.last_mut() {
            Some(last) if last.end == place.start => last.end = place.end,
            Some(_) | None => set.push(place),
        }
    }

    /// The bytes, with the fill value where nothing was put.
    fn into_bytes(self, fill: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let (mut bytes, mut set) = match self {
            Self::Whole(bytes) => return Ok(bytes),
            Self::Empty(0) => return Ok(vec![]),
            Self::Empty(size) => (vec![0; size], vec![]),
            Self::Parts { bytes, set } => (bytes, set),
        };
        if matches!(set.as_slice(), [only] if only.start == 0 && only.end == bytes.len()) {
            return Ok(bytes);
        }
        let fill = fill()?;
        set.sort_unstable_by_key(|r| r.start);
        set.push(bytes.len()..bytes.len());
        let mut at = 0;
        for done in set {
            let hole = bytes.get_mut(at..done.start).unwrap_or_default();
            hole.chunks_mut(fill.len().max(1)).for_each(|e| {
                e.iter_mut().zip(&fill).for_each(|(to, from)| *to = *from);
            });
            at = at.max(done.end);
        }
        Ok(bytes)
    }
}

/// Collects the chunks of one region.
struct Gather<'a> {
    set: &'a Dataset<'a>,
    var: VarId,
    layout: &'a Layout,
    wanted: &'a Block,
    out: Out,
    /// Parts of unfiltered chunks, with their places in `out` in bytes.
    parts: Vec<(ChunkRef, usize)>,
}

impl Gather<'_> {
    fn chunk(&mut self, chunk: &ChunkRef) -> Result<()> {
        let place = self.place(chunk.index);
        if self.layout.filters.is_empty() {
            return self.unfiltered(chunk, &place);
        }
        let stored = self.set.reader.fetch(std::slice::from_ref(chunk))?;
        let context = Context {
            shape: self.layout.chunk.clone(),
            element: self.layout.element,
            fill: Some(self.set.fill(self.var, self.layout)?),
            len: self.layout.chunk_bytes(),
        };
        let stored = stored.into_iter().next().unwrap_or_default();
        let table = &self.set.env.filters;
        let chain = table.chain(&self.layout.filters, &context)?;
        let bytes = chain.decode(chunk.mask, stored, &mut Vec::new())?;
        let size = self.layout.element.size;
        let (wanted, out) = (self.wanted, &mut self.out);
        runs(&place, wanted, |run| {
            let (from, to) = places(run, size)?;
            let part = bytes.get(from).ok_or_else(|| short(chunk.index))?;
            out.put(to, part);
            Ok(())
        })
    }

    fn unfiltered(&mut self, chunk: &ChunkRef, place: &Block) -> Result<()> {
        let size = self.layout.element.size;
        let wanted = self.wanted;
        runs(place, wanted, |run| {
            let offset = run
                .from
                .checked_mul(size)
                .and_then(|n| chunk.range.start.checked_add(n));
            let end = offset.and_then(|o| o.checked_add(run.len.checked_mul(size)?));
            let (Some(start), Some(end)) = (offset, end.filter(|&e| e <= chunk.range.end)) else {
                return Err(short(chunk.index));
            };
            let to = usize::try_from(run.to.saturating_mul(size)).unwrap_or(usize::MAX);
            self.parts.push((
                ChunkRef {
                    range: start..end,
                    ..chunk.clone()
                },
                to,
            ));
            if self.parts.len() >= BATCH {
                self.flush()
            } else {
                Ok(())
            }
        })
    }

    fn flush(&mut self) -> Result<()> {
        let (refs, places): (Vec<_>, Vec<_>) = std::mem::take(&mut self.parts).into_iter().unzip();
        let mut fetched = self.set.reader.fetch(&refs)?;
        if let (Out::Empty(size), [_]) = (&self.out, fetched.as_slice()) {
            let size = *size;
            if let Some(whole) = fetched.pop_if(|bytes| bytes.len() == size) {
                self.out = Out::Whole(whole);
                return Ok(());
            }
        }
        fetched
            .iter()
            .zip(places)
            .for_each(|(bytes, to)| self.out.put(to, bytes));
        Ok(())
    }

    /// The elements that a chunk covers.
    fn place(&self, mut index: u64) -> Block {
        let mut start: Vec<u64> = Vec::with_capacity(self.layout.chunk.len());
        for (&cells, &len) in self.layout.grid().iter().zip(&self.layout.chunk).rev() {
            start.push((index % cells.max(1)).saturating_mul(len));
            index /= cells.max(1);
        }
        start.reverse();
        Block {
            start,
            count: self.layout.chunk.clone(),
        }
    }
}

/// Bytes of a run in the chunk, and where they go in the region.
fn places(run: Run, size: u64) -> Result<(Range<usize>, usize)> {
    let byte = |n: u64| n.checked_mul(size).and_then(|b| usize::try_from(b).ok());
    let end = run.from.checked_add(run.len).and_then(byte);
    match (byte(run.from), end, byte(run.to)) {
        (Some(from), Some(end), Some(to)) => Ok((from..end, to)),
        _ => Err(Error::new(
            ErrorKind::Limit,
            "a chunk beyond the memory of this machine",
        )),
    }
}

fn short(index: u64) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!("chunk {index} has fewer bytes than its shape asks for"),
    )
}

#[cfg(test)]
mod tests;
