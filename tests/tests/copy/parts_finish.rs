//! `nccopy --finish` after an interruption, next to concurrent processes, and with damaged or unexpected files.

use netcdf_core::io::file::{FileLock, LockAttempt, Sharing};
use netcdf_tools_tests::files;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

const NEW: &str = "netcdf a { dimensions: t = 6 ; x = 1000 ; variables: int v(t, x) ; data: v = ";

/// Creates `new.nc`, `want.zarr` with the same data, `o.zarr` with other data, and a plan `p` for `o.zarr` with all parts done.
fn planned(options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let numbers = (0..6000).map(|n: u32| n.to_string()).collect::<Vec<_>>();
    sandbox.write("new.cdl", format!("{NEW}{} ; }}", numbers.join(", ")));
    let old = "netcdf a { dimensions: x = 3 ; variables: int old(x) ; data: old = 1, 2, 3 ; }";
    sandbox.write("old.cdl", old);
    let ncgen = |args: &[&str]| {
        sandbox
            .run(ncgen::run, &[&["ncgen", "--quiet"], args].concat())
            .clean()
    };
    let _ = ncgen(&["-k", "nc4", "-o", "@new.nc", "@new.cdl"]);
    let _ = ncgen(&["-k", "zarr3", "-o", "@o.zarr", "@old.cdl"]);
    let copy = ["-c", "t/2,x/1000", "-F", "none", "@new.nc"];
    succeeds(&sandbox, &[options, &copy, &["@want.zarr"]].concat());
    let plan = ["--plan", "@p", "--parts", "3"];
    succeeds(&sandbox, &[&plan, options, &copy, &["@o.zarr"]].concat());
    succeeds(&sandbox, &["--next", "@p"]);
    sandbox
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let first = ["nccopy", "--quiet", "--no-sync"];
    sandbox.run(nccopy::run, &[&first, args].concat())
}

#[track_caller]
fn succeeds(sandbox: &Sandbox, args: &[&str]) {
    let out = nccopy(sandbox, args);
    assert_eq!(out.code, 0, "{args:?}: {out}");
}

#[track_caller]
fn fails(sandbox: &Sandbox, args: &[&str], code: u8, why: &str) {
    let out = nccopy(sandbox, args);
    assert!(
        out.code == code && out.message().contains(why),
        "{args:?}: {out}"
    );
}

/// Returns the store of the parts.
fn store(sandbox: &Sandbox) -> String {
    let names = sandbox.names();
    let store = names.into_iter().find(|name| name.ends_with(".parts"));
    store.expect("the store of the parts")
}

