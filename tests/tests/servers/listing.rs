//! List requests: which lists are fetched, and how often.

use super::*;

/// Checks that a `zdump` command prints the same for the store `many` at a proxy and for the local store. Returns requests and rounds.
fn looked(proxy: &Proxy, here: &Path, args: &[&str]) -> (usize, usize) {
    proxy.reset();
    let there = "s3://bucket/many";
    let with = |of| {
        let args = args
            .iter()
            .map(|arg| if *arg == "STORE" { of } else { *arg });
        [&["zdump", "--io-stats"][..], &args.collect::<Vec<_>>()].concat()
    };
    let want = run(vec![], &with(text(here)));
    let got = run(S3::environment_at(&proxy.url()), &with(there));
    assert_eq!((got.code, want.code), (0, 0), "{got}{want}");
    assert_eq!(
        got.text(),
        want.text().replace(text(here), there),
        "{args:?}"
    );
    let told = told(&got);
    assert_eq!(told.0, proxy.traffic().requests(), "{got}");
    told
}

/// Without a list, the object and the names below the key are queried concurrently, and so is the metadata.
#[test]
fn thousands_of_keys_are_listed_once() {
    let (server, _) = server_with_store(5000);
    let proxy = Proxy::start(server.port());
    let path = server.folder().join("many");
    let pages = 6;
    for args in [
        &["keys", "STORE"][..],
        &["stat", "STORE"],
        &["tree", "STORE"],
    ] {
        let (requests, rounds) = looked(&proxy, &path, args);
        assert_eq!(requests, 2 + pages + 2, "{args:?}");
        // Sequential requests would need as many rounds as requests. On a busy machine, one request may need an extra round.
        assert!(rounds <= 1 + pages + 2, "{args:?}: {rounds}");
    }
}

/// Starts a server with a store of 1,000 chunks, which `nccopy` creates with these options.
fn server_with_copy(options: &[&str]) -> (S3, Proxy) {
    let sandbox = made(&many(1000, 1), &[("a.nc", "nc4")]);
    let args = [
        &["nccopy", "--no-sync", "-k", "zarr3"],
        options,
        &["@a.nc", "@many"],
    ]
    .concat();
    let _ = sandbox.run(nccopy::run, &args).clean();
    let server = S3::start();
    server.put("many", &sandbox.path("many"));
    let proxy = Proxy::start(server.port());
    (server, proxy)
}

#[test]
fn a_map_needs_only_the_key_list() {
    let (server, proxy) = server_with_copy(&[]);
    let variables = || S3::environment_at(&proxy.url());
    let args = ["zdump", "--io-stats", "map", "s3://bucket/many", "v"];
    let got = run(variables(), &args);
    assert_eq!(got.code, 0, "{got}");
    let title = "/v: 1000 chunks of 1; 1000 stored (4.0 kB), 0 of them fill only, 0 missing";
    assert!(got.text().starts_with(title), "{got}");
    assert!(got.text().contains("--decode reads all chunks"), "{got}");
    let (requests, _) = told(&got);
    assert_eq!(requests, 2 + 2 + 2, "two pages, two objects of metadata");
    assert_eq!(requests, proxy.traffic().requests());

    let path = server.folder().join("many");
    let args = ["map", "--decode", "STORE", "v"];
    let (requests, rounds) = looked(&proxy, &path, &args);
    assert_eq!(requests, 2 + 2 + 2 + 1000);
    assert!(rounds < 200, "{rounds} rounds");
}

#[test]
fn a_map_of_shards_reads_their_indexes_at_once() {
    let (_server, proxy) = server_with_copy(&["--shard", "x/10"]);
    let args = ["zdump", "--io-stats", "map", "s3://bucket/many", "v"];
    let got = run(S3::environment_at(&proxy.url()), &args);
    assert_eq!(got.code, 0, "{got}");
    let title = "/v: 1000 chunks of 1; 1000 stored (4.0 kB), 0 of them fill only, 0 missing";
    assert!(got.text().starts_with(title), "{got}");
    let (requests, rounds) = told(&got);
    assert_eq!(requests, 2 + 1 + 2 + 100, "a page, metadata, indexes");
    assert!(rounds < 30, "{rounds} rounds");
}
