//! Classic files byte by byte.

use super::*;
use crate::chunk::visit::Locate;
use crate::chunk::{BulkWriter as _, Dataset, elements};
use crate::io::memory::MemoryTarget;
use crate::model::{
    Atomic, DimId, Dimension, Endianness, GroupId, Name, Region, Storage, Values, VarId, Variable,
};

fn dim(schema: &mut Schema, name: &str, len: u64) -> DimId {
    let (name, group) = (Name::stored(name.as_bytes()), GroupId::ROOT);
    schema.add_dim(Dimension {
        name,
        group,
        len,
        unlimited: len == 0,
    })
}

fn var(schema: &mut Schema, name: &str, ty: Atomic, dims: &[DimId]) -> VarId {
    schema.add_var(Variable {
        name: Name::stored(name.as_bytes()),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims: dims.to_vec(),
        attributes: vec![],
        storage: Storage::default(),
    })
}

/// Writes a dataset with these values for variables, starting at element 0.
fn make(schema: Schema, data: &[(VarId, Values)]) -> Vec<u8> {
    let (target, out) = MemoryTarget::new("t");
    let mut w =
        writer::ClassicWriter::create(Box::new(target), schema, CreateOptions::default()).unwrap();
    for (var, values) in data {
        let mut bytes = vec![];
        elements::encode(values, Endianness::Big, &mut bytes).unwrap();
        w.put_run(*var, 0, &bytes).unwrap();
    }
    Box::new(w).finish().unwrap();
    let bytes = out.lock().unwrap().take();
    bytes.unwrap()
}

fn read(bytes: &[u8], var: VarId) -> crate::Result<Values> {
    let env = Env::default();
    let reader = crate::format::open(Container::Source(source(bytes)), &env)?;
    let shape = reader.schema().shape(var);
    Dataset::new(&*reader, &env).read(var, &Region::whole(&shape))
}

/// The first file printed in the format document.
#[test]
fn the_empty_file_of_the_document() {
    let bytes = make(Schema::new(Kind::CLASSIC), &[]);
    let mut want = b"CDF\x01".to_vec();
    want.resize(32, 0);
    assert_eq!(bytes, want);
}

/// The second file printed in the format document.
#[test]
fn the_tiny_file_of_the_document() {
    let mut s = Schema::new(Kind::CLASSIC);
    let d = dim(&mut s, "dim", 5);
    let v = var(&mut s, "vx", Atomic::Short, &[d]);
    let bytes = make(s, &[(v, Values::Short(vec![3, 1, 4, 1, 5]))]);
    let words: [u16; 46] = [
        0x4344, 0x4601, 0, 0, 0, 0x000a, 0, 1, 0, 3, 0x6469, 0x6d00, 0, 5, 0, 0, 0, 0, 0, 0x000b,
        0, 1, 0, 2, 0x7678, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0x000c, 0, 0x0050, 3, 1, 4, 1, 5,
        0x8001,
    ];
    let want: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
    assert_eq!(bytes, want);
}

#[test]
fn records_are_interleaved_and_padded() {
    for kind in [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5] {
        let mut s = Schema::new(kind);
        let (t, x) = (dim(&mut s, "t", 0), dim(&mut s, "x", 3));
        let a = var(&mut s, "a", Atomic::Short, &[t, x]);
        let b = var(&mut s, "b", Atomic::Double, &[t]);
        let c = var(&mut s, "c", Atomic::Byte, &[x]);
        let values = [
            (a, Values::Short((1..=6).collect())),
            (b, Values::Double(vec![0.5, 1.5])),
            (c, Values::Byte(vec![-1, 0, 1])),
        ];
        let bytes = make(s, &values);
        for (v, want) in values {
            assert_eq!(read(&bytes, v).unwrap(), want, "{kind:?}");
        }
        // The expected bytes: `c` with padding, then two records of `a`, padding, and `b`.
        let data = &bytes[bytes.len() - 36..];
        assert_eq!(data[..4], [255, 0, 1, 0x81]);
        assert_eq!(data[4..12], [0, 1, 0, 2, 0, 3, 0x80, 1]);
        assert_eq!(data[20..28], [0, 4, 0, 5, 0, 6, 0x80, 1]);
    }
}

