//! Compares chunk locations with libhdf5, in files made by testdata/hdf5/make_chunks.py.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::chunk::visit::ended;
use crate::error::{Error, ErrorKind};
use crate::format::hdf5::dataspace::Dataspace;
use crate::format::hdf5::message::{self, layout::DataLayout};
use crate::format::hdf5::object_header::ObjectHeader;
use crate::io::file::FileSource;
use crate::io::memory::MemorySource;
use crate::limits::Limits;

/// A dataset and its chunks by element offset, with size, mask and file offset.
struct Case {
    name: String,
    header: u64,
    chunks: Vec<(Vec<u64>, u64, u32, u64)>,
}

fn path(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5");
    root.join(name)
}

fn cases(name: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(path(name).with_extension("txt")).unwrap();
    let mut cases: Vec<Case> = vec![];
    for line in text.lines() {
        let words: Vec<_> = line.split(' ').collect();
        if words[0] == "dataset" {
            cases.push(Case {
                name: words[1].into(),
                header: words[2].parse().unwrap(),
                chunks: vec![],
            });
        } else {
            let offset = words[0].split(',').map(|n| n.parse().unwrap()).collect();
            let numbers = (words[1].parse().unwrap(), words[2].parse().unwrap());
            let place = words[3].parse().unwrap();
            let case = cases.last_mut().unwrap();
            case.chunks.push((offset, numbers.0, numbers.1, place));
        }
    }
    cases
}

fn open(name: &str) -> Hdf5File {
    let source = FileSource::open(&path(name).with_extension("h5")).unwrap();
    Hdf5File::open(Arc::new(source), &Limits::default()).unwrap()
}

/// Layout and dataspace of the dataset at an address.
fn dataset(file: &Hdf5File, header: u64) -> (DataLayout, Dataspace) {
    let header = ObjectHeader::read(file, header).unwrap();
    let body = |kind| header.body_of(file, kind).unwrap().unwrap();
    let layout = DataLayout::parse(&mut body(message::LAYOUT).fields(file)).unwrap();
    let space = Dataspace::parse(&mut body(message::DATASPACE).fields(file)).unwrap();
    (layout, space)
}

fn found(index: &OpenIndex, file: &Hdf5File, wanted: &Block) -> Vec<IndexedChunk> {
    let mut all = vec![];
    let mut visit = |found| {
        all.push(found);
        Ok(())
    };
    index.locate(file, wanted, &mut visit).unwrap();
    all
}

/// Test blocks of a grid: the whole grid, and parts in various positions.
fn blocks(grid: &[u64]) -> Vec<Block> {
    let whole = |n: u64| (0, n);
    let parts: [fn(u64) -> (u64, u64); 5] = [
        |n| (0, n.div_ceil(3)),
        |n| (n / 2, n),
        |n| (n / 2, n / 2 + 1),
        |n| (n / 3, n + 7),
        |n| (n.saturating_sub(1), n),
    ];
    let mut blocks = vec![];
    let mut push = |of: &dyn Fn(usize, u64) -> (u64, u64)| {
        let ranges = grid.iter().enumerate().map(|(d, &n)| of(d, n));
        let (start, count) = ranges.map(|(s, e)| (s, e - s)).unzip();
        blocks.push(Block { start, count });
    };
    push(&|_, n| whole(n));
    for part in parts {
        push(&|_, n| part(n));
        for dim in 0..grid.len() {
            push(&|d, n| if d == dim { part(n) } else { whole(n) });
        }
    }
    blocks
}

