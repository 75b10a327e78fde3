//! Checks that chunks written by libhdf5 through each filter (`testdata/filters`) decode to the original data, and that damaged chunks are
//! harmless.

use super::tests::{build, context};
use super::{ChunkContext, Encoded, deflate, lzf, zfp};
use crate::error::Result;

/// The filters with chunks in `testdata/filters`.
const FILTERS: [u32; 7] = [307, 32000, 32001, 32004, 32008, 32013, 32015];

/// A line of the index.
struct Vector {
    line: String,
    stored: Vec<u8>,
    id: u32,
    params: Vec<u32>,
    size: usize,
    plain: Vec<u8>,
}

fn vectors() -> Vec<Vector> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/filters");
    let chunks = std::fs::read(folder.join("chunks.bin")).unwrap();
    let index = std::fs::read_to_string(folder.join("index.txt")).unwrap();
    index.lines().map(|line| vector(line, &chunks)).collect()
}

fn vector(line: &str, chunks: &[u8]) -> Vector {
    let fields: Vec<&str> = line.split(' ').collect();
    let [offset, len, id, params, size, order, kind, count, _] = fields[..] else {
        panic!("{line}");
    };
    let number = |text: &str| text.parse::<usize>().unwrap();
    let list = |text: &str| match text {
        "-" => Vec::new(),
        _ => text.split(',').map(|n| n.parse().unwrap()).collect(),
    };
    let (offset, size, count) = (number(offset), number(size), number(count));
    let big = order == "big";
    Vector {
        line: line.to_owned(),
        stored: chunks[offset..offset + number(len)].to_vec(),
        id: id.parse().unwrap(),
        params: list(params),
        size,
        plain: match kind.strip_prefix('@') {
            Some(at) => chunks[number(at)..][..size * count].to_vec(),
            None => plain(kind, size, big, count),
        },
    }
}

/// Returns the data that `make.py` passed to libhdf5.
fn plain(kind: &str, size: usize, big: bool, count: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut out = Vec::new();
    for i in 0..count as u64 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let value = match kind {
            "zeros" => 0,
            "steps" => i / 1000,
            "ramp" => 1000 + 3 * i + ((i * i) >> 5 & 7),
            "noise" => state,
            _ => panic!("{kind}"),
        };
        let mut element = value.to_le_bytes().to_vec();
        element.resize(size, 0);
        if big {
            element.reverse();
        }
        out.extend(element);
    }
    out
}

impl Vector {
    fn is_lossy(&self) -> bool {
        const REVERSIBLE: u32 = 0x8800_0000;
        self.id == zfp::ENTRY.id && self.params[3] & 0xFFF0_0000 != REVERSIBLE
    }

    fn context(&self, len: Option<usize>) -> ChunkContext {
        ChunkContext {
            len,
            ..context(self.plain.len(), self.size as u64)
        }
    }

    fn decode(&self, stored: &[u8], len: Option<usize>) -> Result<Vec<u8>> {
        let context = self.context(len);
        let filter = build(self.id, &self.params, &context)?;
        let mut output = Vec::new();
        filter.decode(&context, stored, &mut output)?;
        assert!(output.len() <= context.limit(), "{}", self.line);
        Ok(output)
    }
}

#[test]
fn chunks_decode_to_the_original_data() {
    let vectors = vectors();
    for id in FILTERS {
        let count = vectors.iter().filter(|v| v.id == id).count();
        assert!(count >= 12, "{count} chunks of filter {id}");
    }
    for v in &vectors {
        for len in [Some(v.plain.len()), None] {
            match v.decode(&v.stored, len) {
                Ok(found) => assert!(found == v.plain, "{}: other bytes", v.line),
                Err(e) => panic!("{}: {e}", v.line),
            }
        }
    }
}

