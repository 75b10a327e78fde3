//! Random changes of a dataset, compared with an array in memory.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;

use netcdf_core::api::{Dataset, Length, Options, Select};
use netcdf_core::model::{Atomic, GroupId, Kind, StorageLayout, VarId};
use proptest::prelude::*;

const ROOT: GroupId = GroupId::ROOT;
const FILL: i32 = -2_147_483_647;

/// A step of a test.
#[derive(Debug, Clone)]
enum Step {
    /// Elements are written: start, count, stride.
    Write([u64; 3], [u64; 3], [u64; 3]),
    /// The dataset is written and stays open.
    Sync,
    /// The dataset is closed and opened again.
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let three = |range: std::ops::Range<u64>| prop::array::uniform3(range);
    let write = (three(0..5), three(0..5), three(1..4));
    prop_oneof![
        6 => write.prop_map(|(start, count, stride)| Step::Write(start, count, stride)),
        1 => Just(Step::Sync),
        1 => Just(Step::Reopen),
    ]
}

/// Nothing has to be on the disk.
fn quick() -> Options {
    Options {
        no_sync: true,
        ..Options::default()
    }
}

/// The variable as it should be.
#[derive(Default)]
struct Model {
    elements: BTreeMap<[u64; 3], i32>,
    shape: [u64; 3],
}

fn places(start: [u64; 3], count: [u64; 3], stride: [u64; 3]) -> Vec<[u64; 3]> {
    let line = |n: usize| (0..count[n]).map(move |i| start[n] + i * stride[n]);
    let mut all = vec![];
    for z in line(0) {
        for y in line(1) {
            for x in line(2) {
                all.push([z, y, x]);
            }
        }
    }
    all
}

fn check(data: &Dataset, v: VarId, model: &Model) {
    assert_eq!(data.shape(v).unwrap(), model.shape);
    let all = data.read::<i32>(v, &Select::all()).unwrap();
    let want = places([0; 3], model.shape, [1; 3]);
    let want: Vec<i32> = want
        .iter()
        .map(|p| model.elements.get(p).copied().unwrap_or(FILL))
        .collect();
    assert_eq!(all, want);
}

/// Defines `v` with a first dimension, or all, unlimited.
fn create(path: &std::path::Path, kind: Kind, chunk: Option<u64>) -> (Dataset, VarId, Model) {
    let mut data = Dataset::create_with(path, kind, quick()).unwrap();
    let mut model = Model::default();
    let mut dims = vec![];
    for (n, name) in ["z", "y", "x"].into_iter().enumerate() {
        let unlimited = n == 0 || chunk.is_some();
        model.shape[n] = if unlimited { 0 } else { 14 };
        let len = match unlimited {
            true => Length::Unlimited,
            false => Length::Fixed(14),
        };
        dims.push(data.define_dim(ROOT, name, len).unwrap());
    }
    let v = data.define_var(ROOT, "v", Atomic::Int, &dims).unwrap();
    if let Some(chunk) = chunk {
        let shape = StorageLayout::Chunked(vec![chunk, 2, 3]);
        data.define_chunking(v, shape).unwrap();
        data.define_deflate(v, true, Some(1)).unwrap();
    }
    (data, v, model)
}

fn run(kind: Kind, chunk: Option<u64>, steps: Vec<Step>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    let (mut data, v, mut model) = create(&path, kind, chunk);
    if kind == Kind::CLASSIC {
        data.end_definition().unwrap();
    }
    let mut next = 0;
    for step in steps {
        match step {
            Step::Write(start, count, stride) => {
                let select = Select::region(&start, &count).stride(&stride);
                let mut list = vec![];
                for place in places(start, count, stride) {
                    next += 1;
                    list.push(next);
                    model.elements.insert(place, next);
                    for (len, at) in model.shape.iter_mut().zip(place) {
                        *len = (*len).max(at + 1);
                    }
                }
                data.write(v, &select, &list).unwrap();
            }
            Step::Sync => data.sync().unwrap(),
            Step::Reopen => {
                data.close().unwrap();
                data = Dataset::open_for_writing_with(&path, quick()).unwrap();
            }
        }
        check(&data, v, &model);
    }
    data.close().unwrap();
    check(&Dataset::open(&path).unwrap(), v, &model);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn classic_datasets_are_as_written(steps in prop::collection::vec(step(), 1..12)) {
        run(Kind::CLASSIC, None, steps);
    }

    #[test]
    fn netcdf4_datasets_are_as_written(
        chunk in prop::option::of(1u64..4),
        steps in prop::collection::vec(step(), 1..12),
    ) {
        run(Kind::NETCDF4, chunk, steps);
    }

    #[test]
    fn zarr_datasets_are_as_written(
        version in 2..4,
        chunk in prop::option::of(1u64..4),
        steps in prop::collection::vec(step(), 1..12),
    ) {
        let kind = if version == 2 { Kind::NCZARR } else { Kind::NCZARR3 };
        run(kind, chunk, steps);
    }
}
