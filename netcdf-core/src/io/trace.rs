//! Traces store operations.

use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::invalid_entries::InvalidEntry;
use super::key_reads::KeyReads;
use super::reference::{Reference, ReferenceKeys, SourceState};
use super::store::{Hints, KeyContent, KeyParts, KeyRanges, Store, VisitKey};
use super::target::StoreTarget;
use crate::error::Result;

/// The writer for trace lines, if tracing is on.
#[derive(Clone, Default)]
pub struct Trace(Option<Arc<Mutex<dyn Write + Send>>>);

impl Trace {
    /// Traces to `out`.
    pub fn to(out: impl Write + Send + 'static) -> Self {
        Self(Some(Arc::new(Mutex::new(out))))
    }

    /// Traces to standard error if `asked`, or if the environment sets `NCTRACING`. The value is a level, but this trace has only one
    /// level.
    #[must_use]
    pub fn from_environment(asked: bool) -> Self {
        let level = std::env::var("NCTRACING").unwrap_or_default();
        let level = level.trim().parse().unwrap_or(0u32);
        match asked || level > 0 {
            true => Self::to(std::io::stderr()),
            false => Self::default(),
        }
    }

    /// Wraps a store to trace its operations, if tracing is on.
    #[must_use]
    pub fn store(&self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        match &self.0 {
            None => store,
            Some(_) => Arc::new(Traced {
                store,
                trace: self.clone(),
            }),
        }
    }

    /// Like [`Trace::store`], for a new store.
    #[must_use]
    pub fn target(&self, target: Box<dyn StoreTarget>) -> Box<dyn StoreTarget> {
        match &self.0 {
            None => target,
            Some(_) => Box::new(TracedTarget {
                store: self.store(Arc::clone(target.store())),
                target,
                trace: self.clone(),
            }),
        }
    }

    fn say(&self, operation: &str, key: &str, came: &dyn fmt::Display) {
        if let Some(out) = &self.0 {
            let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
            let key = key.escape_debug();
            // Ignore a closed standard error.
            let _ = writeln!(out, "trace: {operation} {key}: {came}");
        }
    }

    /// Traces the result of an operation, and returns the result.
    fn pass<T>(
        &self,
        (operation, key): (&str, &str),
        came: Result<T>,
        text: impl FnOnce(&T) -> String,
    ) -> Result<T> {
        let text = match &came {
            Ok(done) => text(done),
            Err(e) => e.what().to_string(),
        };
        self.say(operation, key, &text);
        came
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trace({})", self.0.is_some())
    }
}

#[derive(Debug)]
struct Traced {
    store: Arc<dyn Store>,
    trace: Trace,
}

fn size(n: usize) -> String {
    format!("{n} bytes")
}

const ABSENT: &str = "no such key";

impl Traced {
    fn ranges(&self, key: &str, ranges: &[Range<u64>], got: Result<KeyParts>) -> Result<KeyParts> {
        let text = |got: &KeyParts| match got {
            None => ABSENT.into(),
            Some(_) => {
                let ranges = ranges.iter().map(|r| format!("{}..{}", r.start, r.end));
                format!("bytes {}", ranges.collect::<Vec<_>>().join(", "))
            }
        };
        self.trace.pass(("get ranges", key), got, text)
    }
}

impl Store for Traced {
    fn name(&self) -> &Arc<str> {
        self.store.name()
    }

    fn hints(&self) -> Hints {
        self.store.hints()
    }

    fn location(&self, key: &str) -> Result<Option<Reference>> {
        self.store.location(key)
    }

    fn source_state(&self, url: &str) -> Option<SourceState> {
        self.store.source_state(url)
    }

    fn is_spread(&self) -> bool {
        self.store.is_spread()
    }

    fn reference_keys(&self) -> Option<&dyn ReferenceKeys> {
        self.store.reference_keys()
    }

