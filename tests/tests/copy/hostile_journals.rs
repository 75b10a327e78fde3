//! Files that end with hostile journals, through every tool: the right data or an error, and no write that the journal does not justify.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::journals::{Journal, JournalRange};
use netcdf_tools_tests::sample;

const CDL: &str = "netcdf a { dimensions: time = UNLIMITED ; x = 300 ; variables: double time(time) ; \
                   int v(time, x) ; int f(x) ; data: time = 0, 1, 2 ; f = 7 ; }";
const MORE: &str = "netcdf a { dimensions: time = UNLIMITED ; x = 300 ; variables: double time(time) ; \
                    int v(time, x) ; int f(x) ; data: time = 3 ; f = 7 ; }";
const WHOLE: &str = "netcdf a { dimensions: time = UNLIMITED ; x = 300 ; variables: double time(time) ; \
                     int v(time, x) ; int f(x) ; data: time = 0, 1, 2, 3 ; f = 7 ; }";

/// The effect that a journal may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The journal is no journal: tools ignore it, and `--recover` refuses it.
    Ignored,
    /// The journal is valid, but belongs to another state of the file: it is ignored with a note, and writers refuse the file.
    Foreign,
    /// Tools refuse the file.
    Refused,
}

type Hostile = (&'static str, Effect, Vec<u8>);

/// Returns files that end with hostile journals.
fn hostile(file: &[u8]) -> Vec<Hostile> {
    let len = file.len();
    let head = || JournalRange::inverted(file, 0..9);
    let at = |start: usize| JournalRange::inverted(file, start..start + 20);
    let valid = || Journal::of(file, vec![head(), at(600)]);
    let with = |change: &dyn Fn(&mut Journal)| {
        let mut journal = valid();
        change(&mut journal);
        [file, &journal.bytes()].concat()
    };
    let damaged = |n: usize| {
        let mut bytes = with(&|_| {});
        bytes[len + n] ^= 1;
        bytes
    };
    use Effect::{Foreign, Ignored, Refused};
    vec![
        (
            "ranges that overlap",
            Ignored,
            with(&|j| j.ranges.push(at(610))),
        ),
        ("equal ranges", Ignored, with(&|j| j.ranges.push(at(600)))),
        ("unsorted ranges", Ignored, with(&|j| j.ranges.swap(0, 1))),
        (
            "an empty range",
            Ignored,
            with(&|j| j.ranges.push(JournalRange::inverted(file, 700..700))),
        ),
        (
            "a range beyond the end",
            Ignored,
            with(&|j| j.ranges[1].offset = len as u64 - 5),
        ),
        (
            "a range over the trailer",
            Ignored,
            with(&|j| j.ranges[1].offset = len as u64 + 100),
        ),
        (
            "a range at 2^64",
            Ignored,
            with(&|j| j.ranges[1].offset = u64::MAX - 3),
        ),
        (
            "a length of 2^64",
            Ignored,
            with(&|j| j.ranges[1].len = Some(u64::MAX)),
        ),
        (
            "a length that is too short",
            Ignored,
            with(&|j| j.ranges[1].len = Some(19)),
        ),
        (
            "too many ranges",
            Ignored,
            with(&|j| j.count = Some(u32::MAX)),
        ),
        ("too few ranges", Ignored, with(&|j| j.count = Some(1))),
        ("no range", Ignored, with(&|j| j.ranges.clear())),
        ("no signature", Ignored, with(&|j| j.ranges.truncate(0))),
        ("another signature", Ignored, with(&|j| j.signature = 0)),
        (
            "a signature beyond the end",
            Ignored,
            with(&|j| j.at = u64::MAX),
        ),
        (
            "a journal of 2^64 bytes",
            Ignored,
            with(&|j| j.len = Some(u64::MAX)),
        ),
        (
            "a journal without a trailer",
            Ignored,
            with(&|j| j.len = Some(3)),
        ),
        (
            "an old length beyond the new one",
            Ignored,
            with(&|j| j.old_len = len as u64 + 1),
        ),
        (
            "a new length of 2^64",
            Ignored,
            with(&|j| j.new_len = u64::MAX),
        ),
        (
            "a file of another length",
            Ignored,
            with(&|j| j.new_len = len as u64 - 8),
        ),
        ("damaged old bytes", Ignored, damaged(20)),
        (
            "a damaged checksum",
            Ignored,
            damaged(16 + 18 + 16 + 40 + 63),
        ),
        (
            "two trailers",
            Ignored,
            [with(&|_| {}), vec![0; 8], valid().bytes()].concat(),
        ),
        ("a later version", Refused, with(&|j| j.version = 2)),
        (
            "another file of this length",
            Foreign,
            with(&|j| j.ranges[1].old[3] ^= 1),
        ),
        (
            "a journal of foreign bytes",
            Foreign,
            with(&|j| {
                j.ranges[0].old[5] ^= 4;
                j.ranges[1].old.fill(3);
            }),
        ),
    ]
}

fn text(out: &CommandOutput) -> String {
    assert!(!out.message().contains("internal error"), "{out}");
    let text = out.text();
    let body = text.split_once('\n').map(|(_, body)| body.to_owned());
    body.unwrap_or_default()
}

fn made(kind: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, cdl) in [("a", CDL), ("more", MORE), ("whole", WHOLE)] {
        sandbox.write("in.cdl", cdl);
        let out = format!("@{name}.nc");
        let args = ["ncgen", "--no-sync", "-k", kind, "-o", &out, "@in.cdl"];
        let _ = sandbox.run(ncgen::run, &args).clean();
    }
    sandbox
}

