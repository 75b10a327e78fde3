//! Addresses without secrets: without user name, password and query, and without unknown parts of the fragment.
//!
//! Messages, reports, lists and job scripts print addresses only in this form. `plan.json` and `files.jsonl` keep whole addresses, because
//! parts open them again.

use std::borrow::Cow;
use std::path::Path;

use super::is_control;

/// The words of a fragment that may be given without `mode=`.
pub const FRAGMENT_WORDS: [&str; 14] = [
    "nczarr",
    "zarr",
    "xarray",
    "noxarray",
    "file",
    "zip",
    "s3",
    "gs3",
    "consolidated",
    "v2",
    "v3",
    "bytes",
    "dap2",
    "dap4",
];
/// Fragment names with values that are not secret.
const FRAGMENT_NAMES: [&str; 8] = [
    "mode",
    "aws.profile",
    "awsprofile",
    "aws.region",
    "awsregion",
    "aws.endpoint_url",
    "log",
    "show",
];
/// The known words in brackets before an address, and the known words of a fragment.
const PREFIX_WORDS: [&str; 6] = ["log", "show", "cache", "nocache", "prefetch", "compile"];
/// Protocols that write `CONTAINER@HOST`, which is no login.
const AZURE: [&str; 4] = ["az", "azure", "abfs", "abfss"];
/// The text in place of a host that may be a password.
const UNKNOWN: &str = "…";

/// A path or an address in the form to print: without the secrets of an address. Control characters are not escaped: text output also needs
/// [`Shown`](super::Shown).
///
/// ```
/// use netcdf_core::shown::ShownAddress;
///
/// let shown = ShownAddress::new("https://me:secret@host/a.nc?sig=1#mode=bytes");
/// assert_eq!(shown.text(), "https://host/a.nc#mode=bytes");
/// assert_eq!(ShownAddress::new("a@b/c?d").text(), "a@b/c?d");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownAddress<'t> {
    text: Cow<'t, str>,
    has_secret: bool,
}

impl<'t> ShownAddress<'t> {
    /// The form of a path or an address.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self::from_text(Cow::Borrowed(text))
    }

    /// As [`ShownAddress::new`], for a path; characters that are not UTF-8 are replaced.
    #[must_use]
    pub fn of(path: &'t Path) -> Self {
        Self::from_text(path.to_string_lossy())
    }

    fn from_text(text: Cow<'t, str>) -> Self {
        match stripped(&text) {
            Some(shown) => Self {
                text: Cow::Owned(shown),
                has_secret: true,
            },
            None => Self {
                text,
                has_secret: false,
            },
        }
    }

    /// The text to print.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text to print, as an owned string.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text.into_owned()
    }

    /// Whether the address has a user name, a password, a query, or an unknown part of a fragment.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        self.has_secret
    }

    /// The path to print: `path` itself if it has no secret, even if it is not UTF-8.
    #[must_use]
    pub fn path(path: &'t Path) -> Cow<'t, Path> {
        let shown = Self::of(path);
        match shown.has_secret {
            true => Cow::Owned(shown.into_text().into()),
            false => Cow::Borrowed(path),
        }
    }
}

/// A message in which all addresses are without secrets.
#[must_use]
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut rest, mut changed) = (text, false);
    while let Some((before, address, after)) = next_address(rest) {
        let shown = ShownAddress::new(address);
        changed |= shown.has_secret();
        out.push_str(before);
        out.push_str(shown.text());
        rest = after;
    }
    match changed {
        true => Cow::Owned(out + rest),
        false => Cow::Borrowed(text),
    }
}