/// Returns the identity of the plan in the claim.
fn identity(sandbox: &Sandbox) -> String {
    let done = String::from_utf8(sandbox.read("p/done/0.json")).expect("text");
    let at = done.find(r#""plan": ""#).expect("the plan") + 9;
    done[at..at + 64].to_owned()
}

/// Checks that the output is complete, and that the directory contains only inputs, plan and output.
#[track_caller]
fn is_finished(sandbox: &Sandbox) {
    let (want, made) = (sandbox.path("want.zarr"), sandbox.path("o.zarr"));
    assert!(files::contents(&want) == files::contents(&made));
    let mut names = sandbox.names();
    names.retain(|name| name != "p");
    names.sort();
    assert_eq!(
        names,
        ["new.cdl", "new.nc", "o.zarr", "old.cdl", "want.zarr"]
    );
}

#[test]
fn a_finish_that_was_killed_is_completed() {
    for options in [["-k", "zarr3"], ["-k", "zarr"], ["-k", "nczarr"]] {
        // `--finish` was killed after the rename of the new store: the old store, or a part of it, has the name of the parts' store.
        for old in ["o.zarr", "o.zarr/old", "none"] {
            let sandbox = planned(&options);
            let store = store(&sandbox);
            let kept = files::contents(&sandbox.path("o.zarr"));
            assert!(!kept.is_empty());
            std::fs::rename(sandbox.path("o.zarr"), sandbox.path("kept")).expect("the old store");
            succeeds(&sandbox, &["--finish", "@p"]);
            std::fs::remove_file(sandbox.path("p/finished")).expect("a file");
            std::fs::write(
                sandbox.path("o.zarr/.netcdf-tools-plan"),
                identity(&sandbox),
            )
            .expect("a marker");
            let old = old.replace("o.zarr", "kept");
            if old != "none" {
                std::fs::rename(sandbox.path(&old), sandbox.path(&store)).expect("the old store");
            }
            let _ = std::fs::remove_dir_all(sandbox.path("kept"));
            succeeds(&sandbox, &["--next", "@p"]);
            succeeds(&sandbox, &["--part", "1", "@p"]);
            succeeds(&sandbox, &["--finish", "@p"]);
            is_finished(&sandbox);
            succeeds(&sandbox, &["--finish", "@p"]);
            succeeds(&sandbox, &["--clean", "@p"]);
            is_finished(&sandbox);
        }
    }
}

#[test]
fn a_store_with_a_marker_is_replaced_like_any_other() {
    let sandbox = planned(&["-k", "zarr3"]);
    std::fs::write(sandbox.path("o.zarr/.netcdf-tools-plan"), "another plan").expect("a marker");
    succeeds(&sandbox, &["--finish", "@p"]);
    is_finished(&sandbox);
    std::fs::write(sandbox.path("o.zarr/.netcdf-tools-plan"), "another plan").expect("a marker");
    succeeds(
        &sandbox,
        &[
            "-k",
            "zarr3",
            "-c",
            "t/2,x/1000",
            "-F",
            "none",
            "@new.nc",
            "@o.zarr",
        ],
    );
    is_finished(&sandbox);
}

#[test]
fn finish_compares_stored_bytes_with_digests() {
    let sandbox = planned(&["-k", "zarr3"]);
    let name = format!("{}/v/c/1/0", store(&sandbox));
    let mut bytes = sandbox.read(&name);
    bytes[600] ^= 1;
    sandbox.write(&name, bytes);
    let before = files::contents(&sandbox.path("o.zarr"));
    let why = "part 1: chunks differ from the digest that the part recorded";
    fails(&sandbox, &["--finish", "@p"], 1, why);
    assert!(before == files::contents(&sandbox.path("o.zarr")));
    succeeds(&sandbox, &["--finish", "--no-check", "@p"]);
    let (want, made) = (sandbox.path("want.zarr"), sandbox.path("o.zarr"));
    assert!(files::contents(&want) != files::contents(&made));
}

#[test]
fn so_are_segments() {
    let sandbox = planned(&["-k", "zarr3"]);
    let plan = [
        "--plan", "@q", "--parts", "3", "-k", "nc5", "@new.nc", "@made.nc",
    ];
    succeeds(&sandbox, &plan);
    succeeds(&sandbox, &["--next", "@q"]);
    let mut bytes = sandbox.read("q/segments/1");
    bytes[100] ^= 1;
    sandbox.write("q/segments/1", bytes);
    fails(
        &sandbox,
        &["--finish", "@q"],
        1,
        "the bytes differ from the digest",
    );
    assert!(!sandbox.path("made.nc").exists());
    std::fs::remove_file(sandbox.path("q/segments/1")).expect("a segment");
    succeeds(&sandbox, &["--part", "1", "@q"]);
    succeeds(&sandbox, &["--finish", "@q"]);
}

/// The system cannot exchange two names, and `--finish` is killed between its two renames.
#[test]
fn an_old_store_that_was_moved_aside_gets_its_name_back() {
    let sandbox = planned(&["-k", "zarr3"]);
    let old = files::contents(&sandbox.path("o.zarr"));
    let aside = sandbox.path(".o.zarr.abcSAA.was");
    for steps in [
        &[&["--next", "@p"][..], &["--clean", "@p"]][..],
        &[&["--part", "0", "@p"]],
        &[&["--clean", "@p"]],
    ] {
        if !sandbox.path("p").exists() {
            let copy = ["-k", "zarr3", "@new.nc", "@o.zarr"];
            succeeds(
                &sandbox,
                &[&["--plan", "@p", "--parts", "2"], &copy[..]].concat(),
            );
        }
        std::fs::create_dir(&aside).expect("a directory");
        std::fs::rename(sandbox.path("o.zarr"), aside.join("old")).expect("the old store");
        for step in steps {
            succeeds(&sandbox, step);
            assert!(old == files::contents(&sandbox.path("o.zarr")), "{step:?}");
        }
    }
    assert!(!aside.exists() && !sandbox.path("p").exists());
}

#[test]
fn a_plan_with_leftovers_of_parts_is_removed() {
    let sandbox = planned(&["-k", "zarr3"]);
    for left in [".between.abcHLE.tmp", "between/v"] {
        std::fs::create_dir_all(sandbox.path("p").join(left)).expect("a directory");
    }
    sandbox.write("p/notes", "mine");
    let why = "other files are in the plan directory: notes";
    for _ in 0..2 {
        fails(&sandbox, &["--clean", "@p"], 1, why);
    }
    std::fs::remove_file(sandbox.path("p/notes")).expect("a file");
    succeeds(&sandbox, &["--clean", "@p"]);
    assert!(!sandbox.path("p").exists());
}

/// A system error may prevent a process from removing its temporary file, although the process succeeds.
#[test]
fn temporary_files_beside_the_output_are_removed() {
    let sandbox = planned(&["-k", "zarr3"]);
    let lock = FileLock::attempt(&sandbox.path("p/plan.json"), Sharing::Shared).expect("a lock");
    if !matches!(lock, LockAttempt::Held(_)) {
        eprintln!("this file system has no locks: test skipped");
        return;
    }
    let plan = |kind, output| {
        let parts = ["--plan", "@q", "--parts", "2", "-k", kind];
        succeeds(&sandbox, &[&parts[..], &["@new.nc", output]].concat());
        succeeds(&sandbox, &["--next", "@q"]);
    };
    let leave = |name: &str| {
        std::fs::create_dir_all(sandbox.path(name)).expect("a directory");
        sandbox.path(name)
    };
    plan("nc4", "@o.nc");
    for steps in [&["--finish", "--finish", "--clean"][..], &["--clean"]] {
        if !sandbox.path("q").exists() {
            plan("nc4", "@o.nc");
        }
        for step in steps {
            let left = leave(".o.nc.000Fb0.tmp");
            succeeds(&sandbox, &[*step, "@q"]);
            assert!(!left.exists(), "{steps:?} {step}");
        }
    }
    plan("zarr3", "@other.zarr");
    let left = leave(".other.zarr.000osv.tmp");
    succeeds(&sandbox, &["--clean", "@q"]);
    assert!(!left.exists());
}

#[test]
fn one_process_finishes_at_a_time() {
    let sandbox = planned(&["-k", "zarr3"]);
    let lock = FileLock::attempt(&sandbox.path("p/plan.json"), Sharing::Exclusive).expect("a lock");
    if !matches!(lock, LockAttempt::Held(_)) {
        eprintln!("this file system has no locks: test skipped");
        return;
    }
    for step in ["--finish", "--clean"] {
        fails(&sandbox, &[step, "@p"], 75, "another process is finishing");
    }
    drop(lock);
    succeeds(&sandbox, &["--finish", "@p"]);
    is_finished(&sandbox);
}

#[test]
fn a_plan_of_a_killed_process_is_removed_or_repeated() {
    let sandbox = planned(&["-k", "zarr3"]);
    let begun = || {
        for folder in ["done", "segments"] {
            std::fs::create_dir_all(sandbox.path("q").join(folder)).expect("a directory");
        }
        sandbox.write("q/planning", "nccopy is making a plan here\n");
    };
    let plan = [
        "--plan", "@q", "--parts", "2", "-k", "nc4", "@new.nc", "@made.nc",
    ];
    begun();
    succeeds(&sandbox, &["--clean", "@q"]);
    assert!(!sandbox.path("q").exists());
    begun();
    succeeds(&sandbox, &plan);
    assert!(!sandbox.path("q/planning").exists());
    succeeds(&sandbox, &["--next", "@q"]);
    succeeds(&sandbox, &["--finish", "@q"]);
    succeeds(&sandbox, &["--clean", "@q"]);
    // A directory of another program.
    std::fs::create_dir_all(sandbox.path("q/log")).expect("a directory");
    sandbox.write("q/log/mine", "");
    fails(&sandbox, &["--clean", "@q"], 1, "not a plan directory");
    fails(&sandbox, &plan, 1, "path exists");
    assert!(sandbox.path("q/log/mine").exists());
}

#[test]
fn changed_chunks_of_an_input_are_noticed() {
    let sandbox = planned(&["-k", "zarr3"]);
    let plan = [
        "--plan",
        "@q",
        "--parts",
        "3",
        "-k",
        "nc4",
        "@want.zarr",
        "@made.nc",
    ];
    succeeds(&sandbox, &plan);
    succeeds(&sandbox, &["--part", "0", "@q"]);
    let chunk = sandbox.read("want.zarr/v/c/0/0");
    sandbox.write("want.zarr/v/c/2/0", chunk);
    for step in [&["--part", "1"][..], &["--part", "2"]] {
        fails(
            &sandbox,
            &[step, &["@q"]].concat(),
            1,
            "changed since the plan was made",
        );
    }
    fails(&sandbox, &["--finish", "@q"], 1, "parts are not done");
    assert!(!sandbox.path("made.nc").exists());
}

/// Data of HDF5 datasets can be in other files, and virtual datasets have sources.
#[test]
fn changed_files_that_the_input_refers_to_are_noticed() {
    for (input, other, options) in [
        (
            "external.h5",
            &["external_1.raw", "external_2.raw"][..],
            &["-c", "x:5"][..],
        ),
        (
            "virtual_v110.h5",
            &["virtual_source.h5"],
            &["-V", "shared_names", "-c", "shared_names:2,15"],
        ),
    ] {
        let sandbox = Sandbox::new();
        for name in other.iter().chain([&input]) {
            let bytes = std::fs::read(files::testdata("hdf5").join(name)).expect("testdata");
            sandbox.write(name, bytes);
        }
        let plan = ["--plan", "@p", "--parts", "2", "--overwrite", "-k", "zarr3"];
        let input = format!("@{input}");
        let plan = [&plan[..], options, &[&input, "@o.zarr"]].concat();
        succeeds(&sandbox, &plan);
        succeeds(&sandbox, &["--part", "0", "@p"]);
        let changed = other.last().expect("a file");
        // Only the time differs.
        sandbox.write(changed, sandbox.read(changed));
        let why = "this input file has changed since the plan was made";
        fails(&sandbox, &["--part", "1", "@p"], 1, why);
        fails(&sandbox, &["--finish", "@p"], 1, "1 of 2 parts is not done");
        assert!(!sandbox.path("o.zarr").exists());
        succeeds(&sandbox, &["--clean", "@p"]);
        succeeds(&sandbox, &plan);
        // An input changes before the first part, and the new file has an old time.
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        sandbox.write("moved", sandbox.read(changed));
        let moved = std::fs::File::options()
            .write(true)
            .open(sandbox.path("moved"));
        moved
            .and_then(|file| file.set_modified(old))
            .expect("a time");
        std::fs::rename(sandbox.path("moved"), sandbox.path(changed)).expect("a file");
        fails(&sandbox, &["--part", "0", "@p"], 1, why);
        succeeds(&sandbox, &["--clean", "@p"]);
        succeeds(&sandbox, &plan);
        for step in ["--next", "--finish"] {
            succeeds(&sandbox, &[step, "@p"]);
        }
    }
}

/// All parts read the changed input: its state is in the plan.
#[test]
fn changes_between_the_plan_and_the_first_part_are_noticed() {
    for kind in ["nc4", "nc3", "zarr", "nczarr", "zarr3"] {
        let sandbox = planned(&["-k", "zarr3"]);
        let name = match kind {
            "nc3" | "nc4" => "@in.nc",
            _ => "@in.zarr",
        };
        succeeds(&sandbox, &["-k", kind, "-c", "t/2,x/1000", "@new.nc", name]);
        let all = files::contents(&sandbox.path(&name[1..]));
        let chunk = |(key, _): &(String, Vec<u8>)| key.contains("v/") && key.ends_with('0');
        let changed = match all.into_iter().find(chunk) {
            Some((key, _)) => format!("in.zarr/{key}"),
            None => "in.nc".to_owned(),
        };
        let bytes = sandbox.read(&changed);
        for change in ["new", "moved", "removed"] {
            succeeds(
                &sandbox,
                &[
                    "--plan", "@q", "--parts", "2", "-k", "nc5", name, "@made.nc",
                ],
            );
            let path = sandbox.path(&changed);
            match change {
                "new" => {
                    sandbox.write(&changed, [&bytes[..], &[0]].concat());
                }
                "moved" => {
                    sandbox.write("moved", &bytes);
                    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
                    let moved = std::fs::File::options()
                        .write(true)
                        .open(sandbox.path("moved"));
                    moved
                        .and_then(|file| file.set_modified(old))
                        .expect("a time");
                    std::fs::rename(sandbox.path("moved"), path).expect("a file");
                }
                _ => std::fs::remove_file(path).expect("a file"),
            }
            let out = nccopy(&sandbox, &["--part", "0", "@q"]);
            assert_ne!(out.code, 0, "{kind} {change}: {out}");
            assert!(
                !sandbox.path("q/done/0.json").exists(),
                "{kind} {change}: {out}"
            );
            sandbox.write(&changed, &bytes);
            succeeds(&sandbox, &["--clean", "@q"]);
        }
    }
}

#[test]
#[cfg(unix)]
fn invalid_files_in_a_plan_are_errors() {
    let sandbox = planned(&["-k", "zarr3"]);
    let pipe = |name: &str| {
        let path = sandbox.path(name);
        let _ = std::fs::remove_file(&path);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
    };
    let kept = sandbox.read("p/done/1.json");
    let odd = "not a file, but a directory, a pipe or a device";
    pipe("p/done/1.json");
    for step in [
        &["--part", "1"][..],
        &["--next"],
        &["--finish"],
        &["--status"],
    ] {
        fails(&sandbox, &[step, &["@p"]].concat(), 1, odd);
    }
    std::fs::remove_file(sandbox.path("p/done/1.json")).expect("a pipe");
    std::os::unix::fs::symlink("/dev/zero", sandbox.path("p/done/1.json")).expect("a link");
    fails(&sandbox, &["--finish", "@p"], 1, odd);
    std::fs::remove_file(sandbox.path("p/done/1.json")).expect("a link");
    let huge = std::fs::File::create(sandbox.path("p/done/1.json")).expect("a file");
    huge.set_len(1 << 40).expect("a sparse file");
    fails(
        &sandbox,
        &["--finish", "@p"],
        1,
        "larger than any file of this name",
    );
    std::fs::remove_file(sandbox.path("p/done/1.json")).expect("a file");
    pipe("p/leases/1");
    fails(&sandbox, &["--next", "@p"], 1, odd);
    pipe("p/log/1.jsonl");
    fails(&sandbox, &["--part", "1", "@p"], 1, odd);
    sandbox.write("p/done/1.json", kept);
    pipe("p/finished");
    fails(&sandbox, &["--finish", "@p"], 1, odd);
    pipe("p/plan.json");
    fails(&sandbox, &["--finish", "@p"], 1, "no plan.json");
}

#[test]
fn the_claim_takes_precedence_over_the_record() {
    // The state after a power failure that reverted the exchange of the names.
    let sandbox = planned(&["-k", "zarr3"]);
    sandbox.write("p/finished", identity(&sandbox));
    succeeds(&sandbox, &["--finish", "@p"]);
    is_finished(&sandbox);
}

#[test]
#[cfg(unix)]
fn an_output_that_is_a_link_stays_one() {
    let sandbox = planned(&["-k", "zarr3"]);
    succeeds(&sandbox, &["--clean", "@p"]);
    std::fs::create_dir(sandbox.path("d")).expect("a directory");
    std::fs::rename(sandbox.path("o.zarr"), sandbox.path("d/real.zarr")).expect("a store");
    std::os::unix::fs::symlink("d/real.zarr", sandbox.path("o.zarr")).expect("a link");
    let copy = ["-k", "zarr3", "-c", "t/2,x/1000", "-F", "none", "@new.nc"];
    let plan = ["--plan", "@p", "--parts", "3"];
    succeeds(&sandbox, &[&plan[..], &copy, &["@o.zarr"]].concat());
    succeeds(&sandbox, &["--next", "@p"]);
    succeeds(&sandbox, &["--finish", "@p"]);
    assert!(sandbox.path("o.zarr").is_symlink());
    let (want, made) = (sandbox.path("want.zarr"), sandbox.path("d/real.zarr"));
    assert!(files::contents(&want) == files::contents(&made));
    let beside = std::fs::read_dir(sandbox.path("d")).expect("a directory");
    assert_eq!(beside.count(), 1);
    succeeds(&sandbox, &["--clean", "@p"]);
}

#[test]
fn a_plan_that_is_being_made_is_not_removed() {
    let sandbox = planned(&["-k", "zarr3"]);
    sandbox.write("p/planning", "nccopy is making a plan here\n");
    let lock = FileLock::attempt(&sandbox.path("p/planning"), Sharing::Exclusive).expect("a lock");
    if !matches!(lock, LockAttempt::Held(_)) {
        eprintln!("this file system has no locks: test skipped");
        return;
    }
    let why = "another process is making a plan";
    fails(&sandbox, &["--clean", "@p"], 75, why);
    std::fs::rename(sandbox.path("p/plan.json"), sandbox.path("kept")).expect("a plan");
    fails(&sandbox, &["--clean", "@p"], 75, why);
    std::fs::rename(sandbox.path("kept"), sandbox.path("p/plan.json")).expect("a plan");
    drop(lock);
    succeeds(&sandbox, &["--finish", "@p"]);
    succeeds(&sandbox, &["--clean", "@p"]);
    is_finished(&sandbox);
}

/// Each entry of a plan directory may have a wrong type. The error names the entry, and no command hangs.
#[test]
#[cfg(unix)]
fn entries_of_another_type_are_errors() {
    let sandbox = planned(&["-k", "zarr3"]);
    let steps = [
        &["--status"][..],
        &["--part", "1"],
        &["--next"],
        &["--finish"],
        &["--clean"],
    ];
    let fail = |name: &str, steps: &[&[&str]], why: &str| {
        for step in steps {
            let out = nccopy(&sandbox, &[*step, &["@p"]].concat());
            let named = out.message().contains(&format!("p/{name}: "));
            assert!(out.code == 1 && named, "{name} {step:?}: {out}");
            assert!(out.message().contains(why), "{name} {step:?}: {out}");
        }
    };
    // Directories.
    let folder = "not a directory, but a file, a pipe or a device";
    for name in [
        "segments",
        "done",
        "log",
        "leases",
        "reports",
        "finishing",
        "between",
    ] {
        let (path, kept) = (sandbox.path(&format!("p/{name}")), sandbox.path("kept"));
        let there = std::fs::rename(&path, &kept).is_ok();
        for odd in ["pipe", "file", "/dev/zero"] {
            make(&path, odd);
            fail(name, &steps, folder);
            std::fs::remove_file(&path).expect("a file");
        }
        if there {
            std::fs::rename(&kept, &path).expect("a directory");
        }
    }
    // Files.
    let file = "not a file, but a directory, a pipe or a device";
    let (making, removing) = (&steps[1..4], &steps[4..]);
    for odd in ["pipe", "directory", "/dev/zero", "huge"] {
        let why = if odd == "huge" {
            "larger than any file"
        } else {
            file
        };
        for (name, steps) in [
            ("finished", making),
            ("finishing/7", &[steps[3], steps[4]][..]),
            ("done/1.json", &[steps[0], steps[1], steps[2], steps[3]][..]),
        ] {
            let path = sandbox.path(&format!("p/{name}"));
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            let kept = std::fs::read(&path).ok();
            let _ = std::fs::remove_file(&path);
            make(&path, odd);
            fail(name, steps, why);
            let _ = std::fs::remove_dir(&path);
            let _ = std::fs::remove_file(&path);
            if let Some(kept) = kept {
                std::fs::write(&path, kept).expect("a file");
            }
        }
    }
    make(&sandbox.path("p/planning"), "/dev/zero");
    fail("planning", removing, "cannot open");
    std::fs::remove_file(sandbox.path("p/planning")).expect("a link");
    std::fs::remove_file(sandbox.path("p/done/1.json")).expect("a file");
    for odd in ["pipe", "directory"] {
        let log = sandbox.path("p/log/1.jsonl");
        let _ = std::fs::remove_file(&log);
        make(&log, odd);
        fail("log/1.jsonl", &steps[..3], file);
    }
    make(&sandbox.path("p/finished"), "directory");
    fail("finished", removing, file);
}

/// Makes a pipe, a file, a directory, a file of 2^40 bytes, or a link.
#[cfg(unix)]
fn make(path: &std::path::Path, odd: &str) {
    match odd {
        "pipe" => {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo").success());
        }
        "file" => std::fs::write(path, "x").expect("a file"),
        "directory" => std::fs::create_dir(path).expect("a directory"),
        "huge" => {
            let file = std::fs::File::create(path).expect("a file");
            file.set_len(1 << 40).expect("a sparse file");
        }
        link => std::os::unix::fs::symlink(link, path).expect("a link"),
    }
}

#[test]
#[cfg(unix)]
fn lists_of_files_that_are_pipes_are_errors() {
    let sandbox = planned(&["-k", "zarr3"]);
    std::fs::create_dir(sandbox.path("out")).expect("a directory");
    std::fs::copy(sandbox.path("new.nc"), sandbox.path("two.nc")).expect("a copy");
    let plan = [
        "--plan", "@q", "--parts", "2", "-k", "nc5", "@new.nc", "@two.nc", "@out/",
    ];
    succeeds(&sandbox, &plan);
    for name in ["q/files.jsonl", "q/parts.jsonl"] {
        let path = sandbox.path(name);
        std::fs::remove_file(&path).expect("a file");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        let odd = "not a file, but a directory, a pipe or a device";
        fails(&sandbox, &["--part", "1", "@q"], 1, odd);
    }
}
