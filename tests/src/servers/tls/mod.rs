//! TLS before any local server, with the certificate of an unknown authority.
//!
//! The certificates were created for these tests with openssl, valid for a hundred years, for `127.0.0.1` and `localhost`. The authority's
//! key was discarded. The server's key, `key.pem`, is not secret.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsAcceptor;

/// TLS before a server, with its own port and thread.
#[derive(Debug)]
pub struct Tls {
    port: u16,
    _runtime: Runtime,
}

impl Tls {
    /// Starts TLS before the server at a local port.
    ///
    /// # Panics
    /// Panics if no port or thread is available.
    #[must_use]
    pub fn start(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port of this machine");
        let port = listener.local_addr().expect("an address").port();
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a thread");
        runtime.spawn(serve(listener, acceptor(), server));
        Self {
            port,
            _runtime: runtime,
        }
    }

    /// Returns the address, without a `/` at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// Returns the path of the authority's certificate.
    #[must_use]
    pub fn authority() -> PathBuf {
        file("authority.pem")
    }
}

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.join("src/servers/tls").join(name)
}

fn acceptor() -> TlsAcceptor {
    let chain = CertificateDer::from_pem_file(file("server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).expect("a key");
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![chain], key)
        .expect("a certificate with its key");
    TlsAcceptor::from(Arc::new(config))
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, server: u16) {
    listener.set_nonblocking(true).expect("a socket");
    let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
    while let Ok((client, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            // The client may not trust the certificate, and either side may close the connection.
            let mut client = acceptor.accept(client).await?;
            let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).await?;
            copy_bidirectional(&mut client, &mut server).await
        });
    }
}
