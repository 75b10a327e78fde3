//! Compares virtual datasets with libhdf5, in files made by testdata/hdf5/make_virtual.py.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::format::hdf5::message::{self, layout::DataLayout};
use crate::format::hdf5::object_header::ObjectHeader;
use crate::io::file::FileSource;
use crate::limits::Limits;

/// Number and shape of the sources by file and path.
type Sources = BTreeMap<(String, String), (i64, Vec<u64>)>;

struct Case {
    name: String,
    header: u64,
    shape: Vec<u64>,
    values: Vec<i64>,
}

fn parse_all<T: std::str::FromStr>(words: &[&str]) -> Vec<T> {
    words.iter().map(|w| w.parse().ok().unwrap()).collect()
}

fn path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../testdata/hdf5")
        .join(name)
}

fn cases(name: &str) -> (Sources, Vec<Case>) {
    let text = std::fs::read_to_string(path(name).with_extension("txt")).unwrap();
    let (mut sources, mut cases) = (Sources::new(), vec![]);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let words: Vec<_> = line.split(' ').collect();
        if words[0] == "source" {
            let key = (words[1].into(), words[2].into());
            sources.insert(key, (words[3].parse().unwrap(), parse_all(&words[4..])));
            continue;
        }
        let values: Vec<_> = lines.next().unwrap().split(' ').collect();
        cases.push(Case {
            name: words[1].into(),
            header: words[2].parse().unwrap(),
            shape: parse_all(&words[3..]),
            values: parse_all(&values),
        });
    }
    (sources, cases)
}

/// Returns the heap object with the mappings of the dataset at an address.
fn heap_object(file: &Hdf5File, header: u64) -> Vec<u8> {
    let header = ObjectHeader::read(file, header).unwrap();
    let body = header.body_of(file, message::LAYOUT).unwrap().unwrap();
    let layout = DataLayout::parse(&mut body.fields(file)).unwrap();
    let DataLayout::Virtual {
        heap: Some(heap),
        index,
    } = layout
    else {
        panic!("not virtual: {layout:?}");
    };
    let heaps = crate::format::hdf5::global_heap::GlobalHeap::default();
    let collection = heaps.collection(file, heap).unwrap();
    collection.object(index).unwrap().to_vec()
}

fn source<'a>(sources: &'a Sources, mapping: &Mapping, number: u64) -> Option<&'a (i64, Vec<u64>)> {
    let (file, dataset) = mapping.names(number);
    let text = |bytes: Arc<[u8]>| String::from_utf8(bytes.to_vec()).unwrap();
    sources.get(&(text(file), text(dataset)))
}

/// Row-major numbers of a region's elements, in order.
fn numbers(region: &Region, shape: &[u64]) -> Vec<u64> {
    let mut all = vec![0];
    for (dim, &len) in shape.iter().enumerate() {
        let (start, count) = (region.start[dim], region.count[dim]);
        assert!(count > 0 && start + (count - 1) * region.stride[dim] < len);
        let along = |n: u64| (0..count).map(move |k| n * len + start + k * region.stride[dim]);
        all = all.into_iter().flat_map(along).collect();
    }
    all
}

/// The values of a box, assembled from the sources.
fn read(sources: &Sources, mappings: &[Mapping], shape: &[u64], wanted: &Region) -> Vec<i64> {
    let total: u64 = shape.iter().product();
    let mut values: Vec<i64> = vec![-1; usize::try_from(total).unwrap()];
    for mapping in mappings {
        let mut elements = mapping.elements(wanted);
        for number in mapping.sources(wanted) {
            let Some((base, dims)) = source(sources, mapping, number) else {
                continue;
            };
            let extents = MappingShapes {
                source: dims,
                target: shape,
            };
            let mut visit = |piece: MappedPiece| {
                let from = numbers(&piece.source, dims);
                let to = numbers(&piece.target, shape);
                assert_eq!(from.len(), to.len());
                elements -= to.len() as u64;
                for (f, t) in from.into_iter().zip(to) {
                    let t = usize::try_from(t).unwrap();
                    assert_eq!(values[t], -1, "mapped twice");
                    values[t] = 1000 * base + i64::try_from(f).unwrap();
                }
                Ok(())
            };
            mapping.pieces(number, extents, wanted, &mut visit).unwrap();
        }
    }
    values
}

