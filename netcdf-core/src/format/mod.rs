//! The formats: each tells where its data is and how it is encoded; the engine does the rest.

pub mod classic;
pub mod hdf5;
pub mod netcdf4;
pub mod zarr;

use std::ops::Range;
use std::sync::Arc;

use crate::chunk::form::Form;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::Block;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::{Container, Output, Source, odd, other};
use crate::model::{DimId, FilterSpec, GroupId, Kind, Schema, Values, VarId};

/// An open dataset. Opening reads metadata only.
pub trait Reader: Send + Sync {
    /// The schema: everything but the data.
    fn schema(&self) -> &Schema;

    /// What is known of the file itself, for `ncdump -s` and `-K`.
    fn provenance(&self) -> Provenance;

    /// How a variable is stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn layout(&self, var: VarId) -> Result<Layout>;

    /// Visits the stored chunks of a variable within a box of the chunk grid (counted in
    /// chunks), in row-major order. Missing chunks are not visited: they read as fill values.
    ///
    /// # Errors
    /// Those of reading the chunk index, and those of the visitor.
    fn locate(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()>;

    /// The stored bytes of chunks, or of parts of them.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if the file ends too early.
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>>;

    /// The source behind an object number of a [`ChunkRef`], for copying bytes unchanged; `None` if
    /// the bytes are not in a source and only [`Reader::fetch`] can read them.
    fn object(&self, object: u32) -> Option<&Arc<dyn Source>>;

    /// The name of the file or key that holds the bytes of a chunk, for messages.
    fn origin(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        let source = self.object(chunk.object);
        source.map(|source| Arc::clone(source.name()))
    }

    /// The name of a file of the dataset that has changed since it was opened or read.
    fn changed(&self) -> Option<Arc<str>> {
        let mut objects = (0..).map_while(|n| self.object(n));
        let changed = objects.find(|object| object.has_changed())?;
        Some(Arc::clone(changed.name()))
    }

    /// Whether the data comes from several places, such as other files or the parts of a virtual dataset. A copy would hold all of it
    /// by itself.
    fn is_spread(&self) -> bool {
        false
    }

    /// True if the reader provides the elements of this variable itself ([`Reader::read_box`]), because
    /// they are not in chunks as [`Layout`] describes them: they are parts of other datasets, or stored in a
    /// form that the engine does not know. The layout then has no filters, and its chunk shape is one in
    /// which elements are cheap to read (the whole variable, if any shape is); [`Reader::locate`] and
    /// [`Reader::fetch`] are not called for such a variable.
    fn assembles(&self, _var: VarId) -> bool {
        false
    }

    /// The number of elements of a variable that the reader assembles and that are stored somewhere, `enough` or more of them if
    /// there are as many. All, if the reader does not know.
    ///
    /// # Errors
    /// Those of finding where they are stored.
    fn assembled(&self, _var: VarId, _enough: u64, _env: &Env) -> Result<u64> {
        Ok(u64::MAX)
    }

    /// The elements of a box of a variable that the reader assembles: row-major, in the element type
    /// and byte order of the layout, with fill values. When a region is read in bands, each element is requested
    /// once, from several threads, in boxes that are as large as memory allows and lie in one chunk (unless
    /// they are small).
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for variables that are not assembled; those of reading.
    fn read_box(&self, _var: VarId, _part: &Block, _env: &Env) -> Result<Vec<u8>> {
        let what = "the elements of this variable are stored in chunks";
        Err(Error::new(ErrorKind::Unsupported, what))
    }

    /// The values of stored elements that are not [`plain`]: elements with heap data
    /// (strings, lists), of user types, and numbers in unusual forms.
    ///
    /// [`plain`]: crate::chunk::layout::Element::plain
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for formats that have no such types.
    fn resolve(&self, var: VarId, bytes: &[u8]) -> Result<Values>;

    /// The meaning of the bytes of a variable's elements, if they have a user type of fixed size.
    /// Elements that the output stores in the same form are copied without decoding.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<Form>> {
        Ok(None)
    }
}

/// A dataset being written. It can only be created: nothing is visible before [`Writer::finish`], and a
/// writer that is dropped leaves nothing behind.
pub trait Writer: Send {
    /// What is being written, with the lengths of unlimited dimensions so far.
    fn schema(&self) -> &Schema;

    /// How a variable will be stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn layout(&self, var: VarId) -> Result<Layout>;

