//! Parses response headers.

use std::ops::Range;
use std::time::Duration;

use reqwest::header::{
    CONTENT_ENCODING, CONTENT_RANGE, ETAG, HeaderMap, HeaderName, LAST_MODIFIED, RETRY_AFTER,
};

use crate::error::{Error, ErrorKind, Result};
use crate::io::remote::Version;

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// The entity tag, or else the time of the last change.
pub(super) fn version(headers: &HeaderMap) -> Option<Version> {
    let found = text(headers, ETAG).or_else(|| text(headers, LAST_MODIFIED));
    found.map(|text| Version(text.to_owned()))
}

/// Whether a version is a strong tag: only identical objects share it. Weak tags begin with `W/`, and times begin with a weekday.
pub(super) fn is_strong(version: &Version) -> bool {
    version.0.starts_with('"')
}

/// The range and object length in a `Content-Range` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    /// `None` for an answer without bytes.
    pub range: Option<Range<u64>>,
    /// `None` if the server does not report the length.
    pub total: Option<u64>,
}

/// Parses the header `Content-Range`. Returns `None` if it is missing or invalid.
pub(super) fn sent(headers: &HeaderMap) -> Option<Sent> {
    parse(text(headers, CONTENT_RANGE)?)
}

fn parse(text: &str) -> Option<Sent> {
    let (unit, rest) = text.split_once(' ')?;
    let (range, total) = rest.trim().split_once('/')?;
    let range = match range {
        "*" => None,
        range => Some(inclusive(range)?),
    };
    let total = match total {
        "*" => None,
        total => Some(total.parse().ok()?),
    };
    let fits = range
        .as_ref()
        .zip(total)
        .is_none_or(|(range, total)| range.end <= total);
    (unit.eq_ignore_ascii_case("bytes") && fits).then_some(Sent { range, total })
}

fn inclusive(text: &str) -> Option<Range<u64>> {
    let (first, last) = text.split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    let range = first..last.checked_add(1)?;
    (!range.is_empty()).then_some(range)
}

/// The pause that the server requests in seconds.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = text(headers, RETRY_AFTER)?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Checks that the transferred bytes are not compressed.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for compressed bytes.
pub(super) fn unpacked(headers: &HeaderMap) -> Result<()> {
    match text(headers, CONTENT_ENCODING) {
        None | Some("" | "identity") => Ok(()),
        Some(how) => {
            let what = format!("the server compresses the bytes ({how}) against the request");
            Err(Error::new(ErrorKind::Unsupported, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges() {
        let sent = |range, total| Some(Sent { range, total });
        assert_eq!(parse("bytes 0-9/20"), sent(Some(0..10), Some(20)));
        assert_eq!(parse("Bytes 3-3/*"), sent(Some(3..4), None));
        assert_eq!(parse("bytes */0"), sent(None, Some(0)));
        let wrong = [
            "bytes 5-4/20",
            "bytes 0-20/20",
            "bytes 0-9",
            "items 0-9/20",
            "bytes -9/20",
            "bytes 0-18446744073709551615/*",
            "",
        ];
        for text in wrong {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
