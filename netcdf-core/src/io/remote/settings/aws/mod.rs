//! How to reach object stores that speak S3: AWS's variables and files, and the keys of netCDF-C.

use std::path::PathBuf;

use super::profile::{Profile, ProfileChoice, choice, list, value};
use super::rc::{Rc, rc};
use super::secret::Secret;
use super::sources::SettingSources;
use crate::error::{Error, ErrorKind, Result};

/// Variables that ask for requests without a signature.
const ANONYMOUS: [&str; 2] = ["AWS_NO_SIGN_REQUEST", "AWS_SKIP_SIGNATURE"];
/// Variables that lead to the keys of a container.
const CONTAINER: [&str; 2] = [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];
/// The variable that leads to the keys of a web identity.
const WEB_IDENTITY: &str = "AWS_WEB_IDENTITY_TOKEN_FILE";

/// How to reach an object store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Aws {
    /// The region.
    pub region: Option<String>,
    /// The address of the service, if it is not AWS's own.
    pub endpoint: Option<String>,
    /// The file with the certificates to trust, if it is only for this service.
    pub ca_bundle: Option<PathBuf>,
    /// What to sign requests with.
    pub credentials: Option<SigningKeys>,
    /// The profile that applies, if one exists.
    pub profile: Option<String>,
    /// The user asked for requests without a signature.
    pub anonymous: bool,
    /// There are no keys, but the environment says how a container gets them.
    pub container: bool,
    /// There are no keys, but the environment says how a web identity gets them.
    pub web_identity: bool,
    /// There are no keys: where to ask for the role of this machine. Only Amazon's own service knows such roles, unless the
    /// environment names who is to be asked.
    pub instance: Option<Instance>,
    /// What requests are signed with, or where keys were looked for. It has no secrets.
    pub tried: String,
}

/// Who knows the role of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Instance {
    /// The service that machines of Amazon have.
    Usual,
    /// The service at this address.
    At(String),
}

/// What requests are signed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SigningKeys {
    /// The access key's id.
    pub id: Secret,
    /// The secret access key.
    pub secret: Secret,
    /// The session's token.
    pub token: Option<Secret>,
}

/// Finds out how to reach an object store.
///
/// # Errors
/// [`ErrorKind::Argument`] if the user named a profile that does not exist, or if half of a pair of keys is missing;
/// [`ErrorKind::Io`] and [`ErrorKind::Limit`] for a file that cannot be read.
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
        aws.tried = format!("no credentials, as {by} asks for");
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

/// Who is to be asked for the role of this machine; nobody, if the environment says so.
fn instance(sources: &SettingSources) -> Option<Instance> {
    if sources.first_true(&["AWS_EC2_METADATA_DISABLED"]).is_some() {
        return None;
    }
    let named = sources.env("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    Some(named.map_or(Instance::Usual, |url| {
        Instance::At(url.trim_end_matches('/').to_owned())
    }))
}

/// What asks for requests without a signature.
fn asks_for_none(sources: &SettingSources, choice: &ProfileChoice) -> Option<String> {
    match choice {
        ProfileChoice::None(by) => Some(format!("the profile `no` of {by}")),
        _ => sources.first_true(&ANONYMOUS).map(str::to_owned),
    }
}

/// The keys, and where they are from: the environment, unless the URL names a profile, then the profile.
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

/// Keys that are named in this way, if the place has any.
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

/// What to say about requests without keys of our own.
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
