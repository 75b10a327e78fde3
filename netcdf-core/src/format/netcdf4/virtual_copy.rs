//! Copies the requested part of a source of a virtual dataset.

use std::sync::Arc;

use super::numbers;
use super::virtual_mappings::OpenSource;
use crate::chunk::scatter::advance;
use crate::chunk::{Dataset as Engine, elements};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::Hdf5File;
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::datatype::{Datatype, TypeClass};
use crate::format::hdf5::virtual_dataset::{MappedPiece, Mapping, MappingShapes};
use crate::model::{Endianness, Region, VarId, convert};

/// One source, and the requested part of the virtual dataset.
pub(super) struct SourceCopy<'a> {
    pub source: &'a OpenSource,
    /// The file of the virtual dataset.
    pub file: &'a Arc<Hdf5File>,
    pub dataset: &'a Hdf5Dataset,
    pub wanted: &'a Region,
    pub env: &'a Env,
}

/// The number of bytes of small pieces to collect before a read, so that a source is not read element by element.
const GATHERED: u64 = 1 << 20;

/// Maximum ratio of elements in the bounding block to requested elements. Up to this ratio, pieces are read as one block.
const SPARSE: u64 = 4;

/// Maximum size of a convertible number in bytes.
const WIDEST: u64 = 16;

/// A batch of pieces that one read fetches.
#[derive(Default)]
struct PieceBatch {
    pieces: Vec<MappedPiece>,
    elements: u64,
}

impl SourceCopy<'_> {
    /// Copies the elements of a source, given by the mapping and the source number, to the output block.
    ///
    /// # Errors
    /// Returns errors from reading the source, or [`ErrorKind::Unsupported`] if the source type differs and cannot be converted.
    pub(super) fn copy(&self, (mapping, number): (&Mapping, u64), out: &mut [u8]) -> Result<()> {
        let shape = self.source.reader.schema().shape(VarId(0));
        let extents = MappingShapes {
            source: &shape,
            target: &self.dataset.dataspace.dims,
        };
        self.check()?;
        let most = GATHERED / self.widest();
        let mut batch = PieceBatch::default();
        mapping.pieces(number, extents, self.wanted, &mut |piece| {
            let elements = piece.source.elements().unwrap_or(u64::MAX);
            batch.elements = batch.elements.saturating_add(elements);
            batch.pieces.push(piece);
            match batch.elements < most {
                true => Ok(()),
                false => self.flush(&mut batch, out),
            }
        })?;
        self.flush(&mut batch, out)
    }

    /// Checks that elements of the source are convertible to elements of the virtual dataset. The check precedes the read, because source
    /// elements might be much larger.
    fn check(&self) -> Result<()> {
        if self.is_same()
            && self.source.file != *self.file.name()
            && is_heap(&self.dataset.datatype)
        {
            let what = "strings and lists of another file cannot be read through a virtual dataset";
            return Err(Error::new(ErrorKind::Unsupported, what)
                .with_remedy("read the source file directly"));
        }
        let number = |f: &Datatype| f.size <= WIDEST && numbers::atomic(f).is_some();
        let target = numbers::plain(&self.dataset.datatype).is_some();
        match self.is_same() || (target && self.source.datatype.as_deref().is_some_and(number)) {
            true => Ok(()),
            false => Err(unlike()),
        }
    }

    /// Checks whether the source stores elements in the form of the virtual dataset.
    fn is_same(&self) -> bool {
        let (from, to) = (self.source.datatype.as_deref(), &self.dataset.datatype);
        from.is_some_and(|f| f.class == to.class && f.size == to.size)
    }

    /// Returns the larger element size of virtual dataset and source in bytes.
    fn widest(&self) -> u64 {
        let source = self.source.datatype.as_deref().map_or(0, |f| f.size);
        self.dataset.datatype.size.max(source).max(1)
    }

    /// Returns the element size of the virtual dataset in bytes.
    fn size(&self) -> usize {
        let size = usize::try_from(self.dataset.datatype.size);
        size.unwrap_or(usize::MAX).max(1)
    }

    fn flush(&self, batch: &mut PieceBatch, out: &mut [u8]) -> Result<()> {
        let PieceBatch { pieces, elements } = std::mem::take(batch);
        let most = elements.saturating_mul(SPARSE);
        if pieces.len() > 1
            && let Some(all) = around(&pieces)
            && all.elements().is_some_and(|n| n <= most)
            && let Ok(bytes) = self.stored(&all)
        {
            for piece in &pieces {
                let to = BoxPlaces::new(&piece.target, self.wanted);
                self.put(&bytes, BoxPlaces::new(&piece.source, &all).zip(to), out);
            }
            return Ok(());
        }
        for piece in &pieces {
            let bytes = self.stored(&piece.source)?;
            self.put(
                &bytes,
                (0..).zip(BoxPlaces::new(&piece.target, self.wanted)),
                out,
            );
        }
        Ok(())
    }

    /// Reads elements of the source, in the stored form of the virtual dataset.
    fn stored(&self, region: &Region) -> Result<Vec<u8>> {
        let engine = Engine::new(&*self.source.reader, self.env);
        let layout = engine.layout(VarId(0))?;
        self.converted(engine.read_stored(VarId(0), &layout, region)?)
    }

    /// Converts elements of the source to the stored form of the virtual dataset.
    fn converted(&self, stored: Vec<u8>) -> Result<Vec<u8>> {
        if self.is_same() {
            return Ok(stored);
        }
        let (from, to) = (self.source.datatype.as_deref(), &self.dataset.datatype);
        let values = from
            .and_then(|f| numbers::decode(f, &stored))
            .ok_or_else(unlike)?;
        let target = numbers::atomic(to).ok_or_else(unlike)?;
        let order: Endianness = numbers::plain(to).ok_or_else(unlike)?;
        let mut bytes = vec![];
        elements::encode(&convert::convert(&values, target)?, order, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies elements. Each pair contains the element index in `bytes` and the element index in the output block.
    fn put(&self, bytes: &[u8], numbers: impl Iterator<Item = (u64, u64)>, out: &mut [u8]) {
        let size = self.size();
        let range = |number: u64| {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            let start = number.saturating_mul(size);
            start..start.saturating_add(size)
        };
        for (from, to) in numbers {
            let Some(element) = bytes.get(range(from)) else {
                return;
            };
            if let Some(to) = out.get_mut(range(to)) {
                to.copy_from_slice(element);
            }
        }
    }
}

/// Checks whether elements refer to a heap in the file.
fn is_heap(datatype: &Datatype) -> bool {
    match &datatype.class {
        TypeClass::Vlen { .. } | TypeClass::VlenString { .. } => true,
        TypeClass::Compound { members, .. } => members.iter().any(|m| is_heap(&m.datatype)),
        TypeClass::Array { base, .. } => is_heap(base),
        _ => false,
    }
}

fn unlike() -> Error {
    let what = "a source of a virtual dataset is of an incompatible type";
    Error::new(ErrorKind::Unsupported, what)
}

/// Returns the smallest block around the source regions of pieces.
fn around(pieces: &[MappedPiece]) -> Option<Region> {
    let first = &pieces.first()?.source;
    let (mut start, mut end) = (first.start.clone(), first.start.clone());
    for MappedPiece { source, .. } in pieces {
        let lens = source.count.iter().zip(&source.stride);
        let dims = source.start.iter().zip(lens);
        for ((from, to), (&at, (count, stride))) in start.iter_mut().zip(&mut end).zip(dims) {
            let last = count.saturating_sub(1).saturating_mul(*stride);
            *from = at.min(*from);
            *to = at.saturating_add(last).saturating_add(1).max(*to);
        }
    }
    let count = start.iter().zip(&end).map(|(s, e)| e - s).collect();
    Some(Region::boxed(start, count))
}

/// Iterates over the elements of a region in row-major order. The items are element indexes in an enclosing block.
struct BoxPlaces<'a> {
    region: &'a Region,
    /// The index of the region's first element in the block.
    first: u64,
    /// The index distance between neighbours per dimension.
    steps: Vec<u64>,
    /// The next element.
    next: Option<Vec<u64>>,
}

