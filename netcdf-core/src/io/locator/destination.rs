//! Destinations of outputs, and the options that choose them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::consolidated_by_environment;
use super::modes::{AskedFormat, Modes};
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::Address;
use crate::io::network::Network;
use crate::io::{dir, file, key, remote};
use crate::model::{Kind, Zarr, ZarrOptions, ZarrVersion};
use crate::notes::Note;

/// The options of a command line for an output, except the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutputRequest {
    /// The kind.
    pub kind: Option<Kind>,
    /// Whether the output gets consolidated metadata.
    pub consolidated: bool,
    /// Whether the keys of a zip file start with a directory.
    pub zip_prefix: Option<bool>,
    /// Whether replacing a store may also remove foreign files in the directory.
    pub overwrite: bool,
    /// Whether a file with several names (hard links) keeps all names.
    pub keep_links: bool,
    /// Whether the output contains references to the chunks of the input instead of chunks.
    pub references: bool,
    /// The number of references per parquet file.
    pub record_size: Option<u64>,
}

impl OutputRequest {
    /// The form of references at a path; for other outputs, unchanged. A name that ends in `.parquet` or `.parq` is a directory.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for parquet files of version 3, which no reader accepts.
    pub(super) fn at(self, path: &Path, form: OutputForm) -> Result<OutputForm> {
        let parquet = PARQUET.iter().any(|end| ends_in(path, end));
        if form != OutputForm::References || !parquet {
            return Ok(form);
        }
        let zarr = self.kind.and_then(Kind::as_zarr);
        if zarr.is_some_and(|zarr| zarr.version == ZarrVersion::V3) {
            let what = "-k kerchunk3: parquet references have version 2 metadata";
            let e = Error::new(ErrorKind::Argument, what);
            return Err(e.with_remedy("use -k kerchunk, or a name that ends in .json"));
        }
        let record_size = self.record_size;
        Ok(OutputForm::ParquetReferences { record_size })
    }

    /// The form of an output: Zarr or a file, perhaps zipped.
    pub(super) fn form(self, zarr: Option<Zarr>, zip: bool) -> OutputForm {
        match zarr {
            Some(_) if self.references => OutputForm::References,
            Some(zarr) if zip => OutputForm::Zip {
                prefix: self.zip_prefix.unwrap_or(!zarr.pure),
            },
            Some(_) => OutputForm::Directory,
            None => OutputForm::File,
        }
    }

    /// Options for writing Zarr, from the command line and a URL.
    pub(super) fn zarr(self, modes: &Modes) -> ZarrOptions {
        ZarrOptions {
            consolidated: !self.references
                && (self.consolidated
                    || modes.has("consolidated")
                    || consolidated_by_environment()),
            xarray: !modes.has("noxarray"),
        }
    }

    /// Checks that the options apply to an output of this form.
    pub(super) fn applies(&self, form: OutputForm) -> Result<()> {
        let what = match form {
            OutputForm::File if self.consolidated => {
                "--consolidated: only Zarr has consolidated metadata"
            }
            OutputForm::File
            | OutputForm::Directory
            | OutputForm::References
            | OutputForm::ParquetReferences { .. }
                if self.zip_prefix.is_some() =>
            {
                "--zip-prefix and --no-zip-prefix: the output is not a Zarr store in a zip file"
            }
            OutputForm::File
            | OutputForm::Directory
            | OutputForm::References
            | OutputForm::ParquetReferences { .. }
            | OutputForm::Zip { .. } => return Ok(()),
        };
        let e = Error::new(ErrorKind::Argument, what);
        Err(e.with_remedy("use -k nczarr, zarr, nczarr3 or zarr3 for Zarr, and a name that ends in .zip for a zip file"))
    }
}

/// Extensions of directories of parquet files.
pub(super) const PARQUET: [&str; 2] = ["parquet", "parq"];

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
    /// References to the chunks of the input: a JSON file.
    References,
    /// References to the chunks of the input: a directory of parquet files.
    ParquetReferences {
        /// The number of references per file.
        record_size: Option<u64>,
    },
}

/// The location and form of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The local path, or the short form of a remote address.
    pub path: PathBuf,
    /// The address of a remote output.
    pub remote: Option<Address>,
    /// The form.
    pub form: OutputForm,
    /// The kind, if given.
    pub kind: Option<Kind>,
    /// Whether only the name's extension implies Zarr.
    pub by_name: bool,
    /// Options for writing Zarr.
    pub zarr: ZarrOptions,
    /// Whether replacing a store may also remove foreign files in the directory.
    pub overwrite: bool,
    /// Whether a file with several names (hard links) keeps all names.
    pub keep_links: bool,
    /// The maximum size of the output in bytes, if known.
    pub at_most: Option<u64>,
}

impl Destination {
    /// Returns the output that replaces the dataset at `path`. It has the same form. Zarr keeps its kind unless the options have another
    /// kind.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a kind with another form.
    pub fn in_place(path: &Path, asked: OutputRequest) -> Result<Self> {
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

    /// Checks whether the output exists.
    ///
    /// # Errors
    /// Returns errors of the remote service.
    pub fn exists(&self, network: &Arc<Network>) -> Result<bool> {
        match &self.remote {
            None => Ok(self.path.exists()),
            Some(address) => remote::exists(address, self.form == OutputForm::Directory, network),
        }
    }

    /// The directory for temporary files: the output's directory, or the system's for a remote output.
    #[must_use]
    pub fn scratch(&self) -> Option<PathBuf> {
        match self.remote {
            None => file::beside(&self.path),
            Some(_) => None,
        }
    }

    /// The note about a replaced store.
    #[must_use]
    pub fn replaced(&self) -> Note {
        Note {
            object: self.path.to_string_lossy().into_owned(),
            what: "replaced the existing Zarr store".to_owned(),
            remedy: None,
        }
    }

    /// Adapts the output to the kind of the input: if only the name implies Zarr, Zarr input keeps its kind.
    #[must_use]
    pub fn of_input(mut self, input: Kind, asked: OutputRequest) -> Self {
        if let (true, Some(zarr)) = (self.by_name, input.as_zarr()) {
            self.kind = Some(input);
            let zip = matches!(self.form, OutputForm::Zip { .. });
            self.form = asked.form(Some(zarr), zip);
        }
        self
    }

    /// The directory of the members of a zip file: the file's name without extension, like netCDF-C, or empty.
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

pub(super) fn ends_in(path: &Path, extension: &str) -> bool {
    let ends = path.extension();
    ends.is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// Combines the kind of a URL and `-k`. Like in netCDF-C, the URL takes precedence, and `-k` adds the version.
pub(super) fn kind(modes: &Modes, kind: Option<Kind>) -> Result<Option<Kind>> {
    let said = kind.and_then(Kind::as_zarr);
    let pure = match modes.asked() {
        AskedFormat::Nothing => said.map(|zarr| zarr.pure),
        AskedFormat::Zarr { pure } => Some(pure),
        AskedFormat::File => None,
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
    let what = "the URL and -k specify different kinds of output";
    Error::new(ErrorKind::Argument, what)
}
