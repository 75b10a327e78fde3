//! Dimensions as dimension scales, and attributes that attach variables to scales.

use super::datatypes::{atomic_type, object_reference, packed, text, vlen};
use crate::format::hdf5::datatype::{Datatype, Endianness};
use crate::format::hdf5::message::fill::{Allocate, FillMessage, FillValue, Write};
use crate::format::hdf5::write::{
    ObjectId, Payload, PlannedAttribute, PlannedData, PlannedDataset, PlannedShape, PlannedType,
};
use crate::model::{Atomic, DimId, Dimension};

/// The `NAME` of the scale of a dimension without a variable. The length follows.
const NO_VARIABLE: &str = "This is a netCDF dimension but not a netCDF variable.";

/// A use of a dimension: the dataset of a variable, and the dimension index.
pub(super) type Use = (ObjectId, u32);

/// Creates an attribute from all parts.
fn attribute(
    name: &str,
    datatype: Datatype,
    shape: PlannedShape,
    data: impl Into<Payload>,
) -> PlannedAttribute {
    PlannedAttribute {
        name: name.as_bytes().to_vec(),
        ty: PlannedType::Here(datatype),
        shape,
        data: data.into(),
    }
}

fn int() -> Datatype {
    atomic_type(Atomic::Int, Endianness::Little)
}

/// Creates a text attribute with a terminating zero, as in HDF5's library.
fn terminated(name: &str, value: &[u8]) -> PlannedAttribute {
    let value = [value, b"\0"].concat();
    attribute(name, text(value.len() as u64), PlannedShape::Scalar, value)
}

/// Creates a text attribute without a terminating zero.
pub(super) fn plain_text(name: &str, value: &str) -> PlannedAttribute {
    let datatype = text(value.len() as u64);
    attribute(
        name,
        datatype,
        PlannedShape::Scalar,
        value.as_bytes().to_vec(),
    )
}

/// Creates an attribute of one `int`.
pub(super) fn one_int(name: &str, value: u32) -> PlannedAttribute {
    attribute(
        name,
        int(),
        PlannedShape::Scalar,
        value.to_le_bytes().to_vec(),
    )
}

/// Returns the attributes that mark a dataset with this name as the scale of a dimension.
pub(super) fn marks(name: &[u8], dim: DimId) -> [PlannedAttribute; 3] {
    [
        terminated("CLASS", b"DIMENSION_SCALE"),
        terminated("NAME", name),
        one_int("_Netcdf4Dimid", dim.0),
    ]
}

/// Returns the attribute that lists the variable dimensions by netCDF id.
pub(super) fn coordinates(dims: &[DimId]) -> PlannedAttribute {
    let ids: Vec<u8> = dims.iter().flat_map(|d| d.0.to_le_bytes()).collect();
    let shape = PlannedShape::Simple(vec![dims.len() as u64]);
    attribute("_Netcdf4Coordinates", int(), shape, ids)
}

/// Returns the attribute that lists the variable dimensions by scale.
pub(super) fn dimension_list(scales: &[ObjectId]) -> PlannedAttribute {
    let mut data = Payload::from(vec![0; 16 * scales.len()]);
    let one = |(n, &scale): (usize, &ObjectId)| {
        let reference = Payload {
            bytes: vec![0; 8],
            references: vec![(0, scale)],
            heap: vec![],
        };
        (16 * n, 1, reference)
    };
    data.heap = scales.iter().enumerate().map(one).collect();
    let shape = PlannedShape::Simple(vec![scales.len() as u64]);
    attribute("DIMENSION_LIST", vlen(object_reference()), shape, data)
}

/// Returns the scale attribute that lists the uses of the dimension, or `None` without uses.
pub(super) fn reference_list(uses: &[Use]) -> Option<PlannedAttribute> {
    if uses.is_empty() {
        return None;
    }
    let mut data = Payload::default();
    for &(dataset, dimension) in uses {
        data.references.push((data.bytes.len(), dataset));
        data.bytes.extend_from_slice(&[0; 8]);
        data.bytes.extend_from_slice(&dimension.to_le_bytes());
        data.bytes.extend_from_slice(&[0; 4]);
    }
    let element = packed(vec![("dataset", object_reference()), ("dimension", int())]);
    let element = Datatype {
        size: 16,
        ..element
    };
    let shape = PlannedShape::Simple(vec![uses.len() as u64]);
    Some(attribute("REFERENCE_LIST", element, shape, data))
}

/// Returns the scale of a dimension without a variable.
pub(super) fn without_variable(dim: &Dimension, id: DimId, uses: &[Use]) -> PlannedDataset {
    let len = if dim.unlimited { 0 } else { dim.len };
    let name = format!("{NO_VARIABLE}{len:>10}");
    let mut attributes: Vec<_> = marks(name.as_bytes(), id).into();
    attributes.extend(reference_list(uses));
    let (place, allocate) = if dim.unlimited {
        (PlannedData::Chunked(vec![1]), Allocate::Incremental)
    } else {
        (PlannedData::Contiguous, Allocate::Late)
    };
    PlannedDataset {
        ty: PlannedType::Here(atomic_type(Atomic::Float, Endianness::Big)),
        shape: PlannedShape::Simple(vec![len]),
        max: dim.unlimited.then(|| vec![None]),
        fill: FillMessage {
            allocate: Some(allocate),
            write: Some(Write::IfSet),
            value: FillValue::Default,
        },
        fill_heap: None,
        place,
        filters: vec![],
        attributes,
    }
}
