//! Runs within the process.

mod json;
mod zarr;

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use netcdf_core::chunk::Dataset;
use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::locator;
use netcdf_core::model::{Kind, Region, Values};
use netcdf_core::tool::{Io, Status};
use tempfile::TempDir;

/// A stream whose content can be read afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs ncgen with `text` as standard input. Returns status and standard error.
fn ncgen(args: &[&str], text: &[u8]) -> (Status, String) {
    named("ncgen", args, text)
}

/// Like [`ncgen`], under another name.
fn named(program: &str, args: &[&str], text: &[u8]) -> (Status, String) {
    let stderr = Shared::default();
    let mut io = Io {
        stdin: Box::new(Cursor::new(text.to_vec())),
        stdout: Box::new(std::io::sink()),
        stderr: Box::new(stderr.clone()),
        terminal: false,
        screen: false,
    };
    let args = std::iter::once(program).chain(args.iter().copied());
    let status = crate::run(args.map(Into::into), &mut io);
    let said = stderr.0.lock().unwrap().clone();
    (status, String::from_utf8(said).unwrap())
}

/// Returns the kind of a file and the values of its variables.
fn contents(path: &Path) -> (Kind, Vec<Values>) {
    let env = Env::default();
    let input = locator::input(&locator::Location::of_path(path), &mut std::io::empty()).unwrap();
    let reader = format::open(input, &env).unwrap();
    let schema = reader.schema();
    let dataset = Dataset::new(&*reader, &env);
    let read = |id| {
        let region = Region::whole(&schema.shape(id));
        dataset.read(id, &region).unwrap()
    };
    (schema.kind, schema.var_ids().map(read).collect())
}

/// Creates a dataset with `flags`.
fn made(flags: &[&str], text: &str) -> (Kind, Vec<Values>) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("x.nc");
    let args = [flags, &["--no-sync", "-o", path.to_str().unwrap()]].concat();
    assert_eq!(
        ncgen(&args, text.as_bytes()),
        (Status::Success, String::new())
    );
    contents(&path)
}

/// Runs ncgen, which must fail and leave no file. Returns its messages.
fn failed(flags: &[&str], text: &[u8]) -> String {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("x.nc");
    let args = [flags, &["-o", path.to_str().unwrap()]].concat();
    let (status, said) = ncgen(&args, text);
    assert_eq!(status, Status::Failure, "{said}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{said}");
    said
}

const TEXT: &str = "netcdf x { dimensions: n = 2 ; t = UNLIMITED ;
variables: int a(t, n) ; char c(t, n) ; double d ; float e(n) ; e:_FillValue = 7.f ;
data: a = 1, 2, 3 ; c = \"a\", \"bc\", \"d\" ; d = NaN ; e = 1 ; }";

#[test]
fn records_grow_and_short_lists_are_filled() {
    let fill = -2_147_483_647;
    for flags in [&["-3"][..], &["-x"], &["-6", "-x"], &["-5"]] {
        let (_, values) = made(flags, TEXT);
        assert_eq!(values[0], Values::Int(vec![1, 2, 3, fill, fill, fill]));
        assert_eq!(values[1], Values::Char(b"a\0bcd\0".to_vec()));
        assert!(matches!(&values[2], Values::Double(v) if v[0].is_nan()));
        assert_eq!(values[3], Values::Float(vec![1., 7.]));
    }
}

#[test]
fn kinds() {
    for (flags, text, kind) in [
        (&[][..], "netcdf x { }", Kind::CLASSIC),
        (&["-k", "nc6"], "netcdf x { }", Kind::OFFSET64),
        (
            &[],
            "netcdf x { :_Format = \"64-bit offset\" ; }",
            Kind::OFFSET64,
        ),
        (&["-3"], "netcdf x { :_Format = \"cdf5\" ; }", Kind::CLASSIC),
        (
            &[],
            "netcdf x { variables: ubyte v ; data: v = 255 ; }",
            Kind::CDF5,
        ),
    ] {
        assert_eq!(made(flags, text).0, kind, "{text}");
    }
    for (flags, text, kind) in [
        (&["-4"][..], "netcdf x { }", Kind::NETCDF4),
        (&["-7"], "netcdf x { }", Kind::NETCDF4_CLASSIC),
        (&[], "netcdf x { group: g { } }", Kind::NETCDF4),
    ] {
        assert_eq!(made(flags, text).0, kind, "{text}");
    }
    assert!(failed(&["-3"], b"netcdf x { group: g { } }").contains("group"));
    assert!(failed(&["-3"], b"netcdf x { variables: ubyte v ; }").contains("ubyte"));
}

