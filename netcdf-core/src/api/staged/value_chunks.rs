//! Chunks of strings, lists and user-defined types that are changed in place.
//!
//! Written elements get new heap data. All other elements keep their references.

use super::Staged;
use super::elements::{self, ReferencedValues};
use super::heap::{REFERENCE, is_written};
use super::in_place::StagedChunks;
use crate::arithmetic::{Exact, exact, indices};
use crate::chunk::encode::EncodedChunk;
use crate::chunk::scatter::{Block, number, place};
use crate::chunk::unwritten::put_copies;
use crate::chunk::{Dataset, Placement, Update};
use crate::env::Env;
use crate::error::{Error, OrInternal as _, Result};
use crate::format;
use crate::limits::zeros;
use crate::model::region::product;
use crate::model::{Region, Values, VarId};

/// The written elements of a region.
struct WrittenValues {
    /// The row-major numbers of the elements in the region.
    places: Vec<u64>,
    values: Values,
}

impl Staged {
    /// Returns a changed chunk of values in stored form.
    pub(super) fn value_chunk(
        &mut self,
        (var, index): (VarId, u64),
        chunks: &StagedChunks,
        env: &Env,
    ) -> Result<EncodedChunk> {
        let layout = &chunks.layout;
        let region = layout.chunk_region(index);
        let written = self.written_values(var, &region, env)?;
        let whole = Region {
            count: layout.chunk.clone(),
            ..region.clone()
        };
        let numbers = written.places.iter();
        let numbers = numbers.map(|at| number(&place(*at, &region.count), &whole.count));
        let numbers = numbers.collect::<Result<Vec<u64>>>()?;
        let update = self
            .update_mut()
            .or_internal("a dataset that is changed in place")?;
        let size = layout.element.size;
        let stored = update.put_heap(chunks.id, &written.values)?;
        let old = Dataset::new(update.reader(), env).stored_elements(chunks.id, layout, index)?;
        let mut all = match old {
            Some(old) => old,
            None => unwritten_chunk(update, chunks, &numbers, env)?,
        };
        put_elements(&numbers, size, &stored, &mut all)?;
        chunks.encoder.encode(&whole, all)
    }

    /// Changes values that are stored without chunks, element by element.
    pub(super) fn put_unchunked_values(&mut self, var: VarId, env: &Env) -> Result<Placement> {
        let shape = self.schema.shape(var);
        let regions: Vec<Region> = match self.tiles_of(var) {
            Some(tiles) => tiles.regions().collect(),
            None => vec![],
        };
        let base = self.base.as_ref().or_internal("an original dataset")?;
        let id = *base.vars.get(var.index()).or_internal("a variable")?;
        let kind = base.original.reader().schema().kind;
        if !format::traits(kind).heap {
            return Ok(Placement::Anew("large changes of data without chunks"));
        }
        for tile in regions {
            let lens = tile.start.iter().zip(&tile.count).zip(&shape);
            let count = lens.map(|((start, count), len)| len.saturating_sub(*start).min(*count));
            let region = Region::boxed(tile.start.clone(), count.collect());
            let written = self.written_values(var, &region, env)?;
            let update = self
                .update_mut()
                .or_internal("a dataset that is changed in place")?;
            let stored = update.put_heap(id, &written.values)?;
            let size = update.reader().layout(id)?.element.size;
            for (at, element) in written
                .places
                .iter()
                .zip(stored.chunks_exact(exact(size).index()?))
            {
                let inside = place(*at, &region.count);
                let position = inside
                    .iter()
                    .zip(&region.start)
                    .map(|(at, start)| at + start);
                let number = number(&position.collect::<Vec<u64>>(), &shape)?;
                if let anew @ Placement::Anew(_) = update.put_run(id, number, element)? {
                    return Ok(anew);
                }
            }
        }
        Ok(Placement::InPlace)
    }

    pub(super) fn update_mut(&mut self) -> Option<&mut dyn Update> {
        self.base.as_mut()?.original.update_mut()
    }

    /// Returns the staged values of a region.
    fn written_values(&self, var: VarId, region: &Region, env: &Env) -> Result<WrittenValues> {
        let (Some(tiles), Some(spool)) = (self.tiles_of(var), &self.spool) else {
            return Err(Error::internal("a variable without staged data"));
        };
        let bytes = (Exact::product(&region.count) * REFERENCE).get()?;
        let mut references = zeros(env.limits.item(bytes, "a chunk")?, "a chunk")?;
        tiles.copy_tiles(&Block::of(region), spool, &mut references)?;
        let all = references.as_chunks::<16>().0;
        let written = (0u64..)
            .zip(all)
            .filter(|(_, reference)| is_written(*reference));
        let (places, written): (Vec<u64>, Vec<[u8; 16]>) = written.unzip();
        let from = ReferencedValues {
            spool: Some(spool),
            original: None,
        };
        let values = elements::resolve(&self.schema, var, written.as_flattened(), from)?;
        let path = || self.schema.var_path(var);
        format::tell_of_strings(&values, self.schema.kind, &env.notes, path)?;
        Ok(WrittenValues { places, values })
    }
}

