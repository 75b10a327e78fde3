//! Programs of `ncgen`, compiled and run with the system's netCDF libraries: their output has the same dump as the output of `ncgen -b`.
//! The tests are ignored by default, because they need `cc`, `gfortran`, the libraries, `ncdump` and `ncgen`. `.ci/run` installs these
//! packages and runs the tests. Java programs only have snapshots.

use std::path::Path;
use std::process::{Command, Output};

use netcdf_tools_tests::harness::Sandbox;

/// Runs a program in `folder`.
fn run(folder: &Path, program: &str, args: &[&str]) -> Output {
    let command = Command::new(program)
        .args(args)
        .current_dir(folder)
        .output();
    command.unwrap_or_else(|e| panic!("{program}: {e}"))
}

/// Runs a program like [`run`], and fails if the program fails.
fn must(folder: &Path, program: &str, args: &[&str]) -> String {
    let output = run(folder, program, args);
    let said = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program} {args:?}:\n{text}{said}");
    text
}

/// Creates `made.nc` with a printed program and `wanted.nc` with `ncgen -b`, and compares their dumps.
fn same(text: &str, language: &str, flags: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", text);
    let folder = sandbox.path("");
    let print = [&["ncgen", language, "-o", "made.nc"], flags, &["@a.cdl"]].concat();
    let program = sandbox.run(ncgen::run, &print).clean();
    let compile: &[&str] = match language {
        "-lc" => &["cc", "-w", "a.c", "-o", "a", "-lnetcdf"],
        _ => &[
            "gfortran",
            "-w",
            "-I/usr/include",
            "a.f",
            "-o",
            "a",
            "-lnetcdff",
            "-lnetcdf",
        ],
    };
    sandbox.write(
        compile[if language == "-lc" { 2 } else { 3 }],
        &program.stdout,
    );
    must(&folder, compile[0], &compile[1..]);
    must(&folder, "./a", &[]);
    let ours = [&["ncgen", "-b", "-o", "@wanted.nc"], flags, &["@a.cdl"]].concat();
    if sandbox.run(ncgen::run, &ours).code != 0 {
        // Programs cannot write values of these types.
        let theirs = [&["-b", "-4", "-o", "wanted.nc"], flags, &["a.cdl"]].concat();
        must(&folder, "ncgen", &theirs);
    }
    let dump = |name: &str| {
        // `ncdump -s` fails on CDF-5.
        let special: &[&str] = if flags == ["-4"] { &["-s"] } else { &[] };
        let text = must(
            &folder,
            "ncdump",
            &[special, &["-n", "x", "-p", "9,17", name]].concat(),
        );
        let own = ["_NCProperties", "_SuperblockVersion"];
        let lines = text
            .lines()
            .filter(|line| !own.iter().any(|o| line.contains(o)));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        dump("made.nc"),
        dump("wanted.nc"),
        "{language}\n{}",
        program.text()
    );
}

const CLASSIC: &str = r#"netcdf classic-1 {
dimensions:
	t = UNLIMITED ;
	x-y = 3 ;
	x_MINUS_y = 2 ;
	one = 1 ;
variables:
	float T(t, x-y) ;
		T:units = "it's a \"quote\"\n\\ and \t\001 é" ;
		T:_FillValue = -1.f ;
		T:\1st = 0.1f, 1.00000012f, NaNf, Infinityf, -Infinityf ;
	char text(t, x-y) ;
		text:empty = "" ;
	char c ;
	char name(x_MINUS_y, x-y) ;
	byte b(x-y) ;
	short stat(x-y) ;
	int ncid(x-y) ;
	int t ;
	double d(x-y) ;
	double D ;
		D:long = -1.7976931348623157e+308, 2.2250738585072014e-308, 0.30000000000000004 ;
	int none(x-y) ;

// global attributes:
		:a = -128b, 127b ;
		:A = -32768s ;
		:i = -2147483648, 2147483647 ;
		:x_dims = 5 ;
