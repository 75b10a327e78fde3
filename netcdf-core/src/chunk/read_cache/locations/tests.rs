//! The number of scans of a counting index.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use super::columns::HEAD;
use super::*;
use crate::chunk::layout::{ChunkHolder, ChunkRef};
use crate::chunk::visit::ended;
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::WorkItem;

/// A computed index, which records the scanned boxes.
struct Index {
    grid: Vec<u64>,
    /// One in this number of chunks is stored.
    every: u64,
    boxes: Mutex<Vec<Block>>,
    visits: AtomicU64,
}

impl Index {
    fn new(grid: &[u64], every: u64) -> Self {
        Self {
            grid: grid.to_vec(),
            every,
            boxes: Mutex::default(),
            visits: AtomicU64::new(0),
        }
    }

    fn chunk(&self, index: u64) -> ChunkRef {
        ChunkRef {
            variable: VarId(0),
            index,
            holder: ChunkHolder::Source(0),
            range: 40 * index..40 * index + 30,
            mask: 0,
        }
    }

    /// Returns the numbers of the stored chunks of a box.
    fn stored(&self, chunks: &Block) -> impl Iterator<Item = u64> {
        let (last, outer) = chunks.count.split_last().unwrap();
        let (len, rows) = (*last, outer.iter().product::<u64>());
        let (grid, start, every) = (self.grid.clone(), chunks.start.clone(), self.every);
        let outer = outer.to_vec();
        let firsts = (0..rows).map(move |row| {
            let at = crate::chunk::scatter::place(row, &outer);
            let at = at.into_iter().chain([0]).zip(&start);
            at.zip(&grid).fold(0, |n, ((a, s), g)| n * g + a + s)
        });
        firsts.flat_map(move |first| {
            let next = first.next_multiple_of(every);
            (next..first + len).step_by(every as usize)
        })
    }

    fn locate(&self, chunks: &Block, visit: Visit<'_>) -> Visited {
        self.boxes.lock().unwrap().push(chunks.clone());
        self.stored(chunks).try_for_each(|n| {
            self.visits.fetch_add(1, Ordering::Relaxed);
            visit(self.chunk(n))
        })
    }

    /// Returns the numbers of scans and visits since the previous call.
    fn taken(&self) -> (usize, u64) {
        let boxes = std::mem::take(&mut *self.boxes.lock().unwrap());
        (boxes.len(), self.visits.swap(0, Ordering::Relaxed))
    }
}

fn located(most: u64) -> Arc<LocatedChunks> {
    LocatedChunks::new(&Runtime::sized(2, 1 << 30), most)
}

/// Locates the chunks of a box, and compares them with the stored chunks.
fn read(located: &LocatedChunks, index: &Index, chunks: &Block) {
    let found = found(located, index, chunks, &|part, visit| {
        index.locate(part, visit)
    })
    .unwrap();
    let numbers = index.stored(chunks).map(|n| index.chunk(n));
    assert!(found.iter().cloned().eq(numbers), "{chunks:?}");
}