#[test]
fn declarations_only() {
    let (_, values) = made(&["-H"], TEXT);
    assert_eq!(values[0], Values::Int(vec![]));
    assert!(matches!(&values[3], Values::Float(v) if *v == [7., 7.]));
    let wrong = "netcdf x { variables: int a ; data: a = red ; }";
    assert_eq!(ncgen(&["-H"], wrong.as_bytes()).0, Status::Success);
}

#[test]
fn errors_of_all_lists_are_said_with_their_places() {
    let text = "netcdf x {\nvariables: int a, b ;\ndata:\n a = 1 2 ;\n b =\n  red ;\n}\n";
    let said = failed(&[], text.as_bytes());
    assert!(
        said.starts_with("ncgen: (stdin):4:8: error: expected `,` or `;`"),
        "{said}"
    );
    assert!(said.contains("(stdin):6:3: error: "), "{said}");
    assert!(said.ends_with("ncgen: 2 errors\n"), "{said}");
    let (status, checked) = ncgen(&[], text.as_bytes());
    assert_eq!((status, checked), (Status::Failure, said));
}

#[test]
fn lists_of_all_types_are_checked() {
    let text = "netcdf x { types: byte enum e { a = 1 } ; int(*) l ; dimensions: t = UNLIMITED ; n = 2 ;
variables: e v(n) ; l w(t) ; string s(n, t) ; data: v = a, b ; w = {1}, {2, {3}} ; s = {\"x\"}, 1 ; }";
    let (status, said) = ncgen(&[], text.as_bytes());
    assert_eq!(status, Status::Failure);
    assert!(
        said.contains("expected a member of enum e, found `b`"),
        "{said}"
    );
    assert!(said.ends_with("ncgen: 3 errors\n"), "{said}");
}

#[test]
fn warnings_are_no_failure() {
    let text = b"netcdf x { variables: byte v ; data: v = 300 ; }";
    let (status, said) = ncgen(&[], text);
    assert_eq!(status, Status::Success);
    assert!(
        said.contains("warning: 300 does not fit type byte, stored as 44"),
        "{said}"
    );
    assert_eq!(ncgen(&["--quiet"], text), (Status::Success, String::new()));
}

#[test]
fn what_cannot_be_written_is_said() {
    let text = "netcdf x { dimensions: n = 4 ; variables: int v(n) ; v:_Filter = \"30999,1\" ; }";
    assert!(failed(&["-4"], text.as_bytes()).contains("filter 30999"));
    let (status, said) = ncgen(&["-o", "http://127.0.0.1:1/x.nc"], b"netcdf x { }");
    assert_eq!(status, Status::Failure);
    assert!(said.contains("web servers are read-only"), "{said}");
}

#[test]
fn wrong_command_lines() {
    for args in [
        &["-k", "nc9"][..],
        &["-l", "cobol"],
        &["-b", "-c"],
        &["a", "b"],
        &["-z"],
    ] {
        let (status, said) = ncgen(args, b"");
        assert_eq!(status, Status::Usage, "{args:?}");
        assert!(!said.is_empty());
    }
    assert_eq!(ncgen(&["no/such.cdl"], b"").0, Status::Failure);
}

#[test]
fn an_old_output_stands_until_there_is_a_new_one() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("x.nc");
    fs::write(&path, "old").unwrap();
    let args = ["-o", path.to_str().unwrap()];
    let wrong = "netcdf x { variables: int a ; data: a = red ; }";
    assert_eq!(ncgen(&args, wrong.as_bytes()).0, Status::Failure);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(ncgen(&args, TEXT.as_bytes()).0, Status::Success);
    assert_eq!(contents(&path).0, Kind::CLASSIC);
}

