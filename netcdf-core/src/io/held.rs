//! Targets that are committed later than the writer wants.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Source, Target};
use crate::error::{Error, ErrorKind, Result};

/// Receives the target once its writer is done with it.
#[derive(Debug, Clone, Default)]
pub struct Kept(Arc<Mutex<Option<Box<dyn Target>>>>);

impl Kept {
    /// The target as its writer left it. It becomes visible when it is committed once more.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the writer has not finished.
    pub fn take(&self) -> Result<Box<dyn Target>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let unfinished = || Error::new(ErrorKind::Argument, "the output is not finished");
        kept.take().ok_or_else(unfinished)
    }
}

/// A target whose commit hands it to [`Kept`].
#[derive(Debug)]
struct Held {
    target: Box<dyn Target>,
    kept: Kept,
}

/// Holds a target back: what is committed is kept, so that it can be looked at before it is visible.
#[must_use]
pub fn hold(target: Box<dyn Target>) -> (Box<dyn Target>, Kept) {
    let kept = Kept::default();
    let held = Held {
        target,
        kept: kept.clone(),
    };
    (Box::new(held), kept)
}

impl Target for Held {
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

    fn written(&mut self) -> Result<Arc<dyn Source>> {
        self.target.written()
    }

    fn commit(self: Box<Self>) -> Result<()> {
        let mut kept = self.kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(self.target);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemoryTarget;
    use crate::io::source::read_range;

    #[test]
    fn a_held_target_becomes_visible_when_it_is_let_go() {
        let (target, out) = MemoryTarget::new("m");
        let (mut held, kept) = hold(Box::new(target));
        assert!(kept.take().is_err());
        held.write_at(1, b"x").unwrap();
        held.commit().unwrap();
        assert_eq!(*out.lock().unwrap(), None);
        let mut target = kept.take().unwrap();
        let written = target.written().unwrap();
        assert_eq!(read_range(&*written, &(0..2)).unwrap(), b"\0x");
        target.commit().unwrap();
        assert_eq!(*out.lock().unwrap(), Some(b"\0x".to_vec()));
    }
}
