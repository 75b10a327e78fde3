//! Round trips of datasets through JSON.

use netcdf_core::chunk::{Dataset, elements};
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::io::memory::MemorySource;
use netcdf_core::model::{Atomic, Endianness, GroupId, Kind, Region, Schema, Values, VarId};
use netcdf_core::runtime::Runtime;
use netcdf_core::testing::{MemoryDataset, strings, text};
use proptest::prelude::*;

use super::{read, write};
use crate::cdl::values::{Problems, ValueList, ValueSink};
use crate::cdl::write::tests::enhanced::user_types;
use crate::cdl::write::{DataSelection, SpecialAttributes};
use crate::cdl::{CdlDataset, CdlError, ReadOptions};

const ROOT: GroupId = GroupId::ROOT;

/// Returns the dataset as JSON; checks that the number of threads does not change it.
fn json(memory: &MemoryDataset) -> String {
    let options = write::JsonOptions {
        name: b"x".to_vec(),
        data: Some(DataSelection::default()),
        special: SpecialAttributes::Hidden,
    };
    let one = |threads| {
        let env = Env {
            runtime: Runtime::sized(threads, 1 << 20).sharing_all(),
            ..Env::default()
        };
        let (mut out, mut omitted) = (vec![], vec![]);
        let set = Dataset::new(memory, &env);
        write::write(&set, &options, &mut omitted, &mut out).unwrap();
        assert!(omitted.is_empty());
        String::from_utf8(out).unwrap()
    };
    let text = one(1);
    assert_eq!(one(3), text);
    text
}

/// A sink for the values of a variable.
struct Kept {
    ty: Option<Atomic>,
    values: Vec<Values>,
}

impl ValueSink for Kept {
    fn bytes(&mut self, _: u64, bytes: &[u8]) -> Result<()> {
        let ty = self.ty.expect("a type of fixed size");
        self.values
            .push(elements::decode(ty, Endianness::Little, bytes)?);
        Ok(())
    }
    fn values(&mut self, _: u64, values: &Values) -> Result<()> {
        self.values.push(values.clone());
        Ok(())
    }
}

fn parsed(text: &str) -> std::result::Result<CdlDataset, CdlError> {
    let source = MemorySource::new("x.json", text.as_bytes().to_vec());
    read::read(&source, &ReadOptions::default())
}

/// Returns the schema and the values of all variables with data, or the error messages.
fn back(text: &str) -> std::result::Result<(Schema, Vec<(VarId, Values)>), String> {
    let source = MemorySource::new("x.json", text.as_bytes().to_vec());
    let cdl = parsed(text).map_err(|e| e.to_string())?;
    let mut schema = cdl.schema;
    for (dim, len) in cdl.lengths {
        schema.dims[dim.index()].len = len;
    }
    let mut all = vec![];
    for list in cdl.data {
        let mut sink = Kept {
            ty: schema.var(list.var).unwrap().ty.atomic(),
            values: vec![],
        };
        let mut problems = Problems::default();
        let values = ValueList {
            source: &source,
            bytes: list.bytes,
            var: list.var,
            form: list.form,
        };
        let order = Endianness::Little;
        read::values(&values, &schema, order, &mut problems, &mut sink).unwrap();
        if let Some(problem) = problems.found().first() {
            return Err(problem.what.clone());
        }
        let mut pieces = sink.values.into_iter();
        let mut values = pieces.next().unwrap();
        pieces.for_each(|piece| assert!(values.append(piece)));
        all.push((list.var, values));
    }
    Ok((schema, all))
}

fn wrong(text: &str) -> String {
    back(text).unwrap_err()
}

/// Formats values bit by bit, so that equal NaNs compare equal.
fn bits(values: &Values) -> String {
    let mut out = vec![];
    match elements::encode(values, Endianness::Big, &mut out) {
        Ok(()) => format!("{out:?}"),
        Err(_) => format!("{values:?}"),
    }
}