/// The text before the first address, the address, and the text after the address. Punctuation at the end of a word is not part of an
/// address.
fn next_address(text: &str) -> Option<(&str, &str, &str)> {
    let mark = text.find("://")?;
    let start = text.get(..mark)?.rfind(|c| !is_of_protocol(c));
    let mut start = start.map_or(0, |at| at + text.get(at..).map_or(0, first_length));
    // An address includes the brackets before it.
    while let Some(open) = text
        .get(..start)
        .filter(|before| before.ends_with(']'))
        .and_then(|before| before.rfind('['))
    {
        start = open;
    }
    let (before, rest) = text.split_at_checked(start)?;
    let ends =
        |c: char| c.is_whitespace() || is_control(c) || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let (word, _) = rest.split_at_checked(rest.find(ends).unwrap_or(rest.len()))?;
    let address = word.trim_end_matches(['.', ',', ':', ';', ')', ']', '}']);
    // At least `://` stays, so that the search goes on behind it.
    let length = address.len().max(mark + 3 - start);
    let (address, after) = rest.split_at_checked(length)?;
    Some((before, address, after))
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn is_of_protocol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}

/// An address without its secrets; `None` if there are none, or if the text is no address.
fn stripped(text: &str) -> Option<String> {
    let (prefix, address) = bracketed(text);
    let (protocol, rest) = address.split_once("://")?;
    let name = protocol.rsplit(|c| !is_of_protocol(c)).next();
    let name = name.filter(|name| !name.is_empty())?.to_ascii_lowercase();
    let rest = match name.as_str() {
        "file" => Cow::Borrowed(rest),
        _ => without_login(&name, rest),
    };
    let (place, fragment) = match rest.split_once('#') {
        Some((place, fragment)) => (place, Some(fragment)),
        None => (&*rest, None),
    };
    let place = match place.split_once('?') {
        Some((path, _)) => path.to_owned(),
        None => place.to_owned(),
    };
    let shown = format!(
        "{}{protocol}://{place}{}",
        known_words(prefix),
        fragment.map_or_else(String::new, known)
    );
    (shown != text).then_some(shown)
}

/// Splits an address into the bracketed words and the URL: `[log]` and `http://host`.
fn bracketed(text: &str) -> (&str, &str) {
    let protocol = |mark: usize| {
        let (before, _) = text.split_at_checked(mark)?;
        let start = before.rfind(']')?.saturating_add(1);
        let protocol = before.get(start..)?;
        let fits = !protocol.is_empty() && protocol.chars().all(is_of_protocol);
        fits.then(|| text.split_at_checked(start))?
    };
    let mut marks = text.match_indices("://");
    match text.starts_with('[') {
        true => marks.find_map(|(mark, _)| protocol(mark)),
        false => None,
    }
    .unwrap_or(("", text))
}

/// The known words of the brackets before an address, without values.
fn known_words(prefix: &str) -> String {
    let inner = prefix.strip_prefix('[').and_then(|p| p.strip_suffix(']'));
    let known = |word: &&str| PREFIX_WORDS.contains(word) || FRAGMENT_WORDS.contains(word);
    let words = inner.into_iter().flat_map(|inner| inner.split("]["));
    words
        .filter(known)
        .map(|word| format!("[{word}]"))
        .collect()
}

/// The rest of an address behind `://`, without the login. A login whose `/`, `?` and `#` are not escaped is removed, too: then there is no
/// number behind the colon that ends the host.
fn without_login<'t>(protocol: &str, rest: &'t str) -> Cow<'t, str> {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let Some((authority, behind)) = rest.split_at_checked(end) else {
        return Cow::Borrowed(rest);
    };
    match authority.rsplit_once('@') {
        Some((name, _)) if AZURE.contains(&protocol) && !name.contains(':') => Cow::Borrowed(rest),
        Some((_, host)) => Cow::Owned(format!("{host}{behind}")),
        None if has_port(authority) => Cow::Borrowed(rest),
        None => match rest.rsplit_once('@') {
            Some((_, behind)) => Cow::Borrowed(behind),
            None => Cow::Owned(format!("{UNKNOWN}{behind}")),
        },
    }
}

/// Whether a host has no colon, or only digits behind the colon.
fn has_port(authority: &str) -> bool {
    let host = authority.rsplit(']').next().unwrap_or_default();
    match host.split_once(':') {
        Some((_, port)) => port.bytes().all(|b| b.is_ascii_digit()),
        None => true,
    }
}