/// Checks a tool that must not change the file.
fn check_readers(sandbox: &Sandbox, (name, effect, bytes): &Hostile) {
    let ncdump = |file: &str| sandbox.run(ncdump::run, &["ncdump", file]);
    let want = text(&ncdump("@a.nc"));
    let runs = [
        sandbox.run(ncdump::run, &["ncdump", "-h", "@x.nc"]),
        ncdump("@x.nc"),
        sandbox.run(nccopy::run, &["nccopy", "--no-sync", "@x.nc", "@out.nc"]),
        sandbox.run(
            nccopy::run,
            &["nccopy", "--no-sync", "--append", "@x.nc", "@new.nc"],
        ),
    ];
    for out in &runs {
        let _ = text(out);
        // netCDF-4 files are opened without a look at the trailer: the metadata has no length that differs.
        let may_refuse = *effect == Effect::Refused;
        assert!(out.code == 0 || may_refuse, "{name}: {out}");
        if out.code != 0 {
            assert!(out.message().contains("version 2"), "{name}: {out}");
        }
    }
    if runs[1].code == 0 {
        assert_eq!(text(&runs[1]), want, "{name}");
        assert_eq!(text(&ncdump("@out.nc")), want, "{name}");
    }
    let zdump = sandbox.run(zdump::run, &["zdump", "check", "@x.nc"]);
    assert!(zdump.code != 0, "{name}: {zdump}");
    assert!(sandbox.read("x.nc") == *bytes, "{name}: a reader wrote");
    for file in ["out.nc", "new.nc"] {
        let _ = std::fs::remove_file(sandbox.path(file));
    }
}

fn check_writers(sandbox: &Sandbox, (name, effect, bytes): &Hostile) {
    let ncdump = |file: &str| text(&sandbox.run(ncdump::run, &["ncdump", file]));
    for state in ["old", "new", "drop"] {
        let state = format!("--recover={state}");
        let out = sandbox.run(nccopy::run, &["nccopy", &state, "@x.nc"]);
        let _ = text(&out);
        match effect {
            Effect::Ignored => {
                assert!(out.message().contains("does not end with"), "{name}: {out}")
            }
            Effect::Refused => assert!(out.message().contains("version 2"), "{name}: {out}"),
            Effect::Foreign if state == "--recover=drop" => {
                assert_eq!(out.code, 0, "{name}: {out}");
                assert!(sandbox.read("x.nc") == sandbox.read("a.nc"), "{name}");
                sandbox.write("x.nc", bytes);
            }
            Effect::Foreign => {
                sandbox.write("x.nc", bytes);
            }
        }
        assert!(sandbox.read("x.nc") == *bytes, "{name}: {state} wrote");
    }
    let append = ["nccopy", "--no-sync", "--append", "@more.nc", "@x.nc"];
    let out = sandbox.run(nccopy::run, &append);
    let _ = text(&out);
    assert_eq!(out.code == 0, *effect == Effect::Ignored, "{name}: {out}");
    match out.code {
        0 => assert_eq!(ncdump("@x.nc"), ncdump("@whole.nc"), "{name}"),
        _ => assert!(sandbox.read("x.nc") == *bytes, "{name}: {out}"),
    }
}

#[test]
fn hostile_journals_change_no_data() {
    let kinds: [&[_]; 2] = [&["nc3", "nc4"], &["nc3", "nc5", "nc4"]];
    for &kind in sample::count(kinds[0], kinds[1]) {
        let sandbox = made(kind);
        for hostile in hostile(&sandbox.read("a.nc")) {
            sandbox.write("x.nc", &hostile.2);
            check_readers(&sandbox, &hostile);
            check_writers(&sandbox, &hostile);
        }
    }
}

/// A valid journal within the journal of another change: each is applied only where it belongs.
#[test]
fn nested_journals_are_read_once() {
    for kind in ["nc3", "nc4"] {
        let sandbox = made(kind);
        let file = sandbox.read("a.nc");
        let head = JournalRange::inverted(&file, 0..9);
        let inner = Journal::of(
            &file,
            vec![head.clone(), JournalRange::inverted(&file, 600..640)],
        );
        let nested = [&file[..], &inner.bytes()].concat();
        // The outer change has begun: it has the fence.
        let outer = Journal::of(
            &nested,
            vec![head, JournalRange::inverted(&nested, 700..710)],
        );
        let mut bytes = [&nested[..], &outer.bytes()].concat();
        bytes[0] = !bytes[0];
        sandbox.write("x.nc", &bytes);
        let ncdump = |args: &[&str]| sandbox.run(ncdump::run, args);
        let noted = ncdump(&["ncdump", "-h", "@x.nc"]);
        for word in [
            "unfinished",
            "old state",
            "other programs refuse",
            "--recover=old",
        ] {
            assert!(noted.message().contains(word), "{word}: {noted}");
        }
        assert_eq!(text(&noted), text(&ncdump(&["ncdump", "-h", "@a.nc"])));
        assert!(sandbox.read("x.nc") == bytes, "a reader wrote");
        let _ = sandbox
            .run(nccopy::run, &["nccopy", "--recover=old", "@x.nc"])
            .clean();
        assert!(sandbox.read("x.nc") == nested);
        let _ = sandbox
            .run(nccopy::run, &["nccopy", "--recover=old", "@x.nc"])
            .clean();
        assert!(sandbox.read("x.nc") == file);
    }
}
