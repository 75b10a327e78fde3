//! The tools with servers on this machine: an S3 server, directly and through a proxy that injects faults.

mod api;
mod examples;
mod listing;
mod parts;
mod proxies;
mod reading;
mod requests;
mod rounds;
mod secrets;
mod services;
mod tls;
mod web;
mod writing;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use netcdf_tools_tests::files::testdata;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::servers::{ACCESS_KEY, Fault, Forward, Manner, Proxy, S3, SECRET_KEY, Tls};

/// Environment variables of a run.
type Variables = Vec<(&'static str, String)>;

/// The path of the executable with the tools.
const HELPER: &str = netcdf_tools_tests::helper!();

/// The time limit of a run.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tool in a separate process, because environment variables belong to the process.
struct Running {
    child: Child,
    /// Standard output and standard error, after their end.
    streams: [Receiver<Vec<u8>>; 2],
    /// The home directory and the working directory, both empty.
    _home: Sandbox,
}

impl Running {
    fn start(variables: Variables, args: &[&str]) -> Self {
        Self::start_at(Sandbox::new(), variables, args)
    }

    /// Starts the tool with this home directory.
    fn start_at(home: Sandbox, variables: Variables, args: &[&str]) -> Self {
        let mut tool = netcdf_tools_tests::tool!();
        tool.args(args);
        Self::spawn(tool, home, variables)
    }

    /// Starts the tool with a limit on file sizes, in units of 512 bytes.
    fn limited(blocks: u32, variables: Variables, args: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -f {blocks}; exec \"$0\" tool \"$@\"");
        shell.arg("-c").arg(script).arg(HELPER).args(args);
        Self::spawn(shell, Sandbox::new(), variables)
    }

    fn spawn(mut command: Command, home: Sandbox, variables: Variables) -> Self {
        let mut child = command
            .env_clear()
            .env("HOME", home.path(""))
            .envs(variables)
            .current_dir(home.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let stderr = child.stderr.take().unwrap();
        Self {
            child,
            streams: [all(stdout), all(stderr)],
            _home: home,
        }
    }

    /// Sends SIGTERM.
    fn terminate(&self) {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").arg(id).status();
        assert!(kill.unwrap().success());
    }

    fn end(mut self) -> CommandOutput {
        let [stdout, stderr] = self.streams.map(|stream| {
            stream.recv_timeout(PATIENCE).unwrap_or_else(|_| {
                self.child.kill().unwrap();
                panic!("the run does not end")
            })
        });
        let code = self.child.wait().unwrap().code();
        CommandOutput {
            code: code.expect("no signal").try_into().unwrap(),
            stdout,
            stderr,
        }
    }
}

/// Reads all bytes of a stream.
fn all(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, bytes) = channel();
    thread::spawn(move || {
        let mut all = vec![];
        stream.read_to_end(&mut all).unwrap();
        // The test may have failed before.
        let _ = sender.send(all);
    });
    bytes
}

fn run(variables: Variables, args: &[&str]) -> CommandOutput {
    Running::start(variables, args).end()
}

/// Returns the output of a run with local inputs.
fn local(args: &[&str]) -> String {
    run(vec![], args).clean().text()
}

/// Checks that the run failed with a message that contains these words.
fn failed(output: &CommandOutput, parts: &[&str]) {
    assert_eq!(output.code, 1, "{output}");
    let message = output.message();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {output}");
    }
    assert!(message.lines().count() <= 3, "{output}");
    assert!(!message.contains("hush"), "{output}");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Creates datasets from a text: a file or store for each name and kind.
fn made(cdl: &str, outputs: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.cdl", cdl);
    for (name, kind) in outputs {
        let output = format!("@{name}");
        let args = ["ncgen", "--no-sync", "-k", kind, "-o", &output, "@a.cdl"];
        let _ = sandbox.run(ncgen::run, &args).clean();
    }
    sandbox
}

/// Returns CDL with values in many chunks.
fn many(chunks: usize, length: usize) -> String {
    let count = chunks * length;
    let values: Vec<String> = (0..count).map(|n| (n * 7 % 1000).to_string()).collect();
    format!(
        "netcdf many {{\ndimensions:\n x = {count} ;\nvariables:\n int v(x) ;\n  v:_ChunkSizes = {length} ;\ndata:\n v = {} ;\n}}\n",
        values.join(", ")
    )
}

/// Starts a server with the store `many` of this number of chunks; returns the server and the output of `ncdump`.
fn server_with_store(chunks: usize) -> (S3, String) {
    let sandbox = made(&many(chunks, 1), &[("many", "zarr3")]);
    let server = S3::start();
    let path = sandbox.path("many");
    server.put("many", &path);
    (server, local(&["ncdump", text(&path)]))
}

/// A netCDF-4 file with 800,000 values, and the output of `ncdump`. All tests share the file.
fn large_file() -> &'static (Vec<u8>, String) {
    static FILE: OnceLock<(Vec<u8>, String)> = OnceLock::new();
    FILE.get_or_init(|| {
        let sandbox = made(&many(40, 20_000), &[("many.nc", "nc4")]);
        let dump = local(&["ncdump", text(&sandbox.path("many.nc"))]);
        (sandbox.read("many.nc"), dump)
    })
}

/// Starts a server with a file that needs many requests; returns the server and the output of `ncdump`.
fn server_with_file() -> (S3, String) {
    let (file, dump) = large_file();
    let sandbox = Sandbox::new();
    let path = sandbox.write("many.nc", file);
    let server = S3::start();
    server.put("many.nc", &path);
    (server, dump.clone())
}

/// Returns the numbers of requests and rounds from `--io-stats`.
fn told(output: &CommandOutput) -> (usize, usize) {
    let number = |words| number_before(output, words).try_into().unwrap();
    (number(" requests in"), number(" rounds,"))
}

/// Returns the files below a directory, or a single file, by relative name.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![path.to_owned()];
    while let Some(next) = left.pop() {
        if next.is_dir() {
            left.extend(std::fs::read_dir(&next).unwrap().map(|e| e.unwrap().path()));
        } else if next.exists() {
            let name = next.strip_prefix(path).unwrap();
            let bytes = std::fs::read(&next).unwrap();
            found.insert(name.to_str().unwrap().to_owned(), bytes);
        }
    }
    found
}

/// Returns the number that `--io-stats` prints before these words.
fn number_before(output: &CommandOutput, words: &str) -> u64 {
    let message = output.message();
    let before = message.split(words).next().unwrap();
    let number = before.split_whitespace().next_back().unwrap();
    number.parse().unwrap()
}
