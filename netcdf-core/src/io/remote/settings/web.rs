//! How web servers are reached.

use std::path::PathBuf;

use super::rc::rc;
use super::{Secret, Sources, netrc, text};
use crate::error::Result;

/// What is said of a web server.
#[derive(Debug)]
pub struct Web {
    /// User and password.
    pub login: Option<(String, Secret)>,
    /// A token that is sent instead of a login.
    pub bearer: Option<Secret>,
    /// Certificates of authorities, in a file.
    pub ca_bundle: Option<PathBuf>,
    /// The address of a proxy, if another than that of the environment.
    pub proxy: Option<String>,
    /// Seconds after which an answer is given up.
    pub timeout: Option<u64>,
}

/// What is said of the web server at a host and port.
///
/// # Errors
/// Those of reading the files.
pub fn web(sources: &Sources, host: &str, port: u16) -> Result<Web> {
    let rc = rc(sources, Some(&format!("{host}:{port}")))?;
    let user = rc.get("HTTP.CREDENTIALS.USERNAME");
    let password = rc.get("HTTP.CREDENTIALS.PASSWORD");
    let login = match user.zip(password) {
        Some((user, password)) => Some((user.to_owned(), Secret::new(password))),
        None => {
            let named = rc.get("HTTP.NETRC").map(PathBuf::from);
            let path = named.or_else(|| sources.file("NETRC", ".netrc"));
            let text = path.map(|path| text(&path)).transpose()?;
            netrc::login(&text.unwrap_or_default(), host)
        }
    };
    let bundle = rc.get("HTTP.SSL.CAINFO").map(str::to_owned);
    let variables = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"];
    Ok(Web {
        login,
        bearer: sources
            .variable(&["NETCDF_BEARER_TOKEN", "BEARER_TOKEN"])
            .map(Secret::new),
        ca_bundle: bundle
            .or_else(|| sources.variable(&variables))
            .map(PathBuf::from),
        proxy: rc.get("HTTP.PROXY.SERVER").map(str::to_owned),
        timeout: rc.get("HTTP.TIMEOUT").and_then(|text| text.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_variables() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
        write(".netrc", "machine h login me password hidden1");
        let of = |variables: &[(&str, &str)]| {
            web(&Sources::of_test(&[], variables, home.path()), "h", 443).unwrap()
        };
        let plain = of(&[]);
        assert_eq!(plain.login.unwrap().0, "me");
        assert!(plain.bearer.is_none() && plain.ca_bundle.is_none() && plain.timeout.is_none());
        let set = of(&[
            ("BEARER_TOKEN", "hidden2"),
            ("CURL_CA_BUNDLE", "/c"),
            ("NETRC", "/none"),
        ]);
        assert_eq!(set.bearer.as_ref().unwrap().show(), "hidden2");
        assert_eq!(set.ca_bundle.as_deref(), Some("/c".as_ref()));
        assert!(set.login.is_none() && !format!("{set:?}").contains("hidden"));
        write(
            ".ncrc",
            "HTTP.CREDENTIALS.USERNAME=you\nHTTP.CREDENTIALS.PASSWORD=hidden3\nHTTP.SSL.CAINFO=/d\nHTTP.PROXY.SERVER=http://p:1\nHTTP.TIMEOUT=7\n",
        );
        let rc = of(&[("CURL_CA_BUNDLE", "/c")]);
        assert!(!format!("{rc:?}").contains("hidden"));
        assert_eq!(rc.login.unwrap().0, "you");
        assert_eq!(rc.ca_bundle.as_deref(), Some("/d".as_ref()));
        assert_eq!(
            (rc.proxy.as_deref(), rc.timeout),
            (Some("http://p:1"), Some(7))
        );
    }
}
