//! Object headers ("IV.A. Disk Format: Level 2A - Data Object Headers", versions 1 and 2).

use std::borrow::Cow;
use std::ops::Range;

use super::fields::Fields;
use super::file_bytes::{FileBytes, StructureBytes};
use super::message;
use crate::error::{Error, ErrorKind, Result};

/// The header of an object: its messages, from all continuation blocks.
#[derive(Debug, Clone)]
pub struct ObjectHeader {
    /// The object address.
    pub address: u64,
    /// The header version.
    pub version: u8,
    /// Whether attributes have a creation order.
    pub tracks_attribute_order: bool,
    blocks: Vec<StructureBytes>,
    messages: Vec<HeaderMessage>,
}

/// A header message with the location of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderMessage {
    /// The message type, see [`message`].
    pub kind: u16,
    /// The message flags: 1 constant, 2 shared …
    pub flags: u8,
    /// Creation order, for attributes.
    pub order: u16,
    block: usize,
    range: Range<usize>,
}

/// The location of a message body in a header block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockOfMessage {
    /// The address of the block. In version 2, the block ends with its checksum.
    pub(super) address: u64,
    /// The length of the block in bytes.
    pub(super) len: usize,
    /// The start of the body in the block.
    pub(super) start: usize,
}

/// A message body. References to shared messages are resolved.
#[derive(Debug, Clone)]
pub struct Body<'a> {
    /// The bytes.
    pub data: Cow<'a, [u8]>,
    /// The address of the bytes, if they are in the file.
    pub address: Option<u64>,
}

impl Body<'_> {
    /// The fields of the body.
    #[must_use]
    pub fn fields<'a>(&'a self, file: &'a FileBytes) -> Fields<'a> {
        file.fields_of(&self.data, self.address)
    }
}

impl ObjectHeader {
    /// Reads the header at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Checksum`], [`ErrorKind::Unsupported`] for an unknown message
    /// that readers must know, and [`ErrorKind::Limit`] for too many header bytes.
    pub fn read(file: &FileBytes, address: u64) -> Result<Self> {
        let head = file.read_up_to(address, 64)?;
        let header = match head.data.first() {
            _ if head.data.starts_with(b"OHDR") => read_v2(file, address, &head)?,
            Some(1) => read_v1(file, address, &head)?,
            _ => return Err(no_header(file, address, &head)),
        };
        let len = header.blocks.iter().map(|b| b.data.len() as u64).sum();
        file.take(len, address)?;
        Ok(header)
    }

    /// Returns all messages except null messages, in header order.
    #[must_use]
    pub fn messages(&self) -> &[HeaderMessage] {
        &self.messages
    }

    /// Returns the first message of a type.
    #[must_use]
    pub fn find(&self, kind: u16) -> Option<&HeaderMessage> {
        self.messages.iter().find(|m| m.kind == kind)
    }

    /// Returns the message bytes stored in the header.
    #[must_use]
    pub fn raw(&self, message: &HeaderMessage) -> Body<'_> {
        let block = self.blocks.get(message.block);
        let data = block.and_then(|b| b.data.get(message.range.clone()));
        let address = block.and_then(|b| b.address?.checked_add(message.range.start as u64));
        Body {
            data: Cow::Borrowed(data.unwrap_or_default()),
            address,
        }
    }

    /// Returns the block with a message; `None` for a block that is not in the file.
    pub(super) fn block_of(&self, message: &HeaderMessage) -> Option<BlockOfMessage> {
        let block = self.blocks.get(message.block)?;
        Some(BlockOfMessage {
            address: block.address?,
            len: block.data.len(),
            start: message.range.start,
        })
    }

    fn push(&mut self, file: &FileBytes, message: HeaderMessage) -> Result<()> {
        let unknown = message.kind > message::LAST_KNOWN;
        if unknown && message.flags & message::FAIL_IF_UNKNOWN != 0 {
            let what = format!(
                "message type {:#06x} must be understood, but is not known",
                message.kind
            );
            return Err(file.error(ErrorKind::Unsupported, self.address, what));
        }
        if message.kind != message::NIL && message.kind != message::CONTINUATION {
            self.messages.push(message);
        }
        Ok(())
    }
}

/// Header blocks still to be read: address and length.
type PendingBlocks = Vec<(u64, u64)>;

/// The contents of a header block.
#[derive(Default)]
struct BlockContents {
    /// Number of messages, including null messages.
    messages: u64,
    pending: PendingBlocks,
}

/// The encoding of the messages in a block.
#[derive(Clone, Copy)]
struct MessageForm {
    version: u8,
    has_order: bool,
}

/// The error for bytes that do not start a header.
fn no_header(file: &FileBytes, address: u64, head: &StructureBytes) -> Error {
    let found = head.data.get(..4).unwrap_or(&head.data);
    let what = format!(
        "expected signature `OHDR` or version 1 of an object header, found `{}`",
        found.escape_ascii()
    );
    file.error(ErrorKind::Corrupt, address, what)
}

fn read_v1(file: &FileBytes, address: u64, head: &StructureBytes) -> Result<ObjectHeader> {
    let mut c = file.fields(head);
    c.skip(1 + 1)?; // version, reserved
    let count = c.u16_le()?;
    c.skip(4)?; // reference count
    let size = c.u32_le()?;
    let mut header = ObjectHeader {
        address,
        version: 1,
        tracks_attribute_order: false,
        blocks: vec![],
        messages: vec![],
    };
    file.note(address, 16);
    let first = address
        .checked_add(16)
        .ok_or_else(|| beyond(file, address))?;
    let form = MessageForm {
        version: 1,
        has_order: false,
    };
    let found = read_blocks(file, &mut header, vec![(first, size.into())], form)?;
    // More messages than the stored count are accepted, as in libhdf5.
    if found >= u64::from(count) {
        return Ok(header);
    }
    let what = format!("an object header with {found} messages, expected {count}");
    Err(file.error(ErrorKind::Corrupt, address, what))
}

