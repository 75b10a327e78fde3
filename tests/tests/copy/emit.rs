//! Scripts of `nccopy --emit`, for copies in parts.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use insta::assert_snapshot;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

const ENGINES: [&str; 4] = ["slurm", "dask", "snakemake", "parallel"];

fn nccopy(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(nccopy::run, &[&["nccopy"], args].concat())
}

/// A plan in a directory of the sandbox.
fn plan(sandbox: &Sandbox, folder: &str, more: &[&str]) {
    let paths = ["%classic/weather-1.nc", "@o.nc"];
    let args = [&["--plan", folder, "--parts", "2500"], more, &paths].concat();
    let _ = nccopy(sandbox, &args).clean();
}

fn script(sandbox: &Sandbox, engine: &str, folder: &str) -> String {
    nccopy(sandbox, &["--emit", engine, folder]).clean().text()
}

#[test]
fn a_script_for_parallel() {
    let sandbox = Sandbox::new();
    plan(&sandbox, "@it's a plan", &[]);
    assert_snapshot!(script(&sandbox, "parallel", "@it's a plan"));
}

#[test]
fn a_script_for_slurm() {
    let sandbox = Sandbox::new();
    plan(&sandbox, "@plan", &["--memory", "1Gi"]);
    assert_snapshot!(script(&sandbox, "slurm", "@plan"));
}

#[test]
fn a_script_for_snakemake() {
    let sandbox = Sandbox::new();
    plan(&sandbox, "@a \"plan\"", &[]);
    assert_snapshot!(script(&sandbox, "snakemake", "@a \"plan\""));
}

#[test]
fn a_script_for_dask() {
    let sandbox = Sandbox::new();
    plan(&sandbox, "@a \"plan\"", &[]);
    let text = script(&sandbox, "dask", "@a \"plan\"");
    let wanted = [
        "PARTS = 2500",
        "from distributed import Client, LocalCluster, as_completed",
        "DIR = \"@/a \\\"plan\\\"\"",
    ];
    for line in wanted {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    let name = text.lines().find(|line| line.starts_with("NAME = "));
    let key = name.unwrap().strip_prefix("NAME = \"nccopy-part-").unwrap();
    let digits = key.bytes().filter(u8::is_ascii_hexdigit).count();
    assert_eq!(digits, 32, "{key}");
    // Keys of another plan on the same scheduler are different.
    plan(&sandbox, "@other", &["-d1"]);
    assert!(!script(&sandbox, "dask", "@other").contains(name.unwrap()));
}

/// Scripts begin with a description, and run the program in `NCCOPY`.
#[test]
fn scripts_begin_with_a_description() {
    let sandbox = Sandbox::new();
    plan(&sandbox, "@plan", &[]);
    for engine in ENGINES {
        let text = script(&sandbox, engine, "@plan");
        let head: Vec<_> = text.lines().take(12).collect();
        let made = format!("# Made by: nccopy --emit {engine} '@/plan'");
        assert!(head.contains(&made.as_str()), "{text}");
        assert!(
            head.iter().any(|line| line.starts_with("# Run: ")),
            "{text}"
        );
        assert!(
            text.contains("${NCCOPY:-nccopy}")
                || text.contains("environ.get(\"NCCOPY\", \"nccopy\")")
        );
        let long = text.lines().find(|line| line.len() > 140);
        assert_eq!(long, None, "{engine}");
    }
}

#[test]
fn emit_of_an_unknown_engine() {
    assert_snapshot!(nccopy(&Sandbox::new(), &["--emit", "pbs", "@plan"]));
}

#[test]
fn emit_of_no_plan() {
    assert_snapshot!(nccopy(&Sandbox::new(), &["--emit", "slurm", "@plan"]));
}

#[test]
fn emit_for_snakemake_with_braces() {
    let sandbox = Sandbox::new();
    plan(&sandbox, "@{plan}", &[]);
    assert_snapshot!(nccopy(&sandbox, &["--emit", "snakemake", "@{plan}"]));
}

#[test]
fn emit_with_another_step() {
    let args = ["--emit", "slurm", "--finish", "@plan"];
    assert_snapshot!(nccopy(&Sandbox::new(), &args));
}
