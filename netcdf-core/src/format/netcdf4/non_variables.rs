//! Datasets that are not variables: dimensions without a variable, and datasets that netCDF cannot express. The data occupies file space.

use crate::arithmetic::Amount;
use crate::chunk::OtherData;
use crate::chunk::scatter::Block;
use crate::chunk::visit::ended;
use crate::env::Env;
use crate::error::Result;
use crate::format::hdf5::chunk_index::{DatasetExtent, OpenIndex};
use crate::format::hdf5::dataspace::Dataspace;
use crate::format::hdf5::message;
use crate::format::hdf5::message::layout::DataLayout;
use crate::format::hdf5::{Hdf5File, ObjectHeader};

/// Returns offset and size of the data of the datasets with headers at these addresses.
///
/// # Errors
/// Returns errors from reading headers and indexes.
pub(super) fn data(file: &Hdf5File, headers: &[u64], env: &Env) -> Result<OtherData> {
    let mut found = OtherData::default();
    for &address in headers {
        env.cancel.check()?;
        of_dataset(file, address, &mut |place, size| {
            env.cancel.check()?;
            if size > 0 {
                found.first = Some(found.first.map_or(place, |first| first.min(place)));
                found.bytes = (Amount::of(found.bytes) + size).get();
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Visits the offset and size of each data block of a dataset.
fn of_dataset(
    file: &Hdf5File,
    address: u64,
    visit: &mut dyn FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    let header = ObjectHeader::read(file, address)?;
    let space = header.body_of(file, message::DATASPACE)?;
    let layout = header.body_of(file, message::LAYOUT)?;
    let (Some(space), Some(layout)) = (space, layout) else {
        return Ok(());
    };
    match DataLayout::parse(&mut layout.fields(file))? {
        DataLayout::Compact(_) | DataLayout::Virtual { .. } => Ok(()),
        DataLayout::Contiguous { address: None, .. } => Ok(()),
        DataLayout::Contiguous {
            address: Some(address),
            size,
        } => visit(file.place(address)?, size.unwrap_or(1)),
        DataLayout::Chunked(chunked) => {
            let space = Dataspace::parse(&mut space.fields(file))?;
            let extent = DatasetExtent {
                dims: &space.dims,
                max: &space.max,
            };
            let index = OpenIndex::open(file, &chunked, &extent)?;
            let whole = Block::whole(index.grid());
            let visited = index.locate(file, &whole, &mut |chunk| {
                Ok(visit(file.place(chunk.address)?, chunk.size)?)
            });
            ended(visited)
        }
    }
}