fn read_v2(file: &FileBytes, address: u64, head: &StructureBytes) -> Result<ObjectHeader> {
    let mut c = file.fields(head);
    c.skip(4)?;
    let mut version = c.clone();
    c.skip(1)?;
    let flags = c.u8()?;
    if flags & 0x20 != 0 {
        c.skip(16)?; // access, modification, change and birth times
    }
    if flags & 0x10 != 0 {
        c.skip(4)?; // when attributes become dense, and compact again
    }
    let size = c.uint_le(1 << (flags & 3))?;
    let start = c.position();
    let total = size
        .checked_add(start as u64 + 4)
        .ok_or_else(|| beyond(file, address))?;
    let block = file.read(address, total)?;
    block.verify(file, "an object header")?;
    // A wrong version means an unknown version only if the checksum is correct; otherwise it is damage.
    version.version(2..=2, "an object header")?;
    let form = MessageForm {
        version: 2,
        has_order: flags & 0x04 != 0,
    };
    let mut header = ObjectHeader {
        address,
        version: 2,
        tracks_attribute_order: form.has_order,
        blocks: vec![],
        messages: vec![],
    };
    let end = block.data.len().saturating_sub(4);
    let found = read_messages(file, &mut header, block, start..end, form)?;
    read_blocks(file, &mut header, found.pending, form)?;
    Ok(header)
}

fn beyond(file: &FileBytes, address: u64) -> Error {
    file.error(ErrorKind::Corrupt, address, "an object header beyond 2^64")
}

/// Reads blocks and their continuations. Returns the number of messages.
fn read_blocks(
    file: &FileBytes,
    header: &mut ObjectHeader,
    first: PendingBlocks,
    form: MessageForm,
) -> Result<u64> {
    let mut messages = 0u64;
    let mut pending = std::collections::VecDeque::from(first);
    let mut seen = std::collections::HashSet::new();
    let mut total = 0u64;
    while let Some((address, len)) = pending.pop_front() {
        if !seen.insert(address) {
            let what = "a continuation of an object header leads back to itself";
            return Err(file.error(ErrorKind::Corrupt, address, what));
        }
        total = total.saturating_add(len);
        file.metadata(address, total, "an object header")?;
        let block = file.read(address, len)?;
        let mut range = 0..block.data.len();
        if form.version == 2 {
            file.fields(&block).signature(b"OCHK")?;
            block.verify(file, "a continuation of an object header")?;
            range = 4..range.end.saturating_sub(4);
        }
        let found = read_messages(file, header, block, range, form)?;
        messages = messages.saturating_add(found.messages);
        pending.extend(found.pending);
    }
    Ok(messages)
}

/// Reads the messages of a block. In version 1, messages are padded to eight bytes and fill the block completely.
fn read_messages(
    file: &FileBytes,
    header: &mut ObjectHeader,
    block: StructureBytes,
    range: Range<usize>,
    form: MessageForm,
) -> Result<BlockContents> {
    let mut found = BlockContents::default();
    let number = header.blocks.len();
    let data = block.data.get(..range.end).unwrap_or_default();
    let mut c = file.fields_of(data, block.address);
    c.skip(range.start)?;
    let prefix = match (form.version, form.has_order) {
        (1, _) => 8,
        (_, false) => 4,
        (_, true) => 6,
    };
    while c.remaining() >= prefix {
        let (kind, len, flags, order) = prefix_of(&mut c, form)?;
        let start = c.position();
        if form.version == 1 && len % 8 != 0 {
            let what = format!("a message of {len} bytes, expected a multiple of 8");
            return Err(c.error(ErrorKind::Corrupt, what));
        }
        let body = c.bytes(len.into())?;
        found.messages = found.messages.saturating_add(1);
        if kind == message::CONTINUATION {
            let at = block.address.and_then(|a| a.checked_add(start as u64));
            let mut fields = file.fields_of(body, at);
            let pending = (fields.defined_address("a continuation")?, fields.length()?);
            found.pending.push(pending);
        }
        let message = HeaderMessage {
            kind,
            flags,
            order,
            block: number,
            range: start..start + usize::from(len),
        };
        header.push(file, message)?;
    }
    if form.version == 1 && c.remaining() > 0 {
        let what = format!(
            "{} bytes after the messages of an object header",
            c.remaining()
        );
        return Err(c.error(ErrorKind::Corrupt, what));
    }
    header.blocks.push(block);
    Ok(found)
}

/// Reads type, length in bytes, flags and creation order of a message.
fn prefix_of(c: &mut Fields, form: MessageForm) -> Result<(u16, u16, u8, u16)> {
    if form.version == 1 {
        let (kind, len, flags) = (c.u16_le()?, c.u16_le()?, c.u8()?);
        c.skip(3)?;
        return Ok((kind, len, flags, 0));
    }
    let (kind, len, flags) = (c.u8()?, c.u16_le()?, c.u8()?);
    let order = if form.has_order { c.u16_le()? } else { 0 };
    Ok((kind.into(), len, flags, order))
}
