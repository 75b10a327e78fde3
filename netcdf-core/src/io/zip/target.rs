//! A new store in a zip file.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

use super::ZipStore;
use crate::arithmetic::{Amount, exact, length, span};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::key;
use crate::io::store::{Store, VisitKey, exists, in_the_way, ranges_of, without_content};
use crate::io::target::{StoreTarget, Target};
use crate::io::tree;
use crate::limits::{Limits, zeros};

/// A new store in a zip file. Members are not compressed, because chunks have their own compression.
#[derive(Debug)]
pub struct ZipTarget {
    store: Arc<ZipInProgress>,
    /// The store that [`StoreTarget::store`] returns.
    shared: Arc<dyn Store>,
}

impl ZipTarget {
    /// Creates a store in `target`. `prefix` is the directory of all members: empty, or a name with a trailing `/`.
    #[must_use]
    pub fn new(target: Box<dyn Target>, prefix: &str) -> Self {
        let name = Arc::clone(target.name());
        let pen = Pen(Arc::new(Mutex::new(Ground {
            target: Some(target),
            at: 0,
            end: 0,
            kept: Vec::new(),
            base: 0,
            failed: None,
            given_up: false,
        })));
        let store = Arc::new(ZipInProgress {
            name,
            prefix: prefix.to_owned(),
            state: Mutex::new(ZipMembers {
                writer: Some(ZipWriter::new(pen.clone())),
                members: BTreeMap::new(),
            }),
            pen,
        });
        let shared = Arc::clone(&store) as Arc<dyn Store>;
        Self { store, shared }
    }
}

impl StoreTarget for ZipTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.shared
    }

    fn written(&mut self) -> Result<Arc<dyn Store>> {
        self.store.finish()?;
        let source = self.store.pen.ground().target()?.written()?;
        let store = ZipStore::open(source, &Limits::default())?;
        Ok(Arc::new(store))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.store.finish()?;
        let target = self.store.pen.ground().target.take();
        target.ok_or_else(finished)?.commit()
    }
}

/// The zip file, and the current offset.
#[derive(Debug)]
struct Ground {
    /// `None` after commit.
    target: Option<Box<dyn Target>>,
    at: u64,
    /// The number of written bytes.
    end: u64,
    /// Buffered bytes, and their offset. The zip writer writes and corrects headers in small steps.
    kept: Vec<u8>,
    base: u64,
    /// The error of the target, which has more details than a system error.
    failed: Option<Error>,
    /// Whether the output was dropped. Further writes are discarded.
    given_up: bool,
}

#[cold]
fn finished() -> Error {
    Error::new(ErrorKind::Argument, "the output is finished")
}

/// The maximum number of buffered bytes.
const KEPT: usize = 1 << 20;

impl Ground {
    fn target(&mut self) -> Result<&mut Box<dyn Target>> {
        self.target.as_mut().ok_or_else(finished)
    }

    /// Writes the buffered bytes.
    fn flush(&mut self) -> Result<()> {
        let kept = std::mem::take(&mut self.kept);
        if kept.is_empty() {
            return Ok(());
        }
        let base = self.base;
        self.target()?.write_at(base, &kept)
    }

    /// Writes `bytes` at the current offset, or buffers them.
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let place = self.at.checked_sub(self.base).map(Amount::from);
        let fits = place.is_some_and(|place| {
            place <= self.kept.len().into() && place + bytes.len() <= KEPT.into()
        });
        if !fits {
            self.flush()?;
        }
        if self.kept.is_empty() {
            self.base = self.at;
        }
        if bytes.len() > KEPT {
            let at = self.at;
            self.target()?.write_at(at, bytes)?;
        } else {
            let place = (exact(self.at) - self.base).index()?;
            let (over, behind) = bytes.split_at(bytes.len().min(self.kept.len() - place));
            let old = self.kept.get_mut(place..place + over.len());
            let old = old.or_internal("an offset past the buffered bytes")?;
            old.copy_from_slice(over);
            self.kept.extend_from_slice(behind);
        }
        self.at = (exact(self.at) + bytes.len()).get()?;
        self.end = self.end.max(self.at);
        Ok(())
    }
}

/// A writer for the zip file.
#[derive(Debug, Clone)]
struct Pen(Arc<Mutex<Ground>>);

impl Pen {
    fn ground(&self) -> MutexGuard<'_, Ground> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error of the target, or of the zip format.
    fn error(&self, e: &zip::result::ZipError) -> Error {
        let failed = self.ground().failed.take();
        failed.unwrap_or_else(|| {
            let what = format!("cannot write a zip file: {e}");
            Error::new(ErrorKind::Io, what)
        })
    }
}

