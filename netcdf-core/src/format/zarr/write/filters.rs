//! Adapts filters so that other Zarr readers can decode them.

use crate::chunk::layout::Layout;
use crate::error::Result;
use crate::filter::ids::DEFLATE;
use crate::filter::{ChunkContext, FilterTable, codec, fletcher32, shuffle};
use crate::model::{Atomic, DataType, FilterSpec, StoredElement, ZarrVersion};

/// The size of the `fletcher32` checksum in bytes.
const CHECKSUM: u64 = 4;
/// The element size that netCDF-C assumes for shuffled strings.
const STRING: u32 = 8;

/// Moves a checksum before `shuffle` behind `shuffle`, if the checksum bytes are not complete elements. zarr-python only shuffles complete
/// elements. HDF5 accepts both orders.
pub(super) fn ordered(
    filters: &[FilterSpec],
    element: StoredElement,
    table: &FilterTable,
) -> Vec<FilterSpec> {
    let mut filters = filters.to_vec();
    let at = |id: u32, filters: &[FilterSpec]| filters.iter().position(|f| f.id == id);
    let sum = at(fletcher32::ENTRY.id, &filters);
    let planes = at(shuffle::ENTRY.id, &filters);
    let whole = element.size > 0 && CHECKSUM.is_multiple_of(element.size);
    if let (Some(sum), Some(planes)) = (sum, planes)
        && sum < planes
        && !whole
        && filters.iter().all(|f| table.has(f.id))
    {
        let filter = filters.remove(sum);
        filters.insert(planes, filter);
    }
    filters
}

/// Moves `shuffle` before the first filter with variable-length output, because zarr-python only shuffles complete elements. HDF5 accepts
/// any length. If no position gives `shuffle` complete elements, the function removes `shuffle` and reports the removal to `say`.
pub(super) fn of_whole_elements(
    mut filters: Vec<FilterSpec>,
    (context, table): (&ChunkContext, &FilterTable),
    say: &dyn Fn(String),
) -> Result<Vec<FilterSpec>> {
    if !filters.iter().all(|f| table.has(f.id)) {
        return Ok(filters);
    }
    // Each step moves or removes one filter.
    for _ in 0..filters.len() {
        let lengths = table.chain(&filters, context)?.lengths();
        let split = |(spec, len): &(&FilterSpec, &Option<usize>)| is_split(spec, **len, context);
        let Some(at) = filters.iter().zip(&lengths).position(|found| split(&found)) else {
            break;
        };
        let filter = filters.remove(at);
        let place = last_known(&lengths).filter(|&place| place < at);
        let len = place.and_then(|place| lengths.get(place).copied().flatten());
        let bytes = place.is_some_and(|n| {
            filters
                .get(n)
                .is_some_and(|f| codec::stage(f.id) == codec::CodecStage::Bytes)
        });
        match place {
            Some(place) if bytes && !is_split(&filter, len, context) => {
                filters.insert(place, filter);
            }
            Some(_) | None => {
                say("skipped shuffle: Zarr readers only shuffle complete elements".to_owned());
            }
        }
    }
    Ok(filters)
}

/// Returns the last filter with a fixed input length.
fn last_known(lengths: &[Option<usize>]) -> Option<usize> {
    let unknown = lengths.iter().position(Option::is_none)?;
    unknown.checked_sub(1)
}

/// Checks whether the filter is `shuffle` and its input of `len` bytes may contain a partial element.
fn is_split(filter: &FilterSpec, len: Option<usize>, context: &ChunkContext) -> bool {
    let size = filter.params.first().map(|&n| u64::from(n));
    let size = size.unwrap_or(context.element.size);
    let whole = len.is_some_and(|len| (len as u64).is_multiple_of(size));
    filter.id == shuffle::ENTRY.id && size > 1 && !whole
}

/// Stores deflate as `gzip` in version 3, because the specification has no zlib streams.
pub(super) fn specified(mut filters: Vec<FilterSpec>, version: ZarrVersion) -> Vec<FilterSpec> {
    let deflate = filters.iter_mut().filter(|f| f.id == DEFLATE);
    if version == ZarrVersion::V3 {
        deflate.for_each(|f| f.id = codec::ids::GZIP);
    }
    filters
}

