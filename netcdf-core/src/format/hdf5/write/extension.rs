//! The superblock extension of a file with metadata in front.

use super::header::{self, CONSTANT, NOT_SHARED, WrittenMessage};
use super::part::{MetadataPart, UNDEFINED};
use crate::error::Result;
use crate::format::hdf5::message;
use crate::format::hdf5::pages::PAGING;

/// Bytes of a file space info message before the size of pages.
const BEFORE_SIZE: usize = 11;

/// Flag of a message: programs that change the object and do not know the type mark the message.
const MARK_IF_UNKNOWN: u8 = 0x10;

/// Half the children of a full node in an index of chunks, and in a group; symbols of a node of a group. These are the values that
/// hold without a message, too.
const K: [u16; 3] = [32, 16, 4];

/// Appends the superblock extension of a file with metadata in front. The extension follows all headers, so that the address of the
/// extension in the superblock marks the end of the headers. Returns the offset of the page size, if the file has pages.
///
/// # Errors
/// [`crate::ErrorKind::Limit`].
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

/// Pages, without a record of free space.
fn file_space_info() -> MetadataPart {
    let mut body = MetadataPart::of(&[1, PAGING, 0]);
    body.sink.u64(1); // from how many bytes on free space counts
    body.sink.u64(0); // the size of pages
    body.sink.u16(0); // bytes at the end of a page that are not used for metadata
    body.sink.u64(UNDEFINED); // the end of the file before the record of free space
    body
}

fn btree_k() -> MetadataPart {
    let mut body = MetadataPart::of(&[0]);
    K.iter().for_each(|&k| body.sink.u16(k));
    body
}
