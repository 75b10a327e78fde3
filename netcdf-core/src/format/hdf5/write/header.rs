//! Version 2 object headers in one block ("IV.A.1.b").

use super::part::MetadataPart;
use crate::bytes::sink::narrow;
use crate::error::Result;

/// A message.
#[derive(Debug, Clone)]
pub(super) struct WrittenMessage {
    /// The message type.
    pub kind: u8,
    /// The message flags.
    pub flags: u8,
    /// The creation order, for attributes.
    pub order: u16,
    /// The message body.
    pub body: MetadataPart,
}

impl WrittenMessage {
    /// Creates a message that is not an attribute. The types of all written messages fit into a byte.
    pub(super) fn new(kind: u16, flags: u8, body: MetadataPart) -> Self {
        Self {
            kind: kind.to_le_bytes()[0],
            flags,
            order: 0,
            body,
        }
    }
}

/// Flag of a message: it never changes.
pub(super) const CONSTANT: u8 = 0x01;
/// Flag of a message: it must not become a shared message.
pub(super) const NOT_SHARED: u8 = 0x04;
/// Maximum length of a message body.
pub const LONGEST: usize = 0xffff;

/// Flags of a header: attribute creation order is tracked and indexed.
const ORDERED: u8 = 0x0c;

/// Appends a header. Returns the offsets of the message bodies in `out`.
///
/// # Errors
/// Returns [`crate::ErrorKind::Limit`] for a message or header beyond the format.
pub(super) fn write(
    out: &mut MetadataPart,
    ordered: bool,
    messages: &[WrittenMessage],
) -> Result<Vec<usize>> {
    let start = out.len();
    let prefix = if ordered { 6 } else { 4 };
    let size: usize = messages.iter().map(|m| prefix + m.body.len()).sum();
    let width: u8 = match size {
        0..0x100 => 0,
        0x100..0x1_0000 => 1,
        _ => 2,
    };
    out.sink.put(b"OHDR\x02");
    out.sink.u8(width | if ordered { ORDERED } else { 0 });
    let size: u32 = narrow(size as u64, "the size of an object header")?;
    out.sink.uint(size.into(), 1 << width)?;
    let mut bodies = vec![];
    for message in messages {
        out.sink.u8(message.kind);
        let what = "the size of a message of an object header";
        out.sink.u16(narrow(message.body.len() as u64, what)?);
        out.sink.u8(message.flags);
        if ordered {
            out.sink.u16(message.order);
        }
        bodies.push(out.len());
        out.append(&message.body);
    }
    out.checksum(start);
    Ok(bodies)
}
