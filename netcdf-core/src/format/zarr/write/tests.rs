//! Tests of the stored keys.

use std::sync::Arc;

use super::*;
use crate::chunk::Writer;
use crate::env::Env;
use crate::error::ErrorKind;
use crate::format::create;
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::{Store, StoreTarget};
use crate::model::{
    Atomic, Attribute, CreateOptions, DataType, DimId, Dimension, GroupId, Kind, Name, Schema,
    Storage, TypeKind, UserType, Values, VarId, Variable,
};

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

fn dim(schema: &mut Schema, called: &str, len: u64, unlimited: bool) -> DimId {
    schema.add_dim(Dimension {
        name: name(called),
        group: GroupId::ROOT,
        len,
        unlimited,
    })
}

fn var(schema: &mut Schema, called: &str, ty: impl Into<DataType>, dims: &[DimId]) -> VarId {
    schema.add_var(Variable {
        name: name(called),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims: dims.to_vec(),
        attributes: vec![],
        storage: Storage::default(),
    })
}

fn attribute(called: &str, values: Values) -> Attribute {
    Attribute::atomic(name(called), values).unwrap()
}

/// Returns a writer for a store.
fn writer(schema: Schema, options: CreateOptions) -> (Box<dyn Writer>, Arc<dyn Store>) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
    let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
    let target: Box<dyn StoreTarget> = Box::new(target);
    (
        create(target, schema, options, &Env::default()).unwrap(),
        store,
    )
}

/// Returns all keys, with the text of metadata.
fn listing(store: &dyn Store) -> Vec<(String, String)> {
    let mut all = vec![];
    let mut one = |key: &str, size: u64| {
        let bytes = store.get(key)?.unwrap();
        let text = match key.contains(".z") {
            true => String::from_utf8(bytes).unwrap(),
            false => size.to_string(),
        };
        all.push((key.to_owned(), text));
        Ok(())
    };
    store.walk("", &mut one).unwrap();
    all
}

fn refused(schema: Schema) -> crate::error::Error {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
    let (target, _) = MemoryStoreTarget::new(store);
    let target: Box<dyn StoreTarget> = Box::new(target);
    let made = create(target, schema, CreateOptions::default(), &Env::default());
    made.err().unwrap()
}

fn small(kind: Kind) -> Schema {
    let mut s = Schema::new(kind);
    let t = dim(&mut s, "t", 0, true);
    let x = dim(&mut s, "x", 2, false);
    let v = var(&mut s, "v", Atomic::Short, &[t, x]);
    s.vars[v.index()]
        .attributes
        .push(attribute("units", Values::Char(b"m".to_vec())));
    var(&mut s, "n", Atomic::Byte, &[]);
    let g = s.add_group(GroupId::ROOT, name("g"));
    s.groups[g.index()]
        .attributes
        .push(attribute("k", Values::Int(vec![1, 2])));
    s
}

fn filled(mut writer: Box<dyn Writer>) {
    writer.set_len(DimId(0), 2).unwrap();
    writer.put_chunk(VarId(0), 0, 0, &[1, 0, 2, 0]).unwrap();
    writer.put_chunk(VarId(0), 1, 0, &[3, 0, 4, 0]).unwrap();
    writer.put_run(VarId(1), 0, &[7]).unwrap();
    writer.finish().unwrap();
}

