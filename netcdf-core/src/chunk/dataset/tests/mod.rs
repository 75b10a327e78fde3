//! The chunk layer on an artificial format: chunked, filtered, with missing chunks and a short extent.

mod cache;
mod grown_chunks;
mod locations;
mod properties;
mod sparse_grid;
mod test_variable;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::chunk::InBands;
use crate::chunk::layout::ChunkRef;
use crate::chunk::plan::BandWay;
use crate::chunk::scatter::Block;
use crate::error::{Error, ErrorKind};
use crate::model::{Atomic, FilterSpec, GroupId, Kind};
use crate::runtime::Runtime;
use crate::testing::{MemoryDataset, add_filter, add_table};

/// One variable (5, 7) of shorts with the values 10·row + column, in chunks of (2, 3). The extent is (4, 7), so that the last row is fill.
/// The chunk in the middle of the first row is missing, and the following chunk has no filters.
fn chunked(filters: Vec<FilterSpec>) -> MemoryDataset {
    let mut made = MemoryDataset::new(Kind::NETCDF4);
    let dims = made.dims(&[5, 7]);
    let var = made.define((GroupId::ROOT, "v"), Atomic::Short, &dims);
    let layout = made.layout_mut(var);
    (layout.extent, layout.chunk) = (vec![4, 7], vec![2, 3]);
    layout.filters = filters;
    let mask = |index| Some(u32::from(index == 2));
    let element = |at: &[u64]| (10 * at[0] + at[1]) as i16;
    made.store(var, mask, |at| element(at).to_le_bytes().to_vec());
    made.remove(var, 1);
    made
}

pub(in crate::chunk) fn expected(y: u64, x: u64) -> i16 {
    let missing = y == 4 || (y < 2 && (3..6).contains(&x));
    if missing {
        -32767
    } else {
        i16::try_from(10 * y + x).unwrap()
    }
}

pub(in crate::chunk) fn readers() -> [MemoryDataset; 2] {
    [vec![], vec![add_filter(3)]].map(chunked)
}

#[test]
fn every_box_has_its_values() {
    let env = Env {
        filters: add_table(),
        ..Env::default()
    };
    for reader in readers() {
        let set = Dataset::new(&reader, &env);
        for (y, ny, x, nx) in (0..5)
            .flat_map(|y| (1..=5 - y).map(move |n| (y, n)))
            .flat_map(|(y, ny)| (0..7).flat_map(move |x| (1..=7 - x).map(move |nx| (y, ny, x, nx))))
        {
            let got = set
                .read(VarId(0), &Region::boxed(vec![y, x], vec![ny, nx]))
                .unwrap();
            let want = (y..y + ny).flat_map(|r| (x..x + nx).map(move |c| expected(r, c)));
            assert_eq!(got, Values::Short(want.collect()));
        }
    }
}

#[test]
fn strides_thin_out() {
    let env = Env {
        filters: add_table(),
        ..Env::default()
    };
    for reader in readers() {
        let set = Dataset::new(&reader, &env);
        let region = Region {
            start: vec![0, 1],
            count: vec![3, 3],
            stride: vec![2, 2],
        };
        let got = set.read(VarId(0), &region).unwrap();
        let want = [0, 2, 4]
            .into_iter()
            .flat_map(|y| [1, 3, 5].map(|x| expected(y, x)));
        assert_eq!(got, Values::Short(want.collect()));
    }
}

#[test]
fn bands_are_the_same_for_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let env = Env {
            filters: add_table(),
            runtime: Runtime::sized(threads, 100).sharing_all(),
            ..Env::default()
        };
        for reader in readers() {
            let set = Dataset::new(&reader, &env);
            let mut all = vec![];
            let region = Region::whole(&[5, 7]);
            let sink = |b: Vec<u8>| {
                all.extend(b);
                Ok(())
            };
            set.bands(VarId(0), InBands::new(region, 4), |_, b| Ok(b), sink)
                .unwrap();
            let want = (0..5).flat_map(|y| (0..7).map(move |x| expected(y, x).to_le_bytes()));
            assert_eq!(all, want.flatten().collect::<Vec<u8>>());
        }
    }
}

#[test]
fn a_missing_filter_names_the_variable() {
    let env = Env::default();
    let reader = chunked(vec![FilterSpec {
        id: 999,
        params: vec![0],
    }]);
    let e = Dataset::new(&reader, &env)
        .read(VarId(0), &Region::whole(&[5, 7]))
        .unwrap_err();
    assert_eq!(
        (e.object(), e.kind()),
        (Some("/v"), ErrorKind::FilterUnavailable)
    );
    assert!(e.what().starts_with("filter 999 (not registered"), "{e}");
}

/// A damaged file may claim slabs of more parts than memory holds.
#[test]
fn parts_are_made_when_they_are_wanted() {
    let env = Env {
        filters: add_table(),
        runtime: Runtime::new(2).sharing_all(),
        ..Env::default()
    };
    let [_, reader] = readers();
    let set = Dataset::new(&reader, &env);
    let made = Arc::new(AtomicUsize::new(0));
    for slabs in [1, 2] {
        let parts = |slab: &Region| -> PartsOf {
            let part = slab.clone();
            let one = |part: &Region| Region::boxed(vec![0, 0], vec![1, part.count[1]]);
            let made = Arc::clone(&made);
            let count = move |_: &u32| {
                made.fetch_add(1, Ordering::Relaxed);
            };
            Box::new((0..100_000).inspect(count).map(move |_| one(&part)))
        };
        let cuts = Cuts {
            slabs: Box::new((0..2).map(|n| Region::boxed(vec![2 * n, 0], vec![2, 7]))),
            way: BandWay::Staged { slabs },
            parts: Box::new(parts),
            tile: None,
            memory: 1 << 20,
            copies: 4,
        };
        let stop = |_| Err(Error::new(ErrorKind::Cancelled, "enough"));
        let done = set.parts(VarId(0), cuts, |_, part| Ok(part.stored), stop);
        assert_eq!(done.unwrap_err().kind(), ErrorKind::Cancelled);
        let made = made.load(Ordering::Relaxed);
        assert!(made < 1000, "{made} parts");
    }
}

/// Memory for chunks is reused: the cached memory after twenty slabs equals the cached memory after one.
#[test]
fn chunks_that_are_put_in_order_share_memory() {
    let made = test_variable::TestVariable::new(test_variable::Shape {
        dims: vec![20, 130, 130],
        extent: vec![20, 130, 130],
        chunk: vec![1, 130, 130],
        size: 8,
        filters: 0,
        seed: 1,
        assembled: false,
    });
    let env = Env {
        runtime: Runtime::new(1),
        ..Env::default()
    };
    let grid = crate::chunk::grid::ChunkGrid::of(vec![20, 130, 130], vec![1, 10, 10]);
    let cuts = Cuts {
        slabs: Box::new(grid.boxes(169)),
        way: BandWay::Staged { slabs: 1 },
        parts: Box::new(|slab| Box::new(grid.chunks(slab))),
        tile: Some(grid.chunk().to_vec()),
        memory: 1 << 20,
        copies: 4,
    };
    let _kept = env.buffers.keep(64 << 20);
    let work = |part: &Region, got: BoxElements| Ok(got.bytes == made.model(part));
    let sink = |same: bool| {
        assert!(same);
        Ok(())
    };
    let set = Dataset::new(&made.dataset, &env);
    set.parts(VarId(0), cuts, work, sink).unwrap();
    let (kept, slab) = (env.buffers.bytes(), 130 * 130 * 8);
    assert!(kept < 4 * slab, "{kept}");
}
