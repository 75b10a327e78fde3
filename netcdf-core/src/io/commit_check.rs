//! Outputs that are committed only if a check succeeds at that moment.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{ConcurrentWriter, Output, Source, Store, StoreTarget, Target};
use crate::error::Result;

/// A check that runs just before an output becomes visible. An error prevents the commit.
pub type Check = Box<dyn Fn() -> Result<()> + Send>;

/// A target with a check.
struct Guarded<T> {
    target: T,
    check: Check,
}

impl<T: fmt::Debug> fmt::Debug for Guarded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guarded").field(&self.target).finish()
    }
}

/// Adds a check to an output. Commit runs the check.
#[must_use]
pub fn guard(output: Output, check: Check) -> Output {
    match output {
        Output::Target(target) => Output::Target(Box::new(Guarded { target, check })),
        Output::Store(target) => Output::Store(Box::new(Guarded { target, check })),
    }
}

impl StoreTarget for Guarded<Box<dyn StoreTarget>> {
    fn store(&self) -> &Arc<dyn Store> {
        self.target.store()
    }

    fn written(&mut self) -> Result<Arc<dyn Store>> {
        self.target.written()
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.target.commit_if(&*self.check)
    }
}

impl Target for Guarded<Box<dyn Target>> {
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
        (self.check)()?;
        self.target.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};
    use crate::io::Container;
    use crate::io::memory::MemoryTarget;

    #[test]
    fn an_output_whose_check_fails_does_not_appear() {
        for fails in [false, true] {
            let (target, out) = MemoryTarget::new("m");
            let check = move || match fails {
                true => Err(Error::new(ErrorKind::Busy, "lost")),
                false => Ok(()),
            };
            let target: Box<dyn Target> = Box::new(target);
            let mut output = guard(Output::from(target), Box::new(check));
            let Container::Source(_) = output.written().unwrap() else {
                panic!("a file");
            };
            assert_eq!(output.commit().is_err(), fails);
            assert_eq!(out.lock().unwrap().is_none(), fails);
        }
    }
}
