//! File text in tool output: the text ends no CDL comment, controls no terminal, and can be read back.

use netcdf_core::shown::is_control;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

/// Text that would end a comment or a line if it were not escaped.
const EVIL: &str = r"x\n v = 66, 77 ;\r\u001b]0;pwned\u0007\u009b31m\u202e\u2028\u0085";

/// Returns the metadata of a version 2 array with one changed member.
fn v2(member: &str, value: &str) -> String {
    let mut members = vec![
        ("zarr_format", "2"),
        ("shape", "[2]"),
        ("chunks", "[2]"),
        ("dtype", "\"<i4\""),
        ("fill_value", "0"),
        ("order", "\"C\""),
        ("filters", "null"),
        ("compressor", "null"),
    ];
    members.retain(|(name, _)| *name != member);
    members.push((member, value));
    object(&members)
}

fn v3(member: &str, value: &str) -> String {
    let mut members = vec![
        ("zarr_format", "3"),
        ("node_type", "\"array\""),
        ("shape", "[2]"),
        ("data_type", "\"int32\""),
        ("fill_value", "0"),
        (
            "chunk_grid",
            r#"{"name":"regular","configuration":{"chunk_shape":[2]}}"#,
        ),
        ("chunk_key_encoding", r#"{"name":"default"}"#),
        (
            "codecs",
            r#"[{"name":"bytes","configuration":{"endian":"little"}}]"#,
        ),
    ];
    members.retain(|(name, _)| *name != member);
    members.push((member, value));
    object(&members)
}

fn object(members: &[(&str, &str)]) -> String {
    let members = members
        .iter()
        .map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Stores with one array `v` and the text in one member: a description, and the directory.
fn stores(sandbox: &Sandbox) -> Vec<String> {
    let named = |name: &str| name.replace("EVIL", EVIL);
    let old = [
        ("dtype", r#""EVIL""#),
        ("dtype", r#"[["EVIL","<i4"]]"#),
        ("dtype", r#"[["a","EVIL"]]"#),
        ("order", r#""EVIL""#),
        ("fill_value", r#""EVIL""#),
        ("dimension_separator", r#""EVIL""#),
        ("compressor", r#"{"id":"EVIL"}"#),
        ("compressor", r#"{"id":"zstd","level":"EVIL"}"#),
        ("compressor", r#"{"id":"blosc","cname":"EVIL"}"#),
        ("filters", r#"[{"id":"EVIL","a":"EVIL"}]"#),
        ("filters", r#"[{"id":"delta","dtype":"EVIL"}]"#),
        ("EVIL", r#"{"must_understand":true}"#),
    ];
    let new = [
        ("data_type", r#""EVIL""#),
        ("data_type", r#"{"name":"EVIL","configuration":{"EVIL":1}}"#),
        ("fill_value", r#""EVIL""#),
        ("chunk_grid", r#"{"name":"EVIL"}"#),
        ("chunk_key_encoding", r#"{"name":"EVIL"}"#),
        (
            "chunk_key_encoding",
            r#"{"name":"default","configuration":{"separator":"EVIL"}}"#,
        ),
        (
            "codecs",
            r#"[{"name":"EVIL","configuration":{"EVIL":"EVIL"}}]"#,
        ),
        (
            "codecs",
            r#"[{"name":"bytes","configuration":{"endian":"EVIL"}}]"#,
        ),
        (
            "codecs",
            r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"EVIL"}]}}]"#,
        ),
        ("storage_transformers", r#"[{"name":"EVIL"}]"#),
        ("EVIL", r#"{"name":"EVIL","must_understand":true}"#),
        ("dimension_names", r#"["EVIL"]"#),
        ("attributes", r#"{"EVIL":"EVIL"}"#),
    ];
    let chunk: &[u8] = &[1, 0, 0, 0, 2, 0, 0, 0];
    let mut made = vec![];
    for (n, (member, value)) in old.iter().enumerate() {
        let (name, array) = (format!("old{n}.zarr"), v2(&named(member), &named(value)));
        let group: &[u8] = br#"{"zarr_format":2}"#;
        let keys = [
            (".zgroup", group),
            ("v/.zarray", array.as_bytes()),
            ("v/0", chunk),
        ];
        sandbox.store(&name, &keys);
        made.push(name);
    }
    for (n, (member, value)) in new.iter().enumerate() {
        let (name, array) = (format!("new{n}.zarr"), v3(&named(member), &named(value)));
        let group: &[u8] = br#"{"zarr_format":3,"node_type":"group"}"#;
        let keys = [
            ("zarr.json", group),
            ("v/zarr.json", array.as_bytes()),
            ("v/c/0", chunk),
        ];
        sandbox.store(&name, &keys);
        made.push(name);
    }
    made
}

/// Output is lines of text, and file text never begins a line.
fn assert_text(output: &CommandOutput, what: &str) {
    for text in [&output.stdout, &output.stderr] {
        let text = std::str::from_utf8(text).expect("UTF-8");
        let odd = text.find(|c| is_control(c) && !matches!(c, '\n' | '\t'));
        assert_eq!(odd, None, "{what}: {text:?}");
        let begins = |line: &str| line.trim_start().starts_with("v = 66");
        assert!(!text.lines().any(begins), "{what}: {text}");
    }
}

#[test]
fn text_of_metadata_is_text() {
    let sandbox = Sandbox::new();
    let (mut omitted, mut read) = (0, 0);
    for name in stores(&sandbox) {
        let at = format!("@{name}");
        for args in [
            &["ncdump", "--filters"][..],
            &["ncdump", "-s"],
            &["ncdump", "-h"],
            &["ncdump", "-x"],
        ] {
            let output = sandbox.run(ncdump::run, &[args, &[&at]].concat());
            assert_text(&output, &format!("{args:?} {name}"));
        }
        for args in [
            &["tree"][..],
            &["tree", "--json"],
            &["codecs"],
            &["codecs", "--json"],
            &["stat"],
            &["check"],
            &["check", "--json"],
            &["chunk", "--all"],
        ] {
            let (command, rest) = args.split_first().expect("a command");
            let array = if *command == "chunk" { &["v"][..] } else { &[] };
            let args = [&["zdump", command], rest, &[&at], array].concat();
            assert_text(&sandbox.run(zdump::run, &args), &format!("{args:?}"));
        }
        let copied = sandbox.run(nccopy::run, &["nccopy", "-k", "nc4", &at, "@copy.nc"]);
        assert_text(&copied, &name);
        let dumped = sandbox.run(ncdump::run, &["ncdump", &at]);
        assert_text(&dumped, &name);
        omitted += usize::from(dumped.text().contains(": data omitted: "));
        if dumped.text().ends_with("}\n") {
            read += 1;
            let made = ["ncgen", "-k", "nc4", "-o", "@back.nc", "-"];
            let made = sandbox.run_with(ncgen::run, &made, dumped.text().as_bytes());
            assert_eq!(made.code, 0, "{name}: {made}{}", dumped.text());
            assert_text(&sandbox.run(ncdump::run, &["ncdump", "@back.nc"]), &name);
        }
    }
    assert!(omitted > 12 && read > 12, "{omitted} {read}");
}

#[test]
fn names_and_texts_have_escapes_that_read_back() {
    let sandbox = Sandbox::new();
    let cdl = "netcdf t {\ndimensions:\n\td\\%c2\\%9b = 2 ;\nvariables:\n\tint v\\%e2\\%80\\%ae(d\\%c2\\%9b) ;\n\
               \t\tstring v\\%e2\\%80\\%ae:a\\%c2\\%85 = \"\\302\\233m\\342\\200\\256 é温👩\", \"\\357\\273\\277\" ;\n\
               \t\tv\\%e2\\%80\\%ae:b = \"\\302\\205é\" ;\ndata:\n\n v\\%e2\\%80\\%ae = 1, 2 ;\n}\n";
    for kind in ["nc4", "zarr3"] {
        sandbox.write("t.cdl", cdl);
        let args = ["ncgen", "-k", kind, "-o", "@t.nc", "@t.cdl"];
        let made = sandbox.run(ncgen::run, &args);
        if kind == "nc4" {
            assert_eq!(made.clean().code, 0);
            assert_eq!(sandbox.run(ncdump::run, &["ncdump", "@t.nc"]).text(), cdl);
        }
        for args in [
            &["ncdump", "@t.nc"][..],
            &["ncdump", "-x", "@t.nc"],
            &["ncdump", "-v", "nosuch", "@t.nc"],
            &["ncdump", "-f", "c", "@t.nc"],
        ] {
            assert_text(&sandbox.run(ncdump::run, args), &format!("{args:?}"));
        }
        for args in [
            &["nccopy", "--dry-run", "@t.nc", "@u.nc"][..],
            &["nccopy", "--report", "-d1", "@t.nc", "@u.nc"],
            &["nccopy", "--report=json", "@t.nc", "@u.nc"],
        ] {
            assert_text(&sandbox.run(nccopy::run, args), &format!("{args:?}"));
        }
    }
}

/// A format attribute is file text within data.
#[test]
fn number_formats_do_not_change_data() {
    let sandbox = Sandbox::new();
    let with = |format: &str| {
        let cdl = format!(
            "netcdf t {{ dimensions: x = 2; variables: float v(x); v:C_format = \"{format}\"; data: v = 1, 2; }}"
        );
        sandbox.write("t.cdl", cdl);
        let made = sandbox.run(ncgen::run, &["ncgen", "-k", "nc3", "-o", "@t.nc", "@t.cdl"]);
        assert_eq!(made.code, 0, "{made}");
        sandbox
            .run(ncdump::run, &["ncdump", "@t.nc"])
            .clean()
            .text()
    };
    assert!(with("%.2f").contains(" v = 1.00, 2.00 ;"));
    assert!(with("<%g m>").contains(" v = <1 m>, <2 m> ;"));
    for format in [
        "9 ; w = %g",
        "9, %g",
        "%g // ",
        "\\\"%g",
        "{%g}",
        "%g\\342\\200\\256",
        "\\302\\233%g",
    ] {
        assert!(with(format).contains(" v = 1, 2 ;"), "{format}");
    }
}

/// Text that XML does not allow gets CDL escapes, and a comment reports this.
#[test]
fn xml_holds_any_text() {
    let sandbox = Sandbox::new();
    let cdl = "netcdf t { variables: int v; v:a = \"\\033[1m\\\\ é\"; v:b = \"\\351\"; v:c = \"a\\\\b\\t\"; v:d = \"\\302\\233\"; }";
    sandbox.write("t.cdl", cdl);
    let made = sandbox.run(ncgen::run, &["ncgen", "-k", "nc3", "-o", "@t.nc", "@t.cdl"]);
    assert_eq!(made.code, 0, "{made}");
    let output = sandbox.run(ncdump::run, &["ncdump", "-x", "@t.nc"]);
    let says = "of the next element: \\ooo is a byte that XML cannot hold, \\\\ a backslash -->\n";
    let expected = [
        "  <variable name=\"v\" type=\"int\">\n    <!-- value ",
        says,
        "    <attribute name=\"a\" value=\"\\033[1m\\\\ é\" />\n    <!-- value ",
        says,
        "    <attribute name=\"b\" value=\"\\351\" />\n    <attribute name=\"c\" value=\"a\\b&#x9;\" />\n",
        "    <attribute name=\"d\" value=\"&#x9B;\" />\n",
    ];
    assert!(output.text().contains(&expected.concat()), "{output}");
    let note = "2 texts have characters that XML cannot hold";
    assert!(output.message().contains(note), "{output}");
    assert_eq!(output.code, 0);
}

#[test]
fn wide_cells_are_no_defect() {
    let sandbox = Sandbox::new();
    let wide = "w".repeat(70_000);
    let array = v3("codecs", &format!(r#"[{{"name":"{wide}"}}]"#));
    let group: &[u8] = br#"{"zarr_format":3,"node_type":"group"}"#;
    let keys = [("zarr.json", group), ("v/zarr.json", array.as_bytes())];
    sandbox.store("s.zarr", &keys);
    for command in ["tree", "codecs", "stat", "check"] {
        let output = sandbox.run(zdump::run, &["zdump", command, "@s.zarr"]);
        assert!(output.code <= 1, "{command}: {}", output.code);
    }
    let output = sandbox.run(ncdump::run, &["ncdump", "--filters", "@s.zarr"]);
    assert!(output.text().contains(&wide), "{}", output.code);
    let output = sandbox.run(nccopy::run, &["nccopy", "--dry-run", "@s.zarr", "@t.zarr"]);
    assert!(output.code <= 1);
}
