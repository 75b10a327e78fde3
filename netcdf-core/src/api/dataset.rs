//! Datasets: create, open, synchronise, close, abort, delete.

use std::path::Path;
use std::sync::Arc;

use super::mode::Mode;
use super::place::{self, Place};
use super::present::Present;
use super::staged::Staged;
use crate::copy::plan::widen_strings;
use crate::env::{Env, Note};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{self, CreateOptions};
use crate::io::held::hold;
use crate::io::locator::{self, Asked};
use crate::io::{Container, Output};
use crate::model::{Fill, Kind, Schema};

/// An open dataset; see the [module](super).
///
/// It is closed by [`Dataset::close`], which says whether that was done; dropping one is [`Dataset::abort`].
pub struct Dataset {
    pub(super) env: Arc<Env>,
    pub(super) staged: Staged,
    pub(super) mode: Mode,
    /// Whether variables that are defined from now on are filled.
    pub(super) fill: Fill,
    /// True if what is there is not what is in the place.
    pub(super) changed: bool,
    /// Number of variables whose definition is over.
    pub(super) settled: usize,
    place: Place,
    /// What has to be in the place when it is written.
    present: Present,
    options: CreateOptions,
    sync: bool,
}

/// How a dataset is created or opened. `Default` is what [`Dataset::create`] and [`Dataset::open`] do.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Surroundings: limits, filters with plugins, threads, memory; by default those of [`Env::default`].
    pub env: Option<Arc<Env>>,
    /// An existing dataset is not replaced (`NC_NOCLOBBER`).
    pub keep_existing: bool,
    /// Whether the keys of a Zarr store in a zip file have a directory in front; by default those of NCZarr have.
    pub zip_prefix: Option<bool>,
    /// A dataset that was written is not asked to be on the disk before it is renamed.
    pub no_sync: bool,
    /// What is asked of a new dataset beside its schema.
    pub create: CreateOptions,
}

impl Dataset {
    /// Creates a dataset under a path or URL, in define mode (`nc_create`, `NC_CLOBBER`). Nothing is there before
    /// [`Dataset::sync`] or [`Dataset::close`]; what was there stays so long.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for kinds that are not written; [`ErrorKind::Argument`] for a URL that asks for another
    /// kind.
    pub fn create(path: impl AsRef<Path>, kind: Kind) -> Result<Self> {
        Self::create_with(path, kind, Options::default())
    }

    /// As [`Dataset::create`], with options.
    ///
    /// # Errors
    /// As [`Dataset::create`]; [`ErrorKind::Exists`] if something is there that is to be kept.
    pub fn create_with(path: impl AsRef<Path>, kind: Kind, options: Options) -> Result<Self> {
        let asked = Asked {
            kind: Some(kind),
            consolidated: options.create.zarr.consolidated,
            zip_prefix: options.zip_prefix,
            overwrite: false,
        };
        let place = Place::new(path.as_ref(), asked)?;
        let present = match options.keep_existing {
            true => Present::Nothing,
            false => Present::Anything,
        };
        present.check(place.path())?;
        let mut dataset = Self::begin(place, kind, options)?;
        dataset.present = present;
        Ok(dataset)
    }

    /// Creates a dataset in something else than a path, as in memory. It is written there once, when it is closed.
    ///
    /// ```
    /// use netcdf_core::api::Dataset;
    /// use netcdf_core::io::memory::MemoryTarget;
    /// use netcdf_core::model::Kind;
    ///
    /// let (target, bytes) = MemoryTarget::new("in memory");
    /// let data = Dataset::create_in(Box::new(target), Kind::Classic, Default::default())?;
    /// data.close()?;
    /// assert!(bytes.lock().unwrap().as_ref().unwrap().starts_with(b"CDF\x01"));
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for kinds that are not written.
    pub fn create_in(output: impl Into<Output>, kind: Kind, options: Options) -> Result<Self> {
        let output = output.into();
        let name = output.name().to_string();
        Self::begin(Place::Once(Some(output).into(), name), kind, options)
    }

