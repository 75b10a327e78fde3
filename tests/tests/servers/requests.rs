//! The number of requests in flight, counted by the server.

use super::*;

/// The initial limit of requests in flight.
const START: usize = 32;
/// The default maximum.
const MOST: usize = 256;

/// Returns the highest number of requests in flight while `ncdump` reads a store of single values.
fn in_flight(proxy: &Proxy, options: &[&str], want: &str) -> usize {
    proxy.reset();
    let mut args = vec!["ncdump", "s3://bucket/many"];
    args.extend(options);
    let got = run(S3::environment_at(&proxy.url()), &args);
    assert_eq!(got.clean().text(), want);
    proxy.traffic().at_once
}

#[test]
fn small_objects_with_latency_get_more_requests() {
    let (server, want) = server_with_store(500);
    let proxy = Proxy::start(server.port());
    proxy.delay(Duration::from_millis(200));
    let most = in_flight(&proxy, &[], &want);
    assert!((START + 1..=MOST).contains(&most), "{most}");
    let most = in_flight(&proxy, &["--requests", "10"], &want);
    assert!(most <= 10, "{most}");
}

#[test]
fn refusals_end_the_rise() {
    let (server, want) = server_with_store(200);
    let proxy = Proxy::start(server.port());
    proxy.delay(Duration::from_millis(50));
    proxy.every(Fault::Unavailable, 4);
    let most = in_flight(&proxy, &[], &want);
    assert!(most <= START, "{most}");
    assert!(proxy.traffic().faults > 40, "{:?}", proxy.traffic());
}

#[test]
fn small_objects_are_written_with_more_requests() {
    let sandbox = made(&many(400, 1), &[("many", "zarr3")]);
    let server = S3::start();
    let proxy = Proxy::start(server.port());
    proxy.delay(Duration::from_millis(200));
    let input = sandbox.path("many");
    for (options, numbers) in [(&[][..], START + 1..=MOST), (&["--requests", "10"], 1..=10)] {
        proxy.reset();
        let mut args = vec!["nccopy", "--overwrite", "-k", "zarr3"];
        args.extend(options);
        args.extend([text(&input), "s3://bucket/out"]);
        let got = run(S3::environment_at(&proxy.url()), &args);
        let _ = got.clean();
        let most = proxy.traffic().at_once;
        assert!(numbers.contains(&most), "{most}");
        assert!(files(&server.folder().join("out")) == files(&input));
    }
}
