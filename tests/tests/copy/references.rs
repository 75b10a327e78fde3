//! References to the chunks of other files: written by `nccopy -k kerchunk`, and read by all tools.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use netcdf_core::chunk::Dataset;
use netcdf_core::copy::references::{ReferenceOptions, ReferencePlan};
use netcdf_core::copy::{self, CopyOptions};
use netcdf_core::env::Env;
use netcdf_core::io::{Container, Source};
use netcdf_core::model::Kind;
use netcdf_core::{Result, format};
use netcdf_tools_tests::builder::Classic;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

use super::made;

/// Chunked, contiguous and missing data, filters, texts, and a coordinate.
const CDL: &str = r#"netcdf a {
dimensions: t = 6 ; x = 4 ; n = 3 ; s = 2 ;
variables:
  double t(t) ; t:units = "days since 2001-01-01" ;
  short packed(t, x) ; packed:_ChunkSizes = 2, 4 ; packed:_DeflateLevel = 5 ; packed:_Shuffle = "true" ;
    packed:_FillValue = -9s ; packed:scale_factor = 0.5 ;
  int summed(t, x) ; summed:_ChunkSizes = 3, 4 ; summed:_Fletcher32 = "true" ;
  float big(t, x) ; big:_Endianness = "big" ; big:_Storage = "contiguous" ;
  int zstd(t) ; zstd:_ChunkSizes = 4 ; zstd:_Filter = "32015,3" ;
  char letters(n, s) ;
  string names(s) ;
  byte scalar ;
data:
  t = 0, 1, 2, 3, 4, 5 ;
  packed = 1, 2, 3, 4, 5, -9, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
  summed = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 ;
  big = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24 ;
  zstd = 5, 4, 3, 2, 1, 0 ;
  letters = "ab", "cd", "ef" ;
  names = "one", "three" ;
  scalar = 7 ;
}"#;

fn run(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    match args[0] {
        "ncdump" => sandbox.run(ncdump::run, args),
        "zdump" => sandbox.run(zdump::run, args),
        _ => sandbox.run(nccopy::run, args),
    }
}

fn succeeds(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let out = run(sandbox, args);
    assert_eq!(out.code, 0, "{args:?}: {out}");
    out
}

fn fails(sandbox: &Sandbox, args: &[&str], message: &str) {
    let out = run(sandbox, args);
    assert!(
        out.code != 0 && out.message().contains(message),
        "{args:?}: {out}"
    );
}

/// The CDL of a dataset, without the first line, which has its name.
fn dumped(sandbox: &Sandbox, name: &str) -> String {
    let text = succeeds(sandbox, &["ncdump", name]).text();
    text.split_once('\n').unwrap().1.to_owned()
}

#[test]
fn references_read_like_a_copy() {
    let sandbox = made(CDL);
    for (kind, refs) in [
        ("zarr", "@refs.json"),
        ("zarr", "@refs.parquet"),
        ("zarr3", "@refs3.json"),
    ] {
        let copy = format!("@copy.{kind}.zarr");
        let _ = succeeds(
            &sandbox,
            &["nccopy", "--no-sync", "-k", kind, "@a.nc", &copy],
        );
        let kerchunk = kind.replace("zarr", "kerchunk");
        let args = ["nccopy", "--no-sync", "-k", &kerchunk, "@a.nc", refs];
        let _ = succeeds(&sandbox, &args);
        assert_eq!(dumped(&sandbox, &copy), dumped(&sandbox, refs), "{refs}");
        let again = format!("{}2.json", refs.split('.').next().unwrap());
        let args = ["nccopy", "--no-sync", "-k", &kerchunk, refs, &again];
        let _ = succeeds(&sandbox, &args);
        assert_eq!(
            dumped(&sandbox, refs),
            dumped(&sandbox, &again),
            "references to references"
        );
        let _ = succeeds(&sandbox, &["zdump", "check", refs]);
    }
    let before = sandbox.read("refs.json");
    let args = [
        "nccopy",
        "--no-sync",
        "-k",
        "kerchunk",
        "@a.nc",
        "@refs.json",
    ];
    let _ = succeeds(&sandbox, &args);
    assert_eq!(
        before,
        sandbox.read("refs.json"),
        "the text depends on the input only"
    );
    let text = String::from_utf8(before).unwrap();
    let path = sandbox.path("a.nc");
    let reference = format!("\"packed/0.0\": [\"{}\",", path.display());
    assert!(text.contains(&reference), "{text}");
    for inline in ["t/0", "names/0"] {
        assert!(text.contains(&format!("\"{inline}\": \"base64:")), "{text}");
    }
}