#[test]
fn the_text_is_never_replaced() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("x.cdl"), TEXT).unwrap();
    fs::create_dir(path("d")).unwrap();
    for output in ["x.cdl", "./x.cdl", "d/../x.cdl"] {
        let (status, said) = ncgen(&["-o", &path(output), &path("x.cdl")], b"");
        assert_eq!(status, Status::Failure, "{output}");
        assert!(said.contains("output would overwrite input"), "{said}");
        assert_eq!(fs::read(path("x.cdl")).unwrap(), TEXT.as_bytes());
    }
}

#[test]
fn options_may_be_repeated() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let args = [
        "-b",
        "-b",
        "-x",
        "-x",
        "-o",
        &path("a.nc"),
        "-o",
        &path("b.nc"),
    ];
    assert_eq!(
        ncgen(&args, TEXT.as_bytes()),
        (Status::Success, String::new())
    );
    assert!(!dir.path().join("a.nc").exists());
    assert_eq!(contents(&dir.path().join("b.nc")).0, Kind::CLASSIC);
}

#[test]
fn lists_that_do_not_count_are_checked() {
    let text = b"netcdf x { variables: int a ; data: a = 5 8 ; a = 1 ; }";
    for said in [failed(&[], text), ncgen(&[], text).1] {
        assert!(said.contains("1:43: error: expected `,` or `;`"), "{said}");
    }
}

#[test]
fn usual_mistakes_are_named() {
    let said = failed(&[], b"netcdf x {\ndimension:\n n = 2 ;\n}");
    assert!(said.contains("2:1: error"), "{said}");
    assert!(
        said.contains("hint: the section is `dimensions:`"),
        "{said}"
    );
    let said = failed(&[], b"netcdf x {\n :units = metres ;\n}");
    assert!(
        said.contains("2:11: error: text must be in quotes"),
        "{said}"
    );
}

/// ncdump writes text with a final newline in this form.
#[test]
fn an_empty_string_behind_the_last_character_is_nothing() {
    let text = r#"netcdf x { dimensions: n = 4 ; variables: char a(n), b(n) ;
        data: a = "a\n", "b\n", "" ; b = "ab\n", "" ; }"#;
    let (_, values) = made(&[], text);
    assert_eq!(values[0], Values::Char(b"a\nb\n".to_vec()));
    assert_eq!(values[1], Values::Char(b"ab\n\0".to_vec()));
    let text = r#"netcdf x { dimensions: n = 4 ; variables: char a(n) ; data: a = "abcd", "e" ; }"#;
    assert!(failed(&[], text.as_bytes()).contains("more characters"));
}

/// Scripts still call the older tool, which had fewer options.
#[test]
fn a_link_is_the_older_tool() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("x.nc");
    let out = path.to_str().unwrap();
    let text = "netcdf x { dimensions: n = 2 ; variables: int v(n) ; data: v = 1, 2 ; }";
    for (kind, want) in [
        ("2", Kind::OFFSET64),
        ("64-bit offset", Kind::OFFSET64),
        ("hdf5", Kind::NETCDF4),
        ("hdf5-nc3", Kind::NETCDF4_CLASSIC),
        ("classic", Kind::CLASSIC),
    ] {
        let args = ["-b", "-x", "-k", kind, "--no-sync", "-o", out];
        let made = named("/usr/bin/ncgen3", &args, text.as_bytes());
        assert_eq!(made, (Status::Success, String::new()), "{kind}");
        assert_eq!(contents(&path).0, want, "{kind}");
    }
    let (status, said) = named("ncgen3", &["--nosuch"], b"");
    assert_eq!(status, Status::Usage);
    assert!(said.starts_with("ncgen3: unexpected argument"), "{said}");
    let (_, said) = named("ncgen3", &["-v"], b"");
    assert!(said.contains("\nnetcdf library version 4."), "{said}");
}
