//! Message bodies of object headers ("IV.A.2").

use super::part::{Hole, MetadataPart, UNDEFINED, USUAL};
use super::plan::{ObjectId, PlannedShape, PlannedType};
use crate::arithmetic::Amount;
use crate::bytes::ByteSink;
use crate::bytes::sink::narrow;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::datatype::MOST_DIMS;
use crate::format::hdf5::message::fill::{Allocate, FillMessage, FillValue, Write};
use crate::model::FilterSpec;

/// Offsets of dense links or attributes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dense {
    /// The heap.
    pub heap: u64,
    /// The index by name.
    pub by_name: u64,
    /// The index by creation order.
    pub by_order: u64,
}

pub(super) fn dense_info(count: &[u8], places: Option<Dense>) -> MetadataPart {
    let mut out = MetadataPart::of(&[0, 3]);
    out.sink.put(count);
    match places {
        Some(d) => [d.heap, d.by_name, d.by_order]
            .into_iter()
            .for_each(|place| out.address(Hole::Own(place))),
        None => (0..3).for_each(|_| out.sink.u64(UNDEFINED)),
    }
    out
}

/// Group Info, version 0, with defaults only.
pub(super) fn group_info() -> MetadataPart {
    MetadataPart::of(&[0, 0])
}

/// Link, version 1: a hard link with its creation order.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] or [`ErrorKind::Limit`] for invalid link names.
pub(super) fn link(name: &[u8], order: u64, to: ObjectId) -> Result<MetadataPart> {
    check_name(name, "a link")?;
    let width: u8 = if name.len() < 0x100 { 0 } else { 1 };
    let mut out = MetadataPart::of(&[1, 0x04 | width]);
    out.sink.u64(order);
    out.sink.uint(name.len() as u64, 1 << width)?;
    out.sink.put(name);
    out.address(Hole::Object(to));
    Ok(out)
}

