//! Programs of the tests and of the scripts in `.ci`, as one executable: `helper NAME ARGUMENT…`.
//!
//! | name | task |
//! |---|---|
//! | `appendrecords` | appends records to a dataset, with a sync after each |
//! | `changes` | changes a dataset, in place or anew |
//! | `chunkfilter` | encodes and decodes chunks |
//! | `filterspecs` | parses filter specifications |
//! | `h5sums` | prints a sum of each dataset of an HDF5 file |
//! | `h5written` | writes files with the HDF5 writer |
//! | `readrecords` | reads the records of `appendrecords` while they are appended |
//! | `s3` | serves S3 |
//! | `storevalues` | prints the content of a dataset as JSON |
//! | `tool` | runs one of the tools |
#![forbid(unsafe_code)]

mod appendrecords;
mod changes;
mod chunkfilter;
mod filterspecs;
mod h5sums;
mod h5written;
mod readrecords;
#[cfg(feature = "s3")]
mod s3;
mod storevalues;
mod tool;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let name = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    match name.to_str() {
        Some("appendrecords") => appendrecords::main(&args),
        Some("changes") => changes::main(&args),
        Some("chunkfilter") => chunkfilter::main(&args),
        Some("filterspecs") => filterspecs::main(),
        Some("h5sums") => h5sums::main(&args),
        Some("h5written") => h5written::main(&args),
        Some("readrecords") => readrecords::main(&args),
        #[cfg(feature = "s3")]
        Some("s3") => s3::main(&args),
        Some("storevalues") => storevalues::main(&args),
        Some("tool") => tool::main(args),
        // `tool` also serves isolated plugins, which start this executable with an argument of the library.
        _ => tool::main(vec![]),
    }
}
