//! Settings for Azure Blob Storage: the variables of Azure's tools, and the connection string.

use super::secret::Secret;
use super::sources::SettingSources;
use crate::error::{Error, ErrorKind, Result};

const STRING: &str = "AZURE_STORAGE_CONNECTION_STRING";

/// Variables with credentials. The library reads these variables.
const CREDENTIALS: [&str; 18] = [
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_ACCESS_KEY",
    "AZURE_STORAGE_MASTER_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_SAS_KEY",
    "AZURE_STORAGE_TOKEN",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_CLIENT_SECRET",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_FABRIC_SESSION_TOKEN",
    "AZURE_MSI_ENDPOINT",
    "AZURE_IDENTITY_ENDPOINT",
    "IDENTITY_ENDPOINT",
    "AZURE_MSI_RESOURCE_ID",
    "AZURE_OBJECT_ID",
    "AZURE_CREDENTIAL_TYPE",
    "AZURE_USE_AZURE_CLI",
    "AZURE_STORAGE_USE_EMULATOR",
];

/// The settings for a container.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Azure {
    /// The account, if known.
    pub account: Option<String>,
    /// The account key, if the library does not read it from the environment.
    pub key: Option<Secret>,
    /// A shared access signature instead of the key.
    pub sas: Option<Secret>,
    /// The service's address. `None` means Azure.
    pub endpoint: Option<String>,
    /// Whether to use the emulator with its default address and key.
    pub emulator: bool,
    /// Whether credentials exist.
    pub signed: bool,
    /// Whether the user requests unsigned requests.
    pub anonymous: bool,
    /// A description of the credentials, or of the searched locations.
    pub tried: String,
}

/// Reads the settings for containers of an account. The environment can name the account.
///
/// # Errors
/// [`ErrorKind::Argument`] for an invalid connection string. The error does not show the string.
pub(crate) fn azure(sources: &SettingSources, account: Option<&str>) -> Result<Azure> {
    let mut azure = match connected(sources, account)? {
        Some(azure) => azure,
        None => named(sources, account),
    };
    if let Some(name) = sources.first_true(&["AZURE_SKIP_SIGNATURE"]) {
        azure.anonymous = true;
        azure.tried = format!("no credentials, because of {name}");
    }
    Ok(azure)
}

/// Reads the settings in single variables.
fn named(sources: &SettingSources, account: Option<&str>) -> Azure {
    let names = [
        "AZURE_STORAGE_ACCOUNT_NAME",
        "AZURE_STORAGE_ACCOUNT",
        "AZURE_ACCOUNT_NAME",
    ];
    let known = account.map(str::to_owned);
    let endpoint = sources.first(&["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"]);
    let mut azure = Azure {
        account: known.or_else(|| Some(sources.first(&names)?.1)),
        endpoint: endpoint.map(|(_, url)| url),
        emulator: sources
            .first_true(&["AZURE_STORAGE_USE_EMULATOR"])
            .is_some(),
        ..Azure::default()
    };
    let key = || sources.first(&["AZURE_STORAGE_KEY"]);
    let found = match sources.first(&CREDENTIALS) {
        Some((name, _)) => Some(name),
        None => key().map(|(name, key)| {
            azure.key = Some(Secret::new(key));
            name
        }),
    };
    azure.signed = found.is_some();
    azure.tried = match found {
        Some(name) => format!("the environment's {name}"),
        None => format!(
            "no credentials (looked at {STRING}, AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN)"
        ),
    };
    azure
}

