//! Creates damaged copies of a file, reads all data, and checks the results.

use std::sync::Arc;
use std::time::{Duration, Instant};

use netcdf_core::bytes::sums::lookup3;
use netcdf_core::chunk::Dataset;
use netcdf_core::env::{Damage, Env};
use netcdf_core::io::memory::MemorySource;
use netcdf_core::io::{Container, Source};
use netcdf_core::model::{Region, Values};
use netcdf_core::runtime::Runtime;
use netcdf_core::{Error, ErrorKind, Result, format};

/// Approximate maximum bytes that [`read_starts`] reads per variable.
const START: u64 = 1 << 12;
/// A time limit far above the time for a small file.
pub const LONG: Duration = Duration::from_secs(20);

/// All values of a dataset, per variable; each variable succeeds or fails on its own.
pub type Data = Vec<Result<Values>>;

/// Returns a file's bytes as a container.
#[must_use]
pub fn container(bytes: &[u8]) -> Container {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new("file.nc", bytes.to_vec()));
    Container::Source(source)
}

/// Opens a file and reads all data of all variables.
///
/// # Errors
/// Returns errors of opening the file.
pub fn read_all(bytes: &[u8], env: &Env) -> Result<Data> {
    let reader = format::open(container(bytes), env)?;
    let dataset = Dataset::new(&*reader, env);
    let schema = reader.schema();
    let read = |var| dataset.read(var, &Region::whole(&schema.shape(var)));
    Ok(schema.var_ids().map(read).collect())
}

/// Opens a file and reads the start of all variables: in a damaged file, shapes may be anything.
///
/// # Errors
/// Returns errors of opening the file.
pub fn read_starts(bytes: &[u8]) -> Result<Data> {
    let env = env();
    let reader = format::open(container(bytes), &env)?;
    let dataset = Dataset::new(&*reader, &env);
    let schema = reader.schema();
    let read = |var| {
        let size = dataset.layout(var)?.element.size;
        let most = (START / size.max(1)).max(1);
        dataset.read(var, &start(&schema.shape(var), most))
    };
    Ok(schema.var_ids().map(read).collect())
}

/// Returns the first elements of a shape, about `most` at most.
fn start(shape: &[u64], most: u64) -> Region {
    let mut left = most;
    let mut count: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&len| {
            let n = len.min(left.max(1));
            left /= len.max(1);
            n
        })
        .collect();
    count.reverse();
    Region::boxed(vec![0; shape.len()], count)
}

/// Returns the environment for reading damaged files.
fn env() -> Env {
    Env {
        runtime: Runtime::single(),
        ..Env::default()
    }
}

/// Checks that a damaged file opens and the start of its variables is readable, or that errors name the damaged location. Also checks the
/// time.
pub fn check_starts(file: &[u8], of: &str) {
    let start = Instant::now();
    match read_starts(file) {
        Ok(data) => data
            .iter()
            .filter_map(|values| values.as_ref().err())
            .for_each(|e| check_error(e, of)),
        Err(e) => {
            check_error(&e, of);
            check_tolerated(file, of);
        }
    }
    assert!(start.elapsed() < LONG, "{of}: {:?}", start.elapsed());
}

/// If opening fails, tolerating damage may help, but never silently.
fn check_tolerated(file: &[u8], of: &str) {
    let mut env = env();
    env.damage = Damage::tolerated();
    match format::open(container(file), &env) {
        Ok(_) => assert!(!env.damage.take().is_empty(), "{of}: damage got lost"),
        Err(e) => check_error(&e, of),
    }
}

/// Checks that an error about a damaged file is allowed, and names the damaged location.
pub fn check_error(e: &Error, of: &str) {
    let kinds = [ErrorKind::Io, ErrorKind::Argument, ErrorKind::Internal];
    assert!(!kinds.contains(&e.kind()), "{of}: {e}");
    let placed = e.resource().is_some() || e.object().is_some();
    assert!(placed, "{of}: no location in: {e}");
}

/// Returns the ranges of all HDF5 structures with a checksum, without the checksum at their end.
#[must_use]
pub fn summed(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    const SIGNATURES: [&[u8; 4]; 18] = [
        b"\x89HDF", b"OHDR", b"OCHK", b"FRHP", b"FHDB", b"FHIB", b"BTHD", b"BTLF", b"BTIN",
        b"FAHD", b"FADB", b"EAHD", b"EAIB", b"EASB", b"EADB", b"SMTB", b"SMLI", b"MDCI",
    ];
    let starts = (0..bytes.len().saturating_sub(4))
        .filter(|&at| SIGNATURES.iter().any(|s| bytes[at..].starts_with(*s)));
    let end = |start: usize| {
        let ends = start + 5..bytes.len() - 3;
        let mut fits = ends.take(2048).filter(|&end| {
            let stored = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four"));
            lookup3(&bytes[start..end]) == stored
        });
        fits.next().map(|end| start..end)
    };
    starts.filter_map(end).collect()
}

/// Corrects the checksums of these structures, which are sorted by start. Nested structures are corrected first.
pub fn sum_again(bytes: &mut [u8], structures: &[std::ops::Range<usize>]) {
    for range in structures.iter().rev() {
        let sum = lookup3(&bytes[range.clone()]).to_le_bytes();
        bytes[range.end..range.end + 4].copy_from_slice(&sum);
    }
}

/// Returns the file truncated at every length, from 0 to all but the last byte.
pub fn cuts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    (0..bytes.len()).map(|n| &bytes[..n])
}

/// Replacement bytes at an offset of a file.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// The offset of the first byte.
    pub at: usize,
    bytes: [u8; 4],
    len: usize,
}

impl Change {
    /// Returns the changed file.
    #[must_use]
    pub fn of(&self, file: &[u8]) -> Vec<u8> {
        let mut copy = file.to_vec();
        copy[self.at..self.at + self.len].copy_from_slice(&self.bytes[..self.len]);
        copy
    }
}

/// Returns changes of one byte: each byte in several ways (flipped bits, extremes, small numbers).
pub fn flips(bytes: &[u8]) -> impl Iterator<Item = Change> {
    const WAYS: [fn(u8) -> u8; 6] = [
        |b| !b,
        |b| b ^ 1,
        |b| b ^ 0x80,
        |_| 0,
        |_| 0x7f,
        |b| b.wrapping_add(1),
    ];
    let places = (0..bytes.len()).flat_map(|at| WAYS.map(|way| (at, way)));
    places.filter_map(|(at, way)| {
        let new = way(bytes[at]);
        (new != bytes[at]).then_some(Change {
            at,
            bytes: [new, 0, 0, 0],
            len: 1,
        })
    })
}

/// Returns changes of four adjacent bytes, aligned like numbers, to all ones, to 2^31, or to almost 2^31.
pub fn extremes(bytes: &[u8]) -> impl Iterator<Item = Change> {
    let words =
        (0..bytes.len() / 4).flat_map(|n| [u32::MAX, 1 << 31, 0x7fff_fffe].map(|w| (n * 4, w)));
    words.map(|(at, word): (usize, u32)| Change {
        at,
        bytes: word.to_be_bytes(),
        len: 4,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_complete() {
        let file = [1, 2, 3, 4, 5];
        assert_eq!(cuts(&file).count(), 5);
        let mut flipped = flips(&file).map(|f| f.of(&file));
        assert!(flipped.all(|f| f.len() == 5 && f != file));
        assert!(flips(&file).any(|f| f.of(&file) == [1, 2, 3, 4, 0]));
        let extreme = extremes(&file).next().unwrap();
        assert_eq!(extreme.of(&file), [255, 255, 255, 255, 5]);
    }
}
