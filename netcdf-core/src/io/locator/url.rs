//! URLs of datasets: `PROTOCOL://PATH?QUERY#FRAGMENT` as in netCDF-C, and `file:/PATH#FRAGMENT`.
//!
//! The fragment specifies the storage of a dataset: `mode=nczarr,zip`, or single words like `zarr`, separated by `&`.
//! See "The NetCDF NCZarr Implementation", section "Accessing Data".

use std::path::{Path, PathBuf};

use super::address;
use super::modes::Modes;
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::Address;
use crate::shown::ShownAddress;

/// A parsed URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    /// The target.
    pub place: UrlTarget,
    /// The modes in the fragment.
    pub modes: Modes,
}

/// The target of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UrlTarget {
    /// A local path.
    Local(PathBuf),
    /// A remote address.
    Remote(Address),
}

/// Parses `text` as a URL. Returns `None` for a path.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for OPeNDAP servers; [`ErrorKind::Argument`] for an invalid URL.
pub(super) fn parse(text: &Path) -> Result<Option<Url>> {
    let Some(text) = text.to_str() else {
        return Ok(None);
    };
    let usual = text.split_once("://").filter(|(p, _)| is_protocol(p));
    let Some((protocol, rest)) = usual.or_else(|| file_at_root(text)) else {
        return Ok(None);
    };
    // Quoting for a shell may leave backslashes.
    let rest = rest.replace("\\#", "#").replace("\\&", "&");
    let (place, fragment) = rest.split_once('#').unwrap_or((&rest, ""));
    let modes = Modes::parse(fragment);
    let protocol = protocol.to_ascii_lowercase();
    let shown = format!("{protocol}://{place}");
    let shown = ShownAddress::new(&shown);
    if protocol == "file" && ShownAddress::has_login(text) {
        let what = "a URL of a file has no user name and no password";
        let e = Error::new(ErrorKind::Argument, what).of(shown.text());
        return Err(e.with_remedy("name a file by its path"));
    }
    let place = place_of(&protocol, place, &modes, fragment).map_err(|e| e.of(shown.text()))?;
    Ok(Some(Url { place, modes }))
}

/// Finds the target of a URL. `place` is the text after `PROTOCOL://`.
fn place_of(protocol: &str, place: &str, modes: &Modes, fragment: &str) -> Result<UrlTarget> {
    refuse_dap(protocol, modes)?;
    let path = place.split_once('?').map_or(place, |(path, _)| path);
    match protocol {
        "file" if modes.has("s3") || modes.has("gs3") => {
            let what = "`file` is not the protocol of an object store";
            let e = Error::new(ErrorKind::Argument, what);
            Err(e.with_remedy("use s3://BUCKET/KEY, or a path"))
        }
        "file" if path.is_empty() => Err(Error::new(ErrorKind::Argument, "a URL without a path")),
        "file" => Ok(UrlTarget::Local(PathBuf::from(path))),
        _ => match address::parse(protocol, place, modes, fragment)? {
            Some(address) => Ok(UrlTarget::Remote(address)),
            None => {
                let what = format!("`{protocol}` is not a protocol for datasets");
                let e = Error::new(ErrorKind::Argument, what);
                Err(e.with_remedy("use a path, or file://PATH#mode=nczarr,file"))
            }
        },
    }
}

/// Splits `file:/PATH` (RFC 8089), unless a file with that name exists.
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
            Err(e.with_remedy("use the address of the file itself, with #mode=bytes"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::locator::modes::AskedFormat;
    use crate::model::ZarrVersion;

    fn url(text: &str) -> Url {
        parse(Path::new(text)).unwrap().unwrap()
    }

    fn path(text: &str) -> PathBuf {
        match url(text).place {
            UrlTarget::Local(path) => path,
            UrlTarget::Remote(_) => panic!("{text} is local"),
        }
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
        assert_eq!(path("file://a/b.c#zarr"), Path::new("a/b.c"));
        assert_eq!(path("file:///a/b%20c?x=y#zarr"), Path::new("/a/b%20c"));
        assert_eq!(path("FILE://a"), Path::new("a"));
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
    fn dap_is_refused() {
        for text in [
            "https://host/a.nc#dap4",
            "dods://host/a",
            "file://a#mode=dap2",
            "https://host/thredds/dodsC/a.nc",
            "https://host/opendap/a.nc",
        ] {
            let e = parse(Path::new(text)).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{text}");
            assert!(e.what().contains("DAP"), "{text}: {e}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "ftp://host/x",
            "file://a#mode=s3",
            "s3://",
            "https:///a.nc",
            "https://s3.amazonaws.com/#mode=s3",
            "http://user:secret@host/b/k#mode=s3",
            "file://user:secret@host/k",
            "file:/user:secret@host/k",
            "file:///user:secret@host/k",
        ] {
            let e = parse(Path::new(text)).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument, "{text}");
            assert!(!e.to_string().contains("secret"), "{e}");
        }
    }
}
