//! The open inputs of a joined dataset.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::chunk::{Dataset, ReadCache, Reader};
use crate::env::Env;
use crate::error::{Error, Result};

/// Opens an input by its number.
pub type OpenInput<'a> = Box<dyn Fn(usize) -> Result<Box<dyn Reader>> + Send + Sync + 'a>;

/// An open input with its cache.
pub(super) struct OpenedInput {
    pub(super) reader: Box<dyn Reader>,
    cache: ReadCache,
}

impl OpenedInput {
    /// Returns the input with its cache.
    pub(super) fn set<'a>(&'a self, env: &'a Env) -> Dataset<'a> {
        Dataset::new(&*self.reader, env).with(&self.cache)
    }
}

/// The inputs of a joined dataset. The least recently used input is closed beyond the limit.
pub(super) struct JoinedInputs<'a> {
    open: OpenInput<'a>,
    most: usize,
    env: &'a Env,
    state: Mutex<OpenInputs>,
}

#[derive(Default)]
struct OpenInputs {
    time: u64,
    all: BTreeMap<usize, (u64, Arc<OpenedInput>)>,
}

impl OpenInputs {
    /// Returns an open input.
    fn get(&mut self, number: usize) -> Option<Arc<OpenedInput>> {
        self.time += 1;
        let (used, input) = self.all.get_mut(&number)?;
        *used = self.time;
        Some(Arc::clone(input))
    }

    /// Returns the least recently used inputs beyond the limit.
    fn surplus(&mut self, most: usize) -> Vec<Arc<OpenedInput>> {
        let mut closed = vec![];
        while self.all.len() > most.max(1) {
            let oldest = self.all.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(number, _)| *number) else {
                break;
            };
            closed.extend(self.all.remove(&oldest).map(|(_, input)| input));
        }
        closed
    }
}

impl<'a> JoinedInputs<'a> {
    /// Creates a list without open inputs. At most `most` inputs stay open.
    pub(super) fn new(open: OpenInput<'a>, most: usize, env: &'a Env) -> Self {
        Self {
            open,
            most,
            env,
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, OpenInputs> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an input. Two threads may open an input at the same time, because a thread must not wait for another thread here.
    ///
    /// # Errors
    /// Returns errors from opening the input.
    pub(super) fn get(&self, number: usize) -> Result<Arc<OpenedInput>> {
        if let Some(input) = self.lock().get(number) {
            return Ok(input);
        }
        let opened = Arc::new(OpenedInput {
            reader: (self.open)(number)?,
            cache: ReadCache::new(self.env),
        });
        let (input, closed) = self.insert(number, opened);
        // Dropping the last reference closes files, without the lock.
        drop(closed);
        Ok(input)
    }

    /// Adds an opened input, unless another thread has added it.
    fn insert(
        &self,
        number: usize,
        opened: Arc<OpenedInput>,
    ) -> (Arc<OpenedInput>, Vec<Arc<OpenedInput>>) {
        let mut state = self.lock();
        if let Some(input) = state.get(number) {
            return (input, vec![opened]);
        }
        let time = state.time;
        state.all.insert(number, (time, Arc::clone(&opened)));
        let closed = state.surplus(self.most);
        (opened, closed)
    }

    /// Returns the name of an open input that has changed.
    pub(super) fn changed(&self) -> Option<Arc<str>> {
        let open: Vec<_> = self
            .lock()
            .all
            .values()
            .map(|(_, i)| Arc::clone(i))
            .collect();
        open.iter().find_map(|input| input.reader.bytes().changed())
    }
}

/// Returns the error for a variable that an input lacks.
pub(super) fn lacking() -> Error {
    Error::internal("a variable of the input")
}
