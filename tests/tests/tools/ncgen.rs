//! Snapshots of `ncgen`: help, misuse, diagnostics.

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

fn ncgen(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(ncgen::run, &[&["ncgen"], args].concat())
}

/// Generates a file from this text.
fn make(sandbox: &Sandbox, text: &str) -> CommandOutput {
    sandbox.write("a.cdl", text);
    ncgen(sandbox, &["-k", "classic", "-o", "@a.nc", "@a.cdl"])
}

macro_rules! command_lines {
    ($($name:ident: $($arg:literal),*;)*) => {$(
        #[test]
        fn $name() {
            let sandbox = Sandbox::new();
            assert_snapshot!(ncgen(&sandbox, &[$($arg),*]));
            assert_eq!(sandbox.names(), [""; 0], "nothing is left");
        }
    )*};
}

command_lines! {
    help: "--help";
    short_help: "-h";
    version: "--version";
    a_check_only: "%cdl/weather.cdl";
    no_such_option: "-Q";
    no_such_file: "-o", "@a.nc", "%cdl/nosuch.cdl";
    no_such_kind: "-k", "nosuch", "-o", "@a.nc", "%cdl/weather.cdl";
    no_such_language: "-l", "cobol", "%cdl/weather.cdl";
    no_such_folder: "-o", "@nosuch/a.nc", "%cdl/weather.cdl";
    a_c_program: "-l", "c", "%cdl/weather.cdl";
    no_fortran_program_of_netcdf4: "-lf77", "-4", "%cdl/weather.cdl";
    no_fortran_program_of_other_types: "-lf77", "%cdl/unsigned.cdl";
    no_java_program_of_other_types: "-ljava", "%cdl/unsigned.cdl";
    types_that_the_kind_lacks: "-k", "classic", "-o", "@a.nc", "%cdl/unsigned.cdl";
    no_text: "-o", "@a.nc", "%classic/weather-1.nc";
}

/// All constructs of the classic model.
const CLASSIC: &str = "netcdf small {\ndimensions:\n\tt = UNLIMITED ;\n\tx-y = 2 ;\nvariables:\n\tfloat T(t, x-y) ;\n\t\tT:units = \"it's\\n\" ;\n\t\tT:_FillValue = NaNf ;\n\tchar c(x-y) ;\n\tint t ;\n\tdouble d ;\n\t\td:range = -0.1, 1e+30 ;\n\n\t\t:empty = \"\" ;\ndata:\n T = 1, _, 3 ;\n c = \"a\" ;\n t = -2147483648 ;\n d = 0.1 ;\n}\n";

/// User-defined types, a group, storage, strings.
const ENHANCED: &str = "netcdf e {\ntypes:\n  byte enum e { A = 1, B-C = 2 } ;\n  opaque(2) o ;\n  compound \\double { char n(2, 3) ; e f ; o p ; } ;\n  string(*) v ;\ndimensions:\n\tx = 2 ;\nvariables:\n\t\\double c ;\n\tint k(x) ;\n\t\tk:_ChunkSizes = 1 ;\n\t\tk:_DeflateLevel = 3 ;\n\t\tk:_NoFill = \"true\" ;\n\te :g = B-C ;\ndata:\n c = {{\"abc\", \"d\"}, A, 0x01ff} ;\ngroup: g {\n variables:\n\tv l(x) ;\n\tstring s ;\n data:\n  l = {\"one\", NIL}, {} ;\n  s = \"a\\\"b\" ;\n }\n}\n";

macro_rules! programs {
    ($($name:ident: $text:expr, $($arg:literal),*;)*) => {$(
        #[test]
        fn $name() {
            let sandbox = Sandbox::new();
            assert_snapshot!(sandbox.run_with(ncgen::run, &["ncgen", $($arg),*], $text.as_bytes()));
            assert_eq!(sandbox.names(), [""; 0], "nothing is made");
        }
    )*};
}

programs! {
    a_classic_c_program: CLASSIC, "-lc", "-x", "-M", "make_it";
    an_enhanced_c_program: ENHANCED, "-lc", "-o", "e.nc";
    a_fortran_program: CLASSIC, "-lf77", "-k", "nc6";
    a_java_program: CLASSIC, "-ljava";
}

macro_rules! diagnostics {
    ($left:expr; $($name:ident: $text:literal;)*) => {$(
        #[test]
        fn $name() {
            let sandbox = Sandbox::new();
            assert_snapshot!(make(&sandbox, $text));
            assert_eq!(sandbox.names(), $left);
        }
    )*};
}

/// A failed run leaves no files.
const ERROR: [&str; 1] = ["a.cdl"];
const WARNING: [&str; 2] = ["a.cdl", "a.nc"];

