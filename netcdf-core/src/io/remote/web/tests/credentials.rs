//! Credentials are only sent to their server, and never shown.

use std::path::Path;

use super::*;
use crate::error::ErrorKind;

fn login() -> WebAccess {
    WebAccess {
        login: Some(("me".into(), "secret".into())),
        ..access()
    }
}

fn token() -> WebAccess {
    WebAccess {
        bearer: Some("secret".into()),
        ..access()
    }
}

/// `me:secret`
const BASIC: Option<&str> = Some("Basic bWU6c2VjcmV0");

#[test]
fn the_server_gets_them() {
    let server = Server::start(good);
    let url = server.url("f");
    let with_login = url.replace("://", "://me:secret@");
    let cases = [
        (&url, access(), None),
        (&url, login(), BASIC),
        (&url, token(), Some("Bearer secret")),
        (&with_login, token(), BASIC),
    ];
    for (number, (url, access, expected)) in cases.into_iter().enumerate() {
        get(&connect(url, access), Part::First(4)).unwrap();
        assert_eq!(server.requests()[number].header("authorization"), expected);
    }
}

#[test]
fn other_servers_do_not_get_them() {
    // Redirect from one host to another host, then to another path on that host, and back.
    let other = Server::start(|request| match request.target.as_str() {
        "/a" => Reply::new("307 Temporary Redirect").with("Location", "/b"),
        _ => good(request),
    });
    for (to, access) in [
        (other.url("a"), login()),
        (other.other_url("a"), token()),
        (other.url("a").replace("://", "://you:other@"), login()),
    ] {
        let server = Server::start(move |_| Reply::new("302 Found").with("Location", &to.clone()));
        get(&connect(&server.url("f"), access), Part::First(4)).unwrap();
        assert!(server.requests()[0].header("authorization").is_some());
    }
    let requests = other.requests();
    assert_eq!(requests.len(), 6);
    assert!(
        requests
            .iter()
            .all(|request| request.header("authorization").is_none())
    );
}

#[test]
fn another_name_of_the_host_is_another_server() {
    let server = Server::start(|request| match request.target.as_str() {
        "/f" => {
            let host = request
                .header("host")
                .unwrap()
                .replace("127.0.0.1", "localhost");
            Reply::new("301 Moved Permanently").with("Location", &format!("http://{host}/g"))
        }
        _ => Reply::new("401 Unauthorized"),
    });
    let e = get(&connect(&server.url("f"), login()), Part::First(4)).unwrap_err();
    let text = "401 Unauthorized, asked without credentials: it redirects to localhost";
    assert!(e.to_string().contains(text), "{e}");
    assert_eq!(server.requests()[1].header("authorization"), None);
}

#[test]
fn errors_say_what_was_tried_without_secrets() {
    let server = Server::start(|request| match request.target.contains("403") {
        true => Reply::new("403 Forbidden"),
        false => Reply::new("401 Unauthorized"),
    });
    let url = server.url("f");
    let cases = [
        (
            url.clone(),
            access(),
            "asked without credentials (give a login",
        ),
        (
            url.clone(),
            login(),
            "asked with the login from the settings (check",
        ),
        (
            url.clone(),
            token(),
            "asked with the token from the settings",
        ),
        (
            url.replace("://", "://me:secret@"),
            access(),
            "with the login of the address",
        ),
        (
            format!("{url}?sig=secret"),
            access(),
            "f: the server answered 401",
        ),
        (
            server.url("403"),
            access(),
            "403: the server answered 403 Forbidden",
        ),
    ];
    for (url, access, expected) in cases {
        let shown = format!("{access:?}");
        let web = connect(&url, access);
        let e = get(&web, Part::First(4)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Io);
        assert!(e.to_string().contains(expected), "{e}");
        let all = format!("{shown} {web:?} {e} {e:?} {}", web.address(""));
        assert!(
            !all.contains("secret") && !all.contains("c2VjcmV0"),
            "{all}"
        );
    }
}

#[test]
fn settings_that_cannot_be_used() {
    let error = |access| {
        let e = Web::connect("http://127.0.0.1/", access).err().unwrap();
        assert!(!e.to_string().contains("secret"), "{e}");
        e.to_string()
    };
    let bearer = Some("secret\n".to_owned());
    let e = error(WebAccess { bearer, ..access() });
    assert!(e.contains("the token has characters"), "{e}");
    let line = by_proxy("http://me:secret@:x");
    assert!(error(WebAccess { line, ..access() }).contains("proxy"));
    let file = tempfile::NamedTempFile::new().unwrap();
    let trusting = |path: &Path| {
        let ca_bundle = Some(path.to_owned());
        let line = ConnectionSettings {
            ca_bundle,
            ..ConnectionSettings::default()
        };
        error(WebAccess { line, ..access() })
    };
    let e = trusting(file.path());
    assert!(e.contains("no certificates"), "{e}");
    let e = trusting(Path::new("/no/such/file"));
    assert!(e.contains("cannot read"), "{e}");
}

#[test]
fn a_proxy_gets_the_requests() {
    let server = Server::start(good);
    let line = by_proxy(&server.url(""));
    let web = connect("http://host.invalid/f", WebAccess { line, ..access() });
    assert_eq!(get(&web, Part::First(4)).unwrap(), some(b"0123"));
    assert_eq!(server.requests()[0].target, "http://host.invalid/f");
}
