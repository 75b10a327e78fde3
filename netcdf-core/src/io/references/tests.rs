//! Tests of reading references.

use std::sync::Arc;

use super::*;
use crate::error::{Error, ErrorKind};
use crate::io::memory::MemorySource;
use crate::io::reference::Reference;
use crate::io::{Store, suite};

/// Opens sources in memory: every name is a source of 1000 bytes, except names with `missing`.
#[derive(Debug)]
struct MemoryOpener;

impl SourceOpener for MemoryOpener {
    fn open(&self, url: &str) -> Result<Arc<dyn Source>> {
        if url.contains("missing") {
            return Err(Error::new(ErrorKind::NotFound, "no such source"));
        }
        let mut bytes = b"__0123456789deep".to_vec();
        bytes.resize(1000, b'x');
        Ok(Arc::new(MemorySource::new(url, bytes)))
    }

    fn is_remote(&self, url: &str) -> bool {
        url.starts_with("https://")
    }
}

fn opened(text: &str, missing: MissingSource) -> Result<Option<ReferenceStore>> {
    let rules = ReferenceRules {
        opener: Box::new(MemoryOpener),
        missing,
        hints: Hints::default(),
        notes: Arc::default(),
    };
    let source = MemorySource::new("refs.json", text.as_bytes().to_vec());
    open_json(&source, &Limits::default(), rules)
}

fn store(text: &str) -> ReferenceStore {
    opened(text, MissingSource::Error).unwrap().unwrap()
}

fn refused(text: &str) -> Error {
    opened(text, MissingSource::Error).unwrap_err()
}

#[test]
fn references_are_a_store() {
    let text = r#"{"version": 1, "refs": {
        ".zattrs": "{}", ".zgroup": "{\"zarr_format\": 2}", "g/.zgroup": {}, "v.a/.zarray": "",
        "v/.zarray": "{\"shape\": [2]}", "v/0": ["a", 2, 10], "v/c/0/1": ["a", 12, 4],
        "ä b/😀": "base64:bmFtZXM=", "\ufb01": "not normalised", "../x": "y"}}"#;
    let text = text.replace("\"g/.zgroup\": {}", "\"g/.zgroup\": \"{}\"");
    let store = store(&text);
    suite::reading(&store);
    assert_eq!(store.invalid_entries(true).unwrap().len(), 1);
    assert!(!store.latency());
}

#[test]
fn objects_are_json_text_and_version_0_has_no_head() {
    let store = store(r#"{".zgroup": {"zarr_format": 2}, "v/0": ["u"], "v/1": ["u", 990, 10]}"#);
    assert_eq!(
        store.get(".zgroup").unwrap().unwrap(),
        br#"{"zarr_format": 2}"#
    );
    assert_eq!(store.size("v/0").unwrap(), Some(1000));
    assert_eq!(store.get("v/1").unwrap().unwrap(), b"xxxxxxxxxx");
}

#[test]
fn other_json_has_no_references() {
    for text in ["{}", "{", "{\"a\": 1}", "{\"netcdf\": {}}", "{\"refs\": 1}"] {
        assert!(
            opened(text, MissingSource::Error).unwrap().is_none(),
            "{text}"
        );
    }
}

#[test]
fn templates_and_generated_references() {
    let text = r#"{"version": 1,
        "templates": {"u": "https://server/path", "f": "{{c}}", "g": "{{u}}/more"},
        "gen": [{"key": "gen_key{{i}}", "url": "http://{{u}}_{{i}}", "offset": "{{(i + 1) * 100}}",
                 "length": "100", "dimensions": {"i": {"stop": 5}}},
                {"key": "x/{{a}}.{{b}}", "url": "{{g}}", "dimensions": {"a": [3, "q"], "b": {"start": 1, "stop": 6, "step": 2}}}],
        "refs": {"key0": "data", "key1": ["{{u}}", 7, 3], "key2": ["{{f(c='text')}}"]}}"#;
    let refs = json::parse(text.as_bytes()).unwrap().unwrap().refs;
    let url = |key: &str| {
        let found = table::KeyTable::find(&refs, key).unwrap();
        found.unwrap().url().unwrap().to_string()
    };
    assert_eq!(url("key1"), "https://server/path");
    assert_eq!(url("key2"), "text");
    assert_eq!(url("gen_key4"), "http://https://server/path_4");
    assert_eq!(url("x/q.5"), "https://server/path/more");
    let last = table::KeyTable::find(&refs, "gen_key4").unwrap();
    assert!(matches!(
        last,
        Some(Reference::Range {
            offset: 500,
            len: 100,
            ..
        })
    ));
    assert!(store(text).latency());
}

