//! Azure Blob Storage.

use std::sync::Arc;

use object_store::azure::{AzureConfigKey, MicrosoftAzure, MicrosoftAzureBuilder};

use super::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::io::remote::instance;
use crate::io::remote::settings::{self, SettingSources};
use crate::io::remote::wait::wait;

/// Connects to the container of an account, with credentials. The environment can name the account.
///
/// # Errors
/// [`crate::ErrorKind::Argument`] for missing or unusable settings.
pub(super) fn container(
    (account, name): (Option<&str>, &str),
    said: &SettingSources,
    to: &Connection,
) -> Result<(Arc<MicrosoftAzure>, String)> {
    let azure = settings::azure(said, account)?;
    let mut tried = azure.tried;
    let url = match (&azure.endpoint, &azure.account) {
        (Some(url), _) => url.to_owned(),
        (None, Some(account)) => format!("https://{account}.blob.core.windows.net"),
        (None, None) if azure.emulator => String::new(),
        (None, None) => return Err(no_account().of(to.name)),
    };
    let url = match url.is_empty() {
        true => url,
        false => to.service(&url)?,
    };
    let line = settings::line(said, &url)?;
    let plain = url.starts_with("http://");
    let mut builder = MicrosoftAzureBuilder::from_env()
        .with_container_name(name)
        .with_client_options(to.options(&line)?.with_allow_http(plain))
        .with_retry(to.retry())
        .with_http_connector(to.connector());
    if let Some(account) = azure.account {
        builder = builder.with_account(account);
    }
    if azure.endpoint.is_some() {
        builder = builder.with_endpoint(url);
    }
    if azure.emulator {
        builder = builder.with_use_emulator(true);
    }
    if let Some(key) = azure.key {
        builder = builder.with_access_key(key.show());
    }
    if let Some(sas) = azure.sas {
        builder = builder.with_config(AzureConfigKey::SasKey, sas.show());
    }
    if azure.anonymous {
        builder = builder.with_skip_signature(true);
    } else if !azure.signed {
        match has_identity(to)? {
            true => "the identity of this machine".clone_into(&mut tried),
            false => builder = builder.with_skip_signature(true),
        }
    }
    let made = builder.build().map_err(|e| to.failed(&tried, e))?;
    Ok((Arc::new(made), tried))
}

fn no_account() -> Error {
    let e = Error::new(
        ErrorKind::Argument,
        "the account of the container is not known",
    );
    e.with_remedy(
        "set AZURE_STORAGE_ACCOUNT_NAME, or name it as in abfs://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY",
    )
}

/// Checks whether this machine is an Azure machine with an identity. On other machines a query would wait for a timeout.
fn has_identity(to: &Connection) -> Result<bool> {
    let Some(service) = instance::azure_service() else {
        return Ok(false);
    };
    let ask = || wait(async { Ok(instance::azure(service).await) });
    to.network.has_role("Azure", ask)
}
