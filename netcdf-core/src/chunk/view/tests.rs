use super::*;
use crate::chunk::InBands;
use crate::chunk::dataset::tests::{expected, readers};
use crate::model::Values;
use crate::runtime::Runtime;
use crate::testing::{add_table, stored_chunks};

fn run(start: u64, count: u64, stride: u64) -> IndexRun {
    IndexRun {
        start,
        count,
        stride,
    }
}

/// Returns selections of a dimension of this length: all, one chunk or the last chunks, parts of chunks, with gaps, around its end, twice,
/// and none.
fn ways(len: u64, chunk: u64) -> Vec<Vec<IndexRun>> {
    vec![
        vec![run(0, len, 1)],
        vec![run(chunk, chunk, 1)],
        vec![run(chunk, len - chunk, 1)],
        vec![run(1, len - 1, 1)],
        vec![run(1, 2, 2)],
        vec![run(len - 2, 2, 1), run(0, 2, 1)],
        vec![run(0, 1, 1), run(0, 3, 1)],
        vec![],
    ]
}

fn indices(runs: &[IndexRun]) -> Vec<u64> {
    let all = runs
        .iter()
        .map(|run| (0..run.count).map(|n| run.start + n * run.stride));
    all.flatten().collect()
}

/// Calls `check` with views of the readers, and with the selected rows and columns.
fn each_view(env: &Env, check: impl Fn(&SubsetReader<'_>, &[u64], &[u64])) {
    for reader in readers() {
        for rows in [None].into_iter().chain(ways(5, 2).into_iter().map(Some)) {
            for columns in [None].into_iter().chain(ways(7, 3).into_iter().map(Some)) {
                let cache = ReadCache::new(env);
                let mut selected = BTreeMap::new();
                let mut take = |dim: u32, runs: &Option<Vec<IndexRun>>, len| match runs {
                    Some(runs) => {
                        selected.insert(
                            DimId(dim),
                            DimSelection::new(runs.iter().copied(), len).unwrap(),
                        );
                        indices(runs)
                    }
                    None => (0..len).collect(),
                };
                let (y, x) = (take(0, &rows, 5), take(1, &columns, 7));
                let schema = reader.schema().clone();
                let view = SubsetReader::new((&reader, &cache), schema, selected);
                check(&view, &y, &x);
            }
        }
    }
}

fn env(threads: usize) -> Env {
    Env {
        filters: add_table(),
        runtime: Runtime::sized(threads, 200).sharing_all(),
        ..Env::default()
    }
}

fn values(rows: &[u64], columns: &[u64]) -> Vec<i16> {
    let row = |&y: &u64| columns.iter().map(move |&x| expected(y, x));
    rows.iter().flat_map(row).collect()
}

#[test]
fn every_box_has_its_values() {
    let env = env(1);
    each_view(&env, |view, rows, columns| {
        assert_eq!(
            view.schema().shape(VarId(0)),
            [rows.len() as u64, columns.len() as u64]
        );
        let set = Dataset::new(view, &env);
        for (from, to) in (0..=rows.len()).flat_map(|a| (a..=rows.len()).map(move |b| (a, b))) {
            for (left, right) in [(0, columns.len()), (columns.len() / 2, columns.len())] {
                let start = vec![from as u64, left as u64];
                let count = vec![(to - from) as u64, (right - left) as u64];
                let got = set.read(VarId(0), &Region::boxed(start, count)).unwrap();
                let want = values(&rows[from..to], &columns[left..right]);
                assert_eq!(
                    got,
                    Values::Short(want),
                    "rows {rows:?}, columns {columns:?}"
                );
            }
        }
    });
}

#[test]
fn bands_have_them_on_all_threads() {
    let env = env(3);
    each_view(&env, |view, rows, columns| {
        let set = Dataset::new(view, &env);
        for most in [1, 4, 100] {
            let all = Region::whole(&view.schema().shape(VarId(0)));
            let mut bytes = vec![];
            let mut sink = |part: Vec<u8>| {
                bytes.extend(part);
                Ok(())
            };
            set.bands(
                VarId(0),
                InBands::new(all, most),
                |_, part| Ok(part),
                &mut sink,
            )
            .unwrap();
            let want: Vec<u8> = values(rows, columns)
                .into_iter()
                .flat_map(i16::to_le_bytes)
                .collect();
            assert_eq!(bytes, want, "rows {rows:?}, columns {columns:?}");
        }
    });
}

#[test]
fn whole_chunks_stay_chunks() {
    let env = env(1);
    let [_, reader] = readers();
    let cache = ReadCache::new(&env);
    let view = |runs: [IndexRun; 2]| {
        let [y, x] = runs;
        let selected = [
            (DimId(0), DimSelection::new([y], 5)),
            (DimId(1), DimSelection::new([x], 7)),
        ];
        let selected = selected.map(|(dim, selected)| (dim, selected.unwrap()));
        SubsetReader::new((&reader, &cache), reader.schema().clone(), selected.into())
    };
    let chunks = |view: &SubsetReader<'_>| stored_chunks(Dataset::new(view, &env), VarId(0));
    let whole = chunks(&view([run(0, 5, 1), run(0, 7, 1)]));
    let moved = view([run(2, 3, 1), run(3, 4, 1)]);
    assert!(moved.assembly(VarId(0)).is_none());
    let layout = moved.layout(VarId(0)).unwrap();
    assert_eq!(
        (layout.extent, layout.chunk, layout.filters.len()),
        (vec![2, 4], vec![2, 3], 1)
    );
    let found = chunks(&moved);
    let places: Vec<_> = found
        .iter()
        .map(|chunk| (chunk.index, chunk.range.clone()))
        .collect();
    assert_eq!(places, [(0, 48..60), (1, 60..72)]);
    // Stored chunks are fetched unchanged, under their numbers in the base.
    assert_eq!(
        moved.bytes().fetch(&found).unwrap(),
        reader.bytes().fetch(&whole[3..]).unwrap()
    );
    let cut = view([run(2, 2, 1), run(4, 3, 1)]);
    assert!(cut.assembly(VarId(0)).is_some());
}
