//! Snapshots of `zdump chunk`, `zdump map` and `zdump diff`, on stores built from keys, and of `diff` on copies of one file.

use std::path::Path;

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

const GROUP: &str = r#"{"zarr_format":2}"#;
/// A big-endian, shuffled, compressed array. The last row and column of chunks are clipped.
const V: &str = r#"{"zarr_format":2,"shape":[3,5],"chunks":[2,3],"dtype":">i2","fill_value":-1,"order":"C",
    "filters":[{"id":"shuffle","elementsize":2}],"compressor":{"id":"zlib","level":1}}"#;
/// The values 0, 1, 2, 3, -1, 5 and six times -1, as stored by `V`.
const SIX: &[u8] =
    b"\x78\x01\x63\x60\x60\x60\xf8\xcf\xc0\xc0\xc8\xc4\xfc\x9f\x15\x00\x0a\x1d\x02\x0a";
const FILL: &[u8] = b"\x78\x01\xfb\xff\x1f\x01\x00\x4d\xbe\x0b\xf5";
/// The values of `V` with another chunk shape, without codecs.
const W: &str = r#"{"zarr_format":3,"node_type":"array","shape":[3,5],"data_type":"int16","fill_value":-1,
    "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1,5]}},"chunk_key_encoding":{"name":"default"},
    "codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":{"units":"m","n":1.0}}"#;
const STRUCTURE: &str = r#"{"zarr_format":2,"shape":[3],"chunks":[2],"dtype":[["x","|u1"],["y","<i2"]],"fill_value":null,
    "order":"C","filters":null,"compressor":null}"#;
const TEXT: &str = r#"{"zarr_format":2,"shape":[3],"chunks":[3],"dtype":"|O","fill_value":"","order":"C",
    "filters":[{"id":"vlen-utf8"}],"compressor":null}"#;
const CHARS: &str = r#"{"zarr_format":2,"shape":[2,3],"chunks":[2,3],"dtype":">S1","fill_value":"","order":"C",
    "filters":null,"compressor":null}"#;
const SCALAR: &str = r#"{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"<f8","fill_value":null,"order":"C",
    "filters":null,"compressor":null}"#;
const TIME: &str = r#"{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<i4","fill_value":-1,"order":"C",
    "filters":null,"compressor":null}"#;
const NUMPY: &str = r#"{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<M8[ms]","fill_value":"NaT","order":"C",
    "filters":null,"compressor":null}"#;
const UNKNOWN: &str = r#"{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<f8","fill_value":0,"order":"C",
    "filters":null,"compressor":{"id":"nosuch"}}"#;
const LONG: &str = r#"{"zarr_format":2,"shape":[1000000],"chunks":[10],"dtype":"|u1","fill_value":0,"order":"C",
    "filters":null,"compressor":null}"#;
const CUBE: &str = r#"{"zarr_format":2,"shape":[2,2,4],"chunks":[1,1,1],"dtype":"|S4","fill_value":"","order":"C",
    "filters":null,"compressor":null}"#;
const SHARDED: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"uint8","fill_value":0,
    "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,4]}},
    "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"sharding_indexed","configuration":
    {"chunk_shape":[2,2],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"}]}}]}"#;
const UNSHARDED: &str = r#"{"zarr_format":2,"shape":[4,4],"chunks":[3,4],"dtype":"|u1","fill_value":0,"order":"C",
    "filters":null,"compressor":null}"#;

/// Returns a shard of two chunks; `None` is a missing chunk.
fn shard(chunks: [Option<&[u8]>; 2]) -> Vec<u8> {
    let (mut bytes, mut index) = (vec![], vec![]);
    for chunk in chunks {
        let entry = match chunk {
            Some(chunk) => [bytes.len() as u64, chunk.len() as u64],
            None => [u64::MAX; 2],
        };
        index.extend(entry.map(u64::to_le_bytes).concat());
        bytes.extend(chunk.unwrap_or_default());
    }
    bytes.extend(index);
    bytes
}

