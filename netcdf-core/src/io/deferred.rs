//! Outputs with a deferred commit.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::{ConcurrentWriter, Output, Source, Store, StoreTarget, Target};
use crate::error::{Error, ErrorKind, Result};

/// Receives the output when its writer commits.
#[derive(Debug, Clone, Default)]
pub struct DeferredOutput(Arc<Mutex<Option<Output>>>);

impl DeferredOutput {
    /// Takes the output. It becomes visible when the caller commits it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if the writer has not committed.
    pub fn take(&self) -> Result<Output> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let unfinished = || Error::new(ErrorKind::Argument, "the output is not finished");
        kept.take().ok_or_else(unfinished)
    }

    fn keep(&self, output: Output) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(output);
    }
}

/// A target that moves to [`DeferredOutput`] on commit.
#[derive(Debug)]
struct DeferredTarget {
    target: Box<dyn Target>,
    kept: DeferredOutput,
}

/// Like [`DeferredTarget`], for a store.
#[derive(Debug)]
struct DeferredStoreTarget {
    target: Box<dyn StoreTarget>,
    kept: DeferredOutput,
}

/// Defers the commit of an output: the caller can check the committed output before it becomes visible.
#[must_use]
pub fn defer_commit(output: impl Into<Output>) -> (Output, DeferredOutput) {
    let kept = DeferredOutput::default();
    let to = kept.clone();
    let held = match output.into() {
        Output::Target(target) => Output::Target(Box::new(DeferredTarget { target, kept: to })),
        Output::Store(target) => Output::Store(Box::new(DeferredStoreTarget { target, kept: to })),
    };
    (held, kept)
}

impl StoreTarget for DeferredStoreTarget {
    fn store(&self) -> &Arc<dyn Store> {
        self.target.store()
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.kept.keep(Output::Store(self.target));
        Ok(())
    }
}

impl Target for DeferredTarget {
    fn name(&self) -> &Arc<str> {
        self.target.name()
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.target.write_at(offset, bytes)
    }

    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.target.read_at(offset, buf)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        self.target.set_len(len)
    }

    fn copy_from(&mut self, source: &dyn Source, range: Range<u64>, offset: u64) -> Result<()> {
        self.target.copy_from(source, range, offset)
    }

    fn concurrent_writer(&self) -> Option<Arc<dyn ConcurrentWriter>> {
        self.target.concurrent_writer()
    }

    fn written(&mut self) -> Result<Arc<dyn Source>> {
        self.target.written()
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.kept.keep(Output::Target(self.target));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Container;
    use crate::io::memory::MemoryTarget;
    use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
    use crate::io::source::read_range;

    #[test]
    fn a_held_target_becomes_visible_when_it_is_let_go() {
        let (target, out) = MemoryTarget::new("m");
        let (held, kept) = defer_commit(Box::new(target));
        let mut held = held.target("m").unwrap();
        assert!(kept.take().is_err());
        held.write_at(1, b"x").unwrap();
        held.commit().unwrap();
        assert_eq!(*out.lock().unwrap(), None);
        let mut output = kept.take().unwrap();
        let Container::Source(written) = output.written().unwrap() else {
            panic!("a file");
        };
        assert_eq!(read_range(&*written, &(0..2)).unwrap(), b"\0x");
        output.commit().unwrap();
        assert_eq!(*out.lock().unwrap(), Some(b"\0x".to_vec()));
    }

    #[test]
    fn so_does_a_store() {
        let (target, committed) = MemoryStoreTarget::new(Arc::new(MemoryStore::new("m")));
        let target: Box<dyn StoreTarget> = Box::new(target);
        let (held, kept) = defer_commit(target);
        let held = held.store("m").unwrap();
        held.store().put("a", b"x").unwrap();
        held.commit().unwrap();
        assert!(!*committed.lock().unwrap());
        let mut output = kept.take().unwrap();
        let Container::Store(written) = output.written().unwrap() else {
            panic!("a store");
        };
        assert_eq!(written.get("a").unwrap().unwrap(), b"x");
        output.commit().unwrap();
        assert!(*committed.lock().unwrap());
    }
}