#[test]
fn nczarr_as_netcdf_c_has_it() {
    let (writer, store) = writer(small(Kind::NCZARR), CreateOptions::default());
    filled(writer);
    let all = listing(&*store);
    let version = env!("CARGO_PKG_VERSION");
    let root = format!(
        r#"{{"_NCProperties": "version=2,netcdf-tools={version},nczarr=2.0.0", "_nczarr_group": {{"dimensions": {{"t": {{"size": 2, "unlimited": 1}}, "x": 2}}, "arrays": ["v","n"], "groups": ["g"]}}, "_nczarr_superblock": {{"version": "2.0.0"}}, "_nczarr_attr": {{"types": {{"_NCProperties": ">S1", "_nczarr_group": "|J0", "_nczarr_superblock": "|J0", "_nczarr_attr": "|J0"}}}}}}"#
    );
    let expected = [
        (".zattrs", &*root),
        (".zgroup", r#"{"zarr_format": 2}"#),
        (
            "g/.zattrs",
            r#"{"k": [1,2], "_nczarr_group": {"dimensions": {}, "arrays": [], "groups": []}, "_nczarr_attr": {"types": {"k": "<i4", "_nczarr_group": "|J0", "_nczarr_attr": "|J0"}}}"#,
        ),
        ("g/.zgroup", r#"{"zarr_format": 2}"#),
        (
            "n/.zarray",
            r#"{"zarr_format": 2, "shape": [1], "dtype": "|i1", "chunks": [1], "fill_value": -127, "order": "C", "compressor": null, "filters": null}"#,
        ),
        (
            "n/.zattrs",
            r#"{"_ARRAY_DIMENSIONS": ["_scalar_"], "_nczarr_array": {"dimension_references": [], "scalar": 1, "storage": "chunked"}, "_nczarr_attr": {"types": {"_nczarr_array": "|J0", "_nczarr_attr": "|J0"}}}"#,
        ),
        ("n/0", "1"),
        (
            "v/.zarray",
            r#"{"zarr_format": 2, "shape": [2,2], "dtype": "<i2", "chunks": [1,2], "fill_value": -32767, "order": "C", "compressor": null, "filters": null}"#,
        ),
        (
            "v/.zattrs",
            r#"{"units": "m", "_ARRAY_DIMENSIONS": ["t","x"], "_nczarr_array": {"dimension_references": ["/t","/x"], "storage": "chunked"}, "_nczarr_attr": {"types": {"units": ">S1", "_nczarr_array": "|J0", "_nczarr_attr": "|J0"}}}"#,
        ),
        ("v/0.0", "4"),
        ("v/1.0", "4"),
    ];
    for (found, (key, text)) in all.iter().zip(expected) {
        assert_eq!((&*found.0, &*found.1), (key, text));
    }
    assert_eq!(all.len(), expected.len());
    assert_eq!(store.get("v/1.0").unwrap().unwrap(), [3, 0, 4, 0]);
}

#[test]
fn pure_zarr_has_nothing_of_netcdf() {
    let (writer, store) = writer(small(Kind::PURE_ZARR), CreateOptions::default());
    filled(writer);
    let text = |key: &str| String::from_utf8(store.get(key).unwrap().unwrap()).unwrap();
    assert_eq!(text(".zattrs"), "{}");
    assert_eq!(text("g/.zattrs"), r#"{"k": [1,2]}"#);
    let dims = r#"{"units": "m", "_ARRAY_DIMENSIONS": ["t","x"]}"#;
    assert_eq!(text("v/.zattrs"), dims);
    assert_eq!(text("n/.zattrs"), r#"{"_ARRAY_DIMENSIONS": []}"#);
    assert!(text("n/.zarray").contains(r#""shape": [], "dtype": "|i1", "chunks": []"#));
}

#[test]
fn unrecorded_facts_of_pure_zarr_are_noted() {
    let mut s = small(Kind::PURE_ZARR);
    let valid = attribute("valid", Values::Short(vec![1]));
    s.vars[0].attributes.push(valid);
    let env = Env::default();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
    let (target, _) = MemoryStoreTarget::new(store);
    let target: Box<dyn StoreTarget> = Box::new(target);
    create(target, s, CreateOptions::default(), &env).unwrap();
    let said: Vec<_> = env.notes.take().into_iter().map(|n| n.what).collect();
    let expected = [
        "pure Zarr does not record that these dimensions are unlimited: t",
        "pure Zarr does not record the types of these attributes: /v:valid",
    ];
    assert_eq!(said, expected);
}

#[test]
fn metadata_is_put_once_more_if_asked() {
    let mut options = CreateOptions::default();
    options.zarr.consolidated = true;
    options.zarr.xarray = false;
    let (writer, store) = writer(small(Kind::PURE_ZARR), options);
    filled(writer);
    let text = store.get(".zmetadata").unwrap().unwrap();
    let json = crate::json::Json::parse(&text).unwrap();
    let all = json.get("metadata").unwrap().members();
    assert_eq!(all.len(), 8);
    for (key, value) in all {
        let own = store.get(key).unwrap().unwrap();
        assert_eq!(own, value.to_bytes(), "{key}");
    }
    let units = store.get("v/.zattrs").unwrap().unwrap();
    assert_eq!(units, br#"{"units": "m"}"#);
}

#[test]
fn nothing_is_whole_before_the_end() {
    let (mut writer, store) = writer(small(Kind::NCZARR), CreateOptions::default());
    writer.set_len(DimId(0), 1).unwrap();
    writer.put_chunk(VarId(0), 0, 0, &[1, 0, 2, 0]).unwrap();
    drop(writer);
    assert_eq!(listing(&*store), [("v/0.0".to_owned(), "4".to_owned())]);
}

#[test]
fn what_zarr_does_not_have_is_refused() {
    let mut s = small(Kind::NCZARR);
    let kind = TypeKind::Opaque { size: 3 };
    let (group, called) = (GroupId::ROOT, name("o"));
    let ty = s.add_type(UserType {
        name: called,
        group,
        kind,
    });
    let known = s.clone();
    var(&mut s, "u", DataType::User(ty), &[]);
    let e = refused(s);
    let what = "a user-defined type that such Zarr datasets do not have";
    assert_eq!(
        (e.kind(), &*e.what().text()),
        (ErrorKind::NotInFormat, what)
    );
    assert_eq!(e.object(), Some("/u"));
    let env = Env::default();
    check::check(&known, CreateOptions::default().zarr, &env).unwrap();
    assert_eq!(env.notes.take().len(), 1);

    for bad in ["..", "a/b", ".zgroup", "zarr.json", "a\u{1}"] {
        let mut s = Schema::new(Kind::NCZARR);
        var(&mut s, bad, Atomic::Int, &[]);
        assert_eq!(refused(s).kind(), ErrorKind::BadName, "{bad}");
    }
    let mut s = small(Kind::NCZARR);
    s.add_group(GroupId::ROOT, name("v"));
    assert_eq!(refused(s).kind(), ErrorKind::Exists);
    let mut s = small(Kind::NCZARR);
    let own = attribute("_nczarr_group", Values::Int(vec![1]));
    s.groups[1].attributes.push(own);
    let e = refused(s);
    assert!(e.what().ends_with(": /g:_nczarr_group"), "{e}");
}

#[test]
fn fill_values() {
    let mut s = Schema::new(Kind::NCZARR);
    let x = dim(&mut s, "x", 2, false);
    for (ty, own, expected) in [
        (Atomic::Float, None, "9.96921e+36"),
        (Atomic::Double, None, "9.969209968386869e+36"),
        (
            Atomic::Double,
            Some(Values::Double(vec![f64::NAN])),
            "\"NaN\"",
        ),
        (Atomic::Float, Some(Values::Float(vec![-1.0])), "-1"),
        (Atomic::Char, None, "\"\""),
        (Atomic::Char, Some(Values::Char(b"x".to_vec())), "\"x\""),
        (Atomic::UInt64, None, "18446744073709551614"),
        (
            Atomic::String,
            Some(Values::String(vec![Some(b"zz"[..].into())])),
            "\"zz\"",
        ),
    ] {
        let mut s = s.clone();
        let v = var(&mut s, "v", ty, &[x]);
        s.vars[v.index()]
            .attributes
            .extend(own.map(|v| attribute("_FillValue", v)));
        let (writer, store) = writer(s, CreateOptions::default());
        writer.finish().unwrap();
        let text = String::from_utf8(store.get("v/.zarray").unwrap().unwrap()).unwrap();
        let expected = format!(r#""fill_value": {expected}, "#);
        assert!(text.contains(&expected), "{text}");
    }
}

/// Returns the `.zarray` of a 4 × 6 array of integers with these filters and codecs.
fn array(filters: &[(u32, &[u32])], codecs: Option<&str>) -> Result<String, crate::error::Error> {
    let mut s = Schema::new(Kind::NCZARR);
    let x = dim(&mut s, "x", 4, false);
    let y = dim(&mut s, "y", 6, false);
    let v = var(&mut s, "v", Atomic::Int, &[x, y]);
    let storage = &mut s.vars[v.index()].storage;
    storage.codecs = codecs.map(|text| text.as_bytes().to_vec());
    for &(id, params) in filters {
        storage.filters.push(crate::model::FilterSpec {
            id,
            params: params.to_vec(),
        });
    }
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
    let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
    let target: Box<dyn StoreTarget> = Box::new(target);
    create(target, s, CreateOptions::default(), &Env::default())?.finish()?;
    let text = String::from_utf8(store.get("v/.zarray").unwrap().unwrap()).unwrap();
    Ok(text[text.find("\"compressor").unwrap()..].to_owned())
}

#[test]
fn the_last_filter_is_the_compressor() {
    let all = array(&[(2, &[]), (1, &[6]), (3, &[])], None).unwrap();
    let expected = r#""compressor": {"id": "fletcher32"}, "filters": [{"id": "shuffle", "elementsize": 4},{"id": "zlib", "level": 6}]}"#;
    assert_eq!(all, expected);
    let one = array(&[(32001, &[0, 0, 0, 0, 5, 1, 1])], None).unwrap();
    assert!(one.contains(r#""cname": "lz4", "shuffle": 1"#), "{one}");
    let e = array(&[(32000, &[])], None).unwrap_err();
    assert_eq!((e.kind(), e.object()), (ErrorKind::Unsupported, Some("/v")));
    assert!(e.remedy().is_some());
}

#[test]
fn codecs_are_taken_as_they_are_given() {
    let text = r#"[{"id": "delta", "dtype": "<i4"},{"id": "zlib", "level": 3}]"#;
    if let Ok(all) = array(&[], Some(text)) {
        assert!(
            all.starts_with(r#""compressor": {"id": "zlib", "level": 3}"#),
            "{all}"
        );
    }
    let zlib = array(&[], Some(r#"{"id": "zlib", "level": 3}"#)).unwrap();
    assert!(zlib.ends_with(r#"{"id": "zlib", "level": 3}, "filters": null}"#));
    for wrong in ["zlib", "[{}]", "[{\"id\": \"nope\"}]", "7"] {
        let e = array(&[], Some(wrong)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Argument, "{wrong}");
    }
}

/// Returns the text under a key.
fn text(store: &dyn Store, key: &str) -> String {
    String::from_utf8(store.get(key).unwrap().expect(key)).unwrap()
}

#[test]
fn version_3_has_all_metadata_of_a_node_under_one_key() {
    let (writer, store) = writer(small(Kind::NCZARR3), CreateOptions::default());
    filled(writer);
    assert_eq!(store.get("v/c/1/0").unwrap().unwrap(), [3, 0, 4, 0]);
    assert_eq!(store.get("n/c").unwrap().unwrap(), [7]);
    let expected = r#"{"zarr_format": 3, "node_type": "array", "shape": [2,2], "data_type": "int16", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1,2]}}, "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": -32767, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "attributes": {"units": "m", "_nczarr_array": {"dimension_references": ["/t","/x"]}, "_nczarr_attrs": {"attribute_types": [{"name": "units", "configuration": {"type": "char"}},{"name": "_nczarr_array", "configuration": {"type": "json"}},{"name": "_nczarr_attrs", "configuration": {"type": "json"}}]}}, "dimension_names": ["t","x"]}"#;
    assert_eq!(text(&*store, "v/zarr.json"), expected);
    let root = text(&*store, "zarr.json");
    for part in [
        r#"{"zarr_format": 3, "node_type": "group", "attributes": {"#,
        r#""_nczarr_superblock": {"version": "3.0.0", "format": 3}"#,
        r#""_nczarr_group": {"dimensions": [{"name": "t", "size": 2, "unlimited": 1},{"name": "x", "size": 2, "unlimited": 0}], "arrays": ["v","n"], "subgroups": ["g"]}"#,
    ] {
        assert!(root.contains(part), "{root}");
    }
    assert_eq!(store.children("").unwrap(), ["g", "n", "v", "zarr.json"]);
}

#[test]
fn pure_version_3() {
    let mut s = small(Kind::PURE_ZARR3);
    var(&mut s, "s", Atomic::String, &[DimId(1)]);
    let c = var(&mut s, "c", Atomic::Char, &[DimId(1)]);
    let fill = attribute("_FillValue", Values::Char(b"x".to_vec()));
    s.vars[c.index()].attributes.push(fill);
    let mut options = CreateOptions::default();
    options.zarr.consolidated = true;
    let (mut writer, store) = writer(s, options);
    let strings = vec![Some(b"ab"[..].into()), None];
    let bytes = writer.put_heap(VarId(2), &Values::String(strings));
    assert_eq!(bytes.unwrap().len(), 256);
    filled(writer);
    let array = text(&*store, "s/zarr.json");
    assert!(array.contains(r#""data_type": "string""#), "{array}");
    assert!(
        array.contains(r#""codecs": [{"name": "vlen-utf8"}]"#),
        "{array}"
    );
    let array = text(&*store, "c/zarr.json");
    assert!(array.contains(r#""fill_value": "eA==""#), "{array}");
    let root = crate::json::Json::parse(text(&*store, "zarr.json").as_bytes()).unwrap();
    let all = root.get("consolidated_metadata").unwrap();
    let all = all.get("metadata").unwrap().members();
    let names: Vec<_> = all.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["c", "g", "n", "s", "v"]);
    assert_eq!(all[2].1.to_bytes(), text(&*store, "n/zarr.json").as_bytes());
    assert_eq!(root.get("attributes").unwrap().members(), []);
}

#[test]
fn long_strings_are_in_small_chunks() {
    let chunk = |width: i32, len: u64| {
        let mut s = Schema::new(Kind::PURE_ZARR);
        let x = dim(&mut s, "x", len, false);
        let v = var(&mut s, "v", Atomic::String, &[x]);
        let width = attribute("_nczarr_maxstrlen", Values::Int(vec![width]));
        s.vars[v.index()].attributes.push(width);
        let options = CreateOptions::default();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
        let (target, _) = MemoryStoreTarget::new(store);
        let target: Box<dyn StoreTarget> = Box::new(target);
        let made = create(target, s, options, &Env::default());
        made.map(|writer| writer.layout(VarId(0)).unwrap().chunk[0])
    };
    assert_eq!(chunk(128, 2000).unwrap(), 2000);
    assert!(chunk(1 << 20, 2000).unwrap() < 300);
    assert!(chunk(1 << 25, 1 << 30).unwrap() <= 8);
    assert_eq!(
        chunk(i32::MAX, 1 << 30).unwrap_err().kind(),
        ErrorKind::Limit
    );
}

#[test]
fn names_that_readers_pass_over_are_refused() {
    let made = |kind, called: &str| {
        let mut s = Schema::new(kind);
        var(&mut s, called, Atomic::Int, &[]);
        let (target, _) = MemoryStoreTarget::new(Arc::new(MemoryStore::new("s")));
        let target: Box<dyn StoreTarget> = Box::new(target);
        let made = create(target, s, CreateOptions::default(), &Env::default());
        made.map(|_| ()).map_err(|e| e.kind())
    };
    for kind in [Kind::PURE_ZARR, Kind::PURE_ZARR3] {
        assert_eq!(made(kind, ".v"), Err(ErrorKind::BadName));
    }
    assert_eq!(made(Kind::NCZARR, ".v"), Ok(()));
    for kind in [Kind::NCZARR, Kind::PURE_ZARR3] {
        assert_eq!(made(kind, ".nczarr"), Err(ErrorKind::BadName));
    }
}

#[test]
fn consolidated_metadata_is_in_the_order_of_the_tree() {
    for kind in [Kind::PURE_ZARR, Kind::PURE_ZARR3] {
        let mut s = Schema::new(kind);
        for (group, sub) in [("b", "d"), ("a", "c"), ("a.b", "e")] {
            let group = s.add_group(GroupId::ROOT, name(group));
            s.add_group(group, name(sub));
        }
        let mut options = CreateOptions::default();
        options.zarr.consolidated = true;
        let (writer, store) = writer(s, options);
        writer.finish().unwrap();
        let key = if kind == Kind::PURE_ZARR {
            ".zmetadata"
        } else {
            "zarr.json"
        };
        let root = crate::json::Json::parse(text(&*store, key).as_bytes()).unwrap();
        let all = root.get("consolidated_metadata").unwrap_or(&root);
        let paths = all.get("metadata").unwrap().members().iter();
        let paths = paths.map(|(key, _)| key.trim_end_matches(".zgroup").trim_end_matches('/'));
        let paths: Vec<_> = paths
            .filter(|p| !p.is_empty() && !p.ends_with(".zattrs"))
            .collect();
        assert_eq!(paths, ["a", "a/c", "a.b", "a.b/e", "b", "b/d"]);
    }
}

/// Writing metadata of many variables takes time, and must stop on cancellation.
#[test]
fn a_cancelled_run_writes_no_metadata() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
    let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
    let mut schema = Schema::new(Kind::PURE_ZARR);
    var(&mut schema, "v", Atomic::Int, &[]);
    let env = Env::default();
    let options = CreateOptions::default();
    let writer = create(
        Box::new(target) as Box<dyn StoreTarget>,
        schema,
        options,
        &env,
    )
    .unwrap();
    env.cancel.0.store(15, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::Cancelled);
    let keys = listing(&*store);
    assert!(!keys.iter().any(|(key, _)| key.contains(".z")), "{keys:?}");
}
