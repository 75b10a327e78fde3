//! `--join`, `--join-new` and `--merge`: many datasets as one dataset, in `ncdump` and `nccopy`.

use crate::series::{ALL, Series, data, make, nccopy, ncdump, series};
use netcdf_tools_tests::harness::Sandbox;

#[test]
fn inputs_follow_each_other_in_the_order_of_their_times() {
    for kind in ["nc3", "nc4", "cdf5"] {
        let sandbox = series(kind);
        let args = [&["--join=time"], &ALL[..]].concat();
        assert_eq!(
            data(&sandbox, "time", &args),
            "time = 0, 1, 2, 3, 4, 5, 6, 7 ;"
        );
        let whole = Series {
            len: 8,
            ..Series::default()
        };
        make(&sandbox, ("whole.nc", kind), &whole.cdl());
        let args = [&["--diff", "--join"], &ALL[..], &["@whole.nc"]].concat();
        let _ = ncdump(&sandbox, &args).clean();
        for to in ["nc3", "nc4", "nczarr3"] {
            let output = format!("@{kind}-{to}");
            let args = [&["--join", "-k", to, "--verify"], &ALL[..], &[&output]].concat();
            let _ = nccopy(&sandbox, &args).clean();
            let _ = ncdump(&sandbox, &["--diff", &output, "@whole.nc"]).clean();
        }
    }
}

#[test]
fn a_few_open_files_and_threads_change_nothing() {
    let sandbox = series("nc4");
    let sums = |more: &[&str]| {
        let args = [&["--sum", "--join"], more, &ALL[..]].concat();
        ncdump(&sandbox, &args).clean().text()
    };
    let want = sums(&[]);
    assert!(want.contains("(joined)#/v"), "{want}");
    for more in [
        &["--open-files", "1"][..],
        &["--threads", "1"],
        &["--threads", "7"],
    ] {
        assert_eq!(sums(more), want, "{more:?}");
    }
}

#[test]
fn the_given_order_and_descending_coordinates() {
    let sandbox = series("nc4");
    let args = [&["--join", "--order", "given"], &ALL[..]].concat();
    assert_eq!(
        data(&sandbox, "time", &args),
        "time = 6, 7, 0, 1, 2, 3, 4, 5 ;"
    );
    for (name, values) in [("d.nc", "5, 4"), ("e.nc", "3, 2")] {
        let cdl = format!(
            "netcdf x {{ dimensions: p = 2 ; variables: double p(p) ; data: p = {values} ; }}"
        );
        make(&sandbox, (name, "nc4"), &cdl);
    }
    assert_eq!(
        data(&sandbox, "p", &["--join=p", "@e.nc", "@d.nc"]),
        "p = 5, 4, 3, 2 ;"
    );
    let one = ncdump(&sandbox, &["--join=p", "-h", "@e.nc"]);
    assert_eq!(one.code, 0, "{one}");
}

#[test]
fn a_new_dimension_with_labels() {
    let sandbox = Sandbox::new();
    for (name, run, value) in [("r1.nc", 1, 5), ("r2.nc", 2, 6)] {
        let cdl = format!(
            "netcdf x {{ dimensions: x = 2 ; variables: int x(x) ; int v(x) ; int w(x) ; double t ; t:units = \"days since 2000-01-01\" ;
            :run = {run} ; data: x = 1, 2 ; v = {value}, 9 ; w = 3, 4 ; t = {run} ; }}"
        );
        make(&sandbox, (name, "nc4"), &cdl);
    }
    let both = ["@r2.nc", "@r1.nc"];
    let dumped = ncdump(&sandbox, &[&["--join-new", "t"], &both[..]].concat());
    assert!(
        dumped.text().contains("int v(t, x)") && dumped.text().contains("int w(x)"),
        "{dumped}"
    );
    assert!(dumped.text().contains("t = 1, 2 ;"), "{dumped}");
    let values = data(&sandbox, "v", &[&["--join-new", "t"], &both[..]].concat());
    assert_eq!(values, "v =\n  5, 9,\n  6, 9 ;");
    for (labels, want) in [
        ("a,b", "run = \"a\", \"b\" ;"),
        ("@run", "run = 1, 2 ;"),
        ("r*.nc", "run = 1, 2 ;"),
    ] {
        let labels = format!("--labels={labels}");
        let args = [&["--join-new", "run", &labels], &both[..]].concat();
        assert_eq!(data(&sandbox, "run", &args), want);
    }
    let each = [
        &["--join-new", "run", "--labels", "1,2", "--each", "w"],
        &both[..],
    ]
    .concat();
    assert_eq!(data(&sandbox, "w", &each), "w =\n  3, 4,\n  3, 4 ;");
    let args = [
        &[
            "--join-new",
            "run",
            "--labels=@run",
            "-k",
            "zarr3",
            "--verify",
        ],
        &both[..],
        &["@o.zarr"],
    ]
    .concat();
    let copied = nccopy(&sandbox, &args);
    assert_eq!(copied.code, 0, "{copied}");
    let exists = ncdump(&sandbox, &[&["--join-new", "x"], &both[..]].concat());
    assert!(
        exists.message().contains("the inputs have this dimension"),
        "{exists}"
    );
}

