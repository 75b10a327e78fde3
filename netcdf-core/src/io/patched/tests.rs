use std::sync::Arc;

use super::file::PatchedFile;
use super::opening::{FoundState, find_state};
use super::recorded_file::{FileStep, RecordedFile, every_moment};
use super::recovery::{RecoveredState, recover};
use crate::error::ErrorKind;
use crate::io::Source;
use crate::io::memory::MemorySource;
use crate::notes::Notes;

/// The number of random subsets of unsynced sectors.
const TRIES: usize = 60;

fn open(raw: &RecordedFile) -> crate::Result<PatchedFile> {
    PatchedFile::open(Box::new(raw.clone()), &Notes::default())
}

/// A file of the toy format: a signature, the length, and bytes that depend on `version`.
fn toy(version: u8, len: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..len).map(|n| (n % 7) as u8).collect();
    bytes[..4].copy_from_slice(b"TOY\n");
    bytes[4..8].copy_from_slice(&(len as u32).to_le_bytes());
    bytes[8] = version;
    bytes
}

/// Returns the bytes that a reader of ours sees, cut to the length in the header.
fn seen(bytes: &[u8]) -> crate::Result<Vec<u8>> {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new("m", bytes.to_vec()));
    let source = match find_state(&source)? {
        FoundState::Replaced(source, _) => source,
        FoundState::Plain | FoundState::Ignored(_) => source,
    };
    let mut head = [0; 8];
    source.read_at(0, &mut head)?;
    assert_eq!(head[..4], *b"TOY\n", "no fence is visible");
    let len = u32::from_le_bytes(head[4..].try_into().unwrap());
    let mut all = vec![0; len as usize];
    source.read_at(0, &mut all)?;
    Ok(all)
}