fn found(
    located: &LocatedChunks,
    index: &Index,
    chunks: &Block,
    locate: &dyn Fn(&Block, Visit<'_>) -> Visited,
) -> Result<Vec<ChunkRef>> {
    let context = LocateContext {
        grid: &|| Ok(index.grid.clone()),
        locate,
        wait: &SectionFlight::wait,
        index: true,
        keep: false,
        is_free: false,
    };
    let mut all = vec![];
    let mut visit = |chunk| {
        all.push(chunk);
        Ok(())
    };
    ended(located.visit(VarId(0), chunks, context, &mut visit))?;
    Ok(all)
}

fn part(start: &[u64], count: &[u64]) -> Block {
    Block {
        start: start.to_vec(),
        count: count.to_vec(),
    }
}

/// A grid of 10^8 chunks.
const MANY: [u64; 2] = [10_000, 10_000];

#[test]
fn of_many_chunks_a_window_is_walked_once() {
    let index = Index::new(&MANY, 1);
    let located = located(16 << 20);
    // Three bands of 20 chunks. The row of one band has two sections.
    let bands = |row: u64| [0, 20, 40].map(|x| part(&[row, x], &[1, 20]));
    bands(7000).iter().for_each(|b| read(&located, &index, b));
    assert_eq!(index.taken(), (2, 20 + 10_000));
    bands(7000).iter().for_each(|b| read(&located, &index, b));
    assert_eq!(index.taken(), (0, 0));
    // The next row follows a known section.
    bands(7001).iter().for_each(|b| read(&located, &index, b));
    assert_eq!(index.taken(), (1, 10_000));
    // Single chunks, far apart: only these chunks are located.
    for n in 0..100 {
        read(&located, &index, &part(&[n * 97 + 5, 8], &[1, 1]));
    }
    assert_eq!(index.taken(), (100, 100));
    assert!(located.bytes() < 3 * 10_000 * 12);
}

#[test]
fn a_pass_walks_each_part_once() {
    let index = Index::new(&[40, 10, 1000], 1);
    // Memory for four sections of two rows along the second dimension.
    let located = located(4 * ROW * 2500);
    for pass in 0..2 {
        for band in 0..400 {
            for x in [0, 100, 200, 900] {
                read(
                    &located,
                    &index,
                    &part(&[band / 10, band % 10, x], &[1, 1, 100]),
                );
            }
        }
        let (walks, visits) = index.taken();
        // At first, the pattern of a pass is not recognizable.
        let first = if pass == 0 { 1 } else { 0 };
        assert_eq!((walks, visits), (200 + first, 400_000 + 100 * first as u64));
        assert!(located.bytes() <= 4 * ROW * 2500);
    }
    // The end of the section is cached.
    read(&located, &index, &part(&[39, 6, 0], &[1, 4, 1000]));
    assert_eq!(index.taken().0, 0);
}

#[test]
fn a_strip_that_is_wanted_again_is_kept_if_there_is_room() {
    // 13 sections of 16 rows.
    let index = Index::new(&[200, 1000], 1);
    let strip = |x: u64| part(&[0, x], &[200, 1]);
    let sections = located(16 << 20);
    read(&sections, &index, &strip(3));
    assert_eq!(index.taken().1, 200, "at first, only the needed chunks");
    read(&sections, &index, &strip(4));
    assert_eq!(index.taken().1, 200_000);
    (5..50).for_each(|x| read(&sections, &index, &strip(x)));
    assert_eq!(index.taken(), (0, 0));
    // If memory does not suffice for all sections, each strip is located alone.
    let sections = located(8 << 20);
    (5..50).for_each(|x| read(&sections, &index, &strip(x)));
    assert_eq!(index.taken(), (45, 45 * 200));
    assert_eq!(sections.bytes(), 0);
}

#[test]
fn what_was_not_used_for_the_longest_time_goes_first() {
    let index = Index::new(&[100, 1000], 1);
    let located = located(4 * ROW * 1000);
    let row = |y: u64| read(&located, &index, &part(&[y, 0], &[1, 1000]));
    // With 12 of 28 bytes per chunk, nine rows fit, and a whole row during its search.
    let fit = (4 * ROW * 1000 - (ROW * 1000 + HEAD)) / (12_000 + HEAD) + 1;
    (0..fit).for_each(row);
    assert_eq!(index.taken().0 as u64, fit);
    row(0);
    assert_eq!(index.taken().0, 0);
    row(50);
    assert_eq!(index.taken().0, 1);
    row(0);
    assert_eq!(index.taken().0, 0, "it was used");
    row(1);
    assert_eq!(index.taken().0, 1, "it was the oldest");
    assert_eq!(located.bytes(), fit * (12_000 + HEAD));
}

#[test]
fn places_are_given_up_before_work_waits() {
    let runtime = Runtime::sized(2, 50_000).sharing_all();
    let located = LocatedChunks::new(&runtime, 16 << 20);
    let index = Index::new(&[5, 1000], 1);
    read(&located, &index, &part(&[0, 0], &[5, 1000]));
    assert_eq!(index.taken().0, 1);
    assert_eq!(located.bytes(), 0, "no memory to locate the whole section");
    let index = Index::new(&[1, 1000], 1);
    let located = LocatedChunks::new(&runtime, 16 << 20);
    read(&located, &index, &part(&[0, 0], &[1, 1000]));
    assert_eq!((located.bytes(), runtime.cached_bytes()), (12_256, 12_256));
    let items = (0..2).map(|_| Ok(WorkItem::new(100_000, ())));
    runtime.ordered(items, Ok, Ok).unwrap();
    assert_eq!((located.bytes(), runtime.cached_bytes()), (0, 0));
}

#[test]
fn grids_with_few_chunks_take_little_memory() {
    // 10^16 chunks, but only 10^4 stored chunks: the whole index is scanned.
    let index = Index::new(&[1 << 27, 1 << 27], 1 << 40);
    let sections = located(16 << 20);
    let mut stored = vec![];
    let all = Block::whole(&index.grid);
    let walks = AtomicUsize::new(0);
    let locate = |chunks: &Block, visit: Visit<'_>| {
        walks.fetch_add(1, Ordering::Relaxed);
        assert_eq!(*chunks, all);
        (0..1 << 14).try_for_each(|n| visit(index.chunk(n << 40)))
    };
    for _ in 0..2 {
        stored = found(&sections, &index, &all, &locate).unwrap();
    }
    assert!(
        stored
            .iter()
            .map(|chunk| chunk.index)
            .eq((0..1 << 14).map(|n| n << 40))
    );
    assert_eq!(walks.into_inner(), 1);
    assert!(sections.bytes() < 25 << 14);
    // Now all sections are known, including the empty sections.
    read(&sections, &index, &part(&[1 << 26, 0], &[3, 1 << 27]));
    read(&sections, &index, &part(&[77, 0], &[1 << 20, 1 << 27]));
    assert_eq!(index.taken(), (0, 0));
    // Sections without chunks are also cached one by one.
    let index = Index::new(&[1000, 1000], 1 << 40);
    let sections = located(16 << 20);
    for y in 1..500 {
        read(&sections, &index, &part(&[y, 0], &[1, 1000]));
    }
    // A part of the first section was needed before.
    assert_eq!(index.taken().0, 1 + 32);
}

