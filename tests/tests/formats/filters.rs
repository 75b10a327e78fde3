//! Filters from end to end: chains, variables without filters, missing filters, quantization.

use insta::assert_snapshot;
use netcdf_tools_tests::files::testdata;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

fn ncdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(ncdump::run, &[&["ncdump"], args].concat())
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

/// Creates `a.nc`.
fn ncgen(sandbox: &Sandbox, text: &str) -> CommandOutput {
    sandbox.write("a.cdl", text);
    sandbox.run(ncgen::run, &["ncgen", "-4", "-o", "@a.nc", "@a.cdl"])
}

/// Returns CDL with a variable of twenty numbers with these attributes. Three numbers have values.
fn variable(attributes: &str) -> String {
    let attributes = attributes.split(';').map(|a| format!("v:{} ;", a.trim()));
    let attributes: String = attributes.collect();
    format!(
        "netcdf a {{ dimensions: x = 20 ; variables: int v(x) ; {attributes} data: v = 1, 2, 3 ; }}"
    )
}

/// The filters that the C ncgen derives from attributes (`testdata/chains.py`), in any order. The test also reads the output.
#[test]
fn chains_are_those_of_the_c_tool() {
    let text = std::fs::read_to_string(testdata("chains.txt")).unwrap();
    assert!(text.lines().count() > 30);
    for line in text.lines() {
        let (attributes, want) = line.split_once('\t').unwrap();
        let sandbox = Sandbox::new();
        let _ = ncgen(&sandbox, &variable(attributes)).clean();
        let shown = ncdump(&sandbox, &["-s", "-F", "@a.nc"]).clean().text();
        let filters = format!("v:_Filter = \"{want}\" ;");
        assert!(shown.contains(&filters), "{attributes}:\n{shown}");
        assert!(shown.contains("v:_Storage = \"chunked\""), "{attributes}");
        assert!(
            shown.contains(" v = 1, 2, 3, _, _,"),
            "{attributes}:\n{shown}"
        );
    }
}

/// CDL preserves the stored order of filters, if netCDF-4 supports the order.
#[test]
fn the_order_of_filters_survives_cdl() {
    for (stored, shown) in [
        ("307,9|1,4", "_Filter = \"307,9|1,4\""),
        ("2|307,9|1,4", "_Filter = \"2,4|307,9|1,4\""),
        ("3|32015,3|1,4|307,9", "_Filter = \"3|32015,3|1,4|307,9\""),
        (
            "1,4|307,9",
            "_DeflateLevel = 4 ;\n\t\tv:_Filter = \"307,9\"",
        ),
        ("3|2|1,4", "_Fletcher32 = \"true\""),
        ("307,9|32015,3", "_Filter = \"307,9|32015,3\""),
    ] {
        let sandbox = Sandbox::new();
        let _ = ncgen(&sandbox, &variable(&format!("_Filter = \"{stored}\""))).clean();
        let header = |path: &str, all: &str| {
            ncdump(&sandbox, &["-n", "a", all, "-s", path])
                .clean()
                .text()
        };
        let text = header("@a.nc", "-h");
        assert!(text.contains(&format!("v:{shown}")), "{stored}: {text}");
        let text = header("@a.nc", "-s");
        sandbox.write("b.cdl", text);
        let args = ["ncgen", "-4", "-o", "@b.nc", "@b.cdl"];
        let _ = sandbox.run(ncgen::run, &args).clean();
        assert_eq!(header("@b.nc", "-F"), header("@a.nc", "-F"), "{stored}");
    }
}

