//! Where users say how data on other machines is reached: fragments of addresses, the environment, and files in the home directory.

mod aws;
mod ini;
mod netrc;
mod rc;
mod secret;
mod web;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

pub(super) use aws::{Aws, aws};
pub(super) use secret::Secret;
pub(super) use web::web;

use crate::error::{Error, ErrorKind, Result};

/// Most bytes of a file with settings.
const MOST: u64 = 1 << 20;

/// Everything that settings are taken from.
pub(super) struct Sources {
    /// The fragment of the address: names in lower case, and values.
    fragment: Vec<(String, String)>,
    environment: Environment,
    /// The current directory.
    here: PathBuf,
}

enum Environment {
    Process,
    #[cfg_attr(
        not(test),
        allow(
            dead_code,
            reason = "tests do not change the environment of the process"
        )
    )]
    Given(BTreeMap<String, String>),
}

impl Sources {
    /// What the process was started with, and what a fragment says.
    pub fn of_process(fragment: &[(String, String)]) -> Self {
        Self {
            fragment: fragment.to_vec(),
            environment: Environment::Process,
            here: PathBuf::new(),
        }
    }

    /// A key of the fragment, under the first of these names.
    fn said(&self, names: &[&str]) -> Option<&str> {
        let said = |name: &&str| self.fragment.iter().find(|(n, _)| n == name);
        let value = names.iter().find_map(said).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    /// The value of the first of these variables that is set and not empty.
    fn variable(&self, names: &[&str]) -> Option<String> {
        let value = |name: &&str| match &self.environment {
            Environment::Process => std::env::var(name).ok(),
            Environment::Given(map) => map.get(*name).cloned(),
        };
        names
            .iter()
            .filter_map(value)
            .find(|value| !value.is_empty())
    }

    /// Whether a variable says yes.
    fn is_set(&self, name: &str) -> bool {
        let value = self.variable(&[name]).unwrap_or_default();
        matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes")
    }

    /// A path in the home directory, if there is one.
    fn at_home(&self, name: &str) -> Option<PathBuf> {
        self.variable(&["HOME"])
            .map(|home| Path::new(&home).join(name))
    }

    /// The file that a variable names, or else the one in the home directory.
    fn file(&self, variable: &str, name: &str) -> Option<PathBuf> {
        let named = self.variable(&[variable]).map(PathBuf::from);
        named.or_else(|| self.at_home(name))
    }
}

/// The text of a file with settings; empty if there is no such file.
///
/// # Errors
/// [`ErrorKind::Io`] for a file that cannot be read; [`ErrorKind::Limit`] for one that is too long to be meant.
fn text(path: &Path) -> Result<String> {
    let name = path.to_string_lossy();
    let failed = |e| Error::io("cannot read these settings", &name, e);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        Err(e) if e.kind() == std::io::ErrorKind::NotADirectory => return Ok(String::new()),
        Err(e) => return Err(failed(e)),
    };
    let mut bytes = vec![];
    file.take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MOST {
        let what = format!("settings of more than {MOST} bytes");
        return Err(Error::new(ErrorKind::Limit, what).of(&name));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Sources {
        /// Settings in a folder of a test, which is the home directory and the current one.
        pub fn of_test(fragment: &[(&str, &str)], variables: &[(&str, &str)], home: &Path) -> Self {
            let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
                let own = pairs.iter();
                own.map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
                    .collect()
            };
            let mut given: BTreeMap<_, _> = pairs(variables).into_iter().collect();
            given.insert("HOME".to_owned(), home.to_string_lossy().into_owned());
            Self {
                fragment: pairs(fragment),
                environment: Environment::Given(given),
                here: home.to_owned(),
            }
        }
    }

    #[test]
    fn files_that_cannot_be_settings_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(text(&dir.path().join("none")).unwrap(), "");
        assert_eq!(text(dir.path()).unwrap_err().kind(), ErrorKind::Io);
        let long = dir.path().join("long");
        std::fs::write(&long, vec![b'#'; 1 + (1 << 20)]).unwrap();
        assert_eq!(text(&long).unwrap_err().kind(), ErrorKind::Limit);
    }
}
