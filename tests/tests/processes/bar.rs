//! The progress bar, and signals, on a terminal.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use netcdf_tools_tests::harness::Sandbox;

const HELPER: &str = netcdf_tools_tests::helper!();
/// A shell without job control starts background processes with SIGINT and SIGQUIT ignored, and child processes inherit this.
const DEFAULT_SIGNALS: &str = if cfg!(target_os = "linux") {
    "env --default-signal=INT,QUIT "
} else {
    ""
};
/// Inputs of a job that runs much longer than the test.
const INPUTS: usize = 400;

/// A sandbox with many names of one file, and an output directory.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let values: Vec<_> = (0..400_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 7).to_string())
        .collect();
    let values = values.join(",");
    let text = format!(
        "netcdf a {{ dimensions: t = 20 ; x = 20000 ; variables: int v(t, x) ; data: v = {values} ; }}"
    );
    sandbox.write("a.cdl", text);
    let args = ["ncgen", "--no-sync", "-5", "-o", "@a.nc", "@a.cdl"];
    let _ = sandbox.run(ncgen::run, &args).clean();
    for n in 0..INPUTS {
        symlink("a.nc", sandbox.path(&format!("in{n:03}.nc"))).unwrap();
    }
    std::fs::create_dir(sandbox.path("out")).unwrap();
    sandbox
}

/// A run on a terminal.
struct Terminal {
    script: Child,
    screen: ChildStdout,
    seen: Vec<u8>,
}

