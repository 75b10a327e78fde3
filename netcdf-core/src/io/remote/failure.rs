//! Errors of object stores.

use std::error::Error as _;

use super::reach;
use crate::error::{Error, ErrorKind};
use crate::shown::without_secrets;

/// The error codes for a missing bucket or container.
const MISSING: [&str; 2] = [
    "<Code>NoSuchBucket</Code>",
    "<Code>ContainerNotFound</Code>",
];

/// Converts errors of the library.
#[derive(Debug)]
pub(super) struct RequestFailure {
    /// A description of the credentials.
    tried: String,
}

impl RequestFailure {
    /// `tried` describes the credentials in messages.
    pub(super) fn new(tried: &str) -> Self {
        let tried = tried.to_owned();
        Self { tried }
    }

    /// The error for a failed read of an object.
    pub(super) fn of(&self, e: object_store::Error, address: &str) -> Error {
        self.of_any("cannot be read", e, address)
    }

    /// The error for a failed write of an object.
    pub(super) fn of_writing(&self, e: object_store::Error, address: &str) -> Error {
        self.of_any("cannot be written", e, address)
    }

    fn of_any(&self, failed: &str, e: object_store::Error, address: &str) -> Error {
        use object_store::Error as E;
        let address = address.trim_end_matches('/');
        if let Some(tls) = reach::refusal(&e) {
            return reach::unsafe_connection(tls).of(address);
        }
        let error = match &e {
            E::NotFound { .. } => Error::new(ErrorKind::NotFound, "no such object or bucket"),
            E::Precondition { .. } | E::NotModified { .. } => changed(),
            E::PermissionDenied { .. } | E::Unauthenticated { .. } => {
                let what = format!("the service denies access with {}", self.tried);
                let e = Error::new(ErrorKind::Io, what);
                e.with_remedy(match address.starts_with("s3:") {
                    true => "name other credentials with AWS_PROFILE or #aws.profile=NAME",
                    false => "name other credentials",
                })
            }
            e if is_refused_list(&innermost(e)) => {
                let what = format!("the service refuses lists of keys with {}", self.tried);
                let e = Error::new(ErrorKind::Io, what);
                e.with_remedy(
                    "for a Zarr store with consolidated metadata, add #mode=zarr,consolidated to the address",
                )
            }
            // For a list request, the library does not return `NotFound`.
            e if MISSING.iter().any(|code| innermost(e).contains(code)) => {
                Error::new(ErrorKind::NotFound, "no such bucket")
            }
            _ => Error::new(ErrorKind::Io, format!("{failed}: {}", innermost(&e))),
        };
        error.of(address)
    }
}

/// Whether a text is the library's message about a list request without permission.
fn is_refused_list(text: &str) -> bool {
    text.contains("list request") && text.contains("403 Forbidden")
}

/// The error for an object that changed during a read.
pub(super) fn changed() -> Error {
    let what = "the object changed while it was read";
    let e = Error::new(ErrorKind::Changed, what);
    e.with_remedy("read it again when no program writes it")
}

/// The messages of an error and its causes. Secrets are removed from addresses.
fn innermost(e: &object_store::Error) -> String {
    let mut text = match e {
        object_store::Error::Generic { source, .. } => source.to_string(),
        e => e.to_string(),
    };
    let mut behind = e.source().and_then(std::error::Error::source);
    while let Some(e) = behind {
        let more = e.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        behind = e.source();
    }
    without_secrets(&text).into_owned()
}
