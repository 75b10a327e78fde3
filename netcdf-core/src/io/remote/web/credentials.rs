//! Credentials for a web server.

use reqwest::Client;
use reqwest::header::{AUTHORIZATION, HeaderValue};

use super::access::WebAccess;
use super::address::{Login, WebAddress};
use crate::error::{Error, ErrorKind, OrInternal, Result};

/// The header `Authorization` if present, and its source. It is only sent to the server of the address.
pub(super) struct Credentials {
    header: Option<HeaderValue>,
    words: &'static str,
}

impl Credentials {
    /// Selects the login of the address, the token, or the login of the settings, in this order.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for characters that a header cannot contain.
    pub(super) fn new(
        client: &Client,
        address: &WebAddress,
        login: Option<Login>,
        access: &WebAccess,
    ) -> Result<Self> {
        let (secret, words) = match (login, &access.bearer, &access.login) {
            (Some(login), ..) => (WebCredential::Login(login), "with the login of the address"),
            (_, Some(token), _) => (
                WebCredential::Token(token),
                "with the token from the settings",
            ),
            (_, _, Some(login)) => {
                let login = WebCredential::Login(login.clone());
                (login, "with the login from the settings")
            }
            (None, None, None) => return Ok(Self::none(address)),
        };
        let header = Some(secret.header(client, address)?);
        Ok(Self { header, words })
    }

    fn none(address: &WebAddress) -> Self {
        let words = match address.has_secret() {
            true => "with the query of the address",
            false => "without credentials",
        };
        Self {
            header: None,
            words,
        }
    }

    /// The header for the server of the address.
    pub(super) fn header(&self) -> Option<&HeaderValue> {
        self.header.as_ref()
    }

    /// A description of the credentials, for messages.
    pub(super) fn words(&self) -> &'static str {
        self.words
    }
}

enum WebCredential<'a> {
    Login(Login),
    Token(&'a str),
}

impl WebCredential<'_> {
    fn header(self, client: &Client, address: &WebAddress) -> Result<HeaderValue> {
        let request = client.get(address.of("")?);
        let request = match self {
            Self::Login((user, password)) => request.basic_auth(user, Some(password)),
            Self::Token(token) => request.bearer_auth(token),
        };
        // The error may contain the token.
        let request = request.build().map_err(|_| {
            let what = "the token has characters that a header cannot contain";
            Error::new(ErrorKind::Argument, what)
        })?;
        let header = request.headers().get(AUTHORIZATION).cloned();
        header.or_internal("the header of a login")
    }
}
