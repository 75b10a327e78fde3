//! Options that several tools have: the kind and the form of the output, selections, plugins, and requests.

use std::num::NonZeroU16;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::Args;
use netcdf_core::cancel::Cancel;
use netcdf_core::env::Env;
use netcdf_core::filter::Table;
use netcdf_core::filter::plugin::{Isolation, Plugins};
use netcdf_core::format::kind_named;
use netcdf_core::io::locator::Asked;
use netcdf_core::io::network::Network;
use netcdf_core::model::Kind;
use netcdf_core::tool::Io;

use crate::hyperslab::Hyperslab;

/// The options that name a kind; of several, the last counts: `overrides_with_all` of `-k`, too, whose help is each tool's own.
pub const KIND: [&str; 6] = [
    "kind",
    "classic",
    "offset64",
    "cdf5",
    "netcdf4",
    "netcdf4_classic",
];

/// Kinds by a digit, beside an option `kind`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct KindFlags {
    /// Classic output (CDF-1), as -k classic
    #[arg(short = '3', overrides_with_all = KIND)]
    classic: bool,
    /// netCDF-4 output, as -k netCDF-4
    #[arg(short = '4', overrides_with_all = KIND)]
    netcdf4: bool,
    /// CDF-5 output, as -k cdf5
    #[arg(short = '5', overrides_with_all = KIND)]
    cdf5: bool,
    /// 64-bit offset output (CDF-2), as -k 64-bit-offset
    #[arg(short = '6', overrides_with_all = KIND)]
    offset64: bool,
    /// netCDF-4 classic model output, as -k nc7
    #[arg(short = '7', overrides_with_all = KIND)]
    netcdf4_classic: bool,
}

impl KindFlags {
    /// The kind for a digit.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        let flags = [
            (self.classic, Kind::CLASSIC),
            (self.offset64, Kind::OFFSET64),
            (self.cdf5, Kind::CDF5),
            (self.netcdf4, Kind::NETCDF4),
            (self.netcdf4_classic, Kind::NETCDF4_CLASSIC),
        ];
        let flag = flags.into_iter().find(|(set, _)| *set);
        flag.map(|(_, kind)| kind)
    }
}

/// The kind for the value of `-k`.
///
/// # Errors
/// The expected values, if it is none of them.
pub fn parse_kind(text: &str) -> Result<Kind, String> {
    kind_named(text).ok_or_else(|| {
        "expected classic, 64-bit-offset, cdf5, netCDF-4, \"netCDF-4 classic model\", zarr, nczarr, zarr3 or nczarr3"
            .to_owned()
    })
}

/// How Zarr output is stored.
#[derive(Debug, Args)]
pub struct ZarrArgs {
    /// Zarr output: also write consolidated metadata (.zmetadata, or in zarr.json)
    #[arg(long)]
    consolidated: bool,
    /// Zip output: prefix all keys with a directory named after the file, as netCDF-C requires [default for nczarr and
    /// nczarr3]
    #[arg(long = "zip-prefix", overrides_with = "no_zip_prefix")]
    zip_prefix: bool,
    /// Zip output: do not prefix keys with a directory, as zarr-python expects [default for zarr and zarr3]
    #[arg(long = "no-zip-prefix", overrides_with = "zip_prefix")]
    no_zip_prefix: bool,
    /// Zarr output: replace a store even if its directory holds files that do not belong to it; these files are removed, and each is
    /// named
    #[arg(long)]
    overwrite: bool,
}

impl ZarrArgs {
    /// The options for an output of this kind.
    #[must_use]
    pub fn asked(&self, kind: Option<Kind>) -> Asked {
        let zip_prefix = (self.zip_prefix || self.no_zip_prefix).then_some(self.zip_prefix);
        Asked {
            kind,
            consolidated: self.consolidated,
            zip_prefix,
            overwrite: self.overwrite,
            ..Asked::default()
        }
    }
}

/// Which part of a dataset is meant.
#[derive(Debug, Args)]
pub struct HyperslabArgs {
    /// Take only this part of a dimension. Whole numbers are indices from 0, or from the end if negative; numbers with a point and times
    /// are values of the coordinate: `time,0,11`, `time,-1`, `lat,-30.,30.`, `time,2001-01-01,2001-12-31`, `x,,,10`. Both limits are
    /// included; a month or day as the second limit ends with the month or day, and `time,2001-06` is the whole month. From a larger to a
    /// smaller longitude, the part goes around the globe. Can be given several times: parts of the same dimension are joined
    #[arg(long = "select", value_name = "DIM[,MIN[,MAX[,STRIDE]]]", value_parser = parse_hyperslab)]
    select: Vec<Hyperslab>,
}

