//! Readers of files that another program of ours changes in place meanwhile.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};

use super::update_tests::{FIXED, T, TIME, append, deflated, made, opened, schema, values};
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::{Dataset, Placement, Reader, elements};
use crate::env::Env;
use crate::error::{ErrorKind, Result};
use crate::io::patched::recorded_file::{FileStep, RecordedFile};
use crate::io::source::truncated;
use crate::io::{Container, Source};
use crate::model::{DimId, Endianness, FillMode, Region, Schema, Values, VarId};

/// A file, and the steps of a writer that are still to come.
#[derive(Debug)]
struct GrowingFile {
    bytes: Vec<u8>,
    steps: VecDeque<FileStep>,
    /// The number of reads before the writer takes its next steps.
    reads_left: usize,
    /// The number of steps that it then takes.
    burst: usize,
}

impl GrowingFile {
    fn take_steps(&mut self, count: usize) {
        for step in self.steps.drain(..count.min(self.steps.len())) {
            step.apply(&mut self.bytes);
        }
    }
}

/// A handle that knows the length at opening.
#[derive(Debug)]
struct GrowingSource {
    name: Arc<str>,
    file: Arc<Mutex<GrowingFile>>,
    len: u64,
}

impl GrowingSource {
    fn new(bytes: &[u8], steps: &[FileStep], (reads_left, burst): (usize, usize)) -> Self {
        let file = GrowingFile {
            bytes: bytes.to_vec(),
            steps: steps.iter().cloned().collect(),
            reads_left,
            burst,
        };
        Self {
            name: "growing.nc".into(),
            file: Arc::new(Mutex::new(file)),
            len: bytes.len() as u64,
        }
    }
}

impl Source for GrowingSource {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.len
    }

    /// Reads the two halves of a range. The writer takes its steps between them.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let mut file = self.file.lock().unwrap();
        let (start, half) = (offset as usize, buf.len() / 2);
        for part in [0..half, half..buf.len()] {
            let place = start + part.start..start + part.end;
            let want = buf.len() as u64;
            let bytes = file.bytes.get(place);
            let bytes = bytes.ok_or_else(|| truncated(&self.name, offset, want, 0))?;
            buf[part.clone()].copy_from_slice(bytes);
            if part.start == 0 && file.reads_left == 0 {
                let burst = file.burst;
                file.take_steps(burst);
            }
        }
        file.reads_left = file.reads_left.checked_sub(1).unwrap_or(usize::MAX);
        Ok(())
    }

    fn second_look(&self) -> Result<Option<Arc<dyn Source>>> {
        let len = self.file.lock().unwrap().bytes.len() as u64;
        Ok(Some(Arc::new(Self {
            name: Arc::clone(&self.name),
            file: Arc::clone(&self.file),
            len,
        })))
    }
}

fn open(source: GrowingSource) -> Result<Box<dyn Reader>> {
    crate::format::open(Container::Source(Arc::new(source)), &Env::default())
}

fn read(reader: &dyn Reader, var: VarId, region: Option<Region>) -> Result<Vec<f64>> {
    let env = Env::default();
    let shape = reader.schema().shape(var);
    let region = region.unwrap_or_else(|| Region::whole(&shape));
    match Dataset::new(reader, &env).read(var, &region)? {
        Values::Double(values) => Ok(values),
        other => panic!("{other:?}"),
    }
}

/// The numbers of records of the commits before and after opening.
type Commits = (&'static [u64], &'static [u64]);

/// A file with `start` records, and the steps of commits with more records.
struct Growth {
    chunk: u64,
    before: Vec<u8>,
    start: u64,
    steps: Vec<FileStep>,
    /// The numbers of records of all commits.
    lens: BTreeSet<u64>,
}

impl Growth {
    fn new(schema: Schema, chunk: u64, (before, after): Commits) -> Self {
        let raw = RecordedFile::new(&made(schema));
        let mut update = opened(&raw);
        let mut commit = |len| {
            append(&mut *update, chunk, len);
            update.commit(FillMode::Fill).unwrap();
        };
        before.iter().copied().for_each(&mut commit);
        let start = raw.bytes();
        raw.take_steps();
        after.iter().copied().for_each(&mut commit);
        let first = *before.last().unwrap();
        Self {
            chunk,
            before: start,
            start: first,
            steps: raw.take_steps(),
            lens: after.iter().copied().chain([first]).collect(),
        }
    }

    /// Reads all variables while the writer takes `burst` steps during a read. Returns the number of reads that saw a change.
    fn read_beside(&self, reads_left: usize, burst: usize) -> usize {
        let at = format!("chunks of {}, read {reads_left}, {burst} steps", self.chunk);
        let source = GrowingSource::new(&self.before, &self.steps, (reads_left, burst));
        let reader = open(source).unwrap_or_else(|e| panic!("{at}: {e}"));
        let len = reader.schema().dims[0].len;
        assert!(self.lens.contains(&len), "{at}: {len}");
        let mut changed = 0;
        for (var, want) in [
            (TIME, values(TIME, 0..len)),
            (T, values(T, 0..len)),
            (FIXED, vec![7.0, 8.0, 9.0]),
        ] {
            match read(&*reader, var, None) {
                Ok(found) => assert!(found == want, "{at}: {var:?} {found:?}"),
                Err(e) if e.kind() == ErrorKind::Changed => changed += 1,
                Err(e) => panic!("{at}: {e}"),
            }
        }
        changed
    }
}

