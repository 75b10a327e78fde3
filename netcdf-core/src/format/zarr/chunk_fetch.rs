//! Fetches stored chunks: complete keys and key ranges. On a store with latency, all requests are concurrent.

use super::array_keys::missing_chunk;
use super::reader::{ArrayData, ZarrReader};
use crate::arithmetic::{exact, length};
use crate::chunk::decode::other_length;
use crate::chunk::layout::ChunkRef;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::io::reference::Reference;
use crate::io::store::{KeyContent, KeyParts, KeyRanges, range_of};

/// Extra bytes that a stored chunk may have beyond twice the element data size.
const SPARE: u64 = 1 << 20;
/// Extra bytes that small chunks with codecs may have.
const LITTLE: u64 = 1 << 10;

impl ZarrReader {
    /// Checks that a chunk of `have` bytes is not far larger than the element data. No codec expands chunks that much.
    fn check_size(&self, chunk: &ChunkRef, have: u64) -> Result<()> {
        let array = &self.data(chunk.variable)?.array;
        let whole = array.layout.chunk_bytes().map_or(u64::MAX, |n| n as u64);
        if array.texts.is_some() || have <= whole.saturating_mul(2).saturating_add(SPARE) {
            return Ok(());
        }
        let what = format!("a chunk of {have} bytes, but its elements have {whole}");
        Err(Error::new(ErrorKind::Limit, what).of(self.store.name()))
    }

    /// Returns the number of bytes to read from a stored chunk of `have` bytes. Bytes after the elements of a chunk without codecs are
    /// ignored, as in netCDF-C. The read reports missing elements.
    fn usable(&self, chunk: &ChunkRef, have: u64) -> Result<u64> {
        let var = chunk.variable;
        let array = &self.data(var)?.array;
        let layout = &array.layout;
        let whole = layout.chunk_bytes().map_or(u64::MAX, |n| n as u64);
        if array.texts.is_some() || !layout.filters.is_empty() || have == whole {
            return Ok(have);
        }
        let needed = || layout.needed_bytes(chunk.index).map(|n| n as u64);
        if have > whole || needed().is_some_and(|n| n <= have) {
            self.notes.remark(other_length(self.path(var)));
        }
        Ok(have.min(whole))
    }

    /// Limits the range of a chunk to the bytes to read.
    pub(super) fn cut(&self, mut chunk: ChunkRef) -> Result<ChunkRef> {
        let len = self.usable(&chunk, length(&chunk.range))?;
        chunk.range.end = chunk.range.start.saturating_add(len);
        Ok(chunk)
    }

    /// Returns the content of a key without the ignored bytes.
    fn cut_content(&self, chunk: &ChunkRef, key: &str, content: KeyContent) -> Result<KeyContent> {
        match content {
            KeyContent::Missing => Ok(content),
            KeyContent::Bytes(mut bytes) => {
                let have = bytes.len() as u64;
                let len = self.usable(chunk, have)?;
                self.check_size(chunk, len)?;
                bytes.truncate(usize::try_from(len).unwrap_or(usize::MAX));
                Ok(KeyContent::Bytes(bytes))
            }
            KeyContent::Longer(size) => {
                let len = self.usable(chunk, size)?;
                self.check_size(chunk, len)?;
                if len == size {
                    return Ok(content);
                }
                let range = 0..len;
                let read = self.store.get_ranges(key, std::slice::from_ref(&range))?;
                let bytes = read.and_then(|mut parts| parts.pop());
                Ok(bytes.map_or(KeyContent::Missing, KeyContent::Bytes))
            }
        }
    }

    /// Returns the chunk key.
    fn key(&self, chunk: &ChunkRef) -> Result<String> {
        let chunks = self.chunks(chunk.variable)?;
        Ok(chunks.keys.key(chunk.index))
    }

    /// Returns the location of a chunk in a file or object. Codecs of complete shards hide the locations of inner chunks.
    pub(super) fn chunk_reference(&self, chunk: &ChunkRef) -> Result<Option<Reference>> {
        let array = &self.data(chunk.variable)?.array;
        if !array.described.whole.is_empty() || array.texts.is_some() {
            return Ok(None);
        }
        let key = self.key(chunk)?;
        let Some(reference) = self.store.location(&key)? else {
            return Ok(None);
        };
        let part = &chunk.range;
        Ok(Some(match reference {
            Reference::Whole(url) if self.is_key(chunk) => Reference::Whole(url),
            Reference::Whole(url) => Reference::Range {
                url,
                offset: part.start,
                len: length(part),
            },
            Reference::Range { url, offset, .. } => Reference::Range {
                url,
                offset: (exact(offset) + part.start).get()?,
                len: length(part),
            },
            Reference::Inline(bytes) => Reference::Inline(range_of(&bytes, part)?.into()),
        }))
    }

    /// Checks whether a reference covers a complete key, and the key stores exactly one chunk.
    fn is_key(&self, chunk: &ChunkRef) -> bool {
        let data = self.data(chunk.variable);
        data.is_ok_and(|ArrayData { array, .. }| {
            let whole = array.layout.chunk_bytes().map(|n| n as u64);
            let all = array.texts.is_some()
                || !array.layout.filters.is_empty()
                || whole == Some(chunk.range.end);
            array.described.shards.is_empty() && chunk.range.start == 0 && all
        })
    }

    /// Fetches complete keys concurrently.
    fn fetch_keys(&self, chunks: &[&ChunkRef]) -> Result<Vec<KeyContent>> {
        let keys = chunks.iter().map(|chunk| self.key(chunk));
        let keys: Vec<String> = keys.collect::<Result<_>>()?;
        let most = chunks.iter().map(|chunk| most(length(&chunk.range)));
        let got = self.get_many(&keys, most.fold(0, u64::saturating_add))?;
        let got = chunks.iter().zip(&keys).zip(got);
        got.map(|((chunk, key), content)| {
            let content = self.cut_content(chunk, key, content);
            content.in_object(|| key.clone())
        })
        .collect()
    }

