//! Limits for the round trips of opening a store with latency. The dataset is the same with and without latency.

use super::*;
use crate::io::StoreTarget;
use crate::io::memory_store::MemoryStoreTarget;
use crate::io::rounds::Rounds;
use crate::model::{Atomic, CreateOptions, DimId, Dimension, GroupId, Name, Storage, Variable};

const KINDS: [Kind; 4] = [
    Kind::NCZARR,
    Kind::PURE_ZARR,
    Kind::NCZARR3,
    Kind::PURE_ZARR3,
];

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

/// Adds arrays with an attribute and one chunk each.
fn add_arrays(schema: &mut Schema, group: GroupId, (count, dim): (u32, DimId)) {
    for n in 0..count {
        let units = Attribute::atomic(name("units"), Values::Char(b"K".to_vec()));
        schema.add_var(Variable {
            name: name(&format!("v{n:03}")),
            group,
            ty: Atomic::Short.into(),
            dims: vec![dim],
            attributes: vec![units.unwrap()],
            storage: Storage::default(),
        });
    }
}

/// Returns a store written by the tools: arrays in the root and in nested groups.
fn written(kind: Kind, arrays: u32, groups: u32, consolidated: bool) -> Arc<dyn Store> {
    let mut schema = Schema::new(kind);
    let dim = schema.add_dim(Dimension {
        name: name("x"),
        group: GroupId::ROOT,
        len: 3,
        unlimited: false,
    });
    add_arrays(&mut schema, GroupId::ROOT, (arrays, dim));
    let mut group = GroupId::ROOT;
    for n in 0..groups {
        let beside = schema.add_group(group, name("beside"));
        add_arrays(&mut schema, beside, (2, dim));
        group = schema.add_group(group, name(&format!("g{n}")));
        add_arrays(&mut schema, group, (2, dim));
    }
    let vars = schema.vars.len();
    let mut options = CreateOptions::default();
    options.zarr.consolidated = consolidated;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s"));
    let target: Box<dyn StoreTarget> = Box::new(MemoryStoreTarget::new(Arc::clone(&store)).0);
    let mut writer = format::create(target, schema, options, &Env::default()).unwrap();
    for var in 0..u32::try_from(vars).unwrap() {
        writer
            .put_chunk(VarId(var), 0, 0, &[1, 0, 2, 0, 3, 0])
            .unwrap();
    }
    writer.finish().unwrap();
    store
}

/// The visible contents of a store: schema, notes, and the values of the first variable.
type StoreContents = (Schema, Vec<String>, Option<Values>);

fn seen(store: &Arc<dyn Store>) -> Result<StoreContents> {
    let env = Env::default();
    let reader = format::open(Container::Store(Arc::clone(store)), &env)?;
    let notes = env.notes.take().iter().map(ToString::to_string).collect();
    let values = (!reader.schema().vars.is_empty()).then(|| read(&*reader, 0).unwrap());
    Ok((reader.schema().clone(), notes, values))
}

/// Returns the round trips and requests of opening a store. Asserts that the contents are the same with and without latency.
fn opening(store: &Arc<dyn Store>) -> (u64, u64) {
    let slow = Rounds::of(Arc::clone(store));
    open(&(Arc::clone(&slow) as Arc<dyn Store>)).unwrap();
    let asked = (slow.asked().rounds, slow.requests());
    assert_eq!(
        seen(&(slow as Arc<dyn Store>)).unwrap(),
        seen(store).unwrap()
    );
    asked
}

#[test]
fn consolidated_metadata_takes_a_round() {
    for kind in KINDS {
        for groups in [0, 3] {
            let store = written(kind, 200, groups, true);
            assert_eq!(opening(&store), (1, 3), "{kind:?}");
            let slow = Rounds::of(store);
            let container = Container::Store(Arc::clone(&slow) as Arc<dyn Store>);
            assert_eq!(format::probe(&container).unwrap(), kind);
            assert_eq!(slow.asked().rounds, 1);
        }
    }
}

#[test]
fn objects_take_a_round_or_two_for_each_level() {
    for (kind, rounds, level) in [
        // The root, and the root's objects or list.
        (Kind::NCZARR, 2, 1),
        (Kind::PURE_ZARR, 2, 2),
        (Kind::NCZARR3, 1, 1),
        (Kind::PURE_ZARR3, 1, 2),
    ] {
        for groups in [0, 3] {
            let store = written(kind, 200, u32::try_from(groups).unwrap(), false);
            let (found, requests) = opening(&store);
            assert_eq!(found, rounds + level * (1 + groups), "{kind:?}");
            assert!(requests < 3 * (200 + 30), "{requests}");
            assert!(groups > 0 || found <= 4);
        }
    }
}

