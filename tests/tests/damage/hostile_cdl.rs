//! CDL that requires excessive resources fails early, with an error and little memory. `ncgen` reads all CDL that `ncdump` prints for its
//! own output.

use std::fmt::Write as _;
use std::fs::File;

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::sample;

/// Runs `ncgen` on a text.
fn ncgen(sandbox: &Sandbox, text: &str, args: &[&str]) -> CommandOutput {
    sandbox.write("a.cdl", text);
    sandbox.run(
        ncgen::run,
        &[&["ncgen", "--no-sync"], args, &["@a.cdl"]].concat(),
    )
}

/// Returns the output of `ncdump` for the output of `ncgen`.
fn around(text: &str) -> String {
    let sandbox = Sandbox::new();
    let _ = ncgen(&sandbox, text, &["-k", "nc4", "-o", "@a.nc"]).clean();
    let args = ["ncdump", "@a.nc"];
    sandbox.run(ncdump::run, &args).clean().text()
}

const OUTPUTS: [&[&str]; 7] = [
    &[],
    &["-k", "cdf5", "-o", "@o"],
    &["-k", "nc4", "-o", "@o"],
    &["-k", "nczarr", "-o", "@o"],
    &["-k", "zarr3", "-o", "@o"],
    &["-lc"],
    &["-lf77"],
];

#[test]
fn padding_without_end() {
    let text = "netcdf x { dimensions: n = 2; d = 9223372036854775807; variables: char c(n, d); \
                data: c = \"a\", \"b\"; }";
    for args in OUTPUTS {
        let sandbox = Sandbox::new();
        let output = ncgen(&sandbox, text, args);
        assert_eq!(
            output.code,
            u8::from(!args.is_empty()),
            "{args:?}: {output}"
        );
        assert_eq!(sandbox.names(), ["a.cdl"], "{args:?}");
    }
}

#[test]
fn few_values_of_many() {
    let text =
        "netcdf x { dimensions: n = 1099511627776; variables: int v(n); data: v = 1, 2, 3; }";
    for kind in ["nczarr", "zarr3"] {
        let sandbox = Sandbox::new();
        let _ = ncgen(&sandbox, text, &["-k", kind, "-o", "@o"]).clean();
    }
    for args in [&["-lc"][..], &["-k", "cdf5", "-o", "@o"]] {
        let sandbox = Sandbox::new();
        let output = ncgen(&sandbox, text, args);
        assert_eq!(output.code, 1, "{output}");
        assert_eq!(sandbox.names(), ["a.cdl"]);
    }
}

#[test]
fn rows_without_values_read_as_fill() {
    let text = "netcdf x {\ndimensions:\n\tn = 40 ;\n\tm = 4 ;\nvariables:\n\tbyte v(n) ;\n\t\tv:_FillValue = 7b ;\n\t\tv:_ChunkSizes = 10 ;\n\
                \tchar c(n, m) ;\n\t\tc:_ChunkSizes = 10, 4 ;\ndata:\n v = 1, 2 ;\n c = \"a\", \"bc\" ;\n}\n";
    let mut printed = vec![];
    for kind in ["classic", "nc4", "nczarr", "nczarr3"] {
        let sandbox = Sandbox::new();
        let text = match kind {
            "classic" => text
                .replace("\t\tv:_ChunkSizes = 10 ;\n", "")
                .replace("\t\tc:_ChunkSizes = 10, 4 ;\n", ""),
            _ => text.to_owned(),
        };
        // A note says that Python cannot read characters in NCZarr version 2.
        let made = ncgen(&sandbox, &text, &["-k", kind, "-o", "@o"]);
        assert_eq!(made.code, 0, "{made}");
        printed.push(
            sandbox
                .run(ncdump::run, &["ncdump", "-n", "x", "@o"])
                .clean()
                .text(),
        );
    }
    assert_eq!(printed[0].matches('_').count(), 39, "{}", printed[0]);
    for other in &printed {
        assert_eq!(*other, printed[0]);
    }
}

