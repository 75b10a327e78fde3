//! Directories as inputs, dry runs, reports and histories of many inputs.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use std::os::unix::fs::symlink;

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use serde_json::Value;

use crate::in_place;

const TEXT: &str = "netcdf t { dimensions: x = 1000 ; variables: int v(x) ; data: v = 1, 2, 3 ; }";

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

fn make(sandbox: &Sandbox, name: &str, kind: &str) {
    let path = sandbox.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    sandbox.write("t.cdl", TEXT);
    in_place::make(sandbox, name, kind);
}

/// A directory with datasets and many other kinds of entries.
fn all_sorts() -> Sandbox {
    let sandbox = Sandbox::new();
    make(&sandbox, "in/b.dat", "nc3");
    make(&sandbox, "in/a.nc", "nc4");
    make(&sandbox, "in/s.zarr", "zarr3");
    make(&sandbox, "in/z.zip", "zarr3");
    make(&sandbox, "in/.hidden.nc", "nc4");
    make(&sandbox, "in/sub/deep/c.nc", "nc4");
    make(&sandbox, "elsewhere/d.nc", "nc4");
    sandbox.write("in/gzip.nc", b"\x1f\x8b\x08\0\0");
    sandbox.write("in/notes.txt", "mine");
    symlink("../elsewhere/d.nc", sandbox.path("in/link")).unwrap();
    symlink("../elsewhere", sandbox.path("in/folder")).unwrap();
    symlink("nowhere", sandbox.path("in/broken")).unwrap();
    symlink("s.zarr", sandbox.path("in/store")).unwrap();
    sandbox
}

/// Input names of JSON lines, without the directory.
fn inputs(text: &str) -> Vec<String> {
    let line = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let names = text.lines().map(line).filter_map(|line| {
        let name = line["input"].as_str()?.to_owned();
        Some(name.split_once("in/")?.1.to_owned())
    });
    names.collect()
}

const TOP: [&str; 5] = ["a.nc", "b.dat", "link", "s.zarr", "z.zip"];
const ALL: [&str; 6] = ["a.nc", "b.dat", "link", "s.zarr", "sub/deep/c.nc", "z.zip"];

/// Copies, copies in place and plans find the same datasets in a directory, in the same order.
#[test]
fn directories_follow_one_rule() {
    let sandbox = all_sorts();
    let dry = nccopy(&sandbox, &["--dry-run=json", "@in", "@out/"]);
    assert_eq!(inputs(&dry.text()), TOP, "{dry}");
    assert!(!sandbox.path("out").exists());
    let dry = nccopy(&sandbox, &["--dry-run=json", "--recursive", "@in", "@out/"]);
    assert_eq!(inputs(&dry.text()), ALL, "{dry}");
    let dry = nccopy(&sandbox, &["--dry-run=json", "--in-place", "@in"]);
    assert_eq!(inputs(&dry.text()), TOP, "{dry}");
    let dry = nccopy(
        &sandbox,
        &["--dry-run=json", "--in-place", "--recursive", "@in"],
    );
    assert_eq!(inputs(&dry.text()), ALL, "{dry}");
    for (name, options, want) in [("p", &[][..], &TOP[..]), ("q", &["--recursive"], &ALL)] {
        let (plan, output) = (format!("@{name}"), format!("@of-{name}"));
        let args = [&["--quiet", "--plan", &plan], options, &["@in", &output]].concat();
        assert_eq!(nccopy(&sandbox, &args).code, 0);
        let list = std::fs::read_to_string(sandbox.path(name).join("files.jsonl")).unwrap();
        assert_eq!(inputs(&list), want);
    }
}

#[test]
fn a_directory_is_copied() {
    let sandbox = all_sorts();
    assert_snapshot!(
        "a_directory",
        nccopy(&sandbox, &["-d", "1", "@in", "@out/"])
    );
    let all = nccopy(
        &sandbox,
        &["-d", "1", "--recursive", "--quiet", "@in", "@all/"],
    );
    let _ = all.clean();
    for name in ALL {
        let [from, to] = ["in", "all"].map(|folder| format!("@{folder}/{name}"));
        let diff = sandbox.run(ncdump::run, &["ncdump", "--diff", &from, &to]);
        assert_eq!(diff.code, 0, "{name}: {diff}");
    }
    assert!(sandbox.path("all/sub/deep/c.nc").is_file());
    assert!(!sandbox.path("all/link").is_symlink());
    // The output name does not end in a slash, so nccopy does not create a directory.
    assert_snapshot!("a_directory_to_a_name", nccopy(&sandbox, &["@in", "@new"]));
    std::fs::create_dir(sandbox.path("none")).unwrap();
    let none = nccopy(&sandbox, &["@none", "@new/"]);
    assert_snapshot!("an_empty_directory", none);
    let below = nccopy(&sandbox, &["@in/sub", "@new/"]);
    assert_snapshot!("a_directory_of_directories", below);
    let itself = nccopy(&sandbox, &["--recursive", "--quiet", "@in", "@in/"]);
    assert!(
        itself.message().contains("would overwrite input"),
        "{itself}"
    );
    assert!(!sandbox.path("new").exists());
}