/// Returns a chunk without values. All elements except `written` have their own heap data ([`crate::chunk::unwritten`]).
fn unwritten_chunk(
    update: &mut dyn Update,
    chunks: &StagedChunks,
    written: &[u64],
    env: &Env,
) -> Result<Vec<u8>> {
    let (encoder, layout) = (&chunks.encoder, &chunks.layout);
    let mut all = encoder.blank()?;
    if !encoder.heap_fill() {
        return Ok(all);
    }
    let count = product(&layout.chunk).or_internal("a chunk")?;
    let mut next = written.iter().copied().peekable();
    let missing = (0..count).filter(|at| next.next_if_eq(at).is_none());
    let missing: Vec<u64> = missing.collect();
    let fill = Dataset::new(update.reader(), env).resolve(chunks.id, encoder.fill())?;
    let put = |values: &Values| update.put_heap(chunks.id, values);
    let stored = put_copies(&fill, missing.len() as u64, put)?;
    put_elements(&missing, layout.element.size, &stored, &mut all)?;
    Ok(all)
}

/// Copies elements of `size` bytes to their places in a chunk.
fn put_elements(numbers: &[u64], size: u64, stored: &[u8], chunk: &mut [u8]) -> Result<()> {
    let parts = stored.chunks_exact(exact(size).index()?.max(1));
    for (at, part) in numbers.iter().zip(parts) {
        let range = indices(exact(*at) * size, size)?;
        let to = chunk.get_mut(range).or_internal("elements of a chunk")?;
        to.copy_from_slice(part);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::api::{Dataset, InPlace, Length, Options, Select};
    use crate::model::{Atomic, GroupId, Kind, StorageLayout, Values, VarId};

    fn open(path: &Path) -> Dataset {
        let options = Options {
            in_place: InPlace::Always,
            ..Options::default()
        };
        Dataset::open_for_writing_with(path, options).unwrap()
    }

    fn strings(texts: &[&str]) -> Values {
        let texts = texts.iter().map(|text| Some(text.as_bytes().into()));
        Values::String(texts.collect())
    }

    fn texts(data: &Dataset, var: VarId) -> Vec<String> {
        let Values::String(found) = data.read_values(var, &Select::all()).unwrap() else {
            panic!("strings")
        };
        let text = |text: Option<_>| {
            let bytes: Box<[u8]> = text.unwrap_or_default();
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        found.into_iter().map(text).collect()
    }

    /// A file with strings in chunks of 2 by 3, with a fill value or without, in a fixed dimension, and as a scalar.
    fn sample(path: &Path, fill: bool) -> [VarId; 3] {
        let root = GroupId::ROOT;
        let mut data = Dataset::create(path, Kind::NETCDF4).unwrap();
        let time = data.define_dim(root, "time", Length::Unlimited).unwrap();
        let x = data.define_dim(root, "x", 2.into()).unwrap();
        let v = data
            .define_var(root, "v", Atomic::String, &[time, x])
            .unwrap();
        let w = data.define_var(root, "w", Atomic::String, &[x]).unwrap();
        let s = data.define_var(root, "s", Atomic::String, &[]).unwrap();
        data.define_chunking(v, StorageLayout::Chunked(vec![3, 2]))
            .unwrap();
        if fill {
            data.define_fill(v, Some(strings(&["none"]))).unwrap();
        }
        data.end_definition().unwrap();
        let first = Select::region(&[0, 0], &[2, 2]);
        data.write_values(v, &first, &strings(&["a", "b", "c", "d"]))
            .unwrap();
        data.write_values(w, &Select::all(), &strings(&["p", "q"]))
            .unwrap();
        data.write_values(s, &Select::all(), &strings(&["one"]))
            .unwrap();
        data.close().unwrap();
        [v, w, s]
    }

    #[test]
    fn strings_change_in_place() {
        for (fill, none) in [(true, "none"), (false, "")] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("a.nc");
            let [v, w, s] = sample(&path, fill);
            let mut data = open(&path);
            data.write_values(v, &Select::at(&[3, 1]), &strings(&["new"]))
                .unwrap();
            data.write_values(v, &Select::at(&[0, 1]), &strings(&["B"]))
                .unwrap();
            let want = ["a", "B", "c", "d", none, none, none, "new"];
            assert_eq!(texts(&data, v), want);
            data.sync().unwrap();
            assert_eq!(texts(&data, v), want);
            data.write_values(v, &Select::at(&[2, 0]), &strings(&["C"]))
                .unwrap();
            data.write_values(w, &Select::at(&[1]), &strings(&["Q"]))
                .unwrap();
            data.write_values(s, &Select::all(), &strings(&["two"]))
                .unwrap();
            data.close().unwrap();
            let data = Dataset::open(&path).unwrap();
            let want = ["a", "B", "c", "d", "C", none, none, "new"];
            assert_eq!(texts(&data, v), want);
            assert_eq!(texts(&data, w), ["p", "Q"]);
            assert_eq!(texts(&data, s), ["two"]);
        }
    }

    #[test]
    fn staged_strings_are_written_anew_with_the_original() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.nc");
        let [v, ..] = sample(&path, true);
        let mut data = Dataset::open_for_writing(&path).unwrap();
        let more = data.define_dim(GroupId::ROOT, "more", 3.into()).unwrap();
        let n = data
            .define_var(GroupId::ROOT, "n", Atomic::Int, &[more])
            .unwrap();
        data.end_definition().unwrap();
        data.write(n, &Select::all(), &[1, 2, 3]).unwrap();
        data.write_values(v, &Select::at(&[3, 0]), &strings(&["new"]))
            .unwrap();
        let column = Select::region(&[0, 1], &[4, 1]);
        let found = data.read_values(v, &column).unwrap();
        assert_eq!(found, strings(&["b", "d", "none", "none"]));
        data.close().unwrap();
        let data = Dataset::open(&path).unwrap();
        let want = ["a", "b", "c", "d", "none", "none", "new", "none"];
        assert_eq!(texts(&data, v), want);
    }
}