#[test]
fn stores_are_referred_to_by_key_and_by_range() {
    let sandbox = made(CDL);
    for (kind, name) in [
        ("zarr", "@s.zarr"),
        ("zarr3", "@s3.zarr"),
        ("zarr", "@s.zip"),
    ] {
        let _ = succeeds(
            &sandbox,
            &["nccopy", "--no-sync", "-k", kind, "@a.nc", name],
        );
        let kerchunk = kind.replace("zarr", "kerchunk");
        let args = ["nccopy", "--no-sync", "-k", &kerchunk, name, "@s.json"];
        let _ = succeeds(&sandbox, &args);
        assert_eq!(
            dumped(&sandbox, name),
            dumped(&sandbox, "@s.json"),
            "{name}"
        );
    }
    let shards = [
        "nccopy",
        "--no-sync",
        "-k",
        "zarr3",
        "--shard",
        "packed:6,4",
        "@a.nc",
        "@sh.zarr",
    ];
    let _ = succeeds(&sandbox, &shards);
    let args = [
        "nccopy",
        "--no-sync",
        "-k",
        "kerchunk3",
        "@sh.zarr",
        "@sh.json",
    ];
    let _ = succeeds(&sandbox, &args);
    assert_eq!(dumped(&sandbox, "@sh.zarr"), dumped(&sandbox, "@sh.json"));
}

/// A variable of 2^18 elements in 256 chunks, of which one is stored.
fn sparse(attributes: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let cdl = format!(
        "netcdf a {{ dimensions: x = 262144 ; variables: int v(x) ; v:_ChunkSizes = 1024 ; v:_DeflateLevel = 1 ; {attributes} data: v = 1, 2 ; }}"
    );
    sandbox.write("a.cdl", cdl);
    let args = [
        "ncgen",
        "--no-sync",
        "-k",
        "zarr3",
        "-o",
        "@a.zarr",
        "@a.cdl",
    ];
    let _ = sandbox.run(ncgen::run, &args).clean();
    sandbox
}

#[test]
fn missing_chunks_read_as_in_the_input() {
    for attributes in ["", "v:_FillValue = -5 ;", "v:_FillValue = 0 ;"] {
        let sandbox = sparse(attributes);
        for (kind, refs) in [("kerchunk", "@r.json"), ("kerchunk3", "@r3.json")] {
            let _ = succeeds(
                &sandbox,
                &["nccopy", "--no-sync", "-k", kind, "@a.zarr", refs],
            );
            let args = [
                "ncdump",
                "--diff",
                "--ignore",
                "v@_FillValue",
                "@a.zarr",
                refs,
            ];
            let _ = succeeds(&sandbox, &args);
        }
        let text = String::from_utf8(sandbox.read("r.json")).unwrap();
        let fill = match attributes {
            "" => "\\\"fill_value\\\":null",
            "v:_FillValue = 0 ;" => "\\\"fill_value\\\":0",
            _ => "\\\"fill_value\\\":-5",
        };
        let text = text.replace("\\\"fill_value\\\": ", "\\\"fill_value\\\":");
        assert!(text.contains(fill), "{attributes}: {text}");
    }
}

#[test]
fn variables_that_readers_cannot_decode_are_inline_refused_or_skipped() {
    let cdl = "netcdf a { dimensions: x = 1000 ; y = 2 ; variables: int v(x) ; v:_ChunkSizes = 500 ; v:_Filter = \"4,4,8\" ; \
               int w(y) ; data: v = 1, 2, 3 ; w = 5, 6 ; }";
    let sandbox = made(cdl);
    let kerchunk = ["nccopy", "--no-sync", "-k", "kerchunk"];
    let _ = succeeds(&sandbox, &[&kerchunk[..], &["@a.nc", "@a.json"]].concat());
    let _ = succeeds(&sandbox, &["ncdump", "--diff", "@a.nc", "@a.json"]);
    let small = [&kerchunk[..], &["--inline", "1k", "@a.nc", "@b.json"]].concat();
    fails(&sandbox, &small, "/v (filter szip)");
    assert!(!sandbox.path("b.json").exists());
    let skips = [&small[..4], &["--skip-unreadable"], &small[4..]].concat();
    let out = succeeds(&sandbox, &skips);
    assert!(out.message().contains("v: skipped"), "{out}");
    let text = dumped(&sandbox, "@b.json");
    assert!(!text.contains(" v(") && text.contains("w = 5, 6"), "{text}");
}

