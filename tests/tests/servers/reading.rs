//! Reading from servers.

use super::*;

#[test]
fn files_are_read_by_all_addresses() {
    let (server, public) = (S3::start(), S3::start_public());
    for name in ["classic/weather-5.nc", "netcdf4/model.nc"] {
        let path = testdata(name);
        let key = format!("folder/{name}");
        server.put(&key, &path);
        public.put(&key, &path);
        let addresses = [
            (&server, format!("s3://bucket/{key}")),
            (
                &server,
                format!("{}/bucket/{key}#mode=bytes,s3", server.url()),
            ),
            (&public, format!("s3://bucket/{key}")),
            (&public, format!("{}/bucket/{key}#mode=bytes", public.url())),
        ];
        for (server, address) in addresses {
            for options in [&["-h"][..], &[]] {
                let args = |of| [&["ncdump"], options, &[of]].concat();
                let got = run(server.environment(), &args(&address));
                assert_eq!(got.clean().text(), local(&args(text(&path))), "{address}");
            }
        }
    }
}

#[test]
fn names_with_blanks_are_escaped_in_addresses_of_the_web() {
    let server = S3::start_public();
    server.put("a folder/a.nc", &testdata("classic/weather-5.nc"));
    for address in [
        "s3://bucket/a folder/a.nc".to_owned(),
        format!("{}/bucket/a%20folder/a.nc#mode=bytes,s3", server.url()),
        format!("{}/bucket/a%20folder/a.nc#mode=bytes", server.url()),
    ] {
        let got = run(server.environment(), &["ncdump", "-h", &address]).clean();
        assert!(got.text().contains("dimensions:"), "{address}: {got}");
    }
}

#[test]
fn requests_are_counted() {
    let (server, _) = server_with_file();
    let proxy = Proxy::start(server.port());
    let args = ["ncdump", "--io-stats", "s3://bucket/many.nc"];
    let got = run(S3::environment_at(&proxy.url()), &args);
    let requests = proxy.traffic().requests();
    let told = format!("ncdump: {requests} requests in ");
    assert!(
        got.message().starts_with(&told),
        "{told}: {}",
        got.message()
    );
    assert!(
        got.message().contains(" 0 failed attempts"),
        "{}",
        got.message()
    );
    proxy.reset();
    proxy.next(Fault::Unavailable, 2);
    let got = run(S3::environment_at(&proxy.url()), &args);
    assert!(
        got.message().contains(" 2 failed attempts"),
        "{}",
        got.message()
    );
}

#[test]
fn stores_are_read_by_all_addresses() {
    let kinds = [
        ("z2", "zarr"),
        ("z3", "zarr3"),
        ("n2", "nczarr"),
        ("n3", "nczarr3"),
    ];
    let sandbox = made(&many(3, 4), &kinds);
    let server = S3::start();
    for (name, kind) in kinds {
        let path = sandbox.path(name);
        server.put(name, &path);
        let mode = kind.trim_end_matches('3');
        let want = local(&["ncdump", "-n", "many", text(&path)]);
        assert!(want.contains("v = 0, 7, 14"), "{want}");
        for address in [
            format!("s3://bucket/{name}"),
            format!("s3://bucket/{name}#mode={mode}"),
            format!("{}/bucket/{name}#mode={mode},s3", server.url()),
        ] {
            let got = run(server.environment(), &["ncdump", "-n", "many", &address]);
            assert_eq!(got.clean().text(), want, "{address}");
        }
    }
}

/// A bucket may allow reads and refuse lists. Consolidated metadata then names the arrays.
#[test]
fn stores_are_read_without_lists() {
    let sandbox = made(&many(3, 4), &[("a.nc", "nc4")]);
    let server = S3::start();
    let want = local(&["ncdump", "-n", "many", text(&sandbox.path("a.nc"))]);
    let data = |dump: &str| dump.split_once("data:").map(|(_, data)| data.to_owned());
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3"] {
        for (name, option) in [("plain", "--quiet"), ("whole", "--consolidated")] {
            let store = sandbox.path(&format!("{name}-{kind}"));
            let args = [
                "nccopy",
                "--quiet",
                option,
                "-k",
                kind,
                "@a.nc",
                text(&store),
            ];
            let _ = sandbox.run(nccopy::run, &args).clean();
            for key in [format!("{name}/{kind}.zarr"), format!("{name}/{kind}")] {
                server.put(&key, &store);
            }
        }
    }
    let proxy = Proxy::start(server.port());
    proxy.instead(Manner::Deny("GET /bucket?"));
    let dump = |address: &str| {
        let variables = S3::environment_at(&proxy.url());
        run(variables, &["ncdump", "-n", "many", address])
    };
    let refused = "the service refuses lists of keys with the environment's AWS_ACCESS_KEY_ID";
    let hint = "add #mode=zarr,consolidated to the address";
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3"] {
        for address in [
            format!("s3://bucket/whole/{kind}.zarr"),
            format!("s3://bucket/whole/{kind}.zarr#mode=zarr,consolidated"),
            format!("s3://bucket/whole/{kind}#mode=zarr,consolidated"),
        ] {
            let got = dump(&address);
            assert_eq!(got.code, 0, "{address}: {got}");
            assert_eq!(data(&got.text()), data(&want), "{address}: {got}");
        }
        failed(
            &dump(&format!("s3://bucket/whole/{kind}")),
            &[refused, hint],
        );
        let plain = dump(&format!("s3://bucket/plain/{kind}.zarr"));
        assert!(
            plain.code == 0 || plain.message().contains(refused),
            "{kind}: {plain}"
        );
        assert_eq!(
            plain.code == 0,
            data(&plain.text()) == data(&want),
            "{kind}: {plain}"
        );
    }
}

