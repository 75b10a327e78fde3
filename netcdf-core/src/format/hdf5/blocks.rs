//! A cache of the blocks of metadata that were read last.

use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of a block of the cache.
pub(super) const BLOCK: u64 = 16 << 10;
/// Blocks in the cache.
const BLOCKS: usize = 256;

/// A cache of the blocks of metadata that were read last.
#[derive(Debug, Default)]
pub(super) struct Cache {
    blocks: std::collections::HashMap<u64, Arc<Vec<u8>>, foldhash::fast::RandomState>,
    order: VecDeque<u64>,
}

impl Cache {
    /// A block, if it is in the cache.
    pub(super) fn get(&self, number: u64) -> Option<Arc<Vec<u8>>> {
        self.blocks.get(&number).cloned()
    }

    /// Keeps a block; the oldest makes room for it.
    pub(super) fn put(&mut self, number: u64, block: Arc<Vec<u8>>) {
        if self.blocks.insert(number, block).is_some() {
            return;
        }
        self.order.push_back(number);
        if self.order.len() > BLOCKS
            && let Some(oldest) = self.order.pop_front()
        {
            self.blocks.remove(&oldest);
        }
    }
}
