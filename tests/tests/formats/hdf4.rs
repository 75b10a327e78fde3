//! HDF4 files through the tools and the API. `.ci/hdf4` compares the data with libhdf4.

use netcdf_core::api::{Dataset, Select};
use netcdf_core::model::Values;
use netcdf_tools_tests::files::{list, name, testdata};
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

fn ncdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(ncdump::run, &[&["ncdump"], args].concat())
}

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

/// Returns the data of each variable as text with all digits, by name, because pure Zarr has no order. `None` if data is unreadable.
fn data(sandbox: &Sandbox, file: &str) -> Option<Vec<String>> {
    let dumped = ncdump(sandbox, &["-n", "x", "-p", "exact", file]);
    let text = dumped.text();
    let data = text.split_once("\ndata:\n").map(|(_, data)| data);
    let data = data.unwrap_or_default().trim_end_matches("}\n");
    let mut vars: Vec<_> = data.split(" ;\n").map(str::to_owned).collect();
    vars.sort_unstable();
    (dumped.code == 0).then_some(vars)
}

#[test]
fn the_kind_is_that_of_netcdf_c() {
    let sandbox = Sandbox::new();
    let told = |args: &[&str]| ncdump(&sandbox, args).clean().text();
    let file = "%hdf4/chunked_deflate.hdf";
    assert_eq!(told(&["-k", file]), "netCDF-4\n");
    assert_eq!(told(&["-K", file]), "HDF4 mode=00001000\n");
    let header = told(&["-hs", file]);
    for line in [
        "\t\t:_Format = \"netCDF-4\" ;\n",
        "\t\tint16_some:_Storage = \"chunked\" ;\n",
        "\t\tint16_some:_ChunkSizes = 2, 3 ;\n",
        "\t\tint16_some:_DeflateLevel = 6 ;\n",
        "\t\tint16_some:_Endianness = \"big\" ;\n",
    ] {
        assert!(header.contains(line), "{line:?} is not in {header}");
    }
}

/// Kinds with all HDF4 types.
const ALL_TYPES: [&str; 6] = ["nc4", "nc5", "nczarr", "nczarr3", "zarr", "zarr3"];
/// Kinds with the classic types only.
const CLASSIC_TYPES: [&str; 3] = ["nc3", "nc6", "nc7"];

/// Checks whether a message names the missing feature of the kind.
fn refused(message: &str, kind: &str, from: &str) -> bool {
    match CLASSIC_TYPES.contains(&kind) {
        true => message.contains("do not have the types of"),
        false if !kind.contains("zarr") => false,
        false => {
            (from.contains("long_name") && message.contains("File name too long"))
                || (from.contains("names.hdf")
                    && message.contains("is not allowed as a name in Zarr"))
        }
    }
}

/// Removes character variables, which are strings in pure Zarr.
fn without_characters(vars: &mut Vec<String>, copy: &mut Vec<String>) {
    let name = |var: &String| var.split_once('=').map(|(name, _)| name.to_owned());
    let texts: Vec<_> = vars.iter().filter(|v| v.contains('"')).map(name).collect();
    for all in [vars, copy] {
        all.retain(|var| !texts.contains(&name(var)));
    }
}

#[test]
fn copies_to_every_kind_have_the_same_data() {
    let files = list(&testdata("hdf4"), "hdf");
    assert!(files.len() > 30, "{}", files.len());
    let (mut unreadable, mut classic) = (vec![], 0);
    for path in &files {
        let from = format!("%hdf4/{}", name(path));
        let whole = data(&Sandbox::new(), &from);
        for kind in ALL_TYPES.into_iter().chain(CLASSIC_TYPES) {
            let sandbox = Sandbox::new();
            let copied = nccopy(&sandbox, &["-u", "-k", kind, &from, "@copy"]);
            if whole.is_none() || refused(&copied.message(), kind, &from) {
                assert_eq!(
                    (copied.code, sandbox.names()),
                    (1, vec![]),
                    "{from} {copied}"
                );
                continue;
            }
            assert_eq!(copied.code, 0, "{from} {kind} {copied}");
            let mut copy = data(&sandbox, "@copy").unwrap();
            let mut vars = whole.clone().unwrap();
            if kind.starts_with("zarr") {
                without_characters(&mut vars, &mut copy);
            }
            assert_eq!(copy, vars, "{from} {kind}");
            classic += usize::from(kind == "nc3");
        }
        if whole.is_none() {
            unreadable.push(name(path));
        }
    }
    assert_eq!(unreadable, ["external.hdf"], "a file beside it is missing");
    assert!(classic > 10, "{classic}");
}

