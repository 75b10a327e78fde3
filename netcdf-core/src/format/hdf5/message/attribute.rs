//! The Attribute message ("IV.A.2.m", versions 1 to 3).

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::dataspace::Dataspace;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::message::reference::SharedMessage;
use crate::format::hdf5::message::{self, shared};

/// An attribute of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeMessage {
    /// The attribute name.
    pub name: Vec<u8>,
    /// The element type.
    pub datatype: Arc<Datatype>,
    /// The shape.
    pub dataspace: Dataspace,
    /// The elements in stored form.
    pub data: Vec<u8>,
}

/// An attribute that cannot be read.
#[derive(Debug)]
pub struct Unread {
    /// The attribute name, if known.
    pub name: Option<Vec<u8>>,
    /// The reason.
    pub error: Error,
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Self { name: None, error }
    }
}

/// The first fields of the message.
struct MessageHead {
    version: u8,
    flags: u8,
    name: Vec<u8>,
    /// Lengths of datatype and dataspace in bytes.
    lens: (u16, u16),
}

impl AttributeMessage {
    /// Reads the message body.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Unknown`] and [`ErrorKind::Corrupt`].
    pub fn parse(file: &Hdf5File, c: &mut Fields) -> Result<Self, Unread> {
        let head = MessageHead::parse(c)?;
        match Self::value(file, &head, c) {
            Ok((datatype, dataspace, data)) => Ok(Self {
                name: head.name,
                datatype,
                dataspace,
                data,
            }),
            Err(error) => Err(Unread {
                name: Some(head.name),
                error,
            }),
        }
    }

    /// Reads the type, shape and elements.
    fn value(
        file: &Hdf5File,
        head: &MessageHead,
        c: &mut Fields,
    ) -> Result<(Arc<Datatype>, Dataspace, Vec<u8>)> {
        let shared = |bit: u8| head.version > 1 && head.flags & bit != 0;
        let (bytes, at) = part(c, head.lens.0, head.padded())?;
        let datatype = datatype_of(file, bytes, at, shared(1))?;
        let (bytes, at) = part(c, head.lens.1, head.padded())?;
        let dataspace = dataspace_of(file, bytes, at, shared(2))?;
        let data = data(c, &datatype, &dataspace)?;
        Ok((datatype, dataspace, data))
    }
}

impl MessageHead {
    fn parse(c: &mut Fields) -> Result<Self> {
        let version = c.version(1..=3, "an attribute")?;
        let flags = c.u8()?;
        let (name, lens) = (c.u16_le()?, (c.u16_le()?, c.u16_le()?));
        if version == 3 {
            c.skip(1)?; // character set of the name
        }
        let name = part(c, name, version == 1)?.0;
        let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
        Ok(Self {
            version,
            flags,
            name: name.get(..end).unwrap_or_default().to_vec(),
            lens,
        })
    }

    /// Whether the parts are padded.
    fn padded(&self) -> bool {
        self.version == 1
    }
}

/// Reads the next part and its address. In version 1, parts are padded to eight bytes.
fn part<'a>(c: &mut Fields<'a>, len: u16, padded: bool) -> Result<(&'a [u8], u64)> {
    let at = c.offset();
    let len = usize::from(len);
    let bytes = c.bytes(len)?;
    if padded {
        let padding = (len.next_multiple_of(8) - len).min(c.remaining());
        c.skip(padding)?;
    }
    Ok((bytes, at))
}

fn datatype_of(file: &Hdf5File, bytes: &[u8], at: u64, is_shared: bool) -> Result<Arc<Datatype>> {
    let mut fields = file.fields_at(bytes, at);
    if !is_shared {
        return Datatype::parse(&mut fields, file.limits()).map(Arc::new);
    }
    file.shared_type(&SharedMessage::parse(&mut fields)?)
}

fn dataspace_of(file: &Hdf5File, bytes: &[u8], at: u64, is_shared: bool) -> Result<Dataspace> {
    let mut fields = file.fields_at(bytes, at);
    if !is_shared {
        return Dataspace::parse(&mut fields);
    }
    let reference = SharedMessage::parse(&mut fields)?;
    let body = shared::resolve(file, message::DATASPACE, &reference)?;
    Dataspace::parse(&mut body.fields(file))
}

/// Reads the elements, which must be complete for the type and shape.
fn data(c: &mut Fields, datatype: &Datatype, dataspace: &Dataspace) -> Result<Vec<u8>> {
    let elements = dataspace.elements();
    let bytes = elements.and_then(|n| n.checked_mul(datatype.size));
    let bytes = bytes.and_then(|n| usize::try_from(n).ok());
    match bytes {
        Some(n) => Ok(c.bytes(n)?.to_vec()),
        None => Err(c.error(ErrorKind::Corrupt, "an attribute of 2^64 bytes".into())),
    }
}
