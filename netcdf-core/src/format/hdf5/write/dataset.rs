//! Datasets: their messages, and the state for writing data.

use std::ops::Range;

use super::argument;
use super::chunk_tree::ChunkTree;
use super::header::{CONSTANT, WrittenMessage};
use super::messages;
use super::metadata_heap::MetadataHeap;
use super::part::MetadataPart;
use super::plan::{PlannedAttribute, PlannedData, PlannedDataset, PlannedShape};
use crate::arithmetic::exact;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::message;
use crate::format::hdf5::message::fill::{FillValue, Write};
use crate::model::region::product;

/// The state for writing the data of a dataset. Positions are offsets in the metadata block.
#[derive(Debug)]
pub(super) struct DatasetState {
    /// Current lengths.
    pub lens: Vec<u64>,
    /// Maximum lengths.
    pub max: Vec<Option<u64>>,
    /// Position of the current lengths.
    pub lens_at: usize,
    /// The data location.
    pub stored: DataLocation,
}

/// The data location of a dataset.
#[derive(Debug)]
pub(super) enum DataLocation {
    /// In the header.
    Compact(Range<usize>),
    /// Contiguous.
    Contiguous(Contiguous),
    /// Chunked.
    Chunked {
        /// Position of the index address.
        address_at: usize,
        /// Mask of all filters.
        filters: u32,
        /// The index.
        tree: Box<ChunkTree>,
    },
}

/// Contiguous data.
#[derive(Debug)]
pub(super) struct Contiguous {
    /// Position of the data address.
    pub address_at: usize,
    /// The data size in bytes.
    pub size: u64,
    /// Bytes per element.
    pub element: u64,
    /// Range of the value that fills unwritten space.
    pub fill: Option<Range<usize>>,
    /// The data address, once the dataset has data.
    pub address: Option<u64>,
    /// The end of the written or filled data.
    pub done: u64,
}

/// The lengths of a shape; `None` for the null shape.
fn lens(shape: &PlannedShape) -> Option<&[u64]> {
    match shape {
        PlannedShape::Null => None,
        PlannedShape::Scalar => Some(&[]),
        PlannedShape::Simple(lens) => Some(lens),
    }
}

/// Bytes of all elements in a shape.
fn bytes(shape: &PlannedShape, element: u64) -> Result<u64> {
    let elements = lens(shape).map_or(Some(0), product);
    let bytes = elements.and_then(|n| n.checked_mul(element));
    bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "data of 2^64 bytes and more"))
}

/// Checks that an attribute value has the size of its shape and type.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] on a mismatch.
pub(super) fn sized(attribute: &PlannedAttribute) -> Result<()> {
    let want = bytes(&attribute.shape, attribute.ty.datatype().size)?;
    let have = attribute.data.bytes.len() as u64;
    if want == have {
        return Ok(());
    }
    Err(argument(format!(
        "{have} bytes, but the shape and type need {want}"
    )))
}

/// Builds the messages of a dataset, without attributes.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for contradictory settings, and [`ErrorKind::Limit`] for values beyond the format.
pub(super) fn messages(
    dataset: &PlannedDataset,
    heap: &mut MetadataHeap,
) -> Result<Vec<WrittenMessage>> {
    check(dataset)?;
    let space = messages::dataspace(&dataset.shape, dataset.max.as_deref())?;
    let (datatype, shared) = messages::datatype(&dataset.ty)?;
    let shared = if shared { message::SHARED } else { 0 };
    let value = fill_value(dataset, heap)?;
    let mut all = vec![
        WrittenMessage::new(message::DATASPACE, 0, MetadataPart::of(&space.bytes)),
        WrittenMessage::new(message::DATATYPE, CONSTANT | shared, datatype),
        WrittenMessage::new(
            message::FILL,
            CONSTANT,
            messages::fill(&dataset.fill, &value)?,
        ),
    ];
    if !dataset.filters.is_empty() {
        let body = messages::filters(&dataset.filters)?;
        all.push(WrittenMessage::new(message::FILTERS, CONSTANT, body));
    }
    all.push(WrittenMessage::new(
        message::LAYOUT,
        0,
        layout(dataset, &value)?,
    ));
    Ok(all)
}

fn fill_value(dataset: &PlannedDataset, heap: &mut MetadataHeap) -> Result<MetadataPart> {
    let FillValue::User(bytes) = &dataset.fill.value else {
        return Ok(MetadataPart::default());
    };
    let value = match &dataset.fill_heap {
        Some(payload) => heap.resolve(payload)?,
        None => MetadataPart::of(bytes),
    };
    let (want, have) = (dataset.ty.datatype().size, value.len());
    if want == have as u64 {
        return Ok(value);
    }
    Err(argument(format!(
        "a fill value of {have} bytes, but elements have {want}"
    )))
}