impl HyperslabArgs {
    /// The parts of dimensions that are meant; none stands for all of the dataset.
    #[must_use]
    pub fn parts(&self) -> &[Hyperslab] {
        &self.select
    }

    /// Replaces the parts.
    pub fn replace(&mut self, parts: Vec<Hyperslab>) {
        self.select = parts;
    }
}

fn parse_hyperslab(text: &str) -> Result<Hyperslab, String> {
    Hyperslab::parse(text).map_err(|e| e.to_string())
}

/// How HDF5 plugins are used.
#[derive(Debug, Clone, Args)]
pub struct PluginArgs {
    /// Prefer HDF5 plugins to the built-in filters
    #[arg(long = "prefer-plugins")]
    prefer_plugins: bool,

    /// Run HDF5 plugins in separate processes: a plugin that crashes, exits or never finishes is an error that names the
    /// plugin
    #[arg(long = "isolate-plugins", value_name = "yes|no", num_args = 0..=1, require_equals = true,
          default_missing_value = "yes", value_parser = clap::builder::BoolishValueParser::new())]
    isolate_plugins: Option<bool>,

    /// Seconds that a plugin may take for a chunk, plus one for each MiB [default: 30]; implies --isolate-plugins
    #[arg(long = "plugin-timeout", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    plugin_timeout: Option<u64>,
}

impl PluginArgs {
    /// Merges options: `self` takes precedence over `other`.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            prefer_plugins: self.prefer_plugins || other.prefer_plugins,
            isolate_plugins: self.isolate_plugins.or(other.isolate_plugins),
            plugin_timeout: self.plugin_timeout.or(other.plugin_timeout),
        }
    }

    /// The filters of a run that `cancel` stops.
    #[must_use]
    pub fn filters(&self, cancel: &Cancel) -> Table {
        let mut plugins = Plugins::from_environment(self.prefer_plugins);
        if self
            .isolate_plugins
            .unwrap_or(self.plugin_timeout.is_some())
        {
            plugins = plugins.isolated(Isolation::of_this_tool(cancel, self.plugin_timeout));
        }
        Table::with_plugins(plugins)
    }
}

/// How storage is asked, and what is said of that.
#[derive(Debug, Clone, Args)]
pub struct NetworkArgs {
    /// Maximum number of requests at a time to storage; at most 64 to local files [default: few to local files, 8 to 256 to remote storage]
    #[arg(long, value_name = "N", global = true)]
    requests: Option<NonZeroU16>,

    /// Seconds after which a request to another machine is given up, with all its repetitions [default: 60]
    #[arg(long, value_name = "SECONDS", global = true, value_parser = parse_seconds)]
    timeout: Option<Duration>,

    /// Print on standard error what was asked of other machines: requests, rounds, bytes, failed tries
    #[arg(long = "io-stats", global = true)]
    io_stats: bool,

    /// The network of the run, which counts all requests.
    #[arg(skip)]
    network: Arc<OnceLock<Arc<Network>>>,
}

/// Longest time-out in seconds.
const DAY: f64 = 24.0 * 60.0 * 60.0;

/// The time for the value of `--timeout`.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= DAY);
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("expected a number of seconds greater than 0, at most {DAY}"))
}

impl NetworkArgs {
    /// Merges options: `self` takes precedence over `other`. Both count requests in the network of `self`.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            requests: self.requests.or(other.requests),
            timeout: self.timeout.or(other.timeout),
            io_stats: self.io_stats,
            network: Arc::clone(&self.network),
        }
    }

    /// Makes the run ask as the options say.
    pub fn apply(&self, env: &mut Env) {
        let requests = self.requests.map(|n| usize::from(n.get()));
        let network = || Arc::new(Network::new(self.timeout, requests, &env.cancel));
        env.network = Arc::clone(self.network.get_or_init(network));
        env.set_requests(self.requests);
    }

    /// Prints the requests of the run if `--io-stats` is given.
    pub fn tell(&self, tool: &str, io: &mut Io) {
        if self.io_stats {
            let traffic = match self.network.get() {
                Some(network) => network.traffic(),
                None => Network::default().traffic(),
            };
            // If standard error is closed, there is nobody to tell.
            let _ = writeln!(io.stderr, "{tool}: {traffic}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_positive_numbers() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_seconds("30"), Ok(Duration::from_secs(30)));
        for wrong in ["0", "-1", "nan", "inf", "1e9", "", "5s"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}
