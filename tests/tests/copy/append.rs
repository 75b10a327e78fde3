//! `--append` and `--add-variables`: inputs that extend the output.

use crate::series::{Series, data, make, nccopy, ncdump, series};
use netcdf_tools_tests::harness::Sandbox;

/// Kinds of outputs, with the option that names the dimension if the kind does not store it.
const KINDS: [(&str, &str); 7] = [
    ("nc3", "--append"),
    ("nc6", "--append"),
    ("cdf5", "--append"),
    ("nc4", "--append"),
    ("nczarr", "--append"),
    ("zarr", "--append=time"),
    ("zarr3", "--append=time"),
];

fn whole(sandbox: &Sandbox) {
    let all = Series {
        len: 8,
        ..Series::default()
    };
    make(sandbox, ("whole.nc", "nc4"), &all.cdl());
}

/// The name of an output of a kind.
fn output(kind: &str) -> &'static str {
    match kind.contains("zarr") {
        true => "@out.zarr",
        false => "@out.nc",
    }
}

/// The values of the output are those of the whole.
fn is_whole(sandbox: &Sandbox, output: &str) {
    assert_eq!(
        data(sandbox, "v", &[output]),
        data(sandbox, "v", &["@whole.nc"])
    );
    assert_eq!(
        data(sandbox, "time", &[output]),
        "time = 0, 1, 2, 3, 4, 5, 6, 7 ;"
    );
}

#[test]
fn outputs_of_all_kinds_grow() {
    for (kind, append) in KINDS {
        let sandbox = series("nc4");
        whole(&sandbox);
        let out = output(kind);
        for input in ["@a.nc", "@b.nc", "@c.nc"] {
            let args = [append, "--quiet", "-k", kind, input, out];
            let _ = nccopy(&sandbox, &args).clean();
        }
        is_whole(&sandbox, out);
        let kept = ncdump(&sandbox, &["-k", out]).clean().text();
        let first = nccopy(&sandbox, &["--quiet", "-k", kind, "@a.nc", "@new.nc"]);
        if !kind.contains("zarr") {
            let _ = first.clean();
            assert_eq!(kept, ncdump(&sandbox, &["-k", "@new.nc"]).clean().text());
        }
    }
}

#[test]
fn the_same_records_are_appended_once() {
    for (kind, append) in KINDS {
        let sandbox = series("nc4");
        let out = output(kind);
        let _ = nccopy(&sandbox, &[append, "--quiet", "-k", kind, "@a.nc", out]).clean();
        let _ = nccopy(&sandbox, &[append, "--quiet", "@b.nc", out]).clean();
        let before = ncdump(&sandbox, &["--sum", out]).clean().text();
        let again = nccopy(&sandbox, &[append, "@b.nc", out]);
        assert_eq!(again.code, 0, "{again}");
        assert_eq!(
            again.message(),
            "nccopy: --append=time: skipped 3 records that the output already has\n"
        );
        assert_eq!(ncdump(&sandbox, &["--sum", out]).clean().text(), before);
    }
}

#[test]
fn an_output_without_new_records_is_not_written() {
    let sandbox = series("nc4");
    let _ = nccopy(&sandbox, &["--append", "@a.nc", "@out.nc"]).clean();
    let written = || {
        let meta = std::fs::metadata(sandbox.path("out.nc")).unwrap();
        meta.modified().unwrap()
    };
    let before = written();
    assert_eq!(nccopy(&sandbox, &["--append", "@a.nc", "@out.nc"]).code, 0);
    assert_eq!(written(), before);
}

