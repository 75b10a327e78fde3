//! Compares the values of two arrays with any chunks. First iterates over the stored chunks of the array with the larger chunks, and
//! compares each with the same elements of the second array. Then iterates over the stored chunks of the second array at missing chunks of
//! the first. Time and memory therefore depend on the stored data, not on the size in the metadata.

use netcdf_core::chunk::grid::ChunkGrid;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::Json;
use netcdf_core::model::region::product;
use netcdf_core::model::{Region, Values};

use super::finder::Finder;
use super::raw::{self, StoredKey};
use super::report::{DiffReport, StoreDifference};
use super::tally::{StoreTally, constant};
use crate::array::values::{ValueAt, differing, same};
use crate::array::{ChunkPlace, ElementValues, FoundChunk, OpenArray, rows};
use crate::out::plain;

/// Two compared arrays. `x` is the one with the larger chunks.
struct ArrayPair<'a> {
    x: Finder<'a>,
    y: Finder<'a>,
    /// The common shape: the smaller length in each dimension.
    shape: Vec<u64>,
    /// Whether equal bytes mean equal values.
    twins: bool,
}

/// Checks whether two arrays have the same storage, so that equal bytes always mean equal values.
fn twins(a: &OpenArray<'_>, b: &OpenArray<'_>) -> bool {
    let (x, y) = (&a.array.described, &b.array.described);
    let layout = |o: &OpenArray<'_>| (o.shape.clone(), o.chunk.clone(), o.chars);
    layout(a) == layout(b)
        && x.version == y.version
        && (&x.stored, &x.shards, x.heap) == (&y.stored, &y.shards, y.heap)
        && (&a.array.ty, &x.codecs) == (&b.array.ty, &y.codecs)
        && (&x.filters, &x.whole, &x.turned) == (&y.filters, &y.whole, &y.turned)
}

/// Compares the values of two arrays with the same number of dimensions.
///
/// # Errors
/// Returns errors of listing the stores, and write errors.
pub(super) fn compare(
    (a, b): (&OpenArray<'_>, &OpenArray<'_>),
    report: &mut DiffReport<'_>,
) -> Result<()> {
    let mut readable = true;
    let twins = twins(a, b);
    for opened in [a, b] {
        // Chunks with equal stored bytes need no decoding.
        let decodes = || opened.chain().map(|_| ());
        let ready = opened.numbered();
        if let Err(e) = ready.and_then(|()| if twins { Ok(()) } else { decodes() }) {
            report.problem(&a.path, &e)?;
            readable = false;
        }
    }
    if !readable {
        return Ok(());
    }
    let elements = |o: &OpenArray<'_>| product(&o.chunk).unwrap_or(u64::MAX);
    let swapped = elements(b) > elements(a);
    let (x, y) = if swapped { (b, a) } else { (a, b) };
    let shape = a.shape.iter().zip(&b.shape).map(|(n, m)| *n.min(m));
    let pair = ArrayPair {
        x: Finder::new(x),
        y: Finder::new(y),
        shape: shape.collect(),
        twins,
    };
    let mut tally = StoreTally::default();
    pair.each(x, &mut tally, &|place| pair.over_x(place))?;
    pair.each(y, &mut tally, &|place| pair.over_y(place))?;
    let whole = product(&pair.shape);
    if let Some(difference) = pair.unstored(whole, &tally, swapped) {
        report.tell(&a.path, difference)?;
    }
    if let Some(difference) = tally.difference(whole, swapped) {
        report.tell(&a.path, difference)?;
    }
    problems(&tally, report, &a.path)
}

/// Reports the reasons why chunks could not be compared.
fn problems(tally: &StoreTally, report: &mut DiffReport<'_>, path: &str) -> Result<()> {
    if tally.wrong == 0 {
        return Ok(());
    }
    let mut difference = StoreDifference::new("problem", None, None);
    let text = match tally.wrong {
        1 => "a chunk cannot be compared".to_owned(),
        n => format!("{n} parts of chunks cannot be compared"),
    };
    let reasons = tally.reasons.iter();
    let texts = reasons.clone().map(|text| Json::text(text)).collect();
    difference.more = vec![
        ("what", Json::text(&text)),
        ("count", Json::int(tally.wrong)),
        ("reasons", Json::Array(texts)),
    ];
    difference.text = std::iter::once(text)
        .chain(reasons.map(|text| plain(text)))
        .collect();
    report.tell(path, difference)
}

