//! Files with the journal of an unfinished change.

use std::io::{Error as IoError, ErrorKind as IoErrorKind, Result as IoResult};
use std::sync::{Arc, Mutex, MutexGuard};

use netcdf_core::chunk::Dataset;
use netcdf_core::error::ErrorKind;
use netcdf_core::format;
use netcdf_core::io::Container;
use netcdf_core::io::patched::{PatchedFile, RecoveredState, recover};
use netcdf_core::io::raw_file::{RawFile, RawStamp};
use netcdf_core::model::Region;
use netcdf_core::notes::Notes;

use crate::{Numbers, env, source};

/// Files before a change.
const BASES: [&[u8]; 4] = [
    include_bytes!("../../../testdata/classic/records-1.nc"),
    include_bytes!("../../../testdata/classic/names-5.nc"),
    include_bytes!("../../../testdata/hdf5/truth.h5"),
    include_bytes!("../../../testdata/hdf5/deflate_0.h5"),
];

const SECTOR: usize = 512;
/// The bytes of the numbers that describe a change.
const NUMBERS: usize = 128;

/// A file in memory that counts writes.
#[derive(Debug, Clone)]
struct MemoryFile {
    name: Arc<str>,
    state: Arc<Mutex<(Vec<u8>, usize)>>,
}

impl MemoryFile {
    fn new(bytes: &[u8]) -> Self {
        Self {
            name: "fuzz".into(),
            state: Arc::new(Mutex::new((bytes.to_vec(), 0))),
        }
    }

    fn state(&self) -> MutexGuard<'_, (Vec<u8>, usize)> {
        self.state.lock().expect("no thread panicked")
    }

    fn bytes(&self) -> Vec<u8> {
        self.state().0.clone()
    }

    fn writes(&self) -> usize {
        self.state().1
    }
}