/// Files keep their inode if they grow in place.
#[cfg(unix)]
#[test]
fn files_grow_in_place_unless_definitions_change() {
    use std::os::unix::fs::MetadataExt as _;
    for kind in ["nc3", "nc6", "cdf5", "nc4", "nc7"] {
        let sandbox = series("nc4");
        whole(&sandbox);
        let inode = || std::fs::metadata(sandbox.path("out.nc")).unwrap().ino();
        let first = ["--append", "--quiet", "-k", kind, "-d1", "@a.nc", "@out.nc"];
        let first = match kind {
            "nc4" | "nc7" => nccopy(&sandbox, &first),
            _ => nccopy(
                &sandbox,
                &["--append", "--quiet", "-k", kind, "@a.nc", "@out.nc"],
            ),
        };
        let _ = first.clean();
        let before = inode();
        let _ = nccopy(&sandbox, &["--append", "@b.nc", "@out.nc"]).clean();
        assert_eq!(inode(), before, "{kind}");
        let _ = nccopy(&sandbox, &["--append", "--verify", "@c.nc", "@out.nc"]).clean();
        assert_ne!(inode(), before, "{kind}");
        is_whole(&sandbox, "@out.nc");
    }
}

/// Filtered chunks change the file before the input is opened again for the values of the enumeration.
#[cfg(unix)]
#[test]
fn enumerations_behind_filtered_variables_grow_in_place() {
    use std::os::unix::fs::MetadataExt as _;
    let sandbox = Sandbox::new();
    for (name, time, values) in [("a.nc", "0, 1", "R, G"), ("b.nc", "2, 3", "G, R")] {
        let cdl = format!(
            "netcdf a {{ types: byte enum q {{ R = 0, G = 1 }} ; dimensions: time = UNLIMITED ; variables: \
             int time(time) ; time:units = \"days since 2000-01-01\" ; time:_DeflateLevel = 1 ; q v(time) ; \
             data: time = {time} ; v = {values} ; }}"
        );
        make(&sandbox, (name, "nc4"), &cdl);
    }
    let inode = || std::fs::metadata(sandbox.path("a.nc")).unwrap().ino();
    let before = inode();
    let _ = nccopy(&sandbox, &["--append", "@b.nc", "@a.nc"]).clean();
    assert_eq!(inode(), before);
    assert_eq!(data(&sandbox, "v", &["@a.nc"]), "v = R, G, G, R ;");
}

/// xarray gives variables the fill value NaN, which is not equal to itself. NCO writes `missing_value` without `_FillValue`.
#[cfg(unix)]
#[test]
fn missing_values_do_not_keep_files_from_growing_in_place() {
    use std::os::unix::fs::MetadataExt as _;
    for more in [
        "v:_FillValue = NaNf ; x:range = NaN, 1. ;",
        "v:missing_value = 30.f ;",
    ] {
        let sandbox = Sandbox::new();
        for (name, start) in [("a.nc", 0), ("b.nc", 3)] {
            let series = Series {
                start,
                more,
                ..Series::default()
            };
            make(&sandbox, (name, "nc4"), &series.cdl());
        }
        let inode = || std::fs::metadata(sandbox.path("a.nc")).unwrap().ino();
        let before = inode();
        let _ = nccopy(&sandbox, &["--append", "@b.nc", "@a.nc"]).clean();
        assert_eq!(inode(), before, "{more}");
        let times = data(&sandbox, "time", &["@a.nc"]);
        assert_eq!(times, "time = 0, 1, 2, 3, 4, 5 ;");
    }
}

