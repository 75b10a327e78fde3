//! The order of precedence of each value.

use super::super::fixture::Fixture;
use super::*;

const CREDENTIALS: &str = "home/.aws/credentials";
const CONFIG: &str = "home/.aws/config";

fn of(fixture: &Fixture) -> Aws {
    aws(&fixture.sources()).unwrap()
}

/// A section with keys that contain a letter.
fn section(name: &str, letter: &str) -> String {
    format!("[{name}]\naws_access_key_id={letter}i\naws_secret_access_key={letter}s\n")
}

fn with_environment(fixture: Fixture) -> Fixture {
    let fixture = fixture.set("AWS_ACCESS_KEY_ID", "ei");
    fixture.set("AWS_SECRET_ACCESS_KEY", "es")
}

fn shown(aws: &Aws) -> Option<(&str, &str, Option<&str>)> {
    let keys = aws.credentials.as_ref()?;
    let token = keys.token.as_ref().map(Secret::show);
    Some((keys.id.show(), keys.secret.show(), token))
}

#[test]
fn without_settings_requests_are_not_signed() {
    let fixture = Fixture::new();
    let files = format!("{}, {}", fixture.at(CREDENTIALS), fixture.at(CONFIG));
    let expected = Aws {
        region: None,
        endpoint: None,
        ca_bundle: None,
        credentials: None,
        profile: None,
        anonymous: false,
        container: false,
        web_identity: false,
        instance: Some(Instance::Usual),
        tried: format!("no credentials (looked at AWS_ACCESS_KEY_ID, {files})"),
    };
    assert_eq!(of(&fixture), expected);
    let mut sources = fixture.sources();
    sources.home = None;
    let tried = aws(&sources).unwrap().tried;
    assert_eq!(tried, "no credentials (looked at AWS_ACCESS_KEY_ID)");
}

#[test]
fn keys_are_from_the_first_place_that_has_them() {
    let mut fixture = Fixture::new().with(CONFIG, &section("default", "c"));
    let aws = of(&fixture);
    assert_eq!(shown(&aws), Some(("ci", "cs", None)));
    assert_eq!(aws.profile.as_deref(), Some("default"));
    let place = format!("the keys of profile default in {}", fixture.at(CONFIG));
    assert_eq!(aws.tried, place);

    let text = section("default", "f") + "aws_session_token=ft\n" + &section("u", "u");
    fixture.write(CREDENTIALS, &text);
    assert_eq!(shown(&of(&fixture)), Some(("fi", "fs", Some("ft"))));
    fixture = fixture.set("AWS_PROFILE", "u");
    assert_eq!(shown(&of(&fixture)), Some(("ui", "us", None)));

    fixture = with_environment(fixture);
    let aws = of(&fixture);
    assert_eq!(shown(&aws), Some(("ei", "es", None)));
    assert_eq!(aws.tried, "the environment's AWS_ACCESS_KEY_ID");
    fixture = fixture.set("AWS_SESSION_TOKEN", "et");
    assert_eq!(shown(&of(&fixture)), Some(("ei", "es", Some("et"))));

    fixture = fixture.fragment("aws.profile", "default");
    assert_eq!(shown(&of(&fixture)), Some(("fi", "fs", Some("ft"))));
}

#[test]
fn regions_are_from_the_first_place_that_has_them() {
    let mut fixture = Fixture::new().with(CONFIG, "[default]\nregion=config\n");
    let expect = |fixture: &Fixture, region: &str| {
        assert_eq!(of(fixture).region.as_deref(), Some(region));
    };
    expect(&fixture, "config");
    fixture.write(CREDENTIALS, "[default]\nregion=credentials\n");
    expect(&fixture, "credentials");
    fixture = fixture.set("AWS_DEFAULT_REGION", "default");
    expect(&fixture, "default");
    fixture = fixture.set("AWS_REGION", "environment");
    expect(&fixture, "environment");
    fixture.write("home/.ncrc", "aws.region=rc");
    expect(&fixture, "rc");
    fixture = fixture.fragment("awsregion", "url");
    expect(&fixture, "url");
    fixture = fixture.fragment("aws.region", "dotted");
    expect(&fixture, "dotted");
}

#[test]
fn endpoints_are_from_the_first_place_that_has_them() {
    let mut fixture = Fixture::new().with(CONFIG, "[default]\nendpoint_url=config\n");
    fixture = fixture.fragment("aws.endpoint_url", "url");
    let expect = |fixture: &Fixture, endpoint: &str| {
        assert_eq!(of(fixture).endpoint.as_deref(), Some(endpoint));
    };
    expect(&fixture, "config");
    fixture = fixture.set("AWS_ENDPOINT_URL", "all");
    expect(&fixture, "all");
    fixture = fixture.set("AWS_ENDPOINT_URL_S3", "s3");
    expect(&fixture, "s3");
}

#[test]
fn certificates_may_be_for_this_service_only() {
    let fixture = Fixture::new();
    assert_eq!(of(&fixture).ca_bundle, None);
    let fixture = fixture.with(CONFIG, "[default]\nca_bundle=~/ca\n");
    assert_eq!(of(&fixture).ca_bundle, Some(fixture.home().join("ca")));
    let fixture = fixture.set("AWS_CA_BUNDLE", "/all");
    assert_eq!(of(&fixture).ca_bundle, Some("/all".into()));
}

