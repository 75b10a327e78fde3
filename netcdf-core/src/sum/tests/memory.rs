//! Datasets of integers in chunks, with a filter or not.

use crate::chunk::scatter::Block;
use crate::env::{self, Env};
use crate::model::{Atomic, DimId, Endianness, GroupId, Kind, VarId};
use crate::runtime::Runtime;
use crate::testing::{MemoryDataset, add_filter, add_table, coordinates, row_major};

/// An environment with the filter.
pub(crate) fn env(threads: usize, memory: u64) -> Env {
    Env {
        filters: add_table(),
        runtime: Runtime::sized(threads, memory.max(1000)).sharing_all(),
        memory: env::Memory(memory),
        ..Env::default()
    }
}

/// The storage of the variable.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) chunk: Vec<u64>,
    pub(crate) filtered: bool,
    pub(crate) order: Endianness,
    /// True if chunks of fill values are missing.
    pub(crate) sparse: bool,
}

/// The value of an unwritten element.
pub(crate) const FILL: i32 = -2_147_483_647;

/// A variable `v` of dimensions `d0`, `d1` …; `value` returns each element by its row-major number.
pub(crate) fn dataset(shape: &[u64], form: &Form, value: impl Fn(u64) -> i32) -> MemoryDataset {
    let mut made = MemoryDataset::new(Kind::NETCDF4);
    made.source = Some("memory");
    let dims = made.dims(shape);
    add(&mut made, ("v", &dims), form, value);
    made
}

/// Adds a variable with elements as in [`dataset`].
pub(crate) fn add(
    made: &mut MemoryDataset,
    (name, dims): (&str, &[DimId]),
    form: &Form,
    value: impl Fn(u64) -> i32,
) -> VarId {
    made.order = form.order;
    let var = made.define((GroupId::ROOT, name), Atomic::Int, dims);
    let layout = made.layout_mut(var);
    layout.chunk.clone_from(&form.chunk);
    layout.filters.extend(form.filtered.then(|| add_filter(1)));
    let layout = layout.clone();
    let element = |at: &[u64]| row_major(at, &layout.extent).map_or(FILL, &value);
    let empty = |block: Block| coordinates(&block).all(|at| element(&at) == FILL);
    let mask = |index| (!form.sparse || !empty(layout.block(index))).then_some(0);
    made.store(var, mask, |at| match form.order {
        Endianness::Little => element(at).to_le_bytes().to_vec(),
        Endianness::Big => element(at).to_be_bytes().to_vec(),
    });
    var
}
