//! Chunk tables: Vdatas that list the chunk elements of a dataset.

use std::ops::Range;

use super::dd::TagRef;
use super::file::{ElementLocation, Hdf4File};
use super::special::{ChunkedElement, ElementCoder, SpecialData};
use super::tags;
use super::vdata::Vdata;
use crate::bytes::Cursor;
use crate::chunk::layout::{ChunkHolder, ChunkRef, Layout};
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Visit, Visited};
use crate::error::{Error, ErrorKind, Result};
use crate::model::VarId;

/// The fields of a table record: chunk coordinates, tag and reference number.
const FIELDS: usize = 3;

/// The written chunks of a dataset, in row-major order.
#[derive(Debug, Default)]
pub struct ChunkTable(Vec<ChunkRef>);

/// A chunk as listed in the table.
struct TableEntry {
    index: u64,
    id: TagRef,
}

impl ChunkTable {
    /// Reads a table.
    ///
    /// # Errors
    /// Returns read errors, [`ErrorKind::Corrupt`] and [`ErrorKind::Unsupported`].
    pub fn read(
        file: &Hdf4File,
        variable: VarId,
        chunked: &ChunkedElement,
        layout: &Layout,
    ) -> Result<Self> {
        let listed = listed(file, chunked, layout)?;
        let ids: Vec<TagRef> = listed.iter().map(|chunk| chunk.id).collect();
        let specials = file.specials(&ids)?;
        let chunks = listed.iter().zip(specials);
        let chunks = chunks.map(|(chunk, special)| {
            Ok(ChunkRef {
                variable,
                ..reference(file, chunk, special?, layout, chunked)?
            })
        });
        Ok(Self(chunks.collect::<Result<_>>()?))
    }

    /// Visits the chunks in a grid box.
    ///
    /// # Errors
    /// Returns visitor errors.
    pub fn visit(&self, layout: &Layout, cells: &Block, visit: Visit<'_>) -> Visited {
        let Some(Range { start, end }) = numbers(&layout.grid(), cells) else {
            return Ok(());
        };
        let from = self.0.partition_point(|chunk| chunk.index < start);
        let chunks = self
            .0
            .iter()
            .skip(from)
            .take_while(|chunk| chunk.index < end);
        for chunk in chunks {
            let place = layout.place(chunk.index);
            let bounds = cells.start.iter().zip(&cells.count);
            let mut inside = place.iter().zip(bounds);
            if inside.all(|(&n, (&start, &count))| n >= start && n - start < count) {
                visit(chunk.clone())?;
            }
        }
        Ok(())
    }
}

/// The range of row-major chunk numbers from the first chunk of a box to its last. Returns `None` for an empty box.
fn numbers(grid: &[u64], cells: &Block) -> Option<Range<u64>> {
    let number = |place: &mut dyn Iterator<Item = u64>| {
        let mut places = grid.iter().zip(place);
        places.try_fold(0u64, |number, (&len, at)| {
            number.checked_mul(len)?.checked_add(at)
        })
    };
    let first = number(&mut cells.start.iter().copied())?;
    let ends = cells.start.iter().zip(&cells.count);
    let lasts = ends.map(|(&start, &count)| start.checked_add(count)?.checked_sub(1));
    let lasts: Vec<u64> = lasts.collect::<Option<_>>()?;
    let last = number(&mut lasts.into_iter())?;
    (!cells.count.contains(&0)).then(|| first..last.saturating_add(1))
}

/// Reads the table entries.
fn listed(file: &Hdf4File, chunked: &ChunkedElement, layout: &Layout) -> Result<Vec<TableEntry>> {
    let header = TagRef::new(tags::VDATA_HEADER, chunked.table);
    let start = file.descriptor(header)?.range.start;
    let one = |id| {
        let mut read = file.read(&[id])?.into_iter();
        read.next()
            .unwrap_or_else(|| Err(Error::internal("nothing was read")))
    };
    let bytes = one(header)?;
    let vdata = Vdata::parse(&mut Cursor::new(&bytes, file.source().name(), start))?;
    if vdata.records == 0 {
        return Ok(vec![]);
    }
    if vdata.fields.len() != FIELDS {
        return Err(corrupt(file, "a table of chunks with other fields"));
    }
    let records = one(TagRef::new(tags::VDATA, chunked.table))?;
    let column = |field| {
        vdata
            .column(field, &records)
            .map(super::vdata::FieldColumn::values)
    };
    let grid = layout.grid();
    let mut listed = vec![];
    for ((origin, tag), reference) in column(0)?.zip(column(1)?).zip(column(2)?) {
        let id = TagRef::new(u16_of(tag), u16_of(reference));
        if id.tag == tags::NULL {
            continue;
        }
        // The bit for special elements is ignored.
        let id = TagRef::new(id.tag & !super::dd::SPECIAL, id.reference);
        let index = index(origin, &grid).filter(|_| id.tag == tags::CHUNK);
        let index = index.ok_or_else(|| corrupt(file, "a chunk outside the dataset"))?;
        listed.push(TableEntry { index, id });
    }
    // The first entry wins if several chunks have the same coordinates.
    listed.sort_by_key(|chunk| chunk.index);
    listed.dedup_by_key(|chunk| chunk.index);
    Ok(listed)
}

fn u16_of(bytes: &[u8]) -> u16 {
    bytes.first_chunk().map_or(0, |&b| u16::from_be_bytes(b))
}

/// The row-major number of the chunk at these coordinates.
fn index(origin: &[u8], grid: &[u64]) -> Option<u64> {
    let coordinates = origin.chunks_exact(4);
    if coordinates.len() != grid.len() {
        return None;
    }
    let mut places = coordinates.zip(grid);
    places.try_fold(0u64, |number, (bytes, &len)| {
        let at = u64::from(u32::from_be_bytes(*bytes.first_chunk()?));
        let at = Some(at).filter(|&at| at < len)?;
        number.checked_mul(len)?.checked_add(at)
    })
}

/// Converts a table entry to a chunk location. The chunk belongs to the first variable.
fn reference(
    file: &Hdf4File,
    chunk: &TableEntry,
    special: Option<SpecialData>,
    layout: &Layout,
    chunked: &ChunkedElement,
) -> Result<ChunkRef> {
    let (id, mask) = match special {
        Some(SpecialData::Compressed(compressed)) => {
            let same = std::mem::discriminant(&compressed.coder);
            let coder = chunked.coder.unwrap_or(ElementCoder::None);
            if same != std::mem::discriminant(&coder) {
                return Err(corrupt(file, "chunks of one dataset have different coders"));
            }
            (TagRef::new(tags::COMPRESSED, compressed.data), 0)
        }
        Some(SpecialData::Chunked(_)) => {
            let what = "chunks in chunks are not supported";
            return Err(Error::new(ErrorKind::Unsupported, what).of(file.source().name()));
        }
        Some(SpecialData::Linked(_) | SpecialData::External(_)) | None => (chunk.id, u32::MAX),
    };
    let ElementLocation { object, mut range } = file.place(id)?;
    if mask != 0 || layout.filters.is_empty() {
        let len = layout.chunk_bytes().map_or(u64::MAX, |n| n as u64);
        range.end = range.end.min(range.start.saturating_add(len));
    }
    Ok(ChunkRef {
        variable: VarId(0),
        index: chunk.index,
        holder: ChunkHolder::Source(object),
        range,
        mask,
    })
}

fn corrupt(file: &Hdf4File, what: &'static str) -> Error {
    Error::new(ErrorKind::Corrupt, what).of(file.source().name())
}
