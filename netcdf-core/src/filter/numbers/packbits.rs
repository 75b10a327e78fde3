//! Packbits: booleans as bits.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none |
//! | Names | `packbits` |
//! | Parameters | none |
//! | Stored form | the number of unused bits in the last byte, then the bits, most significant bit of each byte first |
//! | Specification | numcodecs |
//! | Also read by | numcodecs and software built on it |

use super::dtype::OrderedType;
use super::number_type::NumberType;
use crate::error::Result;
use crate::filter::codec::{CodecStage, ids};
use crate::filter::output::{allocate, bad, truncated};
use crate::filter::user_params::{none, unfit};
use crate::filter::{ChunkContext, CodecNames, Encoded, Filter, FilterEntry, Policy};
use crate::model::StoredElement;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::PACKBITS,
    name: NAME,
    codec: Some(CodecNames {
        name: NAME,
        v3: "numcodecs.packbits",
        stage: CodecStage::Elements,
        read: |config| match config.text("padding_encoding")? {
            // The codec of this name in the Zarr 3 extensions also has other forms.
            None if config.plain => Err(config.unsupported("no padding")),
            None | Some("first_byte") => Ok(vec![]),
            Some(other) => Err(config.unsupported(format_args!("padding {other}"))),
        },
        write: |_, _| Ok(vec![]),
    }),
    policy: Policy::ZARR_ONLY,
    named: &[],
    prepare: |_, user| none(NAME, user),
    build: |_, _| Ok(Box::new(PackBits)),
};

const NAME: &str = "packbits";

struct PackBits;

impl Filter for PackBits {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        let element = OrderedType {
            ty: NumberType::U8,
            big: false,
        };
        ChunkContext {
            element: StoredElement {
                order: context.element.order,
                ..element.element()
            },
            len: context.len.map(|len| len.div_ceil(8).saturating_add(1)),
            fill: None,
            ..context.clone()
        }
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let (&unused, bytes) = input.split_first().ok_or_else(|| truncated(NAME))?;
        let bits = (bytes.len() as u64).saturating_mul(8);
        let bits = bits.checked_sub(unused.into());
        let bits = bits.ok_or_else(|| bad(NAME, format_args!("{unused} unused bits in a byte")))?;
        let len = context.checked_len(bits, NAME)?;
        allocate(NAME, output, len)?;
        let all = bytes
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |n| byte >> n & 1));
        output.extend(all.take(len));
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        if input.iter().any(|byte| *byte > 1) {
            return Err(unfit(NAME, "a value that is neither 0 nor 1"));
        }
        let bytes = input.len().div_ceil(8);
        allocate(NAME, output, bytes.saturating_add(1))?;
        let unused = bytes.saturating_mul(8).saturating_sub(input.len());
        output.push(u8::try_from(unused).unwrap_or(0));
        for eight in input.chunks(8) {
            let bit = |(n, value): (usize, &u8)| u8::from(*value != 0) << (7 - n);
            output.push(eight.iter().enumerate().map(bit).sum());
        }
        Ok(Encoded::Applied)
    }
}
