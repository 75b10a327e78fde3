//! The inputs of joins: the joined dimension without a name, changed stores, and hostile lists of inputs.

use crate::series::{ALL, Series, data, make, nccopy, ncdump, series};
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

/// Creates datasets with the fixed dimensions `p` and `x`, and these coordinates.
fn grids(sandbox: &Sandbox, all: &[(&str, &str, &str)]) {
    for (name, p, x) in all {
        let cdl = format!(
            "netcdf x {{ dimensions: p = 2 ; x = 2 ; variables: int p(p) ; int x(x) ; int v(p, x) ;
            data: p = {p} ; x = {x} ; v = 1, 2, 3, 4 ; }}"
        );
        make(sandbox, (name, "nc4"), &cdl);
    }
}

#[track_caller]
fn refused(done: &CommandOutput, why: &str) {
    assert!(done.code != 0 && done.message().contains(why), "{done}");
}

#[test]
fn the_coordinates_of_all_inputs_select_the_dimension() {
    let sandbox = Sandbox::new();
    grids(
        &sandbox,
        &[
            ("a.nc", "0, 1", "5, 6"),
            ("b.nc", "0, 1", "5, 6"),
            ("c.nc", "2, 3", "5, 6"),
            ("d.nc", "4, 5", "7, 8"),
        ],
    );
    let joined = |names: &[&str]| ncdump(&sandbox, &[&["--join", "-v", "p"], names].concat());
    refused(
        &joined(&["@a.nc", "@b.nc"]),
        "--join=p; dimensions: p and x",
    );
    assert_eq!(
        data(&sandbox, "p", &["--join", "@a.nc", "@c.nc"]),
        "p = 0, 1, 2, 3 ;"
    );
    // The first two inputs are equal. The third input shows that the inputs follow each other along `p`.
    let third = ["--join", "--overlap", "first", "@a.nc", "@b.nc", "@c.nc"];
    assert_eq!(data(&sandbox, "p", &third), "p = 0, 1, 2, 3 ;");
    let several = joined(&["@a.nc", "@c.nc", "@d.nc"]);
    refused(&several, "several coordinates differ");
    refused(&several, "--join=p; dimensions: p and x");
}

#[test]
fn times_with_several_units_are_compared_as_times() {
    let sandbox = Sandbox::new();
    for (name, since) in [("a.nc", "01"), ("b.nc", "03")] {
        let cdl = format!(
            "netcdf x {{ dimensions: time = 2 ; x = 2 ; variables: int time(time) ; time:units = \"days since 2000-01-{since}\" ;
            int x(x) ; data: time = 0, 1 ; x = 1, 2 ; }}"
        );
        make(&sandbox, (name, "nc3"), &cdl);
    }
    let joined = data(&sandbox, "time", &["--join", "@a.nc", "@b.nc"]);
    assert_eq!(joined, "time = 0, 1, 2, 3 ;");
}

#[test]
fn a_changed_chunk_of_a_store_is_noticed() {
    let sandbox = series("nc4");
    for name in ["a", "b"] {
        let (from, to) = (format!("@{name}.nc"), format!("@{name}.zarr"));
        let args = ["--quiet", "-k", "zarr3", &from, &to];
        let _ = nccopy(&sandbox, &args).clean();
    }
    let args = [
        "--quiet",
        "--plan",
        "@plan",
        "--join=time",
        "@a.zarr",
        "@b.zarr",
        "@o.nc",
    ];
    let planned = nccopy(&sandbox, &args);
    assert_eq!(planned.code, 0, "{planned}");
    // The same length: only the content and the time of the file change.
    let chunk = sandbox.path("b.zarr/v/c/0/0");
    let mut bytes = std::fs::read(&chunk).unwrap();
    bytes[0] ^= 1;
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    std::fs::write(&chunk, bytes).unwrap();
    let file = std::fs::File::options().write(true).open(&chunk).unwrap();
    file.set_modified(later).unwrap();
    let next = nccopy(&sandbox, &["--next", "@plan"]);
    refused(&next, "has changed since the plan was made");
}

