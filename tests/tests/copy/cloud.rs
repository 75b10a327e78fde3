//! Files for remote readers: metadata before data, and `nccopy --chunk-size` and `--cloud`.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

/// The value of all elements. Its bytes occur nowhere else in the file.
const VALUE: i32 = 0x7B7B_7B7B;

/// A variable of 20,000 elements in 400 chunks, and time in 200 chunks.
fn cdl() -> String {
    let many = vec![VALUE.to_string(); 20_000].join(", ");
    let times = (0..200).map(|n| n.to_string()).collect::<Vec<_>>();
    let bounds = (0..400).map(|n| n.to_string()).collect::<Vec<_>>();
    format!(
        r#"netcdf a {{
dimensions: time = UNLIMITED ; x = 100 ; bnds = 2 ; name = 5 ;
variables:
  int t(time, x) ; t:_ChunkSizes = 1, 50 ; t:_FillValue = -1 ;
  double time(time) ; time:_ChunkSizes = 1 ; time:units = "days since 2001-01-01" ; time:bounds = "time_bnds" ;
  double time_bnds(time, bnds) ; time_bnds:_ChunkSizes = 1, 2 ;
  int small(name) ;
  :variable_id = "t" ;
data:
  t = {many} ;
  time = {} ;
  time_bnds = {} ;
  small = 1234567890, 1234567890, 3, 4, 5 ;
}}"#,
        times.join(", "),
        bounds.join(", ")
    )
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", cdl());
    let args = ["ncgen", "--no-sync", "-k", "nc4", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    sandbox
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let out = sandbox.run(
        nccopy::run,
        &[&["nccopy", "--no-sync", "--verify"], args].concat(),
    );
    assert_eq!(out.code, 0, "{out}");
    out
}

/// Returns the chunk shapes of a dataset, from `_ChunkSizes`.
fn shapes(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let printed = sandbox
        .run(ncdump::run, &["ncdump", "-hs", name])
        .clean()
        .text();
    let lines = printed
        .lines()
        .filter_map(|line| line.trim().strip_suffix(" ;"));
    let mut found: Vec<_> = lines
        .filter_map(|line| line.split_once(":_ChunkSizes = "))
        .map(|(var, shape)| format!("{var} {shape}"))
        .collect();
    found.sort();
    found
}

fn places<'b>(bytes: &'b [u8], of: &'b [[u8; 4]]) -> impl DoubleEndedIterator<Item = usize> + 'b {
    let windows = bytes.windows(4).enumerate();
    windows.filter_map(|(at, four)| of.iter().any(|s| s == four).then_some(at))
}

/// Checks whether all headers and chunk indexes precede all data.
fn metadata_is_in_front(bytes: &[u8]) -> bool {
    let signatures = [*b"OHDR", *b"TREE", *b"FRHP", *b"BTHD", *b"BTLF", *b"FHDB"];
    let last = places(bytes, &signatures).next_back();
    let first = places(bytes, &[VALUE.to_le_bytes()]).next();
    last.expect("headers") < first.expect("values")
}

#[test]
fn copies_for_the_cloud_have_their_metadata_in_front() {
    let sandbox = sandbox();
    // In files of the C tools, each part of an index precedes its chunks.
    assert!(!metadata_is_in_front(&sandbox.read("a.nc")));
    for options in [
        &[][..],
        &["-d1"],
        &["-c", "time/7,x/13"],
        &["-u"],
        &["-v", "t"],
        &["--select", "time,3,,7"],
        &["--cloud=cmip7"],
        &["--threads", "3", "-F", "t,zstd,1"],
    ] {
        let _ = nccopy(
            &sandbox,
            &[options, &["--cloud", "@a.nc", "@o.nc"]].concat(),
        );
        let bytes = sandbox.read("o.nc");
        // Compressed values cannot be found.
        let found = options.iter().any(|o| o.starts_with("-d") || *o == "-F");
        assert!(found || metadata_is_in_front(&bytes), "{options:?}");
    }
}

