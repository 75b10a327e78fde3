//! User settings for remote data: variables, files and the fragment of the URL.
//!
//! [`aws`](aws()) is for object stores and [`web`](web()) for web servers. For messages, both describe the credentials and searched
//! locations in `tried`. They never show passwords, keys or tokens. [`line`](line()) is for connections to any server.

mod aws;
mod azure;
#[cfg(test)]
mod fixture;
mod google;
mod line;
mod netrc;
mod profile;
mod rc;
mod secret;
mod sections;
mod sources;
mod web;

#[cfg(test)]
pub(super) use self::{line::Proxy, secret::Secret};
pub(super) use aws::{Aws, Instance, aws};
pub(super) use azure::azure;
pub(super) use google::{Signed, google};
pub(super) use line::{ConnectionSettings, line};
pub(super) use netrc::NetrcLogin;
pub(super) use sources::SettingSources;
pub(super) use web::web;

#[cfg(test)]
mod tests {
    use super::fixture::Fixture;
    use super::rc::rc;
    use super::secret::Secret;
    use super::*;

    /// All secrets contain this text.
    const MARK: &str = "hush";

    fn full() -> Fixture {
        let keys =
            "aws_access_key_id=hush1\naws_secret_access_key=hush2\naws_session_token=hush3\n";
        let rc = "HTTP.CREDENTIALS.USERNAME=u\nHTTP.CREDENTIALS.PASSWORD=hush4\nHTTP.PROXY.SERVER=http://u:hush5@p\n";
        Fixture::new()
            .with("home/.aws/credentials", &format!("[default]\n{keys}"))
            .with("home/.aws/config", &format!("[profile u]\n{keys}"))
            .with("home/.ncrc", rc)
            .with("home/.netrc", "default login u password hush6\n")
            .set("NETCDF_BEARER_TOKEN", "hush7")
            .fragment("x", "hush8")
    }

    fn is_quiet(shown: &str) {
        assert!(!shown.contains(MARK), "{shown}");
        assert!(!shown.is_empty());
    }

    #[test]
    fn secrets_are_not_shown() {
        let environment = full()
            .set("AWS_ACCESS_KEY_ID", "hush9")
            .set("AWS_SECRET_ACCESS_KEY", "hush10")
            .set("AWS_SESSION_TOKEN", "hush11");
        let netrc = full().with("home/.ncrc", "");
        for fixture in [full(), environment, full().set("AWS_PROFILE", "u"), netrc] {
            let sources = fixture.sources();
            let aws = aws(&sources).unwrap();
            let web = web(&sources, "h", Some(1)).unwrap();
            assert!(
                aws.credentials
                    .as_ref()
                    .unwrap()
                    .secret
                    .show()
                    .contains(MARK)
            );
            assert!(web.login.as_ref().unwrap().1.show().contains(MARK));
            assert!(web.bearer.as_ref().unwrap().show().contains(MARK));
            is_quiet(&format!("{aws:?} {aws:#?} {web:?} {web:#?}"));
            is_quiet(&format!(
                "{:?} {sources:?}",
                rc(&sources, Some("h")).unwrap()
            ));
            is_quiet(&format!("{:?}", aws.credentials));
            is_quiet(&format!("{} {}", aws.tried, web.tried));
        }
        assert_eq!(format!("{:?}", Secret::new(MARK)), "***");
    }

    #[test]
    fn files_that_cannot_be_read_are_errors_that_name_them() {
        for name in ["home/.ncrc", "home/.aws/config", "home/.netrc"] {
            let fixture = Fixture::new();
            fixture.write(name, &MARK.repeat(1 << 19));
            let sources = fixture.sources();
            let failed = [aws(&sources).err(), web(&sources, "h", None).err()];
            let e = failed.into_iter().flatten().next().unwrap();
            assert!(e.to_string().contains(&fixture.at(name)), "{e}");
            is_quiet(&format!("{e} {e:?}"));
        }
    }
}
