//! HDF4 files byte by byte.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::reader::Hdf4Reader;
use super::tags;
use crate::chunk::{Dataset, Reader as _};
use crate::env::{Damage, Env};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::memory::MemorySource;
use crate::model::{Region, StorageLayout, Values, VarId};

/// The bit of special elements.
const SPECIAL: u16 = 0x4000;
/// Reference number of the data element in [`with_data`].
const DATA: u16 = 9;

/// Elements of a test file: tag, reference number and bytes.
#[derive(Default, Clone)]
struct Parts(Vec<(u16, u16, Vec<u8>)>);

impl Parts {
    fn add(mut self, tag: u16, reference: u16, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.push((tag, reference, bytes.into()));
        self
    }

    /// The file bytes, with one descriptor block.
    fn file(&self) -> Vec<u8> {
        let mut file = super::dd::MAGIC.to_vec();
        file.extend((self.0.len() as u16).to_be_bytes());
        file.extend([0; 4]);
        let mut at = (file.len() + 12 * self.0.len()) as u32;
        for (tag, reference, bytes) in &self.0 {
            file.extend(u16s(&[*tag, *reference]));
            file.extend(u32s(&[at, bytes.len() as u32]));
            at += bytes.len() as u32;
        }
        for (_, _, bytes) in &self.0 {
            file.extend(bytes);
        }
        file
    }
}

fn u16s(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
}

fn u32s(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
}

fn text(text: &str) -> Vec<u8> {
    [&u16s(&[text.len() as u16]), text.as_bytes()].concat()
}

fn vgroup(name: &str, class: &str, members: &[(u16, u16)]) -> Vec<u8> {
    let (tags, references): (Vec<u16>, Vec<u16>) = members.iter().copied().unzip();
    let count = u16s(&[members.len() as u16]);
    let lists = [u16s(&tags), u16s(&references)].concat();
    let end = [0, 0, 0, 0, 0, 3, 0, 0, 0];
    [count, lists, text(name), text(class), end.to_vec()].concat()
}

/// A Vdata header with fields of these codes and sizes.
fn vdata(name: &str, class: &str, records: u32, fields: &[(u16, u16)]) -> Vec<u8> {
    let (codes, sizes): (Vec<u16>, Vec<u16>) = fields.iter().copied().unzip();
    let head = [
        u16s(&[0]),
        u32s(&[records]),
        u16s(&[0, fields.len() as u16]),
    ]
    .concat();
    let columns = [&codes, &sizes, &sizes, &sizes]
        .map(|column| u16s(column))
        .concat();
    let names = vec![text("f"); fields.len()].concat();
    let end = [0, 0, 0, 0, 0, 3, 0, 0, 0];
    [head, columns, names, text(name), text(class), end.to_vec()].concat()
}

/// A file with a dataset `v(x)` of little-endian shorts, without data. `others` are more members of the dataset.
fn dataset(len: u32, class: &str, others: &[(u16, u16)]) -> Parts {
    let members = [
        (tags::VGROUP, 2),
        (tags::NUMBER_TYPE, 4),
        (tags::DATA, DATA),
    ];
    Parts::default()
        .add(
            tags::VGROUP,
            1,
            vgroup("f", "CDF0.0", &[(tags::VGROUP, 2), (tags::VGROUP, 3)]),
        )
        .add(
            tags::VGROUP,
            2,
            vgroup("x", class, &[(tags::VDATA_HEADER, 5)]),
        )
        .add(
            tags::VGROUP,
            3,
            vgroup("v", "Var0.0", &[&members, others].concat()),
        )
        .add(tags::NUMBER_TYPE, 4, [1, 22, 16, 4])
        .add(
            tags::VDATA_HEADER,
            5,
            vdata("x", "DimVal0.1", 1, &[(24, 4)]),
        )
        .add(tags::VDATA, 5, u32s(&[len]))
}

/// A [`dataset`] with data.
fn with_data(len: u32, tag: u16, data: &[u8]) -> Parts {
    dataset(len, "Dim0.0", &[]).add(tag, DATA, data)
}