/// A dry run needs no output directory, and prints a line for each input.
#[test]
fn dry_runs_have_a_line_for_each_input() {
    let sandbox = all_sorts();
    for (form, name) in [
        ("--dry-run", "dry_run_tables"),
        ("--dry-run=json", "dry_run_json"),
    ] {
        let args = [
            form,
            "@in/a.nc",
            "@in/gzip.nc",
            "@in/sub/deep/c.nc",
            "@nodir/",
        ];
        let out = nccopy(&sandbox, &args);
        assert_snapshot!(name, out);
    }
    std::fs::create_dir(sandbox.path("out")).unwrap();
    sandbox.write("out/a.nc", "");
    for (option, said) in [
        ("--skip-existing", "skipped: the output exists"),
        ("--no-clobber", "not copied: "),
    ] {
        let out = nccopy(&sandbox, &["--dry-run", option, "@in/a.nc", "@out/"]);
        assert!(out.text().contains(said), "{out}");
    }
    let strict = nccopy(
        &sandbox,
        &[
            "--dry-run=json",
            "--strict",
            "-k",
            "nc3",
            "-d",
            "1",
            "@in/a.nc",
            "@o.nc",
        ],
    );
    assert!(strict.text().contains("\"error\": "), "{strict}");
    assert!(!sandbox.path("nodir").exists());
}

/// The lines of a report.
fn report(out: &CommandOutput) -> Vec<Value> {
    let text = out.text();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn reports_begin_with_the_options() {
    let sandbox = all_sorts();
    let args = [
        "--report=json",
        "-d",
        "1",
        "@in/a.nc",
        "@in/gzip.nc",
        "@none/",
    ];
    std::fs::create_dir(sandbox.path("none")).unwrap();
    let out = nccopy(&sandbox, &args);
    let lines = report(&out);
    let options = ["--no-sync", "--report=json", "-d", "1"].map(Value::from);
    assert_eq!(lines.len(), 4, "{out}");
    assert_eq!(lines[0]["options"].as_array().unwrap(), &options);
    assert_eq!(lines[0]["version"], env!("CARGO_PKG_VERSION"));
    let date = lines[0]["date"].as_str().unwrap();
    assert!(date.len() == 20 && date.ends_with('Z'), "{date}");
    assert!(lines[1]["after"].is_u64() && lines[2]["error"].is_string());
    assert_eq!(lines[3]["totals"]["copied"], 1);
}

/// Plans and plain runs print the same report.
#[test]
fn reports_of_plans() {
    let sandbox = all_sorts();
    let without_times = |mut value: Value| {
        value.as_object_mut().unwrap().remove("seconds");
        if let Some(vars) = value.get_mut("variables").and_then(Value::as_array_mut) {
            for var in vars {
                var.as_object_mut().unwrap().remove("seconds");
            }
        }
        value
    };
    let quiet = |args: &[&str]| {
        let out = nccopy(&sandbox, &[&["--quiet"], args].concat());
        assert_eq!(out.code, 0, "{args:?}: {out}");
        out
    };
    quiet(&["--plan", "@p", "--parts", "2", "-d", "1", "@in", "@out"]);
    quiet(&["--next", "@p"]);
    let planned = report(&quiet(&["--finish", "--report=json", "@p"]));
    let tables = quiet(&["--finish", "--report", "@p"]).text();
    assert!(
        tables.contains("5 inputs: 5 copied, 0 skipped, 0 failed"),
        "{tables}"
    );
    std::fs::remove_dir_all(sandbox.path("out")).unwrap();
    let at_once = report(&quiet(&["--report=json", "-d", "1", "@in", "@out/"]));
    let copies = |lines: &[Value]| {
        let inner = lines[1..lines.len() - 1].iter().cloned();
        inner.map(without_times).collect::<Vec<_>>()
    };
    assert_eq!(copies(&planned), copies(&at_once));
    assert_eq!(planned[6]["totals"]["after"], at_once[6]["totals"]["after"]);
    for output in ["one.nc", "one.zarr"] {
        let (plan, output) = (format!("@of-{output}"), format!("@{output}"));
        quiet(&[
            "--plan", &plan, "--parts", "2", "-d", "1", "@in/a.nc", &output,
        ]);
        quiet(&["--next", &plan]);
        let lines = report(&quiet(&["--finish", "--report=json", &plan]));
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[1]["variables"][0]["raw"], 4000);
        assert!(lines[1]["before"].as_u64() > Some(0) && lines[1]["after"].as_u64() > Some(0));
        let lines = report(&quiet(&["--finish", "--report=json", &plan]));
        assert_eq!(lines[1]["skipped"], true, "it is finished: {lines:?}");
    }
}

