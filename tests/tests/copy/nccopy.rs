//! Snapshots of `nccopy`: help and misuse. Conversions between the classic kinds.

use insta::assert_snapshot;
use netcdf_tools_tests::files::{list, name, stem, testdata};
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy"], args].concat())
}

fn ncdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(ncdump::run, &[&["ncdump"], args].concat())
}

macro_rules! snapshots {
    ($($name:ident: $($arg:literal),*;)*) => {$(
        #[test]
        fn $name() {
            let sandbox = Sandbox::new();
            assert_snapshot!(nccopy(&sandbox, &[$($arg),*]));
            assert_eq!(sandbox.names(), [""; 0], "nothing is left");
        }
    )*};
}

/// A damaged file that `ncdump` prints partly is not copied.
#[test]
fn a_damaged_object() {
    let sandbox = Sandbox::new();
    let bytes = std::fs::read(testdata("hdf5/structures/classic_model.nc")).unwrap();
    let at = bytes.windows(4).position(|w| w == b"text").expect("a name");
    let damaged = [&bytes[..at], b"T", &bytes[at + 1..]].concat();
    sandbox.write("damaged.nc", damaged);
    assert_snapshot!(nccopy(&sandbox, &["-k", "classic", "@damaged.nc", "@o.nc"]));
    assert_eq!(sandbox.names(), ["damaged.nc"], "nothing is left");
}

snapshots! {
    help: "--help";
    version: "--version";
    no_arguments:;
    no_output: "%classic/weather-1.nc";
    no_such_option: "-Q", "%classic/weather-1.nc", "@o.nc";
    no_such_kind: "-k", "nosuch", "%classic/weather-1.nc", "@o.nc";
    no_such_file: "%classic/nosuch.nc", "@o.nc";
    no_such_variable: "-V", "nosuch", "%classic/weather-1.nc", "@o.nc";
    no_such_folder: "%classic/weather-1.nc", "@nosuch/o.nc";
    no_dataset: "%cdl/weather.cdl", "@o.nc";
    no_such_filter: "-F", "time,zsdt,3", "%classic/weather-1.nc", "@o.nc";
    no_variable_matches: "-F", "zz*,zstd,3", "%classic/weather-1.nc", "@o.nc";
    a_variable_named_twice: "-F", "time,1", "-F", "/time,2", "%classic/weather-1.nc", "@o.nc";
    no_such_dimension: "-c", "tiem/1", "%classic/weather-1.nc", "@o.nc";
    filters_of_a_classic_file: "-3", "-d1", "-c", "time/1", "--dry-run", "%classic/weather-1.nc", "@o.nc";
    dry_run: "-d1", "-s", "-c", "time/10", "--dry-run", "%classic/weather-1.nc", "@o.nc";
    dry_run_of_filters: "-F", "t*,shuffle|zstd,3", "-M0", "--dry-run", "%classic/weather-1.nc", "@o.nc";
    isolated_plugins: "--isolate-plugins", "--plugin-timeout=5", "--dry-run", "%classic/weather-1.nc", "@o.nc";
    isolated_plugins_perhaps: "--isolate-plugins=perhaps", "%classic/weather-1.nc", "@o.nc";
    no_time_for_plugins: "--plugin-timeout", "0", "%classic/weather-1.nc", "@o.nc";
    dry_run_of_the_same_kind: "--dry-run", "%classic/weather-1.nc", "@o.nc";
    into_no_directory: "%classic/weather-1.nc", "%classic/records-1.nc", "@nosuch";
    twice_the_same_name: "%classic/weather-1.nc", "%classic/../classic/weather-1.nc", "@";
    types_that_the_kind_lacks: "-k", "classic", "%classic/unsigned-5.nc", "@o.nc";
}

#[test]
fn string_attributes_of_classic_copies_are_text() {
    let sandbox = Sandbox::new();
    let strings = |values: &str| {
        let attributes = format!("\t\tstring v:units = \"m\" ;\n\t\tstring v:names = {values} ;\n");
        let text = format!("netcdf a {{\nvariables:\n\tint v ;\n{attributes}}}\n");
        sandbox.write("a.cdl", text);
        let args = ["ncgen", "-4", "-o", "@a.nc", "@a.cdl"];
        let _ = sandbox.run(ncgen::run, &args).clean();
    };
    strings("\"caf\u{e9}\"");
    for kind in ["-3", "-6", "-5", "-7"] {
        let copied = nccopy(&sandbox, &["--verify", "--strict", kind, "@a.nc", "@o.nc"]);
        assert_eq!(copied.code, 0, "{copied}");
        let text = ncdump(&sandbox, &["-h", "@o.nc"]).clean().text();
        assert!(text.contains("\t\tv:names = \"caf\u{e9}\" ;"), "{text}");
    }
    assert_snapshot!(nccopy(&sandbox, &["-3", "@a.nc", "@o.nc"]));
    strings("\"m\", \"s\"");
    assert_snapshot!(
        "lists_of_strings",
        nccopy(&sandbox, &["-3", "@a.nc", "@n.nc"])
    );
    assert_eq!(sandbox.names(), ["a.cdl", "a.nc", "o.nc"]);
}

