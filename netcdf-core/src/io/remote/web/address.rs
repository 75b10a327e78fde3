//! Addresses of objects, in a form for requests and a form for messages.

use reqwest::Url;

use crate::error::{Error, ErrorKind, Result};
use crate::io::address::decoded;
use crate::shown::ShownAddress;

/// The address of a file or store, without login.
#[derive(Clone)]
pub(super) struct WebAddress(Url);

/// User and password.
pub(super) type Login = (String, String);

impl WebAddress {
    /// Parses an address, and separates the login.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] unless the protocol is `http` or `https`. The error does not show the text, which may contain a password.
    pub(super) fn parse(text: &str) -> Result<(Self, Option<Login>)> {
        let wrong = |why: &str| {
            let what = format!("not the address of a web server: {why}");
            Error::new(ErrorKind::Argument, what)
        };
        let mut url = Url::parse(text).map_err(|e| wrong(&e.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("it does not begin with http:// or https://"));
        }
        let login = login(&url);
        strip(&mut url);
        Ok((Self(url), login))
    }

    /// The address of an object. An empty key is the base address.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for keys that an address cannot contain.
    pub(super) fn of(&self, key: &str) -> Result<Url> {
        self.joined(key).ok_or_else(|| {
            let what = "a key that a web address cannot contain";
            Error::new(ErrorKind::Unsupported, what).of(&self.shown(key))
        })
    }

    /// Like [`WebAddress::of`], for messages: without the query.
    pub(super) fn shown(&self, key: &str) -> String {
        match self.joined(key) {
            Some(url) => shown(&url),
            None => format!("{}/{key}", shown(&self.0)),
        }
    }

    fn joined(&self, key: &str) -> Option<Url> {
        let mut url = self.0.clone();
        // The URL parser would silently change these characters.
        let odd = |part: &str| part == "." || part == ".." || part.contains(['\t', '\n', '\r']);
        if key.split('/').any(odd) {
            return None;
        }
        if !key.is_empty() {
            let mut path = url.path_segments_mut().ok()?;
            path.pop_if_empty().extend(key.split('/'));
        }
        Some(url)
    }

    /// Whether two addresses have the same scheme, host and port.
    pub(super) fn is_origin_of(&self, url: &Url) -> bool {
        self.0.origin() == url.origin()
    }

    /// Whether the address is not encrypted.
    pub(super) fn is_plain(&self) -> bool {
        self.0.scheme() == "http"
    }

    /// Whether the query may contain a secret.
    pub(super) fn has_secret(&self) -> bool {
        has_secret(&self.0)
    }
}

/// Removes login and fragment, which are not part of a request's address.
pub(super) fn strip(url: &mut Url) {
    // These calls cannot fail for addresses with a host, and every `http` address has a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
}

/// The form of an address for messages.
fn shown(url: &Url) -> String {
    ShownAddress::new(url.as_str()).into_text()
}

fn has_secret(url: &Url) -> bool {
    let secret = |name: &str| {
        let name = name.to_ascii_lowercase();
        let part = |word| name.contains(word);
        let words = [
            "signature",
            "token",
            "password",
            "passwd",
            "secret",
            "credential",
            "auth",
        ];
        name == "sig" || name.ends_with("key") || words.into_iter().any(part)
    };
    url.query_pairs().any(|(name, _)| secret(&name))
}

fn login(url: &Url) -> Option<Login> {
    let (user, password) = (url.username(), url.password());
    let any = !user.is_empty() || password.is_some();
    any.then(|| (decoded(user), decoded(password.unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> WebAddress {
        WebAddress::parse(text).unwrap().0
    }

    #[test]
    fn keys_go_before_the_query() {
        let base = address("https://host/a%20b/s.zarr/?v=1#part");
        let of = |key| base.of(key).unwrap().to_string();
        assert_eq!(of(""), "https://host/a%20b/s.zarr/?v=1");
        assert_eq!(of("t/c/0"), "https://host/a%20b/s.zarr/t/c/0?v=1");
        assert_eq!(of(".zgroup"), "https://host/a%20b/s.zarr/.zgroup?v=1");
        assert_eq!(
            of("é ?#%2e"),
            "https://host/a%20b/s.zarr/%C3%A9%20%3F%23%252e?v=1"
        );
        assert_eq!(
            base.shown("t/.zarray"),
            "https://host/a%20b/s.zarr/t/.zarray"
        );
        for key in ["a/../b", ".", "a\tb"] {
            assert_eq!(base.of(key).unwrap_err().kind(), ErrorKind::Unsupported);
        }
        assert!(base.shown("a/../b").ends_with("/a/../b"));
        assert_eq!(
            address("http://host").of("k").unwrap().as_str(),
            "http://host/k"
        );
    }

    #[test]
    fn logins_are_taken_out() {
        let (base, login) = WebAddress::parse("http://me%40x:p%3Aw%@host/f").unwrap();
        assert_eq!(login, Some(("me@x".to_owned(), "p:w%".to_owned())));
        assert_eq!(base.shown(""), "http://host/f");
        for text in ["ftp://me:secret@host", "http://me:secret@host:x/", "secret"] {
            let e = WebAddress::parse(text).err().unwrap();
            assert_eq!(e.kind(), ErrorKind::Argument);
            assert!(!e.to_string().contains("secret"), "{e}");
        }
    }

    #[test]
    fn secrets_of_queries_are_not_shown() {
        for query in [
            "X-Amz-Signature=x",
            "a=1&sig=x",
            "token=x",
            "api_key=x",
            "Key=x",
        ] {
            let base = address(&format!("http://host/f?{query}"));
            assert_eq!(
                (base.shown("k"), base.has_secret()),
                ("http://host/f/k".into(), true)
            );
        }
        assert_eq!(address("http://host/f?year=1").shown(""), "http://host/f");
    }
}
