//! The values of a band.

use netcdf_core::chunk::{Dataset, Layout, elements};
use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, Endianness, Values, VarId};

/// Elements of a band: few enough for the elements and their text to stay in the processor's cache.
pub(crate) const BAND: u64 = 1 << 15;
/// Rows up to this length are not cut into bands.
pub(crate) const ROW: u64 = 1 << 16;

/// The number of elements of a band: few, but whole rows if the rows are not too long.
pub(crate) fn band_len(usual: u64, shape: &[u64]) -> u64 {
    let row = shape.last().copied().filter(|&len| len <= ROW);
    usual.max(row.unwrap_or(0))
}

/// The values of a band.
pub(crate) enum BandValues {
    /// Values of an atomic type other than string, most significant byte first.
    Atomic(Atomic, Vec<u8>),
    /// Strings, and values of user-defined types.
    Other(Values),
}

/// Decodes the stored elements of a band.
///
/// # Errors
/// Errors of [`Dataset::resolve`].
pub(crate) fn band_values(
    set: &Dataset<'_>,
    id: VarId,
    layout: &Layout,
    mut stored: Vec<u8>,
) -> Result<BandValues> {
    let element = &layout.element;
    if element.plain_type().is_none() {
        let values = set.resolve(id, &stored)?;
        if values.data_type().and_then(Atomic::size).is_none() {
            return Ok(BandValues::Other(values));
        }
        stored.clear();
        elements::encode(&values, Endianness::Big, &mut stored)?;
    } else if element.order == Endianness::Little {
        let size = usize::try_from(element.size).unwrap_or(1);
        elements::swap(&mut stored, size);
    }
    let ty = element.ty.atomic().unwrap_or(Atomic::Byte);
    Ok(BandValues::Atomic(ty, stored))
}
