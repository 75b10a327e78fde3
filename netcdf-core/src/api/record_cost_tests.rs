//! The cost of records that are appended in place: syncs, written bytes, and the size of the file.

use std::sync::Arc;

use super::location::DatasetLocation;
use super::mode::DatasetMode;
use super::original::Original;
use super::*;
use crate::env::Env;
use crate::format;
use crate::io::locator::OutputRequest;
use crate::io::memory::MemoryTarget;
use crate::io::patched::PatchedFile;
use crate::io::patched::recorded_file::{FileStep, RecordedFile};
use crate::model::{Atomic, GroupId, Kind, StorageLayout, VarId};
use crate::notes::Notes;

const ROOT: GroupId = GroupId::ROOT;
const WIDTH: u64 = 300;
/// Bytes of a record of both variables.
const RECORD: u64 = 8 + 8 * WIDTH;
/// Bytes for each sync and variable, apart from the data.
const METADATA: u64 = 8 << 10;

/// A file with records of the variables `time` and `t`.
#[derive(Debug, Clone, Copy)]
struct Case {
    kind: Kind,
    deflated: bool,
    /// The chunk lengths of `time` and `t` in records.
    chunks: [u64; 2],
}

impl Case {
    fn all() -> Vec<Self> {
        let case = |kind, deflated, chunks| Self {
            kind,
            deflated,
            chunks,
        };
        vec![
            case(Kind::CLASSIC, false, [1, 1]),
            case(Kind::OFFSET64, false, [1, 1]),
            case(Kind::CDF5, false, [1, 1]),
            case(Kind::NETCDF4, false, [512, 1]),
            case(Kind::NETCDF4, true, [512, 1]),
            case(Kind::NETCDF4, true, [512, 20]),
        ]
    }

    fn is_classic(self) -> bool {
        self.kind != Kind::NETCDF4
    }

    /// Returns the file with `count` records, written at once.
    fn file(self, count: u64) -> Vec<u8> {
        let (target, out) = MemoryTarget::new("records.nc");
        let mut data = Dataset::create_in(Box::new(target), self.kind, Options::default()).unwrap();
        let time = data.define_dim(ROOT, "time", Length::Unlimited).unwrap();
        let x = data.define_dim(ROOT, "x", WIDTH.into()).unwrap();
        for (name, dims, chunk) in [
            ("time", vec![time], vec![self.chunks[0]]),
            ("t", vec![time, x], vec![self.chunks[1], WIDTH]),
        ] {
            let var = data.define_var(ROOT, name, Atomic::Double, &dims).unwrap();
            if !self.is_classic() {
                let chunks = StorageLayout::Chunked(chunk);
                data.define_chunking(var, chunks).unwrap();
            }
            if self.deflated {
                data.define_deflate(var, true, Some(1)).unwrap();
            }
        }
        data.end_definition().unwrap();
        append(&mut data, 0..count);
        data.close().unwrap();
        out.lock().unwrap().take().unwrap()
    }

    fn open(self, raw: &RecordedFile) -> Dataset {
        let env = Env::default();
        let file = PatchedFile::open(Box::new(raw.clone()), &Notes::default()).unwrap();
        let update = format::update(&Arc::new(file), &env).unwrap().unwrap();
        let asked = OutputRequest {
            kind: Some(self.kind),
            ..OutputRequest::default()
        };
        let location = DatasetLocation::new("records.nc".as_ref(), asked).unwrap();
        let options = Options {
            in_place: InPlace::Always,
            ..Options::default()
        };
        let mut data = Dataset::opened(location, Original::Updated(update), options);
        data.mode = DatasetMode::Data;
        data
    }
}

fn append(data: &mut Dataset, records: std::ops::Range<u64>) {
    for n in records {
        data.write_one(VarId(0), &[n], n as f64).unwrap();
        let values: Vec<f64> = (0..WIDTH).map(|x| (n + x * x) as f64).collect();
        let record = Select::region(&[n, 0], &[1, WIDTH]);
        data.write(VarId(1), &record, &values).unwrap();
    }
}

fn written(steps: &[FileStep]) -> u64 {
    let bytes = steps.iter().map(|step| match step {
        FileStep::Write(_, bytes) => bytes.len() as u64,
        FileStep::SetLen(_) | FileStep::Sync | FileStep::FailedSync => 0,
    });
    bytes.sum()
}

#[test]
fn a_sync_writes_little_more_than_its_record() {
    for case in Case::all() {
        let raw = RecordedFile::new(&case.file(0));
        let mut data = case.open(&raw);
        raw.take_steps();
        for n in 0..600 {
            append(&mut data, n..n + 1);
            data.sync().unwrap();
            let steps = raw.take_steps();
            let syncs = steps.iter().filter(|step| **step == FileStep::Sync).count();
            let most = if case.is_classic() { 2 } else { 4 };
            assert!(syncs <= most, "{case:?}: {syncs} syncs of record {n}");
            let partial = case.chunks.map(|len| if len > 1 { len } else { 0 });
            let chunks = partial[0] * 8 + partial[1] * 8 * WIDTH;
            let most = 2 * RECORD + 2 * METADATA + chunks;
            let bytes = written(&steps);
            assert!(bytes <= most, "{case:?}: {bytes} bytes of record {n}");
        }
    }
}

#[test]
fn files_that_grow_by_records_stay_small() {
    for case in Case::all() {
        let (one, many) = (
            RecordedFile::new(&case.file(0)),
            RecordedFile::new(&case.file(0)),
        );
        let mut data = case.open(&one);
        for n in 0..1000 {
            append(&mut data, n..n + 1);
            data.sync().unwrap();
            let mut data = case.open(&many);
            append(&mut data, n..n + 1);
            data.close().unwrap();
        }
        drop(data);
        let whole = case.file(1000).len() as f64;
        let chunks = 2 * 8 * (case.chunks[0] + case.chunks[1] * WIDTH);
        for raw in [one, many] {
            let len = raw.bytes().len() as f64;
            assert!(
                len <= 1.1 * whole + chunks as f64,
                "{case:?}: {len} bytes, at once {whole}"
            );
            let data = case.open(&raw);
            let times: Vec<f64> = data.read(VarId(0), &Select::all()).unwrap();
            assert!(times.into_iter().eq((0..1000).map(f64::from)), "{case:?}");
            let last: Vec<f64> = data.read(VarId(1), &Select::at(&[999, 299])).unwrap();
            assert_eq!(last, [999.0 + 299.0 * 299.0]);
        }
    }
}
