//! The selected AWS profile, and its settings in the user's files.

use std::path::{Path, PathBuf};

use super::rc::Rc;
use super::sections::{SettingsSection, profile as named_by, section};
use super::sources::{SettingSources, read};
use crate::error::{Error, ErrorKind, Result};

/// Settings that lead to credentials in AWS's own tools only.
const OTHER_WAYS: [&str; 5] = [
    "credential_process",
    "role_arn",
    "sso_session",
    "sso_start_url",
    "login_session",
];

/// The choice of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProfileChoice {
    /// The profile `default`, if it exists.
    Default,
    /// A profile named by the user.
    Named {
        /// The profile's name.
        name: String,
        /// The source of the name.
        by: String,
        /// Whether the URL names the profile. The profile then takes precedence over keys in the environment.
        in_url: bool,
    },
    /// No profile: requests are not signed. The text is the source of this choice.
    None(String),
}

/// Reads the user's choice: the URL, then rc files, then the environment. The name `no` means no profile.
#[must_use]
pub(super) fn choice(sources: &SettingSources, rc: &Rc) -> ProfileChoice {
    let in_url = sources.in_fragment(&["aws.profile", "awsprofile"]);
    let (name, by) = if let Some(name) = in_url {
        (name.to_owned(), "the URL".to_owned())
    } else if let Some((name, file)) = rc.find("AWS.PROFILE") {
        (name.to_owned(), file.display().to_string())
    } else if let Some(name) = sources.env("AWS_PROFILE") {
        (name, "AWS_PROFILE".to_owned())
    } else {
        return ProfileChoice::Default;
    };
    let in_url = in_url.is_some();
    match name == "no" {
        true => ProfileChoice::None(by),
        false => ProfileChoice::Named { name, by, in_url },
    }
}

/// The settings of a profile.
#[derive(Default)]
pub(super) struct Profile {
    /// The profile name, if a file has the profile.
    pub name: Option<String>,
    /// The searched files.
    pub looked: Vec<PathBuf>,
    /// The settings in each file with the profile.
    found: Vec<(PathBuf, SettingsSection)>,
}

impl Profile {
    /// Reads the selected profile.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for a missing profile that the user named; [`ErrorKind::Io`] and [`ErrorKind::Limit`] for a file that cannot
    /// be read.
    pub(super) fn read(sources: &SettingSources, choice: &ProfileChoice) -> Result<Self> {
        let name = match choice {
            ProfileChoice::None(_) => return Ok(Self::default()),
            ProfileChoice::Default => "default",
            ProfileChoice::Named { name, .. } => name,
        };
        let mut profile = Self::default();
        let credentials = sources.file("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
        profile.look(credentials, |section| section == name)?;
        let config = sources.file("AWS_CONFIG_FILE", ".aws/config");
        profile.look(config, |section| named_by(section) == Some(name))?;
        match choice {
            ProfileChoice::Named { by, .. } if profile.found.is_empty() => {
                return Err(profile.missing(name, by));
            }
            _ => {}
        }
        profile.name = (!profile.found.is_empty()).then(|| name.to_owned());
        Ok(profile)
    }

    /// Adds the settings in a file.
    fn look(&mut self, file: Option<PathBuf>, is_wanted: impl Fn(&str) -> bool) -> Result<()> {
        let Some(file) = file else {
            return Ok(());
        };
        self.looked.push(file.clone());
        if let Some(settings) = read(&file)?.and_then(|text| section(&text, is_wanted)) {
            self.found.push((file, settings));
        }
        Ok(())
    }

    fn missing(&self, name: &str, by: &str) -> Error {
        let looked = match self.looked.is_empty() {
            true => "no file, as no home directory is known".to_owned(),
            false => list(&self.looked),
        };
        let what = format!("no AWS profile `{name}`, requested by {by} (looked at {looked})");
        Error::new(ErrorKind::Argument, what)
    }

    /// The files with this profile and their settings. The credentials file is first.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Path, &SettingsSection)> {
        self.found.iter().map(|(file, section)| (&**file, section))
    }

    /// A setting, unless it is empty.
    #[must_use]
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let mut files = self.files();
        files.find_map(|(_, section)| value(section, key))
    }

    /// A setting that leads to credentials in AWS's own tools only.
    #[must_use]
    pub(super) fn other_way(&self) -> Option<&'static str> {
        let mut ways = OTHER_WAYS.into_iter();
        ways.find(|key| self.get(key).is_some())
    }
}

