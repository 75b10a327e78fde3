//! Hostile references through every tool.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

/// Returns references with one array of eight bytes, and these additional members and references.
fn references(members: &str, refs: &str) -> String {
    let array = r#"{"zarr_format": 2, "shape": [8], "dtype": "|u1", "chunks": [8], "fill_value": null, "order": "C",
        "compressor": null, "filters": null}"#;
    format!(
        r#"{{"version": 1, {members} "refs": {{".zgroup": {{"zarr_format": 2}}, "v/.zarray": {array}, {refs}}}}}"#
    )
}

/// Runs every tool. Each must end without a panic.
fn outputs(text: String) -> Vec<CommandOutput> {
    let sandbox = Sandbox::new();
    sandbox.write("short", [1, 2, 3]);
    sandbox.write("r.json", text);
    vec![
        sandbox.run(ncdump::run, &["ncdump", "@r.json"]),
        sandbox.run(nccopy::run, &["nccopy", "--no-sync", "@r.json", "@out.nc"]),
        sandbox.run(
            nccopy::run,
            &[
                "nccopy",
                "--no-sync",
                "-k",
                "kerchunk",
                "@r.json",
                "@out.json",
            ],
        ),
        sandbox.run(zdump::run, &["zdump", "check", "@r.json"]),
    ]
}

/// Checks that ncdump and nccopy refuse references with a message.
fn refused(text: String, message: &str) {
    let all = outputs(text);
    for out in &all[..2] {
        let named = out.message().contains(message);
        assert!(out.code == 1 && named, "{message}: {out}");
    }
}

#[test]
fn sources_that_references_must_not_open() {
    for source in [
        "../../../../../etc/passwd",
        "/etc/passwd",
        "http://other.invalid/file",
        "s3://bucket/key",
    ] {
        let text = references("", &format!(r#""v/0": ["{source}", 0, 8]"#));
        refused(text, "--allow-external");
    }
}

#[test]
fn offsets_beyond_the_source() {
    for range in ["0, 8", "9223372036854775807, 8", "18446744073709551615, 8"] {
        let text = references("", &format!(r#""v/0": ["short", {range}]"#));
        refused(text, "but the file has 3 bytes");
    }
}

#[test]
fn templates_that_loop_or_explode() {
    let looped = references(
        r#""templates": {"a": "{{b}}", "b": "{{a}}"},"#,
        r#""v/0": ["{{a}}", 0, 8]"#,
    );
    let mut doubled = vec![r#""t0": "0123456789""#.to_owned()];
    for n in 1..60 {
        let before = n - 1;
        doubled.push(format!(r#""t{n}": "{{{{t{before}}}}}{{{{t{before}}}}}""#));
    }
    let members = format!(r#""templates": {{{}}},"#, doubled.join(", "));
    let doubled = references(&members, r#""v/0": ["{{t59}}", 0, 8]"#);
    let endless = references(
        r#""gen": [{"key": "v/{{i}}", "url": "short", "dimensions": {"i": {"stop": 10000000}}}],"#,
        r#""w": "x""#,
    );
    for text in [looped, doubled, endless] {
        for out in &outputs(text)[..2] {
            assert_eq!(out.code, 1, "{out}");
        }
    }
}

#[test]
fn credentials_in_urls_stay_secret() {
    let text = references(
        "",
        r#""v/0": ["https://me:hush@other.invalid/file?token=hush", 0, 8]"#,
    );
    for out in outputs(text) {
        let shown = format!("{}{}", out.text(), out.message());
        assert!(!shown.contains("hush"), "{shown}");
    }
}
