//! Settings for Google Cloud Storage: the variables and the file of Google's tools.

use super::sources::SettingSources;

/// Variables with credentials. The library reads these variables.
const CREDENTIALS: [&str; 6] = [
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_BEARER_TOKEN",
    "SERVICE_ACCOUNT",
];

/// The credentials file of `gcloud auth application-default login`, relative to the home directory.
const FILE: &str = ".config/gcloud/application_default_credentials.json";

/// The settings for a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Google {
    /// The service's address. `None` means Google.
    pub endpoint: Option<String>,
    /// The source of credentials.
    pub signed: Signed,
    /// A description of the credentials, or of the searched locations.
    pub tried: String,
}

/// The source of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signed {
    /// A setting disables signatures.
    Never,
    /// Credentials from the environment.
    Environment,
    /// The role of this machine, if it has a role.
    Role,
}

/// Reads the settings for a bucket. An emulator gets no credentials, because it needs none and its connections are not encrypted.
#[must_use]
pub(crate) fn google(sources: &SettingSources) -> Google {
    let emulator = sources.env("STORAGE_EMULATOR_HOST");
    if let Some(host) = emulator {
        let endpoint = match host.contains("://") {
            true => host,
            false => format!("http://{host}"),
        };
        return Google {
            endpoint: Some(endpoint.trim_end_matches('/').to_owned()),
            signed: Signed::Never,
            tried: "no credentials, because of STORAGE_EMULATOR_HOST".to_owned(),
        };
    }
    let (signed, tried) = signed(sources);
    let base = sources.env("GOOGLE_BASE_URL");
    Google {
        endpoint: base.map(|url| url.trim_end_matches('/').to_owned()),
        signed,
        tried,
    }
}

fn signed(sources: &SettingSources) -> (Signed, String) {
    if let Some(name) = sources.first_true(&["GOOGLE_SKIP_SIGNATURE"]) {
        return (Signed::Never, format!("no credentials, because of {name}"));
    }
    if let Some((name, _)) = sources.first(&CREDENTIALS) {
        return (Signed::Environment, format!("the environment's {name}"));
    }
    let file = sources.home.as_ref().map(|home| home.join(FILE));
    let mut looked = CREDENTIALS.first().copied().unwrap_or_default().to_owned();
    if let Some(file) = file {
        if file.exists() {
            return (
                Signed::Environment,
                format!("the credentials in {}", file.display()),
            );
        }
        looked = format!("{looked}, {}", file.display());
    }
    (Signed::Role, format!("no credentials (looked at {looked})"))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn an_emulator_gets_no_credentials() {
        for (host, url) in [
            ("h:1", "http://h:1"),
            ("http://h:1/", "http://h:1"),
            ("https://h", "https://h"),
        ] {
            let fixture = Fixture::new().set("GOOGLE_BEARER_TOKEN", "hush");
            let google = google(&fixture.set("STORAGE_EMULATOR_HOST", host).sources());
            assert_eq!(google.endpoint.as_deref(), Some(url));
            assert_eq!(google.signed, Signed::Never);
            assert!(!format!("{google:?}").contains("hush"));
        }
    }

    #[test]
    fn credentials_are_looked_for_where_the_library_does() {
        let fixture = Fixture::new();
        let none = google(&fixture.sources());
        assert_eq!((none.signed, none.endpoint), (Signed::Role, None));
        assert!(none.tried.contains("GOOGLE_APPLICATION_CREDENTIALS, "));
        std::fs::create_dir_all(fixture.home().join(".config/gcloud")).unwrap();
        fixture.write(&format!("home/{FILE}"), "{}");
        let file = google(&fixture.sources());
        assert_eq!(file.signed, Signed::Environment);
        assert!(file.tried.contains(FILE));
        let fixture = fixture.set("SERVICE_ACCOUNT", "x");
        let named = google(&fixture.sources());
        assert_eq!(named.tried, "the environment's SERVICE_ACCOUNT");
        let fixture = fixture.set("GOOGLE_SKIP_SIGNATURE", "true");
        let never = google(&fixture.set("GOOGLE_BASE_URL", "http://h/").sources());
        assert_eq!(never.signed, Signed::Never);
        assert_eq!(never.endpoint.as_deref(), Some("http://h"));
    }
}
