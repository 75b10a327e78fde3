//! zfp in numcodecs' framing, which uses zfp's Python module: a stream with its header.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none (`zfp` of HDF5, 32013, has the header among its parameters) |
//! | Names | `zfpy` |
//! | Parameters | mode (2 rate, 3 precision, 4 error), then error and rate as doubles in two parameters each, the lower half first, and precision as a signed number. If all three are negative, the codec is lossless |
//! | Stored form | a zfp header, followed by the stream |
//! | Specification | the zfp documentation |
//! | Also read by | numcodecs and software built on it |
//!
//! Numbers are little-endian, of 4 or 8 bytes and signed, in chunks of one to four dimensions.

use zfp_rs::{ZfpBitStreamRef, ZfpConfig, ZfpFieldMetadata, ZfpHeaderMask, ZfpStreamAlignment};

use super::codec::{CodecStage, Config, Members, ids, whole};
use super::output::{allocate, bad, parameter, reserve, unsupported};
use super::user_params::{unfit, wrong, wrong_length};
use super::zfp::params::{dimensionality, double, scalar_type};
use super::zfp::{ZfpHeader, pack, unpack, words};
use super::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy};
use crate::error::Result;
use crate::json::Json;
use crate::model::{Atomic, Endianness};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::ZFPY,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.zfpy",
        stage: CodecStage::Serializer,
        read: from_codec,
        write: |params, _| Zfpy::new(params).map(|zfpy| zfpy.members()),
    }),
    policy: Policy::LOSSY_ZARR_ONLY,
    named: &[],
    prepare: |context, user| {
        let zfpy = Zfpy::new(user);
        let zfpy = zfpy.map_err(|_| wrong(NAME, "mode, error, rate and precision", user))?;
        zfpy.header(context).map(|_| user.to_vec())
    },
    build: |params, _| Ok(Box::new(Zfpy::new(params)?)),
};

const NAME: &str = "zfpy";

/// zfp's mode numbers.
const RATE: u32 = 2;
const PRECISION: u32 = 3;
const ACCURACY: u32 = 4;

struct Zfpy {
    mode: u32,
    error: f64,
    rate: f64,
    precision: i32,
}

impl Zfpy {
    fn new(params: &[u32]) -> Result<Self> {
        let word = |n| parameter(NAME, params, n);
        Ok(Self {
            mode: match word(0)? {
                mode @ (RATE | PRECISION | ACCURACY) => mode,
                other => return Err(unsupported(NAME, format_args!("mode {other}"))),
            },
            error: double(word(1)?, word(2)?),
            rate: double(word(3)?, word(4)?),
            precision: word(5)?.cast_signed(),
        })
    }

    fn members(&self) -> Members {
        let number = |key: &str, x: f64| {
            let text = match x == x.round() && x.abs() < 1e15 {
                true => format!("{x:.0}"),
                false => format!("{x:?}"),
            };
            (key.to_owned(), Json::Number(text))
        };
        vec![
            whole("mode", self.mode),
            number("tolerance", self.error),
            number("rate", self.rate),
            whole("precision", self.precision),
        ]
    }

    /// Returns the header for chunks of this context.
    fn header(&self, context: &ChunkContext) -> Result<ZfpHeader> {
        let scalar_type = match context.element.plain_type() {
            Some(Atomic::UInt | Atomic::UInt64) => return Err(unfit(NAME, "unsigned numbers")),
            _ => scalar_type(context)?,
        };
        if context.element.order == Endianness::Big {
            return Err(unfit(NAME, "big-endian numbers"));
        }
        let rank = context.shape.len();
        let known = dimensionality(rank);
        let known =
            known.ok_or_else(|| unfit(NAME, format_args!("chunks of {rank} dimensions")))?;
        let mut dims = [0; 4];
        for (to, from) in dims.iter_mut().zip(context.shape.iter().rev()) {
            *to = usize::try_from(*from).unwrap_or(usize::MAX);
        }
        let config = match self.mode {
            RATE if self.rate >= 0.0 => {
                let align = ZfpStreamAlignment::Unaligned;
                let config = ZfpConfig::fixed_rate(self.rate, scalar_type, known, align);
                config.map_err(|e| unfit(NAME, e))?
            }
            PRECISION if self.precision >= 0 => {
                ZfpConfig::fixed_precision(self.precision.cast_unsigned())
            }
            ACCURACY if self.error >= 0.0 => ZfpConfig::fixed_accuracy(self.error),
            _ => ZfpConfig::reversible(),
        };
        let field = ZfpFieldMetadata { scalar_type, dims };
        let big = false;
        Ok(ZfpHeader { config, field, big })
    }
}

impl Filter for Zfpy {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let words = words(input);
        let mut stream = ZfpBitStreamRef::from_words(&words);
        let header = stream.read_header(ZfpHeaderMask::FULL);
        let header = header.map_err(|e| bad(NAME, e))?;
        let (Some(config), Some(field)) = (header.config, header.metadata) else {
            return Err(bad(NAME, "an incomplete header"));
        };
        let big = false;
        let header = ZfpHeader { config, field, big };
        let bytes = header.bytes().unwrap_or(usize::MAX);
        let bytes = reserve(NAME, context, bytes as u64, output)?;
        allocate(NAME, output, bytes)?;
        unpack(&header, &mut stream, output)
    }

    fn encode(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Encoded> {
        let header = self.header(context)?;
        if header.bytes() != Some(input.len()) {
            return Err(wrong_length(NAME, input.len(), header.bytes()));
        }
        let before = |stream: &mut zfp_rs::ZfpBitStream| {
            let bits = stream.write_header(&header.config, &header.field, ZfpHeaderMask::FULL);
            bits.map(|_| ()).map_err(|e| unfit(NAME, e))
        };
        let stream = pack(&header, before, input)?;
        allocate(NAME, output, stream.as_bytes().len())?;
        output.extend_from_slice(stream.as_bytes());
        Ok(Encoded::Applied)
    }
}

