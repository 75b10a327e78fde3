//! Runs on datasets of the netCDF-4 model.

use crate::RequestedOutput;
use std::io::Cursor;

use netcdf_core::chunk::{Provenance, Reader};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::filter::{FilterEntry, FilterTable, Policy};
use netcdf_core::model::{
    Atomic, DataType, Endianness, FilterSpec, Kind, StorageLayout, TypeKind, Values, VarId,
};
use netcdf_core::notes::Note;
use netcdf_core::testing::{MemoryDataset, field, strings};
use netcdf_core::tool::{Io, Status};

use super::{ROOT, Sink, name, text};
use crate::file_series::FileSeries;
use crate::request::Request;
use crate::{cli, conclude, print_part};

/// Runs ncdump on an open dataset. Returns status, standard output and standard error.
fn run_in(args: &[&str], reader: &dyn Reader, env: &Env) -> (Status, String, String) {
    let (out, err) = (Sink::default(), Sink::default());
    let mut io = Io {
        stdin: Box::new(Cursor::new(vec![])),
        stdout: Box::new(out.clone()),
        stderr: Box::new(err.clone()),
        terminal: false,
        screen: false,
    };
    let args = ["ncdump"].iter().chain(args).chain(&["f.nc"]);
    let parsed = cli::parse(args.map(Into::into).collect()).unwrap();
    let Request::Print(request) = parsed.unwrap() else {
        panic!("not printed");
    };
    let mut omitted = vec![];
    let input = request.inputs[0].as_path();
    let heading = FileSeries::new(&request.inputs).heading(input);
    let asked = RequestedOutput {
        request: &request,
        input,
        env,
        heading: &heading,
    };
    let done = print_part(&asked, reader, &mut omitted, &mut io);
    let status = conclude(&done, omitted, (env, &heading), &mut io);
    (status, out.text(), err.text())
}

fn run(args: &[&str], reader: &dyn Reader) -> (Status, String, String) {
    run_in(args, reader, &Env::default())
}

fn ints() -> Values {
    Values::Int(vec![1, 2])
}

/// Returns a dataset of the netCDF-4 model.
fn memory() -> MemoryDataset {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    m.order = Endianness::Big;
    m.provenance = Provenance {
        model: "HDF5",
        mode: 0x1000,
        ..Provenance::default()
    };
    m
}

/// Declares a variable as chunked, with filters.
fn filters(m: &mut MemoryDataset, var: VarId, chunk: &[u64], filters: &[(u32, &[u32])]) {
    let spec = |(id, params): &(u32, &[u32])| FilterSpec {
        id: *id,
        params: params.to_vec(),
    };
    let storage = &mut m.variable(var).storage;
    storage.layout = Some(StorageLayout::Chunked(chunk.to_vec()));
    storage.filters = filters.iter().map(spec).collect();
    m.layout_mut(var).filters = storage.filters.clone();
}

/// Returns variables in two groups: without filters, with netCDF's own filters, and with an unknown one.
fn filtered() -> MemoryDataset {
    let mut m = memory();
    let x = m.dim(ROOT, "x", 2, false);
    m.var(ROOT, "plain", Atomic::Int, &[x], ints());
    let v = m.var(ROOT, "temp", Atomic::Int, &[x], ints());
    filters(&mut m, v, &[2], &[(2, &[4]), (1, &[5])]);
    let g = m.group(ROOT, "g");
    let v = m.var(g, "b c", Atomic::Int, &[x], ints());
    filters(&mut m, v, &[10, 200], &[(2, &[4]), (32024, &[7, 8])]);
    m.var(g, "last", Atomic::Int, &[x], ints());
    m
}

