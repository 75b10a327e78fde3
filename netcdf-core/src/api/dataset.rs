//! Datasets: create, open, synchronise, close, abort and delete.

use std::path::Path;
use std::sync::Arc;

use super::expected_state::ExpectedState;
use super::location::{self, DatasetLocation};
use super::mode::DatasetMode;
use super::original::{InPlace, OpenedUpdate, Original, UpdateRules, open_update};
use super::staged::Staged;
use crate::chunk::ReadCache;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format;
use crate::io::locator::{Location, OutputRequest};
use crate::io::{Container, Output};
use crate::model::{CreateOptions, FillMode, Kind, Schema};
use crate::notes::Note;

/// An open dataset; see the [module](super).
///
/// Close it with [`Dataset::close`], which reports errors. Dropping it is [`Dataset::abort`].
pub struct Dataset {
    pub(super) env: Arc<Env>,
    pub(super) staged: Staged,
    pub(super) mode: DatasetMode,
    /// The fill mode of new variables.
    pub(super) fill: FillMode,
    /// Whether the dataset differs from its stored state.
    pub(super) changed: bool,
    /// Whether definitions, attributes or names differ from the stored state.
    pub(super) redefined: bool,
    /// The number of variables with completed definition.
    pub(super) settled: usize,
    /// The size limit of the chunk cache, if set.
    chunk_cache: Option<u64>,
    pub(super) location: DatasetLocation,
    /// The expected state of the destination when the dataset is written.
    pub(super) expected: ExpectedState,
    pub(super) options: CreateOptions,
    pub(super) sync: bool,
    pub(super) in_place: InPlace,
}

/// Options for creating or opening a dataset. [`Dataset::create`] and [`Dataset::open`] use `Default`.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Limits, filters with plugins, threads and memory; [`Env::default`] by default.
    pub env: Option<Arc<Env>>,
    /// Do not replace an existing dataset (`NC_NOCLOBBER`).
    pub keep_existing: bool,
    /// Whether the keys of a Zarr store in a zip file start with a directory. By default NCZarr keys do.
    pub zip_prefix: Option<bool>,
    /// Size limit of the chunk cache in bytes (`nc_set_chunk_cache`): 64 MiB by default; 0 disables the cache. A filtered chunk is cached
    /// if a read used only a part and the limit holds two chunks of the same size. The cache is evicted when work needs the memory.
    pub chunk_cache: Option<u64>,
    /// Whether to skip fsync before a written dataset is renamed.
    pub no_sync: bool,
    /// Whether a dataset that is opened for writing is changed in place.
    pub in_place: InPlace,
    /// Options of a new dataset, apart from its schema.
    pub create: CreateOptions,
}

impl Options {
    fn update_rules(&self) -> UpdateRules {
        UpdateRules {
            in_place: self.in_place,
            sync: !self.no_sync,
        }
    }
}

impl Dataset {
    /// Creates a dataset at a path or URL, in define mode (`nc_create`, `NC_CLOBBER`). An existing dataset stays until [`Dataset::sync`] or
    /// [`Dataset::close`] writes the new dataset. Only [`Dataset::close`] writes remote datasets.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for kinds that cannot be written; [`ErrorKind::Argument`] for a URL that
    /// contradicts the kind.
    pub fn create(path: impl AsRef<Path>, kind: Kind) -> Result<Self> {
        Self::create_with(path, kind, Options::default())
    }

    /// Like [`Dataset::create`], with options.
    ///
    /// # Errors
    /// Like [`Dataset::create`]. Returns [`ErrorKind::Exists`] if `keep_existing` is set and the path exists.
    pub fn create_with(path: impl AsRef<Path>, kind: Kind, options: Options) -> Result<Self> {
        let asked = OutputRequest {
            kind: Some(kind),
            consolidated: options.create.zarr.consolidated,
            zip_prefix: options.zip_prefix,
            ..OutputRequest::default()
        };
        let location = DatasetLocation::new(path.as_ref(), asked)?;
        let expected = match options.keep_existing {
            true => ExpectedState::Absent,
            false => ExpectedState::Any,
        };
        let mut dataset = Self::begin(location, kind, options)?;
        dataset.expected = expected;
        dataset.check_expected()?;
        Ok(dataset)
    }

