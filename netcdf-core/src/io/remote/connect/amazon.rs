//! S3 and compatible services.

use std::sync::Arc;

use object_store::aws::{AmazonS3, AmazonS3Builder};

use super::Connection;
use crate::error::Result;
use crate::io::network::Network;
use crate::io::remote::instance;
use crate::io::remote::settings::{self, Aws, ConnectionSettings, Instance, SettingSources};
use crate::io::remote::wait::wait;

/// Connects to the bucket `name`, with credentials.
///
/// # Errors
/// [`crate::ErrorKind::Argument`] for missing or contradictory settings.
pub(super) fn bucket(
    (bucket, region, endpoint): (&str, Option<&str>, Option<&str>),
    said: &SettingSources,
    to: &Connection,
) -> Result<(Arc<AmazonS3>, String)> {
    let mut aws = settings::aws(said)?;
    let other = endpoint.is_some() || aws.endpoint.is_some();
    aws.instance = with_role(aws.instance, other, to.network)?;
    if aws.instance.is_some() {
        aws.tried = "the role of this machine".to_owned();
    }
    let region = region.or(aws.region.as_deref()).unwrap_or("us-east-1");
    let endpoint = endpoint.or(aws.endpoint.as_deref());
    let url = match endpoint {
        Some(url) => url.to_owned(),
        None => format!("https://s3.{region}.amazonaws.com"),
    };
    let url = to.service(&url)?;
    let line = settings::line(said, &url)?;
    let line = ConnectionSettings {
        ca_bundle: aws.ca_bundle.clone().or(line.ca_bundle),
        ..line
    };
    let mut builder = signed(&aws)
        .with_bucket_name(bucket)
        .with_region(region)
        .with_client_options(to.options(&line)?)
        .with_retry(to.retry())
        .with_http_connector(to.connector());
    if endpoint.is_some() {
        // Plain HTTP is only used for an explicit `http://` address.
        let plain = url.starts_with("http://");
        builder = builder.with_endpoint(url).with_allow_http(plain);
    }
    let made = builder.build().map_err(|e| to.failed(&aws.tried, e))?;
    Ok((Arc::new(made), aws.tried))
}

/// Finds the metadata service with the role of this machine. Other vendors' services (`other`) have no such roles.
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
    let ask = || wait(async { Ok(instance::amazon(service).await) });
    let has = network.has_role("Amazon", ask)?;
    Ok(instance.filter(|_| has))
}

/// A builder with credentials.
fn signed(aws: &Aws) -> AmazonS3Builder {
    // The library reads the variables for container and web identity credentials.
    let asks = aws.container || aws.web_identity;
    let builder = match asks {
        true => AmazonS3Builder::from_env(),
        false => AmazonS3Builder::new(),
    };
    match (&aws.credentials, &aws.instance) {
        (Some(keys), _) => {
            let builder = builder
                .with_access_key_id(keys.id.show())
                .with_secret_access_key(keys.secret.show());
            match &keys.token {
                Some(token) => builder.with_token(token.show()),
                None => builder,
            }
        }
        (None, Some(Instance::At(url))) => builder.with_metadata_endpoint(url),
        (None, Some(Instance::Usual)) => builder,
        (None, None) if asks => builder,
        (None, None) => builder.with_skip_signature(true),
    }
}
