//! Opens the outputs of tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Location, consolidated_by_environment, elsewhere, url};
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::Address;
use crate::io::file::{self, FileTarget, or_stdout};
use crate::io::network::Network;
use crate::io::{Target, dir, key, remote};
use crate::model::{Kind, Zarr, ZarrOptions, ZarrVersion};
use crate::notes::Note;

/// A file as an output at `path`.
///
/// # Errors
/// [`ErrorKind::Io`].
pub fn output(path: &Path, sync: bool) -> Result<Box<dyn Target>> {
    Ok(Box::new(FileTarget::create(path, sync)?))
}

/// What a command line asks of an output, apart from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// The kind.
    pub kind: Option<Kind>,
    /// Consolidated metadata, too.
    pub consolidated: bool,
    /// Whether the keys of a zip file start with a directory.
    pub zip_prefix: Option<bool>,
    /// Whether a store is replaced even if files that are not part of it are removed, too.
    pub overwrite: bool,
    /// Whether a file with several names (hard links) keeps all of them.
    pub keep_links: bool,
}

impl Asked {
    /// The form of an output that is Zarr or not, and may be a zip file.
    pub(super) fn form(self, zarr: Option<Zarr>, zip: bool) -> OutputForm {
        match zarr {
            Some(zarr) if zip => OutputForm::Zip {
                prefix: self.zip_prefix.unwrap_or(!zarr.pure),
            },
            Some(_) => OutputForm::Directory,
            None => OutputForm::File,
        }
    }

    /// How Zarr is written, with what a URL says.
    pub(super) fn zarr(self, modes: &url::Modes) -> ZarrOptions {
        ZarrOptions {
            consolidated: self.consolidated
                || modes.has("consolidated")
                || consolidated_by_environment(),
            xarray: !modes.has("noxarray"),
        }
    }

    /// Checks that an output of this form can have what is asked for.
    pub(super) fn applies(&self, form: OutputForm) -> Result<()> {
        let what = match form {
            OutputForm::File if self.consolidated => {
                "--consolidated: only Zarr has consolidated metadata"
            }
            OutputForm::File | OutputForm::Directory if self.zip_prefix.is_some() => {
                "--zip-prefix and --no-zip-prefix: the output is not a Zarr store in a zip file"
            }
            OutputForm::File | OutputForm::Directory | OutputForm::Zip { .. } => return Ok(()),
        };
        let e = Error::new(ErrorKind::Argument, what);
        Err(e.with_remedy("use -k nczarr, zarr, nczarr3 or zarr3 for Zarr, and a name that ends in .zip for a zip file"))
    }
}

/// The form in which an output is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    /// A file: classic or HDF5.
    File,
    /// A Zarr store in a directory.
    Directory,
    /// A Zarr store in a zip file.
    Zip {
        /// Whether its keys start with a directory.
        prefix: bool,
    },
}

/// Where an output goes, and in which form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The path on this machine; the short form of an address on another.
    pub path: PathBuf,
    /// The address, if it is on another machine.
    pub remote: Option<Address>,
    /// The form.
    pub form: OutputForm,
    /// The kind, if given.
    pub kind: Option<Kind>,
    /// Whether only the name's extension says that it is Zarr.
    pub by_name: bool,
    /// How Zarr is written.
    pub zarr: ZarrOptions,
    /// Whether a store is replaced even if files that are not part of it are removed, too.
    pub overwrite: bool,
    /// Whether a file with several names (hard links) keeps all of them.
    pub keep_links: bool,
    /// The maximum size of the output in bytes, if known.
    pub at_most: Option<u64>,
}

impl Destination {
    /// The output that replaces the dataset at `path`: it is stored in the same form, and Zarr stays the same
    /// kind unless another is asked for.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a kind that is stored in another form.
    pub fn in_place(path: &Path, asked: Asked) -> Result<Self> {
        let zip = ends_in(path, "zip");
        let store = path.is_dir() || zip;
        let kind = asked.kind.or(store.then_some(Kind::PURE_ZARR3));
        let zarr = kind.and_then(Kind::as_zarr);
        let form = asked.form(zarr, zip);
        let wrong = |e: Error| e.of(&path.to_string_lossy());
        if store != zarr.is_some() {
            let what = match store {
                true => "cannot turn a Zarr store into a file in place",
                false => "cannot turn a file into a Zarr store in place",
            };
            let e = Error::new(ErrorKind::Argument, what);
            return Err(wrong(e.with_remedy("copy it into another directory")));
        }
        asked.applies(form).map_err(wrong)?;
        Ok(Self {
            path: path.to_owned(),
            remote: None,
            form,
            kind,
            by_name: store && asked.kind.is_none(),
            zarr: ZarrOptions {
                consolidated: asked.consolidated || consolidated_by_environment(),
                xarray: true,
            },
            overwrite: asked.overwrite,
            keep_links: asked.keep_links,
            at_most: None,
        })
    }

    /// Whether the output replaces an existing store.
    #[must_use]
    pub fn replaces_store(&self) -> bool {
        self.remote.is_none() && self.form == OutputForm::Directory && dir::is_store(&self.path)
    }

    /// Whether there is something already, where the output goes.
    ///
    /// # Errors
    /// Those of asking another machine.
    pub fn exists(&self, network: &Arc<Network>) -> Result<bool> {
        match &self.remote {
            None => Ok(self.path.exists()),
            Some(address) => remote::exists(address, self.form == OutputForm::Directory, network),
        }
    }

