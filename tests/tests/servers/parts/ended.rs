//! Killed processes, unreachable servers, and lost claims.

use super::*;

#[test]
fn parts_without_a_server_end_with_75() {
    let mut site = Site::planned(4, &SMALL);
    let proxy = Proxy::start(site.server.port());
    let there = || S3::environment_at(&proxy.url());
    for (part, fault) in [("0", Fault::Drop), ("1", Fault::Unavailable)] {
        proxy.every(fault, 5);
        let got = site.at(there(), &["--part", part]);
        assert_eq!(got.code, 0, "{got}");
        proxy.every(fault, 0);
    }
    assert!(proxy.traffic().faults > 5, "{:?}", proxy.traffic());
    // The server fails while a part runs, and before the next part.
    proxy.reset();
    proxy.hold_from(10);
    let plan = site.path("p");
    let running = Running::start(there(), &["nccopy", "--part", "3", &plan]);
    proxy.wait_for_held();
    site.server.stop();
    proxy.release();
    assert_eq!(running.end().code, 75);
    assert_eq!(site.nccopy(&["--part", "2"]).code, 75);
    site.server.start_again();
    let some = site.made().len();
    assert!(site.has(CLAIM) && some > 10, "what was put stays");
    site.succeeds(&["--part", "2-3"]);
    site.succeeds(&["--finish"]);
    assert!(site.made() == site.want(&SMALL));
}

/// Runs `nccopy` on the plan until a request. The server receives this request after the process has ended.
fn ended_at(site: &Site, request: usize, options: &[&str], end: impl Fn(Running)) {
    let proxy = Proxy::start(site.server.port());
    proxy.hold_from(request);
    let plan = site.path("p");
    let args = [&["nccopy", "--quiet"], options, &[&plan]].concat();
    let running = Running::start(S3::environment_at(&proxy.url()), &args);
    proxy.wait_for_held();
    end(running);
    proxy.release();
}

fn killed(mut running: Running) {
    running.child.kill().unwrap();
    running.child.wait().unwrap();
}

#[test]
fn a_stopped_part_keeps_its_keys() {
    let site = Site::planned(2, &SMALL);
    site.succeeds(&["--part", "0"]);
    let before = site.made();
    ended_at(&site, 20, &["--part", "1"], |running| {
        running.terminate();
        assert_eq!(running.end().code, 128 + 15);
    });
    for request in [1, 2, 3, 11, 19] {
        ended_at(&site, request, &["--part", "1"], killed);
    }
    let after = site.made();
    let stays = |(key, bytes): (&String, &Vec<u8>)| after.get(key) == Some(bytes);
    assert!(before.iter().all(stays) && after.len() > before.len());
    site.succeeds(&["--part", "1"]);
    site.succeeds(&["--finish"]);
    assert!(site.made() == site.want(&SMALL));
}

#[test]
fn a_killed_finish_is_repeated() {
    // The digest comparison reads each chunk before anything is written.
    let finish = ["--finish", "--no-check"];
    let finished = |site: &Site| {
        let proxy = Proxy::start(site.server.port());
        let got = site.at(S3::environment_at(&proxy.url()), &finish);
        assert_eq!(got.code, 0, "{got}");
        proxy.traffic().requests()
    };
    let [first, site] = [(); 2].map(|()| {
        let site = Site::planned(2, &SMALL);
        site.succeeds(&["--part", "0-1"]);
        site
    });
    let requests = finished(&first);
    assert!(
        (10..50).contains(&requests),
        "{requests}, for a hundred chunks"
    );
    for request in 1..requests {
        ended_at(&site, request, &finish, killed);
    }
    site.succeeds(&["--finish"]);
    let want = site.want(&SMALL);
    assert!(first.made() == want && site.made() == want);
}

