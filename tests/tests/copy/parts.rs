//! `nccopy --plan`, `--part`, `--finish`: a copy in parts has the same bytes as a copy in one process.

use std::fmt::Write as _;
use std::sync::OnceLock;

use netcdf_tools_tests::files;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::sample::Sample;

/// A float over 6 × 40 × 50 in deflated chunks without the last rows; an unlimited dimension, texts and a scalar.
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
    let mut numbers = String::new();
    for n in 0..6 * 40 * 50 {
        let _ = write!(numbers, "{}{}", if n > 0 { ", " } else { "" }, n * 7 % 1000);
    }
    let times = (0..6).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let cdl = format!(
        r#"netcdf a {{
dimensions: time = UNLIMITED ; y = 40 ; x = 50 ; n = 3 ;
variables:
  float t(time, y, x) ; t:_ChunkSizes = 1, 40, 50 ; t:_DeflateLevel = 1 ; t:_FillValue = -1.f ;
  double time(time) ; time:units = "days since 2001-01-01" ;
  short empty(y, x) ; empty:_ChunkSizes = 10, 10 ; empty:_FillValue = 3s ;
  char name(n) ; int scalar ;
data: t = {numbers} ; time = {times} ; name = "abc" ; scalar = 5 ;
}}"#
    );
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", &cdl);
    let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    (cdl, sandbox.read("a.nc"))
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(
        nccopy::run,
        &[&["nccopy", "--quiet", "--no-sync"], args].concat(),
    )
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

/// Runs all parts except `left`, in another order, and some of them twice.
fn make(sandbox: &Sandbox, parts: u64, left: &[u64]) {
    let order = (0..parts)
        .map(|n| (n * 3 + 1) % parts)
        .chain((0..parts).step_by(3));
    let mut made = vec![];
    for part in order.chain(0..parts).filter(|part| !left.contains(part)) {
        let number = part.to_string();
        if made.contains(&part) {
            // Remove the record of the finished part.
            let _ = std::fs::remove_file(sandbox.path(&format!("p/done/{part}.json")));
        }
        succeeds(sandbox, &["--part", &number, "@p"]);
        made.push(part);
    }
}

/// A part records the keys that it reads from a store, and rejects keys that changed after the plan.
#[test]
fn changed_keys_of_an_input_are_noticed() {
    let sandbox = sandbox();
    succeeds(&sandbox, &["-k", "zarr3", "@a.nc", "@a.zarr"]);
    succeeds(
        &sandbox,
        &["--plan", "@p", "--parts", "2", "@a.zarr", "@made.nc"],
    );
    succeeds(&sandbox, &["--part", "0-1", "@p"]);
    let done = |part: u64| {
        let file = sandbox.read(&format!("p/done/{part}.json"));
        String::from_utf8(file).unwrap()
    };
    assert!(done(0).contains(" keys, "), "{}", done(0));
    succeeds(&sandbox, &["--finish", "@p"]);
    // All keys seem to have changed after the plan, but the state of the store is the same.
    succeeds(
        &sandbox,
        &["--plan", "@q", "--parts", "2", "@a.zarr", "@other.nc"],
    );
    let plan = String::from_utf8(sandbox.read("q/plan.json")).unwrap();
    let at = plan.find("\"time\": ").unwrap() + 8;
    let end = plan[at..].find(',').unwrap() + at;
    sandbox.write(
        "q/plan.json",
        format!("{}1000{}", &plan[..at], &plan[end..]),
    );
    fails(
        &sandbox,
        &["--part", "0", "@q"],
        1,
        "changed after the plan was made",
    );
    assert!(!sandbox.path("q/done/0.json").exists());
    // A changed chunk changes the state.
    succeeds(
        &sandbox,
        &["--plan", "@r", "--parts", "2", "@a.zarr", "@third.nc"],
    );
    sandbox.write("a.zarr/t/c/1/0/0", "other");
    fails(&sandbox, &["--part", "0", "@r"], 1, "the input has changed");
}

