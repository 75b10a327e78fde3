//! Collects the bytes of a part, with retries.

use std::ops::{Deref, Range};

use reqwest::header::HeaderMap;
use reqwest::{Response, Url};

use super::headers::{self, is_strong};
use super::request::Reply;
use super::tries::{Fault, Tries};
use super::{First, Web, transport};
use crate::arithmetic::{Amount, length};
use crate::error::{Error, ErrorKind, Result};
use crate::io::network::Transfer;
use crate::io::remote::{Part, PartResponse, Version};

impl Web {
    /// Fetches a part of an object.
    pub(super) async fn fetch(
        &self,
        key: &str,
        part: Part,
        version: Option<&Version>,
    ) -> Result<First> {
        let url = self.address.of(key)?;
        let _request = self.access.network.request();
        let mut tries = self.tries();
        let mut taken = ReceivedPart::new(part, version.cloned());
        loop {
            match self.fetch_once(&url, &mut taken, &tries).await {
                Ok(first) => {
                    if let First::Part(Some(got)) = &first {
                        self.access.network.asked(got.bytes.len() as u64);
                    }
                    return Ok(first);
                }
                Err(fault) => {
                    self.access.network.failed(Transfer::Download);
                    taken.keep_or_drop();
                    let again = tries.again(fault).await;
                    again.map_err(|e| e.of(&self.address.shown(key)))?;
                }
            }
        }
    }

    async fn fetch_once(
        &self,
        url: &Url,
        taken: &mut ReceivedPart,
        tries: &Tries,
    ) -> Result<First, Fault> {
        let range = taken.missing();
        let reply = self
            .ask(url, range.as_ref(), taken.version(), tries)
            .await?;
        match (reply, range) {
            (Reply::Missing, _) => return Ok(First::Part(None)),
            (Reply::Beyond(headers), _) => taken.nothing(&headers)?,
            (Reply::Part(response), Some(range)) => taken.part(response, &range, tries).await?,
            (Reply::Whole(response), _) if taken.is_whole() => taken.all(response, tries).await?,
            (Reply::Whole(response), _) if response.content_length() == Some(0) => {
                taken.nothing(response.headers())?;
            }
            (Reply::Part(response) | Reply::Whole(response), _) => {
                let length = response.content_length();
                return Ok(First::NoRanges { length });
            }
        }
        Ok(First::Part(Some(taken.got())))
    }
}

/// The received bytes of a part.
struct ReceivedPart {
    part: Part,
    /// The requested version.
    wanted: Option<Version>,
    /// The version of the received bytes.
    found: Option<Version>,
    bytes: Vec<u8>,
    total: u64,
}

impl ReceivedPart {
    fn new(part: Part, wanted: Option<Version>) -> Self {
        Self {
            part,
            wanted,
            found: None,
            bytes: vec![],
            total: 0,
        }
    }