#[test]
fn encoded_data_round_trips() {
    for v in &vectors() {
        let context = v.context(Some(v.plain.len()));
        let filter = build(v.id, &v.params, &context).unwrap();
        let mut stored = Vec::new();
        let encoded = filter.encode(&context, &v.plain, &mut stored);
        match encoded.unwrap_or_else(|e| panic!("{}: {e}", v.line)) {
            Encoded::Declined => assert_eq!(v.id, lzf::ENTRY.id, "{}", v.line),
            Encoded::Applied if v.is_lossy() => {
                let found = v.decode(&stored, Some(v.plain.len()));
                assert_eq!(found.unwrap().len(), v.plain.len(), "{}", v.line);
            }
            Encoded::Applied => {
                let found = v.decode(&stored, Some(v.plain.len())).unwrap();
                assert!(found == v.plain, "{}: other bytes", v.line);
                let (ours, theirs) = (stored.len(), v.stored.len());
                assert!(
                    ours <= theirs + theirs / 2 + 400,
                    "{}: {ours} bytes",
                    v.line
                );
            }
        }
    }
}

/// Compressors reuse their memory from chunk to chunk.
#[test]
fn stored_bytes_do_not_depend_on_the_chunks_before() {
    let vectors = vectors();
    let encode = |v: &Vector| {
        let context = v.context(Some(v.plain.len()));
        let filter = build(v.id, &v.params, &context).unwrap();
        let mut stored = Vec::new();
        filter.encode(&context, &v.plain, &mut stored).unwrap();
        stored
    };
    let all: Vec<Vec<u8>> = vectors.iter().map(encode).collect();
    let backwards = std::thread::scope(|scope| {
        let thread = scope.spawn(|| vectors.iter().rev().map(encode).collect::<Vec<_>>());
        thread.join().unwrap()
    });
    for ((v, one), other) in vectors.iter().zip(&all).zip(backwards.iter().rev()) {
        assert!(one == other, "{}", v.line);
    }
    for level in [1, 4, 9] {
        let context = context(4000, 4);
        let filter = build(deflate::ENTRY.id, &[level], &context).unwrap();
        let mut stored = [vec![], vec![], vec![]];
        let chunk = |n: u32| (0..1000).flat_map(|i| (i * n / 7).to_le_bytes()).collect();
        let chunks: [Vec<u8>; 3] = [chunk(5), chunk(77), chunk(5)];
        for (chunk, stored) in chunks.iter().zip(&mut stored) {
            filter.encode(&context, chunk, stored).unwrap();
        }
        let [first, other, again] = stored;
        assert!(first == again && first != other, "deflate {level}");
    }
}

#[test]
fn chunks_above_the_output_limit_are_rejected() {
    for v in vectors() {
        assert!(
            v.decode(&v.stored, Some(v.plain.len() - 1)).is_err(),
            "{}",
            v.line
        );
    }
}

#[test]
fn cut_chunks_do_no_harm() {
    for v in vectors().iter().filter(|v| v.stored.len() < 6000) {
        let step = (v.stored.len() / 20).max(1);
        for end in (0..v.stored.len()).step_by(step) {
            // Some decoders do not detect missing padding.
            let _ = v.decode(&v.stored[..end], Some(v.plain.len()));
            let _ = v.decode(&v.stored[..end], None);
        }
    }
}

#[test]
fn flipped_bits_do_no_harm() {
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    for v in vectors().iter().filter(|v| v.stored.len() < 6000) {
        for round in 0..20 {
            let mut stored = v.stored.clone();
            for _ in 0..=round / 8 {
                // Headers are at the start, so half of the flips are there.
                let below = if round % 2 == 0 {
                    stored.len().min(40)
                } else {
                    stored.len()
                };
                stored[random(below)] ^= 1 << random(8);
            }
            let _ = v.decode(&stored, Some(v.plain.len()));
            let _ = v.decode(&stored, None);
        }
    }
}

#[test]
fn bad_parameters_do_no_harm() {
    for v in vectors().iter_mut().step_by(7) {
        let params = v.params.clone();
        for n in 0..params.len() {
            for bit in 0..32 {
                v.params.clone_from(&params);
                v.params[n] ^= 1 << bit;
                let _ = v.decode(&v.stored, Some(v.plain.len()));
            }
            v.params.clone_from(&params);
            v.params.truncate(n);
            let _ = v.decode(&v.stored, Some(v.plain.len()));
        }
    }
}
