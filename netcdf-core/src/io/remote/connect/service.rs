//! The HTTP client behind the `object_store` library.

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
        let network = Arc::clone(&self.0);
        Ok(HttpClient::new(CountedService { client, network }))
    }
}

#[derive(Debug)]
struct CountedService {
    client: HttpClient,
    network: Arc<Network>,
}

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
        self.client.execute(request).await.map_err(final_if_unsafe)
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