/// A store with many kinds of arrays.
fn store() -> Sandbox {
    let sandbox = Sandbox::new();
    let half = shard([None, Some(&[1, 2, 3, 4])]);
    let keys: &[(&str, &[u8])] = &[
        (".zgroup", GROUP.as_bytes()),
        ("v/.zarray", V.as_bytes()),
        (
            "v/.zattrs",
            br#"{"units":"m","n":1,"_ARRAY_DIMENSIONS":["y","x"]}"#,
        ),
        ("v/0.0", SIX),
        ("v/0.1", FILL),
        ("v/1.1", SIX),
        ("damaged/.zarray", V.as_bytes()),
        ("damaged/0.0", b"\x78\x01no deflate"),
        ("damaged/1.1", SIX),
        ("st/.zarray", STRUCTURE.as_bytes()),
        ("st/0", &[1, 2, 0, 255, 255, 255]),
        ("t/.zarray", TEXT.as_bytes()),
        ("t/0", b"\x03\0\0\0\x01\0\0\0a\0\0\0\0\x03\0\0\0x\"\n"),
        ("c/.zarray", CHARS.as_bytes()),
        ("c/0.0", b"ab\0cde"),
        ("s/.zarray", SCALAR.as_bytes()),
        (
            "s/.zattrs",
            br#"{"_nczarr_array":{"scalar":1},"_ARRAY_DIMENSIONS":["_scalar_"]}"#,
        ),
        ("s/0", &[0, 0, 0, 0, 0, 0, 0xf8, 0x7f]),
        ("long/.zarray", LONG.as_bytes()),
        ("long/7", &[0; 10]),
        ("long/99999", &[1; 10]),
        ("cube/.zarray", CUBE.as_bytes()),
        ("cube/0.0.0", b"abcd"),
        ("cube/1.1.3", b"\0\0\0\0"),
        ("time/.zarray", TIME.as_bytes()),
        (
            "time/.zattrs",
            br#"{"units":"hours since 2020-02-28","calendar":"noleap"}"#,
        ),
        (
            "time/0",
            &[0, 0, 0, 0, 25, 0, 0, 0, 255, 255, 255, 255, 48, 0, 0, 0],
        ),
        ("numpy/.zarray", NUMPY.as_bytes()),
        (
            "numpy/0",
            &[0xdc, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80],
        ),
        ("sharded/zarr.json", SHARDED.as_bytes()),
        ("sharded/c/0/0", &half),
        ("sharded/c/1/0", b"no index"),
    ];
    sandbox.store("s.zarr", keys);
    sandbox
}

