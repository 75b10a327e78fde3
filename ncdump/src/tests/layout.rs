//! Storage layouts (`--layout`), and rules (`--require`).

use super::*;

#[test]
fn layouts_are_listed() {
    let bytes = sample(Kind::CLASSIC);
    insta::assert_snapshot!(dump(&["--layout"], &bytes));
    insta::assert_snapshot!(dump(&["--layout", "--json"], &bytes));
    let one = dump(&["--layout", "-v", "v"], &bytes);
    let all = dump(&["--layout"], &bytes);
    // Rules apply to all variables.
    assert_eq!(
        one.split_once("\n\n").unwrap().1,
        all.split_once("\n\n").unwrap().1
    );
    assert_eq!(one.split_once("\n\n").unwrap().0.lines().count(), 2);
}

#[test]
fn rules_decide_about_the_status() {
    let said = |args: &[&str], bytes: &[u8]| {
        let (status, out, err) = run(args, bytes);
        format!("{args:?}: {status:?}\n{out}{err}")
    };
    let classic = sample(Kind::CLASSIC);
    let said = [
        said(&["--require", "cloud", "-"], &classic),
        said(&["--require", "cmip7", "-"], &classic),
        said(
            &["--require", "paged", "--layout", "-v", "v", "-"],
            &classic,
        ),
        said(&["--require", "cloud", "-"], b"no dataset"),
        said(&["--require", "cloud", "-"], &classic[..100]),
        said(&["--require", "cloud", "/no/such/file"], b""),
    ];
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn layouts_are_no_other_listing() {
    let said = |args: &[&str]| {
        let (status, out, err) = run(args, &sample(Kind::CLASSIC));
        assert_eq!((status, out.as_str()), (Status::Usage, ""), "{args:?}");
        format!("{args:?}\n{err}")
    };
    let said = [
        said(&["--layout", "-h", "-"]),
        said(&["--layout", "--select", "x,1", "-"]),
        said(&["--layout", "-v", "nosuch", "-"]),
        said(&["--require", "nosuch", "-"]),
        said(&["--require", "cloud", "--stats", "-"]),
        said(&["--require", "cloud", "--json", "-"]),
        said(&["--require", "cloud", "--diff", "-", "-"]),
    ];
    insta::assert_snapshot!(said.join("\n"));
}