/// Returns JSON without blanks.
fn compact(text: &str) -> String {
    text.replace("\": ", "\":").replace(", \"", ",\"")
}

/// Returns a store with one changed key.
fn changed(store: &Arc<dyn Store>, key: &str, change: impl Fn(&str) -> String) {
    let text = store.get(key).unwrap().unwrap();
    let text = String::from_utf8(text).unwrap();
    let new = change(&text);
    assert_ne!(compact(&new), compact(&text), "{key}");
    store.put(key, new.as_bytes()).unwrap();
}

#[test]
fn consolidated_metadata_that_is_not_whole_is_not_used() {
    let groups2: &[(&str, &str, &str)] = &[
        ("another format", "_format\":1", "_format\":2"),
        ("no format", "\"zarr_consolidated_format\":1", "\"a\":1"),
        ("no object", "\"metadata\"", "\"m\""),
        ("not JSON", "{\"metadata\"", "{{\"metadata\""),
        ("an array is not described", "\"shape\"", "\"s\""),
        (
            "another version",
            "\"zarr_format\":2,\"shape\"",
            "\"zarr_format\":3,\"shape\"",
        ),
        ("an invalid key", "\"v001/.zarray\"", "\"v001//.zarray\""),
        ("another key", "\"v001/.zattrs\"", "\"v001/.nczattr\""),
        ("attributes alone", "\"v001/.zarray\"", "\"v0/.zarray\""),
        ("no root", "\".zgroup\"", "\"z/.zgroup\""),
        ("no group", "\"g0/.zgroup\"", "\"z/.zgroup\""),
        ("a group and an array", "\"g0/.zgroup\"", "\"v000/.zgroup\""),
        (
            "not an object",
            "\"v001/.zattrs\":{",
            "\"v001/.zattrs\":1,\"z\":{",
        ),
    ];
    let groups3: &[(&str, &str, &str)] = &[
        ("another kind", "\"kind\":\"inline\"", "\"kind\":\"x\""),
        ("no object", "\"metadata\"", "\"m\""),
        ("an array is not described", "\"shape\"", "\"s\""),
        (
            "no kind of node",
            "\"node_type\":\"array\"",
            "\"type\":\"array\"",
        ),
        (
            "another kind of node",
            "\"node_type\":\"array\"",
            "\"node_type\":\"x\"",
        ),
        ("an invalid key", "\"v001\"", "\"v001//a\""),
        ("no group", "\"g0\"", "\"z\""),
    ];
    for kind in KINDS {
        let (key, cases) = match kind {
            Kind::NCZARR | Kind::PURE_ZARR => (".zmetadata", groups2),
            _ => ("zarr.json", groups3),
        };
        for (what, from, to) in cases {
            let store = written(kind, 3, 1, true);
            changed(&store, key, |text| compact(text).replacen(from, to, 1));
            let (rounds, _) = opening(&store);
            assert!(rounds > 1, "{kind:?}: {what}");
        }
    }
}

#[test]
fn what_netcdf_lists_must_be_in_consolidated_metadata() {
    for (kind, key) in [(Kind::NCZARR, ".zmetadata"), (Kind::NCZARR3, "zarr.json")] {
        for (from, to) in [
            ("\"v000\",\"v001\"", "\"v000\",\"v003\""),
            ("\"g0\"]", "\"g1\"]"),
        ] {
            let store = written(kind, 3, 1, true);
            changed(&store, key, |text| text.replacen(from, to, 1));
            let slow = Rounds::of(store);
            drop(open(&(Arc::clone(&slow) as Arc<dyn Store>)));
            assert!(slow.asked().rounds > 1, "{kind:?}: {to}");
        }
    }
}

/// Stores without latency use the separate objects. Stores with latency use the consolidated metadata, which may be stale.
#[test]
fn stale_metadata_is_used_on_stores_with_latency_only() {
    for (kind, key) in [
        (Kind::PURE_ZARR, "v001/.zattrs"),
        (Kind::NCZARR, "v001/.zattrs"),
        (Kind::PURE_ZARR3, "v001/zarr.json"),
        (Kind::NCZARR3, "v001/zarr.json"),
    ] {
        let store = written(kind, 3, 0, true);
        changed(&store, key, |text| text.replacen("\"K\"", "\"Pa\"", 1));
        let units = |store: &Arc<dyn Store>| {
            let reader = open(store).unwrap();
            reader.schema().vars[1].attributes[0].values.clone()
        };
        let text = |text: &str| Values::Char(text.as_bytes().to_vec());
        assert_eq!(units(&store), text("Pa"), "{kind:?}");
        let slow: Arc<dyn Store> = Rounds::of(Arc::clone(&store));
        assert_eq!(units(&slow), text("K"), "{kind:?}");
    }
}

