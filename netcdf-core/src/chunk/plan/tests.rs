use super::*;
use crate::model::{Atomic, Endianness, FilterSpec, StoredElement};

fn layout(extent: &[u64], chunk: &[u64], filtered: bool) -> Layout {
    let filter = FilterSpec {
        id: 1,
        params: vec![],
    };
    Layout {
        extent: extent.to_vec(),
        chunk: chunk.to_vec(),
        element: StoredElement {
            ty: Atomic::Double.into(),
            size: 8,
            order: Endianness::Little,
            plain: true,
        },
        fill: None,
        filters: filtered.then_some(filter).into_iter().collect(),
        quantize: None,
    }
}

const MB: u64 = 1 << 20;

fn budget(memory: u64) -> PlanBudget {
    PlanBudget {
        most: 1 << 15,
        memory,
        threads: 2,
    }
}

/// Returns the way, the passes, and the lengths along the first dimension of the first slabs.
fn planned(layout: &Layout, memory: u64) -> (BandWay, u64, Vec<u64>) {
    let plan = plan(&Region::whole(&layout.extent), layout, &budget(memory));
    let rows = plan.slabs.take(3).map(|b| b.count[0]).collect();
    (plan.way, plan.passes, rows)
}

#[test]
fn small_rows_of_chunks_are_bands() {
    let l = layout(&[1000, 400], &[10, 100], true);
    assert_eq!(planned(&l, 20 * MB), (BandWay::Direct, 1, vec![80, 80, 80]));
}

#[test]
fn rows_of_chunks_are_slabs_within_half_the_memory() {
    let l = layout(&[1000, 1000], &[100, 100], true);
    let staged = BandWay::Staged { slabs: 2 };
    assert_eq!(planned(&l, 4 * MB), (staged, 1, vec![200, 200, 200]));
    assert_eq!(planned(&l, 20 * MB), (staged, 1, vec![1000]));
}

#[test]
fn large_rows_take_all_the_memory_one_after_the_other() {
    let l = layout(&[1000, 1000], &[100, 100], true);
    let one = BandWay::Staged { slabs: 1 };
    assert_eq!(planned(&l, MB), (one, 1, vec![100, 100, 100]));
}

#[test]
fn larger_rows_are_decoded_in_passes() {
    let l = layout(&[1000, 1000], &[100, 100], true);
    let one = BandWay::Staged { slabs: 1 };
    assert_eq!(planned(&l, 512 << 10), (one, 2, vec![50, 50, 50]));
    assert_eq!(planned(&l, 300 << 10), (one, 3, vec![34, 34, 32]));
}

/// 4 chunks of 32 MB in a row: two fit in memory.
#[test]
fn columns_of_chunks_are_decoded_twice() {
    let l = layout(&[4000, 4000], &[4000, 1000], true);
    let one = BandWay::Staged { slabs: 1 };
    assert_eq!(planned(&l, 20 * MB), (one, 2, vec![2000, 2000]));
}

#[test]
fn chunks_larger_than_the_memory_are_slabs_of_two() {
    let l = layout(&[8, 2000, 2000], &[1, 2000, 2000], true);
    let one = BandWay::Staged { slabs: 1 };
    assert_eq!(planned(&l, 20 * MB), (one, 1, vec![2, 2, 2]));
}

#[test]
fn a_single_thread_keeps_one_slab() {
    let l = layout(&[1000, 1000], &[100, 100], true);
    let budget = PlanBudget {
        threads: 1,
        ..budget(20 * MB)
    };
    let plan = plan(&Region::whole(&l.extent), &l, &budget);
    assert_eq!(plan.way, BandWay::Staged { slabs: 1 });
}

#[test]
fn whole_rows_of_chunks_are_bands_where_a_thread_has_room() {
    let l = layout(&[48, 180, 360], &[1, 180, 180], true);
    let rows = |layout: &Layout, budget: PlanBudget| {
        let bands = in_rows(&Region::whole(&layout.extent), layout, &budget);
        bands.map(|b| (b.passes(), b.map(|b| b.count[0]).collect::<Vec<_>>()))
    };
    assert_eq!(rows(&l, budget(2 * MB)), Some((1, vec![1; 48])));
    assert_eq!(rows(&l, budget(MB)), None, "too little memory");
    assert_eq!(
        rows(&layout(&l.extent, &l.chunk, false), budget(2 * MB)),
        None
    );
    let few = layout(&[3, 180, 360], &l.chunk, true);
    assert_eq!(rows(&few, budget(2 * MB)), None, "too few for two threads");
    let one = PlanBudget {
        threads: 1,
        ..budget(2 * MB)
    };
    assert_eq!(rows(&few, one), Some((1, vec![1; 3])));
}

#[test]
fn unfiltered_data_is_read_by_parts_unless_they_are_small() {
    for (extent, chunk, way) in [
        (vec![4000, 4000], vec![4000, 4000], BandWay::Direct),
        (vec![4000, 4000], vec![4000, 1000], BandWay::Direct),
        (
            vec![4000, 4000],
            vec![4000, 1],
            BandWay::Staged { slabs: 2 },
        ),
        (vec![1_000_000], vec![1], BandWay::Direct),
        (vec![100_000, 3], vec![1, 3], BandWay::Direct),
        (vec![], vec![], BandWay::Direct),
    ] {
        let l = layout(&extent, &chunk, false);
        let plan = plan(&Region::whole(&extent), &l, &budget(20 * MB));
        assert_eq!((plan.way, plan.passes), (way, 1), "{extent:?} {chunk:?}");
    }
}

/// For all shapes: the slabs cover the region. If the plan promises one decode per chunk, no chunk is in two slabs.
#[test]
fn slabs_cover_the_region_and_keep_the_promise() {
    let shapes = [[6, 7, 8], [12, 5, 3], [1, 30, 4], [9, 1, 1]];
    let chunks = [[1, 1, 1], [2, 3, 4], [6, 7, 8], [20, 2, 1], [1, 30, 2]];
    for (extent, chunk) in shapes.iter().flat_map(|s| chunks.map(|c| (s, c))) {
        for (most, memory) in [(1, 64), (5, 200), (20, 1000), (40, 4000), (1000, 1)] {
            let layout = layout(extent, &chunk, true);
            let budget = PlanBudget {
                most,
                memory,
                threads: 2,
            };
            let region = Region::whole(extent);
            let plan = plan(&region, &layout, &budget);
            let mut seen = std::collections::BTreeMap::<u64, u64>::new();
            let mut elements = 0;
            for slab in plan.slabs {
                elements += slab.elements().unwrap();
                for cell in PlanCells::new(&slab, &layout).iter() {
                    *seen.entry(cell.index).or_default() += 1;
                }
            }
            assert_eq!(Some(elements), region.elements());
            assert!(
                seen.values().all(|&n| n <= plan.passes),
                "{extent:?} {chunk:?} {most}"
            );
        }
    }
}
