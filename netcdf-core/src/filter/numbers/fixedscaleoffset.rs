//! Fixedscaleoffset: subtracts an offset from numbers, scales and rounds them.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none (`scaleoffset` of HDF5 is a different filter) |
//! | Names | `fixedscaleoffset` |
//! | Parameters | number type and stored type; whether offset (1) and scale (2) are whole numbers; both, as integers or doubles, in two parameters each, the lower half first |
//! | Stored form | `(x - offset) * scale`, rounded, in the stored type |
//! | Specification | numcodecs |
//! | Also read by | numcodecs and software built on it |
//!
//! As in numpy, integers are computed as integers if offset and scale are whole numbers.

use super::number_type::NumberType;
use super::value::NumberValue;
use super::{Cast, dtype, halves, member, own, wide};
use crate::error::Result;
use crate::filter::codec::{CodecStage, Config, Members, ids};
use crate::filter::output::parameter;
use crate::filter::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy, corrupt};
use crate::json::Json;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::FIXED_SCALE_OFFSET,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.fixedscaleoffset",
        stage: CodecStage::Elements,
        read,
        write: |params, _| write(params),
    }),
    policy: Policy::LOSSY_ZARR_ONLY,
    named: &[],
    prepare: |_, user| FixedScaleOffset::new(user).map(|_| user.to_vec()),
    build: |params, _| Ok(Box::new(FixedScaleOffset::new(params)?)),
};

const NAME: &str = "fixedscaleoffset";

/// The parameter bits that mark offset and scale as whole numbers.
const WHOLE_OFFSET: u32 = 1;
const WHOLE_SCALE: u32 = 2;

struct FixedScaleOffset {
    cast: Cast,
    offset: NumberValue,
    scale: NumberValue,
}

impl FixedScaleOffset {
    fn new(params: &[u32]) -> Result<Self> {
        let cast = Cast::new(NAME, params, 0)?;
        if cast.from.ty == NumberType::Bool {
            return Err(corrupt("fixedscaleoffset: truth values cannot be scaled"));
        }
        let whole = parameter(NAME, params, 2)?;
        let number = |at, bit| {
            let bits = wide(NAME, params, at)?;
            Ok(match whole & bit {
                0 => NumberValue::Float(f64::from_bits(bits)),
                _ => NumberValue::Signed(bits.cast_signed()),
            })
        };
        Ok(Self {
            cast,
            offset: number(3, WHOLE_OFFSET)?,
            scale: number(5, WHOLE_SCALE)?,
        })
    }
}

/// Returns the type in which numpy computes with numbers of `ty` and an untyped number.
fn common(ty: NumberType, other: NumberValue) -> NumberType {
    match other {
        NumberValue::Float(_) if !ty.is_float() => NumberType::F64,
        NumberValue::Float(_) | NumberValue::Signed(_) | NumberValue::Unsigned(_) => ty,
    }
}

impl Filter for FixedScaleOffset {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        self.cast.behind(context)
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let stored = self.cast.to.ty;
        let ty = if stored.is_float() {
            stored
        } else {
            NumberType::F64
        };
        let back = self.cast.back();
        back.numbers(Some(context), input, output, |number| {
            number.over(self.scale, ty).plus(self.offset, ty)
        })
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        let less = common(self.cast.from.ty, self.offset);
        let scaled = common(less, self.scale);
        self.cast.numbers(None, input, output, |number| {
            let number = number.minus(self.offset, less);
            number.times(self.scale, scaled).rounded()
        })?;
        Ok(Encoded::Applied)
    }
}

fn read(config: &Config<'_>) -> Result<Vec<u32>> {
    let from = dtype(config, "dtype", own(config))?;
    let to = dtype(config, "astype", Some(from))?;
    if from.ty == NumberType::Bool {
        return Err(config.unsupported("truth values"));
    }
    let (offset, whole_offset) = number(config, "offset")?;
    let (scale, whole_scale) = number(config, "scale")?;
    let bit = |whole, bit| if whole { bit } else { 0 };
    let whole = bit(whole_offset, WHOLE_OFFSET) | bit(whole_scale, WHOLE_SCALE);
    let types = [from.word(), to.word(), whole];
    Ok([&types[..], &halves(offset), &halves(scale)].concat())
}

/// Returns a number as bits, and whether it is whole.
fn number(config: &Config<'_>, key: &str) -> Result<(u64, bool)> {
    let text = config.number(key)?;
    if let Ok(n) = text.parse::<i64>() {
        return Ok((n.cast_unsigned(), true));
    }
    let x = text.parse::<f64>();
    let x = x.map_err(|_| config.wrong(format_args!("`{key}` is {text}")))?;
    Ok((x.to_bits(), false))
}

fn write(params: &[u32]) -> Result<Members> {
    let FixedScaleOffset {
        cast,
        offset,
        scale,
    } = FixedScaleOffset::new(params)?;
    let number = |key: &str, value: NumberValue| {
        let text = match value {
            NumberValue::Float(x) if x.is_finite() => format!("{x:?}"),
            NumberValue::Float(x) if x.is_nan() => "NaN".to_owned(),
            NumberValue::Float(x) if x < 0.0 => "-Infinity".to_owned(),
            NumberValue::Float(_) => "Infinity".to_owned(),
            NumberValue::Signed(n) => n.to_string(),
            NumberValue::Unsigned(n) => n.to_string(),
        };
        (key.to_owned(), Json::Number(text))
    };
    Ok(vec![
        number("scale", scale),
        number("offset", offset),
        member("dtype", cast.from),
        member("astype", cast.to),
    ])
}
