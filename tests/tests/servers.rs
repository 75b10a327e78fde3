//! The tools read from servers on this machine: from one with the interface of S3, directly and through a proxy that makes faults.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use netcdf_tools_tests::files::testdata;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::servers::{ACCESS_KEY, Fault, Proxy, S3, SECRET_KEY};

/// Variables of a run.
type Variables = Vec<(&'static str, String)>;

/// The time after which a run counts as one that never ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tool that runs in a process of its own, as its variables are those of the process.
struct Running {
    child: Child,
    /// Standard output and standard error, when they have ended.
    streams: [Receiver<Vec<u8>>; 2],
    /// The user's folder, and the current one: both are empty.
    _home: Sandbox,
}

impl Running {
    fn start(variables: Variables, args: &[&str]) -> Self {
        Self::start_at(Sandbox::new(), variables, args)
    }

    /// Starts it with the folder of the user.
    fn start_at(home: Sandbox, variables: Variables, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tool"))
            .args(args)
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

/// All bytes of a stream.
fn all(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, bytes) = channel();
    thread::spawn(move || {
        let mut all = vec![];
        stream.read_to_end(&mut all).unwrap();
        // The test may have failed by now.
        let _ = sender.send(all);
    });
    bytes
}

fn run(variables: Variables, args: &[&str]) -> CommandOutput {
    Running::start(variables, args).end()
}

/// The output of a run with local inputs.
fn local(args: &[&str]) -> String {
    run(vec![], args).clean().text()
}

/// The run failed with a message, which has these parts.
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

/// Makes datasets of a text: a file or store for each name and kind.
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

/// Values in many chunks, as text.
fn many(chunks: usize, length: usize) -> String {
    let count = chunks * length;
    let values: Vec<String> = (0..count).map(|n| (n * 7 % 1000).to_string()).collect();
    format!(
        "netcdf many {{\ndimensions:\n x = {count} ;\nvariables:\n int v(x) ;\n  v:_ChunkSizes = {length} ;\ndata:\n v = {} ;\n}}\n",
        values.join(", ")
    )
}

/// A server with a dataset of 5,000 chunks, and what `ncdump` prints of it.
fn server_with_many(key: &str) -> (S3, String) {
    let sandbox = made(&many(5000, 1), &[(key, "zarr3")]);
    let server = S3::start();
    let path = sandbox.path(key);
    server.put(key, &path);
    (server, local(&["ncdump", text(&path)]))
}

/// A server with a file that takes many requests, and what `ncdump` prints of it.
fn server_with_file() -> (S3, String) {
    let sandbox = made(&many(40, 20_000), &[("many.nc", "nc4")]);
    let server = S3::start();
    let path = sandbox.path("many.nc");
    server.put("many.nc", &path);
    (server, local(&["ncdump", text(&path)]))
}

#[test]
fn files_are_read_by_all_addresses() {
    let (server, public) = (S3::start(), S3::start_public());
    for name in ["classic/weather-5.nc", "netcdf4/model.nc"] {
        let path = testdata(name);
        let key = format!("folder/{name}");
        server.put(&key, &path);
        public.put(&key, &path);
        let addresses = [
            (&server, format!("s3://bucket/{key}")),
            (
                &server,
                format!("{}/bucket/{key}#mode=bytes,s3", server.url()),
            ),
            (&public, format!("s3://bucket/{key}")),
            (&public, format!("{}/bucket/{key}#mode=bytes", public.url())),
        ];
        for (server, address) in addresses {
            for options in [&["-h"][..], &[]] {
                let args = |of| [&["ncdump"], options, &[of]].concat();
                let got = run(server.environment(), &args(&address));
                assert_eq!(got.clean().text(), local(&args(text(&path))), "{address}");
            }
        }
    }
}

#[test]
fn stores_are_read_by_all_addresses() {
    let kinds = [
        ("z2", "zarr"),
        ("z3", "zarr3"),
        ("n2", "nczarr"),
        ("n3", "nczarr3"),
    ];
    let sandbox = made(&many(3, 4), &kinds);
    let server = S3::start();
    for (name, kind) in kinds {
        let path = sandbox.path(name);
        server.put(name, &path);
        let mode = kind.trim_end_matches('3');
        let want = local(&["ncdump", "-n", "many", text(&path)]);
        assert!(want.contains("v = 0, 7, 14"), "{want}");
        for address in [
            format!("s3://bucket/{name}"),
            format!("s3://bucket/{name}#mode={mode}"),
            format!("{}/bucket/{name}#mode={mode},s3", server.url()),
        ] {
            let got = run(server.environment(), &["ncdump", "-n", "many", &address]);
            assert_eq!(got.clean().text(), want, "{address}");
        }
    }
}

#[test]
fn public_data_needs_no_keys() {
    let server = S3::start_public();
    server.put("a.nc", &testdata("classic/weather-5.nc"));
    let unsigned = vec![("AWS_ENDPOINT_URL", server.url())];
    let got = run(unsigned, &["ncdump", "-h", "s3://bucket/a.nc"]).clean();
    assert!(got.text().contains("dimensions:"), "{got}");
}

#[test]
fn who_may_not_read_learns_what_was_tried() {
    let server = S3::start();
    server.put("a.nc", &testdata("classic/weather-5.nc"));
    let with = |name: &'static str, value: &str| {
        let mut variables = server.environment();
        variables.retain(|(own, _)| *own != name);
        variables.push((name, value.to_owned()));
        run(variables, &["ncdump", "s3://bucket/a.nc"])
    };
    let denied = "s3://bucket/a.nc: the service denies access with";
    let environment = format!("{denied} the environment's AWS_ACCESS_KEY_ID");
    let wrong = with("AWS_SECRET_ACCESS_KEY", "hush-another");
    failed(&wrong, &[&environment, "AWS_PROFILE"]);
    assert!(!wrong.message().contains(ACCESS_KEY), "{wrong}");
    assert!(!wrong.message().contains(SECRET_KEY), "{wrong}");
    failed(&with("AWS_ACCESS_KEY_ID", "hush-nobody"), &[&environment]);
    let anonymous = with("AWS_NO_SIGN_REQUEST", "yes");
    let why = "no credentials, as AWS_NO_SIGN_REQUEST asks for";
    failed(&anonymous, &[denied, why]);
}

#[test]
fn what_is_not_there_is_an_error() {
    let server = S3::start();
    server.put("folder/a.nc", &testdata("classic/weather-5.nc"));
    let url = server.url();
    for (address, what) in [
        ("s3://bucket/b.nc", "no such object"),
        ("s3://bucket/folder", "no such object"),
        ("s3://bucket/folder/a.n", "no such object"),
        ("s3://bucket/folder/a.nc/b", "no such object"),
        ("s3://other/folder/a.nc", "NoSuchBucket"),
        (
            &format!("{url}/bucket/b.nc#mode=bytes,s3"),
            "no such object",
        ),
        (&format!("{url}/bucket/b#mode=zarr,s3"), ""),
    ] {
        let got = run(server.environment(), &["ncdump", "-h", address]);
        failed(
            &got,
            &[
                what,
                address
                    .split(['#', '?'])
                    .next()
                    .unwrap()
                    .rsplit('/')
                    .next()
                    .unwrap(),
            ],
        );
    }
}

#[test]
fn bursts_of_refusals_are_survived() {
    let (server, want) = server_with_file();
    let proxy = Proxy::start(server.port());
    let variables = || S3::environment_at(&proxy.url());
    proxy.next(Fault::Unavailable, 3);
    let got = run(variables(), &["ncdump", "s3://bucket/many.nc"]);
    assert_eq!(got.clean().text(), want);
    let traffic = proxy.traffic();
    assert_eq!(traffic.faults, 3, "{traffic:?}");
    proxy.every(Fault::Unavailable, 1);
    let got = run(variables(), &["ncdump", "s3://bucket/many.nc"]);
    failed(&got, &["s3://bucket/many.nc", "503"]);
}

#[test]
fn dropped_connections_are_survived() {
    let (server, want) = server_with_file();
    let proxy = Proxy::start(server.port());
    proxy.every(Fault::Drop, 2);
    let got = run(
        S3::environment_at(&proxy.url()),
        &["ncdump", "s3://bucket/many.nc"],
    );
    assert_eq!(got.clean().text(), want);
    let traffic = proxy.traffic();
    assert!(traffic.faults > 1, "{traffic:?}");
}

#[test]
fn a_server_that_is_killed_ends_the_read() {
    let (mut server, want) = server_with_many("many");
    let proxy = Proxy::start(server.port());
    proxy.hold_from(40);
    let running = Running::start(
        S3::environment_at(&proxy.url()),
        &["ncdump", "s3://bucket/many"],
    );
    proxy.wait_for(40);
    server.stop();
    proxy.release();
    let got = running.end();
    failed(&got, &["s3://bucket/many", "v"]);
    assert!(want.as_bytes().len() > got.stdout.len());
}

#[test]
fn a_server_that_comes_back_is_read() {
    let (mut server, want) = server_with_many("many");
    let proxy = Proxy::start(server.port());
    proxy.hold_from(40);
    let running = Running::start(
        S3::environment_at(&proxy.url()),
        &["ncdump", "s3://bucket/many"],
    );
    proxy.wait_for(40);
    server.stop();
    server.start_again();
    proxy.release();
    assert_eq!(running.end().clean().text(), want);
}

#[test]
fn an_object_that_changes_is_an_error() {
    let (server, _) = server_with_file();
    let proxy = Proxy::start(server.port());
    proxy.hold_from(3);
    let running = Running::start(
        S3::environment_at(&proxy.url()),
        &["ncdump", "s3://bucket/many.nc"],
    );
    proxy.wait_for(3);
    let path = server.folder().join("many.nc");
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, bytes).unwrap();
    proxy.release();
    failed(
        &running.end(),
        &["s3://bucket/many.nc", "changed while it was read"],
    );
}

