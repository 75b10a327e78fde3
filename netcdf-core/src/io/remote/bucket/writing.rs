//! Writes to a bucket: whole objects, multipart uploads, and deletions.

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::multipart::PartId;
use object_store::path::Path;
use object_store::{
    Error as Library, GetOptions, MultipartId, ObjectMeta, ObjectStoreExt as _, PutMode,
    PutPayload, UpdateVersion,
};
use std::time::{Duration, SystemTime};

use super::{Bucket, PAGE, RequestError, below};
use crate::error::{Error, ErrorKind, Result};
use crate::io::network::Transfer;
use crate::io::remote::Objects as _;

/// The number of bytes that fit the usual timeout. The timeout grows with the number of bytes.
const USUAL: u64 = 8 << 20;

/// The maximum factor for the usual timeout.
const MOST_TIMES: u64 = 1000;

/// The maximum number of concurrent requests that delete one object.
const AT_ONCE: usize = 32;

/// The result of a conditional put of a new object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io::remote) enum Made {
    /// The object was created.
    New,
    /// The object exists.
    There,
    /// The service has no conditional puts.
    Unsure,
}

/// The revision of an object, for a conditional put.
#[derive(Debug, Clone)]
pub(in crate::io::remote) struct Revision(UpdateVersion);

/// The result of a conditional put.
#[derive(Debug, Clone)]
pub(in crate::io::remote) enum Replacement {
    /// The object was replaced, and has a new revision.
    Done(Revision),
    /// The object has another revision, or does not exist.
    Changed,
    /// The service has no conditional puts.
    Unsupported,
}

/// The state of an object, to detect a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::io::remote) struct ObjectState {
    /// The length in bytes.
    pub len: u64,
    tag: Option<String>,
    written: SystemTime,
}

/// A multipart upload.
#[derive(Debug, Clone)]
pub(in crate::io::remote) struct Upload {
    path: Path,
    id: MultipartId,
}

/// Checks whether a service does not support conditional puts, or returns no version for the condition.
fn is_unsupported(e: &Library) -> bool {
    const TEXTS: [&str; 2] = ["NotImplemented", "Version required for conditional update"];
    let text = e.to_string();
    matches!(e, Library::NotImplemented { .. }) || TEXTS.iter().any(|known| text.contains(known))
}

impl Bucket {
    /// Sends `bytes` bytes, and retries after a timeout.
    async fn sent<T, F>(&self, key: &str, bytes: u64, send: impl Fn() -> F + Sync) -> Result<T>
    where
        F: Future<Output = Result<T, Library>> + Send,
    {
        self.network.sent(bytes);
        self.answered(key, bytes / USUAL, send).await
    }

    /// Waits for an answer up to `times` times the usual timeout, and retries after a timeout.
    async fn answered<T, F>(&self, key: &str, times: u64, send: impl Fn() -> F + Sync) -> Result<T>
    where
        F: Future<Output = Result<T, Library>> + Send,
    {
        let _request = self.network.request();
        let times = u32::try_from(times.clamp(1, MOST_TIMES)).unwrap_or(1);
        let most = self.patience().checked_mul(times);
        let most = most.unwrap_or(self.timeout);
        for _ in 0..super::TRIES {
            match super::timeout(most, send()).await {
                Ok(done) => return done.map_err(|e| self.unsent(e, key)),
                Err(_) => self.network.failed(Transfer::Upload),
            }
        }
        Err(self.late().of(&self.address(key)))
    }

    fn unsent(&self, e: Library, key: &str) -> Error {
        self.failure.of_writing(e, &self.address(key))
    }

    /// Stores an object. Replaces an existing object.
    pub(crate) async fn put(&self, key: &str, bytes: PutPayload) -> Result<()> {
        let path = self.path(key)?;
        let put = || self.store.put(&path, bytes.clone());
        self.sent(key, bytes.content_length() as u64, put)
            .await
            .map(|_| ())
    }

    /// Stores a new object.
    pub(crate) async fn put_new(&self, key: &str, bytes: PutPayload) -> Result<Made> {
        let path = self.path(key)?;
        let put = async || {
            let create = PutMode::Create.into();
            let made = self.store.put_opts(&path, bytes.clone(), create).await;
            match made {
                Ok(_) => Ok(Made::New),
                Err(Library::AlreadyExists { .. }) => Ok(Made::There),
                Err(e) if is_unsupported(&e) => Ok(Made::Unsure),
                Err(e) => Err(e),
            }
        };
        let put = || Box::pin(put()) as BoxFuture<'_, _>;
        self.sent(key, bytes.content_length() as u64, put).await
    }

