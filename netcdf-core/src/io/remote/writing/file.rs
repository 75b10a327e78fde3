//! An object that is written like a file.
//!
//! Formats write at any offset, and rewrite earlier bytes. The bytes are therefore collected in an unnamed temporary file. A part is sent
//! as soon as all its bytes are written, and again at the end if it has changed. The first part is sent last, because formats write the
//! header last. The service creates the object when all parts have arrived. Until then an existing object stays unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use object_store::PutPayload;
use object_store::multipart::PartId;

use super::parts::{self, WrittenParts};
use super::sending::Sending;
use crate::arithmetic::{Amount, exact, length};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::file::Scratch;
use crate::io::network::OutputRun;
use crate::io::remote::Objects as _;
use crate::io::remote::bucket::{Bucket, ObjectState, Upload};
use crate::io::remote::wait::wait;
use crate::io::source::{Source, present};
use crate::io::target::{ConcurrentWriter, Target};
use crate::limits::zeros;

/// A file that becomes an object on commit.
#[derive(Debug)]
pub(crate) struct ObjectTarget {
    inner: Arc<FileInner>,
    run: OutputRun,
    /// Whether the object was created.
    done: bool,
}

#[derive(Debug)]
struct FileInner {
    name: Arc<str>,
    bucket: Arc<Bucket>,
    key: String,
    spool: Scratch,
    state: Mutex<FileState>,
    sending: Sending,
    /// The parts that arrived.
    arrived: Arc<Mutex<BTreeMap<u64, PartId>>>,
}

#[derive(Debug, Default)]
struct FileState {
    len: u64,
    written: WrittenParts,
    /// The multipart upload, after the first part.
    upload: Option<Upload>,
    /// Sent parts.
    sent: BTreeSet<u64>,
    /// Sent parts that have changed since.
    changed: BTreeSet<u64>,
}

impl ObjectTarget {
    /// Creates a file that becomes the object `key` of a bucket.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] without a key; [`ErrorKind::Io`] without space for temporary files.
    pub(crate) fn create(bucket: Bucket, key: &str, run: &OutputRun) -> Result<Self> {
        let name: Arc<str> = bucket.address(key).into();
        if key.is_empty() {
            let what = "the address of a file needs a key";
            let e = Error::new(ErrorKind::Argument, what).of(&name);
            return Err(e.with_remedy("add a key: s3://BUCKET/KEY.nc"));
        }
        let inner = FileInner {
            spool: Scratch::new(None)?,
            name,
            bucket: Arc::new(bucket),
            key: key.to_owned(),
            state: Mutex::default(),
            sending: Sending::new(run),
            arrived: Arc::default(),
        };
        Ok(Self {
            inner: Arc::new(inner),
            run: run.clone(),
            done: false,
        })
    }
}