/// A linked block header: data bytes, bytes per block, blocks per table, first table.
fn linked(len: u32, block: u32, blocks: u32, table: u16) -> Vec<u8> {
    [u16s(&[1]), u32s(&[len, block, blocks]), u16s(&[table])].concat()
}

/// A chunk header.
fn chunked(shape: u32, chunk: u32) -> Vec<u8> {
    let head = [u32s(&[47]), vec![0], u32s(&[0, shape, chunk, 2])].concat();
    let rest = [
        u16s(&[tags::VDATA_HEADER, 30, 0, 0]),
        u32s(&[1, 0, shape, chunk, 2]),
    ]
    .concat();
    [u16s(&[5]), head, rest, vec![0xfe, 0xca]].concat()
}

/// A one-dimensional chunk table: coordinate and reference number of each chunk.
fn chunk_table(parts: Parts, chunks: &[(u32, u16)]) -> Parts {
    let records = chunks.iter();
    let records = records.map(|&(at, n)| [u32s(&[at]), u16s(&[tags::CHUNK, n])].concat());
    let header = vdata(
        "t",
        "_HDF_CHK_TBL_0",
        chunks.len() as u32,
        &[(24, 4), (23, 2), (23, 2)],
    );
    let parts = parts.add(tags::VDATA_HEADER, 30, header);
    parts.add(tags::VDATA, 30, records.collect::<Vec<_>>().concat())
}

fn open_in(file: &[u8], env: &Env) -> Result<Hdf4Reader> {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new("f.hdf", file.to_vec()));
    Hdf4Reader::open(source, env)
}

fn open(parts: &Parts) -> Hdf4Reader {
    open_in(&parts.file(), &Env::default()).unwrap()
}

fn read_all(reader: &Hdf4Reader, var: u32) -> Result<Values> {
    let env = Env::default();
    let shape = reader.schema().shape(VarId(var));
    Dataset::new(reader, &env).read(VarId(var), &Region::whole(&shape))
}

fn shorts(parts: &Parts) -> Vec<i16> {
    match read_all(&open(parts), 0) {
        Ok(Values::Short(values)) => values,
        other => panic!("{other:?}"),
    }
}

/// The error from opening a file or reading its dataset.
fn error(parts: &Parts) -> Error {
    let reader = open_in(&parts.file(), &Env::default());
    let read = reader.and_then(|reader| read_all(&reader, 0));
    let e = read.expect_err("damage");
    assert!(e.resource().is_some(), "{e}");
    e
}

#[test]
fn contiguous_data_is_read_in_its_byte_order() {
    let parts = with_data(3, tags::DATA, &[1, 0, 2, 0, 3, 0x80]);
    assert_eq!(shorts(&parts), [1, 2, -32765]);
    let reader = open(&parts);
    let schema = reader.schema();
    assert_eq!(
        (schema.var_path(VarId(0)), schema.shape(VarId(0))),
        ("/v".to_owned(), vec![3])
    );
    assert_eq!(
        schema.vars[0].storage.layout,
        Some(StorageLayout::Contiguous)
    );
    assert_eq!(reader.provenance().model, "HDF4");
}

#[test]
fn unwritten_data_reads_as_fill_value() {
    assert_eq!(shorts(&dataset(2, "Dim0.0", &[])), [-32767; 2]);
    assert_eq!(
        shorts(&with_data(3, tags::DATA, &[7, 0])),
        [7, -32767, -32767]
    );
    let mut scalar = with_data(1, tags::DATA, &[7]);
    let members = [(tags::NUMBER_TYPE, 4), (tags::DATA, DATA)];
    scalar.0[2].2 = vgroup("v", "Var0.0", &members);
    assert_eq!(shorts(&scalar), [-32767]);
    let parts = dataset(2, "Dim0.0", &[(tags::VDATA_HEADER, 6)])
        .add(
            tags::VDATA_HEADER,
            6,
            vdata("_FillValue", "Attr0.0", 1, &[(22, 2)]),
        )
        .add(tags::VDATA, 6, [0, 9]);
    assert_eq!(shorts(&parts), [9, 9]);
    let schema = open(&parts).schema().clone();
    assert_eq!(schema.vars[0].attributes[0].values, Values::Short(vec![9]));
}

