//! The files of a dataset: the one that was opened, and those that its links lead to.

use std::sync::Arc;

use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::File;
use crate::io::Source;
use crate::io::siblings::{self, Access};

/// Open files by number.
#[derive(Debug, Default)]
pub struct Files(Vec<Arc<File>>);

impl Files {
    /// Opens the dataset's own file, number 0.
    ///
    /// # Errors
    /// As [`File::open`].
    pub fn open(source: Arc<dyn Source>, env: &Env) -> Result<Self> {
        Ok(Self(vec![Arc::new(File::open(source, &env.limits)?)]))
    }

    /// A file that is open, as number 0.
    #[must_use]
    pub fn of(file: Arc<File>) -> Self {
        Self(vec![file])
    }

    /// The file with a number.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    pub fn get(&self, number: u32) -> Result<Arc<File>> {
        let file = usize::try_from(number).ok().and_then(|n| self.0.get(n));
        file.cloned()
            .ok_or_else(|| Error::new(ErrorKind::NotFound, format!("no file {number}")))
    }

    /// The number of the file that file `from` calls `name`; it is opened if it is not yet.
    ///
    /// # Errors
    /// Those of finding and opening it.
    pub fn sibling(&mut self, from: u32, name: &[u8], env: &Env) -> Result<u32> {
        let source = siblings::open(&**self.get(from)?.source(), name, &Access::of(env))?;
        let known = self.0.iter().position(|f| f.name() == source.name());
        let number = known.unwrap_or(self.0.len());
        if known.is_none() {
            self.0.push(Arc::new(File::open(source, &env.limits)?));
        }
        u32::try_from(number).map_err(|_| Error::new(ErrorKind::Limit, "2^32 files"))
    }

    /// All of them, by number.
    #[must_use]
    pub fn all(&self) -> &[Arc<File>] {
        &self.0
    }
}
