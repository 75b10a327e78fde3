//! Astype: converts numbers to another type.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `astype` |
//! | Parameters | number type and stored type |
//! | Stored form | the numbers in the stored type |
//! | Specification | numcodecs |
//! | Also read by | numcodecs and software built on it |
//!
//! The conversion loses data that the stored type cannot represent: integers keep their lowest bits, floats are rounded.

use super::{Cast, dtype, member, own};
use crate::error::Result;
use crate::filter::codec::{CodecStage, Config, Members, ids};
use crate::filter::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::ASTYPE,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.astype",
        stage: CodecStage::Elements,
        read,
        write: |params, _| write(params),
    }),
    policy: Policy::LOSSY_ZARR_ONLY,
    named: &[],
    prepare: |_, user| Cast::new(NAME, user, 0).map(|_| user.to_vec()),
    build: |params, _| Ok(Box::new(AsType(Cast::new(NAME, params, 0)?))),
};

const NAME: &str = "astype";

struct AsType(Cast);

impl Filter for AsType {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        self.0.behind(context)
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        self.0.back().numbers(Some(context), input, output, |n| n)
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        self.0.numbers(None, input, output, |n| n)?;
        Ok(Encoded::Applied)
    }
}

fn read(config: &Config<'_>) -> Result<Vec<u32>> {
    let from = dtype(config, "decode_dtype", own(config))?;
    let to = dtype(config, "encode_dtype", None)?;
    Ok(vec![from.word(), to.word()])
}

fn write(params: &[u32]) -> Result<Members> {
    let Cast { from, to, .. } = Cast::new(NAME, params, 0)?;
    Ok(vec![
        member("encode_dtype", to),
        member("decode_dtype", from),
    ])
}
