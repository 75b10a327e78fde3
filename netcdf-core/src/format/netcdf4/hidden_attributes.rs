//! Attributes that encode the netCDF model in HDF5 files, and that users do not see.

use super::numbers::integer_of;
use crate::error::Result;
use crate::format::hdf5::Hdf5File;
use crate::format::hdf5::datatype::TypeClass;
use crate::format::hdf5::message::attribute::AttributeMessage;

/// The attribute that marks a file with the classic model.
pub(super) const STRICT: &[u8] = b"_nc3_strict";
/// The attribute that records the writing software.
pub(super) const PROPERTIES: &[u8] = b"_NCProperties";

/// Names that netCDF reserves for itself.
const RESERVED: &[&[u8]] = &[
    b"CLASS",
    b"DIMENSION_LIST",
    b"NAME",
    b"REFERENCE_LIST",
    b"_ARRAY_DIMENSIONS",
    b"_Codecs",
    b"_Format",
    b"_IsNetcdf4",
    PROPERTIES,
    b"_Netcdf4Coordinates",
    b"_Netcdf4Dimid",
    b"_SuperblockVersion",
    STRICT,
    b"_nczarr_array",
    b"_nczarr_attr",
    b"_nczarr_group",
    b"_nczarr_superblock",
];

/// Checks whether an attribute name is reserved, and the attribute hidden.
#[must_use]
pub(super) fn is_reserved(name: &[u8]) -> bool {
    RESERVED.contains(&name)
}

/// The contents of a dataset's hidden attributes.
#[derive(Debug, Default)]
pub(super) struct HiddenAttributes {
    /// Whether the dataset is a dimension scale (`CLASS`).
    pub scale: bool,
    /// Whether the dataset is a dimension but not a variable (`NAME`).
    pub only_dimension: bool,
    /// netCDF's id of the dimension (`_Netcdf4Dimid`).
    pub dim_id: Option<i64>,
    /// netCDF's ids of the variable's dimensions (`_Netcdf4Coordinates`).
    pub coordinates: Option<Vec<i64>>,
    /// The address of the scale attached last to each dimension (`DIMENSION_LIST`).
    pub scales: Option<Vec<Option<u64>>>,
    /// The number of hidden attributes, which mark a netCDF-4 file.
    pub count: u32,
}

/// The `NAME` of a scale that is a dimension without a variable.
const NO_VARIABLE: &[u8] = b"This is a netCDF dimension but not a netCDF variable";

impl HiddenAttributes {
    /// Records a hidden attribute.
    ///
    /// # Errors
    /// Returns errors from reading the heap.
    pub(super) fn note(&mut self, file: &Hdf5File, attribute: &AttributeMessage) -> Result<()> {
        self.count += 1;
        match attribute.name.as_slice() {
            b"CLASS" => self.scale = text(attribute).starts_with(b"DIMENSION_SCALE"),
            b"NAME" => self.only_dimension = text(attribute).starts_with(NO_VARIABLE),
            b"_Netcdf4Dimid" => self.dim_id = integers(attribute).first().copied(),
            b"_Netcdf4Coordinates" => self.coordinates = Some(integers(attribute)),
            b"DIMENSION_LIST" => self.scales = Some(scales(file, attribute)?),
            _ => {}
        }
        Ok(())
    }
}

/// Returns the text of an attribute, or an empty text for variable-length text. Like the C library, the reader does not treat datasets
/// marked with variable-length text as scales.
fn text(attribute: &AttributeMessage) -> &[u8] {
    match attribute.datatype.class {
        TypeClass::String { .. } => &attribute.data,
        _ => &[],
    }
}

fn integers(attribute: &AttributeMessage) -> Vec<i64> {
    let TypeClass::Integer { bits, signed } = &attribute.datatype.class else {
        return vec![];
    };
    let size = usize::try_from(attribute.datatype.size).unwrap_or(usize::MAX);
    let one = |e: &[u8]| i64::try_from(integer_of(e, bits, *signed)).unwrap_or(-1);
    attribute.data.chunks_exact(size.max(1)).map(one).collect()
}

/// Returns the last scale of each dimension. Every element is a list of scale references.
fn scales(file: &Hdf5File, attribute: &AttributeMessage) -> Result<Vec<Option<u64>>> {
    let TypeClass::Vlen { base } = &attribute.datatype.class else {
        return Ok(vec![]);
    };
    if !matches!(base.class, TypeClass::Reference(_)) {
        return Ok(vec![]);
    }
    let size = usize::try_from(attribute.datatype.size)
        .unwrap_or(usize::MAX)
        .max(1);
    attribute
        .data
        .chunks_exact(size)
        .map(|e| last_scale(file, e, base.size))
        .collect()
}

fn last_scale(file: &Hdf5File, element: &[u8], size: u64) -> Result<Option<u64>> {
    let mut c = file.fields_of(element, None);
    let len = u64::from(c.u32_le()?);
    let (address, index) = (c.address()?, c.u32_le()?);
    let Some(address) = address.filter(|&a| a != 0 && len > 0) else {
        return Ok(None);
    };
    let object = file.heap_object(address, index)?;
    let object = object.as_deref().unwrap_or_default();
    let at = usize::try_from((len - 1).saturating_mul(size)).unwrap_or(usize::MAX);
    let Some(last) = object.get(at..) else {
        return Ok(None);
    };
    let reference = file.fields_of(last, None).address()?;
    Ok(reference.filter(|&a| a != 0))
}

/// Returns `_NCProperties` if the attribute is text. netCDF writes fixed-length text; variable-length text is also accepted.
///
/// # Errors
/// Returns errors from reading the heap.
pub(super) fn properties(file: &Hdf5File, attribute: &AttributeMessage) -> Result<Option<Vec<u8>>> {
    let until_zero = |text: &[u8]| text.split(|&b| b == 0).next().map(<[u8]>::to_vec);
    match attribute.datatype.class {
        TypeClass::String { .. } => Ok(until_zero(&attribute.data)),
        TypeClass::VlenString { .. } => {
            let mut c = file.fields_of(&attribute.data, None);
            let (len, address, index) = (c.u32_le()?, c.address()?, c.u32_le()?);
            let Some(address) = address.filter(|&a| a != 0) else {
                return Ok(None);
            };
            let object = file.heap_object(address, index)?;
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            let text = object.as_deref().and_then(|text| text.get(..len));
            Ok(text.and_then(until_zero))
        }
        _ => Ok(None),
    }
}