/// Returns an environment with shuffle and deflate, which are only looked up.
fn shuffle_and_deflate() -> Env {
    let row = |id, name| FilterEntry {
        id,
        name,
        codec: None,
        policy: Policy::PLAIN,
        named: &[],
        prepare: |_, params| Ok(params.to_vec()),
        build: |_, _| unreachable!("no data is read"),
    };
    Env {
        filters: FilterTable::new(vec![row(1, "deflate"), row(2, "shuffle")]),
        ..Env::default()
    }
}

#[test]
fn a_table_of_filters() {
    let expected = "\
variable  storage  chunk   id     filter   state     parameters
/plain                            none
/temp     chunked  2       2      shuffle  built in  4
                           1      deflate  built in  5
/g/b\\ c   chunked  10x200  2      shuffle  built in  4
                           32024  sz3      missing   7,8
/g/last                           none
";
    let env = shuffle_and_deflate();
    let (status, out, err) = run_in(&["--filters"], &filtered(), &env);
    assert_eq!(out, expected);
    assert_eq!(status, Status::Failure, "sz3 is missing");
    assert!(err.starts_with("ncdump: filter 32024 (sz3: "), "{err}");
    let (status, _, err) = run_in(&["--filters", "-v", "temp"], &filtered(), &env);
    assert_eq!((status, err.as_str()), (Status::Success, ""));
}

#[test]
fn a_table_of_some_variables() {
    let one = |args: &[&str]| run_in(args, &filtered(), &shuffle_and_deflate()).1;
    let out = one(&["--filters", "-v", "temp"]);
    assert_eq!(out.lines().count(), 3, "{out}");
    let none = "the variable has no filters\n";
    assert_eq!(one(&["--filters", "-v", "plain"]), none);
    let none = "none of the 2 variables has filters\n";
    assert_eq!(one(&["--filters", "-v", "plain,last"]), none);
    assert!(one(&["--filters", "-g", "g"]).contains("\n/g/last "));
    let none = "there are no variables\n";
    assert_eq!(run(&["--filters"], &memory()).1, none);
}

