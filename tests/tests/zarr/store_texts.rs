//! `ncgen` recreates a Zarr store from the output of `ncdump -s`.

use netcdf_tools_tests::files::{list, name, testdata};
use netcdf_tools_tests::harness::Sandbox;

const KINDS: [&str; 4] = ["nczarr", "zarr", "nczarr3", "zarr3"];

/// All special attributes of variables in Zarr.
const SPECIAL: &str = r#"netcdf dataset {
dimensions:
	x = 6 ;
	y = 4 ;
	n = 3 ;
	t = UNLIMITED ;
variables:
	int plain(x) ;
	int whole(y, x) ; whole:_Storage = "contiguous" ;
	short deflated(t, x) ;
		deflated:_ChunkSizes = 2, 3 ;
		deflated:_Shuffle = "true" ;
		deflated:_DeflateLevel = 5 ;
		deflated:_Endianness = "big" ;
	float summed(y, x) ; summed:_Fletcher32 = "true" ;
	double zstd(t) ; zstd:_Filter = "32015,3" ;
	int quiet(x) ; quiet:_NoFill = "true" ;
	int coded(x) ; coded:_Codecs = "[{\"id\": \"shuffle\", \"elementsize\": 4},{\"id\": \"bz2\", \"level\": 9}]" ;
	int wide(x) ; wide:_ChunkSizes = 6 ;
	string own(n) ; own:_nczarr_maxstrlen = 7 ;
	string others(n) ;
	string one ;
	char text(n, x) ; text:_FillValue = "-" ;
	double scalar ; scalar:_Codecs = "[{\"id\": \"zlib\", \"level\": 4}]" ;
	byte small ;
		:_nczarr_default_maxstrlen = 40 ;
data:
 plain = 1, 2, 3, 4, 5, _ ;
 whole = 1, 2, 3 ;
 deflated = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18 ;
 summed = 0.1, 0.2, NaN ;
 zstd = 1e-30, 1e30, -0.0 ;
 quiet = 6, 5, 4, 3, 2, 1 ;
 coded = 10, 20, 30 ;
 wide = 7 ;
 own = "abcdefg", "", "h" ;
 others = "one", "two", "three" ;
 one = "alone" ;
 text = "abc", "defghi" ;
 scalar = 2.5 ;
 small = 3 ;
group: g {
  dimensions:
	z = 2 ;
  variables:
	int64 v(z, x) ; v:_ChunkSizes = 1, 6 ;
  data:
   v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ;
  }
}
"#;

/// Returns the CDL of a dataset, with special attributes.
fn text(sandbox: &Sandbox, name: &str) -> String {
    String::from_utf8_lossy(&bytes(sandbox, name)).into_owned()
}

/// Returns CDL like [`text`], including text that is not UTF-8.
fn bytes(sandbox: &Sandbox, name: &str) -> Vec<u8> {
    let args = ["ncdump", "-s", "-n", "dataset", "-p", "9,17", name];
    sandbox.run(ncdump::run, &args).clean().stdout
}

fn ncgen(sandbox: &Sandbox, kind: &str, cdl: &str, to: &str) {
    let args = ["ncgen", "--no-sync", "-k", kind, "-o", to, cdl];
    let out = sandbox.run(ncgen::run, &args);
    assert_eq!(out.code, 0, "{kind} {cdl}: {out}");
}

/// Checks that a store and a store generated from its CDL have the same output of `ncdump -s`.
fn leads_back(sandbox: &Sandbox, kind: &str, store: &str) {
    let before = bytes(sandbox, store);
    sandbox.write("again.cdl", &before);
    ncgen(sandbox, kind, "@again.cdl", "@again.zarr");
    if bytes(sandbox, "@again.zarr") != before {
        // For the message.
        let (again, before) = (text(sandbox, "@again.zarr"), text(sandbox, store));
        assert_eq!(again, before, "{kind} {store}");
        panic!("{kind} {store}: other bytes");
    }
}

#[test]
fn of_all_special_attributes() {
    let sandbox = Sandbox::new();
    sandbox.write("special.cdl", SPECIAL);
    for kind in KINDS {
        ncgen(&sandbox, kind, "@special.cdl", "@s.zarr");
        leads_back(&sandbox, kind, "@s.zarr");
    }
}

#[test]
fn of_stores_of_other_kinds() {
    let sandbox = Sandbox::new();
    sandbox.write("special.cdl", SPECIAL);
    for kind in KINDS {
        ncgen(&sandbox, kind, "@special.cdl", "@s.zarr");
        sandbox.write("again.cdl", text(&sandbox, "@s.zarr"));
        for other in KINDS {
            ncgen(&sandbox, other, "@again.cdl", "@other.zarr");
            leads_back(&sandbox, other, "@other.zarr");
        }
    }
}

/// In Zarr, chunks may be longer than fixed dimensions, and strings longer than `ncgen`'s default.
#[test]
fn of_copies_of_classic_files() {
    let sandbox = Sandbox::new();
    let mut copied = 0;
    for file in list(&testdata("classic"), "nc") {
        let file = format!("%classic/{}", name(&file));
        for kind in KINDS {
            let args = ["nccopy", "--no-sync", "-k", kind, &file, "@s.zarr"];
            let out = sandbox.run(nccopy::run, &args);
            if out.code == 0 {
                copied += 1;
                leads_back(&sandbox, kind, "@s.zarr");
            } else {
                // Names that are invalid keys.
                assert!(out.message().contains("Zarr datasets"), "{file}: {out}");
            }
        }
    }
    assert!(copied > 150, "{copied}");
}