/// `_Codecs` of a Zarr store describes the filters of a netCDF-4 file without other filter attributes.
#[test]
fn codecs_are_filters_of_netcdf4() {
    for (attributes, filters, note) in [
        (
            r#"[{"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 5}]"#,
            "2,4|1,5",
            "",
        ),
        (
            r#"[{"name": "bytes"}, {"name": "zstd", "configuration": {"level": 3}}]"#,
            "32015,3",
            "",
        ),
        (
            r#"[{"name": "gzip", "configuration": {"level": 4}}]"#,
            "1,4",
            "",
        ),
        (r#"[{"id": "lz4"}]"#, "32004", ""),
        (
            r#"[{"id": "delta", "dtype": "<i4"}, {"id": "zlib", "level": 5}]"#,
            "1,5",
            "codec delta has no HDF5 filter",
        ),
        (r#"[{"id": "nothing"}]"#, "", "is not known"),
        (
            r#"[{"id": "zlib", "level": "a"}]"#,
            "",
            "skipped in _Codecs",
        ),
        ("junk", "", "not JSON"),
        ("[]", "", ""),
    ] {
        let sandbox = Sandbox::new();
        let json = attributes.replace('"', "\\\"");
        let made = ncgen(&sandbox, &variable(&format!("_Codecs = \"{json}\"")));
        assert_eq!(made.code, 0, "{made}");
        assert_eq!(made.message().is_empty(), note.is_empty(), "{made}");
        assert!(made.message().contains(note), "{made}");
        let text = ncdump(&sandbox, &["-s", "-F", "@a.nc"]).clean().text();
        let shown = format!("v:_Filter = \"{filters}\"");
        assert_eq!(text.contains("_Filter"), !filters.is_empty(), "{text}");
        assert!(filters.is_empty() || text.contains(&shown), "{text}");
        assert!(text.contains(" v = 1, 2, 3, _, _,"), "{text}");
    }
    let sandbox = Sandbox::new();
    let both = r#"_DeflateLevel = 2 ; _Codecs = "[{\"id\": \"nothing\"}]""#;
    let _ = ncgen(&sandbox, &variable(both)).clean();
    let text = ncdump(&sandbox, &["-s", "@a.nc"]).clean().text();
    assert!(text.contains("_DeflateLevel = 2"), "{text}");
}

/// netCDF-C shuffles strings in elements of a pointer's size, for any text length.
#[test]
fn strings_with_shuffle_come_back() {
    let cdl = r#"netcdf a { dimensions: n = 4 ; variables: string s(n) ; s:_ChunkSizes = 2 ; s:_Shuffle = "true" ;
s:_DeflateLevel = 1 ; char c(n) ; c:_Shuffle = "true" ; c:_DeflateLevel = 1 ; data: s = "a", "bb", "ccc", "dddd" ; c = "wxyz" ; }"#;
    for kind in ["nczarr", "zarr", "nczarr3", "zarr3", "nc4"] {
        let sandbox = Sandbox::new();
        sandbox.write("a.cdl", cdl);
        let made = sandbox.run(ncgen::run, &["ncgen", "-k", kind, "-o", "@a", "@a.cdl"]);
        assert_eq!(made.code, 0, "{kind}: {made}");
        let text = ncdump(&sandbox, &["@a"]).clean().text();
        let values = r#"s = "a", "bb", "ccc", "dddd" ;"#;
        assert!(text.contains(values), "{kind}: {text}");
        // Pure Zarr has no characters.
        let characters = text.contains(r#"c = "wxyz" ;"#);
        assert_eq!(characters, !kind.starts_with("zarr"), "{kind}: {text}");
    }
}

/// zarr-python compresses scalars, too. `ncdump -s` prints only `_Codecs`, and ncgen accepts `_Codecs` for every kind.
#[test]
fn filters_of_scalars() {
    let scalar = |attributes: &str, kind: &str, output: &str| {
        let sandbox = Sandbox::new();
        sandbox.write(
            "a.cdl",
            format!("netcdf a {{ variables: int v ; {attributes} data: v = 5 ; }}"),
        );
        let args = ["ncgen", "-k", kind, "-o", output, "@a.cdl"];
        let made = sandbox.run(ncgen::run, &args);
        (sandbox, made)
    };
    let codecs = r#"v:_Codecs = "[{\"id\": \"zlib\", \"level\": 4}]" ;"#;
    for kind in ["nczarr", "zarr", "nczarr3", "zarr3", "nc4"] {
        let (_, made) = scalar("v:_DeflateLevel = 4 ;", kind, "@a");
        assert_eq!(made.code, 1, "{kind}: {made}");
        let (sandbox, _) = scalar("", "nc4", "@a.nc");
        let args = ["-k", kind, "-F", "v,zstd,3", "@a.nc", "@b"];
        let copied = nccopy(&sandbox, &args);
        assert_eq!(copied.code, 1, "{kind}: {copied}");
        assert!(copied.message().contains("a scalar has no"), "{copied}");
    }
    for kind in ["nczarr", "zarr", "zarr3"] {
        let (sandbox, made) = scalar(codecs, kind, "@a");
        let _ = made.clean();
        let text = ncdump(&sandbox, &["-n", "a", "-s", "@a"]).clean().text();
        assert!(!text.contains("_DeflateLevel"), "{text}");
        assert!(text.contains("_Codecs"), "{text}");
        sandbox.write("b.cdl", text);
        let args = ["ncgen", "-4", "-o", "@b.nc", "@b.cdl"];
        let made = sandbox.run(ncgen::run, &args);
        assert_eq!(made.code, 0, "{made}");
        assert!(made.message().contains("skipped in _Codecs"), "{made}");
    }
}

/// The documented behaviour; the C ncgen uses only the last attribute.
#[test]
fn repeated_attributes_add_filters() {
    let sandbox = Sandbox::new();
    let text = variable("_Filter = \"307,9\"; _Filter = \"zstd,-1|shuffle\"; _Filter = \"307,4\"");
    let _ = ncgen(&sandbox, &text).clean();
    let shown = ncdump(&sandbox, &["-h", "-s", "-F", "@a.nc"])
        .clean()
        .text();
    assert!(
        shown.contains("v:_Filter = \"2,4|307,4|32015,4294967295\""),
        "{shown}"
    );
}

/// Messages of ncgen about filters and quantization: status, text, and whether a file was written.
fn diagnosed(text: &str) -> String {
    let sandbox = Sandbox::new();
    let output = ncgen(&sandbox, text);
    let made = sandbox.names().contains(&"a.nc".to_owned());
    assert_eq!(made, output.code == 0);
    output.to_string()
}

macro_rules! diagnostics {
    ($($name:ident: $text:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_snapshot!(diagnosed($text));
        }
    )*};
}

const STRINGS: &str = r#"netcdf a {
dimensions: x = 2 ;
variables:
  string s(x) ;
    s:_DeflateLevel = 1 ;
data:
  s = "a", "b" ;
}"#;

