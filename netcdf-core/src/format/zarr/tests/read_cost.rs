//! Limits for the requests of reading from stores with latency.

use super::*;
use crate::chunk::InBands;
use crate::chunk::visit::Locate;
use crate::io::rounds::Rounds;
use crate::io::store::KeyContent;
use crate::runtime::Runtime;

/// An array of 8 × 8 chunks with one missing chunk in three: the codecs, and a chunk filled with one value.
struct TestArray {
    codecs: &'static str,
    chunk: fn(u8) -> Vec<u8>,
}

const SIDE: u64 = 8;
/// The elements of a chunk: 64 × 96 bytes.
const CHUNK: usize = 6144;

/// Returns the base64 form of a chunk, which is longer than the chunk.
fn base64(value: u8) -> Vec<u8> {
    let group = [value; 3].map(u32::from);
    let bits = group[0] << 16 | group[1] << 8 | group[2];
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |n: u32| letters[(bits >> (18 - 6 * n) & 63) as usize];
    (0..4).map(letter).collect::<Vec<_>>().repeat(CHUNK / 3)
}

fn checksummed(value: u8) -> Vec<u8> {
    let mut bytes = vec![value; CHUNK];
    bytes.extend(super::super::shard::crc32c(&bytes).to_le_bytes());
    bytes
}

const MADE: [TestArray; 3] = [
    TestArray {
        codecs: r#"{"name":"bytes"}"#,
        chunk: |value| vec![value; CHUNK],
    },
    TestArray {
        codecs: r#"{"name":"bytes"},{"name":"crc32c"}"#,
        chunk: checksummed,
    },
    TestArray {
        codecs: r#"{"name":"bytes"},{"name":"numcodecs.base64"}"#,
        chunk: base64,
    },
];

impl TestArray {
    fn store(&self) -> Arc<dyn Store> {
        let metadata = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[512,768],"data_type":"uint8","fill_value":7,
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[64,96]}}}},
            "chunk_key_encoding":{{"name":"default"}},"codecs":[{}]}}"#,
            self.codecs
        );
        let store = store(&[("zarr.json", GROUP3), ("v/zarr.json", &metadata)]);
        for n in (0..64u8).filter(|n| n % 3 != 1) {
            let key = format!("v/c/{}/{}", u64::from(n) / SIDE, u64::from(n) % SIDE);
            store.put(&key, &(self.chunk)(n + 100)).unwrap();
        }
        store
    }
}

/// Reads a region from a store with latency, and compares the values with a store without latency. Returns the round trips and requests.
fn reads(store: &Arc<dyn Store>, region: &Region) -> (u64, u64) {
    let slow = Rounds::of(Arc::clone(store));
    let reader = open(&(Arc::clone(&slow) as Arc<dyn Store>)).unwrap();
    let before = (slow.asked().rounds, slow.requests());
    let env = Env::default();
    let found = Dataset::new(&*reader, &env).read(VarId(0), region).unwrap();
    let local = open(store).unwrap();
    let expected = Dataset::new(&*local, &env).read(VarId(0), region).unwrap();
    assert_eq!(found, expected);
    (slow.asked().rounds - before.0, slow.requests() - before.1)
}

#[test]
fn lengths_are_not_asked_for() {
    for (n, made) in MADE.iter().enumerate() {
        let store = made.store();
        for (region, chunks) in [
            (Region::boxed(vec![0, 0], vec![1, 1]), 1),
            (Region::boxed(vec![0, 96], vec![64, 96]), 1),
            (Region::boxed(vec![3, 100], vec![2, 460]), 5),
            (Region::boxed(vec![64, 0], vec![256, 192]), 8),
            (Region::boxed(vec![0, 0], vec![0, 5]), 0),
            (Region::whole(&[512, 768]), 64),
        ] {
            let (rounds, requests) = reads(&store, &region);
            match n {
                // Without codecs, the requests are ranges of chunks.
                0 | 1 => assert_eq!((rounds, requests), (chunks.min(1), chunks), "{region:?}"),
                // Base64 chunks are longer than the elements, and need a second request.
                _ => assert!(rounds <= 2 && requests <= 2 * chunks, "{region:?}"),
            }
        }
        let strided = Region {
            start: vec![5, 0],
            count: vec![3, 4],
            stride: vec![130, 255],
        };
        reads(&store, &strided);
    }
    let first = Region::boxed(vec![0, 0], vec![1, 1]);
    assert_eq!(reads(&MADE[2].store(), &first), (2, 2));
}

