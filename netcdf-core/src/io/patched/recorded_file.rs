//! A file in memory that records writes, truncations and syncs, and replays every moment at which the system may stop.

use std::io::{Error, ErrorKind, Result};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use super::sectors::parts;
use crate::io::raw_file::{RawFile, RawStamp};

/// A recorded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileStep {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
    /// A sync that failed: the disk may have any of the earlier unsynced bytes, and the system does not write them again.
    FailedSync,
}

/// What a call does that fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CallFailure {
    /// It does nothing. Later calls succeed.
    #[default]
    Once,
    /// It writes some of its sectors. Later calls succeed.
    Partial,
    /// It writes some of its sectors. All later calls fail and do nothing.
    Always,
}

impl FileStep {
    pub(crate) fn apply(&self, file: &mut Vec<u8>) {
        match self {
            Self::Write(offset, bytes) => {
                let start = usize::try_from(*offset).unwrap();
                let end = start + bytes.len();
                if file.len() < end {
                    file.resize(end, 0);
                }
                file[start..end].copy_from_slice(bytes);
            }
            Self::SetLen(len) => file.resize(usize::try_from(*len).unwrap(), 0),
            Self::Sync | Self::FailedSync => {}
        }
    }

    /// Returns the parts that a disk may write separately.
    fn parts(&self) -> Vec<Self> {
        match self {
            Self::Write(offset, bytes) => {
                let part = |range: std::ops::Range<u64>| {
                    let inside = (range.start - offset) as usize..(range.end - offset) as usize;
                    Self::Write(range.start, bytes[inside].to_vec())
                };
                parts(*offset..*offset + bytes.len() as u64)
                    .map(part)
                    .collect()
            }
            Self::SetLen(_) => vec![self.clone()],
            Self::Sync | Self::FailedSync => vec![],
        }
    }
}

#[derive(Debug, Default)]
struct Recording {
    bytes: Vec<u8>,
    steps: Vec<FileStep>,
    /// The number of calls that succeed before one fails.
    left: Option<usize>,
    failure: CallFailure,
    /// Whether all calls fail.
    broken: bool,
    changes: u64,
}

/// A handle to a file in memory. Clones are handles to the same file.
#[derive(Debug, Clone)]
pub(crate) struct RecordedFile {
    name: Arc<str>,
    recording: Arc<Mutex<Recording>>,
}

impl RecordedFile {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let recording = Recording {
            bytes: bytes.to_vec(),
            ..Recording::default()
        };
        Self {
            name: "recorded.nc".into(),
            recording: Arc::new(Mutex::new(recording)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.lock().bytes.clone()
    }

    /// Removes and returns the recorded calls.
    pub(crate) fn take_steps(&self) -> Vec<FileStep> {
        std::mem::take(&mut self.lock().steps)
    }

    /// Lets the call after `left` further ones fail, and all later ones succeed.
    pub(crate) fn fail_after(&self, left: usize) {
        self.fail(left, CallFailure::Once);
    }

    /// Lets the call after `left` further ones fail.
    pub(crate) fn fail(&self, left: usize, failure: CallFailure) {
        let mut file = self.lock();
        (file.left, file.failure) = (Some(left), failure);
    }

    /// Lets all later calls succeed.
    pub(crate) fn repair(&self) {
        let mut file = self.lock();
        (file.left, file.broken) = (None, false);
    }

    /// Returns whether the failure of [`RecordedFile::fail_after`] is still to come.
    pub(crate) fn will_fail(&self) -> bool {
        self.lock().left.is_some()
    }

    /// Changes the file as another program does.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Vec<u8>)) {
        let mut file = self.lock();
        change(&mut file.bytes);
        file.changes += 1;
    }

    fn record(&self, step: FileStep) -> Result<()> {
        let mut file = self.lock();
        match file.left {
            Some(0) => return Err(file.failed(step)),
            Some(n) => file.left = Some(n - 1),
            None if file.broken => return Err(file.failed(step)),
            None => {}
        }
        file.done(step);
        Ok(())
    }
}

impl Recording {
    fn done(&mut self, step: FileStep) {
        step.apply(&mut self.bytes);
        self.changes += 1;
        self.steps.push(step);
    }

    /// Does what a failing call does. Returns its error.
    fn failed(&mut self, step: FileStep) -> Error {
        self.left = None;
        let failure = self.failure;
        match step {
            FileStep::Write(..) if failure != CallFailure::Once && !self.broken => {
                let parts = step.parts();
                let written = parts.len() * 2 / 3;
                parts
                    .into_iter()
                    .take(written)
                    .for_each(|part| self.done(part));
            }
            FileStep::Sync => self.done(FileStep::FailedSync),
            FileStep::Write(..) | FileStep::SetLen(_) | FileStep::FailedSync => {}
        }
        self.broken = failure == CallFailure::Always;
        Error::from(ErrorKind::StorageFull)
    }
}

impl RawFile for RecordedFile {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn stamp(&self) -> Result<RawStamp> {
        let file = self.lock();
        Ok(RawStamp {
            len: file.bytes.len() as u64,
            modified: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(file.changes)),
        })
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let start = usize::try_from(offset).unwrap();
        let file = self.lock();
        let bytes = file.bytes.get(start..start + buf.len());
        buf.copy_from_slice(bytes.ok_or(Error::from(ErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.record(FileStep::Write(offset, bytes.to_vec()))
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.record(FileStep::SetLen(len))
    }

    fn sync(&self) -> Result<()> {
        self.record(FileStep::Sync)
    }

    fn stamp_at_path(&self) -> Option<RawStamp> {
        self.stamp().ok()
    }

    fn share_lock(&self) {}
}

/// Returns `all` with `EXHAUSTIVE=1` in the environment, else `few`.
pub(crate) fn count<T>(few: T, all: T) -> T {
    match std::env::var_os("EXHAUSTIVE").is_some_and(|value| value == "1") {
        true => all,
        false => few,
    }
}

/// The maximum number of parts for which all subsets are tried.
const ALL: usize = 10;

/// Visits the file at every moment at which a process may be killed or the power may fail. After a kill, the file has all earlier writes;
/// after a power failure, it has any subset of the sectors that were written since the last sync.
pub(crate) fn every_moment(
    before: &[u8],
    steps: &[FileStep],
    tries: usize,
    visit: &mut dyn FnMut(&[u8]),
) {
    let mut killed = before.to_vec();
    visit(&killed);
    for step in steps {
        step.apply(&mut killed);
        visit(&killed);
    }
    let mut synced = before.to_vec();
    for unsynced in steps.split(|step| *step == FileStep::Sync) {
        let atoms: Vec<_> = unsynced.iter().flat_map(FileStep::parts).collect();
        for chosen in subsets(atoms.len(), tries) {
            let mut file = synced.clone();
            let kept = atoms.iter().zip(&chosen).filter(|(_, chosen)| **chosen);
            kept.for_each(|(step, _)| step.apply(&mut file));
            visit(&file);
        }
        unsynced.iter().for_each(|step| step.apply(&mut synced));
    }
}

/// Returns all subsets of a few parts, or `tries` random ones.
fn subsets(count: usize, tries: usize) -> Vec<Vec<bool>> {
    if count <= ALL {
        let bits = |n: usize| (0..count).map(|i| n >> i & 1 == 1).collect();
        return (0..1 << count).map(bits).collect();
    }
    let mut seed = count as u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        seed >> 33
    };
    let mut one = || {
        let share = next() % 8;
        (0..count).map(|_| next() % 8 < share).collect()
    };
    (0..tries).map(|_| one()).collect()
}
