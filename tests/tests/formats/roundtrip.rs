//! Round trips: `ncgen` restores the file from the output of `ncdump`, and `ncdump` prints the same text for this file.

use netcdf_tools_tests::files::{list, name, stem, testdata};
use netcdf_tools_tests::harness::{Run, Sandbox};
use netcdf_tools_tests::random::seed;
use proptest::prelude::*;

const NCDUMP: Run = ncdump::run;
const NCGEN: Run = ncgen::run;

/// Converts `@a.nc` to CDL and `@b.nc`; returns the text.
fn around(sandbox: &Sandbox, kind: &str) -> String {
    let text = sandbox
        .run(NCDUMP, &["ncdump", "-p", "exact", "-n", "x", "@a.nc"])
        .clean()
        .stdout;
    sandbox.write("a.cdl", &text);
    let _ = sandbox
        .run(
            NCGEN,
            &["ncgen", "--no-sync", "-k", kind, "-o", "@b.nc", "@a.cdl"],
        )
        .clean();
    String::from_utf8_lossy(&text).into_owned()
}

/// The files of testdata that `ncgen` can create: without the record count STREAMING, gaps, and invalid names.
#[test]
fn the_test_data_come_back_byte_for_byte() {
    for path in list(&testdata("classic"), "nc") {
        if ["streaming", "gap", "slash", "latin1"]
            .iter()
            .any(|odd| name(&path).starts_with(odd))
        {
            continue;
        }
        let sandbox = Sandbox::new();
        let bytes = std::fs::read(&path).unwrap();
        sandbox.write("a.nc", &bytes);
        let kind = match stem(&path).rsplit_once('-') {
            Some((_, "1")) => "classic",
            Some((_, "2")) => "64-bit-offset",
            _ => "cdf5",
        };
        let text = around(&sandbox, kind);
        assert!(
            sandbox.read("b.nc") == bytes,
            "{}: other bytes by way of\n{text}",
            name(&path)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_files_come_back_byte_for_byte(seed in seed()) {
        let sandbox = Sandbox::new();
        let file = seed.file();
        sandbox.write("a.nc", &file);
        let text = around(&sandbox, seed.kind().name());
        prop_assert!(sandbox.read("b.nc") == file, "other bytes by way of\n{}", text);
    }
}

/// Returns the sorted lines of a text that describe the content, because the type order may change.
fn sorted(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let about_the_file = ["_NCProperties", "_SuperblockVersion"];
    let lines = text.lines().map(str::trim);
    let mut lines: Vec<_> = lines
        .filter(|line| !about_the_file.iter().any(|word| line.contains(word)))
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}

/// `ncgen` reads the output of `ncdump` for any file, and `ncdump` prints the same for ncgen's output.
#[test]
fn printed_text_is_read() {
    let mut files = list(&testdata("hdf5"), "h5");
    files.extend(list(&testdata("netcdf4"), "nc"));
    let mut count = 0;
    for path in files {
        let sandbox = Sandbox::new();
        let file = path.to_str().unwrap();
        let dump = |of: &str| sandbox.run(NCDUMP, &["ncdump", "-p", "exact", "-n", "x", of]);
        let first = dump(file);
        if first.code != 0 {
            // A filter is missing, or the file is damaged.
            continue;
        }
        sandbox.write("a.cdl", &first.stdout);
        let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@b.nc", "@a.cdl"];
        let made = sandbox.run(NCGEN, &args);
        assert_eq!(made.code, 0, "{}: {made}", name(&path));
        let second = dump("@b.nc").clean();
        assert_eq!(
            sorted(&second.stdout),
            sorted(&first.stdout),
            "{}",
            name(&path)
        );
        count += 1;
    }
    assert!(count > 25, "only {count} files were printed");
}

#[test]
fn printed_text_of_unusual_files_is_read() {
    let text = "netcdf x {\ntypes:\n  byte enum e {one = 1, a%b = 2} ;\nvariables:\n\tint data(/g/d) ;\n\t\tdata :units = \"m\" ;\n\
                \te m(/g/d) ;\n\te only ;\n\tint x\\ data ;\n\t\tx\\ data:units = \"m\" ;\n\n// global attributes:\n\t\te :none = \"\" ;\n\
                \t\t:\\_Storage = \"text\" ;\ndata:\n\n data = 1, 2, 3 ;\n\n m = one, _UNDEFINED, 7 ;\n\n only = a%b ;\n\n x\\ data = 4 ;\n\n\
                group: g {\n  dimensions:\n  \td = 3 ;\n  } // group g\n}\n";
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", text);
    let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@b.nc", "@a.cdl"];
    let _ = sandbox.run(NCGEN, &args).clean();
    let printed = sandbox.run(NCDUMP, &["ncdump", "-n", "x", "@b.nc"]).clean();
    assert_eq!(printed.text(), text);
}

/// Zarr also has the enhanced model: no code treats Zarr like the classic kinds.
#[test]
fn zarr_is_of_the_enhanced_model() {
    let text = "netcdf x { variables: string s ; int v ; :a = 1 ; data: s = \"a\" ; v = 1 ; \
                group: g { variables: int w ; data: w = 2 ; } }";
    let outputs = |args: &[&str]| {
        ["nc4", "nczarr", "nczarr3", "zarr3"].map(|kind| {
            let sandbox = Sandbox::new();
            sandbox.write("a.cdl", text);
            let make = ["ncgen", "--no-sync", "-k", kind, "-o", "@o", "@a.cdl"];
            let _ = sandbox.run(NCGEN, &make).clean();
            let args = [&["ncdump"], args, &["@o"]].concat();
            let text = sandbox.run(NCDUMP, &args).clean().text();
            text.replace("#mode=nczarr,file", "")
        })
    };
    for args in [&["-g", "g"][..], &["-x"]] {
        let [first, others @ ..] = outputs(args);
        assert!(first.contains('w') && first.contains('g'), "{first}");
        for other in others {
            assert_eq!(other, first, "{args:?}");
        }
    }
}

#[test]
fn programs_make_the_kind_that_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", "netcdf x { group: g { variables: int w ; } }");
    let run = |args: &[&str]| sandbox.run(NCGEN, &[&["ncgen"], args, &["@a.cdl"]].concat());
    let program = |kind| run(&["-lc", "-k", kind, "-o", "o.zarr"]).clean().text();
    let create = "nc_create(\"file://o.zarr#mode=nczarr,file\", NC_CLOBBER|NC_NETCDF4, &ncid)";
    assert!(program("nczarr").contains(create));
    assert!(program("zarr").contains("mode=zarr,file"));
    for args in [
        &["-lc", "-k", "nczarr3", "-o", "o.zarr"],
        &["-lf77", "-k", "nczarr", "-o", "o.zarr"],
        &["-ljava", "-k", "zarr", "-o", "o.zarr"],
    ] {
        let output = run(args);
        assert_eq!((output.code, output.stdout.len()), (1, 0), "{output}");
    }
}
