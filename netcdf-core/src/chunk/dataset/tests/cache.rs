//! The cache of decoded chunks between reads.

use proptest::prelude::*;

use super::test_variable::{Shape, TestVariable};
use super::*;
use crate::chunk::ReadCache;

/// 12 × 9 × 10 numbers in chunks of 12 × 4 × 3, all stored.
fn steps() -> TestVariable {
    let shape = |seed| Shape {
        dims: vec![12, 9, 10],
        extent: vec![12, 9, 10],
        chunk: vec![12, 4, 3],
        size: 2,
        filters: 1,
        seed,
        assembled: false,
    };
    let all = |made: &TestVariable| (0..12).all(|n| made.has_any(&made.layout().block(n).region()));
    let mut found = (0..).map(|seed| TestVariable::new(shape(seed)));
    found.find(|made| all(made)).unwrap()
}

fn env(threads: usize) -> Env {
    Env {
        filters: add_table(),
        runtime: Runtime::sized(threads, 1 << 20).sharing_all(),
        ..Env::default()
    }
}

fn step(n: u64) -> Region {
    Region::boxed(vec![n, 0, 0], vec![1, 9, 10])
}

/// Returns the number of chunk requests since the previous call.
fn asked(made: &TestVariable) -> u64 {
    made.dataset.take_counts().fetched.into_values().sum()
}

/// Returns the elements of a region, read in bands.
fn bands(set: Dataset<'_>, region: &Region) -> Vec<u8> {
    let mut all = vec![];
    let sink = |bytes: Vec<u8>| {
        all.extend(bytes);
        Ok(())
    };
    let bands = InBands {
        large: true,
        ..InBands::new(region.clone(), 20)
    };
    set.bands(VarId(0), bands, |_, bytes| Ok(bytes), sink)
        .unwrap();
    all
}

/// Chunks of 64 KiB and more are decoded on several threads; missing chunks are filled.
#[test]
fn large_chunks_of_one_read_are_spread_over_threads() {
    let made = TestVariable::new(Shape {
        dims: vec![4, 256, 144],
        extent: vec![4, 256, 144],
        chunk: vec![4, 64, 48],
        size: 8,
        filters: 1,
        seed: 3,
        assembled: false,
    });
    let layout = made.layout();
    let stored = (0..12).filter(|&n| made.has_any(&layout.block(n).region()));
    let stored = stored.count() as u64;
    assert!((2..12).contains(&stored));
    let step = |n| Region::boxed(vec![n, 0, 0], vec![1, 256, 144]);
    let want = [0, 3].map(|n| made.model(&step(n)));
    for (threads, memory) in [(1, 1 << 30), (3, 1 << 30), (3, 1)] {
        let env = Env {
            filters: add_table(),
            runtime: Runtime::sized(threads, memory).sharing_all(),
            ..Env::default()
        };
        let cache = ReadCache::new(&env);
        let set = Dataset::new(&made.dataset, &env).with(&cache);
        let read = |n| set.read_stored(VarId(0), &layout, &step(n)).unwrap();
        assert_eq!(read(0), want[0]);
        assert_eq!(asked(&made), stored, "{threads} threads");
        assert_eq!(read(3), want[1]);
        // Without memory for chunks, the cache stays empty.
        let again = if memory == 1 { stored } else { 0 };
        assert_eq!(asked(&made), again, "{threads} threads");
    }
}

#[test]
fn step_by_step_each_chunk_is_decoded_once() {
    let made = steps();
    let layout = made.layout();
    for threads in [1, 3] {
        let env = env(threads);
        let cache = ReadCache::new(&env);
        let set = Dataset::new(&made.dataset, &env);
        let kept = set.with(&cache);
        for n in 0..12 {
            let got = match n % 2 {
                0 => kept.read_stored(VarId(0), &layout, &step(n)).unwrap(),
                _ => bands(kept, &step(n)),
            };
            assert_eq!(got, made.model(&step(n)));
        }
        assert_eq!(asked(&made), 12, "{threads} threads");
        // A copy of the whole variable uses the cache.
        assert_eq!(
            bands(kept, &Region::whole(&[12, 9, 10])),
            made.model(&Region::whole(&[12, 9, 10]))
        );
        assert_eq!(asked(&made), 0);
        // Without a cache, each step decodes the chunks.
        (0..2).for_each(|n| drop(bands(set, &step(n))));
        assert_eq!(asked(&made), 24);
    }
}

