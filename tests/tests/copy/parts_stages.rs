//! Copies in parts with two stages: the same bytes as a copy in one process.

use std::sync::OnceLock;

use netcdf_core::json::Json;
use netcdf_tools_tests::files;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::sample::Sample;

/// Maps of 30 times without a third of the maps, and a small variable.
fn sandbox() -> Sandbox {
    static INPUT: OnceLock<(String, Vec<u8>)> = OnceLock::new();
    let (text, file) = INPUT.get_or_init(input);
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", text);
    sandbox.write("a.nc", file);
    sandbox
}

/// Writes the input as text, and as a file of `ncgen`.
fn input() -> (String, Vec<u8>) {
    let numbers = |n: usize| n.to_string();
    let stored = (0..20 * 24 * 36).map(|n| numbers(n * 7 % 1000));
    let (stored, times) = (stored.collect::<Vec<_>>(), (0..30).map(numbers));
    let cdl = format!(
        r#"netcdf a {{
dimensions: time = UNLIMITED ; y = 24 ; x = 36 ;
variables:
  float t(time, y, x) ; t:_ChunkSizes = 1, 24, 36 ; t:_DeflateLevel = 1 ; t:_FillValue = -1.f ;
  double time(time) ; time:units = "days since 2001-01-01" ;
data: t = {} ; time = {} ;
}}"#,
        stored.join(", "),
        times.collect::<Vec<_>>().join(", ")
    );
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", &cdl);
    let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    (cdl, sandbox.read("a.nc"))
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let all = [&["nccopy", "--quiet", "--no-sync"], args].concat();
    sandbox.run(nccopy::run, &all)
}

#[track_caller]
fn succeeds(sandbox: &Sandbox, args: &[&str]) -> String {
    let out = nccopy(sandbox, args);
    assert_eq!(out.code, 0, "{args:?}: {out}");
    out.text()
}

#[track_caller]
fn fails(sandbox: &Sandbox, args: &[&str], code: u8, why: &str) {
    let out = nccopy(sandbox, args);
    let message = out.message();
    assert!(out.code == code && message.contains(why), "{args:?}: {out}");
}

/// Runs parts in reverse order, and every third part twice.
fn make(sandbox: &Sandbox, parts: std::ops::Range<u64>) {
    for part in parts.rev() {
        let number = part.to_string();
        succeeds(sandbox, &["--part", &number, "@p"]);
        if part % 3 == 0 {
            let _ = std::fs::remove_file(sandbox.path(&format!("p/done/{part}.json")));
            succeeds(sandbox, &["--part", &number, "@p"]);
        }
    }
}

const SERIES: [&str; 4] = ["-k", "zarr3", "-c", "t:30,4,5"];

/// Creates a plan with 5 parts in each of two stages.
fn planned(options: &[&str], output: &str) -> Sandbox {
    let sandbox = sandbox();
    let plan = ["--plan", "@p", "--parts", "5", "--stages", "2"];
    succeeds(&sandbox, &[&plan, options, &["@a.nc", output]].concat());
    sandbox
}

#[test]
fn the_bytes_are_those_of_a_copy_at_once() {
    let cases = [
        (&SERIES[..], "zarr"),
        (
            &["-k", "zarr3", "-c", "t:10,4,5", "--shard", "t:30,8,10"],
            "zarr",
        ),
        (&["-k", "nczarr", "-c", "t:30,4,5", "-d2"], "zarr"),
        (&["-k", "nc4", "-c", "t:30,4,5", "-d1"], "nc"),
        (
            &[
                "-k",
                "nc4",
                "-c",
                "t:30,4,5",
                "--quantize",
                "t,granularbr,2",
            ],
            "nc",
        ),
        (&["-k", "nc4", "-c", "t:30,4,5", "--select", "y,3,20"], "nc"),
        (&["-k", "nc5", "-u"], "nc"),
    ];
    let cases = cases
        .into_iter()
        .flat_map(|(options, output)| [1u64, 7, 50].map(|parts| (options, output, parts)));
    let sample = Sample::new("copies in two stages", 3);
    for (options, output, parts) in sample.of(cases) {
        let sandbox = sandbox();
        let (want, made) = (format!("@want.{output}"), format!("@made.{output}"));
        succeeds(&sandbox, &[options, &["@a.nc", &want]].concat());
        let number = parts.to_string();
        let plan = ["--plan", "@p", "--stages", "2", "--parts", &number];
        let said = succeeds(&sandbox, &[&plan, options, &["@a.nc", &made]].concat());
        assert!(said.starts_with(&format!("{} parts", 2 * parts)), "{said}");
        make(&sandbox, 0..parts);
        make(&sandbox, parts..2 * parts);
        succeeds(&sandbox, &["--finish", "--verify", "@p"]);
        let (want, made) = (sandbox.path(&want[1..]), sandbox.path(&made[1..]));
        assert!(
            files::contents(&want) == files::contents(&made),
            "{options:?}, {parts} parts"
        );
        succeeds(&sandbox, &["--clean", "@p"]);
        assert!(!sandbox.path("p").exists(), "{options:?}");
    }
}

