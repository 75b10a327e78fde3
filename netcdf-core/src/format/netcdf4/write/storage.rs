//! Storage of variables: layout, chunks and filters.

use super::datatypes::WrittenTypes;
use crate::arithmetic::Amount;
use crate::chunk::decode::fill;
use crate::chunk::filter_parameters::{Preparation, prepared};
use crate::chunk::layout::Layout;
use crate::chunk::quantize::Quantizer;
use crate::chunk::shapes::{self, ShapeInput};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::VariableFacts;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::write::{PlannedData, PlannedType};
use crate::model::{
    Dimension, Endianness, FilterSpec, Quantize, Schema, StorageLayout, StoredElement, VarId,
    Variable,
};

/// The variable storage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VariableStorage {
    /// The element type.
    pub ty: PlannedType,
    /// The data location.
    pub place: PlannedData,
    /// The chunk layout, without extent and fill value.
    pub layout: Layout,
    /// Whether unwritten elements have heap data.
    pub heap_fill: bool,
}

/// The id of the checksum filter.
const FLETCHER32: u32 = 3;
/// Maximum size of data in an object header, in bytes, next to the fields that describe the data.
const COMPACT: u64 = (64 << 10) - 5;
/// Maximum number of dataset dimensions.
const RANK: usize = 32;

/// Checks whether a filter may be skipped for single chunks.
pub(crate) fn optional(filter: &FilterSpec) -> bool {
    filter.id != FLETCHER32
}

/// Determines the variable storage.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for settings that contradict each other or the variable, [`ErrorKind::Scalar`], [`ErrorKind::VarSize`]
/// for compact data that is too large, and errors of [`Quantize::new`] and of filter preparation. Errors contain the variable's path.
pub(crate) fn of(
    schema: &Schema,
    id: VarId,
    types: &WrittenTypes,
    env: &Env,
) -> Result<VariableStorage> {
    let var = schema
        .var(id)
        .ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))?;
    let made = made(schema, var, types).and_then(|(mut stored, filters)| {
        if filters.is_empty() {
            return Ok(stored);
        }
        stored.layout.fill = Some(fill(schema, id, &stored.layout)?);
        let about = VariableFacts::new(schema, var.ty, &filters);
        let context = stored.layout.context(about);
        let how = Preparation {
            keep: var.storage.prepared,
            codecs: false,
        };
        stored.layout.filters = prepared(&filters, how, context, &env.filters)?;
        Ok(stored)
    });
    made.in_object(|| schema.var_path(id))
}

/// Determines the storage without filters, and returns the requested filters.
fn made(
    schema: &Schema,
    var: &Variable,
    types: &WrittenTypes,
) -> Result<(VariableStorage, Vec<FilterSpec>)> {
    let dims = dims(schema, var)?;
    let order = var.storage.endianness.unwrap_or(Endianness::Little);
    let ty = types.of(var.ty, order)?;
    let filters = var.storage.filters.clone();
    let elements = ShapeInput {
        dims: &dims,
        size: schema.memory_size(var.ty).max(1),
        stored: ty.datatype().size.max(1),
        overhang: false,
    };
    let place = place(var, elements, !filters.is_empty())?;
    if let Some(asked) = var.storage.quantize {
        Quantize::new(asked.algorithm, asked.keep.into(), var.ty)?;
    }
    let layout = Layout {
        extent: vec![],
        chunk: match &place {
            PlannedData::Chunked(shape) => shape.clone(),
            PlannedData::Compact | PlannedData::Contiguous => vec![],
        },
        element: element(var, ty.datatype()),
        filters: vec![],
        fill: None,
        quantize: Quantizer::new(var, order),
    };
    let storage = VariableStorage {
        ty,
        place,
        layout,
        heap_fill: false,
    };
    Ok((storage, filters))
}

fn dims<'a>(schema: &'a Schema, var: &Variable) -> Result<Vec<&'a Dimension>> {
    if var.dims.len() > RANK {
        let what = format!(
            "{} dimensions are too many: HDF5 datasets have at most {RANK}",
            var.dims.len()
        );
        return Err(Error::new(ErrorKind::Unsupported, what));
    }
    let dims = var.dims.iter().map(|&d| schema.dim(d));
    let dims: Option<Vec<_>> = dims.collect();
    dims.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such dimension"))
}

/// Returns the stored form of the variable elements.
fn element(var: &Variable, datatype: &Datatype) -> StoredElement {
    let atomic = var.ty.atomic();
    let ordered = atomic.is_some_and(|a| a.size().is_some_and(|n| n > 0) && a.number() != 2);
    StoredElement {
        ty: var.ty,
        size: datatype.size,
        order: match var.storage.endianness {
            Some(order) if ordered => order,
            Some(_) | None => Endianness::Little,
        },
        plain: atomic.is_some_and(|a| a.size().is_some()),
    }
}

fn place(var: &Variable, elements: ShapeInput, filtered: bool) -> Result<PlannedData> {
    let argument = |what: &'static str| Err(Error::new(ErrorKind::Argument, what));
    let unlimited = elements.dims.iter().any(|d| d.unlimited);
    let layout = var.storage.layout.as_ref();
    if elements.dims.is_empty() {
        return match layout {
            _ if filtered => {
                let what = "a scalar has no chunks, which filters need";
                Err(Error::new(ErrorKind::Scalar, what))
            }
            Some(StorageLayout::Chunked(sizes)) if !sizes.is_empty() => {
                argument("a scalar has no chunks")
            }
            Some(StorageLayout::Compact) => compact(elements),
            // Scalars of Zarr are one chunk.
            Some(StorageLayout::Chunked(_) | StorageLayout::Contiguous) => {
                Ok(PlannedData::Contiguous)
            }
            Some(StorageLayout::Virtual | StorageLayout::Unknown) | None => {
                Ok(PlannedData::Contiguous)
            }
        };
    }
    let asked: &[u64] = match layout {
        Some(StorageLayout::Contiguous | StorageLayout::Compact) if unlimited => {
            return argument("data with an unlimited dimension can only be stored in chunks");
        }
        Some(StorageLayout::Contiguous) if !filtered => return Ok(PlannedData::Contiguous),
        Some(StorageLayout::Compact) if !filtered => return compact(elements),
        Some(StorageLayout::Chunked(asked)) => asked,
        None | Some(StorageLayout::Virtual | StorageLayout::Unknown) if !filtered && !unlimited => {
            return Ok(PlannedData::Contiguous);
        }
        Some(StorageLayout::Contiguous | StorageLayout::Compact) => &[],
        None | Some(StorageLayout::Virtual | StorageLayout::Unknown) => &[],
    };
    Ok(PlannedData::Chunked(shapes::shape(elements, asked)?))
}

fn compact(elements: ShapeInput) -> Result<PlannedData> {
    let lens = elements.dims.iter().map(|d| d.len);
    let bytes = lens
        .fold(Amount::of(elements.stored), |all, len| all * len)
        .get();
    if bytes > COMPACT {
        let what = format!(
            "{bytes} bytes are too many for compact storage, which takes at most {COMPACT}"
        );
        return Err(Error::new(ErrorKind::VarSize, what));
    }
    Ok(PlannedData::Compact)
}
