//! Property tests over shape, chunks, filters, gaps, region, threads and memory. The elements equal a naive model,
//! and no chunk is decoded more often than planned.

use proptest::prelude::*;

use super::test_variable::{Shape, TestVariable};
use super::*;
use crate::chunk::InBands;
use crate::chunk::grid::ChunkGrid;
use crate::chunk::plan::{PlanBudget, plan};
use crate::filter::{ChunkContext, Encoded, Filter};
use crate::testing::table;

/// A dimension: length, stored extent, chunk, and start, count and stride of the region.
fn dimension() -> impl Strategy<Value = [u64; 6]> {
    let lengths = (1u64..9, 0u64..4, 1u64..11).prop_map(|(n, cut, chunk)| {
        // The extent is mostly the whole dimension.
        (n, if cut == 3 { n / 2 } else { n }, chunk)
    });
    lengths.prop_flat_map(|(len, extent, chunk)| {
        (0..len, 0u64..9, 1u64..5, any::<bool>()).prop_map(move |(start, n, stride, whole)| {
            if whole {
                return [len, extent, chunk, 0, len, 1];
            }
            let most = (len - start).div_ceil(stride);
            [len, extent, chunk, start, n.min(most), stride]
        })
    })
}

pub(super) fn case() -> impl Strategy<Value = (Shape, Region)> {
    let size = prop::sample::select(vec![1u64, 2, 3, 5, 8]);
    let dims = prop::collection::vec(dimension(), 0..4);
    let other = (size, 0u32..3, any::<u64>(), 0u8..6);
    (dims, other).prop_map(|(dims, (size, filters, seed, assembled))| {
        let column = |n: usize| dims.iter().map(|d| d[n]).collect::<Vec<u64>>();
        let assembled = assembled == 0;
        let shape = Shape {
            dims: column(0),
            extent: column(1),
            chunk: column(2),
            size,
            filters: if assembled { 0 } else { filters },
            seed,
            assembled,
        };
        let region = Region {
            start: column(3),
            count: column(4),
            stride: column(5),
        };
        (shape, region)
    })
}

fn env(threads: usize, memory: u64) -> Env {
    Env {
        filters: add_table(),
        runtime: Runtime::sized(threads, memory).sharing_all(),
        ..Env::default()
    }
}

/// Returns the elements of all bands, which must be consecutive.
fn all_bands(made: &TestVariable, env: &Env, region: &Region, most: u64) -> Result<Vec<u8>> {
    let mut all = vec![];
    let work = |band: &Region, bytes: Vec<u8>| {
        assert_eq!(bytes, made.model(band), "{band:?}");
        let row = band.count.last().copied().unwrap_or(1);
        let whole = region.count.last().copied().unwrap_or(1);
        assert!(row == whole || whole > most, "rows are whole");
        assert!(band.elements().unwrap() <= most);
        Ok(bytes)
    };
    let sink = |bytes: Vec<u8>| {
        all.extend(bytes);
        Ok(())
    };
    Dataset::new(&made.dataset, env).bands(
        VarId(0),
        InBands::new(region.clone(), most),
        work,
        sink,
    )?;
    Ok(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn regions_are_those_of_the_model((shape, region) in case()) {
        let (made, env) = (TestVariable::new(shape), env(2, 1000));
        let layout = made.layout();
        let got = Dataset::new(&made.dataset, &env).read_stored(VarId(0), &layout, &region).unwrap();
        prop_assert_eq!(got, made.model(&region));
        if !layout.filters.is_empty() {
            prop_assert!(made.most_asked() <= 1);
        }
    }

    #[test]
    fn bands_are_those_of_the_model(
        (shape, region) in case(),
        most in 1u64..60,
        threads in 1usize..5,
        memory in prop::sample::select(vec![0u64, 50, 600, 3000, 1 << 20]),
    ) {
        let (made, env) = (TestVariable::new(shape), env(threads, memory));
        let got = all_bands(&made, &env, &region, most).unwrap();
        prop_assert_eq!(got, made.model(&region));
        let layout = made.layout();
        let budget = PlanBudget { most, memory: memory / 2, threads };
        let passes = plan(&region, &layout, &budget).passes;
        if !layout.filters.is_empty() {
            prop_assert!(made.most_asked() <= passes);
        } else if made.shape.assembled && region.stride.iter().all(|&s| s == 1) {
            prop_assert!(made.most_asked() <= 1);
        }
    }

    /// Chunks of another shape, cut from slabs of this number of chunks.
    #[test]
    fn tiles_are_those_of_the_model(
        (shape, _) in case(),
        tile in prop::collection::vec(1u64..7, 4),
        (most, slabs, threads) in (1u64..20, 1usize..3, 1usize..5),
    ) {
        let made = TestVariable::new(shape);
        let grid = ChunkGrid::of(made.shape.dims.clone(), tile[..made.shape.dims.len()].to_vec());
        let stored: Vec<bool> = grid.boxes(1).map(|tile| made.has_any(&tile)).collect();
        let mut all = vec![];
        let work = |tile: &Region, part: BoxElements| {
            assert_eq!(part.bytes, made.model(tile), "{tile:?}");
            Ok((grid.index(tile), part.stored))
        };
        let cuts = Cuts {
            slabs: Box::new(grid.boxes(most)),
            way: BandWay::Staged { slabs },
            parts: Box::new(|slab| Box::new(grid.chunks(slab))),
            tile: Some(grid.chunk().to_vec()),
            memory: 1000,
            copies: 4,
        };
        let sink = |(index, stored): (u64, bool)| {
            assert_eq!(index, all.len() as u64);
            all.push(stored);
            Ok(())
        };
        Dataset::new(&made.dataset, &env(threads, 1000)).parts(VarId(0), cuts, work, sink).unwrap();
        prop_assert_eq!(all, stored);
    }
}

fn plane(filters: u32) -> Shape {
    Shape {
        dims: vec![40, 40],
        extent: vec![40, 40],
        chunk: vec![10, 10],
        size: 2,
        filters,
        seed: 3,
        assembled: false,
    }
}

/// A filter that fails on some chunks.
struct Damaged;

impl Filter for Damaged {
    fn decode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        output.extend_from_slice(input);
        let sum = input
            .iter()
            .fold(0u64, |n, &b| n * 31 % 65_521 + u64::from(b));
        match sum % 4 {
            0 => Err(Error::new(ErrorKind::Checksum, format!("sum {sum}"))),
            _ => Ok(()),
        }
    }
    fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        unimplemented!()
    }
}