/// A setting of a section, unless it is empty.
#[must_use]
pub(super) fn value<'a>(section: &'a SettingsSection, key: &str) -> Option<&'a str> {
    let value = section.get(key)?;
    (!value.is_empty()).then_some(value)
}

/// Joins file names with commas.
#[must_use]
pub(super) fn list(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::super::rc::rc;
    use super::*;

    fn chosen(fixture: &Fixture) -> ProfileChoice {
        let sources = fixture.sources();
        choice(&sources, &rc(&sources, None).unwrap())
    }

    #[test]
    fn the_url_comes_before_rc_files_and_these_before_the_environment() {
        let mut fixture = Fixture::new();
        assert_eq!(chosen(&fixture), ProfileChoice::Default);
        fixture = fixture.set("AWS_PROFILE", "e");
        let rc = fixture.at("home/.ncrc");
        let expect = |name: &str, by: &str, fixture: &Fixture| {
            let (name, by) = (name.to_owned(), by.to_owned());
            let in_url = by == "the URL";
            assert_eq!(chosen(fixture), ProfileChoice::Named { name, by, in_url });
        };
        expect("e", "AWS_PROFILE", &fixture);
        fixture.write("home/.ncrc", "aws.profile=r");
        expect("r", &rc, &fixture);
        fixture = fixture.fragment("awsprofile", "u");
        expect("u", "the URL", &fixture);
        fixture = fixture.fragment("aws.profile", "u2");
        expect("u2", "the URL", &fixture);
    }

    #[test]
    fn no_is_no_profile() {
        let by = |fixture: Fixture| match chosen(&fixture) {
            ProfileChoice::None(by) => by,
            other => panic!("{other:?}"),
        };
        assert_eq!(by(Fixture::new().set("AWS_PROFILE", "no")), "AWS_PROFILE");
        let rc = Fixture::new().with("here/.dodsrc", "AWS.PROFILE=no");
        let name = rc.at("here/.dodsrc");
        assert_eq!(by(rc.set("AWS_PROFILE", "e")), name);
        let url = Fixture::new().fragment("aws.profile", "no");
        let sources = url.sources();
        assert_eq!(by(url), "the URL");
        let profile = Profile::read(&sources, &ProfileChoice::None(String::new())).unwrap();
        assert!(profile.name.is_none() && profile.looked.is_empty());
    }

    #[test]
    fn files_are_where_the_environment_says() {
        let mut fixture = Fixture::new()
            .with("home/.aws/credentials", "[default]\nk=1\n")
            .with("home/.aws/config", "[default]\nk=2\nc=2\n")
            .with("here/cred", "[default]\nk=3\n")
            .with("here/conf", "[profile default]\nc=4\nrole_arn=x\n");
        let read = |f: &Fixture| Profile::read(&f.sources(), &ProfileChoice::Default).unwrap();
        let values = |profile: &Profile| {
            let get = |key| profile.get(key).unwrap().to_owned();
            (get("k"), get("c"))
        };
        assert_eq!(values(&read(&fixture)), ("1".into(), "2".into()));
        assert_eq!(read(&fixture).other_way(), None);
        fixture = fixture.set("AWS_SHARED_CREDENTIALS_FILE", "cred");
        fixture = fixture.set("AWS_CONFIG_FILE", "conf");
        let profile = read(&fixture);
        assert_eq!(values(&profile), ("3".into(), "4".into()));
        assert_eq!(profile.other_way(), Some("role_arn"));
        let looked = ["here/cred", "here/conf"].map(|f| PathBuf::from(fixture.at(f)));
        assert_eq!(profile.looked, looked);
    }

    #[test]
    fn a_named_profile_must_exist() {
        let fixture = Fixture::new().with("home/.aws/config", "[u]\n[profile c]\n");
        let fixture = fixture.with("home/.aws/credentials", "[profile u]\n[k]\n");
        let read = |name: &str, fixture: &Fixture| {
            let (name, by) = (name.to_owned(), "AWS_PROFILE".to_owned());
            let in_url = false;
            Profile::read(
                &fixture.sources(),
                &ProfileChoice::Named { name, by, in_url },
            )
        };
        for name in ["k", "c"] {
            assert_eq!(read(name, &fixture).unwrap().name.unwrap(), name);
        }
        let e = read("u", &fixture).map(drop).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Argument);
        for part in ["`u`", "AWS_PROFILE", "credentials, ", "config"] {
            assert!(e.to_string().contains(part), "{e}");
        }
        let profile = Profile::read(&fixture.sources(), &ProfileChoice::Default).unwrap();
        assert_eq!((profile.name, profile.looked.len()), (None, 2));
    }
}
