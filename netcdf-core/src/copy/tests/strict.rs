//! Stored chunks in copies to other kinds.

use super::zarr::{all, encoded, numbers, opened, spec, stored};
use super::*;
use crate::filter::codec::ids;
use crate::filter::ids::{BLOSC, DEFLATE, FLETCHER32, ZSTD};
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::{Store, StoreTarget};
use crate::model::{FilterSpec, StorageLayout, StoredElement};
use crate::testing::stored_chunks;

const BZIP2: u32 = 307;
const ZARR_KINDS: [Kind; 4] = [
    Kind::NCZARR,
    Kind::PURE_ZARR,
    Kind::NCZARR3,
    Kind::PURE_ZARR3,
];

/// The stored form of a chunk, from its elements and from the form that our encoder makes.
type Framing = fn(&[u8], Vec<u8>) -> Vec<u8>;

/// A zstd frame with one block that is not compressed.
fn frame(data: &[u8], states_size: bool) -> Vec<u8> {
    let len = u32::try_from(data.len()).unwrap();
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD];
    match states_size {
        true => {
            out.push(0xA0);
            out.extend(len.to_le_bytes());
        }
        false => out.extend([0x00, 0x38]),
    }
    out.extend(&(1 | len << 3).to_le_bytes()[..3]);
    [out, data.to_vec()].concat()
}

fn skippable() -> Vec<u8> {
    [&[0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0][..], b"ab"].concat()
}

/// A chunk of Blosc with literals of snappy.
fn snappy(data: &[u8]) -> Vec<u8> {
    let word = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let stream = [&[48, 47 << 2][..], data].concat();
    let sizes = [
        word(48),
        word(48),
        word(24 + stream.len()),
        word(20),
        word(stream.len()),
    ];
    [&[2, 1, 0x10 | 2 << 5, 4][..], sizes.as_flattened(), &stream].concat()
}

/// The sums of fletcher32 as libhdf5 1.6.2 stored them.
fn swapped(mut made: Vec<u8>) -> Vec<u8> {
    let sums = made.last_chunk_mut::<4>().unwrap();
    sums.swap(0, 1);
    sums.swap(2, 3);
    made
}

/// Two streams of bzip2 with half of the elements each.
fn two_streams(data: &[u8]) -> Vec<u8> {
    let layout = Layout {
        extent: vec![6],
        chunk: vec![6],
        element: StoredElement {
            ty: Atomic::Int.into(),
            size: 4,
            order: Endianness::Little,
            plain: true,
        },
        filters: vec![spec(BZIP2, &[9])],
        fill: None,
        quantize: None,
    };
    let (one, other) = data.split_at(24);
    [encoded(&layout, one), encoded(&layout, other)].concat()
}

/// A dataset of 24 integers in two chunks, and the second stored chunk. `framing` creates the stored chunk from the chunk and from its
/// usual stored form.
fn made(kind: Kind, filter: FilterSpec, framing: Framing) -> (Box<dyn Reader>, Vec<u8>) {
    made_of(kind, (24, 0), vec![filter], framing)
}

/// Changes the length of the chunk at element 12 in the chunk B-tree, where the length is the 48 bytes of the chunk shape. `len` bytes
/// follow the file.
fn cut(mut bytes: Vec<u8>, mask: u32, len: usize) -> Vec<u8> {
    let head = [48, mask].map(u32::to_le_bytes);
    let key = [head.as_flattened(), &12_u64.to_le_bytes()].concat();
    if let Some(at) = bytes.windows(key.len()).position(|found| found == key) {
        let len = u32::try_from(len).unwrap();
        bytes[at..at + 4].copy_from_slice(&len.to_le_bytes());
    }
    bytes.extend([0; 8]);
    bytes
}

