//! Reads shared messages ("IV.A.2", "Shared Message", versions 1 to 3).

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use super::reference::SharedMessage;
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::object_header::{Body, HeaderMessage, ObjectHeader};

/// Returns the body of a shared message of type `kind`.
///
/// # Errors
/// Returns read errors, and [`ErrorKind::Corrupt`] if the message does not exist or is shared itself.
pub(crate) fn resolve(
    file: &Hdf5File,
    kind: u16,
    reference: &SharedMessage,
) -> Result<Body<'static>> {
    match reference {
        SharedMessage::Heap(id) => {
            let bytes = file.shared_message(kind, id)?;
            Ok(Body {
                data: Cow::Owned(bytes.data),
                address: bytes.address,
            })
        }
        SharedMessage::Committed(address) => {
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

impl ObjectHeader {
    /// Returns the body of a message. Follows a reference to a shared message.
    ///
    /// # Errors
    /// Returns errors from reading the shared message.
    pub fn body(&self, file: &Hdf5File, message: &HeaderMessage) -> Result<Body<'_>> {
        let raw = self.raw(message);
        if message.flags & super::SHARED == 0 {
            return Ok(raw);
        }
        let reference = SharedMessage::parse(&mut raw.fields(file))?;
        resolve(file, message.kind, &reference)
    }

    /// Returns the body of the first message of a type.
    ///
    /// # Errors
    /// Returns errors from [`ObjectHeader::body`].
    pub fn body_of(&self, file: &Hdf5File, kind: u16) -> Result<Option<Body<'_>>> {
        self.find(kind).map(|m| self.body(file, m)).transpose()
    }
}

impl Hdf5File {
    /// Returns a shared datatype, with its address if the type is committed.
    ///
    /// # Errors
    /// Returns errors from `resolve` and from reading the datatype.
    pub fn shared_type(&self, reference: &SharedMessage) -> Result<Arc<Datatype>> {
        let lock = || self.types.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(reference) {
            return Ok(Arc::clone(known));
        }
        let body = resolve(self, super::DATATYPE, reference)?;
        let mut datatype = Datatype::parse(&mut body.fields(self), self.limits())?;
        datatype.committed = match reference {
            SharedMessage::Committed(address) => Some(*address),
            SharedMessage::Heap(_) => None,
        };
        let datatype = Arc::new(datatype);
        lock().insert(*reference, Arc::clone(&datatype));
        Ok(datatype)
    }
}
