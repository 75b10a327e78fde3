//! Amazon's settings: a profile, a region, another service, and credentials.
//!
//! The profile is that of the fragment, of an rc file, or of `AWS_PROFILE`, else `default`; `no` stands for no credentials, as in
//! netCDF-C. Credentials are those of the environment, unless the fragment names a profile, and else those of the profile.

use std::path::PathBuf;

use super::ini::Ini;
use super::rc::rc;
use super::{Secret, Sources, text};
use crate::error::{Error, ErrorKind, Result};

/// What is said of S3.
#[derive(Debug)]
pub struct Aws {
    /// The region.
    pub region: Option<String>,
    /// Protocol, host and port of another service.
    pub endpoint: Option<String>,
    /// Credentials; without them, requests are not signed.
    pub credentials: Option<Keys>,
    /// Where the credentials are from, in words.
    pub tried: String,
}

/// Credentials.
#[derive(Debug)]
pub struct Keys {
    /// Who it is.
    pub id: Secret,
    /// What signs the requests.
    pub secret: Secret,
    /// A token of a session.
    pub token: Option<Secret>,
}

const ID: [&str; 2] = ["AWS_ACCESS_KEY_ID", "aws_access_key_id"];
const SECRET: [&str; 2] = ["AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"];
const TOKEN: [&str; 2] = ["AWS_SESSION_TOKEN", "aws_session_token"];

/// The two files of profiles.
struct Profiles {
    credentials: (Option<PathBuf>, Ini),
    config: (Option<PathBuf>, Ini),
}

impl Profiles {
    fn read(sources: &Sources) -> Result<Self> {
        let read = |variable, name| {
            let path = sources.file(variable, name);
            let text = path.as_deref().map(text).transpose()?;
            Ok((path, Ini::parse(&text.unwrap_or_default())))
        };
        Ok(Self {
            credentials: read("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials")?,
            config: read("AWS_CONFIG_FILE", ".aws/config")?,
        })
    }

    fn has(&self, profile: &str) -> bool {
        self.credentials.1.has(profile) || self.config.1.has(&in_config(profile))
    }

    fn get(&self, profile: &str, key: &str) -> Option<&str> {
        let own = self.credentials.1.get(profile, key);
        own.or_else(|| self.config.1.get(&in_config(profile), key))
    }

    /// The names of the files, for messages.
    fn names(&self) -> String {
        let paths = [&self.credentials.0, &self.config.0];
        let names = paths.into_iter().flatten().map(|p| p.to_string_lossy());
        names.collect::<Vec<_>>().join(" and ")
    }
}

/// The section of a profile in the file `config`.
fn in_config(profile: &str) -> String {
    match profile {
        "default" => profile.to_owned(),
        _ => format!("profile {profile}"),
    }
}

/// What is said of S3.
///
/// # Errors
/// [`ErrorKind::Argument`] for a profile that is not there, and for one half of credentials; those of reading the files.
pub fn aws(sources: &Sources) -> Result<Aws> {
    let (rc, profiles) = (rc(sources, None)?, Profiles::read(sources)?);
    let of_fragment = sources
        .said(&["aws.profile", "awsprofile"])
        .map(str::to_owned);
    let named = of_fragment
        .clone()
        .or_else(|| rc.get("AWS.PROFILE").map(str::to_owned));
    let named = named.or_else(|| sources.variable(&["AWS_PROFILE"]));
    let profile = named.clone().unwrap_or_else(|| "default".to_owned());
    let anonymous = profile == "no"
        || sources.is_set("AWS_NO_SIGN_REQUEST")
        || sources.is_set("AWS_SKIP_SIGNATURE");
    if named.is_some() && profile != "no" && !profiles.has(&profile) {
        let what = format!("there is no profile `{profile}` in {}", profiles.names());
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let own = |key: &str| profiles.get(&profile, key).map(str::to_owned);
    let region = sources
        .said(&["aws.region", "awsregion"])
        .map(str::to_owned);
    let region = region.or_else(|| rc.get("AWS.REGION").map(str::to_owned));
    let region = region.or_else(|| sources.variable(&["AWS_REGION", "AWS_DEFAULT_REGION"]));
    let endpoint = sources.variable(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]);
    let (credentials, tried) = match anonymous {
        true => (None, "no credentials, as was asked for".to_owned()),
        false => credentials(sources, &profiles, &profile, of_fragment.is_some())?,
    };
    Ok(Aws {
        region: region.or_else(|| own("region")),
        endpoint: endpoint.or_else(|| own("endpoint_url")),
        credentials,
        tried,
    })
}

/// Credentials, and where they are from.
fn credentials(
    sources: &Sources,
    profiles: &Profiles,
    profile: &str,
    only: bool,
) -> Result<(Option<Keys>, String)> {
    let variable = |names: [&str; 2]| names.first().and_then(|name| sources.variable(&[name]));
    let own = |names: [&str; 2]| {
        let value = names.last().and_then(|key| profiles.get(profile, key));
        value.map(str::to_owned)
    };
    if !only && let Some(keys) = keys(variable, "the environment")? {
        return Ok((
            Some(keys),
            "AWS_ACCESS_KEY_ID of the environment".to_owned(),
        ));
    }
    let place = format!("the profile `{profile}` of {}", profiles.names());
    Ok(match keys(own, &place)? {
        Some(keys) => (Some(keys), place),
        None => {
            let looked =
                format!("no credentials (there are none in the environment and in {place})");
            (None, looked)
        }
    })
}