#[test]
fn never_over_its_input() {
    let sandbox = Sandbox::new();
    let bytes = std::fs::read(testdata("classic/weather-1.nc")).unwrap();
    sandbox.write("a.nc", &bytes);
    std::os::unix::fs::symlink(sandbox.path("a.nc"), sandbox.path("link.nc")).unwrap();
    std::fs::hard_link(sandbox.path("a.nc"), sandbox.path("hard.nc")).unwrap();
    for output in ["@a.nc", "@link.nc", "@hard.nc"] {
        let refused = nccopy(&sandbox, &["-k", "cdf5", "@a.nc", output]);
        assert_eq!(refused.code, 1, "{refused}");
        assert_eq!(sandbox.read("a.nc"), bytes);
    }
    assert_snapshot!(nccopy(&sandbox, &["@a.nc", "@link.nc"]));
}

#[test]
fn only_some_variables() {
    let sandbox = Sandbox::new();
    let args = ["-V", "time,quality", "%classic/weather-1.nc", "@o.nc"];
    // Like the C tool, nccopy prints no note: scripts treat text on standard error as a failure.
    let _ = nccopy(&sandbox, &args).clean();
    assert_snapshot!(ncdump(&sandbox, &["@o.nc"]));
}

#[test]
fn unlimited_dimensions_made_fixed() {
    let sandbox = Sandbox::new();
    let _ = nccopy(&sandbox, &["-u", "%classic/records-1.nc", "@o.nc"]).clean();
    assert_snapshot!(ncdump(&sandbox, &["@o.nc"]));
}

/// Copies each file to each kind. The text must not change. If the test data has a file of the kind from the same source, the bytes must be
/// equal.
#[test]
fn kinds_are_converted_without_loss() {
    for path in list(&testdata("classic"), "nc") {
        let input = format!("%classic/{}", name(&path));
        let want = ncdump(&Sandbox::new(), &["-n", "x", &input]).clean();
        for (number, kind) in [("1", "classic"), ("2", "64-bit-offset"), ("5", "cdf5")] {
            if name(&path).starts_with("unsigned") && number != "5" {
                continue;
            }
            let sandbox = Sandbox::new();
            let _ = nccopy(&sandbox, &["-k", kind, &input, "@o.nc"]).clean();
            let of = format!("{input} as {kind}");
            assert_eq!(
                ncdump(&sandbox, &["-n", "x", "@o.nc"]).clean().text(),
                want.text(),
                "{of}"
            );
            let kinds = ncdump(&sandbox, &["-k", "@o.nc"]).clean().text();
            assert_eq!(kinds.trim_end().replace(' ', "-"), kind, "{of}");
            let made = stem(&path)
                .rsplit_once('-')
                .map(|(source, _)| source.to_owned())
                .unwrap_or_default();
            let same = testdata("classic").join(format!("{made}-{number}.nc"));
            if testdata("cdl").join(format!("{made}.cdl")).exists() {
                assert!(
                    sandbox.read("o.nc") == std::fs::read(&same).unwrap(),
                    "{of}: other bytes than {}",
                    same.display()
                );
            }
        }
    }
}

#[test]
fn many_inputs() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("out")).unwrap();
    let args = [
        "-d1",
        "%classic/weather-1.nc",
        "%cdl/weather.cdl",
        "%classic/records-1.nc",
        "@out",
    ];
    assert_snapshot!(nccopy(&sandbox, &args));
    let made = std::fs::read_dir(sandbox.path("out")).unwrap();
    let mut made: Vec<_> = made.map(|e| e.unwrap().file_name()).collect();
    made.sort();
    assert_eq!(made, ["records-1.nc", "weather-1.nc"]);
    assert_snapshot!(
        "one_of_many",
        ncdump(&sandbox, &["-hs", "@out/records-1.nc"])
    );
    let again = nccopy(
        &sandbox,
        &["@out/weather-1.nc", "@out/records-1.nc", "@out"],
    );
    assert_eq!(again.code, 1, "they would overwrite themselves: {again}");
}

#[test]
fn verified() {
    let sandbox = Sandbox::new();
    let args = [
        "--verify",
        "-d1",
        "-s",
        "-c",
        "time/2,lat/2",
        "-M0",
        "%classic/weather-1.nc",
        "@o.nc",
    ];
    let _ = nccopy(&sandbox, &args).clean();
    let _ = nccopy(&sandbox, &["--verify", "-k", "cdf5", "@o.nc", "@p.nc"]).clean();
    assert_eq!(sandbox.names(), ["o.nc", "p.nc"]);
    let same = |file| ncdump(&sandbox, &["-n", "x", file]).stdout;
    assert_eq!(same("@o.nc"), same("@p.nc"));
}

/// A chunk that is longer than its dimension counts as it is stored.
#[test]
fn reports_count_stored_bytes_of_long_chunks() {
    let sandbox = Sandbox::new();
    let weather = "%classic/weather-1.nc";
    let _ = nccopy(
        &sandbox,
        &["-k", "zarr", "-c", "time/512", weather, "@a.zarr"],
    );
    let out = nccopy(&sandbox, &["--report=json", "@a.zarr", "@b.zarr"]).clean();
    let time = r#"{"name": "/time", "method": "rechunk", "raw": 24, "before": 4096, "after": 24"#;
    assert!(out.text().contains(time), "{out}");
}

#[test]
fn reports() {
    let sandbox = Sandbox::new();
    let args = [
        "--report=json",
        "-d1",
        "-F",
        "time,none",
        "%classic/weather-1.nc",
        "@o.nc",
    ];
    let out = nccopy(&sandbox, &args).clean();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.starts_with("{\"version\": ") && text.contains("\"name\": \"/time\""));
    let out = nccopy(&sandbox, &["--report", "@o.nc", "@p.nc"]).clean();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines[1].starts_with("variable") && lines[lines.len() - 1].starts_with("total"),
        "{text}"
    );
    assert!(text.contains("move chunks"), "{text}");
}