#[test]
fn an_unlimited_dimension_is_as_long_as_its_data() {
    let parts = dataset(0, "UDim0.0", &[]).add(tags::DATA, DATA, [1, 0, 2, 0, 3]);
    assert_eq!(shorts(&parts), [1, 2]);
    assert!(open(&parts).schema().dims[0].unlimited);
}

#[test]
fn linked_blocks_are_one_run() {
    let parts = with_data(5, tags::DATA | SPECIAL, &linked(10, 4, 2, 20))
        .add(tags::LINKED, 20, u16s(&[21, 31, 0]))
        .add(tags::LINKED, 21, u16s(&[0, 32, 0]))
        .add(tags::LINKED, 31, [1, 0])
        .add(tags::LINKED, 32, [2, 0]);
    // The first block has two bytes, the second is missing, and the third is short.
    assert_eq!(shorts(&parts), [1, 0, 0, 2, 0]);
}

#[test]
fn linked_blocks_cannot_do_harm() {
    let parts = |header: Vec<u8>| with_data(5, tags::DATA | SPECIAL, &header);
    let circle = parts(linked(10, 1, 2, 20)).add(tags::LINKED, 20, u16s(&[20, 0, 0]));
    assert_eq!(error(&circle).kind(), ErrorKind::Corrupt);
    let none = parts(linked(10, 0, 2, 20)).add(tags::LINKED, 20, u16s(&[0, 0, 0]));
    assert_eq!(error(&none).kind(), ErrorKind::Corrupt);
    let missing = parts(linked(10, 4, 2, 20));
    assert_eq!(error(&missing).kind(), ErrorKind::Corrupt);
    let negative = parts(linked(u32::MAX, 4, 2, 20));
    assert_eq!(error(&negative).kind(), ErrorKind::Corrupt);
    let special = parts(linked(10, 4, 2, 20))
        .add(tags::LINKED, 20, u16s(&[0, 31, 31]))
        .add(tags::LINKED | SPECIAL, 31, linked(10, 4, 2, 20));
    assert_eq!(error(&special).kind(), ErrorKind::Corrupt);
    // Attributes cannot be unwritten.
    let hole = dataset(2, "Dim0.0", &[(tags::VDATA_HEADER, 6)])
        .add(
            tags::VDATA_HEADER,
            6,
            vdata("a", "Attr0.0", 1 << 28, &[(22, 2)]),
        )
        .add(tags::VDATA | SPECIAL, 6, linked(1 << 29, 1 << 29, 1, 20))
        .add(tags::LINKED, 20, u16s(&[0, 0]));
    assert_eq!(error(&hole).kind(), ErrorKind::Corrupt);
}

/// Block tables may overlap. Only the needed part of each table is read.
#[test]
fn overlapping_tables_of_blocks_are_read_in_parts() {
    const TABLES: u16 = 500;
    let header = linked(TABLES.into(), 1, 1, 100);
    let mut parts = with_data(u32::from(TABLES) / 2, tags::DATA | SPECIAL, &header);
    let first = parts.0.len();
    for table in 100..100 + TABLES {
        parts = parts.add(tags::LINKED, table, u16s(&[table + 1, 0]));
    }
    let mut file = parts.add(tags::LINKED, 99, vec![0; 1 << 16]).file();
    for table in 0..usize::from(TABLES) {
        let descriptor = 10 + 12 * (first + table);
        let at = &file[descriptor + 4..descriptor + 8];
        let at = u32::from_be_bytes(at.try_into().unwrap());
        let rest = u32s(&[file.len() as u32 - at]);
        file[descriptor + 8..descriptor + 12].copy_from_slice(&rest);
    }
    let source = Counting::new(file);
    let reader = Hdf4Reader::open(Arc::<Counting>::clone(&source), &Env::default()).unwrap();
    let zeros = vec![0; usize::from(TABLES) / 2];
    assert_eq!(read_all(&reader, 0).unwrap(), Values::Short(zeros));
    let read = source.bytes.load(Ordering::Relaxed);
    assert!(read < 2 * source.len(), "{read} bytes of {}", source.len());
}

