//! `ncdump --layout` and `--require`: the storage of datasets, and whether it suits remote readers.

use netcdf_tools_tests::harness::Sandbox;

/// Time in small chunks, deflated data in a group, contiguous data, and a text.
const CDL: &str = r#"netcdf a {
dimensions: time = UNLIMITED ; x = 6 ; bnds = 2 ;
variables:
  double time(time) ; time:_ChunkSizes = 1 ; time:bounds = "time_bnds" ;
  double time_bnds(time, bnds) ; time_bnds:_ChunkSizes = 1, 2 ;
  short plain(x) ;
data:
  time = 1, 2, 3 ; time_bnds = 0, 1, 1, 2, 2, 3 ; plain = 1, 2, 3, 4, 5, 6 ;
group: g {
  variables:
    float t(time, x) ; t:_ChunkSizes = 2, 4 ; t:_DeflateLevel = 1 ; t:_Shuffle = "true" ;
  data: t = 1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2 ;
} }"#;

fn sandbox(kind: &str, name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", CDL);
    let args = ["ncgen", "-k", kind, "-o", name, "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    sandbox
}

/// Returns the listing with these options.
fn listing(sandbox: &Sandbox, args: &[&str]) -> String {
    let args = [&["ncdump", "--layout"], args].concat();
    sandbox.run(ncdump::run, &args).clean().text()
}

/// Returns the exit status for rules, and the violations.
fn require(sandbox: &Sandbox, rules: &str, name: &str) -> (u8, String) {
    let out = sandbox.run(ncdump::run, &["ncdump", "--require", rules, name]);
    assert_eq!(out.text(), "");
    (out.code, out.message())
}

#[test]
fn files_of_chunks_are_listed() {
    let sandbox = sandbox("nc4", "@a.nc");
    insta::assert_snapshot!(listing(&sandbox, &["@a.nc"]));
    insta::assert_snapshot!(listing(&sandbox, &["--json", "@a.nc"]));
    let all = sandbox.run(ncdump::run, &["ncdump", "--require", "cmip7", "@a.nc"]);
    insta::assert_snapshot!(all);
}

#[test]
fn stores_are_listed() {
    let sandbox = sandbox("nczarr3", "@a.zarr");
    insta::assert_snapshot!(listing(&sandbox, &["@a.zarr"]));
    let args = ["nccopy", "--quiet", "--consolidated", "@a.zarr", "@b.zarr"];
    let _ = sandbox.run(nccopy::run, &args);
    insta::assert_snapshot!(listing(&sandbox, &["-v", "plain", "@b.zarr"]));
}

/// Each output of `nccopy --cloud` follows the requested rules.
#[test]
fn copies_keep_to_the_rules() {
    let sandbox = sandbox("nc4", "@a.nc");
    for rules in ["cloud", "cmip7", "paged"] {
        assert_eq!(require(&sandbox, rules, "@a.nc").0, 1, "{rules}");
        let how = match rules {
            "cloud" => "--cloud".to_owned(),
            _ => format!("--cloud={rules}"),
        };
        let copy = sandbox.run(nccopy::run, &["nccopy", &how, "@a.nc", "@o.nc"]);
        assert_eq!(copy.code, 0, "{copy}");
        let kept = require(&sandbox, rules, "@o.nc");
        assert_eq!(kept, (0, String::new()), "{rules}");
    }
    for kind in ["zarr", "nczarr", "nczarr3", "classic"] {
        // Classic files have all metadata first.
        let cloud = (kind != "classic").then_some("--cloud");
        let args = ["nccopy", "-k", kind, "-V", "plain", "@a.nc", "@o"];
        let args: Vec<_> = args.into_iter().chain(cloud).collect();
        let _ = std::fs::remove_dir_all(sandbox.path("o"));
        let copy = sandbox.run(nccopy::run, &args);
        assert_eq!(copy.code, 0, "{copy}");
        let kept = require(&sandbox, "cloud", "@o");
        assert_eq!(kept, (0, String::new()), "{kind}");
    }
}

#[test]
fn errors_have_status_2() {
    let sandbox = sandbox("nc4", "@a.nc");
    let bytes = sandbox.read("a.nc");
    sandbox.write("cut.nc", &bytes[..bytes.len() - 1]);
    sandbox.write("text", "no dataset");
    for name in ["@cut.nc", "@text", "@nosuch.nc"] {
        let (code, said) = require(&sandbox, "cloud", name);
        assert_eq!((code, said.lines().count()), (2, 1), "{said}");
    }
    let args = ["ncdump", "--layout", "--require", "paged", "@a.nc"];
    let both = sandbox.run(ncdump::run, &args);
    assert_eq!(both.code, 1);
    assert_eq!(both.text(), listing(&sandbox, &["@a.nc"]));
    assert_eq!(both.message(), "ncdump: @/a.nc: not stored in pages\n");
}
