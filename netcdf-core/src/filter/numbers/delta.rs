//! Delta: the difference between each number and the previous one.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `delta` |
//! | Parameters | number type and difference type |
//! | Stored form | the first number, then differences, computed in the number type; sums are computed in a common type of numbers and differences |
//! | Specification | numcodecs |
//! | Also read by | numcodecs and software built on it |

use super::number_type::NumberType;
use super::{Cast, dtype, member, own};
use crate::error::Result;
use crate::filter::codec::{CodecStage, Config, Members, ids};
use crate::filter::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy, corrupt};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::DELTA,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.delta",
        stage: CodecStage::Elements,
        read,
        write: |params, _| write(params),
    }),
    policy: Policy::ZARR_ONLY,
    named: &[],
    prepare: |_, user| Cast::of(user).map(|_| user.to_vec()),
    build: |params, _| Ok(Box::new(Delta(Cast::of(params)?))),
};

const NAME: &str = "delta";

struct Delta(Cast);

impl Cast {
    fn of(params: &[u32]) -> Result<Self> {
        let cast = Self::new(NAME, params, 0)?;
        if cast.from.ty == NumberType::Bool {
            return Err(corrupt("delta: truth values have no differences"));
        }
        Ok(cast)
    }
}

impl Filter for Delta {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        self.0.behind(context)
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let ty = self.0.from.ty.with(self.0.to.ty);
        let mut sum = None;
        let back = self.0.back();
        back.numbers(Some(context), input, output, |difference| {
            let difference = difference.to(ty);
            let next = sum.map_or(difference, |sum| difference.plus(sum, ty));
            *sum.insert(next)
        })
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        let ty = self.0.from.ty;
        let mut before = None;
        self.0.numbers(None, input, output, |number| {
            let last = before.replace(number);
            last.map_or(number, |last| number.minus(last, ty))
        })?;
        Ok(Encoded::Applied)
    }
}

fn read(config: &Config<'_>) -> Result<Vec<u32>> {
    let from = dtype(config, "dtype", own(config))?;
    let to = dtype(config, "astype", Some(from))?;
    match from.ty {
        NumberType::Bool => Err(config.unsupported("truth values have no differences")),
        _ => Ok(vec![from.word(), to.word()]),
    }
}

fn write(params: &[u32]) -> Result<Members> {
    let Cast { from, to, .. } = Cast::of(params)?;
    Ok(vec![member("dtype", from), member("astype", to)])
}
