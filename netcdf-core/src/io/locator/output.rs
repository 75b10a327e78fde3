//! Opens the outputs of tools.

use std::path::Path;

use super::destination::{Destination, OutputRequest, ends_in, kind};
use super::modes::AskedFormat;
use super::{Location, remote_output};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Target;
use crate::io::file::{FileTarget, or_stdout};
use crate::model::Kind;

/// Creates an output file at `path`.
///
/// # Errors
/// [`ErrorKind::Io`].
pub fn output(path: &Path, sync: bool) -> Result<Box<dyn Target>> {
    Ok(Box::new(FileTarget::create(path, sync)?))
}

impl Destination {
    /// Returns the output for a location and options. A URL or the kind can specify Zarr. With only a kind, a path that ends in `.zip` is a
    /// zip file, and another path is a directory. Without URL and kind, a path that ends in `.zarr` or `.zip` is pure Zarr version 3. `-`
    /// is standard output.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a URL without a format, or with a format that contradicts the kind.
    pub fn resolve(at: &Location, asked: OutputRequest) -> Result<Self> {
        let named = |e: Error| e.of(&at.named().to_string_lossy());
        if let Some(address) = at.remote() {
            return remote_output::resolve(at, address, asked).map_err(|e| e.of(&address.short()));
        }
        let zarr = asked.kind.and_then(Kind::as_zarr);
        if at
            .modes()
            .is_some_and(|m| m.asked() == AskedFormat::Nothing)
            && zarr.is_none()
        {
            let e = Error::new(
                ErrorKind::Argument,
                "the URL does not specify an output format",
            );
            return Err(named(e).with_remedy("add #mode=nczarr,file for Zarr, or use a path"));
        }
        let modes = at.modes().cloned().unwrap_or_default();
        let path = or_stdout(at.path());
        let kind = kind(&modes, asked.kind).map_err(named)?;
        let by_name =
            kind.is_none() && modes.asked() == AskedFormat::Nothing && is_zarr_name(&path);
        let kind = kind.or(by_name.then_some(Kind::PURE_ZARR3));
        let zarr = kind.and_then(Kind::as_zarr);
        let zip = modes.has("zip") || (ends_in(&path, "zip") && !modes.has("file"));
        let form = asked.at(&path, asked.form(zarr, zip)).map_err(named)?;
        asked.applies(form).map_err(named)?;
        Ok(Self {
            path,
            remote: None,
            form,
            kind,
            by_name,
            zarr: asked.zarr(&modes),
            overwrite: asked.overwrite,
            keep_links: asked.keep_links,
            at_most: None,
        })
    }
}

