//! Sources for tests, with files in a temporary directory.

use std::collections::HashMap;
use std::path::PathBuf;

use tempfile::TempDir;

use super::sources::SettingSources;

/// An environment, a home directory `home` and a current directory `here`.
pub(super) struct Fixture {
    dir: TempDir,
    environment: HashMap<String, String>,
    fragment: Vec<(String, String)>,
}

impl Fixture {
    /// Creates empty directories and an empty environment.
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home/.aws", "here"] {
            std::fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        Self {
            dir,
            environment: HashMap::new(),
            fragment: Vec::new(),
        }
    }

    /// The home directory.
    pub(super) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// The absolute form of a path in the temporary directory.
    pub(super) fn at(&self, path: &str) -> String {
        self.dir.path().join(path).display().to_string()
    }

    /// Writes a file.
    pub(super) fn write(&self, path: &str, text: &str) {
        std::fs::write(self.dir.path().join(path), text).unwrap();
    }

    /// Adds a file.
    pub(super) fn with(self, path: &str, text: &str) -> Self {
        self.write(path, text);
        self
    }

    /// Adds an environment variable.
    pub(super) fn set(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Adds a key to the fragment.
    pub(super) fn fragment(mut self, key: &str, value: &str) -> Self {
        self.fragment.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The setting sources.
    pub(super) fn sources(&self) -> SettingSources {
        let environment = self.environment.clone();
        SettingSources {
            environment: Box::new(move |name| environment.get(name).cloned()),
            home: Some(self.home()),
            current: Some(self.dir.path().join("here")),
            fragment: self.fragment.clone(),
        }
    }
}
