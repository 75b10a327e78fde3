//! Datasets on other machines: web servers and object stores, behind the traits of [`crate::io`].
//!
//! [`Objects`] is what every service can do: give parts of an object, and list keys where it can. `source` makes a
//! [`Source`](crate::io::Source) of one object and `store` a [`Store`](crate::io::Store) of all keys below a prefix. Requests are
//! futures that a few threads of our own wait for ([`wait`]); none of this shows outside.

mod bucket;
mod connect;
mod downloaded;
mod failure;
mod instance;
mod listed;
mod open;
mod outage;
mod reach;
mod settings;
mod shared;
mod source;
mod store;
#[cfg(test)]
mod tests;
mod wait;
mod web;
mod writing;

pub use open::{any, exists, source, store, store_target, target};
pub use shared::{begin_claimed, end_of_claimed, part_of_claimed, remove_claimed};

use std::fmt::Debug;
use std::ops::Range;
use std::pin::Pin;
use std::time::SystemTime;

use crate::error::Result;
use crate::io::network::Network;
use crate::io::sums::KeyStates;

/// What the keys below a key begin with: nothing if the key is empty.
fn below(key: &str) -> String {
    match key {
        "" => String::new(),
        key => format!("{key}/"),
    }
}

/// What a service will answer.
pub(super) type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Objects of one service: a bucket, or a web server. Keys have no leading `/`.
///
/// Errors name the object by its address and say what was expected; no error, and no `Debug` output, has credentials in it. Requests
/// that fail for a while (time-outs, broken connections, 429, 5xx) are repeated before they are an error.
pub(super) trait Objects: Debug + Send + Sync {
    /// The address of an object, for messages.
    fn address(&self, key: &str) -> String;

    /// Where requests are counted.
    fn network(&self) -> &Network;

    /// A part of an object; `None` if there is no such object. With `version`, it must be the object's.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Changed`] if the object has another version by now; [`crate::ErrorKind::Truncated`] for a range past the end;
    /// [`crate::ErrorKind::Io`].
    fn get<'a>(
        &'a self,
        key: &'a str,
        part: Part,
        version: Option<&'a Version>,
    ) -> Answer<'a, Option<Got>>;

    /// All keys that begin with `prefix`, sorted by bytes; `visit` is called with a page of them at a time.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] where nothing can be listed; [`crate::ErrorKind::Io`], and those of `visit`.
    fn walk<'a>(&'a self, prefix: &'a str, visit: Page<'a>) -> Walk<'a>;

    /// The states of all keys with this prefix; `None` for more than `most` keys, or if the server cannot list keys.
    ///
    /// # Errors
    /// As [`Objects::walk`].
    fn states<'a>(&'a self, _prefix: &'a str, _most: u64) -> Answer<'a, Option<KeyStates>> {
        Box::pin(async { Ok(None) })
    }

    /// The names directly below `prefix`, which is empty or ends in `/`, sorted by bytes: of objects, and of what objects are below.
    ///
    /// # Errors
    /// As [`Objects::walk`].
    fn children<'a>(&'a self, prefix: &'a str) -> Answer<'a, Vec<String>>;
}

/// Takes keys and their sizes in bytes.
pub(super) type Page<'a> = &'a mut dyn FnMut(Vec<(String, u64)>) -> Result<()>;

/// A walk, which stays on the thread that waits for it: so the visitor need not leave that thread.
pub(super) type Walk<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// The part of an object that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// The first bytes, at most so many; all, if there are fewer.
    First(u64),
    /// These bytes, all of which have to be there. There is at least one.
    Range(Range<u64>),
    /// All bytes, if there are no more than so many; of a longer object none, only its length.
    Whole(u64),
}

/// What identifies the state of an object: its entity tag, as the service wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version(pub String);

/// The answer for a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Got {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Length of the whole object in bytes.
    pub total: u64,
    /// The version, if the service tells.
    pub version: Option<Version>,
    /// The time of the last change, if the service has times.
    pub modified: Option<SystemTime>,
}
