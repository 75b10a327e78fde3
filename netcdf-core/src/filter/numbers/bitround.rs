//! numcodecs' bitround: floats with a shortened fraction.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none (the BitRound filter of HDF5, 32032, has other parameters) |
//! | Names | `bitround` |
//! | Parameters | fraction bits to keep |
//! | Stored form | floats |
//! | Specification | numcodecs; doi:10.1038/s43588-021-00156-2 |
//! | Also read by | numcodecs and software built on it |
//!
//! The stored form is plain numbers, so the decoder copies them.

use super::dtype::OrderedType;
use super::number_type::NumberType;
use crate::error::Result;
use crate::filter::codec::{CodecStage, ids, whole};
use crate::filter::output::{allocate, parameter, reserve};
use crate::filter::user_params::{unfit, wrong};
use crate::filter::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::BITROUND,
    name: "numcodecs.bitround",
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.bitround",
        stage: CodecStage::Elements,
        read: |config| {
            let bits = config.int("keepbits", None)?;
            let fits = u32::try_from(bits);
            let fits = fits.map_err(|_| config.wrong(format_args!("{bits} bits to keep")));
            Ok(vec![fits?])
        },
        write: |params, _| Ok(vec![whole("keepbits", parameter(NAME, params, 0)?)]),
    }),
    policy: Policy::LOSSY_ZARR_ONLY,
    named: &[],
    prepare: |context, user| match user {
        [keep] => Rounding::new(context, *keep).map(|_| user.to_vec()),
        _ => Err(wrong(NAME, "one number of bits", user)),
    },
    build: |params, _| Ok(Box::new(BitRound(parameter(NAME, params, 0)?))),
};

const NAME: &str = "bitround";

/// The fraction bits to keep.
struct BitRound(u32);

/// The rounding of one number type.
struct Rounding {
    dtype: OrderedType,
    /// Bits to drop.
    bits: u32,
}

impl Rounding {
    fn new(context: &ChunkContext, keep: u32) -> Result<Self> {
        let dtype = OrderedType::of(&context.element).filter(|d| d.ty.is_float());
        let dtype = dtype.ok_or_else(|| unfit(NAME, "the type is not a float"))?;
        let fraction = match dtype.ty {
            NumberType::F16 => 10,
            NumberType::F32 => 23,
            _ => 52_u32,
        };
        let bits = fraction.checked_sub(keep);
        let more = || {
            unfit(
                NAME,
                format_args!("{keep} bits to keep, but the fraction has {fraction}"),
            )
        };
        Ok(Self {
            dtype,
            bits: bits.ok_or_else(more)?,
        })
    }

    /// Rounds to nearest, ties to even.
    fn round(&self, word: u64) -> u64 {
        match self.bits.checked_sub(1) {
            None => word,
            Some(half) => {
                let odd = word >> self.bits & 1;
                let up = word.wrapping_add(odd).wrapping_add((1 << half) - 1);
                up >> self.bits << self.bits
            }
        }
    }
}

impl Filter for BitRound {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        context.clone()
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        reserve(NAME, context, input.len() as u64, output)?;
        output.extend_from_slice(input);
        Ok(())
    }

    fn encode(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Encoded> {
        let rounding = Rounding::new(context, self.0)?;
        let dtype = rounding.dtype;
        allocate(NAME, output, input.len())?;
        for number in input.chunks(dtype.size()) {
            let rounded = rounding.round(dtype.bits(number));
            dtype.put(rounded, number.len(), output);
        }
        Ok(Encoded::Applied)
    }
}