#[test]
fn a_single_record_variable_is_not_padded() {
    let mut s = Schema::new(Kind::CLASSIC);
    let (t, x) = (dim(&mut s, "t", 0), dim(&mut s, "x", 3));
    let a = var(&mut s, "a", Atomic::Byte, &[t, x]);
    let values = Values::Byte((1..=6).collect());
    let bytes = make(s, &[(a, values.clone())]);
    assert_eq!(bytes[bytes.len() - 6..], [1, 2, 3, 4, 5, 6]);
    let vsize = &bytes[bytes.len() - 6 - 8..][..4];
    assert_eq!(
        vsize,
        [0, 0, 0, 4],
        "vsize is stored as if there was padding"
    );
    assert_eq!(read(&bytes, a).unwrap(), values);
}

#[test]
fn streaming_counts_records_from_the_length() {
    let mut s = Schema::new(Kind::OFFSET64);
    let t = dim(&mut s, "t", 0);
    let a = var(&mut s, "a", Atomic::Int, &[t]);
    let mut bytes = make(s, &[(a, Values::Int(vec![7, 8, 9]))]);
    bytes[4..8].fill(0xff);
    assert_eq!(read(&bytes, a).unwrap(), Values::Int(vec![7, 8, 9]));
    bytes.truncate(bytes.len() - 1);
    assert_eq!(read(&bytes, a).unwrap(), Values::Int(vec![7, 8]));
}

#[test]
fn what_is_not_written_is_fill() {
    let mut s = Schema::new(Kind::CDF5);
    let (t, x) = (dim(&mut s, "t", 0), dim(&mut s, "x", 2));
    let a = var(&mut s, "a", Atomic::UShort, &[t, x]);
    let b = var(&mut s, "b", Atomic::Int, &[t]);
    let c = var(&mut s, "c", Atomic::Char, &[x]);
    let bytes = make(
        s,
        &[(b, Values::Int(vec![1, 2])), (a, Values::UShort(vec![5]))],
    );
    assert_eq!(
        read(&bytes, a).unwrap(),
        Values::UShort(vec![5, 65535, 65535, 65535])
    );
    assert_eq!(read(&bytes, c).unwrap(), Values::Char(vec![0, 0]));
}

#[test]
fn cut_data_is_an_error_with_variable_and_offset() {
    let mut s = Schema::new(Kind::CLASSIC);
    let x = dim(&mut s, "x", 4);
    let a = var(&mut s, "a", Atomic::Int, &[x]);
    let mut bytes = make(s, &[(a, Values::Int(vec![1, 2, 3, 4]))]);
    bytes.truncate(bytes.len() - 3);
    let e = read(&bytes, a).unwrap_err();
    assert_eq!(e.kind(), crate::ErrorKind::Truncated);
    assert_eq!(e.object(), Some("/a"));
    assert_eq!(e.offset(), Some(bytes.len() as u64 - 13));
}

#[test]
fn a_cut_header_is_an_error_everywhere() {
    let mut s = Schema::new(Kind::CLASSIC);
    let x = dim(&mut s, "x", 4);
    let a = var(&mut s, "a", Atomic::Int, &[x]);
    let bytes = make(s, &[(a, Values::Int(vec![1, 2, 3, 4]))]);
    for n in 0..bytes.len() - 16 {
        let cut = read(&bytes[..n], a);
        assert!(cut.is_err(), "{n}");
    }
}

