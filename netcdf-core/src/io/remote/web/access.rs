//! Access settings of a web server: credentials, certificates, proxy and timeouts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, redirect};

use super::transport;
use crate::error::{Error, ErrorKind, Result};
use crate::io::network::Network;
use crate::io::remote::connect::use_ring;
use crate::io::remote::reach;
use crate::io::remote::settings::ConnectionSettings;

/// The time limit for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The time limit for more bytes, before a retry.
const STALL: Duration = Duration::from_secs(20);

/// Settings for a web server.
#[derive(Clone)]
pub(in crate::io::remote) struct WebAccess {
    /// User and password. A login in the address takes precedence.
    pub login: Option<(String, String)>,
    /// A token, which takes precedence over the login.
    pub bearer: Option<String>,
    /// Certificates and proxy.
    pub line: ConnectionSettings,
    /// The time limit for an answer.
    pub timeout: Duration,
    /// The request statistics.
    pub network: Arc<Network>,
}

impl Default for WebAccess {
    fn default() -> Self {
        Self {
            login: None,
            bearer: None,
            line: ConnectionSettings::default(),
            timeout: Duration::from_secs(60),
            network: Arc::default(),
        }
    }
}

/// Shows which secrets exist, but not their text.
impl fmt::Debug for WebAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("WebAccess");
        shown.field("login", &self.login.is_some());
        shown.field("bearer", &self.bearer.is_some());
        shown.field("line", &self.line);
        shown.field("timeout", &self.timeout);
        shown.finish()
    }
}

impl WebAccess {
    /// Creates the client. With `plain`, connections are not encrypted, and the system needs no certificates.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for an unusable proxy or certificate; [`ErrorKind::Io`] for missing certificates.
    pub(super) fn client(&self, plain: bool) -> Result<Client> {
        use_ring();
        let built = match self.builder()?.build() {
            Err(_) if plain => self.builder()?.tls_certs_only([]).build(),
            built => built,
        };
        built.map_err(|e| {
            let what = format!("cannot prepare connections: {}", transport::innermost(&e));
            let remedy = "install the system's certificates, or name a certificate file";
            Error::new(ErrorKind::Io, what).with_remedy(remedy)
        })
    }

    fn builder(&self) -> Result<ClientBuilder> {
        let builder = Client::builder()
            .user_agent(concat!("netcdf-tools/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT.min(self.timeout))
            .read_timeout(STALL.min(self.timeout));
        reach::client(builder, &self.line)
    }
}
