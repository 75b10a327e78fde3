//! Datasets: create, open, synchronise, close, abort, delete.

use std::path::Path;
use std::sync::Arc;

use super::mode::DatasetMode;
use super::place::{self, DatasetPlace};
use super::present::Present;
use super::staged::Staged;
use crate::chunk::{ReadCache, Reader};
use crate::copy::plan::widen_strings;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format;
use crate::io::deferred::defer_commit;
use crate::io::locator::{Location, OutputRequest};
use crate::io::{Container, Output};
use crate::model::{CreateOptions, FillMode, Kind, Schema};
use crate::notes::Note;

/// An open dataset; see the [module](super).
///
/// Close it with [`Dataset::close`], which reports errors; dropping it is [`Dataset::abort`].
pub struct Dataset {
    pub(super) env: Arc<Env>,
    pub(super) staged: Staged,
    pub(super) mode: DatasetMode,
    /// Whether variables defined from now on are filled.
    pub(super) fill: FillMode,
    /// True if the dataset differs from what is stored.
    pub(super) changed: bool,
    /// Number of variables whose definition has ended.
    pub(super) settled: usize,
    /// Most bytes of decoded chunks that are kept, if that was said.
    chunk_cache: Option<u64>,
    place: DatasetPlace,
    /// What must exist at the place when the dataset is written.
    present: Present,
    options: CreateOptions,
    sync: bool,
}

/// How a dataset is created or opened. `Default` is what [`Dataset::create`] and [`Dataset::open`] use.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Limits, filters with plugins, threads, memory; by default those of [`Env::default`].
    pub env: Option<Arc<Env>>,
    /// Do not replace an existing dataset (`NC_NOCLOBBER`).
    pub keep_existing: bool,
    /// Whether the keys of a Zarr store in a zip file start with a directory; by default those of NCZarr do.
    pub zip_prefix: Option<bool>,
    /// Bytes of decoded chunks of the dataset that are kept between reads (`nc_set_chunk_cache`); by default 64 MiB, and with 0
    /// none. Only chunks with filters are kept of which a part was read, and only if two of the same size would fit. They are
    /// given up when work needs the memory.
    pub chunk_cache: Option<u64>,
    /// Do not wait for a written dataset to be on disk before renaming it.
    pub no_sync: bool,
    /// Options of a new dataset, apart from its schema.
    pub create: CreateOptions,
}

impl Dataset {
    /// Creates a dataset at a path or URL, in define mode (`nc_create`, `NC_CLOBBER`). Until [`Dataset::sync`]
    /// or [`Dataset::close`] nothing is created there, and anything existing stays. A dataset on another machine is written by
    /// [`Dataset::close`] only.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for kinds that cannot be written; [`ErrorKind::Argument`] for a URL that
    /// contradicts the kind.
    pub fn create(path: impl AsRef<Path>, kind: Kind) -> Result<Self> {
        Self::create_with(path, kind, Options::default())
    }

    /// As [`Dataset::create`], with options.
    ///
    /// # Errors
    /// As [`Dataset::create`]; [`ErrorKind::Exists`] if something exists there that must be kept.
    pub fn create_with(path: impl AsRef<Path>, kind: Kind, options: Options) -> Result<Self> {
        let asked = OutputRequest {
            kind: Some(kind),
            consolidated: options.create.zarr.consolidated,
            zip_prefix: options.zip_prefix,
            ..OutputRequest::default()
        };
        let place = DatasetPlace::new(path.as_ref(), asked)?;
        let present = match options.keep_existing {
            true => Present::Nothing,
            false => Present::Anything,
        };
        let mut dataset = Self::begin(place, kind, options)?;
        dataset.present = present;
        dataset.check_present()?;
        Ok(dataset)
    }

