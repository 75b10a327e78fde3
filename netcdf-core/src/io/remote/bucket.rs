//! The objects of a bucket or container: S3, Google Cloud Storage, Azure's blobs.

use std::fmt;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectStore, ObjectStoreExt as _};

use super::failure::Failure;
use super::{Answer, Got, Objects, Page, Part, Version, Walk};
use crate::arithmetic::length;
use crate::error::{Error, ErrorKind, Result};

/// Keys that are handed on together.
const PAGE: usize = 1000;

/// A bucket, and how it is reached.
pub(super) struct Bucket {
    store: Arc<dyn ObjectStore>,
    /// Protocol and name.
    address: String,
    failure: Failure,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.address).finish()
    }
}

impl Bucket {
    /// The bucket at `address`, as in `s3://name`. `tried` says in words with which credentials it is asked.
    pub fn new(store: Arc<dyn ObjectStore>, address: &str, tried: &str) -> Self {
        Self {
            store,
            address: address.to_owned(),
            failure: Failure::new(tried),
        }
    }

    fn path(&self, key: &str) -> Result<Path> {
        let bad = |e| Error::new(ErrorKind::BadName, format!("not a key: {e}"));
        Path::parse(key).map_err(|e| bad(e).of(&self.address(key)))
    }

    async fn ask(&self, key: &str, part: &Part, version: Option<&Version>) -> Result<Option<Got>> {
        let path = self.path(key)?;
        let options = GetOptions {
            range: range(part),
            if_match: version.map(|v| v.0.clone()),
            ..GetOptions::default()
        };
        let failed = |e| self.failure.of(e, &self.address(key));
        let got = match self.store.get_opts(&path, options).await {
            Ok(got) => got,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(e) => {
                return self
                    .empty(&path, part)
                    .await
                    .map(Some)
                    .ok_or(e)
                    .map_err(failed);
            }
        };
        self.take(got, key, part).await.map_err(failed)?.map(Some)
    }

    /// The answer for the first bytes of an object without any: services refuse to give them.
    async fn empty(&self, path: &Path, part: &Part) -> Option<Got> {
        let Part::First(_) = part else {
            return None;
        };
        let meta = self.store.head(path).await.ok()?;
        (meta.size == 0).then_some(Got {
            bytes: vec![],
            total: 0,
            version: meta.e_tag.map(Version),
        })
    }

    /// Takes the bytes of an answer. The inner error is about what was given, the outer about the service.
    async fn take(
        &self,
        got: GetResult,
        key: &str,
        part: &Part,
    ) -> Result<Result<Got>, object_store::Error> {
        let total = got.meta.size;
        let version = got.meta.e_tag.clone().map(Version);
        let given = got.range.clone();
        let bytes = match part {
            Part::Whole(most) if total > *most => vec![],
            Part::Range(range) => body(got, length(range)).await?,
            Part::First(most) | Part::Whole(most) => body(got, total.min(*most)).await?,
        };
        let short = match part {
            Part::Range(range) => given != *range || bytes.len() as u64 != length(range),
            Part::First(most) => bytes.len() as u64 != total.min(*most),
            Part::Whole(most) => total <= *most && bytes.len() as u64 != total,
        };
        if short {
            let what = format!(
                "the service gave {} bytes of {total}, not those that were asked for",
                bytes.len()
            );
            return Ok(Err(
                Error::new(ErrorKind::Truncated, what).of(&self.address(key))
            ));
        }
        Ok(Ok(Got {
            bytes,
            total,
            version,
        }))
    }
}

/// The bytes of an answer. Of more than `most`, one chunk of the network too many is kept, so that their number is not the one expected.
async fn body(got: GetResult, most: u64) -> Result<Vec<u8>, object_store::Error> {
    let mut bytes = vec![];
    let mut parts = got.into_stream();
    while let Some(part) = parts.try_next().await? {
        bytes.extend_from_slice(&part);
        if bytes.len() as u64 > most {
            break;
        }
    }
    Ok(bytes)
}

fn range(part: &Part) -> Option<GetRange> {
    match part {
        Part::First(most) => Some(GetRange::Bounded(0..*most)),
        Part::Range(range) => Some(GetRange::Bounded(range.clone())),
        Part::Whole(_) => None,
    }
}

/// The prefix of a list, which has no slash at its end.
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

    fn get<'a>(
        &'a self,
        key: &'a str,
        part: Part,
        version: Option<&'a Version>,
    ) -> Answer<'a, Option<Got>> {
        Box::pin(async move { self.ask(key, &part, version).await })
    }

    fn walk<'a>(&'a self, prefix: &'a str, visit: Page<'a>) -> Walk<'a> {
        Box::pin(async move {
            let path = self.path(prefix)?;
            let failed = |e| self.failure.of(e, &self.address(prefix));
            let list = self.store.list(below(&path)).map_err(failed);
            let mut pages = list.try_chunks(PAGE);
            loop {
                let page = pages.try_next().await.map_err(|e| e.1)?;
                let Some(page) = page else {
                    return Ok(());
                };
                visit(
                    page.into_iter()
                        .map(|m| (m.location.to_string(), m.size))
                        .collect(),
                )?;
            }
        })
    }

    fn children<'a>(&'a self, prefix: &'a str) -> Answer<'a, Vec<String>> {
        Box::pin(async move {
            let path = self.path(prefix)?;
            let list = self.store.list_with_delimiter(below(&path)).await;
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