impl<'a> BoxPlaces<'a> {
    fn new(region: &'a Region, all: &Region) -> Self {
        let (mut steps, mut step, mut first) = (vec![], 1u64, 0u64);
        let dims = region.start.iter().zip(&region.stride);
        let of = all.start.iter().zip(&all.count);
        for ((start, stride), (origin, count)) in dims.zip(of).rev() {
            let distance = start.saturating_sub(*origin).saturating_mul(step);
            first = first.saturating_add(distance);
            steps.push(stride.saturating_mul(step));
            step = step.saturating_mul((*count).max(1));
        }
        steps.reverse();
        Self {
            region,
            first,
            steps,
            next: (!region.count.contains(&0)).then(|| vec![0; region.count.len()]),
        }
    }
}

impl Iterator for BoxPlaces<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let index = self.next.as_mut()?;
        let steps = index.iter().zip(&self.steps);
        let place = steps.fold(self.first, |sum, (i, step)| {
            sum.saturating_add(i.saturating_mul(*step))
        });
        if !advance(index, &self.region.count) {
            self.next = None;
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(start: [u64; 2], count: [u64; 2], stride: [u64; 2]) -> Region {
        Region {
            start: start.to_vec(),
            count: count.to_vec(),
            stride: stride.to_vec(),
        }
    }

    #[test]
    fn elements_in_the_box_around_pieces() {
        let sources = [
            region([3, 4], [2, 2], [2, 3]),
            region([4, 2], [1, 1], [1, 1]),
        ];
        let piece = |source: &Region| MappedPiece {
            source: source.clone(),
            target: source.clone(),
        };
        let all = around(&sources.each_ref().map(piece)).unwrap();
        assert_eq!(all, region([3, 2], [3, 6], [1, 1]));
        let places: [Vec<u64>; 2] = sources
            .each_ref()
            .map(|s| BoxPlaces::new(s, &all).collect());
        assert_eq!(places, [vec![2, 5, 14, 17], vec![6]]);
    }

    #[test]
    fn an_empty_region_has_no_places() {
        let empty = region([0, 0], [3, 0], [1, 1]);
        assert_eq!(BoxPlaces::new(&empty, &Region::whole(&[3, 3])).next(), None);
    }
}
