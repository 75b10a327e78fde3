//! Dimensions: Vgroups with a Vdata that stores their length.

use super::builder::Hdf4Length;
use super::catalog::Catalog;
use super::dd::TagRef;
use super::elements::NamedElements;
use super::ntype::Hdf4NumberType;
use super::tags;
use super::vdata::Vdata;
use super::vgroup::Vgroup;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Endianness;

/// The class of dimensions.
const FIXED: &str = "Dim0.0";
/// The class of unlimited dimensions.
const UNLIMITED: &str = "UDim0.0";
/// The class of Vdatas with one record per dimension index.
const RECORDS: &str = "DimVal0.0";
/// The class of Vdatas with the length as record value.
const VALUE: &str = "DimVal0.1";

/// Whether a Vgroup is a dimension.
#[must_use]
pub(super) fn is_dimension(vgroup: &Vgroup) -> bool {
    vgroup.is(FIXED) || vgroup.is(UNLIMITED)
}

/// The Vdata to read for the length of a dimension.
#[must_use]
pub(super) fn needed(vgroup: &Vgroup, catalog: &Catalog) -> Option<TagRef> {
    let (reference, vdata) = values(vgroup, catalog)?;
    let needed = vgroup.is(FIXED) && vdata.is(VALUE);
    needed.then(|| TagRef::new(tags::VDATA, reference))
}

/// The first Vdata that stores the length.
fn values<'a>(vgroup: &Vgroup, catalog: &'a Catalog) -> Option<(u16, &'a Vdata)> {
    let mut vdatas = vgroup.with(tags::VDATA_HEADER);
    vdatas.find_map(|reference| {
        let vdata = catalog.vdatas.get(&reference)?;
        (vdata.is(RECORDS) || vdata.is(VALUE)).then_some((reference, vdata))
    })
}

/// The length of a dimension.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] without a length, and errors from the element.
pub(super) fn length(
    vgroup: &Vgroup,
    catalog: &Catalog,
    elements: &NamedElements,
) -> Result<Hdf4Length> {
    if vgroup.is(UNLIMITED) {
        return Ok(Hdf4Length::Unlimited);
    }
    let unknown = || Error::new(ErrorKind::Corrupt, "a dimension without a length");
    let (reference, vdata) = values(vgroup, catalog).ok_or_else(unknown)?;
    if vdata.is(RECORDS) {
        return Ok(Hdf4Length::Fixed(vdata.records));
    }
    let ty = vdata.fields.first().ok_or_else(unknown)?.number_type()?;
    let bytes = elements.bytes(TagRef::new(tags::VDATA, reference))?;
    let value = vdata.column(0, bytes)?.values().next();
    let len = value.and_then(|bytes| number(bytes, ty));
    Ok(Hdf4Length::Fixed(len.ok_or_else(unknown)?))
}

/// Converts a nonnegative number.
fn number(bytes: &[u8], ty: Hdf4NumberType) -> Option<u64> {
    let four = bytes.first_chunk()?;
    let number = match ty.order {
        Endianness::Big => i32::from_be_bytes(*four),
        Endianness::Little => i32::from_le_bytes(*four),
    };
    u64::try_from(number).ok()
}
