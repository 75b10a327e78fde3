//! Bytes in memory, as a source and as a target.

use std::sync::{Arc, Mutex};

use super::source::{Source, truncated};
use super::target::Target;
use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};

/// A source of bytes in memory.
#[derive(Debug)]
pub struct MemorySource {
    name: Arc<str>,
    bytes: Vec<u8>,
}

impl MemorySource {
    /// Creates a source of `bytes`. `name` is for messages.
    #[must_use]
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            name: name.into(),
            bytes,
        }
    }
}

impl Source for MemorySource {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let start = Amount::of(offset).count();
        let rest = self.bytes.get(start..).unwrap_or_default();
        match rest.get(..buf.len()) {
            Some(bytes) => {
                buf.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(truncated(
                &self.name,
                offset,
                buf.len() as u64,
                rest.len() as u64,
            )),
        }
    }
}

/// A target in memory. Commit passes the bytes to a second handle.
#[derive(Debug)]
pub struct MemoryTarget {
    name: Arc<str>,
    bytes: Vec<u8>,
    committed: Arc<Mutex<Option<Vec<u8>>>>,
}

impl MemoryTarget {
    /// Creates an empty target, and the handle that receives the bytes on commit.
    #[must_use]
    pub fn new(name: &str) -> (Self, Arc<Mutex<Option<Vec<u8>>>>) {
        let committed = Arc::default();
        (
            Self {
                name: name.into(),
                bytes: vec![],
                committed: Arc::clone(&committed),
            },
            committed,
        )
    }
}

impl Target for MemoryTarget {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let span = usize::try_from(offset)
            .ok()
            .and_then(|s| Some(s..s.checked_add(bytes.len())?));
        let span = span.ok_or_else(|| Error::new(ErrorKind::Limit, "too large for memory"))?;
        if self.bytes.len() < span.end {
            self.bytes.resize(span.end, 0);
        }
        let place = self.bytes.get_mut(span);
        let place = place.or_internal("bytes beyond their memory")?;
        place.copy_from_slice(bytes);
        Ok(())
    }

    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> Result<()> {
        buf.fill(0);
        let start = Amount::of(offset).count();
        let rest = self.bytes.get(start..).unwrap_or_default();
        for (to, from) in buf.iter_mut().zip(rest) {
            *to = *from;
        }
        Ok(())
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        let len = usize::try_from(len);
        let len = len.map_err(|_| Error::new(ErrorKind::Limit, "too large for memory"))?;
        self.bytes.resize(len, 0);
        Ok(())
    }

    fn written(&mut self) -> Result<Arc<dyn Source>> {
        let bytes = self.bytes.clone();
        Ok(Arc::new(MemorySource::new(&self.name, bytes)))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        let mut slot = self
            .committed
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *slot = Some(self.bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_there_and_no_more() {
        let s = MemorySource::new("m", vec![1, 2, 3]);
        assert_eq!(s.read_ranges(&[1..3, 0..1]).unwrap(), [vec![2, 3], vec![1]]);
        let e = s.read_ranges(std::slice::from_ref(&(2..9))).unwrap_err();
        assert_eq!(
            e.to_string(),
            "m: the file is truncated: expected 7 bytes, found 1 at byte 2"
        );
    }

    #[test]
    fn nothing_is_visible_before_commit() {
        let (mut t, out) = MemoryTarget::new("m");
        t.write_at(2, &[7]).unwrap();
        assert_eq!(*out.lock().unwrap(), None);
        Box::new(t).commit().unwrap();
        assert_eq!(*out.lock().unwrap(), Some(vec![0, 0, 7]));
    }
}
