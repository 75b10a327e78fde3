//! The filter's parameters, as libhdf5 computes them.

use super::{BIG_ENDIAN, ENTROPY, NEAREST_NEIGHBOUR};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::ChunkContext;
use crate::filter::codec::{Config, DescriptionUse, Members, whole};
use crate::filter::user_params::{chunk_elements, unfit, wrong};
use crate::model::{Atomic, Endianness};

/// Option bits.
const ALLOW_K13: u32 = 1;
const CHIP: u32 = 2;
const LITTLE_ENDIAN: u32 = 8;
const RAW: u32 = 128;
const KNOWN: u32 = 0xBF;

/// The maximum number of blocks and pixels per scanline.
const BLOCKS: u64 = 128;
const PIXELS: u64 = 4096;

/// Returns the parameters that a user gave.
pub(in crate::filter) fn visible(params: &[u32]) -> Vec<u32> {
    match *params {
        [options, block, ..] => vec![given(options), block],
        _ => params.to_vec(),
    }
}

/// Returns the options that a user gave.
fn given(options: u32) -> u32 {
    options & !(ALLOW_K13 | CHIP | LITTLE_ENDIAN | BIG_ENDIAN | RAW)
}

/// Converts codec members to stored parameters.
pub(super) fn from_codec(config: &Config<'_>) -> Result<Vec<u32>> {
    let member = |key| {
        let n = config.int(key, None)?;
        u32::try_from(n).map_err(|_| config.wrong(format_args!("`{key}` is {n}")))
    };
    let user = [member("mask")?, member("pixels-per-block")?];
    let stored = prepare(config.context, &user);
    stored.map_err(|e| match e.kind() {
        ErrorKind::Argument => config.wrong(e.what().to_string().trim_start_matches("szip: ")),
        _ => e,
    })
}

/// Converts stored parameters to codec members.
pub(super) fn to_codec(params: &[u32], _: &DescriptionUse<'_>) -> Result<Members> {
    match *params {
        [options, block, ..] => Ok(vec![
            whole("mask", given(options)),
            whole("pixels-per-block", block),
        ]),
        _ => Err(expected(params)),
    }
}

/// Converts a user's parameters to stored parameters.
pub(super) fn prepare(context: &ChunkContext, user: &[u32]) -> Result<Vec<u32>> {
    let (options, block) = match *user {
        [] => (NEAREST_NEIGHBOUR, 8),
        [options, block] | [options, block, _, _] => (options, block),
        _ => return Err(expected(user)),
    };
    let coding = options & (ENTROPY | NEAREST_NEIGHBOUR) != 0;
    if !coding || options & !KNOWN != 0 || !(2..=32).contains(&block) || block % 2 != 0 {
        return Err(expected(user));
    }
    let pixel = pixel(context)?;
    let order = match context.element.order {
        Endianness::Little => LITTLE_ENDIAN,
        Endianness::Big => BIG_ENDIAN,
    };
    let options = options & !(CHIP | LITTLE_ENDIAN | BIG_ENDIAN) | ALLOW_K13 | RAW | order;
    Ok(vec![options, block, pixel, scanline(context, block)?])
}

fn expected(user: &[u32]) -> Error {
    let expected = "options (4 entropy coding, 32 nearest neighbour) and pixels per block (even, 2 \
                    to 32)";
    wrong("szip", expected, user)
}

/// Returns the bits of an element, which must be a number.
fn pixel(context: &ChunkContext) -> Result<u32> {
    let number = context.element.plain_type().filter(|&t| t != Atomic::Char);
    let bits = number.and_then(|_| match context.element.size {
        size @ (1 | 2 | 4 | 8) => u32::try_from(size * 8).ok(),
        _ => None,
    });
    bits.ok_or_else(|| unfit("szip", "the type is not a number"))
}

/// Returns the pixels per scanline: a row of the chunk if it fits, else the maximum.
fn scanline(context: &ChunkContext, block: u32) -> Result<u32> {
    let (block, elements) = (u64::from(block), chunk_elements("szip", context)?);
    let most = BLOCKS * block;
    // In Zarr, the scanline is a row of the variable, as in netCDF-C.
    let row = context.about.dims.last().or(context.shape.last());
    let line = match row.copied().unwrap_or(1) {
        row if row < block && elements < block => {
            let what = format!("szip: {block} pixels per block, in a chunk of {elements}");
            return Err(Error::new(ErrorKind::Argument, what));
        }
        row if row < block => most.min(elements),
        row if row <= PIXELS => most.min(row),
        _ => most,
    };
    Ok(u32::try_from(line).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StoredElement;

    fn context(ty: Atomic, order: Endianness, shape: &[u64]) -> ChunkContext {
        ChunkContext {
            shape: shape.to_vec(),
            element: StoredElement {
                ty: ty.into(),
                size: ty.size().unwrap() as u64,
                order,
                plain: true,
            },
            fill: None,
            len: None,
            about: crate::filter::VariableFacts::default(),
        }
    }

    #[test]
    fn parameters_match_libhdf5() {
        let little = |ty, shape: &[u64], user: &[u32]| {
            prepare(&context(ty, Endianness::Little, shape), user).unwrap()
        };
        assert_eq!(
            little(Atomic::Float, &[50, 10], &[32, 32]),
            [169, 32, 32, 500]
        );
        assert_eq!(
            little(Atomic::Short, &[50, 10], &[4, 16]),
            [141, 16, 16, 500]
        );
        assert_eq!(
            little(Atomic::UByte, &[50, 10], &[4, 16]),
            [141, 16, 8, 500]
        );
        assert_eq!(
            little(Atomic::Double, &[50, 10], &[4, 16]),
            [141, 16, 64, 500]
        );
        assert_eq!(little(Atomic::Int, &[3, 3], &[4, 8]), [141, 8, 32, 9]);
        assert_eq!(little(Atomic::Int, &[3000, 3], &[4, 8]), [141, 8, 32, 1024]);
        assert_eq!(little(Atomic::Int, &[3, 300], &[4, 8]), [141, 8, 32, 300]);
        assert_eq!(
            little(Atomic::Int, &[3, 5000], &[4, 32]),
            [141, 32, 32, 4096]
        );
        assert_eq!(little(Atomic::Int, &[5000], &[4, 2]), [141, 2, 32, 256]);
        let big = context(Atomic::Int, Endianness::Big, &[50, 10]);
        assert_eq!(prepare(&big, &[4, 8]).unwrap(), [149, 8, 32, 10]);
        assert_eq!(prepare(&big, &[141, 8, 8, 4]).unwrap(), [149, 8, 32, 10]);
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        let kind = |ty, shape: &[u64], user: &[u32]| {
            let context = context(ty, Endianness::Little, shape);
            prepare(&context, user).unwrap_err().kind()
        };
        for user in [
            &[32][..],
            &[32, 7],
            &[32, 34],
            &[32, 0],
            &[0, 8],
            &[64 | 4, 8],
        ] {
            assert_eq!(kind(Atomic::Int, &[100], user), ErrorKind::Argument);
        }
        assert_eq!(kind(Atomic::Int, &[5], &[4, 8]), ErrorKind::Argument);
        assert_eq!(kind(Atomic::Char, &[50], &[4, 8]), ErrorKind::Unsupported);
    }
}
