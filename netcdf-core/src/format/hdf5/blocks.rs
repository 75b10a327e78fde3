//! A metadata block cache that reads ahead near blocks read before.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::arithmetic::{Amount, length};
use crate::error::Result;
use crate::io::Source;

/// Consecutive pages of the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageRun {
    /// Offset of the first page in the source.
    pub(super) base: u64,
    /// Bytes of each page.
    pub(super) size: u64,
}

/// Bytes of a block.
const BLOCK: u64 = 16 << 10;
/// Initial maximum number of cached blocks.
const BLOCKS: usize = 256;
/// Limits for a source with high latency: more memory saves requests.
const HIGH_LATENCY: BlockLimits = BlockLimits {
    blocks: 2048,
    at_once: 192,
};
/// Limits for any other source.
const LOW_LATENCY: BlockLimits = BlockLimits {
    blocks: BLOCKS,
    at_once: 32,
};

/// Number of blocks per region. A region has one bit per block.
const REGION: u64 = 32;
/// An aligned group of blocks is read completely if at least one in `DENSE` of its blocks was read before.
const DENSE: u64 = 4;
/// Maximum number of regions to read ahead. The same number of regions before them must have been read.
const AHEAD: u64 = 4;
/// Maximum page size in blocks. Larger pages are not read completely.
const LONGEST_PAGE: u64 = 512;
/// Longer reads bypass the cache, unless the bytes are cached.
const LONGEST: u64 = 256 << 10;
/// Bytes of the first request for leading metadata. Each further request doubles the total.
const FRONT: u64 = 8 << 20;
/// Maximum length of leading metadata to read ahead.
const LONGEST_FRONT: u64 = HIGH_LATENCY.blocks as u64 * BLOCK;

/// Limits of the cache and of one request.
#[derive(Clone, Copy)]
struct BlockLimits {
    /// Maximum number of cached blocks, once evicted blocks are needed again.
    blocks: usize,
    /// Maximum number of blocks per request. The cache retains them until they are used.
    at_once: usize,
}

/// A cache of the most recently used blocks of a source, shared between threads.
#[derive(Debug, Default)]
pub(super) struct BlockCache(Mutex<BlockCacheState>);

#[derive(Debug)]
struct BlockCacheState {
    blocks: HashMap<u64, CachedBlock, foldhash::fast::RandomState>,
    /// A bit for each block that was ever read, per region.
    read: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// Use counter.
    time: u64,
    /// Maximum number of cached blocks.
    max_blocks: usize,
    /// The pages of the file; each page is read completely.
    pages: Option<PageRun>,
}

impl Default for BlockCacheState {
    fn default() -> Self {
        Self {
            blocks: HashMap::default(),
            read: HashMap::default(),
            time: 0,
            max_blocks: BLOCKS,
            pages: None,
        }
    }
}

#[derive(Debug)]
struct CachedBlock {
    bytes: Vec<u8>,
    /// The use counter at the last use.
    used: u64,
}

impl BlockCache {
    /// Reads each page completely from now on, if requests have high latency. Pages below two blocks and above [`LONGEST_PAGE`] are
    /// ignored.
    pub(super) fn by_pages(&self, pages: Option<PageRun>) {
        let blocks = |pages: &PageRun| pages.size / BLOCK;
        let pages = pages.filter(|pages| (2..=LONGEST_PAGE).contains(&blocks(pages)));
        self.with(|cache| cache.pages = pages);
    }

    /// Reads source bytes from offset `place` into `out`. The source must have all these bytes.
    ///
    /// # Errors
    /// Returns errors from the source.
    pub(super) fn read(&self, source: &dyn Source, place: u64, out: &mut [u8]) -> Result<()> {
        let len = out.len() as u64;
        if self.with(|cache| cache.copy(place, out)) {
            return Ok(());
        }
        if len > LONGEST {
            return source.read_at(place, out);
        }
        self.prefetch(
            source,
            std::slice::from_ref(&(place..place.saturating_add(len))),
        );
        if self.with(|cache| cache.copy(place, out)) {
            return Ok(());
        }
        // Reached only if the source fails or if other threads evicted the blocks.
        source.read_at(place, out)
    }

