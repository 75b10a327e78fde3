//! Copies in parts to an object store: parts write the final keys, protected by the plan's claim.

mod ended;
mod reads;
mod site;

use netcdf_tools_tests::sample::Sample;

use super::*;
use site::Site;

const OUTPUT: &str = "s3://bucket/run/made";
const CLAIM: &str = ".netcdf-tools-writing";

/// The parts in a mixed order, every third part twice.
fn order(parts: u64) -> Vec<u64> {
    let again = (0..parts).filter(|part| part % 3 == 0);
    let mut order: Vec<u64> = (0..parts).chain(again).collect();
    let mut state = parts + 1;
    for n in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005) + 1;
        order.swap(n, usize::try_from(state >> 33).unwrap() % (n + 1));
    }
    order
}

#[test]
fn the_keys_are_those_of_a_copy_at_once() {
    let shards = ["-k", "zarr3", "-c", "t:2,7,9", "--shard", "t:4,14,18"];
    let cases = [
        (&shards[..], "zarr.json"),
        (
            &["-k", "zarr", "-c", "t:2,7,9", "--consolidated"],
            ".zgroup",
        ),
        (&["-k", "nczarr3", "-c", "t:2,7,9"], "zarr.json"),
    ];
    let cases = cases
        .into_iter()
        .flat_map(|(options, root)| [1, 7, 23].map(|parts| (options, root, parts)));
    let sample = Sample::new("copies in parts to a server", 3);
    for (options, root, parts) in sample.of(cases) {
        let mut site = Site::planned(parts, options);
        let mut made = vec![];
        for part in order(parts) {
            if made.contains(&part) {
                site.forget(part);
            }
            site.succeeds(&["--part", &part.to_string()]);
            made.push(part);
        }
        assert!(site.has(CLAIM) && !site.has(root), "it is not finished");
        assert!(files(&site.sandbox.path("p/segments")).is_empty());
        site.succeeds(&["--finish", "--verify"]);
        let want = site.want(options);
        assert!(site.made() == want, "{options:?}, {parts} parts");
        // Scripts may repeat all steps. The server gets no more requests.
        site.server.stop();
        site.succeeds(&["--part", "0"]);
        site.succeeds(&["--finish"]);
        site.succeeds(&["--clean"]);
        assert!(site.made() == want && !site.sandbox.path("p").exists());
    }
}

const SMALL: [&str; 4] = ["-k", "zarr3", "-c", "t:1,5,9"];

#[test]
fn two_processes_make_the_same_part() {
    let site = Site::planned(3, &SMALL);
    for part in ["0", "1", "2"] {
        let plan = site.path("p");
        let args = ["nccopy", "--part", part, &plan];
        let both = [(); 2].map(|()| Running::start(site.server.environment(), &args));
        for one in both {
            let got = one.end();
            assert_eq!(got.code, 0, "{got}");
        }
    }
    site.succeeds(&["--finish"]);
    assert!(site.made() == site.want(&SMALL));
}

#[test]
fn a_claim_excludes_a_second_run() {
    let site = Site::planned(2, &SMALL);
    let input = site.path("a.nc");
    let other = run(site.server.environment(), &["nccopy", &input, OUTPUT]);
    failed(&other, &["another run is writing this store"]);
    site.succeeds(&["--part", "0"]);
    let own = std::fs::read(site.claim()).unwrap();
    std::fs::write(site.claim(), "netcdf-tools of others\n").unwrap();
    let before = site.made();
    let lost = [OUTPUT, "the claim of the plan is not there"];
    failed(&site.nccopy(&["--part", "1"]), &lost);
    // All parts seem to be finished.
    site.sandbox
        .write("p/done/1.json", site.sandbox.read("p/done/0.json"));
    failed(&site.nccopy(&["--finish"]), &lost);
    let got = run(
        site.server.environment(),
        &["nccopy", "--clean", &site.path("p")],
    );
    assert!(
        got.code == 0 && got.message().contains("no keys were removed"),
        "{got}"
    );
    assert!(site.made() == before && own != before[CLAIM]);
    assert!(!site.sandbox.path("p").exists());
    failed(&site.try_plan(2, &SMALL), &["its claim is"]);
    assert!(site.made() == before && !site.sandbox.path("p").exists());
}

#[test]
fn overwrite_replaces_existing_stores() {
    let site = Site::planned(3, &SMALL);
    site.succeeds(&["--part", "0-2"]);
    site.succeeds(&["--finish"]);
    site.succeeds(&["--clean"]);
    let want = site.made();
    failed(&site.try_plan(2, &SMALL), &["objects below this key"]);
    assert!(site.made() == want && !site.sandbox.path("p").exists());
    site.plan(2, &[&SMALL[..], &["--overwrite"]].concat());
    assert_eq!(site.made().into_keys().collect::<Vec<_>>(), [CLAIM]);
    site.succeeds(&["--part", "0-1"]);
    site.succeeds(&["--finish"]);
    assert!(site.made() == want);
}

#[test]
fn a_cleaned_plan_leaves_no_files() {
    let site = Site::planned(3, &SMALL);
    let outside = site.server.folder().join("run/made2");
    std::fs::write(&outside, "stays").unwrap();
    site.succeeds(&["--part", "1"]);
    assert!(site.made().len() > 10);
    site.succeeds(&["--clean"]);
    assert!(site.made().is_empty() && !site.sandbox.path("p").exists());
    assert!(outside.exists());
}

#[test]
fn an_output_that_differs_does_not_appear() {
    let site = Site::planned(2, &SMALL);
    site.succeeds(&["--part", "0-1"]);
    let key = |time| {
        let key = format!("run/made/t/c/{time}/0/0");
        site.server.folder().join(key)
    };
    let [first, second] = [0, 1].map(|time| std::fs::read(key(time)).unwrap());
    assert!(first != second);
    std::fs::write(key(0), &second).unwrap();
    let differs = "element [0, 0, 0] differs from the input in /t";
    let digest = "chunks differ from the digest that the part recorded";
    for (options, message) in [
        (vec!["--finish"], digest),
        (vec!["--finish", "--verify", "--no-check"], differs),
    ] {
        failed(&site.nccopy(&options), &[message]);
        assert!(!site.has("zarr.json") && site.has(CLAIM));
    }
    std::fs::write(key(0), &first).unwrap();
    site.succeeds(&["--finish", "--verify"]);
    assert!(site.made() == site.want(&SMALL));
}
