//! Requests to storage.

use std::num::NonZeroU16;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::Args;
use netcdf_core::env::Env;
use netcdf_core::io::network::Network;
use netcdf_core::tool::Io;

use super::heading;

/// Requests to storage, and their statistics.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = heading::RESOURCES)]
pub struct NetworkArgs {
    /// Maximum number of concurrent requests to storage [default: 8 to 256 to remote storage, few to local files]
    #[arg(long, value_name = "N", global = true)]
    requests: Option<NonZeroU16>,

    /// Timeout of a remote request in seconds, including retries [default: 60]
    #[arg(long, value_name = "SECONDS", global = true, value_parser = parse_seconds)]
    timeout: Option<Duration>,

    /// Print remote I/O statistics to standard error: requests, round trips, bytes, failed attempts
    #[arg(long = "io-stats", global = true)]
    io_stats: bool,

    /// The network of the run, which counts all requests.
    #[arg(skip)]
    network: Arc<OnceLock<Arc<Network>>>,
}

/// The maximum timeout in seconds.
const DAY: f64 = 24.0 * 60.0 * 60.0;

/// Parses the value of `--timeout`.
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

    /// Applies the options to a run.
    pub fn apply(&self, env: &mut Env) {
        let requests = self.requests.map(|n| usize::from(n.get()));
        let network = || Arc::new(Network::new(self.timeout, requests, &env.cancel));
        env.network = Arc::clone(self.network.get_or_init(network));
        env.set_requests(self.requests);
    }

    /// Prints the statistics of the run if `--io-stats` is given.
    pub fn tell(&self, tool: &str, io: &mut Io) {
        if self.io_stats {
            let traffic = match self.network.get() {
                Some(network) => network.traffic(),
                None => Network::default().traffic(),
            };
            // Ignore errors: a closed standard error has no reader.
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