    /// Where temporary files are created: beside the output, or, for one on another machine, in the folder of the system.
    #[must_use]
    pub fn scratch(&self) -> Option<PathBuf> {
        match self.remote {
            None => file::beside(&self.path),
            Some(_) => None,
        }
    }

    /// The note to give after a store was replaced.
    #[must_use]
    pub fn replaced(&self) -> Note {
        Note {
            object: self.path.to_string_lossy().into_owned(),
            what: "replaced the existing Zarr store".to_owned(),
            remedy: None,
        }
    }

    /// The output specified by a path or URL and a kind. A URL or the kind says that it is Zarr; with a kind
    /// alone, a path that ends in `.zip` is a zip file, and any other a directory. With neither, a path that
    /// ends in `.zarr` or `.zip` is pure Zarr version 3. `-` is standard output.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a URL that does not say what to create, or contradicts the kind.
    pub fn resolve(at: &Location, asked: Asked) -> Result<Self> {
        let named = |e: Error| e.of(&at.named().to_string_lossy());
        if let Some(address) = at.remote() {
            return elsewhere::resolve(at, address, asked).map_err(|e| e.of(&address.short()));
        }
        let zarr = asked.kind.and_then(Kind::as_zarr);
        if at
            .modes()
            .is_some_and(|m| m.asked() == url::AskedFormat::Nothing)
            && zarr.is_none()
        {
            let e = Error::new(ErrorKind::Argument, "the URL does not say what to create");
            return Err(named(e).with_remedy("add #mode=nczarr,file for Zarr, or use a path"));
        }
        let modes = at.modes().cloned().unwrap_or_default();
        let path = or_stdout(at.path());
        let kind = kind(&modes, asked.kind).map_err(named)?;
        let by_name =
            kind.is_none() && modes.asked() == url::AskedFormat::Nothing && is_zarr_name(&path);
        let kind = kind.or(by_name.then_some(Kind::PURE_ZARR3));
        let zarr = kind.and_then(Kind::as_zarr);
        let zip = modes.has("zip") || (ends_in(&path, "zip") && !modes.has("file"));
        let form = asked.form(zarr, zip);
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

    /// The same output for an input of this kind: if only its name says that it is Zarr, Zarr input keeps its
    /// kind.
    #[must_use]
    pub fn of_input(mut self, input: Kind, asked: Asked) -> Self {
        if let (true, Some(zarr)) = (self.by_name, input.as_zarr()) {
            self.kind = Some(input);
            let zip = matches!(self.form, OutputForm::Zip { .. });
            self.form = asked.form(Some(zarr), zip);
        }
        self
    }

    /// The directory of the members of a zip file: named like the file, as netCDF-C makes it, or empty.
    #[must_use]
    pub fn zip_prefix(&self) -> String {
        if self.form != (OutputForm::Zip { prefix: true }) {
            return String::new();
        }
        let stem = self.path.file_stem().and_then(|name| name.to_str());
        let name = stem.filter(|name| key::is_part(name)).unwrap_or("store");
        format!("{name}/")
    }
}

/// Whether a name has an extension of Zarr stores.
fn is_zarr_name(path: &Path) -> bool {
    ends_in(path, "zarr") || ends_in(path, "zip")
}

pub(super) fn ends_in(path: &Path, extension: &str) -> bool {
    let ends = path.extension();
    ends.is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// The kind that the words of a URL and `-k` specify together: as in netCDF-C, the URL takes precedence, and
/// `-k` adds the version.
pub(super) fn kind(modes: &url::Modes, kind: Option<Kind>) -> Result<Option<Kind>> {
    let said = kind.and_then(Kind::as_zarr);
    let pure = match modes.asked() {
        url::AskedFormat::Nothing => said.map(|zarr| zarr.pure),
        url::AskedFormat::Zarr { pure } => Some(pure),
        url::AskedFormat::File => None,
    };
    let Some(pure) = pure else {
        return match said {
            None => Ok(kind),
            Some(_) => Err(contradiction()),
        };
    };
    let version = modes.version().or(said.map(|zarr| zarr.version));
    let version = version.unwrap_or(ZarrVersion::V2);
    let zarr = Zarr { version, pure };
    match said.is_none_or(|said| said == zarr) {
        true => Ok(Some(Kind::zarr(zarr))),
        false => Err(contradiction()),
    }
}

fn contradiction() -> Error {
    let what = "the URL and -k ask for different kinds of output";
    Error::new(ErrorKind::Argument, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(named: &str, kind: Option<Kind>) -> Result<Destination> {
        let asked = Asked {
            kind,
            ..Asked::default()
        };
        Destination::resolve(&Location::new(named)?, asked)
    }

    #[test]
    fn what_the_form_does_not_have_is_refused() {
        let resolve = |named: &str, kind, consolidated, zip_prefix| {
            let asked = Asked {
                kind: Some(kind),
                consolidated,
                zip_prefix,
                ..Asked::default()
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
            let asked = Asked {
                kind: given,
                ..Asked::default()
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
        let asked = Asked {
            kind: Some(Kind::PURE_ZARR),
            consolidated: true,
            zip_prefix: Some(true),
            ..Asked::default()
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