fn layout(dataset: &PlannedDataset, fill: &MetadataPart) -> Result<MetadataPart> {
    let element = dataset.ty.datatype().size;
    let size = bytes(&dataset.shape, element)?;
    match &dataset.place {
        PlannedData::Contiguous => Ok(messages::contiguous(size)),
        PlannedData::Chunked(chunk) => messages::chunked(chunk, element),
        PlannedData::Compact => {
            let count = usize::try_from(size.checked_div(element).unwrap_or(0));
            let count = count.ok().filter(|_| size <= u16::MAX.into());
            let Some(count) = count else {
                let what = format!("{size} bytes of compact data, HDF5 allows at most 65531");
                return Err(Error::new(ErrorKind::Limit, what));
            };
            let mut data = MetadataPart::default();
            match fill.len() {
                // Elements must not share the heap data of the fill value.
                _ if dataset.fill_heap.is_some() => data.sink.zeros(exact(size).index()?),
                0 => data.sink.zeros(exact(size).index()?),
                _ => (0..count).for_each(|_| data.append(fill)),
            }
            messages::compact(&data)
        }
    }
}

/// Checks that shape, maximum, layout and filters fit together.
fn check(dataset: &PlannedDataset) -> Result<()> {
    let lens = lens(&dataset.shape).unwrap_or_default();
    if let Some(max) = &dataset.max {
        let is_within = |(&n, max): (&u64, &Option<u64>)| max.is_none_or(|max| n <= max);
        if max.len() != lens.len() || !lens.iter().zip(max).all(is_within) {
            return Err(argument(format!("lengths {lens:?}, at most {max:?}")));
        }
    }
    let grows = |max: &Vec<Option<u64>>| max.iter().zip(lens).any(|(max, &n)| *max != Some(n));
    match &dataset.place {
        PlannedData::Chunked(chunk) if chunk.len() != lens.len() || chunk.is_empty() => {
            let what = format!("chunks of {} dimensions for {}", chunk.len(), lens.len());
            Err(argument(what))
        }
        PlannedData::Chunked(chunk) if chunk.contains(&0) => Err(argument("chunks of no elements")),
        PlannedData::Chunked(_) => Ok(()),
        PlannedData::Compact | PlannedData::Contiguous if !dataset.filters.is_empty() => {
            Err(argument("filters for data that is not in chunks"))
        }
        PlannedData::Compact | PlannedData::Contiguous
            if dataset.max.as_ref().is_some_and(grows) =>
        {
            Err(argument("data that may grow must be in chunks"))
        }
        PlannedData::Compact | PlannedData::Contiguous => Ok(()),
    }
}

impl DatasetState {
    /// Creates the state from the header messages and the positions of their bodies.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`].
    pub(super) fn new(
        dataset: &PlannedDataset,
        messages: &[WrittenMessage],
        bodies: &[usize],
    ) -> Result<Self> {
        let body = |kind: u16| {
            let mut all = messages.iter().zip(bodies);
            let found = all.find(|(m, _)| u16::from(m.kind) == kind);
            found.map(|(m, &at)| at..at + m.body.len())
        };
        let body = |kind| body(kind).ok_or_else(|| argument("a dataset without a message"));
        let lens = lens(&dataset.shape).unwrap_or_default().to_vec();
        let fixed = || lens.iter().copied().map(Some).collect();
        let max = dataset.max.clone().unwrap_or_else(fixed);
        let (value, layout) = (body(message::FILL)?, body(message::LAYOUT)?);
        // Elements must not share the heap data of the fill value.
        let is_filled = dataset.fill_heap.is_none()
            && match &dataset.fill.value {
                FillValue::User(_) => dataset.fill.write != Some(Write::Never),
                FillValue::Undefined | FillValue::Default => false,
            };
        let fill = is_filled.then(|| value.start + messages::FILL_VALUE..value.end);
        Ok(Self {
            lens_at: body(message::DATASPACE)?.start + messages::DIMS,
            max,
            stored: stored(dataset, layout, fill)?,
            lens,
        })
    }
}

fn stored(
    dataset: &PlannedDataset,
    layout: Range<usize>,
    fill: Option<Range<usize>>,
) -> Result<DataLocation> {
    let element = dataset.ty.datatype().size;
    Ok(match &dataset.place {
        PlannedData::Compact => {
            DataLocation::Compact(layout.start + messages::COMPACT_DATA..layout.end)
        }
        PlannedData::Contiguous => DataLocation::Contiguous(Contiguous {
            address_at: layout.start + messages::CONTIGUOUS_ADDRESS,
            size: bytes(&dataset.shape, element)?,
            element,
            fill,
            address: None,
            done: 0,
        }),
        PlannedData::Chunked(chunk) => DataLocation::Chunked {
            address_at: layout.start + messages::CHUNKED_ADDRESS,
            filters: u32::try_from((1u64 << dataset.filters.len().min(32)) - 1).unwrap_or(0),
            tree: Box::new(ChunkTree::new(chunk.clone(), element)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer of 100,000 datasets has a state for each dataset.
    #[test]
    fn states_take_little_memory() {
        assert!(size_of::<DatasetState>() <= 128);
    }
}
