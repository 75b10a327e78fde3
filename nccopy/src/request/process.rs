//! The requested settings of a process.

use std::num::NonZeroU16;

use netcdf_grammar::flags::{NetworkArgs, PluginArgs};

/// Settings of a process without influence on its outputs.
#[derive(Debug)]
pub struct ProcessRequest {
    /// The number of threads.
    pub threads: Option<NonZeroU16>,
    /// Bytes of memory for data.
    pub memory: Option<u64>,
    /// The use of HDF5 plugins.
    pub plugins: PluginArgs,
    /// The requests to storage.
    pub network: NetworkArgs,
    /// Whether outputs are not synced.
    pub no_sync: bool,
    /// Whether progress bar and notes are hidden.
    pub quiet: bool,
    /// Whether operations on Zarr stores are traced.
    pub trace: bool,
}

impl ProcessRequest {
    /// Merges settings: `self` takes precedence over the settings of a plan.
    pub fn over(&self, planned: &Self) -> Self {
        Self {
            threads: self.threads.or(planned.threads),
            memory: self.memory.or(planned.memory),
            plugins: self.plugins.or(&planned.plugins),
            network: self.network.or(&planned.network),
            no_sync: self.no_sync || planned.no_sync,
            quiet: self.quiet || planned.quiet,
            trace: self.trace || planned.trace,
        }
    }
}
