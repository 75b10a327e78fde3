//! The Filter Pipeline message ("IV.A.2.l", versions 1 and 2).

use crate::error::Result;
use crate::format::hdf5::fields::Fields;

/// A filter in a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineFilter {
    /// The registered filter number.
    pub id: u16,
    /// The filter name, if stored.
    pub name: Option<Vec<u8>>,
    /// Whether chunks may skip the filter.
    pub optional: bool,
    /// The parameters.
    pub params: Vec<u32>,
}

/// Reads the message body. Returns the filters in writing order.
///
/// # Errors
/// Returns [`crate::ErrorKind::Truncated`] and [`crate::ErrorKind::Unknown`].
pub fn parse(c: &mut Fields) -> Result<Vec<PipelineFilter>> {
    let version = c.version(1..=2, "a filter pipeline")?;
    let count = c.u8()?;
    if version == 1 {
        c.skip(6)?;
    }
    (0..count).map(|_| filter(c, version)).collect()
}

/// Minimum number of a filter with a name in version 2.
const FIRST_NAMED: u16 = 256;

fn filter(c: &mut Fields, version: u8) -> Result<PipelineFilter> {
    let id = c.u16_le()?;
    let name_len = if version == 1 || id >= FIRST_NAMED {
        c.u16_le()?
    } else {
        0
    };
    let (flags, count) = (c.u16_le()?, c.u16_le()?);
    let stored = c.bytes(name_len.into())?;
    let name = stored.split(|&b| b == 0).next().unwrap_or_default();
    let params = (0..count).map(|_| c.u32_le()).collect::<Result<_>>()?;
    if version == 1 && count % 2 == 1 {
        c.skip(4)?;
    }
    Ok(PipelineFilter {
        id,
        name: (!name.is_empty()).then(|| name.to_vec()),
        optional: flags & 1 != 0,
        params,
    })
}
