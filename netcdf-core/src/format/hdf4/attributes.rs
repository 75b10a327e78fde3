//! Attributes: Vdatas with one field.

use super::builder::NewAttribute;
use super::vdata::Vdata;
use crate::chunk::elements;
use crate::error::Result;

/// The class of attribute Vdatas.
pub(super) const CLASS: &str = "Attr0.0";

/// Builds the attribute of a Vdata from its record bytes.
///
/// # Errors
/// Returns [`crate::ErrorKind::Unsupported`] for types without a netCDF equivalent, and [`crate::ErrorKind::Truncated`].
pub(super) fn parse(vdata: &Vdata, bytes: &[u8]) -> Result<NewAttribute> {
    let name = vdata.name.clone();
    let missing = || crate::Error::new(crate::ErrorKind::Corrupt, "an attribute without a field");
    let ty = vdata.fields.first().ok_or_else(missing)?.number_type()?;
    let column = vdata.column(0, bytes)?;
    // Text is one record of many characters; numbers are one record each.
    let records = match ty.is_text() {
        true => 1,
        false => usize::try_from(vdata.records).unwrap_or(usize::MAX),
    };
    let stored = column.values().take(records).collect::<Vec<_>>().concat();
    let values = elements::decode(ty.atomic, ty.order, &stored)?;
    Ok(NewAttribute { name, values })
}