    /// Reads uncached blocks of these ranges in one request, with neighbouring blocks if the area is dense. Read errors are ignored:
    /// prefetching is best-effort, and the later read reports the error.
    pub(super) fn prefetch(&self, source: &dyn Source, ranges: &[Range<u64>]) {
        let len = source.len();
        let high_latency = source.latency();
        let runs = self.with(|cache| {
            let limits = cache.limits(high_latency);
            cache.runs(ranges, len.div_ceil(BLOCK), limits)
        });
        if runs.is_empty() {
            return;
        }
        let places = |run: &Range<u64>| run.start * BLOCK..len.min(run.end * BLOCK);
        let places: Vec<_> = runs.iter().map(places).collect();
        if let Ok(read) = source.read_ranges(&places) {
            self.with(|cache| cache.insert(&runs, read));
        }
    }

    /// Reads ahead from `start` to `end`: 8 MiB in the first request, then one request per doubling. Skips ranges that are too long.
    /// Read errors are ignored.
    pub(super) fn prefetch_front(&self, source: &dyn Source, start: u64, end: u64) {
        let end = end.min(source.len());
        if end.saturating_sub(start) > LONGEST_FRONT {
            return;
        }
        let mut at = start;
        while at < end {
            let next = (at - start).max(FRONT);
            let to = end.min(at.saturating_add(next));
            let run = at / BLOCK..to.div_ceil(BLOCK);
            let places = run.start * BLOCK..source.len().min(run.end * BLOCK);
            let Ok(read) = source.read_ranges(&[places]) else {
                return;
            };
            self.with(|cache| cache.insert_front(&run, read));
            at = to;
        }
    }

    /// Forgets all blocks, after the source changed.
    pub(super) fn forget(&self) {
        self.with(|cache| cache.blocks.clear());
    }

    /// Replaces bytes of cached blocks, after the source changed.
    pub(super) fn overwrite(&self, place: u64, bytes: &[u8]) {
        self.with(|cache| cache.overwrite(place, bytes));
    }

    /// Forgets the blocks from a source offset on, after the source changed there.
    pub(super) fn forget_from(&self, place: u64) {
        self.with(|cache| cache.blocks.retain(|number, _| *number < place / BLOCK));
    }