    /// Creates a dataset in something other than a path, such as memory. It is written there once, when it is
    /// closed.
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
        Self::begin(DatasetPlace::Once(Some(output).into(), name), kind, options)
    }

    fn begin(place: DatasetPlace, kind: Kind, options: Options) -> Result<Self> {
        format::check_writes(kind)?;
        let staged = Staged::new(Schema::new(kind), place.scratch());
        let fill = match options.create.no_fill {
            true => FillMode::NoFill,
            false => FillMode::Fill,
        };
        Ok(Self {
            staged,
            mode: DatasetMode::Define,
            changed: true,
            fill,
            ..Self::with(place, options)
        })
    }

    fn with(place: DatasetPlace, options: Options) -> Self {
        Self {
            env: options.env.unwrap_or_default(),
            staged: Staged::new(Schema::new(Kind::CLASSIC), None),
            mode: DatasetMode::ReadOnly,
            fill: FillMode::Fill,
            changed: false,
            settled: 0,
            chunk_cache: options.chunk_cache,
            place,
            present: Present::Anything,
            options: options.create,
            sync: !options.no_sync,
        }
    }

    /// Opens a dataset of any format, at a path or URL, for reading (`nc_open`, `NC_NOWRITE`).
    ///
    /// # Errors
    /// [`ErrorKind::UnknownFormat`]; those of reading.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Options::default())
    }

    /// As [`Dataset::open`], with options.
    ///
    /// # Errors
    /// As [`Dataset::open`].
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let env = options.env.clone().unwrap_or_default();
        let container = place::open(path, &env)?;
        let reader = format::open(container.clone(), &env)?;
        let place = DatasetPlace::of(path, &container, reader.schema().kind)?;
        let options = Options {
            env: Some(env),
            ..options
        };
        Ok(Self::opened(place, reader, options))
    }

    /// Opens a dataset in something other than a path, such as memory, for reading.
    ///
    /// # Errors
    /// As [`Dataset::open`].
    pub fn open_in(container: Container, options: Options) -> Result<Self> {
        let place = DatasetPlace::Container(container.name().to_string());
        let env = options.env.clone().unwrap_or_default();
        let reader = format::open(container, &env)?;
        let options = Options {
            env: Some(env),
            ..options
        };
        Ok(Self::opened(place, reader, options))
    }

    /// Opens a dataset for changes (`nc_open`, `NC_WRITE`). What is at the path stays until [`Dataset::sync`] or
    /// [`Dataset::close`] replace it as a whole; unchanged parts are moved as they are.
    ///
    /// # Errors
    /// As [`Dataset::open`]; [`ErrorKind::Unsupported`] for what cannot be rewritten without loss: other
    /// formats, and HDF5 files with things that netCDF does not have; [`ErrorKind::ReadOnly`] on other machines.
    pub fn open_for_writing(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_for_writing_with(path, Options::default())
    }

    /// As [`Dataset::open_for_writing`], with options.
    ///
    /// # Errors
    /// As [`Dataset::open_for_writing`]; [`ErrorKind::Io`] without write permission.
    pub fn open_for_writing_with(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        let at = Location::of_program(path)?;
        if at.remote().is_some() {
            let what = "a dataset on another machine is not changed";
            let e = Error::new(ErrorKind::ReadOnly, what).of(&name);
            return Err(e.with_remedy("create another one, or change a copy of it here"));
        }
        check_right(at.path())?;
        let present = Present::now(at.path())?;
        let said = options.env.as_deref().map(|env| env.notes.take());
        let mut dataset = Self::open_with(path, options)?;
        dataset.present = present;
        format::check_writes(dataset.kind()).map_err(|e| e.of(&name))?;
        let lost = dataset.env.notes.take();
        for note in said.unwrap_or_default().into_iter().chain(lost.clone()) {
            dataset.env.notes.say(note);
        }
        if let Some(note) = lost.first() {
            let what = format!("changing it would lose things that netCDF does not have: {note}");
            return Err(Error::new(ErrorKind::Unsupported, what).of(&name));
        }
        dataset.try_definitions().map_err(|e| e.of(&name))?;
        dataset.mode = DatasetMode::Data;
        Ok(dataset)
    }

    fn opened(place: DatasetPlace, reader: Box<dyn Reader>, options: Options) -> Self {
        let mut dataset = Self::with(place, options);
        dataset.settled = reader.schema().vars.len();
        let cache = dataset.cache();
        dataset.staged = Staged::open(reader, dataset.place.scratch(), cache);
        dataset
    }

    /// What is to be kept of a reader.
    fn cache(&self) -> ReadCache {
        match self.chunk_cache {
            Some(bytes) => ReadCache::sized(&self.env, bytes),
            None => ReadCache::new(&self.env),
        }
    }

    /// Writes the changes made so far, so that others who open the dataset see them (`nc_sync`). What is at the
    /// path is replaced as a whole.
    ///
    /// # Errors
    /// [`ErrorKind::InDefineMode`] in the define mode of the classic model; [`ErrorKind::Unsupported`] for
    /// outputs that can be written only once, and for those on other machines; [`ErrorKind::Changed`] if others changed or removed what was
    /// opened, or last written; those of writing. After an error, the old content remains.
    pub fn sync(&mut self) -> Result<()> {
        if self.mode == DatasetMode::ReadOnly {
            return Ok(());
        }
        self.check_readable()?;
        if self.mode == DatasetMode::Define {
            self.settle();
        }
        if self.place.path().is_none() {
            let e = self.wrong(
                ErrorKind::Unsupported,
                "the output can be written only once",
            );
            return Err(e.with_remedy("close the dataset"));
        }
        if self.place.is_remote() {
            let what = "a dataset on another machine is written once, when it is closed";
            let e = self.wrong(ErrorKind::Unsupported, what);
            return Err(e.with_remedy("close the dataset"));
        }
        self.save()?;
        self.open_again()
    }

    /// Goes on with what was written: the old file may be gone, and the temporary file is no longer needed.
    fn open_again(&mut self) -> Result<()> {
        let Some(path) = self.place.path() else {
            return Ok(());
        };
        self.present = Present::now(path)?;
        let container = place::open(path, &self.env)?;
        let reader = format::open(container, &self.env)?;
        let cache = self.cache();
        let known = self.staged.rebase(reader, cache);
        match known || !self.place.is_directory() {
            true => Ok(()),
            false => Err(self.wrong(
                ErrorKind::Corrupt,
                "the file is not the one just written: open the dataset again",
            )),
        }
    }

    /// Ends definitions, writes the changes, and closes the dataset (`nc_close`).
    ///
    /// # Errors
    /// As [`Dataset::sync`], except for define mode and outputs that can be written only once; after an error,
    /// the old content remains, and the changes are lost.
    pub fn close(mut self) -> Result<()> {
        match self.mode {
            DatasetMode::ReadOnly => Ok(()),
            DatasetMode::Define | DatasetMode::Data => self.save(),
        }
    }

    /// Closes the dataset without the changes made since it was opened or synchronised (`nc_abort`): the old
    /// content remains, and nothing is left of a new dataset.
    pub fn abort(self) {}

    /// The notes on the dataset, for instance on things in it that netCDF does not have; each is returned once.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        self.env.notes.take()
    }

    /// Its path (`nc_inq_path`); none for one in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.place.path()
    }

    /// Name for messages.
    pub(super) fn name(&self) -> String {
        self.place.name()
    }

    /// Writes the dataset to its place if it was changed.
    fn save(&mut self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        self.check_present()?;
        let mut plan = self.staged.plan(&self.env)?;
        let set = self.staged.set(&self.env);
        widen_strings(set, &mut plan)?;
        let (output, kept) = defer_commit(self.place.output(self.sync, &self.env)?);
        let writer = format::create(
            output,
            plan.schema.clone(),
            self.create_options(),
            &self.env,
        )?;
        crate::copy::run(set, &plan, writer)?;
        // Creating the output took time, so check again.
        self.check_present()?;
        kept.take()?.commit()?;
        self.changed = false;
        Ok(())
    }

    /// Checks that there is nothing at the place but what may be replaced.
    fn check_present(&self) -> Result<()> {
        match self.place.is_remote() {
            false => self.present.check(self.place.path()),
            true if self.present == Present::Nothing => self.place.check_absent(&self.env),
            true => Ok(()),
        }
    }

    fn create_options(&self) -> CreateOptions {
        let mut options = self.options;
        // In other kinds, each variable has its own setting.
        options.no_fill = self.fill == FillMode::NoFill && !format::traits(self.kind()).settings;
        options.zarr = self.place.zarr(options.zarr);
        options
    }

    /// Checks that the format can hold the definitions: tries it, in memory.
    pub(super) fn try_definitions(&self) -> Result<()> {
        let plan = self.staged.plan(&self.env)?;
        let output = place::nowhere(self.kind());
        format::create(output, plan.schema, self.create_options(), &self.env)?;
        Ok(())
    }
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dataset")
            .field("place", &self.place)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// Checks that a file can be written to.
fn check_right(path: &Path) -> Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let opened = std::fs::File::options().write(true).open(path);
    let failed = |e| Error::io("cannot open for writing", &path.to_string_lossy(), e);
    opened.map(|_| ()).map_err(failed)
}

/// Deletes a dataset (`nc_delete`): a file or a Zarr directory. Anything else stays.
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
/// [`ErrorKind::UnknownFormat`] if it is not a dataset; [`ErrorKind::Unsupported`] on other machines; [`ErrorKind::Io`].
pub fn delete(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let container = place::open(path, &Env::default())?;
    format::probe(&container)?;
    drop(container);
    let at = Location::of_program(path)?;
    if at.remote().is_some() {
        let what = "a dataset on another machine is not deleted";
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
