//! The interface of a service: reads ranges of objects, and lists keys if the service supports lists.

use std::fmt::Debug;
use std::ops::Range;
use std::pin::Pin;
use std::time::SystemTime;

use crate::error::Result;
use crate::io::network::Network;
use crate::io::sums::KeyStates;

/// The number of bytes that must arrive within the timeout, so that a server which sends single bytes cannot block a run forever.
pub(super) const PROGRESS: u64 = 16 << 10;

/// The prefix of the keys below a key; empty for the empty key.
pub(in crate::io) fn below(key: &str) -> String {
    match key {
        "" => String::new(),
        key => format!("{key}/"),
    }
}

/// The pending answer of a service.
pub(in crate::io) type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Objects of one service: a bucket, or a web server. Keys have no leading `/`.
///
/// Errors name the object's address and the expected answer. Errors and `Debug` output never contain credentials. Transient failures
/// (timeouts, broken connections, 429, 5xx) are retried before they become an error.
pub(in crate::io) trait Objects: Debug + Send + Sync {
    /// The address of an object, for messages.
    fn address(&self, key: &str) -> String;

    /// The request statistics.
    fn network(&self) -> &Network;

    /// A part of an object; `None` if the object is missing. With `version`, the object must still have this version.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Changed`] if the object has another version; [`crate::ErrorKind::Truncated`] for a range past the end;
    /// [`crate::ErrorKind::Io`].
    fn get<'a>(
        &'a self,
        key: &'a str,
        part: Part,
        version: Option<&'a Version>,
    ) -> Answer<'a, Option<PartResponse>>;

    /// Visits all keys that begin with `prefix`, sorted by bytes. `visit` receives one page of keys at a time.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] if the service lists no keys; [`crate::ErrorKind::Io`], and errors of `visit`.
    fn walk<'a>(&'a self, prefix: &'a str, visit: Page<'a>) -> Walk<'a>;

    /// The states of all keys with this prefix; `None` for more than `most` keys, or if the server cannot list keys.
    ///
    /// # Errors
    /// Returns the errors of [`Objects::walk`].
    fn states<'a>(&'a self, _prefix: &'a str, _most: u64) -> Answer<'a, Option<KeyStates>> {
        Box::pin(async { Ok(None) })
    }

    /// The names directly below `prefix`, of objects and of longer prefixes, sorted by bytes. `prefix` is empty or ends in `/`.
    ///
    /// # Errors
    /// Returns the errors of [`Objects::walk`].
    fn children<'a>(&'a self, prefix: &'a str) -> Answer<'a, Vec<String>>;
}

/// A part of an object ([`Objects::get`]). The request waits for the request limit.
///
/// # Errors
/// Returns the errors of [`Objects::get`], and [`crate::ErrorKind::Cancelled`].
pub(in crate::io) async fn limited(
    objects: &dyn Objects,
    key: &str,
    part: Part,
    version: Option<&Version>,
) -> Result<Option<PartResponse>> {
    let bytes = |got: &Option<PartResponse>| got.as_ref().map_or(0, |got| got.bytes.len() as u64);
    let request = objects.get(key, part, version);
    objects.network().downloads.run(request, bytes).await
}

/// Receives a page of keys and their sizes in bytes.
pub(in crate::io) type Page<'a> = &'a mut dyn FnMut(Vec<(String, u64)>) -> Result<()>;

/// A traversal. It stays on the waiting thread, so the visitor need not be `Send`.
pub(in crate::io) type Walk<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// The requested part of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::io) enum Part {
    /// The first bytes up to this number; all bytes of a shorter object.
    First(u64),
    /// This range, which is not empty and must exist.
    Range(Range<u64>),
    /// All bytes up to this maximum; only the length of a longer object.
    Whole(u64),
}

/// The state of an object: the entity tag, in the form of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::io) struct Version(pub String);

/// The answer for a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::io) struct PartResponse {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Length of the whole object in bytes.
    pub total: u64,
    /// The version, if the service reports one.
    pub version: Option<Version>,
    /// The time of the last change, if the service has times.
    pub modified: Option<SystemTime>,
}
