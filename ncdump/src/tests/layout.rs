//! How datasets are stored (`--layout`), and rules for that (`--require`).

use netcdf_core::model::StorageLayout;

use super::*;

/// The bytes of a file in which `v` has chunks of two elements, beside other variables.
fn chunked(kind: Kind) -> Vec<u8> {
    let mut f = File::new(kind);
    f.dim("time", 2, true);
    f.dim("x", 3, false);
    f.var("time", &["time"], &Values::Double(vec![0.5, 1.0]), &[]);
    f.var("v", &["x"], &Values::Float(vec![0.1, 1e30, 2.0]), &[]);
    f.var("w", &["time", "x"], &Values::Short(vec![0, 1, 2, 3, 4, 5]), &[]);
    f.schema.vars[1].storage.layout = Some(StorageLayout::Chunked(vec![2]));
    f.bytes()
}

#[test]
fn layouts_are_listed() {
    insta::assert_snapshot!("layout_classic", dump(&["--layout"], &sample(Kind::CLASSIC)));
    let bytes = chunked(Kind::NETCDF4);
    insta::assert_snapshot!("layout_netcdf4", dump(&["--layout"], &bytes));
    insta::assert_snapshot!("layout_json", dump(&["--layout", "--json"], &bytes));
    let one = dump(&["--layout", "-v", "v"], &bytes);
    let all = dump(&["--layout"], &bytes);
    // Rules are about all variables.
    assert_eq!(one.split_once("\n\n").unwrap().1, all.split_once("\n\n").unwrap().1);
    assert_eq!(one.split_once("\n\n").unwrap().0.lines().count(), 2);
}

#[test]
fn rules_decide_about_the_status() {
    let bytes = chunked(Kind::NETCDF4);
    let said = |args: &[&str], bytes: &[u8]| {
        let (status, out, err) = run(args, bytes);
        format!("{args:?}: {status:?}\n{out}{err}")
    };
    let classic = sample(Kind::CLASSIC);
    let said = [
        said(&["--require", "cloud", "-"], &classic),
        said(&["--require", "cmip7", "-"], &classic),
        said(&["--require", "cloud", "-"], &bytes),
        said(&["--require", "paged", "-"], &bytes),
        said(&["--require", "paged", "--layout", "-v", "v", "-"], &bytes),
        said(&["--require", "cloud", "-"], b"no dataset"),
        said(&["--require", "cloud", "-"], &bytes[..bytes.len() - 1]),
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
