//! Inputs of joins, and runs of the tools.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

/// Creates a dataset of a kind from CDL.
pub(crate) fn make(sandbox: &Sandbox, (name, kind): (&str, &str), cdl: &str) {
    let text = format!("{name}.cdl");
    sandbox.write(&text, cdl);
    let args = [
        "ncgen",
        "--no-sync",
        "-k",
        kind,
        "-o",
        &format!("@{name}"),
        &format!("@{text}"),
    ];
    let _ = sandbox.run(ncgen::run, &args).clean();
}

/// Times `start..start + len` in days since a date, and values that depend on the time.
pub(crate) struct Series<'a> {
    pub(crate) since: &'a str,
    pub(crate) start: i32,
    pub(crate) len: i32,
    /// Further text in the section of variables.
    pub(crate) more: &'a str,
}

impl Default for Series<'_> {
    fn default() -> Self {
        Self {
            since: "2000-01-01",
            start: 0,
            len: 3,
            more: "",
        }
    }
}

impl Series<'_> {
    pub(crate) fn cdl(&self) -> String {
        let list = |values: Vec<i32>| {
            let texts: Vec<String> = values.iter().map(i32::to_string).collect();
            texts.join(", ")
        };
        let Self {
            since,
            start,
            len,
            more,
        } = self;
        let times: Vec<i32> = (*start..start + len).collect();
        let values = times.iter().flat_map(|t| [t * 10, t * 10 + 1]).collect();
        format!(
            "netcdf x {{ dimensions: time = UNLIMITED ; x = 2 ; variables: double time(time) ; time:units = \"days since {since}\" ;
            int x(x) ; float v(time, x) ; v:units = \"K\" ; {more}
            data: time = {} ; x = 1, 2 ; v = {} ; }}",
            list(times),
            list(values)
        )
    }
}

pub(crate) fn ncdump(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(ncdump::run, &[&["ncdump"], args].concat())
}

pub(crate) fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy", "--no-sync"], args].concat())
}

/// Returns the data of a variable.
pub(crate) fn data(sandbox: &Sandbox, var: &str, args: &[&str]) -> String {
    let dumped = ncdump(sandbox, &[&["-v", var], args].concat());
    assert_eq!(dumped.code, 0, "{args:?} {dumped}");
    let text = dumped.text();
    let (_, data) = text.split_once("data:\n").unwrap();
    let data = data.split("\ngroup:").next().unwrap();
    data.trim_matches(['\n', '}']).trim().to_owned()
}

/// Creates `a.nc`, `b.nc` and `c.nc` with 3, 3 and 2 consecutive times.
pub(crate) fn series(kind: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, start, len) in [("a.nc", 0, 3), ("b.nc", 3, 3), ("c.nc", 6, 2)] {
        let series = Series {
            start,
            len,
            ..Series::default()
        };
        make(&sandbox, (name, kind), &series.cdl());
    }
    sandbox
}

/// The inputs of [`series`], not in order.
pub(crate) const ALL: [&str; 3] = ["@c.nc", "@a.nc", "@b.nc"];
