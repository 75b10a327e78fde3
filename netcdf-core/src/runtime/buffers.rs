//! Memory reused from chunk to chunk, from band to band, and between threads.
//!
//! Allocators keep the memory that a thread frees for that thread. With chunks of many megabytes, each thread
//! would come to hold as much as all need together. Smaller blocks are returned to the system, which then has to
//! clear every page again: that took a fifth of the time of a copy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::limits;

/// What memory is for, in messages.
const WHAT: &str = "a chunk";

/// Buffers of at least this many bytes are kept for reuse.
pub(crate) const LARGE: usize = 128 << 10;

/// Buffers of at least this many bytes are kept for one variable only.
const HUGE: usize = 4 << 20;

/// Bytes that filters may need beyond those of a chunk, so that they need no new memory.
const MORE: usize = 4 << 10;

/// Most bytes kept, apart from huge buffers.
const KEPT: usize = 16 << 20;

/// Most huge buffers kept, unless they have at most [`KEPT_HUGE`] bytes together.
const MANY: usize = 4;

/// Bytes of huge buffers that are kept, whatever their number.
const KEPT_HUGE: usize = 32 << 20;

/// Buffers currently unused.
#[derive(Debug, Default)]
pub struct Buffers {
    large: Mutex<Vec<Vec<u8>>>,
    /// Working memory for small chunks.
    small: Mutex<Vec<Vec<u8>>>,
    /// Bytes that may be kept on top of [`KEPT`].
    more: AtomicUsize,
}

/// Allows more memory to be kept while it lives; the excess is freed on drop.
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
    /// An empty buffer, with room for `len` bytes if that is large.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Limit`] if there is not enough memory, as for all buffers.
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

    /// `len` bytes of arbitrary content, with room for `room` if that is large.
    pub(crate) fn filled(&self, len: usize, room: usize) -> Result<Vec<u8>> {
        let room = room.max(len);
        if room < LARGE {
            return Ok(vec![0; len]);
        }
        // Memory new to the process is zero, and need not be cleared.
        let mut buffer = self.large(room, |room| limits::zeros(room, WHAT))?;
        buffer.resize(len, 0);
        Ok(buffer)
    }

    /// `len` zero bytes.
    pub(crate) fn zeros(&self, len: usize) -> Result<Vec<u8>> {
        if len < LARGE {
            return Ok(vec![0; len]);
        }
        let mut bytes = self.take(len)?;
        bytes.resize(len, 0);
        Ok(bytes)
    }

    /// A buffer with room for `len` bytes and its previous content, or a new one.
    fn large(&self, len: usize, new: impl FnOnce(usize) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        let mut large = lock(&self.large);
        // A part of a chunk must not take the memory of a whole one.
        let room = len.saturating_add(MORE);
        let right = room..=room.saturating_add(len / 4);
        let at = large.iter().position(|b| right.contains(&b.capacity()));
        if let Some(n) = at {
            return Ok(large.swap_remove(n));
        }
        // What is kept temporarily makes room for what is needed now.
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

    /// Takes back working memory. Large memory keeps its content: clearing it would only make
    /// [`Buffers::filled`] write zeros that nobody reads.
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

    /// Allows `bytes` more to be kept as long as the result lives: those of a slab, for the next one.
    pub(crate) fn keep(&self, bytes: u64) -> Keep<'_> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.more.store(bytes, Ordering::Relaxed);
        Keep(self)
    }

    /// Frees buffers that are too large to be kept from variable to variable.
    pub(crate) fn forget_huge(&self) {
        lock(&self.large).retain(|b| b.capacity() < HUGE);
    }

    /// Bytes currently kept.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        lock(&self.large).iter().map(Vec::capacity).sum()
    }

    /// Keeps a buffer for the next user if keeping it is worth its memory.
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
        // If no kept buffer is large enough, the new one takes the place of some.
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
