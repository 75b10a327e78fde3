//! The rc files of netCDF-C: `.ncrc`, `.daprc` and `.dodsrc`.
//!
//! Lines are `KEY=VALUE`, or `[http://host:port]KEY=VALUE` for one server. The path of the server's URL is ignored.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::sources::{SettingSources, read};
use crate::error::Result;

/// The file names, in reading order.
const NAMES: [&str; 3] = [".ncrc", ".daprc", ".dodsrc"];

/// The settings for one server.
#[derive(Default)]
pub(super) struct Rc {
    /// The settings, in the order of the files.
    entries: Vec<RcEntry>,
    /// The searched files.
    files: Vec<PathBuf>,
}

struct RcEntry {
    key: String,
    value: String,
    /// Whether the setting is for this server only.
    only: bool,
    file: Arc<Path>,
}

impl Rc {
    /// The value of a key, unless it is empty. Keys ignore case.
    #[must_use]
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        Some(self.find(key)?.0)
    }

    /// The value of a key ([`Rc::get`]) and its file.
    #[must_use]
    pub(super) fn find(&self, key: &str) -> Option<(&str, &Path)> {
        let found = |only| {
            let mut entries = self.entries.iter().rev();
            entries.find(|entry| entry.only == only && entry.key.eq_ignore_ascii_case(key))
        };
        let entry = found(true).or_else(|| found(false))?;
        (!entry.value.is_empty()).then_some((&*entry.value, &*entry.file))
    }

    /// The searched files, including missing files.
    #[must_use]
    pub(super) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    fn add(&mut self, text: &str, file: &Path, host: Option<&str>) {
        let file: Arc<Path> = file.into();
        for (server, key, value) in text.lines().filter_map(line) {
            let applies = server.is_none_or(|server| host.is_some_and(|host| same(server, host)));
            if applies {
                self.entries.push(RcEntry {
                    key: key.to_owned(),
                    value: value.to_owned(),
                    only: server.is_some(),
                    file: Arc::clone(&file),
                });
            }
        }
    }
}

impl fmt::Debug for Rc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.entries.iter().map(|e| e.key.as_str()).collect();
        let mut all = f.debug_struct("Rc");
        all.field("keys", &keys).field("files", &self.files);
        all.finish()
    }
}

/// Reads the files for a server `host` or `host:port`, or for no server. Later files override earlier files, and settings for the server
/// override general settings. As in netCDF-C, `NCRCENV_RC` names the only file, `NCRCENV_HOME` replaces the home directory, and
/// `NCRCENV_IGNORE` disables the files.
///
/// # Errors
/// [`crate::ErrorKind::Io`] and [`crate::ErrorKind::Limit`] for a file that cannot be read.
pub(super) fn rc(sources: &SettingSources, host: Option<&str>) -> Result<Rc> {
    let mut rc = Rc {
        files: files(sources),
        ..Rc::default()
    };
    for file in rc.files.clone() {
        if let Some(text) = read(&file)? {
            rc.add(&text, &file, host);
        }
    }
    Ok(rc)
}

fn files(sources: &SettingSources) -> Vec<PathBuf> {
    if sources.env("NCRCENV_IGNORE").is_some() {
        return Vec::new();
    }
    if let Some(text) = sources.env("NCRCENV_RC") {
        return vec![sources.path(&text)];
    }
    let home = sources.env("NCRCENV_HOME").map(|text| sources.path(&text));
    let home = home.or_else(|| sources.home.clone());
    let current = sources.current.clone().filter(|c| Some(c) != home.as_ref());
    let folders = home.into_iter().chain(current);
    folders
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .collect()
}

/// Parses a line: the server if present, the key and the value.
fn line(line: &str) -> Option<(Option<&str>, &str, &str)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let (server, rest) = match line.strip_prefix('[') {
        Some(rest) => server(rest).map(|(server, rest)| (Some(server), rest))?,
        None => (None, line),
    };
    let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
    let key = key.trim();
    (!key.is_empty()).then_some((server, key, value.trim()))
}

