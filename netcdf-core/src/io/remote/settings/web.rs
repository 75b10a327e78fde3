//! Settings for web servers: rc files of netCDF-C, `.netrc`, and the variables of curl and similar tools.

use std::path::{Path, PathBuf};

use super::line::{self, ConnectionSettings};
use super::netrc::{NetrcLogin, find};
use super::rc::{Rc, rc};
use super::secret::Secret;
use super::sources::{SettingSources, read};
use crate::error::Result;

/// Variables with a token.
const TOKENS: [&str; 2] = ["NETCDF_BEARER_TOKEN", "BEARER_TOKEN"];

/// The settings for a web server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Web {
    /// Name and password.
    pub login: Option<NetrcLogin>,
    /// A token, which takes precedence over a login. It is valid for any server, so it must only be sent over https.
    pub bearer: Option<Secret>,
    /// Certificates and proxy.
    pub line: ConnectionSettings,
    /// The time limit of a request in seconds.
    pub timeout: Option<u64>,
    /// A description of the credentials, or of the searched locations. It contains no secrets.
    pub tried: String,
}

/// Reads the settings for a web server. `port` is the port of the URL, if present.
///
/// # Errors
/// [`crate::ErrorKind::Io`] and [`crate::ErrorKind::Limit`] for a file that cannot be read.
pub(crate) fn web(sources: &SettingSources, host: &str, port: Option<u16>) -> Result<Web> {
    let server = match port {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let rc = rc(sources, Some(&server))?;
    let netrc = netrc_files(sources, &rc);
    let login = login(&rc, &netrc, host)?;
    let token = sources.first(&TOKENS);
    let mut tried = Vec::new();
    if let Some((name, _)) = &token {
        tried.push(format!("the token of the environment's {name}"));
    }
    if let Some((_, from)) = &login {
        tried.push(format!("the login for {host} in {}", from.display()));
    }
    if tried.is_empty() {
        tried.push(nothing(&rc, &netrc));
    }
    Ok(Web {
        login: login.map(|(login, _)| login),
        bearer: token.map(|(_, token)| Secret::new(token)),
        line: line::of(sources, &rc),
        timeout: timeout(&rc),
        tried: tried.join(" and "),
    })
}

/// The login and its file. A user name without a password in rc files selects the login in `.netrc`.
fn login(rc: &Rc, netrc: &[PathBuf], host: &str) -> Result<Option<(NetrcLogin, PathBuf)>> {
    let name = rc.get("HTTP.CREDENTIALS.USERNAME");
    let password = rc.find("HTTP.CREDENTIALS.PASSWORD");
    if let (Some(name), Some((password, file))) = (name, password) {
        let login = (name.to_owned(), Secret::new(password));
        return Ok(Some((login, file.to_owned())));
    }
    for file in netrc {
        if let Some(text) = read(file)? {
            return Ok(find(&text, host, name).map(|login| (login, file.clone())));
        }
    }
    Ok(None)
}

/// The possible locations of `.netrc`. The first existing file is read.
fn netrc_files(sources: &SettingSources, rc: &Rc) -> Vec<PathBuf> {
    let named = sources.env("NETRC");
    if let Some(text) = named.as_deref().or_else(|| rc.get("HTTP.NETRC")) {
        return vec![sources.path(text)];
    }
    let names = [Some(".netrc"), cfg!(windows).then_some("_netrc")];
    let home = sources.home.iter();
    home.flat_map(|home| names.iter().flatten().map(|name| home.join(name)))
        .collect()
}

/// The time limit. Like in curl, 0 means no limit.
fn timeout(rc: &Rc) -> Option<u64> {
    let seconds: u64 = rc.get("HTTP.TIMEOUT")?.parse().ok()?;
    (seconds > 0).then_some(seconds)
}

/// The description without a login.
fn nothing(rc: &Rc, netrc: &[PathBuf]) -> String {
    let files = rc.files().iter().filter(|file| file.exists()).chain(netrc);
    let names = files.map(|file| Path::display(file).to_string());
    let variables = TOKENS.iter().map(|name| (*name).to_owned());
    let looked: Vec<String> = variables.chain(names).collect();
    format!("no login (looked at {})", looked.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    fn of(fixture: &Fixture) -> Web {
        web(&fixture.sources(), "h", None).unwrap()
    }

    fn login_of(web: &Web) -> Option<(&str, &str)> {
        let login = web.login.as_ref();
        login.map(|(name, password)| (&**name, password.show()))
    }

    #[test]
    fn logins_of_rc_files_come_before_netrc() {
        let mut fixture = Fixture::new();
        let web = of(&fixture);
        let netrc = fixture.at("home/.netrc");
        assert_eq!(login_of(&web), None);
        let tried = format!("no login (looked at NETCDF_BEARER_TOKEN, BEARER_TOKEN, {netrc})");
        assert_eq!(web.tried, tried);

        fixture.write("home/.netrc", "default login n password pw-n\n");
        let web = of(&fixture);
        assert_eq!(login_of(&web), Some(("n", "pw-n")));
        assert_eq!(web.tried, format!("the login for h in {netrc}"));

        fixture.write("here/n", "machine h login rc password pw-rc");
        fixture.write("home/.ncrc", "HTTP.NETRC=n\n");
        assert_eq!(login_of(&of(&fixture)), Some(("rc", "pw-rc")));

        fixture.write(
            "here/e",
            "machine h login e password pw-e machine h login u password pw-u",
        );
        fixture = fixture.set("NETRC", "e");
        assert_eq!(login_of(&of(&fixture)), Some(("e", "pw-e")));

        let name = "HTTP.CREDENTIALS.USERNAME=u\n";
        fixture.write("home/.ncrc", name);
        assert_eq!(login_of(&of(&fixture)), Some(("u", "pw-u")));

        let password = "[http://h]HTTP.CREDENTIALS.PASSWORD=pw-own\n";
        fixture.write("home/.ncrc", &format!("{name}{password}"));
        let web = of(&fixture);
        assert_eq!(login_of(&web), Some(("u", "pw-own")));
        let tried = format!("the login for h in {}", fixture.at("home/.ncrc"));
        assert_eq!(web.tried, tried);
    }

    #[test]
    fn passwords_for_one_server_are_for_no_other() {
        let lines =
            "[http://h:81]HTTP.CREDENTIALS.USERNAME=u\n[http://h:81]HTTP.CREDENTIALS.PASSWORD=p\n";
        let sources = Fixture::new().with("home/.ncrc", lines);
        for (host, port, expected) in [
            ("h", Some(81), Some(("u", "p"))),
            ("h", None, None),
            ("h", Some(80), None),
            ("i", Some(81), None),
        ] {
            let web = web(&sources.sources(), host, port).unwrap();
            assert_eq!(login_of(&web), expected, "{host} {port:?}");
        }
    }

    #[test]
    fn other_values_are_from_the_first_place_that_has_them() {
        let mut fixture = Fixture::new().with("home/.ncrc", "HTTP.TIMEOUT=0");
        let none = of(&fixture);
        assert!(none.bearer.is_none());
        assert_eq!(none.line, ConnectionSettings::default());
        assert_eq!(none.timeout, None);

        for name in ["BEARER_TOKEN", "NETCDF_BEARER_TOKEN"] {
            fixture = fixture.set(name, &format!("of {name}"));
            let web = of(&fixture);
            assert_eq!(web.bearer.unwrap().show(), format!("of {name}"));
            assert_eq!(web.tried, format!("the token of the environment's {name}"));
        }
        let lines = "http.ssl.cainfo=/ca\nHTTP.PROXY.SERVER=http://p:1\nHTTP.TIMEOUT=30\n";
        fixture.write("home/.ncrc", lines);
        let web = of(&fixture);
        assert_eq!(web.line.ca_bundle, Some("/ca".into()));
        assert_eq!(web.line.proxy.unwrap().address.show(), "http://p:1");
        assert_eq!(web.timeout, Some(30));
        fixture.write("home/.ncrc", "HTTP.TIMEOUT=soon");
        assert_eq!(of(&fixture).timeout, None);
        fixture.write("home/.netrc", "default login a password b");
        let tried = of(&fixture).tried;
        assert!(
            tried.contains("NETCDF_BEARER_TOKEN and the login"),
            "{tried}"
        );
    }
}
