//! Google Cloud Storage.

use std::sync::Arc;

use object_store::gcp::{GoogleCloudStorage, GoogleCloudStorageBuilder};

use super::Connection;
use crate::error::Result;
use crate::io::remote::instance;
use crate::io::remote::settings::{self, SettingSources, Signed};
use crate::io::remote::wait::wait;

/// Google's endpoint.
const SERVICE: &str = "https://storage.googleapis.com";

/// Connects to the bucket `name`, with credentials.
///
/// # Errors
/// [`crate::ErrorKind::Argument`] for unusable settings.
pub(super) fn bucket(
    name: &str,
    said: &SettingSources,
    to: &Connection,
) -> Result<(Arc<GoogleCloudStorage>, String)> {
    let google = settings::google(said);
    let url = to.service(google.endpoint.as_deref().unwrap_or(SERVICE))?;
    let line = settings::line(said, &url)?;
    let mut tried = google.tried;
    let builder = match google.signed {
        Signed::Environment => GoogleCloudStorageBuilder::from_env(),
        Signed::Role if has_role(said, to)? => {
            "the role of this machine".clone_into(&mut tried);
            GoogleCloudStorageBuilder::new()
        }
        // Without this unused token, the library would search for credentials.
        Signed::Role | Signed::Never => GoogleCloudStorageBuilder::new()
            .with_bearer_token("")
            .with_skip_signature(true),
    };
    let plain = url.starts_with("http://");
    let builder = match &google.endpoint {
        Some(_) => builder.with_base_url(&url),
        None => builder,
    };
    let builder = builder
        .with_bucket_name(name)
        .with_client_options(to.options(&line)?.with_allow_http(plain))
        .with_retry(to.retry())
        .with_http_connector(to.connector());
    let made = builder.build().map_err(|e| to.failed(&tried, e))?;
    Ok((Arc::new(made), tried))
}

/// Checks whether this machine is a Google machine with a role. On other machines a query would wait for a timeout.
fn has_role(said: &SettingSources, to: &Connection) -> Result<bool> {
    let Some(service) = instance::google_service(said) else {
        return Ok(false);
    };
    let ask = || wait(async { Ok(instance::google(&service).await) });
    to.network.has_role("Google", ask)
}