#[test]
fn a_cleared_cache_keeps_its_limit() {
    let made = steps();
    let env = env(1);
    for (limit, keeps) in [(0, false), (64 << 20, true)] {
        let mut cache = ReadCache::sized(&env, limit);
        cache.clear(&env);
        let set = Dataset::new(&made.dataset, &env).with(&cache);
        let part = Region::boxed(vec![0, 3, 0], vec![12, 5, 10]);
        assert_eq!(bands(set, &part), made.model(&part));
        assert_eq!(cache.decoded_bytes() > 0, keeps);
    }
}

#[test]
fn whole_chunks_are_not_kept() {
    let made = steps();
    let env = env(2);
    let cache = ReadCache::new(&env);
    let set = Dataset::new(&made.dataset, &env).with(&cache);
    let layout = made.layout();
    let parts = [
        Region::whole(&[12, 9, 10]),
        Region::boxed(vec![0, 4, 3], vec![12, 5, 7]),
    ];
    for part in &parts {
        assert_eq!(bands(set, part), made.model(part));
        let got = set.read_stored(VarId(0), &layout, part).unwrap();
        assert_eq!(got, made.model(part));
    }
    let work = |_: &ChunkRef, bytes: Vec<u8>| Ok(bytes);
    let all = Block::whole(&layout.grid());
    set.chunks(VarId(0), &all, work, |_, _| Ok(())).unwrap();
    assert_eq!(cache.decoded_bytes(), 0);
    // A part of the first row of chunks.
    let part = Region::boxed(vec![0, 3, 0], vec![12, 5, 10]);
    assert_eq!(bands(set, &part), made.model(&part));
    let chunk = layout.chunk_bytes().unwrap() as u64;
    assert_eq!(cache.decoded_bytes(), 4 * chunk);
}

#[test]
fn readers_at_a_time_decode_a_chunk_once() {
    let made = steps();
    let env = env(2);
    let cache = ReadCache::new(&env);
    let set = Dataset::new(&made.dataset, &env).with(&cache);
    let layout = made.layout();
    let start = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (start, made, layout) = (&start, &made, &layout);
            scope.spawn(move || {
                start.wait();
                let got = match n % 2 {
                    0 => set.read_stored(VarId(0), layout, &step(n)).unwrap(),
                    _ => bands(set, &step(n)),
                };
                assert_eq!(got, made.model(&step(n)));
            });
        }
    });
    assert_eq!(asked(&made), 12);
}

#[test]
fn other_ids_and_variables_that_are_not_there() {
    let made = steps();
    let env = env(1);
    let cache = ReadCache::new(&env);
    let layout = made.layout();
    let set = Dataset::new(&made.dataset, &env);
    let read = |set: Dataset<'_>| {
        set.read_stored(VarId(0), &layout, &step(1)).unwrap();
        asked(&made)
    };
    assert_eq!((read(set.with(&cache)), read(set.with(&cache))), (12, 0));
    let (same, other) = ([Some(VarId(0))], [Some(VarId(1))]);
    assert_eq!(read(set.with_vars(&cache, &same)), 0);
    assert_eq!(read(set.with_vars(&cache, &[])), 12);
    assert_eq!(read(set.with_vars(&cache, &[None])), 12);
    assert_eq!(read(set.with_vars(&cache, &other)), 12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Consecutive and concurrent reads of several regions of one dataset.
    #[test]
    fn what_is_kept_changes_no_result(
        (shape, region) in super::properties::case(),
        shifts in prop::collection::vec(prop::collection::vec(0u64..5, 4), 1..5),
        (threads, memory) in (1usize..4, prop::sample::select(vec![0u64, 600, 1 << 20])),
        room in prop::sample::select(vec![0u64, 40, 300, 1 << 20]),
    ) {
        let made = TestVariable::new(shape);
        let env = Env { runtime: Runtime::sized(threads, memory).sharing_all(), ..env(1) };
        let cache = ReadCache::sized(&env, room);
        let set = Dataset::new(&made.dataset, &env).with(&cache);
        let layout = made.layout();
        let regions = shifts.iter().map(|shift| {
            let mut moved = region.clone();
            let dims = moved.start.iter_mut().zip(&mut moved.count).zip(&made.shape.dims).zip(&region.stride);
            for ((((start, count), len), stride), shift) in dims.zip(shift) {
                *start = (*start + shift) % (*len).max(1);
                *count = (*count).min((len - *start).div_ceil(*stride));
            }
            moved
        });
        let regions: Vec<Region> = regions.collect();
        for region in &regions {
            let got = set.read_stored(VarId(0), &layout, region).unwrap();
            prop_assert_eq!(got, made.model(region));
            prop_assert_eq!(bands(set, region), made.model(region));
            prop_assert!(cache.decoded_bytes() <= room);
        }
        std::thread::scope(|scope| {
            for region in &regions {
                scope.spawn(|| assert_eq!(bands(set, region), made.model(region)));
            }
        });
    }
}
