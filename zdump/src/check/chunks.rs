//! Reads chunks and shards. Checks that indexes are valid and that every chunk can be decoded.

use std::collections::BTreeMap;

use netcdf_core::error::{ErrorKind, Result};
use netcdf_core::runtime::WorkItem;

use super::arrays::ArrayTable;
use super::context::CheckedStore;
use super::decode::ArrayDecoder;
use super::keys::StoredAmounts;
use super::reading::{ChunkWork, KeyReading, KeyToRead};
use super::report::{CheckReport, Finding};
use super::rule::Rule;
use super::shards;
use netcdf_core::format::zarr::survey::Role;

/// Maximum shards of an array for reading shard indexes without `--deep`.
const FEW: u64 = 1000;
/// Keys per batch for the threads.
const BATCH: usize = 4096;
/// Assumed expansion of a stored byte, for estimating the memory of a chunk (deflate: up to 1032).
const RATIO: u64 = 1 << 10;

/// The result for a key: findings, and the number of decoded chunks.
type KeyResult = (usize, u64, Vec<Finding>, u64);

/// Reads the shards of arrays with few shards; with `deep`, all chunks.
///
/// # Errors
/// Returns errors of the store and [`ErrorKind::Cancelled`].
pub(super) fn check(
    arrays: &ArrayTable<'_>,
    stored: &StoredAmounts,
    deep: bool,
    report: &mut CheckReport,
) -> Result<()> {
    let checked = arrays.checked;
    let work = plan(arrays, stored, deep);
    if work.is_empty() {
        return Ok(());
    }
    let bytes = work.keys().filter_map(|n| stored.get(n)).map(|s| s.bytes);
    checked
        .env
        .progress
        .expect(bytes.fold(0, u64::saturating_add));
    let mut batch = KeyBatch {
        checked,
        work,
        jobs: vec![],
    };
    checked
        .survey
        .each((checked.store, checked.env), &mut |key, size, role| {
            if let Role::Chunk(node, place) | Role::Shard(node, place) = role
                && batch.work.contains_key(&node)
            {
                batch.jobs.push(KeyToRead {
                    node,
                    key: key.to_owned(),
                    size,
                    place,
                });
            }
            match batch.jobs.len() >= BATCH {
                true => batch.run(report),
                false => Ok(()),
            }
        })?;
    batch.run(report)
}

/// Returns the work for each array.
fn plan<'a>(
    arrays: &'a ArrayTable<'_>,
    stored: &StoredAmounts,
    deep: bool,
) -> BTreeMap<usize, ChunkWork<'a>> {
    let env = arrays.checked.env;
    let works = stored.iter().filter_map(|(&n, amount)| {
        let (path, array) = arrays.get(n)?;
        let described = &array.described;
        if described.problem.is_some() {
            return None;
        }
        let decodable = || env.filters.check(&array.layout.filters, 0).is_ok();
        let chain = || array.chain(env).ok();
        let chain = (deep && decodable()).then(chain).flatten();
        let decoder = chain.map(|chain| ArrayDecoder::new(array, chain, env));
        let indexes = !described.shards.is_empty() && (deep || amount.count <= FEW);
        let work = ChunkWork {
            path,
            array,
            decoder,
        };
        (indexes || work.decoder.is_some()).then_some((n, work))
    });
    works.collect()
}

/// A batch of keys to read.
struct KeyBatch<'a> {
    checked: CheckedStore<'a>,
    work: BTreeMap<usize, ChunkWork<'a>>,
    jobs: Vec<KeyToRead>,
}

impl KeyBatch<'_> {
    /// Runs the jobs, and empties the list.
    fn run(&mut self, report: &mut CheckReport) -> Result<()> {
        let jobs = std::mem::take(&mut self.jobs);
        let env = self.checked.env;
        let items = jobs.into_iter().map(|job| {
            env.cancel.check()?;
            let bytes = self.bytes(&job);
            Ok(WorkItem::new(bytes, job))
        });
        env.runtime.ordered(
            items,
            |job| self.done(&job),
            |(node, size, findings, decoded)| {
                report.counts.decoded += decoded;
                env.progress.advance(size);
                let path = self.work.get(&node).map_or("", |work| work.path);
                findings
                    .into_iter()
                    .for_each(|finding| report.add(path, finding));
                Ok(())
            },
        )
    }

    /// Returns the approximate memory of a job.
    fn bytes(&self, job: &KeyToRead) -> u64 {
        let chunk = self.work.get(&job.node).and_then(|w| w.array.chunk_bytes());
        let most = job.size.saturating_mul(RATIO);
        let chunk = chunk.unwrap_or(most).min(most);
        chunk.saturating_mul(2).saturating_add(job.size)
    }

    fn done(&self, job: &KeyToRead) -> Result<KeyResult> {
        let none = (job.node, job.size, vec![], 0);
        let Some(work) = self.work.get(&job.node) else {
            return Ok(none);
        };
        let mut read = KeyReading::new(self.checked, job);
        let (findings, decoded) = match work.array.described.shards.is_empty() {
            true => chunk(work, &read),
            false => match read.unwrap_whole(work.array) {
                Ok(()) => shards::check(work, &read)?,
                Err(e) if e.kind() == ErrorKind::Io => (vec![read.unreadable(&e)], 0),
                Err(e) => (vec![read.finding(Rule::ShardIndex, e.what())], 0),
            },
        };
        Ok((job.node, job.size, findings, decoded))
    }
}

/// Checks a chunk with a separate key. The key check already covers the size of a chunk without codecs.
fn chunk(work: &ChunkWork<'_>, read: &KeyReading<'_>) -> (Vec<Finding>, u64) {
    let Some(decoder) = &work.decoder else {
        return (vec![], 0);
    };
    match read.all() {
        Err(e) => (vec![read.unreadable(&e)], 0),
        Ok(_) if decoder.is_plain() => (vec![], 1),
        Ok(bytes) => {
            let problem = decoder.problem(bytes);
            let found = problem.map(|(rule, what)| read.finding(rule, what));
            (found.into_iter().collect(), 1)
        }
    }
}
