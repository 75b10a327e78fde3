//! gzip: deflate with a different header, and a CRC-32 at the end.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `gzip`, also in Zarr 3 |
//! | Parameters | level 0 to 9 (the decoder ignores it), default 6 |
//! | Stored form | gzip members, usually one; zeros may follow |
//! | Specification | RFC 1952; Zarr 3, "Gzip codec" |
//! | Also read by | numcodecs and every implementation of Zarr 3 |

use super::codec::{CodecStage, ids, whole};
use super::deflate::{DeflateStream, inflate, level, with_compressor};
use super::ids::DEFLATE;
use super::output::{append_with, array, bad, truncated};
use super::{
    ChunkContext, CodecNames, Encoded, Filter, FilterEntry, FilterReplacement, Policy, StrictCheck,
};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::GZIP,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: NAME,
        stage: CodecStage::Bytes,
        read: |config| Ok(vec![config.level(0..=9, 1)?]),
        write: |params, _| Ok(vec![whole("level", level(params)?)]),
    }),
    policy: Policy {
        in_hdf5: |params| FilterReplacement::substitute(DEFLATE, params),
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |_, user| Ok(vec![level(user)?]),
    build: |params, _| {
        let level = params.first().copied();
        Ok(Box::new(Gzip { level }))
    },
};

const NAME: &str = "gzip";

struct Gzip {
    level: Option<u32>,
}

impl Filter for Gzip {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let mut rest = input;
        loop {
            member(context, &mut rest, output)?;
            while let [0, more @ ..] = rest {
                rest = more;
            }
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        with_compressor(level(self.level.as_slice())?, |compressor| {
            let bound = compressor.gzip_compress_bound(input.len());
            append_with(NAME, output, bound, |room| {
                let made = compressor.gzip_compress(input, room);
                made.map_err(|e| bad(NAME, e))
            })
        })?;
        Ok(Encoded::Applied)
    }

    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Decoding
    }

    /// Some Zarr readers decode only the first member.
    fn decode_strictly(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<bool> {
        if bare(context, input, output)?.is_some() {
            return Ok(true);
        }
        output.clear();
        self.decode(context, input, output).map(|()| false)
    }
}

/// Returns the bare stream of a single member, and decodes it into the empty `output`. Returns `None` if more members or bytes follow.
pub(super) fn bare<'a>(
    context: &ChunkContext,
    input: &'a [u8],
    output: &mut Vec<u8>,
) -> Result<Option<&'a [u8]>> {
    let mut rest = input;
    let stream = member(context, &mut rest, output)?;
    Ok(rest.is_empty().then_some(stream))
}

/// Returns a member with this stream.
pub(super) fn wrapped(stream: &DeflateStream<'_>) -> Vec<u8> {
    let mut crc = libdeflater::Crc::new();
    crc.update(stream.decoded);
    let len = u32::try_from(stream.decoded.len() & 0xFFFF_FFFF).unwrap_or(0);
    let tail = [crc.sum().to_le_bytes(), len.to_le_bytes()];
    [&HEAD, stream.stream, tail.as_flattened()].concat()
}

/// The header of a member without name, time and system.
const HEAD: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF];

/// Appends the decoded member at the start of `rest`, skips the member, and returns its bare stream.
fn member<'a>(
    context: &ChunkContext,
    rest: &mut &'a [u8],
    output: &mut Vec<u8>,
) -> Result<&'a [u8]> {
    head(rest)?;
    let start = output.len();
    let used = inflate(NAME, context, rest, output)?;
    let stream = super::output::take(NAME, rest, used)?;
    let made = output.get(start..).unwrap_or_default();
    let sum = u32::from_le_bytes(array(NAME, rest)?);
    let len = u32::from_le_bytes(array(NAME, rest)?);
    let mut crc = libdeflater::Crc::new();
    crc.update(made);
    let fits = crc.sum() == sum && made.len() & 0xFFFF_FFFF == len as usize;
    if !fits && !cfg!(fuzzing) {
        return Err(bad(NAME, "the checksum does not match the data"));
    }
    Ok(stream)
}

/// Skips the member header.
fn head(rest: &mut &[u8]) -> Result<()> {
    let [0x1F, 0x8B, 8, flags, ..] = array::<10>(NAME, rest)? else {
        return Err(bad(NAME, "not a gzip stream"));
    };
    if flags & 0xE0 != 0 {
        return Err(bad(NAME, format_args!("flags {flags:#x}")));
    }
    if flags & 4 != 0 {
        let len = u16::from_le_bytes(array(NAME, rest)?);
        skip(rest, len.into())?;
    }
    // The name and the comment end with a NUL.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|b| *b == 0);
            skip(rest, end.ok_or_else(|| truncated(NAME))?.saturating_add(1))?;
        }
    }
    if flags & 2 != 0 {
        skip(rest, 2)?;
    }
    Ok(())
}

fn skip(rest: &mut &[u8], n: usize) -> Result<()> {
    super::output::take(NAME, rest, n).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::filter::tests::{build, context, damage, decode};

    /// numcodecs 0.16's encoding of 20 times "Zarr" (level 1).
    const STORED: &[u8] = &[
        0x1f, 0x8b, 0x08, 0x00, 0x83, 0x09, 0x02, 0x6b, 0x04, 0xff, 0x8b, 0x4a, 0x2c, 0x2a, 0x8a,
        0xa2, 0x22, 0x06, 0x00, 0xae, 0x7e, 0xee, 0xff, 0x50, 0x00, 0x00, 0x00,
    ];

    fn encoded(level: u32, data: &[u8]) -> Vec<u8> {
        let (context, mut out) = (context(data.len(), 1), vec![]);
        let filter = build(ids::GZIP, &[level], &context).unwrap();
        filter.encode(&context, data, &mut out).unwrap();
        out
    }

    #[test]
    fn matches_numcodecs() {
        let data = b"Zarr".repeat(20);
        assert_eq!(decode(ids::GZIP, &[1], 80, STORED).unwrap(), data);
        damage(ids::GZIP, &[1], 80, STORED);
    }

    #[test]
    fn round_trips() {
        let data: Vec<u8> = (0..3000_u32).map(|n| (n * n / 7 % 251) as u8).collect();
        for level in 0..=9 {
            for len in [0, 1, 3000] {
                let data = &data[..len];
                let stored = encoded(level, data);
                assert_eq!(decode(ids::GZIP, &[], len, &stored).unwrap(), data);
            }
        }
    }

    #[test]
    fn members_follow_each_other() {
        let mut stored = encoded(6, b"abc");
        stored.extend(encoded(6, b"defg"));
        stored.extend([0; 7]);
        assert_eq!(decode(ids::GZIP, &[], 7, &stored).unwrap(), b"abcdefg");
        stored.push(1);
        assert!(decode(ids::GZIP, &[], 7, &stored).is_err());
        assert!(decode(ids::GZIP, &[], 6, &stored[..stored.len() - 8]).is_err());
    }

    #[test]
    fn all_header_fields_are_skipped() {
        let plain = encoded(6, b"abc");
        let mut stored = plain[..10].to_vec();
        stored[3] = 0x1F;
        stored.extend(b"\x03\x00xyzname\0comment\0hc");
        stored.extend(&plain[10..]);
        assert_eq!(decode(ids::GZIP, &[], 3, &stored).unwrap(), b"abc");
        stored[3] = 0x3F;
        let e = decode(ids::GZIP, &[], 3, &stored).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
    }
}
