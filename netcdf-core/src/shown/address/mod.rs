//! Addresses without secrets: without user name, password, query and unknown parts of the fragment.
//!
//! The login is also removed from malformed addresses: `http:/me:secret@host`, `s3:me:secret@bucket`.
//!
//! Messages, reports, lists and job scripts print addresses only in this form. `plan.json` and `files.jsonl` store complete addresses,
//! because later parts open them again.

mod login;
mod message;
mod protocol;
#[cfg(test)]
mod tests;

pub use message::without_secrets;

use std::borrow::Cow;
use std::path::Path;

use login::{without_inner_logins, without_login};
use protocol::{Protocol, is_of_protocol};

/// Fragment words that are valid without `mode=`.
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
/// Fragment names with public values.
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
/// Known words in brackets before an address, and in a fragment.
const PREFIX_WORDS: [&str; 6] = ["log", "show", "cache", "nocache", "prefetch", "compile"];

/// The printable form of a path or address, without secrets. Control characters are not escaped: text output also needs
/// [`ShownText`](super::ShownText).
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
    /// Returns the printable form of a path or address.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self::from_text(Cow::Borrowed(text))
    }

    /// Like [`ShownAddress::new`], for a path. Invalid UTF-8 is replaced.
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

    /// Returns the text to print.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text to print as an owned string.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text.into_owned()
    }

    /// Returns whether the address has a user name, a password, a query, or an unknown part of a fragment.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        self.has_secret
    }

    /// Returns whether a text is an address with a user name or a password.
    #[must_use]
    pub fn has_login(text: &str) -> bool {
        let protocol = Protocol::find(bracketed(text).1);
        protocol.is_some_and(|protocol| *without_login(&protocol) != *protocol.rest)
    }

    /// Returns the path to print: `path` unchanged if it has no secret, even if it is not UTF-8.
    #[must_use]
    pub fn path(path: &'t Path) -> Cow<'t, Path> {
        let shown = Self::of(path);
        match shown.has_secret {
            true => Cow::Owned(shown.into_text().into()),
            false => Cow::Borrowed(path),
        }
    }
}

/// Returns an address without secrets, or `None` if the text has no secrets or is no address.
fn stripped(text: &str) -> Option<String> {
    let (prefix, address) = bracketed(text);
    let protocol = Protocol::find(address)?;
    let rest = without_login(&protocol);
    let (place, fragment) = match rest.split_once('#') {
        Some((place, fragment)) => (place, Some(fragment)),
        None => (&*rest, None),
    };
    let place = place.split('?').next().unwrap_or_default();
    let shown = format!(
        "{}{}:{}{}{}",
        known_words(prefix),
        protocol.before,
        protocol.slashes,
        without_inner_logins(place),
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
    let split = |mark: &str| text.match_indices(mark).find_map(|(at, _)| protocol(at));
    match text.starts_with('[') {
        true => split("://").or_else(|| split(":")),
        false => None,
    }
    .unwrap_or(("", text))
}

/// Returns the known words of the brackets before an address, without values.
fn known_words(prefix: &str) -> String {
    let inner = prefix.strip_prefix('[').and_then(|p| p.strip_suffix(']'));
    let known = |word: &&str| PREFIX_WORDS.contains(word) || FRAGMENT_WORDS.contains(word);
    let words = inner.into_iter().flat_map(|inner| inner.split("]["));
    words
        .filter(known)
        .map(|word| format!("[{word}]"))
        .collect()
}

/// Returns the known parts of a fragment, with the `#`.
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