/// Two stores with the same data, except for one element, an attribute and an array.
fn pair() -> Sandbox {
    let sandbox = store();
    let whole = shard([Some(&[0; 4]), Some(&[1, 2, 3, 4])]);
    let rows = [[0i16, 1, 2, -1, -1], [3, -1, 5, -1, -1], [-1, -1, -1, 0, 7]];
    let rows = rows.map(|row| row.map(i16::to_le_bytes).concat());
    let sharded: &[(&str, &[u8])] = &[
        ("zarr.json", br#"{"zarr_format":3,"node_type":"group"}"#),
        ("v/zarr.json", W.as_bytes()),
        ("v/c/0/0", &rows[0]),
        ("v/c/1/0", &rows[1]),
        ("v/c/2/0", &rows[2]),
        ("u/zarr.json", SHARDED.as_bytes()),
        ("u/c/0/0", &whole),
    ];
    sandbox.store("a.zarr", sharded);
    let plain: &[(&str, &[u8])] = &[
        (".zgroup", GROUP.as_bytes()),
        ("v/.zarray", V.as_bytes()),
        ("v/.zattrs", br#"{"units":"km","n":1}"#),
        ("v/0.0", SIX),
        ("v/1.1", SIX),
        ("u/.zarray", UNSHARDED.as_bytes()),
        ("u/0.0", &[0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0]),
        ("more/.zarray", LONG.as_bytes()),
    ];
    sandbox.store("b.zarr", plain);
    sandbox
}

fn zdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(zdump::run, &[&["zdump"], args].concat())
}

fn of_store(args: &[&str]) -> CommandOutput {
    zdump(&store(), args)
}

snapshots! {
    of_store =>
    chunk: "chunk", "@s.zarr", "v", "0,0";
    chunk_clipped: "chunk", "@s.zarr", "v", "1.1";
    chunk_missing: "chunk", "@s.zarr", "v", "1,0";
    chunk_at: "chunk", "@s.zarr", "/v", "--at", "2,4";
    chunk_all: "chunk", "@s.zarr", "v", "--all";
    chunk_json: "chunk", "--json", "@s.zarr", "v", "--all";
    chunk_stored: "chunk", "@s.zarr", "v", "0,0", "--stage", "0";
    chunk_stage: "chunk", "@s.zarr", "v", "0,0", "--stage", "1";
    chunk_stage_json: "chunk", "--json", "@s.zarr", "v", "0,0", "--stage", "2";
    chunk_no_stage: "chunk", "@s.zarr", "v", "0,0", "--stage", "3";
    chunk_damaged: "chunk", "@s.zarr", "damaged", "0,0";
    chunk_all_damaged: "chunk", "@s.zarr", "damaged", "--all";
    chunk_structures: "chunk", "@s.zarr", "st", "--all";
    chunk_texts: "chunk", "@s.zarr", "t";
    chunk_chars: "chunk", "@s.zarr", "c";
    chunk_scalar: "chunk", "@s.zarr", "s", "0";
    chunk_shard: "chunk", "@s.zarr", "sharded", "0,1", "--stage", "0";
    chunk_shard_missing: "chunk", "@s.zarr", "sharded", "0,0";
    chunk_shards: "chunk", "@s.zarr", "sharded", "--all";
    chunk_shard_json: "chunk", "--json", "@s.zarr", "sharded", "0,1", "--stage", "0";
    chunk_outside: "chunk", "@s.zarr", "v", "2,0";
    chunk_which: "chunk", "@s.zarr", "v";
    chunk_no_number: "chunk", "@s.zarr", "v", "a,b";
    chunk_of_a_group: "chunk", "@s.zarr", "/", "0";
    chunk_of_nothing: "chunk", "@s.zarr", "nosuch", "0";
    map: "map", "@s.zarr", "v";
    map_json: "map", "--json", "@s.zarr", "v";
    map_svg: "map", "@s.zarr", "v", "-o", "-";
    map_slices: "map", "@s.zarr", "cube";
    map_long: "map", "@s.zarr", "long";
    map_damaged: "map", "@s.zarr", "damaged";
    map_shards: "map", "@s.zarr", "sharded";
    map_scalar: "map", "@s.zarr", "s";
    map_into_the_store: "map", "@s.zarr", "v", "-o", "@s.zarr/v/0.0";
    map_two_outputs: "map", "--json", "@s.zarr", "v", "-o", "-";
    diff_same: "diff", "@s.zarr", "@s.zarr";
    chunk_times: "chunk", "-t", "@s.zarr", "time";
    chunk_times_json: "chunk", "--times", "--json", "@s.zarr", "numpy";
    chunk_times_of_none: "chunk", "-t", "@s.zarr", "v", "0,0";
}

/// A dataset as xarray writes it in versions 2 and 3: the missing value is the array's fill value in version 2, and an attribute in Base64
/// in version 3.
#[test]
fn versions_of_one_dataset_differ_in_layout_only() {
    let sandbox = Sandbox::new();
    let v2 = |ty: &str, fill: &str| {
        format!(
            r#"{{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"{ty}","fill_value":{fill},"order":"C","filters":null,
            "compressor":null}}"#
        )
    };
    let v3 = |ty: &str, fill: &str, mask: &str| {
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"{ty}","fill_value":{fill},"chunk_grid":
            {{"name":"regular","configuration":{{"chunk_shape":[2]}}}},"chunk_key_encoding":{{"name":"default"}},
            "codecs":[{{"name":"bytes","configuration":{{"endian":"little"}}}}],"dimension_names":["x"],
            "attributes":{{{mask}}}}}"#
        )
    };
    let dims = r#"{"_ARRAY_DIMENSIONS":["x"]}"#.to_owned();
    let (floats, shorts) = ([0u8; 8], [0u8; 4]);
    let old = [
        (".zgroup", GROUP.to_owned().into_bytes()),
        (
            "f/.zarray",
            v2("<f4", "1.0000000200408773e+20").into_bytes(),
        ),
        ("f/.zattrs", dims.clone().into_bytes()),
        ("f/0", floats.to_vec()),
        ("i/.zarray", v2("<i2", "-9").into_bytes()),
        ("i/.zattrs", dims.into_bytes()),
        ("i/0", shorts.to_vec()),
    ];
    let new = |mask: &str| {
        let mask = format!(r#""_FillValue":"{mask}""#);
        [
            (
                "zarr.json",
                br#"{"zarr_format":3,"node_type":"group"}"#.to_vec(),
            ),
            ("f/zarr.json", v3("float32", "\"NaN\"", &mask).into_bytes()),
            ("f/c/0", floats.to_vec()),
            (
                "i/zarr.json",
                v3("int16", "0", r#""_FillValue":-9"#).into_bytes(),
            ),
            ("i/c/0", shorts.to_vec()),
        ]
    };
    sandbox.store("v2.zarr", &old);
    sandbox.store("v3.zarr", &new("AAAAgB2vFUQ="));
    sandbox.store("other.zarr", &new("AAAAAAAA+H8="));
    for stores in [["@v2.zarr", "@v3.zarr"], ["@v3.zarr", "@v2.zarr"]] {
        let found = zdump(&sandbox, &["diff", stores[0], stores[1]]);
        assert_eq!(found.code, 0, "{found}");
    }
    let found = zdump(&sandbox, &["diff", "@v2.zarr", "@other.zarr"]);
    assert_eq!(found.code, 1, "{found}");
    assert!(found.text().contains("_FillValue: - | NaN\n"), "{found}");
    assert!(
        found.text().contains("fill_value: 1e+20 | NaN\n"),
        "{found}"
    );
}

/// Invalid metadata equals itself.
#[test]
fn invalid_metadata_equals_itself() {
    let sandbox = Sandbox::new();
    let keys = [
        (".zgroup", GROUP),
        ("b/.zarray", "{\"shape\":[1"),
        ("b/0", "x"),
    ];
    sandbox.store("a.zarr", &keys);
    sandbox.store("b.zarr", &[keys[0], keys[1], ("b/0", "y")]);
    assert_eq!(zdump(&sandbox, &["diff", "@a.zarr", "@a.zarr"]).code, 0);
    assert_eq!(zdump(&sandbox, &["diff", "@a.zarr", "@b.zarr"]).code, 1);
}

#[test]
fn check_complete() {
    let found = of_store(&["check", "--complete", "@s.zarr"]);
    let text = found.text();
    let missing = text.lines().filter(|l| l.contains("chunk-missing"));
    let missing: Vec<_> = missing.filter(|l| !l.starts_with("long/")).collect();
    assert_snapshot!(missing.join("\n"));
    let without = of_store(&["check", "@s.zarr"]);
    assert!(!without.text().contains("chunk-missing"), "{without}");
}

#[test]
fn diff() {
    let sandbox = pair();
    assert_snapshot!(zdump(&sandbox, &["diff", "@a.zarr", "@b.zarr"]));
}

#[test]
fn diff_turned() {
    let sandbox = pair();
    assert_snapshot!(zdump(&sandbox, &["diff", "@b.zarr", "@a.zarr"]));
}

#[test]
fn diff_json() {
    let sandbox = pair();
    assert_snapshot!(zdump(&sandbox, &["diff", "--json", "@a.zarr", "@b.zarr"]));
}

/// The complete message contains search directories for codec libraries, which differ between machines.
#[test]
fn a_missing_codec_is_named() {
    let sandbox = Sandbox::new();
    sandbox.store("s.zarr", &[("u/.zarray", UNKNOWN), ("u/0", "0123")]);
    sandbox.store("other.zarr", &[("u/.zarray", UNKNOWN), ("u/0", "0124")]);
    for args in [
        &["chunk", "@s.zarr", "u"][..],
        &["chunk", "@s.zarr", "u", "--all"],
        &["diff", "@s.zarr", "@other.zarr"],
    ] {
        let found = zdump(&sandbox, args);
        assert_eq!(found.code, 1, "{found}");
        assert!(
            found.to_string().contains("codec nosuch is not available"),
            "{found}"
        );
    }
    // Equal bytes are equal values, for any meaning.
    let same = zdump(&sandbox, &["diff", "@s.zarr", "@s.zarr"]);
    assert_eq!(same.clean().text(), "no differences\n");
    let stored = zdump(&sandbox, &["chunk", "@s.zarr", "u", "--stage", "0"]).clean();
    assert!(stored.text().contains("30 31 32 33"), "{stored}");
    let map = zdump(&sandbox, &["map", "@s.zarr", "u"]).clean();
    assert!(
        map.text().contains("codec nosuch is not available"),
        "{map}"
    );
}

#[test]
fn diff_raw() {
    let sandbox = pair();
    sandbox.store(
        "c.zarr",
        &[
            (".zgroup", GROUP),
            ("v/0.0", "x\u{1}ccccccccccccccccccc"),
            ("z", ""),
        ],
    );
    assert_snapshot!(zdump(&sandbox, &["diff", "--raw", "@b.zarr", "@c.zarr"]));
}

#[test]
fn output_does_not_depend_on_threads() {
    let sandbox = pair();
    for args in [
        &["diff", "@a.zarr", "@b.zarr"][..],
        &["diff", "@s.zarr", "@b.zarr"],
        &["chunk", "@s.zarr", "v", "--all"],
        &["map", "@s.zarr", "damaged"],
    ] {
        let with = |n: &str| zdump(&sandbox, &[args, &["--threads", n]].concat());
        assert_eq!(with("1"), with("4"), "{args:?}");
    }
}

#[test]
fn an_image_is_well_formed_and_the_same_each_time() {
    let sandbox = store();
    let _ = zdump(&sandbox, &["map", "@s.zarr", "v", "-o", "@v.svg"]).clean();
    let image = sandbox.read("v.svg");
    let text = String::from_utf8(image.clone()).unwrap();
    assert!(
        text.starts_with("<svg ") && text.ends_with("</svg>\n"),
        "{text}"
    );
    assert!(
        text.contains("<title ") && text.contains("<desc "),
        "{text}"
    );
    let _ = zdump(&sandbox, &["map", "@s.zarr", "v", "-o", "@v.svg"]).clean();
    assert_eq!(sandbox.read("v.svg"), image);
    // The rejected commands have changed nothing.
    let refused = zdump(&sandbox, &["map", "@s.zarr", "v", "-o", "@s.zarr/new.svg"]);
    assert_eq!(refused.code, 1, "{refused}");
    assert!(!Path::exists(&sandbox.path("s.zarr/new.svg")));
}

/// One file in five forms with differences in layout only. A store equals its zip file.
#[test]
fn copies_of_a_file_differ_in_layout_only() {
    let sandbox = Sandbox::new();
    let cdl = "netcdf a { dimensions: t = UNLIMITED; y = 3; n = 4; variables: float v(t, y); v:_FillValue = -9.f;
        v:a = 1., 2.5; int s; char c(y, n); string st(y); st:x = \"y\"; double d(t); data: v = 1, _, NaNf, 4, 5, 6; s = 5;
        c = \"ab\", \"cdef\"; st = \"a\", \"\", \"ccc\"; d = 1, 2; group: g { variables: short w(y); data: w = 1, 2; } }";
    sandbox.write("a.cdl", cdl);
    let made = sandbox.run(ncgen::run, &["ncgen", "-k", "nc4", "-o", "@a.nc", "@a.cdl"]);
    let _ = made.clean();
    let kinds = ["zarr", "nczarr", "zarr3", "nczarr3"];
    let mut stores: Vec<String> = kinds.map(|kind| format!("@{kind}.zarr")).to_vec();
    for (kind, store) in kinds.iter().zip(&stores) {
        let made = sandbox.run(nccopy::run, &["nccopy", "-k", kind, "@a.nc", store]);
        assert_eq!(made.code, 0, "{made}");
    }
    let made = sandbox.run(
        nccopy::run,
        &["nccopy", "-k", "zarr", "@a.nc", "@a.zarr.zip"],
    );
    assert_eq!(made.code, 0, "{made}");
    let raw = zdump(&sandbox, &["diff", "--raw", "@zarr.zarr", "@a.zarr.zip"]);
    assert_eq!(raw.text(), "no differences\n");
    stores.push("@a.zarr.zip".to_owned());
    for a in &stores {
        for b in &stores {
            let found = zdump(&sandbox, &["diff", a, b]);
            assert_eq!(found.code, 0, "{a} {b}\n{found}");
        }
    }
    let chunk = zdump(&sandbox, &["chunk", "@a.zarr.zip", "st"]);
    assert!(chunk.text().contains("\"a\", \"\", \"ccc\""), "{chunk}");
}

/// Times beyond 2^53 keep all digits. An unknown reference time gives a note.
#[test]
fn times_of_64_bits() {
    let array = |dtype: &str| {
        format!(
            r#"{{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"{dtype}","fill_value":0,"order":"C","filters":null,"compressor":null}}"#
        )
    };
    let (unsigned, tens, picos) = (array("<u8"), array("<M8[10us]"), array("<M8[ps]"));
    let units = |since: &str| format!(r#"{{"units":"nanoseconds since {since}"}}"#);
    let (known, unknown) = (units("1970-01-01_12:00"), units("analysis"));
    let nanoseconds = 1_700_000_000_123_456_511_u64;
    let tens_of = (nanoseconds / 10_000).to_le_bytes();
    let picoseconds = 9_000_000_000_000_000_001_u64.to_le_bytes();
    let sandbox = Sandbox::new();
    let keys: &[(&str, &[u8])] = &[
        (".zgroup", br#"{"zarr_format":2}"#),
        ("u/.zarray", unsigned.as_bytes()),
        ("u/.zattrs", known.as_bytes()),
        ("u/0", &nanoseconds.to_le_bytes()),
        ("x/.zarray", unsigned.as_bytes()),
        ("x/.zattrs", unknown.as_bytes()),
        ("x/0", &[1, 0, 0, 0, 0, 0, 0, 0]),
        ("t/.zarray", tens.as_bytes()),
        ("t/0", &tens_of),
        ("p/.zarray", picos.as_bytes()),
        ("p/0", &picoseconds),
    ];
    sandbox.store("s.zarr", keys);
    let cases = [
        ("u", "2023-11-15 10:13:20.123457"),
        ("t", "2023-11-14 22:13:20.123450"),
        ("p", "1970-04-15 04"),
    ];
    for (name, date) in cases {
        let out = zdump(&sandbox, &["chunk", "-t", "@s.zarr", name, "0"]);
        assert!(out.text().contains(date), "{out}");
    }
    let out = zdump(&sandbox, &["chunk", "-t", "@s.zarr", "x", "0"]);
    let note = "x: printed as numbers: reference time not understood: \"analysis\"";
    assert!(out.code == 0 && out.message().contains(note), "{out}");
}

/// `zdump` and `ncdump` read chunks with a length that differs from the shape, if the chunks contain all elements inside the array.
#[test]
fn chunks_of_another_length() {
    let array = |compressor: &str| {
        format!(
            r#"{{"zarr_format":2,"shape":[6],"chunks":[4],"dtype":"|u1","fill_value":9,"order":"C","filters":null,"compressor":{compressor}}}"#
        )
    };
    let plain = |bytes: &[u8]| bytes.to_vec();
    let stored = |bytes: &[u8]| {
        // A stored block of deflate, in zlib's frame.
        let len = u8::try_from(bytes.len()).expect("few bytes");
        let (mut a, mut b) = (1_u32, 0);
        for &byte in bytes {
            a += u32::from(byte);
            b += a;
        }
        let head = [0x78, 1, 1, len, 0, !len, 0xff];
        [&head[..], bytes, &(b << 16 | a).to_be_bytes()].concat()
    };
    let note = "zdump: /v: chunks are shorter or longer than their shape; all elements of the variable are there\n";
    for (compressor, form) in [
        ("null", &plain as &dyn Fn(&[u8]) -> Vec<u8>),
        (r#"{"id":"zlib","level":1}"#, &stored),
    ] {
        let sandbox = Sandbox::new();
        let store = |name: &str, first: &[u8], last: &[u8]| {
            let (array, first, last) = (array(compressor), form(first), form(last));
            let keys: [(&str, &[u8]); 4] = [
                (".zgroup", GROUP.as_bytes()),
                ("v/.zarray", array.as_bytes()),
                ("v/0", &first),
                ("v/1", &last),
            ];
            sandbox.store(name, &keys);
        };
        store("whole", &[1, 2, 3, 4], &[5, 6, 9, 9]);
        store("odd", &[1, 2, 3, 4, 77], &[5, 6]);
        store("bad", &[1, 2, 3], &[5]);
        let run = |args: &[&str]| sandbox.run(zdump::run, &[&["zdump"], args].concat());
        let (whole, odd) = (
            run(&["chunk", "@whole", "v", "1"]),
            run(&["chunk", "@odd", "v", "1"]),
        );
        let values = |out: &CommandOutput| out.text().lines().last().map(str::to_owned);
        assert_eq!((odd.code, values(&odd)), (0, values(&whole)), "{odd}");
        assert_eq!(odd.message(), note);
        let diff = run(&["diff", "@whole", "@odd"]);
        assert_eq!(
            (diff.code, diff.text().as_str()),
            (0, "no differences\n"),
            "{diff}"
        );
        let map = run(&["map", "--decode", "@odd", "v"]);
        assert!(map.code == 0 && map.message() == note, "{map}");
        for args in [
            &["chunk", "@bad", "v", "0"][..],
            &["chunk", "@bad", "v", "1"],
        ] {
            let out = run(args);
            assert!(
                out.code == 1 && out.message().contains("elements of a chunk have 4"),
                "{out}"
            );
        }
    }
}
