//! Errors for the status of an answer.

use std::time::Duration;

use reqwest::{Response, StatusCode};

use super::tries::Fault;
use super::{Web, headers};
use crate::error::{Error, ErrorKind};

impl Web {
    /// The fault of an answer without object data.
    pub(super) fn refused(&self, response: &Response) -> Fault {
        let status = response.status();
        match status.as_u16() {
            401 | 403 => self.not_allowed(response).into(),
            412 => changed().into(),
            408 | 425 | 429 | 500 | 502 | 503 | 504 => busy(response),
            _ => {
                let what = format!("the server answered {status}");
                Error::new(ErrorKind::Io, what).into()
            }
        }
    }

    fn not_allowed(&self, response: &Response) -> Error {
        let mut what = format!("the server answered {}, asked ", response.status());
        let elsewhere = !self.address.is_origin_of(response.url());
        match (elsewhere, response.url().host_str()) {
            (true, Some(host)) => {
                what.push_str("without credentials: it redirects to ");
                what.push_str(host);
            }
            _ => what.push_str(self.credentials.words()),
        }
        let remedy = match (elsewhere, self.credentials.header()) {
            (true, _) => "to send a login or token there, use the address that it redirects to",
            (_, None) => "give a login or a token for this server",
            (_, Some(_)) => "check their read permissions",
        };
        Error::new(ErrorKind::Io, what).with_remedy(remedy)
    }
}

fn busy(response: &Response) -> Fault {
    let after: Option<Duration> = headers::retry_after(response.headers());
    let reason = format!("the server answered {}", response.status());
    Fault::Passing { reason, after }
}

/// The error for an object with another version.
pub(super) fn changed() -> Error {
    Error::new(ErrorKind::Changed, "the file changed while it was read")
}

/// Whether the status means a missing object.
pub(super) fn is_missing(status: StatusCode) -> bool {
    matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE)
}
