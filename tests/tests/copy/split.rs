//! `nccopy --split`.

use crate::series::{ALL, Series, data, make, nccopy, ncdump, series};
use netcdf_tools_tests::harness::Sandbox;

/// Returns the digests of a dataset without file names.
fn sums(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let text = ncdump(sandbox, &[&["--sum"], args].concat()).clean().text();
    let short = |line: &str| {
        let digest = line.split_whitespace().next().unwrap();
        let path = line.rsplit_once('#').map_or("", |(_, path)| path);
        format!("{digest} {path}")
    };
    text.lines().map(short).collect()
}

#[test]
fn parts_of_a_split_join_to_the_same_dataset() {
    let sandbox = Sandbox::new();
    let whole = Series {
        start: 20,
        len: 50,
        ..Series::default()
    };
    make(&sandbox, ("w.nc", "nc4"), &whole.cdl());
    let want = sums(&sandbox, &["@w.nc"]);
    for (n, (parts, pattern)) in [
        ("time/month", "p_%Y%m.nc"),
        ("time/7", "p_%n.nc"),
        ("time/1", "p%n_%Y-%m-%d.nc"),
        ("time/100", "p.nc"),
    ]
    .iter()
    .enumerate()
    {
        let folder = sandbox.path(&format!("d{n}"));
        std::fs::create_dir(&folder).unwrap();
        let to = format!("@d{n}/{pattern}");
        let _ = nccopy(&sandbox, &["--split", parts, "@w.nc", &to]).clean();
        let joined = format!("@d{n}");
        assert_eq!(sums(&sandbox, &["--join=time", &joined]), want, "{parts}");
    }
    assert!(sandbox.path("d0/p_200003.nc").exists());
    assert_eq!(std::fs::read_dir(sandbox.path("d1")).unwrap().count(), 8);
    let same = nccopy(&sandbox, &["--split", "time/month", "@w.nc", "@s_%Y.nc"]);
    assert!(
        same.code != 0 && same.message().contains("have the same name"),
        "{same}"
    );
    assert!(!sandbox.path("s_2000.nc").exists());
    for (parts, why) in [
        ("time/week", "cannot split by"),
        ("x/month", "is not a time coordinate"),
        ("tim/2", "did you mean time"),
    ] {
        let refused = nccopy(&sandbox, &["--split", parts, "@w.nc", "@s_%n.nc"]);
        assert!(
            refused.code != 0 && refused.message().contains(why),
            "{parts} {refused}"
        );
    }
}

#[test]
fn variables_are_split_with_their_coordinates() {
    let sandbox = Sandbox::new();
    let series = Series {
        more: "float w(x) ; float tb(time, x) ; time:bounds = \"tb\" ;",
        ..Series::default()
    };
    make(&sandbox, ("w.nc", "nc4"), &series.cdl());
    let _ = nccopy(&sandbox, &["--split", "vars", "@w.nc", "@o_%v.nc"]).clean();
    let header = |name: &str| ncdump(&sandbox, &["-h", name]).clean().text();
    let v = header("@o_v.nc");
    assert!(
        v.contains("tb(time") && v.contains("int x(x)") && !v.contains("float w"),
        "{v}"
    );
    assert!(!header("@o_w.nc").contains("time(time)"));
    assert!(!sandbox.path("o_x.nc").exists());
    let merged = nccopy(&sandbox, &["--merge", "@o_v.nc", "@o_w.nc", "@m.nc"]);
    assert_eq!(merged.code, 0, "{merged}");
    assert_eq!(sums(&sandbox, &["@m.nc"]), sums(&sandbox, &["@w.nc"]));
}

#[test]
fn a_joined_input_is_split() {
    let sandbox = series("nc4");
    let args = [&["--join", "--split", "time/4"], &ALL[..], &["@o_%n.nc"]].concat();
    let copied = nccopy(&sandbox, &args);
    assert_eq!(copied.code, 0, "{copied}");
    assert_eq!(data(&sandbox, "time", &["@o_1.nc"]), "time = 4, 5, 6, 7 ;");
    let args = ["--join", "--split", "time/100", "@a.nc", "@b.nc", "@c.nc"];
    let refused = nccopy(&sandbox, &args);
    assert!(
        refused.code != 0 && refused.message().contains("--overwrite"),
        "{refused}"
    );
    std::fs::rename(sandbox.path("c.nc"), sandbox.path("1.nc")).unwrap();
    let args = [
        "--join", "--split", "time/4", "@a.nc", "@b.nc", "@1.nc", "@%n.nc",
    ];
    let refused = nccopy(&sandbox, &args);
    assert!(
        refused.message().contains("output would overwrite input"),
        "{refused}"
    );
}

#[test]
fn a_right_and_a_wrong_split() {
    let sandbox = series("nc4");
    let mut text = String::new();
    for args in [
        ["time/2", "@p%n.nc"],
        ["time/2", "@p.nc"],
        ["time/0", "@p%n.nc"],
        ["time/2", "@p%x.nc"],
    ] {
        let [parts, name] = args;
        let done = nccopy(&sandbox, &["--split", parts, "@a.nc", name]);
        text += &format!("$ nccopy --split {parts} a.nc {name}\n{done}\n");
    }
    insta::assert_snapshot!(text);
}

/// Returns how often metadata of a store is read during a split.
fn metadata_reads(sandbox: &Sandbox, parts: &str, pattern: &str) -> usize {
    let mut command = netcdf_tools_tests::tool!();
    command.args(["nccopy", "--trace", "--split", parts]);
    let out = command
        .args([sandbox.path("w.zarr"), sandbox.path(pattern)])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.success(), "{text}");
    let is_read = |line: &&str| line.starts_with("trace: get ") && line.contains("zarr.json");
    text.lines().filter(is_read).count()
}

#[test]
fn a_split_opens_its_input_once() {
    let sandbox = Sandbox::new();
    let whole = Series {
        len: 6,
        ..Series::default()
    };
    make(&sandbox, ("w.nc", "nc4"), &whole.cdl());
    let _ = nccopy(&sandbox, &["--quiet", "-k", "zarr3", "@w.nc", "@w.zarr"]).clean();
    let once = metadata_reads(&sandbox, "time/6", "one%n.nc");
    assert!(once > 0);
    assert_eq!(metadata_reads(&sandbox, "time/1", "six%n.nc"), once);
    assert!(sandbox.path("six5.nc").exists());
}
