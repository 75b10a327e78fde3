//! Dense links and attributes, for objects with many or long ones: a heap, and indexes by name and by creation order.

use super::btree_v2;
use super::fractal_heap::{self, ATTRIBUTES, LINKS};
use super::messages::Dense;
use super::part::MetadataPart;
use crate::bytes::sink::narrow;
use crate::bytes::sums::lookup3;
use crate::error::Result;
use crate::format::hdf5::btree_v2::records;

/// Appends the heap and the indexes of links. The links must be in creation order.
///
/// # Errors
/// Returns [`crate::ErrorKind::Limit`].
pub(super) fn links(
    own: &mut MetadataPart,
    names: &[&[u8]],
    links: &[MetadataPart],
) -> Result<Dense> {
    let (heap, ids) = fractal_heap::write(own, LINKS, links)?;
    let by_name = sorted(names, &ids, |_, hash, id| {
        let mut record = MetadataPart::default();
        record.sink.u32(hash);
        record.sink.put(id);
        Ok(record)
    })?;
    let by_order = ids.iter().enumerate().map(|(n, id)| {
        let mut record = MetadataPart::default();
        record.sink.u64(n as u64);
        record.sink.put(id);
        record
    });
    let by_order: Vec<_> = by_order.collect();
    Ok(Dense {
        heap,
        by_name: btree_v2::write(own, records::LINK_NAME, &by_name)?,
        by_order: btree_v2::write(own, records::LINK_ORDER, &by_order)?,
    })
}

/// Bytes of an attribute record without its id: flags, creation order, and name hash.
const RECORD: usize = 9;

/// Appends the heap and the indexes of attributes. The attributes must be in creation order.
///
/// # Errors
/// Returns [`crate::ErrorKind::Limit`].
pub(super) fn attributes(
    own: &mut MetadataPart,
    names: &[&[u8]],
    attributes: &[MetadataPart],
) -> Result<Dense> {
    let (heap, ids) = fractal_heap::write(own, ATTRIBUTES, attributes)?;
    let record = |n: usize, id: &[u8]| {
        let mut record = MetadataPart::with_room(id.len() + RECORD);
        record.sink.put(id);
        record.sink.u8(0); // flags of the message
        record
            .sink
            .u32(narrow(n as u64, "the number of attributes")?);
        Ok(record)
    };
    let by_name = sorted(names, &ids, |n, hash, id| {
        let mut record = record(n, id)?;
        record.sink.u32(hash);
        Ok(record)
    })?;
    let by_order = ids.iter().enumerate().map(|(n, id)| record(n, id));
    let by_order = by_order.collect::<Result<Vec<_>>>()?;
    Ok(Dense {
        heap,
        by_name: btree_v2::write(own, records::ATTRIBUTE_NAME, &by_name)?,
        by_order: btree_v2::write(own, records::ATTRIBUTE_ORDER, &by_order)?,
    })
}

/// Sorts records by name hash, then by name.
fn sorted(
    names: &[&[u8]],
    ids: &[Vec<u8>],
    record: impl Fn(usize, u32, &[u8]) -> Result<MetadataPart>,
) -> Result<Vec<MetadataPart>> {
    let hashed = names.iter().zip(ids).enumerate();
    let mut all: Vec<_> = hashed
        .map(|(n, (&name, id))| (lookup3(name), name, n, id))
        .collect();
    all.sort_unstable();
    let records = all.into_iter();
    records
        .map(|(hash, _, n, id)| record(n, hash, id))
        .collect()
}
