//! Transpose: reorders dimensions.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `transpose`; `order: "F"` of Zarr 2 is the reverse order |
//! | Parameters | for each stored dimension, the index of the chunk dimension |
//! | Stored form | the elements in the stored dimension order, the last dimension fastest |
//! | Specification | Zarr 3, "Transpose codec" |
//! | Also read by | every implementation of Zarr 3 |

use super::codec::{CodecStage, Config, Members, digits, ids};
use super::output::{bad, extend};
use super::permute::permute;
use super::user_params::wrong;
use super::{
    ChunkContext, CodecNames, Encoded, Filter, FilterEntry, FilterReplacement, Policy, corrupt,
};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::model::ZarrVersion;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::TRANSPOSE,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: NAME,
        stage: CodecStage::Elements,
        read: from_codec,
        write: |params, shown| match shown.version {
            ZarrVersion::V3 => Ok(to_codec(params)),
            ZarrVersion::V2 => {
                let what = "transpose: Zarr version 2 can only reverse the order of dimensions";
                Err(Error::new(ErrorKind::Unsupported, what))
            }
        },
    }),
    policy: Policy {
        in_hdf5: |_| FilterReplacement::DropSilently,
        in_zarr: |_, zarr| match zarr.version {
            ZarrVersion::V2 => FilterReplacement::DropSilently,
            ZarrVersion::V3 => FilterReplacement::Keep,
        },
        ..Policy::PLAIN
    },
    named: &[],
    prepare: |context, user| {
        let rank = context.shape.len();
        let whole = Transpose::new(user).is_ok() && user.len() == rank;
        match whole {
            true => Ok(user.to_vec()),
            false => Err(wrong(
                NAME,
                format_args!("an order of {rank} dimensions"),
                user,
            )),
        }
    },
    build: |params, _| Ok(Box::new(Transpose::new(params)?)),
};

const NAME: &str = "transpose";

/// For each stored dimension, the dimension of the chunk.
struct Transpose {
    order: Vec<usize>,
}

impl Transpose {
    fn new(params: &[u32]) -> Result<Self> {
        let order: Vec<usize> = params.iter().map(|&n| n as usize).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        match sorted.iter().enumerate().all(|(n, of)| n == *of) {
            true => Ok(Self { order }),
            false => Err(corrupt(format!(
                "transpose: {params:?} is not an order of dimensions"
            ))),
        }
    }

    /// Returns the chunk shape, the stored shape, and the element size in bytes.
    fn shapes(&self, context: &ChunkContext) -> Result<(Vec<usize>, Vec<usize>, usize)> {
        let size = |n: &u64| usize::try_from(*n).unwrap_or(usize::MAX);
        let chunk: Vec<usize> = context.shape.iter().map(size).collect();
        if chunk.len() != self.order.len() {
            let (rank, found) = (chunk.len(), self.order.len());
            let what = format_args!("an order of {found} dimensions for a chunk of {rank}");
            return Err(bad(NAME, what));
        }
        let stored = self.order.iter().filter_map(|n| chunk.get(*n).copied());
        let stored = stored.collect();
        Ok((chunk, stored, size(&context.element.size)))
    }
}

/// Returns the strides of a shape's dimensions, in elements.
fn steps(shape: &[usize]) -> Vec<usize> {
    let mut step = 1_usize;
    let mut steps: Vec<usize> = shape
        .iter()
        .rev()
        .map(|len| {
            let next = step.saturating_mul(*len);
            std::mem::replace(&mut step, next)
        })
        .collect();
    steps.reverse();
    steps
}

/// Appends `size`-byte elements in the order of `shape`. `steps` are the input strides of the dimensions.
fn gather(
    input: &[u8],
    (shape, steps): (&[usize], &[usize]),
    size: usize,
    output: &mut Vec<u8>,
) -> Result<()> {
    let count = shape.iter().try_fold(size, |n, len| n.checked_mul(*len));
    if count != Some(input.len()) {
        let what = format_args!("{} bytes in a chunk of {shape:?} times {size}", input.len());
        return Err(bad(NAME, what));
    }
    if input.is_empty() {
        return Ok(());
    }
    let room = extend(NAME, output, input.len())?;
    permute(input, (shape, steps), size, room);
    Ok(())
}

