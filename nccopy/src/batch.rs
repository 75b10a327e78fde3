//! Names of copies in a directory: the input's name, with an extension that fits the format of the copy.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::{FORMATS, Traits, traits};
use netcdf_core::io::locator::OutputRequest;

/// Extensions of files of any kind.
const FILES: [&str; 2] = ["nc", "cdf"];

/// Returns the name of the copy of `input`. A `suffix` replaces the extension. Without a suffix, the extension changes only if it belongs
/// to another format than the copy's.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for an input without a name, and for a suffix that is empty or contains `/`.
pub(crate) fn name(input: &Path, asked: OutputRequest, suffix: Option<&OsStr>) -> Result<OsString> {
    let base = base(input)?;
    let end = match suffix {
        Some(suffix) => Some(checked(suffix)?),
        None => extension(input, asked).map(OsStr::new),
    };
    let Some(end) = end else {
        return Ok(base.to_owned());
    };
    let mut name = stem(base).to_owned();
    name.push(end);
    Ok(name)
}

/// Checks whether a file has a dataset extension.
pub(crate) fn is_dataset(path: &Path) -> bool {
    ends_in(path, &FILES) || ends_in_one_of(path, |_| true)
}

/// Returns the name of a file within its directory.
fn base(input: &Path) -> Result<&OsStr> {
    let name = input.file_name().filter(|_| input.as_os_str() != "-");
    name.ok_or_else(|| {
        let what = "an input without a name cannot be copied into a directory";
        Error::new(ErrorKind::Argument, what).of(&input.to_string_lossy())
    })
}

fn checked(suffix: &OsStr) -> Result<&OsStr> {
    let bytes = suffix.as_encoded_bytes();
    match bytes.is_empty() || bytes.contains(&b'/') {
        false => Ok(suffix),
        true => {
            let what = "--suffix: expected the end of a file name, without `/`";
            let e = Error::new(ErrorKind::Argument, what);
            Err(e.with_remedy("as in --suffix .zarr or --suffix _small.nc"))
        }
    }
}

/// Removes a dataset extension: `.nc` in `a.2020.nc` is one, `.2020` in `a.2020` is not.
fn stem(base: &OsStr) -> &OsStr {
    let path = Path::new(base);
    let stem = path.file_stem().filter(|_| is_dataset(path));
    stem.unwrap_or(base)
}

/// Returns the extension of the copy if it differs from the input's.
fn extension(input: &Path, asked: OutputRequest) -> Option<&'static str> {
    let stored = ends_in_one_of(input, |traits| traits.keys);
    let nameless = input.is_dir() && !is_dataset(input);
    match asked.kind {
        Some(_) if asked.references => Some(".json"),
        Some(kind) if traits(kind).keys => (!stored).then_some(".zarr"),
        Some(kind) => {
            let other = ends_in_one_of(input, |other| other != traits(kind));
            (nameless || other).then_some(".nc")
        }
        // A store without a dataset extension becomes a netCDF-4 file.
        None => nameless.then_some(".nc"),
    }
}

/// Checks whether a path has the extension of a matching format.
fn ends_in_one_of(path: &Path, like: impl Fn(&Traits) -> bool) -> bool {
    let mut formats = FORMATS.iter().filter(|format| like(&format.traits));
    formats.any(|format| ends_in(path, format.traits.extensions))
}

fn ends_in(path: &Path, extensions: &[&str]) -> bool {
    let is = |end: &OsStr| extensions.iter().any(|e| end.eq_ignore_ascii_case(e));
    path.extension().is_some_and(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::model::Kind;

    fn named(input: &str, kind: Option<Kind>, suffix: Option<&str>) -> Result<String> {
        let asked = OutputRequest {
            kind,
            ..OutputRequest::default()
        };
        let name = name(Path::new(input), asked, suffix.map(OsStr::new))?;
        Ok(name.into_string().unwrap())
    }

    #[test]
    fn extensions_say_the_format_that_is_made() {
        for (input, kind, want) in [
            ("d/a.nc", None, "a.nc"),
            ("a.zarr", None, "a.zarr"),
            ("a.nc", Some(Kind::NETCDF4), "a.nc"),
            ("a.h5", Some(Kind::NETCDF4), "a.h5"),
            ("a.nc3", Some(Kind::NETCDF4), "a.nc"),
            ("a.NC4", Some(Kind::CLASSIC), "a.nc"),
            ("a.nc", Some(Kind::NCZARR), "a.zarr"),
            ("a.zip", Some(Kind::PURE_ZARR3), "a.zip"),
            ("a.zarr", Some(Kind::CDF5), "a.nc"),
            ("a.2020.nc", Some(Kind::PURE_ZARR), "a.2020.zarr"),
            ("a.2020", Some(Kind::PURE_ZARR), "a.2020.zarr"),
        ] {
            assert_eq!(named(input, kind, None).unwrap(), want, "{input}");
        }
    }

    #[test]
    fn a_suffix_takes_the_place_of_the_extension() {
        for (input, suffix, want) in [
            ("a.nc", ".zarr", "a.zarr"),
            ("d/a.nc", "_small.nc", "a_small.nc"),
            ("a.2020", ".nc", "a.2020.nc"),
        ] {
            let zarr = Some(Kind::NCZARR);
            assert_eq!(named(input, zarr, Some(suffix)).unwrap(), want, "{input}");
        }
        assert!(named("a.nc", None, Some("/b.nc")).is_err());
        assert!(named("a.nc", None, Some("")).is_err());
        assert!(named("-", None, None).is_err());
    }
}
