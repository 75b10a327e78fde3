//! Digests (`--sum`), and their check.

use super::*;

/// A directory with `a.nc` and `b.nc`. `{}` in arguments and output stands for the directory.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.put("a.nc", &sample(Kind::CLASSIC));
        folder.put("b.nc", &sample(Kind::CDF5));
        folder
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn run(&self, args: &[&str], input: &str) -> (Status, String, String) {
        let here = self.0.path().to_str().unwrap();
        let args: Vec<_> = args.iter().map(|arg| arg.replace("{}", here)).collect();
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        let (status, out, err) = run(&args, input.replace("{}", here).as_bytes());
        (status, out.replace(here, "{}"), err.replace(here, "{}"))
    }

    /// Returns the list of a file.
    fn list(&self, args: &[&str]) -> String {
        let (status, out, err) = self.run(&[&["--sum"], args].concat(), "");
        assert_eq!((status, err.as_str()), (Status::Success, ""));
        out
    }
}

#[test]
fn variables_come_in_the_order_of_their_paths() {
    let folder = Folder::new();
    let a = folder.list(&["{}/a.nc"]);
    insta::assert_snapshot!(a);
    assert_eq!(folder.list(&["{}/b.nc"]).replace("b.nc", "a.nc"), a);
    let chosen = folder.list(&["-v", "w,time", "{}/a.nc"]);
    let lines: Vec<_> = a
        .lines()
        .filter(|l| l.ends_with("/w") || l.ends_with("/time"))
        .collect();
    assert_eq!(chosen.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn json_has_the_same_digests() {
    let folder = Folder::new();
    let json = folder.list(&["--json", "{}/a.nc"]);
    for line in folder.list(&["{}/a.nc"]).lines() {
        let digest = line.split_once("  ").unwrap().0;
        assert!(json.contains(digest.strip_prefix("blake3:").unwrap()));
    }
    insta::assert_snapshot!(json);
    insta::assert_snapshot!(folder.list(&["--json", "-v", "w", "{}/a.nc"]));
}

#[test]
fn lists_are_checked() {
    let folder = Folder::new();
    let list = folder.list(&["{}/a.nc"]) + &folder.list(&["{}/b.nc"]);
    let (status, out, err) = folder.run(&["--sum", "--check", "-"], &list);
    assert_eq!((status, err.as_str()), (Status::Success, ""));
    insta::assert_snapshot!(out);
    folder.put(
        "list",
        list.replace("{}", folder.0.path().to_str().unwrap())
            .as_bytes(),
    );
    let file = folder.run(&["--sum", "--check", "{}/list"], "");
    assert_eq!(file, (status, out, err));
}

#[test]
fn changes_are_found() {
    let folder = Folder::new();
    let mut list = folder.list(&["{}/a.nc"]) + &folder.list(&["{}/b.nc"]);
    list += "\nodd\n";
    let mut changed = sample(Kind::CLASSIC);
    // Change the last number of `w`.
    let at = changed
        .windows(6)
        .position(|w| w == [0, 1, 0, 2, 0, 3])
        .unwrap();
    changed[at + 5] = 4;
    folder.put("a.nc", &changed);
    std::fs::remove_file(folder.0.path().join("b.nc")).unwrap();
    let line = list.lines().next().unwrap().replace("/bnds", "/nosuch");
    let (status, out, err) = folder.run(&["--sum", "--check", "-"], &format!("{list}{line}\n"));
    assert_eq!(status, Status::Failure);
    insta::assert_snapshot!(format!("{out}--\n{err}"));
}

#[test]
fn a_list_has_digests() {
    let folder = Folder::new();
    let run = |args: &[&str], input| {
        let (status, out, err) = folder.run(args, input);
        format!("{args:?}: {status:?}\n{out}{err}")
    };
    let said = [
        run(&["--sum", "--check", "-"], "odd\n"),
        run(&["--sum", "--check", "-"], ""),
        run(&["--sum", "--check", "{}/nosuch"], ""),
        run(&["--sum", "{}/nosuch"], ""),
        run(&["--sum", "-v", "nosuch", "{}/a.nc"], ""),
        run(&["--check", "{}/a.nc"], ""),
        run(&["--sum", "-h", "{}/a.nc"], ""),
        run(&["--sum", "--check", "--json", "-"], ""),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

/// A damaged dataset has no digest.
#[test]
fn damage_is_not_left_out() {
    let bytes = sample(Kind::CLASSIC);
    let (status, out, err) = run(&["--sum", "-"], &bytes[..bytes.len() - 8]);
    insta::assert_snapshot!(format!("{status:?}\n{out}{err}"));
}
