//! One executable for all tools, for packages. The name of the executable or its first argument chooses the tool.
//!
//! Packages that are installed beside the C tools call ours `ncdump-rs`, `ncgen-rs`, `nccopy-rs` and `zdump-rs`.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::path::Path;

use netcdf_core::tool::{self, Io, Status};
use netcdf_grammar::commit;

/// The name of the executable.
const NAME: &str = "netcdf-tools";

/// The end of a tool's name beside a C tool.
const BESIDE: &str = "-rs";

/// Runs a tool; the arguments begin with its name. Returns the exit code.
type Run = fn(Vec<OsString>, &mut Io) -> u8;

/// The tools by name. A link to ncgen called `ncgen3` is netCDF-C's older tool.
const TOOLS: [(&str, Run); 5] = [
    ("ncdump", |args, io| ncdump::run(args, io).code()),
    ("ncgen", |args, io| ncgen::run(args, io).code()),
    ("ncgen3", |args, io| ncgen::run(args, io).code()),
    ("nccopy", |args, io| nccopy::run(args, io).code()),
    ("zdump", |args, io| zdump::run(args, io)),
];

/// The text of `--help`.
const USAGE: &str = "Usage: netcdf-tools TOOL [ARGUMENT]...
       netcdf-tools --help | --version

Tools:
  ncdump  Print a netCDF dataset as CDL text or JSON, or information about its storage
  ncgen   Create a netCDF dataset from CDL text or JSON (also called ncgen3)
  nccopy  Copy netCDF datasets, and convert their kind and storage
  zdump   Inspect the storage of a Zarr dataset

A link with the name of a tool, or with this name and -rs, runs the tool: ncdump, ncdump-rs.
netcdf-tools TOOL --help prints the options of a tool. Man pages: ncdump(1), ncgen(1), nccopy(1), zdump(1)
";

/// Returns the tool called `name`, if there is one.
fn find(name: &OsStr) -> Option<(&'static str, Run)> {
    let name = name.to_str()?;
    let name = name.strip_suffix(BESIDE).unwrap_or(name);
    TOOLS.into_iter().find(|(tool, _)| *tool == name)
}

/// Returns the tool that a command line runs, and the number of arguments before the tool's own arguments.
fn requested(args: &[OsString]) -> Option<(&'static str, Run, usize)> {
    let called = args.first().and_then(|path| Path::new(path).file_stem());
    let tool =
        |word: Option<&OsStr>, skipped| word.and_then(find).map(|(name, run)| (name, run, skipped));
    tool(called, 1).or_else(|| tool(args.get(1).map(OsString::as_os_str), 2))
}

/// Returns the name of the program in messages.
#[must_use]
pub fn name(args: &[OsString]) -> &'static str {
    requested(args).map_or(NAME, |(name, ..)| name)
}

/// Runs the requested tool. `args` begin with the path of the executable. Returns the exit code: 2 without a known tool.
pub fn run(args: Vec<OsString>, io: &mut Io) -> u8 {
    let Some((name, run, skipped)) = requested(&args) else {
        return without_tool(args.get(1).map(OsString::as_os_str), io).code();
    };
    let rest = args.into_iter().skip(skipped);
    run(std::iter::once(name.into()).chain(rest).collect(), io)
}

/// Prints the help, the version, or an error about the missing or unknown tool.
fn without_tool(word: Option<&OsStr>, io: &mut Io) -> Status {
    let word = word.map(|word| word.to_string_lossy());
    match word.as_deref() {
        Some("--help" | "-h" | "help") => print(USAGE, io),
        Some("--version") => print(
            &format!("{NAME} {}\n", commit::version(env!("CARGO_PKG_VERSION"))),
            io,
        ),
        Some(word) => {
            let shown = netcdf_core::shown::ShownText::new(word);
            tool::usage(
                NAME,
                &format!("{NAME}: no tool is called `{shown}`\n\n{USAGE}"),
                true,
                io,
            )
        }
        None => tool::usage(NAME, USAGE, true, io),
    }
}

/// Prints a text on standard output.
fn print(text: &str, io: &mut Io) -> Status {
    tool::usage(NAME, text, false, io)
}
