//! Virtual datasets: selections, mappings, and mapped pieces.

use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::format::hdf5::Hdf5File;
use netcdf_core::format::hdf5::selection::Selection;
use netcdf_core::format::hdf5::virtual_dataset::{self, MappingShapes, Mapping, MappedPiece, MappingSources};
use netcdf_core::model::Region;

use crate::image::{NUMBERS, Numbers, superblock, width};
use crate::{limits, source};

/// Maximum number of pieces per mapping. A reader creates at most one piece per element.
const PIECES: u32 = 1 << 12;

/// A selection as stored.
pub fn selection(input: &[u8]) {
    let Some(file) = empty(0) else {
        return;
    };
    let mut c = file.fields_of(input, Some(0));
    if let Ok(selection) = Selection::parse(&mut c) {
        let dim = selection.unlimited();
        assert!(dim.is_none() || matches!(selection, Selection::Regular(_)));
    }
}

/// The mappings of a virtual dataset, and the parts of their sources within a box. An input is:
/// sizes of addresses and lengths (a byte), flags (a byte), shapes of the virtual dataset and of
/// the sources (a byte and four numbers each), the box (a start and a count of two bytes for each
/// dimension), then from byte 64 on the object of the global heap.
pub fn virtual_dataset(input: &[u8]) {
    let Some((head, data)) = input.split_at_checked(NUMBERS) else {
        return;
    };
    let mut numbers = Numbers(head);
    let Some(file) = empty(numbers.u8()) else {
        return;
    };
    let large = numbers.u8() & 1 != 0;
    let mut shape = || -> Vec<u64> {
        let rank = usize::from(numbers.u8() & 3) + 1;
        let dims = [0; 4].map(|_| numbers.u32());
        let dims = dims.map(|n| if large { n << 32 | n } else { n });
        dims.into_iter().take(rank).collect()
    };
    let (target, source) = (shape(), shape());
    let wanted = part(&mut numbers, &target);
    let Ok(mappings) = virtual_dataset::parse(&file, data, None) else {
        return;
    };
    for mapping in mappings.iter().take(8) {
        let _ = mapping.reach(MappingSources::Shape(&source));
        let _ = mapping.reach(MappingSources::Sources(3));
        let extents = MappingShapes {
            source: &source,
            target: &target,
        };
        pieces(mapping, extents, &wanted);
    }
}

/// Checks the first sources of a mapping: each piece is inside its dataset and the box.
fn pieces(mapping: &Mapping, extents: MappingShapes, wanted: &Region) {
    let mut elements = mapping.elements(wanted);
    for number in mapping.sources(wanted).take(3) {
        let _ = mapping.names(number);
        let mut left = PIECES;
        let _ = mapping.pieces(number, extents, wanted, &mut |piece: MappedPiece| {
            assert!(inside(
                &piece.source,
                &vec![0; extents.source.len()],
                extents.source
            ));
            assert!(inside(&piece.target, &wanted.start, extents.target));
            assert!(inside(&piece.target, &wanted.start, &ends(wanted)));
            assert_eq!(piece.source.elements(), piece.target.elements());
            elements -= piece.target.elements().unwrap_or(u64::MAX);
            left -= 1;
            if left == 0 {
                return Err(Error::new(ErrorKind::Limit, "enough pieces"));
            }
            Ok(())
        });
    }
}

/// Returns a box in a dataset.
fn part(numbers: &mut Numbers, shape: &[u64]) -> Region {
    let start: Vec<u64> = shape.iter().map(|&n| numbers.u16().min(n)).collect();
    let lens = shape.iter().zip(&start);
    let count = lens.map(|(n, s)| match numbers.u16() {
        0xffff => n - s,
        count => count.min(n - s),
    });
    let count = count.collect();
    Region::boxed(start, count)
}

fn ends(region: &Region) -> Vec<u64> {
    let dims = region.start.iter().zip(&region.count);
    dims.map(|(start, count)| start + count).collect()
}

/// Returns whether a region has elements, and all elements are between `start` and `end`.
fn inside(region: &Region, start: &[u64], end: &[u64]) -> bool {
    region.start.len() == end.len()
        && (0..end.len()).all(|dim| {
            let (first, count) = (region.start[dim], region.count[dim]);
            let last = (count.checked_sub(1))
                .and_then(|n| n.checked_mul(region.stride[dim]))
                .and_then(|n| n.checked_add(first));
            first >= start[dim] && last.is_some_and(|last| last < end[dim])
        })
}

/// Returns a file with only a superblock.
fn empty(sizes: u8) -> Option<Hdf5File> {
    let mut bytes = superblock(width(sizes), NUMBERS);
    bytes.resize(NUMBERS, 0);
    Hdf5File::open(source(&bytes), &limits()).ok()
}
