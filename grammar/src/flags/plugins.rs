//! HDF5 plugins and codec libraries.

use clap::Args;
use netcdf_core::cancel::Cancel;
use netcdf_core::filter::FilterTable;
use netcdf_core::filter::plugin::{Isolation, Plugins};

use super::heading;

/// The choice between plugins and built-in filters.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = heading::PLUGINS)]
pub struct PreferenceArgs {
    /// Prefer plugins to the built-in filters and codecs
    #[arg(long = "prefer-plugins", global = true)]
    pub prefer_plugins: bool,
}

/// The use of HDF5 plugins.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = heading::PLUGINS)]
pub struct PluginArgs {
    /// The choice between plugins and built-in filters.
    #[command(flatten)]
    preference: PreferenceArgs,

    /// Run HDF5 plugins in separate processes, so that a plugin that crashes or hangs is an error [default: no]
    #[arg(long = "isolate-plugins", value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
          hide_possible_values = true, value_parser = clap::builder::BoolishValueParser::new())]
    isolate_plugins: Option<bool>,

    /// Time limit of a plugin for a chunk: this number of seconds, plus one second per MiB [default: 30]. Implies --isolate-plugins
    #[arg(long = "plugin-timeout", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    plugin_timeout: Option<u64>,
}

impl PluginArgs {
    /// Merges options: `self` takes precedence over `other`.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let prefer_plugins = self.preference.prefer_plugins || other.preference.prefer_plugins;
        Self {
            preference: PreferenceArgs { prefer_plugins },
            isolate_plugins: self.isolate_plugins.or(other.isolate_plugins),
            plugin_timeout: self.plugin_timeout.or(other.plugin_timeout),
        }
    }

    /// The filters of a run that `cancel` stops.
    #[must_use]
    pub fn filters(&self, cancel: &Cancel) -> FilterTable {
        let mut plugins = Plugins::from_environment(self.preference.prefer_plugins);
        if self
            .isolate_plugins
            .unwrap_or(self.plugin_timeout.is_some())
        {
            plugins = plugins.isolated(Isolation::of_this_tool(cancel, self.plugin_timeout));
        }
        FilterTable::with_plugins(plugins)
    }
}
