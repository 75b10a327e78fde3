//! Datasets in memory, in chunks of any shape, with or without a filter.

use super::*;
use crate::model::{DimId, Kind, StorageLayout};
use crate::testing::{MemoryDataset, add_filter};

/// The storage of a variable.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) chunk: Vec<u64>,
    pub(super) filtered: bool,
    pub(super) order: Endianness,
    /// Missing chunks.
    pub(super) missing: Vec<u64>,
}

impl Form {
    pub(super) fn chunks(chunk: &[u64]) -> Self {
        Self {
            chunk: chunk.to_vec(),
            filtered: true,
            order: Endianness::Little,
            missing: vec![],
        }
    }
}

/// Returns a dataset with these dimensions.
pub(super) fn made(dims: &[(&str, u64)]) -> MemoryDataset {
    let mut made = MemoryDataset::new(Kind::NETCDF4);
    made.source = Some("made");
    for (name, len) in dims {
        made.dim(GroupId::ROOT, name, *len, false);
    }
    made
}

/// Adds a variable over the first dimensions, or over the dimension with the same name.
pub(super) fn var(
    made: &mut MemoryDataset,
    (name, rank): (&str, u32),
    values: &Values,
    form: Form,
) -> VarId {
    let dims = &made.schema.dims;
    let own = dims.iter().position(|dim| dim.name.is(name));
    let first = own.unwrap_or(0) as u32;
    let dims: Vec<DimId> = (first..first + rank).map(DimId).collect();
    made.order = form.order;
    let var = made.define((GroupId::ROOT, name), values.data_type().unwrap(), &dims);
    let layout = made.layout_mut(var);
    layout.chunk.clone_from(&form.chunk);
    layout.filters.extend(form.filtered.then(|| add_filter(1)));
    let mask = |index| (!form.missing.contains(&index)).then_some(0);
    made.store_values(var, mask, values);
    made.variable(var).storage.layout = Some(StorageLayout::Chunked(form.chunk));
    var
}

/// Replaces a chunk with a chunk that is too short to be decoded.
pub(super) fn damage(made: &mut MemoryDataset, var: VarId, index: u64) {
    made.put(var, index, 0, b"damaged");
}
