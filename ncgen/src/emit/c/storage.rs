//! Storage settings: chunks, filters, byte order, fill mode.

use netcdf_core::error::Result;
use netcdf_core::filter::ids::{DEFLATE, FLETCHER32, SHUFFLE};
use netcdf_core::format::traits;
use netcdf_core::model::quantize::Algorithm;
use netcdf_core::model::{
    Endianness, FillMode, FilterSpec, Quantize, Storage, StorageLayout, VarId,
};

use super::super::out::{ProgramOut, put};
use super::super::program::Program;
use super::call;
use super::names::CNames;

/// Writes the number arrays for the settings.
pub(super) fn constants(
    program: &Program<'_>,
    names: &CNames,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    if !traits(program.schema.kind).settings {
        return Ok(());
    }
    let mut any = false;
    for id in program.schema.var_ids() {
        let Some(var) = program.schema.var(id) else {
            continue;
        };
        let name = names.var(id);
        if let Some(StorageLayout::Chunked(sizes)) = &var.storage.layout
            && !sizes.is_empty()
        {
            let (count, sizes) = (sizes.len(), joined(sizes, ""));
            put!(
                out,
                "static size_t {name}_chunksizes[{count}] = {{{sizes}}} ;\n"
            )?;
            any = true;
        }
        for (at, filter) in filters(&var.storage).iter().enumerate() {
            let (count, params) = (filter.params.len(), joined(&filter.params, "U"));
            if count > 0 {
                put!(
                    out,
                    "static unsigned int {name}_{at}_filterparams[{count}] = {{{params}}} ;\n"
                )?;
                any = true;
            }
        }
    }
    if any || !names.classic {
        put!(out, "\n")?;
    }
    Ok(())
}

fn joined<T: ToString>(numbers: &[T], suffix: &str) -> String {
    let numbers: Vec<_> = numbers.iter().map(|n| n.to_string() + suffix).collect();
    numbers.join(", ")
}

/// Returns the deflate level for a separate call: only if deflate precedes the other filters.
fn level(storage: &Storage) -> Option<u32> {
    match ranked(storage).next() {
        Some(FilterSpec {
            id: DEFLATE,
            params,
        }) => match params.as_slice() {
            [level] => Some(*level),
            _ => None,
        },
        Some(_) | None => None,
    }
}

/// Returns the filters except fletcher32 and shuffle, which always come first.
fn ranked(storage: &Storage) -> impl Iterator<Item = &FilterSpec> {
    let first = [FLETCHER32, SHUFFLE];
    storage
        .filters
        .iter()
        .filter(move |f| !first.contains(&f.id))
}

/// Returns the filters that are set by number.
fn filters(storage: &Storage) -> Vec<&FilterSpec> {
    ranked(storage)
        .skip(usize::from(level(storage).is_some()))
        .collect()
}

/// Writes the calls for a variable.
pub(super) fn settings(
    program: &Program<'_>,
    names: &CNames,
    id: VarId,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    let Some(var) = program
        .schema
        .var(id)
        .filter(|_| traits(program.schema.kind).settings)
    else {
        return Ok(());
    };
    let (storage, name) = (&var.storage, names.var(id));
    let place = format!("{}, {name}_id", names.group(var.group));
    if let Some((layout, sizes)) = layout(storage, name) {
        call!(out, "nc_def_var_chunking({place}, {layout}, {sizes})")?;
    }
    let has = |id: u32| storage.filters.iter().any(|f| f.id == id);
    if has(FLETCHER32) {
        call!(out, "nc_def_var_fletcher32({place}, 1)")?;
    }
    let level = level(storage);
    if has(SHUFFLE) || level.is_some() {
        let shuffle = if has(SHUFFLE) {
            "NC_SHUFFLE"
        } else {
            "NC_NOSHUFFLE"
        };
        let (on, level) = (u8::from(level.is_some()), level.unwrap_or(0));
        call!(out, "nc_def_var_deflate({place}, {shuffle}, {on}, {level})")?;
    }
    if let Some(order) = storage.endianness {
        let order = match order {
            Endianness::Little => "NC_ENDIAN_LITTLE",
            Endianness::Big => "NC_ENDIAN_BIG",
        };
        call!(out, "nc_def_var_endian({place}, {order})")?;
    }
    if storage.fill == FillMode::NoFill {
        call!(out, "nc_def_var_fill({place}, NC_NOFILL, NULL)")?;
    }
    for (at, filter) in filters(storage).iter().enumerate() {
        let (number, count) = (filter.id, filter.params.len());
        let params = match count {
            0 => "NULL".to_owned(),
            _ => format!("{name}_{at}_filterparams"),
        };
        call!(
            out,
            "nc_def_var_filter({place}, {number}, {count}, {params})"
        )?;
    }
    if let Some(Quantize { algorithm, keep }) = storage.quantize {
        let algorithm = match algorithm {
            Algorithm::BitGroom => "NC_QUANTIZE_BITGROOM",
            Algorithm::GranularBitRound => "NC_QUANTIZE_GRANULARBR",
            Algorithm::BitRound => "NC_QUANTIZE_BITROUND",
        };
        call!(out, "nc_def_var_quantize({place}, {algorithm}, {keep})")?;
    }
    Ok(())
}

/// Returns the layout macro and the chunk shape.
fn layout(storage: &Storage, name: &str) -> Option<(&'static str, String)> {
    let sizes = "NULL".to_owned();
    match storage.layout.as_ref()? {
        StorageLayout::Contiguous => Some(("NC_CONTIGUOUS", sizes)),
        StorageLayout::Compact => Some(("NC_COMPACT", sizes)),
        StorageLayout::Chunked(shape) if shape.is_empty() => Some(("NC_CHUNKED", sizes)),
        StorageLayout::Chunked(_) => Some(("NC_CHUNKED", format!("{name}_chunksizes"))),
        // CDL text cannot specify these layouts.
        StorageLayout::Virtual | StorageLayout::Unknown => None,
    }
}
