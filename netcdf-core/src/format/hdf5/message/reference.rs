//! References to shared messages ("IV.A.2", "Shared Message", versions 1 to 3), and the shared datatypes of a file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::error::Result;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::fields::Fields;

/// The location of a shared message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedMessage {
    /// In the object header at this address: a committed datatype.
    Committed(u64),
    /// An id in the heap of shared messages.
    Heap([u8; 8]),
}

impl SharedMessage {
    /// Reads the body of a message with the "shared" flag.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated), [`Unknown`](crate::ErrorKind::Unknown) and
    /// [`Corrupt`](crate::ErrorKind::Corrupt).
    pub fn parse(c: &mut Fields) -> Result<Self> {
        let version = c.version(1..=3, "a shared message")?;
        let kind = c.u8()?;
        if version == 1 {
            c.skip(6)?;
            c.length()?; // a name in a local heap
        }
        if version == 3 && kind == 1 {
            return Ok(Self::Heap(c.array()?));
        }
        Ok(Self::Committed(c.defined_address("a shared message")?))
    }
}

/// A cache of shared datatypes. Each is read only once: many objects may share one large type.
#[derive(Debug, Default)]
pub struct SharedTypes(pub(in crate::format::hdf5) Mutex<HashMap<SharedMessage, Arc<Datatype>>>);