#[test]
fn a_web_server_that_never_answers_ends_the_read() {
    let server = S3::start_public();
    server.put("a.nc", &testdata("classic/weather-5.nc"));
    let proxy = Proxy::start(server.port());
    proxy.every(Fault::Stall, 1);
    let home = Sandbox::new();
    home.write(".ncrc", "HTTP.TIMEOUT=1\n");
    let address = format!("{}/bucket/a.nc#mode=bytes", proxy.url());
    let got = Running::start_at(home, vec![], &["ncdump", &address]).end();
    failed(&got, &["a.nc"]);
}

#[test]
fn thousands_of_keys_are_listed_in_pages() {
    let (server, want) = server_with_many("many");
    let proxy = Proxy::start(server.port());
    let variables = || S3::environment_at(&proxy.url());
    let got = run(variables(), &["ncdump", "s3://bucket/many"]);
    assert_eq!(got.clean().text(), want);
    assert!(proxy.traffic().requests() >= 5000);
    proxy.reset();
    let path = server.folder().join("many");
    for command in ["keys", "stat"] {
        let local = local(&["zdump", command, text(&path)]);
        let got = run(variables(), &["zdump", command, "s3://bucket/many"]).clean();
        let own = |text: String| text.replace(path.to_str().unwrap(), "s3://bucket/many");
        assert_eq!(got.text(), own(local), "{command}");
        let traffic = proxy.traffic();
        assert!((5..100).contains(&traffic.requests()), "{traffic:?}");
    }
}
