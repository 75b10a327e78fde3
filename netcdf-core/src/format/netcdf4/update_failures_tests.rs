//! Changes in place of netCDF-4 files, with calls that fail, and power failures after them.

use super::update_states_tests::prepared;
use super::update_tests::{Case, append, cases, check, opened};
use crate::chunk::{Reader, Update};
use crate::env::Env;
use crate::error::Result;
use crate::io::Container;
use crate::io::memory::MemorySource;
use crate::io::patched::cached_disk::CachedDisk;
use crate::io::patched::recorded_file::{CallFailure, FileStep, RecordedFile, count as sampled};
use crate::model::FillMode;

const FAILURES: [CallFailure; 3] = [CallFailure::Once, CallFailure::Partial, CallFailure::Always];

/// Returns the record count that our readers see. All values are checked.
fn records(bytes: &[u8]) -> u64 {
    let source = std::sync::Arc::new(MemorySource::new("m", bytes.to_vec()));
    let reader: Box<dyn Reader> =
        crate::format::open(Container::Source(source), &Env::default()).unwrap();
    let len = reader.schema().dims[0].len;
    check(&*reader, len);
    len
}

/// Commits a change that begins to fail after `left` calls; `None` if no call failed.
fn failing(
    (raw, mut update): (&RecordedFile, Box<dyn Update>),
    (_, chunk, lens): &Case,
    (left, failure): (usize, CallFailure),
) -> Option<(Box<dyn Update>, Result<()>)> {
    append(&mut *update, *chunk, *lens.last().unwrap());
    raw.fail(left, failure);
    let done = update.commit(FillMode::Fill);
    match raw.will_fail() {
        true => None,
        false => Some((update, done)),
    }
}

/// Returns the record counts that a result promises.
fn promised(done: &Result<()>, old: u64, new: u64) -> Vec<u64> {
    match done {
        Ok(()) => vec![new],
        Err(e) => match e.remedy().unwrap_or_default() {
            remedy if remedy.ends_with("of the last sync that succeeded") => vec![old],
            remedy if remedy.ends_with("or of this one") => vec![old, new],
            remedy => panic!("{e}: {remedy}"),
        },
    }
}

/// Checks the file after a failure, and all later moments.
fn check_later(
    (raw, before): (&RecordedFile, &[u8]),
    (_, chunk, lens): &Case,
    (mut update, done): (Box<dyn Update>, Result<()>),
) {
    let (old, new) = (lens[lens.len() - 2], lens[lens.len() - 1]);
    let possible = promised(&done, old, new);
    assert!(possible.contains(&records(&raw.bytes())), "{done:?}");
    let mut steps = raw.take_steps();
    raw.repair();
    if steps.contains(&FileStep::FailedSync) {
        assert!(update.commit(FillMode::Fill).is_err(), "only close");
        assert_eq!(raw.take_steps(), []);
    }
    drop(update);
    steps.extend(raw.take_steps());
    let left = records(&raw.bytes());
    assert!(possible.contains(&left), "after closing");

    let mut update = opened(raw);
    check(update.reader(), left);
    let begun = raw.take_steps();
    append(&mut *update, *chunk, new + 1);
    update.commit(FillMode::Fill).unwrap();
    drop(update);
    let recorded = raw.take_steps();
    assert_eq!(records(&raw.bytes()), new + 1);
    for seed in 0..sampled(1, 3) {
        let mut disk = CachedDisk::new(before, seed);
        let mut run = |steps: &[FileStep], possible: &[u64]| {
            for step in steps {
                disk.run(step);
                let found = records(&disk.after_power_failure());
                assert!(possible.contains(&found), "{found}, {step:?}");
            }
        };
        run(&steps, &[old, new]);
        run(&begun, &[old, new]);
        run(&recorded, &[old, new, new + 1]);
        run(&[FileStep::Sync], &[new + 1]);
    }
}

#[test]
fn failed_calls_leave_a_state_that_the_error_names() {
    let mut count = 0;
    for case in cases().step_by(sampled(3, 1)) {
        for failure in FAILURES {
            let mut left = 0;
            loop {
                let (raw, update) = prepared(&case);
                let before = raw.bytes();
                let Some(outcome) = failing((&raw, update), &case, (left, failure)) else {
                    break;
                };
                println!("{:?} {failure:?} {left}", case.2);
                check_later((&raw, &before), &case, outcome);
                (left, count) = (left + 1, count + 1);
            }
            assert!(left >= 3, "{left} calls");
        }
    }
    println!("{count} failed calls");
    assert!(count >= sampled(150, 500), "{count}");
}
