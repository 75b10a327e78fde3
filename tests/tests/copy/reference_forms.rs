//! References to chunks in unusual forms: frames, filter masks, and the members of stores.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

use super::made;

fn run(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    match args[0] {
        "ncdump" => sandbox.run(ncdump::run, args),
        _ => sandbox.run(nccopy::run, args),
    }
}

fn succeeds(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let out = run(sandbox, args);
    assert_eq!(out.code, 0, "{args:?}: {out}");
    out
}

/// Writes references of a dataset, checks that they read like the dataset, and returns their text.
fn referred(sandbox: &Sandbox, name: &str, kind: &str) -> String {
    let args = ["nccopy", "--no-sync", "-k", kind, name, "@r.json"];
    let _ = succeeds(sandbox, &args);
    let _ = succeeds(sandbox, &["ncdump", "--diff", name, "@r.json"]);
    String::from_utf8(sandbox.read("r.json")).unwrap()
}

/// A zstd frame with one block that is not compressed.
fn frame(data: &[u8], states_size: bool) -> Vec<u8> {
    let len = u32::try_from(data.len()).unwrap();
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD];
    match states_size {
        true => {
            out.push(0xA0);
            out.extend(len.to_le_bytes());
        }
        false => out.extend([0x00, 0x38]),
    }
    out.extend(&(1 | len << 3).to_le_bytes()[..3]);
    [out, data.to_vec()].concat()
}

/// A store with one variable of four bytes in a chunk.
fn store(sandbox: &Sandbox, compressor: &str, chunk: &[u8]) {
    let array = format!(
        r#"{{"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|u1", "fill_value": null, "order": "C", "filters": null,
            "compressor": {compressor}}}"#
    );
    let keys = [
        (".zgroup", br#"{"zarr_format": 2}"#.to_vec()),
        ("v/.zarray", array.into_bytes()),
        ("v/.zattrs", br#"{"_ARRAY_DIMENSIONS": ["x"]}"#.to_vec()),
        ("v/0", chunk.to_vec()),
    ];
    let _ = sandbox.store("s.zarr", &keys);
}

#[test]
fn frames_that_readers_refuse_are_inline_or_refused() {
    let zstd = r#"{"id": "zstd", "level": 3}"#;
    let data = [1, 2, 3, 4];
    let sandbox = Sandbox::new();
    store(&sandbox, zstd, &frame(&data, true));
    let text = referred(&sandbox, "@s.zarr", "kerchunk");
    assert!(text.contains("\"v/0\": [\""), "a reference: {text}");
    let two = [frame(&data[..2], true), frame(&data[2..], true)].concat();
    for chunk in [frame(&data, false), two] {
        let sandbox = Sandbox::new();
        store(&sandbox, zstd, &chunk);
        let text = referred(&sandbox, "@s.zarr", "kerchunk");
        assert!(text.contains("\"v/0\": \"base64:"), "inline: {text}");
        let kerchunk = ["nccopy", "--no-sync", "-k", "kerchunk"];
        let args = [&kerchunk[..], &["--inline", "1", "@s.zarr", "@no.json"]].concat();
        let out = run(&sandbox, &args);
        let message = "/v (frames that readers refuse)";
        assert!(out.code == 1 && out.message().contains(message), "{out}");
    }
}

#[test]
fn snappy_is_not_referred_to() {
    let sandbox = Sandbox::new();
    let blosc = r#"{"id": "blosc", "cname": "snappy", "clevel": 5, "shuffle": 0, "blocksize": 0}"#;
    // A chunk that Blosc copied.
    let mut chunk = vec![2, 1, 2, 1];
    for n in [4u32, 4, 20] {
        chunk.extend(n.to_le_bytes());
    }
    store(&sandbox, blosc, &[chunk, vec![1, 2, 3, 4]].concat());
    let text = referred(&sandbox, "@s.zarr", "kerchunk");
    assert!(text.contains("\"v/0\": \"base64:"), "{text}");
}

/// Changes the filter mask of the chunk at an element in the chunk B-tree. All chunks have 48 bytes.
fn mask(bytes: &mut [u8], element: u64) {
    let key = [&48u32.to_le_bytes()[..], &[0; 4], &element.to_le_bytes()].concat();
    let mut found = bytes.windows(key.len());
    let at = found.position(|bytes| bytes == key).expect("a chunk");
    bytes[at + 4] = 1;
}

#[test]
fn chunks_that_skip_filters() {
    let sandbox = made(
        "netcdf a { dimensions: x = 24 ; variables: int v(x) ; v:_ChunkSizes = 12 ; v:_Filter = \"2\" ; \
         data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ; }",
    );
    let reference = "\"v/0\": [\"";
    assert!(referred(&sandbox, "@a.nc", "kerchunk").contains(reference));
    let mut bytes = sandbox.read("a.nc");
    mask(&mut bytes, 12);
    sandbox.write("a.nc", &bytes);
    let text = referred(&sandbox, "@a.nc", "kerchunk");
    assert!(
        text.contains("\"v/0\": \"base64:"),
        "one chunk is not shuffled: {text}"
    );
    mask(&mut bytes, 0);
    sandbox.write("a.nc", &bytes);
    let text = referred(&sandbox, "@a.nc", "kerchunk");
    assert!(
        text.contains(reference) && !text.contains("\"shuffle\\\""),
        "no chunk is shuffled: {text}"
    );
}

#[test]
fn hdf4_files_are_referred_to() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/hdf4");
    let (mut read, mut references) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "hdf") {
            continue;
        }
        let sandbox = Sandbox::new();
        sandbox.write("a.hdf", std::fs::read(&path).unwrap());
        let copy = |kind: &str, name: &str| {
            let args = ["nccopy", "--quiet", "--no-sync", "-k", kind, "@a.hdf", name];
            run(&sandbox, &args).code == 0
        };
        if !copy("zarr", "@copy.zarr") || !copy("kerchunk", "@r.json") {
            continue;
        }
        let diff = ["ncdump", "--diff", "@copy.zarr", "@r.json"];
        let out = run(&sandbox, &diff);
        assert_eq!(out.code, 0, "{}: {out}", path.display());
        read += 1;
        let text = String::from_utf8(sandbox.read("r.json")).unwrap();
        references += usize::from(text.contains("\": [\""));
    }
    assert!(read > 20 && references > 10, "{read} {references}");
}

#[test]
fn members_of_zip_files_and_shards_are_ranges() {
    let cdl = "netcdf a { dimensions: x = 40 ; variables: int v(x) ; v:_ChunkSizes = 10 ; v:_DeflateLevel = 1 ; \
               data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; }";
    let sandbox = made(cdl);
    for (options, name) in [
        (&["-k", "zarr3", "--shard", "v:20"][..], "shards.zarr"),
        (&["-k", "zarr3"][..], "store.zip"),
    ] {
        let at = format!("@{name}");
        let args = [&["nccopy", "--no-sync"], options, &["@a.nc", &at]].concat();
        let _ = succeeds(&sandbox, &args);
        let text = referred(&sandbox, &at, "kerchunk3");
        let path = sandbox.path(name);
        let file = match name {
            "store.zip" => path,
            _ => path.join("v/c/0"),
        };
        let range = format!("\"v/c/1\": [\"{}\",", file.display());
        assert!(text.contains(&range), "{range}: {text}");
    }
}