#[test]
fn the_second_stage_waits_for_the_first() {
    let sandbox = planned(&SERIES, "@made.zarr");
    make(&sandbox, 0..4);
    fails(
        &sandbox,
        &["--part", "5", "@p"],
        75,
        "1 of 5 parts of the first stage are not done: 4",
    );
    let log = sandbox.path("p/log/5.jsonl");
    assert!(!log.exists(), "it was not begun");
    let status = succeeds(&sandbox, &["--status", "@p"]);
    assert!(
        status.contains("first stage: 4 of 5 parts done"),
        "{status}"
    );
    // One process runs several parts of both stages, and then all remaining parts.
    succeeds(&sandbox, &["--part", "3-6", "@p"]);
    succeeds(&sandbox, &["--next", "@p"]);
    succeeds(&sandbox, &["--finish", "@p"]);
    succeeds(&sandbox, &[&SERIES[..], &["@a.nc", "@want.zarr"]].concat());
    assert!(
        files::contents(&sandbox.path("want.zarr")) == files::contents(&sandbox.path("made.zarr"))
    );
}

#[test]
fn next_runs_parts_of_both_stages() {
    let sandbox = planned(&SERIES, "@made.zarr");
    // Part 3 has a lease without end.
    sandbox.write("p/leases/3", "99999999999\n");
    fails(
        &sandbox,
        &["--next", "@p"],
        75,
        "1 of 5 parts of the first stage are not done: 3",
    );
    std::fs::remove_file(sandbox.path("p/leases/3")).expect("the lease");
    succeeds(&sandbox, &["--next", "@p"]);
    succeeds(&sandbox, &["--finish", "--verify", "@p"]);
}

#[test]
fn missing_fragments_are_errors() {
    let sandbox = planned(&SERIES, "@made.zarr");
    make(&sandbox, 0..5);
    let pieces = files::contents(&sandbox.path("p/between/v0/c"));
    let (first, _) = pieces.first().expect("a piece");
    std::fs::remove_file(sandbox.path(&format!("p/between/v0/c/{first}"))).expect("a piece");
    let out = nccopy(&sandbox, &["--part", "5-9", "@p"]);
    assert_eq!(out.code, 1, "{out}");
    let message = out.message();
    assert!(
        message.contains("not there, which parts of the first stage"),
        "{message}"
    );
    fails(&sandbox, &["--finish", "@p"], 1, "parts are not done");
    assert!(!sandbox.path("made.zarr").exists());
}

/// With one stage, each part decodes each map. For a few parts or little data, this costs less than two stages.
#[test]
fn two_stages_are_chosen_where_they_cost_less() {
    for (times, parts, stages, options) in [
        ("4000", "3", 1, &["-c", "t:4000,1,360"][..]),
        ("4000", "24", 2, &["-c", "t:4000,1,360"]),
        ("4000", "24", 1, &["-c", "t:4000,1,360", "--stages", "1"]),
        ("4000", "24", 1, &["-c", "t:1,60,360"]),
        ("4000", "24", 1, &[]),
        ("40", "24", 1, &["-c", "t:40,1,360"]),
    ] {
        let sandbox = Sandbox::new();
        let chunks = "t:_ChunkSizes = 1, 120, 360 ; t:_DeflateLevel = 1 ;";
        let cdl = format!(
            "netcdf a {{ dimensions: time = {times} ; y = 120 ; x = 360 ; variables: float t(time, y, x) ; {chunks} }}"
        );
        sandbox.write("a.cdl", cdl);
        let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@a.nc", "@a.cdl"];
        let _ = sandbox.run(ncgen::run, &args).clean();
        let plan = ["--plan", "@p", "--parts", parts, "-k", "zarr3"];
        let said = succeeds(
            &sandbox,
            &[&plan, options, &["@a.nc", "@made.zarr"]].concat(),
        );
        let wanted = stages * parts.parse::<u64>().expect("a number");
        assert!(
            said.starts_with(&format!("{wanted} parts")),
            "{options:?}: {said}"
        );
    }
}

/// Returns a number of the estimate of a plan.
fn estimated(sandbox: &Sandbox, name: &str) -> f64 {
    let plan = Json::parse(&sandbox.read("p/plan.json")).expect("JSON");
    let number = plan.get("estimate").and_then(|all| all.get(name));
    let number = number.and_then(Json::as_number).expect("a number");
    number.parse().expect("a number")
}

#[test]
fn a_plan_prints_its_estimates() {
    let elements = 30.0 * 24.0 * 36.0 * 4.0 + 30.0 * 8.0;
    for (stages, parts, times) in [("1", "1", 1.0), ("1", "6", 6.0), ("2", "6", 1.0)] {
        let sandbox = sandbox();
        let plan = ["--plan", "@p", "--parts", parts, "--stages", stages];
        let options = ["-k", "nc4", "-c", "t:30,4,36", "-d0", "@a.nc", "@made.nc"];
        succeeds(&sandbox, &[&plan[..], &options].concat());
        let (read, reads) = (estimated(&sandbox, "read"), estimated(&sandbox, "reads"));
        // The store contains 20 maps, and one chunk of times.
        assert!((reads - 20.0 * times - 1.0).abs() < 1.5, "{times}: {reads}");
        let size = sandbox.read("a.nc").len() as f64;
        assert!(
            read > 0.5 * size * times && read < size * times,
            "{times}: {read} of {size}"
        );
        let written = estimated(&sandbox, "written");
        assert!(written > 0.6 * elements && written <= elements, "{written}");
        let between = estimated(&sandbox, "between");
        assert_eq!(between > 0.0, stages == "2", "{between}");
        assert!(estimated(&sandbox, "cpu_seconds") > 0.0);
        assert!(estimated(&sandbox, "finish_seconds") > 0.0);
    }
}
