//! The store, and the context for reading it.

use std::path::Path;
use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::filter::FilterTable;
use netcdf_core::filter::plugin::Plugins;
use netcdf_core::format::zarr::survey::{StoreSurvey, no_store};
use netcdf_core::io::Store;
use netcdf_core::io::locator::{InputAccess, Location};
use netcdf_core::io::trace::Trace;
use netcdf_core::tool::Io;

use crate::cli::SessionArgs;

/// The common context of all commands.
pub(crate) struct Session {
    /// Limits, filters, threads, notes.
    pub env: Env,
    /// Whether JSON lines are printed.
    pub json: bool,
    /// The settings for opening stores.
    access: InputAccess,
}

impl Session {
    /// Returns a session with the options of the command line.
    pub(crate) fn new(args: &SessionArgs) -> Self {
        let mut env = Env::with_threads(args.process.threads);
        args.process.network.apply(&mut env);
        env.filters =
            FilterTable::with_plugins(Plugins::from_environment(args.preference.prefer_plugins));
        env.siblings.outside = args.external.allow_external;
        Self {
            json: args.json,
            ..Self::with(env, args.process.trace)
        }
    }

    /// Returns a session without options other than tracing.
    pub(crate) fn plain(trace: bool) -> Self {
        Self::with(Env::default(), trace)
    }

    fn with(env: Env, trace: bool) -> Self {
        let access = InputAccess {
            trace: Trace::from_environment(trace),
            allow_external: env.siblings.outside,
            limits: env.limits.clone(),
            notes: Arc::clone(&env.notes),
            network: Arc::clone(&env.network),
            siblings: env.siblings.clone(),
            ..InputAccess::default()
        };
        Self {
            env,
            json: false,
            access,
        }
    }

    /// Opens a directory or zip file of any content.
    ///
    /// # Errors
    /// Returns [`netcdf_core::ErrorKind::UnknownFormat`] for other files, and [`netcdf_core::ErrorKind::Io`].
    pub(crate) fn store(&self, path: &Path, io: &mut Io) -> Result<Arc<dyn Store>> {
        self.access.keys(&Location::new(path)?, &mut *io.stdin)
    }

    /// Reads all metadata of a store.
    ///
    /// # Errors
    /// Returns errors of the store, and [`netcdf_core::ErrorKind::UnknownFormat`] for an input that is not a Zarr store.
    pub(crate) fn survey(&self, store: &Arc<dyn Store>) -> Result<StoreSurvey> {
        let survey = StoreSurvey::read(store, &self.env)?;
        match survey.is_store() {
            true => Ok(survey),
            false => Err(no_store(store)),
        }
    }
}