    fn begin(place: Place, kind: Kind, options: Options) -> Result<Self> {
        format::check_writes(kind)?;
        let staged = Staged::new(Schema::new(kind), place.scratch());
        let fill = match options.create.no_fill {
            true => Fill::NoFill,
            false => Fill::Fill,
        };
        Ok(Self {
            staged,
            mode: Mode::Define,
            changed: true,
            fill,
            ..Self::with(place, options)
        })
    }

    fn with(place: Place, options: Options) -> Self {
        Self {
            env: options.env.unwrap_or_default(),
            staged: Staged::new(Schema::new(Kind::Classic), None),
            mode: Mode::ReadOnly,
            fill: Fill::Fill,
            changed: false,
            settled: 0,
            place,
            present: Present::Anything,
            options: options.create,
            sync: !options.no_sync,
        }
    }

    /// Opens a dataset of any format, under a path or URL, to read it (`nc_open`, `NC_NOWRITE`).
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
        let kind = format::probe(&container)?;
        let place = Place::of(path, &container, kind)?;
        let options = Options {
            env: Some(env),
            ..options
        };
        Self::opened(place, container, options)
    }

    /// Opens a dataset in something else than a path, as in memory, to read it.
    ///
    /// # Errors
    /// As [`Dataset::open`].
    pub fn open_in(container: Container, options: Options) -> Result<Self> {
        let name = container.name().to_string();
        Self::opened(Place::Container(name), container, options)
    }

    /// Opens a dataset to change it (`nc_open`, `NC_WRITE`). What is under the path stays as it is until
    /// [`Dataset::sync`] or [`Dataset::close`] replace it as a whole; parts that were not changed are moved as they are.
    ///
    /// # Errors
    /// As [`Dataset::open`]; [`ErrorKind::Unsupported`] for what cannot be written anew as it is: other formats, and HDF5
    /// files with things that netCDF does not have.
    pub fn open_for_writing(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_for_writing_with(path, Options::default())
    }

    /// As [`Dataset::open_for_writing`], with options.
    ///
    /// # Errors
    /// As [`Dataset::open_for_writing`]; [`ErrorKind::Io`] without the right to write.
    pub fn open_for_writing_with(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        check_right(&locator::local(path)?)?;
        let present = Present::now(&locator::local(path)?)?;
        let said = options.env.as_deref().map(|env| env.notes.take());
        let mut dataset = Self::open_with(path, options)?;
        dataset.present = present;
        format::check_writes(dataset.kind()).map_err(|e| e.of(&name))?;
        let lost = dataset.env.notes.take();
        for note in said.unwrap_or_default().into_iter().chain(lost.clone()) {
            dataset.env.notes.say(note);
        }
        if let Some(note) = lost.first() {
            let what = format!("changing it would lose what netCDF does not have: {note}");
            return Err(Error::new(ErrorKind::Unsupported, what).of(&name));
        }
        dataset.try_definitions().map_err(|e| e.of(&name))?;
        dataset.mode = Mode::Data;
        Ok(dataset)
    }

    fn opened(place: Place, container: Container, options: Options) -> Result<Self> {
        let mut dataset = Self::with(place, options);
        let reader = format::open(container, &dataset.env)?;
        dataset.settled = reader.schema().vars.len();
        dataset.staged = Staged::open(reader, dataset.place.scratch());
        Ok(dataset)
    }

    /// Writes what was changed so far, so that others who open the dataset see it (`nc_sync`). What was under the path is
    /// replaced as a whole.
    ///
    /// # Errors
    /// [`ErrorKind::InDefineMode`] in the define mode of the classic model; [`ErrorKind::Unsupported`] for outputs that
    /// are written once; [`ErrorKind::Changed`] if what was opened, or written last, was changed or taken away since by
    /// others; those of writing. What was there then still is.
    pub fn sync(&mut self) -> Result<()> {
        if self.mode == Mode::ReadOnly {
            return Ok(());
        }
        self.check_readable()?;
        if self.mode == Mode::Define {
            self.settle();
        }
        if self.place.path().is_none() {
            let e = self.wrong(ErrorKind::Unsupported, "the output is written once");
            return Err(e.with_remedy("close the dataset"));
        }
        self.save()?;
        self.open_again()
    }

    /// Goes on with what was written: what was there before may be gone, and the temporary file can be.
    fn open_again(&mut self) -> Result<()> {
        let Some(path) = self.place.path() else {
            return Ok(());
        };
        self.present = Present::now(path)?;
        let container = place::open(path, &self.env)?;
        let reader = format::open(container, &self.env)?;
        let known = self.staged.rebase(reader);
        match known || !self.place.is_directory() {
            true => Ok(()),
            false => Err(self.wrong(
                ErrorKind::Corrupt,
                "what was written is not what is there: the dataset has to be opened again",
            )),
        }
    }

    /// Ends definitions, writes what was changed, and closes the dataset (`nc_close`).
    ///
    /// # Errors
    /// As [`Dataset::sync`], but for the define mode and outputs that are written once; what was there then still is, and
    /// the changes are lost.
    pub fn close(mut self) -> Result<()> {
        match self.mode {
            Mode::ReadOnly => Ok(()),
            Mode::Define | Mode::Data => self.save(),
        }
    }

    /// Closes the dataset without what was changed since it was opened, or synchronised (`nc_abort`): what was there
    /// stays, and of a new dataset nothing is left.
    pub fn abort(self) {}

    /// What was said of the dataset that is not fatal, as of things in it that netCDF does not have; each is said once.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        self.env.notes.take()
    }

    /// The path under which it is (`nc_inq_path`); none of what is in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.place.path()
    }

    /// Name for messages.
    pub(super) fn name(&self) -> String {
        self.place.name()
    }

    /// Writes the dataset to its place, if it was changed.
    fn save(&mut self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        self.present.check(self.place.path())?;
        let mut plan = self.staged.plan(&self.env)?;
        widen_strings(&self.staged, &mut plan, &self.env)?;
        let (output, kept) = hold(self.place.output(self.sync, &self.env)?);
        let writer = format::create(
            output,
            plan.schema.clone(),
            self.create_options(),
            &self.env,
        )?;
        crate::copy::run(&self.staged, &plan, writer, &self.env)?;
        // That took its time.
        self.present.check(self.place.path())?;
        kept.take()?.commit()?;
        self.changed = false;
        Ok(())
    }

    fn create_options(&self) -> CreateOptions {
        let mut options = self.options;
        // Variables of other kinds have each their own.
        options.no_fill = self.fill == Fill::NoFill && self.kind().is_cdf();
        options.zarr = self.place.zarr(options.zarr);
        options
    }

    /// That the format can hold what is defined: tries it, in memory.
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

/// That a file can be written to.
fn check_right(path: &Path) -> Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let opened = std::fs::File::options().write(true).open(path);
    let failed = |e| Error::io("cannot open for writing", &path.to_string_lossy(), e);
    opened.map(|_| ()).map_err(failed)
}

/// Deletes a dataset (`nc_delete`): a file that is one, or a folder of Zarr. What is none stays.
///
/// ```
/// use netcdf_core::api::{self, Dataset};
/// use netcdf_core::model::Kind;
///
/// let dir = tempfile::tempdir().unwrap();
/// let path = dir.path().join("a.nc");
/// Dataset::create(&path, Kind::Classic)?.close()?;
/// api::delete(&path)?;
/// assert!(!path.exists());
/// # Ok::<(), netcdf_core::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::UnknownFormat`] for what is no dataset; [`ErrorKind::Io`].
pub fn delete(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let container = place::open(path, &Env::default())?;
    format::probe(&container)?;
    drop(container);
    let path = locator::local(path)?;
    let deleted = match path.is_dir() {
        true => std::fs::remove_dir_all(&path),
        false => std::fs::remove_file(&path),
    };
    deleted.map_err(|e| Error::io("cannot delete", &path.to_string_lossy(), e))
}