impl RawFile for MemoryFile {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn stamp(&self) -> IoResult<RawStamp> {
        let len = self.state().0.len() as u64;
        Ok(RawStamp {
            len,
            modified: None,
        })
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        let start = usize::try_from(offset).map_err(IoError::other)?;
        let state = self.state();
        let end = start.checked_add(buf.len());
        let bytes = end.and_then(|end| state.0.get(start..end));
        buf.copy_from_slice(bytes.ok_or(IoError::from(IoErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> IoResult<()> {
        let start = usize::try_from(offset).map_err(IoError::other)?;
        let end = start + bytes.len();
        let mut state = self.state();
        // A rollback changes bytes of the file only.
        assert!(end <= state.0.len(), "a write beyond the end");
        state.0[start..end].copy_from_slice(bytes);
        state.1 += 1;
        Ok(())
    }

    fn set_len(&self, len: u64) -> IoResult<()> {
        let mut state = self.state();
        assert!(len <= state.0.len() as u64, "a file that grows");
        state
            .0
            .truncate(usize::try_from(len).map_err(IoError::other)?);
        state.1 += 1;
        Ok(())
    }

    fn sync(&self) -> IoResult<()> {
        Ok(())
    }

    fn stamp_at_path(&self) -> Option<RawStamp> {
        self.stamp().ok()
    }

    fn share_lock(&self) {}
}

/// A range of the file with its old and new bytes.
struct Range {
    offset: usize,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// The numbers in a trailer.
struct Trailer {
    signature: u8,
    count: u32,
    at: u64,
    journal_len: u64,
    old_len: u64,
    new_len: u64,
}

impl Trailer {
    /// Returns the bytes, with a checksum that these builds do not verify.
    fn bytes(&self) -> Vec<u8> {
        let mut out = b"NCUPDATE\x01".to_vec();
        out.extend([self.signature, 0, 0]);
        out.extend(self.count.to_le_bytes());
        for number in [self.at, self.journal_len, self.old_len, self.new_len] {
            out.extend(number.to_le_bytes());
        }
        out.extend([0; 16]);
        out
    }
}

/// A file with a journal: of a valid change at any moment, or with any ranges and numbers.
pub fn journal(input: &[u8]) {
    let Some((head, rest)) = input.split_at_checked(NUMBERS) else {
        return;
    };
    let mut numbers = Numbers(head);
    let kind = numbers.u8();
    let base = BASES[usize::from(kind >> 1) % BASES.len()];
    match kind & 1 {
        0 => valid(base, &mut numbers, rest),
        _ => hostile(base, &mut numbers, rest),
    }
}

/// Returns all values that can be read, or the kind of the error.
fn seen(bytes: &[u8]) -> Result<Vec<String>, ErrorKind> {
    let env = env();
    let opened = format::open(Container::Source(source(bytes)), &env);
    let reader = opened.map_err(|e| e.kind())?;
    let dataset = Dataset::new(&*reader, &env);
    let schema = reader.schema();
    let mut all = vec![format!("{schema:?}")];
    for var in schema.var_ids().take(16) {
        let shape = schema.shape(var);
        if shape.iter().product::<u64>() < 1 << 12 {
            let values = dataset.read(var, &Region::whole(&shape));
            all.push(format!("{:?}", values.map_err(|e| e.kind())));
        }
    }
    let _ = env.notes.take();
    Ok(all)
}

/// Opens a file for writing. Returns the bytes after that, or the error. An error changes no byte.
fn opened_for_writing(bytes: &[u8]) -> Result<Vec<u8>, ErrorKind> {
    let file = MemoryFile::new(bytes);
    match PatchedFile::open(Box::new(file.clone()), &Notes::default()) {
        Ok(patched) => {
            drop(patched);
            Ok(file.bytes())
        }
        Err(e) => {
            assert!(file.writes() == 0, "{e}");
            Err(e.kind())
        }
    }
}

/// Ends a change. Returns the bytes after that, or the error. An error changes no byte.
fn recovered(bytes: &[u8], state: RecoveredState) -> Result<Vec<u8>, ErrorKind> {
    let file = MemoryFile::new(bytes);
    match recover(Box::new(file.clone()), state) {
        Ok(()) => Ok(file.bytes()),
        Err(e) => {
            assert!(file.writes() == 0, "{e}");
            Err(e.kind())
        }
    }
}

/// Returns sorted, disjoint ranges of a file, and one with the signature.
fn ranges(base: &[u8], numbers: &mut Numbers<'_>, mut rest: &[u8]) -> Vec<Range> {
    let mut found = vec![];
    let mut end = 0;
    for _ in 0..numbers.u8() % 8 {
        let start = end + usize::try_from(numbers.u16()).unwrap_or(0) % (SECTOR + 1);
        let len = 1 + usize::try_from(numbers.u16()).unwrap_or(0) % 700;
        let Some(old) = base.get(start..start + len) else {
            break;
        };
        let new: Vec<u8> = old
            .iter()
            .enumerate()
            .map(|(n, byte)| byte ^ rest.get(n % rest.len().max(1)).unwrap_or(&1))
            .collect();
        rest = rest.get(len..).unwrap_or_default();
        found.push(Range {
            offset: start,
            old: old.to_vec(),
            new,
        });
        end = start + len;
    }
    match found.first_mut() {
        Some(first) if first.offset == 0 => first.new[0] = first.old[0],
        _ => found.insert(
            0,
            Range {
                offset: 0,
                old: vec![base[0]],
                new: vec![base[0]],
            },
        ),
    }
    found
}

/// Appends the journal of a change, with the first byte of the signature inverted.
fn append_journal(file: &mut Vec<u8>, base: &[u8], ranges: &[Range]) {
    let new_len = file.len();
    for range in ranges {
        file.extend((range.offset as u64).to_le_bytes());
        file.extend((range.old.len() as u64).to_le_bytes());
        for bytes in [&range.old, &range.new] {
            let at = file.len();
            file.extend_from_slice(bytes);
            if range.offset == 0 {
                file[at] = !file[at];
            }
        }
    }
    let trailer = Trailer {
        signature: base[0],
        count: u32::try_from(ranges.len()).unwrap_or(0),
        at: 0,
        journal_len: (file.len() - new_len + 64) as u64,
        old_len: base.len() as u64,
        new_len: new_len as u64,
    };
    file.extend(trailer.bytes());
}

/// Whether new data or the journal has the signature of an HDF5 file where readers look for one.
fn has_superblock(file: &[u8], base: usize) -> bool {
    let places = (9..32).map(|n| 1 << n);
    let mut beyond = places.filter(|place: &usize| *place + 8 > base);
    beyond.any(|place| {
        file.get(place..)
            .is_some_and(|rest| rest.starts_with(b"\x89HDF\r\n\x1a\n"))
    })
}

/// A valid change at a moment: the reader sees the old state until the last write, and the writer rolls back.
fn valid(base: &[u8], numbers: &mut Numbers<'_>, rest: &[u8]) {
    let stage = numbers.u8() % 4;
    let mask = numbers.u32();
    let ranges = ranges(base, numbers, rest);
    let appended = &rest[..rest.len().min(300)];
    let mut new = base.to_vec();
    for range in &ranges {
        new[range.offset..range.offset + range.new.len()].copy_from_slice(&range.new);
    }
    let old_state = [base, appended].concat();
    let new_state = [&new, appended].concat();
    let mut file = old_state.clone();
    if stage > 0 {
        file[0] = !base[0];
    }
    let sectors = base.len().div_ceil(SECTOR);
    for sector in 0..sectors {
        let place = sector * SECTOR..base.len().min((sector + 1) * SECTOR);
        let is_written = match stage {
            0 | 1 => false,
            2 => sector > 0 && mask >> (sector % 32) & 1 == 1,
            _ => true,
        };
        if is_written {
            file[place.clone()].copy_from_slice(&new[place]);
        }
    }
    append_journal(&mut file, base, &ranges);
    let unchanged = new == base;
    let after = opened_for_writing(&file);
    let want = if stage == 3 || (unchanged && stage == 0) {
        &new_state
    } else {
        base
    };
    assert!(
        after.is_ok_and(|after| after == want),
        "opened for writing, stage {stage}"
    );
    if stage < 3 && !unchanged {
        if !has_superblock(&file, base.len()) {
            assert_eq!(seen(&file), seen(base), "stage {stage}");
        }
        let old = recovered(&file, RecoveredState::Old);
        assert!(old.is_ok_and(|old| old == base), "the old state");
        let end = recovered(&file, RecoveredState::New);
        match stage {
            0 => assert_eq!(end, Err(ErrorKind::Argument)),
            _ => assert!(end.is_ok_and(|end| end == new_state), "the new state"),
        }
    }
    let _ = (seen(&file), recovered(&file, RecoveredState::Current));
}

/// Any ranges and numbers: an error changes no byte, and a file without a journal stays unchanged.
fn hostile(base: &[u8], numbers: &mut Numbers<'_>, rest: &[u8]) {
    let mut file = base.to_vec();
    let count = numbers.u32();
    let declared = numbers.u8() % 4;
    let body = match declared {
        // Ranges with any numbers and the bytes that follow.
        0 => {
            let mut body = vec![];
            let mut left = rest;
            for _ in 0..count % 6 {
                let len = numbers.u16() % 200;
                body.extend((numbers.u32() % 5000).to_le_bytes());
                body.extend((if numbers.u8() < 250 { len } else { u64::MAX }).to_le_bytes());
                let (taken, more) = left.split_at(left.len().min(2 * len as usize));
                body.extend_from_slice(taken);
                left = more;
            }
            body
        }
        _ => rest.to_vec(),
    };
    let mut number = |exact: u64| match numbers.u8() % 8 {
        0 => numbers.u16(),
        1 => numbers.u32(),
        2 => u64::MAX - numbers.u16(),
        _ => exact,
    };
    let len = base.len() as u64;
    let trailer = Trailer {
        journal_len: number(body.len() as u64 + 64),
        old_len: number(len),
        new_len: number(len),
        at: number(0),
        signature: u8::try_from(number(u64::from(base[0])) & 255).unwrap_or(0),
        count: u32::try_from(number(count % 6) & 0xffff_ffff).unwrap_or(0),
    };
    file.extend(body);
    file.extend(trailer.bytes());
    let _ = seen(&file);
    for state in [
        RecoveredState::Old,
        RecoveredState::New,
        RecoveredState::Current,
    ] {
        if let Ok(after) = recovered(&file, state) {
            let _ = seen(&after);
        }
    }
    let mut last = file;
    // A journal can end with the bytes of another one.
    while let Ok(after) = opened_for_writing(&last) {
        if after == last {
            break;
        }
        assert!(after.len() < last.len(), "the journal is gone");
        last = after;
    }
}
