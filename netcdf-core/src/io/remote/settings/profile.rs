//! The profile of AWS that applies, and what the user's files say about it.

use std::path::{Path, PathBuf};

use super::rc::Rc;
use super::sections::{SettingsSection, profile as named_by, section};
use super::sources::{SettingSources, read};
use crate::error::{Error, ErrorKind, Result};

/// What a profile may say that leads to keys, but only for AWS's own tools.
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
    /// The one that is called `default`, if it exists.
    Default,
    /// The one of this name, which the user wrote there.
    Named {
        /// The profile's name.
        name: String,
        /// Where the name was found.
        by: String,
        /// It is in the URL itself, so that it comes before keys in the environment.
        in_url: bool,
    },
    /// None: requests are not signed. The text says where that was found.
    None(String),
}

/// The choice of the user: in the URL, then in rc files, then in the environment. The name `no` stands for none.
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

/// What the files say about a profile.
#[derive(Default)]
pub(super) struct Profile {
    /// Its name, if it is in a file.
    pub name: Option<String>,
    /// The files that were looked at.
    pub looked: Vec<PathBuf>,
    /// Its settings in each file that has it.
    found: Vec<(PathBuf, SettingsSection)>,
}

impl Profile {
    /// Reads the profile that was chosen.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the user named it and it does not exist; [`ErrorKind::Io`] and [`ErrorKind::Limit`] for a file that
    /// cannot be read.
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

    /// Adds what a file says.
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
        let what = format!("no AWS profile `{name}`, which {by} asks for (looked at {looked})");
        Error::new(ErrorKind::Argument, what)
    }

    /// The files with this profile, and what they say, the one for credentials first.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Path, &SettingsSection)> {
        self.found.iter().map(|(file, section)| (&**file, section))
    }

    /// A setting, unless it is empty.
    #[must_use]
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let mut files = self.files();
        files.find_map(|(_, section)| value(section, key))
    }

    /// A way to keys that only AWS's own tools can go.
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

/// Names of files, with commas.
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