#[test]
fn variables_of_several_inputs_are_merged() {
    let sandbox = Sandbox::new();
    for (name, var) in [("a.nc", "a"), ("b.nc", "b")] {
        let cdl = format!(
            "netcdf x {{ dimensions: x = 2 ; variables: int x(x) ; int {var}(x) ; data: x = 1, 2 ; {var} = 3, 4 ; }}"
        );
        make(&sandbox, (name, "nc4"), &cdl);
    }
    let copied = nccopy(&sandbox, &["--merge", "@a.nc", "@b.nc", "@o.nc"]);
    assert_eq!(copied.code, 0, "{copied}");
    assert_eq!(
        data(&sandbox, "a,b", &["@o.nc"]),
        "a = 3, 4 ;\n\n b = 3, 4 ;"
    );
    make(
        &sandbox,
        ("c.nc", "nc4"),
        "netcdf x { dimensions: x = 2 ; variables: int x(x) ; data: x = 1, 3 ; }",
    );
    let refused = ncdump(&sandbox, &["--merge", "@a.nc", "@c.nc"]);
    assert!(
        refused.message().contains("different values of /x"),
        "{refused}"
    );
}

#[test]
fn lists_and_hostile_inputs() {
    let sandbox = series("nc4");
    let path = |name: &str| sandbox.path(name).display().to_string();
    sandbox.write("list", format!("{}\n{}\n", path("b.nc"), path("c.nc")));
    assert_eq!(
        data(&sandbox, "time", &["--join", "--inputs", "@list", "@a.nc"]),
        "time = 0, 1, 2, 3, 4, 5, 6, 7 ;"
    );
    let odd = sandbox.path("o\nd.nc");
    std::fs::copy(sandbox.path("c.nc"), &odd).unwrap();
    sandbox.write("zero", format!("{}\0{}\0", path("b.nc"), odd.display()));
    assert_eq!(
        data(&sandbox, "time", &["--join", "--inputs", "@zero"]),
        "time = 3, 4, 5, 6, 7 ;"
    );
    for (args, why) in [
        (&["@a.nc", "@a.nc"][..], "listed twice"),
        (&["-"], "standard input cannot be joined"),
        (&["@nosuch.nc", "@a.nc"], "cannot open"),
        (&["@*.txt"], "no file has a name of this pattern"),
    ] {
        let joined = ncdump(&sandbox, &[&["--join", "-h"], args].concat());
        assert!(
            joined.code == 1 && joined.message().contains(why),
            "{args:?} {joined}"
        );
    }
    let copied = nccopy(&sandbox, &["--join", "@a.nc", "@b.nc", "@b.nc"]);
    assert!(
        copied.message().contains("output would overwrite input"),
        "{copied}"
    );
    let copied = nccopy(&sandbox, &["--join", "@a.nc", "@b.nc", "@a.nc"]);
    assert!(copied.code == 2 || copied.code == 1, "{copied}");
    // Without an output, the last input is in its place.
    let before = sandbox.read("c.nc");
    let copied = nccopy(&sandbox, &["--join", "@a.nc", "@b.nc", "@c.nc"]);
    assert!(
        copied.code == 1 && copied.message().contains("it exists"),
        "{copied}"
    );
    assert_eq!(sandbox.read("c.nc"), before);
    let _ = nccopy(
        &sandbox,
        &["--join", "--overwrite", "@a.nc", "@b.nc", "@c.nc"],
    )
    .clean();
    let usage = nccopy(&sandbox, &["--overlap", "first", "@a.nc", "@o.nc"]);
    assert_eq!(usage.code, 2, "{usage}");
}