fn round_trip(memory: &MemoryDataset) -> String {
    let text = json(memory);
    let (schema, all) = back(&text).unwrap();
    assert_eq!(schema.kind, memory.schema.kind);
    assert_eq!(
        format!("{:?}", schema.dims),
        format!("{:?}", memory.schema.dims)
    );
    let env = Env::default();
    let set = Dataset::new(memory, &env);
    for (id, values) in all {
        let region = Region::whole(&schema.shape(id));
        let expected = set.read(id, &region).unwrap();
        assert_eq!(bits(&values), bits(&expected), "{text}");
    }
    for (new, old) in schema.vars.iter().zip(&memory.schema.vars) {
        assert_eq!(
            (&new.name, new.ty, &new.dims),
            (&old.name, old.ty, &old.dims)
        );
        assert_eq!(
            format!("{:?}", new.attributes),
            format!("{:?}", old.attributes)
        );
    }
    text
}

#[test]
fn rows_are_lines() {
    let mut m = MemoryDataset::new(Kind::CLASSIC);
    let t = m.dim(ROOT, "t", 2, true);
    let (y, x) = (m.dim(ROOT, "y", 2, false), m.dim(ROOT, "x", 3, false));
    let v = m.var(
        ROOT,
        "v",
        Atomic::Short,
        &[t, y, x],
        Values::Short((0..12).collect()),
    );
    m.attribute(v, "units", text("K"));
    m.attribute(v, "range", Values::Float(vec![0.1, -0.0]));
    m.var(ROOT, "names", Atomic::Char, &[t, x], text("ab\0cde"));
    m.var(ROOT, "s", Atomic::Double, &[], Values::Double(vec![1.0]));
    assert_eq!(
        round_trip(&m),
        r#"{
  "name": "x",
  "kind": "classic",
  "dimensions": {
    "t": {"size": 2, "unlimited": true},
    "y": 2,
    "x": 3
  },
  "variables": {
    "v": {
      "type": "short",
      "shape": ["t", "y", "x"],
      "attributes": {
        "units": {"type": "char", "data": "K"},
        "range": {"type": "float", "data": [0.1, -0.0]}
      },
      "data": [
        [[0, 1, 2],
         [3, 4, 5]],
        [[6, 7, 8],
         [9, 10, 11]]
      ]
    },
    "names": {
      "type": "char",
      "shape": ["t", "x"],
      "data": [
        "ab\u0000",
        "cde"
      ]
    },
    "s": {
      "type": "double",
      "shape": [],
      "data": 1.0
    }
  }
}
"#
    );
}

