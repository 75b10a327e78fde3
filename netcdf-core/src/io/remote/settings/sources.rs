//! The sources of settings: the environment, the user's files, and the fragment of the URL.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind as Os, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// The maximum size of a settings file in bytes.
const LIMIT: u64 = 1 << 20;

/// Returns the value of an environment variable.
pub(super) type Environment = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The sources of settings.
pub(crate) struct SettingSources {
    /// The environment.
    pub environment: Environment,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The current directory.
    pub current: Option<PathBuf>,
    /// The settings in the URL's fragment, as pairs of lower-case name and value.
    pub fragment: Vec<(String, String)>,
}

impl SettingSources {
    /// The sources of this process, for a URL with this fragment.
    #[must_use]
    pub(crate) fn of_process(fragment: &[(String, String)]) -> Self {
        Self {
            environment: Box::new(|name| std::env::var(name).ok()),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            current: std::env::current_dir().ok(),
            fragment: fragment.to_vec(),
        }
    }

    /// An environment variable, unless it is empty.
    #[must_use]
    pub(crate) fn env(&self, name: &str) -> Option<String> {
        (self.environment)(name).filter(|value| !value.is_empty())
    }

    /// The first variable in `names` that is set.
    #[must_use]
    pub(crate) fn first<'a>(&self, names: &[&'a str]) -> Option<(&'a str, String)> {
        let mut set = names.iter();
        set.find_map(|name| self.env(name).map(|value| (*name, value)))
    }

    /// The first variable in `names` with a true value.
    #[must_use]
    pub(crate) fn first_true<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        let yes = |value: String| {
            let value = value.trim().to_ascii_lowercase();
            matches!(value.as_str(), "1" | "true" | "yes" | "on")
        };
        let mut names = names.iter().copied();
        names.find(|name| self.env(name).is_some_and(yes))
    }

    /// The first value of `names` in the fragment, unless it is empty.
    #[must_use]
    pub(crate) fn in_fragment(&self, names: &[&str]) -> Option<&str> {
        let value = |name: &&str| self.fragment.iter().find(|(key, _)| key == name);
        let (_, value) = names.iter().find_map(value)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    /// Expands `~/` to the home directory.
    #[must_use]
    pub(crate) fn path(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), &self.home, &self.current) {
            (Some(below), Some(home), _) => home.join(below),
            (_, _, Some(current)) => current.join(text),
            _ => PathBuf::from(text),
        }
    }

    /// The file in an environment variable, or the file `name` in the home directory.
    #[must_use]
    pub(crate) fn file(&self, variable: &str, name: &str) -> Option<PathBuf> {
        match self.env(variable) {
            Some(text) => Some(self.path(&text)),
            None => self.home.as_ref().map(|home| home.join(name)),
        }
    }
}

impl fmt::Debug for SettingSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.fragment.iter().map(|(key, _)| key.as_str()).collect();
        f.debug_struct("SettingSources")
            .field("home", &self.home)
            .field("current", &self.current)
            .field("fragment", &keys)
            .finish_non_exhaustive()
    }
}

/// Reads a file. Returns `None` for a missing file.
///
/// # Errors
/// [`ErrorKind::Io`] if the file cannot be read; [`ErrorKind::Limit`] if it is too long.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    let name = path.display().to_string();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if matches!(e.kind(), Os::NotFound | Os::NotADirectory) => return Ok(None),
        Err(e) => return Err(Error::io("cannot read settings", &name, e)),
    };
    let mut bytes = Vec::new();
    let got = file.take(LIMIT + 1).read_to_end(&mut bytes);
    got.map_err(|e| Error::io("cannot read settings", &name, e))?;
    if u64::try_from(bytes.len()).is_ok_and(|len| len <= LIMIT) {
        let text = String::from_utf8_lossy(&bytes);
        return Ok(Some(text.trim_start_matches('\u{feff}').to_owned()));
    }
    let what = format!("settings of more than {LIMIT} bytes");
    Err(Error::new(ErrorKind::Limit, what).of(&name))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn files_are_read_up_to_a_limit() {
        let fixture = Fixture::new();
        let path = |name: &str| fixture.home().join(name);
        assert_eq!(read(&path("none")).unwrap(), None);
        fixture.write("home/a", "\u{feff}x");
        assert_eq!(read(&path("a")).unwrap().unwrap(), "x");
        assert_eq!(read(&path("a/b")).unwrap(), None);
        std::fs::write(path("b"), [b'x', 0xff]).unwrap();
        assert_eq!(read(&path("b")).unwrap().unwrap(), "x\u{fffd}");

        let text = "x".repeat(1 << 20);
        fixture.write("home/long", &text);
        assert!(read(&path("long")).unwrap().is_some());
        fixture.write("home/long", &format!("{text}y"));
        let e = read(&path("long")).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit);
        assert!(e.to_string().contains("long"), "{e}");
    }

    #[test]
    #[cfg(unix)]
    fn an_unreadable_file_is_named() {
        let fixture = Fixture::new();
        let e = read(&fixture.home()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Io);
        assert!(e.to_string().contains("home"), "{e}");
    }

    #[test]
    fn paths_and_values_are_as_users_write_them() {
        let sources = Fixture::new().set("E", "").set("S", "s").set("Y", "YES");
        let mut sources = sources.set("N", "0").fragment("a", "").sources();
        sources.home = Some("/home/u".into());
        sources.current = Some("/data".into());
        for (text, path) in [
            ("~/x", "/home/u/x"),
            ("/x", "/x"),
            ("x/y", "/data/x/y"),
            ("~x", "/data/~x"),
        ] {
            assert_eq!(sources.path(text), Path::new(path));
        }
        assert_eq!(sources.first(&["E", "S"]), Some(("S", "s".to_owned())));
        assert_eq!(sources.first_true(&["E", "S", "N", "Y"]), Some("Y"));
        assert_eq!(sources.first_true(&["N"]), None);
        assert_eq!(sources.in_fragment(&["b", "a"]), None);
        assert_eq!(sources.file("E", "f"), Some("/home/u/f".into()));
        assert_eq!(sources.file("S", "f"), Some("/data/s".into()));
        sources.home = None;
        assert_eq!(sources.file("E", "f"), None);
        assert!(SettingSources::of_process(&[]).env("").is_none());
    }
}