/// Reads the connection string, unless it is for another account.
fn connected(sources: &SettingSources, account: Option<&str>) -> Result<Option<Azure>> {
    let Some(text) = sources.env(STRING) else {
        return Ok(None);
    };
    let get = |wanted: &str| {
        let mut parts = text.split(';').filter_map(|part| part.split_once('='));
        let found = parts.find(|(key, _)| key.trim().eq_ignore_ascii_case(wanted));
        found
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    };
    let own = get("AccountName");
    let emulator = get("UseDevelopmentStorage").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    let endpoint = get("BlobEndpoint").map(str::to_owned);
    if !emulator && own.is_none() && endpoint.is_none() {
        let what = format!("{STRING} has neither AccountName nor BlobEndpoint");
        return Err(Error::new(ErrorKind::Argument, what));
    }
    if let (Some(own), Some(account)) = (own, account)
        && own != account
    {
        return Ok(None);
    }
    let usual = || {
        let (own, suffix) = (own?, get("EndpointSuffix")?);
        let protocol = get("DefaultEndpointsProtocol").unwrap_or("https");
        Some(format!("{protocol}://{own}.blob.{suffix}"))
    };
    let (key, sas) = (get("AccountKey"), get("SharedAccessSignature"));
    Ok(Some(Azure {
        account: own.or(account).map(str::to_owned),
        key: key.map(Secret::new),
        sas: sas.map(Secret::new),
        endpoint: endpoint.or_else(usual).filter(|_| !emulator),
        emulator,
        signed: emulator || key.is_some() || sas.is_some(),
        anonymous: false,
        tried: format!("the environment's {STRING}"),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    const OWN: &str = "DefaultEndpointsProtocol=http;AccountName=dev;AccountKey=hush==;BlobEndpoint=http://h:1/dev;";

    fn of(fixture: &Fixture, account: Option<&str>) -> Azure {
        let azure = azure(&fixture.sources(), account).unwrap();
        assert!(!format!("{azure:?}").contains("hush"), "{azure:?}");
        azure
    }

    #[test]
    fn a_connection_string_says_all() {
        let fixture = Fixture::new().set("AZURE_STORAGE_ACCOUNT_NAME", "other");
        let fixture = fixture.set(STRING, OWN);
        let azure = of(&fixture, None);
        assert_eq!(azure.account.as_deref(), Some("dev"));
        assert_eq!(azure.key.unwrap().show(), "hush==");
        assert_eq!(azure.endpoint.as_deref(), Some("http://h:1/dev"));
        assert!(azure.signed && !azure.emulator && azure.tried.contains(STRING));
        assert!(of(&fixture, Some("dev")).key.is_some());
        assert!(of(&fixture, Some("foreign")).key.is_none());
        let fixture = fixture.set("AZURE_SKIP_SIGNATURE", "1");
        assert!(of(&fixture, None).anonymous);
    }

    #[test]
    fn parts_of_a_connection_string_may_be_missing() {
        let get = |text| of(&Fixture::new().set(STRING, text), Some("a"));
        let suffix = get("accountname=a;EndpointSuffix=core.x;SharedAccessSignature=sig=hush");
        assert_eq!(suffix.endpoint.as_deref(), Some("https://a.blob.core.x"));
        assert_eq!(suffix.sas.unwrap().show(), "sig=hush");
        let development = get("UseDevelopmentStorage=true");
        assert!(development.emulator && development.signed);
        for text in ["hush", "AccountKey=hush", "AccountName="] {
            let sources = Fixture::new().set(STRING, text).sources();
            let e = azure(&sources, None).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument);
            assert!(!e.to_string().contains("hush"), "{e}");
        }
    }

    #[test]
    fn single_variables() {
        let mut fixture = Fixture::new();
        let none = of(&fixture, None);
        assert!(!none.signed && none.account.is_none() && !none.anonymous);
        assert!(none.tried.contains("no credentials (looked at"));
        fixture = fixture.set("AZURE_STORAGE_ACCOUNT", "a");
        fixture = fixture.set("AZURE_STORAGE_KEY", "hush");
        let azure = of(&fixture, None);
        assert_eq!(azure.account.as_deref(), Some("a"));
        assert_eq!(azure.key.unwrap().show(), "hush");
        fixture = fixture.set("AZURE_STORAGE_ACCOUNT_KEY", "hush2");
        fixture = fixture.set("AZURE_ENDPOINT", "http://h");
        let azure = of(&fixture, Some("b"));
        assert_eq!(azure.account.as_deref(), Some("b"));
        assert_eq!((azure.key, azure.signed), (None, true));
        assert_eq!(azure.endpoint.as_deref(), Some("http://h"));
    }
}