/// Returns the error of `read` and the round trips for a store with this content in one chunk.
fn hostile(made: &TestArray, chunk: &[u8]) -> (ErrorKind, u64) {
    let store = made.store();
    store.put("v/c/0/0", chunk).unwrap();
    let slow = Rounds::of(store);
    let reader = open(&(Arc::clone(&slow) as Arc<dyn Store>)).unwrap();
    let before = slow.asked().bytes;
    let e = read(&*reader, 0).unwrap_err();
    assert!(e.to_string().contains("v/c/0/0"), "{e}");
    (e.kind(), slow.asked().bytes - before)
}

#[test]
fn chunks_that_are_far_too_long_are_not_read() {
    let long = vec![0; 4 << 20];
    for made in &MADE[1..] {
        let (kind, bytes) = hostile(made, &long);
        assert_eq!(kind, ErrorKind::Limit);
        assert!(bytes < 2 << 20, "{bytes}");
    }
    let (kind, _) = hostile(&MADE[0], &long[..CHUNK - 1]);
    assert!(
        kind == ErrorKind::Corrupt || kind == ErrorKind::Truncated,
        "{kind:?}"
    );
}

#[test]
fn large_boxes_and_known_chunks_are_listed() {
    let store = MADE[1].store();
    let slow = Rounds::of(store);
    let reader = open(&(Arc::clone(&slow) as Arc<dyn Store>)).unwrap();
    let before = slow.asked().rounds;
    let env = Env::default();
    let set = Dataset::new(&*reader, &env);
    // The first call looks up all keys in one round trip, and caches the result.
    assert_eq!(set.chunks_stored(VarId(0)).unwrap(), 43);
    assert_eq!(set.chunks_stored(VarId(0)).unwrap(), 43);
    assert_eq!(slow.asked().rounds - before, 1);
    let requests = slow.requests();
    read(&*reader, 0).unwrap();
    assert_eq!(slow.requests() - requests, 43, "missing chunks are known");
}

#[test]
fn many_small_chunks_are_asked_for_once() {
    let metadata = r#"{"zarr_format":3,"node_type":"array","shape":[1000000],"data_type":"uint8","fill_value":7,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},"chunk_key_encoding":{"name":"default"},
        "codecs":[{"name":"bytes"}]}"#;
    let store = store(&[("zarr.json", GROUP3), ("v/zarr.json", metadata)]);
    for n in (0..2000u32).filter(|n| n % 3 != 0) {
        store.put(&format!("v/c/{n}"), &[1]).unwrap();
    }
    let (rounds, requests) = reads(&store, &Region::boxed(vec![0], vec![2000]));
    assert_eq!((rounds, requests), (1, 2000));
}

#[test]
fn huge_grids_are_listed_once() {
    let metadata = r#"{"zarr_format":3,"node_type":"array","shape":[1099511627776],"data_type":"uint8","fill_value":7,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},"chunk_key_encoding":{"name":"default"},
        "codecs":[{"name":"bytes"}]}"#;
    let store = store(&[("zarr.json", GROUP3), ("v/zarr.json", metadata)]);
    store.put("v/c/70000", &[1]).unwrap();
    let slow = Rounds::of(Arc::clone(&store));
    let reader = open(&(Arc::clone(&slow) as Arc<dyn Store>)).unwrap();
    let before = slow.asked().rounds;
    let env = Env::default();
    let set = Dataset::new(&*reader, &env);
    let found = set
        .read(VarId(0), &Region::boxed(vec![0], vec![100_000]))
        .unwrap();
    let Values::UByte(found) = found else {
        panic!()
    };
    assert!(
        found
            .iter()
            .enumerate()
            .all(|(n, &v)| v == if n == 70_000 { 1 } else { 7 })
    );
    assert_eq!(slow.asked().rounds - before, 2, "a list, and a chunk");
}