impl Filter for Transpose {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        let shape = self.order.iter().filter_map(|n| context.shape.get(*n));
        ChunkContext {
            shape: shape.copied().collect(),
            ..context.clone()
        }
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let (chunk, stored, size) = self.shapes(context)?;
        let from = steps(&stored);
        // The stride of a chunk dimension is the stride of the matching stored dimension.
        let position = |n: usize| self.order.iter().position(|of| *of == n);
        let steps = (0..chunk.len()).filter_map(|n| from.get(position(n)?).copied());
        let steps: Vec<usize> = steps.collect();
        gather(input, (&chunk, &steps), size, output)
    }

    fn encode(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Encoded> {
        let (chunk, stored, size) = self.shapes(context)?;
        let from = steps(&chunk);
        let steps = self.order.iter().filter_map(|n| from.get(*n).copied());
        let steps: Vec<usize> = steps.collect();
        gather(input, (&stored, &steps), size, output)?;
        Ok(Encoded::Applied)
    }
}

fn from_codec(config: &Config<'_>) -> Result<Vec<u32>> {
    let rank = u32::try_from(config.context.shape.len()).unwrap_or(u32::MAX);
    let wrong = || config.wrong("`order` is not a list of dimensions");
    let order: Vec<u32> = match config.get("order").ok_or_else(wrong)? {
        Json::Text(text) if text == b"C" => (0..rank).collect(),
        Json::Text(text) if text == b"F" => (0..rank).rev().collect(),
        Json::Array(items) => {
            let number = |item: &Json| digits(item)?.parse().ok();
            let order: Option<Vec<u32>> = items.iter().map(number).collect();
            order.ok_or_else(wrong)?
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::Object(_) => {
            return Err(wrong());
        }
    };
    Transpose::new(&order)?;
    match order.len() == config.context.shape.len() {
        true => Ok(order),
        false => Err(config.wrong(format_args!("`order` does not have {rank} dimensions"))),
    }
}

fn to_codec(params: &[u32]) -> Members {
    let order = params.iter().map(Json::int).collect();
    vec![("order".to_owned(), Json::Array(order))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::{build, context};

    fn chunk(shape: &[u64], size: u64) -> ChunkContext {
        let count: u64 = shape.iter().product();
        ChunkContext {
            shape: shape.to_vec(),
            ..context((count * size) as usize, size)
        }
    }

    fn encode(order: &[u32], context: &ChunkContext, data: &[u8]) -> Vec<u8> {
        let (filter, mut out) = (build(ids::TRANSPOSE, order, context).unwrap(), vec![]);
        filter.encode(context, data, &mut out).unwrap();
        let mut back = vec![];
        filter.decode(context, &out, &mut back).unwrap();
        assert_eq!(back, data);
        out
    }

    #[test]
    fn dimensions_are_reordered() {
        let plane = chunk(&[2, 3], 2);
        let stored = encode(&[1, 0], &plane, b"aAbBcCdDeEfF");
        assert_eq!(stored, b"aAdDbBeEcCfF");
        assert_eq!(encode(&[0, 1], &plane, b"aAbBcCdDeEfF"), b"aAbBcCdDeEfF");
        // numpy: arange(24).reshape(2,3,4).transpose(2,0,1)
        let data: Vec<u8> = (0..24).collect();
        let stored = encode(&[2, 0, 1], &chunk(&[2, 3, 4], 1), &data);
        assert_eq!(stored[..8], [0, 4, 8, 12, 16, 20, 1, 5]);
        let context = chunk(&[2, 3, 4], 1);
        let behind = build(ids::TRANSPOSE, &[2, 0, 1], &context).unwrap();
        assert_eq!(behind.output(&context).shape, [4, 2, 3]);
        for size in [1, 2, 3, 4, 8, 16] {
            let data: Vec<u8> = (0..60 * size).map(|n| n as u8).collect();
            encode(&[1, 3, 0, 2], &chunk(&[3, 2, 5, 2], size), &data);
        }
        encode(&[], &chunk(&[], 4), b"abcd");
        encode(&[1, 0], &chunk(&[0, 3], 4), b"");
    }

    #[test]
    fn invalid_orders_are_rejected() {
        for order in [&[0, 0][..], &[1, 2], &[0, 1, 3]] {
            assert!(build(ids::TRANSPOSE, order, &context(4, 1)).is_err());
        }
        let filter = build(ids::TRANSPOSE, &[1, 0], &context(4, 1)).unwrap();
        let three = chunk(&[2, 2, 1], 1);
        assert!(filter.decode(&three, &[0; 4], &mut vec![]).is_err());
        let two = chunk(&[2, 2], 1);
        assert!(filter.decode(&two, &[0; 5], &mut vec![]).is_err());
        assert!(filter.decode(&two, &[0; 3], &mut vec![]).is_err());
    }
}