/// A source that counts bytes and requests. Ranges read in one call count as one request.
#[derive(Debug)]
struct Counting {
    memory: MemorySource,
    bytes: AtomicU64,
    rounds: AtomicU64,
}

impl Counting {
    fn new(file: Vec<u8>) -> Arc<Self> {
        Arc::new(Self {
            memory: MemorySource::new("f.hdf", file),
            bytes: AtomicU64::new(0),
            rounds: AtomicU64::new(0),
        })
    }

    fn count<'a>(&self, ranges: impl IntoIterator<Item = &'a Range<u64>>) {
        let bytes: u64 = ranges.into_iter().map(|r| r.end - r.start).sum();
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.rounds
            .fetch_add(u64::from(bytes > 0), Ordering::Relaxed);
    }
}

impl Source for Counting {
    fn name(&self) -> &Arc<str> {
        self.memory.name()
    }

    fn len(&self) -> u64 {
        self.memory.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.count([&(offset..offset + buf.len() as u64)]);
        self.memory.read_at(offset, buf)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        self.count(ranges);
        self.memory.read_ranges(ranges)
    }
}

#[test]
fn chunks_are_found_in_their_table() {
    let parts = with_data(5, tags::DATA | SPECIAL, &chunked(5, 2))
        .add(tags::CHUNK, 40, [5, 0, 99, 0])
        .add(tags::CHUNK, 41, [1, 0, 2, 0]);
    let parts = chunk_table(parts, &[(2, 40), (0, 41)]);
    assert_eq!(shorts(&parts), [1, 2, -13570, -13570, 5]);
    let storage = open(&parts).schema().vars[0].storage.clone();
    assert_eq!(storage.layout, Some(StorageLayout::Chunked(vec![2])));
    let outside = with_data(5, tags::DATA | SPECIAL, &chunked(5, 2));
    let outside = chunk_table(outside, &[(3, 40)]);
    assert_eq!(error(&outside).kind(), ErrorKind::Corrupt);
    let empty = with_data(5, tags::DATA | SPECIAL, &chunked(5, 0));
    assert_eq!(error(&chunk_table(empty, &[])).kind(), ErrorKind::Corrupt);
    let large = with_data(
        i32::MAX as u32,
        tags::DATA | SPECIAL,
        &chunked(i32::MAX as u32, 1),
    );
    let reader = open(&chunk_table(large, &[]));
    let read =
        Dataset::new(&reader, &Env::default()).read(VarId(0), &Region::boxed(vec![9], vec![2]));
    assert_eq!(read.unwrap(), Values::Short(vec![-13570; 2]));
}

#[test]
fn external_files_outside_the_directory_are_not_opened() {
    let name = b"/etc/passwd";
    let header = [u16s(&[2]), u32s(&[4, 0, name.len() as u32]), name.to_vec()].concat();
    let e = error(&with_data(2, tags::DATA | SPECIAL, &header));
    assert!(e.to_string().contains("--allow-external"), "{e}");
}

#[test]
fn blocks_of_descriptors_end() {
    let mut circle = with_data(1, tags::DATA, &[0, 0]).file();
    circle[9] = 4;
    let e = open_in(&circle, &Env::default()).unwrap_err();
    assert_eq!(
        e.to_string(),
        "f.hdf: blocks of descriptors form a circle at byte 4"
    );
    // Blocks of one descriptor; each block starts inside the block before it.
    let mut overlap = super::dd::MAGIC.to_vec();
    overlap.extend([0; 1000]);
    for at in (4u16..900).step_by(6) {
        let (at, next) = (usize::from(at), at + 6);
        overlap[at..at + 6].copy_from_slice(&u16s(&[1, 0, next]));
    }
    let e = open_in(&overlap, &Env::default()).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Corrupt);
    let mut beyond = with_data(1, tags::DATA, &[0, 0]).file();
    beyond[4] = 0xff;
    let e = open_in(&beyond, &Env::default()).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Truncated);
}