#[test]
fn a_walk_of_all_keeps_what_there_is_room_for() {
    let index = Index::new(&[64, 1000], 1);
    let sections = located(4 * ROW * 1000);
    let all = Block::whole(&index.grid);
    read(&sections, &index, &all);
    let bytes = sections.bytes();
    assert!(bytes > 2 * ROW * 1000 && bytes <= 4 * ROW * 1000, "{bytes}");
    assert_eq!(index.taken(), (1, 64_000));
    read(&sections, &index, &part(&[0, 0], &[1, 1000]));
    assert_eq!(index.taken(), (0, 0), "the first sections are cached");
    // If all sections fit, all are cached.
    let sections = located(64 * (12_000 + HEAD));
    read(&sections, &index, &all);
    read(&sections, &index, &all);
    assert_eq!(index.taken(), (1, 64_000));
    read(&sections, &index, &part(&[3, 5], &[50, 2]));
    assert_eq!(index.taken(), (0, 0));
}

#[test]
fn threads_that_miss_a_section_walk_it_once() {
    let index = Index::new(&[100, 100], 1);
    let sections = located(16 << 20);
    let start = Barrier::new(8);
    let slowly = |chunks: &Block, visit: Visit<'_>| {
        std::thread::sleep(std::time::Duration::from_millis(30));
        index.locate(chunks, visit)
    };
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (start, sections, index, slowly) = (&start, &sections, &index, &slowly);
            scope.spawn(move || {
                start.wait();
                let wanted = part(&[n * 10, 0], &[10, 100]);
                let found = found(sections, index, &wanted, slowly).unwrap();
                assert_eq!(found.len(), 1000);
            });
        }
    });
    assert_eq!(index.taken(), (1, 10_000));
}

#[test]
fn damage_concerns_only_the_chunks_that_are_wanted() {
    let index = Index::new(&[100, 100], 1);
    let sections = located(16 << 20);
    let damaged = |chunks: &Block, visit: Visit<'_>| {
        let rows = chunks.start[0]..chunks.start[0] + chunks.count[0];
        let whole = rows.clone().take_while(|row| *row != 70).count() as u64;
        index.locate(&part(&chunks.start, &[whole, 100]), visit)?;
        match rows.contains(&70) {
            true => Err(Error::new(ErrorKind::Corrupt, "an irregular node").into()),
            false => Ok(()),
        }
    };
    for (start, count, walks) in [(5, 50, 2), (10, 60, 1), (71, 29, 1)] {
        let wanted = part(&[start, 0], &[count, 100]);
        let found = found(&sections, &index, &wanted, &damaged).unwrap();
        assert_eq!(found.len() as u64, count * 100);
        assert_eq!(index.taken().0, walks);
    }
    for wanted in [part(&[60, 0], &[20, 100]), Block::whole(&index.grid)] {
        let e = found(&sections, &index, &wanted, &damaged).unwrap_err();
        assert!(e.what().contains("an irregular node"), "{e}");
    }
    assert_eq!(sections.bytes(), HEAD);
}

