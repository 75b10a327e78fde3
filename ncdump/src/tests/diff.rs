//! Comparisons of two small files.

use super::*;

/// Returns a file with a variable `v` over `x`, which has a coordinate variable.
fn file(kind: Kind, values: &Values, attributes: &[(&str, Values)]) -> Vec<u8> {
    let mut file = File::new(kind);
    file.dim("x", 4, false);
    file.var("x", &["x"], &Values::Float(vec![0.5, 1.5, 2.5, 3.5]), &[]);
    file.var("v", &["x"], values, attributes);
    file.bytes()
}

/// Returns status, standard output and standard error of a comparison.
fn compare(args: &[&str], a: Vec<u8>, b: &[u8]) -> (Status, String, String) {
    let unique = format!("{:?}", std::thread::current().id());
    let number: String = unique.chars().filter(char::is_ascii_digit).collect();
    let path = std::env::temp_dir().join(format!("ncdump-diff-{}-{number}.nc", std::process::id()));
    std::fs::write(&path, a).unwrap();
    let shown = path.to_str().unwrap();
    let (status, out, err) = run(&[args, &["--diff", shown, "-"]].concat(), b);
    std::fs::remove_file(&path).unwrap();
    (status, out.replace(shown, "A"), err.replace(shown, "A"))
}

fn ints(numbers: [i32; 4]) -> Values {
    Values::Int(numbers.to_vec())
}

#[test]
fn equal_files_are_silent() {
    let a = || file(Kind::CLASSIC, &ints([1, 2, 3, 4]), &[("units", text("m"))]);
    let b = file(Kind::CDF5, &ints([1, 2, 3, 4]), &[("units", text("m"))]);
    assert_eq!(
        compare(&[], a(), &b),
        (Status::Success, String::new(), String::new())
    );
    let (status, out, _) = compare(&["--compare-layout"], a(), &b);
    assert_eq!(status, Status::Failure);
    assert_eq!(out, "/:_Format: classic and cdf5\n");
    let (status, out, _) = compare(&["--json"], a(), &b);
    assert_eq!(status, Status::Success);
    let expected =
        r#"{"first": "A", "second": "-", "same": true, "differences": [], "errors": []}"#;
    assert_eq!(out.trim_end(), expected);
}

#[test]
fn what_differs_is_printed() {
    let a = || file(Kind::CLASSIC, &ints([1, 2, 3, 4]), &[("units", text("m"))]);
    let b = file(
        Kind::CLASSIC,
        &Values::Double(vec![1.0, 2.5, f64::NAN, 4.0]),
        &[("n", ints([1, 2, 3, 4]))],
    );
    let (status, out, err) = compare(&[], a(), &b);
    assert_eq!((status, err.as_str()), (Status::Failure, ""));
    let values = "/v: 2 of 4 elements differ; largest by 0.5, relative 0.2, at [1] (x=1.5): 2 and 2.5; 1 without a size\n";
    let schema = [
        "/v: type int and double\n",
        "/v:units: attribute only in the first dataset\n",
        "/v:n: attribute only in the second dataset\n",
    ];
    assert_eq!(out, schema.concat() + values);
    let given = ["--ignore", "units,v:n", "--tolerance", "0,0.2"];
    let (status, out, _) = compare(&given, a(), &b);
    assert_eq!(status, Status::Failure);
    let values = "/v: 1 of 4 elements differs; first at [2] (x=2.5): 3 and NaN\n";
    assert_eq!(out, format!("{}{values}", schema[0]));
    let (status, out, _) = compare(&["-h", "-v", "x"], a(), &b);
    assert_eq!((status, out.as_str()), (Status::Success, ""));
    let (_, out, _) = compare(&["--json", "-v", "v", "--ignore", "n,units"], a(), &b);
    let at = r#"{"index": [1], "coordinates": {"x": 1.5}, "first": 2, "second": 2.5}"#;
    let by = |n: &str| at.replacen('{', &format!("{{\"by\": {n}, "), 1);
    let found = format!(
        "{{\"path\": \"/v\", \"kind\": \"variable\", \"difference\": \"values\", \"differing\": 2, \"compared\": 4, \
         \"without_size\": 1, \"largest\": {}, \"largest_relative\": {}, \"first_at\": {at}}}",
        by("0.5"),
        by("0.2"),
    );
    assert!(out.contains(&found), "{out}\n{found}");
}

#[test]
fn trouble_is_not_a_difference() {
    let a = || file(Kind::CLASSIC, &ints([1, 2, 3, 4]), &[]);
    let same = a();
    let (status, out, err) = compare(&[], a(), &same[..same.len() - 4]);
    assert_eq!((status, out.as_str()), (Status::Usage, ""));
    assert!(err.contains("in /v"), "{err}");
    for (args, message) in [
        (&["-v", "nosuch"][..], "ncdump: nosuch: No such variable"),
        (
            &["--tolerance", "x"],
            "ncdump: --tolerance: `x` is not ABS[,REL]",
        ),
        (&["-k"], "ncdump: '-k' cannot be used with '--diff'"),
    ] {
        let (status, out, err) = compare(args, a(), &a());
        assert_eq!((status, out.as_str()), (Status::Usage, ""), "{args:?}");
        assert!(err.starts_with(message), "{err}");
    }
    let (status, _, err) = run(&["--diff", "-", "-"], &a());
    assert_eq!(status, Status::Usage);
    assert!(err.contains("standard input"), "{err}");
    assert_eq!(run(&["--diff", "-"], &a()).0, Status::Usage);
}
