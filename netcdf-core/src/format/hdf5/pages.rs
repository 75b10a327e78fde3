//! File pages ("IV.A.2.x. The File Space Info Message"). A file with the paging strategy has separate metadata pages. If requests have high
//! latency, each page is read completely.

use super::blocks::PageRun;
use super::fields::Fields;
use super::file_bytes::FileBytes;
use super::message;
use super::object_header::ObjectHeader;
use crate::error::Result;

/// The paging strategy.
pub(super) const PAGING: u8 = 1;

/// Returns the pages in the superblock extension. Pages only speed up reading, so an invalid message is ignored.
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
    c.skip(1)?; // whether free space is persistent
    c.length()?; // free space threshold
    let size = c.length()?;
    Ok((strategy == PAGING).then_some(size))
}
