//! Data in external files ("IV.A.2.h"), as one run of bytes.

use std::sync::{Arc, OnceLock};

use super::file::File;
use super::message::external::External;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::siblings::{self, Access};

/// The pieces of a dataset's data in other files, one after the other. The files are opened when
/// data is read: a dataset whose files are missing can still be described.
#[derive(Debug)]
pub struct ExternalData {
    base: Arc<dyn Source>,
    /// The dataset, for messages: its data may be read together with those of others.
    path: String,
    access: Access,
    pieces: Vec<Piece>,
    /// Where in the file the heap with their names is.
    names: u64,
    len: u64,
}

/// A piece of a file.
#[derive(Debug)]
struct Piece {
    name: Vec<u8>,
    /// Where the piece starts in the file, and where in the data.
    start: u64,
    at: u64,
    len: u64,
    source: OnceLock<Arc<dyn Source>>,
}

impl ExternalData {
    /// The data that a message describes, `len` bytes, of the dataset of this path.
    ///
    /// # Errors
    /// Those of reading the names; [`ErrorKind::Corrupt`] if the pieces are shorter than the data.
    pub fn new(
        file: &File,
        (external, len): (&External, u64),
        path: String,
        access: Access,
    ) -> Result<Self> {
        let (mut pieces, mut at) = (vec![], 0u64);
        for found in external.pieces(file, 0..len)? {
            let piece = Piece {
                name: found.file,
                start: found.range.start,
                at,
                len: found.range.end.saturating_sub(found.range.start),
                source: OnceLock::new(),
            };
            at = at.saturating_add(piece.len);
            pieces.push(piece);
        }
        if at < len {
            let what = format!("external files for {at} bytes of {len}");
            return Err(file.error(ErrorKind::Corrupt, external.heap, what));
        }
        Ok(Self {
            base: Arc::clone(file.source()),
            path,
            access,
            pieces,
            names: file.place(external.heap)?,
            len,
        })
    }

    fn source<'a>(&self, piece: &'a Piece) -> Result<&'a Arc<dyn Source>> {
        if let Some(source) = piece.source.get() {
            return Ok(source);
        }
        if piece.name.is_empty() {
            let e = Error::new(ErrorKind::Corrupt, "an external file without a name");
            return Err(e.at(self.name(), self.names).in_object(&self.path));
        }
        let source = siblings::open(&*self.base, &piece.name, &self.access);
        let source = source.map_err(|e| e.in_object(&self.path))?;
        Ok(piece.source.get_or_init(|| source))
    }
}

impl Source for ExternalData {
    fn name(&self) -> &Arc<str> {
        self.base.name()
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn has_changed(&self) -> bool {
        let mut open = self.pieces.iter().filter_map(|p| p.source.get());
        self.base.has_changed() || open.any(|source| source.has_changed())
    }

    /// What lies behind the end of an external file was never written: zeros.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let mut rest = buf;
        let mut offset = offset;
        for piece in &self.pieces {
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
        if rest.is_empty() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Truncated, "data beyond its external files").of(self.name()))
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