/// The file has space for the index nodes of stored chunks, not of all possible chunks.
#[test]
fn sparse_variables_take_little_room() {
    let sandbox = Sandbox::new();
    let text = format!(
        r#"netcdf a {{
dimensions: x = 100 ; y = 1000 ;
variables: int gaps(x, y) ; gaps:_ChunkSizes = 1, 100 ; gaps:_FillValue = -1 ;
data: gaps = {VALUE}, {VALUE} ;
}}"#
    );
    sandbox.write("a.cdl", text);
    let args = ["ncgen", "-k", "zarr", "-o", "@a.zarr", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    for chunk in (0..100).flat_map(|x| (0..10).map(move |y| format!("{x}.{y}"))) {
        if chunk != "0.0" {
            std::fs::remove_file(sandbox.path("a.zarr/gaps").join(chunk)).unwrap();
        }
    }
    let _ = nccopy(&sandbox, &["-k", "nc4", "@a.zarr", "@b.nc"]);
    for shape in ["x/1,y/100", "x/10,y/10"] {
        let _ = nccopy(&sandbox, &["--cloud", "-c", shape, "@b.nc", "@o.nc"]);
        let bytes = sandbox.read("o.nc");
        assert!(metadata_is_in_front(&bytes));
        assert!(bytes.len() < 40_000, "{shape}: {} bytes", bytes.len());
    }
}

#[test]
fn chunks_by_their_size() {
    let sandbox = sandbox();
    let of = |options: &[&str]| {
        let _ = nccopy(
            &sandbox,
            &[options, &["-V", "t,time", "@a.nc", "@o.nc"]].concat(),
        );
        shapes(&sandbox, "@o.nc")
    };
    assert_eq!(of(&["--chunk-size", "4000"]), ["t 40, 25", "time 200"]);
    assert_eq!(of(&["--chunk-size", "1Mi"]), ["t 200, 100", "time 200"]);
    assert_eq!(
        of(&["--chunk-size", "4000", "-c", "x/100"]),
        ["t 10, 100", "time 200"]
    );
    assert_eq!(
        of(&["--chunk-size", "4000", "-c", "t:1,1"]),
        ["t 1, 1", "time 200"]
    );
    // Input chunks of about the target size stay, and other variables are moved.
    assert_eq!(
        of(&["--cloud", "--chunk-size", "800"]),
        ["t 1, 50", "time 100"]
    );
    assert_eq!(
        of(&["--cloud=cmip7", "--chunk-size", "800"]),
        ["t 20, 10", "time 200"]
    );
    assert_eq!(of(&["--cloud"]), ["t 200, 100", "time 200"]);
    let _ = nccopy(
        &sandbox,
        &[
            "-k",
            "zarr3",
            "--chunk-size",
            "4000",
            "-V",
            "t",
            "@a.nc",
            "@o.zarr",
        ],
    );
    assert_eq!(shapes(&sandbox, "@o.zarr"), ["t 40, 25"]);
}

#[test]
fn time_and_its_bounds_are_one_chunk_each() {
    let sandbox = sandbox();
    let of = |options: &[&str]| {
        let vars = ["-V", "time,time_bnds", "@a.nc", "@o.nc"];
        let _ = nccopy(&sandbox, &[options, &vars].concat());
        shapes(&sandbox, "@o.nc")
    };
    assert_eq!(
        of(&["--cloud=cmip7", "--chunk-size", "64"]),
        ["time 200", "time_bnds 200, 2"]
    );
    assert_eq!(
        of(&["--cloud", "--chunk-size", "64"]),
        ["time 8", "time_bnds 1, 2"]
    );
    assert_eq!(
        of(&["--cloud=cmip7", "-c", "time:50"]),
        ["time 50", "time_bnds 200, 2"]
    );
}

/// Small data comes first; the definition order stays.
#[test]
fn small_variables_lie_next_to_the_metadata() {
    let sandbox = sandbox();
    let small = 1_234_567_890i32.to_le_bytes();
    let before = |options: &[&str]| {
        let _ = nccopy(&sandbox, &[options, &["@a.nc", "@o.nc"]].concat());
        let bytes = sandbox.read("o.nc");
        let values = places(&bytes, &[VALUE.to_le_bytes()]).next();
        let small = places(&bytes, &[small]).next();
        small < values
    };
    assert!(!before(&[]));
    assert!(before(&["--cloud"]));
    let printed = |name| {
        sandbox
            .run(ncdump::run, &["ncdump", "-n", "x", name])
            .clean()
            .text()
    };
    assert_eq!(printed("@o.nc"), printed("@a.nc"));
}

