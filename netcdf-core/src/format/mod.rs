//! The formats: each describes where its data is and how it is encoded; the engine does the rest.

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
    /// Everything but the data.
    fn schema(&self) -> &Schema;

    /// What is known of the file itself, for `ncdump -s` and `-K`.
    fn provenance(&self) -> Provenance;

    /// How a variable is stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn layout(&self, var: VarId) -> Result<Layout>;

    /// Visits the chunks of a variable that are stored and lie in a box of the chunk grid
    /// (counted in chunks), in row-major order. Missing chunks are not visited: they are fill.
    ///
    /// # Errors
    /// Those of reading an index, and of the visitor.
    fn locate(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()>;

    /// The stored bytes of chunks, or of parts of them.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if the file ends before them.
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>>;

    /// The source behind an object number of a [`ChunkRef`], for moving bytes as they are; `None` where
    /// bytes are in something else, and only [`Reader::fetch`] has them.
    fn object(&self, object: u32) -> Option<&Arc<dyn Source>>;

    /// The name, for messages, of what has the bytes of a chunk.
    fn origin(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        let source = self.object(chunk.object);
        source.map(|source| Arc::clone(source.name()))
    }

    /// The name of a file of the dataset that is not as it was when it was opened or read.
    fn changed(&self) -> Option<Arc<str>> {
        let mut objects = (0..).map_while(|n| self.object(n));
        let changed = objects.find(|object| object.has_changed())?;
        Some(Arc::clone(changed.name()))
    }

    /// Whether data of the dataset is put together from several places: other files, or the parts of a virtual dataset. A copy has all of
    /// it in itself.
    fn is_spread(&self) -> bool {
        false
    }

    /// True if the reader makes the elements of this variable itself ([`Reader::read_box`]), as no
    /// chunks as [`Layout`] has them lead to them: they are parts of other datasets, or stored in a
    /// form that the engine does not know. Its layout then has no filters, and chunks of a shape in
    /// which elements are cheap to read (all in one, if every shape is); [`Reader::locate`] and
    /// [`Reader::fetch`] are not asked for them.
    fn assembles(&self, _var: VarId) -> bool {
        false
    }

    /// The elements of a box of a variable that the reader assembles: row-major, in the element type
    /// and byte order of the layout, fill included. Reading a region in bands asks for each element
    /// once, in boxes that are as large as memory allows and lie in one chunk (unless they are small),
    /// from several threads.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for other variables; those of reading.
    fn read_box(&self, _var: VarId, _part: &Block, _env: &Env) -> Result<Vec<u8>> {
        let what = "the elements of this variable are in chunks";
        Err(Error::new(ErrorKind::Unsupported, what))
    }

    /// The values behind stored elements of a variable that are not [`plain`]: those with heap data
    /// (strings, lists), of user types, and numbers in unusual forms.
    ///
    /// [`plain`]: crate::chunk::layout::Element::plain
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for formats that have no such types.
    fn resolve(&self, var: VarId, bytes: &[u8]) -> Result<Values>;

    /// What the bytes of the elements of a variable mean, if those are of a user type of fixed size:
    /// where the output stores them in the same form, they are copied without being looked at.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<Form>> {
        Ok(None)
    }
}

/// A dataset in the making. Create-only: nothing is visible before [`Writer::finish`], and a
/// writer that is dropped leaves nothing.
pub trait Writer: Send {
    /// What is being written, with the lengths of unlimited dimensions so far.
    fn schema(&self) -> &Schema;

    /// How a variable is to be stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn layout(&self, var: VarId) -> Result<Layout>;

    /// Stores a whole chunk, encoded; row-major per variable. `index` is its row-major number in the
    /// grid of [`Writer::layout`], whose extent has to be final by then
    /// ([`Writer::set_len`]), but for the slowest dimension. Chunks that are left out are fill.
    ///
    /// # Errors
    /// Those of the target; [`ErrorKind::Unsupported`] where nothing is chunked.
    fn put_chunk(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) -> Result<()>;

    /// As [`Writer::put_chunk`], with bytes that stand in a source in the same stored form.
    ///
    /// # Errors
    /// As [`Writer::put_chunk`], and those of the source.
    fn move_chunk(&mut self, var: VarId, chunk: &ChunkRef, source: &Arc<dyn Source>) -> Result<()> {
        let bytes = crate::io::source::read_range(&**source, &chunk.range)?;
        self.put_chunk(var, chunk.index, chunk.mask, &bytes)
    }

