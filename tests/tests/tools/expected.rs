//! `ncdump` prints the same as the C `ncdump`: all lines of `testdata/cases.txt`.

use netcdf_tools_tests::files::{cases, list, stem, testdata};
use netcdf_tools_tests::harness::Sandbox;

#[test]
fn output_is_that_of_the_c_tool() {
    let sandbox = Sandbox::new();
    let mut wrong = Vec::new();
    for case in cases() {
        let file = format!("%classic/{}", case.file);
        let mut args = vec!["ncdump"];
        args.extend(case.options.iter().map(String::as_str));
        args.push(&file);
        let output = sandbox.run(ncdump::run, &args).clean();
        // NcML contains the path; the recorded path has no directories.
        let got = String::from_utf8_lossy(&output.stdout).replace("\"%/classic/", "\"");
        let path = testdata("expected").join(format!("{}.txt", case.name));
        let want = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let want = String::from_utf8_lossy(&want);
        if got != want {
            let line = got
                .lines()
                .zip(want.lines())
                .find(|(got, want)| got != want);
            let (got, want) = line.unwrap_or(("", "another number of lines"));
            wrong.push(format!("{}:\n    want {want}\n    have {got}", case.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_expected_text_has_its_case() {
    let mut names: Vec<_> = cases().into_iter().map(|case| case.name).collect();
    names.sort();
    let mut files: Vec<_> = list(&testdata("expected"), "txt")
        .iter()
        .map(|p| stem(p))
        .collect();
    files.sort();
    assert_eq!(names, files);
}
