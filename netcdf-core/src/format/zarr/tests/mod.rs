mod invalid_metadata;
mod open_cost;
mod read_cost;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::chunk::scatter::Block;
use crate::chunk::visit::Locate;
use crate::chunk::{Dataset, Reader};
use crate::env::{Damage, Env};
use crate::error::{ErrorKind, Result};
use crate::format;
use crate::io::memory_store::MemoryStore;
use crate::io::store::{Hints, VisitKey};
use crate::io::{Container, Store};
use crate::model::{Attribute, Kind, Region, Schema, Values, VarId};

fn store(keys: &[(&str, &str)]) -> Arc<dyn Store> {
    let store = MemoryStore::new("s.zarr");
    for (key, text) in keys {
        store.put(key, text.as_bytes()).unwrap();
    }
    Arc::new(store)
}

fn open(store: &Arc<dyn Store>) -> Result<Box<dyn Reader>> {
    format::open(Container::Store(Arc::clone(store)), &Env::default())
}

/// Returns all values of a variable.
fn read(reader: &dyn Reader, var: u32) -> Result<Values> {
    let (env, id) = (Env::default(), VarId(var));
    let region = Region::whole(&reader.schema().shape(id));
    Dataset::new(reader, &env).read(id, &region)
}

fn strings(texts: &[&str]) -> Values {
    Values::String(texts.iter().map(|t| Some(t.as_bytes().into())).collect())
}

const ARRAY: &str = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i2","fill_value":-9,"order":"C","filters":null,"compressor":null"#;

fn array(more: &str) -> String {
    format!("{ARRAY}{more}}}")
}

