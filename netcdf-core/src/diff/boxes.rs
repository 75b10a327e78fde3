//! Comparison of a variable box by box: workers read a box from each dataset, and compare its elements.

use super::Compared;
use super::group_walk::VariablePair;
use super::rule::EqualityRule;
use super::tally::{DiffParts, DiffTally};
use super::values::Both;
use crate::arithmetic::Amount;
use crate::chunk::pairs::PairLayout;
use crate::chunk::{ChunkGrid, Layout};
use crate::error::{OrInternal as _, Result};
use crate::model::Region;
use crate::runtime::{Runtime, WorkItem};

/// Bytes per dataset of a box for a single worker.
const SMALL_BOX: u64 = 2 << 20;
/// A box for all threads gets one of this many shares of the memory. The box is in memory for each dataset, as chunks and assembled.
const PARTS: u64 = 5;
/// Maximum ratio of decoded chunks between worker boxes and larger boxes.
const MORE_DECODED: f64 = 1.1;
/// Maximum number of chunks in a box, because their locations are in memory; one worker compares smaller boxes.
const LOCATED: u64 = 1 << 16;
const LOCATED_SMALL: u64 = LOCATED / 8;
/// Copies of a box's elements during the comparison: one per dataset, and one for decoding.
const COPIES: u64 = 3;
/// Bytes of a larger box that one worker compares.
const PIECE: u64 = 1 << 20;

