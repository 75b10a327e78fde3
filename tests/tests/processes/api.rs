//! The library's API with netCDF4-python as a peer: netCDF4-python reads files that the API created or changed, and creates files for the
//! API.
//!
//! Needs `python3` with the package netCDF4: `cargo test -p netcdf-tools-tests --test processes api -- --ignored`.

use std::path::{Path, PathBuf};
use std::process::Command;

use netcdf_core::ErrorKind;
use netcdf_core::api::{Dataset, Length, Select};
use netcdf_core::format::traits;
use netcdf_core::model::{Atomic, GroupId, Kind, StorageLayout, Values};

use netcdf_tools_tests::files::{list, name, testdata};

const ROOT: GroupId = GroupId::ROOT;

/// Returns the output of netCDF4-python for a dataset: dimensions, attributes, variables with types, chunks, filters and values.
const SHOW: &str = r#"
import sys, netCDF4, numpy
def values(x):
    return numpy.asarray(x).tolist()
def show(group, path):
    for name, dim in group.dimensions.items():
        print(path, "dim", name, len(dim), dim.isunlimited())
    for name in group.ncattrs():
        if not name.startswith("_"):
            print(path, "att", name, values(group.getncattr(name)))
    for name, var in group.variables.items():
        var.set_auto_maskandscale(False)
        filters = var.filters() or {}
        filters = [k for k in ("zlib", "shuffle", "fletcher32") if filters.get(k)]
        print(path, "var", name, var.dtype, var.dimensions, var.chunking() if filters else "", filters)
        for att in var.ncattrs():
            print(path, name, "att", att, values(var.getncattr(att)))
        print(path, name, values(var[...]))
    for name, child in group.groups.items():
        show(child, path + name + "/")
show(netCDF4.Dataset(sys.argv[1]), "/")
"#;

/// Creates a dataset with netCDF4-python in the given format.
const MAKE: &str = r#"
import sys, netCDF4, numpy
with netCDF4.Dataset(sys.argv[1], "w", format=sys.argv[2]) as d:
    d.createDimension("t", None)
    d.createDimension("x", 4)
    options = {"zlib": True, "chunksizes": (2, 4)} if sys.argv[2].startswith("NETCDF4") else {}
    kept = d.createVariable("kept", "f8", ("t", "x"), **options)
    kept[:] = numpy.arange(12).reshape(3, 4) / 8
    v = d.createVariable("v", "i2", ("t", "x"), fill_value=-1, **options)
    v.units = "m"
    v[:] = numpy.arange(12).reshape(3, 4)
    d.title = "made by netCDF-C"
"#;