/// Returns stores with one variable and one attribute, in each generation of netCDF metadata.
fn generations() -> Vec<Vec<(&'static str, String)>> {
    let group = |key: &str, names: [&str; 2]| {
        format!(
            r#""{key}": {{"{}": {{"x": 4}}, "{}": ["v"], "groups": []}}"#,
            names[0], names[1]
        )
    };
    let (old, new) = (["dims", "vars"], ["dimensions", "arrays"]);
    let types =
        |key: &str, text: &str| format!(r#""{key}": {{"types": {{"a": "<i2", "t": "{text}"}}}}"#);
    let attributes = r#""a": 1, "t": "x""#;
    let owned = |text: &str| text.to_owned();
    let embedded = |block: &str, names, array_key: &str, refs: &str, types: String, root: &str| {
        vec![
            (
                ".zgroup",
                format!(
                    r#"{{"zarr_format":2, "{block}": {{"version":"2.0.0"}}, {}}}"#,
                    group(root, names)
                ),
            ),
            (
                "v/.zarray",
                array(&format!(
                    r#", "{array_key}": {{"{refs}": ["/x"], "storage": "chunked"}}"#
                )),
            ),
            ("v/.zattrs", format!("{{{attributes}, {types}}}")),
        ]
    };
    vec![
        vec![
            (".zgroup", owned(r#"{"zarr_format":2}"#)),
            (
                ".nczarr",
                owned(r#"{"zarr_format":2,"nczarr_version":"1.0.0"}"#),
            ),
            (
                ".nczgroup",
                owned(r#"{"dims": {"x": 4}, "vars": ["v"], "groups": []}"#),
            ),
            ("v/.zarray", array("")),
            (
                "v/.nczarray",
                owned(r#"{"dimrefs": ["/x"], "storage": "chunked"}"#),
            ),
            ("v/.zattrs", format!("{{{attributes}}}")),
            (
                "v/.nczattr",
                owned(r#"{"types": {"a": "<i2", "t": "<U1"}}"#),
            ),
        ],
        embedded(
            "_NCZARR_SUPERBLOCK",
            old,
            "_NCZARR_ARRAY",
            "dimrefs",
            types("_NCZARR_ATTR", "<U1"),
            "_NCZARR_GROUP",
        ),
        embedded(
            "_nczarr_superblock",
            old,
            "_nczarr_array",
            "dimrefs",
            types("_nczarr_attr", ">S1"),
            "_nczarr_group",
        ),
        vec![
            (".zgroup", owned(r#"{"zarr_format":2}"#)),
            (
                ".zattrs",
                format!(
                    r#"{{"_nczarr_superblock": {{"version":"2.0.0"}}, {}}}"#,
                    group("_nczarr_group", new)
                ),
            ),
            ("v/.zarray", array("")),
            (
                "v/.zattrs",
                format!(
                    r#"{{{attributes}, "_nczarr_array": {{"dimension_references": ["/x"]}}, {}}}"#,
                    types("_nczarr_attr", ">S1")
                ),
            ),
        ],
    ]
}

#[test]
fn all_generations_of_netcdf() {
    for keys in generations() {
        let texts: Vec<_> = keys
            .iter()
            .map(|(key, text)| (*key, text.as_str()))
            .collect();
        let store = store(&texts);
        store.put("v/1", &[1, 0, 2, 0]).unwrap();
        assert_eq!(
            format::probe(&Container::Store(Arc::clone(&store))).unwrap(),
            Kind::NCZARR
        );
        let reader = open(&store).unwrap();
        let schema: &Schema = reader.schema();
        assert!(schema.dims[0].name.is("x"), "{texts:?}");
        assert_eq!((schema.dims.len(), schema.vars.len()), (1, 1));
        let name = |a: &Attribute| (a.name.to_string(), a.values.clone());
        let attributes: Vec<_> = schema.vars[0].attributes.iter().map(name).collect();
        let expected = [
            ("a".to_owned(), Values::Short(vec![1])),
            ("t".to_owned(), Values::Char(b"x".to_vec())),
        ];
        assert_eq!(attributes, expected, "{texts:?}");
        assert_eq!(
            read(&*reader, 0).unwrap(),
            Values::Short(vec![-9, -9, 1, 2])
        );
        assert_eq!(reader.provenance().model, "NCZarr");
    }
}

const V3: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"uint8","fill_value":7,
    "chunk_key_encoding":{"name":"default"},"dimension_names":["y",null],"attributes":{},
    "chunk_grid":{"name":"regular","configuration":{"chunk_shape":"#;

fn v3(chunk: &str, codecs: &str) -> String {
    format!(r#"{V3}{chunk}}}}},"codecs":[{codecs}]}}"#)
}

const GROUP3: &str = r#"{"zarr_format":3,"node_type":"group"}"#;

/// Returns a 4 × 4 shard with 2 × 2 chunks; two chunks are stored.
fn shard() -> (String, Vec<u8>) {
    let codec = r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":[{"name":"bytes"}],
        "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"index_location":"end"}}"#;
    let mut bytes = vec![1, 2, 3, 4, 5, 6, 7, 8];
    let none = u64::MAX;
    bytes.extend(
        [0u64, 4, none, none, none, none, 4, 4]
            .map(u64::to_le_bytes)
            .concat(),
    );
    (v3("[4,4]", codec), bytes)
}

#[test]
fn chunks_of_shards() {
    let (json, bytes) = shard();
    let store = store(&[("zarr.json", GROUP3), ("v/zarr.json", &json)]);
    store.put("v/c/0/0", &bytes).unwrap();
    let reader = open(&store).unwrap();
    let names: Vec<_> = reader
        .schema()
        .dims
        .iter()
        .map(|d| d.name.to_string())
        .collect();
    assert_eq!(names, ["y", "_Anonymous_Dim_4"]);
    let expected = vec![1, 2, 7, 7, 3, 4, 7, 7, 7, 7, 5, 6, 7, 7, 7, 8];
    assert_eq!(read(&*reader, 0).unwrap(), Values::UByte(expected));
    let mut found = vec![];
    let part = Block {
        start: vec![1, 0],
        count: vec![1, 2],
    };
    reader
        .locate(VarId(0), &part, Locate::Stored, &mut |chunk| {
            found.push((chunk.index, chunk.range));
            Ok(())
        })
        .unwrap();
    assert_eq!(found, [(3, 4..8)]);
}

#[test]
fn damaged_shards_are_errors_with_their_key() {
    let (json, mut bytes) = shard();
    bytes[8] = 200;
    let broken = store(&[("zarr.json", GROUP3), ("v/zarr.json", &json)]);
    broken.put("v/c/0/0", &bytes).unwrap();
    let e = read(&*open(&broken).unwrap(), 0).unwrap_err();
    assert_eq!(
        (e.kind(), e.resource()),
        (ErrorKind::Corrupt, Some("s.zarr/v/c/0/0"))
    );
    let short = store(&[("zarr.json", GROUP3), ("v/zarr.json", &json)]);
    short.put("v/c/0/0", &bytes[..20]).unwrap();
    let e = read(&*open(&short).unwrap(), 0).unwrap_err();
    assert_eq!(
        (e.kind(), e.resource()),
        (ErrorKind::Corrupt, Some("s.zarr/v/c/0/0"))
    );
}

#[test]
fn texts_of_any_length() {
    let array = r#"{"zarr_format":2,"shape":[3],"chunks":[2],"dtype":"|O","fill_value":0,"order":"C",
        "filters":[{"id":"vlen-utf8"}],"compressor":null}"#;
    let store = store(&[(".zgroup", r#"{"zarr_format":2}"#), ("v/.zarray", array)]);
    store
        .put("v/0", b"\x02\0\0\0\x01\0\0\0a\x02\0\0\0bc")
        .unwrap();
    let reader = open(&store).unwrap();
    assert_eq!(read(&*reader, 0).unwrap(), strings(&["a", "bc", ""]));
    store.delete("v/0").unwrap();
    store.put("v/0", b"\x02\0\0\0\x01\0\0\0a\xff").unwrap();
    let e = read(&*open(&store).unwrap(), 0).unwrap_err();
    assert_eq!(
        (e.kind(), e.resource()),
        (ErrorKind::Corrupt, Some("s.zarr/v/0"))
    );
}

#[test]
fn texts_may_be_long_and_chunks_not_too_large() {
    let array = r#"{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"|O","fill_value":0,"order":"C",
        "filters":[{"id":"vlen-utf8"}],"compressor":{"id":"zlib","level":1}}"#;
    let numbers = array
        .replace("|O", "|u1")
        .replace(r#"{"id":"vlen-utf8"}"#, "");
    let store = store(&[
        (".zgroup", r#"{"zarr_format":2}"#),
        ("v/.zarray", array),
        ("w/.zarray", &numbers),
    ]);
    let text = vec![b'x'; 1 << 20];
    let mut bytes = vec![1, 0, 0, 0];
    bytes.extend((1u32 << 20).to_le_bytes());
    bytes.extend(&text);
    let env = Env::default();
    let layout = open(&store).unwrap().layout(VarId(1)).unwrap();
    let context = crate::filter::ChunkContext {
        shape: vec![bytes.len() as u64],
        element: layout.element,
        fill: None,
        len: Some(bytes.len()),
        about: crate::filter::VariableFacts::default(),
    };
    let chain = env.filters.chain(&layout.filters, &context).unwrap();
    let (_, stored) = chain.encode(bytes, &mut Vec::new()).unwrap();
    store.put("v/0", &stored).unwrap();
    store.put("w/0", &vec![0; 2 << 20]).unwrap();
    let reader = open(&store).unwrap();
    assert_eq!(
        read(&*reader, 0).unwrap(),
        Values::String(vec![Some(text.into())])
    );
    assert_eq!(read(&*reader, 1).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn a_billion_chunks_that_are_not_stored_cost_nothing() {
    let array = r#"{"zarr_format":2,"shape":[1000000000,1000000000],"chunks":[1,1000000000],"dtype":"<f8","fill_value":1.5,
        "order":"C","filters":null,"compressor":null}"#;
    let store = store(&[(".zgroup", r#"{"zarr_format":2}"#), ("v/.zarray", array)]);
    let reader = open(&store).unwrap();
    let env = Env::default();
    let region = Region {
        start: vec![5, 7],
        count: vec![1000, 2],
        stride: vec![1_000_000, 1],
    };
    let values = Dataset::new(&*reader, &env)
        .read(VarId(0), &region)
        .unwrap();
    assert_eq!(values, Values::Double(vec![1.5; 2000]));
}

#[test]
fn one_array_that_cannot_be_read_is_shown_all_the_same() {
    let odd =
        r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<f16","fill_value":0,"order":"C"}"#;
    let objects =
        r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|O","filters":[{"id":"pickle"}]}"#;
    let store = store(&[
        (".zgroup", r#"{"zarr_format":2}"#),
        ("a/.zarray", odd),
        ("b/.zarray", objects),
        ("c/.zarray", &array("")),
    ]);
    let env = Env::default();
    let reader = format::open(Container::Store(store), &env).unwrap();
    let names: Vec<_> = reader
        .schema()
        .vars
        .iter()
        .map(|v| v.name.to_string())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    let notes: Vec<_> = env.notes.take().iter().map(ToString::to_string).collect();
    let (f16, pickle) = (&notes[0], &notes[1]);
    assert!(
        f16.starts_with("s.zarr: /a: the data cannot be read: the type"),
        "{f16}"
    );
    assert!(pickle.contains("encoded with pickle"), "{pickle}");
    for var in [0, 1] {
        let e = read(&*reader, var).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::FilterUnavailable);
    }
    assert_eq!(read(&*reader, 2).unwrap(), Values::Short(vec![-9; 4]));
}

#[test]
fn damage_of_one_array_can_be_tolerated() {
    let keys = [
        (".zgroup", r#"{"zarr_format":2}"#),
        ("a/.zarray", r#"{"zarr_format":2,"shape":[4"#),
        ("b/.zarray", r#"{"zarr_format":2}"#),
        ("c/.zarray", &array("")),
    ];
    let store = store(&keys);
    let e = open(&store).err().unwrap();
    assert_eq!(
        (e.kind(), e.object()),
        (ErrorKind::Corrupt, Some("a/.zarray"))
    );
    let env = Env {
        damage: Damage::tolerated(),
        ..Env::default()
    };
    let reader = format::open(Container::Store(store), &env).unwrap();
    assert_eq!(
        (reader.schema().vars.len(), env.damage.take().len()),
        (1, 2)
    );
}

#[test]
fn names_that_lead_elsewhere_are_left_out() {
    let attributes = r#"{"_nczarr_superblock":{},"_nczarr_group":{"arrays":["../v","a/b","",".","v","v"],"groups":[".."]}}"#;
    let store = store(&[
        (".zgroup", r#"{"zarr_format":2}"#),
        (".zattrs", attributes),
        ("v/.zarray", &array("")),
    ]);
    let env = Env::default();
    let reader = format::open(Container::Store(store), &env).unwrap();
    assert_eq!(
        (reader.schema().vars.len(), reader.schema().groups.len()),
        (1, 1)
    );
    assert_eq!(env.notes.take().len(), 5);
}

#[test]
fn groups_are_not_nested_without_end() {
    let store = MemoryStore::new("deep");
    let mut prefix = String::new();
    for _ in 0..400 {
        store
            .put(&format!("{prefix}.zgroup"), br#"{"zarr_format":2}"#)
            .unwrap();
        prefix.push_str("g/");
    }
    let e = open(&(Arc::new(store) as Arc<dyn Store>)).err().unwrap();
    assert_eq!(e.kind(), ErrorKind::Limit);
}

#[test]
fn fill_values_take_memory_within_the_limit() {
    let one = r#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"|S100000","fill_value":"","order":"C","filters":null,"compressor":null}"#;
    let keys: Vec<_> = (0..40).map(|n| format!("v{n}/.zarray")).collect();
    let mut keys: Vec<_> = keys.iter().map(|key| (key.as_str(), one)).collect();
    keys.push((".zgroup", r#"{"zarr_format":2}"#));
    let store = store(&keys);
    let mut env = Env::default();
    let mut opened = |limit| {
        env.limits.metadata = limit;
        format::open(Container::Store(Arc::clone(&store)), &env).map(|_| ())
    };
    assert!(opened(5_000_000).is_ok());
    assert_eq!(opened(3_000_000).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn dimensions_of_one_name_and_two_lengths() {
    let one = |n: u32| {
        format!(
            r#"{{"zarr_format":2,"shape":[{n}],"chunks":[{n}],"dtype":"|i1","fill_value":null,"order":"C"}}"#
        )
    };
    let dims = r#"{"_ARRAY_DIMENSIONS":["x"]}"#;
    let store = store(&[
        (".zgroup", r#"{"zarr_format":2}"#),
        ("a/.zarray", &one(3)),
        ("a/.zattrs", dims),
        ("b/.zarray", &one(5)),
        ("b/.zattrs", dims),
    ]);
    let env = Env::default();
    let reader = format::open(Container::Store(store), &env).unwrap();
    let dims: Vec<_> = reader
        .schema()
        .dims
        .iter()
        .map(|d| (d.name.to_string(), d.len))
        .collect();
    assert_eq!(
        dims,
        [("x".to_owned(), 3), ("_Anonymous_Dim_5".to_owned(), 5)]
    );
    assert_eq!(env.notes.take().len(), 1);
}

#[test]
fn consolidated_metadata_stands_in_for_the_rest() {
    let all = format!(
        r#"{{"metadata":{{".zgroup":{{"zarr_format":2}},"g/.zgroup":{{}},"g/v/.zarray":{},"g/v/.zattrs":{{"a":1}}}},"zarr_consolidated_format":1}}"#,
        array("")
    );
    let store = store(&[(".zmetadata", &all)]);
    store.put("g/v/0", &[1, 0, 2, 0]).unwrap();
    let reader = open(&store).unwrap();
    assert_eq!(reader.schema().var_path(VarId(0)), "/g/v");
    assert_eq!(
        read(&*reader, 0).unwrap(),
        Values::Short(vec![1, 2, -9, -9])
    );
}

/// A store that counts requests.
#[derive(Debug)]
struct Counting {
    inner: Arc<dyn Store>,
    walks: AtomicUsize,
    chunks: AtomicUsize,
    hints: Hints,
}

impl Counting {
    fn chunk(&self, key: &str) {
        let meta = key.rsplit('/').next().unwrap().starts_with('.');
        self.chunks.fetch_add(usize::from(!meta), Ordering::Relaxed);
    }
}

impl Store for Counting {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }
    fn hints(&self) -> Hints {
        self.hints
    }
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        self.chunk(key);
        self.inner.get(key)
    }
    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        self.chunk(key);
        self.inner.get_ranges(key, ranges)
    }
    fn size(&self, key: &str) -> Result<Option<u64>> {
        self.inner.size(key)
    }
    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        self.inner.children(prefix)
    }
    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        self.walks.fetch_add(1, Ordering::Relaxed);
        self.inner.walk(prefix, visit)
    }
    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.inner.put(key, bytes)
    }
    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.inner.put_if_absent(key, bytes)
    }
    fn delete(&self, key: &str) -> Result<()> {
        self.inner.delete(key)
    }
}

fn counting(hints: Hints) -> Arc<Counting> {
    let attributes = r#"{"_nczarr_superblock":{},"_nczarr_group":{"dimensions":{"x":4},"arrays":["v"],"groups":[]}}"#;
    let inner = store(&[
        (".zgroup", r#"{"zarr_format":2}"#),
        (".zattrs", attributes),
        ("v/.zarray", &array("")),
        (
            "v/.zattrs",
            r#"{"_ARRAY_DIMENSIONS":["n"],"_nczarr_array":{"dimension_references":["/x"]}}"#,
        ),
        ("w/.zarray", &array("")),
        ("v/0", "abcd"),
    ]);
    Arc::new(Counting {
        inner,
        walks: AtomicUsize::new(0),
        chunks: AtomicUsize::new(0),
        hints,
    })
}

#[test]
fn opening_lists_and_reads_no_chunks() {
    let store = counting(Hints::default());
    let reader = open(&(Arc::clone(&store) as Arc<dyn Store>)).unwrap();
    let asked = || {
        (
            store.walks.load(Ordering::Relaxed),
            store.chunks.load(Ordering::Relaxed),
        )
    };
    assert_eq!(asked(), (0, 0));
    read(&*reader, 0).unwrap();
    assert_eq!(asked(), (0, 1));
}

#[test]
fn what_the_user_says_of_a_store_counts() {
    let names = |hints| {
        let store = counting(hints) as Arc<dyn Store>;
        let reader = open(&store).unwrap();
        let dims = reader.schema().dims.iter().map(|d| d.name.to_string());
        (
            reader.schema().vars.len(),
            dims.collect::<Vec<_>>(),
            reader.provenance().model,
        )
    };
    assert_eq!(names(Hints::default()), (1, vec!["x".to_owned()], "NCZarr"));
    let pure = Hints {
        pure: true,
        ..Hints::default()
    };
    assert_eq!(
        names(pure),
        (
            2,
            vec!["n".to_owned(), "_Anonymous_Dim_4".to_owned()],
            "Zarr"
        )
    );
    let plain = Hints {
        no_xarray: true,
        ..pure
    };
    assert_eq!(
        names(plain),
        (2, vec!["_Anonymous_Dim_4".to_owned()], "Zarr")
    );
}

#[test]
fn the_last_of_attributes_of_one_name_counts() {
    let array = array("");
    let attributes = r#"{"a": 1, "b": 2, "a": 7, "": 3}"#;
    let store = store(&[("v/.zarray", &array), ("v/.zattrs", attributes)]);
    let env = Env::default();
    let reader = format::open(Container::Store(store), &env).unwrap();
    let found = &reader.schema().vars[0].attributes;
    let found: Vec<_> = found
        .iter()
        .map(|a| (a.name.to_string(), &a.values))
        .collect();
    let (a, b) = (Values::Int(vec![7]), Values::Int(vec![2]));
    assert_eq!(found, [("a".to_owned(), &a), ("b".to_owned(), &b)]);
    let notes: Vec<_> = env.notes.take().iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].contains("/v: skipped: an attribute without a name"),
        "{notes:?}"
    );
}

/// TensorStore has these arrays. NumPy has the type only with `ml_dtypes`, and zarr-python lacks the type.
#[test]
fn upper_halves_of_floats_are_read() {
    let metadata = r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"bfloat16","fill_value":1.5,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},
        "codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}"#;
    let root = r#"{"zarr_format":3,"node_type":"group"}"#;
    let store = store(&[("zarr.json", root), ("v/zarr.json", metadata)]);
    store.put("v/c/0", &[0x80, 0xbf, 0x49, 0x40]).unwrap();
    let found = read(&*open(&store).unwrap(), 0).unwrap();
    assert_eq!(found, Values::Float(vec![-1.0, 3.140_625, 1.5, 1.5]));
}

/// The form that xarray writes in version 3.
#[test]
fn fill_values_of_texts_may_be_in_base64() {
    let metadata = |fill: &str| {
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[1],
            "data_type":{{"name":"null_terminated_bytes","configuration":{{"length_bytes":2}}}},"fill_value":"",
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[1]}}}},"chunk_key_encoding":{{"name":"default"}},
            "codecs":[{{"name":"bytes"}}],"attributes":{{"_FillValue":"{fill}"}}}}"#
        )
    };
    let root = r#"{"zarr_format":3,"node_type":"group"}"#;
    for (fill, want) in [("Kg==", "*"), ("eHk=", "xy"), ("*", "*"), ("none", "none")] {
        let store = store(&[("zarr.json", root), ("v/zarr.json", &metadata(fill))]);
        let reader = open(&store).unwrap();
        let values = &reader.schema().vars[0]
            .attribute("_FillValue")
            .unwrap()
            .values;
        assert_eq!(*values, strings(&[want]), "{fill}");
    }
}
