//! The Link message ("IV.A.2.g"): a name in a group and its target.

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;

/// A link of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkMessage {
    /// Its name.
    pub name: Vec<u8>,
    /// Its number in creation order, if the group tracks it.
    pub order: Option<u64>,
    /// Its target.
    pub target: LinkedObject,
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkedObject {
    /// The object whose header is at this address.
    Hard(u64),
    /// The object of this path.
    Soft(Vec<u8>),
    /// An object of another file.
    External {
        /// Name of the file.
        file: Vec<u8>,
        /// Path of the object in it.
        path: Vec<u8>,
    },
    /// A user-defined class of links.
    User(u8),
}

impl LinkMessage {
    /// Reads the body of the message, version 1.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`], [`ErrorKind::Unknown`], [`ErrorKind::Corrupt`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        c.version(1..=1, "a link")?;
        let flags = c.u8()?;
        let kind = if flags & 0x08 != 0 { c.u8()? } else { 0 };
        let order = (flags & 0x04 != 0).then(|| c.u64_le()).transpose()?;
        if flags & 0x10 != 0 {
            c.skip(1)?; // character set
        }
        let len = c.uint_le(1 << (flags & 3))?;
        if len == 0 {
            return Err(c.error(ErrorKind::Corrupt, "a link without a name".to_owned()));
        }
        let name = take(c, len)?;
        let target = match kind {
            0 => LinkedObject::Hard(c.defined_address("a link's object")?),
            1 => {
                let len = c.u16_le()?;
                LinkedObject::Soft(take(c, len.into())?)
            }
            64 => external(c)?,
            2..64 => {
                let what = format!("a link of class {kind}, expected 0, 1, or 64 and above");
                return Err(c.error(ErrorKind::Unknown, what));
            }
            65.. => LinkedObject::User(kind),
        };
        Ok(Self {
            name,
            order,
            target,
        })
    }
}

fn take(c: &mut Fields, len: u64) -> Result<Vec<u8>> {
    let n = usize::try_from(len).map_err(|_| c.short(len))?;
    Ok(c.bytes(n)?.to_vec())
}

/// The value of an external link: a byte with version and flags, and two names.
fn external(c: &mut Fields) -> Result<LinkedObject> {
    c.skip(2 + 1)?;
    Ok(LinkedObject::External {
        file: c.zero_terminated()?.to_vec(),
        path: c.zero_terminated()?.to_vec(),
    })
}
