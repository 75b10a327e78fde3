//! Storage settings of variables.

use std::ffi::{c_float, c_int};
use std::sync::PoisonError;

use netcdf_core::model::quantize::Algorithm;
use netcdf_core::model::{Endianness, FillMode, StorageLayout, Variable};

use crate::border::{CallerMemory, OutArray, export};
use crate::dataset::{CacheSettings, OpenGroup, int, size};
use crate::error_number::ErrorNumber;
use crate::handles::with;
use crate::values::{Spots, put_values};

/// Runs a function on a variable.
fn on_variable(
    ncid: c_int,
    number: c_int,
    body: impl FnOnce(&OpenGroup<'_>, &Variable) -> Result<(), ErrorNumber>,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| body(group, group.variable(number)?))
}

/// Returns an error for classic files, which have no storage settings.
pub(super) fn check_settings(group: &OpenGroup<'_>) -> Result<(), ErrorNumber> {
    match group.is_classic() {
        true => Err(ErrorNumber::ENOTNC4),
        false => Ok(()),
    }
}

/// Returns the storage number of `netcdf.h`.
fn layout(var: &Variable) -> c_int {
    match &var.storage.layout {
        Some(StorageLayout::Chunked(_)) => 0,
        Some(StorageLayout::Contiguous) | None => 1,
        Some(StorageLayout::Compact) => 2,
        Some(StorageLayout::Unknown) => 3,
        Some(StorageLayout::Virtual) => 4,
    }
}

fn byte_order(order: Option<Endianness>) -> c_int {
    match order {
        None => 0,
        Some(Endianness::Little) => 1,
        Some(Endianness::Big) => 2,
    }
}

/// Returns mode and digits from the attribute that records a quantization.
fn quantization(var: &Variable) -> Option<(c_int, c_int)> {
    let mut all = Algorithm::ALL.into_iter().zip(1..);
    all.find_map(|(algorithm, mode)| {
        let recorded = var.attribute(algorithm.attribute())?;
        match &recorded.values {
            netcdf_core::model::Values::Int(v) => Some((mode, *v.first()?)),
            _ => None,
        }
    })
}

export! {
    fn nc_inq_var_chunking(
        ncid: c_int,
        var: c_int,
        storage: OutArray<c_int>,
        chunk: OutArray<usize>,
    ) {
        on_variable(ncid, var, |_, var| {
            storage.set(layout(var));
            let shape = var.storage.chunk().unwrap_or_default();
            chunk.set_all(shape.iter().map(|&len| size(len)));
            Ok(())
        })
    }

    fn nc_inq_var_chunking_ints(
        ncid: c_int,
        var: c_int,
        storage: OutArray<c_int>,
        chunk: OutArray<c_int>,
    ) {
        on_variable(ncid, var, |_, var| {
            storage.set(layout(var));
            let shape = var.storage.chunk().unwrap_or_default();
            chunk.set_all(shape.iter().map(|&len| int(size(len))));
            Ok(())
        })
    }

    fn nc_inq_var_endian(ncid: c_int, var: c_int, order: OutArray<c_int>) {
        on_variable(ncid, var, |group, var| {
            check_settings(group)?;
            order.set(byte_order(var.storage.endianness));
            Ok(())
        })
    }

    fn nc_inq_var_fill(
        ncid: c_int,
        number: c_int,
        no_fill: OutArray<c_int>,
        value: CallerMemory,
    ) {
        on_variable(ncid, number, |group, var| {
            no_fill.set((var.storage.fill == FillMode::NoFill).into());
            // As in netCDF-C, only classic files have a value without filling.
            let unused = var.storage.fill == FillMode::NoFill && check_settings(group).is_ok();
            if value.is_null() || unused {
                return Ok(());
            }
            let bytes = group.memory_size(var.ty)?;
            let block = value.block(bytes)?;
            match group.data().unwritten(group.variable_id(number)?)? {
                Some(own) => put_values(&own, &Spots::new(group, var.ty, block)?),
                None => block.put(0, &vec![0; bytes]),
            }
        })
    }

    fn nc_inq_var_quantize(
        ncid: c_int,
        var: c_int,
        mode: OutArray<c_int>,
        digits: OutArray<c_int>,
    ) {
        with(ncid, check_settings)?;
        on_variable(ncid, var, |_, var| {
            let (own, kept) = quantization(var).unwrap_or_default();
            mode.set(own);
            digits.set(kept);
            Ok(())
        })
    }

    /// Returns the defaults of netCDF-C: the dataset has one cache.
    fn nc_get_var_chunk_cache(
        ncid: c_int,
        var: c_int,
        size: OutArray<usize>,
        slots: OutArray<usize>,
        preemption: OutArray<c_float>,
    ) {
        with(ncid, |group| {
            let id = group.variable_id(var)?;
            check_settings(group)?;
            let caches = &group.loaded.caches;
            let caches = caches.read().unwrap_or_else(PoisonError::into_inner);
            let own = caches.get(&id).unwrap_or(&CacheSettings::DEFAULT);
            size.set(own.size);
            slots.set(own.slots);
            preemption.set(own.preemption);
            Ok(())
        })
    }

    fn nc_set_var_chunk_cache(
        ncid: c_int,
        var: c_int,
        size: usize,
        slots: usize,
        preemption: c_float,
    ) {
        let settings = CacheSettings::checked(size, slots, preemption)?;
        with(ncid, |group| {
            let id = group.variable_id(var)?;
            check_settings(group)?;
            let caches = &group.loaded.caches;
            let mut caches = caches.write().unwrap_or_else(PoisonError::into_inner);
            caches.insert(id, settings);
            Ok(())
        })
    }
}
