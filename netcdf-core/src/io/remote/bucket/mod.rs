//! Objects of a bucket or container: S3, Google Cloud Storage, Azure Blob Storage.

mod writing;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{TryStream, TryStreamExt as _};
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectStore, ObjectStoreExt as _};
use tokio::time::timeout;

use super::failure::RequestFailure;
use super::objects::PROGRESS;
use super::{Answer, Objects, Page, Part, PartResponse, Version, Walk};
use crate::arithmetic::length;
use crate::error::{Error, ErrorKind, Result};
use crate::io::network::{Network, Transfer};
use crate::io::sums::KeyStates;

pub(super) use writing::{Made, ObjectState, Replacement, Revision, Upload};

/// The maximum number of keys in a page.
const PAGE: usize = 1000;

/// The number of attempts for an answer.
const TRIES: u32 = 3;

/// A bucket and its client.
pub(super) struct Bucket {
    store: Arc<dyn ObjectStore>,
    /// The same client, for multipart uploads.
    uploads: Arc<dyn MultipartStore>,
    /// The protocol and name.
    address: String,
    failure: RequestFailure,
    network: Arc<Network>,
    /// The time limit of a request, including retries.
    timeout: Duration,
}

/// A failed request: an error of the library, or an error of this crate.
enum RequestError {
    Library(object_store::Error),
    Ours(Error),
}

impl From<object_store::Error> for RequestError {
    fn from(e: object_store::Error) -> Self {
        Self::Library(e)
    }
}

impl From<Error> for RequestError {
    fn from(e: Error) -> Self {
        Self::Ours(e)
    }
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.address).finish()
    }
}

impl Bucket {
    /// Creates the bucket at `address`, as in `s3://name`. `tried` describes the credentials in messages.
    pub(super) fn new<S: ObjectStore + MultipartStore>(
        store: Arc<S>,
        (address, tried): (&str, &str),
        (network, timeout): (&Arc<Network>, Duration),
    ) -> Self {
        Self {
            store: Arc::clone(&store) as Arc<dyn ObjectStore>,
            uploads: store,
            address: address.to_owned(),
            failure: RequestFailure::new(tried),
            network: Arc::clone(network),
            timeout,
        }
    }

    /// The timeout of an attempt.
    fn patience(&self) -> Duration {
        self.timeout / TRIES
    }

    /// Waits for an answer. Returns `None` after a timeout.
    async fn within<T>(&self, answer: impl Future<Output = T>) -> Option<T> {
        let answer = timeout(self.patience(), answer).await;
        if answer.is_err() {
            self.network.failed(Transfer::Download);
        }
        answer.ok()
    }

    /// The error after timeouts in all attempts.
    fn late(&self) -> Error {
        let what = format!("no answer in {} s", self.timeout.as_secs_f64());
        let e = Error::new(ErrorKind::Io, what);
        e.with_remedy("try again later, or wait longer with --timeout SECONDS")
    }

    /// Converts a failed request to an error.
    fn request_error(&self, e: RequestError, key: &str) -> Error {
        match e {
            RequestError::Library(e) => self.failure.of(e, &self.address(key)),
            RequestError::Ours(e) => e.of(&self.address(key)),
        }
    }

    fn path(&self, key: &str) -> Result<Path> {
        let bad = |e| Error::new(ErrorKind::BadName, format!("not a key: {e}"));
        Path::parse(key).map_err(|e| bad(e).of(&self.address(key)))
    }

    async fn ask(
        &self,
        key: &str,
        part: &Part,
        version: Option<&Version>,
    ) -> Result<Option<PartResponse>> {
        let path = self.path(key)?;
        let _request = self.network.request();
        for _ in 0..TRIES {
            let got = self.ask_once(&path, part, version).await;
            if let Some(got) = got.transpose() {
                let got = got.map_err(|e| self.request_error(e, key))?;
                self.network
                    .asked(got.as_ref().map_or(0, |got| got.bytes.len() as u64));
                return Ok(got);
            }
        }
        Err(self.late().of(&self.address(key)))
    }

    /// Sends one request; the library repeats it. Returns the outer `None` after a timeout.
    async fn ask_once(
        &self,
        path: &Path,
        part: &Part,
        version: Option<&Version>,
    ) -> Result<Option<Option<PartResponse>>, RequestError> {
        let options = GetOptions {
            range: range(part),
            if_match: version.map(|v| v.0.clone()),
            ..GetOptions::default()
        };
        let Some(answer) = self.within(self.store.get_opts(path, options)).await else {
            return Ok(None);
        };
        let got = match answer {
            Ok(got) => got,
            Err(object_store::Error::NotFound { .. }) => return Ok(Some(None)),
            Err(e) => {
                let empty = self.empty(path, part).await;
                return Ok(Some(Some(empty.ok_or(e)?)));
            }
        };
        Ok(self.take(got, part).await?.map(Some))
    }

    /// The answer for the first bytes of an empty object: services return an error for this range.
    async fn empty(&self, path: &Path, part: &Part) -> Option<PartResponse> {
        let Part::First(_) = part else {
            return None;
        };
        let meta = self.store.head(path).await.ok()?;
        (meta.size == 0).then_some(PartResponse {
            bytes: vec![],
            total: 0,
            version: meta.e_tag.map(Version),
            modified: Some(meta.last_modified.into()),
        })
    }

