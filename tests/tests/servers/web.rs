//! Web servers, which have no lists. Some do not support range requests.

use super::*;

/// Kinds of stores, and whether their metadata is complete without a list.
const STORES: [(&str, &[&str], bool); 6] = [
    ("zarr", &["--consolidated"], true),
    ("zarr3", &["--consolidated"], true),
    ("nczarr", &[], true),
    ("nczarr3", &[], true),
    ("zarr", &[], false),
    ("zarr3", &[], false),
];

/// Creates a local store of this kind.
fn store(kind: &str, options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", many(3, 4));
    let args = [
        &["ncgen", "--no-sync", "-k", kind, "-o", "@store"],
        options,
        &["@a.cdl"],
    ];
    let _ = sandbox.run(ncgen::run, &args.concat()).clean();
    sandbox
}

#[test]
fn stores_are_read_without_a_list() {
    for (kind, options, whole) in STORES {
        let sandbox = store(kind, options);
        let server = S3::start_public();
        let path = sandbox.path("store");
        server.put("store", &path);
        let mode = kind.trim_end_matches('3');
        let address = format!("{}/bucket/store#mode={mode}", server.url());
        let got = run(vec![], &["ncdump", "-n", "many", &address]);
        if whole {
            let want = local(&["ncdump", "-n", "many", text(&path)]);
            assert!(want.contains("v = 0, 7, 14"), "{want}");
            assert_eq!(got.clean().text(), want, "{kind}");
        } else {
            let parts = [
                "/bucket/store",
                "cannot list keys",
                "consolidated metadata",
                "-k nczarr",
            ];
            failed(&got, &parts);
        }
    }
}

/// A web server may respond with a directory listing.
#[test]
fn addresses_that_end_in_zarr_are_stores() {
    let sandbox = store("zarr", &["--consolidated"]);
    let server = S3::start_public();
    let path = sandbox.path("store");
    server.put("x.zarr", &path);
    let want = local(&["ncdump", "-n", "many", text(&path)]);
    for end in ["", "/", "?a=b", "#aws.profile=none"] {
        let address = format!("{}/bucket/x.zarr{end}", server.url());
        let got = run(vec![], &["ncdump", "-n", "many", &address]);
        assert_eq!(got.clean().text(), want, "{address}");
    }
    let address = format!("{}/bucket/none.zarr", server.url());
    failed(
        &run(vec![], &["ncdump", &address]),
        &["/bucket/none.zarr", "check the address"],
    );
    // A store in a bucket.
    let address = "s3://bucket/x.zarr";
    let proxy = Proxy::start(server.port());
    let got = run(
        S3::environment_at(&proxy.url()),
        &["ncdump", "-n", "many", address],
    );
    assert_eq!(got.clean().text(), want);
}

#[test]
fn an_address_without_a_store_is_an_error() {
    let server = S3::start_public();
    let address = format!("{}/bucket/none#mode=zarr", server.url());
    failed(
        &run(vec![], &["ncdump", &address]),
        &["/bucket/none", "check the address"],
    );
}

#[test]
fn zip_files_are_read_by_ranges() {
    for kind in ["zarr", "zarr3", "nczarr", "nczarr3"] {
        let sandbox = made(&many(40, 5_000), &[("a.nc", "nc4")]);
        let args = ["nccopy", "--no-sync", "-k", kind, "@a.nc", "@store.zip"];
        let _ = sandbox.run(nccopy::run, &args).clean();
        let server = S3::start_public();
        let path = sandbox.path("store.zip");
        server.put("store.zip", &path);
        let mode = kind.trim_end_matches('3');
        let want = local(&["ncdump", "-n", "many", text(&path)]);
        for fragment in [String::new(), format!("#mode={mode},zip")] {
            let address = format!("{}/bucket/store.zip{fragment}", server.url());
            let got = run(vec![], &["ncdump", "-n", "many", &address]);
            assert_eq!(got.clean().text(), want);
            let got = run(vec![], &["ncdump", "--io-stats", "-h", &address]);
            let asked = number_before(&got, "bytes requested");
            let all = path.metadata().unwrap().len();
            assert!(
                asked > 0 && asked < all / 4,
                "{kind}: {asked} of {all} bytes"
            );
        }
    }
}

/// A server without ranges.
fn without_ranges() -> (S3, Proxy) {
    let server = S3::start_public();
    let proxy = Proxy::start(server.port());
    proxy.instead(Manner::NoRanges);
    (server, proxy)
}

#[test]
fn files_beside_a_file_that_is_downloaded_are_read() {
    let (server, proxy) = without_ranges();
    let folder = testdata("hdf5");
    server.put("a folder/sub", &folder);
    for name in ["external.h5", "virtual_v110.h5", "links_many.h5"] {
        let path = folder.join(name);
        let address = format!("{}/bucket/a%20folder/sub/{name}", proxy.url());
        proxy.reset();
        let got = run(vec![], &["ncdump", &address]);
        assert_eq!(got.code, 0, "{got}");
        let want = run(vec![], &["ncdump", text(&path)]);
        assert_eq!((got.text(), want.code), (want.text(), 0), "{name}");
        assert!(got.message().contains("were downloaded"), "{got}");
        if name == "external.h5" {
            let once = "each of three files: the first bytes, and then all";
            assert_eq!(proxy.traffic().requests(), 2 * 3, "{once}");
        }
    }
}

#[test]
fn a_full_disk_ends_a_download() {
    let sandbox = made(&many(40, 2_000), &[("many.nc", "nc4")]);
    let (server, proxy) = without_ranges();
    server.put("many.nc", &sandbox.path("many.nc"));
    let address = format!("{}/bucket/many.nc", proxy.url());
    let temporary = sandbox.store::<&str>("temporary", &[]);
    let variables = || vec![("TMPDIR", text(&temporary).to_owned())];
    let args = ["ncdump", "-h", &address];
    failed(
        &Running::limited(20, variables(), &args).end(),
        &["many.nc", "cannot write"],
    );
    assert_eq!(files(&temporary).len(), 0);
    // With enough disk space, the command succeeds.
    let got = Running::limited(20_000, variables(), &args).end();
    assert!(got.code == 0 && got.text().contains("x = 80000"), "{got}");
    assert_eq!(files(&temporary).len(), 0);
}
