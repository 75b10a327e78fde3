//! Memory that chunks, bands and threads reuse.
//!
//! Allocators cache freed memory per thread. With chunks of many megabytes, each thread would cache the memory that all threads together
//! need. Smaller blocks are returned to the system, which then has to clear every page again: this took a fifth of the time of a copy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::limits;

/// The purpose of the memory, for messages.
const WHAT: &str = "a chunk";

/// The minimum size of buffers that are cached for reuse, in bytes.
pub(crate) const LARGE: usize = 128 << 10;

/// The minimum size of buffers that are cached for one variable only, in bytes.
const HUGE: usize = 4 << 20;

/// The bytes that filters may need beyond the chunk size, so that they need no new memory.
const MORE: usize = 4 << 10;

/// The maximum number of cached bytes, apart from huge buffers.
const KEPT: usize = 16 << 20;

/// The maximum number of cached huge buffers, unless their total is at most [`KEPT_HUGE`] bytes.
const MANY: usize = 4;

/// The bytes of huge buffers that are cached regardless of their number.
const KEPT_HUGE: usize = 32 << 20;

/// The unused buffers.
#[derive(Debug, Default)]
pub struct Buffers {
    large: Mutex<Vec<Vec<u8>>>,
    /// Working memory for small chunks.
    small: Mutex<Vec<Vec<u8>>>,
    /// The allowance of cached bytes on top of [`KEPT`].
    more: AtomicUsize,
}

/// A higher limit for cached buffers; dropping it frees the excess.
#[derive(Debug)]
pub(crate) struct Keep<'a>(&'a Buffers);

impl Drop for Keep<'_> {
    fn drop(&mut self) {
        self.0.more.store(0, Ordering::Relaxed);
        let mut bytes = 0usize;
        lock(&self.0.large).retain(|b| {
            bytes = bytes.saturating_add(b.capacity());
            b.capacity() >= HUGE || bytes <= KEPT
        });
    }
}