    fn have(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn is_whole(&self) -> bool {
        matches!(self.part, Part::Whole(_))
    }

    /// The version that the next answer must have.
    fn version(&self) -> Option<&Version> {
        let found = self.found.as_ref().filter(|_| !self.bytes.is_empty());
        self.wanted.as_ref().or(found)
    }

    /// The range of the next request. `None` requests the whole object.
    fn missing(&self) -> Option<Range<u64>> {
        let have = self.have();
        match &self.part {
            Part::First(n) if have == 0 => Some(0..(*n).max(1)),
            Part::First(n) => Some(have..(*n).min(self.total)),
            Part::Range(range) => Some((Amount::of(range.start) + have).get()..range.end),
            Part::Whole(_) => (have > 0).then_some(have..self.total),
        }
    }

    /// Prepares a retry. Keeps the received bytes only if a strong tag identifies the object.
    fn keep_or_drop(&mut self) {
        let surely = self.found.as_ref().is_some_and(is_strong) && self.total > self.have();
        let rest = self.missing().is_none_or(|range| !range.is_empty());
        if !surely || !rest {
            self.bytes.clear();
        }
    }

    /// Handles an answer without any requested bytes.
    fn nothing(&mut self, headers: &HeaderMap) -> Result<()> {
        let total = headers::sent(headers).and_then(|sent| sent.total);
        match (&self.part, total) {
            (Part::First(_), None | Some(0)) if self.bytes.is_empty() => {
                self.found = headers::version(headers);
                self.total = 0;
                Ok(())
            }
            (Part::Range(range), total) => Err(too_short(range, total.unwrap_or(0))),
            _ => Err(other_bytes()),
        }
    }

    /// Handles an answer with a range.
    async fn part(
        &mut self,
        response: Response,
        asked: &Range<u64>,
        tries: &Tries,
    ) -> Result<(), Fault> {
        let sent = headers::sent(response.headers()).ok_or_else(other_bytes)?;
        let total = sent.total.ok_or_else(no_length)?;
        if let Part::Range(range) = &self.part
            && range.end > total
        {
            return Err(too_short(range, total).into());
        }
        let expected = asked.start..asked.end.min(total);
        if sent.range.as_ref() != Some(&expected) || (self.have() > 0 && total != self.total) {
            return Err(other_bytes().into());
        }
        self.found = headers::version(response.headers());
        self.total = total;
        let end = (Amount::of(self.have()) + length(&expected)).get();
        self.read(response, Some(end), end, tries).await
    }

    /// Handles an answer with the whole object.
    async fn all(&mut self, response: Response, tries: &Tries) -> Result<(), Fault> {
        let Part::Whole(most) = self.part else {
            return Err(Error::internal("an answer for the whole object").into());
        };
        self.bytes.clear();
        self.found = headers::version(response.headers());
        let length = response.content_length();
        self.total = length.unwrap_or(0);
        if self.total > most {
            return Ok(());
        }
        self.read(response, length, most, tries).await?;
        self.total = self.have();
        Ok(())
    }

    /// Reads a body. Afterwards the part has `end` bytes if known, and at most `most` bytes.
    async fn read(
        &mut self,
        mut response: Response,
        end: Option<u64>,
        most: u64,
        tries: &Tries,
    ) -> Result<(), Fault> {
        while let Some(bytes) = next(&mut response, tries).await? {
            let have = (Amount::of(self.have()) + bytes.len()).get();
            if have > end.unwrap_or(most) {
                return Err(end.map_or_else(|| too_long(most), |_| other_bytes()).into());
            }
            self.bytes.extend_from_slice(&bytes);
        }
        ended(self.have(), end)
    }

    fn got(&mut self) -> PartResponse {
        let mut bytes = std::mem::take(&mut self.bytes);
        if self.part == Part::First(0) {
            bytes.clear();
        }
        PartResponse {
            bytes,
            total: self.total,
            version: self.found.take(),
            modified: None,
        }
    }
}

/// Reads the next bytes of a body.
pub(super) async fn next(
    response: &mut Response,
    tries: &Tries,
) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Fault> {
    let chunk = tries.within(response.chunk()).await?;
    chunk.map_err(|e| transport::fault(&e))
}

/// Checks that a body is complete.
pub(super) fn ended(have: u64, end: Option<u64>) -> Result<(), Fault> {
    match end {
        Some(end) if have < end => Err(Fault::passing("the answer ended early")),
        _ => Ok(()),
    }
}

fn other_bytes() -> Error {
    let what = "the server returned bytes outside the requested range";
    Error::new(ErrorKind::Corrupt, what)
}

fn too_short(range: &Range<u64>, total: u64) -> Error {
    let what = format!(
        "bytes up to {} are needed, but the file has {total}",
        range.end
    );
    Error::new(ErrorKind::Truncated, what)
}

fn no_length() -> Error {
    let what = "the server does not report the file length";
    Error::new(ErrorKind::Unsupported, what).with_remedy("download the file first")
}

fn too_long(most: u64) -> Error {
    let what = format!("more than {most} bytes, and the server does not report the length");
    Error::new(ErrorKind::Limit, what)
}
