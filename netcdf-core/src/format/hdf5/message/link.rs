//! The Link message ("IV.A.2.g"): a name in a group and its target.

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;

/// A group link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkMessage {
    /// The link name.
    pub name: Vec<u8>,
    /// The creation order number, if the group tracks it.
    pub order: Option<u64>,
    /// The link target.
    pub target: LinkedObject,
}

/// A link target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkedObject {
    /// The object with its header at this address.
    Hard(u64),
    /// The object with this path.
    Soft(Vec<u8>),
    /// An object in another file.
    External {
        /// The file name.
        file: Vec<u8>,
        /// The object path in the file.
        path: Vec<u8>,
    },
    /// A link of a user-defined class.
    User(u8),
}

impl LinkMessage {
    /// Reads the message body, version 1.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Unknown`] and [`ErrorKind::Corrupt`].
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

/// Reads an external link value: version and flags in one byte, then two names.
fn external(c: &mut Fields) -> Result<LinkedObject> {
    c.skip(2 + 1)?;
    Ok(LinkedObject::External {
        file: c.zero_terminated()?.to_vec(),
        path: c.zero_terminated()?.to_vec(),
    })
}
