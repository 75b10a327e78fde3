//! Replaced outputs, and protected files.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use netcdf_tools_tests::harness::Sandbox;

const TEXT: &str = "netcdf t { dimensions: x = 3 ; variables: int v(x) ; char s ; data: v = 1, 2, 3 ; s = \"a\" ; }";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.cdl", TEXT);
    sandbox
}

/// An earlier version removed a directory with other files, one of them named `zarr.json`.
#[test]
fn a_directory_with_other_files_is_not_a_store() {
    let sandbox = sandbox();
    let project = sandbox.path("proj");
    std::fs::create_dir_all(project.join("src")).unwrap();
    std::fs::write(project.join("zarr.json"), "notes").unwrap();
    std::fs::write(project.join("src/thesis.txt"), "precious").unwrap();
    let make = |more: &[&str]| {
        let args = [
            &["ncgen", "--no-sync", "-k", "zarr3", "-o", "@proj"],
            more,
            &["@t.cdl"],
        ];
        sandbox.run(ncgen::run, &args.concat())
    };
    let refused = make(&[]);
    assert_eq!(refused.code, 1);
    insta::assert_snapshot!("foreign", refused);
    assert!(project.join("src/thesis.txt").exists());
    let strict = make(&["--overwrite"]);
    insta::assert_snapshot!("overwritten", strict);
    assert!(!project.join("src").exists());
}

#[test]
fn no_clobber_keeps_existing_outputs() {
    let sandbox = sandbox();
    let _ = sandbox
        .run(ncgen::run, &["ncgen", "-o", "@a.nc", "@t.cdl"])
        .clean();
    let _ = sandbox
        .run(ncgen::run, &["ncgen", "--quiet", "-o", "@b.zarr", "@t.cdl"])
        .clean();
    assert!(sandbox.path("b.zarr/zarr.json").exists());
    let copy =
        |more: &str, to: &str| sandbox.run(nccopy::run, &["nccopy", "--quiet", more, "@a.nc", to]);
    let _ = copy("--no-clobber", "@c.zarr").clean();
    assert!(sandbox.path("c.zarr/zarr.json").exists());
    insta::assert_snapshot!("no_clobber", copy("--no-clobber", "@c.zarr"));
    sandbox.write("kept", "mine");
    insta::assert_snapshot!("skip_existing", copy("--skip-existing", "@kept"));
    assert_eq!(sandbox.read("kept"), b"mine");
}

/// Our own outputs of any kind are replaced silently.
#[test]
fn our_own_stores_are_replaced() {
    let sandbox = sandbox();
    for kind in ["nczarr", "zarr", "nczarr3", "zarr3"] {
        for more in [&["--consolidated"][..], &[]] {
            let args = [
                &["ncgen", "--quiet", "--no-sync", "-k", kind, "-o", "@s.zarr"],
                more,
                &["@t.cdl"],
            ];
            let _ = sandbox.run(ncgen::run, &args.concat()).clean();
        }
        std::fs::write(sandbox.path("s.zarr/v/notes.txt"), "").unwrap();
        let args = ["ncgen", "-k", kind, "-o", "@s.zarr", "@t.cdl"];
        assert_eq!(sandbox.run(ncgen::run, &args).code, 1, "{kind}");
        std::fs::remove_file(sandbox.path("s.zarr/v/notes.txt")).unwrap();
    }
}

/// A copy locks the output only for the rename. A writer that started during the copy is an error.
#[test]
fn a_writer_that_comes_during_the_copy_is_noticed() {
    use netcdf_core::error::ErrorKind;
    use netcdf_core::io::Target as _;
    use netcdf_core::io::file::{FileLock, FileTarget, LockAttempt, Sharing};

    let sandbox = sandbox();
    let make = ["ncgen", "-k", "nc4", "-o", "@a.nc", "@t.cdl"];
    let _ = sandbox.run(ncgen::run, &make).clean();
    let (path, before) = (sandbox.path("a.nc"), sandbox.read("a.nc"));
    for comes in [true, false] {
        let mut target = FileTarget::create(&path, false).unwrap();
        target.write_at(0, b"the new file").unwrap();
        let writer = FileLock::attempt(&path, Sharing::Exclusive).unwrap();
        match writer {
            LockAttempt::Held(_) => {}
            LockAttempt::Busy => panic!("the copy holds a lock before its end"),
            LockAttempt::Unsupported => {
                eprintln!("this file system has no locks: test skipped");
                return;
            }
        }
        if !comes {
            drop(writer);
            Box::new(target).commit().unwrap();
            assert_eq!(sandbox.read("a.nc"), b"the new file");
            continue;
        }
        let e = Box::new(target).commit().unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Busy, "{e}");
        assert!(e.to_string().contains("open for writing"), "{e}");
        assert!(sandbox.read("a.nc") == before);
        assert_eq!(sandbox.names(), ["a.nc", "t.cdl"]);
    }
}

/// An earlier version lost records that a program had added after the copy began.
#[test]
fn a_file_that_a_program_writes_is_not_replaced() {
    use netcdf_core::io::file::{FileLock, LockAttempt, Sharing};

    let sandbox = sandbox();
    let make = |name: &str, kind: &str| {
        let args = ["ncgen", "-k", kind, "-o", name, "@t.cdl"];
        sandbox.run(ncgen::run, &args)
    };
    let _ = make("@a.nc", "nc4").clean();
    let _ = make("@b.nc", "nc3").clean();
    let lock = |name: &str, sharing| FileLock::attempt(&sandbox.path(name), sharing).unwrap();
    let writer = lock("a.nc", Sharing::Exclusive);
    if !matches!(writer, LockAttempt::Held(_)) {
        eprintln!("this file system has no locks: test skipped");
        return;
    }
    let before = sandbox.read("a.nc");
    let copies: [&[&str]; 3] = [
        &["--in-place", "-d1", "@a.nc"],
        &["-k", "nc4", "@b.nc", "@a.nc"],
        &["-k", "nc3", "@b.nc", "@a.nc"],
    ];
    let copy = |args: &[&str]| sandbox.run(nccopy::run, &[&["nccopy", "--quiet"], args].concat());
    for args in copies {
        let refused = copy(args);
        assert!(
            refused.code == 1 && refused.message().contains("open for writing"),
            "{refused}"
        );
    }
    assert_eq!(make("@a.nc", "nc4").code, 1);
    assert!(sandbox.read("a.nc") == before);
    drop(writer);
    let _reader = lock("a.nc", Sharing::Shared);
    let _classic = lock("b.nc", Sharing::Exclusive);
    for args in copies {
        let _ = copy(args).clean();
    }
    // Our writers lock classic files, too.
    assert_eq!(make("@b.nc", "nc3").code, 1);
}
