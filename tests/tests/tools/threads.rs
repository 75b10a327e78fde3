//! Output does not depend on the number of threads.

use netcdf_tools_tests::files::{list, name, testdata};
use netcdf_tools_tests::harness::Sandbox;

#[test]
fn text_is_the_same_for_any_number_of_threads() {
    let sandbox = Sandbox::new();
    for (folder, extension) in [
        ("classic", "nc"),
        ("netcdf4", "nc"),
        ("hdf5", "h5"),
        ("hdf5/structures", "h5"),
    ] {
        for path in list(&testdata(folder), extension) {
            let file = format!("%{folder}/{}", name(&path));
            let dump = |n| sandbox.run(ncdump::run, &["ncdump", "--threads", n, &file]);
            let one = dump("1");
            assert!(folder != "classic" || one.code == 0, "{file}");
            assert_eq!(one, dump("5"), "{file}");
        }
    }
}

/// A file with many bands of data: one variable of 1.6 MB.
#[test]
fn large_data_are_the_same_for_any_number_of_threads() {
    use netcdf_tools_tests::builder::Classic;
    let count = 400_000_u32;
    let header = |begin| {
        let header = Classic::new(1, 0)
            .list(10, 1)
            .name("x")
            .count(count.into())
            .absent();
        let header = header.list(11, 1).name("v").count(1).count(0).absent();
        header
            .be32(4)
            .count(u64::from(count) * 4)
            .begin(begin)
            .done()
            .build()
    };
    let mut file = header(header(0).len() as u64);
    file.extend((0..count).flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()));
    let sandbox = Sandbox::new();
    sandbox.write("a.nc", &file);
    let dump = |n| sandbox.run(ncdump::run, &["ncdump", "--threads", n, "@a.nc"]);
    let one = dump("1").clean();
    assert!(one.stdout.len() > 4_000_000);
    for threads in ["2", "7"] {
        assert!(dump(threads).stdout == one.stdout, "{threads} threads");
    }
    for threads in ["1", "4"] {
        let args = [
            "nccopy",
            "-k",
            "cdf5",
            "--threads",
            threads,
            "@a.nc",
            "@b.nc",
        ];
        let _ = sandbox.run(nccopy::run, &args).clean();
        let copy = sandbox.run(ncdump::run, &["ncdump", "-n", "a", "@b.nc"]);
        assert!(
            copy.clean().stdout == one.stdout,
            "copied with {threads} threads"
        );
    }
}
