//! Connects to the services of addresses.

mod amazon;
mod azure;
mod google;
mod service;

use std::sync::{Arc, Once};
use std::time::Duration;

use object_store::{ClientOptions, RetryConfig};

use self::service::RetryCounter;
use super::bucket::Bucket;
use super::failure::RequestFailure;
use super::reach;
use super::settings::{ConnectionSettings, SettingSources};
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::{Address, Service};
use crate::io::network::Network;

/// The maximum number of retries after transient errors.
const RETRIES: usize = 6;

/// The default time limit of a request, including retries.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

/// The time limit for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Connects to the bucket or container of an address.
///
/// # Errors
/// [`ErrorKind::Argument`] for missing or contradictory settings.
pub(super) fn bucket(
    address: &Address,
    said: &SettingSources,
    network: &Arc<Network>,
) -> Result<Bucket> {
    use_ring();
    let timeout = network.timeout.unwrap_or(TIMEOUT);
    let whole = Address {
        key: String::new(),
        ..address.clone()
    };
    let name = whole.short();
    let to = Connection {
        name: &name,
        network,
        timeout,
    };
    let by = (network, timeout);
    Ok(match &address.service {
        Service::S3 {
            bucket,
            region,
            endpoint,
        } => {
            to.check_name(bucket)?;
            let place = (bucket.as_str(), region.as_deref(), endpoint.as_deref());
            let (made, tried) = amazon::bucket(place, said, &to)?;
            Bucket::new(made, (&name, &tried), by)
        }
        Service::Google { bucket } => {
            to.check_name(bucket)?;
            let (made, tried) = google::bucket(bucket, said, &to)?;
            Bucket::new(made, (&name, &tried), by)
        }
        Service::Azure { account, container } => {
            account.iter().try_for_each(|name| to.check_name(name))?;
            to.check_name(container)?;
            let (made, tried) = azure::container((account.as_deref(), container), said, &to)?;
            Bucket::new(made, (&name, &tried), by)
        }
        Service::Web { .. } => {
            let what = "a web server has no buckets";
            return Err(Error::new(ErrorKind::Internal, what).of(&name));
        }
    })
}

/// Makes rustls use ring.
pub(super) fn use_ring() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Another part of the program may have installed a provider already, which then stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Settings for the clients of all services.
struct Connection<'a> {
    /// The bucket, for messages.
    name: &'a str,
    network: &'a Arc<Network>,
    timeout: Duration,
}

impl Connection<'_> {
    /// The client options. [`Bucket`] limits the time of the transfer, because large parts on slow connections take long.
    fn options(&self, line: &ConnectionSettings) -> Result<ClientOptions> {
        let options = ClientOptions::new().with_timeout_disabled();
        let options = options.with_connect_timeout(CONNECT.min(self.timeout));
        reach::options(options, line)
    }

    /// Checks the name of a bucket, container or account, because the library panics for invalid names.
    fn check_name(&self, name: &str) -> Result<()> {
        let known = |b: u8| b.is_ascii_alphanumeric() || b"-._$".contains(&b);
        if !name.is_empty() && name.bytes().all(known) {
            return Ok(());
        }
        let what = "no bucket, container or account has such a name";
        Err(Error::new(ErrorKind::Argument, what).of(self.name))
    }

    /// Checks the address of a service, because the library panics for invalid addresses. The address may contain a password, so no message
    /// shows it.
    fn service(&self, url: &str) -> Result<String> {
        let parsed = reqwest::Url::parse(url).ok();
        let usable =
            parsed.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        match usable {
            Some(url) => Ok(url.as_str().trim_end_matches('/').to_owned()),
            None => {
                let what = "the address of the service, or the region in it, cannot be used";
                let e = Error::new(ErrorKind::Argument, what).of(self.name);
                Err(e.with_remedy("an address of a service is such as https://HOST:PORT"))
            }
        }
    }

    fn retry(&self) -> RetryConfig {
        RetryConfig {
            max_retries: RETRIES,
            retry_timeout: self.timeout,
            ..RetryConfig::default()
        }
    }

    fn connector(&self) -> RetryCounter {
        RetryCounter(Arc::clone(self.network))
    }

    /// The error for a client that cannot be created.
    fn failed(&self, tried: &str, e: object_store::Error) -> Error {
        RequestFailure::new(tried).of(e, self.name)
    }
}