#[test]
fn data_behind_missing_filters_is_left_out() {
    let mut m = filtered();
    filters(&mut m, VarId(1), &[2], &[]);
    let (status, out, err) = run(&[], &m);
    assert_eq!(status, Status::Failure);
    assert!(out.contains("\n temp = 1, 2 ;\n"), "{out}");
    let place = "\n   // b\\ c: data omitted: filter ";
    assert!(out.contains(place), "{out}");
    assert!(
        out.ends_with("\n   last = 1, 2 ;\n  } // group g\n}\n"),
        "{out}"
    );
    assert!(err.starts_with("ncdump: filter 32024 (sz3: "), "{err}");
    let place = " is not available in /g/b c (pip install ";
    assert!(err.contains(place), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    // A missing filter is no error if the variable's data is not printed.
    for args in [&["-h"][..], &["-hs"], &["-v", "last"], &["-k"], &["-x"]] {
        let (status, _, err) = run(args, &m);
        assert_eq!((status, err.as_str()), (Status::Success, ""), "{args:?}");
    }
}

/// An error after some values: a fill value ends the list, and a comment gives the reason.
#[test]
fn an_error_within_a_list_ends_it_early() {
    let mut m = memory();
    let dims = m.dims(&[1 << 10, 1 << 10]);
    let whole = Values::Short(vec![7; 1 << 20]);
    m.before_fetch = Some(Box::new(|chunk| match chunk.range.end > (1 << 21) - 18 {
        true => Err(Error::new(ErrorKind::Truncated, "cut off")),
        false => Ok(()),
    }));
    m.var(ROOT, "v", Atomic::Short, &dims, whole);
    m.var(ROOT, "w", Atomic::Short, &[], Values::Short(vec![1]));
    let (status, out, err) = run(&[], &m);
    assert_eq!(
        (status, err.as_str()),
        (Status::Failure, "ncdump: cut off in /v\n")
    );
    assert!(out.contains("\n v =\n  7, 7,"));
    let (_, end) = out.split_once(" 7,\n  _ ;\n").unwrap();
    assert!(
        end.starts_with(" // v: data from index (") && end.contains(",0) on omitted: cut off\n")
    );
    assert!(end.ends_with("\n\n w = 1 ;\n}\n"), "{end}");
}

#[test]
fn notes_are_told_with_the_header_too() {
    for args in [&["-h"][..], &[], &["-K"], &["--filters"]] {
        let env = Env::default();
        env.notes.say(Note {
            object: "/ref".into(),
            what: "references are skipped".into(),
            remedy: None,
        });
        let (status, _, err) = run_in(args, &memory(), &env);
        let expected = "ncdump: /ref: references are skipped\n";
        assert_eq!((status, err.as_str()), (Status::Success, expected));
    }
}

#[test]
fn kinds() {
    assert_eq!(run(&["-k"], &memory()).1, "netCDF-4\n");
    assert_eq!(run(&["-K"], &memory()).1, "HDF5 mode=00001000\n");
}

/// Returns a dataset with groups, types and values.
fn typed() -> MemoryDataset {
    let mut m = memory();
    let t = m.dim(ROOT, "t", 2, true);
    let members = vec![(name("clear"), 0), (name("a<b"), 200)];
    let base = Atomic::UByte;
    let sky = m.user(ROOT, "sky", TypeKind::Enum { base, members });
    let list = m.user(
        ROOT,
        "list",
        TypeKind::Vlen {
            base: Atomic::Int.into(),
        },
    );
    let blob = m.user(ROOT, "blob", TypeKind::Opaque { size: 2 });
    let fields = vec![
        field("xy", Atomic::Float, &[2, 3]),
        field("s", DataType::User(sky), &[]),
    ];
    let size = 28;
    let inner = m.user(ROOT, "inner", TypeKind::Compound { fields, size });
    let fields = vec![
        field("in", DataType::User(inner), &[4]),
        field("l", DataType::User(list), &[]),
    ];
    let outer = m.user(ROOT, "outer", TypeKind::Compound { fields, size });
    let members = vec![(name("A"), -1)];
    let base = Atomic::Short;
    let g = m.group(ROOT, "g & h");
    let own_t = m.dim(g, "t", 3, false);
    let own = m.user(g, "sky", TypeKind::Enum { base, members });

    let user = DataType::User;
    let v = m.define((ROOT, "c"), user(sky), &[t]);
    let cover = |values: &[u8]| Values::Enum(sky, Box::new(Values::UByte(values.to_vec())));
    m.attribute(v, "_FillValue", cover(&[200]));
    m.attribute(v, "range", cover(&[0, 7]));
    let v = m.define((ROOT, "s"), Atomic::String, &[]);
    m.attribute(v, "one", strings(&[Some("a|b c")]));
    m.attribute(v, "two", strings(&[Some("a|b"), Some("c")]));
    m.attribute(v, "big", Values::UInt64(vec![1, 2]));
    let bytes = Values::Opaque {
        ty: blob,
        size: 2,
        bytes: vec![1, 0xab],
    };
    m.attribute(v, "raw", bytes);
    m.attribute(v, "text", text("t"));
    let v = m.define((ROOT, "o"), user(outer), &[t]);
    m.attribute(v, "long", Values::Int64(vec![-5]));
    m.define((ROOT, "l"), user(list), &[t]);
    m.define((g, "c"), user(own), &[own_t]);
    m.define((g, "d"), user(sky), &[t]);
    m.define((g, "e"), user(blob), &[]);
    m
}

#[test]
fn ncml() {
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<netcdf xmlns="https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2" location="f.nc">
  <enumTypedef name="sky" type="enum1">
    <enum key="0">clear</enum>
    <enum key="200">a&lt;b</enum>
  </enumTypedef>
  <dimension name="t" length="2" isUnlimited="true" />
  <variable name="c" shape="t" type="enum1" typedef="sky">
    <attribute name="_FillValue" value="a&lt;b" />
    <attribute name="range" value="clear|7" separator="|" />
  </variable>
  <variable name="s" type="String">
    <attribute name="one" value="a|b c" />
    <attribute name="two" value="a|b!c" separator="!" />
    <attribute name="big" type="ulong" value="1 2" />
    <attribute name="raw" value="0X01AB" />
    <attribute name="text" value="t" />
  </variable>
  <variable name="o" shape="t" type="Structure">
    <attribute name="long" type="long" value="-5" />
    <variable name="in" shape="4" type="Structure">
      <variable name="xy" shape="2 3" type="float" />
      <variable name="s" type="enum1" typedef="sky" />
    </variable>
    <variable name="l" shape="*" type="int" />
  </variable>
  <variable name="l" shape="t *" type="int" />
  <group name="g &amp; h">
    <enumTypedef name="sky" type="enum2">
      <enum key="-1">A</enum>
    </enumTypedef>
    <dimension name="t" length="3" />
    <variable name="c" shape="t" type="enum2" typedef="sky" />
    <variable name="d" shape="/t" type="enum1" typedef="/sky" />
    <variable name="e" type="opaque" />
  </group>
</netcdf>
"#;
    let (status, out, err) = run(&["-x"], &typed());
    assert_eq!((status, err.as_str()), (Status::Success, ""));
    assert_eq!(out, expected);
}

/// Keys of NcML's enums are signed integers of four bytes.
#[test]
fn ncml_of_enums_that_it_lacks() {
    let mut m = memory();
    for (name_, base, members) in [
        ("large", Atomic::UInt, vec![(name("most"), u32::MAX.into())]),
        ("low", Atomic::Int64, vec![(name("least"), i64::MIN.into())]),
        ("none", Atomic::Short, vec![]),
        ("small", Atomic::Int64, vec![(name("one"), 1)]),
    ] {
        let id = m.user(ROOT, name_, TypeKind::Enum { base, members });
        m.define((ROOT, name_), DataType::User(id), &[]);
    }
    let (_, out, _) = run(&["-x"], &m);
    let expected = r#"  <enumTypedef name="small" type="enum4">
    <enum key="1">one</enum>
  </enumTypedef>
  <variable name="large" type="uint" />
  <variable name="low" type="long" />
  <variable name="none" type="short" />
  <variable name="small" type="enum4" typedef="small" />
</netcdf>
"#;
    assert!(out.ends_with(expected), "{out}");
}

/// Sixty types, each with two fields of the previous type.
#[test]
fn ncml_of_types_that_grow_without_end() {
    let mut m = memory();
    let mut ty = DataType::from(Atomic::Int);
    for n in 0..60 {
        let fields = vec![field("a", ty, &[]), field("b", ty, &[])];
        let kind = TypeKind::Compound { fields, size: 8 };
        ty = DataType::User(m.user(ROOT, &format!("t{n}"), kind));
    }
    m.define((ROOT, "v"), ty, &[]);
    let (status, out, err) = run(&["-x"], &m);
    assert_eq!((status, out.as_str()), (Status::Failure, ""));
    assert!(
        err.contains(" fields in /v (CDL does not repeat them)"),
        "{err}"
    );
    assert_eq!(run(&["-h"], &m).0, Status::Success);
}

/// The classic model in an HDF5 file has the type names of the C tool.
#[test]
fn ncml_of_the_classic_model() {
    let mut m = memory();
    m.schema.kind = Kind::NETCDF4_CLASSIC;
    let x = m.dim(ROOT, "x", 2, false);
    let v = m.var(ROOT, "v", Atomic::Int, &[x], ints());
    m.attribute(v, "s", Values::String(vec![None]));
    let (_, out, _) = run(&["-x", "-h"], &m);
    let expected = "<attribute name=\"s\" type=\"string\" value=\"\" />\n";
    assert!(out.contains(expected), "{out}");
}