/// Adapts the filters of strings. netCDF-C always decodes `shuffle` of strings with 8 bytes and ignores the parameter. Texts of version 3
/// do not consist of complete elements. If readers cannot decode `shuffle`, the function removes `shuffle` and reports the removal to
/// `say`.
pub(super) fn of_texts(
    mut filters: Vec<FilterSpec>,
    (layout, version): (&Layout, ZarrVersion),
    say: &dyn Fn(String),
) -> Vec<FilterSpec> {
    if layout.element.ty != DataType::Atomic(Atomic::String) {
        return filters;
    }
    let chunk = layout.chunk_bytes().unwrap_or(1);
    let fits = version == ZarrVersion::V2 && chunk.is_multiple_of(STRING as usize);
    let before = filters.len();
    for filter in filters.iter_mut().filter(|f| f.id == shuffle::ENTRY.id) {
        filter.params = vec![STRING];
    }
    filters.retain(|f| fits || f.id != shuffle::ENTRY.id);
    if filters.len() < before {
        say("skipped shuffle: Zarr readers cannot decode shuffle for these strings".to_owned());
    }
    filters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Endianness;

    fn element(ty: Atomic, size: u64) -> StoredElement {
        StoredElement {
            ty: ty.into(),
            size,
            order: Endianness::Little,
            plain: ty != Atomic::String,
        }
    }

    fn chain(ids: &[u32]) -> Vec<FilterSpec> {
        let spec = |&id| FilterSpec { id, params: vec![] };
        ids.iter().map(spec).collect()
    }

    fn ids(filters: &[FilterSpec]) -> Vec<u32> {
        filters.iter().map(|f| f.id).collect()
    }

    #[test]
    fn checksums_stand_behind_what_takes_whole_elements() {
        let table = FilterTable::default();
        let made = |size, filters: &[u32]| {
            let element = element(Atomic::Double, size);
            ids(&ordered(&chain(filters), element, &table))
        };
        assert_eq!(made(8, &[3, 2, 1]), [2, 3, 1]);
        assert_eq!(made(4, &[3, 2, 1]), [3, 2, 1]);
        assert_eq!(made(8, &[2, 1, 3]), [2, 1, 3]);
        assert_eq!(made(8, &[3, 2, 40_000]), [3, 2, 40_000]);
    }

    #[test]
    fn shuffle_stands_before_what_has_no_fixed_length() {
        let table = FilterTable::default();
        let made = |len: usize, size, filters: &[u32]| {
            let context = ChunkContext {
                element: element(Atomic::Double, size),
                ..crate::filter::tests::context(len, size)
            };
            let said = std::cell::Cell::new(0);
            let say = |_| said.set(said.get() + 1);
            let made = of_whole_elements(chain(filters), (&context, &table), &say);
            (ids(&made.unwrap()), said.get())
        };
        assert_eq!(made(328, 8, &[1, 2]), (vec![2, 1], 0));
        assert_eq!(made(328, 8, &[2, 1]), (vec![2, 1], 0));
        assert_eq!(made(164, 4, &[3, 1, 2]), (vec![3, 2, 1], 0));
        assert_eq!(made(328, 8, &[1, 3, 2, 1]), (vec![2, 1, 3, 1], 0));
        assert_eq!(made(328, 8, &[1, 2, 307, 2]), (vec![2, 2, 1, 307], 0));
        assert_eq!(made(328, 8, &[3, 1, 2]), (vec![3, 1], 1));
        assert_eq!(made(41, 1, &[1, 2]), (vec![1, 2], 0));
    }

    #[test]
    fn strings_are_shuffled_by_eight_bytes_or_not_at_all() {
        let made = |size, version| {
            let layout = Layout {
                extent: vec![3],
                chunk: vec![3],
                element: element(Atomic::String, size),
                filters: vec![],
                fill: None,
                quantize: None,
            };
            let said = std::cell::Cell::new(false);
            let made = of_texts(chain(&[2, 1]), (&layout, version), &|_| said.set(true));
            let params = made.first().map(|f| f.params.clone());
            (ids(&made), params, said.get())
        };
        assert_eq!(
            made(128, ZarrVersion::V2),
            (vec![2, 1], Some(vec![8]), false)
        );
        assert_eq!(made(5, ZarrVersion::V2), (vec![1], Some(vec![]), true));
        assert_eq!(made(128, ZarrVersion::V3), (vec![1], Some(vec![]), true));
    }
}
