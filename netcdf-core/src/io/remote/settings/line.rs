//! Connection settings: trusted certificates and the proxy.

use std::path::PathBuf;

use super::rc::{Rc, rc};
use super::secret::Secret;
use super::sources::SettingSources;
use crate::error::Result;
use crate::io::address::authority;

/// Variables with a certificate file.
const BUNDLES: [&str; 3] = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"];

/// Variables with hosts that are reached without a proxy, in the order of reqwest.
const WITHOUT: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The connection settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ConnectionSettings {
    /// A file with trusted certificates, in addition to the system's certificates.
    pub ca_bundle: Option<PathBuf>,
    /// The proxy in rc files.
    pub proxy: Option<Proxy>,
}

/// A proxy in rc files. The HTTP library reads the proxy variables of the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proxy {
    /// The proxy address, which may contain a password. An empty address means no proxy and overrides the environment.
    pub address: Secret,
    /// Hosts that are reached without the proxy, in the syntax of `no_proxy`.
    pub except: String,
}

/// Reads the connection settings for the server of a URL.
///
/// # Errors
/// [`crate::ErrorKind::Io`] and [`crate::ErrorKind::Limit`] for a file that cannot be read.
pub(crate) fn line(sources: &SettingSources, url: &str) -> Result<ConnectionSettings> {
    Ok(of(sources, &rc(sources, Some(authority(url)))?))
}

/// The connection settings in rc files and the environment.
pub(super) fn of(sources: &SettingSources, rc: &Rc) -> ConnectionSettings {
    let bundle = rc.get("HTTP.SSL.CAINFO").map(str::to_owned);
    let bundle = bundle.or_else(|| Some(sources.first(&BUNDLES)?.1));
    let proxy = rc.get("HTTP.PROXY.SERVER").map(|address| Proxy {
        address: Secret::new(address),
        except: sources.first(&WITHOUT).unwrap_or_default().1,
    });
    ConnectionSettings {
        ca_bundle: bundle.map(|text| sources.path(&text)),
        proxy,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn files_come_before_the_environment() {
        let mut fixture = Fixture::new();
        let get = |f: &Fixture| line(&f.sources(), "https://u@h:1/x").unwrap();
        assert_eq!(get(&fixture), ConnectionSettings::default());
        for name in ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
            fixture = fixture.set(name, name);
            let path = PathBuf::from(fixture.at("here")).join(name);
            assert_eq!(get(&fixture).ca_bundle, Some(path));
        }
        let lines = "http.ssl.cainfo=/ca\nHTTP.PROXY.SERVER=http://p:1\n[https://h:1]HTTP.PROXY.SERVER=http://own\n";
        fixture.write("home/.ncrc", lines);
        assert_eq!(get(&fixture).ca_bundle, Some("/ca".into()));
        let proxy = get(&fixture.set("no_proxy", "a,b")).proxy.unwrap();
        assert_eq!(proxy.address.show(), "http://own");
        assert_eq!(proxy.except, "a,b");
    }
}
