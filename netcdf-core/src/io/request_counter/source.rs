//! A file with counted requests.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::RequestCounter;
use crate::arithmetic::length;
use crate::error::Result;
use crate::io::Source;
use crate::io::merge::{CoalesceLimits, merge};

/// A source with counted requests.
#[derive(Debug)]
pub(super) struct CountedSource {
    pub(super) inner: Arc<dyn Source>,
    pub(super) count: Arc<RequestCounter>,
}

impl Source for CountedSource {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.count.add(1, buf.len() as u64);
        self.inner.read_at(offset, buf)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        for read in merge(ranges, CoalesceLimits::FAR).filter(|read| !read.range.is_empty()) {
            self.count.add(1, length(&read.range));
        }
        self.inner.read_ranges(ranges)
    }

    fn sibling(&self, name: &Path, outside: bool) -> Result<Arc<dyn Source>> {
        self.inner.sibling(name, outside)
    }

    fn latency(&self) -> bool {
        self.count.counts() || self.inner.latency()
    }

    fn coalesce_limits(&self) -> CoalesceLimits {
        match self.count.counts() {
            true => CoalesceLimits::FAR,
            false => self.inner.coalesce_limits(),
        }
    }

    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        self.inner.location(range)
    }

    fn state(&self) -> String {
        self.inner.state()
    }

    fn has_changed(&self) -> bool {
        self.inner.has_changed()
    }

    fn second_look(&self) -> Result<Option<Arc<dyn Source>>> {
        self.inner.second_look()
    }

    fn as_file(&self) -> Option<Arc<std::fs::File>> {
        self.inner.as_file()
    }
}
