//! The login of an address: user name and password.

use std::borrow::Cow;

use super::protocol::Protocol;

/// Replaces a host that may be a password.
const UNKNOWN: &str = "…";

/// Returns the text after the slashes of an address, without the login. The function also removes a login with unescaped `/`, `?` or `#`:
/// no port number follows the first colon.
pub(super) fn without_login<'t>(protocol: &Protocol<'t>) -> Cow<'t, str> {
    let rest = protocol.rest;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let Some((authority, behind)) = rest.split_at_checked(end) else {
        return Cow::Borrowed(rest);
    };
    let plain = protocol.is_azure() || protocol.may_be_path();
    match authority.rsplit_once('@') {
        Some((name, _)) if plain && !name.contains(':') => Cow::Borrowed(rest),
        Some((_, host)) => Cow::Owned(format!("{host}{behind}")),
        None if has_port(authority) => Cow::Borrowed(rest),
        None => match rest.rsplit_once('@') {
            Some((_, behind)) if protocol.has_host() => Cow::Borrowed(behind),
            _ if protocol.may_be_path() => Cow::Borrowed(rest),
            _ => Cow::Owned(format!("{UNKNOWN}{behind}")),
        },
    }
}

/// Returns a path without the logins of inner addresses, as in paths of proxies: `host/http://me:secret@other`.
pub(super) fn without_inner_logins(path: &str) -> String {
    let mut before = None;
    let part = |part| {
        let protocol = before.replace(part).map(|b| Protocol::correct(b, part));
        match protocol.filter(|_| part.contains('@')) {
            Some(protocol) => without_login(&protocol),
            None => Cow::Borrowed(part),
        }
    };
    let parts: Vec<_> = path.split("://").map(part).collect();
    parts.join("://")
}

/// Returns whether the text after the host's colon, if any, has only digits.
fn has_port(authority: &str) -> bool {
    let host = authority.rsplit(']').next().unwrap_or_default();
    match host.split_once(':') {
        Some((_, port)) => port.bytes().all(|b| b.is_ascii_digit()),
        None => true,
    }
}
