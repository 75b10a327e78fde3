//! URLs of datasets: `PROTOCOL://PATH?QUERY#FRAGMENT` as in netCDF-C, and `file:/PATH#FRAGMENT`.
//!
//! The fragment says how a dataset is stored: `mode=nczarr,zip`, or single words like `zarr`, separated by `&`.
//! See "The NetCDF NCZarr Implementation", section "Accessing Data".

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::model::ZarrVersion;

/// A dataset by URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    /// The local path.
    pub path: PathBuf,
    /// The modes in the fragment.
    pub modes: Modes,
}

/// The words of `mode` in a fragment, and the words that they imply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Modes(BTreeSet<String>);

/// The sort of dataset that a fragment specifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedFormat {
    /// It says nothing.
    Nothing,
    /// A file: classic or HDF5.
    File,
    /// Zarr.
    Zarr {
        /// Whether without netCDF's own metadata.
        pure: bool,
    },
}

/// Which words imply others, and which exclude others.
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

/// Words that may be given without `mode=`.
const ALONE: [&str; 14] = [
    "nczarr",
    "zarr",
    "xarray",
    "noxarray",
    "file",
    "zip",
    "s3",
    "gs3",
    "consolidated",
    "v2",
    "v3",
    "bytes",
    "dap2",
    "dap4",
];

impl Modes {
    fn parse(fragment: &str) -> Self {
        let mut words = BTreeSet::new();
        for part in fragment.split('&') {
            let part = part.to_ascii_lowercase();
            let list = match part.split_once('=') {
                Some(("mode", list)) => list,
                Some(_) => continue, // A key for another layer, as `log` or `aws.profile`.
                None if part.split(',').all(|word| ALONE.contains(&word)) => &part,
                None => continue,
            };
            words.extend(list.split(',').filter(|w| !w.is_empty()).map(str::to_owned));
        }
        let mut modes = Self(words);
        modes.conclude();
        modes
    }