#[test]
fn users_can_ask_for_requests_without_a_signature() {
    let full = || {
        let text = section("default", "f") + "region=r\n";
        let fixture = with_environment(Fixture::new().with(CREDENTIALS, &text));
        fixture.set("AWS_WEB_IDENTITY_TOKEN_FILE", "/t")
    };
    assert!(!of(&full()).anonymous);
    assert!(!of(&full().set("AWS_SKIP_SIGNATURE", "false")).anonymous);
    for (fixture, region, by) in [
        (
            full().set("AWS_SKIP_SIGNATURE", "True"),
            Some("r"),
            "AWS_SKIP_SIGNATURE",
        ),
        (
            full().set("AWS_NO_SIGN_REQUEST", "YES"),
            Some("r"),
            "AWS_NO_SIGN_REQUEST",
        ),
        (
            full().fragment("aws.profile", "no"),
            None,
            "`no` of the URL",
        ),
        (full().set("AWS_PROFILE", "no"), None, "`no` of AWS_PROFILE"),
    ] {
        let aws = of(&fixture);
        assert!(aws.anonymous && !aws.web_identity, "{by}");
        assert_eq!((shown(&aws), aws.region.as_deref()), (None, region));
        assert!(aws.tried.contains(by), "{}", aws.tried);
    }
}

#[test]
fn keys_from_elsewhere_are_for_those_without_their_own() {
    for (name, container, web_identity) in [
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", true, false),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", true, false),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", false, true),
    ] {
        let fixture = Fixture::new().set(name, "x");
        let aws = of(&fixture);
        assert_eq!((aws.container, aws.web_identity), (container, web_identity));
        assert!(aws.tried.contains(name), "{}", aws.tried);
        let aws = of(&with_environment(fixture));
        assert!(!aws.container && !aws.web_identity && aws.credentials.is_some());
    }
    let fixture = Fixture::new().with(CONFIG, "[profile u]\nsso_session=x\n");
    let tried = of(&fixture.fragment("awsprofile", "u")).tried;
    assert!(
        tried.ends_with("; sso_session is not supported)"),
        "{tried}"
    );
    assert!(!tried.contains("AWS_ACCESS_KEY_ID"), "{tried}");
}

#[test]
fn half_a_pair_of_keys_is_an_error() {
    let id = "[default]\naws_access_key_id=hidden\n";
    let secret = "[default]\naws_secret_access_key=hidden\naws_access_key_id=\n";
    for (fixture, place, lacks) in [
        (
            Fixture::new().set("AWS_ACCESS_KEY_ID", "hidden"),
            "the environment",
            "AWS_SECRET_ACCESS_KEY",
        ),
        (
            Fixture::new().set("AWS_SECRET_ACCESS_KEY", "hidden"),
            "the environment",
            "AWS_ACCESS_KEY_ID",
        ),
        (
            Fixture::new().with(CREDENTIALS, id),
            ".aws/credentials",
            "aws_secret_access_key",
        ),
        (
            Fixture::new().with(CONFIG, secret),
            ".aws/config",
            "aws_access_key_id",
        ),
    ] {
        let e = aws(&fixture.sources()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Argument);
        let text = format!("{e} {e:?}");
        assert!(
            text.contains(place) && text.contains(&format!("no {lacks}")),
            "{text}"
        );
        assert!(!text.contains("hidden"), "{text}");
        assert!(of(&fixture.set("AWS_NO_SIGN_REQUEST", "1")).anonymous);
    }
}

#[test]
fn a_named_profile_that_does_not_exist_is_an_error() {
    for fixture in [
        Fixture::new().fragment("aws.profile", "gone"),
        Fixture::new().with("here/.ncrc", "AWS.PROFILE=gone"),
        with_environment(Fixture::new()).set("AWS_PROFILE", "gone"),
    ] {
        let e = aws(&fixture.sources()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Argument);
        assert!(e.to_string().contains("`gone`"), "{e}");
    }
}

#[test]
fn the_role_of_the_machine_is_asked_for_last() {
    let instance = |variables: &[(&str, &str)]| {
        let mut fixture = Fixture::new();
        for (name, value) in variables {
            fixture = fixture.set(name, value);
        }
        of(&fixture).instance
    };
    let service = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
    let (id, secret) = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");
    assert_eq!(instance(&[]), Some(Instance::Usual));
    let named = Some(Instance::At("http://h".to_owned()));
    assert_eq!(instance(&[(service, "http://h/")]), named);
    for variables in [
        [(service, "http://h"), ("AWS_EC2_METADATA_DISABLED", "true")],
        [(service, "http://h"), ("AWS_NO_SIGN_REQUEST", "1")],
        [(service, "http://h"), ("AWS_PROFILE", "no")],
        [(id, "k"), (secret, "s")],
    ] {
        assert_eq!(instance(&variables), None, "{variables:?}");
    }
}
