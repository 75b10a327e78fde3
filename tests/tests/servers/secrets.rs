//! Addresses with a user name, a password and a query: no output contains these parts.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::*;

/// Text that is forbidden in all output.
const SECRETS: [&str; 4] = ["pAss", "sEcRet", "usEr", "HIDDEN"];
/// Plan files with complete addresses.
const PRIVATE: [&str; 2] = ["plan.json", "files.jsonl"];

/// Serves the files of a directory to requests with the login and the query. While `holds`, requests wait.
fn serve(folder: PathBuf, holds: &Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let holds = Arc::clone(holds);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (folder, holds) = (folder.clone(), Arc::clone(&holds));
            thread::spawn(move || {
                while holds.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(5));
                }
                // A lost client ends the response.
                answer(&folder, stream.unwrap()).unwrap_or_default();
            });
        }
    });
    port
}

fn answer(folder: &Path, mut stream: TcpStream) -> std::io::Result<()> {
    let head: Vec<String> = BufReader::new(stream.try_clone()?)
        .lines()
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
        .collect();
    let mut words = head[0].split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let field = |name: &str| {
        let field = |line: &String| {
            Some(line.split_once(": ")?)
                .filter(|(n, _)| n.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.to_owned())
        };
        head.iter().find_map(field)
    };
    // "usEr:pAss" in Base64.
    let known =
        field("authorization").as_deref() == Some("Basic dXNFcjpwQXNz") && query == "sig=sEcRet";
    let found = std::fs::read(folder.join(&path[1..])).ok();
    let (status, body) = match (known, found) {
        (false, _) => ("403 Forbidden", vec![]),
        (true, None) => ("404 Not Found", vec![]),
        (true, Some(body)) => ("200 OK", body),
    };
    let all = body.len();
    let range = field("range").filter(|_| all > 0);
    let range = range.and_then(|range| {
        let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
        let start: usize = start.parse().ok()?;
        Some((start, end.parse().unwrap_or(all - 1).min(all - 1)))
    });
    let (status, part, more) = match range {
        Some((start, end)) => (
            "206 Partial Content",
            &body[start..=end],
            format!("Content-Range: bytes {start}-{end}/{all}\r\n"),
        ),
        None => (status, &body[..], String::new()),
    };
    let length = part.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\n{more}Connection: close\r\n\r\n"
    )?;
    match method {
        "GET" => stream.write_all(part),
        _ => Ok(()),
    }
}

/// Datasets on a server, and a directory for outputs.
struct Secrets {
    folder: Sandbox,
    port: u16,
    /// Whether the server answers no requests for now.
    holds: Arc<AtomicBool>,
}

impl Secrets {
    fn new() -> Self {
        let served = made(&many(4, 100), &[("a.nc", "nc4"), ("b.nc", "nc7")]);
        let store = [
            "ncgen",
            "--no-sync",
            "-k",
            "zarr3",
            "--consolidated",
            "-o",
            "@s",
            "@a.cdl",
        ];
        let _ = served.run(ncgen::run, &store).clean();
        let zip = [
            "ncgen",
            "--no-sync",
            "-k",
            "zarr3",
            "-o",
            "@s.zip",
            "@a.cdl",
        ];
        let _ = served.run(ncgen::run, &zip).clean();
        served.write("broken.nc", b"CDF\x01\x00\x00");
        let holds = Arc::default();
        let port = serve(served.path(""), &holds);
        let folder = Sandbox::new();
        folder.write("a.nc", served.read("a.nc"));
        // The server needs its files until the process ends.
        std::mem::forget(served);
        Self {
            folder,
            port,
            holds,
        }
    }

