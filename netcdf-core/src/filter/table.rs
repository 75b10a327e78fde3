//! The table of usable filters.

use std::sync::Arc;

use super::built_in::BUILT_IN;
use super::plugin::{Plugin, Plugins};
use super::{ChunkContext, Filter, FilterEntry};
use crate::error::{Error, ErrorKind, Result};
use crate::model::FilterSpec;

/// The usable filters; by default the built-in ones. Clones share the plugins.
#[derive(Clone)]
pub struct FilterTable {
    pub(super) rows: Vec<FilterEntry>,
    pub(super) plugins: Option<Arc<Plugins>>,
}

impl Default for FilterTable {
    fn default() -> Self {
        Self::new(BUILT_IN.to_vec())
    }
}

impl std::fmt::Debug for FilterTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.rows.iter().map(|e| e.name))
            .finish()
    }
}

/// A usable filter.
#[derive(Clone)]
pub enum UsableFilter<'t> {
    /// A built-in filter.
    BuiltIn(&'t FilterEntry),
    /// A plugin filter.
    Plugin(Arc<Plugin>),
}

impl UsableFilter<'_> {
    /// Converts the user's parameters to stored parameters.
    ///
    /// # Errors
    /// Returns the same errors as [`FilterEntry::prepare`].
    pub fn prepare(&self, context: &ChunkContext, user: &[u32]) -> Result<Vec<u32>> {
        match self {
            Self::BuiltIn(entry) => (entry.prepare)(context, user),
            Self::Plugin(plugin) => plugin.prepare(context, user),
        }
    }

    /// Builds the filter from its stored parameters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for impossible parameters.
    pub fn build(&self, params: &[u32], context: &ChunkContext) -> Result<Box<dyn Filter>> {
        match self {
            Self::BuiltIn(entry) => (entry.build)(params, context),
            Self::Plugin(plugin) => Ok(plugin.build(params)),
        }
    }
}

impl FilterTable {
    /// Returns a table of these entries; the first entry takes precedence if numbers repeat.
    #[must_use]
    pub fn new(rows: Vec<FilterEntry>) -> Self {
        Self {
            rows,
            plugins: None,
        }
    }

    /// Returns a table of the built-in filters and plugins.
    #[must_use]
    pub fn with_plugins(plugins: Plugins) -> Self {
        Self {
            plugins: Some(Arc::new(plugins)),
            ..Self::default()
        }
    }

    /// Returns the entry of the built-in filter with this number.
    pub(super) fn row(&self, id: u32) -> Option<&FilterEntry> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// Returns the filter with this number.
    ///
    /// # Errors
    /// Returns [`ErrorKind::FilterUnavailable`] if the table does not contain the filter.
    pub fn entry(&self, id: u32) -> Result<UsableFilter<'_>> {
        let built_in = || self.row(id).map(UsableFilter::BuiltIn);
        let plugin = || {
            let plugins = self.plugins.as_ref()?;
            plugins.filter(id).map(UsableFilter::Plugin)
        };
        let first = self
            .plugins
            .as_ref()
            .is_some_and(|plugins| plugins.preferred());
        let found = match first {
            true => plugin().or_else(built_in),
            false => built_in().or_else(plugin),
        };
        found.ok_or_else(|| self.missing(id, None))
    }

    /// Checks that a filter accepts its parameters for chunks of this context. Errors of the chunks appear when chunks are written.
    ///
    /// # Errors
    /// Returns [`ErrorKind::FilterUnavailable`] for a missing filter, and [`ErrorKind::Argument`] for parameters that the filter rejects.
    pub fn takes(&self, filter: &FilterSpec, context: &ChunkContext) -> Result<()> {
        match self.entry(filter.id)?.prepare(context, &filter.params) {
            Err(e) if e.kind() == ErrorKind::Argument => Err(e),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Returns the error for a private codec number in a file that needs HDF5 filters.
    #[must_use]
    pub fn no_filter_of_hdf5(&self, id: u32) -> Error {
        self.missing(id, None)
    }

    /// Checks whether the filter with this number is built in, and used.
    #[must_use]
    pub fn has(&self, id: u32) -> bool {
        let plugins = self
            .plugins
            .as_ref()
            .is_some_and(|plugins| plugins.preferred());
        !plugins && self.row(id).is_some()
    }
}
