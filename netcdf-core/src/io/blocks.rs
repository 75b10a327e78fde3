//! A write-back block cache in front of a target, for many small writes to nearby offsets.

use std::collections::BTreeMap;

use super::Target;
use crate::arithmetic::{exact, indices};
use crate::error::{OrInternal as _, Result};

/// The block length in bytes.
const LEN: usize = 64 << 10;
const BLOCK: u64 = LEN as u64;
/// The maximum number of cached blocks.
const BLOCKS: usize = 128;

/// Modified blocks of a target. Small writes to a block become one write.
#[derive(Debug, Default)]
pub(crate) struct DirtyBlocks {
    held: BTreeMap<u64, Vec<u8>>,
    /// The last written block, which is not in `held`. The next write often goes to the same block.
    last: Option<(u64, Vec<u8>)>,
    /// The end of all written data. Blocks after it need not be read.
    end: u64,
}

impl DirtyBlocks {
    /// Writes `bytes` at `offset`. Small writes go through the cache.
    ///
    /// # Errors
    /// Returns I/O errors of the target.
    pub(crate) fn write(
        &mut self,
        target: &mut dyn Target,
        offset: u64,
        bytes: &[u8],
    ) -> Result<()> {
        let end = (exact(offset) + bytes.len()).get()?;
        if bytes.len() as u64 >= BLOCK {
            self.forget(target, offset, end)?;
            self.end = self.end.max(end);
            return target.write_at(offset, bytes);
        }
        if self.overwrite_last(offset, bytes) {
            return Ok(());
        }
        let (mut at, mut rest) = (offset, bytes);
        while !rest.is_empty() {
            let number = at / BLOCK;
            let inside = exact(at % BLOCK).index()?;
            let room = LEN - inside;
            let (part, more) = rest.split_at(rest.len().min(room));
            let block = self.block(target, number)?;
            if block.len() < inside + part.len() {
                block.resize(inside + part.len(), 0);
            }
            let place = block.get_mut(inside..inside + part.len());
            let place = place.or_internal("bytes beyond a block")?;
            place.copy_from_slice(part);
            at += part.len() as u64;
            rest = more;
        }
        self.end = self.end.max(end);
        Ok(())
    }

    /// Overwrites bytes of the last block, if they are in its filled part.
    fn overwrite_last(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let Some((number, block)) = &mut self.last else {
            return false;
        };
        let inside = exact(offset) - exact(*number) * BLOCK;
        let span = indices(inside, bytes.len()).ok();
        match span.and_then(|span| block.get_mut(span)) {
            Some(place) => {
                place.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }

    /// Writes and drops cached blocks before a direct write of the range from `offset` to `end`.
    ///
    /// # Errors
    /// Returns I/O errors of the target.
    pub(crate) fn forget(&mut self, target: &mut dyn Target, offset: u64, end: u64) -> Result<()> {
        self.put_back_last();
        let touched = self
            .held
            .range(offset / BLOCK..=end / BLOCK)
            .next()
            .is_some();
        if touched {
            self.flush(target)?;
        }
        self.end = self.end.max(end);
        Ok(())
    }

    /// Writes all blocks, in order.
    ///
    /// # Errors
    /// Returns I/O errors of the target.
    pub(crate) fn flush(&mut self, target: &mut dyn Target) -> Result<()> {
        self.put_back_last();
        for (number, bytes) in std::mem::take(&mut self.held) {
            target.write_at((exact(number) * BLOCK).get()?, &bytes)?;
        }
        Ok(())
    }

    fn put_back_last(&mut self) {
        self.held.extend(self.last.take());
    }

    /// Returns a block, which becomes the last block.
    fn block(&mut self, target: &mut dyn Target, number: u64) -> Result<&mut Vec<u8>> {
        if self.last.as_ref().is_none_or(|(n, _)| *n != number) {
            self.put_back_last();
            if !self.held.contains_key(&number) && self.held.len() >= BLOCKS {
                self.flush(target)?;
            }
        }
        let block = match self.last.take() {
            Some((_, block)) => block,
            None => match self.held.remove(&number) {
                Some(block) => block,
                None => self.read_block(target, number)?,
            },
        };
        Ok(&mut self.last.insert((number, block)).1)
    }

    /// Reads a block from the target.
    fn read_block(&self, target: &mut dyn Target, number: u64) -> Result<Vec<u8>> {
        let start = (exact(number) * BLOCK).get()?;
        let size = self.end.saturating_sub(start).min(BLOCK);
        let mut bytes = vec![0; exact(size).index()?];
        if !bytes.is_empty() {
            target.read_at(start, &mut bytes)?;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemoryTarget;

    #[test]
    fn small_and_large_writes_end_as_if_written_one_by_one() {
        let (mut t, out) = MemoryTarget::new("m");
        let mut blocks = DirtyBlocks::default();
        let mut want = vec![0u8; 3_000_000];
        let mut seed = 1u64;
        for n in 0..4000u64 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n);
            let size = if n % 100 == 0 {
                200_000
            } else {
                (seed >> 40) as usize % 900
            };
            let at = (seed >> 20) as usize % (want.len() - size);
            let bytes = vec![(n % 251) as u8; size];
            want[at..at + size].copy_from_slice(&bytes);
            blocks.write(&mut t, at as u64, &bytes).unwrap();
        }
        blocks.flush(&mut t).unwrap();
        t.set_len(3_000_000).unwrap();
        Box::new(t).commit().unwrap();
        assert!(out.lock().unwrap().as_ref().unwrap() == &want);
    }
}