/// Compares all blocks of all datasets in a file. Returns the number of compared chunks.
fn compare(name: &str) -> usize {
    let file = open(name);
    let mut compared = 0;
    for case in cases(name) {
        let (DataLayout::Chunked(chunked), space) = dataset(&file, case.header) else {
            panic!("{name} {} is not chunked", case.name);
        };
        let extent = DatasetExtent {
            dims: &space.dims,
            max: &space.max,
        };
        let index = OpenIndex::open(&file, &chunked, &extent).unwrap();
        for wanted in blocks(index.grid()) {
            let known = case.chunks.iter().map(|(offset, size, mask, place)| {
                let at = offset.iter().zip(&chunked.dims).map(|(o, c)| o / c);
                let at: Vec<_> = at.collect();
                let number = at.iter().zip(index.grid()).fold(0, |n, (x, g)| n * g + x);
                let found = IndexedChunk {
                    index: number,
                    address: place - file.superblock().base,
                    size: *size,
                    mask: *mask,
                };
                (at, found)
            });
            let inside = |(at, _): &(Vec<u64>, _)| {
                let limits = wanted.start.iter().zip(&wanted.count);
                at.iter()
                    .zip(limits)
                    .all(|(x, (s, n))| (*s..s + n).contains(x))
            };
            let expected: Vec<_> = known.filter(inside).map(|(_, found)| found).collect();
            let got = found(&index, &file, &wanted);
            assert_eq!(got, expected, "{name} {} {wanted:?}", case.name);
            compared += got.len();
        }
    }
    compared
}

#[test]
fn b_trees_of_version_1() {
    assert!(compare("chunks_earliest") > 10_000);
}

#[test]
fn narrow_addresses_and_a_user_block() {
    assert!(compare("chunks_narrow") > 500);
}

#[test]
fn all_indexes() {
    assert!(compare("chunks_v110") > 10_000);
}

#[test]
fn all_indexes_with_wide_sizes() {
    assert!(compare("chunks_v200") > 10_000);
}

/// Read time is proportional to the stored chunks, not to the dataset's declared length.
#[test]
fn few_chunks_of_many() {
    let file = open("chunks_v110");
    let (mut refused, mut found_all) = (0, 0);
    for case in cases("chunks_v110") {
        let (DataLayout::Chunked(chunked), space) = dataset(&file, case.header) else {
            panic!("{} is not chunked", case.name);
        };
        let unlimited = space.max.iter().position(Option::is_none).unwrap_or(0);
        let mut dims = space.dims.clone();
        dims[unlimited] = 1 << 45;
        let extent = DatasetExtent {
            dims: &dims,
            max: &space.max,
        };
        let all = OpenIndex::open(&file, &chunked, &extent).and_then(|index| {
            let mut count = 0;
            let located = index.locate(&file, &index.grid.all(), &mut |_| {
                count += 1;
                Ok(())
            });
            ended(located)?;
            Ok(count)
        });
        match all {
            Ok(count) => {
                assert_eq!(count, case.chunks.len(), "{}", case.name);
                found_all += 1;
            }
            Err(e) => {
                let damaged = [ErrorKind::Corrupt, ErrorKind::Truncated, ErrorKind::Limit];
                assert!(damaged.contains(&e.kind()), "{}: {e}", case.name);
                assert!(space.max[unlimited].is_some(), "{}: {e}", case.name);
                refused += 1;
            }
        }
    }
    assert!(refused > 5 && found_all > 10, "{refused} {found_all}");
}

/// Looks up the chunks of all datasets in a damaged file. Errors are allowed.
fn read_damaged(data: Vec<u8>, cases: &[Case]) -> (usize, usize) {
    let failed = read_all(data, cases).len();
    (cases.len().saturating_sub(failed), failed)
}

