//! A request with its redirects.

use std::ops::Range;

use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, HeaderMap, HeaderValue, IF_MATCH, LOCATION, RANGE,
};
use reqwest::{Response, StatusCode, Url};

use super::status::{changed, is_missing};
use super::tries::{Fault, Tries};
use super::{Web, address, headers, transport};
use crate::error::{Error, ErrorKind, OrInternal, Result};
use crate::io::remote::Version;

/// The maximum number of redirects of a request.
const REDIRECTS: usize = 10;

/// The answer of a server.
pub(super) enum Reply {
    /// The object is missing.
    Missing,
    /// The body is the whole object.
    Whole(Response),
    /// The body is a range of the object.
    Part(Response),
    /// The range is past the end of the object.
    Beyond(HeaderMap),
}

impl Web {
    /// Requests an object, or a range of an object. With `version`, the object should have this version.
    ///
    /// # Errors
    /// Returns a fault for any answer that [`Reply`] does not list.
    pub(super) async fn ask(
        &self,
        url: &Url,
        range: Option<&Range<u64>>,
        version: Option<&Version>,
        tries: &Tries,
    ) -> Result<Reply, Fault> {
        let response = self.send(url, &asking(range, version)?, tries).await?;
        let reply = match response.status() {
            status if is_missing(status) => return Ok(Reply::Missing),
            StatusCode::RANGE_NOT_SATISFIABLE if range.is_some() => {
                return Ok(Reply::Beyond(response.headers().clone()));
            }
            StatusCode::OK => Reply::Whole,
            StatusCode::PARTIAL_CONTENT if range.is_some() => Reply::Part,
            _ => return Err(self.refused(&response)),
        };
        headers::unpacked(response.headers())?;
        let found = headers::version(response.headers());
        match version.zip(found.as_ref()) {
            Some((wanted, found)) if wanted != found => Err(changed().into()),
            _ => Ok(reply(response)),
        }
    }

    async fn send(&self, url: &Url, asking: &HeaderMap, tries: &Tries) -> Result<Response, Fault> {
        let mut url = url.clone();
        for _ in 0..=REDIRECTS {
            let response = self.send_to(&url, asking, tries).await?;
            match self.redirect(&response)? {
                Some(next) => url = next,
                None => return Ok(response),
            }
        }
        let what = format!("more than {REDIRECTS} redirects");
        Err(Error::new(ErrorKind::Io, what).into())
    }

    /// Sends a request. Includes the credentials if the request goes to their server.
    async fn send_to(
        &self,
        url: &Url,
        asking: &HeaderMap,
        tries: &Tries,
    ) -> Result<Response, Fault> {
        let mut request = self.client()?.get(url.clone()).headers(asking.clone());
        if let Some(header) = self.credentials.header()
            && self.address.is_origin_of(url)
        {
            request = request.header(AUTHORIZATION, header.clone());
        }
        let sent = tries.within(request.send()).await?;
        sent.map_err(|e| transport::fault(&e))
    }

    /// The target of a redirect.
    fn redirect(&self, response: &Response) -> Result<Option<Url>> {
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let place = response
            .headers()
            .get(LOCATION)
            .and_then(|place| place.to_str().ok());
        let Some(mut next) = place.and_then(|place| response.url().join(place).ok()) else {
            return Ok(None);
        };
        address::strip(&mut next);
        self.check_redirect(response.url(), &next)?;
        Ok(Some(next))
    }

    fn check_redirect(&self, from: &Url, to: &Url) -> Result<()> {
        let secret = self.credentials.header().is_some() || self.address.has_secret();
        let what = match (from.scheme(), to.scheme()) {
            ("https", "http") if secret => {
                "the server redirects to an address without encryption, which is not followed \
                 with credentials"
            }
            (_, "http" | "https") => return Ok(()),
            _ => "the server redirects to something other than a web server",
        };
        Err(Error::new(ErrorKind::Unsupported, what))
    }
}

/// The headers of a request.
fn asking(range: Option<&Range<u64>>, version: Option<&Version>) -> Result<HeaderMap> {
    let mut asking = HeaderMap::new();
    asking.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some(range) = range {
        let last = range.end.max(1) - 1;
        asking.insert(RANGE, value(&format!("bytes={}-{last}", range.start))?);
    }
    if let Some(tag) = version.filter(|version| headers::is_strong(version)) {
        asking.insert(IF_MATCH, value(&tag.0)?);
    }
    Ok(asking)
}

fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text)
        .ok()
        .or_internal("text that a header can have")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::remote::web::WebAccess;

    #[test]
    fn credentials_do_not_go_on_without_encryption() {
        let url = |text| Url::parse(text).unwrap();
        let check = |base, from, to| {
            let web = Web::connect(base, WebAccess::default()).unwrap();
            web.check_redirect(&url(from), &url(to)).is_ok()
        };
        assert!(!check("https://me:pw@a/", "https://a/", "http://a/"));
        assert!(!check("https://a/?sig=1", "https://a/", "http://b/"));
        assert!(check("https://a/", "https://a/", "http://a/"));
        assert!(check("http://me:pw@a/", "http://a/", "https://a/"));
        assert!(!check("https://a/", "https://a/", "file:///etc/passwd"));
    }
}