#[test]
#[cfg(unix)]
fn hostile_entries_of_directories_lists_and_patterns() {
    use std::os::unix::fs::symlink;
    let sandbox = series("nc4");
    let folder = sandbox.path("in");
    std::fs::create_dir(&folder).unwrap();
    for name in ["a.nc", "b.nc", "c.nc"] {
        let odd = folder.join(format!("o\nd{name}"));
        std::fs::rename(sandbox.path(name), odd).unwrap();
    }
    symlink("loop.nc", folder.join("loop.nc")).unwrap();
    symlink("..", folder.join("up.nc")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("fifo.nc"))
        .status();
    assert!(made.expect("mkfifo").success());
    // A directory stands for its datasets: other entries are skipped.
    assert_eq!(
        data(&sandbox, "time", &["--join", "@in"]),
        "time = 0, 1, 2, 3, 4, 5, 6, 7 ;"
    );
    let mut names: Vec<String> = (0..20_000).map(|n| format!("in/n{n}.nc")).collect();
    names.push(folder.join("fifo.nc").display().to_string());
    sandbox.write("many", names.join("\n"));
    let joined = |args: &[&str]| ncdump(&sandbox, &[&["--join", "-h"], args].concat());
    for (args, why) in [
        (&["@in/*.nc"][..], "fifo.nc: not a regular file or a store"),
        (&["@in/[lo]*.nc"], "loop.nc: cannot open"),
        (&["@in/[uo]*.nc"], "up.nc: not a regular file or a store"),
        (&["@in/fifo.nc"], "not a regular file or a store"),
        (
            &["--inputs", "@many"],
            "fifo.nc: not a regular file or a store",
        ),
    ] {
        refused(&joined(args), why);
    }
}

#[test]
#[cfg(unix)]
fn a_file_with_several_names_is_one_input() {
    let sandbox = series("nc4");
    let a = sandbox.path("a.nc");
    std::fs::hard_link(&a, sandbox.path("hard.nc")).unwrap();
    std::os::unix::fs::symlink(&a, sandbox.path("soft.nc")).unwrap();
    let url = format!("file://{}", a.display());
    for other in ["@hard.nc", "@soft.nc", &url] {
        let joined = ncdump(&sandbox, &["--join", "-h", "@a.nc", other]);
        refused(&joined, "the same file as the input");
    }
    let before = sandbox.read("a.nc");
    for output in ["@hard.nc", "@soft.nc"] {
        let args = [&["--overwrite", "--join"], &ALL[..], &[output]].concat();
        refused(&nccopy(&sandbox, &args), "output would overwrite input");
    }
    assert_eq!(sandbox.read("a.nc"), before);
}

#[test]
fn each_part_of_a_plan_reads_one_input() {
    let sandbox = Sandbox::new();
    let names = ["@0.zarr", "@1.zarr", "@2.zarr", "@3.zarr"];
    for (n, name) in (0..).zip(names) {
        let series = Series {
            start: 3 * n,
            more: "v:_ChunkSizes = 3, 2 ; time:_ChunkSizes = 3 ;",
            ..Series::default()
        };
        make(&sandbox, ("w.nc", "nc4"), &series.cdl());
        let _ = nccopy(&sandbox, &["--quiet", "-k", "zarr3", "@w.nc", name]).clean();
    }
    let args = [
        &["--quiet", "--plan", "@plan", "--parts", "4", "--join=time"],
        &names[..],
        &["@o.nc"],
    ];
    let planned = nccopy(&sandbox, &args.concat());
    assert_eq!(planned.code, 0, "{planned}");
    for part in ["0", "1", "2", "3"] {
        let mut command = netcdf_tools_tests::tool!();
        command.args(["nccopy", "--trace", "--quiet", "--part", part]);
        let out = command.arg(sandbox.path("plan")).output().unwrap();
        let text = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.success(), "{text}");
        let is_read = |line: &&str| line.starts_with("trace: get ") && line.contains(" v/c/");
        assert_eq!(
            text.lines().filter(is_read).count(),
            1,
            "part {part}: {text}"
        );
    }
    let finished = nccopy(&sandbox, &["--quiet", "--finish", "@plan"]);
    assert_eq!(finished.code, 0, "{finished}");
    let args = [&["--diff", "--join=time"], &names[..], &["@o.nc"]].concat();
    let _ = ncdump(&sandbox, &args).clean();
}
