//! Base64: bytes as text.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `base64` |
//! | Parameters | none |
//! | Stored form | four characters for every three bytes, padded with `=` at the end |
//! | Specification | RFC 4648, section 4 |
//! | Also read by | numcodecs and software built on it |
//!
//! The decoder skips characters outside the alphabet, like Python's `base64` module, which numcodecs uses.

use super::codec::{CodecStage, ids};
use super::output::{allocate, bad};
use super::user_params::none;
use super::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, FilterReplacement, Policy};
use crate::bytes::base64;
use crate::error::Result;
use crate::model::ZarrVersion;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::BASE64,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.base64",
        stage: CodecStage::Bytes,
        read: |_| Ok(vec![]),
        write: |_, _| Ok(vec![]),
    }),
    policy: Policy {
        // zarr-python has it in version 2 only.
        in_zarr: |_, zarr| match zarr.version {
            ZarrVersion::V2 => FilterReplacement::Keep,
            ZarrVersion::V3 => FilterReplacement::Drop,
        },
        ..Policy::ZARR_ONLY
    },
    named: &[],
    prepare: |_, user| none(NAME, user),
    build: |_, _| Ok(Box::new(Base64)),
};

const NAME: &str = "base64";

struct Base64;

impl Filter for Base64 {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        let len = |len: usize| len.div_ceil(3).checked_mul(4);
        ChunkContext {
            len: context.len.and_then(len),
            ..context.clone()
        }
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let most = (input.len() / 4).saturating_add(1).saturating_mul(3);
        allocate(NAME, output, most.min(context.limit()))?;
        let (mut bits, mut count) = (0_u32, 0_u32);
        let mut padding = 0_u32;
        for byte in input {
            let Some(six) = base64::bits(*byte) else {
                padding += u32::from(*byte == b'=');
                continue;
            };
            if padding > 0 {
                return Err(bad(NAME, "characters after the padding"));
            }
            (bits, count) = (bits << 6 | six, count + 1);
            if count == 4 {
                let [_, three @ ..] = bits.to_be_bytes();
                output.extend_from_slice(&three);
                (bits, count) = (0, 0);
            }
        }
        let [_, first, second, _] = (bits << (6 * (4 - count).min(4))).to_be_bytes();
        match count {
            0 => {}
            2 if padding >= 2 => output.push(first),
            3 if padding >= 1 => output.extend_from_slice(&[first, second]),
            _ => return Err(bad(NAME, "the text is truncated")),
        }
        let len = context.checked_len(output.len() as u64, NAME);
        len.map(|_| ())
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        allocate(NAME, output, input.len().div_ceil(3).saturating_mul(4))?;
        base64::encode(input, output);
        Ok(Encoded::Applied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::{build, context, damage, decode};

    fn encoded(data: &[u8]) -> Vec<u8> {
        let (context, mut out) = (context(data.len(), 1), vec![]);
        let filter = build(ids::BASE64, &[], &context).unwrap();
        filter.encode(&context, data, &mut out).unwrap();
        assert_eq!(filter.output(&context).len, Some(out.len()));
        out
    }

    #[test]
    fn matches_rfc_4648() {
        for (data, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encoded(data.as_bytes()), text.as_bytes());
            let back = decode(ids::BASE64, &[], data.len(), text.as_bytes());
            assert_eq!(back.unwrap(), data.as_bytes());
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(ids::BASE64, &[], 256, &encoded(&all)).unwrap(), all);
        assert_eq!(decode(ids::BASE64, &[], 3, b"Zm\n9v").unwrap(), b"foo");
        assert!(decode(ids::BASE64, &[], 1, b"Zg").is_err());
    }

    #[test]
    fn survives_damage() {
        damage(ids::BASE64, &[], 50, &encoded(&[0xA5; 50]));
    }
}