/// The extent of the unlimited dimensions.
fn extent(sources: &Sources, mappings: &[Mapping], shape: &[u64]) -> Vec<u64> {
    let mut extent = shape.to_vec();
    for mapping in mappings {
        let there = (0..).take_while(|&n| source(sources, mapping, n).is_some());
        let reach = match mapping.counts() {
            true => mapping.reach(MappingSources::Sources(there.count() as u64)),
            false => {
                source(sources, mapping, 0).and_then(|s| mapping.reach(MappingSources::Shape(&s.1)))
            }
        };
        if let Some((dim, end)) = reach {
            extent[dim] = end;
        }
    }
    extent
}

fn compare(name: &str) {
    let source = FileSource::open(&path(name).with_extension("h5")).unwrap();
    let file = Hdf5File::open(Arc::new(source), &Limits::default()).unwrap();
    let (sources, cases) = cases(name);
    assert!(cases.len() > 10);
    for case in cases {
        let mappings = parse(&file, &heap_object(&file, case.header), None).unwrap();
        let reached = extent(&sources, &mappings, &case.shape);
        assert_eq!(reached, case.shape, "{}", case.name);
        let whole = Region::whole(&case.shape);
        let got = read(&sources, &mappings, &case.shape, &whole);
        assert_eq!(got, case.values, "{name} {}", case.name);
        let start: Vec<_> = case.shape.iter().map(|n| n / 3).collect();
        let count = case.shape.iter().map(|n| n.div_ceil(2)).collect();
        let part = Region::boxed(start, count);
        let got = read(&sources, &mappings, &case.shape, &part);
        let inside = numbers(&part, &case.shape);
        for (n, (got, value)) in got.iter().zip(&case.values).enumerate() {
            let wanted = inside.contains(&(n as u64));
            let expected = if wanted { *value } else { -1 };
            assert_eq!(*got, expected, "{name} {} element {n}", case.name);
        }
    }
}

#[test]
fn lists_of_blocks() {
    compare("virtual_earliest");
}

#[test]
fn selections_of_version_2() {
    compare("virtual_v110");
}

#[test]
fn selections_of_version_3() {
    compare("virtual_v112");
}

#[test]
fn mappings_of_version_1() {
    compare("virtual_v200");
}

#[test]
fn names_count() {
    let name: Arc<[u8]> = Arc::from(&b"a%b%%b%"[..]);
    assert_eq!(&*substitute(&name, 12), b"a12%b%");
}

#[test]
fn mappings_beyond_the_limits_are_refused() {
    let blocks = |last: u64| {
        Selection::Blocks(vec![crate::format::hdf5::selection::SelectedBlock {
            start: vec![0, 0],
            last: vec![last, 3],
        }])
    };
    let slab = crate::format::hdf5::selection::HyperslabDim {
        start: 0,
        stride: 4,
        count: None,
        block: Some(1),
    };
    let mapping = |name: &[u8], source, target| Mapping {
        file: Arc::from(&b"."[..]),
        dataset: name.into(),
        source,
        target,
    };
    let rows = |last| check(&mapping(b"x", blocks(last), blocks(9)), ROWS);
    assert_eq!(rows(ROWS - 11).unwrap(), 0);
    assert_eq!(rows(ROWS - 10).unwrap_err().kind(), ErrorKind::Limit);
    assert_eq!(rows(u64::MAX).unwrap_err().kind(), ErrorKind::Limit);
    let unlimited = |name| {
        check(
            &mapping(name, Selection::All, Selection::Regular(vec![slab])),
            0,
        )
    };
    assert_eq!(unlimited(b"x%b").unwrap(), 0);
    assert_eq!(unlimited(b"x%%b").unwrap_err().kind(), ErrorKind::Corrupt);
}

