//! The filter's parameters: converts modes to headers.

use zfp_rs::{
    ZfpConfig, ZfpDimensionality, ZfpFieldMetadata, ZfpMode, ZfpScalarType, ZfpStreamAlignment,
};

use super::NAME;
use super::header::ZfpHeader;
use crate::error::Result;
use crate::filter::ChunkContext;
use crate::filter::parameter_names::{Parameter, ParameterForm, ParameterMode};
use crate::filter::user_params::{unfit, wrong};
use crate::model::{Atomic, Endianness};

/// The mode numbers in a user's parameters.
const RATE: u32 = 1;
const PRECISION: u32 = 2;
const ACCURACY: u32 = 3;
const EXPERT: u32 = 4;
const REVERSIBLE: u32 = 5;

/// The user's parameter names.
pub(super) const NAMED: &[ParameterMode] = &[
    ParameterMode {
        before: &[RATE, 0],
        parameters: &[Parameter::required("rate", ParameterForm::Double)],
    },
    ParameterMode {
        before: &[PRECISION, 0],
        parameters: &[Parameter::required("precision", ParameterForm::Number)],
    },
    ParameterMode {
        before: &[ACCURACY, 0],
        parameters: &[Parameter::required("accuracy", ParameterForm::Double)],
    },
    ParameterMode {
        before: &[EXPERT, 0],
        parameters: &[
            Parameter::required("minbits", ParameterForm::Number),
            Parameter::required("maxbits", ParameterForm::Number),
            Parameter::required("maxprec", ParameterForm::Number),
            Parameter::required("minexp", ParameterForm::Number),
        ],
    },
    ParameterMode {
        before: &[REVERSIBLE],
        parameters: &[Parameter::required("reversible", ParameterForm::Flag)],
    },
];

/// Converts a user's parameters to stored parameters.
pub(super) fn prepare(context: &ChunkContext, user: &[u32]) -> Result<Vec<u32>> {
    let (dims, dimensionality) = dims(&context.shape)?;
    let scalar_type = scalar_type(context)?;
    let rate = |rate| {
        let align = ZfpStreamAlignment::Unaligned;
        ZfpConfig::fixed_rate(rate, scalar_type, dimensionality, align)
    };
    let config = match *user {
        [RATE, _, low, high, ..] => rate(double(low, high)),
        [PRECISION, _, precision @ 1..=64, ..] => Ok(ZfpConfig::fixed_precision(precision)),
        [ACCURACY, _, low, high, ..] => match double(low, high) {
            error if error > 0.0 && error.is_finite() => Ok(ZfpConfig::fixed_accuracy(error)),
            _ => return Err(expected(user)),
        },
        [EXPERT, _, min_bits, max_bits, max_prec, min_exp, ..] => {
            ZfpConfig::expert(min_bits, max_bits, max_prec, min_exp.cast_signed())
        }
        [REVERSIBLE, ..] => Ok(ZfpConfig::reversible()),
        _ => match ZfpHeader::read(user) {
            Ok(stored) => match rate_of(&stored) {
                Some(stored) => rate(stored),
                None => Ok(stored.config),
            },
            Err(_) => return Err(expected(user)),
        },
    };
    let config = config.map_err(|_| expected(user))?;
    let whole = matches!(scalar_type, ZfpScalarType::I32 | ZfpScalarType::I64);
    if whole && config.mode() == ZfpMode::FixedAccuracy {
        return Err(unfit(NAME, "integers have no mode 3 (accuracy)"));
    }
    let header = ZfpHeader {
        config,
        field: ZfpFieldMetadata { scalar_type, dims },
        big: context.element.order == Endianness::Big,
    };
    header.write()
}

/// Checks whether a user's or stored parameters select the lossless mode.
pub(super) fn is_reversible(params: &[u32]) -> bool {
    let stored = || ZfpHeader::read(params).is_ok_and(|h| h.config.mode() == ZfpMode::Reversible);
    params.first() == Some(&REVERSIBLE) || stored()
}

fn expected(user: &[u32]) -> crate::error::Error {
    let expected = "1,0,rate (bits of a number, a double in two parameters), 2,0,precision (1 to \
                    64 bits), 3,0,error (a double above 0), 4,0,minbits,maxbits,maxprec,minexp \
                    or 5 (no loss)";
    wrong(NAME, expected, user)
}

/// Returns a double stored in two parameters.
pub(in crate::filter) fn double(low: u32, high: u32) -> f64 {
    f64::from_bits(u64::from(high) << 32 | u64::from(low))
}

/// Returns the rate of a stored mode, for the chunk shape.
fn rate_of(stored: &ZfpHeader) -> Option<f64> {
    let rank = stored.field.dims.iter().filter(|&&n| n > 0).count();
    stored.config.rate(dimensionality(rank)?)
}