/// Zarr directories keep their inode if they grow in place.
#[cfg(unix)]
#[test]
fn zarr_directories_grow_in_place_except_shards() {
    use std::os::unix::fs::MetadataExt as _;
    let inode = |sandbox: &Sandbox| std::fs::metadata(sandbox.path("out.zarr")).unwrap().ino();
    for (kind, append) in KINDS.into_iter().filter(|(kind, _)| kind.contains("zarr")) {
        for consolidated in [false, true] {
            let sandbox = series("nc4");
            whole(&sandbox);
            let mut first = vec![append, "--quiet", "-k", kind, "-d1", "-c", "time/2"];
            first.extend(["--consolidated"].iter().take(usize::from(consolidated)));
            let _ = nccopy(&sandbox, &[&first[..], &["@a.nc", "@out.zarr"]].concat()).clean();
            let before = inode(&sandbox);
            let second = nccopy(&sandbox, &[append, "@b.nc", "@out.zarr"]);
            assert_eq!(
                (second.code, inode(&sandbox)),
                (0, before),
                "{kind} {second}"
            );
            assert_eq!(
                second.message().contains("consolidate the metadata"),
                !consolidated
            );
            // A program was killed before its change began.
            std::fs::create_dir(sandbox.path("out.zarr/v/.netcdf-update")).unwrap();
            sandbox.write("out.zarr/v/.netcdf-update/7", "rest");
            let _ = nccopy(&sandbox, &[append, "--quiet", "@c.nc", "@out.zarr"]).clean();
            assert_eq!(inode(&sandbox), before, "{kind}");
            assert!(!sandbox.path("out.zarr/v/.netcdf-update").exists());
            is_whole(&sandbox, "@out.zarr");
            // Stores of one process have the same metadata and chunks.
            let copy = ["--quiet", "-k", kind, "@out.zarr", "@copy.zarr"];
            let _ = nccopy(&sandbox, &copy).clean();
            let same = ["--diff", "--compare-layout", "@out.zarr", "@copy.zarr"];
            assert_eq!(ncdump(&sandbox, &same).code, 0, "{kind}");
        }
    }
    let sandbox = series("nc4");
    whole(&sandbox);
    let shards = ["-k", "zarr3", "--shard", "time/4", "-c", "time/2"];
    let first = [
        &["--append=time", "--quiet"],
        &shards[..],
        &["@a.nc", "@out.zarr"],
    ]
    .concat();
    let _ = nccopy(&sandbox, &first).clean();
    let before = inode(&sandbox);
    // No other directory gets the inode of an open directory.
    let open = std::fs::File::open(sandbox.path("out.zarr")).unwrap();
    for input in ["@b.nc", "@c.nc"] {
        let _ = nccopy(&sandbox, &["--append=time", "--quiet", input, "@out.zarr"]).clean();
    }
    drop(open);
    assert_ne!(inode(&sandbox), before);
    is_whole(&sandbox, "@out.zarr");
}

/// A store that is open for writing is neither changed nor replaced.
#[cfg(target_os = "linux")]
#[test]
fn a_zarr_directory_has_one_writer() {
    use netcdf_core::api::Dataset;
    let sandbox = series("nc4");
    let _ = nccopy(&sandbox, &["--quiet", "-k", "nczarr", "@a.nc", "@out.zarr"]).clean();
    let writer = Dataset::open_for_writing(sandbox.path("out.zarr")).unwrap();
    for args in [
        &["--append", "@b.nc", "@out.zarr"][..],
        &["--quiet", "-k", "nczarr", "@b.nc", "@out.zarr"],
    ] {
        let busy = nccopy(&sandbox, args);
        assert_eq!(busy.code, 1, "{busy}");
        assert!(busy.message().contains("open for writing"), "{busy}");
    }
    drop(writer);
    let _ = nccopy(&sandbox, &["--append", "--quiet", "@b.nc", "@out.zarr"]).clean();
}

/// A dimension that is not unlimited grows in a new file.
#[test]
fn fixed_dimensions_of_files_grow() {
    let sandbox = Sandbox::new();
    for (name, start) in [("a.nc", 0), ("b.nc", 3)] {
        let series = Series {
            start,
            ..Series::default()
        };
        let cdl = series.cdl().replace("UNLIMITED", "3");
        make(&sandbox, (name, "nc4"), &cdl);
    }
    for input in ["@a.nc", "@b.nc"] {
        let _ = nccopy(&sandbox, &["--append=time", "--quiet", input, "@out.nc"]).clean();
    }
    assert_eq!(
        data(&sandbox, "time", &["@out.nc"]),
        "time = 0, 1, 2, 3, 4, 5 ;"
    );
}

