//! Changes in place of classic files, with calls that fail, and power failures after them.

use super::update_tests::{CHANGES, Change, content, file, open, record, seen};
use crate::chunk::Update;
use crate::error::Result;
use crate::io::patched::cached_disk::CachedDisk;
use crate::io::patched::recorded_file::{CallFailure, FileStep, RecordedFile, count};
use crate::model::{FillMode, Kind};

const FAILURES: [CallFailure; 3] = [CallFailure::Once, CallFailure::Partial, CallFailure::Always];

/// The number of runs with power failures after each failure.
fn tries() -> std::ops::Range<u64> {
    0..count(1, 3)
}

/// The contents before and after a change, and after a further record.
struct Contents {
    old: String,
    new: String,
    old_and_record: String,
    new_and_record: String,
}

impl Contents {
    fn of(before: &[u8], change: Change) -> Self {
        let after = |changes: &[Change]| {
            let raw = RecordedFile::new(before);
            for change in changes {
                let mut update = open(&raw).unwrap();
                change(&mut *update);
                update.commit(FillMode::Fill).unwrap();
            }
            seen(&raw.bytes()).unwrap()
        };
        Self {
            old: after(&[]),
            new: after(&[change]),
            old_and_record: after(&[record]),
            new_and_record: after(&[change, record]),
        }
    }
}

/// Changes a file while the call after `left` further ones fails. Returns the result; `None` if no call failed.
fn failing(
    raw: &RecordedFile,
    change: Change,
    (left, failure): (usize, CallFailure),
) -> Option<(Box<dyn Update>, Result<()>)> {
    let mut update = open(raw).unwrap();
    change(&mut *update);
    raw.fail(left, failure);
    let done = update.commit(FillMode::Fill);
    match raw.will_fail() {
        true => None,
        false => Some((update, done)),
    }
}

/// Checks the file after a failure, and all later moments.
fn check(
    raw: &RecordedFile,
    before: &[u8],
    (mut update, done): (Box<dyn Update>, Result<()>),
    contents: &Contents,
) {
    let Contents { old, new, .. } = contents;
    let possible = match &done {
        Ok(()) => vec![new],
        Err(e) => match e.remedy().unwrap_or_default() {
            remedy if remedy.ends_with("of the last sync that succeeded") => vec![old],
            remedy if remedy.ends_with("or of this one") => vec![old, new],
            remedy => panic!("{e}: {remedy}"),
        },
    };
    assert!(possible.contains(&&seen(&raw.bytes()).unwrap()), "{done:?}");
    let mut steps = raw.take_steps();
    let sync_failed = steps.contains(&FileStep::FailedSync);
    raw.repair();
    if sync_failed {
        assert!(update.commit(FillMode::Fill).is_err(), "only close");
        assert_eq!(raw.take_steps(), []);
    }
    drop(update);
    steps.extend(raw.take_steps());
    let left = seen(&raw.bytes()).unwrap();
    assert!(possible.contains(&&left), "after closing");

    let mut update = open(raw).unwrap();
    assert_eq!(content(update.reader()).unwrap(), left);
    let opened = raw.take_steps();
    record(&mut *update);
    update.commit(FillMode::Fill).unwrap();
    drop(update);
    let recorded = raw.take_steps();
    let next = match left == *old {
        true => &contents.old_and_record,
        false => &contents.new_and_record,
    };
    assert_eq!(seen(&raw.bytes()).unwrap(), *next);
    for seed in tries() {
        let mut disk = CachedDisk::new(before, seed);
        let mut run = |steps: &[FileStep], possible: &[&String]| {
            for step in steps {
                disk.run(step);
                let bytes = disk.after_power_failure();
                let found = seen(&bytes).unwrap();
                assert!(possible.contains(&&found), "{step:?}");
            }
        };
        run(&steps, &[old, new]);
        run(&opened, &[old, new]);
        run(&recorded, &[old, new, next]);
        run(&[FileStep::Sync], &[next]);
    }
}

/// Calls `visit` with kinds of changes and of files: some, or all in an exhaustive run.
fn each_change(visit: &mut dyn FnMut(&str, Change, &[u8])) {
    let kinds = [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5];
    for (n, (name, change, _)) in CHANGES.into_iter().enumerate() {
        let first = n % 3;
        for kind in &kinds[count(first, 0)..count(first + 1, 3)] {
            visit(name, change, &file(*kind, 4));
        }
    }
}

#[test]
fn failed_calls_leave_a_state_that_the_error_names() {
    let mut cases = 0;
    each_change(&mut |name, change, before| {
        let contents = Contents::of(before, change);
        for failure in FAILURES {
            let mut left = 0;
            loop {
                let raw = RecordedFile::new(before);
                let Some(outcome) = failing(&raw, change, (left, failure)) else {
                    break;
                };
                println!("{name} {failure:?} {left}");
                check(&raw, before, outcome, &contents);
                (left, cases) = (left + 1, cases + 1);
            }
            assert!(left >= 2, "{name}: {left} calls");
        }
    });
    println!("{cases} failed calls");
    assert!(cases >= count(250, 800), "{cases}");
}

/// A process is killed, and calls of the next writer fail while it ends the change.
#[test]
fn failed_calls_of_a_rollback_keep_the_state() {
    let mut cases = 0;
    each_change(&mut |name, change, before| {
        let raw = RecordedFile::new(before);
        let mut update = open(&raw).unwrap();
        change(&mut *update);
        update.commit(FillMode::Fill).unwrap();
        drop(update);
        let steps = raw.take_steps();
        let mut killed = before.to_vec();
        for (done, step) in (1..).zip(&steps) {
            step.apply(&mut killed);
            for failure in FAILURES {
                println!("{name} {done} {failure:?}");
                cases += failed_openings(before, &steps[..done], &killed, failure);
            }
        }
    });
    println!("{cases} failed calls");
    assert!(cases >= count(80, 240), "{cases}");
}

/// Lets each call of opening for writing fail after these steps. Returns their number.
fn failed_openings(
    before: &[u8],
    steps: &[FileStep],
    killed: &[u8],
    failure: CallFailure,
) -> usize {
    let state = seen(killed).unwrap();
    for left in 0.. {
        let raw = RecordedFile::new(killed);
        raw.fail(left, failure);
        let first = open(&raw).map(drop);
        if raw.will_fail() {
            return left;
        }
        raw.repair();
        assert_eq!(seen(&raw.bytes()).unwrap(), state, "{left}: {first:?}");
        let mut update = open(&raw).unwrap();
        assert_eq!(content(update.reader()).unwrap(), state, "{left}");
        let opened = raw.take_steps();
        record(&mut *update);
        update.commit(FillMode::Fill).unwrap();
        drop(update);
        let recorded = raw.take_steps();
        let end = seen(&raw.bytes()).unwrap();
        let states = [seen(before).unwrap(), state.clone(), end.clone()];
        for seed in tries() {
            let mut disk = CachedDisk::new(before, seed);
            for step in steps.iter().chain(&opened).chain(&recorded) {
                disk.run(step);
                let found = seen(&disk.after_power_failure()).unwrap();
                assert!(states.contains(&found), "{left}, {step:?}");
            }
            disk.run(&FileStep::Sync);
            assert_eq!(seen(&disk.after_power_failure()).unwrap(), end);
        }
    }
    0
}