/// As [`made`], with this number of integers, this mask of the second chunk, and any filters.
fn made_of(
    kind: Kind,
    (len, mask): (u64, u32),
    filters: Vec<FilterSpec>,
    framing: Framing,
) -> (Box<dyn Reader>, Vec<u8>) {
    let mut s = dataset(kind, &[len]);
    let v = add(&mut s, b"v", Atomic::Int, &[0]);
    let storage = &mut s.vars[v.index()].storage;
    storage.layout = Some(StorageLayout::Chunked(vec![12]));
    let plain = kind == Kind::NETCDF4 && (filters.is_empty() || mask != 0);
    storage.filters = filters;
    let env = Env::default();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("in.zarr"));
    let (target, out) = MemoryTarget::new("in.nc");
    let create = CreateOptions::default();
    let mut w = match kind == Kind::NETCDF4 {
        true => format::create(Box::new(target), s, create, &env).unwrap(),
        false => {
            let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
            let target: Box<dyn StoreTarget> = Box::new(target);
            format::create(target, s, create, &env).unwrap()
        }
    };
    let layout = w.layout(v).unwrap();
    let chunk = |n: i32| framing(&numbers(n), encoded(&layout, &numbers(n)));
    w.put_chunk(v, 0, 0, &chunk(0)).unwrap();
    let whole = if plain { numbers(100) } else { chunk(100) };
    w.put_chunk(v, 1, mask, &whole).unwrap();
    w.finish().unwrap();
    let reader = match kind == Kind::NETCDF4 {
        true => {
            let bytes = out.lock().unwrap().take().unwrap();
            open(&cut(bytes, mask, chunk(100).len()), &env).unwrap()
        }
        false => opened(&store),
    };
    (reader, chunk(100))
}

/// A copy to another kind.
fn copied(reader: &dyn Reader, kind: Kind) -> Result<Box<dyn Reader>> {
    if kind != Kind::NETCDF4 {
        return stored(reader, &to(kind)).map(|(store, _)| opened(&store));
    }
    let env = Env::default();
    let plan = plan(reader.schema(), &to(kind))?;
    let (target, out) = MemoryTarget::new("out.nc");
    let create = CreateOptions::default();
    let writer = format::create(Box::new(target), plan.schema.clone(), create, &env)?;
    run(Dataset::new(reader, &env), &plan, writer)?;
    let bytes = out.lock().unwrap().take().unwrap();
    open(&bytes, &env)
}

/// The stored bytes of the second chunk.
fn second(reader: &dyn Reader) -> Vec<u8> {
    let env = Env::default();
    let set = Dataset::new(reader, &env);
    let found = stored_chunks(set, VarId(0));
    set.fetch(&found[1..]).unwrap().remove(0)
}

/// Some readers refuse these chunks, or read other values.
#[test]
fn other_framings_are_encoded_again() {
    let zstd = spec(ZSTD, &[3]);
    let cases: &[(Kind, &FilterSpec, Framing)] = &[
        (Kind::PURE_ZARR3, &zstd, |data, _| frame(data, false)),
        (Kind::PURE_ZARR, &zstd, |data, _| {
            [frame(&data[..20], true), frame(&data[20..], true)].concat()
        }),
        (Kind::NETCDF4, &zstd, |_, made| [skippable(), made].concat()),
        (Kind::NETCDF4, &zstd, |_, made| [made, skippable()].concat()),
        (Kind::PURE_ZARR, &zstd, |_, made| {
            [frame(&[], true), made].concat()
        }),
        (Kind::PURE_ZARR, &spec(BZIP2, &[9]), |data, _| {
            two_streams(data)
        }),
        (Kind::NETCDF4, &spec(FLETCHER32, &[]), |_, made| {
            swapped(made)
        }),
        (Kind::PURE_ZARR, &spec(BLOSC, &[5, 0, 1]), |data, _| {
            snappy(data)
        }),
        (Kind::PURE_ZARR, &spec(BLOSC, &[5, 0, 1]), |_, made| {
            [&made[..], b"ab"].concat()
        }),
        (Kind::PURE_ZARR, &spec(ids::GZIP, &[1]), |_, made| {
            [&made[..], &[0; 3]].concat()
        }),
        (Kind::PURE_ZARR, &spec(ids::GZIP, &[1]), |_, made| {
            [&made[..], &made[..]].concat()
        }),
        (Kind::PURE_ZARR, &spec(ids::GZIP, &[1]), |_, made| {
            let empty = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 3, 0];
            [&empty[..], &[0; 8], &made[..]].concat()
        }),
    ];
    for (n, (from, filter, framing)) in cases.iter().enumerate() {
        let (input, odd) = made(*from, (*filter).clone(), *framing);
        let (usual, plain) = made(*from, (*filter).clone(), |_, made| made);
        let values = Values::Int((0..12).chain(100..112).collect());
        assert_eq!(all(&*input), values, "{n}");
        for kind in ZARR_KINDS.into_iter().chain([Kind::NETCDF4]) {
            let what = format!("{n} to {}", kind.name());
            let output = copied(&*input, kind).unwrap();
            assert_eq!(all(&*output), values, "{what}");
            assert_eq!(second(&*output) == odd, kind == *from, "{what}");
            let output = copied(&*usual, kind).unwrap();
            let container = filter.id == ids::GZIP && [Kind::NETCDF4, Kind::NCZARR].contains(&kind);
            assert_eq!(second(&*output) == plain, !container, "{what}");
        }
    }
}