/// The changes of a toy file: patches and new data.
type Change = (&'static [(u64, usize)], usize);

const CHANGES: [Change; 8] = [
    (&[], 0),
    (&[(100, 4)], 0),
    (&[(100, 4), (400, 9)], 700),
    (&[], 5000),
    (&[(600, 10)], 3),
    (&[(500, 1200), (2000, 1)], 1),
    (&[(511, 2), (1023, 2), (2040, 8)], 2000),
    (&[(9, 2039)], 100),
];

/// Applies a change and returns the new bytes.
fn change(file: &PatchedFile, old: &[u8], (patches, appended): Change, version: u8) -> Vec<u8> {
    let mut new = old.to_vec();
    new.extend(std::iter::repeat_n(version, appended));
    let len = (new.len() as u32).to_le_bytes();
    new[4..8].copy_from_slice(&len);
    new[8] = version;
    file.write(4, &len).unwrap();
    file.write(8, &[version]).unwrap();
    for &(offset, count) in patches {
        let bytes = vec![version ^ 0x55; count];
        new[offset as usize..offset as usize + count].copy_from_slice(&bytes);
        file.write(offset, &bytes).unwrap();
    }
    let at = file.append(&new[old.len()..]).unwrap();
    assert_eq!(at, old.len() as u64);
    let mut read = vec![0; new.len()];
    file.read_at(0, &mut read).unwrap();
    assert!(read == new, "the handle reads its own changes");
    new
}

#[test]
fn every_moment_has_one_of_two_states() {
    for (n, one) in CHANGES.into_iter().enumerate() {
        let old = toy(1, 2048);
        let raw = RecordedFile::new(&old);
        let file = open(&raw).unwrap();
        let new = change(&file, &old, one, 2);
        file.commit().unwrap();
        assert!(raw.bytes() == new, "change {n}");
        let steps = raw.take_steps();
        let syncs = steps.iter().filter(|s| **s == FileStep::Sync).count();
        assert!(syncs <= 4, "{syncs} syncs");
        let mut moments = 0;
        every_moment(&old, &steps, TRIES, &mut |bytes| {
            moments += 1;
            let seen = seen(bytes).unwrap();
            assert!(seen == old || seen == new, "change {n}, moment {moments}");
            roll_back(bytes, (&old, &new), n);
        });
    }
}

/// Opens a file for writing, and tries every moment of the rollback.
fn roll_back(bytes: &[u8], (old, new): (&[u8], &[u8]), n: usize) {
    let raw = RecordedFile::new(bytes);
    let found = seen(bytes).unwrap();
    drop(open(&raw).unwrap());
    let steps = raw.take_steps();
    assert!(seen(&raw.bytes()).unwrap() == found, "change {n}");
    every_moment(bytes, &steps, 4, &mut |bytes| {
        let seen = seen(bytes).unwrap();
        assert!(seen == old || seen == new, "rollback of change {n}");
        assert!(seen == found, "the state stays, change {n}");
    });
}

#[test]
fn changes_follow_each_other() {
    let (mut old, mut raws) = (toy(1, 2048), vec![]);
    let raw = RecordedFile::new(&old);
    let file = open(&raw).unwrap();
    for (version, one) in (2..).zip(CHANGES.into_iter().chain(CHANGES)) {
        let before = raw.bytes();
        let new = change(&file, &old, one, version);
        if version % 3 == 0 {
            file.abandon().unwrap();
            assert!(raw.bytes() == old && file.len() == old.len() as u64);
            raw.take_steps();
            continue;
        }
        file.commit().unwrap();
        raws.push((before, raw.take_steps(), old.clone(), new.clone()));
        old = new;
    }
    assert!(raw.bytes() == old);
    for (before, steps, old, new) in &raws {
        every_moment(before, steps, 10, &mut |bytes| {
            let seen = seen(bytes).unwrap();
            assert!(seen == *old || seen == *new);
        });
    }
}

#[test]
fn failures_leave_a_certain_state() {
    for (n, one) in CHANGES.into_iter().enumerate() {
        for left in 0.. {
            let old = toy(1, 2048);
            let raw = RecordedFile::new(&old);
            let file = open(&raw).unwrap();
            let new = change(&file, &old, one, 2);
            raw.take_steps();
            raw.fail_after(left);
            let done = file.commit();
            if raw.will_fail() {
                break;
            }
            let seen_now = seen(&raw.bytes()).unwrap();
            match &done {
                Ok(()) => assert!(seen_now == new, "the truncation failed"),
                Err(e) if e.remedy().unwrap().ends_with("of this one") => {
                    assert!(seen_now == old || seen_now == new, "{n}, {left}: {e}");
                }
                Err(e) => assert!(seen_now == old, "{n}, {left}: {e}"),
            }
            let again = file.commit();
            assert!(done.is_ok() || again.is_err() || raw.bytes() == new);
            drop(file);
            let after = seen(&raw.bytes()).unwrap();
            assert!(after == old || after == new, "{n}, {left}");
        }
    }
}

#[test]
fn other_programs_are_noticed() {
    let old = toy(1, 2048);
    let one = CHANGES[5];
    let raw = RecordedFile::new(&old);
    let file = open(&raw).unwrap();
    let new = change(&file, &old, one, 2);
    raw.change(|bytes| bytes[300] = 99);
    assert_eq!(file.commit().unwrap_err().kind(), ErrorKind::Changed);
    drop(file);
    assert_eq!(raw.bytes()[300], 99);

    // A program changes a file during an unfinished change.
    let raw = RecordedFile::new(&old);
    let file = open(&raw).unwrap();
    change(&file, &old, one, 2);
    file.commit().unwrap();
    let steps = raw.take_steps();
    let (mut kinds, mut bytes) = (vec![], old.clone());
    for step in &steps[..steps.len() - 1] {
        step.apply(&mut bytes);
        let ends = |raw: &RecordedFile| seen(&raw.bytes()).map(|seen| seen == new);
        let raw_after = RecordedFile::new(&bytes);
        // Byte 1500 is within a patch.
        raw_after.change(|bytes| bytes[1500] = 77);
        match ends(&raw_after) {
            Err(e) => {
                assert_eq!(e.kind(), ErrorKind::Changed);
                assert!(open(&raw_after).is_err());
                for (state, want) in [(RecoveredState::Old, &old), (RecoveredState::New, &new)] {
                    let copy = RecordedFile::new(&raw_after.bytes());
                    recover(Box::new(copy.clone()), state).unwrap();
                    assert!(copy.bytes() == *want, "{state:?}");
                }
                let copy = RecordedFile::new(&raw_after.bytes());
                recover(Box::new(copy.clone()), RecoveredState::Current).unwrap();
                assert!(copy.bytes().starts_with(b"TOY\n") && copy.bytes()[1500] == 77);
                kinds.push("error");
            }
            Ok(_) => kinds.push("read"),
        }
    }
    assert!(
        kinds.contains(&"error") && kinds.contains(&"read"),
        "{kinds:?}"
    );
    let e = recover(Box::new(RecordedFile::new(&old)), RecoveredState::Old);
    assert_eq!(e.unwrap_err().kind(), ErrorKind::NotFound);
}
