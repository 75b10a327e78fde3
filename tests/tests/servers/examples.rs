//! The S3 examples of the NCZarr document, as printed there.

use std::process::Command;

use super::*;

/// Runs a command line in a directory with the dataset's text. Only the profile of the user has the right key.
fn literally(variables: Variables, line: &str) -> CommandOutput {
    let home = Sandbox::new();
    home.write("dataset.cdl", many(3, 4));
    let key = format!("aws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n");
    home.store(".aws", &[("credentials", format!("[unidata]\n{key}"))]);
    let mut shell = Command::new("sh");
    let script = format!("ncgen() {{ \"$0\" tool ncgen \"$@\"; }}\n{line}");
    shell.arg("-c").arg(script).arg(HELPER);
    Running::spawn(shell, home, variables).end()
}

/// Checks that the bucket has the same keys as a local store with this mode, and that the address can be read.
fn written(variables: Variables, folder: &Path, mode: &str, address: &str) {
    let home = Sandbox::new();
    home.write("dataset.cdl", many(3, 4));
    let (cdl, here) = (home.path("dataset.cdl"), home.path("here"));
    let local_address = format!("file://{}#mode={mode},file", text(&here));
    let args = ["ncgen", "-4", "--no-sync", "-o", &local_address, text(&cdl)];
    let _ = run(vec![], &args).clean();
    assert!(files(folder) == files(&here), "{:?}", files(folder).keys());
    let got = run(variables, &["ncdump", "-n", "many", address]).clean();
    let want = local(&["ncdump", "-n", "many", &local_address]);
    assert!(want.contains("v = 0, 7, 14"), "{want}");
    assert_eq!(got.text(), want);
}

#[test]
fn example_3_writes_to_a_bucket_of_a_region() {
    let server = S3::start();
    let folder = server.add_bucket("datasetbucket");
    let line = r#"ncgen -4 -lb -o "s3://s3.us-west-1.amazonaws.com/datasetbucket" dataset.cdl"#;
    let _ = literally(server.environment(), line).clean();
    let address = "s3://s3.us-west-1.amazonaws.com/datasetbucket";
    written(server.environment(), &folder, "nczarr", address);
}

/// The document lacks the second quote.
#[test]
fn example_4_writes_pure_zarr() {
    let server = S3::start();
    let folder = server.add_bucket("datasetbucket");
    let line =
        r"ncgen -4 -lb -o 's3://s3.uswest-1.amazonaws.com/datasetbucket\#mode=zarr' dataset.cdl";
    let _ = literally(server.environment(), line).clean();
    let address = r"s3://s3.uswest-1.amazonaws.com/datasetbucket\#mode=zarr";
    written(server.environment(), &folder, "zarr", address);
}

#[test]
fn example_5_uses_a_profile() {
    let server = S3::start();
    let folder = server.add_bucket("datasetbucket");
    let line = r#"ncgen -4 -lb -o "s3://datasetbucket/rootkey\#mode=nczarr&awsprofile=unidata" dataset.cdl"#;
    let wrong = vec![
        ("AWS_ENDPOINT_URL", server.url()),
        ("AWS_ACCESS_KEY_ID", "another".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "hush".to_owned()),
    ];
    let _ = literally(wrong, line).clean();
    let address = "s3://datasetbucket/rootkey";
    written(
        server.environment(),
        &folder.join("rootkey"),
        "nczarr",
        address,
    );
}
