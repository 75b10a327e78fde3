//! The HTTP client behind the `object_store` library.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};
use reqwest::Client;

use crate::error::Result;
use crate::io::network::{Network, Transfer};
use crate::io::remote::reach;
use crate::per_process::PerProcess;

/// Metadata services on the machine or its network, which know roles and keys. No proxy can reach them.
const NEAR: [&str; 6] = [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "[fd00:ec2::254]",
    "[fd00:ec2::23]",
    "metadata.google.internal",
];

/// The time limit for connections to metadata services.
const SOON: Duration = Duration::from_secs(1);

/// Counts failed attempts, which the library retries.
#[derive(Debug)]
pub(super) struct RetryCounter(pub Arc<Network>);

impl HttpConnector for RetryCounter {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(CountedService {
            clients: PerProcess::of(Some(client)),
            options: options.clone(),
            network: Arc::clone(&self.0),
        }))
    }
}

#[derive(Debug)]
struct CountedService {
    /// Connections belong to one process: a forked child creates its own client.
    clients: PerProcess<Option<HttpClient>>,
    options: ClientOptions,
    network: Arc<Network>,
}

/// The client of a forked child cannot be created.
#[derive(Debug)]
struct NoClient;

impl fmt::Display for NoClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot prepare connections in a forked process")
    }
}

impl std::error::Error for NoClient {}

/// The answer to a request of the library.
type ServiceAnswer<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl CountedService {
    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let near = request
            .uri()
            .host()
            .is_some_and(|host| NEAR.contains(&host));
        let bare = Client::builder().no_proxy().connect_timeout(SOON);
        if near && let Ok(client) = bare.build() {
            return HttpClient::new(client).execute(request).await;
        }
        let answer = self.client()?.execute(request).await;
        answer.map_err(final_if_unsafe)
    }

    /// Returns the client of this process.
    fn client(&self) -> Result<&HttpClient, HttpError> {
        let new = || ReqwestConnector::default().connect(&self.options).ok();
        let client = self.clients.get_or_init(new).as_ref();
        client.ok_or_else(|| HttpError::new(HttpErrorKind::Connect, NoClient))
    }
}

impl HttpService for CountedService {
    fn call<'s, 'a>(&'s self, request: HttpRequest) -> ServiceAnswer<'a>
    where
        's: 'a,
        Self: 'a,
    {
        let transfer = match request.method().is_safe() {
            true => Transfer::Download,
            false => Transfer::Upload,
        };
        Box::pin(async move {
            let answer = self.answer(request).await;
            let failed = match &answer {
                Ok(answer) => answer.status().is_server_error() || answer.status().as_u16() == 429,
                Err(_) => true,
            };
            if failed {
                self.network.failed(transfer);
            }
            answer
        })
    }
}

/// Marks a refused certificate as a final error, so that the library does not retry.
fn final_if_unsafe(e: HttpError) -> HttpError {
    match reach::refusal(&e) {
        Some(_) => HttpError::new(HttpErrorKind::Unknown, e),
        None => e,
    }
}