#[test]
fn hostile_references_are_refused() {
    let refs = |member: &str| format!(r#"{{"refs": {{".zgroup": "{{}}"}}, {member}}}"#);
    let loops =
        r#""templates": {"a": "{{b}}", "b": "{{a}}"}, "gen": [{"key": "{{a}}", "url": "x"}]"#;
    assert_eq!(refused(&refs(loops)).kind(), ErrorKind::Limit);
    let double: Vec<String> = (1..16)
        .map(|n| format!("\"t{n}\": \"{{{{t{0}}}}}{{{{t{0}}}}}\"", n - 1))
        .collect();
    let explodes = format!(
        r#""templates": {{"t0": "{}", {}}}, "gen": [{{"key": "k", "url": "{{{{t15}}}}"}}]"#,
        "x".repeat(100),
        double.join(", ")
    );
    assert_eq!(refused(&refs(&explodes)).kind(), ErrorKind::Limit);
    let many = r#""gen": [{"key": "{{i}}", "url": "x", "dimensions": {"i": {"stop": 9000000000000000000}}}]"#;
    assert_eq!(refused(&refs(many)).kind(), ErrorKind::Limit);
    let deep = format!(
        r#""gen": [{{"key": "{{{{{}1}}}}", "url": "x"}}]"#,
        "(".repeat(100_000)
    );
    assert_eq!(refused(&refs(&deep)).kind(), ErrorKind::Limit);
    for wrong in [
        "3",
        "[]",
        "[1]",
        "[\"u\", 1]",
        "[\"u\", -1, 2]",
        "[null, 1, 2]",
        "\"base64:?\"",
    ] {
        let text = format!(r#"{{"refs": {{".zgroup": "{{}}", "k": {wrong}}}}}"#);
        let e = refused(&text);
        assert_eq!(e.object(), Some("k"), "{e}");
    }
    assert!(refused("{\"refs\": {\"a\": \"b\"}, ").kind() == ErrorKind::Corrupt);
}

#[test]
fn ranges_beyond_the_source_are_errors() {
    let far = u64::MAX - 1;
    let text = format!(
        r#"{{"refs": {{".zgroup": "{{}}", "a": ["u", 999, 2], "b": ["u", {far}, 9], "c": ["u", 0, {far}]}}}}"#
    );
    let store = store(&text);
    for key in ["a", "b", "c"] {
        let e = store.get(key).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Truncated, "{e}");
        assert!(e.resource() == Some("u") && e.object() == Some(key), "{e}");
    }
    let keys = ["a", ".zgroup"].map(str::to_owned);
    let got = store.get_many(&keys, 100);
    assert!(got[0].is_err() && got[1].is_ok(), "other keys are read");
}

#[test]
fn a_missing_source_is_an_error_or_a_note() {
    let text = r#"{"refs": {".zgroup": "{}", "a": ["missing", 0, 2], "b": ["u", 0, 2]}}"#;
    let e = store(text).get("a").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::NotFound);
    let skipping = opened(text, MissingSource::Skip).unwrap().unwrap();
    assert_eq!(skipping.get("a").unwrap(), None);
    assert_eq!(skipping.size("a").unwrap(), None);
    let mut keys = vec![];
    let mut visit = |key: &str, _| {
        keys.push(key.to_owned());
        Ok(())
    };
    skipping.walk("", &mut visit).unwrap();
    assert_eq!(keys, [".zgroup", "b"]);
}

#[test]
fn a_changed_source_is_an_error() {
    let text = |size: u64, state: &str| {
        format!(
            r#"{{"refs": {{"a": ["u", 0, 2], ".zgroup": "{{}}"}},
                "netcdf_tools_sources": {{"u": {{"size": {size}{state}}}}}}}"#
        )
    };
    assert!(store(&text(1000, "")).get("a").is_ok());
    assert!(
        store(&text(1000, ", \"state\": \"1000 bytes\""))
            .get("a")
            .is_ok()
    );
    for changed in [text(999, ""), text(1000, ", \"state\": \"x\"")] {
        let e = store(&changed).get("a").unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Changed, "{e}");
    }
}