#[test]
fn cloud_refuses_unsupported_kinds() {
    let sandbox = sandbox();
    for args in [
        &["-k", "cdf5", "--cloud", "-V", "t", "@a.nc", "@o.nc"][..],
        &["-k", "nczarr3", "--cloud=paged", "@a.nc", "@o.zarr"],
        &["--cloud=paged", "@a.nc", "@o.zarr"],
        &["-k", "cdf5", "--plan", "@p", "--cloud", "@a.nc", "@o.nc"],
    ] {
        let out = sandbox.run(nccopy::run, &[&["nccopy"], args].concat());
        assert_eq!(out.code, 2, "{args:?}: {out}");
        assert!(out.message().contains("'--cloud"), "{args:?}: {out}");
    }
    // Without -k, the kind of the input determines the output kind: a directory may have inputs of several kinds.
    let _ = nccopy(&sandbox, &["-k", "cdf5", "@a.nc", "@classic.nc"]).clean();
    let out = nccopy(&sandbox, &["--cloud", "@classic.nc", "@o.nc"]);
    let said = "nccopy: --cloud: no effect on classic output";
    assert!(out.code == 0 && out.message().starts_with(said), "{out}");
}

/// The default page size is the smallest one for which a page contains all metadata.
#[test]
fn pages() {
    let sandbox = sandbox();
    for (rules, size) in [
        ("--cloud=paged,512", 512),
        ("--cloud=paged,4Ki", 4096),
        ("--cloud=paged", 64 << 10),
        ("--cloud=cmip7,paged", 64 << 10),
        ("--cloud=paged,128Ki,cmip7", 128 << 10),
    ] {
        let _ = nccopy(&sandbox, &[rules, "@a.nc", "@o.nc"]);
        let bytes = sandbox.read("o.nc");
        assert!(metadata_is_in_front(&bytes), "{rules}");
        assert_eq!(bytes.len() % size, 0, "{rules}");
        let first = places(
            &bytes,
            &[VALUE.to_le_bytes(), 1_234_567_890i32.to_le_bytes()],
        )
        .next();
        let page = |at: usize| at / size;
        let last = places(&bytes, &[*b"OHDR", *b"TREE"]).next_back();
        assert!(page(last.unwrap()) < page(first.unwrap()), "{rules}");
        let times = shapes(&sandbox, "@o.nc").contains(&"time_bnds 200, 2".to_owned());
        assert!(times, "{rules}");
    }
}

#[test]
fn unknown_rules() {
    let sandbox = sandbox();
    for (option, expected) in [
        ("--cloud=cmip8", "expected cmip7, paged, or paged,SIZE"),
        ("--cloud=4Ki", "expected cmip7, paged, or paged,SIZE"),
        (
            "--cloud=paged,1000",
            "expected a power of two from 512 to 1Gi",
        ),
        ("--cloud=paged,", "expected a number"),
        ("--chunk-size=0", "expected at least one byte"),
    ] {
        let out = sandbox.run(nccopy::run, &["nccopy", option, "@a.nc", "@o.nc"]);
        assert_eq!(out.code, 2, "{option}: {out}");
        assert!(out.message().contains(expected), "{option}: {out}");
    }
}

