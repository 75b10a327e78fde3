//! Deflate: LZ77 with Huffman codes.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 1 |
//! | Names | `deflate`; in Zarr `zlib` |
//! | Parameters | stored: level 0 to 9 (the decoder ignores it); the user gives the same, default 6 |
//! | Stored form | a zlib stream: RFC 1950 around RFC 1951, with an Adler-32 checksum of the decoded bytes |
//! | Also read by | libhdf5, h5py, netCDF-C, netCDF-Java, jhdf and every other HDF5 library |
//!
//! Bytes after the end of the stream are ignored, as in zlib: some writers pad. Compressed bytes differ between implementations, even at
//! the same level; decoded bytes do not.
//!
//! The C library libdeflate compresses: at every level it takes at most half of zlib's time, and its output is smaller. The Rust library
//! zlib-rs took 1.6 times as long at level 4. miniz_oxide took half as long at level 1, for 3 % more bytes. libdeflate also decodes chunks
//! of known size: it decodes 600 MB/s of shuffled floats with noise, zlib-rs 420 MB/s.
//!
//! zlib-rs decodes streams that libdeflate rejects (for its error message), streams of unknown size, and gzip members, because libdeflate
//! does not report their end. zlib-rs was the fastest pure Rust implementation at the time of writing: 1.1 to 1.6 times as fast as
//! zune-inflate, and 1.2 to 2.8 times as fast as miniz_oxide, on shuffled and plain floats. But the checksum takes 40 % of its time, so
//! this module computes the checksum.

use std::cell::RefCell;

use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use simd_adler32::adler32;

use super::codec::{CodecStage, whole};
use super::output::{allocate, append_with, bad, extend, truncated, unsupported};
use super::parameter_names::{Parameter, ParameterMode};
use super::user_params::wrong;
use super::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy, StrictCheck, corrupt};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 1,
    name: "deflate",
    codec: Some(CodecNames {
        name: "zlib",
        v3: "numcodecs.zlib",
        stage: CodecStage::Bytes,
        read: |config| Ok(vec![config.level(0..=9, 6)?]),
        write: |params, _| Ok(vec![whole("level", level(params)?)]),
    }),
    policy: Policy::PLAIN,
    named: &[ParameterMode::of(&[Parameter::number("level", 6)])],
    prepare: |_, user| Ok(vec![level(user)?]),
    build: |params, _| {
        Ok(Box::new(Deflate {
            level: params.first().copied(),
        }))
    },
};

/// A deflate stream without its container.
pub(super) struct DeflateStream<'a> {
    /// The bare stream.
    pub stream: &'a [u8],
    /// The decoded bytes.
    pub decoded: &'a [u8],
}

/// The maximum decoded bytes per stream byte: a match of 258 bytes takes at least two bits.
const RATIO: usize = 1032;

/// Additional output space: inflating is fastest if the longest match always fits.
const SLACK: usize = 320;

struct Deflate {
    level: Option<u32>,
}

impl Filter for Deflate {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        if let Some(len) = context.len
            && whole_stream(len, input, output)?
        {
            return Ok(());
        }
        let body = body(input)?;
        let used = inflate("deflate", context, body, output)?;
        check_sum(body.get(used..).unwrap_or_default(), output)
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        stream("deflate", level(self.level.as_slice())?, input, output)?;
        Ok(Encoded::Applied)
    }

    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Decoding
    }
}

/// Returns the bare stream in a zlib stream, and decodes it into the empty `output`. Bytes after the stream are dropped.
pub(super) fn bare<'a>(
    context: &ChunkContext,
    input: &'a [u8],
    output: &mut Vec<u8>,
) -> Result<&'a [u8]> {
    let body = body(input)?;
    let used = inflate("deflate", context, body, output)?;
    let parts = body.split_at_checked(used);
    let (stream, sum) = parts.ok_or_else(|| truncated("deflate"))?;
    check_sum(sum, output)?;
    Ok(stream)
}

/// Returns a zlib stream with this bare stream.
pub(super) fn wrapped(stream: &DeflateStream<'_>) -> Vec<u8> {
    let sum = adler32(&stream.decoded).to_be_bytes();
    [&HEAD, stream.stream, &sum].concat()
}