    fn with<T>(&self, on: impl FnOnce(&mut BlockCacheState) -> T) -> T {
        on(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl BlockCacheState {
    /// Copies source bytes from the cache. Returns false if a block is not cached.
    fn copy(&mut self, place: u64, out: &mut [u8]) -> bool {
        self.time += 1;
        let (mut at, mut rest) = (place, out);
        while !rest.is_empty() {
            let Some(block) = self.blocks.get_mut(&(at / BLOCK)) else {
                return false;
            };
            block.used = self.time;
            let from = usize::try_from(at % BLOCK).unwrap_or(0);
            let part = block.bytes.get(from..).unwrap_or_default();
            let n = part.len().min(rest.len());
            let (Some(part), true) = (part.get(..n), n > 0) else {
                return false;
            };
            let (to, after) = rest.split_at_mut(n);
            to.copy_from_slice(part);
            (at, rest) = (at.saturating_add(n as u64), after);
        }
        true
    }

    /// Replaces source bytes in the cache.
    fn overwrite(&mut self, place: u64, bytes: &[u8]) {
        let (mut at, mut rest) = (place, bytes);
        while !rest.is_empty() {
            let from = usize::try_from(at % BLOCK).unwrap_or(0);
            let room = (BLOCK - at % BLOCK).min(rest.len() as u64);
            let (part, more) = rest.split_at(usize::try_from(room).unwrap_or(rest.len()));
            let block = self.blocks.get_mut(&(at / BLOCK));
            let slot = block.map(|block| block.bytes.get_mut(from..from + part.len()));
            match slot {
                Some(Some(slot)) => slot.copy_from_slice(part),
                // The block ends before these bytes.
                Some(None) => drop(self.blocks.remove(&(at / BLOCK))),
                None => {}
            }
            (at, rest) = (at.saturating_add(part.len() as u64), more);
        }
    }

    /// Limits of the cache and of one request. The cache is enlarged for two pages if pages are read completely.
    fn limits(&mut self, high_latency: bool) -> BlockLimits {
        if !high_latency {
            self.pages = None;
            return LOW_LATENCY;
        }
        let page = self.pages.map_or(0, |pages| pages.size.div_ceil(BLOCK) + 1);
        let page = usize::try_from(page).unwrap_or(0);
        self.max_blocks = self.max_blocks.max(2 * page);
        BlockLimits {
            at_once: HIGH_LATENCY.at_once.max(page),
            ..HIGH_LATENCY
        }
    }

    /// The page that contains the end of a block, as a block range.
    fn page(&self, number: u64) -> Option<Range<u64>> {
        let PageRun { base, size } = self.pages?;
        let last = number.checked_mul(BLOCK)?.checked_add(BLOCK - 1)?;
        let place = last.checked_sub(base)?;
        let start = base.checked_add(place - place % size)?;
        Some(start / BLOCK..start.checked_add(size)?.div_ceil(BLOCK))
    }

    /// The blocks to read for ranges of a source of `count` blocks, as runs in ascending order.
    fn runs(&mut self, ranges: &[Range<u64>], count: u64, limits: BlockLimits) -> Vec<Range<u64>> {
        let mut wanted = BTreeSet::new();
        for range in ranges.iter().filter(|r| !r.is_empty()) {
            for number in range.start / BLOCK..range.end.div_ceil(BLOCK).min(count) {
                if wanted.len() >= limits.at_once {
                    break;
                }
                if !self.blocks.contains_key(&number) && !wanted.contains(&number) {
                    self.add_around(number, (count, limits), &mut wanted);
                }
            }
        }
        let mut runs: Vec<Range<u64>> = vec![];
        for number in wanted {
            match runs.last_mut().filter(|run| run.end == number) {
                Some(run) => run.end += 1,
                None => runs.push(number..number + 1),
            }
        }
        runs
    }

    /// Adds a block and likely neighbours that were never read.
    fn add_around(
        &mut self,
        number: u64,
        (count, limits): (u64, BlockLimits),
        wanted: &mut BTreeSet<u64>,
    ) {
        wanted.insert(number);
        let dropped = self.was_read(number);
        let likely = match dropped {
            true => {
                self.max_blocks = (self.max_blocks * 2).min(limits.blocks);
                let start = number - number % REGION;
                start..start + REGION
            }
            false => self.page(number).unwrap_or_else(|| self.likely(number)),
        };
        for block in likely.filter(|block| *block < count) {
            let again = self.was_read(block);
            let wants = again == dropped && !self.blocks.contains_key(&block);
            if wants && wanted.len() < limits.at_once {
                wanted.insert(block);
                *self.read.entry(block / REGION).or_default() |= 1 << (block % REGION);
            }
        }
    }

    /// Whether a block was ever read.
    fn was_read(&self, block: u64) -> bool {
        let bits = self.read.get(&(block / REGION)).copied().unwrap_or(0);
        bits & 1 << (block % REGION) != 0
    }

    /// Blocks likely to be needed with a block: its neighbours if blocks nearby were read, or whole regions if the same number of regions
    /// before it was read.
    fn likely(&self, number: u64) -> Range<u64> {
        let region = number / REGION;
        let bits = |region: u64| self.read.get(&region).copied().unwrap_or(0);
        let before = (1..=AHEAD).map_while(|n| region.checked_sub(n));
        let full = before.take_while(|r| u64::from(bits(*r).count_ones()) * 2 >= REGION);
        match (full.count() as u64, bits(region)) {
            (full @ 1.., 0) => region * REGION..(region + full) * REGION,
            (_, bits) => {
                let around = around(bits, number % REGION);
                region * REGION + around.start..region * REGION + around.end
            }
        }
    }

    /// Caches the blocks of a run without evicting cached blocks.
    fn insert_front(&mut self, run: &Range<u64>, read: Vec<Vec<u8>>) {
        for block in run.clone() {
            *self.read.entry(block / REGION).or_default() |= 1 << (block % REGION);
        }
        let all = (Amount::of(length(run)) + self.blocks.len()).count();
        self.max_blocks = self.max_blocks.max(all.min(HIGH_LATENCY.blocks));
        self.insert(std::slice::from_ref(run), read);
    }

    /// Caches the blocks of runs and evicts the least recently used blocks.
    fn insert(&mut self, runs: &[Range<u64>], read: Vec<Vec<u8>>) {
        self.time += 1;
        let size = usize::try_from(BLOCK).unwrap_or(1);
        for (run, bytes) in runs.iter().zip(read) {
            for (number, bytes) in run.clone().zip(bytes.chunks(size)) {
                let bytes = bytes.to_vec();
                let used = self.time;
                self.blocks.insert(number, CachedBlock { bytes, used });
            }
        }
        let surplus = self.blocks.len().saturating_sub(self.max_blocks);
        if surplus > 0 {
            let mut ages: Vec<_> = self.blocks.iter().map(|(n, b)| (b.used, *n)).collect();
            ages.sort_unstable();
            for (_, number) in ages.iter().take(surplus) {
                self.blocks.remove(number);
            }
        }
    }
}

/// The bits to read together with a bit: the largest aligned part of the region with enough bits set.
fn around(bits: u32, bit: u64) -> Range<u64> {
    let mut found = bit..bit + 1;
    let mut len = 2;
    while len <= REGION {
        let part = bit - bit % len..bit - bit % len + len;
        let read = part.clone().filter(|b| bits & 1 << b != 0).count();
        if read as u64 * DENSE >= len {
            found = part;
        }
        len *= 2;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::io::memory::MemorySource;
    use crate::io::rounds::Rounds;

    fn source(blocks: u64) -> Arc<Rounds<dyn Source>> {
        let bytes = (0..blocks * BLOCK).map(|n| (n % 251) as u8).collect();
        Rounds::of(Arc::new(MemorySource::new("m", bytes)) as Arc<dyn Source>)
    }

    fn check(blocks: &BlockCache, source: &dyn Source, place: u64, len: usize) {
        let (mut got, mut want) = (vec![0; len], vec![0; len]);
        blocks.read(source, place, &mut got).unwrap();
        for (at, byte) in (place..).zip(&mut want) {
            *byte = (at % 251) as u8;
        }
        assert!(got == want, "{len} bytes at {place}");
    }

    #[test]
    fn parts_grow_with_what_was_read() {
        assert_eq!(around(0, 5), 5..6);
        assert_eq!(around(1 << 4, 5), 4..8);
        assert_eq!(around(0b1111, 4), 0..16);
        assert_eq!(around(0xffff, 16), 0..32);
        assert_eq!(around(1 << 31, 30), 28..32);
    }

    #[test]
    fn a_source_in_order_takes_few_requests_and_each_byte_once() {
        let (source, blocks) = (source(200), BlockCache::default());
        for place in (0..200 * BLOCK).step_by(5000) {
            check(
                &blocks,
                &*source,
                place,
                5000.min((200 * BLOCK - place) as usize),
            );
        }
        let asked = source.asked();
        assert!(asked.rounds < 40, "{asked:?}");
        assert_eq!(asked.bytes, 200 * BLOCK);
    }

    #[test]
    fn pages_are_read_as_a_whole() {
        let (source, blocks) = (source(200), BlockCache::default());
        let (base, size) = (512, 40 * BLOCK);
        blocks.by_pages(Some(PageRun { base, size }));
        check(&blocks, &*source, base + size + 9, 100);
        assert_eq!(source.asked().bytes, size + BLOCK);
        check(&blocks, &*source, base + 2 * size - BLOCK, 100);
        assert_eq!(source.asked().rounds, 1);
        // Tiny pages and huge pages are not read completely.
        for size in [
            0,
            BLOCK,
            2 * BLOCK - 1,
            (LONGEST_PAGE + 1) * BLOCK,
            u64::MAX,
        ] {
            let source = self::source(200);
            let blocks = BlockCache::default();
            blocks.by_pages(Some(PageRun { base, size }));
            check(&blocks, &*source, 100 * BLOCK, 100);
            assert_eq!(source.asked().bytes, BLOCK, "{size}");
        }
    }

    #[test]
    fn ranges_of_one_call_are_one_request() {
        let (source, blocks) = (source(200), BlockCache::default());
        let ranges: Vec<_> = (0..200)
            .step_by(40)
            .map(|n| n * BLOCK + 9..n * BLOCK + 20)
            .collect();
        blocks.prefetch(&*source, &ranges);
        ranges
            .iter()
            .for_each(|r| check(&blocks, &*source, r.start, 11));
        assert_eq!(
            (source.asked().rounds, source.asked().bytes),
            (1, 5 * BLOCK)
        );
        let beyond = [5..5, u64::MAX - 1..u64::MAX, 200 * BLOCK..201 * BLOCK];
        blocks.prefetch(&*source, &beyond);
        assert_eq!(source.asked().rounds, 1);
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        let (source, blocks) = (source(600), BlockCache::default());
        let all = 0..600 * BLOCK;
        blocks.prefetch(&*source, std::slice::from_ref(&all));
        assert_eq!(source.asked().bytes, HIGH_LATENCY.at_once as u64 * BLOCK);
        for n in 0..600 {
            check(&blocks, &*source, n * BLOCK, 8);
            check(&blocks, &*source, 0, 8);
            assert!(blocks.with(|cache| cache.blocks.len()) <= BLOCKS);
        }
        assert_eq!(source.asked().bytes, 600 * BLOCK);
        // Blocks needed again enlarge the cache.
        for n in 0..600 {
            check(&blocks, &*source, n * BLOCK, 8);
        }
        let asked = source.asked();
        for n in 0..600 {
            check(&blocks, &*source, n * BLOCK, 8);
        }
        assert_eq!(source.asked(), asked);
        assert!(asked.bytes < 1200 * BLOCK);
    }

    #[test]
    fn long_reads_go_past_the_cache() {
        let (source, blocks) = (source(40), BlockCache::default());
        check(&blocks, &*source, 0, 300 << 10);
        assert_eq!(source.asked().bytes, 300 << 10);
    }

    #[test]
    fn changed_bytes_are_replaced_in_the_cache() {
        let (source, blocks) = (source(6), BlockCache::default());
        let read = |place, len| {
            let mut got = vec![0; len];
            blocks.read(&*source, place, &mut got).unwrap();
            got
        };
        (0..6).for_each(|n| drop(read(n * BLOCK, 1)));
        let asked = source.asked();
        blocks.overwrite(BLOCK - 2, &[255; 4]);
        assert_eq!(read(BLOCK - 2, 4), [255; 4]);
        assert_ne!(read(BLOCK + 2, 1), [255]);
        assert_eq!(source.asked(), asked);
        blocks.overwrite(6 * BLOCK - 1, &[255; 9]);
        blocks.forget_from(BLOCK + 5);
        assert_eq!(read(0, 1), [0]);
        assert_eq!(source.asked(), asked);
        // The first block was changed, the second is read again.
        assert_eq!(read(BLOCK - 1, 1), [255]);
        assert_ne!(read(BLOCK, 1), [255]);
        assert!(source.asked().bytes > asked.bytes);
    }

    #[test]
    fn errors_name_the_requested_range() {
        let (source, blocks) = (source(2), BlockCache::default());
        let e = blocks
            .read(&*source, 2 * BLOCK - 4, &mut [0; 8])
            .unwrap_err();
        assert_eq!(e.offset(), Some(2 * BLOCK - 4));
    }
}
