//! Runs of the whole command: output and exit status.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use netcdf_core::io::StoreTarget;
use netcdf_core::io::file::FileTarget;
use netcdf_core::io::zip::ZipTarget;
use netcdf_core::tool::Io;

use super::stores::{v2, v3};
use super::{Keys, put, swap};

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn text(&self, folder: &Path) -> String {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.replace(&*folder.to_string_lossy(), "@")
    }
}

/// Returns status, standard output and standard error of `zdump check OPTIONS PATH`.
fn run(folder: &Path, options: &[&str], path: &str) -> (u8, String, String) {
    let (stdout, stderr) = (Kept::default(), Kept::default());
    let mut io = Io {
        stdin: Box::new(std::io::empty()),
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        terminal: false,
        screen: false,
    };
    let args = ["zdump", "check"].iter().chain(options).map(Into::into);
    let status = crate::run(args.chain([folder.join(path).into()]), &mut io);
    (status, stdout.text(folder), stderr.text(folder))
}

fn written(keys: &Keys) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (key, bytes) in keys {
        let path = folder.path().join("s").join(key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

#[test]
fn sound() {
    let folder = written(&v2());
    let (status, text, message) = run(folder.path(), &["--deep"], "s");
    assert_eq!((status, text.as_str()), (0, "sound: 13 keys, 3 arrays\n"));
    assert_eq!(message, "");
    let (status, text, _) = run(folder.path(), &["--json", "--deep"], "s");
    let expected = r#"{"record": "zdump", "schema": 2, "command": "check", "store": "@/s"}
{"record": "summary", "verdict": "sound", "errors": 0, "warnings": 0, "keys": 13, "arrays": 3, "chunks": 6, "decoded": 6}
"#;
    assert_eq!((status, text.as_str()), (0, expected));
}

#[test]
fn problems() {
    let mut keys = v3();
    put(&mut keys, "README", "x");
    put(&mut keys, "v/c/9/1", [0; 32]);
    let folder = written(&keys);
    let (status, text, message) = run(folder.path(), &[], "s");
    let expected = "\
README: warning orphan-key: it belongs to no array or group (remove the key if it is not needed)
v/c/9/1: error chunk-outside: chunk 9 of dimension 0, which has 2 chunks for a length of 4 (remove the chunk, or correct \
the shape: it reappears when the array grows)
1 error, 1 warning: 16 keys, 4 arrays
";
    assert_eq!((status, text.as_str(), message.as_str()), (1, expected, ""));
    let (status, text, _) = run(folder.path(), &["--json"], "s");
    let lines: Vec<_> = text.lines().collect();
    let expected = r#"{"record": "finding", "severity": "warning", "rule": "orphan-key", "key": "README", "what": "it belongs to no array or group", "remedy": "remove the key if it is not needed"}"#;
    assert_eq!((status, lines.len(), lines[1]), (1, 4, expected));
    assert!(lines[3].contains(r#""verdict": "problems", "errors": 1, "warnings": 1"#));
}

#[test]
fn a_damaged_member_of_a_zip_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("z.zip");
    let file = FileTarget::create(&path, false).unwrap();
    let zip: Box<dyn StoreTarget> = Box::new(ZipTarget::new(Box::new(file), "z/"));
    for (key, bytes) in &v2() {
        zip.store().put(key, bytes).unwrap();
    }
    zip.commit().unwrap();
    let (status, text, _) = run(folder.path(), &["--deep"], "z.zip");
    assert_eq!((status, text.as_str()), (0, "sound: 13 keys, 3 arrays\n"));
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(32).position(|part| part == [1; 32]).unwrap();
    bytes[at] = 2;
    std::fs::write(&path, &bytes).unwrap();
    let (status, text, _) = run(folder.path(), &["--deep"], "z.zip");
    assert!(
        status == 1 && text.starts_with("v/0.0: error key-unreadable: "),
        "{text}"
    );
    assert_eq!(run(folder.path(), &[], "z.zip").0, 0);
    std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    assert_eq!(run(folder.path(), &[], "z.zip").0, 1);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_found() {
    let folder = written(&v2());
    std::fs::write(folder.path().join("out"), [1; 32]).unwrap();
    let chunk = folder.path().join("s/v/0.0");
    std::fs::remove_file(&chunk).unwrap();
    std::os::unix::fs::symlink("../../out", &chunk).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("s/v/0.1x")).unwrap();
    for deep in [&[][..], &["--deep"]] {
        let (status, text, _) = run(folder.path(), deep, "s");
        let found = "v/0.0: error key-unreadable: a link leads out of the store";
        assert!(status == 1 && text.contains(found), "{text}");
        let found = "v/0.1x: error key-unreadable: cannot open";
        assert!(text.contains(found), "{text}");
    }
    std::fs::remove_file(folder.path().join("s/v/0.1x")).unwrap();
    let (status, text, _) = run(folder.path(), &["--deep", "--allow-external"], "s");
    assert_eq!((status, text.as_str()), (0, "sound: 13 keys, 3 arrays\n"));
}

#[test]
fn warnings_alone_are_told() {
    let mut keys = v3();
    put(&mut keys, "README", "x");
    let folder = written(&keys);
    let (status, text, _) = run(folder.path(), &[], "s");
    let last = text.lines().last().unwrap();
    assert_eq!(
        (status, last),
        (0, "sound, but 1 warning: 15 keys, 4 arrays")
    );
}

#[test]
fn findings_that_are_not_shown_are_counted() {
    let mut keys = v2();
    for n in 0..1001 {
        put(&mut keys, &format!("v/{n}.7"), [0; 32]);
    }
    let folder = written(&keys);
    let (status, text, _) = run(folder.path(), &[], "s");
    assert_eq!((status, text.lines().count()), (1, 1002));
    assert!(text.contains("\n/v: 1 more of chunk-outside, not shown\n1001 errors, 0 warnings: "));
    let (_, text, _) = run(folder.path(), &["--json"], "s");
    assert!(
        text.contains(r#"{"record": "more", "rule": "chunk-outside", "path": "/v", "count": 1}"#)
    );
}

#[test]
fn what_is_no_store() {
    let mut keys = v2();
    keys.retain(|key, _| !key.contains(".z"));
    let folder = written(&keys);
    std::fs::write(folder.path().join("f"), "no store").unwrap();
    for name in ["s", "f"] {
        let (status, text, message) = run(folder.path(), &[], name);
        assert_eq!((status, text.as_str()), (3, ""), "{message}");
        assert!(
            message.starts_with(&format!("zdump: @/{name}: ")),
            "{message}"
        );
        let (status, text, _) = run(folder.path(), &["--json"], name);
        let last = text.lines().last().unwrap();
        assert_eq!(
            (status, last),
            (3, r#"{"record": "summary", "verdict": "no store"}"#)
        );
    }
    let (status, _, message) = run(folder.path(), &[], "nosuch");
    assert_eq!(status, 1, "{message}");
    assert_eq!(run(folder.path(), &["--nosuch"], "s").0, 2);
}

#[test]
fn names_are_only_text() {
    let mut keys = v2();
    swap(&mut keys, "v/.zarray", "<i4", r"\u001b[31mred");
    let folder = written(&keys);
    let (status, text, _) = run(folder.path(), &[], "s");
    assert!(status == 1 && !text.contains('\u{1b}'), "{text}");
}
