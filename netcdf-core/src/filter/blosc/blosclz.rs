//! BloscLZ, a descendant of FastLZ.
//!
//! A stream is a sequence of runs. The lower 5 bits of the first stream byte start the first run. A byte below 32 starts a run of literal
//! bytes, one more than its value. Any other byte starts a repeat. The upper 3 bits of this byte, less 1, are a length (6: the following
//! bytes up to one that is not 255 are added). The lower 5 bits and the next byte are a distance. If the distance is the largest possible,
//! the next two bytes, big-endian, are added. A repeat copies length + 3 bytes, starting distance + 1 bytes back.

use super::NAME;
use crate::error::Result;
use crate::filter::lz::{LzWindow, Repeat, RepeatLimits, parse};
use crate::filter::lzf::put_literals;
use crate::filter::output::{allocate, array, bad, take};

/// The largest distance in 13 bits.
const FAR: usize = 0x1FFF;

/// Appends the `n` decoded bytes of `input`.
pub(super) fn decode(input: &[u8], n: usize, output: &mut Vec<u8>) -> Result<()> {
    let mut window = LzWindow::new(NAME, output, n);
    let mut input = input;
    let mut mask = 31;
    while !input.is_empty() {
        let [control] = array(NAME, &mut input)?;
        run(usize::from(control & mask), &mut input, &mut window)?;
        mask = 255;
    }
    let len = window.len();
    if len != n {
        let what = format_args!("BloscLZ data of {len} bytes, expected {n}");
        return Err(bad(NAME, what));
    }
    Ok(())
}

/// The limits of repeats. Repeats at distances above [`FAR`] would need two more bytes.
const LIMITS: RepeatLimits = RepeatLimits {
    shortest: 4,
    longest: 1 << 16,
    farthest: FAR,
};

/// Literal bytes in the last run.
const LAST: usize = 4;

/// Appends a stream that decodes to `input`.
pub(super) fn encode(input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    allocate(
        NAME,
        output,
        input.len().saturating_add(input.len() / 32 + 1),
    )?;
    // The first run must be literal. The C decoder expects a literal last run.
    let (first, rest) = input.split_at(input.len().min(1));
    let (rest, last) = rest.split_at(rest.len().saturating_sub(LAST));
    put_literals(first, output);
    parse(rest, &LIMITS, |literals, repeat| {
        put_literals(literals, output);
        if let Some(repeat) = repeat {
            put_repeat(repeat, output);
        }
    });
    put_literals(last, output);
    Ok(())
}

fn put_repeat(repeat: Repeat, output: &mut Vec<u8>) {
    let [high, low] = repeat.distance_less_1();
    match u8::try_from(repeat.len.saturating_sub(2)) {
        Ok(len @ 0..7) => output.push(len << 5 | high),
        Ok(_) | Err(_) => {
            output.push(7 << 5 | high);
            let more = repeat.len.saturating_sub(9);
            output.extend(std::iter::repeat_n(255, more / 255));
            output.extend(u8::try_from(more % 255));
        }
    }
    output.push(low);
}

fn run(control: usize, input: &mut &[u8], window: &mut LzWindow) -> Result<()> {
    if control < 32 {
        return window.literal(take(NAME, input, control + 1)?);
    }
    let mut len = (control >> 5) + 2;
    if control >> 5 == 7 {
        len = len.saturating_add(more(input)?);
    }
    let [low] = array(NAME, input)?.map(usize::from);
    let mut distance = (control & 31) << 8 | low;
    if distance == FAR {
        distance += usize::from(u16::from_be_bytes(array(NAME, input)?));
    }
    window.repeat(distance + 1, len)
}

/// Reads the additional bytes of a length.
fn more(input: &mut &[u8]) -> Result<usize> {
    let mut len = 0_usize;
    loop {
        let [byte] = array(NAME, input)?;
        len = len.saturating_add(byte.into());
        if byte < 255 {
            return Ok(len);
        }
    }
}