/// Parses a URL that ends in `]`. Returns the server, and the text after the URL.
fn server(text: &str) -> Option<(&str, &str)> {
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let numeric = match text.starts_with('[') {
        true => text.find(']')?.checked_add(1)?,
        false => 0,
    };
    let end = text.get(numeric..)?.find(']')?.checked_add(numeric)?;
    let (url, rest) = (text.get(..end)?, text.get(end..)?.strip_prefix(']')?);
    let authority = url.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, h)| h);
    (!host.is_empty()).then_some((host, rest))
}

/// Whether two servers are equal. Default ports are optional.
fn same(a: &str, b: &str) -> bool {
    let plain = |host: &'_ str| -> String {
        let short = host.strip_suffix(":80").or(host.strip_suffix(":443"));
        short.unwrap_or(host).to_ascii_lowercase()
    };
    plain(a) == plain(b)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    fn text(text: &str, host: Option<&str>) -> Rc {
        let mut rc = Rc::default();
        rc.add(text, Path::new("f"), host);
        rc
    }

    #[test]
    fn lines_are_keys_and_values() {
        let lines = "# c\n\n AWS.Profile = u=v # no comment\r\n=x\nEMPTY=\nA=1\nA=2\nB=1\nB=\nNOTHING\n[http://x\n[]C=1\n";
        let rc = text(lines, None);
        for (key, value) in [
            ("aws.profile", Some("u=v # no comment")),
            ("a", Some("2")),
            ("B", None),
            ("EMPTY", None),
            ("NOTHING", None),
            ("C", None),
            ("# c", None),
        ] {
            assert_eq!(rc.get(key), value, "{key}");
        }
    }

    #[test]
    fn lines_for_one_server_are_for_no_other() {
        for (url, host, applies) in [
            ("http://h", "h", true),
            ("http://h", "H", true),
            ("https://H/path=a", "h:443", true),
            ("https://h:443", "h", true),
            ("h", "h:80", true),
            ("http://h", "h:8080", false),
            ("http://h:8080", "h:8080", true),
            ("http://h:8080", "h", false),
            ("http://u:p@h:8080/x?y", "h:8080", true),
            ("http://[::1]:9000/x", "[::1]:9000", true),
            ("http://[::1]", "[::1]", true),
            ("http://[::1]", "[::2]", false),
            ("http://h", "xh", false),
        ] {
            let rc = text(&format!("[{url}]K=v\nK=all"), Some(host));
            let value = if applies { "v" } else { "all" };
            assert_eq!(rc.get("K"), Some(value), "{url} {host}");
        }
        assert_eq!(text("[http://h]K=v", None).get("K"), None);
    }

    #[test]
    fn later_files_replace_earlier_ones() {
        let mut fixture = Fixture::new();
        let files = [
            "home/.ncrc",
            "home/.daprc",
            "home/.dodsrc",
            "here/.ncrc",
            "here/.daprc",
            "here/.dodsrc",
        ];
        for path in files {
            fixture.write(path, &format!("K={path}\n"));
            let rc = rc(&fixture.sources(), Some("h")).unwrap();
            let file = PathBuf::from(fixture.at(path));
            assert_eq!(rc.find("k"), Some((path, &*file)));
            assert_eq!(rc.files().len(), 6);
        }
        fixture.write("home/.ncrc", "[https://h/x]K=mine\n");
        let get = |f: &Fixture| {
            let rc = rc(&f.sources(), Some("h")).unwrap();
            rc.get("K").map(str::to_owned)
        };
        assert_eq!(get(&fixture).as_deref(), Some("mine"));
        let here = fixture.at("here");
        fixture = fixture.set("NCRCENV_HOME", &here);
        assert_eq!(get(&fixture).as_deref(), Some("here/.dodsrc"));
        fixture.write("home/own", "k=own");
        fixture = fixture.set("NCRCENV_RC", "~/own");
        assert_eq!(get(&fixture).as_deref(), Some("own"));
        fixture = fixture.set("NCRCENV_IGNORE", "1");
        assert_eq!(get(&fixture), None);
    }
}
