//! Quantize: rounds floats to a number of decimal digits, so that they have few significant bits.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `quantize` |
//! | Parameters | digits after the decimal point, as a signed number; number type and stored type |
//! | Stored form | floats |
//! | Specification | numcodecs |
//! | Also read by | numcodecs and software built on it |
//!
//! The decoder only converts the type.

use super::value::NumberValue;
use super::{Cast, dtype, member, own};
use crate::error::Result;
use crate::filter::codec::{CodecStage, Config, Members, ids, whole};
use crate::filter::output::parameter;
use crate::filter::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy, corrupt};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::QUANTIZE,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.quantize",
        stage: CodecStage::Elements,
        read,
        write: |params, _| write(params),
    }),
    policy: Policy::LOSSY_ZARR_ONLY,
    named: &[],
    prepare: |_, user| QuantizeFilter::new(user).map(|_| user.to_vec()),
    build: |params, _| Ok(Box::new(QuantizeFilter::new(params)?)),
};

const NAME: &str = "quantize";

struct QuantizeFilter {
    digits: i32,
    cast: Cast,
}

impl QuantizeFilter {
    fn new(params: &[u32]) -> Result<Self> {
        let cast = Cast::new(NAME, params, 1)?;
        if !cast.from.ty.is_float() || !cast.to.ty.is_float() {
            return Err(corrupt("quantize: the numbers are not floats"));
        }
        let digits = parameter(NAME, params, 0)?.cast_signed();
        Ok(Self { digits, cast })
    }

    /// Returns the power of two that floats are multiplied by before rounding.
    fn scale(&self) -> f64 {
        let exponent = 10_f64.powf(-f64::from(self.digits)).log10();
        let exponent = match exponent < 0.0 {
            true => exponent.floor(),
            false => exponent.ceil(),
        };
        let bits = 10_f64.powf(-exponent).log2().ceil();
        2_f64.powf(bits)
    }
}

impl Filter for QuantizeFilter {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        self.cast.behind(context)
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let back = self.cast.back();
        back.numbers(Some(context), input, output, |n| n)
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        let (ty, scale) = (self.cast.from.ty, NumberValue::Float(self.scale()));
        self.cast.numbers(None, input, output, |number| {
            number.times(scale, ty).rounded().over(scale, ty)
        })?;
        Ok(Encoded::Applied)
    }
}

fn read(config: &Config<'_>) -> Result<Vec<u32>> {
    let from = dtype(config, "dtype", own(config))?;
    let to = dtype(config, "astype", Some(from))?;
    let digits = config.int("digits", None)?;
    let digits =
        i32::try_from(digits).map_err(|_| config.wrong(format_args!("{digits} digits")))?;
    let params = vec![digits.cast_unsigned(), from.word(), to.word()];
    QuantizeFilter::new(&params).map(|_| params)
}

fn write(params: &[u32]) -> Result<Members> {
    let QuantizeFilter { digits, cast } = QuantizeFilter::new(params)?;
    Ok(vec![
        whole("digits", digits),
        member("dtype", cast.from),
        member("astype", cast.to),
    ])
}