/// The text of the attribute `history`.
fn history(sandbox: &Sandbox, name: &str) -> String {
    let name = format!("@{name}");
    let text = sandbox
        .run(ncdump::run, &["ncdump", "--json", "-h", &name])
        .text();
    let value: Value = serde_json::from_str(&text).unwrap();
    let data = &value["attributes"]["history"]["data"];
    let folder = sandbox.path("").display().to_string();
    let text = match data {
        Value::Array(texts) => texts
            .iter()
            .map(|t| t.as_str().unwrap())
            .collect::<Vec<_>>()
            .join("|"),
        text => text.as_str().unwrap_or_default().to_owned(),
    };
    text.replace(&folder, "@/").replace("//", "/")
}

#[test]
fn histories_contain_the_command() {
    let sandbox = all_sorts();
    let run = |args: &[&str]| {
        let out = nccopy(&sandbox, &[&["--quiet", "--history"], args].concat());
        assert_eq!(out.code, 0, "{args:?}: {out}");
    };
    run(&[
        "--history-time=951827696",
        "-F",
        "*,zstd,3",
        "@in/a.nc",
        "@a.nc",
    ]);
    let first = "Tue Feb 29 12:34:56 2000: nccopy --no-sync --quiet --history -F '*,zstd,3' @/in/a.nc @/a.nc";
    assert_eq!(history(&sandbox, "a.nc"), first);
    run(&["--history-time=0", "@a.nc", "@b.nc"]);
    let second = "Thu Jan 01 00:00:00 1970: nccopy --no-sync --quiet --history @/a.nc @/b.nc";
    assert_eq!(history(&sandbox, "b.nc"), format!("{second}\n{first}"));
    for (set, want) in [
        ("string /@history=\"old\"", format!("{second}\nold")),
        (
            "string /@history=\"new\", \"old\"",
            format!("{second}|new|old"),
        ),
    ] {
        run(&["--history-time=0", "--attribute", set, "@a.nc", "@b.nc"]);
        let found = history(&sandbox, "b.nc");
        let blank = found.replace(&format!("--attribute '{set}' "), "");
        assert_eq!(blank, want);
    }
    let numbers = [
        "--history",
        "--attribute",
        "/@history=1",
        "@in/a.nc",
        "@n.nc",
    ];
    assert_snapshot!("a_history_of_numbers", nccopy(&sandbox, &numbers));
    let plain = nccopy(&sandbox, &["@in/a.nc", "@plain.nc"]);
    assert_eq!(
        (plain.code, history(&sandbox, "plain.nc")),
        (0, String::new())
    );
}

/// All parts of a plan write the time of the plan to the history.
#[test]
fn histories_of_plans() {
    let sandbox = all_sorts();
    for output in ["o.nc", "o.zarr"] {
        let (plan, path) = (format!("@p-{output}"), format!("@{output}"));
        for args in [
            &[
                "--plan",
                &plan,
                "--parts",
                "2",
                "--history",
                "@in/a.nc",
                &path,
            ][..],
            &["--next", &plan],
            &["--finish", &plan],
        ] {
            std::thread::sleep(std::time::Duration::from_millis(600));
            assert_eq!(nccopy(&sandbox, args).code, 0, "{args:?}");
        }
        let found = history(&sandbox, output);
        assert!(
            found.contains(": nccopy --no-sync --plan ") && !found.contains("time="),
            "{found}"
        );
    }
}

#[test]
fn histories_and_reports_have_no_secrets() {
    let sandbox = all_sorts();
    let secret = "source=\"https://me:pAss@host/a.nc?key=SECRET\"";
    let attribute = format!("/@{secret}");
    let args = [
        "--history",
        "--report=json",
        "--attribute",
        &attribute,
        "@in/a.nc",
        "@o.nc",
    ];
    let out = nccopy(&sandbox, &args);
    let found = history(&sandbox, "o.nc");
    for text in [found, out.text()] {
        assert!(text.contains("host/a.nc"), "{text}");
        assert!(!text.contains("pAss") && !text.contains("SECRET"), "{text}");
    }
}

/// Hints can be pasted into a shell.
#[test]
fn hints_of_plans_name_the_directory() {
    let sandbox = all_sorts();
    let plan = ["--plan", "@a plan", "@in/a.nc", "@o.nc"];
    assert_eq!(nccopy(&sandbox, &plan).code, 0);
    assert_snapshot!("a_plan_that_is_there", nccopy(&sandbox, &plan));
    assert_snapshot!(
        "parts_that_lack",
        nccopy(&sandbox, &["--finish", "@a plan"])
    );
    assert_snapshot!("no_plan", nccopy(&sandbox, &["--next", "@in"]));
    assert_eq!(nccopy(&sandbox, &["--next", "@a plan"]).code, 0);
    let segment = sandbox.path("a plan/segments/0");
    let mut bytes = std::fs::read(&segment).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    let spoilt = nccopy(&sandbox, &["--finish", "@a plan"]);
    assert_snapshot!("a_spoilt_segment", spoilt);
    make(&sandbox, "in/a.nc", "nc3");
    std::fs::remove_file(sandbox.path("a plan/done/0.json")).unwrap();
    let changed = nccopy(&sandbox, &["--part", "0", "@a plan"]);
    assert_snapshot!("a_changed_input", changed);
}
