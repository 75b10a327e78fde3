//! The Fill Value messages ("IV.A.2.e" and "IV.A.2.f", versions 1 to 3).

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;

/// The value of unwritten elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillMessage {
    /// Allocation time; `None` in the old message.
    pub allocate: Option<Allocate>,
    /// Fill value write time; `None` in the old message.
    pub write: Option<Write>,
    /// The value.
    pub value: FillValue,
}

/// Allocation time of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocate {
    /// When the dataset is created.
    Early,
    /// When the first data is written.
    Late,
    /// Incrementally, as data is written.
    Incremental,
}

/// Write time of the fill value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// When storage is allocated.
    Allocation,
    /// Never.
    Never,
    /// When storage is allocated, if the user defined a value.
    IfSet,
}

/// A fill value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FillValue {
    /// Undefined.
    Undefined,
    /// Zeros.
    Default,
    /// Defined by the user: an element in the dataset type.
    User(Vec<u8>),
}

impl FillMessage {
    /// Reads the old message body (type 0x04).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`].
    pub fn parse_old(c: &mut Fields) -> Result<Self> {
        Ok(Self {
            allocate: None,
            write: None,
            value: value(c)?,
        })
    }

    /// Reads the message body (type 0x05).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`] and [`ErrorKind::Unknown`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        let version = c.version(1..=3, "a fill value")?;
        if version == 3 {
            return parse_3(c);
        }
        let (allocate, write, defined) = (c.u8()?, c.u8()?, c.u8()?);
        let value = if defined != 0 {
            value(c)?
        } else {
            FillValue::Undefined
        };
        Ok(Self {
            allocate: allocation(c, allocate)?,
            write: writing(c, write)?,
            value,
        })
    }
}

/// Reads version 3, which has all settings in one byte.
fn parse_3(c: &mut Fields) -> Result<FillMessage> {
    let flags = c.u8()?;
    let value = match (flags & 0x10 != 0, flags & 0x20 != 0) {
        (true, _) => FillValue::Undefined,
        (false, true) => value(c)?,
        (false, false) => FillValue::Default,
    };
    Ok(FillMessage {
        allocate: allocation(c, flags & 3)?,
        write: writing(c, flags >> 2 & 3)?,
        value,
    })
}

fn allocation(c: &Fields, code: u8) -> Result<Option<Allocate>> {
    match code {
        0 => Ok(None),
        1 => Ok(Some(Allocate::Early)),
        2 => Ok(Some(Allocate::Late)),
        3 => Ok(Some(Allocate::Incremental)),
        _ => Err(c.error(ErrorKind::Corrupt, format!("allocation time {code}"))),
    }
}

fn writing(c: &Fields, code: u8) -> Result<Option<Write>> {
    match code {
        0 => Ok(Some(Write::Allocation)),
        1 => Ok(Some(Write::Never)),
        2 => Ok(Some(Write::IfSet)),
        _ => Err(c.error(ErrorKind::Corrupt, format!("fill value write time {code}"))),
    }
}

/// Reads a value after its size: 0 for the default, negative for undefined.
fn value(c: &mut Fields) -> Result<FillValue> {
    let size = c.u32_le()?;
    match i32::try_from(size) {
        Err(_) => Ok(FillValue::Undefined),
        Ok(0) => Ok(FillValue::Default),
        Ok(_) => {
            let size = usize::try_from(size).map_err(|_| c.short(size.into()))?;
            Ok(FillValue::User(c.bytes(size)?.to_vec()))
        }
    }
}