diagnostics! {
    ERROR;
    an_empty_text: "";
    no_end: "netcdf a {\ndimensions:\n\tx = 3 ;\n";
    a_missing_semicolon: "netcdf a {\ndimensions:\n\tx = 3\n\ty = 4 ;\nvariables:\n\tint v(x) ;\n}\n";
    an_unknown_dimension: "netcdf a {\nvariables:\n\tint v(x) ;\n}\n";
    an_unknown_type: "netcdf a {\nvariables:\n\tinteger5 v ;\n}\n";
    an_unknown_variable: "netcdf a {\ndata:\n v = 1 ;\n}\n";
    an_attribute_of_nothing: "netcdf a {\nvariables:\n\tnosuch:a = 1 ;\n}\n";
    a_name_given_twice: "netcdf a {\ndimensions:\n\tx = 3 ;\n\tx = 4 ;\nvariables:\n\tint v ;\n\tfloat v ;\n}\n";
    two_unlimited_dimensions: "netcdf a {\ndimensions:\n\tx = UNLIMITED ;\n\ty = UNLIMITED ;\n}\n";
    a_record_dimension_in_second_place: "netcdf a {\ndimensions:\n\tx = 2 ;\n\tt = UNLIMITED ;\nvariables:\n\tint v(x, t) ;\n}\n";
    a_value_out_of_range: "netcdf a {\nvariables:\n\tbyte v ;\n\tshort w ;\ndata:\n v = 300 ;\n w = 1e9 ;\n}\n";
    a_value_that_is_none: "netcdf a {\ndimensions:\n\tx = 3 ;\nvariables:\n\tint v(x) ;\ndata:\n v = 1, oops, 3 ;\n}\n";
    an_open_string: "netcdf a {\nvariables:\n\tchar v ;\n\t\tv:a = \"open ;\n}\n";
    groups_in_a_classic_file: "netcdf a {\ngroup: g {\n dimensions:\n\tx = 1 ;\n}\n}\n";
    types_in_a_classic_file: "netcdf a {\ntypes:\n\tint(*) list ;\nvariables:\n\tlist v ;\n}\n";
}

diagnostics! {
    WARNING;
    a_fill_value_of_another_type: "netcdf a {\nvariables:\n\tint v ;\n\t\tv:_FillValue = 1.5 ;\n}\n";
    a_text_for_a_number: "netcdf a {\nvariables:\n\tint v ;\ndata:\n v = \"text\" ;\n}\n";
    too_many_values: "netcdf a {\ndimensions:\n\tx = 2 ;\nvariables:\n\tint v(x) ;\ndata:\n v = 1, 2, 3 ;\n}\n";
}

/// 16 GiB of fill values are only written with --allow-large. Kinds that need not store them need no option.
#[test]
fn outputs_of_fill_values_alone_are_refused() {
    let sandbox = Sandbox::new();
    let text = "netcdf a {\ndimensions:\n\tx = 4294967296 ;\nvariables:\n\tfloat v(x) ;\ndata:\n v = 1 ;\n}\n";
    sandbox.write("a.cdl", text);
    assert_snapshot!(ncgen(&sandbox, &["-k", "cdf5", "-o", "@a.nc", "@a.cdl"]));
    let refused = ncgen(&sandbox, &["-k", "nc4", "-o", "@a.nc", "@a.cdl"]);
    assert_eq!(refused.code, 1, "{refused}");
    assert_eq!(sandbox.names(), ["a.cdl"], "nothing is left");
    for args in [
        &["-k", "zarr3", "-o", "@a.zarr"][..],
        &["-H", "-k", "nc4", "-o", "@a.nc"],
        &["-x", "-H", "-k", "cdf5", "--allow-large", "-o", "@b.nc"],
    ] {
        let args = [args, &["@a.cdl"]].concat();
        let made = ncgen(&sandbox, &args);
        assert_eq!(made.code, 0, "{made}");
    }
}

/// `ncgen` reads back the characters that `ncdump` prints, for any padding of rows.
#[test]
fn characters_with_a_fill_value_come_back() {
    let sandbox = Sandbox::new();
    let variables = "\tchar a(x, n) ;\n\t\ta:_FillValue = \"x\" ;\n\tchar b(n) ;\n\t\tb:_FillValue = \" \" ;\n\tchar c ;\n\t\tc:_FillValue = \"z\" ;\n\tchar d(x, n) ;\n";
    let data = " a = \"ab\\000\\000\", \"\\000\\000\\000\\000\" ;\n b = \"a\\000 \\000\" ;\n c = \"\\000\" ;\n d = \"ab\", \"\" ;\n";
    let text = format!(
        "netcdf a {{\ndimensions:\n\tx = 2 ;\n\tn = 4 ;\nvariables:\n{variables}data:\n{data}}}\n"
    );
    sandbox.write("a.cdl", text);
    let _ = ncgen(&sandbox, &["-3", "-o", "@a.nc", "@a.cdl"]).clean();
    let printed = sandbox
        .run(ncdump::run, &["ncdump", "@a.nc"])
        .clean()
        .text();
    assert!(printed.contains(" d =\n  \"ab\",\n  \"\" ;"), "{printed}");
    sandbox.write("b.cdl", &printed);
    let _ = ncgen(&sandbox, &["-3", "-o", "@b.nc", "@b.cdl"]).clean();
    assert_eq!(sandbox.read("a.nc"), sandbox.read("b.nc"), "{printed}");
}