#[test]
fn strings_types_and_groups_of_mixed_formats() {
    let sandbox = Sandbox::new();
    for (name, n) in [("a.nc", 0), ("b.nc", 1), ("c.nc", 2)] {
        let cdl = format!(
            "netcdf x {{ types: compound c {{ int a ; float b ; }} ; int(*) l ; dimensions: t = 2 ; n = 2 ;
            variables: int t(t) ; string s(t) ; char k(n, t) ; c p(t) ; l q(t) ; string names(n) ;
            data: t = {}, {} ; s = \"a{n}\", NIL ; k = \"x{n}\", \"y{n}\" ; p = {{{n}, 1}}, {{2, {n}}} ; q = {{{n}}}, {{1, 2}} ; names = \"u\", \"v\" ;
            group: g {{ dimensions: r = UNLIMITED ; variables: int w(r, t) ; data: w = {n}, 1, 2, 3 ; }} }}",
            2 * n,
            2 * n + 1
        );
        make(&sandbox, (name, "nc4"), &cdl);
    }
    let args = ["--join=t", "@b.nc", "@a.nc", "@c.nc"];
    assert_eq!(
        data(&sandbox, "s", &args),
        "s = \"a0\", NIL, \"a1\", NIL, \"a2\", NIL ;"
    );
    assert_eq!(
        data(&sandbox, "q", &args),
        "q = {0}, {1, 2}, {1}, {1, 2}, {2}, {1, 2} ;"
    );
    assert_eq!(
        data(&sandbox, "k", &args),
        "k =\n  \"x0x1x2\",\n  \"y0y1y2\" ;"
    );
    let copied = nccopy(&sandbox, &[&args[..], &["--verify", "@o.nc"]].concat());
    assert_eq!(copied.code, 0, "{copied}");
    let _ = ncdump(&sandbox, &[&["--diff"], &args[..], &["@o.nc"]].concat()).clean();
    let store = nccopy(
        &sandbox,
        &[
            "-V",
            "t,s,k,names,/g/w",
            "-k",
            "nczarr3",
            "@b.nc",
            "@b.zarr",
        ],
    );
    assert_eq!(store.code, 0, "{store}");
    let part = nccopy(&sandbox, &["-V", "t,s,k,names,/g/w", "@a.nc", "@small.nc"]);
    assert_eq!(part.code, 0, "{part}");
    let mixed = ["--join=t", "@b.zarr", "@small.nc"];
    assert_eq!(
        data(&sandbox, "k", &mixed),
        "k =\n  \"x0x1\",\n  \"y0y1\" ;"
    );
    assert!(data(&sandbox, "s", &mixed).contains("\"a0\", NIL, \"a1\""));
}

