//! The superblock extension of a file with leading metadata.

use super::header::{self, CONSTANT, NOT_SHARED, WrittenMessage};
use super::part::{MetadataPart, UNDEFINED};
use crate::error::Result;
use crate::format::hdf5::message;
use crate::format::hdf5::pages::PAGING;

/// Bytes of a file space info message before the page size.
const BEFORE_SIZE: usize = 11;

/// Flag of a message: programs that change the object without knowing the message type mark the message.
const MARK_IF_UNKNOWN: u8 = 0x10;

/// B-tree K values: chunk index nodes, group nodes, and group leaf nodes. Without a message, the same values apply.
const K: [u16; 3] = [32, 16, 4];

/// Appends the superblock extension of a file with leading metadata. The extension follows all headers, so that its address in the
/// superblock marks the end of the headers. Returns the offset of the page size, if the file has pages.
///
/// # Errors
/// Returns [`crate::ErrorKind::Limit`].
pub(super) fn extension(out: &mut MetadataPart, paged: bool) -> Result<Option<usize>> {
    let message = match paged {
        true => WrittenMessage::new(
            message::FILE_SPACE_INFO,
            NOT_SHARED | MARK_IF_UNKNOWN,
            file_space_info(),
        ),
        false => WrittenMessage::new(message::BTREE_K, CONSTANT | NOT_SHARED, btree_k()),
    };
    let bodies = header::write(out, false, &[message])?;
    let size = |at: &usize| at + BEFORE_SIZE;
    Ok(bodies.first().filter(|_| paged).map(size))
}

/// A message for paged space without persistent free space.
fn file_space_info() -> MetadataPart {
    let mut body = MetadataPart::of(&[1, PAGING, 0]);
    body.sink.u64(1); // free space threshold
    body.sink.u64(0); // page size
    body.sink.u16(0); // page end bytes not used for metadata
    body.sink.u64(UNDEFINED); // end of file before free space is recorded
    body
}

fn btree_k() -> MetadataPart {
    let mut body = MetadataPart::of(&[0]);
    K.iter().for_each(|&k| body.sink.u16(k));
    body
}
