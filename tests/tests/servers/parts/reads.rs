//! Reads of `--plan` and `--dry-run`: metadata, and the coordinates of a selection by value.

use super::*;

/// The inputs: name, kind, and the requests for chunks.
const STORES: [(&str, &str, [&str; 6]); 4] = [
    (
        "z2",
        "zarr",
        [
            "GET /bucket/z2/t/0",
            "GET /bucket/z2/time/0",
            "GET /bucket/z2/empty/0",
            "GET /bucket/z2/name/0",
            "GET /bucket/z2/scalar/0",
            "GET /bucket/z2/g/b/0",
        ],
    ),
    (
        "n2",
        "nczarr",
        [
            "GET /bucket/n2/t/0",
            "GET /bucket/n2/time/0",
            "GET /bucket/n2/empty/0",
            "GET /bucket/n2/name/0",
            "GET /bucket/n2/scalar/0",
            "GET /bucket/n2/g/b/0",
        ],
    ),
    (
        "z3",
        "zarr3",
        [
            "GET /bucket/z3/t/c",
            "GET /bucket/z3/time/c",
            "GET /bucket/z3/empty/c",
            "GET /bucket/z3/name/c",
            "GET /bucket/z3/scalar/c",
            "GET /bucket/z3/g/b/c",
        ],
    ),
    (
        "n3",
        "nczarr3",
        [
            "GET /bucket/n3/t/c",
            "GET /bucket/n3/time/c",
            "GET /bucket/n3/empty/c",
            "GET /bucket/n3/name/c",
            "GET /bucket/n3/scalar/c",
            "GET /bucket/n3/g/b/c",
        ],
    ),
];

/// Outputs of other kinds, chunks and filters.
const COPIES: [&[&str]; 4] = [
    &["-k", "nc4"],
    &["-k", "nc4", "-c", "t:3,7,9", "-d", "5", "--select", "y,3,9"],
    &["-k", "nczarr3", "-F", "*,zstd"],
    &["-k", "nc6", "-V", "t,time,empty,scalar"],
];

fn copy(address: &str, proxy: &Proxy, options: &[&str]) -> CommandOutput {
    let args = [&["nccopy", "--quiet"], options, &[address, "out"]].concat();
    run(S3::environment_at(&proxy.url()), &args)
}

#[test]
fn plans_and_dry_runs_read_no_chunks() {
    let site = Site::new();
    for (name, kind, requests) in STORES {
        let store = site.path(name);
        let args = ["nccopy", "--quiet", "-k", kind, &site.path("a.nc"), &store];
        let _ = run(vec![], &args).clean();
        site.server.put(name, &site.sandbox.path(name));
        let address = format!("s3://bucket/{name}");
        let proxy = Proxy::start(site.server.port());
        for request in requests {
            proxy.instead(Manner::RefuseContent(request));
        }
        for options in COPIES {
            for mode in [&["--dry-run"][..], &["--plan", "p", "--parts", "3"]] {
                let got = copy(&address, &proxy, &[mode, options].concat());
                assert_eq!(got.code, 0, "{kind} {mode:?} {options:?}: {got}");
            }
        }
        let got = copy(&address, &proxy, COPIES[0]);
        assert_eq!(got.code, 1, "the chunks can be read: {kind}: {got}");
        // The selection needs the coordinate only.
        let select = ["--dry-run", "-k", "nc4", "--select", "time,1.,2."];
        assert_eq!(copy(&address, &proxy, &select).code, 1, "{kind}");
        let proxy = Proxy::start(site.server.port());
        for request in requests.into_iter().filter(|r| !r.contains("/time/")) {
            proxy.instead(Manner::RefuseContent(request));
        }
        let got = copy(&address, &proxy, &select);
        assert_eq!(got.code, 0, "{kind}: {got}");
    }
}

/// The metadata of files can be beside their data.
#[test]
fn plans_and_dry_runs_read_little_of_files() {
    let sandbox = made(&many(40, 20_000), &[("a.nc", "nc4")]);
    let ends = [sandbox.path("a.nc"), sandbox.path("b.nc")];
    let args = ["nccopy", "-k", "cdf5", text(&ends[0]), text(&ends[1])];
    let _ = run(vec![], &args).clean();
    let server = S3::start();
    for name in ["a.nc", "b.nc"] {
        server.put(name, &sandbox.path(name));
        let address = format!("s3://bucket/{name}");
        let read = |options: &[&str]| {
            let args = [&["nccopy", "--io-stats"], options, &[&address, "out"]].concat();
            let got = run(server.environment(), &args);
            assert_eq!(got.code, 0, "{options:?}: {got}");
            number_before(&got, " bytes")
        };
        let all = read(&["-k", "nc4"]);
        for options in [
            &["-k", "nc4", "-c", "x/30000"][..],
            &["-k", "zarr3", "-d", "1"],
        ] {
            for mode in [&["--dry-run"][..], &["--plan", "p", "--parts", "3"]] {
                let some = read(&[mode, options].concat());
                assert!(some < all / 10, "{name} {mode:?}: {some} of {all} bytes");
            }
        }
    }
}
