//! HDF5 plugins and NCZarr codec libraries, compiled from C: queries and errors.
#![cfg(target_os = "linux")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use netcdf_core::error::{ErrorKind, Result};
use netcdf_core::filter::plugin::{PluginSearch, Plugins};
use netcdf_core::filter::{ChunkContext, FilterTable, UsableFilter, VariableFacts, codec};
use netcdf_core::json::Json;
use netcdf_core::model::{Atomic, Endianness, FilterSpec, StoredElement, ZarrVersion};
use netcdf_tools_tests::plugins::{library, needed};
use tempfile::TempDir;

/// The filter of the test plugin.
const ID: u32 = 40100;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn plugins(directories: &[&Path]) -> Plugins {
    let directories = directories.iter().map(|d| d.to_path_buf()).collect();
    Plugins::new(PluginSearch::only(directories), false)
}

fn table(directory: &Path) -> FilterTable {
    FilterTable::with_plugins(plugins(&[directory]))
}

fn spec(id: u32, params: &[u32]) -> FilterSpec {
    FilterSpec {
        id,
        params: params.to_vec(),
    }
}

/// Returns a chunk of 3 x 4 big-endian shorts with the fill value 258, after shuffle.
fn context() -> ChunkContext {
    ChunkContext {
        shape: vec![3, 4],
        element: StoredElement {
            ty: Atomic::Short.into(),
            size: 2,
            order: Endianness::Big,
            plain: true,
        },
        fill: Some(vec![1, 2]),
        len: Some(24),
        about: VariableFacts {
            class: None,
            filters: vec![spec(2, &[2]), spec(ID, &[5])],
            ..VariableFacts::default()
        },
    }
}

/// The mask and the bytes of a chunk.
type Stored = (u32, Vec<u8>);

/// Returns the result of writing a chunk, with its mask, and the result of reading the stored chunk.
fn both_ways(table: &FilterTable, params: &[u32]) -> (Result<Stored>, Result<Vec<u8>>) {
    let mut context = context();
    context.about = VariableFacts::default();
    let chain = table.chain(&[spec(ID, params)], &context).unwrap();
    let chunk: Vec<u8> = (0..24).collect();
    let stored = chain.encode(chunk.clone(), &mut vec![]);
    let (mask, bytes) = match &stored {
        Ok((mask, bytes)) => (*mask, bytes.clone()),
        Err(_) => (0, chunk),
    };
    (stored, chain.decode(mask, bytes, &mut vec![]))
}