impl FileInner {
    fn lock(&self) -> MutexGuard<'_, FileState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let end = (exact(offset) + bytes.len()).get()?;
        if parts::count(end) > parts::MOST {
            let what = "the file becomes larger than any object can be";
            return Err(Error::new(ErrorKind::Limit, what).at(&self.name, offset));
        }
        self.spool.write_at(offset, bytes)?;
        let mut state = self.lock();
        state.len = state.len.max(end);
        let again: Vec<_> = (parts::of(offset)..=parts::of(end - 1))
            .filter(|part| state.sent.contains(part))
            .collect();
        state.changed.extend(again);
        let whole = state.written.note(&(offset..end));
        for part in whole {
            // The first part is sent last.
            if part > 0 && state.sent.insert(part) {
                self.send(&mut state, part)?;
            }
        }
        Ok(())
    }

    /// Sends the current bytes of a part.
    fn send(&self, state: &mut FileState, part: u64) -> Result<()> {
        let upload = match &state.upload {
            Some(upload) => upload.clone(),
            None => {
                let upload = wait(self.bucket.begin(&self.key))?;
                state.upload.insert(upload).clone()
            }
        };
        let bytes = self.part(part, state.len)?;
        let number = usize::try_from(part).ok().or_internal("a part")?;
        let (bucket, arrived) = (Arc::clone(&self.bucket), Arc::clone(&self.arrived));
        self.sending
            .send(bytes.content_length() as u64, async move {
                let id = bucket.part(&upload, number, bytes).await?;
                let mut arrived = arrived.lock().unwrap_or_else(PoisonError::into_inner);
                arrived.insert(part, id);
                Ok(())
            })
    }

    /// The bytes of a part. `len` is the file length.
    fn part(&self, part: u64, len: u64) -> Result<PutPayload> {
        let span = parts::span(part);
        let span = span.start..span.end.min(len);
        let mut bytes = zeros(Amount::of(length(&span)).count(), "a part of a file")?;
        self.read(span.start, &mut bytes)?;
        Ok(bytes.into())
    }

    /// Reads written bytes. Unwritten bytes are zero.
    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let there = self.spool.len().max(offset) - offset;
        let (there, none) = buf.split_at_mut(Amount::of(there).count().min(buf.len()));
        none.fill(0);
        match there.is_empty() {
            true => Ok(()),
            false => self.spool.read_at(offset, there),
        }
    }

    /// Sends the remaining parts and creates the object.
    fn finish(&self) -> Result<()> {
        let mut state = self.lock();
        let (len, count) = (state.len, parts::count(state.len));
        if state.upload.is_none() && count <= 1 {
            let all = self.part(0, len)?;
            return wait(self.bucket.put(&self.key, all));
        }
        // A request in flight may have older bytes than a changed part.
        self.sending.finish()?;
        if state.sent.last().is_some_and(|last| *last >= count) {
            self.begin_again(&mut state)?;
        }
        for part in 1..count {
            let cut = parts::span(part).end > len;
            if state.sent.insert(part) || state.changed.contains(&part) || cut {
                self.send(&mut state, part)?;
            }
        }
        self.sending.finish()?;
        self.send(&mut state, 0)?;
        self.sending.finish()?;
        let arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = (0..count).map(|part| arrived.get(&part).cloned());
        let ids: Option<Vec<_>> = ids.collect();
        let ids = ids.or_internal("all parts of a file")?;
        let upload = state.upload.take().or_internal("parts of a file")?;
        // Without read permission, a lost answer is reported as a failure.
        let before = wait(self.bucket.state(&self.key)).ok();
        match wait(self.bucket.complete(&upload, ids)) {
            Err(e) if !before.is_some_and(|before| self.was_made(before.as_ref(), len)) => {
                state.upload = Some(upload);
                Err(e)
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Checks whether the object was created despite an error: if the answer was lost, the service no longer knows the upload in the
    /// repeated request.
    fn was_made(&self, before: Option<&ObjectState>, len: u64) -> bool {
        let now = wait(self.bucket.state(&self.key)).ok().flatten();
        now.is_some_and(|now| now.len == len && before != Some(&now))
    }

    /// Aborts the upload, because it has parts past the new end.
    fn begin_again(&self, state: &mut FileState) -> Result<()> {
        if let Some(upload) = state.upload.take() {
            wait(self.bucket.abort(&upload))?;
        }
        state.sent.clear();
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        arrived.clear();
        Ok(())
    }

    /// Checks the length of the created object.
    fn check(&self) -> Result<()> {
        let len = self.lock().len;
        match wait(self.bucket.length(&self.key))? {
            Some(there) if there == len => Ok(()),
            there => {
                let there = there.map_or("no object".to_owned(), |n| format!("{n} bytes"));
                let what = format!("{len} bytes were sent, but the service has {there}");
                Err(Error::new(ErrorKind::Io, what).of(&self.name))
            }
        }
    }
}

impl Target for ObjectTarget {
    fn name(&self) -> &Arc<str> {
        &self.inner.name
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.inner.write(offset, bytes)
    }

    fn read_at(&mut self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.inner.read(offset, buf)
    }

    fn set_len(&mut self, len: u64) -> Result<()> {
        let mut state = self.inner.lock();
        let old = std::mem::replace(&mut state.len, len);
        if len < old {
            // Zero the truncated range: it must read as zeros if the file grows again.
            let gap = Amount::of(old - len).count().min(1 << 20);
            let zeros = zeros(gap, "a gap")?;
            let mut at = len;
            while at < old {
                let size = Amount::of(old - at).count().min(zeros.len());
                let part = zeros.get(..size).or_internal("a gap")?;
                self.inner.spool.write_at(at, part)?;
                at += size as u64;
            }
            let sent: Vec<_> = state.sent.iter().copied().collect();
            let beyond = sent.into_iter().filter(|part| parts::span(*part).end > len);
            state.changed.extend(beyond.collect::<Vec<_>>());
        }
        Ok(())
    }

    fn concurrent_writer(&self) -> Option<Arc<dyn ConcurrentWriter>> {
        Some(Arc::clone(&self.inner) as Arc<dyn ConcurrentWriter>)
    }

    fn written(&mut self) -> Result<Arc<dyn Source>> {
        Ok(Arc::clone(&self.inner) as Arc<dyn Source>)
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.run.cancel.check()?;
        self.inner.finish()?;
        self.done = true;
        self.inner.check()
    }
}

impl ConcurrentWriter for FileInner {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.write(offset, bytes)
    }
}

impl Source for FileInner {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.lock().len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let end = (exact(offset) + buf.len()).get()?;
        present(self, &(offset..end))?;
        self.read(offset, buf)
    }
}

impl Drop for ObjectTarget {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        self.inner.sending.give_up();
        let Some(upload) = self.inner.lock().upload.take() else {
            return;
        };
        if let Err(e) = wait(self.inner.bucket.abort(&upload)) {
            let what = format!("the sent parts could not be removed: {}", e.what());
            self.run.notes.say(crate::notes::Note {
                object: self.inner.name.to_string(),
                what,
                remedy: Some("end the unfinished upload with the tools of the service".to_owned()),
            });
        }
    }
}
