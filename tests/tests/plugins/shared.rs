//! The common lock and the thread stacks of plugins.
#![cfg(target_os = "linux")]

use std::path::Path;

use netcdf_core::filter::plugin::{PluginSearch, Plugins};
use netcdf_core::filter::{ChunkContext, FilterTable, VariableFacts};
use netcdf_core::model::{Atomic, Endianness, FilterSpec, StoredElement};
use netcdf_tools_tests::plugins::library;

fn filter(folder: &Path, id: u32) {
    let folder = folder.display();
    let options = [
        "-DCOMMON",
        &format!("-DID={id}"),
        &format!("-L{folder}"),
        "-lcommon",
        &format!("-Wl,-rpath,{folder}"),
    ];
    let at = Path::new(&folder.to_string()).to_owned();
    library(&at, &format!("libfilter{id}.so"), "filter.c", &options);
}

#[test]
fn plugins_with_a_common_library_work_in_one_thread_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), "libcommon.so", "common.c", &[]);
    for id in [40121, 40122] {
        filter(folder.path(), id);
    }
    let search = PluginSearch::only(vec![folder.path().to_owned()]);
    let table = FilterTable::with_plugins(Plugins::new(search, false));
    let context = ChunkContext {
        shape: vec![24],
        element: StoredElement {
            ty: Atomic::Byte.into(),
            size: 1,
            order: Endianness::Little,
            plain: true,
        },
        fill: None,
        len: Some(24),
        about: VariableFacts::default(),
    };
    let chain = |id| {
        let params = vec![22];
        table.chain(&[FilterSpec { id, params }], &context).unwrap()
    };
    let chains = [chain(40121), chain(40122)];
    std::thread::scope(|scope| {
        for chain in chains.iter().chain(&chains) {
            scope.spawn(|| {
                for _ in 0..50 {
                    let (mask, stored) = chain.encode(vec![3; 24], &mut vec![]).unwrap();
                    assert_eq!(mask, 0, "the common library was entered by two threads");
                    assert_eq!(chain.decode(0, stored, &mut vec![]).unwrap(), [3; 24]);
                }
            });
        }
    });
}

#[test]
fn plugins_have_the_stack_of_a_main_thread() {
    let folder = tempfile::tempdir().unwrap();
    let libraries = tempfile::tempdir().unwrap();
    library(
        libraries.path(),
        "libstack.so",
        "filter.c",
        &["-fno-stack-clash-protection"],
    );
    let values: Vec<_> = (0..1 << 16).map(|n| (n % 97).to_string()).collect();
    let values = values.join(",");
    let cdl = format!(
        "netcdf t {{ dimensions: x = 65536 ; variables: int v(x) ; data: v = {values} ; }}"
    );
    std::fs::write(folder.path().join("t.cdl"), cdl).unwrap();
    let run = |args: &[&str]| {
        let mut tool = netcdf_tools_tests::tool!();
        tool.env_remove("HDF5_PLUGIN_PRELOAD")
            .env("HDF5_PLUGIN_PATH", libraries.path())
            .current_dir(folder.path())
            .args(args);
        let done = tool.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{args:?}: {:?}: {said}", done.status);
        done.stdout
    };
    run(&["ncgen", "-o", "t.nc", "t.cdl"]);
    let filter = ["-k", "nc4", "-c", "x/4096", "-F", "v,40100,21"];
    run(&[
        &["nccopy", "--threads", "2"],
        &filter[..],
        &["t.nc", "u.nc"],
    ]
    .concat());
    let values = |name: &str| {
        let text = run(&["ncdump", "--threads", "2", "-v", "v", name]);
        let text = String::from_utf8(text).unwrap();
        text.split_once("data:").unwrap().1.to_owned()
    };
    assert!(values("u.nc") == values("t.nc"));
}
