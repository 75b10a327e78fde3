//! An S3 server for benchmarks: `s3 [MILLISECONDS]` prints its address and the folder of its bucket, and ends with standard input.
//! Each request takes so much longer.
#![forbid(unsafe_code)]

use std::io::Read;
use std::time::Duration;

use netcdf_tools_tests::servers::{Proxy, S3};

fn main() {
    let delay = std::env::args().nth(1);
    let delay = delay.map_or(0, |n| n.parse().expect("a number of milliseconds"));
    let server = S3::start_public();
    let proxy = Proxy::start(server.port());
    proxy.delay(Duration::from_millis(delay));
    println!("{}\n{}", proxy.url(), server.folder().display());
    let mut rest = vec![];
    std::io::stdin()
        .read_to_end(&mut rest)
        .expect("standard input");
}