    /// Starts a tool. `%a.nc` stands for the complete address of a file, `%%` for the text before its name.
    fn start(&self, line: &str) -> Child {
        let whole = |name: &str| {
            let (name, fragment) = name.split_once('#').unwrap_or((name, "mode=bytes"));
            format!(
                "http://usEr:pAss@127.0.0.1:{}/{name}?sig=sEcRet#{fragment}",
                self.port
            )
        };
        let args = line.split(' ').map(|arg| match arg.split_once('%') {
            Some((before, name)) => format!("{before}{}", whole(name)),
            None => arg.to_owned(),
        });
        let mut tool = netcdf_tools_tests::tool!();
        tool.args(args)
            .env_clear()
            .env("HOME", self.folder.path(""))
            .current_dir(self.folder.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        tool.spawn().unwrap()
    }

    /// Runs a tool. The output must contain no secrets.
    fn run(&self, line: &str) -> CommandOutput {
        Self::end(line, self.start(line))
    }

    fn end(line: &str, tool: Child) -> CommandOutput {
        let run = tool.wait_with_output().unwrap();
        let output = CommandOutput {
            code: run.status.code().unwrap().try_into().unwrap(),
            stdout: run.stdout,
            stderr: run.stderr,
        };
        let leaks = SECRETS
            .iter()
            .any(|secret| output.to_string().contains(secret));
        assert!(!leaks, "{line}\n{output}");
        output
    }

    /// All commands that must succeed.
    fn all(&self, lines: &[&str]) {
        for line in lines {
            let output = self.run(line);
            assert_eq!(output.code, 0, "{line}\n{output}");
        }
    }

    /// Checks that no file contains secrets, except the private files of plans.
    fn check_files(&self) {
        for (name, bytes) in files(&self.folder.path("")) {
            let bytes = String::from_utf8_lossy(&bytes);
            let any = SECRETS.iter().any(|secret| bytes.contains(secret));
            let private = PRIVATE.iter().any(|file| name.ends_with(file));
            assert!(!any || private, "{name}: {bytes}");
            if any {
                let mode = self
                    .folder
                    .path(&name)
                    .metadata()
                    .unwrap()
                    .permissions()
                    .mode();
                assert_eq!(mode & 0o777, 0o600, "{name}");
            }
        }
    }
}

#[test]
fn outputs_have_no_secrets() {
    let site = Secrets::new();
    site.all(&[
        "ncdump %a.nc",
        "ncdump -k %a.nc",
        "ncdump -K %a.nc",
        "ncdump --io-stats -h %a.nc",
        "ncdump -x %a.nc",
        "ncdump --json %a.nc",
        "ncdump --filters %a.nc",
        "ncdump --sum %a.nc",
        "ncdump --sum --json %a.nc",
        "ncdump --stats %a.nc",
        "ncdump --stats --json %a.nc",
        "ncdump --layout %a.nc",
        "ncdump --layout --json %a.nc",
        "ncdump --csv -v v %a.nc",
        "ncdump --diff %a.nc a.nc",
        "ncdump --diff --json %a.nc %b.nc",
        "ncdump --trace %s#mode=zarr",
        "nccopy %a.nc o.nc",
        "nccopy --history --trace %a.nc o.nc",
        "ncdump -h o.nc",
        "ncgen -o o.nc %a.cdl",
        "ncgen -k zarr3 -o o.zarr %a.cdl",
        "ncgen -l c %a.cdl",
        "nccopy --report --verify %a.nc o.nc",
        "nccopy --report=json %a.nc o.zarr",
        "nccopy --report=json -k zarr3 %b.nc o.zarr",
        "nccopy --dry-run %a.nc o.nc",
        "nccopy --dry-run=json %a.nc o.nc",
        "nccopy --io-stats --cloud %a.nc o.nc",
        "zdump tree %s.zip#mode=zarr,zip",
        "zdump --json tree %s.zip#mode=zarr,zip",
        "zdump keys %s.zip#mode=zarr,zip",
        "zdump --json keys %s.zip#mode=zarr,zip",
        "zdump cat %s.zip#mode=zarr,zip zarr.json",
        "zdump stat %s.zip#mode=zarr,zip",
        "zdump codecs %s.zip#mode=zarr,zip",
        "zdump chunk --all %s.zip#mode=zarr,zip v",
        "zdump --json chunk --all %s.zip#mode=zarr,zip v",
        "zdump diff %s.zip#mode=zarr,zip %s.zip#mode=zarr,zip",
        "zdump check %s.zip#mode=zarr,zip",
        "zdump --json check %s.zip#mode=zarr,zip",
        "zdump map %s.zip#mode=zarr,zip v",
        "zdump --json map %s.zip#mode=zarr,zip v",
    ]);
    site.check_files();
}

#[test]
fn messages_have_no_secrets() {
    let site = Secrets::new();
    for line in [
        "ncdump %none.nc",
        "ncdump %broken.nc",
        "ncdump -v nosuch %a.nc",
        "ncdump %a.nc %a.nc",
        "ncdump --bogus=%a.nc",
        "ncdump --require %a.nc",
        "ncdump --require=cmip7 %a.nc",
        "ncdump --require=paged %a.nc",
        "ncdump --diff %a.nc %none.nc",
        "ncdump --diff --json %a.nc %none.nc",
        "ncdump http://usEr:pAss@127.0.0.1:1/a?sig=sEcRet",
        "ncdump http://usEr:pA/ss@127.0.0.1:1/a?sig=sEcRet",
        "ncdump http://usEr:pA?ss@127.0.0.1:1/a?sig=sEcRet",
        "ncdump http://usEr:pA#ss@127.0.0.1:1/a?sig=sEcRet",
        "ncdump http://usEr:pAss",
        "ncdump http://usEr:pAss@/a?sig=sEcRet",
        "ncdump http://usEr:pAss@h:x/a?sig=sEcRet",
        "ncdump http://h/opendap/a?sig=sEcRet",
        "ncdump ftp://usEr:pAss@h/a?sig=sEcRet",
        "ncdump [log]http://usEr:pAss@h/a?sig=sEcRet",
        "ncdump http://h:1/a#mode=bytes&aws.secret=HIDDEN",
        "ncdump s3://usEr:pAss@b?sig=sEcRet",
        "ncdump file://usEr:pAss@h/a",
        "ncdump file:/usEr:pAss@h/a",
        "ncdump http:/usEr:pAss@h/a?sig=sEcRet",
        "ncdump http:/h/a?sig=sEcRet",
        "ncdump https:usEr:pA/ss@h/a",
        "ncdump http:///usEr:pAss@h/a",
        "ncdump s3:usEr:pAss@b/k",
        "ncdump foo:usEr:pAss@b/k",
        "ncdump --bogus=s3:usEr:pAss@b",
        "ncdump --diff a.nc http:/usEr:pAss@h/a",
        "ncdump --sum --json s3:usEr:pAss@b",
        "nccopy a.nc http:/usEr:pAss@h/a",
        "nccopy --report=json s3:usEr:pAss@b/k o.nc",
        "nccopy --plan s3:usEr:pAss@b --parts 2 a.nc none/o.nc",
        "ncgen http:/usEr:pAss@h/a",
        "zdump tree s3:usEr:pAss@b",
        "zdump --json check http:/usEr:pAss@h/a",
        "ncdump --sum --check %none.nc",
        "nccopy --report=json %broken.nc o.nc",
        "nccopy %none.nc o.nc",
        "nccopy %a.nc %a.nc .",
        "nccopy --report=json %a.nc %none.nc .",
        "nccopy --in-place %a.nc",
        "nccopy a.nc %a.nc",
        "nccopy a.nc %b.nc#mode=zarr",
        "nccopy a.nc http://usEr:pAss@h/b/k#mode=zarr,s3",
        "nccopy -k %a.nc a.nc b.nc",
        "nccopy --plan %p --parts 2 a.nc p.nc",
        "nccopy --part 0 %a.nc",
        "nccopy --finish %a.nc",
        "ncgen %a.nc",
        "ncgen -o %a.nc a.nc",
        "ncgen -b %none.nc",
        "zdump tree %none#mode=zarr",
        "zdump keys %s#mode=zarr",
        "zdump check %none#mode=zarr",
        "zdump --json check %none#mode=zarr",
        "zdump cat %s#mode=zarr none",
        "zdump bogus %s %s %s",
        "zdump --compat %none#mode=zarr",
    ] {
        let output = site.run(line);
        assert_ne!(output.code, 0, "{line}\n{output}");
    }
    site.check_files();
}

/// An address with a mistake may be a file name. No output shows its login.
#[test]
fn addresses_with_mistakes_have_no_secrets() {
    let site = Secrets::new();
    let a = site.folder.read("a.nc");
    site.folder.write("a.cdl", many(2, 3));
    let name = "usEr:pAss@a.nc";
    site.folder.write(&format!("s3:{name}"), &a);
    std::fs::create_dir(site.folder.path("http:")).unwrap();
    site.folder.write(&format!("http:/{name}"), &a);
    for form in ["s3:", "http:/"] {
        let made = |line: &str| line.replace('@', &format!("{form}usEr:pAss@"));
        for line in [
            "ncdump @a.nc",
            "ncdump -h @a.nc",
            "ncdump -k @a.nc @a.nc",
            "ncdump --json -h @a.nc",
            "ncdump -x @a.nc",
            "ncdump --sum @a.nc",
            "ncdump --stats --json @a.nc",
            "ncdump --layout @a.nc",
            "ncdump --layout --json @a.nc",
            "ncdump --diff --json @a.nc a.nc",
            "ncdump --trace -h @a.nc",
            "nccopy --history --report @a.nc o.nc",
            "nccopy --report=json -d1 @a.nc @o.nc",
            "nccopy --dry-run @a.nc o.nc",
            "nccopy --dry-run=json @a.nc o.nc",
            "nccopy --plan p --parts 2 @a.nc @o.nc",
            "nccopy --status --json p",
            "nccopy --emit slurm p",
            "nccopy --emit snakemake p",
            "nccopy --part 0-1 p",
            "nccopy --finish --report=json p",
            "ncdump --csv -v v @a.nc",
            "ncgen -o @g.nc a.cdl",
            "nccopy --quiet -k zarr3 a.nc @s.zarr",
            "zdump keys @s.zarr",
            "zdump tree @s.zarr",
            "zdump --json tree @s.zarr",
            "zdump --json cat @s.zarr zarr.json",
            "zdump --json check @s.zarr",
            "zdump --json diff @s.zarr @s.zarr",
            "zdump stat @s.zarr",
        ] {
            let output = site.run(&made(line));
            assert_eq!(output.code, 0, "{line}\n{output}");
            site.check_files();
        }
        let none = site.run(&made("zdump --json check @a.nc"));
        assert_ne!(none.code, 0, "{none}");
        site.all(&["nccopy --clean p"]);
        let sum = site.run(&made("ncdump --sum @a.nc")).text();
        assert!(sum.ends_with(&format!("  {form}a.nc\n")), "{sum}");
    }
}

#[test]
fn lists_of_digests_have_no_secrets() {
    let site = Secrets::new();
    let list = site.run("ncdump --sum %a.nc").text();
    assert!(
        list.contains(&format!(
            "  http://127.0.0.1:{}/a.nc#mode=bytes\n",
            site.port
        )),
        "{list}"
    );
    // A list of an older version has complete addresses.
    let old = list
        .replace("http://", "http://usEr:pAss@")
        .replace("a.nc#mode", "a.nc?sig=sEcRet#mode");
    let file = site.folder.path("list");
    site.folder.write("list", &old);
    let checked = site.run("ncdump --sum --check list");
    assert_eq!(checked.code, 0, "{checked}");
    assert_eq!(
        checked.text().matches("a.nc#mode=bytes: OK").count(),
        1,
        "{checked}"
    );
    std::fs::remove_file(file).unwrap();
}

#[test]
fn only_private_files_of_plans_have_secrets() {
    let site = Secrets::new();
    for output in ["o.nc", "o.zarr"] {
        site.all(&[
            &format!("nccopy --plan p --parts 2 %a.nc {output}"),
            "nccopy --status p",
            "nccopy --emit slurm p",
            "nccopy --emit dask p",
            "nccopy --emit snakemake p",
            "nccopy --emit parallel p",
            "nccopy --trace --part 0 p",
            "nccopy --trace --next p",
            "nccopy --status --json p",
        ]);
        site.check_files();
        let plan = site.folder.path("p/plan.json");
        assert_eq!(plan.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        site.all(&["nccopy --finish p", "nccopy --clean p"]);
        site.check_files();
    }
    // The input is missing when the parts run.
    site.all(&["nccopy --plan p --parts 2 %a.nc o.nc"]);
    let plan = String::from_utf8(site.folder.read("p/plan.json")).unwrap();
    site.folder
        .write("p/plan.json", plan.replace("/a.nc?", "/none.nc?"));
    for step in ["--part 0", "--next", "--finish"] {
        assert_ne!(site.run(&format!("nccopy {step} p")).code, 0);
    }
    site.run("nccopy --status p");
    std::fs::remove_file(site.folder.path("p/plan.json")).unwrap();
    site.check_files();
}

/// The lease and the log of a part, while the process waits for the server.
#[test]
fn running_parts_have_no_secrets() {
    let site = Secrets::new();
    site.all(&["nccopy --plan p --parts 2 %a.nc o.nc"]);
    site.holds.store(true, Ordering::Relaxed);
    let line = "nccopy --trace --next p";
    let running = site.start(line);
    let leases = || files(&site.folder.path("p/leases"));
    let until = Instant::now() + PATIENCE;
    while leases().values().all(Vec::is_empty) {
        assert!(Instant::now() < until, "no lease");
        thread::sleep(Duration::from_millis(5));
    }
    site.check_files();
    assert_eq!(leases().len(), 1);
    site.run("nccopy --status --json p");
    site.holds.store(false, Ordering::Relaxed);
    let output = Secrets::end(line, running);
    assert_eq!(output.code, 0, "{output}");
    site.check_files();
}

#[test]
fn plans_of_many_files_have_no_secrets() {
    let site = Secrets::new();
    site.all(&[
        "nccopy --plan p --parts 2 %a.nc %b.nc %broken.nc o/",
        "nccopy --part 0-1 p",
    ]);
    site.check_files();
    let list = site.folder.path("p/files.jsonl");
    assert_eq!(list.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let ended = site.run("nccopy --finish p");
    assert!(
        ended.code == 1 && ended.message().contains("/broken.nc"),
        "{ended}"
    );
    site.check_files();
}

/// Plans without secrets have ordinary permissions.
#[test]
fn other_plans_are_shared() {
    let site = Secrets::new();
    site.folder.write("b.nc", site.folder.read("a.nc"));
    site.all(&[
        "nccopy --plan p --parts 2 a.nc b.nc o/",
        "nccopy --plan q --parts 2 a.nc o.nc",
    ]);
    for file in ["p/plan.json", "p/files.jsonl", "q/plan.json"] {
        let mode = site
            .folder
            .path(file)
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o444, 0o444, "{file}");
    }
}