/// Returns the dimensions longer than 1, fastest first.
fn dims(shape: &[u64]) -> Result<([usize; 4], ZfpDimensionality)> {
    let long: Vec<u64> = shape.iter().copied().filter(|&n| n != 1).rev().collect();
    let Some(dimensionality) = dimensionality(long.len()) else {
        let what = "chunks must be longer than 1 in one to four dimensions";
        return Err(unfit(NAME, what));
    };
    let mut dims = [0; 4];
    for (to, from) in dims.iter_mut().zip(long) {
        *to = usize::try_from(from).unwrap_or(usize::MAX);
    }
    Ok((dims, dimensionality))
}

pub(in crate::filter) fn dimensionality(rank: usize) -> Option<ZfpDimensionality> {
    match rank {
        1 => Some(ZfpDimensionality::D1),
        2 => Some(ZfpDimensionality::D2),
        3 => Some(ZfpDimensionality::D3),
        4 => Some(ZfpDimensionality::D4),
        _ => None,
    }
}

/// Returns the number type; zfp treats unsigned numbers as signed.
pub(in crate::filter) fn scalar_type(context: &ChunkContext) -> Result<ZfpScalarType> {
    match context.element.plain_type() {
        Some(Atomic::Int | Atomic::UInt) => Ok(ZfpScalarType::I32),
        Some(Atomic::Int64 | Atomic::UInt64) => Ok(ZfpScalarType::I64),
        Some(Atomic::Float) => Ok(ZfpScalarType::F32),
        Some(Atomic::Double) => Ok(ZfpScalarType::F64),
        Some(
            Atomic::Byte
            | Atomic::Char
            | Atomic::Short
            | Atomic::UByte
            | Atomic::UShort
            | Atomic::String,
        )
        | None => Err(unfit(NAME, "the type is not a 4- or 8-byte number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::model::StoredElement;

    fn context(ty: Atomic, shape: &[u64]) -> ChunkContext {
        ChunkContext {
            shape: shape.to_vec(),
            element: StoredElement {
                ty: ty.into(),
                size: ty.size().unwrap() as u64,
                order: Endianness::Little,
                plain: true,
            },
            fill: None,
            len: None,
            about: crate::filter::VariableFacts::default(),
        }
    }

    const VERSIONS: u32 = 269_504_785;
    const MAGIC: u32 = 91_252_346;
    const EXPERT: [u32; 6] = [4, 0, 1, 800, 20, 4_294_967_286];

    #[test]
    fn parameters_match_the_c_filter() {
        let check = |ty, shape: &[u64], user: &[u32], stored: &[u32]| {
            let found = prepare(&context(ty, shape), user).unwrap();
            assert_eq!(found[..2], [VERSIONS, MAGIC]);
            assert_eq!(found[2..], *stored, "{shape:?} {user:?}");
            assert_eq!(prepare(&context(ty, shape), &found).unwrap(), found);
        };
        let rate = [1, 0, 0, 1_076_166_656];
        let float = |user, stored| check(Atomic::Float, &[53], user, stored);
        float(&rate, &[834, 42_991_616]);
        float(&[2, 0, 12, 0, 0, 0], &[834, 2_159_017_984]);
        float(&[3, 0, 1_202_590_843, 1_065_646_817], &[834, 3_401_580_544]);
        float(&[5], &[834, 2_281_701_376]);
        float(&EXPERT, &[834, 4_293_918_720, 3_247_407_104, 527_524]);
        check(
            Atomic::Double,
            &[7, 9],
            &rate,
            &[1_610_612_871, 175_112_192],
        );
        check(Atomic::Int, &[3, 5, 6], &rate, &[4_194_392, 703_594_528]);
        let four = [268_697_629, 4_293_919_232, 3_309_275_775, 493_487];
        check(Atomic::Int64, &[3, 2, 5, 2], &rate, &four);
        check(
            Atomic::Float,
            &[1, 4, 1, 6, 1, 3],
            &[5],
            &[5_242_922, 2_281_701_424],
        );
    }

    #[test]
    fn a_stored_rate_stays_for_another_shape() {
        let rate = [1, 0, 0, 1_076_166_656];
        let line = prepare(&context(Atomic::Float, &[53]), &rate).unwrap();
        let plane = context(Atomic::Double, &[7, 9]);
        let found = prepare(&plane, &line).unwrap();
        assert_eq!(found, prepare(&plane, &rate).unwrap());
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        let kind = |ty, shape: &[u64], user: &[u32]| {
            let prepared = prepare(&context(ty, shape), user);
            prepared.unwrap_err().kind()
        };
        let infinite = [1, 0, 0, 0x7FF0_0000];
        let minus = [3, 0, 0, 0xBFF0_0000];
        for user in [&[][..], &[6], &[1, 0, 3], &[2, 0, 65], &infinite, &minus] {
            assert_eq!(kind(Atomic::Float, &[9], user), ErrorKind::Argument);
        }
        for shape in [&[1, 1][..], &[2; 5]] {
            assert_eq!(kind(Atomic::Float, shape, &[5]), ErrorKind::Unsupported);
        }
        assert_eq!(kind(Atomic::Short, &[9], &[5]), ErrorKind::Unsupported);
        let error = [3, 0, 0, 0x3FF0_0000];
        assert_eq!(kind(Atomic::Int, &[9], &error), ErrorKind::Unsupported);
    }
}
