//! Reads classic files.

use std::sync::Arc;

use super::header;
use super::layout::{VariablePlace, VariablePlaces, record_size, slab};
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::{Block, advance};
use crate::chunk::{
    ChunkBytes, ChunkHolder, FileMetadata, Locate, MetadataExtent, NumberedSources, Provenance,
    Reader, Visit, Visited,
};
use crate::env::Env;
use crate::error::{Context, Error, ErrorKind, Result};
use crate::io::source::present;
use crate::io::{Container, Source};
use crate::model::{Kind, Schema, StoredElement, Values, VarId};

/// An open classic file.
#[derive(Debug)]
pub(crate) struct ClassicReader {
    source: Arc<dyn Source>,
    bytes: NumberedSources,
    pub(super) schema: Schema,
    pub(super) places: VariablePlaces,
    pub(super) records: u64,
    /// Whether the header has STREAMING instead of the record count.
    pub(super) streaming: bool,
    /// The header length in bytes.
    pub(super) header: u64,
}

impl ClassicReader {
    /// Reads the header.
    ///
    /// # Errors
    /// Returns [`ErrorKind::UnknownFormat`], [`ErrorKind::Truncated`] or [`ErrorKind::Corrupt`].
    pub(crate) fn open(source: Arc<dyn Source>, env: &Env) -> Result<Self> {
        let kind = super::kind(&Container::Source(Arc::clone(&source)))?;
        let header = header::read(&*source, kind, &env.limits)?;
        let (mut schema, begins) = (header.schema, header.begins);
        let places = place(&schema, &begins).map_err(|e| e.of(source.name()))?;
        check_order(&schema, &places, header.len).map_err(|e| e.of(source.name()))?;
        let records = header
            .records
            .unwrap_or_else(|| streamed(&places, source.len()));
        for dim in schema.dims.iter_mut().filter(|d| d.unlimited) {
            dim.len = records;
        }
        Ok(Self {
            bytes: NumberedSources::one(Arc::clone(&source)),
            source,
            schema,
            places,
            records,
            streaming: header.records.is_none(),
            header: header.len,
        })
    }

    /// Returns the same dataset with the bytes of another source.
    pub(super) fn reading(self, source: Arc<dyn Source>) -> Self {
        Self {
            bytes: NumberedSources::one(Arc::clone(&source)),
            source,
            ..self
        }
    }

    pub(super) fn place(&self, var: VarId) -> Result<VariablePlace> {
        let place = self.places.vars.get(var.index()).copied();
        place.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))
    }

    fn beyond(&self) -> Error {
        Error::new(ErrorKind::Corrupt, "data beyond 2^64 bytes").of(self.source.name())
    }

    /// Checks whether all elements of a variable are contiguous in the file.
    fn is_contiguous(&self, place: &VariablePlace) -> bool {
        !place.record || self.places.is_single_record(place)
    }
}

/// Returns the number of complete records in a file with STREAMING in the header.
fn streamed(places: &VariablePlaces, len: u64) -> u64 {
    let bytes = len.saturating_sub(places.records_at);
    bytes.checked_div(places.record_size).unwrap_or(0)
}

fn place(schema: &Schema, begins: &[u64]) -> Result<VariablePlaces> {
    let mut vars = Vec::with_capacity(begins.len());
    for ((id, var), &begin) in schema.var_ids().zip(&schema.vars).zip(begins) {
        let (ty, slab) = slab(schema, var).in_object(|| schema.var_path(id))?;
        vars.push(VariablePlace {
            ty,
            begin,
            slab,
            record: schema.is_record(var),
        });
    }
    let records_at = vars
        .iter()
        .filter(|p| p.record)
        .map(|p| p.begin)
        .min()
        .unwrap_or(0);
    Ok(VariablePlaces {
        record_size: record_size(&vars)?,
        vars,
        records_at,
    })
}

/// Checks that data starts after the header and that variables do not overlap ("stored … in the same order the variables occur in the
/// header"). Any other file is not a netCDF file.
fn check_order(schema: &Schema, places: &VariablePlaces, header: u64) -> Result<()> {
    let mut end = header;
    for record in [false, true] {
        let vars = schema
            .var_ids()
            .zip(&places.vars)
            .filter(|(_, p)| p.record == record);
        for (id, place) in vars {
            if place.begin < end {
                let what = format!("data at byte {}, expected from {end} on", place.begin);
                return Err(Error::new(ErrorKind::Corrupt, what).in_object(&schema.var_path(id)));
            }
            end = place.begin.saturating_add(place.slab);
        }
    }
    Ok(())
}

impl Reader for ClassicReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        let (model, mode) = match self.schema.kind {
            Kind::OFFSET64 => ("64-bit offset", 0x200),
            Kind::CDF5 => ("64-bit data", 0x20),
            _ => ("classic", 0),
        };
        Provenance {
            model,
            mode,
            ..Provenance::default()
        }
    }

    fn metadata(&self, _env: &Env) -> Result<Option<MetadataExtent>> {
        let header = 0..self.header;
        Ok(Some(MetadataExtent::File(FileMetadata {
            ranges: Some(vec![header]),
            end: self.header,
            heaps: Some(0),
            ..FileMetadata::default()
        })))
    }

    fn file_len(&self) -> Option<u64> {
        let end = self.places.end(self.records).ok()?;
        Some(end.max(self.header))
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        let place = self.place(var)?;
        Ok(place.layout(self.schema.shape(var), !self.is_contiguous(&place)))
    }

    fn element(&self, var: VarId) -> Result<StoredElement> {
        Ok(self.place(var)?.element())
    }

    fn locate(&self, var: VarId, chunks: &Block, _: Locate, visit: Visit<'_>) -> Visited {
        let place = self.place(var)?;
        if chunks.count.contains(&0) {
            return Ok(());
        }
        if self.is_contiguous(&place) {
            let records = if place.record { self.records } else { 1 };
            let size = place.slab.checked_mul(records);
            let end = size
                .and_then(|n| place.begin.checked_add(n))
                .ok_or_else(|| self.beyond())?;
            return visit(ChunkRef {
                variable: var,
                index: 0,
                holder: ChunkHolder::Source(0),
                range: place.begin..end,
                mask: 0,
            });
        }
        let mut index = vec![0; 1];
        let first = chunks.start.first().copied().unwrap_or(0);
        let count = chunks.count.first().copied().unwrap_or(0);
        loop {
            let record = first.saturating_add(index.first().copied().unwrap_or(0));
            let start = record.checked_mul(self.places.record_size);
            let start = start
                .and_then(|n| n.checked_add(place.begin))
                .ok_or_else(|| self.beyond())?;
            let end = start.checked_add(place.slab).ok_or_else(|| self.beyond())?;
            // A header may claim any number of records. The file contains only the records that fit into the file size.
            present(&*self.source, &(start..end))?;
            visit(ChunkRef {
                variable: var,
                index: record,
                holder: ChunkHolder::Source(0),
                range: start..end,
                mask: 0,
            })?;
            if !advance(&mut index, &[count]) {
                return Ok(());
            }
        }
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        &self.bytes
    }

    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        Err(Error::new(
            ErrorKind::Unsupported,
            "classic files have no heap",
        ))
    }
}
