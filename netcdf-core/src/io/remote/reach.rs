//! Proxy and certificate settings of clients, and errors for refused certificates.

use std::error::Error as StdError;
use std::io;
use std::path::Path;

use object_store::ClientOptions;
use reqwest::{ClientBuilder, NoProxy, Proxy};
use rustls::CertificateError;

use super::settings::ConnectionSettings;
use crate::error::{Error, ErrorKind, Result};

/// Creates a client for web servers with these settings.
///
/// # Errors
/// [`ErrorKind::Argument`] for an unusable proxy or certificate; [`ErrorKind::Io`] for an unreadable file.
pub(super) fn client(
    mut builder: ClientBuilder,
    line: &ConnectionSettings,
) -> Result<ClientBuilder> {
    if let Some(path) = &line.ca_bundle {
        let all = certificates(path, reqwest::Certificate::from_pem_bundle)?;
        builder = builder.tls_certs_merge(all);
    }
    Ok(match &line.proxy {
        None => builder,
        Some(by) if by.address.show().is_empty() => builder.no_proxy(),
        Some(by) => {
            let except = NoProxy::from_string(&by.except);
            builder.proxy(proxy(by.address.show())?.no_proxy(except))
        }
    })
}

/// The same settings for clients of object stores.
///
/// # Errors
/// Returns the errors of [`client`].
pub(super) fn options(
    mut options: ClientOptions,
    line: &ConnectionSettings,
) -> Result<ClientOptions> {
    if let Some(path) = &line.ca_bundle {
        for one in certificates(path, object_store::Certificate::from_pem_bundle)? {
            options = options.with_root_certificate(one);
        }
    }
    if let Some(by) = &line.proxy {
        proxy(by.address.show())?;
        options = options
            .with_proxy_url(by.address.show())
            .with_proxy_excludes(&by.except);
    }
    Ok(options)
}

fn certificates<C, E>(path: &Path, parsed: impl Fn(&[u8]) -> Result<Vec<C>, E>) -> Result<Vec<C>> {
    let name = path.display().to_string();
    let text = std::fs::read(path).map_err(|e| Error::io("cannot read certificates", &name, e))?;
    match parsed(&text) {
        Ok(all) if !all.is_empty() => Ok(all),
        _ => Err(Error::new(ErrorKind::Argument, "no certificates in PEM format").of(&name)),
    }
}

fn proxy(text: &str) -> Result<Proxy> {
    // The error and the text may show a password.
    let what = "HTTP.PROXY.SERVER is not the address of a proxy";
    let failed = |_| Error::new(ErrorKind::Argument, what);
    Proxy::all(text).map_err(failed)
}

/// The TLS error among the causes of an error.
pub(super) fn refusal<'a>(e: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    let mut causes = std::iter::successors(Some(e), |&e| next(e));
    causes.find_map(|cause| cause.downcast_ref())
}

/// The cause of an error. System errors may wrap a cause.
fn next<'a>(e: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    let system = e.downcast_ref::<io::Error>();
    match system.and_then(io::Error::get_ref) {
        Some(within) => Some(within),
        None => e.source(),
    }
}

/// The error for a failed TLS connection.
pub(super) fn unsafe_connection(e: &rustls::Error) -> Error {
    let error = Error::new(ErrorKind::Io, format!("no safe connection: {e}"));
    match e {
        rustls::Error::InvalidCertificate(e) => error.with_remedy(certificate_remedy(e)),
        rustls::Error::InvalidMessage(_) => {
            error.with_remedy("for an http server, use an address that begins with http://")
        }
        _ => error,
    }
}

/// The remedy for a refused certificate. By default, openssl creates certificates of authorities without names.
fn certificate_remedy(e: &CertificateError) -> &'static str {
    let about = |what: &str| format!("{e:?}").contains(what);
    match e {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the certificate must have the host of the address as subjectAltName: openssl req -addext subjectAltName=DNS:HOST (or IP:ADDRESS)"
        }
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => {
            "renew the certificate, or set the clock of this machine"
        }
        _ if about("CaUsedAsEndEntity") => {
            "the certificate of the server is an authority's own: make it with openssl req -x509 -addext basicConstraints=critical,CA:FALSE, or sign another one with it"
        }
        _ if about("UnsupportedCertVersion") => {
            "the certificate has version 1, which cannot name hosts: make it with openssl req -x509 -addext subjectAltName=DNS:HOST -addext basicConstraints=critical,CA:FALSE"
        }
        _ => {
            "if the server is yours, name a file with its authority's certificate in SSL_CERT_FILE, or as HTTP.SSL.CAINFO in .ncrc"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_name_what_is_wrong_with_certificates() {
        let other = |what: &'static str| {
            let e = std::sync::Arc::new(io::Error::other(what));
            CertificateError::Other(rustls::OtherError(e))
        };
        for (e, part) in [
            (CertificateError::UnknownIssuer, "SSL_CERT_FILE"),
            (CertificateError::BadSignature, "SSL_CERT_FILE"),
            (CertificateError::NotValidForName, "subjectAltName"),
            (CertificateError::Expired, "renew"),
            (other("CaUsedAsEndEntity"), "CA:FALSE"),
            (other("UnsupportedCertVersion"), "version 1"),
            (other("anything"), "SSL_CERT_FILE"),
        ] {
            let e = unsafe_connection(&rustls::Error::InvalidCertificate(e)).to_string();
            assert!(e.contains(part), "{e}");
        }
    }

    #[test]
    fn the_message_asks_for_an_http_server() {
        let odd = rustls::InvalidMessage::InvalidContentType;
        let e = unsafe_connection(&rustls::Error::InvalidMessage(odd));
        let remedy = e.remedy().unwrap_or_default();
        assert!(remedy.contains("for an http server"), "{remedy}");
        assert_eq!(
            unsafe_connection(&rustls::Error::DecryptError).remedy(),
            None
        );
    }

    #[test]
    fn refusals_are_found_however_deep() {
        let refused = || rustls::Error::DecryptError;
        assert_eq!(refusal(&refused()), Some(&refused()));
        let once = io::Error::other(refused());
        assert_eq!(refusal(&once), Some(&refused()));
        let twice = io::Error::other(io::Error::other(once));
        assert_eq!(refusal(&twice), Some(&refused()));
        assert_eq!(refusal(&io::Error::other("x")), None);
    }
}
