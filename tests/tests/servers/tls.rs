//! Servers with a certificate authority that only the user trusts.

use super::*;

const KEY: &str = "a.nc";

/// A public server behind TLS, and the environment variables for it.
fn safe() -> (S3, Tls, Variables) {
    let server = S3::start_public();
    server.put(KEY, &testdata("classic/weather-5.nc"));
    let tls = Tls::start(server.port());
    let variables = S3::environment_at(&tls.url());
    (server, tls, variables)
}

/// Returns the addresses of the file: on a web server, and in a bucket.
fn addresses(tls: &Tls) -> [String; 2] {
    [
        format!("{}/bucket/{KEY}#mode=bytes", tls.url()),
        format!("s3://bucket/{KEY}"),
    ]
}

#[test]
fn unknown_authorities_are_refused_at_once() {
    let (_server, tls, variables) = safe();
    for address in addresses(&tls) {
        let args = ["ncdump", "--io-stats", &address];
        let got = run(variables.clone(), &args);
        assert_eq!(got.code, 1, "{got}");
        let message = got.message();
        for part in [
            "no safe connection",
            "UnknownIssuer",
            "SSL_CERT_FILE",
            "HTTP.SSL.CAINFO in .ncrc",
        ] {
            assert!(message.contains(part), "{part}: {got}");
        }
        // A rejected certificate is not retried. An object store gets three requests: for the object, a list and the length.
        let tries = [
            " 1 failed attempt",
            " 2 failed attempts",
            " 3 failed attempts",
        ]
        .map(|text| message.contains(text));
        assert!(tries.contains(&true), "{got}");
    }
}

#[test]
fn authorities_are_named_in_many_ways() {
    let (_server, tls, variables) = safe();
    let authority = Tls::authority();
    let want = local(&["ncdump", text(&testdata("classic/weather-5.nc"))]);
    for address in addresses(&tls) {
        let read = |name: &'static str| {
            let mut variables = variables.clone();
            variables.push((name, text(&authority).to_owned()));
            run(variables, &["ncdump", &address])
        };
        for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"] {
            assert_eq!(got_text(read(name)), renamed(&want), "{name} {address}");
        }
        let got = read("AWS_CA_BUNDLE");
        match address.starts_with("s3") {
            true => assert_eq!(got_text(got), renamed(&want)),
            false => failed(&got, &["no safe connection"]),
        }
        for line in [
            format!("HTTP.SSL.CAINFO={}", authority.display()),
            format!("[{}]HTTP.SSL.CAINFO={}", tls.url(), authority.display()),
        ] {
            let home = Sandbox::new();
            home.write(".ncrc", &line);
            let got = Running::start_at(home, variables.clone(), &["ncdump", &address]).end();
            assert_eq!(got_text(got), renamed(&want), "{line} {address}");
        }
    }
}

#[test]
fn files_without_certificates_are_named() {
    let (_server, tls, variables) = safe();
    for address in addresses(&tls) {
        let home = Sandbox::new();
        home.write("empty", "hush");
        for (file, what) in [
            ("empty", "no certificates in PEM format"),
            ("none", "cannot read"),
        ] {
            let mut variables = variables.clone();
            let path = home.path(file);
            variables.push(("CURL_CA_BUNDLE", text(&path).to_owned()));
            let got = run(variables, &["ncdump", &address]);
            failed(&got, &[what, file]);
        }
    }
}

#[test]
fn stores_are_written_over_safe_connections() {
    let (server, _tls, mut variables) = safe();
    let authority = Tls::authority();
    variables.push(("AWS_CA_BUNDLE", text(&authority).to_owned()));
    let input = testdata("classic/weather-5.nc");
    for (kind, output) in [
        ("nc4", "s3://bucket/copy.nc"),
        ("nczarr3", "s3://bucket/store"),
    ] {
        let _ = run(
            variables.clone(),
            &["nccopy", "-k", kind, text(&input), output],
        )
        .clean();
    }
    assert!(server.folder().join("copy.nc").is_file());
    assert!(server.folder().join("store/zarr.json").is_file());
}

/// The dataset is named after its file.
fn renamed(cdl: &str) -> String {
    cdl.replacen("weather-5", "a", 1)
}

fn got_text(got: CommandOutput) -> String {
    got.clean().text()
}
