use super::*;
use crate::model::{Atomic, Endianness, FilterSpec, StoredElement};

const MB: u64 = 1 << 20;

fn layout(extent: &[u64], chunk: &[u64], filtered: bool) -> Layout {
    let filter = FilterSpec {
        id: 1,
        params: vec![1],
    };
    Layout {
        extent: extent.to_vec(),
        chunk: chunk.to_vec(),
        element: StoredElement {
            ty: Atomic::Float.into(),
            size: 4,
            order: Endianness::Little,
            plain: true,
        },
        filters: filtered.then_some(filter).into_iter().collect(),
        fill: None,
        quantize: None,
    }
}

fn planned(
    shape: &[u64],
    from: &[u64],
    to: &[u64],
    (filtered, memory): (bool, u64),
) -> RechunkPlan {
    let (from, to) = (layout(shape, from, filtered), layout(shape, to, true));
    let variable = RechunkVariable {
        from: &from,
        to: &to,
        shape,
        assembled: false,
    };
    plan(variable, &RechunkBudget { memory, threads: 2 })
}

#[test]
fn lines_are_cut_where_either_cuts() {
    for (len, a, b) in
        (1..30).flat_map(|n| (1..12).flat_map(move |a| (1..12).map(move |b| (n, a, b))))
    {
        let cuts = (1..len).filter(|i| i % a == 0 || i % b == 0).count() as u64;
        assert_eq!(segments(len, a, b), cuts + 1, "{len} {a} {b}");
    }
    assert_eq!(
        (
            segments(0, 1, 1),
            segments(5, 0, 9),
            segments(u64::MAX, u64::MAX, 1)
        ),
        (0, 5, u64::MAX)
    );
}

#[test]
fn chunks_of_whole_chunks_are_made_one_by_one() {
    for (from, to) in [([1, 90, 180], [4, 90, 180]), ([2, 30, 60], [2, 30, 60])] {
        let p = planned(&[40, 90, 180], &from, &to, (true, 20 * MB));
        assert_eq!((p.way, p.passes, p.raised), (RechunkWay::Direct, 1, false));
    }
    let p = planned(
        &[40, 90, 180],
        &[40, 90, 180],
        &[1, 90, 180],
        (false, 20 * MB),
    );
    assert_eq!(p.way, RechunkWay::Direct, "rows of data without filters");
}

/// From maps to time series: in memory as long as all elements fit, then in passes, then through a file.
#[test]
fn memory_then_passes_then_a_file() {
    let (shape, from, to) = ([768, 180, 360], [1, 180, 360], [768, 10, 10]);
    let ways = [1024, 300, 100, 72, 50].map(|memory| {
        let p = planned(&shape, &from, &to, (true, memory * MB));
        assert!(p.memory() <= memory * MB, "{p:?}");
        (p.way, p.passes)
    });
    let (one, two) = (
        RechunkWay::Memory { slabs: 1 },
        RechunkWay::Memory { slabs: 2 },
    );
    assert_eq!(
        ways,
        [
            (two, 1),
            (one, 1),
            (one, 2),
            (one, 3),
            (RechunkWay::Spill, 1)
        ]
    );
}

/// Parts of unfiltered data are read alone, so that passes are free.
#[test]
fn plain_data_is_read_by_parts() {
    let (shape, to) = ([3072, 180, 360], [3072, 10, 10]);
    for from in [[1, 180, 360], [3072, 180, 360]] {
        let p = planned(&shape, &from, &to, (false, 192 * MB));
        assert!(matches!(p.way, RechunkWay::Memory { .. }), "{p:?}");
        assert!(
            p.chunks >= 36,
            "rows of chunks, so that pieces are long: {p:?}"
        );
    }
    // Single elements are too small to be read alone.
    let p = planned(
        &[100_000, 100_000],
        &[1, 100_000],
        &[100_000, 1],
        (false, 8 * MB),
    );
    assert_eq!(p.way, RechunkWay::Spill);
    assert_eq!(p.disk, 40_000_000_000);
}

#[test]
fn memory_is_raised_to_what_the_chunks_need() {
    let p = planned(
        &[64, 512, 512],
        &[64, 512, 512],
        &[64, 512, 256],
        (true, MB),
    );
    assert!(p.raised && p.memory() >= 96 * MB);
    let p = planned(
        &[64, 512, 512],
        &[1, 512, 512],
        &[2, 512, 512],
        (true, 64 * MB),
    );
    assert!(!p.raised);
}

#[test]
fn empty_variables_and_scalars_are_planned() {
    for shape in [&[][..], &[0, 3][..], &[1][..]] {
        let p = planned(shape, shape, shape, (true, MB));
        assert_eq!((p.way, p.passes), (RechunkWay::Direct, 1), "{shape:?}");
    }
}