/// A site with finished parts, and a copy `q` of the plan directory `p`.
fn with_two_directories() -> Site {
    let site = Site::planned(2, &SMALL);
    site.succeeds(&["--part", "0-1"]);
    let (from, to) = (site.path("p"), site.sandbox.path("q"));
    for (name, bytes) in files(Path::new(&from)) {
        let path = to.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    site
}

/// Starts `--finish` of the plan directory `p`, and holds all requests after the claim.
fn held_finish(site: &Site, lease: &str) -> (Running, Proxy) {
    let proxy = Proxy::start(site.server.port());
    proxy.hold_from(4);
    let plan = site.path("p");
    let args = ["nccopy", "--finish", "--lease", lease, &plan];
    let running = Running::start(S3::environment_at(&proxy.url()), &args);
    proxy.wait_for_held();
    (running, proxy)
}

fn finish_copy(site: &Site) -> CommandOutput {
    let args = ["nccopy", "--quiet", "--finish", &site.path("q")];
    run(site.server.environment(), &args)
}

#[test]
fn one_of_two_plan_directories_is_finished_at_a_time() {
    let site = with_two_directories();
    let (running, proxy) = held_finish(&site, "3600");
    let got = finish_copy(&site);
    assert_eq!(got.code, 75, "{got}");
    assert!(got.to_string().contains("its lease expires in 3"), "{got}");
    let args = ["nccopy", "--clean", &site.path("q")];
    assert_eq!(run(site.server.environment(), &args).code, 75);
    proxy.release();
    assert_eq!(running.end().code, 0);
    let got = finish_copy(&site);
    assert_eq!(got.code, 0, "{got}");
    assert!(site.made() == site.want(&SMALL));
}

#[test]
fn a_finisher_whose_lease_was_taken_over_ends_with_75() {
    let site = with_two_directories();
    let (running, proxy) = held_finish(&site, "1");
    // The held process cannot renew its lease.
    while finish_copy(&site).code == 75 {
        std::thread::sleep(Duration::from_millis(100));
    }
    let made = site.made();
    assert!(made == site.want(&SMALL));
    proxy.release();
    let got = running.end();
    assert_eq!(got.code, 75, "{got}");
    assert!(got.to_string().contains("took over the right"), "{got}");
    assert!(site.made() == made);
    site.succeeds(&["--finish"]);
    assert!(site.made() == made);
}

#[test]
fn a_part_detects_a_lost_claim() {
    let site = Site::planned(1, &SMALL);
    let proxy = Proxy::start(site.server.port());
    proxy.hold_from(20);
    let plan = site.path("p");
    let args = ["nccopy", "--part", "0", &plan];
    let running = Running::start(S3::environment_at(&proxy.url()), &args);
    proxy.wait_for_held();
    std::fs::write(site.claim(), "netcdf-tools of others\n").unwrap();
    proxy.release();
    failed(&running.end(), &["the claim of the plan is not there"]);
    assert!(files(&site.sandbox.path("p/done")).is_empty());
}

#[test]
fn a_finish_without_a_record_can_be_repeated() {
    let site = Site::planned(3, &SMALL);
    site.succeeds(&["--part", "0-2"]);
    let claim = std::fs::read(site.claim()).unwrap();
    site.succeeds(&["--finish"]);
    let want = site.want(&SMALL);
    let finished = site.sandbox.path("p/finished");
    // The process was killed before or after the claim was removed.
    for claimed in [true, false] {
        std::fs::remove_file(&finished).unwrap();
        if claimed {
            std::fs::write(site.claim(), &claim).unwrap();
        }
        site.succeeds(&["--finish", "--verify"]);
        assert!(site.made() == want && finished.exists());
    }
    // Another store has replaced the output.
    std::fs::remove_file(&finished).unwrap();
    let folder = site.server.folder().join("run/made");
    for key in ["zarr.json", "t/zarr.json"] {
        std::fs::write(folder.join(key), "{}").unwrap();
        failed(
            &site.nccopy(&["--finish"]),
            &[key, "the finished store has another value"],
        );
        assert!(site.made()[key] == b"{}");
        std::fs::write(folder.join(key), &want[key]).unwrap();
    }
    std::fs::remove_file(folder.join("t/c/1/0/0")).unwrap();
    failed(&site.nccopy(&["--finish"]), &["a written chunk is missing"]);
    assert!(!finished.exists());
}
