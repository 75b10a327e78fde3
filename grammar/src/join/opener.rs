//! Opens inputs, and detects changed inputs.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use netcdf_core::chunk::Reader;
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::format;
use netcdf_core::io::Container;
use netcdf_core::io::locator::{InputAccess, Location};
use netcdf_core::model::Schema;
use netcdf_core::runtime::WorkItem;
use netcdf_core::shown::ShownAddress;

/// The estimated memory for opening an input, in bytes.
const OPENING: u64 = 1 << 20;

/// The inputs of a join, by number.
pub(super) struct InputOpener {
    pub(super) access: InputAccess,
    pub(super) paths: Vec<PathBuf>,
    /// Whether the first input is extended.
    pub(super) extends: bool,
}

/// An open input.
pub(super) struct OpenedHeader {
    pub(super) reader: Box<dyn Reader>,
    /// A number that changes with the content of a file or local store, and with the shapes of a remote store.
    pub(super) signature: u64,
}

impl InputOpener {
    /// Returns the name of an input for messages.
    pub(super) fn name(&self, number: usize) -> String {
        let path = self.paths.get(number);
        path.map_or_else(String::new, |path| ShownAddress::of(path).into_text())
    }

    /// Returns whether any input is remote.
    pub(super) fn is_remote(&self) -> bool {
        let remote = |path: &PathBuf| Location::new(path).is_ok_and(|at| at.remote().is_some());
        self.paths.iter().any(remote)
    }

    /// Calls `read` with the numbers of inputs, in parallel, and passes the results to `sink` in order.
    ///
    /// # Errors
    /// Returns the first error of `read`, with the name of the input.
    pub(super) fn each<R: Send>(
        &self,
        numbers: Range<usize>,
        env: &Env,
        read: impl Fn(usize) -> Result<R> + Sync,
        mut sink: impl FnMut(R),
    ) -> Result<()> {
        let items = numbers.map(|number| Ok(WorkItem::new(OPENING, number)));
        let runtime = env.runtime.for_requests(self.is_remote());
        let read = |number| {
            env.cancel.check()?;
            read(number).map_err(|e| e.of(&self.name(number)))
        };
        runtime.ordered(items, read, |found| {
            sink(found);
            Ok(())
        })
    }

    /// Opens an input.
    ///
    /// # Errors
    /// Returns errors of opening, with the name of the input.
    pub(super) fn open(&self, number: usize, env: &Env) -> Result<OpenedHeader> {
        let path = self.paths.get(number).or_internal("an input")?;
        let at = Location::new(path)?;
        let input = self.access.input(&at, &mut std::io::empty())?;
        let state = match self.extends && number == 0 {
            // The append itself changes the file, under a lock. The cost must not depend on the number of chunks. A commit checks the
            // file, or the keys that were read.
            true => String::new(),
            false => state(&at, &input)?,
        };
        let resource = Arc::clone(input.name());
        let reader = format::open(input, env).map_err(|e| e.of(&resource))?;
        let signature = signature(&state, reader.schema());
        Ok(OpenedHeader { reader, signature })
    }

    /// Opens an input again.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] for an input with another signature, and the errors of [`InputOpener::open`].
    pub(super) fn again(
        &self,
        number: usize,
        signature: u64,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let opened = self.open(number, env)?;
        match opened.signature == signature {
            true => Ok(opened.reader),
            false => {
                let what = "the input changed while it was joined";
                Err(Error::new(ErrorKind::Changed, what).of(&self.name(number)))
            }
        }
    }
}

/// Returns a text that changes with the content of an input. The text of a remote store is empty: its state requires a list of all keys,
/// which is slow. Some stores also have no state ([`Container::state`]).
fn state(at: &Location, input: &Container) -> Result<String> {
    match (input, at.remote()) {
        (Container::Store(_), Some(_)) => Ok(String::new()),
        (Container::Store(_) | Container::Source(_), _) => Ok(input.state()?.unwrap_or_default()),
    }
}

/// Returns a number that changes with the state and the shapes of an input.
fn signature(state: &str, schema: &Schema) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    schema.vars.len().hash(&mut hasher);
    schema.dims.iter().for_each(|dim| dim.len.hash(&mut hasher));
    hasher.finish()
}
