//! LZ4 in numcodecs' framing: one block, preceded by its decoded length.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none (`lz4` of HDF5, 32004, has a different frame) |
//! | Names | `lz4` in Zarr |
//! | Parameters | acceleration, default 1 (no effect on this encoder) |
//! | Stored form | the decoded length (4 bytes, little-endian), then an LZ4 block |
//! | Specification | LZ4 block format; numcodecs |
//! | Also read by | numcodecs and software built on it |

use super::codec::{CodecStage, ids, whole};
use super::lz4::{block_into, compress};
use super::output::array;
use super::user_params::{wrong, wrong_length};
use super::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, FilterReplacement, Policy};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::LZ4,
    name: NAME,
    codec: Some(CodecNames {
        name: "lz4",
        v3: NAME,
        stage: CodecStage::Bytes,
        read: |config| {
            let acceleration = config.int("acceleration", 1)?;
            let fits = i32::try_from(acceleration).unwrap_or(1);
            Ok(vec![fits.cast_unsigned()])
        },
        write: |params, _| {
            let acceleration = params.first().copied().unwrap_or(1).cast_signed();
            Ok(vec![whole("acceleration", acceleration)])
        },
    }),
    policy: Policy {
        in_hdf5: |_| FilterReplacement::substitute(super::lz4::ENTRY.id, &[]),
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |_, user| match user {
        [] => Ok(vec![1]),
        [_] => Ok(user.to_vec()),
        _ => Err(wrong(NAME, "one acceleration", user)),
    },
    build: |_, _| Ok(Box::new(NumcodecsLz4)),
};

const NAME: &str = "numcodecs.lz4";

struct NumcodecsLz4;

impl Filter for NumcodecsLz4 {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let mut block = input;
        let len = u32::from_le_bytes(array(NAME, &mut block)?);
        let len = context.checked_len(len.into(), NAME)?;
        block_into(NAME, block, len, output)
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        // numcodecs stores the length as a signed number.
        let most = i32::MAX.unsigned_abs() as usize;
        let len = u32::try_from(input.len())
            .ok()
            .filter(|_| input.len() <= most);
        let len = len.ok_or_else(|| wrong_length(NAME, input.len(), Some(most)))?;
        output.extend_from_slice(&len.to_le_bytes());
        compress(NAME, input, output)?;
        Ok(Encoded::Applied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::{build, context, damage, decode};

    /// numcodecs 0.16's encoding of 20 times "Zarr".
    const STORED: &[u8] = &[
        0x50, 0x00, 0x00, 0x00, 0x4f, 0x5a, 0x61, 0x72, 0x72, 0x04, 0x00, 0x34, 0x50, 0x72, 0x5a,
        0x61, 0x72, 0x72,
    ];

    #[test]
    fn matches_numcodecs() {
        let data = b"Zarr".repeat(20);
        assert_eq!(decode(ids::LZ4, &[1], 80, STORED).unwrap(), data);
        damage(ids::LZ4, &[1], 80, STORED);
    }

    #[test]
    fn round_trips() {
        let data: Vec<u8> = (0..3000_u32).map(|n| (n * n / 7 % 251) as u8).collect();
        for len in [0, 1, 13, 3000] {
            let (context, mut stored) = (context(len, 1), vec![]);
            let filter = build(ids::LZ4, &[], &context).unwrap();
            filter.encode(&context, &data[..len], &mut stored).unwrap();
            assert_eq!(decode(ids::LZ4, &[], len, &stored).unwrap(), &data[..len]);
        }
    }
}
