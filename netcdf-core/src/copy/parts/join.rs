//! Joins the segments of all parts.

use std::collections::BTreeMap;
use std::time::Instant;

use super::segment::{SegmentPiece, SegmentPieceKind};
use super::{Division, Segment};
use crate::arithmetic::Amount;
use crate::chunk::ChunkHolder;
use crate::chunk::{ChunkRef, Dataset, PutChunks, Writer};
use crate::copy::methods::Method;
use crate::copy::{
    CopyJob, CopyReport, Plan, VarReport, before_data, completed, lengthen_all, records,
};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::io::source::read_range;
use crate::io::sums::KeySum;
use crate::model::VarId;

/// Opens the segment of a part.
pub type OpenSegment<'a> = &'a dyn Fn(u64) -> Result<Segment>;

/// Writes the output from the segments of all parts, and finishes the output. `set`, `plan` and `writer` are the same as for a copy in one
/// process. Variables outside the parts are read from the input.
///
/// # Errors
/// Returns the errors of [`run`](crate::copy::run), and errors of reading segments.
pub fn join(
    set: Dataset<'_>,
    plan: &Plan,
    (division, segments): (&Division, OpenSegment<'_>),
    mut writer: Box<dyn Writer>,
) -> Result<CopyReport> {
    let mut jobs: Vec<CopyJob> = division.vars.iter().map(|var| var.job.clone()).collect();
    lengthen_all(set.reader, plan, &mut *writer)?;
    before_data(set, plan, &mut jobs, &mut *writer)?;
    set.env.progress.expect(division.bytes());
    let mut done: Vec<(VarId, VarReport)> = vec![];
    let mut rows: BTreeMap<u64, Vec<CopyJob>> = BTreeMap::new();
    for job in jobs {
        match job.method {
            Method::Rows => rows.entry(job.records()).or_default().push(job),
            Method::Move
            | Method::Convert
            | Method::Chunks
            | Method::Recode
            | Method::Rechunk(_) => {
                done.push(joined((set, job), (division, segments), &mut *writer)?);
            }
        }
    }
    for rows in rows.into_values() {
        for job in records::in_order(set, rows, &*writer)? {
            done.push(joined((set, job), (division, segments), &mut *writer)?);
        }
    }
    completed(set, plan, done, writer)
}

/// The chunks of a part in the shared store.
#[derive(Debug)]
pub struct PutByPart {
    /// The part number.
    pub part: u64,
    /// The chunks, by variable.
    pub chunks: Vec<PutChunks>,
    /// The sum of keys and bytes; `None` skips the comparison.
    pub sum: Option<KeySum>,
}

/// Finishes an output to which the parts have written their chunks `puts`. `writer` adds the metadata of the dataset.
///
/// # Errors
/// Returns the errors of [`join`] and [`compare`].
pub fn complete(
    set: Dataset<'_>,
    plan: &Plan,
    (division, puts): (&Division, impl IntoIterator<Item = Result<PutByPart>>),
    mut writer: Box<dyn Writer>,
) -> Result<CopyReport> {
    lengthen_all(set.reader, plan, &mut *writer)?;
    let put = compare(set.env, puts, &mut *writer)?;
    let mut done = vec![];
    for var in &division.vars {
        let (job, start) = (&var.job, Instant::now());
        let stored = match var.in_parts() {
            true => put.get(&job.pair.to).copied().unwrap_or(0),
            false => job.copy(set, &mut *writer)?,
        };
        done.push((job.pair.from, job.report(set, stored, start.elapsed())));
    }
    completed(set, plan, done, writer)
}

/// Compares the chunks of a store with the sums of the parts. Returns the stored bytes per variable, if the parts have sums.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for missing chunks, [`ErrorKind::Corrupt`] for different bytes, and I/O errors of the store.
pub fn compare(
    env: &Env,
    puts: impl IntoIterator<Item = Result<PutByPart>>,
    writer: &mut dyn Writer,
) -> Result<BTreeMap<VarId, u64>> {
    let mut bytes: BTreeMap<VarId, Amount> = BTreeMap::new();
    for put in puts {
        env.cancel.check()?;
        let put = put?;
        let mut sum = KeySum::default();
        for chunks in &put.chunks {
            let of_chunks = writer
                .shared()?
                .put_elsewhere(chunks, put.sum.map(|_| env))?;
            let stored = bytes.entry(chunks.var).or_default();
            *stored = *stored + of_chunks.bytes;
            sum.add(&of_chunks);
        }
        if put.sum.is_some_and(|put| put != sum) {
            let what = "chunks differ from the digest that the part recorded";
            let e = Error::new(ErrorKind::Corrupt, what).of(&format!("part {}", put.part));
            let part = put.part;
            return Err(e.with_remedy(format!(
                "remove the done-file of the part, and run the part again: nccopy --part {part} FOLDER"
            )));
        }
    }
    Ok(bytes
        .into_iter()
        .map(|(var, sum)| (var, sum.get()))
        .collect())
}

/// Stores the data of a variable.
fn joined(
    (set, job): (Dataset<'_>, CopyJob),
    (division, segments): (&Division, OpenSegment<'_>),
    writer: &mut dyn Writer,
) -> Result<(VarId, VarReport)> {
    set.env.cancel.check()?;
    let start = Instant::now();
    let mut vars = division.vars.iter();
    let var = vars.find(|var| var.job.pair == job.pair);
    let var = var.or_internal("a variable of the division")?;
    let stored = match var.in_parts() {
        true => {
            let segments = division.parts_of(var).map(segments);
            from_segments((set, &job), segments, writer)?
        }
        false => job.copy(set, writer)?,
    };
    Ok((job.pair.from, job.report(set, stored, start.elapsed())))
}

/// Stores a variable's data from the segments. Returns the bytes stored.
fn from_segments(
    (set, job): (Dataset<'_>, &CopyJob),
    segments: impl Iterator<Item = Result<Segment>>,
    writer: &mut dyn Writer,
) -> Result<u64> {
    let path = || set.reader.schema().var_path(job.pair.from);
    let mut stored = 0;
    for segment in segments {
        let segment = segment?;
        for piece in segment.pieces(job.pair.to) {
            set.env.cancel.check()?;
            let (piece, range) = piece?;
            let bytes = range.end - range.start;
            put((&segment, piece, range), job, writer).in_object(path)?;
            set.env.progress.advance(bytes);
            stored += bytes;
        }
    }
    Ok(stored)
}

/// Stores one fragment.
fn put(
    (segment, piece, range): (&Segment, SegmentPiece, std::ops::Range<u64>),
    job: &CopyJob,
    writer: &mut dyn Writer,
) -> Result<()> {
    let source = segment.source();
    match piece.kind {
        SegmentPieceKind::Chunk {
            index,
            mask,
            moved: false,
        } => {
            let bytes = read_range(&**source, &range)?;
            writer.put_chunk(piece.var, index, mask, &bytes)
        }
        SegmentPieceKind::Chunk {
            index,
            mask,
            moved: true,
        } => {
            let chunk = ChunkRef {
                variable: piece.var,
                index,
                holder: ChunkHolder::Source(0),
                range,
                mask,
            };
            writer.move_chunk(piece.var, &chunk, source)
        }
        // `put_elements` quantizes elements, a move does not.
        SegmentPieceKind::Run { element } if job.to.quantize.is_some() => {
            writer.put_run(piece.var, element, &read_range(&**source, &range)?)
        }
        SegmentPieceKind::Run { element } => writer.move_run(piece.var, element, source, range),
    }
}
