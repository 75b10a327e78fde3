//! Runs a tool in process and captures its output.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use netcdf_core::tool::{Io, Status};
use tempfile::TempDir;

/// The path of the executable `helper`.
#[macro_export]
macro_rules! helper {
    () => {
        env!("CARGO_BIN_EXE_helper")
    };
}

/// A command that runs a tool in a child process. The first argument to add is the tool's name.
#[macro_export]
macro_rules! tool {
    () => {
        $crate::harness::tool($crate::helper!())
    };
}

/// A command that runs a tool with the executable `helper` at this path; see [`tool!`](crate::tool!).
#[must_use]
pub fn tool(helper: &str) -> Command {
    let mut command = Command::new(helper);
    command.arg("tool");
    command
}

/// A tool's entry: arguments with the tool's name first, and streams.
pub type Run<C = Status> = fn(Vec<OsString>, &mut Io) -> C;

/// The return value of a tool's entry.
pub trait Code {
    /// The exit code.
    fn exit_code(self) -> u8;
}

impl Code for Status {
    fn exit_code(self) -> u8 {
        self.code()
    }
}

/// `zdump` returns its own exit codes.
impl Code for u8 {
    fn exit_code(self) -> u8 {
        self
    }
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// The exit code.
    pub code: u8,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl CommandOutput {
    /// Returns standard output as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Returns standard error as text.
    #[must_use]
    pub fn message(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Returns the result itself, if the run succeeded without standard error.
    ///
    /// # Panics
    /// Panics after any other run.
    #[must_use]
    pub fn clean(self) -> Self {
        assert!(self.code == 0 && self.stderr.is_empty(), "{self}");
        self
    }
}

/// The form in snapshots: status, standard output, standard error.
impl fmt::Display for CommandOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "status: {}", self.code)?;
        for (name, bytes) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            writeln!(f, "----- {name} -----")?;
            let text = String::from_utf8_lossy(bytes);
            f.write_str(&text)?;
            if !text.is_empty() && !text.ends_with('\n') {
                writeln!(f, "[no end of line]")?;
            }
        }
        Ok(())
    }
}

/// Runs a tool with these arguments (its name first) and this standard input.
pub fn run<C: Code>(tool: Run<C>, args: Vec<OsString>, stdin: &[u8]) -> CommandOutput {
    let (stdout, stderr) = (Kept::default(), Kept::default());
    let mut io = Io {
        stdin: Box::new(Cursor::new(stdin.to_vec())),
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        terminal: false,
        screen: false,
    };
    let status = tool(args, &mut io);
    drop(io);
    CommandOutput {
        code: status.exit_code(),
        stdout: stdout.take(),
        stderr: stderr.take(),
    }
}

/// A writer that shares its bytes with the harness, so they outlive the tool.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().expect("the lock is not poisoned"))
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("the lock is not poisoned")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A temporary directory for a test's files, and runs of tools whose output does not depend on the directory's name.
#[derive(Debug)]
pub struct Sandbox {
    folder: TempDir,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// Creates an empty directory.
    #[must_use]
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Returns a path in the directory.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in the directory.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("a file in a temporary folder");
        path
    }

    /// Writes a Zarr store in the directory, with these keys and bytes.
    pub fn store<B: AsRef<[u8]>>(&self, name: &str, keys: &[(&str, B)]) -> PathBuf {
        let store = self.path(name);
        std::fs::create_dir_all(&store).expect("a folder in a temporary folder");
        for (key, bytes) in keys {
            let path = store.join(key);
            std::fs::create_dir_all(path.parent().expect("a key in a store"))
                .expect("a folder in a temporary folder");
            std::fs::write(&path, bytes).expect("a file in a temporary folder");
        }
        store
    }

    /// Returns the bytes of a file in the directory.
    #[must_use]
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Returns the names of the files in the directory, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder");
        let mut names: Vec<_> = entries
            .map(|e| crate::files::name(&e.expect("an entry").path()))
            .collect();
        names.sort();
        names
    }

    /// Runs a tool. In the arguments, `@name` stands for a file in the directory, `%name` for a file in `testdata`. In the output, these
    /// paths are written `@/name` and `%/name`.
    #[must_use]
    pub fn run<C: Code>(&self, tool: Run<C>, args: &[&str]) -> CommandOutput {
        self.run_with(tool, args, b"")
    }

    /// Like [`Sandbox::run`], with bytes on standard input.
    #[must_use]
    pub fn run_with<C: Code>(&self, tool: Run<C>, args: &[&str], stdin: &[u8]) -> CommandOutput {
        let args = args
            .iter()
            .map(|arg| match (arg.strip_prefix('@'), arg.strip_prefix('%')) {
                (Some(name), _) => self.path(name).into(),
                (None, Some(name)) => crate::files::testdata(name).into(),
                (None, None) => OsString::from(arg),
            });
        let mut output = run(tool, args.collect(), stdin);
        for (path, sign) in [
            (self.folder.path(), "@"),
            (&crate::files::testdata(""), "%"),
        ] {
            output.stdout = replaced(&output.stdout, path, sign);
            output.stderr = replaced(&output.stderr, path, sign);
        }
        output.stdout = without_places(&output.stdout);
        output.stderr = without_places(&output.stderr);
        output
    }
}

/// Removes the plugin search paths and their contents from messages, because they differ between machines.
fn without_places(bytes: &[u8]) -> Vec<u8> {
    const START: &str = "no plugin for it in ";
    let text = String::from_utf8_lossy(bytes);
    if !text.contains(START) {
        return bytes.to_vec();
    }
    let line = |line: &str| {
        let found = line.split_once(START).and_then(|(before, rest)| {
            let ends = [
                "it comes with ",
                "pip install ",
                "ask the authors ",
                "if zarr-python ",
            ];
            let end = ends.iter().find_map(|end| rest.find(end))?;
            Some(format!("{before}{START}…; {}", &rest[end..]))
        });
        found.unwrap_or_else(|| line.to_owned())
    };
    let lines = text.split_inclusive('\n').map(line);
    lines.collect::<String>().into_bytes()
}

/// Returns `bytes` with the text of a path replaced.
fn replaced(bytes: &[u8], path: &Path, sign: &str) -> Vec<u8> {
    let path = path.to_string_lossy();
    let path = path.trim_end_matches('/').as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(path) {
            out.extend_from_slice(sign.as_bytes());
            at += path.len();
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

/// Defines tests. Each test is a snapshot of a function's result for some arguments: `snapshots! { run => name: "argument", ...; ... }`.
#[macro_export]
macro_rules! snapshots {
    ($run:expr => $($name:ident: $($arg:literal),*;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!($run(&[$($arg),*]));
        }
    )*};
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(args: Vec<OsString>, io: &mut Io) -> Status {
        let mut input = String::new();
        io.stdin.read_to_string(&mut input).unwrap();
        writeln!(io.stdout, "{}:{input}", args[1].to_string_lossy()).unwrap();
        write!(io.stderr, "no line end").unwrap();
        Status::Usage
    }

    #[test]
    fn names_of_temporary_folders_do_not_show() {
        let sandbox = Sandbox::new();
        let output = sandbox.run_with(echo, &["echo", "@a.nc"], b"in");
        let want = "status: 2\n----- stdout -----\n@/a.nc:in\n----- stderr -----\nno line end[no end of line]\n";
        assert_eq!(output.to_string(), want);
        assert_eq!(sandbox.run(echo, &["echo", "%cdl"]).text(), "%/cdl:\n");
    }
}