    /// Adds the implied words.
    fn conclude(&mut self) {
        // Each pass can add what the previous one implied.
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

    /// True if a word is present.
    pub fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The sort of dataset.
    pub fn asked(&self) -> AskedFormat {
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
    pub fn version(&self) -> Option<ZarrVersion> {
        match (self.has("v2"), self.has("v3")) {
            (_, true) => Some(ZarrVersion::V3),
            (true, false) => Some(ZarrVersion::V2),
            (false, false) => None,
        }
    }
}

/// Parses `text` as a URL; `None` for a path.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for remote data; [`ErrorKind::Argument`] for an invalid URL.
pub(super) fn parse(text: &Path) -> Result<Option<Url>> {
    let Some(text) = text.to_str() else {
        return Ok(None);
    };
    let usual = text.split_once("://").filter(|(p, _)| is_protocol(p));
    let Some((protocol, rest)) = usual.or_else(|| file_at_root(text)) else {
        return Ok(None);
    };
    // They remain from quoting for a shell.
    let rest = rest.replace("\\#", "#").replace("\\&", "&");
    let (place, fragment) = rest.split_once('#').unwrap_or((&rest, ""));
    let path = place.split_once('?').map_or(place, |(path, _)| path);
    let modes = Modes::parse(fragment);
    let protocol = protocol.to_ascii_lowercase();
    refuse_dap(&protocol, &modes).map_err(|e| e.of(text))?;
    let refused = match protocol.as_str() {
        "file" if modes.has("s3") || modes.has("gs3") => no_objects(),
        "file" if path.is_empty() => Error::new(ErrorKind::Argument, "a URL without a path"),
        "file" => {
            let path = PathBuf::from(path);
            return Ok(Some(Url { path, modes }));
        }
        "s3" | "gs3" => no_objects(),
        "http" | "https" if modes.has("nczarr") => no_objects(),
        "http" | "https" => {
            let what = "files are not read over HTTP yet";
            let e = Error::new(ErrorKind::Unsupported, what);
            e.with_remedy("download it, and use its path")
        }
        _ => {
            let what = format!("`{protocol}` is not a protocol for datasets");
            let e = Error::new(ErrorKind::Argument, what);
            e.with_remedy("use a path, or file://PATH#mode=nczarr,file")
        }
    };
    Err(refused.of(text))
}

/// The parts of `file:/PATH`, as in RFC 8089, unless a file with that name exists.
fn file_at_root(text: &str) -> Option<(&str, &str)> {
    let (protocol, path) = text.split_once(':')?;
    let url = protocol.eq_ignore_ascii_case("file") && path.starts_with('/');
    (url && !path.starts_with("//") && !Path::new(text).exists()).then_some((protocol, path))
}

fn is_protocol(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(word)
}

fn refuse_dap(protocol: &str, modes: &Modes) -> Result<()> {
    let dap = |word: &str| modes.has(word);
    match matches!(protocol, "dods" | "dap4") || dap("dap2") || dap("dap4") {
        false => Ok(()),
        true => {
            let e = Error::new(ErrorKind::Unsupported, "datasets are not read over DAP");
            Err(e.with_remedy("download it, and use its path"))
        }
    }
}

fn no_objects() -> Error {
    let what = "object stores (S3) are not supported yet";
    let e = Error::new(ErrorKind::Unsupported, what);
    e.with_remedy("download the store, and use its path")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        parse(Path::new(text)).unwrap().unwrap()
    }

    fn asked(fragment: &str) -> AskedFormat {
        url(&format!("file://x#{fragment}")).modes.asked()
    }

    const PURE: AskedFormat = AskedFormat::Zarr { pure: true };
    const NCZARR: AskedFormat = AskedFormat::Zarr { pure: false };

    #[test]
    fn paths_are_no_urls() {
        for path in [
            "a.nc",
            "/a/b",
            "file:x",
            "a#mode=nczarr",
            "a/b://c",
            "-",
            "://x",
            "1a://x",
        ] {
            assert_eq!(parse(Path::new(path)).unwrap(), None, "{path}");
        }
    }

    #[test]
    fn the_path_is_relative_unless_it_begins_with_a_slash() {
        assert_eq!(url("file://a/b.c#zarr").path, Path::new("a/b.c"));
        assert_eq!(url("file:///a/b%20c?x=y#zarr").path, Path::new("/a/b%20c"));
        assert_eq!(url("FILE://a").path, Path::new("a"));
        let short = url("file:/a/b.c#mode=nczarr,zip");
        assert_eq!(short, url("file:///a/b.c#mode=nczarr,zip"));
        assert!(parse(Path::new("file://#zarr")).is_err());
    }

    #[test]
    fn words_imply_others() {
        for (fragment, want) in [
            ("mode=nczarr,file", NCZARR),
            ("mode=nczarr,zip", NCZARR),
            ("mode=NCZARR,v3", NCZARR),
            ("mode=nczarr&mode=zip", NCZARR),
            ("nczarr", NCZARR),
            ("mode=nczarr,consolidated", NCZARR),
            ("mode=zarr", PURE),
            ("zarr", PURE),
            ("zarr,file", PURE),
            ("xarray", PURE),
            ("mode=xarray,zip", PURE),
            ("noxarray", PURE),
            ("mode=nczarr,noxarray", PURE),
            ("log&mode=zarr&show=fetch", PURE),
            ("mode=bytes,zarr", AskedFormat::File),
            ("mode=netcdf-4", AskedFormat::File),
            ("", AskedFormat::Nothing),
            ("mode=nosuch", AskedFormat::Nothing),
            ("nosuch,zarr", AskedFormat::Nothing),
        ] {
            assert_eq!(asked(fragment), want, "{fragment}");
        }
        assert!(!url("file://x#mode=xarray,noxarray").modes.has("xarray"));
        assert_eq!(
            url("file://x#mode=zarr,v3").modes.version(),
            Some(ZarrVersion::V3)
        );
        assert_eq!(
            url("file://x#mode=zarr&v2").modes.version(),
            Some(ZarrVersion::V2)
        );
        assert_eq!(url("file://x#mode=zarr").modes.version(), None);
    }

    #[test]
    fn backslashes_of_quoting_go() {
        let quoted = url("file://x\\#mode=nczarr\\&zip");
        assert_eq!(quoted, url("file://x#mode=nczarr&zip"));
        assert!(quoted.modes.has("zip"));
    }

    #[test]
    fn what_is_elsewhere_is_refused() {
        for (text, say) in [
            ("s3://s3.us-west-1.amazonaws.com/datasetbucket", "S3"),
            (
                "s3://datasetbucket/rootkey\\#mode=nczarr&awsprofile=unidata",
                "S3",
            ),
            ("gs3://b/k#mode=zarr", "S3"),
            ("https://s3.amazonaws.com/b/k#mode=nczarr,s3", "S3"),
            ("http://127.0.0.1:9000/b/k#zarr", "S3"),
            ("https://host/a.nc#mode=bytes", "over HTTP"),
            ("https://host/a.nc", "over HTTP"),
            ("https://host/a.nc#dap4", "DAP"),
            ("dods://host/a", "DAP"),
            ("file://a#mode=dap2", "DAP"),
        ] {
            let e = parse(Path::new(text)).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{text}");
            assert!(e.what().contains(say), "{text}: {e}");
        }
        let e = parse(Path::new("ftp://host/x")).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Argument);
    }
}