/// Looks up chunks of all datasets. Returns the errors.
fn read_all(data: Vec<u8>, cases: &[Case]) -> Vec<Error> {
    let source = MemorySource::new("damaged", data);
    let file = match Hdf5File::open(Arc::new(source), &Limits::default()) {
        Ok(file) => file,
        Err(e) => return vec![e],
    };
    let mut errors = vec![];
    for case in cases {
        let all = || {
            let header = ObjectHeader::read(&file, case.header)?;
            let none = || Error::new(ErrorKind::NotFound, "no message");
            let body = |kind| header.body_of(&file, kind)?.ok_or_else(none);
            let layout = DataLayout::parse(&mut body(message::LAYOUT)?.fields(&file))?;
            let space = Dataspace::parse(&mut body(message::DATASPACE)?.fields(&file))?;
            let DataLayout::Chunked(chunked) = layout else {
                return Err(none());
            };
            let extent = DatasetExtent {
                dims: &space.dims,
                max: &space.max,
            };
            let index = OpenIndex::open(&file, &chunked, &extent)?;
            // A damaged grid may be too large to visit completely.
            let wanted = Block {
                start: vec![0; index.grid().len()],
                count: index.grid().iter().map(|&n| n.min(40)).collect(),
            };
            ended(index.locate(&file, &wanted, &mut |_| Ok(())))
        };
        errors.extend(all().err());
    }
    errors
}

#[test]
fn damaged_b_trees_of_version_1() {
    let data = std::fs::read(path("chunks_narrow.h5")).unwrap();
    let cases = cases("chunks_narrow");
    let mut counts = (0, 0);
    for at in (512..data.len()).step_by(11) {
        let mut damaged = data.clone();
        damaged[at] ^= 0x81;
        let (fine, failed) = read_damaged(damaged, &cases);
        counts = (counts.0 + fine, counts.1 + failed);
    }
    assert!(counts.0 > 100 && counts.1 > 10, "{counts:?}");
}

/// Damages each byte of all index headers, with corrected checksums.
#[test]
fn damaged_heads() {
    let data = std::fs::read(path("chunks_v110.h5")).unwrap();
    let cases = cases("chunks_v110");
    let heads: [(&[u8], usize); 3] = [(b"FAHD", 28), (b"EAHD", 72), (b"BTHD", 38)];
    let mut failed = 0;
    for (signature, len) in heads {
        let places = data.windows(4).enumerate().filter(|(_, w)| *w == signature);
        for (start, _) in places {
            for byte in (4..len - 4).flat_map(|n| [(n, 0xff), (n, 0x01), (n, 0x80)]) {
                let mut damaged = data[..].to_vec();
                let head = &mut damaged[start..start + len];
                head[byte.0] ^= byte.1;
                let sum = crate::bytes::sums::lookup3(&head[..len - 4]);
                head[len - 4..].copy_from_slice(&sum.to_le_bytes());
                let address = start as u64;
                let own: Vec<_> = owners(&cases, &data, address);
                failed += read_damaged(damaged, &own).1;
            }
        }
    }
    assert!(failed > 100, "{failed}");
}

/// Damages one byte of each index structure. The checksum detects each damage.
#[test]
fn checksums_are_verified() {
    let data = std::fs::read(path("chunks_v110.h5")).unwrap();
    let cases = cases("chunks_v110");
    for signature in [
        b"FAHD", b"FADB", b"EAHD", b"EAIB", b"EASB", b"EADB", b"BTHD", b"BTIN", b"BTLF",
    ] {
        let places = data.windows(4).enumerate();
        let places = places.filter(|(_, w)| w == signature).map(|(at, _)| at);
        let found = places.filter(|&at| {
            let mut damaged = data.clone();
            damaged[at + 8] ^= 0x10;
            let errors = read_all(damaged, &cases);
            errors.iter().any(|e| e.kind() == ErrorKind::Checksum)
        });
        let found = found.count();
        assert!(found > 0, "{}", signature.escape_ascii());
    }
}

/// The datasets with an address in their header.
fn owners(cases: &[Case], data: &[u8], address: u64) -> Vec<Case> {
    let bytes = address.to_le_bytes();
    let has = |case: &&Case| {
        let start = usize::try_from(case.header).unwrap();
        let header = &data[start..(start + 400).min(data.len())];
        header.windows(8).any(|w| w == bytes)
    };
    let owned = cases.iter().filter(has);
    let copy = |case: &Case| Case {
        name: case.name.clone(),
        header: case.header,
        chunks: vec![],
    };
    owned.map(copy).collect()
}
