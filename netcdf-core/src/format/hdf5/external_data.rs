//! Data in external files ("IV.A.2.h"), presented as one contiguous run.

use std::sync::{Arc, OnceLock};

use super::file::Hdf5File;
use super::message::external::ExternalFiles;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::siblings::{self, SiblingAccess};

/// The external file ranges of a dataset, in data order. Names are resolved and files are opened at the first read, so that a dataset with
/// missing files or names can still be described.
#[derive(Debug)]
pub struct ExternalData {
    file: Arc<Hdf5File>,
    external: ExternalFiles,
    /// The dataset path, for error messages: one read may cover several datasets.
    path: String,
    access: SiblingAccess,
    pieces: OnceLock<Vec<FilePiece>>,
    len: u64,
}

/// A range of an external file.
#[derive(Debug)]
struct FilePiece {
    name: Vec<u8>,
    /// The range start in the file, and in the data.
    start: u64,
    at: u64,
    len: u64,
    source: OnceLock<Arc<dyn Source>>,
}

impl ExternalData {
    /// Creates a source of `len` bytes for the dataset with this path.
    #[must_use]
    pub fn new(
        file: &Arc<Hdf5File>,
        (external, len): (&ExternalFiles, u64),
        path: String,
        access: SiblingAccess,
    ) -> Self {
        Self {
            file: Arc::clone(file),
            external: external.clone(),
            path,
            access,
            pieces: OnceLock::new(),
            len,
        }
    }

    fn pieces(&self) -> Result<&[FilePiece]> {
        if let Some(pieces) = self.pieces.get() {
            return Ok(pieces);
        }
        let (mut pieces, mut at) = (vec![], 0u64);
        for found in self.external.pieces(&self.file, 0..self.len)? {
            let piece = FilePiece {
                name: found.file,
                start: found.range.start,
                at,
                len: found.range.end.saturating_sub(found.range.start),
                source: OnceLock::new(),
            };
            at = at.saturating_add(piece.len);
            pieces.push(piece);
        }
        Ok(self.pieces.get_or_init(|| pieces))
    }

    fn source<'a>(&self, piece: &'a FilePiece) -> Result<&'a Arc<dyn Source>> {
        if let Some(source) = piece.source.get() {
            return Ok(source);
        }
        if piece.name.is_empty() {
            let what = "an external file without a name";
            let e = (self.file).error(ErrorKind::Corrupt, self.external.heap, what);
            return Err(e.in_object(&self.path));
        }
        let source = siblings::open(&**self.file.source(), &piece.name, &self.access);
        let source = source.map_err(|e| e.in_object(&self.path))?;
        Ok(piece.source.get_or_init(|| source))
    }

    /// Opens all external files. Ignores files that cannot be opened: the read reports them.
    ///
    /// # Errors
    /// Returns errors from reading the file list.
    pub fn open_files(&self) -> Result<()> {
        for piece in self.pieces()? {
            let _ = self.source(piece);
        }
        Ok(())
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let mut rest = buf;
        let mut offset = offset;
        for piece in self.pieces()? {
            let Some(skip) = offset.checked_sub(piece.at).filter(|&s| s < piece.len) else {
                continue;
            };
            let n = usize::try_from(piece.len - skip)
                .unwrap_or(usize::MAX)
                .min(rest.len());
            let (part, behind) = std::mem::take(&mut rest).split_at_mut(n);
            read_or_zero(
                &**self.source(piece)?,
                piece.start.saturating_add(skip),
                part,
            )?;
            offset = offset.saturating_add(n as u64);
            rest = behind;
        }
        match rest.is_empty() {
            true => Ok(()),
            false => Err(self.short()),
        }
    }

    /// The error for data beyond all external files.
    fn short(&self) -> Error {
        let pieces = self.pieces.get().map_or(&[][..], Vec::as_slice);
        let have = pieces.last().map_or(0, |p| p.at.saturating_add(p.len));
        let what = format!("external files for {have} bytes of {}", self.len);
        self.file
            .error(ErrorKind::Corrupt, self.external.heap, what)
    }
}

impl Source for ExternalData {
    fn name(&self) -> &Arc<str> {
        self.file.name()
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn has_changed(&self) -> bool {
        let mut pieces = self.pieces.get().into_iter().flatten();
        let changed = |p: &FilePiece| p.source.get().is_some_and(|s| s.has_changed());
        self.file.source().has_changed() || pieces.any(changed)
    }

    /// Data beyond the end of an external file was never written and reads as zeros.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let read = self.read(offset, buf);
        read.map_err(|e| e.in_object(&self.path))
    }
}

fn read_or_zero(source: &dyn Source, at: u64, buf: &mut [u8]) -> Result<()> {
    let have = usize::try_from(source.len().saturating_sub(at)).unwrap_or(usize::MAX);
    let (there, missing) = buf.split_at_mut(have.min(buf.len()));
    missing.fill(0);
    if there.is_empty() {
        Ok(())
    } else {
        source.read_at(at, there)
    }
}