    /// The bytes and revision of an object of at most `most` bytes. `None` if the object is missing.
    pub(crate) async fn revision(
        &self,
        key: &str,
        most: u64,
    ) -> Result<Option<(Vec<u8>, Revision)>> {
        let path = self.path(key)?;
        let get = || async {
            let got = self.store.get_opts(&path, GetOptions::default()).await?;
            let revision = Revision(UpdateVersion {
                e_tag: got.meta.e_tag.clone(),
                version: got.meta.version.clone(),
            });
            match got.meta.size > most {
                true => Ok((vec![], revision)),
                false => Ok((got.bytes().await?.to_vec(), revision)),
            }
        };
        let get = || Box::pin(get()) as BoxFuture<'_, _>;
        match self.sent(key, 0, get).await {
            Ok(got) => Ok(Some(got)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Replaces an object if it still has a revision.
    pub(crate) async fn replace(
        &self,
        key: &str,
        bytes: PutPayload,
        revision: &Revision,
    ) -> Result<Replacement> {
        let path = self.path(key)?;
        let put = async || {
            let update = PutMode::Update(revision.0.clone()).into();
            match self.store.put_opts(&path, bytes.clone(), update).await {
                Ok(put) => Ok(Replacement::Done(Revision(put.into()))),
                Err(
                    Library::Precondition { .. }
                    | Library::NotFound { .. }
                    | Library::AlreadyExists { .. },
                ) => Ok(Replacement::Changed),
                Err(e) if is_unsupported(&e) => Ok(Replacement::Unsupported),
                Err(e) => Err(e),
            }
        };
        let put = || Box::pin(put()) as BoxFuture<'_, _>;
        self.sent(key, bytes.content_length() as u64, put).await
    }

    /// The time since the last write of an object. `None` if the object is missing.
    pub(crate) async fn age(&self, key: &str) -> Result<Option<Duration>> {
        let path = self.path(key)?;
        let meta = self.sent(key, 0, || self.store.head(&path)).await;
        match meta {
            Ok(meta) => {
                let written = SystemTime::from(meta.last_modified);
                let age = SystemTime::now().duration_since(written);
                Ok(Some(age.unwrap_or_default()))
            }
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The first key below `prefix` except `but`. `None` if no key is left.
    pub(crate) async fn first_below(&self, prefix: &str, but: &str) -> Result<Option<String>> {
        let path = self.path(prefix)?;
        let first = || async {
            let mut list = self.store.list(below(&path));
            loop {
                match list.try_next().await? {
                    Some(meta) if meta.location.as_ref() == but => {}
                    first => return Ok(first),
                }
            }
        };
        let first = || Box::pin(first()) as BoxFuture<'_, Result<Option<ObjectMeta>, Library>>;
        let first = self.sent(prefix, 0, first).await?;
        Ok(first.map(|meta| meta.location.to_string()))
    }

    /// Removes an object, if it exists.
    pub(crate) async fn delete(&self, key: &str) -> Result<()> {
        let path = self.path(key)?;
        let deleted = self.sent(key, 0, || self.store.delete(&path)).await;
        match deleted {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            deleted => deleted,
        }
    }

    /// Removes all objects below `prefix` except `but`.
    pub(crate) async fn delete_below(&self, prefix: &str, but: &str) -> Result<()> {
        let path = self.path(prefix)?;
        let list = self.store.list(below(&path));
        let mut pages = list.try_chunks(PAGE);
        loop {
            let page = self.within(pages.try_next()).await;
            let page = page.ok_or_else(|| self.late().of(&self.address(prefix)))?;
            let Some(page) =
                page.map_err(|e| self.request_error(RequestError::Library(e.1), prefix))?
            else {
                return Ok(());
            };
            let paths = page.into_iter().map(|meta| meta.location);
            let paths: Vec<_> = paths.filter(|path| path.as_ref() != but).collect();
            self.delete_page(prefix, paths).await?;
        }
    }

    /// Removes objects, in one request if the service supports that.
    async fn delete_page(&self, prefix: &str, paths: Vec<Path>) -> Result<()> {
        let together = || {
            let paths = futures_util::stream::iter(paths.clone()).map(Ok).boxed();
            let deleted = self.store.delete_stream(paths);
            let deleted = deleted.try_for_each(|_| async { Ok(()) });
            Box::pin(deleted) as BoxFuture<'_, _>
        };
        if self.sent(prefix, 0, together).await.is_ok() {
            return Ok(());
        }
        let singly = futures_util::stream::iter(&paths)
            .map(|path| self.delete(path.as_ref()))
            .buffer_unordered(AT_ONCE);
        singly.try_for_each(|()| async { Ok(()) }).await
    }

    /// Begins a multipart upload.
    pub(crate) async fn begin(&self, key: &str) -> Result<Upload> {
        let path = self.path(key)?;
        let begin = || self.uploads.create_multipart(&path);
        let id = self.sent(key, 0, begin).await?;
        Ok(Upload { path, id })
    }

    /// Sends a part. `number` counts from 0. A repeated part replaces the earlier part.
    pub(crate) async fn part(
        &self,
        upload: &Upload,
        number: usize,
        bytes: PutPayload,
    ) -> Result<PartId> {
        let Upload { path, id } = upload;
        let put = || self.uploads.put_part(path, id, number, bytes.clone());
        self.sent(path.as_ref(), bytes.content_length() as u64, put)
            .await
    }

    /// Creates the object from all parts.
    pub(crate) async fn complete(&self, upload: &Upload, parts: Vec<PartId>) -> Result<()> {
        let Upload { path, id } = upload;
        let complete = || self.uploads.complete_multipart(path, id, parts.clone());
        // Services join the parts before they answer.
        let times = parts.len() as u64;
        let completed = self.answered(path.as_ref(), times, complete);
        completed.await.map(|_| ())
    }

    /// Aborts a multipart upload.
    pub(crate) async fn abort(&self, upload: &Upload) -> Result<()> {
        let Upload { path, id } = upload;
        let abort = || self.uploads.abort_multipart(path, id);
        self.sent(path.as_ref(), 0, abort).await
    }

    /// The state of an object. `None` if the object is missing.
    pub(crate) async fn state(&self, key: &str) -> Result<Option<ObjectState>> {
        let path = self.path(key)?;
        match self.sent(key, 0, || self.store.head(&path)).await {
            Ok(meta) => Ok(Some(ObjectState {
                len: meta.size,
                tag: meta.e_tag,
                written: meta.last_modified.into(),
            })),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The length of an object in bytes. `None` if the object is missing.
    pub(crate) async fn length(&self, key: &str) -> Result<Option<u64>> {
        Ok(self.state(key).await?.map(|state| state.len))
    }
}
