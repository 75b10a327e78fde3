//! A file that needs more than the available memory causes an error, never an abort. The tests run the executable, because a memory limit
//! applies to a process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Output};

use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::locator;
use netcdf_core::model::{
    CreateOptions, DataType, Dimension, FillMode, GroupId, Kind, Name, Schema, Storage, TypeKind,
    UserType, VarId, Variable,
};

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

/// Writes a variable `x(n)` of an opaque type with this many bytes, few of them stored.
fn opaque(path: &Path, size: u64) {
    let mut schema = Schema::new(Kind::NETCDF4);
    let dim = schema.add_dim(Dimension {
        name: name("n"),
        group: GroupId::ROOT,
        len: 4,
        unlimited: false,
    });
    let ty = schema.add_type(UserType {
        name: name("o"),
        group: GroupId::ROOT,
        kind: TypeKind::Opaque { size },
    });
    schema.add_var(Variable {
        name: name("x"),
        group: GroupId::ROOT,
        ty: DataType::User(ty),
        dims: vec![dim],
        attributes: vec![],
        storage: Storage {
            fill: FillMode::NoFill,
            ..Storage::default()
        },
    });
    let target = locator::output(path, false).unwrap();
    let options = CreateOptions::default();
    let mut writer = format::create(target, schema, options, &Env::default()).unwrap();
    writer.put_run(VarId(0), 0, &[7; 100]).unwrap();
    writer.finish().unwrap();
}

/// Runs the tool with a limited address space, in kilobytes.
fn run(folder: &Path, memory: u32, args: &str) -> Output {
    let script = format!("ulimit -v {memory}; exec \"$NCCOPY\" {args}");
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", &script]);
    shell.env("RUST_BACKTRACE", "0");
    let tool = env!("CARGO_BIN_EXE_nccopy");
    shell.env("NCCOPY", tool).output().unwrap()
}

#[test]
fn elements_that_memory_does_not_hold_are_an_error() {
    let place = tempfile::tempdir().unwrap();
    for size in [1 << 25, 1 << 27] {
        opaque(&place.path().join("in.nc"), size);
        for kind in ["zarr", "zarr3"] {
            for memory in [300_000, 500_000] {
                let args = format!("-k {kind} --verify --overwrite in.nc out");
                let out = run(place.path(), memory, &args);
                let said = String::from_utf8_lossy(&out.stderr);
                let code = out.status.code();
                assert!(
                    matches!(code, Some(0 | 1)),
                    "{size} {memory} {args}: {code:?} {said}"
                );
                assert!(code == Some(0) || said.contains("nccopy: "), "{said}");
            }
        }
    }
}
