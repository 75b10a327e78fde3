//! Settings for S3 object stores: AWS's variables and files, and the keys of netCDF-C.

use std::path::PathBuf;

use super::profile::{Profile, ProfileChoice, choice, list, value};
use super::rc::{Rc, rc};
use super::secret::Secret;
use super::sources::SettingSources;
use crate::error::{Error, ErrorKind, Result};

/// Variables that request unsigned requests.
const ANONYMOUS: [&str; 2] = ["AWS_NO_SIGN_REQUEST", "AWS_SKIP_SIGNATURE"];
/// Variables with the source of container credentials.
const CONTAINER: [&str; 2] = [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];
/// The variable with the source of web identity credentials.
const WEB_IDENTITY: &str = "AWS_WEB_IDENTITY_TOKEN_FILE";

/// The settings for an object store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Aws {
    /// The region.
    pub region: Option<String>,
    /// The service's address. `None` means AWS.
    pub endpoint: Option<String>,
    /// A file with trusted certificates for this service only.
    pub ca_bundle: Option<PathBuf>,
    /// The keys that sign requests.
    pub credentials: Option<SigningKeys>,
    /// The selected profile, if it exists.
    pub profile: Option<String>,
    /// Whether the user requests unsigned requests.
    pub anonymous: bool,
    /// Whether the environment names a source of container credentials. Only set without keys.
    pub container: bool,
    /// Whether the environment names a source of web identity credentials. Only set without keys.
    pub web_identity: bool,
    /// The metadata service to query for a role of this machine. Only set without keys. Only Amazon's own service has such roles, unless
    /// the environment names a metadata service.
    pub instance: Option<Instance>,
    /// A description of the credentials, or of the searched locations. It contains no secrets.
    pub tried: String,
}

/// The metadata service with the role of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Instance {
    /// The usual service of Amazon's machines.
    Usual,
    /// The service at this address.
    At(String),
}

/// The keys that sign requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SigningKeys {
    /// The access key id.
    pub id: Secret,
    /// The secret access key.
    pub secret: Secret,
    /// The session token.
    pub token: Option<Secret>,
}

/// Reads the settings for an object store.
///
/// # Errors
/// [`ErrorKind::Argument`] for a missing profile that the user named, and for an incomplete pair of keys; [`ErrorKind::Io`] and
/// [`ErrorKind::Limit`] for a file that cannot be read.
pub(crate) fn aws(sources: &SettingSources) -> Result<Aws> {
    let rc = rc(sources, None)?;
    let choice = choice(sources, &rc);
    let profile = Profile::read(sources, &choice)?;
    let mut aws = Aws {
        region: region(sources, &rc, &profile),
        endpoint: endpoint(sources, &profile),
        ca_bundle: ca_bundle(sources, &profile),
        credentials: None,
        profile: profile.name.clone(),
        anonymous: false,
        container: false,
        web_identity: false,
        instance: None,
        tried: String::new(),
    };
    if let Some(by) = asks_for_none(sources, &choice) {
        aws.anonymous = true;
        aws.tried = format!("no credentials, because of {by}");
    } else if let Some((keys, tried)) = keys(sources, &choice, &profile)? {
        aws.credentials = Some(keys);
        aws.tried = tried;
    } else {
        aws.container = sources.first(&CONTAINER).is_some();
        aws.web_identity = sources.env(WEB_IDENTITY).is_some();
        aws.tried = without_keys(sources, &choice, &profile);
        if !aws.container && !aws.web_identity {
            aws.instance = instance(sources);
        }
    }
    Ok(aws)
}

fn region(sources: &SettingSources, rc: &Rc, profile: &Profile) -> Option<String> {
    let own = |text: &str| text.to_owned();
    let url = sources.in_fragment(&["aws.region", "awsregion"]).map(own);
    url.or_else(|| rc.get("AWS.REGION").map(own))
        .or_else(|| Some(sources.first(&["AWS_REGION", "AWS_DEFAULT_REGION"])?.1))
        .or_else(|| profile.get("region").map(own))
}

