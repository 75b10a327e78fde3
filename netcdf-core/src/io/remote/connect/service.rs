//! What sends the requests of the library.

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

/// Services of the machine or of its network, which no proxy can reach: they know roles and their keys.
const NEAR: [&str; 6] = [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "[fd00:ec2::254]",
    "[fd00:ec2::23]",
    "metadata.google.internal",
];

/// The time in which they have to be there, if they are.
const SOON: Duration = Duration::from_secs(1);

/// Counts tries that fail, which the library repeats by itself.
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

/// An answer to a request of the library.
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

/// A server that is not trusted now will not be next time: the library shall not ask again.
fn final_if_unsafe(e: HttpError) -> HttpError {
    match reach::refusal(&e) {
        Some(_) => HttpError::new(HttpErrorKind::Unknown, e),
        None => e,
    }
}