/// `--finish` copies strings of unknown length. `--plan` and `--part` do not read them.
#[test]
fn strings_of_unknown_length_are_copied_in_the_end() {
    let cdl = r#"netcdf s {
dimensions: n = 4 ; m = 2 ;
variables: string name(n) ; string one ; string chunked(n, m) ; chunked:_ChunkSizes = 2, 1 ; int v(n) ;
data: name = "a", "a text of some length", "", "b" ; one = "one" ; chunked = "1", "2", "3", "", "4", "5", "6", "seven" ; v = 1, 2, 3, 4 ;
}"#;
    for kind in ["zarr", "nczarr", "zarr3", "nczarr3"] {
        let sandbox = Sandbox::new();
        sandbox.write("s.cdl", cdl);
        let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@s.nc", "@s.cdl"];
        let _ = sandbox.run(ncgen::run, &args).clean();
        let file = sandbox.read("s.nc");
        // The strings are unreadable.
        let at = |text: &[u8]| file.windows(text.len()).position(|bytes| bytes == text);
        let text = at(b"a text of some length").unwrap();
        let heap = (0..text).rev().find(|&n| file[n..].starts_with(b"GCOL"));
        let mut damaged = file.clone();
        damaged[heap.unwrap()] = b'X';
        succeeds(&sandbox, &["-k", kind, "@s.nc", "@want"]);
        succeeds(
            &sandbox,
            &["--plan", "@p", "--parts", "2", "-k", kind, "@s.nc", "@made"],
        );
        let plan = String::from_utf8(sandbox.read("p/plan.json")).unwrap();
        assert_eq!(plan.matches(r#""at_finish": true"#).count(), 3, "{plan}");
        make(&sandbox, 2, &[]);
        succeeds(&sandbox, &["--finish", "--verify", "@p"]);
        let (want, made) = (sandbox.path("want"), sandbox.path("made"));
        assert!(files::contents(&want) == files::contents(&made), "{kind}");
        sandbox.write("s.nc", damaged);
        succeeds(
            &sandbox,
            &[
                "--plan", "@q", "--parts", "2", "-k", kind, "@s.nc", "@other",
            ],
        );
        succeeds(&sandbox, &["--part", "0-1", "@q"]);
        fails(&sandbox, &["--finish", "@q"], 1, "GCOL");
    }
}

#[test]
fn the_bytes_are_those_of_a_copy_at_once() {
    let cases = [
        (&["-k", "nc4", "-c", "t:6,7,9", "-d1"][..], "nc"),
        (&["-k", "nc4", "--cloud=paged"], "nc"),
        (&["-k", "nc5", "-u"], "nc"),
        (&["-k", "nc3"], "nc"),
        (&["-k", "nczarr", "-c", "t:2,7,9"], "zarr"),
        (&["-k", "zarr", "--consolidated"], "zarr"),
        (
            &["-k", "zarr3", "-c", "t:2,7,9", "--shard", "t:4,14,18"],
            "zarr",
        ),
        (&["-k", "nc4", "-v", "t,time", "--select", "y,3,20"], "nc"),
    ];
    let cases = cases
        .into_iter()
        .flat_map(|(options, output)| [1u64, 7, 50].map(|parts| (options, output, parts)));
    let sample = Sample::new("copies in parts", 3);
    for (options, output, parts) in sample.of(cases) {
        let sandbox = sandbox();
        let (want, made) = (format!("@want.{output}"), format!("@made.{output}"));
        succeeds(&sandbox, &[options, &["@a.nc", &want]].concat());
        let number = parts.to_string();
        let plan = ["--plan", "@p", "--parts", &number];
        let said = succeeds(&sandbox, &[&plan, options, &["@a.nc", &made]].concat());
        assert!(said.starts_with(&format!("{parts} part")), "{said}");
        make(&sandbox, parts, &[]);
        assert!(!sandbox.path(&made[1..]).exists(), "it is not finished");
        succeeds(&sandbox, &["--finish", "--verify", "@p"]);
        let (want, made) = (sandbox.path(&want[1..]), sandbox.path(&made[1..]));
        assert!(
            files::contents(&want) == files::contents(&made),
            "{options:?}, {parts} parts"
        );
        // Scripts may repeat all steps.
        succeeds(&sandbox, &["--part", "0", "@p"]);
        succeeds(&sandbox, &["--finish", "@p"]);
        succeeds(&sandbox, &["--clean", "@p"]);
        let mut names = sandbox.names();
        names.sort();
        let mut left = [
            "a.cdl".to_owned(),
            "a.nc".to_owned(),
            format!("made.{output}"),
            format!("want.{output}"),
        ];
        left.sort();
        assert_eq!(names, left, "{options:?}");
    }
}

#[test]
fn finish_names_missing_parts() {
    for output in ["@made.nc", "@made.zarr"] {
        let sandbox = sandbox();
        succeeds(&sandbox, &["--plan", "@p", "--parts", "5", "@a.nc", output]);
        make(&sandbox, 5, &[2, 4]);
        fails(
            &sandbox,
            &["--finish", "@p"],
            1,
            "2 of 5 parts are not done: 2, 4",
        );
        assert!(!sandbox.path(&output[1..]).exists());
        let status = succeeds(&sandbox, &["--status", "--json", "@p"]);
        for member in [
            r#""parts": 5"#,
            r#""done": 3"#,
            r#""waiting": 2"#,
            r#""failed": []"#,
        ] {
            assert!(status.contains(member), "{status}");
        }
        fails(&sandbox, &["--part", "5", "@p"], 1, "numbered from 0 to 4");
        fails(&sandbox, &["--part", "x", "@p"], 2, "the number of a part");
        succeeds(&sandbox, &["--part", "2-4", "@p"]);
        succeeds(&sandbox, &["--finish", "@p"]);
        assert!(sandbox.path(&output[1..]).exists());
    }
}

#[test]
fn a_changed_input_is_refused() {
    let sandbox = sandbox();
    succeeds(
        &sandbox,
        &["--plan", "@p", "--parts", "3", "@a.nc", "@made.nc"],
    );
    succeeds(&sandbox, &["--part", "0", "@p"]);
    let bytes = sandbox.read("a.nc");
    sandbox.write("a.nc", &bytes);
    fails(
        &sandbox,
        &["--part", "1", "@p"],
        1,
        "changed since the plan was made",
    );
    let status = succeeds(&sandbox, &["--status", "@p"]);
    assert!(
        status.contains("1 done, 0 begun, 1 failed, 1 not begun"),
        "{status}"
    );
    std::fs::remove_file(sandbox.path("a.nc")).expect("the input");
    fails(&sandbox, &["--part", "1", "@p"], 75, "cannot open");
}

#[test]
fn a_part_without_its_data_is_not_done() {
    let sandbox = sandbox();
    succeeds(
        &sandbox,
        &["--plan", "@p", "--parts", "3", "@a.nc", "@made.nc"],
    );
    make(&sandbox, 3, &[]);
    let segment = sandbox.read("p/segments/1");
    sandbox.write("p/segments/1", &segment[..segment.len() - 1]);
    fails(
        &sandbox,
        &["--finish", "@p"],
        1,
        "1 of 3 parts is not done: 1",
    );
    succeeds(&sandbox, &["--part", "1", "@p"]);
    assert!(sandbox.read("p/segments/1") == segment);
    succeeds(&sandbox, &["--finish", "@p"]);
}

#[test]
fn chunks_that_are_gone_are_missed() {
    let sandbox = sandbox();
    succeeds(
        &sandbox,
        &[
            "--plan",
            "@p",
            "--parts",
            "3",
            "-k",
            "zarr3",
            "@a.nc",
            "@made.zarr",
        ],
    );
    make(&sandbox, 3, &[]);
    let names = sandbox.names();
    let store = names
        .iter()
        .find(|name| name.ends_with(".parts"))
        .expect("the store");
    std::fs::remove_file(sandbox.path(&format!("{store}/t/c/2/0/0"))).expect("a chunk");
    fails(
        &sandbox,
        &["--finish", "@p"],
        1,
        "a written chunk is missing",
    );
    assert!(!sandbox.path("made.zarr").exists());
}

#[test]
fn a_plan_is_read_by_the_version_that_made_it() {
    let sandbox = sandbox();
    succeeds(
        &sandbox,
        &["--plan", "@p", "--parts", "2", "@a.nc", "@made.nc"],
    );
    let plan = String::from_utf8(sandbox.read("p/plan.json")).expect("text");
    sandbox.write("p/plan.json", plan.replace(r#""plan": 3"#, r#""plan": 4"#));
    fails(&sandbox, &["--part", "0", "@p"], 1, "version 3");
    sandbox.write(
        "p/plan.json",
        plan.replace(r#""parts": 2"#, r#""parts": 3"#),
    );
    succeeds(&sandbox, &["--part", "0", "@p"]);
    sandbox.write("p/plan.json", &plan);
    fails(&sandbox, &["--part", "0", "@p"], 1, "of another plan");
}

/// An earlier version removed the plan with `--clean --dry-run`, and ignored copy options in other steps.
#[test]
fn steps_refuse_options_that_they_do_not_use() {
    let sandbox = sandbox();
    let plan = ["--plan", "@p", "--parts", "2", "@a.nc", "@made.nc"];
    succeeds(&sandbox, &plan);
    for step in [
        &["--clean", "--dry-run", "@p"][..],
        &["--clean", "--report=json", "@p"],
        &["--clean", "--in-place", "@p"],
        &["--part", "0", "-d", "5", "@p"],
        &["--next", "--verify", "@p"],
        &["--finish", "--strict", "@p"],
        &["--status", "-k", "nc3", "@p"],
        &["--emit", "slurm", "--no-clobber", "@p"],
    ] {
        let out = nccopy(&sandbox, step);
        assert!(out.code == 2 && out.stdout.is_empty(), "{step:?}: {out}");
        assert!(sandbox.path("p/plan.json").exists(), "{step:?}");
    }
    assert!(!sandbox.path("p/done/0.json").exists());
    assert!(!sandbox.path("made.nc").exists());
    let stats = [
        "nccopy",
        "--part",
        "0",
        "--io-stats",
        "--timeout",
        "5",
        "@p",
    ];
    let out = sandbox.run(nccopy::run, &stats);
    assert!(
        out.code == 0 && out.message().contains("0 requests"),
        "{out}"
    );
    succeeds(&sandbox, &["--part", "1", "--isolate-plugins=no", "@p"]);
    succeeds(&sandbox, &["--finish", "--verify", "@p"]);
    succeeds(&sandbox, &["--clean", "@p"]);
}

#[test]
fn invalid_plans_are_refused() {
    let sandbox = sandbox();
    let plan = ["--plan", "@p", "--parts", "2"];
    let with = |args: &[&'static str]| [&plan, args].concat();
    fails(
        &sandbox,
        &with(&["-k", "zarr3", "@a.nc", "@made.zip"]),
        1,
        "zip file cannot be written in parts",
    );
    fails(
        &sandbox,
        &with(&["@a.nc", "-"]),
        1,
        "other processes cannot",
    );
    fails(
        &sandbox,
        &with(&["--part-size", "1M", "@a.nc", "@made.nc"]),
        2,
        "cannot be used with",
    );
    fails(
        &sandbox,
        &["--part", "1", "@a.nc"],
        1,
        "not a plan directory",
    );
    fails(
        &sandbox,
        &["--finish", "--clean", "@p"],
        2,
        "cannot be used with",
    );
    assert!(!sandbox.path("p").exists(), "nothing was planned");
    succeeds(&sandbox, &with(&["@a.nc", "@made.nc"]));
    fails(&sandbox, &with(&["@a.nc", "@made.nc"]), 1, "path exists");
    let sized = succeeds(
        &sandbox,
        &["--plan", "@q", "--part-size", "10K", "@a.nc", "@made.nc"],
    );
    assert!(sized.starts_with("6 parts"), "{sized}");
}

/// Creates a directory `in` with datasets, subdirectories, a damaged dataset and other files.
fn many() -> Sandbox {
    let sandbox = sandbox();
    let folder = sandbox.path("in/deep/er");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::create_dir(sandbox.path("out")).expect("a folder");
    for n in 0..6 {
        std::fs::copy(sandbox.path("a.nc"), folder.join(format!("{n}.nc"))).expect("a copy");
    }
    std::fs::copy(sandbox.path("a.nc"), sandbox.path("in/b.nc")).expect("a copy");
    sandbox.write("in/bad.nc", &sandbox.read("a.nc")[..700]);
    sandbox.write("in/readme.txt", "text");
    sandbox
}

#[test]
fn many_files_are_copied_in_parts() {
    let sandbox = many();
    let options = ["-k", "nc4", "-F", "t,zstd,1"];
    succeeds(&sandbox, &[&options[..], &["@a.nc", "@want.nc"]].concat());
    let plan = ["--recursive", "--plan", "@p", "--parts", "3"];
    let said = succeeds(&sandbox, &[&plan, &options[..], &["@in", "@out/"]].concat());
    assert!(
        said.starts_with("3 parts") && said.contains("in 8 files") && said.contains("of CPU time"),
        "{said}"
    );
    // Seven files with 30 stored chunks, divided into equal shares.
    let rows = String::from_utf8(sandbox.read("p/parts.jsonl")).expect("text");
    let read = |row: &str| {
        let row: serde_json::Value = serde_json::from_str(row).expect("JSON");
        assert!(row["cpu_seconds"].as_f64() > Some(0.0), "{row}");
        row["read"].as_u64().expect("bytes")
    };
    let read: Vec<u64> = rows.lines().map(read).collect();
    assert!(read.iter().min() > Some(&1000), "{read:?}");
    make(&sandbox, 3, &[]);
    fails(
        &sandbox,
        &["--finish", "@p"],
        1,
        "1 of 8 files was not copied: @/in/bad.nc",
    );
    let want = sandbox.read("want.nc");
    for name in ["out/b.nc", "out/deep/er/0.nc", "out/deep/er/5.nc"] {
        assert!(sandbox.read(name) == want, "{name}");
    }
    assert!(!sandbox.path("out/bad.nc").exists());
    succeeds(&sandbox, &["--clean", "@p"]);
    assert!(!sandbox.path("p").exists());
}

#[test]
fn files_that_change_are_named_and_the_others_are_copied() {
    let sandbox = many();
    std::fs::remove_file(sandbox.path("in/bad.nc")).expect("a file");
    succeeds(
        &sandbox,
        &[
            "--recursive",
            "--plan",
            "@p",
            "--part-size",
            "1K",
            "@in/",
            "@out/",
        ],
    );
    sandbox.write("in/deep/er/2.nc", sandbox.read("a.nc"));
    std::fs::remove_file(sandbox.path("in/deep/er/4.nc")).expect("a file");
    make(&sandbox, 7, &[]);
    fails(
        &sandbox,
        &["--finish", "@p"],
        1,
        "2 of 7 files were not copied",
    );
    fails(
        &sandbox,
        &["--finish", "@p"],
        1,
        "changed since the plan was made",
    );
    assert!(
        sandbox.path("out/deep/er/3.nc").exists() && !sandbox.path("out/deep/er/2.nc").exists()
    );
}

#[test]
fn plans_of_many_files_read_their_headers() {
    let sandbox = many();
    // A file without checksums.
    succeeds(&sandbox, &["-k", "classic", "@a.nc", "@in/b.nc"]);
    let plan = |more: &[&str]| {
        let args = [
            &["nccopy", "--recursive", "--plan", "@p", "--parts", "2"],
            more,
            &["@in/", "@out/"],
        ];
        sandbox.run(nccopy::run, &args.concat())
    };
    // A variable that exists in no file is an error in the options.
    let out = plan(&["-F", "none,zstd,1"]);
    assert!(out.code == 1 && out.message().contains("none"), "{out}");
    assert!(!sandbox.path("p").exists());
    let out = plan(&[]);
    let said = out.message();
    assert!(
        out.code == 0 && said.contains("@/in/bad.nc: cannot be copied"),
        "{out}"
    );
    // Size and time are the same, but an attribute value differs.
    let path = sandbox.path("in/b.nc");
    let time = std::fs::metadata(&path).and_then(|about| about.modified());
    let mut bytes = sandbox.read("in/b.nc");
    let at = bytes
        .windows(10)
        .position(|some| some == b"days since")
        .expect("units");
    bytes[at..at + 4].copy_from_slice(b"ages");
    let file = std::fs::File::options().write(true).open(&path);
    let file = file.expect("a file");
    std::io::Write::write_all(&mut &file, &bytes).expect("written");
    file.set_modified(time.expect("a time")).expect("a time");
    make(&sandbox, 2, &[]);
    fails(
        &sandbox,
        &["--finish", "@p"],
        1,
        "2 of 8 files were not copied: @/in/b.nc, @/in/bad.nc",
    );
    fails(&sandbox, &["--finish", "@p"], 1, "changed since the plan");
    assert!(!sandbox.path("out/b.nc").exists() && sandbox.path("out/deep/er/5.nc").exists());
}

#[test]
fn next_runs_unclaimed_parts_in_sequence() {
    let sandbox = sandbox();
    succeeds(
        &sandbox,
        &["--plan", "@p", "--parts", "5", "@a.nc", "@made.nc"],
    );
    // Part 3 has a lease without end; the lease of part 1 expired in 1970.
    sandbox.write("p/leases/3", "99999999999\n");
    sandbox.write("p/leases/1", "5\n");
    fails(&sandbox, &["--next", "@p"], 75, "");
    let status = succeeds(&sandbox, &["--status", "@p"]);
    assert!(
        status.contains("4 done, 0 begun, 0 failed, 1 not begun"),
        "{status}"
    );
    // A lease only avoids duplicate work.
    succeeds(&sandbox, &["--part", "3", "@p"]);
    succeeds(&sandbox, &["--next", "@p"]);
    succeeds(&sandbox, &["--finish", "@p"]);
    fails(
        &sandbox,
        &["--part", "1", "--lease", "5", "@p"],
        2,
        "'--lease' cannot be used with '--part'",
    );
}

#[test]
fn processes_share_the_parts() {
    let sandbox = sandbox();
    succeeds(
        &sandbox,
        &["-k", "zarr3", "-c", "t:1,9,9", "@a.nc", "@want.zarr"],
    );
    let plan = [
        "--plan", "@p", "--parts", "20", "-k", "zarr3", "-c", "t:1,9,9",
    ];
    succeeds(&sandbox, &[&plan[..], &["@a.nc", "@made.zarr"]].concat());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let out = nccopy(&sandbox, &["--next", "@p"]);
                assert!([0, 75].contains(&out.code), "{out}");
            });
        }
    });
    succeeds(&sandbox, &["--finish", "@p"]);
    assert!(
        files::contents(&sandbox.path("want.zarr")) == files::contents(&sandbox.path("made.zarr"))
    );
}