data:
 T = 1, _, 0.1, NaN, Infinity, -Infinity, 16777217 ;
 text = "ab", "c'\"" ;
 c = "'" ;
 name = "\\", "\000\377" ;
 b = -128, 127, _ ;
 stat = -32768, 0 ;
 ncid = -2147483648, 2147483647, 0 ;
 t = -2147483648 ;
 d = 0.1, 0.30000000000000004, 1e-300 ;
 D = NaN ;
}
"#;

const ENHANCED: &str = r#"netcdf enhanced {
types:
  byte enum e { A = -1, B-C = 2 } ;
  int64 enum big { LEAST = -9223372036854775808, MOST = 9223372036854775807 } ;
  opaque(4) op ;
  int(*) vint ;
  compound select { float x ; byte y(2, 2) ; char n(2, 3) ; char s(5) ; e f ; op o ; } ;
dimensions:
	n = 2 ;
	t = UNLIMITED ;
	u = UNLIMITED ;
variables:
	e ev(n) ;
		e ev:_FillValue = A ;
		e ev:att = A, B-C ;
	big bv(n) ;
	op ov(n) ;
		op ov:oa = 0X00ADBEEF ;
	vint vv(n) ;
		vint vv:va = {1, 2, 3} ;
	select dv(n) ;
	string s(n) ;
		string s:list = "a\"b", "", "é\n" ;
	int open(t, u) ;
	int inner(n, t) ;
	ubyte ub(n) ;
	uint64 ul(n) ;
	int64 l(n) ;
	uint chunked(n, n) ;
		chunked:_ChunkSizes = 1, 2 ;
		chunked:_Shuffle = "true" ;
		chunked:_DeflateLevel = 2 ;
		chunked:_Fletcher32 = "true" ;
		chunked:_Endianness = "big" ;
	short compact(n) ;
		compact:_Storage = "compact" ;

// global attributes:
		big :g = LEAST ;
		int64 :least = -9223372036854775808 ;
		:ints = 1ub, 2us, 3u, 4ull ;
data:
 ev = B-C, _ ;
 bv = LEAST, MOST ;
 ov = 0X00010203, 0XFFFFFF00 ;
 vv = {1, 2, 3}, {} ;
 dv = {1.5, {1, 2, 3, 4}, {"abc", "def"}, {"vwxyz"}, A, 0X22334455}, {2, {5, 6, 7, 8}, {"xyz", "uvw"}, {"it's!"}, B-C, 0X00000000} ;
 s = "x", "\\y\"" ;
 open = {1, 2}, {3, 4}, {5, 6} ;
 inner = {1, 2, 3}, {4, 5, 6} ;
 ub = 0, 254 ;
 ul = 0, 18446744073709551615 ;
 l = -9223372036854775808, 1 ;
 chunked = 1, 2, 3, 4294967294 ;
 compact = 1, 2 ;

group: g-1 {
  types:
    int(*) vint ;
    compound pair { vint a(2) ; ubyte b ; } ;
  dimensions:
  	n = 1 ;
  variables:
  	pair p(n) ;
  	double nested ;
  	float v.w(n) ;
  		v.w:title = "in a group" ;
  // group attributes:
  		:_1a = 1 ;
  data:
   p = {{{1}, {2, 3}}, 7} ;
   v.w = 2.5 ;
  group: h {
    variables:
    	string deep ;
    data:
     deep = "down" ;
  }
}
}
"#;

#[test]
#[ignore = "needs cc and libnetcdf"]
fn c_programs_make_the_file() {
    same(CLASSIC, "-lc", &["-3"]);
    same(CLASSIC, "-lc", &["-6"]);
    same(CLASSIC, "-lc", &["-5"]);
    same(ENHANCED, "-lc", &["-4"]);
}

#[test]
#[ignore = "needs gfortran and libnetcdff"]
fn fortran_programs_make_the_file() {
    same(CLASSIC, "-lf77", &["-3"]);
    same(CLASSIC, "-lf77", &["-6"]);
}
