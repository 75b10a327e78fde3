//! Compares keys and bytes of two stores.

use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::io::Store;
use netcdf_core::json::Json;
use netcdf_core::limits;
use netcdf_core::runtime::WorkItem;

use super::report::{DiffReport, StoreDifference};
use crate::key;
use netcdf_core::format::zarr::survey::Node;

/// Keys per batch.
const BATCH: usize = 512;
/// Bytes per comparison.
const PIECE: u64 = 16 << 20;

type Stores<'a> = (&'a Arc<dyn Store>, &'a Arc<dyn Store>);

/// Fragments of two keys, and their offset.
type KeyPair = (u64, Vec<u8>, Vec<u8>);

/// Compares all keys of two stores: first the keys of the first store, then keys that only the second store has.
///
/// # Errors
/// Returns errors of the stores, and write errors.
pub(super) fn compare((a, b): Stores<'_>, env: &Env, report: &mut DiffReport<'_>) -> Result<()> {
    each((a, env, report), &|key, size| {
        with((a, b), (key, size), env)
    })?;
    each((b, env, report), &|key, size| {
        let here = key::size(a, key)?.is_some();
        let there = || StoreDifference::new("key", None, Some(bytes(size)));
        Ok((!here).then(there))
    })
}

/// A node of a store.
#[derive(Clone, Copy)]
pub(super) struct StoredNode<'a> {
    pub(super) store: &'a Arc<dyn Store>,
    pub(super) node: &'a Node,
}

/// A key of a store.
#[derive(Clone, Copy)]
pub(super) struct StoredKey<'a> {
    pub(super) store: &'a Arc<dyn Store>,
    pub(super) key: &'a str,
}

impl<'a> StoredKey<'a> {
    pub(super) fn new(store: &'a Arc<dyn Store>, key: &'a str) -> Self {
        Self { store, key }
    }
}

/// Processes all keys of a store in parallel.
fn each(
    (store, env, report): (&Arc<dyn Store>, &Env, &mut DiffReport<'_>),
    look: &(dyn Fn(&str, u64) -> Result<Option<StoreDifference>> + Sync),
) -> Result<()> {
    let mut all = |batch: Vec<(String, u64)>| {
        let items = batch.into_iter().map(|value| {
            let bytes = value.1.min(PIECE).saturating_mul(2);
            Ok(WorkItem::new(bytes, value))
        });
        let work = |(key, size): (String, u64)| {
            env.cancel.check()?;
            let found = look(&key, size)?;
            Ok(found.map(|difference| (key, difference)))
        };
        env.runtime.ordered(items, work, |found| match found {
            Some((key, difference)) => report.tell(&key, difference),
            None => Ok(()),
        })
    };
    let mut batch = vec![];
    store.walk("", &mut |key, size| {
        batch.push((key.to_owned(), size));
        match batch.len() < BATCH {
            true => Ok(()),
            false => all(std::mem::take(&mut batch)),
        }
    })?;
    all(batch)
}

fn bytes(size: u64) -> Json {
    Json::text(&format!("{size} B"))
}

/// Returns the difference of a key between the stores.
fn with(
    (a, b): Stores<'_>,
    (key, size): (&str, u64),
    env: &Env,
) -> Result<Option<StoreDifference>> {
    let Some(other) = key::size(b, key)? else {
        return Ok(Some(StoreDifference::new("key", Some(bytes(size)), None)));
    };
    if other != size {
        let difference = StoreDifference::new("size", Some(bytes(size)), Some(bytes(other)));
        return Ok(Some(difference));
    }
    let (one, other) = (StoredKey::new(a, key), StoredKey::new(b, key));
    let different = piece(one, other, size, env)?;
    Ok(different.map(|(at, x, y)| first(at, &x, &y)))
}

/// Returns the first fragment in which two keys of this size differ, and its offset.
fn piece(
    one: StoredKey<'_>,
    other: StoredKey<'_>,
    size: u64,
    env: &Env,
) -> Result<Option<KeyPair>> {
    let mut at = 0;
    while at < size {
        env.cancel.check()?;
        let end = at.saturating_add(PIECE).min(size);
        let x = read(one.store, one.key, at..end)?;
        let y = read(other.store, other.key, at..end)?;
        if x != y {
            return Ok(Some((at, x, y)));
        }
        at = end;
    }
    Ok(None)
}

/// Checks whether two keys have the same bytes.
///
/// # Errors
/// Returns errors of the stores.
pub(super) fn equal(one: StoredKey<'_>, other: StoredKey<'_>, env: &Env) -> Result<bool> {
    let sizes = [one, other].map(|k| key::size(k.store, k.key));
    let [size, known] = sizes;
    match (size?, known?) {
        (Some(size), Some(known)) if size == known => Ok(piece(one, other, size, env)?.is_none()),
        (None, None) => Ok(true),
        (Some(_) | None, Some(_) | None) => Ok(false),
    }
}

/// Checks whether all keys of a node and below it are the same in two stores.
///
/// # Errors
/// Returns errors of the stores. Unreadable keys are not equal.
pub(super) fn unchanged(
    StoredNode { store: a, node: x }: StoredNode<'_>,
    StoredNode { store: b, node: y }: StoredNode<'_>,
    env: &Env,
) -> Result<bool> {
    let own = |node: &Node| node.objects.values().all(|o| o.size.is_some());
    if !own(x) || !own(y) {
        return Ok(false);
    }
    let prefix = match x.path.as_str() {
        "" => String::new(),
        path => format!("{path}/"),
    };
    let (mut same, mut more) = (true, 0u64);
    a.walk(&prefix, &mut |key, _| {
        env.cancel.check()?;
        more = more.saturating_add(1);
        let (one, other) = (StoredKey::new(a, key), StoredKey::new(b, key));
        same = same && equal(one, other, env)?;
        Ok(())
    })?;
    b.walk(&prefix, &mut |_, _| {
        env.cancel.check()?;
        more = more.saturating_sub(1);
        Ok(())
    })?;
    Ok(same && more == 0)
}

fn read(store: &Arc<dyn Store>, key: &str, range: std::ops::Range<u64>) -> Result<Vec<u8>> {
    let said = |e: Error| e.of(store.name()).in_object(key);
    let len = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
    limits::room(len, "a key").map_err(said)?;
    key::range(store, key, range).map_err(said)
}

/// Returns the first differing byte at or after byte `at`.
fn first(at: u64, x: &[u8], y: &[u8]) -> StoreDifference {
    let n = x.iter().zip(y).position(|(a, b)| a != b);
    let n = n.unwrap_or(x.len().min(y.len()));
    let offset = at.saturating_add(n as u64);
    let hex = |bytes: &[u8]| {
        let byte = bytes.get(n).map(|b| format!("{b:02x}"));
        Json::text(&byte.unwrap_or_default())
    };
    let (a, b) = (hex(x), hex(y));
    let text = format!(
        "byte {offset} is the first that differs: {} | {}",
        a.as_str().unwrap_or_default(),
        b.as_str().unwrap_or_default()
    );
    let mut difference = StoreDifference::new("bytes", Some(a), Some(b));
    difference.more = vec![("offset", Json::int(offset))];
    difference.text = vec![text];
    difference
}