const QUANTIZED: &str = r#"netcdf a {
dimensions: x = 2 ;
variables:
  float f(x) ;
    f:_QuantizeBitGroomNumberOfSignificantDigits = 7 ;
  int i(x) ;
    i:_QuantizeBitRoundNumberOfSignificantBits = 9 ;
  double d(x) ;
    d:_QuantizeGranularBitRoundNumberOfSignificantDigits = 0 ;
    d:_QuantizeBitRoundNumberOfSignificantBits = 9, 9 ;
}"#;

diagnostics! {
    a_scalar_has_no_filters: "netcdf a { variables: int v ; v:_Filter = \"307,9\" ; v:_Shuffle = \"false\" ; data: v = 1 ; }";
    strings_have_no_filters: STRINGS;
    a_mistake_in_a_filter: &variable("_Filter = \"2|307,12ul,9lu\"");
    a_parameter_that_is_too_large: &variable("_Filter = \"307,4294967296\"");
    no_filter_at_all: &variable("_Filter = \"\"");
    parameters_that_a_filter_does_not_take: &variable("_Filter = \"1,11\"");
    a_missing_filter: &variable("_Filter = \"2|40000,1,2\"");
    wrong_quantization: QUANTIZED;
}

/// A missing filter: message, status, and complete output or none.
fn missing(args: &[&str]) -> String {
    let sandbox = Sandbox::new();
    let tool = match args[0] {
        "ncdump" => ncdump::run,
        _ => nccopy::run,
    };
    let output = sandbox.run(tool, args);
    assert_eq!(
        sandbox.names().is_empty(),
        args[0] == "ncdump" || output.code != 0
    );
    output.to_string()
}

snapshots! {
    missing =>
    missing_header: "ncdump", "-h", "-s", "%netcdf4/filtered.nc";
    missing_data: "ncdump", "-v", "plain,lossy", "%netcdf4/filtered.nc";
    missing_data_of_a_copy: "nccopy", "%netcdf4/filtered.nc", "@o.nc";
    missing_data_made_plain: "nccopy", "-F", "lossy,none", "-V", "lossy", "%netcdf4/filtered.nc", "@o.nc";
    missing_data_deflated: "nccopy", "-d1", "-V", "lossy", "%netcdf4/filtered.nc", "@o.nc";
    missing_data_in_other_chunks: "nccopy", "-c", "lossy:2,2", "-V", "lossy", "%netcdf4/filtered.nc", "@o.nc";
    missing_data_verified: "nccopy", "--verify", "-V", "lossy", "%netcdf4/filtered.nc", "@o.nc";
    missing_filter_asked_for: "nccopy", "-F", "plain,40000,1", "-V", "plain", "%netcdf4/filtered.nc", "@o.nc";
}

