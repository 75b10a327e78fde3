//! The words of a URL fragment that specify the storage of a dataset.

use std::collections::BTreeSet;

use crate::model::ZarrVersion;
use crate::shown::FRAGMENT_WORDS;

/// The words of `mode` in a fragment, and implied words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Modes(BTreeSet<String>);

/// The format that a fragment specifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedFormat {
    /// No word specifies the format.
    Nothing,
    /// A file: classic or HDF5.
    File,
    /// Zarr.
    Zarr {
        /// Whether netCDF's own metadata is ignored.
        pure: bool,
    },
}

/// Implications and exclusions between words.
const IMPLIES: [(&str, &str); 6] = [
    ("zarr", "nczarr"),
    ("xarray", "zarr"),
    ("noxarray", "zarr"),
    ("consolidated", "nczarr"),
    ("s3", "nczarr"),
    ("gs3", "nczarr"),
];
const EXCLUDES: [(&str, &str); 3] = [
    ("bytes", "nczarr"),
    ("bytes", "zarr"),
    ("noxarray", "xarray"),
];

/// Words for a file.
const FILES: [&str; 5] = ["netcdf-3", "classic", "netcdf-4", "enhanced", "bytes"];

impl Modes {
    pub(super) fn parse(fragment: &str) -> Self {
        let mut words = BTreeSet::new();
        for part in fragment.split('&') {
            let part = part.to_ascii_lowercase();
            let list = match part.split_once('=') {
                Some(("mode", list)) => list,
                Some(_) => continue, // A key for another layer, such as `log` or `aws.profile`.
                None if part.split(',').all(|word| FRAGMENT_WORDS.contains(&word)) => &part,
                None => continue,
            };
            words.extend(list.split(',').filter(|w| !w.is_empty()).map(str::to_owned));
        }
        let mut modes = Self(words);
        modes.conclude();
        modes
    }

    /// Adds implied words.
    fn conclude(&mut self) {
        // Each pass can add words that follow from words of the previous pass.
        for _ in IMPLIES {
            for (word, implied) in IMPLIES {
                if self.has(word) {
                    self.0.insert(implied.to_owned());
                }
            }
        }
        for (word, excluded) in EXCLUDES {
            if self.has(word) {
                self.0.remove(excluded);
            }
        }
    }

    /// Whether a word is present.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The format.
    pub(super) fn asked(&self) -> AskedFormat {
        if self.has("nczarr") {
            let pure = self.has("zarr");
            return AskedFormat::Zarr { pure };
        }
        match FILES.iter().any(|word| self.has(word)) {
            true => AskedFormat::File,
            false => AskedFormat::Nothing,
        }
    }

    /// The version of Zarr, if given.
    pub(super) fn version(&self) -> Option<ZarrVersion> {
        match (self.has("v2"), self.has("v3")) {
            (_, true) => Some(ZarrVersion::V3),
            (true, false) => Some(ZarrVersion::V2),
            (false, false) => None,
        }
    }
}
