//! What lies between us and a server: which authorities are trusted, and the proxy.

use std::path::PathBuf;

use super::rc::{Rc, rc};
use super::secret::Secret;
use super::sources::SettingSources;
use crate::error::Result;
use crate::io::address::authority;

/// Variables with the file of certificates.
const BUNDLES: [&str; 3] = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"];

/// Variables with the hosts that are asked without a proxy. reqwest looks at both in this order.
const WITHOUT: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// How connections are made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ConnectionSettings {
    /// A file with certificates of authorities that are trusted besides those of the system.
    pub ca_bundle: Option<PathBuf>,
    /// The proxy, if rc files name one.
    pub proxy: Option<Proxy>,
}

/// A proxy of rc files. The usual variables for proxies are not looked at here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proxy {
    /// Its address, which may have a password in it; empty for none, whatever the environment says.
    pub address: Secret,
    /// Hosts that are asked without it, as in `no_proxy`.
    pub except: String,
}

/// How connections to the server of a URL are made.
///
/// # Errors
/// [`crate::ErrorKind::Io`] and [`crate::ErrorKind::Limit`] for a file that cannot be read.
pub(crate) fn line(sources: &SettingSources, url: &str) -> Result<ConnectionSettings> {
    Ok(of(sources, &rc(sources, Some(authority(url)))?))
}

/// What the files and the environment say.
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