impl ArrayPair<'_> {
    /// Processes all stored chunks of an array in parallel.
    fn each(
        &self,
        opened: &OpenArray<'_>,
        tally: &mut StoreTally,
        look: &(dyn Fn(&ChunkPlace) -> Result<StoreTally> + Sync),
    ) -> Result<()> {
        let work = |place: FoundChunk| {
            opened.env.cancel.check()?;
            Ok(match place {
                Ok(place) => look(&place),
                Err(lost) if self.same_key(&lost.key_place) => Ok(StoreTally::default()),
                Err(lost) => Err(lost.error),
            })
        };
        let bytes = |place: &ChunkPlace| opened.memory(place).saturating_mul(2);
        opened.each_stored(bytes, work, |found| match found {
            Ok(found) => {
                tally.add(found);
                Ok(())
            }
            Err(e) => tally.failed(e),
        })
    }

    /// Checks whether a key has the same bytes in both stores.
    fn same_key(&self, key_place: &[u64]) -> bool {
        let (x, y) = (self.x.opened, self.y.opened);
        let (key, other) = (x.key(key_place), y.key(key_place));
        let one = StoredKey::new(x.store, &key);
        let equal = || raw::equal(one, StoredKey::new(y.store, &other), x.env);
        self.twins && equal().is_ok_and(|equal| equal)
    }

    /// Checks whether `y` has the same stored bytes for a chunk of `x`, with the same meaning.
    fn same_chunk(&self, place: &ChunkPlace) -> Result<bool> {
        if !self.twins {
            return Ok(false);
        }
        let len = |place: &ChunkPlace| place.range.end.saturating_sub(place.range.start);
        match self.y.locate(&place.place)? {
            Some(other) if len(place) == len(&other) => {
                Ok(self.x.opened.fetch(place)? == self.y.opened.fetch(&other)?)
            }
            Some(_) | None => Ok(false),
        }
    }

    /// Returns the part of a chunk within both arrays.
    fn common(&self, opened: &OpenArray<'_>, place: &ChunkPlace) -> Option<Region> {
        let block = opened.block(&place.place);
        let ends = block.start.iter().zip(&block.count).zip(&self.shape);
        let count = ends.map(|((start, n), len)| len.saturating_sub(*start).min(*n));
        let count: Vec<u64> = count.collect();
        (!count.contains(&0)).then(|| Region::boxed(block.start, count))
    }

    /// Compares a stored chunk of `x` with the same elements of `y`.
    fn over_x(&self, place: &ChunkPlace) -> Result<StoreTally> {
        let mut tally = StoreTally::default();
        let Some(part) = self.common(self.x.opened, place) else {
            return Ok(tally);
        };
        tally.covered = part.elements().unwrap_or(u64::MAX);
        let decoded = match self.same_chunk(place) {
            Ok(true) => return Ok(tally),
            Ok(false) => self.x.opened.decode(place),
            Err(e) => Err(e),
        };
        let values = match decoded {
            Ok(values) => values,
            Err(e) => return tally.failed(e).map(|()| tally),
        };
        let block = self.x.opened.block(&place.place);
        for (cell, part) in cells(self.y.opened, &part) {
            let chunk = ElementValues::Chunk(&values, &block);
            if let Err(e) = self.with_y(chunk, &cell, &part, &mut tally) {
                tally.failed(e)?;
            }
        }
        Ok(tally)
    }

    /// Compares a part of a chunk of `x` with the matching chunk of `y`.
    fn with_y(
        &self,
        x: ElementValues<'_>,
        cell: &[u64],
        part: &Region,
        tally: &mut StoreTally,
    ) -> Result<()> {
        let Some(place) = self.y.locate(cell)? else {
            let fill = unwritten(self.y.opened)?;
            self.compare(x, ElementValues::Fill(fill), part, tally);
            return Ok(());
        };
        let values = self.y.decode(&place)?;
        let block = self.y.opened.block(cell);
        self.compare(x, ElementValues::Chunk(&values, &block), part, tally);
        Ok(())
    }

    /// Compares a stored chunk of `y` at missing chunks of `x`.
    fn over_y(&self, place: &ChunkPlace) -> Result<StoreTally> {
        let mut tally = StoreTally::default();
        let Some(part) = self.common(self.y.opened, place) else {
            return Ok(tally);
        };
        let mut values = None;
        let block = self.y.opened.block(&place.place);
        for (cell, part) in cells(self.x.opened, &part) {
            match self.x.locate(&cell) {
                // The chunk was compared before, or the failure was reported.
                Ok(Some(_)) | Err(_) => continue,
                Ok(None) => {}
            }
            let elements = part.elements().unwrap_or(u64::MAX);
            tally.covered = tally.covered.saturating_add(elements);
            if values.is_none() {
                match self.y.opened.decode(place) {
                    Ok(decoded) => values = Some(decoded),
                    Err(e) => {
                        tally.failed(e)?;
                        continue;
                    }
                }
            }
            let Some(values) = &values else { continue };
            match unwritten(self.x.opened) {
                Ok(fill) => {
                    let chunk = ElementValues::Chunk(values, &block);
                    self.compare(ElementValues::Fill(fill), chunk, &part, &mut tally);
                }
                Err(e) => tally.failed(e)?,
            }
        }
        Ok(tally)
    }

    /// Compares the elements of a block.
    fn compare(
        &self,
        x: ElementValues<'_>,
        y: ElementValues<'_>,
        part: &Region,
        tally: &mut StoreTally,
    ) {
        rows(part, &mut |index, len| {
            let (x, y) = (x.at(index), y.at(index));
            differing(x, y, len, &mut |n| {
                self.differs(along(index, n), x.after(n), y.after(n), tally);
            });
            true
        });
    }

    fn differs(&self, index: Vec<u64>, x: ValueAt<'_>, y: ValueAt<'_>, tally: &mut StoreTally) {
        let texts = || {
            let (a, b) = (self.x.opened, self.y.opened);
            let x = constant(a, x.values, x.index);
            (x, constant(b, y.values, y.index))
        };
        tally.differs(index, x, y, &texts);
    }

    /// Compares elements that neither store contains: they differ if the fill values differ.
    fn unstored(
        &self,
        whole: Option<u64>,
        tally: &StoreTally,
        swapped: bool,
    ) -> Option<StoreDifference> {
        let left = whole.map_or(u64::MAX, |n| n.saturating_sub(tally.covered));
        let fills = (&self.x.opened.unwritten, &self.y.opened.unwritten);
        let (Some(x), Some(y)) = fills else {
            return None;
        };
        // If chunks cannot be located, the stored elements are unknown.
        if left == 0 || same(x, 0, y, 0) || tally.wrong > 0 {
            return None;
        }
        let texts = (constant(self.x.opened, x, 0), constant(self.y.opened, y, 0));
        let (a, b) = if swapped { (texts.1, texts.0) } else { texts };
        let mut difference = StoreDifference::texts("missing", &a, &b);
        difference.more = vec![("count", Json::int(left))];
        let elements = match left {
            1 => "1 element is in neither store, and the fill values differ".to_owned(),
            n => format!("{n} elements are in neither store, and the fill values differ"),
        };
        difference.text = vec![format!("{elements}: {a} | {b}")];
        Some(difference)
    }
}