/// Chunks are copied unchanged, with or without filters.
#[test]
fn data_behind_a_missing_filter_is_moved() {
    let sandbox = Sandbox::new();
    let args = ["--quiet", "-V", "lossy", "%netcdf4/filtered.nc", "@o.nc"];
    let _ = nccopy(&sandbox, &args).clean();
    let shown = ncdump(&sandbox, &["-h", "-s", "@o.nc"]).clean().text();
    assert!(
        shown.contains("lossy:_Filter = \"32024,2,0,3,4,0,"),
        "{shown}"
    );
    // A chunk without compression: sz3 stores small chunks unchanged.
    let chunk = [0_f32, 1.0, 2.0, 6.0, 7.0, 8.0]
        .map(f32::to_le_bytes)
        .concat();
    let has = |bytes: Vec<u8>| bytes.windows(chunk.len()).any(|w| w == chunk);
    assert!(has(std::fs::read(testdata("netcdf4/filtered.nc")).unwrap()));
    assert!(has(sandbox.read("o.nc")));
}

const NUMBERS: &str = "netcdf a { dimensions: y = 3 ; x = 7 ; variables: float f(y, x) ; f:units = \"m\" ; double d(y, x) ; \
                       int i(x) ; data: f = 0.123456, 1.234567, -12.34567, 123.4567, 1234.567, NaNf, 0, 9.96921e36f, \
                       3.141593, 2.718282, 1e-20, -1e20, 7, 8, 9 ; d = 3.14159265358979, 1e300, 5e-324 ; i = 1, 2 ; }";

/// Quantized numbers do not depend on the storage, and the attribute equals the library's attribute.
#[test]
fn quantized_copies() {
    let sandbox = Sandbox::new();
    let _ = ncgen(&sandbox, NUMBERS).clean();
    let quantize = [
        "--quantize",
        "*,bitgroom,3",
        "--quantize",
        "d,granularbitround,4",
    ];
    let mut texts = vec![];
    for (n, storage) in [&[][..], &["-d1", "-s", "-M0"], &["-c", "x/2,y/2", "-M0"]]
        .iter()
        .enumerate()
    {
        let output = format!("@o{n}.nc");
        let ends = ["--quiet", "--verify", "@a.nc", &output];
        let _ = nccopy(&sandbox, &[&quantize, *storage, &ends].concat()).clean();
        let text = ncdump(&sandbox, &["-p", "9,17", "-n", "o", &output]).clean();
        texts.push(text.text());
    }
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[0], texts[2]);
    assert_snapshot!(texts[0]);
    // ncgen quantizes from the attributes, with the same result.
    sandbox.write("o.cdl", &texts[0]);
    let _ = sandbox
        .run(ncgen::run, &["ncgen", "-o", "@p.nc", "@o.cdl"])
        .clean();
    let again = ncdump(&sandbox, &["-p", "9,17", "-n", "o", "@p.nc"]).clean();
    assert_eq!(again.text(), texts[0]);
}

#[test]
fn impossible_quantization() {
    let sandbox = Sandbox::new();
    let _ = ncgen(&sandbox, NUMBERS).clean();
    let mut all = String::new();
    for quantize in [
        "i,bitround,3",
        "f&d,bitround,24",
        "f,bitgrom,3",
        "nosuch,bitround,3",
    ] {
        let output = nccopy(&sandbox, &["--quantize", quantize, "@a.nc", "@o.nc"]);
        all += &output.to_string();
    }
    let classic = ["-3", "--quantize", "f,bitround,3", "@a.nc", "@c.nc"];
    all += &nccopy(&sandbox, &classic).to_string();
    assert_eq!(sandbox.names(), ["a.cdl", "a.nc"]);
    assert_snapshot!(all);
}
