//! The pages of a file ("IV.A.2.x. The File Space Info Message"). A file with the strategy of paging has its metadata in pages of
//! its own: where requests take long, each is read as a whole.

use super::blocks::PageRun;
use super::fields::Fields;
use super::file_bytes::FileBytes;
use super::message;
use super::object_header::ObjectHeader;
use crate::error::Result;

/// The strategy of paging.
pub(super) const PAGING: u8 = 1;

/// The pages of a file, if its superblock extension says that it has some. They only make reading faster: a message that cannot
/// be understood says nothing.
pub(super) fn of(file: &FileBytes, extension: &ObjectHeader) -> Option<PageRun> {
    let found = extension.find(message::FILE_SPACE_INFO)?;
    let body = extension.raw(found);
    let size = size(body.fields(file)).ok()??;
    let base = file.superblock().base;
    Some(PageRun { base, size })
}

fn size(mut c: Fields<'_>) -> Result<Option<u64>> {
    c.version(1..=1, "a file space info message")?;
    let strategy = c.u8()?;
    c.skip(1)?; // whether free space is kept
    c.length()?; // from how many bytes on free space is
    let size = c.length()?;
    Ok((strategy == PAGING).then_some(size))
}