#[test]
fn plugins_are_told_of_the_chunk() {
    let folder = folder();
    library(folder.path(), "libplugin.so", "filter.c", &[]);
    let table = table(folder.path());
    let entry = table.entry(ID).unwrap();
    assert!(matches!(&entry, UsableFilter::Plugin(p) if p.name == "one more"));
    let stored = entry.prepare(&context(), &[5, 1]).unwrap();
    // Class, size, order, sign, precision, no base type. Two filters; the first is filter 2, and optional. A user-defined fill value. 12
    // elements in 2 dimensions, and the chunk shape. A predefined type.
    assert_eq!(
        stored,
        [
            5,
            0,
            2,
            1,
            1,
            16,
            0,
            2,
            2,
            1,
            2,
            0xffff_0102,
            12,
            2,
            3,
            4,
            4
        ]
    );
    // A type equals itself and its copy. The chunk's big-endian type differs from the native type on a little-endian machine.
    let big = u32::from(cfg!(target_endian = "big"));
    assert_eq!(
        entry.prepare(&context(), &[5, 2]).unwrap(),
        [1, 1, big, 0, 0, 1, 0, 2 - big, 1, 1, u32::MAX, 0]
    );
    assert_eq!(entry.prepare(&context(), &[5]).unwrap(), [5]);
    let e = entry.prepare(&context(), &[99]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
    assert!(
        e.what()
            .ends_with("the parameters 99: set_local: 99 is not taken"),
        "{e}"
    );
}

#[test]
fn unsupported_chunks_of_plugins_are_refused() {
    let folder = folder();
    library(folder.path(), "libplugin.so", "filter.c", &[]);
    let table = table(folder.path());
    let mut long = context();
    long.element.size = 8;
    long.element.ty = Atomic::Double.into();
    long.shape = vec![3];
    let e = table.entry(ID).unwrap().prepare(&long, &[]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    let chain = table.chain(&[spec(ID, &[])], &long).unwrap();
    let e = chain.encode(vec![0; 24], &mut vec![]).unwrap_err();
    assert!(
        e.what()
            .contains("it cannot be applied to this type or chunk"),
        "{e}"
    );
    // Reading calls no query functions.
    assert_eq!(chain.decode(0, vec![1; 24], &mut vec![]).unwrap(), [0; 24]);
}

#[test]
fn deviations_of_plugins_are_survived() {
    let folder = folder();
    library(folder.path(), "libplugin.so", "filter.c", &[]);
    let table = table(folder.path());
    let chunk: Vec<u8> = (0..24).collect();
    let more: Vec<u8> = (1..25).collect();
    for how in [0, 1, 7] {
        let (stored, read) = both_ways(&table, &[how]);
        assert_eq!(stored.unwrap(), (0, more.clone()), "{how}");
        assert_eq!(read.unwrap(), chunk, "{how}");
    }
    let (stored, read) = both_ways(&table, &[2]);
    assert_eq!(stored.unwrap(), (0, [&more[..], &[0; 24]].concat()));
    assert_eq!(read.unwrap(), chunk);
    // These filters are optional: a chunk that fails on writing is stored without the filter.
    for how in [3, 4, 6, 9, 11, 12] {
        let (stored, read) = both_ways(&table, &[how]);
        if let 6 | 12 = how {
            // A plugin that wrote beyond its buffer has corrupted memory.
            let e = stored.unwrap_err();
            let why = "it returns 1048600 bytes, more than its buffer holds";
            assert!(e.what().ends_with(why), "{how}: {e}");
        } else {
            assert_eq!(stored.unwrap(), (1, chunk.clone()), "{how}");
            assert_eq!(read.unwrap(), chunk, "{how}");
        }
        let chain = table.chain(&[spec(ID, &[how])], &context()).unwrap();
        let e = chain.decode(0, chunk.clone(), &mut vec![]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
        let why = match how {
            4 => "it failed: filter: it is %d",
            6 | 12 => "it returns 1048600 bytes, more than its buffer holds",
            9 => "it returns 24 bytes, more than its buffer holds",
            _ => "it failed",
        };
        assert!(e.what().ends_with(why), "{how}: {e}");
    }
    let (_, read) = both_ways(&table, &[8]);
    let e = read.unwrap_err();
    assert_eq!(
        e.what(),
        "a chunk of 23 bytes after its filters, expected 24"
    );
}

#[test]
fn a_plugin_works_in_one_thread_at_a_time() {
    let folder = folder();
    library(folder.path(), "libplugin.so", "filter.c", &[]);
    let table = table(folder.path());
    // All tables share loaded libraries.
    let other = self::table(folder.path());
    let all = std::thread::scope(|scope| {
        let threads: Vec<_> = [&table, &table, &other, &other]
            .map(|table| {
                let both = || (0..50).map(|_| both_ways(table, &[10]));
                scope.spawn(move || both().collect::<Vec<_>>())
            })
            .into_iter()
            .collect();
        threads
            .into_iter()
            .flat_map(|t| t.join().unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(all.len(), 200);
    for (stored, read) in all {
        assert_eq!(stored.unwrap().0, 0);
        assert_eq!(read.unwrap(), (0..24).collect::<Vec<u8>>());
    }
}

#[test]
fn output_without_a_known_length_is_limited() {
    let folder = folder();
    library(folder.path(), "libplugin.so", "filter.c", &[]);
    let table = table(folder.path());
    let mut context = context().of_any_length();
    context.shape = vec![1];
    let big = vec![1; context.limit() + 1];
    let chain = table.chain(&[spec(ID, &[])], &context).unwrap();
    let e = chain.decode(0, big, &mut vec![]).unwrap_err();
    assert!(e.what().contains("expected at most"), "{e}");
}

/// Returns the plugin that a search finds, or the error message.
fn found(plugins: &Plugins) -> (Option<PathBuf>, String) {
    let path = plugins.filter(ID).map(|p| p.path.clone());
    (path, plugins.searched())
}

#[test]
fn other_files_are_skipped_with_a_reason() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let touched = at("touched");
    let touch = format!("-DTOUCH=\"{}\"", touched.display());
    let make = |name: &str, options: &[&str]| library(folder.path(), name, "filter.c", options);
    std::fs::write(at("liba_text.so"), "a text").unwrap();
    symlink("nowhere", at("libb_link.so")).unwrap();
    make("libc_missing.so", &["-DMISSING"]);
    make("libd_undefined.so", &["-DUNDEFINED"]);
    make("libe_version.so", &["-DVERSION=2"]);
    make("libf_type.so", &["-DTYPE=1"]);
    make("libg_hidden.so", &["-DHIDDEN", &touch]);
    let machine = make("libh_machine.so", &[]);
    let mut bytes = std::fs::read(&machine).unwrap();
    bytes[18] = 40;
    std::fs::write(&machine, bytes).unwrap();
    let written = make("libi_all.so", &[]);
    std::fs::set_permissions(&written, std::fs::Permissions::from_mode(0o777)).unwrap();
    make("nolib.so", &[]);
    std::fs::create_dir(at("libj.so")).unwrap();
    let (path, said) = found(&plugins(&[folder.path()]));
    assert_eq!(path, None);
    for reason in [
        "liba_text.so: not an ELF file",
        "libb_link.so: a dangling link to nowhere",
        "libc_missing.so: it uses functions that are not supported: H5Dget_storage_size",
        "libd_undefined.so: undefined symbol: a_function_of_nobody",
        "libe_version.so: its filter is of version 2, not 1",
        "libf_type.so: a plugin of HDF5 of type 1, not a filter",
        "libh_machine.so: built for arm, not for ",
        "libi_all.so: writable by all users",
    ] {
        assert!(said.contains(reason), "{reason} is not in {said}");
    }
    assert!(!touched.exists(), "a library that is no plugin was loaded");
    assert!(
        !said.contains("libg_hidden") && !said.contains("nolib"),
        "{said}"
    );
    // A valid plugin is used, even after invalid files.
    let good = make("libz.so.1", &[&touch]);
    let (path, _) = found(&plugins(&[folder.path()]));
    assert_eq!((path, touched.exists()), (Some(good), true));
}

#[test]
fn directories_are_searched_in_their_order() {
    let (a, b) = (folder(), folder());
    let missing = a.path().join("missing");
    let first = library(a.path(), "libx.so", "filter.c", &[]);
    library(b.path(), "libx.so", "filter.c", &[]);
    symlink(&first, a.path().join("liba.so")).unwrap();
    // A link stands for its target file, which is loaded once.
    let set = plugins(&[&missing, a.path(), b.path()]);
    let (path, said) = found(&set);
    assert_eq!(path, Some(a.path().join("liba.so")));
    assert!(said.ends_with("missing and 2 more directories"), "{said}");
    let (_, said) = found(&plugins(&[&missing, b.path()]));
    assert!(said.contains("missing (does not exist), "), "{said}");
    let set = plugins(&[&first, b.path()]);
    let (path, said) = found(&set);
    assert_eq!(path, Some(b.path().join("libx.so")));
    assert!(said.contains("libx.so (not a directory)"), "{said}");
    std::fs::set_permissions(b.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let (path, said) = found(&plugins(&[b.path()]));
    assert_eq!(path, None);
    assert!(said.contains("(writable by all users)"), "{said}");
}

#[test]
fn a_missing_libhdf5_is_replaced() {
    let folder = folder();
    let other = needed(folder.path(), "libhdf5.so.999");
    let options = ["-Wl,--no-as-needed", other.to_str().unwrap()];
    library(folder.path(), "libplugin.so", "filter.c", &options);
    std::fs::remove_file(&other).unwrap();
    assert!(plugins(&[folder.path()]).filter(ID).is_some());
    // Functions of other libraries are not provided.
    let other = needed(folder.path(), "libzap.so.999");
    let options = ["-Wl,--no-as-needed", other.to_str().unwrap()];
    let folder = self::folder();
    library(folder.path(), "libplugin.so", "filter.c", &options);
    std::fs::remove_file(&other).unwrap();
    let (path, said) = found(&plugins(&[folder.path()]));
    assert_eq!(path, None);
    assert!(
        said.contains("libzap.so.999: cannot open shared object"),
        "{said}"
    );
}

#[test]
fn preferred_plugins_come_before_built_in_filters() {
    let folder = folder();
    library(folder.path(), "libplugin.so", "filter.c", &["-DID=307"]);
    for prefer in [false, true] {
        let search = PluginSearch::only(vec![folder.path().to_owned()]);
        let table = FilterTable::with_plugins(Plugins::new(search, prefer));
        let is_plugin = matches!(table.entry(307), Ok(UsableFilter::Plugin(_)));
        assert_eq!(is_plugin, prefer);
        assert!(matches!(table.entry(1), Ok(UsableFilter::BuiltIn(_))));
    }
}

#[test]
fn codec_libraries_extend_the_table_of_zarr() {
    let folder = folder();
    library(folder.path(), "libcodec.so", "codec.c", &[]);
    let table = FilterTable::with_plugins(plugins(&[folder.path()]));
    for (version, text) in [
        (ZarrVersion::V2, r#"{"id": "more", "more": 12}"#),
        (
            ZarrVersion::V3,
            r#"{"name": "more", "configuration": {"more": 12}}"#,
        ),
    ] {
        let json = Json::parse(text.as_bytes()).unwrap();
        let spec = codec::from_json(version, &json, &context(), &table).unwrap();
        assert_eq!((spec.id, spec.params[0], spec.params.len()), (ID, 12, 8));
        let back = codec::to_json(version, &spec, &context(), &table).unwrap();
        assert_eq!(String::from_utf8(back.to_bytes()).unwrap(), text);
    }
    // Built-in codecs remain in use.
    let zlib = Json::parse(br#"{"id": "zlib", "level": 3}"#).unwrap();
    let spec = codec::from_json(ZarrVersion::V2, &zlib, &context(), &table).unwrap();
    assert_eq!((spec.id, spec.params), (1, vec![3]));
    let other = Json::parse(br#"{"id": "other"}"#).unwrap();
    let spec = codec::from_json(ZarrVersion::V2, &other, &context(), &table).unwrap();
    assert_eq!(spec.id, codec::UNKNOWN);
    let e = table.check(&[spec], 0).unwrap_err().to_string();
    assert!(e.starts_with("codec other is not available") && e.contains("no plugin for it in"));
}

#[test]
fn codecs_go_from_json_to_parameters_and_back() {
    let folder = folder();
    let touched = folder.path().join("touched");
    let touch = format!("-DTOUCH=\"{}\"", touched.display());
    library(folder.path(), "libcodec.so", "codec.c", &[&touch]);
    let plugins = plugins(&[folder.path()]);
    let codec = plugins.codec("more").unwrap();
    assert_eq!((codec.filter, codec.name.as_str()), (ID, "more"));
    assert_eq!(
        codec.parameters(br#"{"id":"more","more": 12}"#).unwrap(),
        [12]
    );
    assert_eq!(codec.json(&[12]).unwrap(), br#"{"id": "more", "more": 12}"#);
    let made = codec.modify(&context(), &[12]).unwrap();
    assert_eq!(made.visible, [12, 7]);
    // A short in two dimensions, of two bytes. The last dimension is the first dimension of the chunk. Chunked, big-endian.
    assert_eq!(made.working, [12, 3, 2, 2, 4, 3, 0, 2]);
    let e = codec.parameters(b"{}").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
    assert!(
        e.what().ends_with("it does not take {} (error -137)"),
        "{e}"
    );
    assert!(codec.json(&[]).is_err() && codec.parameters(b"\0").is_err());
    drop((codec, plugins));
    assert_eq!(
        std::fs::read(&touched).unwrap(),
        b"0",
        "what was made ready is finished"
    );
}

#[test]
fn deviations_of_codecs_are_survived() {
    let made = |options: &[&str]| {
        let folder = folder();
        library(folder.path(), "libcodec.so", "codec.c", options);
        let plugins = plugins(&[folder.path()]);
        (plugins.codec("more"), plugins.searched())
    };
    let codec = made(&["-DMANY=1000"]).0.unwrap();
    let e = codec.modify(&context(), &[12]).unwrap_err();
    assert!(e.what().ends_with("it returns 1000 parameters"), "{e}");
    let codec = made(&["-DSAME"]).0.unwrap();
    let both = codec.modify(&context(), &[12]).unwrap();
    assert_eq!((both.visible, both.working), (vec![12, 7], vec![12, 7]));
    for (options, why) in [
        (&["-DSHORT"][..], "its codec is of version 3 and sort 1"),
        (
            &["-DDEFAULTS", "-DBYTES=1"],
            "it does not describe its codecs",
        ),
    ] {
        let (codec, said) = made(options);
        assert!(codec.is_none() && said.contains(why), "{said}");
    }
}

#[test]
fn no_parameters_have_no_address() {
    let folder = folder();
    library(folder.path(), "libcodec.so", "codec.c", &["-DNONE"]);
    let found = plugins(&[folder.path()]);
    let codec = found.codec("more").unwrap();
    assert_eq!(codec.json(&[]).unwrap(), br#"{"id": "more"}"#);
    let made = codec.modify(&context(), &[]).unwrap();
    assert!(made.visible.is_empty() && made.working.is_empty());
    library(folder.path(), "libplugin.so", "filter.c", &[]);
    let (stored, read) = both_ways(&table(folder.path()), &[]);
    assert_eq!(stored.unwrap(), (0, (1..25).collect()));
    assert_eq!(read.unwrap(), (0..24).collect::<Vec<u8>>());
}

#[test]
fn codecs_of_a_library_work_in_one_thread_at_a_time() {
    let folder = folder();
    library(
        folder.path(),
        "libcodec.so",
        "codec.c",
        &["-DDEFAULTS", "-DSLOW"],
    );
    let json = br#"{"id":"more","more": 12}"#;
    let parameters = |name: &str| {
        let codec = plugins(&[folder.path()]).codec(name).unwrap();
        codec.parameters(json)
    };
    // Each thread has its own codec: a thread can finish while other threads work.
    std::thread::scope(|scope| {
        for name in ["more", "zlib", "more", "zlib"] {
            scope.spawn(move || {
                for _ in 0..50 {
                    assert_eq!(parameters(name).unwrap(), [12], "{name}");
                }
            });
        }
    });
}

#[test]
fn defaults_serve_filters_that_no_library_describes() {
    let (a, b) = (folder(), folder());
    library(
        a.path(),
        "liball.so",
        "codec.c",
        &["-DDEFAULTS", "-DNAME=\"theirs\""],
    );
    library(b.path(), "libone.so", "codec.c", &["-DNAME=\"own\""]);
    library(b.path(), "libtwo.so", "codec.c", &["-DNAME=\"late\""]);
    library(
        b.path(),
        "libold.so",
        "codec.c",
        &["-DID=40101", "-DVERSION=3"],
    );
    let plugins = plugins(&[a.path(), b.path()]);
    let name = |id| plugins.codec_of(id).map(|c| c.name.clone());
    assert_eq!(name(ID).as_deref(), Some("own"));
    assert_eq!(name(1).as_deref(), Some("zlib"));
    assert_eq!(name(40101), None);
    assert!(plugins.codec("theirs").is_none());
    assert!(
        plugins
            .searched()
            .contains("its codec is of version 3 and sort 1")
    );
}

#[test]
fn unloadable_files_are_reported_once() {
    let folder = folder();
    let codec_source = netcdf_tools_tests::files::root().join("tests/plugins/codec.c");
    let options = [codec_source.to_str().unwrap(), "-DUNDEFINED"];
    library(folder.path(), "libboth.so", "filter.c", &options);
    let plugins = plugins(&[folder.path()]);
    assert!(plugins.filter(ID).is_none() && plugins.codecs().is_empty());
    let said = plugins.searched();
    assert_eq!(said.matches("undefined symbol").count(), 1, "{said}");
}

#[test]
fn one_library_may_have_filter_and_codec() {
    let folder = folder();
    let codec_source = netcdf_tools_tests::files::root().join("tests/plugins/codec.c");
    let options = [codec_source.to_str().unwrap()];
    library(folder.path(), "libboth.so", "filter.c", &options);
    let plugins = plugins(&[folder.path()]);
    let filter = plugins.filter(ID).unwrap();
    let codec = plugins.codec_of(ID).unwrap();
    assert_eq!(filter.path, codec.path);
    let other = self::folder();
    let options = [codec_source.to_str().unwrap(), "-DFILTER=40103"];
    library(other.path(), "libdiffer.so", "filter.c", &options);
    let plugins = self::plugins(&[other.path()]);
    assert!(plugins.codecs().is_empty());
    let why = "its filter is 40100, its codec is for 40103";
    assert!(plugins.searched().contains(why), "{}", plugins.searched());
}

/// Runs a tool as a process with these plugin directories.
fn tool(folder: &Path, variables: &[(&str, &str)], args: &[&str]) -> Output {
    let mut tool = netcdf_tools_tests::tool!();
    tool.env_remove("HDF5_PLUGIN_PATH")
        .env_remove("HDF5_PLUGIN_PRELOAD");
    tool.current_dir(folder)
        .args(args)
        .envs(variables.iter().copied());
    tool.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const CDL: &str = "netcdf t {
dimensions:
\tx = 4 ;
variables:
\tint v(x) ;
\t\tv:_FillValue = 0 ;
\t\tv:_Storage = \"chunked\" ;
\t\tv:_ChunkSizes = 4 ;
\t\tv:_Filter = \"40100,5\" ;
data:

 v = 1, 2, 3, 4 ;
}
";

#[test]
fn tools_use_plugins() {
    let (files, libraries) = (folder(), folder());
    library(libraries.path(), "libplugin.so", "filter.c", &[]);
    std::fs::write(files.path().join("t.cdl"), CDL).unwrap();
    let path = libraries.path().to_str().unwrap();
    let with = [("HDF5_PLUGIN_PATH", path)];
    let run = |args: &[&str]| tool(files.path(), &with, args);
    let made = run(&["ncgen", "-4", "-o", "t.nc", "t.cdl"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let dumped = run(&["ncdump", "-n", "t", "t.nc"]);
    assert!(text(&dumped.stdout).ends_with(" v = 1, 2, 3, 4 ;\n}\n"));
    // The plugin's output goes to standard error.
    assert!(!text(&dumped.stdout).contains("prints"));
    assert!(text(&dumped.stderr).contains("a plugin prints"));
    let copied = run(&["nccopy", "-F", "v,40100,0,1", "t.nc", "u.nc"]);
    assert!(copied.status.success(), "{}", text(&copied.stderr));
    let dumped = text(&run(&["ncdump", "-s", "u.nc"]).stdout);
    assert!(
        dumped.contains("v:_Filter = \"40100,0,0,4,0,1,32,0,1,40100,1,"),
        "{dumped}"
    );
    let listed = text(&run(&["ncdump", "--filters", "u.nc"]).stdout);
    assert!(
        listed.contains(&format!("plugin {path}/libplugin.so")),
        "{listed}"
    );
}

/// Names of parameters become the form that the plugin expects: it does not have ours.
#[test]
fn named_parameters_reach_a_preferred_plugin_in_its_own_form() {
    let (files, libraries) = (folder(), folder());
    let options = ["-DID=32001", "-DUNCHANGED"];
    library(libraries.path(), "libblosc.so", "filter.c", &options);
    let cdl = "netcdf t { dimensions: x = 4 ; variables: int v(x) ; data: v = 1, 2, 3, 4 ; }";
    std::fs::write(files.path().join("t.cdl"), cdl).unwrap();
    let with = [("HDF5_PLUGIN_PATH", libraries.path().to_str().unwrap())];
    let run = |args: &[&str]| {
        let done = tool(files.path(), &with, args);
        assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
        text(&done.stdout)
    };
    run(&["ncgen", "-o", "t.nc", "t.cdl"]);
    for (named, stored) in [
        ("codec=zstd,level=9", "32001,0,0,0,0,9,1,5"),
        ("codec=lz4,shuffle=bits", "32001,0,0,0,0,5,2,1"),
        ("level=1,shuffle=none", "32001,0,0,0,0,1,0,0"),
    ] {
        let filter = format!("v,blosc,{named}");
        let copy = ["-k", "nc4", "-F", &filter, "t.nc", "u.nc"];
        run(&[&["nccopy", "--prefer-plugins"], &copy[..]].concat());
        let dumped = run(&["ncdump", "--prefer-plugins", "-s", "u.nc"]);
        let wanted = format!("v:_Filter = \"{stored}\" ;");
        assert!(dumped.contains(&wanted), "{named}: {dumped}");
        assert!(dumped.ends_with(" v = 1, 2, 3, 4 ;\n}\n"), "{dumped}");
        // The built-in filter also stores sizes.
        run(&[&["nccopy"], &copy[..]].concat());
        let dumped = run(&["ncdump", "-s", "u.nc"]);
        assert!(dumped.contains("v:_Filter = \"32001,2,2,4,16,"), "{dumped}");
        assert!(dumped.ends_with(" v = 1, 2, 3, 4 ;\n}\n"), "{dumped}");
    }
}

#[test]
fn copies_ask_whether_a_plugin_can_be_applied_with_the_fill_value() {
    let (files, libraries) = (folder(), folder());
    library(
        libraries.path(),
        "libplugin.so",
        "filter.c",
        &["-DWITH_FILL"],
    );
    std::fs::write(files.path().join("t.cdl"), CDL).unwrap();
    let with = [("HDF5_PLUGIN_PATH", libraries.path().to_str().unwrap())];
    for args in [
        &["ncgen", "-4", "-o", "t.nc", "t.cdl"][..],
        &["nccopy", "-F", "v,40100,0", "t.nc", "u.nc"],
    ] {
        let done = tool(files.path(), &with, args);
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
}

#[test]
fn plugin_output_stays_out_of_standard_output() {
    let (files, libraries) = (folder(), folder());
    library(libraries.path(), "libplugin.so", "filter.c", &[]);
    std::fs::write(files.path().join("t.cdl"), CDL).unwrap();
    let with = [("HDF5_PLUGIN_PATH", libraries.path().to_str().unwrap())];
    let run = |args: &[&str]| tool(files.path(), &with, args);
    assert!(
        run(&["ncgen", "-4", "-o", "t.nc", "t.cdl"])
            .status
            .success()
    );
    let file = std::fs::read(files.path().join("t.nc")).unwrap();
    for name in [
        "/dev/stdout",
        "/dev/fd/1",
        "/proc/self/fd/1",
        "/proc/thread-self/fd/1",
    ] {
        let made = run(&["ncgen", "-4", "-o", name, "t.cdl"]);
        assert!(made.status.success(), "{name}: {}", text(&made.stderr));
        assert!(made.stdout == file, "{name}: {} bytes", made.stdout.len());
        assert!(text(&made.stderr).contains("a plugin prints"), "{name}");
    }
}

/// A crash of a plugin ends the program, and outputs do not change.
#[test]
fn a_plugin_crash_does_not_change_outputs() {
    use std::os::unix::process::ExitStatusExt;
    let (files, libraries) = (folder(), folder());
    library(libraries.path(), "libplugin.so", "filter.c", &[]);
    std::fs::write(files.path().join("t.cdl"), CDL).unwrap();
    let path = libraries.path().to_str().unwrap();
    let with = [("HDF5_PLUGIN_PATH", path)];
    let run = |args: &[&str]| tool(files.path(), &with, args);
    assert!(
        run(&["ncgen", "-4", "-o", "t.nc", "t.cdl"])
            .status
            .success()
    );
    std::fs::write(files.path().join("old.nc"), "old").unwrap();
    for output in ["old.nc", "new.nc"] {
        let crashed = run(&["nccopy", "-F", "v,40100,13", "t.nc", output]);
        assert!(crashed.status.signal().is_some(), "{:?}", crashed.status);
    }
    assert_eq!(std::fs::read(files.path().join("old.nc")).unwrap(), b"old");
    assert!(!files.path().join("new.nc").exists());
}

#[test]
fn errors_list_the_searched_directories() {
    let (files, libraries, empty) = (folder(), folder(), folder());
    library(libraries.path(), "libplugin.so", "filter.c", &[]);
    std::fs::write(files.path().join("t.cdl"), CDL).unwrap();
    let path = libraries.path().to_str().unwrap();
    let with = [("HDF5_PLUGIN_PATH", path)];
    let made = tool(files.path(), &with, &["ncgen", "-4", "-o", "t.nc", "t.cdl"]);
    assert!(made.status.success());
    std::fs::write(empty.path().join("libtext.so"), "text").unwrap();
    let dir = empty.path().to_str().unwrap();
    let two = format!("{dir}:relative/dir:/not/there");
    let off = [("HDF5_PLUGIN_PATH", path), ("HDF5_PLUGIN_PRELOAD", "::")];
    for (variables, said) in [
        (
            &[("HDF5_PLUGIN_PATH", "")][..],
            "HDF5_PLUGIN_PATH names no directory".to_owned(),
        ),
        (
            &[("HDF5_PLUGIN_PATH", two.as_str())],
            format!(
                "no plugin for it in {dir}, /not/there (does not exist); {dir}/libtext.so: not an ELF file; relative/dir in HDF5_PLUGIN_PATH is not an absolute path"
            ),
        ),
        (
            &off,
            "plugins are switched off by HDF5_PLUGIN_PRELOAD".to_owned(),
        ),
        (
            &[],
            "no plugin for it in /usr/local/hdf5/lib/plugin".to_owned(),
        ),
    ] {
        let run = |args: &[&str]| tool(files.path(), variables, args);
        let header = run(&["ncdump", "-hs", "t.nc"]);
        assert!(header.status.success() && header.stderr.is_empty());
        let dumped = run(&["ncdump", "t.nc"]);
        let message = text(&dumped.stderr);
        assert!(message.contains(&said), "{said} is not in {message}");
        assert_eq!(dumped.status.code(), Some(1));
        assert!(text(&dumped.stdout).contains("// v: data omitted: filter 40100"));
        let made = run(&["ncgen", "-4", "-o", "new.nc", "t.cdl"]);
        assert!(text(&made.stderr).contains(&said), "{}", text(&made.stderr));
        assert_eq!(made.status.code(), Some(1));
        let copied = run(&["nccopy", "-d", "1", "t.nc", "new.nc"]);
        assert!(
            text(&copied.stderr).contains(&said),
            "{}",
            text(&copied.stderr)
        );
        assert_eq!(copied.status.code(), Some(1));
        assert!(!files.path().join("new.nc").exists());
        // Unchanged chunks need no filter.
        let moved = run(&["nccopy", "t.nc", "moved.nc"]);
        assert!(moved.status.success(), "{}", text(&moved.stderr));
    }
    let moved = tool(files.path(), &with, &["ncdump", "moved.nc"]);
    assert!(text(&moved.stdout).ends_with(" v = 1, 2, 3, 4 ;\n}\n"));
}