fn endpoint(sources: &SettingSources, profile: &Profile) -> Option<String> {
    let set = sources.first(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]);
    set.map(|(_, url)| url)
        .or_else(|| profile.get("endpoint_url").map(str::to_owned))
}

fn ca_bundle(sources: &SettingSources, profile: &Profile) -> Option<PathBuf> {
    let set = sources.env("AWS_CA_BUNDLE");
    let set = set.or_else(|| profile.get("ca_bundle").map(str::to_owned));
    set.map(|text| sources.path(&text))
}

/// The metadata service to query for a role. `None` if `AWS_EC2_METADATA_DISABLED` is set.
fn instance(sources: &SettingSources) -> Option<Instance> {
    if sources.first_true(&["AWS_EC2_METADATA_DISABLED"]).is_some() {
        return None;
    }
    let named = sources.env("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    Some(named.map_or(Instance::Usual, |url| {
        Instance::At(url.trim_end_matches('/').to_owned())
    }))
}

/// The setting that requests unsigned requests.
fn asks_for_none(sources: &SettingSources, choice: &ProfileChoice) -> Option<String> {
    match choice {
        ProfileChoice::None(by) => Some(format!("the profile `no` of {by}")),
        _ => sources.first_true(&ANONYMOUS).map(str::to_owned),
    }
}

/// The keys and a description of their source. The environment takes precedence over the profile, unless the URL names a profile.
fn keys(
    sources: &SettingSources,
    choice: &ProfileChoice,
    profile: &Profile,
) -> Result<Option<(SigningKeys, String)>> {
    if !is_in_url(choice) {
        let names = [
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
        ];
        if let Some(keys) = pair(names, "the environment", |name| sources.env(name))? {
            let tried = "the environment's AWS_ACCESS_KEY_ID".to_owned();
            return Ok(Some((keys, tried)));
        }
    }
    for (file, section) in profile.files() {
        let names = [
            "aws_access_key_id",
            "aws_secret_access_key",
            "aws_session_token",
        ];
        let name = profile.name.as_deref().unwrap_or_default();
        let place = format!("profile {name} in {}", file.display());
        let get = |key: &str| value(section, key).map(str::to_owned);
        if let Some(keys) = pair(names, &place, get)? {
            return Ok(Some((keys, format!("the keys of {place}"))));
        }
    }
    Ok(None)
}

/// Reads a pair of keys with these names. `None` if both keys are missing.
fn pair(
    names: [&str; 3],
    place: &str,
    get: impl Fn(&str) -> Option<String>,
) -> Result<Option<SigningKeys>> {
    let [id, secret, token] = names;
    let (has, lacks) = match (get(id), get(secret)) {
        (None, None) => return Ok(None),
        (Some(id), Some(secret)) => {
            return Ok(Some(SigningKeys {
                id: Secret::new(id),
                secret: Secret::new(secret),
                token: get(token).map(Secret::new),
            }));
        }
        (Some(_), None) => (id, secret),
        (None, Some(_)) => (secret, id),
    };
    let what = format!("{place} has {has}, but no {lacks}");
    Err(Error::new(ErrorKind::Argument, what))
}

/// The description for requests without keys.
fn without_keys(sources: &SettingSources, choice: &ProfileChoice, profile: &Profile) -> String {
    if sources.env(WEB_IDENTITY).is_some() {
        return format!("the identity of the environment's {WEB_IDENTITY}");
    }
    if let Some((name, _)) = sources.first(&CONTAINER) {
        return format!("the keys from the environment's {name}");
    }
    let mut looked = match is_in_url(choice) {
        true => Vec::new(),
        false => vec!["AWS_ACCESS_KEY_ID".to_owned()],
    };
    if !profile.looked.is_empty() {
        looked.push(list(&profile.looked));
    }
    let looked = looked.join(", ");
    match profile.other_way() {
        Some(way) => format!("no credentials (looked at {looked}; {way} is not supported)"),
        None if looked.is_empty() => "no credentials".to_owned(),
        None => format!("no credentials (looked at {looked})"),
    }
}

fn is_in_url(choice: &ProfileChoice) -> bool {
    matches!(choice, ProfileChoice::Named { in_url: true, .. })
}

#[cfg(test)]
mod tests;