    /// Stores a whole encoded chunk. The chunks of a variable come in row-major order. `index` is the row-major
    /// number in the grid of [`Writer::layout`], whose extent must be final by then
    /// ([`Writer::set_len`]) except for the slowest dimension. Chunks that are left out read as fill values.
    ///
    /// # Errors
    /// Those of the target; [`ErrorKind::Unsupported`] where nothing is chunked.
    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()>;

    /// As [`Writer::put_chunk`], for bytes that a source holds in the same stored form.
    ///
    /// # Errors
    /// As [`Writer::put_chunk`], and those of the source.
    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, source: &Arc<dyn Source>) -> Result<()> {
        let bytes = crate::io::source::read_range(&**source, &chunk.range)?;
        self.put_chunk(var, chunk.index, chunk.mask, &bytes)
    }

    /// Stores elements of unchunked data, in stored form, starting at a row-major element number. An
    /// unlimited dimension grows as needed.
    ///
    /// # Errors
    /// Those of the target; [`ErrorKind::Argument`] beyond the variable.
    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()>;

    /// An object that stores runs of a variable from several threads at once; `None` if that is not possible or not worth
    /// it. While it is in use nothing else may be put; afterwards, report what was stored with [`Writer::ran`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema; those of the target.
    fn runs(&mut self, _var: VarId) -> Result<Option<Box<dyn Runs>>> {
        Ok(None)
    }

    /// Records that [`Runs`] stored `bytes` bytes of a variable, starting at an element.
    ///
    /// # Errors
    /// As [`Writer::put_run`].
    fn ran(&mut self, _var: VarId, _element: u64, _bytes: u64) -> Result<()> {
        Ok(())
    }

    /// As [`Writer::put_run`], for bytes that a source holds in the same stored form.
    ///
    /// # Errors
    /// As [`Writer::put_run`], and those of the source.
    fn move_run(
        &mut self,
        var: VarId,
        element: u64,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<()>;

    /// True if data of a variable has been put.
    fn has_data(&self, _var: VarId) -> bool {
        false
    }

    /// Refuses a filter: once there is a writer, definitions are over. Use
    /// [`Schema::define_filter`] before that.
    ///
    /// # Errors
    /// Always: those of [`Schema::takes_filters`] for a variable that cannot have filters, otherwise
    /// [`ErrorKind::LateDefinition`] if the variable has data and [`ErrorKind::NotInDefineMode`] if not.
    fn define_filter(&mut self, var: VarId, filter: &FilterSpec) -> Result<()> {
        self.schema().takes_filters(var)?;
        let (kind, why) = match self.has_data(var) {
            true => (ErrorKind::LateDefinition, "the variable already has data"),
            false => (ErrorKind::NotInDefineMode, "the dataset is defined"),
        };
        let what = format!("{why}: filter {} comes too late", filter.id);
        Err(Error::new(kind, what).in_object(&self.schema().var_path(var)))
    }

    /// True if the data of a variable is put as chunks, false if as runs of elements.
    fn takes_chunks(&self, _var: VarId) -> bool {
        false
    }

    /// True if every chunk must go through all filters of its variable, because the format has no filter mask.
    fn needs_all_filters(&self) -> bool {
        false
    }

    /// The stored form of values of a variable whose elements are not [`plain`]: those of user types, and
    /// those with heap data (strings, lists), which this call stores.
    ///
    /// [`plain`]: crate::chunk::layout::Element::plain
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for formats that have no such types.
    fn put_heap(&mut self, var: VarId, values: &Values) -> Result<Vec<u8>>;

    /// As [`Reader::form`], for the elements that will be stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<Form>> {
        Ok(None)
    }

    /// Extends an unlimited dimension to a length, unless it is already that long.
    ///
    /// # Errors
    /// [`ErrorKind::DimSize`] beyond the format's limit.
    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()>;

    /// Writes fill values where nothing was written, and makes the dataset visible.
    ///
    /// # Errors
    /// Those of the target.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Stores runs of the elements of one variable, in any order and from several threads.
pub trait Runs: Send + Sync {
    /// As [`Writer::put_run`]; no element may be stored twice.
    ///
    /// # Errors
    /// As [`Writer::put_run`].
    fn put(&self, element: u64, bytes: &[u8]) -> Result<()>;
}

/// What is known of a file beyond its schema.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// The model word of `ncdump -K` (`classic`, `HDF5` …).
    pub model: &'static str,
    /// The mode word of `ncdump -K` (`NC_*` flags).
    pub mode: u32,
    /// `_NCProperties`.
    pub properties: Option<Vec<u8>>,
    /// `_SuperblockVersion`.
    pub superblock: Option<u32>,
    /// `_IsNetcdf4`.
    pub is_netcdf4: Option<bool>,
}