/// Returns the value that readers use for unwritten elements.
fn unwritten<'o>(opened: &'o OpenArray<'_>) -> Result<&'o Values> {
    opened.unwritten.as_ref().ok_or_else(|| {
        let what = "a chunk is missing, and the fill value is not a value of the type";
        opened.in_array(Error::new(ErrorKind::Corrupt, what))
    })
}

/// Returns the chunks of an array that intersect a block, with the intersections.
fn cells(
    opened: &OpenArray<'_>,
    part: &Region,
) -> impl Iterator<Item = (Vec<u64>, Region)> + use<> {
    let grid = ChunkGrid::of(opened.shape.clone(), opened.chunk.clone());
    let (start, chunk) = (part.start.clone(), opened.chunk.clone());
    grid.cells(part).map(move |cell| {
        let first = start.iter().zip(&cell.start);
        let first: Vec<u64> = first.map(|(a, b)| a.saturating_add(*b)).collect();
        let place = first.iter().zip(&chunk);
        let place = place.map(|(at, len)| at / (*len).max(1)).collect();
        (place, Region::boxed(first, cell.count))
    })
}

/// Returns the index of the element `n` positions further along the last dimension.
fn along(index: &[u64], n: usize) -> Vec<u64> {
    let mut index = index.to_vec();
    if let Some(last) = index.last_mut() {
        *last = last.saturating_add(n as u64);
    }
    index
}