#[test]
fn public_data_needs_no_keys() {
    let server = S3::start_public();
    server.put("a.nc", &testdata("classic/weather-5.nc"));
    let unsigned = vec![("AWS_ENDPOINT_URL", server.url())];
    let got = run(unsigned, &["ncdump", "-h", "s3://bucket/a.nc"]).clean();
    assert!(got.text().contains("dimensions:"), "{got}");
}

#[test]
fn read_errors_name_the_credentials() {
    let server = S3::start();
    server.put("a.nc", &testdata("classic/weather-5.nc"));
    let with = |name: &'static str, value: &str| {
        let mut variables = server.environment();
        variables.retain(|(own, _)| *own != name);
        variables.push((name, value.to_owned()));
        run(variables, &["ncdump", "s3://bucket/a.nc"])
    };
    let denied = "s3://bucket/a.nc: the service denies access with";
    let environment = format!("{denied} the environment's AWS_ACCESS_KEY_ID");
    let wrong = with("AWS_SECRET_ACCESS_KEY", "hush-another");
    failed(&wrong, &[&environment, "AWS_PROFILE"]);
    assert!(!wrong.message().contains(ACCESS_KEY), "{wrong}");
    assert!(!wrong.message().contains(SECRET_KEY), "{wrong}");
    failed(&with("AWS_ACCESS_KEY_ID", "hush-nobody"), &[&environment]);
    let anonymous = with("AWS_NO_SIGN_REQUEST", "yes");
    let why = "no credentials, because of AWS_NO_SIGN_REQUEST";
    failed(&anonymous, &[denied, why]);
}

#[test]
fn invalid_service_addresses_are_errors() {
    let cases = [
        (
            "AWS_ENDPOINT_URL",
            "http://127.0.0.1:1 /",
            "s3://bucket/a.nc",
        ),
        ("AWS_ENDPOINT_URL", "hush-words", "s3://bucket/a.nc"),
        (
            "AWS_ENDPOINT_URL",
            "http://hush@host:99999",
            "s3://bucket/a.nc",
        ),
        ("AWS_ENDPOINT_URL", "ftp://host", "s3://bucket/a.nc"),
        ("AWS_REGION", "no region", "s3://bucket/a.nc"),
        ("STORAGE_EMULATOR_HOST", "http://a b", "gs://bucket/a.nc"),
        (
            "AZURE_STORAGE_ENDPOINT",
            "words",
            "abfs://c@account.dfs.core.windows.net/a.nc",
        ),
    ];
    for (name, value, address) in cases {
        let variables = vec![
            (name, value.to_owned()),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
        ];
        let got = run(variables, &["ncdump", address]);
        failed(
            &got,
            &["the address of the service, or the region in it, cannot be used"],
        );
    }
    // A slash and a line end after the address of the service are accepted.
    let server = S3::start_public();
    server.put("a.nc", &testdata("classic/weather-5.nc"));
    let unsigned = vec![("AWS_ENDPOINT_URL", format!("{}/\n", server.url()))];
    let got = run(unsigned, &["ncdump", "-h", "s3://bucket/a.nc"]).clean();
    assert!(got.text().contains("dimensions:"), "{got}");
}

#[test]
fn odd_names_of_buckets_are_errors() {
    let server = S3::start();
    for address in [
        "s3://bu cket/a.nc",
        "s3://b\u{e4}/a.nc",
        "s3://a%b/a.nc",
        "s3://a\nb/a.nc",
        "gs://a b/c",
        "az://a b/c",
    ] {
        let mut variables = server.environment();
        variables.push(("AZURE_STORAGE_ACCOUNT_NAME", "account".to_owned()));
        variables.push(("STORAGE_EMULATOR_HOST", server.url()));
        variables.push(("AZURE_STORAGE_ENDPOINT", server.url()));
        failed(&run(variables, &["ncdump", address]), &["has such a name"]);
    }
}

