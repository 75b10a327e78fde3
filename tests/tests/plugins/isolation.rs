//! Plugins that crash, end the process or never finish, with and without isolation.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use netcdf_core::cancel::Cancel;
use netcdf_core::error::ErrorKind;
use netcdf_core::filter::plugin::{Isolation, PluginSearch, Plugins};
use netcdf_core::filter::{ChunkContext, FilterTable, VariableFacts};
use netcdf_core::model::{Atomic, Endianness, FilterSpec, StoredElement};
use netcdf_tools_tests::killed::is_ignored;
use netcdf_tools_tests::plugins::library;
use tempfile::TempDir;

/// The filter of the test plugin.
const ID: u32 = 40100;

/// A sandbox with a plugin.
struct Place {
    files: TempDir,
    libraries: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            files: tempfile::tempdir().unwrap(),
            libraries: tempfile::tempdir().unwrap(),
        };
        library(place.libraries.path(), "libplugin.so", "filter.c", &[]);
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    fn plugin(&self) -> String {
        let path = self.libraries.path().join("libplugin.so");
        format!("filter {ID} of {}", path.display())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut tool = netcdf_tools_tests::tool!();
        tool.env_remove("HDF5_PLUGIN_PRELOAD")
            .env("HDF5_PLUGIN_PATH", self.libraries.path())
            .current_dir(self.files.path())
            .args(args);
        tool
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Creates a file with a variable that has a filter with this parameter.
    fn make(&self, name: &str, how: u32) {
        let cdl = format!(
            "netcdf t {{ dimensions: x = 4 ; variables: int v(x) ; v:_Storage = \"chunked\" ; v:_ChunkSizes = 4 ; \
             v:_Filter = \"{ID},{how}\" ; data: v = 1, 2, 3, 4 ; }}"
        );
        std::fs::write(self.at("t.cdl"), cdl).unwrap();
        let made = self.run(&["ncgen", "-4", "-o", name, "t.cdl"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.files.path()).unwrap();
        let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_end_of_the_process_by_a_plugin_is_no_success() {
    let place = Place::new();
    place.make("t.nc", 0);
    std::fs::write(place.at("old.nc"), "old").unwrap();
    for how in [14, 15, 16] {
        for output in ["old.nc", "new.nc"] {
            let filter = format!("v,{ID},{how}");
            let ended = place.run(&["nccopy", "-F", &filter, "t.nc", output]);
            assert_eq!(ended.status.code(), Some(1), "{how}");
            let said = text(&ended.stderr);
            assert!(said.starts_with("nccopy: the plugin /"), "{how}: {said}");
            assert!(
                said.contains("libplugin.so ended the process"),
                "{how}: {said}"
            );
        }
    }
    assert_eq!(std::fs::read(place.at("old.nc")).unwrap(), b"old");
    assert_eq!(place.names(), ["old.nc", "t.cdl", "t.nc"]);
}

/// A plugin has effects when it is loaded, and when the process ends.
#[test]
fn constructors_and_destructors_do_not_change_the_status() {
    for (what, code) in [("CONSTRUCTOR", 1), ("DESTRUCTOR", 0)] {
        let place = Place::new();
        place.make("t.nc", 0);
        let other = tempfile::tempdir().unwrap();
        let option = format!("-D{what}=_exit({})", 1 - code);
        library(other.path(), "libplugin.so", "filter.c", &[&option]);
        let mut dump = place.command(&["ncdump", "t.nc"]);
        let dumped = dump.env("HDF5_PLUGIN_PATH", other.path()).output().unwrap();
        let said = text(&dumped.stderr);
        assert_eq!(dumped.status.code(), Some(code), "{what}: {said}");
        assert_eq!(text(&dumped.stdout).ends_with("}\n"), code == 0, "{what}");
    }
}

#[test]
fn an_isolated_plugin_that_fails_is_an_error_that_names_it() {
    let place = Place::new();
    place.make("t.nc", 0);
    std::fs::write(place.at("old.nc"), "old").unwrap();
    for (how, why) in [
        (13, "the plugin crashed (signal 6)"),
        (14, "the plugin ended its process (exit status 0)"),
        (15, "the plugin ended its process (exit status 0)"),
        (16, "the plugin ended its process (exit status 0)"),
        (
            17,
            "the plugin gave no answer in 1 s, and was stopped (use --plugin-timeout to give it more time)",
        ),
        // The memory of a helper is limited.
        (20, "the plugin crashed (signal 6)"),
    ] {
        let filter = format!("v,{ID},{how}");
        let with = ["--isolate-plugins", "--plugin-timeout=1", "-F", &filter];
        let failed = place.run(&[&["nccopy"], &with[..], &["t.nc", "old.nc"]].concat());
        assert_eq!(failed.status.code(), Some(1), "{how}");
        let said = text(&failed.stderr);
        let expected = format!("{}: {}", place.plugin(), why.split(" (use").next().unwrap());
        assert!(said.contains(&expected), "{expected} is not in {said}");
        assert!(said.contains("/v"), "the variable is not in {said}");
        let remedy = why.contains("--plugin-timeout");
        assert_eq!(said.contains("use --plugin-timeout"), remedy, "{said}");
    }
    assert_eq!(std::fs::read(place.at("old.nc")).unwrap(), b"old");
    assert_eq!(place.names(), ["old.nc", "t.cdl", "t.nc"]);
    // The plugin forks the helper process. Only one of the two processes responds.
    let forked = format!("v,{ID},19");
    let copied = place.run(&["nccopy", "--isolate-plugins", "-F", &forked, "t.nc", "u.nc"]);
    assert!(copied.status.success(), "{}", text(&copied.stderr));
    let dumped = place.run(&["ncdump", "--isolate-plugins", "u.nc"]);
    assert!(text(&dumped.stdout).ends_with(" v = 1, 2, 3, 4 ;\n}\n"));
}

#[test]
fn isolated_plugins_give_the_same_output() {
    let place = Place::new();
    place.make("t.nc", 5);
    for isolate in [
        "--isolate-plugins=no",
        "--isolate-plugins=yes",
        "--plugin-timeout=9",
    ] {
        let out = format!("out{}.nc", isolate.len());
        let copied = place.run(&["nccopy", isolate, "-F", "v,40100,0,1", "t.nc", &out]);
        assert!(copied.status.success(), "{}", text(&copied.stderr));
        let dumped = place.run(&["ncdump", isolate, "t.nc"]);
        assert!(text(&dumped.stdout).ends_with(" v = 1, 2, 3, 4 ;\n}\n"));
        assert!(!text(&dumped.stdout).contains("prints"));
        assert!(text(&dumped.stderr).contains("a plugin prints"));
        let listed = text(&place.run(&["ncdump", isolate, "--filters", &out]).stdout);
        assert!(listed.contains("libplugin.so"), "{listed}");
    }
    let out = |n: usize| std::fs::read(place.at(&format!("out{n}.nc"))).unwrap();
    assert!(out(20) == out(21) && out(20) == out(18));
}

#[test]
fn a_job_continues_after_a_plugin_crash() {
    let place = Place::new();
    for (name, how) in [("a.nc", 0), ("b.nc", 18), ("c.nc", 0)] {
        place.make(name, how);
    }
    std::fs::create_dir(place.at("out")).unwrap();
    let inputs = ["a.nc", "b.nc", "c.nc"];
    let done = place.run(
        &[
            &["nccopy", "--isolate-plugins", "-F", "v,none"],
            &inputs[..],
            &["out"],
        ]
        .concat(),
    );
    assert_eq!(done.status.code(), Some(1));
    let said = text(&done.stderr);
    let expected = format!("{}: the plugin crashed (signal 6)", place.plugin());
    assert!(said.contains(&expected) && said.contains("b.nc"), "{said}");
    for name in ["a.nc", "c.nc"] {
        let dumped = place.run(&["ncdump", &format!("out/{name}")]);
        assert!(
            text(&dumped.stdout).ends_with(" v = 1, 2, 3, 4 ;\n}\n"),
            "{name}"
        );
    }
    assert!(!place.at("out/b.nc").exists());
}

fn wait(what: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !what() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A signal ends the wait for an isolated plugin, and a helper ends with its parent process.
#[test]
fn signals_end_the_wait_for_a_plugin() {
    for (signal, code) in [("-TERM", Some(143)), ("-KILL", None)] {
        let place = Place::new();
        place.make("t.nc", 0);
        let mut copy = place.command(&[
            "nccopy",
            "--isolate-plugins",
            "-F",
            "v,40100,17",
            "t.nc",
            "u.nc",
        ]);
        let mut child = copy.stderr(Stdio::null()).spawn().unwrap();
        let maps =
            |id: &str| std::fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default();
        // Finds the helper process that has loaded the plugin.
        let find = || {
            let all = std::fs::read_dir("/proc").unwrap();
            let ids = all.filter_map(|e| e.ok()?.file_name().into_string().ok());
            let mut ids = ids.filter(|id| id.parse::<u32>().is_ok());
            let library = place.libraries.path().display().to_string();
            ids.find(|id| maps(id).contains(&library))
        };
        wait(|| find().is_some());
        let helper = find().unwrap();
        assert_ne!(helper, child.id().to_string());
        let id = child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        let start = Instant::now();
        assert_eq!(child.wait().unwrap().code(), code);
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "the time-out is 30 s"
        );
        wait(|| find().is_none());
        assert!(!place.at("u.nc").exists());
    }
}

/// Without isolation, the first signal has no effect while a plugin runs.
#[test]
fn the_second_signal_ends_a_plugin_that_loops() {
    let place = Place::new();
    place.make("t.nc", 0);
    std::fs::write(place.at("u.nc"), "old").unwrap();
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        if signal == "-INT" && is_ignored(2) {
            continue;
        }
        let mut copy = place.command(&["nccopy", "-F", "v,40100,17", "t.nc", "u.nc"]);
        let mut child = copy.stderr(Stdio::null()).spawn().unwrap();
        let id = child.id().to_string();
        let library = place.libraries.path().display().to_string();
        let maps = || std::fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default();
        wait(|| maps().contains(&library));
        std::thread::sleep(Duration::from_millis(200));
        let send = || Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(send().success());
        std::thread::sleep(Duration::from_millis(200));
        assert!(
            child.try_wait().unwrap().is_none(),
            "it looks for signals by itself"
        );
        assert!(send().success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert_eq!(std::fs::read(place.at("u.nc")).unwrap(), b"old");
        assert_eq!(place.names(), ["t.cdl", "t.nc", "u.nc"]);
    }
}

fn context() -> ChunkContext {
    ChunkContext {
        shape: vec![24],
        element: StoredElement {
            ty: Atomic::Byte.into(),
            size: 1,
            order: Endianness::Little,
            plain: true,
        },
        fill: Some(vec![1]),
        len: Some(24),
        about: VariableFacts::default(),
    }
}

/// A second plugin for a filter whose known plugins support several threads.
#[test]
fn a_registered_number_does_not_imply_thread_support() {
    let folder = tempfile::tempdir().unwrap();
    library(folder.path(), "libplugin.so", "filter.c", &["-DID=32015"]);
    let search = PluginSearch::only(vec![folder.path().to_owned()]);
    let table = FilterTable::with_plugins(Plugins::new(search, true));
    let spec = FilterSpec {
        id: 32015,
        params: vec![10],
    };
    let chain = table.chain(&[spec], &context()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let (mask, stored) = chain.encode(vec![3; 24], &mut vec![]).unwrap();
                    assert_eq!(mask, 0, "it was entered by two threads");
                    assert_eq!(chain.decode(0, stored, &mut vec![]).unwrap(), [3; 24]);
                }
            });
        }
    });
}

