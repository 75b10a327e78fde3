//! The name of the output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::traits;

use crate::request::Request;

/// Returns the path or URL of the output. Without a given name, the output is in the working directory, named after the text file, or after
/// the dataset if the text is standard input.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] if there is no name.
pub(crate) fn output(request: &Request, dataset: &[u8]) -> Result<PathBuf> {
    if let Some(path) = &request.names.file {
        return Ok(path.clone());
    }
    let stem = request.text().and_then(Path::file_stem);
    let mut name = match (stem, &request.names.dataset) {
        (Some(stem), _) => stem.to_owned(),
        (None, Some(name)) => name.clone(),
        (None, None) => OsString::from(String::from_utf8_lossy(dataset).into_owned()),
    };
    if name.is_empty() || name.as_encoded_bytes().contains(&b'/') {
        let what = "the dataset's name cannot be used as a file name";
        return Err(Error::new(ErrorKind::Argument, what).with_remedy("use -o FILE"));
    }
    let keys = request.output.kind.is_some_and(|kind| traits(kind).keys);
    name.push(match keys {
        true => ".zarr",
        false if request.names.cdf => ".cdf",
        false => ".nc",
    });
    Ok(name.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    fn name(args: &str) -> Result<PathBuf> {
        let args = std::iter::once("ncgen").chain(args.split_whitespace());
        let args = args.map(OsString::from).collect();
        output(&cli::parse("ncgen", args).unwrap(), b"ds")
    }

    #[test]
    fn names() {
        for (args, expected) in [
            ("-o a/b.nc x.cdl", "a/b.nc"),
            ("-b a.b/x.y.cdl", "x.y.nc"),
            ("-n x", "x.cdf"),
            ("-b", "ds.nc"),
            ("-n -", "ds.cdf"),
            ("-3 -N other", "other.nc"),
            ("-3 -N other x.cdl", "x.nc"),
            ("-k nczarr x.cdl", "x.zarr"),
            ("-o file://x#mode=nczarr,file", "file://x#mode=nczarr,file"),
        ] {
            assert_eq!(name(args).unwrap(), Path::new(expected), "{args}");
        }
    }

    #[test]
    fn what_is_no_name() {
        assert_eq!(name("-b -N a/b").unwrap_err().kind(), ErrorKind::Argument);
    }
}