/// Whether a name has an extension of Zarr stores.
fn is_zarr_name(path: &Path) -> bool {
    ends_in(path, "zarr") || ends_in(path, "zip")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::locator::OutputForm;
    use crate::model::ZarrOptions;

    fn resolve(named: &str, kind: Option<Kind>) -> Result<Destination> {
        let asked = OutputRequest {
            kind,
            ..OutputRequest::default()
        };
        Destination::resolve(&Location::new(named)?, asked)
    }

    #[test]
    fn what_the_form_does_not_have_is_refused() {
        let resolve = |named: &str, kind, consolidated, zip_prefix| {
            let asked = OutputRequest {
                kind: Some(kind),
                consolidated,
                zip_prefix,
                ..OutputRequest::default()
            };
            Destination::resolve(&Location::new(named).unwrap(), asked).map_err(|e| e.kind())
        };
        for (named, kind, consolidated, prefix) in [
            ("a", Kind::NETCDF4, true, None),
            ("a.zip", Kind::NETCDF4, false, Some(false)),
            ("a", Kind::NCZARR, false, Some(true)),
        ] {
            let e = resolve(named, kind, consolidated, prefix).unwrap_err();
            assert_eq!(e, ErrorKind::Argument, "{named}");
        }
        assert!(resolve("a", Kind::NCZARR, true, None).is_ok());
        assert!(resolve("a.zip", Kind::NCZARR, true, Some(true)).is_ok());
    }

    #[test]
    fn names_and_kinds() {
        use OutputForm::{Directory, File};
        let (netcdf, pure) = (
            OutputForm::Zip { prefix: true },
            OutputForm::Zip { prefix: false },
        );
        let four = Some(Kind::NETCDF4);
        for (named, kind, form, want) in [
            ("a.nc", None, File, None),
            ("a.zip", four, File, four),
            ("a.zarr", None, Directory, Some(Kind::PURE_ZARR3)),
            ("a.zarr", four, File, four),
            ("a.zip", None, pure, Some(Kind::PURE_ZARR3)),
            ("file://a.zarr#mode=netcdf-4", None, File, None),
            ("a", Some(Kind::NCZARR), Directory, Some(Kind::NCZARR)),
            ("a.zip", Some(Kind::NCZARR3), netcdf, Some(Kind::NCZARR3)),
            ("a.ZIP", Some(Kind::PURE_ZARR), pure, Some(Kind::PURE_ZARR)),
            (
                "file://a",
                Some(Kind::PURE_ZARR3),
                Directory,
                Some(Kind::PURE_ZARR3),
            ),
            (
                "file://a#mode=nczarr,file",
                four,
                Directory,
                Some(Kind::NCZARR),
            ),
            ("file://a#mode=nczarr,zip", four, netcdf, Some(Kind::NCZARR)),
            ("file://a.zip#mode=nczarr", four, netcdf, Some(Kind::NCZARR)),
            (
                "file://a.zip#mode=nczarr,file",
                four,
                Directory,
                Some(Kind::NCZARR),
            ),
            (
                "file://a#mode=zarr,zip,v3",
                None,
                pure,
                Some(Kind::PURE_ZARR3),
            ),
            (
                "file://a#nczarr",
                Some(Kind::NCZARR3),
                Directory,
                Some(Kind::NCZARR3),
            ),
            ("file://a#mode=netcdf-4", four, File, four),
        ] {
            let made = resolve(named, kind).unwrap();
            assert_eq!((made.form, made.kind), (form, want), "{named}");
        }
    }

    #[test]
    fn zarr_that_only_a_name_asks_for_stays_what_it_was() {
        let kind = |named: &str, given, input| {
            let asked = OutputRequest {
                kind: given,
                ..OutputRequest::default()
            };
            let made = Destination::resolve(&Location::new(named).unwrap(), asked).unwrap();
            let made = made.of_input(input, asked);
            (made.kind.unwrap(), made.form)
        };
        let directory = OutputForm::Directory;
        assert_eq!(
            kind("a.zarr", None, Kind::NCZARR),
            (Kind::NCZARR, directory)
        );
        assert_eq!(
            kind("a.zarr", None, Kind::CDF5),
            (Kind::PURE_ZARR3, directory)
        );
        let zip = OutputForm::Zip { prefix: true };
        assert_eq!(kind("a.zip", None, Kind::NCZARR3), (Kind::NCZARR3, zip));
        let given = kind("a.zarr", Some(Kind::PURE_ZARR), Kind::NCZARR3);
        assert_eq!(given, (Kind::PURE_ZARR, directory));
    }

    #[test]
    fn options_of_zarr() {
        let zarr = |named: &str| resolve(named, None).unwrap().zarr;
        assert_eq!(zarr("file://a#zarr"), ZarrOptions::default());
        assert!(zarr("file://a#mode=nczarr,consolidated").consolidated);
        assert!(!zarr("file://a#mode=nczarr,noxarray").xarray);
        let asked = OutputRequest {
            kind: Some(Kind::PURE_ZARR),
            consolidated: true,
            zip_prefix: Some(true),
            ..OutputRequest::default()
        };
        let made = Destination::resolve(&Location::new("a.zip").unwrap(), asked).unwrap();
        assert_eq!(made.form, OutputForm::Zip { prefix: true });
        assert!(made.zarr.consolidated);
    }

    #[test]
    fn contradictions() {
        for (named, kind) in [
            ("file://a#mode=zarr", Some(Kind::NCZARR)),
            ("file://a#mode=nczarr", Some(Kind::PURE_ZARR)),
            ("file://a#mode=nczarr,v2", Some(Kind::NCZARR3)),
            ("file://a#mode=netcdf-4", Some(Kind::NCZARR)),
            ("file://a", None),
            ("file://a", Some(Kind::NETCDF4)),
            ("file://a#mode=file", None),
        ] {
            let e = resolve(named, kind).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument, "{named}");
        }
    }
}
