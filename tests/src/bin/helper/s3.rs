//! An S3 server for benchmarks. `helper s3 [MILLISECONDS]` prints the server address and the bucket directory. The server stops at
//! the end of standard input. It delays each request by MILLISECONDS.

use std::ffi::OsString;
use std::io::Read;
use std::process::ExitCode;
use std::time::Duration;

use netcdf_tools_tests::servers::{Proxy, S3};

/// Serves until standard input ends.
pub(crate) fn main(args: &[OsString]) -> ExitCode {
    let delay = args.first().map(|arg| arg.to_string_lossy());
    let delay = delay.map_or(0, |n| n.parse().expect("a number of milliseconds"));
    let server = S3::start_public();
    let proxy = Proxy::start(server.port());
    proxy.delay(Duration::from_millis(delay));
    println!("{}\n{}", proxy.url(), server.folder().display());
    let mut rest = vec![];
    std::io::stdin()
        .read_to_end(&mut rest)
        .expect("standard input");
    ExitCode::SUCCESS
}
