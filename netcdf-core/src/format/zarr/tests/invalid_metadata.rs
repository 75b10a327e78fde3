//! Ambiguous metadata and chunks, which readers must reject.

use super::*;

const GROUP: &str = r#"{"zarr_format":2}"#;

/// Returns the defect of the first array of a store. The second array is readable.
fn problem(store: Arc<dyn Store>) -> String {
    let env = Env::default();
    let reader = format::open(Container::Store(store), &env).unwrap();
    let e = read(&*reader, 0).unwrap_err();
    assert!(read(&*reader, 1).is_ok());
    assert_eq!(env.notes.take().len(), 1);
    e.to_string()
}

#[test]
fn arrays_of_version_2_that_say_what_has_no_meaning() {
    for (old, new, what) in [
        (r#""filters":null"#, r#""filters":{"id":"zlib"}"#, "a list"),
        (r#""order":"C""#, r#""order":"X""#, r#""C" or "F""#),
        (r#""order":"C""#, r#""order":1"#, "the order is 1"),
        (r#""zarr_format":2"#, r#""zarr_format":7"#, "7, expected 2"),
        (
            r#""order""#,
            r##""dimension_separator":"#","order""##,
            r#""." or "/""#,
        ),
    ] {
        let odd = array("").replace(old, new);
        let found = problem(store(&[
            (".zgroup", GROUP),
            ("a/.zarray", &odd),
            ("b/.zarray", &array("")),
        ]));
        assert!(found.contains(what), "{new}: {found}");
    }
    let some = array("").replace(r#""filters":null,"#, "");
    let some = some.replace(r#""order":"C""#, r#""dimension_separator":null"#);
    let plain = store(&[(".zgroup", GROUP), ("a/.zarray", &some)]);
    assert!(read(&*open(&plain).unwrap(), 0).is_ok());
}

#[test]
fn arrays_of_version_3_that_say_what_has_no_meaning() {
    let (bytes, turned) = (
        r#"{"name":"bytes"}"#,
        r#"{"name":"transpose","configuration":{"order":[1,0]}}"#,
    );
    let middle = r#"{"name":"bytes","configuration":{"endian":"middle"}}"#;
    let shard = |index: &str, location: &str| {
        format!(
            r#"{{"name":"sharding_indexed","configuration":{{"chunk_shape":[2,2],"codecs":[{bytes}],
            "index_codecs":[{index}],"index_location":"{location}"}}}}"#
        )
    };
    let format_2 = v3("[4,4]", bytes).replace(r#""zarr_format":3"#, r#""zarr_format":2"#);
    for (json, what) in [
        (format_2, "2, expected 3"),
        (v3("[4,4]", ""), "into bytes"),
        (v3("[4,4]", r#"{"name":"gzip"}"#), "into bytes"),
        (v3("[4,4]", middle), r#""little" or "big""#),
        (
            v3("[4,4]", &format!("{bytes},{bytes}")),
            "bytes needs elements",
        ),
        (
            v3("[4,4]", &format!("{bytes},{turned}")),
            "transpose needs elements",
        ),
        (v3("[4,4]", &shard(bytes, "middle")), r#""start" or "end""#),
        (v3("[4,4]", &shard(middle, "end")), r#""little" or "big""#),
    ] {
        let found = problem(store(&[
            ("zarr.json", GROUP3),
            ("a/zarr.json", &json),
            ("b/zarr.json", &v3("[4,4]", bytes)),
        ]));
        assert!(found.contains(what), "{json}: {found}");
    }
}

#[test]
fn fill_values_that_lose_something_are_noted() {
    let env = Env::default();
    for (fill, noted) in [("3.7", true), ("3.0", false), ("3", false), ("null", false)] {
        let json = array("").replace(r#""fill_value":-9"#, &format!(r#""fill_value":{fill}"#));
        let store = store(&[(".zgroup", GROUP), ("v/.zarray", &json)]);
        let reader = format::open(Container::Store(store), &env).unwrap();
        assert!(read(&*reader, 0).is_ok());
        let notes = env.notes.take();
        assert_eq!(!notes.is_empty(), noted, "{fill}: {notes:?}");
    }
}

#[test]
fn groups_of_another_version_or_none_are_damage() {
    for root in ["[]", r#"{"zarr_format":7}"#] {
        let store = store(&[(".zgroup", root), ("a/.zarray", &array(""))]);
        let e = open(&store).err().unwrap();
        assert_eq!(
            (e.kind(), e.object()),
            (ErrorKind::Corrupt, Some(".zgroup"))
        );
        let env = Env {
            damage: Damage::tolerated(),
            ..Env::default()
        };
        let reader = format::open(Container::Store(store), &env).unwrap();
        assert_eq!(env.damage.take().len(), 1);
        assert!(read(&*reader, 0).is_ok());
    }
}

/// netCDF-C reads the same chunks. The array has 7 elements in chunks of 4, so the last chunk needs only 6 bytes.
#[test]
fn chunks_without_codecs_need_the_elements_inside() {
    let array = array("").replace(r#""shape":[4],"chunks":[2]"#, r#""shape":[7],"chunks":[4]"#);
    let bytes = |n: usize| (0..n).map(|n| u8::from(n % 2 == 0)).collect::<Vec<u8>>();
    for (first, last, right, noted) in [
        (8, 8, true, false),
        (8, 6, true, true),
        (8, 5, false, false),
        (7, 8, false, false),
        (9, 8, true, true),
        (1 << 22, 6, true, true),
    ] {
        for latency in [false, true] {
            let store = store(&[(".zgroup", GROUP), ("v/.zarray", &array)]);
            store.put("v/0", &bytes(first)).unwrap();
            store.put("v/1", &bytes(last)).unwrap();
            let store = match latency {
                false => store,
                true => crate::io::rounds::Rounds::of(store) as Arc<dyn Store>,
            };
            let env = Env::default();
            let reader = format::open(Container::Store(store), &env).unwrap();
            let region = Region::whole(&[7]);
            let found = Dataset::new(&*reader, &env).read(VarId(0), &region);
            match right {
                true => assert_eq!(found.unwrap(), Values::Short(vec![1; 7])),
                false => assert!(found.is_err(), "{first} {last}"),
            }
            let notes = env.notes.take();
            // On a store with latency, only the bytes of the elements are read.
            let noted = noted && (first != 8 || !latency);
            assert_eq!(notes.len(), usize::from(noted), "{first} {last} {latency}");
        }
    }
}

#[cfg(unix)]
#[test]
fn metadata_that_a_store_does_not_give_is_damage_of_one_array() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.zarr");
    for name in ["a", "b", "c", "d", "e"] {
        std::fs::create_dir_all(path.join(name)).unwrap();
    }
    let put = |key: &str| std::fs::write(path.join(key), array("")).unwrap();
    std::fs::write(path.join(".zgroup"), GROUP).unwrap();
    std::fs::write(dir.path().join("out"), array("")).unwrap();
    std::fs::create_dir(path.join("a/.zarray")).unwrap();
    symlink(dir.path().join("out"), path.join("b/.zarray")).unwrap();
    put("c/.zarray");
    std::fs::create_dir(path.join("c/.zattrs")).unwrap();
    std::fs::create_dir(path.join("d/.zattrs")).unwrap();
    std::fs::write(path.join("d/.zgroup"), GROUP).unwrap();
    put("e/.zarray");
    let store = || {
        let store: Arc<dyn Store> = Arc::new(crate::io::dir::DirStore::open(&path).unwrap());
        Container::Store(store)
    };
    assert!(format::open(store(), &Env::default()).is_err());
    let env = Env {
        damage: Damage::tolerated(),
        ..Env::default()
    };
    let reader = format::open(store(), &env).unwrap();
    let found = env.damage.take();
    let objects: Vec<_> = found.iter().filter_map(|e| e.object()).collect();
    assert_eq!(
        objects,
        ["a/.zarray", "b/.zarray", "c/.zattrs", "d/.zattrs"]
    );
    assert_eq!(reader.schema().vars.len(), 1);
    assert_eq!(reader.schema().groups.len(), 2);
    assert!(read(&*reader, 0).is_ok());
}

#[test]
fn texts_in_column_major_order() {
    let array = r#"{"zarr_format":2,"shape":[2,3],"chunks":[2,2],"dtype":"|O","fill_value":"","order":"F",
        "filters":[{"id":"vlen-utf8"}],"compressor":null}"#;
    let texts = |texts: &str| {
        let one = |b: u8| [1, 0, 0, 0, b];
        [
            4u32.to_le_bytes().to_vec(),
            texts.bytes().flat_map(one).collect(),
        ]
        .concat()
    };
    let expected = strings(&["a", "b", "c", "d", "e", "f"]);
    let v2 = store(&[(".zgroup", GROUP), ("v/.zarray", array)]);
    v2.put("v/0.0", &texts("adbe")).unwrap();
    v2.put("v/0.1", &texts("cf  ")).unwrap();
    assert_eq!(read(&*open(&v2).unwrap(), 0).unwrap(), expected);
    let codecs = r#"{"name":"transpose","configuration":{"order":[1,0]}},{"name":"vlen-utf8"}"#;
    let json = v3("[2,2]", codecs).replace("[4,4]", "[2,3]");
    let json = json.replace(r#""uint8","fill_value":7"#, r#""string","fill_value":"""#);
    let v3 = store(&[("zarr.json", GROUP3), ("v/zarr.json", &json)]);
    v3.put("v/c/0/0", &texts("adbe")).unwrap();
    v3.put("v/c/0/1", &texts("cf  ")).unwrap();
    assert_eq!(read(&*open(&v3).unwrap(), 0).unwrap(), expected);
}
