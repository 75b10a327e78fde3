//! The registered HDF5 filters, built in or not.
//!
//! The facts come from the HDF Group's list of registered filters. A filter with a short name in netCDF has this name.

use super::FilterEntry;
use super::built_in::BUILT_IN;
use crate::error::{Error, ErrorKind, Result};
use crate::model::FilterSpec;

/// A filter of the HDF Group's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registered {
    /// The registered number.
    pub id: u32,
    /// The short name, in lower case.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The software that includes the filter; follows "it comes with".
    pub install: &'static str,
    /// Whether the filter may change values, at least with some parameters; built-in filters use their policy instead.
    pub lossy: bool,
}

impl Registered {
    /// Returns the remedy for a missing filter.
    pub(super) fn remedy(&self) -> String {
        match self.install {
            HDF5PLUGIN | PLUGINS => "pip install hdf5plugin; export HDF5_PLUGIN_PATH=\
                $(python -c 'import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)')"
                .to_owned(),
            HDFGROUP | AUTHORS => format!(
                "it comes with {}; set HDF5_PLUGIN_PATH to the plugin directory",
                self.install
            ),
            PYTABLES => format!(
                "{} can store the data with zlib: ptrepack --complib=zlib",
                self.install
            ),
            other => format!("it comes with {other}"),
        }
    }
}

/// Returns the registered filter with this number.
#[must_use]
pub fn registered(id: u32) -> Option<&'static Registered> {
    let row = LIST.binary_search_by_key(&id, |r| r.id).ok()?;
    LIST.get(row)
}

/// Returns all registered filters, by number.
#[must_use]
pub fn all() -> &'static [Registered] {
    LIST
}

/// Returns the number of the filter with this name, in upper or lower case. If several filters have the name, the last registered one takes
/// precedence. Built-in filters need not be registered.
#[must_use]
pub fn number(name: &str) -> Option<u32> {
    let same = |r: &&Registered| r.name.eq_ignore_ascii_case(name);
    let alias = |(alias, _): &&(&str, u32)| alias.eq_ignore_ascii_case(name);
    let listed = LIST.iter().rev().find(same).map(|r| r.id);
    let listed = listed.or_else(|| ALIASES.iter().find(alias).map(|&(_, id)| id));
    let built_in =
        |row: &&FilterEntry| row.id <= u16::MAX.into() && row.name.eq_ignore_ascii_case(name);
    listed.or_else(|| BUILT_IN.iter().find(built_in).map(|row| row.id))
}

/// Checks whether a filter may change values. Unlisted filters count as lossless.
#[must_use]
pub fn is_lossy(filter: &FilterSpec) -> bool {
    let listed = || registered(filter.id).is_some_and(|r| r.lossy);
    match BUILT_IN.iter().find(|row| row.id == filter.id) {
        Some(row) => (row.policy.lossy)(&filter.params),
        None => listed(),
    }
}

/// Returns the filter with this name and these parameters, like netCDF-C's functions for standard filters.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] if no filter has the name.
pub fn spec(name: &str, params: &[u32]) -> Result<FilterSpec> {
    let id = number(name).ok_or_else(|| {
        let what = format!("no filter is called `{name}`");
        Error::new(ErrorKind::NotFound, what)
    })?;
    let params = params.to_vec();
    Ok(FilterSpec { id, params })
}

/// Common alternative names.
const ALIASES: &[(&str, u32)] = &[("zlib", 1), ("gzip", 1), ("bz2", 307), ("zstandard", 32015)];

/// Returns the meaning of a number that is not in the list.
pub(super) fn unregistered(id: u32) -> &'static str {
    match id {
        0..=255 => "HDF5 reserves the number",
        256..=511 => "the number is for tests",
        512..=32767 => "the number is not in the HDF Group's list",
        32768..=65535 => "the number is for private use",
        65536.. => "HDF5 has no such numbers",
    }
}

const fn row(
    id: u32,
    name: &'static str,
    about: &'static str,
    install: &'static str,
) -> Registered {
    Registered {
        id,
        name,
        about,
        install,
        lossy: false,
    }
}

/// Returns the entry of a filter that may change values.
const fn lossy(
    id: u32,
    name: &'static str,
    about: &'static str,
    install: &'static str,
) -> Registered {
    let row = row(id, name, about, install);
    Registered { lossy: true, ..row }
}

const HDF5: &str = "HDF5 itself";
const HDF5PLUGIN: &str = "the Python package hdf5plugin";
const PLUGINS: &str = "the Python package hdf5plugin or the HDF Group's HDF5 plugins";
const HDFGROUP: &str = "the HDF Group's HDF5 plugins";
const PYTABLES: &str = "the Python package tables";
const AUTHORS: &str = "the HDF5 plugin of its authors";