#[test]
fn clean_removes_only_files_of_the_plan() {
    let sandbox = sandbox();
    succeeds(
        &sandbox,
        &[
            "--plan",
            "@p",
            "--parts",
            "2",
            "-k",
            "zarr3",
            "@a.nc",
            "@made.zarr",
        ],
    );
    let plan = String::from_utf8(sandbox.read("p/plan.json")).expect("text");
    let store = sandbox
        .names()
        .into_iter()
        .find(|name| name.ends_with(".parts"));
    let store = store.expect("the store");
    std::fs::create_dir(sandbox.path("mine")).expect("a directory");
    sandbox.write("mine/data", "x");
    sandbox.write("p/plan.json", plan.replace(&store, "mine"));
    fails(&sandbox, &["--clean", "@p"], 1, "not a part store");
    assert!(sandbox.path("mine/data").exists() && sandbox.path("p/plan.json").exists());
}

#[test]
fn plans_that_fail_leave_nothing() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("mine.zarr")).expect("a directory");
    sandbox.write("mine.zarr/data", "x");
    sandbox.write("mine.zarr/.zgroup", r#"{"zarr_format": 2}"#);
    let plan = ["--plan", "@p", "--parts", "2", "-k", "zarr3", "@a.nc"];
    fails(
        &sandbox,
        &[&plan[..], &["@mine.zarr"]].concat(),
        1,
        "are not part of the store",
    );
    fails(
        &sandbox,
        &[&plan[..], &["@nosuch/made.zarr"]].concat(),
        1,
        "cannot create",
    );
    assert!(!sandbox.path("p").exists() && sandbox.path("mine.zarr/data").exists());
    succeeds(&sandbox, &[&plan[..], &["@made.zarr"]].concat());
    // The same output again.
    let other = [
        "--plan",
        "@q",
        "--parts",
        "2",
        "-k",
        "zarr3",
        "@a.nc",
        "@made.zarr",
    ];
    fails(
        &sandbox,
        &other,
        1,
        "other processes are writing the same store",
    );
    assert!(!sandbox.path("q").exists());
    fails(
        &sandbox,
        &["--plan", "@q", "--parts", "99999999", "@a.nc", "@o.nc"],
        2,
        "99999999",
    );
    let text = String::from_utf8(sandbox.read("p/plan.json")).expect("text");
    sandbox.write(
        "p/plan.json",
        text.replace(r#""parts": 2"#, r#""parts": 18446744073709551615"#),
    );
    fails(
        &sandbox,
        &["--status", "@p"],
        1,
        "expected a member `parts`",
    );
}

/// Parts read the indices from the plan, not from the coordinate variable.
#[test]
fn a_plan_keeps_the_selected_indices() {
    let sandbox = sandbox();
    let select = [
        "--select",
        "time,2001-01-02,2001-01-03",
        "--select",
        "y,30,9,2",
    ];
    let kind = ["-k", "nc3"];
    succeeds(
        &sandbox,
        &[&kind[..], &select, &["@a.nc", "@want.nc"]].concat(),
    );
    let plan = ["--plan", "@p", "--parts", "2"];
    succeeds(
        &sandbox,
        &[&plan[..], &kind, &select, &["@a.nc", "@made.nc"]].concat(),
    );
    let text = String::from_utf8(sandbox.read("p/plan.json")).expect("text");
    assert!(
        text.contains(r#"{"dimension": "/time", "runs": [[1, 2, 1]]}"#),
        "{text}"
    );
    let other = text.replace("time,2001-01-02,2001-01-03", "time,2001-01-04,2001-01-05");
    sandbox.write("p/plan.json", other);
    make(&sandbox, 2, &[]);
    succeeds(&sandbox, &["--finish", "@p"]);
    assert_eq!(sandbox.read("made.nc"), sandbox.read("want.nc"));
}
