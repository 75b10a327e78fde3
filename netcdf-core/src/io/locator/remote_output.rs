//! Remote outputs.

use std::path::{Path, PathBuf};

use super::Location;
use super::destination::{Destination, OutputRequest, ends_in, kind};
use super::modes::AskedFormat;
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::Address;
use crate::model::Kind;

/// Extensions of files. A key with another extension is a store, unless a URL or kind specifies a file.
const FILES: [&str; 4] = ["nc", "nc4", "cdf", "h5"];

/// Returns the output at an address. A URL or the kind can specify Zarr. Otherwise a key that ends in `.nc`, `.nc4`, `.cdf` or `.h5` is a
/// file. Like in netCDF-C, any other key is NCZarr, even for `-4`. A key that ends in `.zip` is a zip file.
///
/// # Errors
/// [`ErrorKind::Argument`] for a kind that contradicts the address.
pub(super) fn resolve(
    at: &Location,
    address: &Address,
    asked: OutputRequest,
) -> Result<Destination> {
    let modes = at.modes().cloned().unwrap_or_default();
    let key = Path::new(&address.key);
    let said = modes.asked() != AskedFormat::Nothing;
    let is_file = FILES.iter().any(|extension| ends_in(key, extension));
    let zarr = asked.kind.and_then(Kind::as_zarr);
    let kind = match (said, zarr, is_file) {
        (true, _, _) => kind(&modes, asked.kind)?,
        (false, Some(_), _) | (false, None, true) => asked.kind,
        (false, None, false) => Some(unnamed(asked.kind)?),
    };
    // In a URL, `s3` means that keys are objects, as `file` means that keys are files.
    let zip = modes.has("zip") || (ends_in(key, "zip") && !modes.has("s3"));
    let form = asked.form(kind.and_then(Kind::as_zarr), zip);
    let form = asked.at(key, form)?;
    asked.applies(form)?;
    Ok(Destination {
        path: PathBuf::from(address.short()),
        remote: Some(address.clone()),
        form,
        kind,
        by_name: false,
        zarr: asked.zarr(&modes),
        overwrite: asked.overwrite,
        keep_links: false,
        at_most: None,
    })
}

/// The kind of an output without a file extension.
fn unnamed(asked: Option<Kind>) -> Result<Kind> {
    match asked {
        None | Some(Kind::NETCDF4) => Ok(Kind::NCZARR),
        Some(_) => {
            let what = "a key without .nc, .nc4, .cdf or .h5 at its end is a Zarr store, but -k specifies a file";
            let e = Error::new(ErrorKind::Argument, what);
            Err(e.with_remedy("let the key end in .nc, or add #mode=bytes to the address"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::io::locator::OutputForm::{self, Directory, File};

    fn resolved(named: &str, kind: Option<Kind>) -> Result<Destination> {
        let asked = OutputRequest {
            kind,
            ..OutputRequest::default()
        };
        Destination::resolve(&Location::new(named)?, asked)
    }

    #[test]
    fn keys_and_kinds() {
        let zip = |prefix| OutputForm::Zip { prefix };
        let (four, classic) = (Some(Kind::NETCDF4), Some(Kind::CLASSIC));
        let (nczarr, pure3) = (Some(Kind::NCZARR), Some(Kind::PURE_ZARR3));
        for (named, kind, form, want) in [
            ("s3://b/a.nc", None, File, None),
            ("s3://b/a.NC", four, File, four),
            ("s3://b/x/a.nc4", classic, File, classic),
            ("s3://b/a.cdf", None, File, None),
            ("s3://b/a.h5", None, File, None),
            ("s3://b/a.nc", pure3, Directory, pure3),
            ("s3://b/a", None, Directory, nczarr),
            ("s3://b/a", four, Directory, nczarr),
            (
                "s3://b/a",
                Some(Kind::NCZARR3),
                Directory,
                Some(Kind::NCZARR3),
            ),
            ("s3://b/a.zarr", None, Directory, nczarr),
            ("s3://b/a.zarr", pure3, Directory, pure3),
            ("s3://b", None, Directory, nczarr),
            ("s3://b/a.zip", None, zip(true), nczarr),
            ("s3://b/a.zip", pure3, zip(false), pure3),
            ("s3://b/a#mode=bytes", classic, File, classic),
            ("s3://b/a.nc#mode=nczarr,s3", four, Directory, nczarr),
            ("s3://b/a#mode=zarr,s3,v3", None, Directory, pure3),
            ("https://h:9/b/a#mode=nczarr,s3", None, Directory, nczarr),
            ("gs://b/a", None, Directory, nczarr),
            ("az://b/a.nc", None, File, None),
        ] {
            let made = resolved(named, kind).unwrap();
            assert_eq!((made.form, made.kind), (form, want), "{named}");
            let address = made.remote.unwrap();
            assert_eq!(made.path, Path::new(&address.short()), "{named}");
        }
    }

    #[test]
    fn files_that_would_become_stores_are_refused() {
        for (named, kind) in [
            ("s3://b/a", Kind::CLASSIC),
            ("s3://b/a", Kind::NETCDF4_CLASSIC),
            ("s3://b/a#mode=bytes", Kind::NCZARR),
        ] {
            let e = resolved(named, Some(kind)).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument, "{named}");
        }
    }

    #[test]
    fn outputs_on_other_machines_have_no_files_beside_them() {
        let made = resolved("s3://b/a.nc", None).unwrap();
        assert_eq!(made.scratch(), None);
        assert!(!made.replaces_store());
    }
}