    /// Creates a dataset in memory or another output without a path. [`Dataset::close`] writes the output once.
    ///
    /// ```
    /// use netcdf_core::api::Dataset;
    /// use netcdf_core::io::memory::MemoryTarget;
    /// use netcdf_core::model::Kind;
    ///
    /// let (target, bytes) = MemoryTarget::new("in memory");
    /// let data = Dataset::create_in(Box::new(target), Kind::CLASSIC, Default::default())?;
    /// data.close()?;
    /// assert!(bytes.lock().unwrap().as_ref().unwrap().starts_with(b"CDF\x01"));
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for kinds that cannot be written.
    pub fn create_in(output: impl Into<Output>, kind: Kind, options: Options) -> Result<Self> {
        let output = output.into();
        let name = output.name().to_string();
        Self::begin(
            DatasetLocation::Once(Some(output).into(), name),
            kind,
            options,
        )
    }

    fn begin(location: DatasetLocation, kind: Kind, options: Options) -> Result<Self> {
        format::check_writes(kind)?;
        let staged = Staged::new(Schema::new(kind), location.scratch());
        let fill = match options.create.no_fill {
            true => FillMode::NoFill,
            false => FillMode::Fill,
        };
        Ok(Self {
            staged,
            mode: DatasetMode::Define,
            changed: true,
            fill,
            ..Self::with(location, options)
        })
    }

    fn with(location: DatasetLocation, options: Options) -> Self {
        Self {
            env: options.env.unwrap_or_default(),
            staged: Staged::new(Schema::new(Kind::CLASSIC), None),
            mode: DatasetMode::ReadOnly,
            fill: FillMode::Fill,
            changed: false,
            redefined: false,
            settled: 0,
            chunk_cache: options.chunk_cache,
            location,
            expected: ExpectedState::Any,
            options: options.create,
            sync: !options.no_sync,
            in_place: options.in_place,
        }
    }