#[test]
fn files_with_strings_are_written_anew() {
    let sandbox = Sandbox::new();
    for (name, start) in [("a.nc", 0), ("b.nc", 3)] {
        let more = "string s(time) ;";
        let series = Series {
            start,
            more,
            ..Series::default()
        };
        let cdl = series
            .cdl()
            .replace("data:", "data: s = \"p\", \"q\", \"r\" ;");
        make(&sandbox, (name, "nc4"), &cdl);
    }
    for input in ["@a.nc", "@b.nc"] {
        let _ = nccopy(&sandbox, &["--append", "--quiet", input, "@out.nc"]).clean();
    }
    let strings = data(&sandbox, "s", &["@out.nc"]);
    assert_eq!(strings, "s = \"p\", \"q\", \"r\", \"p\", \"q\", \"r\" ;");
}

#[test]
fn several_inputs_in_any_order_with_their_own_units() {
    let sandbox = series("nc4");
    whole(&sandbox);
    let later = Series {
        since: "2000-01-07",
        len: 2,
        ..Series::default()
    };
    // The values depend on the count, so only the times are compared.
    make(&sandbox, ("d.nc", "nc3"), &later.cdl());
    let _ = nccopy(&sandbox, &["--append", "@a.nc", "@out.nc"]).clean();
    let _ = nccopy(&sandbox, &["--append", "@d.nc", "@b.nc", "@out.nc"]).clean();
    assert_eq!(
        data(&sandbox, "time", &["@out.nc"]),
        "time = 0, 1, 2, 3, 4, 5, 6, 7 ;"
    );
    let units = ncdump(&sandbox, &["-h", "@out.nc"]).clean().text();
    assert!(units.contains("days since 2000-01-01"), "{units}");
}

#[test]
fn records_that_do_not_follow_are_errors() {
    let sandbox = series("nc4");
    let _ = nccopy(
        &sandbox,
        &["--append", "--quiet", "@a.nc", "@c.nc", "@out.nc"],
    )
    .clean();
    let before = std::fs::read(sandbox.path("out.nc")).unwrap();
    let other = Series {
        more: "int w(time) ;",
        ..Series::default()
    };
    make(&sandbox, ("more.nc", "nc4"), &other.cdl());
    let changed = Series::default().cdl().replace("v = 0", "v = 5");
    make(&sandbox, ("changed.nc", "nc4"), &changed);
    for (args, what) in [
        (
            &["@b.nc"][..],
            "time is 2000-01-04 in a record of the input, but the output ends at 2000-01-08 (join the output and the inputs to a new dataset with --join)",
        ),
        (
            &["@changed.nc"],
            "both have the record with index 0 of time in the input, but /v is 0.0 in the output and 5.0 in the input",
        ),
        (
            &["--overlap", "last", "@a.nc"],
            "--overlap last would change records of the output",
        ),
        (
            &["@more.nc"],
            "only the first of the two inputs has the variable /w",
        ),
        (&["@out.nc"], "listed twice"),
    ] {
        let failed = nccopy(&sandbox, &[&["--append"], args, &["@out.nc"]].concat());
        assert_eq!(failed.code, 1, "{args:?} {failed}");
        assert!(failed.message().contains(what), "{args:?} {failed}");
        assert_eq!(
            std::fs::read(sandbox.path("out.nc")).unwrap(),
            before,
            "{args:?}"
        );
    }
    let args = [
        "--append",
        "--overlap",
        "first",
        "--quiet",
        "@changed.nc",
        "@out.nc",
    ];
    let _ = nccopy(&sandbox, &args).clean();
}

#[test]
fn records_without_coordinate_need_their_order() {
    let sandbox = Sandbox::new();
    let cdl = |values: &str| {
        format!(
            "netcdf x {{ dimensions: r = UNLIMITED ; variables: int v(r) ; data: v = {values} ; }}"
        )
    };
    make(&sandbox, ("a.nc", "nc4"), &cdl("1, 2"));
    make(&sandbox, ("b.nc", "nc4"), &cdl("3"));
    let failed = nccopy(&sandbox, &["--append", "@b.nc", "@a.nc"]);
    assert_eq!(failed.code, 1, "{failed}");
    assert!(
        failed
            .message()
            .contains("r has no coordinate (use --order given"),
        "{failed}"
    );
    for want in ["v = 1, 2, 3 ;", "v = 1, 2, 3, 3 ;"] {
        let args = ["--append", "--order", "given", "@b.nc", "@a.nc"];
        let _ = nccopy(&sandbox, &args).clean();
        assert_eq!(data(&sandbox, "v", &["@a.nc"]), want);
    }
}

