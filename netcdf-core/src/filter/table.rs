//! The table of filters that a run can use.

use std::sync::Arc;

use super::built_in::BUILT_IN;
use super::plugin::{Plugin, Plugins};
use super::{ChunkContext, Filter, FilterEntry};
use crate::error::{Error, ErrorKind, Result};
use crate::model::FilterSpec;

/// The filters that a run can use; by default the built-in ones.
pub struct FilterTable {
    pub(super) rows: Vec<FilterEntry>,
    pub(super) plugins: Option<Plugins>,
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

/// A filter that can be used.
#[derive(Clone)]
pub enum UsableFilter<'t> {
    /// A built-in filter.
    BuiltIn(&'t FilterEntry),
    /// A filter of a plugin.
    Plugin(Arc<Plugin>),
}

impl UsableFilter<'_> {
    /// Converts the user's parameters to stored ones.
    ///
    /// # Errors
    /// As for [`FilterEntry::prepare`].
    pub fn prepare(&self, context: &ChunkContext, user: &[u32]) -> Result<Vec<u32>> {
        match self {
            Self::BuiltIn(entry) => (entry.prepare)(context, user),
            Self::Plugin(plugin) => plugin.prepare(context, user),
        }
    }

    /// Builds the filter from its stored parameters.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for impossible parameters.
    pub fn build(&self, params: &[u32], context: &ChunkContext) -> Result<Box<dyn Filter>> {
        match self {
            Self::BuiltIn(entry) => (entry.build)(params, context),
            Self::Plugin(plugin) => Ok(plugin.build(params)),
        }
    }
}

impl FilterTable {
    /// A table of these entries; if several have the same number, the first one counts.
    #[must_use]
    pub fn new(rows: Vec<FilterEntry>) -> Self {
        Self {
            rows,
            plugins: None,
        }
    }

    /// The built-in filters, and plugins.
    #[must_use]
    pub fn with_plugins(plugins: Plugins) -> Self {
        Self {
            plugins: Some(plugins),
            ..Self::default()
        }
    }

    /// The row of the built-in filter with this number.
    pub(super) fn row(&self, id: u32) -> Option<&FilterEntry> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The filter with this number.
    ///
    /// # Errors
    /// [`ErrorKind::FilterUnavailable`] if there is none.
    pub fn entry(&self, id: u32) -> Result<UsableFilter<'_>> {
        let built_in = || self.row(id).map(UsableFilter::BuiltIn);
        let plugin = || {
            let plugins = self.plugins.as_ref()?;
            plugins.filter(id).map(UsableFilter::Plugin)
        };
        let first = self.plugins.as_ref().is_some_and(Plugins::preferred);
        let found = match first {
            true => plugin().or_else(built_in),
            false => built_in().or_else(plugin),
        };
        found.ok_or_else(|| self.missing(id, None))
    }

    /// Checks that a filter takes its parameters for chunks of this context.
    ///
    /// # Errors
    /// [`ErrorKind::FilterUnavailable`] for a missing filter, [`ErrorKind::Argument`] for parameters that the filter rejects.
    /// Errors about the chunks come when the chunks are written.
    pub fn takes(&self, filter: &FilterSpec, context: &ChunkContext) -> Result<()> {
        match self.entry(filter.id)?.prepare(context, &filter.params) {
            Err(e) if e.kind() == ErrorKind::Argument => Err(e),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The error for a number that is not an HDF5 filter, in a file that needs HDF5 filters.
    #[must_use]
    pub fn no_filter_of_hdf5(&self, id: u32) -> Error {
        self.missing(id, None)
    }

    /// Whether the filter with this number is built in, and used.
    #[must_use]
    pub fn has(&self, id: u32) -> bool {
        let plugins = self.plugins.as_ref().is_some_and(Plugins::preferred);
        !plugins && self.row(id).is_some()
    }
}