#[test]
fn who_waits_learns_how_it_ends() {
    let index = Index::new(&[100, 100], 1);
    let sections = located(16 << 20);
    let all = Block::whole(&index.grid);
    // A cancelled thread stops all waiting threads; after a panic, a waiting thread tries again.
    let awaited = || {
        // The references: the scanning thread, the list of flights, the waiting thread, and this function.
        let flight = sections.flights.any().unwrap();
        Arc::strong_count(&flight) > 3
    };
    let begun = Barrier::new(2);
    for panics in [false, true] {
        let late = |_: &Block, _: Visit<'_>| -> Visited {
            begun.wait();
            while !awaited() {
                std::thread::yield_now();
            }
            assert!(!panics, "a reader with a mistake");
            Err(Error::new(ErrorKind::Cancelled, "enough").into())
        };
        let (first, second) = std::thread::scope(|scope| {
            let first = scope.spawn(|| found(&sections, &index, &all, &late));
            begun.wait();
            let second = found(&sections, &index, &all, &|part, visit| {
                index.locate(part, visit)
            });
            (first.join(), second)
        });
        assert_eq!(first.is_err(), panics);
        let found = second.map(|all| all.len()).map_err(|e| e.kind());
        match panics {
            false => assert_eq!(found, Err(ErrorKind::Cancelled)),
            true => assert_eq!(found, Ok(10_000)),
        }
        assert_eq!(index.taken().0, usize::from(panics));
    }
    assert!(sections.bytes() > 0);
}

#[test]
fn long_and_odd_chunks_are_found_anew() {
    let index = Index::new(&[4, 1000], 1);
    let sections = located(16 << 20);
    let walks = AtomicUsize::new(0);
    let long = |n: u64| ChunkRef {
        range: 5..5 + (1 << 32) + n,
        ..index.chunk(n)
    };
    let locate = |chunks: &Block, visit: Visit<'_>| {
        walks.fetch_add(1, Ordering::Relaxed);
        index.stored(chunks).try_for_each(|n| visit(long(n)))
    };
    let wanted = part(&[1, 10], &[2, 900]);
    for n in 1..4 {
        let found = found(&sections, &index, &wanted, &locate).unwrap();
        assert!(found.into_iter().eq(index.stored(&wanted).map(long)));
        assert_eq!(
            walks.load(Ordering::Relaxed),
            n + 1,
            "and once for the section"
        );
    }
    // Backwards.
    let sections = located(16 << 20);
    let back = |chunks: &Block, visit: Visit<'_>| {
        let mut all: Vec<_> = index.stored(chunks).collect();
        all.reverse();
        all.into_iter().try_for_each(|n| visit(index.chunk(n)))
    };
    for wanted in [&wanted, &Block::whole(&index.grid)] {
        let mut found = found(&sections, &index, wanted, &back).unwrap();
        found.reverse();
        assert!(
            found
                .into_iter()
                .eq(index.stored(wanted).map(|n| index.chunk(n)))
        );
    }
    let sections = located(1000 * ROW);
    let all = found(&sections, &index, &Block::whole(&index.grid), &back).unwrap();
    assert_eq!((all.len(), sections.bytes()), (4000, 0));
}

#[test]
fn where_there_is_no_index_only_a_walk_of_all_is_kept() {
    let index = Index::new(&[10, 10], 3);
    let sections = located(16 << 20);
    let visit = |chunks: &Block, keep: bool| {
        let context = LocateContext {
            grid: &|| Ok(index.grid.clone()),
            locate: &|part, visit| index.locate(part, visit),
            wait: &SectionFlight::wait,
            index: false,
            keep,
            is_free: false,
        };
        sections
            .visit(VarId(0), chunks, context, &mut |_| Ok(()))
            .unwrap();
        index.taken()
    };
    let (some, all) = (part(&[2, 0], &[1, 3]), Block::whole(&index.grid));
    assert_eq!([visit(&some, false), visit(&some, true)], [(1, 1), (1, 1)]);
    assert_eq!([visit(&all, false), visit(&all, false)], [(1, 34), (1, 34)]);
    assert_eq!([visit(&all, true), visit(&all, true)], [(1, 34), (0, 0)]);
    assert_eq!(visit(&some, false), (0, 0));
}