/// The known parts of a fragment, with the `#`.
fn known(fragment: &str) -> String {
    let is_known = |part: &&str| {
        let part = part.trim_end_matches('\\').to_ascii_lowercase();
        let word = |c: char| c.is_ascii_alphanumeric() || "-_.,:/".contains(c);
        match part.split_once('=') {
            Some((name, value)) => FRAGMENT_NAMES.contains(&name) && value.chars().all(word),
            None => part.is_empty() || part.split(',').all(|one| FRAGMENT_WORDS.contains(&one)),
        }
    };
    let parts: Vec<&str> = fragment.split('&').filter(is_known).collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("#{}", parts.join("&")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed() {
        for (text, want) in [
            (
                "http://u:p@h:80/a.nc?sig=S#mode=bytes",
                "http://h:80/a.nc#mode=bytes",
            ),
            ("HTTP://u@h", "HTTP://h"),
            ("https://u:p@[::1]:80/a", "https://[::1]:80/a"),
            ("http://u:p@x@h/a@b", "http://h/a@b"),
            ("http://u:p/x@h/a", "http://h/a"),
            ("http://u:p?x@h/a?b", "http://h/a"),
            ("http://u:p#x@h/a", "http://h/a"),
            ("http://u:p", "http://…"),
            ("s3://k:s@b/k?v=1", "s3://b/k"),
            ("az://u:p@c/k", "az://c/k"),
            ("http://h?x#y=z", "http://h"),
            (
                "http://h/a\\#mode=zarr\\&token=S",
                "http://h/a\\#mode=zarr\\",
            ),
            ("http://h/a?s=x#y#mode=bytes", "http://h/a"),
            ("http://h/a#mode=bytes?sig=S", "http://h/a"),
            (
                "http://h/a#HTTP.CREDENTIALS.PASSWORD=S&zarr",
                "http://h/a#zarr",
            ),
            ("[log]http://u:p@h/a", "[log]http://h/a"),
            ("[credentials=me:sekret]http://h/a", "http://h/a"),
            ("[log][HTTP.PASSWORD=x://y]dap4://h/a", "[log]dap4://h/a"),
            ("[log=S][show=fetch][mode=S]http://h/a", "http://h/a"),
            ("[a]b]http://h/a", "http://h/a"),
            ("file://a@b/c?d#zarr", "file://a@b/c#zarr"),
        ] {
            let shown = ShownAddress::new(text);
            assert_eq!((shown.text(), shown.has_secret()), (want, true), "{text}");
            assert_eq!(ShownAddress::new(want).text(), want);
        }
    }

    #[test]
    fn other_names_stay() {
        for text in [
            "a.nc",
            "a?b@c:d",
            "http://h/a@b",
            "http://h:8080/a#mode=nczarr,s3&aws.profile=me",
            "abfs://c@account.dfs.core.windows.net/k",
            "s3://b/k",
            "https://[::1]/a",
            "file:///a/b#mode=zarr,zip",
            "[log][dap4]http://h/a",
            "[a=b]c.nc",
        ] {
            let shown = ShownAddress::new(text);
            assert_eq!((shown.text(), shown.has_secret()), (text, false));
            assert_eq!(ShownAddress::path(Path::new(text)), Path::new(text));
        }
    }

    #[test]
    fn addresses_in_a_message_have_no_secrets() {
        for (text, want) in [
            ("'http://u:p@h/a?s=S' again?", "'http://h/a' again?"),
            ("url (http://h/a?s=S): no", "url (http://h/a): no"),
            ("no [credentials=me:S]http://h/a: 404", "no http://h/a: 404"),
            ("see [1] [log]http://h/a", "see [1] [log]http://h/a"),
            ("see [a b](http://h/a?s=S)", "see [a b](http://h/a)"),
            (
                "s3://u:p@b/k and http://h/?s=S, too",
                "s3://b/k and http://h/, too",
            ),
            ("://?x http://?y", "://?x http://"),
            ("é://u:p@h é", "é://u:p@h é"),
            ("no address? no @", "no address? no @"),
        ] {
            assert_eq!(without_secrets(text), want, "{text}");
        }
    }
}