#[test]
fn chunks_that_are_not_whole_do_not_move_to_another_kind() {
    let half: Framing = |_, made| made[..made.len() / 2].to_vec();
    for (filter, kind) in [
        (spec(DEFLATE, &[6]), Kind::NETCDF4),
        (spec(DEFLATE, &[6]), Kind::PURE_ZARR3),
        (spec(ZSTD, &[3]), Kind::NETCDF4),
    ] {
        let (input, chunk) = made(Kind::PURE_ZARR, filter, half);
        let e = copied(&*input, kind).err().unwrap();
        assert!(e.to_string().contains("chunk (0)"), "{e}");
        let same = copied(&*input, Kind::PURE_ZARR).unwrap();
        assert_eq!(second(&*same), chunk);
    }
}

/// Only the container of a deflate stream differs between Zarr 3 and other kinds.
#[test]
fn deflate_streams_change_their_container() {
    let (input, zlib) = made(Kind::NETCDF4, spec(DEFLATE, &[9]), |_, made| made);
    let stream = &zlib[2..zlib.len() - 4];
    for kind in [Kind::PURE_ZARR3, Kind::NCZARR3] {
        let output = copied(&*input, kind).unwrap();
        let gzip = second(&*output);
        assert_eq!(
            output.schema().vars[0].storage.filters,
            [spec(ids::GZIP, &[9])]
        );
        assert_eq!(&gzip[10..gzip.len() - 8], stream);
        assert_eq!(all(&*output), all(&*input));
        for kind in [Kind::NETCDF4, Kind::NCZARR] {
            let back = copied(&*output, kind).unwrap();
            assert_eq!(back.schema().vars[0].storage.filters, [spec(DEFLATE, &[9])]);
            let zlib = second(&*back);
            assert_eq!(&zlib[2..zlib.len() - 4], stream);
            assert_eq!(all(&*back), all(&*input));
        }
    }
    // Bytes after the stream, and another window.
    let padded: Framing = |_, made| [&[0x18, 0x19], &made[2..], b"ab"].concat();
    let (input, _) = made(Kind::PURE_ZARR, spec(DEFLATE, &[9]), padded);
    let output = copied(&*input, Kind::PURE_ZARR3).unwrap();
    let gzip = second(&*output);
    assert_eq!(&gzip[10..gzip.len() - 8], stream);
}

/// Replaces the stored bytes of the second chunk by the stored form of `bytes`.
fn replaced((data, made): (&[u8], Vec<u8>), filter: u32, bytes: &[u8]) -> Vec<u8> {
    if data[0] == 0 {
        return made;
    }
    let layout = Layout {
        extent: vec![bytes.len() as u64],
        chunk: vec![bytes.len() as u64],
        element: StoredElement {
            ty: Atomic::Byte.into(),
            size: 1,
            order: Endianness::Little,
            plain: true,
        },
        filters: match filter {
            0 => vec![],
            id => vec![spec(id, &[3])],
        },
        fill: None,
        quantize: None,
    };
    encoded(&layout, bytes)
}