    /// Receives the bytes of an answer. Returns `None` after a timeout.
    async fn take(
        &self,
        got: GetResult,
        part: &Part,
    ) -> Result<Option<PartResponse>, RequestError> {
        let total = got.meta.size;
        let version = got.meta.e_tag.clone().map(Version);
        let modified = Some(got.meta.last_modified.into());
        let given = got.range.clone();
        let bytes = match part {
            Part::Whole(most) if total > *most => Some(vec![]),
            Part::Range(range) => self.body(got, length(range)).await?,
            Part::First(most) | Part::Whole(most) => self.body(got, total.min(*most)).await?,
        };
        let Some(bytes) = bytes else {
            return Ok(None);
        };
        let short = match part {
            Part::Range(range) => given != *range || bytes.len() as u64 != length(range),
            Part::First(most) => bytes.len() as u64 != total.min(*most),
            Part::Whole(most) => total <= *most && bytes.len() as u64 != total,
        };
        if short {
            let what = format!(
                "the service returned {} bytes of {total} instead of the requested range",
                bytes.len()
            );
            return Err(Error::new(ErrorKind::Truncated, what).into());
        }
        Ok(Some(PartResponse {
            bytes,
            total,
            version,
            modified,
        }))
    }

    /// Receives a body. Returns `None` if less than [`PROGRESS`] bytes arrive within the timeout. A body that exceeds `most` ends with the
    /// excess chunk, so that its length is wrong.
    async fn body(&self, got: GetResult, most: u64) -> Result<Option<Vec<u8>>, RequestError> {
        let mut bytes = vec![];
        let mut parts = got.into_stream();
        loop {
            match self.within(more(&mut parts, &mut bytes, most)).await {
                None => return Ok(None),
                Some(Err(e)) => return Err(e.into()),
                Some(Ok(true)) => {}
                Some(Ok(false)) => return Ok(Some(bytes)),
            }
        }
    }
}

/// Receives [`PROGRESS`] bytes, or up to the end. Returns whether more may follow.
async fn more(
    parts: &mut (impl TryStream<Ok = impl AsRef<[u8]>, Error = object_store::Error> + Unpin),
    bytes: &mut Vec<u8>,
    most: u64,
) -> object_store::Result<bool> {
    let mut received = 0;
    while received < PROGRESS {
        let Some(part) = parts.try_next().await? else {
            return Ok(false);
        };
        received += part.as_ref().len() as u64;
        bytes.extend_from_slice(part.as_ref());
        if bytes.len() as u64 > most {
            return Ok(false);
        }
    }
    Ok(true)
}

fn range(part: &Part) -> Option<GetRange> {
    match part {
        Part::First(most) => Some(GetRange::Bounded(0..*most)),
        Part::Range(range) => Some(GetRange::Bounded(range.clone())),
        Part::Whole(_) => None,
    }
}

/// The prefix for a list request, without a trailing slash. `None` for the whole bucket.
fn below(path: &Path) -> Option<&Path> {
    (!path.as_ref().is_empty()).then_some(path)
}

impl Objects for Bucket {
    fn address(&self, key: &str) -> String {
        match key {
            "" => self.address.clone(),
            key => format!("{}/{key}", self.address),
        }
    }

    fn network(&self) -> &Network {
        &self.network
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        part: Part,
        version: Option<&'a Version>,
    ) -> Answer<'a, Option<PartResponse>> {
        Box::pin(async move { self.ask(key, &part, version).await })
    }

    fn walk<'a>(&'a self, prefix: &'a str, visit: Page<'a>) -> Walk<'a> {
        Box::pin(async move {
            let path = self.path(prefix)?;
            let failed = |e| self.failure.of(e, &self.address(prefix));
            let list = self.store.list(below(&path)).map_err(failed);
            let mut pages = list.try_chunks(PAGE);
            loop {
                let request = self.network.request();
                let page = self.within(pages.try_next()).await;
                drop(request);
                let page = page.ok_or_else(|| self.late().of(&self.address(prefix)))?;
                let Some(page) = page.map_err(|e| e.1)? else {
                    return Ok(());
                };
                // Pages of the service are joined, so that only the last page is shorter.
                let is_last = page.len() < PAGE;
                let keys = page.into_iter().map(|m| (m.location.to_string(), m.size));
                visit(keys.collect())?;
                if is_last {
                    return Ok(());
                }
            }
        })
    }

    fn states<'a>(&'a self, prefix: &'a str, most: u64) -> Answer<'a, Option<KeyStates>> {
        Box::pin(async move {
            let path = self.path(prefix)?;
            let failed = |e| self.failure.of(e, &self.address(prefix));
            let list = self.store.list(below(&path)).map_err(failed);
            let mut pages = list.try_chunks(PAGE);
            let mut all = KeyStates::default();
            while all.count() <= most {
                let request = self.network.request();
                let page = self.within(pages.try_next()).await;
                drop(request);
                let page = page.ok_or_else(|| self.late().of(&self.address(prefix)))?;
                let Some(page) = page.map_err(|e| e.1)? else {
                    return Ok(Some(all));
                };
                for meta in page {
                    let time = meta.last_modified;
                    let state = meta.e_tag.unwrap_or_else(|| time.to_string());
                    all.add(meta.location.as_ref(), meta.size, &state);
                }
            }
            Ok(None)
        })
    }

    fn children<'a>(&'a self, prefix: &'a str) -> Answer<'a, Vec<String>> {
        Box::pin(async move {
            let path = self.path(prefix)?;
            let _request = self.network.request();
            let list = self
                .within(self.store.list_with_delimiter(below(&path)))
                .await;
            let list = list.ok_or_else(|| self.late().of(&self.address(prefix)))?;
            let list = list.map_err(|e| self.failure.of(e, &self.address(prefix)))?;
            let objects = list.objects.iter().map(|meta| &meta.location);
            let names = objects.chain(&list.common_prefixes);
            let mut names: Vec<_> = names
                .filter(|&name| *name != path)
                .filter_map(|name| name.filename().map(str::to_owned))
                .collect();
            names.sort_unstable();
            names.dedup();
            Ok(names)
        })
    }
}
