//! The number of location queries during reads.

use super::*;
use crate::chunk::ReadCache;

const LEN: u64 = 10_000;

/// A variable with 10^8 one-byte chunks. A chunk stores the last digit of the chunk index.
fn many(index: bool) -> MemoryDataset {
    let mut made = MemoryDataset::new(Kind::NETCDF4);
    made.has_index = index;
    let dims = made.dims(&[LEN; 2]);
    let var = made.define((GroupId::ROOT, "v"), Atomic::Byte, &dims);
    let layout = made.layout_mut(var);
    (layout.chunk, layout.fill) = (vec![1, 1], Some(vec![99]));
    made.compute(var, |index| vec![(index % 10) as u8]);
    made
}

/// Returns the number of `locate` calls and located chunks since the previous call.
fn taken(made: &MemoryDataset) -> (u64, u64) {
    let counts = made.take_counts();
    (counts.calls, counts.located.values().sum())
}

fn bands(set: Dataset<'_>, region: &Region) -> Vec<u8> {
    let mut all = vec![];
    let sink = |bytes: Vec<u8>| {
        all.extend(bytes);
        Ok(())
    };
    let bands = InBands::new(region.clone(), 100);
    set.bands(VarId(0), bands, |_, bytes| Ok(bytes), sink)
        .unwrap();
    all
}

#[test]
fn bands_walk_each_part_of_an_index_once() {
    let reader = many(true);
    for threads in [1, 4] {
        for requests in [None, Some(2)] {
            let mut runtime = Runtime::sized(threads, 1 << 26).sharing_all();
            if let Some(requests) = requests {
                runtime = runtime.with_requests(requests);
            }
            let env = Env {
                runtime,
                ..Env::default()
            };
            let cache = ReadCache::new(&env);
            let set = Dataset::new(&reader, &env).with(&cache);
            let window = Region::boxed(vec![5000, 100], vec![3, 2000]);
            let want = (0..3).flat_map(|_| (0..2000).map(|x| x % 10));
            let want: Vec<u8> = want.map(|x| x as u8).collect();
            assert_eq!(bands(set, &window), want);
            let (_, found) = taken(&reader);
            // Each row is a section. Before the cache knew of further bands, some bands located only their own
            // chunks.
            let own = found.checked_sub(3 * LEN).unwrap();
            assert!(own <= 2000, "{own}, {threads} threads");
            assert_eq!(bands(set, &window), want);
            let layout = reader.layout(VarId(0)).unwrap();
            assert_eq!(set.read_stored(VarId(0), &layout, &window).unwrap(), want);
            assert!(set.is_stored(VarId(0), &layout, &window).unwrap());
            assert_eq!(taken(&reader), (0, 0));
            assert!(cache.located_bytes() <= 3 * 12 * LEN + 1000);
            // Without a cache, each pass scans the index.
            let alone = Dataset::new(&reader, &env);
            assert_eq!(bands(alone, &window), want);
            assert!(taken(&reader).1 >= 6000);
        }
    }
}

#[test]
fn chunks_that_are_visited_in_batches_are_found_once() {
    let reader = many(true);
    let env = Env::default();
    let cache = ReadCache::new(&env);
    let set = Dataset::new(&reader, &env).with(&cache);
    let mut next = 0;
    let all = Block::whole(&set.layout(VarId(0)).unwrap().grid());
    let stop = set.each_chunk(VarId(0), &all, |chunk| {
        assert_eq!(chunk.index, next);
        next += 1;
        match next {
            250_000 => Err(Error::new(ErrorKind::Cancelled, "enough")),
            _ => Ok(()),
        }
    });
    assert_eq!(stop.unwrap_err().kind(), ErrorKind::Cancelled);
    let (walks, found) = taken(&reader);
    assert_eq!((walks, found), (25, 250_000));
    env.cancel.0.store(2, Ordering::Relaxed);
    let e = set.is_stored(
        VarId(0),
        &reader.layout(VarId(0)).unwrap(),
        &Region::boxed(vec![9000, 0], vec![1, 10_000]),
    );
    assert_eq!(e.unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(taken(&reader).1 <= 1);
}

#[test]
fn without_an_index_only_what_is_wanted_is_found() {
    let reader = many(false);
    let env = Env::default();
    let cache = ReadCache::new(&env);
    let set = Dataset::new(&reader, &env).with(&cache);
    for _ in 0..2 {
        bands(set, &Region::boxed(vec![7, 7], vec![2, 300]));
        assert_eq!(taken(&reader).1, 600);
    }
    assert_eq!(cache.located_bytes(), 0);
}
