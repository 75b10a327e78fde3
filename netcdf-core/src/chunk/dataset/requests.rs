//! The requests to the reader and its sources. All reads of a dataset use the functions of this file.

use super::Dataset;
use crate::arithmetic::{Amount, length};
use crate::chunk::layout::ChunkRef;
use crate::chunk::read_cache::{LocateContext, SectionFlight};
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Locate, Visit, Visited, ended};
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::source::present;
use crate::io::store::KeyContent;
use crate::model::VarId;
use crate::runtime::ExtraBytes;
use crate::runtime::buffers::LARGE;

impl Dataset<'_> {
    /// Returns the stored bytes of chunks or of parts of chunks ([`ChunkBytes::fetch`](crate::chunk::ChunkBytes::fetch)).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] if the file ends too early; [`ErrorKind::NotFound`] and [`ErrorKind::Corrupt`] for chunks that have
    /// vanished or become longer; [`ErrorKind::Internal`] if the reader skips chunks.
    pub fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        let fetched = self.fetched_of(chunks)?.into_iter().zip(chunks);
        let bytes = fetched.map(|(content, chunk)| match content {
            KeyContent::Bytes(bytes) => Ok(bytes),
            KeyContent::Missing => Err(self.of_chunk(lost(), chunk)),
            KeyContent::Longer(_) => Err(self.of_chunk(grown(), chunk)),
        });
        bytes.collect()
    }

    /// Like [`Dataset::fetch`], but reads a single large chunk into reused memory. `room` computes the capacity from the number of stored
    /// bytes.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::fetch`].
    pub(crate) fn fetch_reused(
        &self,
        chunks: &[ChunkRef],
        room: impl FnOnce(usize) -> usize,
    ) -> Result<Vec<Vec<u8>>> {
        let large = |chunk: &&ChunkRef| length(&chunk.range) >= LARGE as u64;
        let only = Some(chunks).filter(|chunks| chunks.len() == 1);
        let only = only.and_then(<[_]>::first).filter(large);
        let source = only.and_then(|chunk| Some((self.reader.bytes().source(chunk)?, chunk)));
        let Some((source, chunk)) = source else {
            return self.fetch(chunks);
        };
        let len = present(&*source, &chunk.range)?;
        let mut bytes = self.env.buffers.filled(len, room(len))?;
        self.read_at(&*source, chunk.range.start, &mut bytes)?;
        Ok(vec![bytes])
    }

    /// Like [`Dataset::fetch`], for chunks that may be missing. Chunks that are longer than expected are read once their memory is
    /// admitted. The caller must hold no lock or memory that another item in need of memory waits for.
    pub(super) fn fetch_stored(&self, chunks: &[ChunkRef]) -> Result<Fetched> {
        let fetched = self.fetched_of(chunks)?;
        let longer: Vec<ChunkRef> = chunks.iter().zip(&fetched).filter_map(lengthened).collect();
        if longer.is_empty() {
            return self.fetched((chunks, fetched), None);
        }
        let bytes = longer.iter().map(|chunk| Amount::of(length(&chunk.range)));
        let more = self.runtime().admit_extra(bytes.sum::<Amount>().get());
        let mut again = self.fetched_of(&longer)?.into_iter();
        let all = fetched.into_iter().map(|one| match one {
            KeyContent::Longer(_) => again.next().unwrap_or(one),
            KeyContent::Missing | KeyContent::Bytes(_) => one,
        });
        self.fetched((chunks, all.collect()), Some(more))
    }

    /// Returns the fetched contents of chunks.
    fn fetched_of(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let fetched = self.ask(|| self.reader.bytes().fetch(chunks))?;
        match fetched.len() == chunks.len() {
            true => Ok(fetched),
            false => Err(Error::internal("a fetched value for every chunk")),
        }
    }

    /// Adds the file or key of a chunk to an error.
    fn of_chunk(&self, e: Error, chunk: &ChunkRef) -> Error {
        match self.reader.bytes().name(chunk) {
            Some(name) => e.of(&name),
            None => e,
        }
    }

    /// Converts the fetched contents of chunks to bytes, and checks their lengths.
    fn fetched(
        &self,
        (chunks, fetched): (&[ChunkRef], Vec<KeyContent>),
        more: Option<ExtraBytes>,
    ) -> Result<Fetched> {
        let bytes = chunks.iter().zip(fetched).map(|(chunk, one)| match one {
            KeyContent::Missing => Ok(None),
            KeyContent::Bytes(bytes) => Ok(Some(bytes)),
            KeyContent::Longer(_) => Err(self.of_chunk(grown(), chunk)),
        });
        let bytes = bytes.collect::<Result<_>>()?;
        Ok(Fetched { bytes, _more: more })
    }

    /// Returns the stored bytes of one chunk or of a part of a chunk.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::fetch`].
    pub fn fetch_one(&self, chunk: &ChunkRef) -> Result<Vec<u8>> {
        let fetched = self.fetch(std::slice::from_ref(chunk))?;
        let lacking = || {
            Error::new(
                ErrorKind::Truncated,
                "a chunk has vanished since it was located",
            )
        };
        fetched.into_iter().next().ok_or_else(lacking)
    }

    /// Fills `buf` with the bytes of one of the reader's sources, from byte `offset`.
    ///
    /// # Errors
    /// Returns errors from [`Source::read_at`].
    pub fn read_at(&self, source: &dyn Source, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.ask(|| source.read_at(offset, buf))
    }

    /// Visits the variable's chunks within a box of the chunk grid, in row-major order, without reading them. The locations come from the
    /// reader ([`Reader::locate`](crate::chunk::Reader::locate)) or from the cache. A request may be open during the visit: `visit` must
    /// not make a request or run a job.
    ///
    /// # Errors
    /// Returns errors from reading the index and from `visit`, with the variable's path, and [`ErrorKind::Cancelled`].
    pub fn locate_chunks(
        &self,
        var: VarId,
        within: &Block,
        which: Locate,
        visit: Visit<'_>,
    ) -> Result<()> {
        let mut visit = |chunk: ChunkRef| {
            self.env.cancel.check()?;
            visit(ChunkRef {
                variable: var,
                ..chunk
            })
        };
        let located = self.visit_chunks((var, within), which, &mut visit);
        ended(located).in_object(|| self.reader.schema().var_path(var))
    }

    fn visit_chunks(
        &self,
        (var, chunks): (VarId, &Block),
        which: Locate,
        visit: Visit<'_>,
    ) -> Visited {
        self.env.cancel.check()?;
        let cache = self.cache_of(var);
        let index = cache.is_some() && self.reader.has_index(var);
        let asked = if index { Locate::Stored } else { which };
        let locate = |part: &Block, visit: Visit<'_>| {
            let mut visit = |chunk: ChunkRef| {
                self.env.cancel.check()?;
                visit(chunk)
            };
            self.ask(|| self.reader.locate(var, part, asked, &mut visit))
        };
        let Some((cache, id)) = cache else {
            return locate(chunks, visit);
        };
        let wait = |flight: &SectionFlight| self.runtime().wait(|| flight.wait());
        let grid = || Ok(self.layout(var)?.grid());
        let context = LocateContext {
            grid: &grid,
            locate: &locate,
            wait: &wait,
            index,
            keep: which == Locate::Again,
            is_free: !index && self.reader.bytes().has_sources() && !self.reader.bytes().latency(),
        };
        cache.visit_locations(id, chunks, context, visit)
    }
}

/// The stored bytes of chunks, `None` for missing chunks, and the extra memory admitted for them.
#[derive(Default)]
pub(super) struct Fetched {
    pub(super) bytes: Vec<Option<Vec<u8>>>,
    _more: Option<ExtraBytes>,
}

impl Fetched {
    /// Wraps one chunk. Its memory is already admitted.
    pub(super) fn one(bytes: Vec<u8>) -> Self {
        Self {
            bytes: vec![Some(bytes)],
            _more: None,
        }
    }
}

/// Returns a chunk with its actual length, if that is longer than expected.
fn lengthened((chunk, fetched): (&ChunkRef, &KeyContent)) -> Option<ChunkRef> {
    let KeyContent::Longer(bytes) = fetched else {
        return None;
    };
    let start = chunk.range.start;
    let range = start..start.checked_add(*bytes)?;
    Some(ChunkRef {
        range,
        ..chunk.clone()
    })
}

fn grown() -> Error {
    let what = "a chunk became longer while it was read";
    Error::new(ErrorKind::Corrupt, what)
}

/// Returns the error for a chunk that has vanished since it was located.
pub(super) fn lost() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "a chunk has vanished since it was located",
    )
}
