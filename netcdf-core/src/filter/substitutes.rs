//! Filter policies by number, and the replacement of filters in other formats.

use super::built_in::BUILT_IN;
use super::codec::ids::{self as codecs, UNKNOWN, is_private};
use super::ids::{SZIP, ZFP, ZSTD};
use super::names;
use super::policy::{Instead, Policy};
use crate::model::FilterSpec;
use crate::model::kind::StorageFormat;

/// Returns the policies of a filter by its number; [`Policy::PLAIN`] for a filter that is not built in.
#[must_use]
pub fn policy(id: u32) -> &'static Policy {
    let row = BUILT_IN.iter().find(|row| row.id == id);
    row.map_or(&Policy::PLAIN, |row| &row.policy)
}

/// Returns the form of a filter that `_Filter` and netCDF-C show for a Zarr variable: the user's parameters, without the parameters that
/// depend on type and chunk. Returns `None` for codecs without an HDF5 filter number.
#[must_use]
pub fn visible(spec: &FilterSpec) -> Option<FilterSpec> {
    let shown = !is_private(spec.id);
    shown.then(|| FilterSpec {
        id: spec.id,
        params: (policy(spec.id).visible)(&spec.params),
    })
}

/// Returns the substitute for a filter of a dataset `from` in a dataset `to`. The decoded values are the same. The nearest common lossless
/// filter replaces a filter that no common reader of the output has.
#[must_use]
pub(crate) fn instead(filter: &FilterSpec, from: StorageFormat, to: StorageFormat) -> Instead {
    let policy = policy(filter.id);
    match to {
        StorageFormat::Zarr(_) if has_no_codec(filter.id) => Instead::other(ZSTD, &[3]),
        StorageFormat::Zarr(zarr) if from != to && zarr.is_of_netcdf_c() => {
            of_netcdf_c(filter, (policy.in_zarr)(&filter.params, zarr))
        }
        StorageFormat::Zarr(zarr) => (policy.in_zarr)(&filter.params, zarr),
        StorageFormat::Cdf(_) | StorageFormat::Hdf5 | StorageFormat::ReadOnly(_) => {
            match (policy.in_hdf5)(&filter.params) {
                Instead::Other(other) if from == to && other.id != filter.id => Instead::Same,
                found => found,
            }
        }
    }
}

/// Checks whether an HDF5 compressor has no codec and no related codec in Zarr: zfp, whose Zarr codec differs, and registered plugin
/// filters.
fn has_no_codec(id: u32) -> bool {
    let built_in = BUILT_IN.iter().any(|row| row.id == id);
    id == ZFP || !built_in && names::registered(id).is_some()
}

/// Returns the substitute for a filter in a Zarr store for netCDF-C, which only has codecs for HDF5 filters. `found` is the substitute for
/// zarr-python.
fn of_netcdf_c(filter: &FilterSpec, found: Instead) -> Instead {
    let id = match &found {
        Instead::Same => filter.id,
        Instead::Other(other) => other.id,
        Instead::Nothing | Instead::Unsaid => return found,
    };
    match id {
        UNKNOWN => found,
        // netCDF-C reads szip in Zarr, zarr-python does not.
        SZIP | codecs::LZ4 | codecs::LZMA => Instead::other(ZSTD, &[3]),
        _ if is_private(id) => (policy(id).in_hdf5)(&filter.params),
        _ => found,
    }
}

/// Checks whether two filters decode alike.
#[must_use]
pub(crate) fn decodes_alike(a: &FilterSpec, b: &FilterSpec) -> bool {
    let decoding = policy(a.id).decoding;
    a.id == b.id && decoding(&a.params) == decoding(&b.params)
}

/// Checks whether the filters `b` decode the chunks that the filters `a` encoded.
#[must_use]
pub(crate) fn decode_alike(a: &[FilterSpec], b: &[FilterSpec]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| decodes_alike(a, b))
}

#[cfg(test)]
mod tests {
    use super::super::FilterTable;
    use super::super::codec::{ids, is_private, to_json};
    use super::super::ids::DEFLATE;
    use super::*;
    use crate::model::{Kind, ZarrVersion};

    fn spec(id: u32, params: &[u32]) -> FilterSpec {
        let params = params.to_vec();
        FilterSpec { id, params }
    }

    #[test]
    fn no_codec_of_zarr_gets_into_hdf5() {
        for id in ids::GZIP..=ids::BASE64 {
            match instead(
                &spec(id, &[4]),
                Kind::PURE_ZARR.storage,
                Kind::NETCDF4.storage,
            ) {
                Instead::Other(filter) => assert!(!is_private(filter.id)),
                Instead::Unsaid => assert_eq!(id, ids::TRANSPOSE),
                found => assert_eq!(found, Instead::Nothing, "{id:x}"),
            }
        }
        let gzip = instead(
            &spec(ids::GZIP, &[4]),
            Kind::PURE_ZARR.storage,
            Kind::NETCDF4.storage,
        );
        assert_eq!(gzip, Instead::other(DEFLATE, &[4]));
        let unknown = spec(UNKNOWN, &[]);
        assert_eq!(
            instead(&unknown, Kind::PURE_ZARR.storage, Kind::NETCDF4.storage),
            Instead::Same
        );
    }