/// Readers of Zarr refuse chunks of another length than their shape; libhdf5 reads them if all elements are there.
#[test]
fn chunks_of_another_length_are_encoded_again() {
    let cases: &[(Kind, u32, &[u32], Framing)] = &[
        (Kind::NETCDF4, 0, &[], |d, m| replaced((d, m), 0, &d[..32])),
        (Kind::PURE_ZARR, 0, &[], |d, m| {
            replaced((d, m), 0, &d[..32])
        }),
        (Kind::NETCDF4, 0, &[DEFLATE], |d, m| {
            replaced((d, m), DEFLATE, &d[..32])
        }),
        (Kind::NETCDF4, 0, &[DEFLATE], |d, m| {
            replaced((d, m), DEFLATE, &[d, b"abcd"].concat())
        }),
        (Kind::NETCDF4, 0, &[ZSTD], |d, m| {
            replaced((d, m), ZSTD, &d[..33])
        }),
        (Kind::PURE_ZARR, 0, &[ZSTD], |d, m| {
            replaced((d, m), ZSTD, &[d, b"abcd"].concat())
        }),
        (Kind::NETCDF4, 1, &[DEFLATE], |d, m| {
            replaced((d, m), 0, &d[..32])
        }),
        (Kind::NETCDF4, 1, &[DEFLATE], |d, m| {
            replaced((d, m), 0, &[d, b"abcd"].concat())
        }),
    ];
    let values = Values::Int((0..12).chain(100..108).collect());
    for (n, (from, mask, filters, framing)) in cases.iter().enumerate() {
        let filters: Vec<_> = filters.iter().map(|&id| spec(id, &[3])).collect();
        let unchecked = *mask == 0 && !filters.is_empty();
        let (input, odd) = made_of(*from, (20, *mask), filters, *framing);
        assert_eq!(all(&*input), values, "{n}");
        for kind in ZARR_KINDS.into_iter().chain([Kind::NETCDF4]) {
            let what = format!("{n} to {}", kind.name());
            let output = copied(&*input, kind).unwrap();
            assert_eq!(all(&*output), values, "{what}");
            let chunk = second(&*output);
            assert_eq!(chunk == odd, unchecked && kind == *from, "{what}");
        }
    }
}

#[test]
fn chunks_without_some_elements_are_errors() {
    let cases: &[(u32, &[u32], Framing)] = &[
        (0, &[], |d, m| replaced((d, m), 0, &d[..28])),
        (0, &[DEFLATE], |d, m| replaced((d, m), DEFLATE, &d[..28])),
        (1, &[DEFLATE], |d, m| replaced((d, m), 0, &d[..28])),
    ];
    for (mask, filters, framing) in cases {
        let filters = filters.iter().map(|&id| spec(id, &[3])).collect();
        let (input, _) = made_of(Kind::NETCDF4, (20, *mask), filters, *framing);
        for kind in ZARR_KINDS {
            let e = copied(&*input, kind).err().unwrap();
            assert!(e.to_string().contains("chunk (1)"), "{e}");
        }
    }
}

#[test]
fn shuffle_gets_whole_elements_in_zarr() {
    let filters = vec![spec(DEFLATE, &[3]), spec(2, &[])];
    let (input, _) = made_of(Kind::NETCDF4, (24, 0), filters, |_, made| made);
    for kind in ZARR_KINDS {
        let output = copied(&*input, kind).unwrap();
        let ids: Vec<u32> = output.schema().vars[0]
            .storage
            .filters
            .iter()
            .map(|f| f.id)
            .collect();
        assert_eq!(ids[0], 2);
        assert_eq!(all(&*output), all(&*input));
    }
}

/// A copy does not move these chunks.
#[test]
fn verification_refuses_moved_chunks_that_readers_of_the_other_kind_refuse() {
    let framings: [Framing; 2] = [|_, made| made, |data, _| frame(data, false)];
    for (framing, is_strict) in framings.into_iter().zip([true, false]) {
        let (input, chunk) = made(Kind::NETCDF4, spec(ZSTD, &[3]), framing);
        let env = Env::default();
        let plan = plan(input.schema(), &to(Kind::PURE_ZARR)).unwrap();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new("out.zarr"));
        let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
        let target: Box<dyn StoreTarget> = Box::new(target);
        let schema = plan.schema.clone();
        let mut w = format::create(target, schema, CreateOptions::default(), &env).unwrap();
        let set = Dataset::new(&*input, &env);
        let stored = set.fetch(&stored_chunks(set, VarId(0))).unwrap();
        assert_eq!(stored[1], chunk);
        for (n, bytes) in (0..).zip(&stored) {
            w.put_chunk(VarId(0), n, 0, bytes).unwrap();
        }
        w.finish().unwrap();
        let compared = super::verify::compare(set, &plan, Container::Store(store));
        let message = compared.err().map(|e| e.to_string()).unwrap_or_default();
        assert_eq!(message.is_empty(), is_strict, "{message}");
        let refused = message.contains("a form that not all readers accept");
        assert_eq!(refused, !is_strict, "{message}");
    }
}
