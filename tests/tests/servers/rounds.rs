//! The number of request rounds for opening a dataset.

use super::*;

/// Checks that a remote dataset has the header of the local dataset. Returns the number of rounds.
///
/// The proxy gives all requests the same duration, so that concurrent requests form rounds.
fn opened(address: &str, proxy: &Proxy, here: &Path, milliseconds: u64) -> usize {
    proxy.reset();
    proxy.delay(Duration::from_millis(milliseconds));
    let args = |of| ["ncdump", "--requests", "1000", "-n", "same", "-h", of].map(str::to_owned);
    let there = args(address);
    let there: Vec<&str> = there.iter().map(String::as_str).collect();
    let got = run(S3::environment_at(&proxy.url()), &there);
    let here = args(text(here));
    let here: Vec<&str> = here.iter().map(String::as_str).collect();
    assert_eq!(got.clean().text(), local(&here), "{address}");
    proxy.traffic().rounds
}

/// Asserts a maximum number of rounds for opening a file, on a web server and in a bucket. One more round fetches the first bytes.
fn opens(name: &str, most: usize) {
    let sandbox = Sandbox::new();
    let path = sandbox.path("file.nc");
    std::fs::write(&path, stored(name)).unwrap();
    let server = S3::start_public();
    server.put("file.nc", &path);
    let proxy = Proxy::start(server.port());
    for address in [
        "s3://bucket/file.nc".to_owned(),
        format!("{}/bucket/file.nc#mode=bytes", proxy.url()),
    ] {
        let rounds = opened(&address, &proxy, &path, 20);
        assert!(rounds <= most + 1, "{address}: {rounds} rounds");
    }
}

/// Returns the bytes of a file in testdata, decompressed with `zstd` if necessary.
fn stored(name: &str) -> Vec<u8> {
    let stored = std::fs::read(testdata(name)).unwrap();
    match name.ends_with(".zst") {
        true => zstd::bulk::decompress(&stored, 1 << 25).unwrap(),
        false => stored,
    }
}

#[test]
fn a_small_file_is_opened_in_few_rounds() {
    opens("netcdf4/short.nc", 2);
}

#[test]
fn a_thousand_variables_are_opened_in_few_rounds() {
    opens("rounds/strings.nc.zst", 12);
}

#[test]
fn many_groups_are_opened_in_few_rounds() {
    opens("rounds/groups.nc.zst", 40);
}

/// Returns the CDL of a dataset with 200 variables.
fn two_hundred() -> String {
    let variables: Vec<String> = (0..200)
        .map(|n| format!(" int v{n}(x) ;\n  v{n}:units = \"m\" ;\n"))
        .collect();
    let variables = variables.concat();
    format!("netcdf many {{\ndimensions:\n x = 2 ;\nvariables:\n{variables}}}\n")
}

#[test]
fn stores_are_opened_in_few_rounds() {
    for (kind, consolidated, most) in [
        ("zarr", true, 3),
        ("zarr3", true, 3),
        ("zarr", false, 4),
        ("zarr3", false, 4),
        ("nczarr", false, 4),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("a.cdl", two_hundred());
        let mut args = vec!["ncgen", "--no-sync", "-k", kind, "-o", "@store", "@a.cdl"];
        if consolidated {
            args.insert(1, "--consolidated");
        }
        let _ = sandbox.run(ncgen::run, &args).clean();
        let server = S3::start();
        let path = sandbox.path("store");
        server.put("store", &path);
        let proxy = Proxy::start(server.port());
        let rounds = opened("s3://bucket/store", &proxy, &path, 200);
        // 200 arrays without consolidated metadata need at most seven batches, because at least 32 requests are in flight.
        let turns = if consolidated { 0 } else { 2 * 7 };
        assert!(
            rounds <= most + turns,
            "{kind}, {consolidated}: {rounds} rounds"
        );
    }
}