/// Without `-k`, the copy has a writable kind.
#[test]
fn a_copy_without_a_kind_is_a_netcdf_4_file() {
    let sandbox = Sandbox::new();
    let file = "%hdf4/records.hdf";
    let _ = nccopy(&sandbox, &[file, "@copy"]).clean();
    assert_eq!(
        ncdump(&sandbox, &["-K", "@copy"]).clean().text(),
        "HDF5 mode=00001000\n"
    );
    let header = |file| ncdump(&sandbox, &["-n", "x", "-h", file]).clean().text();
    assert_eq!(header("@copy"), header(file));
}

fn contains(all: &[u8], part: &[u8]) -> bool {
    all.windows(part.len()).any(|bytes| bytes == part)
}

#[test]
fn chunks_with_deflate_are_moved_as_they_are() {
    let sandbox = Sandbox::new();
    let file = "%hdf4/chunked_deflate.hdf";
    for kind in ["nc4", "zarr"] {
        let told = nccopy(&sandbox, &["--dry-run", "-k", kind, file, "@copy"]);
        let methods = told.clean().text().matches("move chunks").count();
        assert_eq!(methods, 4, "{kind}");
    }
    let stored = std::fs::read(testdata("hdf4/chunked_deflate.hdf")).unwrap();
    let _ = nccopy(&sandbox, &["-k", "zarr", file, "@copy"]).clean();
    for key in ["0.0", "0.2", "2.0", "2.2"] {
        let chunk = sandbox.read(&format!("copy/int16_whole/{key}"));
        assert!(contains(&stored, &chunk), "{key}");
    }
    // Other filters need other chunks.
    let told = nccopy(&sandbox, &["--dry-run", "-d1", file, "@other"]);
    assert!(!told.clean().text().contains("move chunks"));
}

#[test]
fn regions_and_strides_are_parts_of_the_whole() {
    for (file, stored) in [
        ("chunked_deflate.hdf", "chunks"),
        ("chunked_szip.hdf", "chunks of another coder"),
        ("deflate.hdf", "one compressed element"),
        ("linked.hdf", "linked blocks"),
        ("external.hdf", "another file"),
    ] {
        let set = Dataset::open(testdata("hdf4").join(file)).unwrap();
        let mut compared = 0;
        for var in set.schema().var_ids() {
            let shape = set.shape(var).unwrap();
            // The data of "lost" is in a missing file.
            if set.variable(var).unwrap().name.is("lost") || shape.iter().any(|&n| n < 2) {
                continue;
            }
            let start: Vec<u64> = shape.iter().map(|n| n - 2).collect();
            let read = |select: &Select| set.read_values(var, select).unwrap();
            let whole = read(&Select::all());
            // Returns every second element from the first, and the last two elements of every dimension.
            let halves: Vec<u64> = shape.iter().map(|n| n.div_ceil(2)).collect();
            let (zeros, twos) = (vec![0; shape.len()], vec![2; shape.len()]);
            let thin = read(&Select::region(&zeros, &halves).stride(&twos));
            let end = read(&Select::region(&start, &twos));
            let ones = vec![1; shape.len()];
            same(&thin, &whole, &shape, (&zeros, &halves, &twos));
            same(&end, &whole, &shape, (&start, &twos, &ones));
            compared += 1;
        }
        assert!(compared > 0, "{stored}");
    }
}

/// Start, count and stride.
type Part<'a> = (&'a [u64], &'a [u64], &'a [u64]);

/// Compares the elements of a region one by one with the whole variable.
fn same(part: &Values, whole: &Values, shape: &[u64], (start, count, stride): Part<'_>) {
    let total: u64 = count.iter().product();
    assert_eq!(part.len() as u64, total);
    for n in 0..total {
        let (mut rest, mut at, mut size) = (n, 0, 1);
        for dim in (0..shape.len()).rev() {
            at += (start[dim] + rest % count[dim] * stride[dim]) * size;
            rest /= count[dim];
            size *= shape[dim];
        }
        let element = |values: &Values, n: u64| {
            let n = usize::try_from(n).unwrap();
            format!("{:?}", values.slice(n..n + 1)) // NaN equals NaN here
        };
        assert_eq!(element(part, n), element(whole, at), "element {n}");
    }
}

#[test]
fn notes_are_errors_where_they_have_to_be() {
    let sandbox = Sandbox::new();
    sandbox.write("o.nc", "old");
    let file = "%hdf4/names.hdf";
    let strict = nccopy(&sandbox, &["--strict", file, "@o.nc"]);
    assert_eq!(strict.code, 1, "{strict}");
    assert_eq!(sandbox.read("o.nc"), b"old");
    assert_eq!(sandbox.names(), ["o.nc"]);
    let noted = nccopy(&sandbox, &[file, "@o.nc"]);
    assert_eq!(noted.code, 0, "{noted}");
    assert!(!noted.message().is_empty(), "{noted}");
}
