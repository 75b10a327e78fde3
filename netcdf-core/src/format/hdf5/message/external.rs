//! The External Data Files message ("IV.A.2.h"): contiguous data in other files.

use crate::error::Result;
use crate::format::hdf5::file::Fields;

/// The files that hold the data, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// Address of the local heap with the names.
    pub heap: u64,
    /// Pieces of files in the order of the data.
    pub slots: Vec<Slot>,
}

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Where in the heap the name of the file is.
    pub name: u64,
    /// Where in the file the piece starts, in bytes.
    pub start: u64,
    /// Its size in bytes; `None` to the end of the data.
    pub size: Option<u64>,
}

impl External {
    /// Reads the body of the message, version 1.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`], [`crate::ErrorKind::Corrupt`],
    /// [`crate::ErrorKind::Unsupported`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        c.version(1..=1, "external data files")?;
        c.skip(3 + 2)?; // reserved, slots allocated
        let used = c.u16_le()?;
        let heap = c.defined_address("the names of external files")?;
        let slots = (0..used).map(|_| slot(c)).collect::<Result<_>>()?;
        Ok(Self { heap, slots })
    }
}

fn slot(c: &mut Fields) -> Result<Slot> {
    Ok(Slot {
        name: c.length()?,
        start: c.length()?,
        size: c.length_or_none()?,
    })
}