#[test]
fn elements_of_a_box() {
    let block = |start: [u64; 2], last: [u64; 2]| crate::format::hdf5::selection::SelectedBlock {
        start: start.to_vec(),
        last: last.to_vec(),
    };
    let mapping = |target| Mapping {
        file: Arc::from(&b""[..]),
        dataset: Arc::from(&b""[..]),
        source: Selection::All,
        target,
    };
    let wanted = Region::boxed(vec![1, 2], vec![4, 5]);
    let blocks = vec![
        block([0, 0], [2, 3]),
        block([7, 7], [9, 9]),
        block([4, 4], [4, 9]),
    ];
    assert_eq!(mapping(Selection::Blocks(blocks)).elements(&wanted), 4 + 3);
    assert_eq!(mapping(Selection::All).elements(&wanted), 20);
    assert_eq!(mapping(Selection::None).elements(&wanted), 0);
}

/// A name of a million bytes in a thousand mappings is stored in memory once.
#[test]
fn names_in_common_are_shared() {
    let all = [3u32, 1, 0, 0].map(u32::to_le_bytes).concat().repeat(2);
    let mut data = vec![1];
    data.extend(1000u64.to_le_bytes());
    data.push(0);
    data.extend(vec![b'f'; 1_000_000]);
    data.extend(b"\0d%%\0");
    data.extend(&all);
    for before in 0..999u64 {
        data.push(FILE_SHARED | DATASET_SHARED);
        data.extend(before.to_le_bytes());
        data.extend(0u64.to_le_bytes());
        data.extend(&all);
    }
    data.extend(crate::bytes::sums::lookup3(&data).to_le_bytes());
    let source = FileSource::open(&path("virtual_v200.h5")).unwrap();
    let file = Hdf5File::open(Arc::new(source), &Limits::default()).unwrap();
    let mappings = parse(&file, &data, None).unwrap();
    assert_eq!(mappings.len(), 1000);
    let first = &mappings[0];
    for mapping in &mappings {
        assert!(Arc::ptr_eq(&mapping.file, &first.file));
        assert!(Arc::ptr_eq(&mapping.dataset, &first.dataset));
        let (file, dataset) = mapping.names(7);
        assert!(Arc::ptr_eq(&file, &first.file));
        assert_eq!(&*dataset, b"d%");
    }
}

/// Damages each byte of the mappings, with corrected checksums. Reading must return.
#[test]
fn damaged_mappings() {
    let name = "virtual_v110";
    let source = FileSource::open(&path(name).with_extension("h5")).unwrap();
    let file = Hdf5File::open(Arc::new(source), &Limits::default()).unwrap();
    let (mut fine, mut failed) = (0, 0);
    for case in cases(name).1 {
        let data = heap_object(&file, case.header);
        for byte in (0..data.len() - 4).flat_map(|n| [(n, 0xff), (n, 0x01), (n, 0x80)]) {
            let mut damaged = data.clone();
            damaged[byte.0] ^= byte.1;
            let end = damaged.len() - 4;
            let sum = crate::bytes::sums::lookup3(&damaged[..end]);
            damaged[end..].copy_from_slice(&sum.to_le_bytes());
            match read_damaged(&file, &damaged, &case.shape) {
                Ok(()) => fine += 1,
                Err(_) => failed += 1,
            }
        }
    }
    assert!(fine > 100 && failed > 100, "{fine} {failed}");
}

fn read_damaged(file: &Hdf5File, data: &[u8], shape: &[u64]) -> Result<()> {
    let wanted = Region::whole(shape);
    for mapping in parse(file, data, None)? {
        for number in mapping.sources(&wanted).take(3) {
            for source in [&[4, 5][..], &[30], &[2, 3, 4]] {
                let extents = MappingShapes {
                    source,
                    target: shape,
                };
                mapping.pieces(number, extents, &wanted, &mut |piece| {
                    numbers(&piece.source, source);
                    numbers(&piece.target, shape);
                    Ok(())
                })?;
                let _ = mapping.reach(MappingSources::Shape(source));
            }
        }
    }
    Ok(())
}
