//! Writing to servers, and the remaining objects after failures.

use std::collections::BTreeMap;

use super::*;

/// Returns the keys of a bucket.
fn keys(server: &S3) -> Vec<String> {
    files(&server.folder()).into_keys().collect()
}

/// Creates a local dataset with many chunks.
fn many_here() -> (Sandbox, String) {
    let sandbox = made(&many(300, 10), &[("many.nc", "nc4")]);
    let path = text(&sandbox.path("many.nc")).to_owned();
    (sandbox, path)
}

/// Starts a copy to a store, and holds the requests after the first 100.
fn held(server: &S3, input: &str) -> (Proxy, Running) {
    let proxy = Proxy::start(server.port());
    proxy.hold_from(100);
    let running = Running::start(S3::environment_at(&proxy.url()), &copy(input, &[]));
    proxy.wait_for(100);
    (proxy, running)
}

/// Returns the store of a local copy.
fn copied_here(sandbox: &Sandbox, kind: &str) -> BTreeMap<String, Vec<u8>> {
    let copy = sandbox.path("copy");
    let args = ["nccopy", "--no-sync", "-k", kind, "@many.nc", "@copy"];
    let _ = sandbox.run(nccopy::run, &args).clean();
    files(&copy)
}

const STORE: &str = "s3://bucket/run/store";
const CLAIM: &str = "run/store/.netcdf-tools-writing";

fn copy<'a>(input: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["nccopy", "-k", "zarr3", input, STORE], more].concat()
}

#[test]
fn outputs_are_those_of_the_disk() {
    let (sandbox, input) = many_here();
    let server = S3::start();
    for (kind, key) in [
        ("nc4", "a/copy.nc"),
        ("cdf5", "a/copy5.nc"),
        ("nczarr", "a/nczarr"),
        ("zarr", "zarr"),
        ("zarr3", "zarr3"),
        ("nczarr3", "a/b/store.zip"),
    ] {
        let here = sandbox.path(key.rsplit('/').next().unwrap());
        let args = ["nccopy", "--no-sync", "-k", kind, &input, text(&here)];
        let _ = run(vec![], &args).clean();
        let there = format!("s3://bucket/{key}");
        let args = ["nccopy", "-k", kind, &input, &there];
        let _ = run(server.environment(), &args).clean();
        assert!(!files(&here).is_empty());
        assert!(files(&server.folder().join(key)) == files(&here), "{key}");
    }
    sandbox.write("a.cdl", many(3, 4));
    let cdl = sandbox.path("a.cdl");
    let args = ["ncgen", "-4", "-o", "s3://bucket/key", text(&cdl)];
    let _ = run(server.environment(), &args).clean();
    let root = server.folder().join("key/.zgroup");
    assert!(root.exists(), "NCZarr as in netCDF-C, despite -4");
}

/// CDL of a 32 MB file.
const LONG: &str = "netcdf a { dimensions: x = 4000000 ; variables: double v(x) ; }";

#[test]
fn a_signal_leaves_the_old_object() {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", LONG);
    let cdl = sandbox.path("a.cdl");
    let server = S3::start();
    std::fs::write(server.folder().join("a.nc"), "old").unwrap();
    let proxy = Proxy::start(server.port());
    // The second request uploads a part.
    proxy.hold_from(2);
    let args = ["ncgen", "-o", "s3://bucket/a.nc", text(&cdl)];
    let running = Running::start(S3::environment_at(&proxy.url()), &args);
    proxy.wait_for(2);
    running.terminate();
    proxy.release();
    assert_eq!(running.end().code, 128 + 15);
    let methods = proxy.traffic().methods;
    assert_eq!(methods.get("DELETE"), Some(&1), "the upload is aborted");
    assert_eq!(files(&server.folder())["a.nc"], b"old");
}

#[test]
fn long_files_are_sent_in_parts() {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", LONG);
    let (cdl, here) = (sandbox.path("a.cdl"), sandbox.path("a.nc"));
    let _ = run(
        vec![],
        &["ncgen", "--no-sync", "-o", text(&here), text(&cdl)],
    )
    .clean();
    let server = S3::start();
    let proxy = Proxy::start(server.port());
    proxy.every(Fault::Unavailable, 3);
    let variables = S3::environment_at(&proxy.url());
    let args = ["ncgen", "-o", "s3://bucket/a.nc", text(&cdl)];
    let _ = run(variables, &args).clean();
    assert!(proxy.traffic().requests() > 5, "{:?}", proxy.traffic());
    let there = std::fs::read(server.folder().join("a.nc")).unwrap();
    assert!(there == std::fs::read(here).unwrap());
}

#[test]
fn overwrite_replaces_existing_stores() {
    let (sandbox, input) = many_here();
    let server = S3::start();
    let _ = run(server.environment(), &copy(&input, &[])).clean();
    let before = files(&server.folder());
    let got = run(server.environment(), &copy(&input, &[]));
    failed(&got, &[STORE, "objects below this key", "--overwrite"]);
    let got = run(server.environment(), &copy(&input, &["--no-clobber"]));
    failed(&got, &["--no-clobber is set"]);
    assert!(files(&server.folder()) == before);
    let old = server.folder().join("run/store/v/c/9999");
    std::fs::write(&old, "old").unwrap();
    let _ = run(server.environment(), &copy(&input, &["--overwrite"])).clean();
    assert!(files(&server.folder()) == before);
    let args = [
        "nccopy",
        "--overwrite",
        "-k",
        "zarr3",
        &input,
        "s3://bucket/run",
    ];
    let got = run(server.environment(), &args);
    failed(&got, &["no Zarr store"]);
    let args = ["nccopy", "-k", "nc4", STORE, "s3://bucket/run/store/in.nc"];
    failed(&run(server.environment(), &args), &["overwrite input"]);
    assert!(files(&server.folder()) == before);
    drop(sandbox);
}