fn python(script: &str, args: &[&str]) -> String {
    let mut command = Command::new("python3");
    command.arg("-c").arg(script).args(args);
    let output = command.output().unwrap_or_else(|e| panic!("python3: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the URL or path with which netCDF-C opens a dataset.
fn locator(path: &Path, kind: Kind) -> String {
    match kind {
        kind if kind.as_zarr().is_some() => format!("file://{}#mode=nczarr,file", path.display()),
        _ => path.display().to_string(),
    }
}

fn make(path: &Path, kind: Kind) {
    let enhanced = kind.is_enhanced();
    let mut data = Dataset::create(path, kind).unwrap();
    let time = data.define_dim(ROOT, "time", Length::Unlimited).unwrap();
    let x = data.define_dim(ROOT, "x", 3.into()).unwrap();
    let t = data
        .define_var(ROOT, "t", Atomic::Short, &[time, x])
        .unwrap();
    let s = data.define_var(ROOT, "s", Atomic::Double, &[x]).unwrap();
    data.put_attribute(ROOT, "title", "made by the API")
        .unwrap();
    data.put_attribute(t, "range", [-2.5f64, 1e300]).unwrap();
    data.define_fill(t, Some(Values::from([-9i16]))).unwrap();
    if traits(kind).settings {
        let chunk = StorageLayout::Chunked(vec![2, 2]);
        data.define_chunking(t, chunk).unwrap();
        data.define_deflate(t, true, Some(3)).unwrap();
    }
    if enhanced {
        let g = data.define_group(ROOT, "g").unwrap();
        let big = data.define_var(g, "big", Atomic::UInt64, &[]).unwrap();
        data.write_one(big, &[], u64::MAX).unwrap();
    } else {
        data.end_definition().unwrap();
    }
    let select = Select::region(&[1, 0], &[2, 2]).stride(&[2, 2]);
    data.write(t, &select, &[1.5, 2.5, 3.5, 4.5]).unwrap();
    data.write(s, &Select::all(), &[1, 2, 3]).unwrap();
    data.close().unwrap();
}

#[test]
#[ignore = "needs netCDF4-python"]
fn netcdf4_python_reads_what_the_api_makes() {
    for kind in [
        Kind::CLASSIC,
        Kind::OFFSET64,
        Kind::CDF5,
        Kind::NETCDF4,
        Kind::NETCDF4_CLASSIC,
        Kind::NCZARR,
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("made");
        make(&path, kind);
        let shown = python(SHOW, &[&locator(&path, kind)]);
        let f = -9;
        for want in [
            "/ dim time 4 True".to_owned(),
            "/ dim x 3 False".to_owned(),
            "/ att title made by the API".to_owned(),
            "/ t att range [-2.5, 1e+300]".to_owned(),
            "/ s [1.0, 2.0, 3.0]".to_owned(),
            format!("/ t [[{f}, {f}, {f}], [1, {f}, 2], [{f}, {f}, {f}], [3, {f}, 4]]"),
            format!("/ t att _FillValue {f}"),
        ] {
            let has = shown.lines().any(|line| line == want);
            assert!(has, "{kind:?}: no line `{want}` in\n{shown}");
        }
        if traits(kind).settings {
            assert!(
                shown.contains("[2, 2] ['zlib', 'shuffle']"),
                "{kind:?}: {shown}"
            );
        }
        if kind.is_enhanced() {
            assert!(
                shown.contains("/g/ big 18446744073709551615"),
                "{kind:?}: {shown}"
            );
        }
    }
}

#[test]
#[ignore = "needs netCDF4-python"]
fn datasets_of_netcdf_c_are_changed() {
    for format in [
        "NETCDF3_CLASSIC",
        "NETCDF3_64BIT_OFFSET",
        "NETCDF3_64BIT_DATA",
        "NETCDF4",
        "NETCDF4_CLASSIC",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("made.nc");
        let name = path.to_str().unwrap();
        python(MAKE, &[name, format]);
        let before = python(SHOW, &[name]);
        let mut data = Dataset::open_for_writing(&path).unwrap();
        let v = data.var_id(ROOT, "v").unwrap();
        data.write(v, &Select::region(&[3, 1], &[1, 2]), &[100, 101])
            .unwrap();
        if data.kind() != Kind::NETCDF4 {
            data.redefine().unwrap();
        }
        data.put_attribute(ROOT, "title", "changed by the API, and longer")
            .unwrap();
        data.rename_var(v, "renamed").unwrap();
        data.delete_attribute(v, "units").unwrap();
        data.close().unwrap();
        let after = python(SHOW, &[name]);
        let want = before
            .replace("dim t 3", "dim t 4")
            .replace("made by netCDF-C", "changed by the API, and longer")
            .replace("/ v att units m\n", "")
            .replace("/ v ", "/ renamed ")
            .replace("var v ", "var renamed ")
            .replace("[8, 9, 10, 11]]", "[8, 9, 10, 11], [-1, 100, 101, -1]]");
        // Unwritten elements of the second record variable have its fill value.
        let fill = "9.969209968386869e+36";
        let row = format!("1.375], [{fill}, {fill}, {fill}, {fill}]]");
        assert_eq!(after, want.replace("1.375]]", &row), "{format}");
    }
}

/// Returns the values of all variables, by path.
fn values(data: &Dataset) -> Vec<(String, netcdf_core::Result<Values>)> {
    let schema = data.schema();
    let mut all: Vec<_> = schema
        .var_ids()
        .map(|id| (schema.var_path(id), data.read_values(id, &Select::all())))
        .collect();
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    all
}

/// Returns everything that must stay when an attribute `changed` is added: names, lengths, types, attributes, storage.
fn described(data: &Dataset) -> String {
    let mut schema = data.schema().clone();
    for group in &mut schema.groups {
        group.attributes.retain(|a| !a.name.is("changed"));
    }
    format!("{schema:#?}")
}

#[test]
fn a_change_preserves_all_other_content() {
    let folders = ["classic", "netcdf4"].map(testdata);
    let mut paths: Vec<_> = folders.iter().flat_map(|f| list(f, "nc")).collect();
    let whole = [
        "scales",
        "strings",
        "groups_",
        "attributes_",
        "shared_",
        "heap_",
    ];
    let is_whole = |path: &PathBuf| whole.iter().any(|start| name(path).starts_with(start));
    paths.extend(list(&testdata("hdf5"), "h5").into_iter().filter(is_whole));
    let mut changed = 0;
    for path in paths {
        let dir = tempfile::tempdir().unwrap();
        let copy = dir.path().join("copy.nc");
        std::fs::copy(&path, &copy).unwrap();
        let mut data = match Dataset::open_for_writing(&copy) {
            Ok(data) => data,
            // A change would lose objects that netCDF does not know.
            Err(e) if e.kind() == ErrorKind::Unsupported => continue,
            Err(e) => panic!("{}: {e}", path.display()),
        };
        let (before, described_before) = (values(&data), described(&data));
        if data.kind() != Kind::NETCDF4 {
            data.redefine().unwrap();
        }
        data.put_attribute(ROOT, "changed", "yes").unwrap();
        data.close()
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let data = Dataset::open(&copy).unwrap();
        assert_eq!(data.get_text(ROOT, "changed").unwrap(), "yes");
        let after = values(&data);
        for ((name, old), (new_name, new)) in before.iter().zip(&after) {
            assert_eq!(name, new_name);
            match (old, new) {
                // NaN does not equal itself, but prints the same.
                (Ok(old), Ok(new)) => {
                    let same = format!("{old:?}") == format!("{new:?}");
                    assert!(same, "{}: {name}", path.display());
                }
                (Err(old), Err(new)) => assert_eq!(old.kind(), new.kind()),
                _ => panic!("{}: {name}: {old:?} and {new:?}", path.display()),
            }
        }
        assert_eq!(described(&data), described_before, "{}", path.display());
        changed += 1;
    }
    assert!(changed > 30, "only {changed} datasets were changed");
}

#[test]
fn changes_refuse_to_lose_hdf5_objects() {
    let path = testdata("hdf5").join("inexpressible.h5");
    Dataset::open(&path).unwrap();
    let e = Dataset::open_for_writing(&path).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    assert!(e.what().starts_with("changes would lose"), "{e}");
}
