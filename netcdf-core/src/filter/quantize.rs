//! The quantizing filters of the Community Codec Repository: they set insignificant mantissa bits to 0 or 1, so that a following compressor
//! works better.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 32022 BitGroom, 32023 Granular BitRound, 32032 BitRound |
//! | Names | `bitgroom`, `granularbr`, `bitround` |
//! | Parameters | number of significant digits or bits, and stored facts about the type |
//! | Specification | doi:10.5194/gmd-9-3199-2016, doi:10.1038/s43588-021-00156-2 |
//! | Also read by | NCO, the HDF Group's plugins |
//!
//! The filters write plain numbers, so the decoder copies them. (netCDF-C's own quantization writes attributes, but no filter.)

use super::output::reserve;
use super::parameter_names::{Parameter, ParameterForm, ParameterMode};
use super::{ChunkContext, Encoded, Filter, FilterEntry, FilterReplacement, Policy, read_only};
use crate::error::Result;

/// Decoded numbers are already quantized, so dropping the filter loses no data.
const QUANTIZED: Policy = Policy {
    lossy: |_| true,
    in_zarr: |_, _| FilterReplacement::Drop,
    ..Policy::PLAIN
};

/// The single parameter of each filter that users see.
const DIGITS: &[ParameterMode] = &[ParameterMode::of(&[Parameter::required(
    "digits",
    ParameterForm::Number,
)])];
const BITS: &[ParameterMode] = &[ParameterMode::of(&[Parameter::required(
    "bits",
    ParameterForm::Number,
)])];

/// The table entry of BitGroom.
pub(crate) const BITGROOM: FilterEntry = FilterEntry {
    id: 32022,
    name: "bitgroom",
    codec: None,
    policy: QUANTIZED,
    named: DIGITS,
    prepare: |_, _| Err(read_only("bitgroom")),
    build: |_, _| Ok(Box::new(Quantized("bitgroom"))),
};

/// The table entry of Granular BitRound.
pub(crate) const GRANULARBR: FilterEntry = FilterEntry {
    id: 32023,
    name: "granularbr",
    prepare: |_, _| Err(read_only("granularbr")),
    build: |_, _| Ok(Box::new(Quantized("granularbr"))),
    ..BITGROOM
};

/// The table entry of BitRound.
pub(crate) const BITROUND: FilterEntry = FilterEntry {
    id: 32032,
    name: "bitround",
    named: BITS,
    prepare: |_, _| Err(read_only("bitround")),
    build: |_, _| Ok(Box::new(Quantized("bitround"))),
    ..BITGROOM
};

struct Quantized(&'static str);

impl Filter for Quantized {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        context.clone()
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        reserve(self.0, context, input.len() as u64, output)?;
        output.extend_from_slice(input);
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::filter::tests::decode;

    #[test]
    fn numbers_stay_unchanged() {
        for row in [BITGROOM, GRANULARBR, BITROUND] {
            let numbers = b"\x00\x80\xAA\x3F";
            assert_eq!(decode(row.id, &[3, 4], 4, numbers).unwrap(), numbers);
            let e = decode(row.id, &[3, 4], 3, numbers).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Corrupt);
        }
    }
}
