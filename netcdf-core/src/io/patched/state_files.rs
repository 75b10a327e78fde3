//! Writes the states of a file during a change to a directory, for other programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::recorded_file::{FileStep, every_moment};

/// The directory of the environment variable `STATES`, or a temporary directory.
#[derive(Debug)]
pub(crate) enum StateFolder {
    Named(PathBuf),
    Temporary(tempfile::TempDir),
}

impl StateFolder {
    pub(crate) fn new() -> Self {
        match std::env::var_os("STATES") {
            Some(path) => Self::Named(path.into()),
            None => Self::Temporary(tempfile::tempdir().unwrap()),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Named(path) => path,
            Self::Temporary(folder) => folder.path(),
        }
    }

    /// Writes `old.nc`, `new.nc` and the other distinct states of a change to a new directory `case`. Returns their number.
    pub(crate) fn write(&self, case: &str, before: &[u8], steps: &[FileStep]) -> usize {
        let folder = self.path().join(case);
        std::fs::create_dir_all(&folder).unwrap();
        let mut after = before.to_vec();
        steps.iter().for_each(|step| step.apply(&mut after));
        write(&folder, "old", before);
        write(&folder, "new", &after);
        let mut seen = BTreeSet::new();
        every_moment(before, steps, TRIES, &mut |bytes| {
            if seen.insert(blake3::hash(bytes).as_bytes().to_vec()) {
                write(&folder, &format!("{:04}", seen.len()), bytes);
            }
        });
        seen.len()
    }
}

/// The number of random subsets of unsynced sectors.
const TRIES: usize = 40;

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(format!("{name}.nc")), bytes).unwrap();
}
