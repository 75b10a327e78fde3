//! Filter policies by number, and the replacement of filters in other formats.

use super::built_in::BUILT_IN;
use super::codec::ids::{self as codecs, UNKNOWN, is_private};
use super::ids::{SZIP, ZFP, ZSTD};
use super::names;
use super::policy::{FilterReplacement, Policy};
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
pub(crate) fn replacement(
    filter: &FilterSpec,
    from: StorageFormat,
    to: StorageFormat,
) -> FilterReplacement {
    let policy = policy(filter.id);
    match to {
        StorageFormat::Zarr(_) if has_no_codec(filter.id) => {
            FilterReplacement::substitute(ZSTD, &[3])
        }
        StorageFormat::Zarr(zarr) if from != to && zarr.is_of_netcdf_c() => {
            of_netcdf_c(filter, (policy.in_zarr)(&filter.params, zarr))
        }
        StorageFormat::Zarr(zarr) => (policy.in_zarr)(&filter.params, zarr),
        StorageFormat::Cdf(_) | StorageFormat::Hdf5 | StorageFormat::ReadOnly(_) => {
            match (policy.in_hdf5)(&filter.params) {
                FilterReplacement::Substitute(other) if from == to && other.id != filter.id => {
                    FilterReplacement::Keep
                }
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
fn of_netcdf_c(filter: &FilterSpec, found: FilterReplacement) -> FilterReplacement {
    let id = match &found {
        FilterReplacement::Keep => filter.id,
        FilterReplacement::Substitute(other) => other.id,
        FilterReplacement::Drop | FilterReplacement::DropSilently => return found,
    };
    match id {
        UNKNOWN => found,
        // netCDF-C reads szip in Zarr, zarr-python does not.
        SZIP | codecs::LZ4 | codecs::LZMA => FilterReplacement::substitute(ZSTD, &[3]),
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
    fn zarr_codecs_are_replaced_in_hdf5() {
        for id in ids::GZIP..=ids::BASE64 {
            match replacement(
                &spec(id, &[4]),
                Kind::PURE_ZARR.storage,
                Kind::NETCDF4.storage,
            ) {
                FilterReplacement::Substitute(filter) => assert!(!is_private(filter.id)),
                FilterReplacement::DropSilently => assert_eq!(id, ids::TRANSPOSE),
                found => assert_eq!(found, FilterReplacement::Drop, "{id:x}"),
            }
        }
        let gzip = replacement(
            &spec(ids::GZIP, &[4]),
            Kind::PURE_ZARR.storage,
            Kind::NETCDF4.storage,
        );
        assert_eq!(gzip, FilterReplacement::substitute(DEFLATE, &[4]));
        let unknown = spec(UNKNOWN, &[]);
        assert_eq!(
            replacement(&unknown, Kind::PURE_ZARR.storage, Kind::NETCDF4.storage),
            FilterReplacement::Keep
        );
    }

    #[test]
    fn substitutes_of_hdf5_filters_have_a_codec() {
        let (hdf5, v2) = (Kind::NETCDF4.storage, Kind::PURE_ZARR.storage);
        let table = FilterTable::default();
        let chunk = crate::filter::tests::context(64, 4);
        for (id, params) in [
            (32000, &[][..]),
            (32004, &[0]),
            (32008, &[0, 2, 4, 0, 3, 1]),
        ] {
            let FilterReplacement::Substitute(filter) = replacement(&spec(id, params), hdf5, v2)
            else {
                panic!("{id}");
            };
            assert!(to_json(ZarrVersion::V2, &filter, &chunk, &table).is_ok());
            assert_eq!(filter.params == [0, 0, 0, 0, 5, 2, 5], id == 32008);
        }
        for id in [1, 2, 3, 307, 32001, 32015, 40_000] {
            assert_eq!(
                replacement(&spec(id, &[]), hdf5, v2),
                FilterReplacement::Keep
            );
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
                let found = replacement(&spec(id, params), hdf5, kind.storage);
                assert_eq!(found, FilterReplacement::substitute(32015, &[3]), "{id}");
            }
            assert_eq!(
                replacement(&spec(id, params), hdf5, hdf5),
                FilterReplacement::Keep
            );
        }
        let order = spec(ids::TRANSPOSE, &[1, 0]);
        assert_eq!(
            replacement(&order, hdf5, v2),
            FilterReplacement::DropSilently
        );
        assert_eq!(
            replacement(&order, hdf5, Kind::NCZARR3.storage),
            FilterReplacement::Keep
        );
    }

    #[test]
    fn codecs_without_a_common_reader_are_replaced() {
        let (hdf5, nczarr) = (Kind::NETCDF4.storage, Kind::NCZARR.storage);
        let zarr = [Kind::PURE_ZARR, Kind::PURE_ZARR3, Kind::NCZARR3].map(|kind| kind.storage);
        let (szip, snappy) = (spec(4, &[32, 8]), spec(32001, &[2, 2, 4, 400, 5, 1, 3]));
        for to in zarr {
            assert_eq!(
                replacement(&szip, hdf5, to),
                FilterReplacement::substitute(32015, &[3])
            );
            for from in [hdf5, to] {
                let found = replacement(&snappy, from, to);
                assert_eq!(
                    found,
                    FilterReplacement::substitute(32001, &[2, 2, 4, 400, 5, 1, 5])
                );
            }
        }
        assert_eq!(
            replacement(&szip, hdf5, nczarr),
            FilterReplacement::substitute(32015, &[3])
        );
        assert_eq!(replacement(&szip, nczarr, nczarr), FilterReplacement::Keep);
        let base64 = spec(ids::BASE64, &[]);
        let v2 = Kind::PURE_ZARR.storage;
        assert_eq!(replacement(&base64, v2, v2), FilterReplacement::Keep);
        for to in [Kind::PURE_ZARR3, Kind::NCZARR3] {
            assert_eq!(
                replacement(&base64, v2, to.storage),
                FilterReplacement::Drop
            );
        }
        assert_eq!(replacement(&szip, nczarr, hdf5), FilterReplacement::Keep);
        assert_eq!(replacement(&snappy, hdf5, hdf5), FilterReplacement::Keep);
        let deflate = FilterReplacement::substitute(DEFLATE, &[5]);
        assert_eq!(replacement(&snappy, nczarr, hdf5), deflate);
        let from = Kind::PURE_ZARR.storage;
        for (id, other) in [
            (ids::GZIP, FilterReplacement::substitute(DEFLATE, &[4])),
            (ids::LZ4, FilterReplacement::substitute(32015, &[3])),
            (ids::LZMA, FilterReplacement::substitute(32015, &[3])),
            (ids::CRC32, FilterReplacement::substitute(3, &[])),
            (ids::DELTA, FilterReplacement::Drop),
            (ids::TRANSPOSE, FilterReplacement::DropSilently),
        ] {
            assert_eq!(replacement(&spec(id, &[4]), from, nczarr), other, "{id:x}");
            if id != ids::TRANSPOSE {
                assert_eq!(
                    replacement(&spec(id, &[4]), nczarr, nczarr),
                    FilterReplacement::Keep
                );
            }
        }
        assert_eq!(
            replacement(&spec(32004, &[]), hdf5, nczarr),
            FilterReplacement::substitute(32015, &[3])
        );
    }
}
