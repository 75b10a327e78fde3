//! The reader of HDF4 files.

use std::sync::{Arc, Mutex, PoisonError};

use super::builder::Builder;
use super::catalog::Catalog;
use super::chunk_table::ChunkTable;
use super::dd::TagRef;
use super::file::{ElementLocation, Hdf4File};
use super::sds_data::{ByteRun, Data, SdsData, check_coder};
use super::{KIND, dfsd, sd, tags, unsupported_objects};
use crate::arithmetic::claimed;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::Block;
use crate::chunk::{
    ChunkBytes, ChunkHolder, Locate, NumberedSources, Provenance, Reader, Visit, Visited,
};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::model::region::product;
use crate::model::{Schema, Values, VarId};

/// An open HDF4 file.
#[derive(Debug)]
pub(crate) struct Hdf4Reader {
    file: Hdf4File,
    bytes: NumberedSources,
    schema: Schema,
    stored: Vec<SdsData>,
    /// Chunk tables read so far.
    tables: Vec<Mutex<Option<Arc<ChunkTable>>>>,
}

impl Hdf4Reader {
    /// Reads descriptors, Vgroups and attributes.
    ///
    /// # Errors
    /// Returns read errors, and damage errors unless the settings tolerate damage.
    pub(crate) fn open(source: Arc<dyn Source>, env: &Env) -> Result<Self> {
        let file = Hdf4File::open(source, &env.limits, &env.siblings)?;
        let catalog = Catalog::read(&file, env)?;
        let mut builder = Builder::new(KIND, file.source().len(), env);
        let built = match sd::root(&catalog) {
            Some(root) => sd::build(&mut builder, &file, &catalog, root),
            None => dfsd::build(&mut builder, &file),
        };
        built.map_err(|e| e.of(file.source().name()))?;
        unsupported_objects::report(&file, &catalog, env);
        let (schema, stored) = (builder.schema, builder.stored);
        let tables = stored.iter().map(|_| Mutex::default()).collect();
        let external = stored.iter().any(|stored| stored.data.is_external());
        let bytes = NumberedSources {
            spread: external || file.source().as_file().is_none(),
            all: file.sources(),
        };
        Ok(Self {
            file,
            bytes,
            schema,
            stored,
            tables,
        })
    }

    fn stored(&self, var: VarId) -> Result<&SdsData> {
        let stored = self.stored.get(var.index());
        stored.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))
    }

    /// The data of an unchunked variable as one chunk.
    fn whole(
        &self,
        variable: VarId,
        stored: &SdsData,
        layout: &Layout,
    ) -> Result<Option<ChunkRef>> {
        let size = product(&layout.extent).and_then(|n| n.checked_mul(layout.element.size));
        let size = size.ok_or_else(|| Error::new(ErrorKind::Corrupt, "data of 2^64 bytes"))?;
        let place = match &stored.data {
            Data::Nothing | Data::Chunked(_) => return Ok(None),
            // No complete element was written.
            Data::Run(run) if run.len < size => return Ok(None),
            Data::Run(run) => self.run(*run, size)?,
            Data::Compressed(compressed) => self
                .file
                .place(TagRef::new(tags::COMPRESSED, compressed.data))?,
        };
        Ok(Some(ChunkRef {
            variable,
            index: 0,
            holder: ChunkHolder::Source(place.object),
            range: place.range,
            mask: 0,
        }))
    }

    /// Locates the first `size` bytes of a run.
    fn run(&self, run: ByteRun, size: u64) -> Result<ElementLocation> {
        let whole = self.file.place(run.id)?;
        let start = claimed(whole.range.start, run.at).end;
        let range = claimed(start, size);
        if range.end > whole.range.end {
            let what = "an element ends before its data";
            return Err(Error::new(ErrorKind::Corrupt, what));
        }
        let object = whole.object;
        Ok(ElementLocation { object, range })
    }

    /// Returns the chunk table of a variable.
    fn table(&self, var: VarId, stored: &SdsData, layout: &Layout) -> Result<Arc<ChunkTable>> {
        let Data::Chunked(chunked) = &stored.data else {
            return Ok(Arc::default());
        };
        let table = self.tables.get(var.index());
        let table = table.ok_or_else(|| Error::internal("a variable without a table"))?;
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = &*table {
            return Ok(Arc::clone(table));
        }
        let read = Arc::new(ChunkTable::read(&self.file, var, chunked, layout)?);
        *table = Some(Arc::clone(&read));
        Ok(read)
    }

    fn chunks(&self, var: VarId, cells: &Block, visit: Visit<'_>) -> Visited {
        let stored = self.stored(var)?;
        check_coder(stored.data.coder())?;
        let layout = stored.layout(&self.schema.shape(var));
        if cells.count.contains(&0) {
            return Ok(());
        }
        match self.whole(var, stored, &layout)? {
            Some(chunk) => visit(chunk),
            None => self
                .table(var, stored, &layout)?
                .visit(&layout, cells, visit),
        }
    }
}

impl Reader for Hdf4Reader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            model: "HDF4",
            mode: 0x1000,
            ..Provenance::default()
        }
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        Ok(self.stored(var)?.layout(&self.schema.shape(var)))
    }

    fn locate(&self, var: VarId, cells: &Block, _: Locate, visit: Visit<'_>) -> Visited {
        let of_file = |e: Error| e.of(self.file.source().name());
        let visited = self.chunks(var, cells, visit);
        let path = || self.schema.var_path(var);
        visited.map_err(|stop| stop.map(|e| of_file(e).in_object(&path())))
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        &self.bytes
    }

    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        let what = "HDF4 files have no heap";
        Err(Error::new(ErrorKind::Unsupported, what))
    }
}