#[test]
fn stores_of_all_kinds_look_the_same_with_latency() {
    for keys in generations() {
        let texts: Vec<_> = keys.iter().map(|(key, text)| (*key, &**text)).collect();
        let (rounds, _) = opening(&store(&texts));
        assert!(rounds <= 4, "{rounds}");
    }
    let (v, w) = (array(""), array(",\"dimension_separator\":\"/\""));
    let group = r#"{"zarr_format":2}"#;
    let all = format!(r#"{{"metadata":{{".zgroup":{{}},"g/v/.zarray":{v}}}}}"#);
    let v3 = v3("[4,4]", r#"{"name":"bytes"}"#);
    let stores: [(&[(&str, &str)], u64); 8] = [
        (&[(".zgroup", group)], 3),
        // An array at the root is not listed.
        (
            &[(".zarray", &v), (".zattrs", r#"{"a":1}"#), ("0", "abcd")],
            2,
        ),
        (&[("zarr.json", &v3), ("c/0/0", "0123456789abcdef")], 1),
        // Names of all kinds, and nested groups without metadata.
        (
            &[
                (".zgroup", group),
                ("README", "x"),
                ("a/b/v/.zarray", &v),
                ("a/b/x/y", ""),
                ("a/v/.zarray", &v),
                ("a/v/0", "abcd"),
                ("c/d/e/f/v/.zarray", &v),
                ("g/.zgroup", group),
                ("g/w/.zarray", &w),
                ("g/.hidden/v/.zarray", &v),
                ("z/.zattrs", "{}"),
            ],
            18,
        ),
        // No metadata at the root, or only consolidated metadata that is not whole.
        (&[("a/x", "x"), ("v/.zarray", &v), ("v/1", "abcd")], 6),
        (&[(".zmetadata", &all), ("g/v/0", "abcd")], 2),
        (&[("a/zarr.json", GROUP3), ("a/v/zarr.json", &v3)], 6),
        // Metadata of both versions.
        (
            &[("zarr.json", GROUP3), (".zgroup", group), ("v/.zarray", &v)],
            4,
        ),
    ];
    for (keys, expected) in stores {
        let (rounds, _) = opening(&store(keys));
        assert_eq!(rounds, expected, "{keys:?}");
    }
}

#[test]
fn damage_is_the_same_with_latency() {
    for keys in [
        vec![(".zgroup", "{"), ("v/.zarray", "x")],
        vec![(".zgroup", "{}"), ("v/.zarray", "x")],
        vec![("zarr.json", "{")],
        vec![("zarr.json", GROUP3), ("v/zarr.json", "{")],
        vec![("zarr.json", GROUP3), ("v/zarr.json/x", "")],
        vec![(".zmetadata", "{")],
        vec![(".zmetadata", "{}")],
        vec![("x/y", "")],
    ] {
        let store = store(&keys);
        let slow: Arc<dyn Store> = Rounds::of(Arc::clone(&store));
        let (e, slow) = (seen(&store).unwrap_err(), seen(&slow).unwrap_err());
        assert_eq!(e.to_string(), slow.to_string());
        assert_eq!(e.kind(), slow.kind());
    }
}

/// netCDF-C shuffles elements of the type's size and ignores the stored size. zarr-python uses the stored size.
#[test]
fn netcdf_ignores_the_size_of_shuffle() {
    let shuffled = r#"{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<i2","fill_value":-9,"order":"C","compressor":null,
        "filters":[{"id":"shuffle","elementsize":4}]}"#;
    let attributes = r#"{"_nczarr_superblock":{"version":"2.0.0"},"_nczarr_group":{"dimensions":{"x":4},"arrays":["v"],"groups":[]}}"#;
    for (group, chunk) in [
        (attributes, [1, 2, 3, 4, 0, 0, 0, 0]),
        ("{}", [1, 3, 0, 0, 2, 4, 0, 0]),
    ] {
        let refs = r#"{"_ARRAY_DIMENSIONS":["x"],"_nczarr_array":{"dimension_references":["/x"]}}"#;
        let store = store(&[
            (".zgroup", r#"{"zarr_format":2}"#),
            (".zattrs", group),
            ("v/.zarray", shuffled),
            ("v/.zattrs", if group == "{}" { "{}" } else { refs }),
        ]);
        store.put("v/0", &chunk).unwrap();
        let found = read(&*open(&store).unwrap(), 0).unwrap();
        assert_eq!(found, Values::Short(vec![1, 2, 3, 4]), "{group}");
    }
}