/// For all numbers of threads and memory limits, the same elements precede the same error.
#[test]
fn a_damaged_chunk_is_named_and_what_is_before_it_comes_out() {
    let made = TestVariable::new(plane(1));
    let mut env = Env {
        filters: table(|_, _| Ok(Box::new(Damaged))),
        ..Env::default()
    };
    let mut seen = vec![];
    for (threads, memory) in [(1, 1 << 20), (2, 1 << 20), (4, 4000), (3, 900), (2, 0)] {
        env.runtime = Runtime::sized(threads, memory).sharing_all();
        let mut bytes = 0;
        let sink = |n: usize| {
            bytes += n;
            Ok(())
        };
        let region = Region::whole(&[40, 40]);
        let set = Dataset::new(&made.dataset, &env);
        let e = set.bands(VarId(0), InBands::new(region, 40), |_, b| Ok(b.len()), sink);
        let e = e.unwrap_err();
        assert_eq!((e.kind(), e.object()), (ErrorKind::Checksum, Some("/v")));
        seen.push((e.to_string(), bytes));
    }
    assert!(seen.iter().all(|s| *s == seen[0]), "{seen:?}");
    let (text, bytes) = &seen[0];
    let place = "made: chunk (3, 1), bytes 1403..1603: sum 13604 in /v at byte 1403";
    assert_eq!((text.as_str(), *bytes), (place, 2400));
}

/// Filters with output shorter than a chunk.
#[test]
fn short_chunks_are_errors() {
    struct Half;
    impl Filter for Half {
        fn decode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
            output.extend_from_slice(&input[..input.len() / 2]);
            Ok(())
        }
        fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
            unimplemented!()
        }
    }
    let made = TestVariable::new(plane(1));
    let env = Env {
        filters: table(|_, _| Ok(Box::new(Half))),
        ..Env::default()
    };
    let set = Dataset::new(&made.dataset, &env);
    let e = set.read(VarId(0), &Region::whole(&[40, 40])).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Corrupt);
    let what = "100 bytes, but the chunk shape needs 200";
    assert!(e.what().ends_with(what), "{e}");
}

/// A failing band does not block the waiting bands.
#[test]
fn errors_of_work_and_sink_end_it() {
    let made = TestVariable::new(plane(2));
    for (threads, memory) in [(1, 900), (2, 900), (4, 0), (3, 1 << 20)] {
        let env = env(threads, memory);
        let set = Dataset::new(&made.dataset, &env);
        let stop = || Error::new(ErrorKind::Io, "stop");
        let work = |band: &Region, _| match band.start[0] {
            20.. => Err(stop()),
            row => Ok(row),
        };
        let region = || Region::whole(&[40, 40]);
        let mut last = 0;
        let sink = |row| {
            last = row;
            Ok(())
        };
        let e = set.bands(VarId(0), InBands::new(region(), 40), work, sink);
        assert_eq!((e.unwrap_err().kind(), last), (ErrorKind::Io, 19));
        let e = set.bands(
            VarId(0),
            InBands::new(region(), 40),
            |_, _| Ok(()),
            |()| Err(stop()),
        );
        assert_eq!(e.unwrap_err().what(), "stop");
    }
}