#[test]
fn groups_in_circles_and_elements_twice_are_harmless() {
    let members = [(tags::VGROUP, 1), (tags::VGROUP, 3), (tags::VGROUP, 3)];
    let mut parts = with_data(1, tags::DATA, &[7, 0]);
    parts.0[0].2 = vgroup("f", "CDF0.0", &members);
    assert_eq!(open(&parts).schema().vars.len(), 1);
    let attribute = [(tags::VDATA_HEADER, 6); 400];
    let bomb = dataset(1, "Dim0.0", &attribute)
        .add(
            tags::VDATA_HEADER,
            6,
            vdata("a", "Attr0.0", 1, &[(4, 4000)]),
        )
        .add(tags::VDATA, 6, [b'a'; 4000]);
    assert_eq!(error(&bomb).kind(), ErrorKind::Corrupt);
    let names = dataset(1, "Dim0.0", &attribute).add(
        tags::VDATA_HEADER,
        6,
        vdata(&"a".repeat(4000), "Attr0.0", 0, &[(4, 1)]),
    );
    assert_eq!(error(&names).kind(), ErrorKind::Corrupt);
    let dims = dataset(1, "Dim0.0", &[(tags::VGROUP, 2); 1024]);
    assert_eq!(error(&dims).kind(), ErrorKind::Limit);
}

#[test]
fn only_the_damaged_object_is_skipped() {
    let mut parts = with_data(1, tags::DATA, &[7, 0]);
    parts.0[0].2 = vgroup("f", "CDF0.0", &[(tags::VGROUP, 3), (tags::VGROUP, 7)]);
    let parts = parts.add(tags::VGROUP, 7, vgroup("w", "Var0.0", &[(tags::VGROUP, 2)]));
    let env = Env {
        damage: Damage::tolerated(),
        ..Env::default()
    };
    let reader = open_in(&parts.file(), &env).unwrap();
    assert_eq!(reader.schema().vars.len(), 1);
    let [e] = &*env.damage.take() else {
        panic!("one error");
    };
    assert_eq!((e.object(), e.kind()), (Some("/w"), ErrorKind::Corrupt));
    let mut vax = with_data(1, tags::DATA, &[7, 0]);
    vax.0[3].2 = vec![1, 5, 32, 2];
    let env = Env::default();
    assert!(open_in(&vax.file(), &env).unwrap().schema().vars.is_empty());
    let [note] = &*env.notes.take() else {
        panic!("one note");
    };
    let what = "numbers in the form of class 2 are not supported";
    assert_eq!(note.to_string(), format!("/v: skipped: {what}"));
}

#[test]
fn groups_without_vgroups_are_datasets() {
    let record = [u16s(&[1]), u32s(&[2]), u16s(&[106, 4, 106, 4])].concat();
    let members = [(701, 2), (702, 2), (703, 2), (704, 2), (707, 2)];
    let members: Vec<u8> = members.iter().flat_map(|&(t, r)| u16s(&[t, r])).collect();
    let parts = Parts::default()
        .add(tags::NUMERIC_DATA_GROUP, 2, members)
        .add(tags::DIMENSION_RECORD, 2, record)
        .add(tags::DATA, 2, [0, 1, 0, 2])
        .add(tags::SCALES, 2, [1, 0, 10, 0, 20])
        .add(tags::LABELS, 2, *b"data\0axis\0")
        .add(tags::MAX_MIN, 2, [0, 9, 0, 8])
        .add(tags::NUMBER_TYPE, 4, [1, 22, 16, 1]);
    let reader = open(&parts);
    let schema = reader.schema();
    let names: Vec<_> = schema.vars.iter().map(|v| v.name.to_string()).collect();
    assert_eq!(names, ["fakeDim0", "Data-Set-2"]);
    assert_eq!(read_all(&reader, 0).unwrap(), Values::Short(vec![10, 20]));
    assert_eq!(read_all(&reader, 1).unwrap(), Values::Short(vec![1, 2]));
    let attributes = |var: usize| {
        let all = schema.vars[var].attributes.iter();
        all.map(|a| a.name.to_string()).collect::<Vec<_>>()
    };
    let mut short = parts.clone();
    short.0[3].2.pop();
    assert_eq!(error(&short).kind(), ErrorKind::Corrupt);
    assert_eq!(attributes(0), ["long_name"]);
    assert_eq!(attributes(1), ["valid_max", "valid_min", "long_name"]);
}