fn from_codec(config: &Config<'_>) -> Result<Vec<u32>> {
    let number = |key| match config.get(key) {
        None => Ok(-1.0),
        Some(_) => {
            let text = config.number(key)?;
            let x = text.parse::<f64>();
            x.map_err(|_| config.wrong(format_args!("`{key}` is {text}")))
        }
    };
    let mode = config.int("mode", i64::from(ACCURACY))?;
    let known = u32::try_from(mode).ok();
    let known = known.filter(|mode| (RATE..=ACCURACY).contains(mode));
    let mode = known.ok_or_else(|| config.unsupported(format_args!("mode {mode}")))?;
    let halves = |x: f64| {
        let [a, b, c, d, e, f, g, h] = x.to_le_bytes();
        [
            u32::from_le_bytes([a, b, c, d]),
            u32::from_le_bytes([e, f, g, h]),
        ]
    };
    let precision = config.int("precision", -1)?;
    let precision = i32::try_from(precision).unwrap_or(i32::MAX).cast_unsigned();
    let (error, rate) = (halves(number("tolerance")?), halves(number("rate")?));
    Ok([&[mode][..], &error, &rate, &[precision]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::context;

    fn of(ty: Atomic, shape: &[u64]) -> ChunkContext {
        let size = ty.size().unwrap() as u64;
        let count: u64 = shape.iter().product();
        let mut context = context((count * size) as usize, size);
        context.shape = shape.to_vec();
        context.element.ty = ty.into();
        context
    }

    fn check(params: &[u32], hex: &str) {
        let stored: Vec<u8> = (0..hex.len() / 2)
            .map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap())
            .collect();
        let context = of(Atomic::Float, &[3, 4]);
        let data: Vec<u8> = (0..12_u8)
            .flat_map(|n| f32::from(n).to_le_bytes())
            .collect();
        let (filter, mut made) = ((ENTRY.build)(params, &context).unwrap(), vec![]);
        filter.encode(&context, &data, &mut made).unwrap();
        assert_eq!(made[..16], stored[..16]);
        let (mut ours, mut theirs) = (vec![], vec![]);
        filter.decode(&context, &made, &mut ours).unwrap();
        filter.decode(&context, &stored, &mut theirs).unwrap();
        assert_eq!(ours, theirs);
        let near = |(a, b): (&[u8; 4], &[u8; 4])| {
            (f32::from_le_bytes(*a) - f32::from_le_bytes(*b)).abs() < 0.3
        };
        assert!(ours.as_chunks().0.iter().zip(data.as_chunks().0).all(near));
        for n in 0..stored.len() {
            let _ = filter.decode(&context, &stored[..n], &mut vec![]);
        }
        for n in 0..stored.len() * 8 {
            let mut bytes = stored.clone();
            bytes[n / 8] ^= 1 << (n % 8);
            for context in [context.clone(), context.of_any_length()] {
                let mut out = vec![];
                if filter.decode(&context, &bytes, &mut out).is_ok() {
                    assert!(out.len() <= context.limit());
                }
            }
        }
    }

    /// zfpy 1.0.1's encoding of 0 to 11 in (3, 4) floats.
    #[test]
    fn matches_zfpy() {
        let minus = 0xBFF0_0000;
        let (error, rate) = (0.01_f64.to_bits(), 10_f64.to_bits());
        let half = |x: u64| [x as u32, (x >> 32) as u32];
        let [a, b] = half(error);
        check(
            &[ACCURACY, a, b, 0, minus, u32::MAX],
            "7a667005360000200000c0ca0771488c465420020000000000000000000000000000000000000000",
        );
        let [a, b] = half(rate);
        check(
            &[RATE, 0, minus, a, b, u32::MAX],
            "7a667005360000200000f0090771488c46542002000000000000000000000000",
        );
        check(
            &[PRECISION, 0, minus, 0, minus, 12],
            "7a667005360000200000b0800771488c46542002000000000000000000000000",
        );
        check(
            &[ACCURACY, 0, minus, 0, minus, u32::MAX],
            "7a66700536000020000000880d9600021000080400010000",
        );
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        let params = [PRECISION, 0, 0, 0, 0, 12];
        let kind = |context: &ChunkContext| (ENTRY.prepare)(context, &params).is_ok();
        assert!(kind(&of(Atomic::Double, &[3])));
        assert!(!kind(&of(Atomic::Short, &[3])));
        assert!(!kind(&of(Atomic::UInt, &[3])));
        assert!(!kind(&of(Atomic::Int, &[1; 5])));
        let mut big = of(Atomic::Int, &[4]);
        big.element.order = Endianness::Big;
        assert!(!kind(&big));
    }
}