#[test]
fn sources_must_be_beside_the_references() {
    let sandbox = made(CDL);
    let path = sandbox.path("a.nc").display().to_string();
    std::fs::create_dir(sandbox.path("sub")).unwrap();
    let kerchunk = ["nccopy", "--no-sync", "-k", "kerchunk", "@a.nc"];
    let _ = succeeds(&sandbox, &[&kerchunk[..], &["@sub/r.json"]].concat());
    fails(&sandbox, &["ncdump", "@sub/r.json"], "--allow-external");
    let _ = succeeds(&sandbox, &["ncdump", "--allow-external", "@sub/r.json"]);
    let prefix = format!("{path}=https://elsewhere.invalid/a.nc");
    let args = [&kerchunk[..], &["--url-prefix", &prefix, "@r.json"]].concat();
    let _ = succeeds(&sandbox, &args);
    let text = String::from_utf8(sandbox.read("r.json")).unwrap();
    assert!(
        text.contains("https://elsewhere.invalid/a.nc") && !text.contains(&path),
        "{text}"
    );
    fails(&sandbox, &["ncdump", "@r.json"], "--allow-external");
    for source in [
        "/etc/passwd",
        "../../../../../etc/passwd",
        "file:///etc/passwd",
    ] {
        let refs = format!(
            r#"{{"version": 1, "refs": {{".zgroup": {{"zarr_format": 2}}, "v/.zarray": {{"zarr_format": 2, "shape": [8], "dtype": "|u1",
                "chunks": [8], "fill_value": null, "order": "C", "compressor": null, "filters": null}}, "v/0": ["{source}", 0, 8]}}}}"#
        );
        sandbox.write("hostile.json", refs);
        fails(&sandbox, &["ncdump", "@hostile.json"], "--allow-external");
        fails(
            &sandbox,
            &["nccopy", "--no-sync", "@hostile.json", "@out.nc"],
            "--allow-external",
        );
        let _ = succeeds(&sandbox, &["ncdump", "-h", "@hostile.json"]);
    }
}

#[test]
fn missing_and_changed_sources() {
    let sandbox = made(CDL);
    let kerchunk = ["nccopy", "--no-sync", "-k", "kerchunk", "@a.nc", "@r.json"];
    let _ = succeeds(&sandbox, &kerchunk);
    let bytes = sandbox.read("a.nc");
    sandbox.write("a.nc", [&bytes[..], b"more"].concat());
    fails(&sandbox, &["ncdump", "@r.json"], "has changed since");
    std::fs::remove_file(sandbox.path("a.nc")).unwrap();
    let copy = ["nccopy", "--no-sync", "@r.json", "@out.nc"];
    fails(&sandbox, &copy, "a.nc");
    let filled = [&copy[..2], &["--fill-missing"], &copy[2..]].concat();
    let out = succeeds(&sandbox, &filled);
    assert!(out.message().contains("read as fill values"), "{out}");
    let text = dumped(&sandbox, "@out.nc");
    assert!(
        text.contains("t = 0, 1, 2, 3, 4, 5"),
        "inline data stays: {text}"
    );
    assert!(text.contains(" _, _, _, _,"), "{text}");
}

/// A classic file whose data does not exist: reading a chunk is an error.
#[derive(Debug)]
struct HeaderOnly {
    name: Arc<str>,
    header: Vec<u8>,
    read: AtomicU64,
}

impl Source for HeaderOnly {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.header.len() as u64 + (1 << 30)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.read.fetch_add(buf.len() as u64, Ordering::Relaxed);
        for (at, byte) in (offset..).zip(buf) {
            *byte = self.header.get(at as usize).copied().unwrap_or(0);
        }
        Ok(())
    }

    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        Some((Arc::clone(&self.name), range.start))
    }
}

#[test]
fn no_chunk_is_read() {
    let header = Classic::new(1, 0)
        .list(10, 1)
        .name("x")
        .count(1 << 28)
        .absent();
    let header = header.list(11, 1).name("v").count(1).count(0).absent();
    let header = header.be32(4).count(1 << 30).begin(80).done().build();
    let source = Arc::new(HeaderOnly {
        name: "https://server/large.nc".into(),
        header,
        read: AtomicU64::new(0),
    });
    let env = Env::default();
    let reader = format::open(Container::Source(source.clone()), &env).unwrap();
    let set = Dataset::new(&*reader, &env);
    let options = CopyOptions {
        kind: Some(Kind::PURE_ZARR),
        ..CopyOptions::default()
    };
    let mut plan = copy::plan(reader.schema(), &options).unwrap();
    source.read.store(0, Ordering::Relaxed);
    let form = ReferenceOptions::default();
    let references = ReferencePlan::new(set, &mut plan, &form).unwrap();
    references.check(set).unwrap();
    let chunk = plan.schema.vars[0].storage.chunk().unwrap();
    assert_eq!(chunk, [4 << 20], "references to 16 MiB each");
    let read = source.read.load(Ordering::Relaxed);
    assert!(read < 1 << 16, "{read} bytes");
}