/// Returns `inner` nested types around an `int`.
fn chain(inner: usize, compounds: bool) -> String {
    let mut text = "netcdf x { types: compound t0 { int a; };".to_owned();
    for n in 1..inner {
        let _ = match compounds {
            true => write!(text, "compound t{n} {{ t{} a; }};", n - 1),
            false => write!(text, "t{}(*) t{n};", n - 1),
        };
    }
    let last = inner - 1;
    write!(text, "variables: t{last} v; }}").unwrap();
    text
}

#[test]
fn types_are_nested_as_deep_as_is_read() {
    for compounds in [true, false] {
        assert!(around(&chain(63, compounds)).contains("t62 v ;"));
        for (count, args) in [(64, OUTPUTS[2]), (10_000, OUTPUTS[2]), (10_000, &[])] {
            let sandbox = Sandbox::new();
            let output = ncgen(&sandbox, &chain(count, compounds), args);
            assert_eq!(output.code, 1, "{count}");
            assert!(
                output.message().contains("types nested more than"),
                "{output}"
            );
        }
    }
}

#[test]
fn types_of_twice_the_one_before() {
    let mut text = "netcdf x { types: compound t0 { byte a; };".to_owned();
    for n in 1..60 {
        let m = n - 1;
        write!(text, "compound t{n} {{ t{m} a; t{m} b; }};").unwrap();
    }
    text += "variables: t59 v; t59 :a = {} ; }";
    let output = ncgen(&Sandbox::new(), &text, &[]);
    assert_eq!(output.code, 1);
    assert!(output.message().contains("made of more than"), "{output}");
}

#[test]
fn groups_are_nested_as_deep_as_is_read() {
    let groups = |n: usize| {
        format!(
            "netcdf x {{ {} {} }}",
            "group: g {".repeat(n),
            "}".repeat(n)
        )
    };
    assert!(around(&groups(255)).contains("group: g"));
    for args in OUTPUTS {
        let output = ncgen(&Sandbox::new(), &groups(256), args);
        assert_eq!(output.code, 1, "{args:?}");
    }
}

/// The time grows linearly with the number of variables: quadratic time would be minutes for the 100,000 variables of an exhaustive run.
#[test]
fn programs_of_many_variables() {
    let count = sample::count(10_000, 100_000);
    println!("{count} variables, 100000 in an exhaustive run");
    let mut text = "netcdf x { variables: ".to_owned();
    let long = "a_name_that_is_longer_than_names_of_fortran_";
    (0..count).for_each(|n| write!(text, "int {long}{n};").unwrap());
    text += "data: ";
    (0..count).for_each(|n| write!(text, "{long}{n} = {n};").unwrap());
    text += "}";
    for language in ["-lc", "-lf77"] {
        let _ = ncgen(&Sandbox::new(), &text, &[language]).clean();
    }
}

#[test]
fn a_text_on_standard_input_is_not_replaced() {
    let sandbox = Sandbox::new();
    let text = "netcdf x { }";
    let path = sandbox.write("t.cdl", text);
    for input in [&[][..], &["-"]] {
        let run = netcdf_tools_tests::tool!()
            .args(["ncgen", "-o"])
            .arg(&path)
            .args(input)
            .stdin(File::open(&path).unwrap())
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(1));
        assert_eq!(sandbox.read("t.cdl"), text.as_bytes());
    }
    let copy = sandbox.path("a.nc");
    let _ = sandbox
        .run(ncgen::run, &["ncgen", "-o", "@a.nc", "@t.cdl"])
        .clean();
    let before = sandbox.read("a.nc");
    let run = netcdf_tools_tests::tool!()
        .args(["nccopy", "-k", "nc4", "-"])
        .arg(&copy)
        .stdin(File::open(&copy).unwrap())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(sandbox.read("a.nc"), before);
}