/// Chunks that cannot be decoded are copied unchanged, with a note.
#[test]
fn chunks_with_unknown_filters_stay() {
    let sandbox = sandbox();
    let _ = nccopy(&sandbox, &["-F", "t,zstd,1", "@a.nc", "@z.nc"]);
    // The filter of `t` gets an unregistered number.
    let mut bytes = sandbox.read("z.nc");
    let id = 32015u16.to_le_bytes();
    let at = bytes.windows(2).position(|two| two == id).unwrap();
    bytes[at..at + 2].copy_from_slice(&32222u16.to_le_bytes());
    let header = bytes[..at]
        .windows(4)
        .rposition(|four| four == b"OHDR")
        .unwrap();
    let width = 1 << (bytes[header + 5] & 3);
    let mut len = [0; 8];
    len[..width].copy_from_slice(&bytes[header + 6..header + 6 + width]);
    let end = header + 6 + width + u64::from_le_bytes(len) as usize;
    let sum = netcdf_core::bytes::sums::lookup3(&bytes[header..end]);
    bytes[end..end + 4].copy_from_slice(&sum.to_le_bytes());
    sandbox.write("u.nc", bytes);
    for rules in ["--cloud", "--cloud=cmip7", "--cloud=paged"] {
        let out = sandbox.run(nccopy::run, &["nccopy", rules, "@u.nc", "@o.nc"]);
        assert_eq!(out.code, 0, "{out}");
        assert!(
            out.message().contains("/t: keeps its chunks: filter 32222"),
            "{out}"
        );
        assert_eq!(shapes(&sandbox, "@o.nc")[0], "t 1, 50");
    }
    // Requesting another chunk shape is an error.
    for options in [&["--chunk-size", "1Mi"][..], &["--cloud", "-c", "t:7,7"]] {
        let args = [&["nccopy"], options, &["@u.nc", "@o.nc"]].concat();
        let out = sandbox.run(nccopy::run, &args);
        assert_eq!(out.code, 1, "{options:?}: {out}");
    }
}

/// Strings of variables follow all metadata, even if the fill values are strings.
#[test]
fn heaps_of_data_follow_the_metadata() {
    let sandbox = Sandbox::new();
    let text = "netcdf s { dimensions: x = 4 ; variables: string s(x) ; string s:_FillValue = \"none\" ; \
                int i(x) ; data: s = \"a\", \"behind\", \"none\", _ ; i = 1, 2, 3, 4 ; }";
    sandbox.write("s.cdl", text);
    let args = ["ncgen", "-k", "nc4", "-o", "@s.nc", "@s.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    for rules in ["--cloud", "--cloud=paged,4Ki"] {
        let _ = nccopy(&sandbox, &[rules, "-c", "s:2", "@s.nc", "@o.nc"]);
        let bytes = sandbox.read("o.nc");
        let last = places(&bytes, &[*b"OHDR", *b"TREE"]).next_back();
        let text = bytes.windows(6).position(|six| six == b"behind");
        assert!(last.unwrap() < text.unwrap(), "{rules}");
    }
}

/// The lengths of fixed dimensions, and of all dimensions in JSON, are known before the values.
#[test]
fn ncgen_puts_known_indexes_in_front() {
    let sandbox = sandbox();
    let json = sandbox
        .run(ncdump::run, &["ncdump", "--json", "@a.nc"])
        .clean();
    sandbox.write("a.json", json.text());
    sandbox.write("fixed.cdl", cdl().replace("time = UNLIMITED", "time = 200"));
    for (text, front) in [("a.json", true), ("fixed.cdl", true), ("a.cdl", false)] {
        let text = format!("@{text}");
        for (options, front) in [(&["--cloud"][..], front), (&[], false)] {
            let args = [&["ncgen", "-k", "nc4", "-o", "@o.nc"], options, &[&text]].concat();
            let _ = sandbox.run(ncgen::run, &args).clean();
            let bytes = sandbox.read("o.nc");
            assert_eq!(metadata_is_in_front(&bytes), front, "{text} {options:?}");
            let diff = sandbox.run(ncdump::run, &["ncdump", "--diff", "@a.nc", "@o.nc"]);
            assert!(diff.text().is_empty() || text == "@fixed.cdl", "{diff}");
        }
    }
    let args = [
        "ncgen", "-k", "nczarr3", "--cloud", "-o", "@o.zarr", "@a.cdl",
    ];
    let _ = sandbox.run(ncgen::run, &args).clean();
    let status = sandbox
        .run(ncdump::run, &["ncdump", "--json", "--layout", "@o.zarr"])
        .clean();
    assert!(
        status.text().contains("\"consolidated\": true"),
        "{}",
        status.text()
    );
}
