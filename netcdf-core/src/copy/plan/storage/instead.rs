//! What replaces filters that the output does not have: Zarr codecs in HDF5, HDF5 filters in Zarr.

use crate::filter::codec::ids;
use crate::filter::{blosc, lz4, lzf};
use crate::model::storage::ids::{DEFLATE, FLETCHER32, NBIT, SCALEOFFSET};
use crate::model::{FilterSpec, Zarr, ZarrVersion};

/// What replaces a filter.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// The filter itself, also if nothing could replace it.
    Same,
    /// Another filter that serves the same purpose.
    Other(FilterSpec),
    /// No filter: values are stored without it.
    Nothing,
}

/// What replaces a filter in an HDF5 file or, if `zarr` says so, in Zarr. Values stay as they are read.
pub(super) fn instead(filter: &FilterSpec, zarr: Option<Zarr>) -> Instead {
    match zarr {
        None => in_hdf5(filter),
        Some(zarr) => in_zarr(filter, zarr.version),
    }
}

fn in_hdf5(filter: &FilterSpec) -> Instead {
    match filter.id {
        ids::GZIP => other(DEFLATE, &filter.params),
        ids::LZMA => other(DEFLATE, &[9]),
        ids::LZ4 => other(lz4::ENTRY.id, &[]),
        ids::CRC32 | ids::CRC32C | ids::ADLER32 | ids::JENKINS_LOOKUP3 => other(FLETCHER32, &[]),
        ids::DELTA
        | ids::FIXED_SCALE_OFFSET
        | ids::QUANTIZE
        | ids::BITROUND
        | ids::PACKBITS
        | ids::ASTYPE
        | ids::ZFPY
        | ids::TRANSPOSE
        | ids::BASE64 => Instead::Nothing,
        _ => Instead::Same,
    }
}

/// zstd as compressor of `bitshuffle` (its fifth parameter); shuffle and compressors of `blosc`.
const WITH_ZSTD: u32 = 3;
const BITS: u32 = 2;
const LZ4: u32 = 1;
const ZSTD: u32 = 5;

fn in_zarr(filter: &FilterSpec, version: ZarrVersion) -> Instead {
    const BITSHUFFLE: u32 = crate::filter::bitshuffle::ENTRY.id;
    const LZ4_HDF5: u32 = lz4::ENTRY.id;
    const LZF: u32 = lzf::ENTRY.id;
    match filter.id {
        ids::TRANSPOSE if version == ZarrVersion::V2 => Instead::Nothing,
        // Decoded numbers stay as these filters left them, so nothing more is lost.
        NBIT | SCALEOFFSET | 32022 | 32023 | 32032 => Instead::Nothing,
        LZ4_HDF5 | LZF => other(ids::LZ4, &[1]),
        BITSHUFFLE => {
            let zstd = filter.params.get(4) == Some(&WITH_ZSTD);
            let compressor = if zstd { ZSTD } else { LZ4 };
            other(blosc::ENTRY.id, &[5, BITS, compressor])
        }
        _ => Instead::Same,
    }
}

fn other(id: u32, params: &[u32]) -> Instead {
    let params = params.to_vec();
    Instead::Other(FilterSpec { id, params })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Table;
    use crate::filter::codec::{is_private, to_json};
    use crate::model::Kind;

    fn spec(id: u32, params: &[u32]) -> FilterSpec {
        let params = params.to_vec();
        FilterSpec { id, params }
    }

    #[test]
    fn no_codec_of_zarr_gets_into_hdf5() {
        for id in ids::GZIP..=ids::BASE64 {
            match instead(&spec(id, &[4]), None) {
                Instead::Other(filter) => assert!(!is_private(filter.id)),
                found => assert_eq!(found, Instead::Nothing, "{id:x}"),
            }
        }
        assert_eq!(in_hdf5(&spec(ids::GZIP, &[4])), other(DEFLATE, &[4]));
        let unknown = spec(crate::filter::codec::UNKNOWN, &[]);
        assert_eq!(in_hdf5(&unknown), Instead::Same);
    }

    #[test]
    fn what_stands_for_filters_of_hdf5_has_a_codec() {
        let zarr = Kind::NCZARR.as_zarr();
        let table = Table::default();
        let chunk = crate::filter::tests::context(64, 4);
        for (id, params) in [
            (32000, &[][..]),
            (32004, &[0]),
            (32008, &[0, 2, 4, 0, 3, 1]),
        ] {
            let Instead::Other(filter) = instead(&spec(id, params), zarr) else {
                panic!("{id}");
            };
            assert!(to_json(ZarrVersion::V2, &filter, &chunk, &table).is_ok());
            assert_eq!(filter.params == [5, 2, 5], id == 32008);
        }
        for id in [1, 2, 3, 4, 307, 32001, 32013, 32015, 40_000] {
            assert_eq!(instead(&spec(id, &[]), zarr), Instead::Same);
        }
        let order = spec(ids::TRANSPOSE, &[1, 0]);
        assert_eq!(instead(&order, zarr), Instead::Nothing);
        assert_eq!(instead(&order, Kind::NCZARR3.as_zarr()), Instead::Same);
    }
}