fn isolated(libraries: &Path, program: &str) -> FilterTable {
    let isolation = Isolation {
        program: program.into(),
        patience: Duration::from_secs(60),
        cancel: Cancel::default(),
    };
    let plugins = Plugins::new(PluginSearch::only(vec![libraries.to_owned()]), false);
    FilterTable::with_plugins(plugins.isolated(isolation))
}

/// A plugin that is not listed as safe has one lock in a process, but helpers work at the same time.
#[test]
fn helpers_work_in_parallel() {
    let libraries = tempfile::tempdir().unwrap();
    let together = tempfile::tempdir().unwrap();
    let option = format!("-DTOGETHER=\"{}\"", together.path().display());
    library(libraries.path(), "libplugin.so", "filter.c", &[&option]);
    let table = isolated(libraries.path(), netcdf_tools_tests::helper!());
    let spec = FilterSpec {
        id: ID,
        params: vec![24],
    };
    let chain = table.chain(&[spec], &context()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let (mask, _) = chain.encode(vec![3; 24], &mut vec![]).unwrap();
                assert_eq!(mask, 0, "a helper waited until another one ended");
            });
        }
    });
    assert_eq!(std::fs::read_dir(together.path()).unwrap().count(), 2);
}

/// A program sets the helper executable.
#[test]
fn programs_can_isolate_plugins() {
    let place = Place::new();
    let table = isolated(place.libraries.path(), netcdf_tools_tests::helper!());
    let entry = table.entry(ID).unwrap();
    assert_eq!(entry.prepare(&context(), &[5]).unwrap(), [5]);
    let e = entry.prepare(&context(), &[99]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
    assert!(e.what().ends_with("set_local: 99 is not taken"), "{e}");
    // One megabyte after another, from several threads.
    let mut context = context();
    context.shape = vec![1 << 20];
    context.len = Some(1 << 20);
    let spec = FilterSpec {
        id: ID,
        params: vec![0],
    };
    let chain = table.chain(&[spec], &context).unwrap();
    let chunk: Vec<u8> = (0..1 << 20).map(|n: u32| n.to_le_bytes()[1]).collect();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let (mask, stored) = chain.encode(chunk.clone(), &mut vec![]).unwrap();
                    assert_eq!((mask, stored.first()), (0, Some(&1)));
                    assert!(chain.decode(0, stored, &mut vec![]).unwrap() == chunk);
                }
            });
        }
    });
    for (program, why) in [
        (
            "/nonexistent",
            "cannot start a process for it (/nonexistent: ",
        ),
        ("/bin/true", "/bin/true cannot run plugins"),
    ] {
        let table = isolated(place.libraries.path(), program);
        let e = table.entry(ID).err().unwrap().to_string();
        assert!(e.contains(why), "{e}");
    }
}
