//! Runs that a signal ends at any moment, and the state of their outputs afterwards.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The content of an output before a run.
pub const OLD: &[u8] = b"what was there before";

/// The only key of a store before a run, and its bytes.
const OLD_GROUP: (&str, &[u8]) = (".zgroup", br#"{"zarr_format": 2}"#);

/// Returns the content of a store before a run, in the form of [`held`].
fn old_store() -> Vec<u8> {
    [b"/", OLD_GROUP.0.as_bytes(), b"\n", OLD_GROUP.1, b"\n"].concat()
}

/// Returns the content of a file, or the names and contents of all files in a directory.
fn held(path: &Path) -> Vec<u8> {
    if !path.is_dir() {
        return std::fs::read(path).expect("an output");
    }
    let mut all = names(path);
    all.sort();
    let below = |name: String| {
        let bytes = held(&path.join(&name));
        [b"/", name.as_bytes(), b"\n", &bytes, b"\n"].concat()
    };
    all.into_iter().flat_map(below).collect()
}

/// Checks whether this process ignores a signal. Child processes inherit ignored signals: a shell script ignores SIGINT (2) for background
/// tests.
#[must_use]
pub fn is_ignored(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status of this process");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.expect("a mask of signals") >> (signal - 1) & 1 == 1
}

/// Pseudo-random numbers, the same in every run (xorshift).
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns a random part of a duration.
    pub fn part(&mut self, of: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        of.mul_f64((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}

/// A tool run with a separate output directory.
#[derive(Debug)]
pub struct Job {
    helper: &'static str,
    args: Vec<String>,
    /// The directory for outputs and a directory for temporary files.
    folder: TempDir,
    temporary: TempDir,
    /// The outputs, and their contents after a complete run.
    outputs: BTreeMap<String, Vec<u8>>,
    /// The duration of a complete run.
    pub time: Duration,
}

/// The end of a run, and its remaining files.
#[derive(Debug)]
pub struct End {
    /// The exit status.
    pub status: ExitStatus,
    /// Whether the signal met a running process.
    pub hit: bool,
    /// The number of new outputs.
    pub new: usize,
    /// Names of leftovers other than the outputs, including temporary files.
    pub left: Vec<String>,
}

impl Job {
    /// Prepares a tool run by the executable `helper` with these arguments. The run writes `outputs` to its directory (`@` in the
    /// arguments). Two complete runs record the outputs and the time.
    #[must_use]
    pub fn new(helper: &'static str, args: &[&str], outputs: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = format!("{}/", folder.path().display());
        let mut job = Self {
            helper,
            args: args.iter().map(|a| a.replace('@', &at)).collect(),
            folder,
            temporary: tempfile::tempdir().expect("a temporary folder"),
            outputs: BTreeMap::new(),
            time: Duration::ZERO,
        };
        for _ in 0..2 {
            let start = Instant::now();
            let end = job.start().wait_with_output().expect("the tool runs");
            assert!(end.status.success(), "{args:?}: {end:?}");
            job.time = job.time.max(start.elapsed());
        }
        for name in outputs {
            let whole = held(&job.folder.path().join(name));
            job.outputs.insert((*name).to_owned(), whole);
        }
        job
    }

    fn start(&self) -> Child {
        self.spawn(crate::harness::tool(self.helper))
    }

    fn spawn(&self, mut command: Command) -> Child {
        command.args(&self.args);
        command.env("TMPDIR", self.temporary.path());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::piped()).spawn().expect("the tool")
    }

    /// Runs with all outputs as [`OLD`], and ends the run with `end` after `delay`.
    ///
    /// # Panics
    /// Panics if an output is neither completely old nor completely new.
    pub fn end(&self, delay: Duration, end: impl FnOnce(&mut Child)) -> End {
        self.prepare();
        let mut child = self.start();
        std::thread::sleep(delay);
        let hit = child.try_wait().expect("a child").is_none();
        end(&mut child);
        let status = child.wait().expect("a child");
        self.found(status, hit)
    }

    /// Runs with all outputs as [`OLD`] and a limit on the size of files, in units of 512 bytes. Returns the end and standard error.
    ///
    /// # Panics
    /// Panics like [`Job::end`].
    #[must_use]
    pub fn limited(&self, blocks: u32) -> (End, String) {
        self.prepare();
        let mut shell = Command::new("sh");
        let script = format!("ulimit -f {blocks}; exec \"$0\" tool \"$@\"");
        shell.arg("-c").arg(script).arg(self.helper);
        let out = self.spawn(shell).wait_with_output().expect("a child");
        let message = String::from_utf8_lossy(&out.stderr).into_owned();
        (self.found(out.status, true), message)
    }

    fn prepare(&self) {
        for name in self.outputs.keys() {
            let path = self.folder.path().join(name);
            if path.is_dir() {
                std::fs::remove_dir_all(&path).expect("it can be removed");
                std::fs::create_dir(&path).expect("a folder");
                let (key, bytes) = OLD_GROUP;
                std::fs::write(path.join(key), bytes).expect("a file");
            } else {
                std::fs::write(path, OLD).expect("a file");
            }
        }
    }

    fn found(&self, status: ExitStatus, hit: bool) -> End {
        let mut new = 0;
        for (name, whole) in &self.outputs {
            let found = held(&self.folder.path().join(name));
            let is_whole = found == *whole || found == OLD || found == old_store();
            assert!(is_whole, "{:?}: half of {name}", self.args);
            new += usize::from(found == *whole);
        }
        let left = [self.folder.path(), self.temporary.path()];
        let mut left: Vec<_> = left.into_iter().flat_map(names).collect();
        left.retain(|name| !self.outputs.contains_key(name));
        End {
            status,
            hit,
            new,
            left,
        }
    }

    /// Runs to completion, after any leftovers of earlier runs.
    ///
    /// # Panics
    /// Panics if the run fails, or writes different outputs.
    pub fn run(&self) {
        let end = self.end(Duration::ZERO, |child| {
            child.wait().expect("a child");
        });
        assert!(
            end.status.success() && end.new == self.outputs.len(),
            "{end:?}"
        );
    }

    /// Empties the directory.
    pub fn remove(&self, name: &str) {
        let path = self.folder.path().join(name);
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name =
        |e: std::io::Result<std::fs::DirEntry>| crate::files::name(&e.expect("an entry").path());
    entries.map(name).collect()
}