fn lock(list: &Mutex<Vec<Vec<u8>>>) -> MutexGuard<'_, Vec<Vec<u8>>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Buffers {
    /// Returns an empty buffer, with capacity for `len` bytes if that is large.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Limit`] without enough memory, like all functions for buffers.
    pub(crate) fn take(&self, len: usize) -> Result<Vec<u8>> {
        if len < LARGE {
            return Ok(lock(&self.small).pop().unwrap_or_default());
        }
        let mut buffer = self.large(len, |room| {
            let mut buffer = vec![];
            limits::reserve(&mut buffer, room, WHAT)?;
            Ok(buffer)
        })?;
        buffer.clear();
        Ok(buffer)
    }

    /// Returns `len` bytes with arbitrary content, and capacity for `room` bytes if that is large.
    pub(crate) fn filled(&self, len: usize, room: usize) -> Result<Vec<u8>> {
        let room = room.max(len);
        if room < LARGE {
            return Ok(vec![0; len]);
        }
        // New memory of the process is zero and needs no clearing.
        let mut buffer = self.large(room, |room| limits::zeros(room, WHAT))?;
        buffer.resize(len, 0);
        Ok(buffer)
    }

    /// Returns `len` zero bytes.
    pub(crate) fn zeros(&self, len: usize) -> Result<Vec<u8>> {
        if len < LARGE {
            return Ok(vec![0; len]);
        }
        let mut bytes = self.take(len)?;
        bytes.resize(len, 0);
        Ok(bytes)
    }

    /// Returns a cached buffer with capacity for `len` bytes and its previous content, or a new buffer.
    fn large(&self, len: usize, new: impl FnOnce(usize) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let mut large = lock(&self.large);
        // A partial chunk must not take the memory of a whole chunk.
        let room = len.saturating_add(MORE);
        let right = room..=room.saturating_add(len / 4);
        let at = large.iter().position(|b| right.contains(&b.capacity()));
        if let Some(n) = at {
            return Ok(large.swap_remove(n));
        }
        // Buffers of a temporary allowance are freed when memory is needed now.
        let mut left = match self.more.load(Ordering::Relaxed) {
            0 => 0,
            _ => room,
        };
        while left > 0
            && let Some(other) = large.pop()
        {
            left = left.saturating_sub(other.capacity());
        }
        drop(large);
        new(room)
    }

    /// Takes back working memory. Large memory keeps its content: clearing it would only make [`Buffers::filled`]
    /// write zeros that are never read.
    pub(crate) fn give(&self, mut buffer: Vec<u8>) {
        if buffer.capacity() < LARGE {
            buffer.clear();
            lock(&self.small).push(buffer);
            return;
        }
        let mut large = lock(&self.large);
        let huge = buffer.capacity() >= HUGE;
        let others = large.iter().map(Vec::capacity);
        let others = others.filter(|&n| (n >= HUGE) == huge);
        let (count, bytes) = others.fold((0usize, 0usize), |(n, sum), len| (n + 1, sum + len));
        let keep = match huge {
            true => count < MANY || bytes < KEPT_HUGE,
            false => bytes < KEPT.saturating_add(self.more.load(Ordering::Relaxed)),
        };
        if keep {
            large.push(buffer);
        }
    }

    /// Raises the limit of cached bytes by `bytes` while the result lives: the bytes of a slab, for the next slab.
    pub(crate) fn keep(&self, bytes: u64) -> Keep<'_> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.more.store(bytes, Ordering::Relaxed);
        Keep(self)
    }

    /// Frees buffers that are too large to be cached across variables.
    pub(crate) fn forget_huge(&self) {
        lock(&self.large).retain(|b| b.capacity() < HUGE);
    }

    /// Returns the cached bytes.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        lock(&self.large).iter().map(Vec::capacity).sum()
    }

    /// Caches a buffer for the next user if its memory is worth it.
    pub fn give_large(&self, buffer: Vec<u8>) {
        if buffer.capacity() >= LARGE {
            self.give(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_buffers_come_back_where_they_fit() {
        let buffers = Buffers::default();
        let large = buffers.take(2 * LARGE).unwrap();
        buffers.give_large(large);
        buffers.give_large(vec![1; LARGE + MORE + 1]);
        buffers.give_large(vec![1; 10]);
        assert_eq!(buffers.take(10).unwrap().capacity(), 0);
        let filled = buffers.filled(LARGE, 0).unwrap();
        assert_eq!((filled.len(), filled.capacity()), (LARGE, LARGE + MORE + 1));
        let first = buffers.filled(10, LARGE).unwrap();
        assert_eq!((first.len(), first.capacity()), (10, LARGE + MORE));
        assert_eq!(buffers.filled(10, 11).unwrap().capacity(), 10);
        assert_eq!(buffers.take(LARGE).unwrap().capacity(), LARGE + MORE);
        assert_eq!(
            buffers.take(2 * LARGE).unwrap().capacity(),
            2 * LARGE + MORE
        );
        buffers.give(Vec::with_capacity(7));
        assert_eq!(buffers.take(20).unwrap().capacity(), 7);
    }

    #[test]
    fn more_is_kept_for_a_time() {
        let buffers = Buffers::default();
        let keep = buffers.keep(KEPT as u64);
        (0..1000).for_each(|_| buffers.give(Vec::with_capacity(LARGE)));
        assert_eq!(lock(&buffers.large).len(), 2 * KEPT / LARGE);
        // If no cached buffer is large enough, the new buffer replaces some of them.
        let other = buffers.take(10 * LARGE).unwrap();
        assert_eq!(lock(&buffers.large).len(), 2 * KEPT / LARGE - 11);
        drop((keep, other));
        assert_eq!(lock(&buffers.large).len(), KEPT / LARGE);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let kept = |len: usize| {
            let buffers = Buffers::default();
            (0..200).for_each(|_| buffers.give(Vec::with_capacity(len)));
            lock(&buffers.large).len()
        };
        assert_eq!(kept(LARGE), KEPT / LARGE);
        assert_eq!(kept(HUGE), KEPT_HUGE / HUGE);
        assert_eq!(kept(KEPT_HUGE), MANY);
    }
}
