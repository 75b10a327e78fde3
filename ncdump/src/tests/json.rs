//! JSON, and JSON listings.

use netcdf_core::model::Kind;
use netcdf_core::tool::Status;

use super::{dump, run, sample};

#[test]
fn header_and_data() {
    let out = dump(&["--json", "-v", "bnds"], &sample(Kind::CLASSIC));
    assert!(
        out.starts_with("{\n  \"name\": \"stdin\",\n  \"kind\": \"classic\",\n"),
        "{out}"
    );
    let nested = "\"data\": [\n        [0.0, 1.0],\n        [\"NaN\", 2.0]\n      ]";
    assert!(out.contains(nested), "{out}");
    assert_eq!(out.matches("\"data\": [\n").count(), 1, "{out}");
    let header = dump(&["--json", "-h"], &sample(Kind::CLASSIC));
    assert!(!header.contains("\"data\": [\n"), "{header}");
}

#[test]
fn listings() {
    let file = sample(Kind::CLASSIC);
    assert_eq!(dump(&["--json", "-k"], &file), "{\"kind\": \"classic\"}\n");
    assert_eq!(
        dump(&["--json", "-K"], &file),
        "{\"model\": \"classic\", \"mode\": \"00000000\"}\n"
    );
    assert_eq!(
        dump(&["--json", "--filters", "-v", "w"], &file),
        "{\"variables\": [\n  {\"path\": \"/w\", \"filters\": []}\n]}\n"
    );
}

#[test]
fn options_that_json_does_not_have() {
    for args in [
        &["-x"][..],
        &["-t"],
        &["-p", "9"],
        &["-b", "c"],
        &["-l", "70"],
    ] {
        let (status, out, err) = run(&[&["--json"], args, &["-"]].concat(), b"");
        assert_eq!((status, out.as_str()), (Status::Usage, ""), "{err}");
        assert!(err.contains("--json"), "{err}");
    }
}