impl Terminal {
    /// Runs a shell command. The terminal's process ends with the command's status.
    fn run(sandbox: &Sandbox, command: &str) -> Self {
        let mut script = Command::new("script");
        let command = command.replace("TOOL", &format!("{HELPER} tool"));
        script
            .current_dir(sandbox.path(""))
            .args([
                "-q",
                "-f",
                "-e",
                "-c",
                &format!("exec {DEFAULT_SIGNALS}{command}"),
                "/dev/null",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut script = script.spawn().expect("`script` of util-linux");
        let screen = script.stdout.take().unwrap();
        Self {
            script,
            screen,
            seen: vec![],
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Reads until `text` appears after the previous output.
    fn wait_for(&mut self, text: &str) {
        let start = self.seen.len();
        let mut buffer = [0; 4096];
        let begun = Instant::now();
        while !String::from_utf8_lossy(&self.seen[start..]).contains(text) {
            let n = self.screen.read(&mut buffer).unwrap();
            assert!(
                n > 0 && begun.elapsed() < Duration::from_secs(120),
                "no {text} in {:?}",
                self.text()
            );
            self.seen.extend_from_slice(&buffer[..n]);
        }
    }

    fn keys(&mut self, keys: &[u8]) {
        let stdin = self.script.stdin.as_mut().unwrap();
        stdin.write_all(keys).unwrap();
        stdin.flush().unwrap();
    }

    /// Returns the status, and the remaining lines on the screen.
    fn end(mut self) -> (Option<i32>, Vec<String>) {
        self.screen.read_to_end(&mut self.seen).unwrap();
        let status = self.script.wait().unwrap();
        (status.code(), lines(&self.text()))
    }
}

/// Returns the screen content after some text.
fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut column = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let line = lines.last_mut().unwrap();
        match c {
            '\r' => column = 0,
            '\n' => {
                lines.push(String::new());
                column = 0;
            }
            '\u{1b}' => {
                let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                if rest[..=end].ends_with('K') {
                    line.clear();
                }
                rest = &rest[end + 1..];
            }
            c => {
                let kept: String = line.chars().take(column).collect();
                let behind: String = line.chars().skip(column + 1).collect();
                let gap = " ".repeat(column.saturating_sub(kept.chars().count()));
                *line = format!("{kept}{gap}{c}{behind}");
                column += 1;
            }
        }
    }
    lines
}

#[test]
fn a_screen() {
    assert_eq!(lines("ab\rc\r\nd\x1b[2K\re"), ["cb", "e"]);
}

/// Returns the remaining lines, without keys that the terminal echoes.
fn left(lines: &[String]) -> Vec<&String> {
    let shown = |line: &&String| !line.trim_start_matches("^C").is_empty();
    lines.iter().filter(shown).collect()
}

/// All inputs share one bar. When the user stops the job, the bar disappears.
#[test]
fn the_bar_disappears() {
    let sandbox = sandbox();
    let command = "TOOL nccopy -k4 -d9 -s --threads 1 in*.nc missing.nc out/";
    let mut run = Terminal::run(&sandbox, command);
    let parts = [" of 401 ", " of 610.", "B/s", " left"];
    // The output so far may end between two drawings of the bar.
    let drawn = (0..100).any(|_| {
        run.wait_for("left");
        let bar = lines(&run.text()).pop().unwrap_or_default();
        parts.iter().all(|part| bar.contains(part))
    });
    assert!(drawn, "{}", run.text());
    run.keys(b"\x03");
    let (status, lines) = run.end();
    assert_eq!(status, Some(130), "{lines:?}");
    assert!(left(&lines).is_empty(), "{lines:?}");
    assert!(!sandbox.path("out/in399.nc").exists());
}

/// A looping plugin does not check for signals. The second signal ends the process.
#[test]
#[cfg(target_os = "linux")]
fn the_bar_disappears_after_the_second_signal() {
    let sandbox = sandbox();
    let plugins = tempfile::tempdir().unwrap();
    netcdf_tools_tests::plugins::library(plugins.path(), "libplugin.so", "filter.c", &[]);
    let command = format!(
        "env HDF5_PLUGIN_PATH={} TOOL nccopy -k4 -F v,40100,17 a.nc o.nc",
        plugins.path().display()
    );
    let mut run = Terminal::run(&sandbox, &command);
    run.wait_for("left");
    run.keys(b"\x03");
    std::thread::sleep(Duration::from_millis(500));
    run.keys(b"\x03");
    let (status, lines) = run.end();
    assert_eq!(status, Some(130), "{lines:?}");
    assert!(left(&lines).is_empty(), "{lines:?}");
    assert!(!sandbox.path("o.nc").exists());
}

/// Messages are on separate lines above the bar.
#[test]
fn messages_do_not_mix_with_the_bar() {
    let sandbox = sandbox();
    for n in 0..INPUTS {
        if n % 2 == 0 {
            let path = sandbox.path(&format!("in{n:03}.nc"));
            std::fs::remove_file(&path).unwrap();
            std::fs::write(path, "no dataset, but this text").unwrap();
        }
    }
    let command = "TOOL nccopy -k4 -d9 -s --threads 1 in*.nc out/";
    let mut run = Terminal::run(&sandbox, command);
    run.wait_for("left");
    run.wait_for("nccopy: ");
    run.keys(b"\x03");
    let (status, lines) = run.end();
    assert_eq!(status, Some(130), "{lines:?}");
    // The terminal echoes ^C anywhere in a message.
    let message = |line: &String| {
        let line = line.replace("^C", "");
        line.is_empty() || (line.starts_with("nccopy: in") && line.ends_with("not a netCDF file"))
    };
    let other: Vec<_> = lines.iter().filter(|line| !message(line)).collect();
    assert!(other.is_empty(), "{other:?}");
}

/// Without a terminal there is no bar.
#[test]
fn no_bar_without_a_terminal_or_on_demand() {
    let sandbox = sandbox();
    let job = "TOOL nccopy -k4 -d9 -s --threads 1 in00*.nc out/";
    for command in [
        format!("sh -c '{job} 2>log'"),
        job.replace("-k4", "-k4 --quiet"),
    ] {
        let (status, lines) = Terminal::run(&sandbox, &command).end();
        assert_eq!(status, Some(0), "{lines:?}");
        assert_eq!(lines, [""]);
    }
    assert_eq!(sandbox.read("log"), b"");
}

/// A job under `nohup` continues after the terminal is closed.
#[test]
fn signals_that_are_ignored_stay_ignored() {
    let sandbox = sandbox();
    let mut shell = Command::new("sh");
    let script = format!("trap '' HUP; exec {HELPER} tool nccopy -k4 - o.nc");
    shell.current_dir(sandbox.path("")).args(["-c", &script]);
    let mut run = shell.stdin(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let kill = Command::new("kill")
        .args(["-HUP", &run.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    std::thread::sleep(Duration::from_millis(100));
    let bytes = sandbox.read("a.nc");
    // This write would fail if the signal had ended the job.
    run.stdin.take().unwrap().write_all(&bytes).unwrap();
    assert!(run.wait().unwrap().success());
    assert!(sandbox.path("o.nc").exists());
}
