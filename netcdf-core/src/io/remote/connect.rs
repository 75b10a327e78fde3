//! Connects to the services that addresses name.

use std::pin::Pin;
use std::sync::{Arc, Once};
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{ClientOptions, RetryConfig};

use super::bucket::Bucket;
use super::failure::Failure;
use super::instance;
use super::settings::{self, Aws, Instance, Sources};
use super::wait::wait;
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::{Address, Service};
use crate::io::network::Network;

/// Requests that fail for a while are repeated so many times.
const RETRIES: usize = 6;

/// The time that a request may take with all that is repeated, unless somebody says otherwise.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

/// The time in which a connection has to be there.
const CONNECT: Duration = Duration::from_secs(10);

/// Where credentials of Google's and Azure's services come from.
const GOOGLE: &str =
    "what GOOGLE_APPLICATION_CREDENTIALS and the other variables of Google's tools name";
const AZURE: &str = "what AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY and the other variables of Azure's tools name";

/// The bucket or container of an address.
///
/// # Errors
/// [`ErrorKind::Argument`] for settings that contradict each other, or are not there.
pub fn bucket(address: &Address, said: &Sources, network: &Arc<Network>) -> Result<Bucket> {
    use_ring();
    let timeout = network.timeout.unwrap_or(TIMEOUT);
    let client = || client(timeout);
    let counted = || Counted(Arc::clone(network));
    let whole = Address {
        key: String::new(),
        ..address.clone()
    };
    let name = whole.short();
    let failed = |tried: &str, e| Failure::new(tried).of(e, &name);
    let by = (network, timeout);
    Ok(match &address.service {
        Service::S3 {
            bucket,
            region,
            endpoint,
        } => {
            let mut aws = settings::aws(said)?;
            let other = endpoint.is_some() || aws.endpoint.is_some();
            aws.instance = with_role(aws.instance, other, network)?;
            if aws.instance.is_some() {
                aws.tried = "the role of this machine".to_owned();
            }
            let builder = amazon(
                (bucket, region.as_deref()),
                endpoint.as_deref(),
                &aws,
                client(),
            );
            let builder = builder
                .with_retry(retry(timeout))
                .with_http_connector(counted());
            let made = builder.build().map_err(|e| failed(&aws.tried, e))?;
            Bucket::new(Arc::new(made), (&name, &aws.tried), by)
        }
        Service::Google { bucket } => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
            let builder = builder
                .with_client_options(client())
                .with_retry(retry(timeout))
                .with_http_connector(counted());
            let made = builder.build().map_err(|e| failed(GOOGLE, e))?;
            Bucket::new(Arc::new(made), (&name, GOOGLE), by)
        }
        Service::Azure { account, container } => {
            let builder = MicrosoftAzureBuilder::from_env().with_container_name(container);
            let builder = match account {
                Some(account) => builder.with_account(account),
                None => builder,
            };
            let builder = builder
                .with_client_options(client())
                .with_retry(retry(timeout))
                .with_http_connector(counted());
            let made = builder.build().map_err(|e| failed(AZURE, e))?;
            Bucket::new(Arc::new(made), (&name, AZURE), by)
        }
        Service::Web { .. } => {
            let what = "a web server has no buckets";
            return Err(Error::new(ErrorKind::Internal, what).of(&name));
        }
    })
}

/// Counts tries that fail, which the library repeats by itself.
#[derive(Debug)]
struct Counted(Arc<Network>);

impl HttpConnector for Counted {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        let network = Arc::clone(&self.0);
        Ok(HttpClient::new(CountedService { client, network }))
    }
}

#[derive(Debug)]
struct CountedService {
    client: HttpClient,
    network: Arc<Network>,
}

/// An answer to a request of the library.
type Called<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for CountedService {
    fn call<'s, 'a>(&'s self, request: HttpRequest) -> Called<'a>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async {
            let answer = self.client.execute(request).await;
            let failed = match &answer {
                Ok(answer) => answer.status().is_server_error() || answer.status().as_u16() == 429,
                Err(_) => true,
            };
            if failed {
                self.network.failed();
            }
            answer
        })
    }
}

/// Who knows the role of this machine, if it has one. Services of others know no such roles.
fn with_role(
    instance: Option<Instance>,
    other: bool,
    network: &Network,
) -> Result<Option<Instance>> {
    let service = match &instance {
        Some(Instance::Usual) if !other => instance::SERVICE,
        Some(Instance::At(url)) => url,
        Some(Instance::Usual) | None => return Ok(None),
    };
    let has = network.has_role(|| wait(async { Ok(instance::has_role(service).await) }))?;
    Ok(instance.filter(|_| has))
}

/// All of TLS here is done by rustls with ring.
pub(super) fn use_ring() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Another part of the program may have chosen before: then that is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

fn amazon(
    (bucket, region): (&str, Option<&str>),
    endpoint: Option<&str>,
    aws: &Aws,
    client: ClientOptions,
) -> AmazonS3Builder {
    let region = region.or(aws.region.as_deref()).unwrap_or("us-east-1");
    // The library gets the keys of containers and of web identities by the variables that lead to them.
    let asks = aws.container || aws.web_identity;
    let builder = match asks {
        true => AmazonS3Builder::from_env(),
        false => AmazonS3Builder::new(),
    };
    let mut builder = builder
        .with_bucket_name(bucket)
        .with_region(region)
        .with_client_options(client);
    if let Some(endpoint) = endpoint.or(aws.endpoint.as_deref()) {
        // Plain HTTP is used where it is named, and nowhere else.
        let plain = endpoint.starts_with("http://");
        builder = builder.with_endpoint(endpoint).with_allow_http(plain);
    }
    match &aws.credentials {
        Some(keys) => {
            builder = builder
                .with_access_key_id(keys.id.show())
                .with_secret_access_key(keys.secret.show());
            if let Some(token) = &keys.token {
                builder = builder.with_token(token.show());
            }
        }
        None if asks => {}
        None if aws.instance.is_some() => {
            if let Some(Instance::At(url)) = &aws.instance {
                builder = builder.with_metadata_endpoint(url);
            }
        }
        None => builder = builder.with_skip_signature(true),
    }
    builder
}

/// How long bytes may take is up to [`Bucket`]: large parts on slow lines take their time.
fn client(timeout: Duration) -> ClientOptions {
    let options = ClientOptions::new().with_timeout_disabled();
    options.with_connect_timeout(CONNECT.min(timeout))
}

fn retry(timeout: Duration) -> RetryConfig {
    RetryConfig {
        max_retries: RETRIES,
        retry_timeout: timeout,
        ..RetryConfig::default()
    }
}
