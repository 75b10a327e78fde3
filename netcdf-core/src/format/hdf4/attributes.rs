//! Attributes: Vdatas with one field.

use super::builder::NewAttribute;
use super::vdata::Vdata;
use crate::chunk::elements;
use crate::error::Result;

/// The class of Vdatas that are attributes.
pub(super) const CLASS: &str = "Attr0.0";

/// The attribute that a Vdata is, from the bytes of its records.
///
/// # Errors
/// [`crate::ErrorKind::Unsupported`] for types that netCDF has not; [`crate::ErrorKind::Truncated`].
pub(super) fn parse(vdata: &Vdata, bytes: &[u8]) -> Result<NewAttribute> {
    let name = vdata.name.clone();
    let missing = || crate::Error::new(crate::ErrorKind::Corrupt, "an attribute without a field");
    let ty = vdata.fields.first().ok_or_else(missing)?.number_type()?;
    let column = vdata.column(0, bytes)?;
    // Text is one record of many characters, numbers are records of one number each.
    let records = match ty.is_text() {
        true => 1,
        false => usize::try_from(vdata.records).unwrap_or(usize::MAX),
    };
    let stored = column.values().take(records).collect::<Vec<_>>().concat();
    let values = elements::decode(ty.atomic, ty.order, &stored)?;
    Ok(NewAttribute { name, values })
}
