//! The sources of references: opened on first use, checked against their recorded state, and cached.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::reference::SourceState;
use crate::notes::{Note, Notes};
use crate::shown::ShownAddress;

/// The maximum number of cached sources.
const MAX_CACHED: usize = 4096;

/// Opens the sources that references name.
pub trait SourceOpener: Debug + Send + Sync {
    /// Opens a source by path or URL.
    ///
    /// # Errors
    /// Returns errors of the rules for sources, and errors of opening.
    fn open(&self, url: &str) -> Result<Arc<dyn Source>>;

    /// Whether reading the source takes long.
    fn is_remote(&self, url: &str) -> bool;
}

/// The treatment of missing and changed sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingSource {
    /// A missing source is an error.
    #[default]
    Error,
    /// The keys of a missing source are missing, with a note.
    Skip,
}

/// The sources of a store.
#[derive(Debug)]
pub(super) struct ReferenceSources {
    opener: Box<dyn SourceOpener>,
    missing: MissingSource,
    states: BTreeMap<String, SourceState>,
    notes: Arc<Notes>,
    cached: Mutex<CachedSources>,
}

#[derive(Debug, Default)]
struct CachedSources {
    open: HashMap<Arc<str>, Arc<dyn Source>>,
    /// The skipped sources.
    skipped: HashSet<Arc<str>>,
}

impl ReferenceSources {
    pub(super) fn new(
        opener: Box<dyn SourceOpener>,
        missing: MissingSource,
        states: BTreeMap<String, SourceState>,
        notes: Arc<Notes>,
    ) -> Self {
        Self {
            opener,
            missing,
            states,
            notes,
            cached: Mutex::default(),
        }
    }

    /// Whether missing sources are skipped, so that a key exists only if its source does.
    pub(super) fn may_skip(&self) -> bool {
        self.missing == MissingSource::Skip
    }

    /// Whether reading the source takes long.
    pub(super) fn is_remote(&self, url: &str) -> bool {
        self.opener.is_remote(url)
    }

    fn cached(&self) -> MutexGuard<'_, CachedSources> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a source; `None` for a skipped source.
    ///
    /// # Errors
    /// Returns errors of opening, and [`ErrorKind::Changed`] for a source with another state than recorded.
    pub(super) fn source(&self, url: &Arc<str>) -> Result<Option<Arc<dyn Source>>> {
        {
            let cached = self.cached();
            if let Some(source) = cached.open.get(url) {
                return Ok(Some(Arc::clone(source)));
            }
            if cached.skipped.contains(url) {
                return Ok(None);
            }
        }
        let opened = self.opener.open(url);
        match opened.and_then(|source| self.checked(url, source)) {
            Ok(source) => {
                let mut cached = self.cached();
                if cached.open.len() >= MAX_CACHED {
                    cached.open.clear();
                }
                cached.open.insert(Arc::clone(url), Arc::clone(&source));
                Ok(Some(source))
            }
            Err(e) if self.may_skip() && (e.is_missing() || e.kind() == ErrorKind::Changed) => {
                self.skip(url, &e);
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    /// Records a skipped source, with one note per source.
    fn skip(&self, url: &Arc<str>, e: &Error) {
        if self.cached().skipped.insert(Arc::clone(url)) {
            let name = ShownAddress::new(url).into_text();
            self.notes.say(Note {
                object: name,
                what: format!(
                    "skipped: chunks in this source read as fill values: {}",
                    e.what()
                ),
                remedy: None,
            });
        }
    }

    /// Checks that a source has the recorded state.
    fn checked(&self, url: &str, source: Arc<dyn Source>) -> Result<Arc<dyn Source>> {
        let Some(known) = self.states.get(url) else {
            return Ok(source);
        };
        let other = |state: &String| *state != source.state();
        if known.size == source.len() && !known.state.as_ref().is_some_and(other) {
            return Ok(source);
        }
        let what = "the file has changed since the references to it were written";
        let e = Error::new(ErrorKind::Changed, what).of(source.name());
        Err(e.with_remedy("write the references again"))
    }

    /// Returns the state of an opened source with this name.
    pub(super) fn state(&self, name: &str) -> Option<SourceState> {
        let cached = self.cached();
        let named = |source: &&Arc<dyn Source>| &**source.name() == name;
        let source = cached.open.values().find(named)?;
        Some(source.file_state())
    }

    /// Returns the name of an opened source that has changed.
    pub(super) fn changed(&self) -> Option<Arc<str>> {
        let open = self.cached().open.clone();
        let mut names: Vec<_> = open.keys().collect();
        names.sort_unstable();
        names.into_iter().find_map(|name| {
            let source = open.get(name)?;
            source.has_changed().then(|| Arc::clone(source.name()))
        })
    }
}