/// The header of a zlib stream with a window of 32 KiB.
const HEAD: [u8; 2] = [0x78, 0x9C];

/// Checks the checksum at the start of `rest`.
fn check_sum(rest: &[u8], decoded: &[u8]) -> Result<()> {
    let sum = rest.first_chunk().ok_or_else(|| truncated("deflate"))?;
    if u32::from_be_bytes(*sum) != adler32(&decoded) {
        return Err(bad("deflate", "the checksum does not match the data"));
    }
    Ok(())
}

/// Appends the zlib stream of `input`, for `filter`.
pub(super) fn stream(filter: &str, level: u32, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    with_compressor(level, |compressor| {
        let bound = compressor.zlib_compress_bound(input.len());
        append_with(filter, output, bound, |room| {
            let made = compressor.zlib_compress(input, room);
            made.map_err(|e| bad(filter, e))
        })
    })
}

/// Calls `work` with this thread's compressor. A compressor has large tables, so each thread has only one.
pub(super) fn with_compressor<T>(
    level: u32,
    work: impl FnOnce(&mut Compressor) -> Result<T>,
) -> Result<T> {
    thread_local! {
        static KEPT: RefCell<Option<(u32, Compressor)>> = const { RefCell::new(None) };
    }
    KEPT.with_borrow_mut(|kept| match kept {
        Some((of, compressor)) if *of == level => work(compressor),
        Some(_) | None => {
            let steps = i32::try_from(level).map_err(|e| corrupt(e.to_string()))?;
            let steps =
                CompressionLvl::new(steps).map_err(|e| corrupt(format!("deflate: {e:?}")))?;
            work(&mut kept.insert((level, Compressor::new(steps))).1)
        }
    })
}

/// Appends the decoded form of a zlib stream with at most `len` decoded bytes. Returns false and appends nothing if `input` is something
/// else.
fn whole_stream(len: usize, input: &[u8], output: &mut Vec<u8>) -> Result<bool> {
    thread_local! {
        static KEPT: RefCell<Decompressor> = RefCell::new(Decompressor::new());
    }
    let start = output.len();
    let most = len.min(input.len().saturating_mul(RATIO));
    let room = extend("deflate", output, most)?;
    let made = KEPT.with_borrow_mut(|decoder| decoder.zlib_decompress(input, room));
    let made = made.ok();
    output.truncate(start.saturating_add(made.unwrap_or(0)));
    Ok(made.is_some())
}

/// Returns the bytes after the two header bytes of a zlib stream.
fn body(input: &[u8]) -> Result<&[u8]> {
    let (head, body) = input
        .split_first_chunk()
        .ok_or_else(|| truncated("deflate"))?;
    let [method, flags] = *head;
    let deflate = method & 0x0F == 8 && method >> 4 <= 7;
    if !deflate || !u16::from_be_bytes(*head).is_multiple_of(31) {
        return Err(bad("deflate", "not a zlib stream"));
    }
    if flags & 0x20 != 0 {
        return Err(unsupported("deflate", "a preset dictionary"));
    }
    Ok(body)
}

/// Appends the decoded form of a bare deflate stream, for `filter`, and returns its length in bytes.
pub(super) fn inflate(
    filter: &str,
    context: &ChunkContext,
    input: &[u8],
    output: &mut Vec<u8>,
) -> Result<usize> {
    let limit = context.limit();
    let most = input.len().saturating_mul(RATIO).min(limit);
    let first = match context.len {
        Some(_) => most,
        None => input.len().saturating_mul(4).min(most),
    };
    allocate(filter, output, first.saturating_add(SLACK))?;
    let mut stream = Decompress::new(false);
    let used = |stream: &Decompress| usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
    loop {
        let rest = input.get(used(&stream)..).unwrap_or_default();
        let status = stream.decompress_vec(rest, output, FlushDecompress::Finish);
        let status = status.map_err(|e| match e.message() {
            // zlib-rs reports its error once, then only a repeated call.
            Some("repeated call with bad state") | None => bad(filter, "damaged data"),
            Some(_) => bad(filter, e),
        })?;
        if output.len() > limit {
            return Err(bad(
                filter,
                format_args!("more than the {limit} bytes expected"),
            ));
        }
        match status {
            Status::StreamEnd => return Ok(used(&stream)),
            Status::Ok | Status::BufError if output.len() < output.capacity() => {
                return Err(truncated(filter));
            }
            Status::Ok | Status::BufError => allocate(filter, output, output.len().max(SLACK))?,
        }
    }
}