/// Groups may share dimension records, up to a limit.
#[test]
fn dimensions_of_groups_are_bounded() {
    let record = [
        u16s(&[1024]),
        vec![0; 4 * 1024],
        u16s(&[106, 4].repeat(1025)),
    ]
    .concat();
    let mut parts = Parts::default().add(tags::DIMENSION_RECORD, 2, record).add(
        tags::NUMBER_TYPE,
        4,
        [1, 22, 16, 1],
    );
    for group in 1..=65 {
        let members = u16s(&[tags::DIMENSION_RECORD, 2]);
        parts = parts.add(tags::NUMERIC_DATA_GROUP, group, members);
    }
    let e = open_in(&parts.file(), &Env::default()).unwrap_err();
    assert_eq!(
        e.to_string(),
        "f.hdf: dimension 66560 of the file, the limit is 65536 in /Data-Set-65"
    );
    parts.0.pop();
    assert_eq!(open(&parts).schema().dims.len(), 64 * 1024);
}

#[test]
fn unsupported_objects_are_reported() {
    let parts = with_data(1, tags::DATA, &[7, 0])
        .add(tags::IMAGE_8, 50, [0])
        .add(tags::VDATA_HEADER, 51, vdata("t", "mine", 1, &[(24, 4)]))
        .add(tags::VDATA_HEADER, 52, vdata("u", "", 1, &[(24, 4)]));
    let env = Env::default();
    open_in(&parts.file(), &env).unwrap();
    let notes: Vec<_> = env.notes.take().iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["f.hdf: not shown: 1 raster image and 2 Vdatas"]);
}

/// A file with `count` one-dimensional datasets, each with its own attribute and number type.
fn many(count: u16) -> Parts {
    let groups = (0..2 * count).map(|n| (tags::VGROUP, 100 + n));
    let root = vgroup("f", "CDF0.0", &groups.collect::<Vec<_>>());
    let all = Parts::default().add(tags::VGROUP, 1, root);
    (0..count).fold(all, |parts, n| {
        let (own, dim, var) = (1000 + 4 * n, 100 + 2 * n, 101 + 2 * n);
        let length = (tags::VDATA_HEADER, own);
        let attribute = (tags::VDATA_HEADER, own + 1);
        let members = [
            (tags::VGROUP, dim),
            (tags::NUMBER_TYPE, own),
            (tags::DATA, own),
            attribute,
        ];
        let int = [(24, 4)];
        parts
            .add(
                tags::VGROUP,
                dim,
                vgroup(&format!("x{n}"), "Dim0.0", &[length]),
            )
            .add(
                tags::VGROUP,
                var,
                vgroup(&format!("v{n}"), "Var0.0", &members),
            )
            .add(tags::NUMBER_TYPE, own, [1, 22, 16, 4])
            .add(length.0, own, vdata("x", "DimVal0.1", 1, &int))
            .add(tags::VDATA, own, u32s(&[2]))
            .add(attribute.0, own + 1, vdata("a", "Attr0.0", 1, &int))
            .add(tags::VDATA, own + 1, u32s(&[n.into()]))
            .add(tags::DATA, own, u16s(&[n, n]))
    })
}

#[test]
fn many_datasets_are_opened_in_as_few_rounds_as_one() {
    let rounds = |count: u16| {
        let source = Counting::new(many(count).file());
        let reader = Hdf4Reader::open(Arc::<Counting>::clone(&source), &Env::default()).unwrap();
        let schema = reader.schema();
        assert_eq!(schema.vars.len(), usize::from(count));
        assert!(schema.vars.iter().all(|v| v.attributes.len() == 1));
        source.rounds.load(Ordering::Relaxed)
    };
    let one = rounds(1);
    assert!(one <= 6, "{one} rounds");
    // One more round reads the descriptors beyond the expected number.
    assert_eq!(rounds(300), one + 1);
}