/// The options of a new dataset, beyond its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreateOptions {
    /// Unwritten data is left undefined instead of filled.
    pub no_fill: bool,
    /// Options for Zarr output.
    pub zarr: ZarrOptions,
}

/// How Zarr is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZarrOptions {
    /// Whether all metadata is also stored under one key (`.zmetadata`, or the root's `zarr.json`).
    pub consolidated: bool,
    /// Whether variables name their dimensions in `_ARRAY_DIMENSIONS` (version 2).
    pub xarray: bool,
}

impl Default for ZarrOptions {
    fn default() -> Self {
        Self {
            consolidated: false,
            xarray: true,
        }
    }
}

/// Starts a dataset.
pub type Create = fn(Output, Schema, CreateOptions, &Env) -> Result<Box<dyn Writer>>;

/// A row of the table of formats.
pub struct Format {
    /// Name for messages.
    pub name: &'static str,
    /// The kind of a dataset; `None` if it is not in this format.
    pub probe: fn(&Container) -> Result<Option<Kind>>,
    /// Opens a dataset that [`Format::probe`] recognized.
    pub open: fn(Container, &Env) -> Result<Box<dyn Reader>>,
    /// The kinds that [`Format::create`] makes.
    pub creates: &'static [Kind],
    /// Starts a dataset of `schema.kind`.
    pub create: Create,
}

/// The formats, in the order in which they are tried.
pub static FORMATS: &[Format] = &[classic::FORMAT, netcdf4::FORMAT, zarr::FORMAT];

/// The kind of a dataset, without opening it.
///
/// # Errors
/// [`ErrorKind::UnknownFormat`] if no format knows it; those of reading.
pub fn probe(container: &Container) -> Result<Kind> {
    find(container).map(|(_, kind)| kind)
}

/// Opens a dataset of any format.
///
/// # Errors
/// As [`probe`], and those of the format.
pub fn open(container: Container, env: &Env) -> Result<Box<dyn Reader>> {
    let (format, _) = find(&container)?;
    let Container::Store(store) = &container else {
        return (format.open)(container, env);
    };
    let store = Arc::clone(store);
    let opened = (format.open)(container, env);
    odd::tell(&*store, &env.notes)?;
    opened
}

/// Starts a dataset of the kind that its schema names.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if no format writes the kind; those of the format.
pub fn create(
    output: impl Into<Output>,
    schema: Schema,
    options: CreateOptions,
    env: &Env,
) -> Result<Box<dyn Writer>> {
    check_nesting(&schema, env)?;
    (writing(schema.kind)?.create)(output.into(), schema, options, env)
}

/// Checks that groups are not nested deeper than readers accept.
fn check_nesting(schema: &Schema, env: &Env) -> Result<()> {
    let most = env.limits.groups.saturating_sub(1);
    let mut depths = Vec::with_capacity(schema.groups.len());
    for (id, group) in (0..).map(GroupId).zip(&schema.groups) {
        // A group comes after its parent.
        let around = group.parent.and_then(|parent| depths.get(parent.index()));
        let depth = around.map_or(0, |depth: &u32| depth.saturating_add(1));
        if depth > most {
            let what = format!("groups nested more than {most} deep");
            return Err(Error::new(ErrorKind::Limit, what).in_object(&schema.group_path(id)));
        }
        depths.push(depth);
    }
    Ok(())
}

/// Checks that datasets of a kind can be written.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if they cannot.
pub fn check_writes(kind: Kind) -> Result<()> {
    writing(kind).map(|_| ())
}

/// The format that writes a kind.
fn writing(kind: Kind) -> Result<&'static Format> {
    let format = FORMATS.iter().find(|f| f.creates.contains(&kind));
    format.ok_or_else(|| {
        let what = format!("{} files can be read but not written", kind.name());
        Error::new(ErrorKind::Unsupported, what)
    })
}

fn find(container: &Container) -> Result<(&'static Format, Kind)> {
    for format in FORMATS {
        if let Some(kind) = (format.probe)(container)? {
            return Ok((format, kind));
        }
    }
    Err(unknown(container))
}

fn unknown(container: &Container) -> Error {
    match container {
        Container::Source(source) => other::refusal(&**source, "a netCDF file"),
        Container::Store(store) => {
            let what = "not a netCDF file: unknown file format";
            Error::new(ErrorKind::UnknownFormat, what).of(store.name())
        }
    }
}
