//! bzip2: Burrows-Wheeler transform and Huffman codes.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 307 |
//! | Names | `bzip2` (netCDF), `bz2` |
//! | Parameters | stored: level, 1 to 9, the block size in 100 kB (the decoder ignores it); the user gives the same, default 9 |
//! | Specification | none; libbzip2 defines it |
//! | Also read by | netCDF-C with its plugins, PyTables, hdf5plugin, the HDF Group's plugins |
//!
//! A chunk is one bzip2 stream. Bytes after the stream are ignored, as in the C filter. If the stream has too few bytes, the following
//! streams belong to the chunk, as in numcodecs.

use bzip2::{Action, Compress, Compression, Decompress, Status};

use super::codec::{CodecStage, whole};
use super::output::{allocate, bad, too_long, truncated};
use super::parameter_names::{Parameter, ParameterMode};
use super::user_params::wrong;
use super::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy, StrictCheck};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 307,
    name: NAME,
    codec: Some(CodecNames {
        name: "bz2",
        v3: "numcodecs.bz2",
        stage: CodecStage::Bytes,
        read: |config| Ok(vec![config.level(1..=9, 1)?]),
        write: |params, _| Ok(vec![whole("level", level(params)?)]),
    }),
    policy: Policy::PLAIN,
    named: &[ParameterMode::of(&[Parameter::number("level", 9)])],
    prepare: |_, user| {
        let level = level(user)?;
        // Parameters after the level have no meaning. The filter keeps them, like the C plugin.
        Ok([&[level], user.get(1..).unwrap_or_default()].concat())
    },
    build: |params, _| {
        Ok(Box::new(Bzip2 {
            level: params.first().copied(),
        }))
    },
};

const NAME: &str = "bzip2";

struct Bzip2 {
    level: Option<u32>,
}

impl Filter for Bzip2 {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        self.decode_strictly(context, input, output).map(|_| ())
    }

    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Decoding
    }

    /// libhdf5's plugin and netCDF-C decode the first stream; numcodecs decodes all streams.
    fn decode_strictly(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<bool> {
        let mut rest = stream(context, input, output)?;
        let mut alone = true;
        while rest.starts_with(MAGIC) && context.len != Some(output.len()) {
            rest = stream(context, rest, output)?;
            alone = false;
        }
        Ok(alone)
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        let level = Compression::new(level(self.level.as_slice())?);
        let mut stream = Compress::new(level, 0);
        let mut room = input.len() / 2;
        loop {
            allocate(NAME, output, room.saturating_add(SLACK))?;
            let done = usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
            let rest = input.get(done..).unwrap_or_default();
            let status = stream.compress_vec(rest, output, Action::Finish);
            match status.map_err(|e| bad(NAME, e))? {
                Status::StreamEnd => return Ok(Encoded::Applied),
                Status::Ok
                | Status::FlushOk
                | Status::RunOk
                | Status::FinishOk
                | Status::MemNeeded => room = output.len(),
            }
        }
    }
}

/// The first bytes of a stream.
const MAGIC: &[u8] = b"BZh";

/// Appends the decoded stream at the start of `input`; returns the bytes after it.
fn stream<'a>(context: &ChunkContext, input: &'a [u8], output: &mut Vec<u8>) -> Result<&'a [u8]> {
    let mut stream = Decompress::new(false);
    let limit = context.limit();
    let mut room = context.len.unwrap_or_else(|| input.len().saturating_mul(4));
    loop {
        // Read one byte more than the limit, to distinguish the stream end from too much output.
        let more = room
            .min(limit.saturating_sub(output.len()))
            .saturating_add(1);
        allocate(NAME, output, more)?;
        if step(&mut stream, input, output)? == Status::StreamEnd {
            break;
        }
        if output.len() > limit {
            return Err(too_long(NAME, "more", limit));
        }
        if output.len() < output.capacity() {
            return Err(truncated(NAME));
        }
        room = output.len();
    }
    if output.len() > limit {
        return Err(too_long(NAME, output.len(), limit));
    }
    let used = usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
    Ok(input.get(used..).unwrap_or_default())
}

/// An upper bound of the additional output space for the shortest stream.
const SLACK: usize = 600;

/// Returns the level in a user's parameters.
fn level(user: &[u32]) -> Result<u32> {
    match user {
        [] => Ok(9),
        [level @ 1..=9, ..] => Ok(*level),
        _ => Err(wrong(NAME, "one level from 1 to 9", user)),
    }
}

/// Decodes until the output's capacity is full or the input ends.
fn step(stream: &mut Decompress, input: &[u8], output: &mut Vec<u8>) -> Result<Status> {
    let done = usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
    let rest = input.get(done..).unwrap_or_default();
    let status = stream.decompress_vec(rest, output);
    status.map_err(|e| bad(NAME, e))
}
