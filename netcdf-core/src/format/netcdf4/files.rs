//! The files of a dataset: the main file, and files reached by links.

use std::collections::HashMap;
use std::sync::Arc;

use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::Hdf5File;
use crate::io::Source;
use crate::io::patched::{self, ATTEMPTS, FoundState, is_unreadable};
use crate::io::siblings;

/// Open files by number. Each [`Source`] manages the file descriptors.
#[derive(Debug, Default)]
pub(super) struct Files {
    all: Vec<Arc<Hdf5File>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Files {
    /// Opens the main file of the dataset, number 0.
    ///
    /// # Errors
    /// Returns the errors of [`Hdf5File::open`].
    pub(super) fn open(source: Arc<dyn Source>, env: &Env) -> Result<Self> {
        let file = Hdf5File::noting(source, &env.limits, env.survey)?;
        Ok(Self::of(Arc::new(file)))
    }

    /// Starts with an open file as number 0.
    #[must_use]
    pub(super) fn of(file: Arc<Hdf5File>) -> Self {
        Self {
            numbers: HashMap::from([(Arc::clone(file.name()), 0)]),
            all: vec![file],
        }
    }

    /// Returns the file with a number.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for an unknown number.
    pub(super) fn get(&self, number: u32) -> Result<Arc<Hdf5File>> {
        let file = usize::try_from(number).ok().and_then(|n| self.all.get(n));
        file.cloned()
            .ok_or_else(|| Error::new(ErrorKind::NotFound, format!("no file {number}")))
    }

    /// Returns the number of the file that a link in file `from` names, and opens the file if necessary.
    ///
    /// # Errors
    /// Returns errors from locating and opening the file.
    pub(super) fn sibling(&mut self, from: u32, name: &[u8], env: &Env) -> Result<u32> {
        let source = siblings::open(&**self.get(from)?.source(), name, &env.siblings)?;
        if let Some(&known) = self.numbers.get(source.name()) {
            return Ok(known);
        }
        let number = u32::try_from(self.all.len());
        let number = number.map_err(|_| Error::new(ErrorKind::Limit, "2^32 files"))?;
        let file = Arc::new(open_sibling(source, env)?);
        self.numbers.insert(Arc::clone(file.name()), number);
        self.all.push(file);
        Ok(number)
    }

    /// Returns all files, by number.
    #[must_use]
    pub(super) fn all(&self) -> &[Arc<Hdf5File>] {
        &self.all
    }
}

/// Opens a file that another file names, or its state before an unfinished change.
pub(super) fn open_sibling(mut source: Arc<dyn Source>, env: &Env) -> Result<Hdf5File> {
    let mut attempts = 1;
    loop {
        let e = match Hdf5File::open(Arc::clone(&source), &env.limits) {
            Err(e) if is_unreadable(&e) => e,
            opened => return opened,
        };
        match patched::find_state(&source)? {
            FoundState::Replaced(state, note) => {
                note.into_iter().for_each(|note| env.notes.remark(note));
                return Hdf5File::open(state, &env.limits);
            }
            FoundState::Ignored(note) => env.notes.remark(note),
            FoundState::Plain => {}
        }
        // A program may have completed its change meanwhile.
        source = match source.second_look()? {
            Some(now) if attempts < ATTEMPTS => now,
            Some(_) | None => return Err(e),
        };
        attempts += 1;
    }
}
