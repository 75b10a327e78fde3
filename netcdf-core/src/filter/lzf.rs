//! LZF, the fast filter of h5py: LZ77 with distances up to 8 KiB.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 32000 |
//! | Names | `lzf` |
//! | Parameters | revision of the filter, version of LZF, chunk size; the user gives none |
//! | Specification | none; LibLZF and the filter in h5py define it |
//! | Also read by | h5py, PyTables, the HDF Group's plugins |
//!
//! A chunk is a sequence of runs. A byte below 32 starts a run of literal bytes, one more than its value. Any other byte starts a repeat:
//! its upper 3 bits are a length (7: the next byte is added), its lower 5 bits and the next byte a distance. A repeat copies length + 2
//! bytes, starting distance + 1 bytes back.

use super::codec::ids;
use super::lz::{LzWindow, Repeat, RepeatLimits, parse};
use super::output::{allocate, array, reserve, take};
use super::user_params::{chunk_bytes, wrong};
use super::{ChunkContext, Encoded, Filter, FilterEntry, FilterReplacement, Policy};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 32000,
    name: NAME,
    codec: None,
    policy: Policy {
        in_zarr: |_, _| FilterReplacement::substitute(ids::LZ4, &[1]),
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |context, user| match user {
        // Stored parameters are recomputed, as in h5py's filter.
        [] | [REVISION, _, _] => Ok(vec![REVISION, VERSION, chunk_bytes(NAME, context)?]),
        _ => Err(wrong(NAME, "no parameters", user)),
    },
    build: |_, _| Ok(Box::new(Lzf)),
};

const NAME: &str = "lzf";

/// The revision of h5py's filter and the version of LibLZF that this code implements.
const REVISION: u32 = 4;
const VERSION: u32 = 0x0105;

struct Lzf;

impl Filter for Lzf {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        reserve(NAME, context, context.len.unwrap_or(0) as u64, output)?;
        let mut window = LzWindow::new(NAME, output, context.limit());
        let mut input = input;
        while !input.is_empty() {
            run(&mut input, &mut window)?;
        }
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        allocate(
            NAME,
            output,
            input.len().saturating_add(input.len() / 32 + 1),
        )?;
        parse(input, &LIMITS, |literals, repeat| {
            put_literals(literals, output);
            if let Some(repeat) = repeat {
                put_repeat(repeat, output);
            }
        });
        Ok(if output.len() < input.len() {
            Encoded::Applied
        } else {
            Encoded::Declined
        })
    }
}

/// The maximum length and distance of a repeat.
const LIMITS: RepeatLimits = RepeatLimits {
    shortest: 3,
    longest: 264,
    farthest: 8192,
};

/// Appends runs of literal bytes.
pub(super) fn put_literals(literals: &[u8], output: &mut Vec<u8>) {
    for run in literals.chunks(32) {
        output.extend(u8::try_from(run.len().saturating_sub(1)));
        output.extend_from_slice(run);
    }
}

fn put_repeat(repeat: Repeat, output: &mut Vec<u8>) {
    let [high, low] = repeat.distance_less_1();
    match u8::try_from(repeat.len.saturating_sub(2)) {
        Ok(len @ 0..7) => output.extend_from_slice(&[len << 5 | high, low]),
        Ok(_) | Err(_) => {
            let more = u8::try_from(repeat.len.saturating_sub(9)).unwrap_or(u8::MAX);
            output.extend_from_slice(&[7 << 5 | high, more, low]);
        }
    }
}

fn run(input: &mut &[u8], window: &mut LzWindow) -> Result<()> {
    let [control] = array(NAME, input)?.map(usize::from);
    if control < 32 {
        return window.literal(take(NAME, input, control + 1)?);
    }
    let mut len = control >> 5;
    if len == 7 {
        let [more] = array(NAME, input)?;
        len += usize::from(more);
    }
    let [low] = array(NAME, input)?.map(usize::from);
    window.repeat(((control & 31) << 8 | low) + 1, len + 2)
}