    /// Opens a dataset of any format, at a path or URL, for reading (`nc_open`, `NC_NOWRITE`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::UnknownFormat`] and read errors.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Options::default())
    }

    /// Like [`Dataset::open`], with options.
    ///
    /// # Errors
    /// Like [`Dataset::open`].
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let env = options.env.clone().unwrap_or_default();
        let container = location::open(path, &env)?;
        let reader = format::open(container.clone(), &env)?;
        let location = DatasetLocation::of(path, &container, reader.schema().kind)?;
        let options = Options {
            env: Some(env),
            ..options
        };
        Ok(Self::opened(location, Original::Stored(reader), options))
    }

    /// Opens a dataset in memory, or in another container without a path, for reading.
    ///
    /// # Errors
    /// Like [`Dataset::open`].
    pub fn open_in(container: Container, options: Options) -> Result<Self> {
        let location = DatasetLocation::Container(container.name().to_string());
        let env = options.env.clone().unwrap_or_default();
        let reader = format::open(container, &env)?;
        let options = Options {
            env: Some(env),
            ..options
        };
        Ok(Self::opened(location, Original::Stored(reader), options))
    }

    /// Opens a dataset for changes (`nc_open`, `NC_WRITE`). The old dataset stays until [`Dataset::sync`] or [`Dataset::close`] changes it in
    /// place or replaces it, atomically ([`Options::in_place`]).
    ///
    /// # Errors
    /// Like [`Dataset::open`]. Returns [`ErrorKind::Busy`] if another program has the file open for writing, [`ErrorKind::Unsupported`] for datasets that cannot be rewritten without loss (formats without write
    /// support, HDF5 files with objects that netCDF lacks), and [`ErrorKind::ReadOnly`] for remote datasets.
    pub fn open_for_writing(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_for_writing_with(path, Options::default())
    }

    /// Like [`Dataset::open_for_writing`], with options.
    ///
    /// # Errors
    /// Like [`Dataset::open_for_writing`]. Returns [`ErrorKind::Io`] without write permission.
    pub fn open_for_writing_with(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        let at = Location::of_program(path)?;
        if at.remote().is_some() {
            let what = "a remote dataset cannot be changed";
            let e = Error::new(ErrorKind::ReadOnly, what).of(&name);
            return Err(e.with_remedy("create a new dataset, or change a local copy"));
        }
        check_right(at.path())?;
        let env = options.env.clone().unwrap_or_default();
        let update = open_update(at.path(), options.update_rules(), &env)?;
        let options = Options {
            env: Some(env),
            ..options
        };
        let expected = match &update {
            // The update notices changes of other programs itself.
            Some(_) => ExpectedState::Any,
            None => ExpectedState::now(at.path())?,
        };
        let said = options.env.as_deref().map(|env| env.notes.take());
        let (mut dataset, mut lost) = match update {
            Some(OpenedUpdate {
                container,
                original,
                lost,
            }) => {
                let kind = original.reader().schema().kind;
                let location = DatasetLocation::of(path, &container, kind)?;
                (Self::opened(location, original, options), lost)
            }
            None => (Self::open_with(path, options)?, vec![]),
        };
        dataset.expected = expected;
        format::check_writes(dataset.kind()).map_err(|e| e.of(&name))?;
        lost.extend(dataset.env.notes.take());
        for note in said.unwrap_or_default().into_iter().chain(lost.clone()) {
            dataset.env.notes.say(note);
        }
        if let Some(note) = lost.first() {
            let what = format!("changes would lose objects that netCDF lacks: {note}");
            return Err(Error::new(ErrorKind::Unsupported, what).of(&name));
        }
        dataset.try_definitions().map_err(|e| e.of(&name))?;
        dataset.mode = DatasetMode::Data;
        Ok(dataset)
    }

    pub(super) fn opened(location: DatasetLocation, original: Original, options: Options) -> Self {
        let mut dataset = Self::with(location, options);
        dataset.settled = original.reader().schema().vars.len();
        let cache = dataset.cache();
        dataset.staged = Staged::open(original, dataset.location.scratch(), cache);
        dataset
    }

    /// Returns the read cache for a reader.
    pub(super) fn cache(&self) -> ReadCache {
        match self.chunk_cache {
            Some(bytes) => ReadCache::sized(&self.env, bytes),
            None => ReadCache::new(&self.env),
        }
    }

    /// Closes the dataset and discards all changes since it was opened or synchronised (`nc_abort`). The old content remains; a new dataset
    /// is not created.
    pub fn abort(self) {}

    /// Returns the notes on the dataset, for instance on HDF5 objects that netCDF lacks. Each note is returned once.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        self.env.notes.take()
    }

    /// Returns the path of the dataset (`nc_inq_path`), or `None` for a dataset in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.location.path()
    }

    /// Returns the name for messages.
    pub(super) fn name(&self) -> String {
        self.location.name()
    }
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dataset")
            .field("location", &self.location)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// Checks for write permission on a file.
fn check_right(path: &Path) -> Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let opened = std::fs::File::options().write(true).open(path);
    let failed = |e| Error::io("cannot open for writing", &path.to_string_lossy(), e);
    opened.map(|_| ()).map_err(failed)
}

/// Deletes a dataset (`nc_delete`): a file or a Zarr directory. Other files are refused.
///
/// ```
/// use netcdf_core::api::{self, Dataset};
/// use netcdf_core::model::Kind;
///
/// let dir = tempfile::tempdir().unwrap();
/// let path = dir.path().join("a.nc");
/// Dataset::create(&path, Kind::CLASSIC)?.close()?;
/// api::delete(&path)?;
/// assert!(!path.exists());
/// # Ok::<(), netcdf_core::Error>(())
/// ```
///
/// # Errors
/// Returns [`ErrorKind::UnknownFormat`] if the path is not a dataset, [`ErrorKind::Unsupported`] for remote datasets, and
/// [`ErrorKind::Io`].
pub fn delete(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let container = location::open(path, &Env::default())?;
    format::probe(&container)?;
    drop(container);
    let at = Location::of_program(path)?;
    if at.remote().is_some() {
        let what = "a remote dataset cannot be deleted";
        let e = Error::new(ErrorKind::Unsupported, what).of(&path.to_string_lossy());
        return Err(e.with_remedy("use the tools of the service"));
    }
    let path = at.path();
    let deleted = match path.is_dir() {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    };
    deleted.map_err(|e| Error::io("cannot delete", &path.to_string_lossy(), e))
}