#[test]
fn bursts_of_refusals_and_dropped_connections_are_survived() {
    let (sandbox, input) = many_here();
    let want = copied_here(&sandbox, "zarr3");
    for fault in [Fault::Unavailable, Fault::Drop] {
        let server = S3::start();
        let proxy = Proxy::start(server.port());
        proxy.every(fault, 7);
        let variables = S3::environment_at(&proxy.url());
        let _ = run(variables, &copy(&input, &[])).clean();
        assert!(files(&server.folder().join("run/store")) == want);
        assert!(proxy.traffic().faults > 10, "{:?}", proxy.traffic());
    }
}

#[test]
fn a_server_that_is_killed_has_no_store() {
    let (sandbox, input) = many_here();
    let mut server = S3::start();
    let (proxy, running) = held(&server, &input);
    server.stop();
    proxy.release();
    let got = running.end();
    assert_eq!(got.code, 1, "{got}");
    assert!(got.message().contains("could not be removed"), "{got}");
    server.start_again();
    let left = keys(&server);
    assert!(left.contains(&CLAIM.to_owned()) && left.len() > 10);
    assert!(!left.contains(&"run/store/zarr.json".to_owned()));
    let got = run(server.environment(), &["ncdump", STORE]);
    failed(&got, &["the Zarr store is incomplete", "was interrupted"]);
    let got = run(server.environment(), &copy(&input, &[]));
    failed(&got, &["its claim is", "--overwrite"]);
    let _ = run(server.environment(), &copy(&input, &["--overwrite"])).clean();
    let want = copied_here(&sandbox, "zarr3");
    assert!(files(&server.folder().join("run/store")) == want);
}

#[test]
fn a_server_that_comes_back_gets_the_whole_store() {
    let (sandbox, input) = many_here();
    let mut server = S3::start();
    let (proxy, running) = held(&server, &input);
    server.stop();
    server.start_again();
    proxy.release();
    let _ = running.end().clean();
    let want = copied_here(&sandbox, "zarr3");
    assert!(files(&server.folder().join("run/store")) == want);
}

#[test]
fn timeouts_are_kept() {
    let (_sandbox, input) = many_here();
    let server = S3::start();
    let proxy = Proxy::start(server.port());
    proxy.every(Fault::Stall, 1);
    let variables = || S3::environment_at(&proxy.url());
    let got = run(variables(), &copy(&input, &["--timeout", "0.5"]));
    failed(&got, &["run/store", "no answer in 0.5 s", "--timeout"]);
    let args = ["nccopy", "--timeout", "0.5", &input, "s3://bucket/a.nc"];
    failed(&run(variables(), &args), &["a.nc", "no answer in 0.5 s"]);
    let args = ["ncdump", "--timeout", "0.5", "s3://bucket/a.nc"];
    failed(&run(variables(), &args), &["a.nc", "no answer in 0.5 s"]);
    assert_eq!(keys(&server), Vec::<String>::new());
}

#[test]
fn write_errors_name_the_credentials() {
    let (_sandbox, input) = many_here();
    let server = S3::start();
    let mut variables = server.environment();
    variables.retain(|(name, _)| *name != "AWS_SECRET_ACCESS_KEY");
    variables.push(("AWS_SECRET_ACCESS_KEY", "hush-another".to_owned()));
    let denied = "denies access with the environment's AWS_ACCESS_KEY_ID";
    failed(&run(variables.clone(), &copy(&input, &[])), &[denied]);
    let args = ["nccopy", &input, "s3://bucket/a.nc"];
    failed(&run(variables, &args), &[denied]);
    assert_eq!(keys(&server), Vec::<String>::new());
}

#[test]
fn a_signal_leaves_nothing() {
    let (_sandbox, input) = many_here();
    let server = S3::start();
    let (proxy, running) = held(&server, &input);
    assert!(keys(&server).len() > 10);
    running.terminate();
    proxy.release();
    assert_eq!(running.end().code, 128 + 15);
    assert_eq!(keys(&server), Vec::<String>::new());
}

#[test]
fn two_runs_do_not_mix() {
    let (sandbox, input) = many_here();
    let server = S3::start();
    let (proxy, first) = held(&server, &input);
    let second = run(server.environment(), &copy(&input, &[]));
    failed(&second, &["its claim is"]);
    proxy.release();
    let _ = first.end().clean();
    let want = copied_here(&sandbox, "zarr3");
    assert!(files(&server.folder().join("run/store")) == want);
}

#[test]
fn a_full_disk_leaves_the_old_object() {
    let (_sandbox, input) = many_here();
    let server = S3::start();
    std::fs::write(server.folder().join("a.nc"), "old").unwrap();
    let got = Running::limited(
        20,
        server.environment(),
        &["nccopy", "-k", "classic", &input, "s3://bucket/a.nc"],
    );
    failed(&got.end(), &["cannot write"]);
    assert_eq!(files(&server.folder())["a.nc"], b"old");
}