/// Checks that a name is not empty, has no zero byte, and is shorter than 64 KiB including a terminating zero.
fn check_name(name: &[u8], what: &str) -> Result<()> {
    if name.is_empty() || name.contains(&0) {
        let what = format!("the name of {what} is empty or has a zero byte");
        return Err(Error::new(ErrorKind::Argument, what));
    }
    if name.len() >= 0xffff {
        let len = name.len();
        let what = format!("the name of {what} has {len} bytes, HDF5 allows at most 65534");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    Ok(())
}

/// Object Reference Count, version 0.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for more than 2^32 links.
pub(super) fn reference_count(count: u64) -> Result<MetadataPart> {
    let mut out = MetadataPart::of(&[0]);
    out.sink
        .u32(narrow(count, "the number of links to an object")?);
    Ok(out)
}

/// Dataspace, version 2, always with maximum lengths.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for too many dimensions.
pub(super) fn dataspace(shape: &PlannedShape, max: Option<&[Option<u64>]>) -> Result<ByteSink> {
    let mut out = ByteSink::with_room(USUAL);
    let dims = match shape {
        PlannedShape::Null => {
            out.put(&[2, 0, 0, 2]);
            return Ok(out);
        }
        PlannedShape::Scalar => {
            out.put(&[2, 0, 0, 0]);
            return Ok(out);
        }
        PlannedShape::Simple(dims) => dims,
    };
    let rank: u8 = match dims.len() {
        n @ 1..=MOST_DIMS => narrow(n as u64, "the rank")?,
        n => {
            let what = format!("{n} dimensions, HDF5 allows 1 to {MOST_DIMS}");
            return Err(Error::new(ErrorKind::Limit, what));
        }
    };
    out.put(&[2, rank, 1, 1]);
    dims.iter().for_each(|&n| out.u64(n));
    match max {
        Some(max) => max.iter().for_each(|n| out.u64(n.unwrap_or(UNDEFINED))),
        None => dims.iter().for_each(|&n| out.u64(n)),
    }
    Ok(out)
}

/// Byte offset of the current lengths in a [`dataspace`].
pub(super) const DIMS: usize = 4;

/// Datatype, and whether it is a reference to a committed type ("Shared Message", version 2).
///
/// # Errors
/// Returns errors from writing the type.
pub(super) fn datatype(ty: &PlannedType) -> Result<(MetadataPart, bool)> {
    match ty {
        PlannedType::Here(datatype) => {
            let mut out = MetadataPart::with_room(USUAL);
            datatype.write(&mut out.sink)?;
            Ok((out, false))
        }
        PlannedType::Committed(object, _) => {
            let mut out = MetadataPart::of(&[2, 2]);
            out.address(Hole::Object(*object));
            Ok((out, true))
        }
    }
}

/// Fill Value, version 3. `value` is the value of [`FillValue::User`].
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for a value of 4 GiB.
pub(super) fn fill(fill: &FillMessage, value: &MetadataPart) -> Result<MetadataPart> {
    let allocate = match fill.allocate {
        None => 0,
        Some(Allocate::Early) => 1,
        Some(Allocate::Late) => 2,
        Some(Allocate::Incremental) => 3,
    };
    let write = match fill.write {
        None | Some(Write::Allocation) => 0,
        Some(Write::Never) => 1 << 2,
        Some(Write::IfSet) => 2 << 2,
    };
    let defined = match &fill.value {
        FillValue::Undefined => 0x10,
        FillValue::Default => 0,
        FillValue::User(_) => 0x20,
    };
    let mut out = MetadataPart::of(&[3, allocate | write | defined]);
    if defined == 0x20 {
        let len: u32 = narrow(value.len() as u64, "the size of a fill value")?;
        out.sink.u32(len);
        out.append(value);
    }
    Ok(out)
}

/// Byte offset of the value in [`fill`].
pub(super) const FILL_VALUE: usize = 6;

/// Filter Pipeline, version 2. Filters with numbers from 256 on have a name, which may be empty.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for too many filters or parameters.
pub(super) fn filters(filters: &[(FilterSpec, bool)]) -> Result<MetadataPart> {
    if filters.len() > 32 {
        let what = format!("{} filters, HDF5 allows at most 32", filters.len());
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let mut out = MetadataPart::of(&[2]);
    out.sink
        .u8(narrow(filters.len() as u64, "the number of filters")?);
    for (filter, optional) in filters {
        let id: u16 = narrow(filter.id.into(), "the number of a filter")?;
        out.sink.u16(id);
        if id >= 256 {
            out.sink.u16(0);
        }
        out.sink.u16(u16::from(*optional));
        let count = filter.params.len() as u64;
        out.sink
            .u16(narrow(count, "the number of a filter's parameters")?);
        filter.params.iter().for_each(|&n| out.sink.u32(n));
    }
    Ok(out)
}

/// Data Layout, version 3: compact.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for 64 KiB or more.
pub(super) fn compact(data: &MetadataPart) -> Result<MetadataPart> {
    let mut out = MetadataPart::of(&[3, 0]);
    out.sink
        .u16(narrow(data.len() as u64, "the size of compact data")?);
    out.append(data);
    Ok(out)
}

/// Byte offset of the data in [`compact`].
pub(super) const COMPACT_DATA: usize = 4;

/// Data Layout, version 3: contiguous, with an undefined address.
pub(super) fn contiguous(size: u64) -> MetadataPart {
    let mut out = MetadataPart::of(&[3, 1]);
    out.sink.u64(UNDEFINED);
    out.sink.u64(size);
    out
}

/// Byte offset of the address in [`contiguous`].
pub(super) const CONTIGUOUS_ADDRESS: usize = 2;

/// Data Layout, version 3: chunked, with an undefined index address.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for chunks of 2^32 bytes, or of this length in a dimension.
pub(super) fn chunked(dims: &[u64], element: u64) -> Result<MetadataPart> {
    let mut out = MetadataPart::of(&[3, 2]);
    let rank = dims.len() as u64 + 1;
    out.sink.u8(narrow(rank, "the rank")?);
    out.sink.u64(UNDEFINED);
    for &len in dims.iter().chain([&element]) {
        out.sink.u32(narrow(len, "the length of a chunk")?);
    }
    let size = Amount::product(dims) * element;
    let _: u32 = narrow(size.get(), "the size of a chunk in bytes")?;
    Ok(out)
}

/// Byte offset of the index address in [`chunked`].
pub(super) const CHUNKED_ADDRESS: usize = 3;

/// Bytes of an attribute without its name, type, shape and data.
const HEAD: usize = 10;

/// Attribute, version 3.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] if name, type or shape is too long, and errors from writing them.
pub(super) fn attribute(
    name: &[u8],
    ty: &PlannedType,
    shape: &PlannedShape,
    data: &MetadataPart,
) -> Result<MetadataPart> {
    check_name(name, "an attribute")?;
    let (datatype, shared) = datatype(ty)?;
    let space = dataspace(shape, None)?;
    let parts = [name.len(), datatype.len(), space.len(), data.len()];
    let mut out = MetadataPart::with_room(HEAD + parts.iter().sum::<usize>());
    out.sink.put(&[3, u8::from(shared)]);
    out.sink
        .u16(narrow(name.len() as u64 + 1, "the length of a name")?);
    let len = datatype.len() as u64;
    out.sink
        .u16(narrow(len, "the size of an attribute's type")?);
    out.sink
        .u16(narrow(space.len() as u64, "the size of a shape")?);
    out.sink.u8(0); // name character set, the same as in netCDF-C
    out.sink.put(name);
    out.sink.u8(0);
    out.append(&datatype);
    out.sink.put(&space.bytes);
    out.append(data);
    Ok(out)
}