/// Types that use types of later groups, across several groups.
#[test]
fn types_may_be_made_of_those_of_later_groups() {
    let sandbox = Sandbox::new();
    let a = "group: a {\n  types:\n    compound T { /b/U f ; L l ; } ;\n    /c/V(*) L ;\n  variables:\n    T v ;\n  data:\n   v = {{X, {{Y}}}} ;\n}\n";
    let b = "group: b {\n  types:\n    byte enum U { X = 1, Y = 2 } ;\n}\n";
    let c = "group: c {\n  types:\n    compound V { /b/U u ; } ;\n}\n";
    let make = |groups: [&str; 3]| {
        let text = format!("netcdf a {{\n{}}}\n", groups.concat());
        sandbox.write("a.cdl", text);
        ncgen(&sandbox, &["-o", "@a.nc", "@a.cdl"])
    };
    let a = &a
        .replace("{{", "{")
        .replace("}}", "}")
        .replace("{X, {Y}}", "{X, {{Y}}}");
    let _ = make([a, c, b]).clean();
    let printed = sandbox
        .run(ncdump::run, &["ncdump", "@a.nc"])
        .clean()
        .text();
    assert!(printed.contains("   v = {X, {{Y}}} ;\n"), "{printed}");
    let circle = "group: b {\n  types:\n    compound U { /a/T t ; } ;\n}\n";
    let refused = make([a, c, circle]);
    assert_eq!(refused.code, 1, "{refused}");
    assert!(
        refused.to_string().contains("type `/b/U` is not defined"),
        "{refused}"
    );
}

const STRINGS: &str = "netcdf a {\nvariables:\n\tint v ;\n\t\tstring v:units = \"m\" ;\n\t\tstring v:long_name = \"caf\u{e9}\" ;\n}\n";

/// In kinds without strings, a single string becomes text.
#[test]
fn string_attributes_of_classic_files_are_text() {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", STRINGS);
    assert_snapshot!(ncgen(&sandbox, &["-3", "-o", "@a.nc", "@a.cdl"]));
    let text = sandbox
        .run(ncdump::run, &["ncdump", "@a.nc"])
        .clean()
        .text();
    assert!(text.contains("\t\tv:long_name = \"caf\u{e9}\" ;"), "{text}");
    let two = STRINGS.replace("\"m\"", "\"m\", \"s\"");
    sandbox.write("b.cdl", two);
    let failed = ncgen(&sandbox, &["-3", "-o", "@b.nc", "@b.cdl"]);
    assert_eq!(failed.code, 1, "{failed}");
    let whole = ncgen(&sandbox, &["-o", "@b.nc", "@b.cdl"]);
    assert_eq!(whole.code, 0, "{whole}");
}

/// At most 20 errors are printed, each with its position.
#[test]
fn many_errors() {
    let sandbox = Sandbox::new();
    let wrong: String = (0..50)
        .map(|n| format!("\tint v{n}(nosuch{n}) ;\n"))
        .collect();
    let output = make(&sandbox, &format!("netcdf a {{\nvariables:\n{wrong}}}\n"));
    assert_snapshot!(output);
}

/// Text that is not UTF-8 is kept unchanged.
#[test]
fn latin1_values() {
    let sandbox = Sandbox::new();
    let text = b"netcdf a {\ndimensions:\n\tx = 4 ;\nvariables:\n\tchar v(x) ;\n\t\tv:a = \"caf\xe9\" ;\ndata:\n v = \"\xe9t\xe9\" ;\n}\n";
    sandbox.write("a.cdl", text);
    let _ = ncgen(&sandbox, &["-o", "@a.nc", "@a.cdl"]).clean();
    let file = sandbox.read("a.nc");
    for want in [&b"caf\xe9"[..], b"\xe9t\xe9\0"] {
        assert!(
            file.windows(4).any(|bytes| bytes == want),
            "{want:?} is not in the file"
        );
    }
}

#[test]
fn unsupported_options_of_a_kind() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.cdl",
        "netcdf a { dimensions: t = 4 ; variables: int v(t) ; }",
    );
    for (option, kind) in [
        ("--cloud", "nc3"),
        ("--consolidated", "nc4"),
        ("--zip-prefix", "zarr3"),
        ("--no-zip-prefix", "nc4"),
    ] {
        let out = ncgen(&sandbox, &[option, "-k", kind, "-o", "@o.nc", "@a.cdl"]);
        assert!(
            out.code == 2 && out.message().contains(option),
            "{option}: {out}"
        );
    }
    assert_eq!(sandbox.names(), ["a.cdl"]);
}
