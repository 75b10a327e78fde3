//! How a web server is reached: credentials, certificates, proxy, and how long we wait.

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

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Longest wait for more bytes, before another try.
const STALL: Duration = Duration::from_secs(20);

/// Settings for a web server.
#[derive(Clone)]
pub(in crate::io::remote) struct WebAccess {
    /// User and password. A login in the address is used instead of it.
    pub login: Option<(String, String)>,
    /// A token, used instead of the login.
    pub bearer: Option<String>,
    /// Certificates and proxy.
    pub line: ConnectionSettings,
    /// When an answer is given up.
    pub timeout: Duration,
    /// Where requests are counted.
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

/// Shows no secrets, only which there are.
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
    /// What sends the requests. Where the address is `plain`, without encryption, the system needs no certificates.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a proxy or certificates that cannot be used; [`ErrorKind::Io`] if there are no certificates.
    pub(super) fn client(&self, plain: bool) -> Result<Client> {
        use_ring();
        let built = match self.builder()?.build() {
            Err(_) if plain => self.builder()?.tls_certs_only([]).build(),
            built => built,
        };
        built.map_err(|e| {
            let what = format!("cannot prepare connections: {}", transport::innermost(&e));
            let remedy = "install the certificates of the system, or name a file of them";
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