    /// Stores elements of unchunked data, in stored form, from a row-major element number on. An
    /// unlimited dimension grows with them.
    ///
    /// # Errors
    /// Those of the target; [`ErrorKind::Argument`] beyond the variable.
    fn put_run(&mut self, var: VarId, element: u64, bytes: &[u8]) -> Result<()>;

    /// What stores runs of a variable from several threads at once; `None` where that is not possible, or not worth
    /// it. As long as it is used nothing else is put; what it stored is told with [`Writer::ran`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema; those of the target.
    fn runs(&mut self, _var: VarId) -> Result<Option<Box<dyn Runs>>> {
        Ok(None)
    }

    /// Takes note of `bytes` of a variable, from an element on, that [`Runs`] stored.
    ///
    /// # Errors
    /// As [`Writer::put_run`].
    fn ran(&mut self, _var: VarId, _element: u64, _bytes: u64) -> Result<()> {
        Ok(())
    }

    /// As [`Writer::put_run`], with bytes that stand in a source in the same stored form.
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

    /// True if data of a variable was put.
    fn has_data(&self, _var: VarId) -> bool {
        false
    }

    /// Refuses a filter: definitions are over when there is a writer.
    /// [`Schema::define_filter`] is for what is being defined.
    ///
    /// # Errors
    /// [`ErrorKind::LateDefinition`] for a variable that has data, [`ErrorKind::NotInDefineMode`] for others; for what could
    /// not have filters at all, those of [`Schema::takes_filters`].
    fn define_filter(&mut self, var: VarId, filter: &FilterSpec) -> Result<()> {
        self.schema().takes_filters(var)?;
        let (kind, why) = match self.has_data(var) {
            true => (ErrorKind::LateDefinition, "the variable already has data"),
            false => (ErrorKind::NotInDefineMode, "the dataset is defined"),
        };
        let what = format!("{why}: filter {} comes too late", filter.id);
        Err(Error::new(kind, what).in_object(&self.schema().var_path(var)))
    }

    /// True if the data of a variable is put as chunks, else as runs of elements.
    fn takes_chunks(&self, _var: VarId) -> bool {
        false
    }

    /// True if no chunk may go without a filter of its variable: there is no mask to say so.
    fn needs_all_filters(&self) -> bool {
        false
    }

    /// The stored elements of values of a variable whose layout's elements are not [`plain`]: those
    /// of user types, and of types with heap data (strings, lists), which is stored with it.
    ///
    /// [`plain`]: crate::chunk::layout::Element::plain
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for formats that have no such types.
    fn put_heap(&mut self, var: VarId, values: &Values) -> Result<Vec<u8>>;

    /// As [`Reader::form`], of the elements that will be stored.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an id that is not in the schema.
    fn form(&self, _var: VarId) -> Result<Option<Form>> {
        Ok(None)
    }

    /// Sets the length of an unlimited dimension, if it is shorter.
    ///
    /// # Errors
    /// [`ErrorKind::DimSize`] beyond the format's limit.
    fn set_len(&mut self, dim: DimId, len: u64) -> Result<()>;

    /// Fills what was not written, and makes the dataset visible.
    ///
    /// # Errors
    /// Those of the target.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Stores runs of the elements of one variable, in any order and from several threads.
pub trait Runs: Send + Sync {
    /// As [`Writer::put_run`]; no element is stored twice.
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

/// What is asked of a new dataset beside its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreateOptions {
    /// Unwritten data is left undefined instead of filled.
    pub no_fill: bool,
    /// How Zarr is written, if it is.
    pub zarr: ZarrOptions,
}

/// How Zarr is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZarrOptions {
    /// Whether all metadata is put under one key, too (`.zmetadata`, or in the root's `zarr.json`).
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
    /// The kind of a dataset in this format; `None` if it is not in this format.
    pub probe: fn(&Container) -> Result<Option<Kind>>,
    /// Opens a dataset that was probed.
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

/// That groups are nested no deeper than all readers take.
fn check_nesting(schema: &Schema, env: &Env) -> Result<()> {
    let most = env.limits.groups.saturating_sub(1);
    let mut depths = Vec::with_capacity(schema.groups.len());
    for (id, group) in (0..).map(GroupId).zip(&schema.groups) {
        // A group comes behind the one that it is in.
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

/// That datasets of a kind can be written.
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