#[test]
fn of_shards() {
    let sandbox = Sandbox::new();
    sandbox.write("special.cdl", SPECIAL);
    ncgen(&sandbox, "nc4", "@special.cdl", "@a.nc");
    for kind in ["nczarr3", "zarr3"] {
        let shard = "whole:4,6";
        let args = [
            "nccopy",
            "-k",
            kind,
            "-c",
            "whole:2,3",
            "--shard",
            shard,
            "@a.nc",
            "@s.zarr",
        ];
        let out = sandbox.run(nccopy::run, &args);
        assert_eq!(out.code, 0, "{out}");
        let shown = text(&sandbox, "@s.zarr");
        assert!(shown.contains("whole:_ShardSizes = 4, 6 ;"), "{shown}");
        leads_back(&sandbox, kind, "@s.zarr");
    }
    // The codecs of shards are given, but not the shard shape.
    let shown = text(&sandbox, "@s.zarr").replace("whole:_ShardSizes = 4, 6 ;", "");
    sandbox.write("again.cdl", shown);
    let args = ["ncgen", "-k", "zarr3", "-o", "@again.zarr", "@again.cdl"];
    let out = sandbox.run(ncgen::run, &args);
    assert!(
        out.code == 1 && out.message().contains("_ShardSizes"),
        "{out}"
    );
}

/// The reverse direction: the CDL of a netCDF-4 file makes a store with the same contents.
#[test]
fn of_netcdf_4_files() {
    let sandbox = Sandbox::new();
    let model = SPECIAL
        .replace("coded:_Codecs", "coded:codecs")
        .replace("scalar:_Codecs", "scalar:codecs");
    sandbox.write("special.cdl", model);
    ncgen(&sandbox, "nc4", "@special.cdl", "@a.nc");
    let contents = |name: &str| {
        let args = ["ncdump", "-n", "dataset", "-p", "9,17", name];
        sandbox.run(ncdump::run, &args).clean().text()
    };
    sandbox.write("again.cdl", text(&sandbox, "@a.nc"));
    for kind in ["nczarr", "nczarr3"] {
        ncgen(&sandbox, kind, "@again.cdl", "@again.zarr");
        assert_eq!(contents("@again.zarr"), contents("@a.nc"), "{kind}");
    }
}

/// JSON cannot represent this byte, but a text of one character has only one meaning.
#[test]
fn a_byte_that_is_no_text_may_be_a_fill_value() {
    let sandbox = Sandbox::new();
    let text = b"netcdf a { dimensions: x = 3 ; variables: char c(x) ; c:_FillValue = '\\351' ; data: c = 'a', _, 'b' ; }";
    sandbox.write("a.cdl", text);
    let shown = |name: &str| {
        let out = sandbox.run(ncdump::run, &["ncdump", "-n", "a", name]);
        out.clean().stdout
    };
    ncgen(&sandbox, "nc3", "@a.cdl", "@a.nc");
    for kind in ["nczarr", "nczarr3"] {
        ncgen(&sandbox, kind, "@a.cdl", "@a.zarr");
        assert_eq!(shown("@a.zarr"), shown("@a.nc"), "{kind}");
        let args = ["nccopy", "-k", kind, "@a.nc", "@b.zarr"];
        let out = sandbox.run(nccopy::run, &args);
        assert!(
            out.message().contains("/c:_FillValue: is not UTF-8"),
            "{out}"
        );
        assert_eq!(shown("@b.zarr"), shown("@a.nc"), "{kind}");
    }
}

/// In version 3, fill values of fixed-length strings are in Base64, as in xarray. Ordinary text may look the same.
#[test]
fn a_fill_value_may_look_like_base64() {
    let sandbox = Sandbox::new();
    let codecs = r#"s:_Codecs = "[{\"name\": \"bytes\"}]""#;
    let text = "string s(x) ; s:_nczarr_maxstrlen = 4 ; string s:_FillValue = \"none\" ;";
    let text = format!(
        "netcdf a {{ dimensions: x = 2 ; variables: {text} {codecs} ; data: s = \"a\", _ ; }}"
    );
    sandbox.write("a.cdl", text);
    for kind in ["nczarr3", "zarr3"] {
        ncgen(&sandbox, kind, "@a.cdl", "@a.zarr");
        let shown = self::text(&sandbox, "@a.zarr");
        assert!(
            shown.contains("string s:_FillValue = \"none\" ;"),
            "{shown}"
        );
        assert!(shown.contains(" s = \"a\", _ ;"), "{shown}");
        leads_back(&sandbox, kind, "@a.zarr");
    }
}

/// Without a maximum size, the longest string determines the size.
#[test]
fn strings_longer_than_usual() {
    let long = "x".repeat(300);
    let text = format!(
        "netcdf s {{\ndimensions:\n\tn = 2 ;\n\tt = UNLIMITED ; // (1 currently)\nvariables:\n\tstring s(n) ;\n\tstring u(t, n) ;\n\tint k ;\ndata:\n\n s = \"a\", \"{long}\" ;\n\n u =\n  \"{long}y\", \"b\" ;\n\n k = 1 ;\n}}\n"
    );
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", &text);
    for kind in KINDS {
        ncgen(&sandbox, kind, "@a.cdl", "@a.zarr");
        let shown = self::text(&sandbox, "@a.zarr");
        assert!(shown.contains(&format!("\"{long}\"")), "{shown}");
        assert!(shown.contains(&format!("\"{long}y\"")), "{shown}");
        leads_back(&sandbox, kind, "@a.zarr");
    }
}