#[rustfmt::skip]
static LIST: &[Registered] = &[
    row(1, "deflate", "zlib, the compression of gzip", HDF5),
    row(2, "shuffle", "groups bytes of the same significance", HDF5),
    row(3, "fletcher32", "a checksum", HDF5),
    row(4, "szip", "the extended Rice coding of CCSDS 121.0-B", "HDF5 built with szip or libaec"),
    row(5, "nbit", "integers and floats without their unused bits", HDF5),
    row(6, "scaleoffset", "numbers scaled, less their minimum, in few bits", HDF5),
    row(257, "hzip", "compression of hexahedral meshes, from Silo", "the Silo library"),
    lossy(258, "fpzip", "the number of fpzip in Silo", "the Silo library"),
    row(305, "lzo", "LZO compression, from PyTables", PYTABLES),
    row(307, "bzip2", "bzip2 compression", PLUGINS),
    row(32000, "lzf", "LZF compression, from h5py", "the Python package h5py"),
    row(32001, "blosc", "Blosc compression: blocks, shuffled and compressed", PLUGINS),
    row(32002, "mafisc", "prediction and LZMA compression", AUTHORS),
    row(32003, "snappy", "Snappy compression on graphics processors", "its authors' snappy-cuda"),
    row(32004, "lz4", "LZ4 compression", PLUGINS),
    lossy(32005, "apax", "Samplify's lossy APAX encoding", "software that is no longer available"),
    row(32006, "cbf", "the compressions of imgCIF/CBF", "its authors' CBFlib"),
    lossy(32007, "jpeg-xr", "JPEG XR image compression", AUTHORS),
    row(32008, "bitshuffle", "groups bits of the same significance, then LZ4 or zstd", PLUGINS),
    row(32009, "spdp", "compression of floats", AUTHORS),
    lossy(32010, "lpc-rice", "linear prediction and Rice coding", AUTHORS),
    lossy(32011, "ccsds-123", "ESA's CCSDS 123 image compression", AUTHORS),
    lossy(32012, "jpeg-ls", "JPEG-LS image compression by CharLS", AUTHORS),
    row(32013, "zfp", "lossy or lossless compression of numbers in blocks", PLUGINS),
    lossy(32014, "fpzip", "lossy or lossless compression of floats", AUTHORS),
    row(32015, "zstd", "Zstandard compression", PLUGINS),
    lossy(32016, "b3d", "compression of microscope images on graphics processors", AUTHORS),
    lossy(32017, "sz", "error-bounded lossy compression of floats, version 2", HDF5PLUGIN),
    lossy(32018, "fcidecomp", "EUMETSAT's JPEG-LS image compression", HDF5PLUGIN),
    lossy(32019, "jpeg", "JPEG image compression", HDFGROUP),
    row(32020, "vbz", "Oxford Nanopore's compression of signals", "the Python package vbz-h5py-plugin"),
    lossy(32021, "fapec", "DAPCOM's FAPEC compression", "DAPCOM's FAPEC library"),
    row(32022, "bitgroom", "quantization by Bit Grooming", HDFGROUP),
    row(32023, "granularbr", "quantization by Granular BitRound", HDFGROUP),
    lossy(32024, "sz3", "error-bounded lossy compression of numbers, version 3", HDF5PLUGIN),
    row(32025, "delta-rice", "differences and Rice coding", AUTHORS),
    row(32026, "blosc2", "Blosc compression, version 2", PLUGINS),
    row(32027, "flac", "FLAC audio compression", AUTHORS),
    lossy(32028, "sperr", "lossy wavelet compression of floats", HDF5PLUGIN),
    row(32029, "terse-prolix", "compression of diffraction images", AUTHORS),
    lossy(32030, "ffmpeg", "lossy video compression", "the Python package h5ffmpeg"),
    lossy(32031, "jpeg2000", "JPEG 2000 image compression", AUTHORS),
    row(32032, "bitround", "quantization by BitRound", HDFGROUP),
    lossy(32033, "htj2k", "high-throughput JPEG 2000 image compression", HDF5PLUGIN),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_in_order() {
        assert!(LIST.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert_eq!(registered(32015).unwrap().name, "zstd");
        assert_eq!(registered(7), None);
        assert_eq!(number("ZSTD"), Some(32015));
        assert_eq!(number("gzip"), Some(1));
        assert_eq!(number("fpzip"), Some(32014));
        assert_eq!(number(""), None);
        let zstd = spec("zstandard", &[3]).unwrap();
        assert_eq!((zstd.id, zstd.params), (32015, vec![3]));
        assert_eq!(spec("zst", &[]).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn lossy_filters_are_known() {
        let lossy = |name: &str, params: &[u32]| is_lossy(&spec(name, params).unwrap());
        for name in [
            "zfp",
            "sz",
            "sz3",
            "sperr",
            "htj2k",
            "fcidecomp",
            "bitround",
            "scaleoffset",
        ] {
            assert!(lossy(name, &[]), "{name}");
        }
        for name in ["zstd", "shuffle", "szip", "blosc2", "lz4", "nbit"] {
            assert!(!lossy(name, &[]), "{name}");
        }
        assert!(!lossy("zfp", &[5]) && lossy("zfp", &[2, 0, 9]));
    }

    #[test]
    fn built_in_filters_have_their_registered_names() {
        let built_in = BUILT_IN.iter();
        for row in built_in.filter(|row| !crate::filter::codec::is_private(row.id)) {
            assert_eq!(registered(row.id).unwrap().name, row.name);
        }
    }
}