/// Returns the level in a user's parameters.
pub(super) fn level(user: &[u32]) -> Result<u32> {
    match user {
        [] => Ok(6),
        [level @ 0..=9] => Ok(*level),
        _ => Err(wrong("deflate", "one level from 0 to 9", user)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::filter::tests::{build, context, damage, decode};

    /// Returns 1000 bytes with three repeating patterns.
    fn data() -> Vec<u8> {
        (0..1000_u32)
            .map(|n| u8::try_from(n * n / 7 % 251).unwrap() & 0xF3)
            .collect()
    }

    fn encoded(level: u32, data: &[u8]) -> Vec<u8> {
        let (context, mut out) = (context(data.len(), 1), vec![]);
        let filter = build(1, &[level], &context).unwrap();
        filter.encode(&context, data, &mut out).unwrap();
        out
    }

    #[test]
    fn round_trips_on_every_level() {
        for level in 0..=9 {
            for len in [0, 1, 2, 255, 1000] {
                let data = &data()[..len];
                let stored = encoded(level, data);
                assert_eq!(decode(1, &[level], len, &stored).unwrap(), data);
            }
        }
    }

    #[test]
    fn needs_no_length() {
        let zeros = vec![0; 1 << 20];
        let stored = encoded(9, &zeros);
        assert!(stored.len() < 2000);
        let context = ChunkContext {
            shape: vec![1 << 20],
            ..context(4, 1).of_any_length()
        };
        let mut out = vec![];
        let filter = build(1, &[9], &context).unwrap();
        filter.decode(&context, &stored, &mut out).unwrap();
        assert_eq!(out, zeros);
    }

    #[test]
    fn more_than_expected_is_corrupt() {
        let stored = encoded(6, &vec![0; 1 << 20]);
        let e = decode(1, &[6], 1000, &stored).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
        assert_eq!(e.what(), "deflate: more than the 1000 bytes expected");
    }

    #[test]
    fn ignores_bytes_after_the_stream() {
        let mut stored = encoded(4, &data());
        stored.extend([0xAA; 100]);
        assert_eq!(decode(1, &[4], 1000, &stored).unwrap(), data());
    }

    #[test]
    fn a_cut_stream_is_truncated() {
        let stored = encoded(4, &data());
        for len in 0..stored.len() {
            let e = decode(1, &[4], 1000, &stored[..len]).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Truncated, "{len}");
        }
    }

    #[test]
    fn a_wrong_checksum_is_noticed() {
        let mut stored = encoded(4, &data());
        *stored.last_mut().unwrap() ^= 1;
        let e = decode(1, &[4], 1000, &stored).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn the_head_is_checked() {
        let mut stored = encoded(4, &data());
        for head in [[0x79, 0x18], [0x78, 0x9D], [0x88, 0x1C], [0x78, 0xBB]] {
            stored[..2].copy_from_slice(&head);
            assert!(decode(1, &[4], 1000, &stored).is_err(), "{head:02x?}");
        }
        stored[..2].copy_from_slice(&[0x18, 0x19]);
        assert!(
            decode(1, &[4], 1000, &stored).is_ok(),
            "a window of 512 bytes"
        );
    }

    #[test]
    fn survives_damage() {
        damage(1, &[4], 1000, &encoded(4, &data()));
        damage(1, &[0], 100, &encoded(0, &data()[..100]));
    }

    #[test]
    fn levels_are_checked() {
        let context = context(4, 4);
        assert_eq!((ENTRY.prepare)(&context, &[]).unwrap(), [6]);
        assert_eq!((ENTRY.prepare)(&context, &[9]).unwrap(), [9]);
        for wrong in [&[10][..], &[1, 2]] {
            let e = (ENTRY.prepare)(&context, wrong).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument);
        }
    }
}