#[test]
fn user_defined_types() {
    let text = round_trip(&user_types());
    assert!(text.contains(r#""class": "compound""#), "{text}");
    assert!(
        text.contains(r#""tag": {"type": "char", "shape": [2, 3]}"#),
        "{text}"
    );
}

#[test]
fn groups_and_paths() {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let x = m.dim(ROOT, "x", 2, false);
    let g = m.group(ROOT, "g/h");
    let inner = m.dim(g, "x", 1, false);
    let values = strings(&[None, Some("a")]);
    m.var(g, "v", Atomic::String, &[x], values.clone());
    m.var(
        g,
        "w",
        Atomic::UInt64,
        &[inner],
        Values::UInt64(vec![u64::MAX]),
    );
    let text = round_trip(&m);
    assert!(text.contains(r#""shape": ["/x"]"#), "{text}");
    assert!(text.contains(r#""data": [null, "a"]"#), "{text}");
    assert!(
        text.contains(r#""data": ["18446744073709551615"]"#),
        "{text}"
    );
    assert!(text.contains(r#""g\\/h": {"#), "{text}");
}

#[test]
fn long_texts_have_pieces() {
    let mut m = MemoryDataset::new(Kind::CLASSIC);
    let x = m.dim(ROOT, "x", 150_001, false);
    let mut long = "é".repeat(75_000).into_bytes();
    long.push(b'.');
    m.var(ROOT, "v", Atomic::Char, &[x], Values::Char(long.clone()));
    assert!(!round_trip(&m).contains("base64"));
    let mut m = MemoryDataset::new(Kind::CLASSIC);
    let x = m.dim(ROOT, "x", 150_001, false);
    long[100_000] = 0xff;
    m.var(ROOT, "v", Atomic::Char, &[x], Values::Char(long));
    assert_eq!(round_trip(&m).matches("base64").count(), 1);
}

#[test]
fn lengths_come_from_data() {
    let text = r#"{"dimensions": {"y": 2, "x": {"unlimited": true}},
        "variables": {"v": {"data": [["ab"], ["c"]], "type": "char", "shape": ["y", "x", "x"]},
        "w": {"data": ["abc", "d"], "type": "char", "shape": ["y", "x"]}}}"#;
    let what = wrong(text);
    assert_eq!(
        what,
        "/variables/v/data[0]: the list has 1 items, expected 3"
    );
    let (schema, _) = back(
        &text
            .replace(r#"["y", "x", "x"]"#, r#"["y", "x", "n"]"#)
            .replace(r#""y": 2,"#, r#""n": 2, "y": 2,"#)
            .replace(r#""abc""#, r#""a""#),
    )
    .unwrap();
    assert_eq!(schema.shape(VarId(0)), [2, 1, 2]);
}

#[test]
fn the_order_of_members_does_not_matter() {
    let text = r#"{"variables": {"v": {"data": [1, 2], "shape": ["/g/x"], "attributes": {"a": {"data": ["0x01"],
        "type": "/g/t"}}, "type": "int"}}, "groups": {"g": {"dimensions": {"x": 2}, "types": {"t": {"size": 1, "class": "opaque"}}}}}"#;
    let (schema, all) = back(text).unwrap();
    assert_eq!(all, [(VarId(0), Values::Int(vec![1, 2]))]);
    assert_eq!(schema.vars[0].attributes[0].values.len(), 1);
}

#[test]
fn special_attributes() {
    let text = r#"{"dimensions": {"x": 2}, "variables": {"v": {"type": "int", "shape": ["x"], "attributes": {
        "_ChunkSizes": {"type": "int64", "data": 2}, "_DeflateLevel": {"type": "int", "data": [3]},
        "\\_Storage": {"type": "char", "data": "mine"}}}}}"#;
    let cdl = parsed(text).unwrap();
    let var = &cdl.schema.vars[0];
    assert_eq!(cdl.schema.kind, Kind::NETCDF4);
    assert_eq!(var.storage.filters[0].params, [3]);
    assert_eq!(var.attributes.len(), 1);
    assert!(var.attributes[0].name.is("_Storage"));
    let bad = text.replace("[3]", "[30]");
    let what = parsed(&bad).unwrap_err().to_string();
    assert!(what.starts_with("x.json:2:"), "{what}");
    assert!(
        what.contains("_DeflateLevel expects a number from 0 to 9"),
        "{what}"
    );
}

#[test]
fn mistakes_in_values() {
    let at = |ty: &str, data: &str| {
        wrong(&format!(
            r#"{{"dimensions": {{"x": 2}}, "variables": {{"v": {{"type": "{ty}", "shape": ["x"], "data": {data}}}}}}}"#
        ))
    };
    for (ty, data, expected) in [
        ("byte", "[1, 200]", "[1]: 200 does not fit type byte"),
        ("int", "[1, 1.5]", "[1]: 1.5 does not fit type int"),
        (
            "int",
            "[1, \"x\"]",
            "[1]: the string \"x\" is not a number of type int",
        ),
        (
            "int",
            "[1, null]",
            "[1]: invalid type: null, expected a number of type int",
        ),
        ("float", "[1, 1e39]", "[1]: 1e39 does not fit type float"),
        ("double", "[1, 1e999]", "[1]: number out of range"),
        (
            "string",
            "[1, 2]",
            "[0]: invalid type: integer `1`, expected a string, null, or an object with `base64`",
        ),
        ("char", "\"abc\"", ": the text has 3 bytes, expected 2"),
        ("int", "[1]", ": the list has 1 items, expected 2"),
        (
            "int",
            "[1, 2, 3]",
            "[2]: the list has more items than the expected 2",
        ),
        (
            "int",
            "[[1, 2]]",
            "[0]: invalid type: sequence, expected a number of type int",
        ),
        (
            "int",
            "5",
            ": invalid type: integer `5`, expected a list of 2 items",
        ),
    ] {
        let what = at(ty, data);
        assert!(
            what.contains(&format!("/variables/v/data{expected}")),
            "{what}"
        );
    }
}

#[test]
fn mistakes_in_definitions() {
    for (text, expected) in [
        ("{", "x.json:1:1: error: EOF while parsing an object"),
        ("{\n}}", "x.json:2:2: error: trailing characters"),
        ("{\"x\": 1}", "x.json:1:2: error: /x: no such member"),
        (
            "{\"variables\": {\"v\": {}}}",
            "/variables/v: `type` is missing",
        ),
        (
            "{\"variables\": {\"v\": []}}",
            "/variables/v: invalid type: sequence, expected an object: a variable",
        ),
        (
            "{\"dimensions\": {\"x\": -1}}",
            "/dimensions/x: invalid type: integer `-1`, expected a size",
        ),
        (
            "{\"dimensions\": {\"x\": 1,\n \"x\": 2}}",
            "x.json:2:2: error: /dimensions/x: this name occurs twice",
        ),
        (
            "{\"types\": {\"t\": {\"class\": \"x\"}}}",
            "/types/t: `class` must be",
        ),
        (
            "{\"attributes\": {\"a\": {\"type\": \"int\", \"data\": [1, \"b\"]}}}",
            "/attributes/a/data[1]: the string \"b\" is not a number",
        ),
    ] {
        let what = parsed(text).unwrap_err().to_string();
        assert!(what.contains(expected), "{what}");
    }
}

proptest! {
    #[test]
    fn doubles(all in proptest::collection::vec(any::<u64>(), 1..20)) {
        let mut m = MemoryDataset::new(Kind::CLASSIC);
        let x = m.dim(ROOT, "x", all.len() as u64, false);
        m.var(ROOT, "v", Atomic::Double, &[x], Values::Double(all.into_iter().map(f64::from_bits).collect()));
        round_trip(&m);
    }

    #[test]
    fn floats(all in proptest::collection::vec(any::<u32>(), 1..20)) {
        let mut m = MemoryDataset::new(Kind::CLASSIC);
        let x = m.dim(ROOT, "x", all.len() as u64, false);
        m.var(ROOT, "v", Atomic::Float, &[x], Values::Float(all.into_iter().map(f32::from_bits).collect()));
        round_trip(&m);
    }

    #[test]
    fn integers(all in proptest::collection::vec(any::<i64>(), 1..20)) {
        let mut m = MemoryDataset::new(Kind::CDF5);
        let x = m.dim(ROOT, "x", all.len() as u64, false);
        m.var(ROOT, "v", Atomic::Int64, &[x], Values::Int64(all));
        round_trip(&m);
    }

    #[test]
    fn texts(all in proptest::collection::vec(proptest::option::of(proptest::collection::vec(any::<u8>(), 0..9)), 1..9)) {
        let mut m = MemoryDataset::new(Kind::NETCDF4);
        let x = m.dim(ROOT, "x", all.len() as u64, false);
        let bytes: Vec<u8> = all.iter().map(|s| s.as_ref().map_or(0, |s| s.len() as u8)).collect();
        let all = all.into_iter().map(|s| s.map(Vec::into_boxed_slice));
        let v = m.var(ROOT, "v", Atomic::String, &[x], Values::String(all.collect()));
        m.var(ROOT, "c", Atomic::Char, &[x], Values::Char(bytes.clone()));
        m.attribute(v, "a", Values::Char(bytes));
        round_trip(&m);
    }
}