#[test]
fn parts_of_a_plan_copy_the_same_bytes() {
    let sandbox = series("nc4");
    let direct = nccopy(
        &sandbox,
        &[&["--join", "-k", "nc4"], &ALL[..], &["@direct.nc"]].concat(),
    );
    assert_eq!(direct.code, 0, "{direct}");
    for parts in ["1", "7", "50"] {
        let plan = format!("@plan{parts}");
        let output = format!("@o{parts}.nc");
        let args = [
            &["--plan", &plan, "--parts", parts, "--join", "-k", "nc4"],
            &ALL[..],
            &[&output],
        ]
        .concat();
        let planned = nccopy(&sandbox, &args);
        assert_eq!(planned.code, 0, "{planned}");
        for step in ["--next", "--finish", "--finish"] {
            let done = nccopy(&sandbox, &["--quiet", step, &plan]);
            assert_eq!(done.code, 0, "{parts} {step} {done}");
        }
        assert_eq!(
            sandbox.read(&format!("o{parts}.nc")),
            sandbox.read("direct.nc"),
            "{parts}"
        );
    }
    for kind in ["nc3", "nc7", "nczarr3"] {
        let (plan, output) = (format!("@plan-{kind}"), format!("@o-{kind}"));
        let args = [
            &[
                "--quiet", "--plan", &plan, "--parts", "3", "--join", "-k", kind,
            ],
            &ALL[..],
            &[&output],
        ]
        .concat();
        let planned = nccopy(&sandbox, &args);
        assert_eq!(planned.code, 0, "{planned}");
        for step in ["--next", "--finish"] {
            let done = nccopy(&sandbox, &["--quiet", step, &plan]);
            assert_eq!(done.code, 0, "{kind} {step} {done}");
        }
        let _ = ncdump(&sandbox, &["--diff", "@direct.nc", &output]).clean();
    }
    let args = [
        &["--plan", "@changed", "--parts", "2", "--join"],
        &ALL[..],
        &["@p.nc"],
    ]
    .concat();
    assert_eq!(nccopy(&sandbox, &args).code, 0);
    let longer = Series {
        start: 6,
        len: 3,
        ..Series::default()
    };
    make(&sandbox, ("c.nc", "nc4"), &longer.cdl());
    let next = nccopy(&sandbox, &["--next", "@changed"]);
    assert!(
        next.code != 0
            && next
                .message()
                .contains("has changed since the plan was made"),
        "{next}"
    );
    let list = nccopy(
        &sandbox,
        &["--plan", "@list", "--join", "--inputs", "-", "@p.nc"],
    );
    assert!(
        list.code != 0 && list.message().contains("standard input"),
        "{list}"
    );
}

/// A successful command and a wrong command for each option.
const OPTIONS: &[(&[&str], &[&str])] = &[
    (&["--join=time"], &["--join=tim"]),
    (&["--join-new", "run"], &["--join-new", "x"]),
    (
        &["--join-new", "run", "--labels", "p,q"],
        &["--join-new", "run", "--labels", "p"],
    ),
    (
        &["--join-new", "run", "--each", "v"],
        &["--join-new", "run", "--each", "nope"],
    ),
    (&["--join", "--inputs", "@list"], &["--inputs", "@list"]),
    (
        &["--join", "--order", "given"],
        &["--join", "--order", "taken"],
    ),
    (&["--join", "--overlap", "last"], &["--overlap", "last"]),
    (
        &["--join", "--static", "first"],
        &["--join", "--static", "last"],
    ),
    (&["--join", "--lacking", "skip"], &["--join", "--lacking"]),
    (
        &["--join", "--conflicts", "common"],
        &["--conflicts", "common"],
    ),
    (
        &["--join", "--time-units", "hours since 2000-01-01"],
        &["--join", "--time-units", "hours"],
    ),
    (&["--join", "--repack=double"], &["--join", "--repack=char"]),
    (
        &["--join", "--open-files", "1"],
        &["--join", "--open-files", "0"],
    ),
    (&["--merge", "--static", "first"], &["--merge", "--join"]),
    (
        &["--join", "--layout"],
        &["--join", "--layout", "--require", "cloud"],
    ),
];

#[test]
fn each_option_right_and_wrong() {
    let sandbox = series("nc4");
    sandbox.write("list", sandbox.path("c.nc").display().to_string());
    let mut text = String::new();
    for (right, wrong) in OPTIONS {
        for args in [right, wrong] {
            let one = args.first() == Some(&"--join-new");
            let inputs: &[&str] = if one { &["@a.nc"] } else { &["@a.nc", "@b.nc"] };
            let args = [&["-v", "time"], &args[..], inputs].concat();
            text += &format!("$ ncdump {}\n{}\n", args.join(" "), ncdump(&sandbox, &args));
        }
    }
    let version = |line: &&str| line.starts_with("netcdf library version");
    let lines: Vec<&str> = text.lines().filter(|line| !version(line)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
