//! Shared messages, which are stored elsewhere ("IV.A.2", "Shared Message", versions 1 to 3).

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::file::File;
use crate::format::hdf5::object_header::{Body, ObjectHeader};

/// The place of a shared message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reference {
    /// In the object header at this address: a committed datatype.
    Committed(u64),
    /// In the heap of shared messages, under this id.
    Heap([u8; 8]),
}

impl Reference {
    /// Reads the body of a message that has the flag "shared".
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`], [`ErrorKind::Unknown`], [`ErrorKind::Corrupt`].
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

/// The body of a shared message of type `kind`.
///
/// # Errors
/// Those of reading it; [`ErrorKind::Corrupt`] if it does not exist or is shared itself.
pub fn resolve(file: &File, kind: u16, reference: &Reference) -> Result<Body<'static>> {
    match reference {
        Reference::Heap(id) => {
            let bytes = file.shared_message(kind, id)?;
            Ok(Body {
                data: Cow::Owned(bytes.data),
                address: bytes.address,
            })
        }
        Reference::Committed(address) => {
            let header = ObjectHeader::read(file, *address)?;
            let message = header.find(kind).filter(|m| m.flags & super::SHARED == 0);
            let Some(message) = message else {
                let what = format!("no message of type {kind:#06x} in the object that shares it");
                return Err(file.error(ErrorKind::Corrupt, *address, what));
            };
            let raw = header.raw(message);
            Ok(Body {
                data: Cow::Owned(raw.data.into_owned()),
                address: raw.address,
            })
        }
    }
}

/// The shared datatypes of a file. Each is read only once: very many objects may have the same large one.
#[derive(Debug, Default)]
pub struct Types(Mutex<HashMap<Reference, Arc<Datatype>>>);

impl Types {
    /// A shared datatype, with its address if it is a committed type.
    ///
    /// # Errors
    /// Those of [`resolve`], and of reading the datatype.
    pub fn get(&self, file: &File, reference: &Reference) -> Result<Arc<Datatype>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(reference) {
            return Ok(Arc::clone(known));
        }
        let body = resolve(file, super::DATATYPE, reference)?;
        let mut datatype = Datatype::parse(&mut body.fields(file), file.limits())?;
        datatype.committed = match reference {
            Reference::Committed(address) => Some(*address),
            Reference::Heap(_) => None,
        };
        let datatype = Arc::new(datatype);
        lock().insert(*reference, Arc::clone(&datatype));
        Ok(datatype)
    }
}