    /// Checks whether a program that appends records may replace a key with another size.
    fn may_be_replaced(&self, chunk: &ChunkRef) -> bool {
        let data = self.data(chunk.variable);
        let array = data.ok().map(|data| &data.array);
        let has_filters = array.is_some_and(|array| !array.layout.filters.is_empty());
        has_filters && self.is_key(chunk)
    }

    /// Fetches a key with its present size.
    fn fetch_key(&self, chunk: &ChunkRef) -> Result<KeyContent> {
        let key = self.key(chunk)?;
        self.check_size(chunk, length(&chunk.range))
            .in_object(|| key.clone())?;
        let bytes = self.store.get(&key).in_object(|| key.clone())?;
        let content = bytes.map_or(KeyContent::Missing, KeyContent::Bytes);
        self.cut_content(chunk, &key, content).in_object(|| key)
    }

    /// Fetches keys, and returns the first error.
    fn get_many(&self, keys: &[String], most: u64) -> Result<Vec<KeyContent>> {
        if keys.is_empty() {
            return Ok(vec![]);
        }
        let got = self.store.get_many(keys, most).into_iter().zip(keys);
        got.map(|(content, key)| content.in_object(|| key.clone()))
            .collect()
    }

    /// Returns the ranges of chunks that share a key, and the bytes if the key is already decoded.
    fn parts_of(&self, chunks: &[ChunkRef]) -> Result<(KeyRanges, Option<KeyParts>)> {
        let first = chunks.first().or_internal("a chunk to fetch")?;
        let key = self.key(first)?;
        let mut sizes = chunks.iter();
        let sizes = sizes.try_for_each(|chunk| self.check_size(chunk, length(&chunk.range)));
        sizes.in_object(|| key.clone())?;
        let ranges: Vec<_> = chunks.iter().map(|c| c.range.clone()).collect();
        let finder = self.chunks(first.variable)?;
        let known = finder.sharded().parts(first.index, &ranges);
        let known = known.in_object(|| key.clone())?.map(Some);
        Ok((KeyRanges { key, ranges }, known))
    }

    /// Fetches the stored bytes of chunks. Missing and too long chunks are separate results. On a store with latency, all keys and all key
    /// ranges are requested concurrently.
    pub(super) fn fetch_stored_bytes(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let latency = self.store.latency();
        let alone = |chunk: &ChunkRef| match latency {
            true => self.is_key(chunk),
            false => self.may_be_replaced(chunk),
        };
        let whole: Vec<_> = chunks.iter().filter(|chunk| alone(chunk)).collect();
        let whole: Vec<_> = match latency {
            true => self.fetch_keys(&whole)?,
            false => whole
                .into_iter()
                .map(|chunk| self.fetch_key(chunk))
                .collect::<Result<_>>()?,
        };
        let mut whole = whole.into_iter();
        let mut batches = vec![];
        for batch in chunks.chunk_by(|a, b| !alone(a) && !alone(b) && self.share_key(a, b)) {
            batches.push((batch, batch.first().is_some_and(alone)));
        }
        let parts = batches.iter().filter(|(_, alone)| !alone);
        let parts: Vec<&[ChunkRef]> = parts.map(|(batch, _)| *batch).collect();
        let mut parts = self.fetch_parts(&parts)?.into_iter();
        let mut out = Vec::with_capacity(chunks.len());
        for (batch, alone) in batches {
            match alone {
                true => out.push(whole.next().or_internal("a key that was fetched")?),
                false => match parts.next().or_internal("parts that were fetched")? {
                    Some(read) => out.extend(read.into_iter().map(KeyContent::Bytes)),
                    None => out.extend(batch.iter().map(|_| KeyContent::Missing)),
                },
            }
        }
        Ok(out)
    }

    /// Fetches the ranges of each batch. The chunks of a batch share a key.
    fn fetch_parts(&self, batches: &[&[ChunkRef]]) -> Result<Vec<KeyParts>> {
        let found = batches.iter().map(|batch| self.parts_of(batch));
        let found: Vec<_> = found.collect::<Result<_>>()?;
        let unknown = found.iter().filter(|(_, known)| known.is_none());
        let unknown: Vec<_> = unknown.map(|(of, _)| of.clone()).collect();
        let read = match unknown.as_slice() {
            [] => vec![],
            unknown => self.store.get_parts(unknown),
        };
        let mut read = read.into_iter();
        let parts = found.into_iter().map(|(of, known)| match known {
            Some(known) => Ok(known),
            None => {
                let read = read.next().or_internal("an answer for a key").flatten();
                read.in_object(|| of.key)
            }
        });
        parts.collect()
    }

    /// Checks whether two chunks share a key.
    pub(super) fn share_key(&self, a: &ChunkRef, b: &ChunkRef) -> bool {
        let data = self.data(a.variable);
        let shards = data.is_ok_and(|data| !data.array.described.shards.is_empty());
        let key = |chunk| self.key(chunk).ok();
        a.variable == b.variable && (a.index == b.index || shards && key(a) == key(b))
    }

    /// Returns the error for a chunk that has disappeared.
    pub(super) fn disappeared(&self, chunk: &ChunkRef) -> Error {
        match self.key(chunk) {
            Ok(key) => missing_chunk().in_object(&key).of(self.store.name()),
            Err(e) => e,
        }
    }
}

/// Returns the maximum stored size of a chunk with this expected size. Codecs expand incompressible chunks slightly.
fn most(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / 64).saturating_add(LITTLE)
}