/// Some commits each: the last chunk fills in its slots, leaves them, and the next chunk uses them; trees get new nodes. The indexes of the
/// last two files are too large to be in memory after opening.
#[test]
fn readers_beside_a_writer_see_one_state_or_a_change() {
    let all: [(Schema, u64, bool, Commits); 6] = [
        (schema(1), 1, false, (&[0, 62], &[63, 64, 66])),
        (schema(4), 4, false, (&[2, 3], &[4, 5, 6])),
        (deflated(16), 16, true, (&[2, 3], &[4, 5, 6])),
        (deflated(16), 16, true, (&[13, 14], &[15, 17, 18, 19])),
        (schema(1), 1, true, (&[1900, 1980], &[1981, 1984, 1985])),
        (deflated(1), 1, true, (&[1900, 1980], &[1981, 1984, 1985])),
    ];
    for (schema, chunk, changes, lens) in all {
        let growth = Growth::new(schema, chunk, lens);
        let (mut changed, mut whole) = (0, 0);
        let every = if growth.start > 1000 { 7 } else { 1 };
        for burst in (1..=growth.steps.len()).step_by(every) {
            for reads_left in 0..16 {
                match growth.read_beside(reads_left, burst) {
                    0 => whole += 1,
                    _ => changed += 1,
                }
            }
        }
        let seen = format!("chunks of {chunk}: {changed} changed, {whole} whole");
        assert!((changed > 0) == changes && whole > 0, "{seen}");
    }
}

/// Full chunks with known locations stay readable after any number of commits.
#[test]
fn full_chunks_stay_readable() {
    let growth = Growth::new(
        deflated(4),
        4,
        (&[17, 18], &[19, 20, 21, 22, 23, 24, 25, 39]),
    );
    let source = GrowingSource::new(&growth.before, &growth.steps, (usize::MAX, 0));
    let file = Arc::clone(&source.file);
    let reader = open(source).unwrap();
    let len = growth.start;
    assert_eq!(read(&*reader, T, None).unwrap(), values(T, 0..len));
    file.lock().unwrap().take_steps(usize::MAX);
    let full = |count| {
        let (start, count) = (vec![0, 0], vec![count, 3]);
        let stride = vec![1, 1];
        Some(Region {
            start,
            count,
            stride,
        })
    };
    assert_eq!(read(&*reader, T, full(16)).unwrap(), values(T, 0..16));
    let partial = read(&*reader, T, full(17)).unwrap_err();
    assert_eq!(partial.kind(), ErrorKind::Changed);
    let unread = read(&*reader, TIME, None).unwrap_err();
    assert_eq!(unread.kind(), ErrorKind::Changed);
}

/// A chunk in a slot that is full because the dimension grew: no later chunk gets its slots.
#[test]
fn full_chunks_in_slots_are_not_overwritten() {
    let raw = RecordedFile::new(&made(deflated(16)));
    let mut update = opened(&raw);
    append(&mut *update, 16, 3);
    update.commit(FillMode::Fill).unwrap();
    assert_eq!(update.set_len(DimId(0), 16).unwrap(), Placement::InPlace);
    update.commit(FillMode::Fill).unwrap();
    let before = raw.bytes();
    raw.take_steps();
    // The chunk leaves its slot, and the next chunk begins.
    let layout = update.reader().layout(TIME).unwrap();
    let target = (update.reader().schema(), update.rules(TIME));
    let encoder = ChunkEncoder::of(target, &Env::default(), TIME, &layout).unwrap();
    let mut bytes = vec![];
    let full = Values::Double(values(TIME, 0..16));
    elements::encode(&full, Endianness::Little, &mut bytes).unwrap();
    let stored = encoder.encode(&Region::whole(&layout.chunk), bytes);
    let stored = stored.unwrap();
    let placed = update.put_chunk(TIME, 0, stored.mask, &stored.bytes);
    assert_eq!(placed.unwrap(), Placement::InPlace);
    update.commit(FillMode::Fill).unwrap();
    for len in 17..22 {
        append(&mut *update, 16, len);
        update.commit(FillMode::Fill).unwrap();
    }
    let source = GrowingSource::new(&before, &raw.take_steps(), (usize::MAX, 0));
    let file = Arc::clone(&source.file);
    let reader = open(source).unwrap();
    let old = read(&*reader, TIME, None).unwrap();
    assert_eq!((old.len(), &old[..3]), (16, &values(TIME, 0..3)[..]));
    file.lock().unwrap().take_steps(usize::MAX);
    assert_eq!(read(&*reader, TIME, None).unwrap(), old);
}