impl Both<'_> {
    /// Compares all elements, box by box.
    pub(super) fn compare_boxes(&self) -> Result<DiffParts> {
        let stored = PairLayout {
            layouts: [&self.layouts[0], &self.layouts[1]],
            shape: &self.shape,
        };
        let chunk = self.smallest_chunk();
        let most = (self.sides[0].set.env.memory.0 / PARTS).min((chunk * LOCATED).get());
        let runtime = self.runtime();
        let each = runtime.memory() / COPIES / runtime.threads() as u64;
        let large = stored.cut(most);
        let decoded = stored.cost(&large) * MORE_DECODED;
        let fits = |part: &&Vec<u64>| {
            stored.cost(part) <= decoded && self.bytes(part) <= most.min(each).into()
        };
        let small = SMALL_BOX.min((chunk * LOCATED_SMALL).get());
        let small = [stored.cut(small), stored.whole_in_both()];
        match small.iter().find(fits) {
            Some(part) => self.small_boxes(part),
            None => self.large_boxes(&large),
        }
    }

    /// Returns the bytes of the smaller chunk of the two datasets.
    fn smallest_chunk(&self) -> Amount {
        let bytes = |layout: &Layout| Amount::product(&layout.chunk) * layout.element.size.max(1);
        let [a, b] = self.layouts.each_ref().map(bytes);
        a.min(b)
    }

    /// Returns the bytes of a box in the dataset with larger elements.
    pub(super) fn bytes(&self, part: &[u64]) -> Amount {
        let size = self.layouts[0]
            .element
            .size
            .max(self.layouts[1].element.size);
        Amount::product(part) * size
    }

    /// Compares boxes on one thread each.
    fn small_boxes(&self, part: &[u64]) -> Result<DiffParts> {
        let mut found = DiffParts::default();
        let boxes = ChunkGrid::of(self.shape.clone(), part.to_vec()).boxes(1);
        let items = boxes.map(|part| {
            let bytes = self.bytes(&part.count) * COPIES;
            Ok(WorkItem::new(bytes.get(), part))
        });
        let runtime = self.runtime();
        runtime.ordered(
            items,
            |part| self.compare_box(&part),
            |one| {
                found.add(one);
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// Returns the threads for the comparison. The slower source determines their number.
    pub(super) fn runtime(&self) -> Runtime {
        let slow = self
            .sides
            .iter()
            .any(|side| side.set.reader.bytes().latency());
        self.sides[0].set.env.runtime.for_requests(slow)
    }

    /// Reads and compares a box.
    pub(super) fn compare_box(&self, part: &Region) -> Result<DiffParts> {
        let [a, b] = self.sides;
        a.set.env.cancel.check()?;
        let x = a.read(self.pair, 0, &self.layouts[0], part)?;
        let y = b.read(self.pair, 1, &self.layouts[1], part)?;
        self.compare_read(part, [x, y], |rule, both| self.tally(rule, both))
    }

    /// Compares the elements of a box by a rule of `tally`.
    fn compare_read(
        &self,
        part: &Region,
        [x, y]: [Vec<u8>; 2],
        tally: impl Fn(&EqualityRule, [&[u8]; 2]) -> Result<DiffTally>,
    ) -> Result<DiffParts> {
        let (found, x) = match &self.expected {
            Some(_) => self.compare_expected((part, x, &y), tally)?,
            None => {
                let tally = tally(&self.general.rule, [&x, &y])?;
                (self.found(part, &tally, [&x, &y])?, x)
            }
        };
        self.advance(&part.count);
        self.sides[0].set.env.buffers.give_large(x);
        self.sides[1].set.env.buffers.give_large(y);
        Ok(found)
    }

    /// Compares boxes one at a time, with all threads reading and comparing.
    fn large_boxes(&self, part: &[u64]) -> Result<DiffParts> {
        let mut found = DiffParts::default();
        for part in ChunkGrid::of(self.shape.clone(), part.to_vec()).boxes(1) {
            self.sides[0].set.env.cancel.check()?;
            let both = self.read_both(&part)?;
            let tally = |rule: &EqualityRule, both: [&[u8]; 2]| self.tally_on_all(rule, both);
            found.add(self.compare_read(&part, both, tally)?);
        }
        Ok(found)
    }

    /// Reads a box from the two datasets concurrently. Returns the stored form of its elements.
    fn read_both(&self, part: &Region) -> Result<[Vec<u8>; 2]> {
        let env = self.sides[0].set.env;
        let work = |(side, var): (Compared<'_>, _)| {
            let read = side.set.read_whole(var, part, env.memory.0 / PARTS);
            read.map_err(|e| side.named(e))
        };
        let sides = self.sides.into_iter().zip(self.pair.vars);
        // The environment limits the memory of boxes.
        let items = sides.map(|one| Ok(WorkItem::new(PIECE, one)));
        let mut both = vec![];
        self.runtime().ordered(items, work, |bytes| {
            both.push(bytes);
            Ok(())
        })?;
        let both: Option<[Vec<u8>; 2]> = both.try_into().ok();
        both.or_internal("two boxes")
    }

    /// Like [`Both::tally`], on all threads.
    fn tally_on_all(&self, rule: &EqualityRule, [x, y]: [&[u8]; 2]) -> Result<DiffTally> {
        let [p, q] = self.sizes()?;
        let all = x.len() / p.max(1);
        let step = (Amount::of(PIECE) / p).count().max(1);
        let items = (0..all)
            .step_by(step)
            .map(|first| Ok(WorkItem::new(PIECE, first)));
        let work = |first: usize| {
            let part = first..(first + step).min(all);
            let a = x
                .get(part.start * p..part.end * p)
                .or_internal("elements of a box")?;
            let b = y
                .get(part.start * q..part.end * q)
                .or_internal("elements of a box")?;
            Ok((first, self.tally(rule, [a, b])?))
        };
        let mut tally = DiffTally::default();
        self.sides[0]
            .set
            .env
            .runtime
            .ordered(items, work, |(first, one)| {
                tally.append(&one, first);
                Ok(())
            })?;
        Ok(tally)
    }
}

impl Compared<'_> {
    /// Reads the stored form of a box's elements.
    fn read(
        &self,
        pair: &VariablePair,
        n: usize,
        layout: &Layout,
        part: &Region,
    ) -> Result<Vec<u8>> {
        let var = pair.vars.get(n).or_internal("a side")?;
        let read = self.set.read_stored(*var, layout, part);
        read.map_err(|e| self.named(e))
    }
}
