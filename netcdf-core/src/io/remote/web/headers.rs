//! What the headers of an answer say.

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

/// True for a tag that only objects with the same bytes share: weak ones begin with `W/`, times with a weekday.
pub(super) fn is_strong(version: &Version) -> bool {
    version.0.starts_with('"')
}

/// The bytes that a header `Content-Range` says are there, and the length of the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    /// None for an answer that has no bytes.
    pub range: Option<Range<u64>>,
    /// None if the server does not tell.
    pub total: Option<u64>,
}

/// The header `Content-Range`; `None` if it is missing or means nothing.
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

/// The pause that the server asks for, if in seconds.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = text(headers, RETRY_AFTER)?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Checks that the bytes are those of the object, not packed on the way.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if they are.
pub(super) fn unpacked(headers: &HeaderMap) -> Result<()> {
    match text(headers, CONTENT_ENCODING) {
        None | Some("" | "identity") => Ok(()),
        Some(how) => {
            let what = format!("the server compresses the bytes ({how}), though asked not to");
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