    fn latency(&self) -> bool {
        self.store.latency()
    }

    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        let got = self.store.get_many(keys, most);
        let text = |got: &KeyContent| match got {
            KeyContent::Missing => ABSENT.into(),
            KeyContent::Bytes(bytes) => size(bytes.len()),
            KeyContent::Longer(n) => format!("{n} bytes, too many"),
        };
        let said = keys.iter().zip(got);
        let said = said.map(|(key, got)| self.trace.pass(("get", key), got, text));
        said.collect()
    }

    fn sizes(&self, keys: &[String]) -> Vec<Result<Option<u64>>> {
        let got = self.store.sizes(keys);
        let text = |got: &Option<u64>| got.map_or(ABSENT.into(), |n| format!("{n} bytes"));
        let said = keys.iter().zip(got);
        let said = said.map(|(key, got)| self.trace.pass(("size", key), got, text));
        said.collect()
    }

    fn children_many(&self, prefixes: &[String]) -> Vec<Result<Vec<String>>> {
        let got = self.store.children_many(prefixes);
        let text = |got: &Vec<String>| format!("{} names", got.len());
        let said = prefixes.iter().zip(got);
        let said = said.map(|(prefix, got)| self.trace.pass(("children", prefix), got, text));
        said.collect()
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let text = |got: &Option<Vec<u8>>| got.as_ref().map_or(ABSENT.into(), |b| size(b.len()));
        self.trace.pass(("get", key), self.store.get(key), text)
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        self.ranges(key, ranges, self.store.get_ranges(key, ranges))
    }

    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        let said = keys.iter().zip(self.store.get_parts(keys));
        let said = said.map(|(of, got)| self.ranges(&of.key, &of.ranges, got));
        said.collect()
    }

    fn invalid_entries(&self, all: bool) -> Result<Vec<InvalidEntry>> {
        self.store.invalid_entries(all)
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        let text = |got: &Option<u64>| got.map_or(ABSENT.into(), |n| format!("{n} bytes"));
        self.trace.pass(("size", key), self.store.size(key), text)
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let text = |got: &Vec<String>| format!("{} names", got.len());
        let got = self.store.children(prefix);
        self.trace.pass(("children", prefix), got, text)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        let mut keys = 0u64;
        let mut count = |key: &str, size| {
            keys += 1;
            visit(key, size)
        };
        let walked = self.store.walk(prefix, &mut count);
        let text = |(): &()| format!("{keys} keys");
        self.trace.pass(("walk", prefix), walked, text)
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        let put = self.store.put(key, bytes);
        self.trace.pass(("put", key), put, |()| size(bytes.len()))
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        let put = self.store.put_if_absent(key, bytes);
        let text = |(): &()| size(bytes.len());
        self.trace.pass(("put if absent", key), put, text)
    }

    fn state(&self) -> Result<Option<String>> {
        self.store.state()
    }

    fn watch(&self, reads: &Arc<KeyReads>) {
        self.store.watch(reads);
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.store.changed()
    }

    fn changed_keys(&self) -> Vec<String> {
        self.store.changed_keys()
    }

    fn later_key(&self) -> Option<String> {
        self.store.later_key()
    }

    fn forget_states(&self) {
        self.store.forget_states();
    }

    fn delete(&self, key: &str) -> Result<()> {
        let deleted = self.store.delete(key);
        self.trace
            .pass(("delete", key), deleted, |()| "done".into())
    }
}

#[derive(Debug)]
struct TracedTarget {
    store: Arc<dyn Store>,
    target: Box<dyn StoreTarget>,
    trace: Trace,
}

impl StoreTarget for TracedTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn written(&mut self) -> Result<Arc<dyn Store>> {
        self.target.written().map(|store| self.trace.store(store))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        let name = Arc::clone(self.store.name());
        let committed = self.target.commit();
        self.trace
            .pass(("commit", &name), committed, |()| "done".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};

    /// Collects written bytes.
    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<u8>>>);

    impl Write for Heard {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn operations_are_said() {
        let heard = Heard::default();
        let trace = Trace::to(heard.clone());
        let (target, committed) = MemoryStoreTarget::new(Arc::new(MemoryStore::new("m")));
        let target = trace.target(Box::new(target));
        let store = Arc::clone(target.store());
        store.put("v/0", b"abc").unwrap();
        store.put_if_absent("v/.zarray", b"{}").unwrap();
        assert!(store.put_if_absent("v/.zarray", b"{}").is_err());
        store.get("v/0").unwrap();
        store.get("no\u{e9}").unwrap();
        store.get_ranges("v/0", &[0..1, 2..3]).unwrap();
        store.size("v/0").unwrap();
        store.children("").unwrap();
        store.walk("v/", &mut |_, _| Ok(())).unwrap();
        store.delete("v/0").unwrap();
        target.commit().unwrap();
        assert!(*committed.lock().unwrap());
        let text = String::from_utf8(heard.0.lock().unwrap().clone()).unwrap();
        let want = "trace: put v/0: 3 bytes
trace: put if absent v/.zarray: 2 bytes
trace: put if absent v/.zarray: the key already exists
trace: get v/0: 3 bytes
trace: get no\u{e9}: no such key
trace: get ranges v/0: bytes 0..1, 2..3
trace: size v/0: 3 bytes
trace: children : 1 names
trace: walk v/: 2 keys
trace: delete v/0: done
trace: commit m: done
";
        assert_eq!(text, want);
    }

    #[test]
    fn nothing_is_said_unless_asked_for() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new("m"));
        let same = Trace::default().store(Arc::clone(&store));
        assert!(Arc::ptr_eq(&store, &same));
    }
}