impl Write for Pen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut ground = self.ground();
        if ground.given_up {
            return Ok(bytes.len());
        }
        match ground.write(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(e) => {
                ground.failed = Some(e);
                Err(std::io::Error::other("the file cannot be written"))
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Pen {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let mut ground = self.ground();
        let to = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => ground.at.checked_add_signed(by),
            SeekFrom::End(by) => ground.end.checked_add_signed(by),
        };
        ground.at = to.ok_or(std::io::ErrorKind::InvalidInput)?;
        Ok(ground.at)
    }
}

/// The written members.
struct ZipMembers {
    /// `None` once the file is complete.
    writer: Option<ZipWriter<Pen>>,
    /// The offsets of the members' bytes.
    members: BTreeMap<String, Range<u64>>,
}

/// The store that receives the keys.
struct ZipInProgress {
    name: Arc<str>,
    prefix: String,
    state: Mutex<ZipMembers>,
    pen: Pen,
}

impl fmt::Debug for ZipInProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Making({})", self.name)
    }
}

/// Discards further writes. Otherwise a dropped zip writer tries to finish, and prints its failure.
impl Drop for ZipInProgress {
    fn drop(&mut self) {
        self.pen.ground().given_up = true;
    }
}

impl ZipInProgress {
    fn state(&self) -> MutexGuard<'_, ZipMembers> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the central directory, unless it is written.
    fn finish(&self) -> Result<()> {
        match self.state().writer.take() {
            None => Ok(()),
            Some(writer) => match writer.finish() {
                Ok(_) => self.pen.ground().flush(),
                Err(e) => Err(self.pen.error(&e).of(&self.name)),
            },
        }
    }

    /// The offset and length of a key's bytes.
    fn place(&self, key: &str) -> Result<Option<Range<u64>>> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        let state = self.state();
        let found = state.members.get(key).cloned();
        match found.is_none() && tree::has_below(&state.members, key) {
            true => Err(without_content(&self.name, key)),
            false => Ok(found),
        }
    }

    fn read(&self, range: &Range<u64>) -> Result<Vec<u8>> {
        let len = exact(length(range)).index()?;
        let mut bytes = zeros(len, "a member of a zip file")?;
        let mut ground = self.pen.ground();
        ground.flush()?;
        let target = ground.target().map_err(|e| e.of(&self.name))?;
        target.read_at(range.start, &mut bytes)?;
        Ok(bytes)
    }

    fn write(
        &self,
        writer: &mut ZipWriter<Pen>,
        key: &str,
        bytes: &[u8],
    ) -> zip::result::ZipResult<u64> {
        // The same keys and bytes must give the same file.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .large_file(bytes.len() as u64 >= u64::from(u32::MAX));
        writer.start_file(format!("{}{key}", self.prefix), options)?;
        let at = self.pen.ground().at;
        writer.write_all(bytes)?;
        Ok(at)
    }
}

impl Store for ZipInProgress {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let place = self.place(key)?;
        place.map(|range| self.read(&range)).transpose()
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        let parts = self.get(key)?.map(|bytes| ranges_of(&bytes, ranges));
        parts
            .transpose()
            .map_err(|e| e.in_object(key).of(&self.name))
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        Ok(self.place(key)?.map(|range| range.end - range.start))
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        Ok(tree::children(&self.state().members, prefix))
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        // Do not hold the lock while the visitor runs: it may use the store.
        let state = self.state();
        let below = tree::below(&state.members, prefix)
            .map(|(key, range)| (key.clone(), range.end - range.start));
        let below: Vec<_> = below.collect();
        drop(state);
        below.iter().try_for_each(|(key, size)| visit(key, *size))
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.put_if_absent(key, bytes)
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        let mut state = self.state();
        if state.members.contains_key(key) {
            return Err(exists(&self.name, key));
        }
        if tree::is_blocked(&state.members, key) {
            return Err(in_the_way(&self.name, key));
        }
        let Some(writer) = &mut state.writer else {
            let what = "the zip file is complete: no key can be added";
            return Err(Error::new(ErrorKind::Argument, what)
                .in_object(key)
                .of(&self.name));
        };
        let at = self.write(writer, key, bytes);
        let at = at.map_err(|e| self.pen.error(&e).in_object(key).of(&self.name))?;
        let range = span(at, bytes.len() as u64)?;
        state.members.insert(key.to_owned(), range);
        Ok(())
    }

    fn delete(&self, key: &str) -> Result<()> {
        let what = "a key cannot be removed from a zip file";
        let e = Error::new(ErrorKind::Unsupported, what);
        Err(e.in_object(key).of(&self.name))
    }
}
