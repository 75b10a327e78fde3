//! Services with fewer functions than S3, and lost responses.

use std::time::Instant;

use super::*;

const NOTE: &str = "the service has no conditional puts: two runs";

/// Copies a dataset to a store of a service, and compares the store with a local copy.
fn copied(server: &S3, url: &str) -> CommandOutput {
    let sandbox = made(&many(30, 10), &[("many.nc", "nc4")]);
    let args = ["nccopy", "--no-sync", "-k", "zarr3", "@many.nc", "@copy"];
    let _ = sandbox.run(nccopy::run, &args).clean();
    let input = sandbox.path("many.nc");
    let args = ["nccopy", "-k", "zarr3", text(&input), "s3://bucket/store"];
    let got = run(S3::environment_at(url), &args);
    assert_eq!(got.code, 0, "{got}");
    assert!(files(&server.folder().join("store")) == files(&sandbox.path("copy")));
    got
}

#[test]
fn a_service_that_refuses_conditions_is_written_to_with_a_note() {
    let server = S3::start();
    let proxy = Proxy::start(server.port());
    proxy.instead(Manner::NoConditions);
    let got = copied(&server, &proxy.url());
    assert!(got.message().contains(NOTE), "{got}");
}

#[test]
fn a_service_that_ignores_conditions_is_written_to_with_a_note() {
    let server = S3::start_careless();
    let got = copied(&server, &server.url());
    assert!(got.message().contains(NOTE), "{got}");
}

#[test]
fn a_service_with_conditions_needs_no_note() {
    let server = S3::start();
    let got = copied(&server, &server.url());
    assert_eq!(got.message(), "");
}

/// CDL of a 32 MB file, which is uploaded in parts.
const LONG: &str = "netcdf a { dimensions: x = 4000000 ; variables: double v(x) ; }";

/// CDL of a file that is uploaded with one request.
const SHORT: &str = "netcdf a { dimensions: x = 4 ; variables: double v(x) ; }";

/// Creates a file from `a.cdl` in the bucket behind a proxy.
fn sent(sandbox: &Sandbox, proxy: &Proxy) -> CommandOutput {
    let cdl = sandbox.path("a.cdl");
    let args = ["ncgen", "-k", "classic", "-o", "s3://bucket/a.nc"];
    let args = [args.as_slice(), &[text(&cdl)]].concat();
    run(S3::environment_at(&proxy.url()), &args)
}

/// Returns the object after this number of lost responses to the last request of its upload.
fn lost(cdl: &str, last: &'static str, answers: usize) -> CommandOutput {
    let sandbox = made(cdl, &[("here.nc", "classic")]);
    let server = S3::start();
    std::fs::write(server.folder().join("a.nc"), "old").unwrap();
    let proxy = Proxy::start(server.port());
    proxy.instead(Manner::Lose(last, answers));
    let got = sent(&sandbox, &proxy);
    let there = std::fs::read(server.folder().join("a.nc")).unwrap();
    assert!(there == std::fs::read(sandbox.path("here.nc")).unwrap());
    got
}

#[test]
fn a_lost_response_is_not_a_failure() {
    let _ = lost(LONG, "POST /bucket/a.nc?uploadId", 1).clean();
    let _ = lost(SHORT, "PUT /bucket/a.nc", 1).clean();
}

/// After a lost response, the tool checks the object: here the old object, which has the same length and is older.
#[test]
fn an_upload_that_fails_is_a_failure() {
    let sandbox = made(LONG, &[("here.nc", "classic")]);
    let server = S3::start();
    let length = sandbox.path("here.nc").metadata().unwrap().len();
    let old = vec![b'x'; length.try_into().unwrap()];
    std::fs::write(server.folder().join("a.nc"), &old).unwrap();
    let proxy = Proxy::start(server.port());
    proxy.instead(Manner::Refuse("POST /bucket/a.nc?uploadId"));
    let got = sent(&sandbox, &proxy);
    failed(&got, &["s3://bucket/a.nc"]);
    assert!(std::fs::read(server.folder().join("a.nc")).unwrap() == old);
}

/// The time limit holds for a body that arrives byte by byte.
#[test]
fn slow_bodies_of_a_bucket_end_with_an_error() {
    let outputs = [("a.nc", "nc4"), ("store", "zarr3")];
    let sandbox = made(&many(3, 100), &outputs);
    let server = S3::start();
    let proxy = Proxy::start(server.port());
    proxy.instead(Manner::Slow(Duration::from_millis(20)));
    for (name, _) in outputs {
        server.put(name, &sandbox.path(name));
        let address = format!("s3://bucket/{name}");
        for args in [
            &["ncdump", "--timeout", "1", &address][..],
            &["nccopy", "--timeout", "1", &address, "out.nc"],
        ] {
            let start = Instant::now();
            let got = run(S3::environment_at(&proxy.url()), args);
            failed(&got, &[&address, "no answer in 1 s", "--timeout"]);
            assert!(start.elapsed() < Duration::from_secs(20), "{got}");
        }
    }
}
