//! Records the commit of optimised builds for `--version`. Builds for tests have no commit, so a new commit does not rebuild them.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        record();
    }
}

/// Passes the commit to the crate. Without a checkout of this repository, as in a source archive, the crate has no commit.
fn record() {
    let Some(text) = git(&[
        "--show-prefix",
        "--git-path",
        "logs/HEAD",
        "--short=12",
        "HEAD",
    ]) else {
        return;
    };
    // In the checkout of another project, this directory has another path.
    if let ["grammar/", log, commit] = text.lines().collect::<Vec<_>>()[..] {
        println!("cargo:rustc-env=BUILD_COMMIT={commit}");
        // Cargo runs this script each time if the file is missing.
        println!("cargo:rerun-if-changed={log}");
    }
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("rev-parse")
        .args(args)
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