#[test]
fn an_empty_output_keeps_its_definitions() {
    let sandbox = series("nc4");
    let none = "netcdf x { dimensions: time = UNLIMITED ; x = 2 ; variables: double time(time) ;
        time:units = \"hours since 2000-01-01\" ; int x(x) ; float v(time, x) ; v:units = \"K\" ; :title = \"mine\" ; data: x = 1, 2 ; }";
    make(&sandbox, ("out.nc", "nc4"), none);
    let _ = nccopy(&sandbox, &["--append", "--quiet", "@b.nc", "@out.nc"]).clean();
    assert_eq!(data(&sandbox, "time", &["@out.nc"]), "time = 72, 96, 120 ;");
    let header = ncdump(&sandbox, &["-h", "@out.nc"]).clean().text();
    assert!(
        header.contains("hours since") && header.contains("mine"),
        "{header}"
    );
}

#[test]
fn variables_are_added_once() {
    for kind in ["nc3", "nc4", "zarr3"] {
        let sandbox = series("nc4");
        let out = output(kind);
        let _ = nccopy(
            &sandbox,
            &["--quiet", "-k", kind, "-V", "time,x", "@a.nc", out],
        )
        .clean();
        let _ = nccopy(&sandbox, &["--quiet", "--add-variables", "@a.nc", out]).clean();
        assert_eq!(data(&sandbox, "v", &[out]), data(&sandbox, "v", &["@a.nc"]));
        let dry = ["--dry-run", "--add-variables", "@a.nc", out];
        let text = nccopy(&sandbox, &dry).clean().text();
        assert!(
            text.contains("the inputs have nothing that the output lacks"),
            "{text}"
        );
        let failed = nccopy(&sandbox, &["--add-variables", "@b.nc", out]);
        assert_eq!(failed.code, 1, "{failed}");
    }
}

#[test]
fn outputs_that_a_copy_would_damage_are_refused() {
    let sandbox = series("nc4");
    let _ = nccopy(&sandbox, &["--append", "@a.nc", "@out.nc"]).clean();
    std::fs::hard_link(sandbox.path("out.nc"), sandbox.path("other.nc")).unwrap();
    let failed = nccopy(&sandbox, &["--append", "@b.nc", "@out.nc"]);
    assert_eq!(failed.code, 1, "{failed}");
    assert!(
        failed.message().contains("2 names (hard links)"),
        "{failed}"
    );
    for (output, what) in [
        (
            "http://127.0.0.1:9/x.zarr",
            "only local files and directories can be extended",
        ),
        ("@.", "a directory, but not a dataset"),
    ] {
        let failed = nccopy(&sandbox, &["--append", "@b.nc", output]);
        assert_eq!(failed.code, 1, "{failed}");
        assert!(failed.message().contains(what), "{failed}");
    }
}

#[test]
fn options_without_effect_are_mistakes() {
    let sandbox = series("nc4");
    for option in [
        "--time-units=days since 2000-01-01",
        "--select=time,0",
        "--overwrite",
        "--rename=v,w",
    ] {
        let wrong = nccopy(&sandbox, &["--append", option, "@a.nc", "@out.nc"]);
        assert_eq!(wrong.code, 2, "{option} {wrong}");
    }
}

#[test]
fn appended_outputs_are_verified_and_reported() {
    let sandbox = series("nc4");
    let _ = nccopy(&sandbox, &["--append", "@a.nc", "@out.nc"]).clean();
    let args = ["--append", "--verify", "--report=json", "@b.nc", "@out.nc"];
    let report = nccopy(&sandbox, &args).clean().text();
    assert!(report.contains("\"/v\""), "{report}");
}