#[test]
fn bands_are_the_same_as_of_other_stores() {
    let bands = |store: &Arc<dyn Store>, threads, most| {
        let env = Env {
            runtime: Runtime::sized(threads, 1 << 20),
            ..Env::default()
        };
        let reader = open(store).unwrap();
        let mut all = vec![];
        let sink = |bytes: Vec<u8>| {
            all.extend(bytes);
            Ok(())
        };
        let region = Region::whole(&[512, 768]);
        let bands = InBands::new(region, most);
        let set = Dataset::new(&*reader, &env);
        set.bands(VarId(0), bands, |_, bytes| Ok(bytes), sink)
            .unwrap();
        all
    };
    for made in &MADE {
        let store = made.store();
        for (threads, most) in [(1, 768), (3, 768), (1, 100), (3, 30_000), (1, 1 << 20)] {
            let slow = Rounds::of(Arc::clone(&store));
            let found = bands(&(Arc::clone(&slow) as Arc<dyn Store>), threads, most);
            assert!(found == bands(&store, threads, most), "{threads} {most}");
            // Opening needs three round trips. Chunks without codecs are read by rows, with one request per row.
            let parts = made.codecs == MADE[0].codecs;
            assert!(parts || slow.requests() < 3 + 2 * 64, "{}", slow.requests());
        }
    }
}

#[test]
fn shards_are_read_together() {
    let (json, bytes) = shard();
    let json = json.replace("\"shape\":[4,4]", "\"shape\":[16,12]");
    assert!(json.contains("[16,12]"));
    let store = store(&[("zarr.json", GROUP3), ("v/zarr.json", &json)]);
    for n in (0..12).filter(|n| n % 5 != 0) {
        store
            .put(&format!("v/c/{}/{}", n / 3, n % 3), &bytes)
            .unwrap();
    }
    // The keys, the indexes of the nine stored shards, and two chunks per shard, in row order.
    assert_eq!(
        reads(&store, &Region::whole(&[16, 12])),
        (3, 12 + 9 + 2 * 9)
    );
}

#[test]
fn texts_of_chunks_are_read_together() {
    let metadata = r#"{"zarr_format":3,"node_type":"array","shape":[80],"data_type":"string","fill_value":"none",
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},
        "codecs":[{"name":"vlen-utf8"}]}"#;
    let store = store(&[("zarr.json", GROUP3), ("v/zarr.json", metadata)]);
    for n in (0..40u8).filter(|n| n % 8 != 3) {
        let text = [b'a' + n % 26; 3000];
        let mut chunk = vec![2, 0, 0, 0, 1, 0, 0, 0, n + 40];
        chunk.extend(3000u32.to_le_bytes());
        chunk.extend(text);
        store.put(&format!("v/c/{n}"), &chunk).unwrap();
    }
    // The sizes of all keys, then sixteen chunks at a time.
    assert_eq!(reads(&store, &Region::whole(&[80])), (1 + 3, 40 + 35));
}

#[test]
fn chunks_that_may_be_stored_are_missing_when_others_know_more() {
    let store = MADE[0].store();
    let slow: Arc<dyn Store> = Rounds::of(Arc::clone(&store));
    let reader = open(&slow).unwrap();
    let all = Block::whole(&[SIDE, SIDE]);
    let mut found = vec![];
    let mut visit = |chunk| {
        found.push(chunk);
        Ok(())
    };
    let candidates = Locate::Candidates;
    reader
        .locate(VarId(0), &all, candidates, &mut visit)
        .unwrap();
    assert_eq!(found.len(), 64);
    // From here on, all keys are known.
    reader
        .locate(VarId(0), &all, Locate::Stored, &mut |_| Ok(()))
        .unwrap();
    let bytes = reader.bytes().fetch(&found).unwrap();
    for (n, bytes) in bytes.iter().enumerate() {
        assert_eq!(*bytes == KeyContent::Missing, n % 3 == 1, "{n}");
    }
    store.delete("v/c/0/0").unwrap();
    let e = reader.bytes().fetch(&found[..1]).unwrap_err();
    assert!(e.to_string().contains("v/c/0/0"), "{e}");
}
