//! The External Data Files message ("IV.A.2.h"): contiguous data in other files.

use std::ops::Range;

use crate::error::Result;
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::local_heap::LocalHeap;

/// The external files with the data, in data order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalFiles {
    /// Local heap address of the file names.
    pub heap: u64,
    /// File ranges in data order.
    pub slots: Vec<ExternalFile>,
}

/// A file range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalFile {
    /// Offset of the file name in the heap.
    pub name: u64,
    /// Offset of the range in the file, in bytes.
    pub start: u64,
    /// Length in bytes; `None` for up to the end of the data.
    pub size: Option<u64>,
}

/// A range of a named file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPiece {
    /// The stored file name.
    pub file: Vec<u8>,
    /// The byte range in the file.
    pub range: Range<u64>,
}

impl ExternalFiles {
    /// Reads the message body, version 1.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Truncated`], [`crate::ErrorKind::Corrupt`] and [`crate::ErrorKind::Unknown`].
    pub fn parse(c: &mut Fields) -> Result<Self> {
        c.version(1..=1, "external data files")?;
        c.skip(3 + 2)?; // reserved, slots allocated
        let used = c.u16_le()?;
        let heap = c.defined_address("the names of external files")?;
        let slots = (0..used).map(|_| slot(c)).collect::<Result<_>>()?;
        Ok(Self { heap, slots })
    }

    /// Returns the file ranges for `bytes` of the data, in order. The ranges may be shorter than `bytes` in total.
    ///
    /// # Errors
    /// Returns errors from reading the names.
    pub fn pieces(&self, file: &Hdf5File, bytes: Range<u64>) -> Result<Vec<NamedPiece>> {
        let heap = LocalHeap::read(file, self.heap)?;
        let mut pieces = vec![];
        let mut first = 0u64; // first data byte of a slot
        for slot in &self.slots {
            let end = slot
                .size
                .map_or(u64::MAX, |size| first.saturating_add(size));
            let (from, to) = (bytes.start.max(first), bytes.end.min(end));
            if from < to {
                let place = |byte: u64| slot.start.saturating_add(byte - first);
                pieces.push(NamedPiece {
                    file: heap.counted_name_at(file, slot.name)?,
                    range: place(from)..place(to),
                });
            }
            first = end;
        }
        Ok(pieces)
    }
}

fn slot(c: &mut Fields) -> Result<ExternalFile> {
    Ok(ExternalFile {
        name: c.length()?,
        start: c.length()?,
        size: c.length_or_none()?,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::format::hdf5::message;
    use crate::format::hdf5::object_header::ObjectHeader;
    use crate::io::file::FileSource;
    use crate::limits::Limits;

    /// The object header address printed by testdata/hdf5/make_external.py, which makes the file.
    const HEADER: u64 = 800;

    #[test]
    fn finds_bytes_in_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5");
        let source = FileSource::open(&root.join("external.h5")).unwrap();
        let file = Hdf5File::open(Arc::new(source), &Limits::default()).unwrap();
        let header = ObjectHeader::read(&file, HEADER).unwrap();
        let body = header.body_of(&file, message::EXTERNAL).unwrap().unwrap();
        let external = ExternalFiles::parse(&mut body.fields(&file)).unwrap();
        let pieces = |bytes| -> Vec<(Vec<u8>, _)> {
            let pieces = external.pieces(&file, bytes).unwrap();
            pieces.into_iter().map(|p| (p.file, p.range)).collect()
        };
        let one = || b"external_1.raw".to_vec();
        let two = || b"external_2.raw".to_vec();
        assert_eq!(
            pieces(0..40),
            [(one(), 3..19), (two(), 5..21), (one(), 30..38)]
        );
        assert_eq!(pieces(16..20), [(two(), 5..9)]);
        assert_eq!(pieces(14..18), [(one(), 17..19), (two(), 5..7)]);
        assert_eq!(pieces(1000..1001), [(one(), 998..999)]);
        assert_eq!(pieces(7..7), []);
    }
}