    #[test]
    fn what_stands_for_filters_of_hdf5_has_a_codec() {
        let (hdf5, v2) = (Kind::NETCDF4.storage, Kind::PURE_ZARR.storage);
        let table = FilterTable::default();
        let chunk = crate::filter::tests::context(64, 4);
        for (id, params) in [
            (32000, &[][..]),
            (32004, &[0]),
            (32008, &[0, 2, 4, 0, 3, 1]),
        ] {
            let Instead::Other(filter) = instead(&spec(id, params), hdf5, v2) else {
                panic!("{id}");
            };
            assert!(to_json(ZarrVersion::V2, &filter, &chunk, &table).is_ok());
            assert_eq!(filter.params == [0, 0, 0, 0, 5, 2, 5], id == 32008);
        }
        for id in [1, 2, 3, 307, 32001, 32015, 40_000] {
            assert_eq!(instead(&spec(id, &[]), hdf5, v2), Instead::Same);
        }
        // Lossless and lossy zfp, blosc2, sz, lzo.
        for (id, params) in [
            (32013, &[5][..]),
            (32013, &[1]),
            (32026, &[]),
            (32017, &[]),
            (305, &[]),
        ] {
            for kind in [
                Kind::PURE_ZARR,
                Kind::PURE_ZARR3,
                Kind::NCZARR,
                Kind::NCZARR3,
            ] {
                let found = instead(&spec(id, params), hdf5, kind.storage);
                assert_eq!(found, Instead::other(32015, &[3]), "{id}");
            }
            assert_eq!(instead(&spec(id, params), hdf5, hdf5), Instead::Same);
        }
        let order = spec(ids::TRANSPOSE, &[1, 0]);
        assert_eq!(instead(&order, hdf5, v2), Instead::Unsaid);
        assert_eq!(instead(&order, hdf5, Kind::NCZARR3.storage), Instead::Same);
    }

    #[test]
    fn codecs_without_a_common_reader_are_replaced() {
        let (hdf5, nczarr) = (Kind::NETCDF4.storage, Kind::NCZARR.storage);
        let zarr = [Kind::PURE_ZARR, Kind::PURE_ZARR3, Kind::NCZARR3].map(|kind| kind.storage);
        let (szip, snappy) = (spec(4, &[32, 8]), spec(32001, &[2, 2, 4, 400, 5, 1, 3]));
        for to in zarr {
            assert_eq!(instead(&szip, hdf5, to), Instead::other(32015, &[3]));
            for from in [hdf5, to] {
                let found = instead(&snappy, from, to);
                assert_eq!(found, Instead::other(32001, &[2, 2, 4, 400, 5, 1, 5]));
            }
        }
        assert_eq!(instead(&szip, hdf5, nczarr), Instead::other(32015, &[3]));
        assert_eq!(instead(&szip, nczarr, nczarr), Instead::Same);
        let base64 = spec(ids::BASE64, &[]);
        let v2 = Kind::PURE_ZARR.storage;
        assert_eq!(instead(&base64, v2, v2), Instead::Same);
        for to in [Kind::PURE_ZARR3, Kind::NCZARR3] {
            assert_eq!(instead(&base64, v2, to.storage), Instead::Nothing);
        }
        assert_eq!(instead(&szip, nczarr, hdf5), Instead::Same);
        assert_eq!(instead(&snappy, hdf5, hdf5), Instead::Same);
        let deflate = Instead::other(DEFLATE, &[5]);
        assert_eq!(instead(&snappy, nczarr, hdf5), deflate);
        let from = Kind::PURE_ZARR.storage;
        for (id, other) in [
            (ids::GZIP, Instead::other(DEFLATE, &[4])),
            (ids::LZ4, Instead::other(32015, &[3])),
            (ids::LZMA, Instead::other(32015, &[3])),
            (ids::CRC32, Instead::other(3, &[])),
            (ids::DELTA, Instead::Nothing),
            (ids::TRANSPOSE, Instead::Unsaid),
        ] {
            assert_eq!(instead(&spec(id, &[4]), from, nczarr), other, "{id:x}");
            if id != ids::TRANSPOSE {
                assert_eq!(instead(&spec(id, &[4]), nczarr, nczarr), Instead::Same);
            }
        }
        assert_eq!(
            instead(&spec(32004, &[]), hdf5, nczarr),
            Instead::other(32015, &[3])
        );
    }
}