#[test]
fn sizes_beyond_the_kind_are_refused_by_kind_of_error() {
    use crate::ErrorKind::{BadType, DimSize, Strict, Unlimited, VarSize};
    let create = |s: Schema| {
        let (target, _) = MemoryTarget::new("t");
        let made = writer::ClassicWriter::create(Box::new(target), s, CreateOptions::default());
        made.map(|w| w.layout(VarId(0)).map(|l| l.extent))
            .map_err(|e| e.kind())
    };
    let one = |kind, len, ty: Atomic, vars: usize, record: bool| {
        let mut s = Schema::new(kind);
        let x = dim(&mut s, "x", len);
        let t = dim(&mut s, "t", 0);
        (0..vars).for_each(|n| {
            var(&mut s, &format!("v{n}"), ty, &[x]);
        });
        if record {
            var(&mut s, "r", ty, &[t]);
        }
        create(s).err()
    };
    assert_eq!(
        one(Kind::CLASSIC, (1 << 31) - 4, Atomic::Byte, 1, false),
        None
    );
    assert_eq!(
        one(Kind::CLASSIC, (1 << 31) - 3, Atomic::Byte, 1, false),
        Some(DimSize)
    );
    assert_eq!(
        one(Kind::OFFSET64, (1 << 32) - 4, Atomic::Byte, 2, true),
        None
    );
    assert_eq!(
        one(Kind::OFFSET64, (1 << 32) - 3, Atomic::Byte, 1, false),
        Some(DimSize)
    );
    assert_eq!(
        one(Kind::CLASSIC, 1 << 29, Atomic::Double, 1, false),
        None,
        "the last may be large"
    );
    assert_eq!(
        one(Kind::CLASSIC, 1 << 29, Atomic::Double, 2, false),
        Some(VarSize)
    );
    assert_eq!(
        one(Kind::CLASSIC, 1 << 29, Atomic::Double, 1, true),
        Some(VarSize)
    );
    assert_eq!(
        one(Kind::CLASSIC, 1 << 27, Atomic::Double, 3, false),
        Some(VarSize),
        "offsets"
    );
    assert_eq!(
        one(Kind::OFFSET64, 1 << 30, Atomic::Double, 2, false),
        Some(VarSize)
    );
    assert_eq!(one(Kind::CDF5, 1 << 40, Atomic::Double, 2, true), None);
    assert_eq!(one(Kind::CLASSIC, 1, Atomic::UInt, 1, true), Some(BadType));
    assert_eq!(one(Kind::CDF5, 1, Atomic::String, 1, true), Some(BadType));
    let mut s = Schema::new(Kind::CLASSIC);
    s.add_group(GroupId::ROOT, Name::stored(b"g"));
    assert_eq!(create(s).err(), Some(Strict));
    let mut s = Schema::new(Kind::CLASSIC);
    let (x, t) = (dim(&mut s, "x", 1), dim(&mut s, "t", 0));
    var(&mut s, "v", Atomic::Int, &[x, t]);
    assert_eq!(create(s.clone()).err(), Some(Unlimited));
    dim(&mut s, "u", 0);
    assert_eq!(create(s).err(), Some(Unlimited));
}

#[test]
fn vsize_of_a_large_variable_is_all_ones() {
    let mut s = Schema::new(Kind::OFFSET64);
    let x = dim(&mut s, "x", 1 << 30);
    var(&mut s, "v", Atomic::Double, &[x]);
    let places = layout::lay_out(&s, header::len(&s).unwrap()).unwrap();
    let bytes = header::write(&s, 0, &places.vars).unwrap();
    assert_eq!(bytes[bytes.len() - 12..][..4], [0xff; 4]);
}

#[test]
fn any_stored_name_is_read_and_kept() {
    let mut s = Schema::new(Kind::CLASSIC);
    for name in [&b" a/\xff"[..], b"", b"a\tb"] {
        let name = Name::stored(name);
        s.add_dim(Dimension {
            name,
            group: GroupId::ROOT,
            len: 1,
            unlimited: false,
        });
    }
    let bytes = make(s.clone(), &[]);
    let header = header::read(&*source(&bytes), Kind::CLASSIC, &Env::default().limits).unwrap();
    assert_eq!(header.schema, s);
}

/// Early programs included the padding zeros in the length.
#[test]
fn zeros_behind_a_name_are_no_part_of_it() {
    let mut s = Schema::new(Kind::CLASSIC);
    dim(&mut s, "pp\0\0\0\0", 3);
    let bytes = make(s, &[]);
    let header = header::read(&*source(&bytes), Kind::CLASSIC, &Env::default().limits).unwrap();
    assert_eq!(header.schema.dims[0].name.as_bytes(), b"pp");
}

