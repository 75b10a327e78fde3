//! The rc files of netCDF-C: `.ncrc`, `.daprc` and `.dodsrc`, in the home directory and the current one.
//!
//! A line is `KEY=VALUE`, or `[https://HOST:PORT]KEY=VALUE`, which counts for one host only. See "The netCDF RC file" in the
//! documentation of netCDF-C.

use super::{Sources, text};
use crate::error::Result;

/// Names of the files; a later one counts more.
const NAMES: [&str; 3] = [".dodsrc", ".daprc", ".ncrc"];

/// The lines that count for a host.
#[derive(Debug, Default)]
pub struct Rc(Vec<(String, String)>);

impl Rc {
    /// The value of a key, in whatever case it is written.
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self
            .0
            .iter()
            .rev()
            .find(|(k, _)| k.eq_ignore_ascii_case(key));
        found
            .map(|(_, value)| value.as_str())
            .filter(|v| !v.is_empty())
    }

    fn add(&mut self, text: &str, host: Option<&str>) {
        for line in text.lines().map(str::trim) {
            let (of, rest) = match line.strip_prefix('[').and_then(|l| l.split_once(']')) {
                Some((of, rest)) => (Some(of), rest),
                None => (None, line),
            };
            let applies = of.is_none_or(|of| host.is_some_and(|host| is_host(of, host)));
            if let (true, Some((key, value))) =
                (applies && !rest.starts_with('#'), rest.split_once('='))
            {
                let value = value.trim().trim_matches('"').to_owned();
                self.0.push((key.trim().to_owned(), value));
            }
        }
    }
}

/// Whether a URL in a line, with or without a port, is that of a host, `HOST:PORT`.
fn is_host(url: &str, host: &str) -> bool {
    let named = url.split_once("://").map_or(url, |(_, rest)| rest);
    let named = named.split('/').next().unwrap_or_default();
    let alone = host.rsplit_once(':').map_or(host, |(name, _)| name);
    named.eq_ignore_ascii_case(host) || named.eq_ignore_ascii_case(alone)
}

/// The lines of all files that count for `host`, `HOST:PORT`. Those of the current directory count more, and those of the file that
/// `NCRCENV_RC` names are the only ones.
///
/// # Errors
/// Those of reading the files.
pub fn rc(sources: &Sources, host: Option<&str>) -> Result<Rc> {
    let mut found = Rc::default();
    if sources.variable(&["NCRCENV_IGNORE"]).is_some() {
        return Ok(found);
    }
    if let Some(path) = sources.variable(&["NCRCENV_RC"]) {
        found.add(&text(path.as_ref())?, host);
        return Ok(found);
    }
    let home = NAMES.iter().filter_map(|name| sources.at_home(name));
    let here = NAMES.iter().map(|name| sources.here.join(name));
    for path in home.chain(here) {
        found.add(&text(&path)?, host);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_for_all_hosts_or_one() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
        write(".daprc", "AWS.REGION=old\nHTTP.TIMEOUT=5\n");
        write(
            ".ncrc",
            "# AWS.REGION=none\n aws.region = \"new\"\n[https://h:81]HTTP.CREDENTIALS.USERNAME=me\n[http://g/]HTTP.CREDENTIALS.USERNAME=you\nbroken\n",
        );
        let sources = Sources::of_test(&[], &[], home.path());
        let of = |host| rc(&sources, host).unwrap();
        assert_eq!(of(None).get("AWS.REGION"), Some("new"));
        assert_eq!(of(None).get("http.timeout"), Some("5"));
        let user = |host| of(host).get("HTTP.CREDENTIALS.USERNAME").map(str::to_owned);
        assert_eq!(user(None), None);
        assert_eq!(user(Some("h:81")).as_deref(), Some("me"));
        assert_eq!(user(Some("h:80")), None);
        assert_eq!(user(Some("g:80")).as_deref(), Some("you"));
        let other = home.path().join("other");
        std::fs::write(&other, "AWS.PROFILE=p\n").unwrap();
        let path = other.to_str().unwrap();
        let sources = Sources::of_test(&[], &[("NCRCENV_RC", path)], home.path());
        let alone = rc(&sources, None).unwrap();
        assert_eq!(
            (alone.get("AWS.PROFILE"), alone.get("AWS.REGION")),
            (Some("p"), None)
        );
    }
}
