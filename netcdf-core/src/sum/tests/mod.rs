//! Digests of datasets in memory with different storage.

mod counts;
pub(crate) mod memory;

use std::collections::BTreeSet;

use super::{Digest, DigestMaker};
use crate::chunk::Dataset;
use crate::chunk::pass::VariablePass;
use crate::chunk::rechunk::RechunkWay;
use crate::env::Env;
use crate::error::ErrorKind;
use crate::model::{Endianness, VarId};
use crate::testing::MemoryDataset;
use memory::{FILL, Form, dataset, env};

const V: VarId = VarId(0);

fn form(chunk: &[u64], filtered: bool) -> Form {
    Form {
        chunk: chunk.to_vec(),
        filtered,
        order: Endianness::Little,
        sparse: false,
    }
}

fn number(n: u64) -> i32 {
    i32::try_from(n).unwrap() * 70_001 - 5
}

/// The digests of the variables and of the dataset.
fn sums(memory: &MemoryDataset, env: &Env) -> (Digest, Digest) {
    let sums = DigestMaker::new(Dataset::new(memory, env)).unwrap();
    let var = sums.variable(V).unwrap();
    let all = memory
        .schema
        .var_ids()
        .map(|id| (id, sums.variable(id).unwrap()));
    let all: Vec<_> = all.collect();
    let (done, total) = env.progress.get();
    assert_eq!(done, total);
    (var, sums.dataset(&all).unwrap())
}

const SHAPE: [u64; 3] = [5, 12, 9];

const CHUNKS: [[u64; 3]; 8] = [
    [5, 12, 9],
    [1, 12, 9],
    [5, 1, 1],
    [5, 12, 1],
    [2, 5, 4],
    [1, 1, 9],
    [4, 12, 2],
    [7, 20, 30],
];

/// Threads and bytes of memory.
const BUDGETS: [(usize, u64); 5] = [(1, 1 << 20), (2, 1 << 20), (2, 6000), (2, 1500), (1, 300)];

#[test]
fn how_elements_are_stored_does_not_count() {
    let expected = sums(
        &dataset(&SHAPE, &form(&SHAPE, false), number),
        &env(1, 1 << 20),
    );
    let mut ways = BTreeSet::new();
    for chunk in CHUNKS {
        for (filtered, order) in [
            (false, Endianness::Big),
            (true, Endianness::Little),
            (true, Endianness::Big),
        ] {
            let form = Form {
                order,
                ..form(&chunk, filtered)
            };
            for (threads, memory) in BUDGETS {
                let env = env(threads, memory);
                let made = dataset(&SHAPE, &form, number);
                assert_eq!(sums(&made, &env), expected, "{form:?} {threads} {memory}");
                let plan = VariablePass::in_rows(Dataset::new(&made, &env), V)
                    .unwrap()
                    .plan()
                    .unwrap();
                ways.insert(format!("{:?}", plan.way));
            }
        }
    }
    let all = [
        "Direct",
        "Memory { slabs: 1 }",
        "Memory { slabs: 2 }",
        "Spill",
    ];
    assert!(ways.iter().eq(all.iter()), "{ways:?}");
}

/// No chunk with filters is decoded more often than planned, and with a file each once.
#[test]
fn chunks_are_decoded_as_often_as_planned() {
    let (mut once, mut more) = (0, 0);
    for chunk in CHUNKS {
        for (threads, memory) in BUDGETS {
            let env = env(threads, memory);
            let made = dataset(&SHAPE, &form(&chunk, true), number);
            let set = Dataset::new(&made, &env);
            let plan = VariablePass::in_rows(set, V).unwrap().plan().unwrap();
            DigestMaker::new(set).unwrap().variable(V).unwrap();
            let read = made.take_counts().fetched;
            assert_eq!(read.len() as u64, made.stored(V));
            assert!(
                read.values().sum::<u64>() <= plan.passes * made.stored(V),
                "{chunk:?} {plan:?}"
            );
            assert!(plan.passes <= 4, "{plan:?}");
            if plan.way == RechunkWay::Spill {
                assert!(read.values().all(|&n| n == 1), "{chunk:?} {read:?}");
            }
            match plan.passes {
                1 => once += 1,
                _ => more += 1,
            }
        }
    }
    assert!(once > 0 && more > 0, "{once} {more}");
}

/// Missing chunks are fill values, and no scratch file is created for them.
#[test]
fn what_was_never_written_is_the_fill_value() {
    let written = |n: u64| if n / 9 == 31 { number(n) } else { FILL };
    let expected = sums(
        &dataset(&SHAPE, &form(&SHAPE, false), written),
        &env(1, 1 << 20),
    );
    for chunk in CHUNKS {
        for memory in [1 << 20, 1500, 300] {
            let made = dataset(
                &SHAPE,
                &Form {
                    sparse: true,
                    ..form(&chunk, true)
                },
                written,
            );
            assert_eq!(sums(&made, &env(2, memory)), expected, "{chunk:?}");
        }
    }
    let nothing = Form {
        sparse: true,
        ..form(&[5, 1, 1], true)
    };
    let nothing = dataset(&SHAPE, &nothing, |_| FILL);
    let env = env(1, 300);
    let plan = VariablePass::in_rows(Dataset::new(&nothing, &env), V)
        .unwrap()
        .plan()
        .unwrap();
    assert_eq!((plan.way, plan.disk), (RechunkWay::Memory { slabs: 1 }, 0));
}

#[test]
fn each_element_counts() {
    let env = env(2, 1500);
    let made = |change: u64| {
        let value = move |n| number(n) + i32::from(n == change);
        sums(&dataset(&[3, 4], &form(&[2, 3], true), value), &env)
    };
    let mut seen = vec![made(99)];
    for n in 0..12 {
        let found = made(n);
        assert!(seen.iter().all(|s| s.0 != found.0 && s.1 != found.1), "{n}");
        seen.push(found);
    }
}

#[test]
fn scalars_and_empty_variables_have_digests() {
    let env = env(1, 1 << 20);
    let scalar = |value: i32| sums(&dataset(&[], &form(&[], false), |_| value), &env);
    assert_ne!(scalar(1), scalar(2));
    let empty = |shape: &[u64]| sums(&dataset(shape, &form(&[1, 1], true), number), &env);
    assert_ne!(empty(&[0, 3]), empty(&[3, 0]));
}

#[test]
fn errors_name_the_variable() {
    let memory = dataset(&SHAPE, &form(&SHAPE, true), number);
    let env = Env::default();
    let e = DigestMaker::new(Dataset::new(&memory, &env))
        .unwrap()
        .variable(V)
        .unwrap_err();
    assert_eq!(
        (e.kind(), e.object()),
        (ErrorKind::FilterUnavailable, Some("/v"))
    );
    let env = env_cancelled();
    let e = DigestMaker::new(Dataset::new(&memory, &env))
        .unwrap()
        .variable(V)
        .unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Cancelled);
}

fn env_cancelled() -> Env {
    let env = env(1, 1 << 20);
    env.cancel.0.store(2, std::sync::atomic::Ordering::Relaxed);
    env
}
