//! Zstandard: LZ77 with large windows and entropy coding.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 32015 |
//! | Names | `zstd` (netCDF), `zstandard` |
//! | Parameters | stored: level, -131072 to 22 as a signed number (the decoder ignores it), then 1 if frames have checksums; the user gives the same, default 3 |
//! | Specification | RFC 8878 |
//! | Also read by | netCDF-C with its plugins, hdf5plugin, the HDF Group's plugins |
//!
//! A chunk is a sequence of frames, usually one. The C library decodes because no other library is as fast.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::Read;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{compress_bound, find_frame_compressed_size, get_frame_content_size};

use super::codec::{CodecStage, Config, DescriptionUse, Members, whole};
use super::output::{allocate, append_with, bad, extend, too_long};
use super::parameter_names::{Parameter, ParameterMode};
use super::user_params::wrong;
use super::{
    ChunkContext, CodecNames, Encoded, Filter, FilterEntry, FilterReplacement, Policy, StrictCheck,
};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::model::ZarrVersion;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 32015,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: NAME,
        stage: CodecStage::Bytes,
        read: from_codec,
        write: to_codec,
    }),
    policy: Policy {
        visible: |params| level_of(params).to_vec(),
        decoding: level_of,
        in_hdf5: |params| FilterReplacement::substitute(ENTRY.id, level_of(params)),
        ..Policy::PLAIN
    },
    named: &[ParameterMode::of(&[Parameter::number("level", 3)])],
    prepare: |_, user| match user {
        [_, CHECKED] => Ok(vec![level(user)?.cast_unsigned(), CHECKED]),
        _ => Ok(vec![level(user)?.cast_unsigned()]),
    },
    build: |params, _| {
        Ok(Box::new(Zstd {
            params: params.to_vec(),
        }))
    },
};

/// Returns the level alone. netCDF-C accepts only the level. The frame headers record whether frames have checksums.
fn level_of(params: &[u32]) -> &[u32] {
    params.get(..1).unwrap_or(params)
}

const NAME: &str = "zstd";

/// The range of levels.
const LOWEST: i32 = -131_072;
const HIGHEST: i32 = 22;

/// The second parameter, for frames with a checksum.
const CHECKED: u32 = 1;

struct Zstd {
    params: Vec<u32>,
}

impl Filter for Zstd {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        match context.len {
            Some(len) => {
                allocate(NAME, output, len)?;
                let made = with_decompressor(|d| d.decompress_to_buffer(input, output));
                made.map_err(|e| bad(NAME, e))?;
            }
            None => grow(context.limit(), input, output)?,
        }
        let limit = context.limit();
        if output.len() > limit {
            return Err(too_long(NAME, output.len(), limit));
        }
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        let level = level(&self.params)?;
        let checked = self.params.get(1) == Some(&CHECKED);
        allocate(NAME, output, compress_bound(input.len()).saturating_add(4))?;
        let made = with_compressor(level, |c| {
            c.include_checksum(checked)?;
            c.compress_to_buffer(input, output)
        });
        made.map_err(|e| failed(NAME, e))?;
        Ok(Encoded::Applied)
    }

    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Headers
    }

    /// libhdf5's plugin and netCDF-C allocate the content size of the first frame, and decode only this frame.
    fn is_strict(&self, context: &ChunkContext, input: &[u8]) -> bool {
        let size = get_frame_content_size(input).ok().flatten();
        let states = size.is_some_and(|size| match context.len {
            Some(len) => size == len as u64,
            None => true,
        });
        input.starts_with(&FRAME) && states && find_frame_compressed_size(input) == Ok(input.len())
    }
}

/// The magic number of a data frame.
const FRAME: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

fn from_codec(config: &Config<'_>) -> Result<Vec<u32>> {
    let levels = i64::from(LOWEST)..=i64::from(HIGHEST);
    let level = config.level(levels, zstd::DEFAULT_COMPRESSION_LEVEL.cast_unsigned())?;
    Ok(match config.flag("checksum")? {
        true => vec![level, CHECKED],
        false => vec![level],
    })
}

fn to_codec(params: &[u32], shown: &DescriptionUse<'_>) -> Result<Members> {
    let checked = params.get(1) == Some(&CHECKED);
    let mut members = vec![whole("level", level(params)?)];
    if checked || shown.version == ZarrVersion::V3 {
        members.push(("checksum".to_owned(), Json::Bool(checked)));
    }
    Ok(members)
}

/// Returns the level in a user's parameters: a signed number, default 3.
fn level(user: &[u32]) -> Result<i32> {
    match user {
        [] => Ok(zstd::DEFAULT_COMPRESSION_LEVEL),
        [level] | [level, CHECKED] if (LOWEST..=HIGHEST).contains(&level.cast_signed()) => {
            Ok(level.cast_signed())
        }
        _ => Err(wrong(
            NAME,
            format_args!("one level from {LOWEST} to {HIGHEST}"),
            user,
        )),
    }
}

/// Decodes data of unknown length, up to one byte more than `limit`.
fn grow(limit: usize, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    let limit = (limit as u64).saturating_add(1);
    let decoder = zstd::stream::read::Decoder::with_buffer(input);
    decoder
        .and_then(|d| d.take(limit).read_to_end(output))
        .map(|_| ())
        .map_err(|e| bad(NAME, e))
}

/// Appends the `n` decoded bytes of `frames`, for `filter`.
pub(super) fn frames_into(
    filter: &str,
    frames: &[u8],
    n: usize,
    output: &mut Vec<u8>,
) -> Result<()> {
    let target = extend(filter, output, n)?;
    match with_decompressor(|d| d.decompress_to_buffer(frames, target)) {
        Ok(len) if len == n => Ok(()),
        Ok(len) => Err(bad(
            filter,
            format_args!("zstd data decodes to {len} bytes, expected {n}"),
        )),
        Err(e) => Err(bad(filter, format_args!("bad zstd data: {e}"))),
    }
}

/// Appends `input` compressed as a frame, for `filter`.
pub(super) fn frame(filter: &str, level: i32, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    append_with(filter, output, compress_bound(input.len()), |room| {
        let made = with_compressor(level, |c| {
            c.include_checksum(false)?;
            c.compress_to_buffer(input, room)
        });
        made.map_err(|e| failed(filter, e))
    })
}

/// Returns the error for a failure of the C library.
#[cold]
fn failed(filter: &str, e: impl Display) -> Error {
    let what = format!("{filter}: zstd cannot compress the chunk: {e}");
    Error::new(ErrorKind::Limit, what)
}

/// Calls `work` with this thread's compressor. A compressor has large tables, so each thread has only one.
fn with_compressor(
    level: i32,
    work: impl FnOnce(&mut Compressor<'static>) -> std::io::Result<usize>,
) -> std::io::Result<usize> {
    thread_local! {
        static KEPT: RefCell<Option<(i32, Compressor<'static>)>> = const { RefCell::new(None) };
    }
    KEPT.with_borrow_mut(|kept| match kept {
        Some((of, compressor)) if *of == level => work(compressor),
        Some(_) | None => work(&mut kept.insert((level, Compressor::new(level)?)).1),
    })
}

/// Calls `work` with this thread's decompressor. Creating one takes as long as decoding a small chunk.
fn with_decompressor(
    work: impl FnOnce(&mut Decompressor<'static>) -> std::io::Result<usize>,
) -> std::io::Result<usize> {
    thread_local! {
        static KEPT: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    KEPT.with_borrow_mut(|kept| match kept {
        Some(decompressor) => work(decompressor),
        None => work(kept.insert(Decompressor::new()?)),
    })
}
