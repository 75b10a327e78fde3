//! A disk behind a page cache: what a disk may have after a power failure, also if syncs failed before.

use std::collections::BTreeSet;

use super::recorded_file::FileStep;
use super::sectors::SECTOR;

/// The sectors that the system marks as changed together.
const PAGE: usize = 8;

/// A file, of which the disk has some sectors.
#[derive(Debug)]
pub(crate) struct CachedDisk {
    cache: Vec<u8>,
    disk: Vec<u8>,
    /// The sectors that differ, as far as the system knows.
    dirty: BTreeSet<usize>,
    seed: u64,
}

impl CachedDisk {
    pub(crate) fn new(bytes: &[u8], seed: u64) -> Self {
        Self {
            cache: bytes.to_vec(),
            disk: bytes.to_vec(),
            dirty: BTreeSet::new(),
            seed,
        }
    }

    /// Returns a random number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005);
        self.seed = self.seed.wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % end
    }

    /// Runs a call. The system may write changed sectors at any time.
    pub(crate) fn run(&mut self, step: &FileStep) {
        step.apply(&mut self.cache);
        match step {
            FileStep::Write(offset, bytes) => {
                let sector = |at: u64| (at / SECTOR) as usize;
                let last = *offset + bytes.len().max(1) as u64 - 1;
                let first = sector(*offset) / PAGE * PAGE;
                self.dirty.extend(first..(sector(last) / PAGE + 1) * PAGE);
            }
            FileStep::SetLen(_) => {}
            FileStep::Sync => self.write_back(8),
            FileStep::FailedSync => {
                let share = self.below(9);
                self.write_back(share);
                self.dirty.clear();
            }
        }
        if self.below(4) == 0 {
            let share = self.below(8);
            self.write_back(share);
        }
    }

    /// Writes a share of the changed sectors, in eighths, and the length.
    fn write_back(&mut self, share: u64) {
        for sector in std::mem::take(&mut self.dirty) {
            match self.below(8) < share {
                true => self.write_sector(sector),
                false => _ = self.dirty.insert(sector),
            }
        }
        if self.below(8) < share || share == 8 {
            self.disk.resize(self.cache.len(), 0);
        }
    }

    fn write_sector(&mut self, sector: usize) {
        let start = sector * SECTOR as usize;
        let end = (start + SECTOR as usize).min(self.cache.len());
        if start < end {
            if self.disk.len() < end {
                self.disk.resize(end, 0);
            }
            self.disk[start..end].copy_from_slice(&self.cache[start..end]);
        }
    }

    /// Returns a file that the disk may have after a power failure now.
    pub(crate) fn after_power_failure(&mut self) -> Vec<u8> {
        let kept = (self.disk.clone(), self.dirty.clone());
        let share = self.below(9);
        self.write_back(share);
        let found = std::mem::replace(&mut self.disk, kept.0);
        self.dirty = kept.1;
        found
    }
}