#[test]
fn moved_bytes_arrive_where_put_bytes_would() {
    let build = || {
        let mut s = Schema::new(Kind::CDF5);
        let (t, x) = (dim(&mut s, "t", 0), dim(&mut s, "x", 3));
        let a = var(&mut s, "a", Atomic::Short, &[t, x]);
        let b = var(&mut s, "b", Atomic::Int, &[t]);
        let c = var(&mut s, "c", Atomic::Double, &[x]);
        (s, [a, b, c])
    };
    let (s, [a, b, c]) = build();
    let values = [
        (a, Values::Short((1..=12).collect())),
        (b, Values::Int(vec![1, 2, 3, 4])),
        (c, Values::Double(vec![1.0, 2.0, 3.0])),
    ];
    let bytes = make(s, &values);
    let env = Env::default();
    let from = reader::ClassicReader::open(source(&bytes), &env).unwrap();
    let (target, out) = MemoryTarget::new("t");
    let (s, _) = build();
    let mut w: Box<dyn Writer> = Box::new(
        writer::ClassicWriter::create(Box::new(target), s, CreateOptions::default()).unwrap(),
    );
    for v in [a, b, c] {
        let grid = crate::chunk::scatter::Block {
            start: vec![0],
            count: vec![4],
        };
        let per = if v == a { 3 } else { 1 };
        from.locate(v, &grid, Locate::Stored, &mut |chunk| {
            let source = from.bytes().source(&chunk).unwrap();
            Ok(w.move_run(v, chunk.index * per, &source, chunk.range)?)
        })
        .unwrap();
    }
    w.finish().unwrap();
    let copy = out.lock().unwrap().take();
    assert_eq!(copy.unwrap(), bytes);
}

/// Returns the values of two padded record variables and one fixed-size variable, with small variables between them.
fn large(path: &std::path::Path, apart: bool) -> Vec<u8> {
    let mut schema = Schema::new(Kind::CDF5);
    let dims = [("t", 0), ("x", 40_001), ("y", 70_001), ("z", 5)];
    let [t, x, y, z] = dims.map(|(name, len)| dim(&mut schema, name, len));
    let small = [
        var(&mut schema, "first", Atomic::Byte, &[z]),
        var(&mut schema, "rows", Atomic::Byte, &[t, z]),
    ];
    let large = [
        var(&mut schema, "fixed", Atomic::Byte, &[y]),
        var(&mut schema, "short", Atomic::Short, &[t, x]),
        var(&mut schema, "byte", Atomic::Byte, &[t, y]),
    ];
    let last = var(&mut schema, "last", Atomic::Byte, &[z]);
    let target = crate::io::file::FileTarget::create(path, false).unwrap();
    let mut w =
        writer::ClassicWriter::create(Box::new(target), schema, CreateOptions::default()).unwrap();
    for var in small {
        assert!(w.runs(var).unwrap().is_none());
        w.put_run(var, 0, &[1, 2, 3, 4, 5]).unwrap();
    }
    for (var, (size, len)) in large
        .into_iter()
        .zip([(1, 70_001), (2, 240_006), (1, 210_003)])
    {
        let bytes: Vec<u8> = (0..len).map(|n: usize| (n * 7 % 251) as u8).collect();
        let pieces: Vec<_> = bytes.chunks(18_000).enumerate().collect();
        if apart {
            let runs = w.runs(var).unwrap().unwrap();
            let put = |odd: bool| {
                let mine = pieces
                    .iter()
                    .rev()
                    .filter(|(n, _)| n.is_multiple_of(2) != odd);
                mine.for_each(|(n, bytes)| runs.put((n * 18_000 / size) as u64, bytes).unwrap());
            };
            std::thread::scope(|scope| {
                scope.spawn(|| put(true));
                put(false);
            });
        }
        for (n, bytes) in pieces {
            let element = (n * 18_000 / size) as u64;
            match apart {
                true => w.ran(var, element, bytes.len() as u64).unwrap(),
                false => w.put_run(var, element, bytes).unwrap(),
            }
        }
    }
    let runs = w.runs(large[0]).unwrap().unwrap();
    let e = runs.put(70_000, &[0, 0]).unwrap_err();
    assert_eq!(
        e.to_string(),
        "data beyond the end of the variable in /fixed"
    );
    w.put_run(last, 0, &[6, 7, 8, 9, 10]).unwrap();
    Box::new(w).finish().unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn runs_of_several_threads_make_the_file_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let want = large(&dir.path().join("a.nc"), false);
    assert!(want.len() > 500_000);
    assert!(large(&dir.path().join("b.nc"), true) == want);
}