#[test]
fn missing_objects_are_errors() {
    let server = S3::start();
    server.put("folder/a.nc", &testdata("classic/weather-5.nc"));
    let url = server.url();
    for (address, what) in [
        ("s3://bucket/b.nc", "no such object"),
        ("s3://bucket/folder", "no such object"),
        ("s3://bucket/folder/a.n", "no such object"),
        ("s3://bucket/folder/a.nc/b", "no such object"),
        ("s3://other/folder/a.nc", "no such bucket"),
        (
            &format!("{url}/bucket/b.nc#mode=bytes,s3"),
            "no such object",
        ),
        (&format!("{url}/bucket/b#mode=zarr,s3"), ""),
    ] {
        let got = run(server.environment(), &["ncdump", "-h", address]);
        failed(
            &got,
            &[
                what,
                address
                    .split(['#', '?'])
                    .next()
                    .unwrap()
                    .rsplit('/')
                    .next()
                    .unwrap(),
            ],
        );
    }
}

#[test]
fn bursts_of_refusals_are_survived() {
    let (server, want) = server_with_file();
    let proxy = Proxy::start(server.port());
    let variables = || S3::environment_at(&proxy.url());
    proxy.next(Fault::Unavailable, 3);
    let got = run(variables(), &["ncdump", "s3://bucket/many.nc"]);
    assert_eq!(got.clean().text(), want);
    let traffic = proxy.traffic();
    assert_eq!(traffic.faults, 3, "{traffic:?}");
    proxy.every(Fault::Unavailable, 1);
    let got = run(variables(), &["ncdump", "s3://bucket/many.nc"]);
    failed(&got, &["s3://bucket/many.nc", "503"]);
}

#[test]
fn dropped_connections_are_survived() {
    let (server, want) = server_with_file();
    let proxy = Proxy::start(server.port());
    proxy.every(Fault::Drop, 5);
    let got = run(
        S3::environment_at(&proxy.url()),
        &["ncdump", "s3://bucket/many.nc"],
    );
    assert_eq!(got.clean().text(), want);
    let traffic = proxy.traffic();
    assert!(traffic.faults > 1, "{traffic:?}");
}

/// Reads from a server that is killed after this number of requests.
fn killed(server: &mut S3, key: &str, requests: usize) -> (Proxy, Running) {
    let proxy = Proxy::start(server.port());
    proxy.hold_from(requests);
    let address = format!("s3://bucket/{key}");
    let variables = S3::environment_at(&proxy.url());
    let running = Running::start(variables, &["ncdump", &address]);
    proxy.wait_for(requests);
    server.stop();
    (proxy, running)
}

#[test]
fn a_server_that_is_killed_ends_the_read_of_a_file() {
    let (mut server, _) = server_with_file();
    let (proxy, running) = killed(&mut server, "many.nc", 3);
    proxy.release();
    failed(&running.end(), &["s3://bucket/many.nc"]);
}

/// The store has far more chunks than the request limit: the failed read does not try the remaining chunks.
#[test]
fn a_server_that_is_killed_ends_the_read_of_a_store() {
    let (mut server, _) = server_with_store(300);
    let (proxy, running) = killed(&mut server, "many", 10);
    proxy.release();
    failed(&running.end(), &["s3://bucket/many"]);
}

#[test]
fn a_server_that_comes_back_is_read() {
    let (mut server, want) = server_with_store(100);
    let (proxy, running) = killed(&mut server, "many", 40);
    server.start_again();
    proxy.release();
    assert_eq!(running.end().clean().text(), want);
}

#[test]
fn an_object_that_changes_is_an_error() {
    let (server, _) = server_with_file();
    let proxy = Proxy::start(server.port());
    proxy.hold_from(3);
    let running = Running::start(
        S3::environment_at(&proxy.url()),
        &["ncdump", "s3://bucket/many.nc"],
    );
    // The object is open, and the next read waits for more bytes.
    proxy.wait_for_held();
    let path = server.folder().join("many.nc");
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, bytes).unwrap();
    proxy.release();
    failed(
        &running.end(),
        &["s3://bucket/many.nc", "changed while it was read"],
    );
}

#[test]
fn a_web_server_that_never_answers_ends_the_read() {
    let server = S3::start_public();
    server.put("a.nc", &testdata("classic/weather-5.nc"));
    let proxy = Proxy::start(server.port());
    proxy.every(Fault::Stall, 1);
    let home = Sandbox::new();
    home.write(".ncrc", "HTTP.TIMEOUT=1\n");
    let address = format!("{}/bucket/a.nc#mode=bytes", proxy.url());
    let got = Running::start_at(home, vec![], &["ncdump", &address]).end();
    failed(&got, &["a.nc"]);
}