/// Credentials from one place; `None` if they are not there.
fn keys(value: impl Fn([&str; 2]) -> Option<String>, place: &str) -> Result<Option<Keys>> {
    match (value(ID), value(SECRET)) {
        (Some(id), Some(secret)) => Ok(Some(Keys {
            id: Secret::new(id),
            secret: Secret::new(secret),
            token: value(TOKEN).map(Secret::new),
        })),
        (None, None) => Ok(None),
        (id, _) => {
            let [_, missing] = if id.is_some() { SECRET } else { ID };
            let what = format!("{place} has one half of the credentials, but no {missing}");
            Err(Error::new(ErrorKind::Argument, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &str = "[default]\naws_access_key_id = id-default\naws_secret_access_key = hidden-default\n[unidata]\naws_access_key_id = id-unidata\naws_secret_access_key = hidden-unidata\naws_session_token = hidden-token\n[half]\naws_access_key_id = id-half\n";
    const CONFIG: &str = "[default]\nregion = eu-north-1\n[profile unidata]\nregion = us-west-1\nendpoint_url = http://e:1\n[profile unsigned]\nregion = x\n";

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir(dir.path().join(".aws")).unwrap();
            std::fs::write(dir.path().join(".aws/credentials"), CREDENTIALS).unwrap();
            std::fs::write(dir.path().join(".aws/config"), CONFIG).unwrap();
            Self(dir)
        }

        fn aws(&self, fragment: &[(&str, &str)], variables: &[(&str, &str)]) -> Result<Aws> {
            aws(&Sources::of_test(fragment, variables, self.0.path()))
        }

        fn rc(&self, text: &str) {
            std::fs::write(self.0.path().join(".ncrc"), text).unwrap();
        }
    }

    fn id(aws: &Aws) -> &str {
        aws.credentials.as_ref().map_or("-", |keys| keys.id.show())
    }

    #[test]
    fn who_asks() {
        let home = Home::new();
        let env = [
            ("AWS_ACCESS_KEY_ID", "id-env"),
            ("AWS_SECRET_ACCESS_KEY", "hidden-env"),
        ];
        let named = [("AWS_PROFILE", "unidata")];
        let unidata = [("aws.profile", "unidata")];
        type Pairs<'a> = &'a [(&'a str, &'a str)];
        let cases: [(Pairs, Pairs, &str); 9] = [
            (&[], &[], "id-default"),
            (&[], &named, "id-unidata"),
            (&[], &env, "id-env"),
            (&unidata, &env, "id-unidata"),
            (&[("awsprofile", "unidata")], &[], "id-unidata"),
            (&[("aws.profile", "no")], &env, "-"),
            (&[], &[("AWS_PROFILE", "no")], "-"),
            (&[], &[("AWS_NO_SIGN_REQUEST", "true")], "-"),
            (&[("aws.profile", "unsigned")], &[], "-"),
        ];
        for (fragment, variables, want) in cases {
            let aws = home.aws(fragment, variables).unwrap();
            assert_eq!(id(&aws), want, "{fragment:?} {variables:?}");
            let shown = format!("{aws:?}");
            assert!(
                !shown.contains("hidden") && !shown.contains("id-"),
                "{shown}"
            );
        }
        let aws = home.aws(&unidata, &[]).unwrap();
        assert_eq!(
            aws.credentials.unwrap().token.unwrap().show(),
            "hidden-token"
        );
        home.rc("AWS.PROFILE=unidata\n");
        assert_eq!(
            id(&home.aws(&[], &[("AWS_PROFILE", "default")]).unwrap()),
            "id-unidata"
        );
        assert_eq!(
            id(&home.aws(&[("aws.profile", "default")], &[]).unwrap()),
            "id-default"
        );
    }

    #[test]
    fn where_it_is() {
        let home = Home::new();
        let unidata = ("aws.profile", "unidata");
        let region = |fragment: &[(&str, &str)], variables: &[(&str, &str)]| {
            home.aws(fragment, variables).unwrap().region.unwrap()
        };
        assert_eq!(region(&[], &[]), "eu-north-1");
        assert_eq!(region(&[unidata], &[]), "us-west-1");
        assert_eq!(region(&[unidata], &[("AWS_DEFAULT_REGION", "d")]), "d");
        let both = [("AWS_DEFAULT_REGION", "d"), ("AWS_REGION", "r")];
        assert_eq!(region(&[unidata], &both), "r");
        home.rc("aws.region=c\n");
        assert_eq!(region(&[unidata], &both), "c");
        assert_eq!(region(&[unidata, ("aws.region", "f")], &both), "f");
        let endpoint =
            |variables: &[(&str, &str)]| home.aws(&[unidata], variables).unwrap().endpoint;
        assert_eq!(endpoint(&[]).as_deref(), Some("http://e:1"));
        let all = [("AWS_ENDPOINT_URL", "a"), ("AWS_ENDPOINT_URL_S3", "s")];
        assert_eq!(endpoint(&all).as_deref(), Some("s"));
        assert_eq!(endpoint(&all[..1]).as_deref(), Some("a"));
    }

    #[test]
    fn what_is_missing_is_said() {
        let home = Home::new();
        for (fragment, variables, say) in [
            (("aws.profile", "nosuch"), ("X", "1"), "profile `nosuch`"),
            (
                ("aws.profile", "half"),
                ("X", "1"),
                "no aws_secret_access_key",
            ),
            (
                ("x", "1"),
                ("AWS_SECRET_ACCESS_KEY", "hidden"),
                "no aws_access_key_id",
            ),
        ] {
            let e = home.aws(&[fragment], &[variables]).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument);
            assert!(
                e.what().contains(say) && !e.to_string().contains("hidden"),
                "{e}"
            );
        }
        let nobody = tempfile::tempdir().unwrap();
        let aws = aws(&Sources::of_test(&[], &[], nobody.path())).unwrap();
        assert!(
            aws.credentials.is_none() && aws.tried.contains(".aws/credentials"),
            "{}",
            aws.tried
        );
    }
}
