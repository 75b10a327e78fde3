//! House rules without a lint: the tests search the sources.

use std::path::Path;

use netcdf_tools_tests::arguments::with_tuples;
use netcdf_tools_tests::files::{root, walk};

/// Returns the Rust files of the workspace: path from the root, and text.
fn sources() -> Vec<(String, String)> {
    let root = root();
    let text = |path: &Path| std::fs::read_to_string(path).expect("a readable source");
    let short = |path: &Path| {
        path.strip_prefix(&root)
            .expect("under the root")
            .display()
            .to_string()
    };
    let all: Vec<_> = walk(&root, "rs")
        .iter()
        .map(|p| (short(p), text(p)))
        .collect();
    assert!(all.len() > 50, "only {} sources found", all.len());
    all
}

/// Returns the code of a line, without comments and strings.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Returns the code lines for which `wrong` is true, as `path:line: text`.
fn lines(take: impl Fn(&str) -> bool, wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources().iter().filter(|(path, _)| take(path)) {
        let hits = text
            .lines()
            .enumerate()
            .filter(|(_, line)| wrong(code(line)));
        found.extend(hits.map(|(n, line)| format!("{path}:{}: {}", n + 1, line.trim())));
    }
    found
}

/// This file contains the forbidden words.
fn elsewhere(path: &str) -> bool {
    path != "tests/tests/house/rules.rs"
}

/// The folders with unsafe code: HDF5 plugins, and the border of the C library.
const UNSAFE: [&str; 2] = ["netcdf-core/src/filter/plugin", BORDER];
const BORDER: &str = "netcdf-core/capi/src/border/";
/// Maximum number of unsafe blocks and implementations at the border of the C library.
const BORDER_BLOCKS: usize = 40;

#[test]
fn unsafe_code_is_in_two_folders() {
    let found = lines(
        |path| elsewhere(path) && !UNSAFE.iter().any(|folder| path.starts_with(folder)),
        |line| {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.clone().any(|w| w == "unsafe" || w == "no_mangle")
                || (line.contains("unsafe_code")
                    && !line.contains("forbid(")
                    && !line.contains("deny("))
        },
    );
    assert_eq!(found, [""; 0]);
}

/// Exported names need an attribute, which is no block.
#[test]
fn unsafe_blocks_at_the_border_state_their_reasons() {
    let mut blocks = 0;
    let mut bare = vec![];
    for (path, text) in sources() {
        if !path.starts_with(BORDER) {
            continue;
        }
        let all: Vec<_> = text.lines().collect();
        for (n, line) in all.iter().enumerate() {
            let word = code(line).contains("unsafe ") && !line.contains("unsafe trait");
            if !word {
                continue;
            }
            blocks += 1;
            let above = &all[n.saturating_sub(3)..n];
            if !above.iter().any(|line| line.contains("// SAFETY: ")) {
                bare.push(format!("{path}:{}: {}", n + 1, line.trim()));
            }
        }
    }
    assert_eq!(bare, [""; 0]);
    assert!((10..=BORDER_BLOCKS).contains(&blocks), "{blocks} blocks");
}

#[test]
fn every_crate_forbids_unsafe_code() {
    let roots: Vec<_> = sources()
        .into_iter()
        .filter(|(path, _)| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs"))
        .collect();
    assert!(roots.len() >= 11, "{} crate roots found", roots.len());
    for (path, text) in roots {
        let want = match path.starts_with("netcdf-core/") {
            true => "#![deny(unsafe_code)]",
            false => "#![forbid(unsafe_code)]",
        };
        assert!(text.contains(want), "{path} lacks {want}");
    }
}

/// The unit tests of zdump may create stores.
#[test]
fn zdump_writes_to_no_store() {
    let wrong = [".put(", ".put_if_absent(", ".delete("];
    let files = sources().into_iter();
    let files = files.filter(|(path, _)| path.starts_with("zdump/src/") && !path.contains("tests"));
    let mut seen = 0;
    for (path, text) in files {
        seen += 1;
        let own = text.split("#[cfg(test)]\nmod tests {").next();
        let own = own.unwrap_or_default().lines().map(code);
        let found: Vec<_> = own
            .filter(|line| wrong.iter().any(|w| line.contains(w)))
            .collect();
        assert_eq!(found, [""; 0], "{path}");
    }
    assert!(seen > 20, "only {seen} files");
}

#[test]
fn the_model_does_no_io() {
    let found = lines(
        |path| path.starts_with("netcdf-core/src/model/"),
        |line| line.contains("std::fs") || line.contains("std::io"),
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn files_are_renamed_in_one_place() {
    let calls = [
        "fs::rename",
        "hard_link(",
        ".persist(",
        "read_exact_at",
        "write_all_at",
    ];
    let found = lines(
        |path| {
            elsewhere(path)
                && path.contains("/src/")
                && !path.contains("/tests")
                && !path.starts_with("netcdf-core/src/io/file")
        },
        |line| calls.iter().any(|call| line.contains(call)),
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn output_goes_to_the_writer_handed_in() {
    // The output name `/dev/stdout` is also the standard output of the process. Programs of the tests have no caller that passes a writer.
    let own = [
        // A helper receives requests on a socket, which is its standard input.
        "netcdf-core/src/filter/plugin/helper/serve.rs",
        "tests/src/bin/helper/appendrecords.rs",
        "tests/src/bin/helper/h5sums.rs",
        "tests/src/bin/helper/storevalues.rs",
        "tests/src/bin/helper/chunkfilter.rs",
        "tests/src/bin/helper/filterspecs.rs",
        "tests/src/bin/helper/s3.rs",
        "netcdf-core/src/tool/mod.rs",
        "netcdf-core/src/io/stdout.rs",
    ];
    let found = lines(
        |path| path.contains("/src/") && elsewhere(path) && !own.contains(&path),
        |line| line.contains("io::stdout()") || line.contains("io::stdin()"),
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn there_is_no_global_mutable_state() {
    // Allowed state belongs to the process: workers, network threads, file descriptors, the original descriptor 1, loaded libraries, and
    // whether a library runs at exit. Plugins may share libraries, so one lock protects them. Thread-local state never changes a result:
    // the current job of a thread, working memory of compressors, the chunk of the current plugin call, and a checksum switch of unit
    // tests. The writable data of libhdf5 is never written.
    let kept = [
        "runtime/mod.rs",
        "runtime/turns.rs",
        // A test counts decoded chunks.
        "copy/tests/verified.rs",
        "filter/deflate.rs",
        "filter/lz4.rs",
        "filter/plugin/guard.rs",
        "filter/plugin/stdout_check.rs",
        "filter/plugin/host/data.rs",
        "filter/plugin/host/mod.rs",
        "filter/plugin/library.rs",
        "filter/plugin/threads.rs",
        "filter/zstd.rs",
        // Open datasets, settings, threads and calls of a C program.
        "capi/src/handles.rs",
        "capi/src/library.rs",
        "capi/src/threads.rs",
        "capi/src/border/fork.rs",
        "capi/src/border/last_error.rs",
        "capi/src/border/symbols.rs",
        "hdf5/checksum.rs",
        "io/remote/wait.rs",
        "io/stdout.rs",
    ];
    let other = |path: &str| !kept.iter().any(|k| path.ends_with(k));
    let found = lines(
        |path| elsewhere(path) && other(path) && path.contains("/src/"),
        |line| {
            let starts = line.trim_start().trim_start_matches("pub ");
            starts.starts_with("static mut ")
                || (starts.starts_with("static ")
                    && ["Mutex", "RwLock", "Atomic", "OnceLock", "Cell"]
                        .iter()
                        .any(|m| line.contains(m)))
                || line.contains("thread_local!")
        },
    );
    assert_eq!(found, [""; 0]);
}

/// Returns code without comments, unit tests and white space, because calls may span several lines.
fn close(text: &str) -> String {
    let own = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = own.unwrap_or_default().lines().map(code);
    lines.flat_map(str::split_whitespace).collect()
}

/// Tools and copies read variables through `chunk::Dataset`, which caches chunks. They never call a reader or a filter directly. In
/// `chunk::dataset`, one file calls readers. Exceptions are readers on top of another reader, the readers of formats, and `zdump`, which
/// has no reader.
#[test]
fn chunks_are_read_in_one_way() {
    let calls = [
        "bytes().fetch(",
        "reader.locate(",
        "reader).locate(",
        "input.locate(",
        "reader.read_box(",
        "filters.chain(",
        "source.read_at(",
    ];
    let own = [
        "netcdf-core/src/format/",
        "netcdf-core/src/filter/",
        "netcdf-core/src/io/",
        "netcdf-core/src/chunk/dataset/requests.rs",
        // Elements that a reader creates.
        "netcdf-core/src/chunk/dataset/assembly.rs",
        // The filter chains of a variable.
        "netcdf-core/src/chunk/decode.rs",
        "netcdf-core/src/chunk/encode.rs",
        // Readers on top of another reader.
        "netcdf-core/src/chunk/view/mod.rs",
        "netcdf-core/src/chunk/joined/interface.rs",
        "netcdf-core/src/api/staged/reader.rs",
        // Readers of text.
        "grammar/src/cdl/",
        "grammar/src/json/",
        "grammar/src/diagnostic.rs",
        "zdump/src/",
        "tests/",
    ];
    let mut found = vec![];
    for (path, text) in sources() {
        if own.iter().any(|own| path.starts_with(own)) || path.contains("tests") {
            continue;
        }
        let text = close(&text);
        let wrong = calls.iter().filter(|call| text.contains(*call));
        found.extend(wrong.map(|call| format!("{path}: {call}")));
    }
    assert_eq!(found, [""; 0]);
    let requests = sources()
        .into_iter()
        .map(|(path, text)| (path, close(&text)));
    let made = requests.filter(|(path, _)| path.starts_with("netcdf-core/src/chunk/dataset/"));
    let made: Vec<_> = made
        .filter(|(_, text)| text.contains("bytes().fetch("))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(made, ["netcdf-core/src/chunk/dataset/requests.rs"]);
}

#[test]
fn files_are_small_enough_to_read() {
    let long: Vec<_> = sources()
        .iter()
        .map(|(path, text)| (text.lines().count(), path.clone()))
        .filter(|(count, _)| *count > 800)
        .collect();
    assert_eq!(long, []);
}

#[test]
fn folders_have_a_mod_rs() {
    let all = sources();
    let beside: Vec<_> = all
        .iter()
        .filter_map(|(path, _)| {
            let folder = format!("{}/", path.strip_suffix(".rs")?);
            let within = all.iter().any(|(other, _)| other.starts_with(&folder));
            within.then_some(path)
        })
        .collect();
    assert_eq!(beside, [""; 0]);
}

/// One module decides which characters are control characters, except for the rules of a format.
#[test]
fn one_module_defines_control_characters() {
    let rules = [
        "netcdf-core/src/shown/control.rs",
        "netcdf-core/src/shown/mod.rs",
        "netcdf-core/src/io/key.rs",
        "netcdf-core/src/format/zarr/write/check.rs",
        "tests/tests/tools/shown.rs",
    ];
    let found = lines(
        |path| elsewhere(path) && !rules.contains(&path),
        |line| line.contains("char::is_control") || line.contains(".is_control()"),
    );
    assert_eq!(found, [""; 0]);
}

/// Format widths have 16 bits: formatting panics for larger widths.
#[test]
fn no_width_of_a_format_comes_from_data() {
    let width = |line: &str| {
        line.split('{').skip(1).any(|rest| {
            let end = rest.find('}').and_then(|end| rest.get(..end));
            end.is_some_and(|spec| spec.contains(':') && !spec.contains('.') && spec.ends_with('$'))
        })
    };
    assert!(width("format!(\"{cell:width$}\")") && width("{:>w$}"));
    assert_eq!(lines(elsewhere, width), [""; 0]);
}

/// Checks whether a file is a part of the core that computes positions.
fn places_bytes(path: &str) -> bool {
    let within = |part: &str| path.contains(part);
    let part = [
        "src/io/",
        "src/chunk/",
        "src/copy/",
        "/write/",
        "classic/writer.rs",
        "classic/runs.rs",
    ];
    path.starts_with("netcdf-core/src/") && part.into_iter().any(within) && !path.contains("tests")
}

/// A clamped position is wrong: `arithmetic` has exact positions, and amounts for estimates and values from files.
#[test]
fn positions_are_exact() {
    let clamps = |line: &str| {
        let most = line.split("unwrap_or(").skip(1).any(|rest| {
            let value = rest.split(')').next().unwrap_or_default();
            value.ends_with("::MAX")
        });
        most || line.contains("saturating_add") || line.contains("saturating_mul")
    };
    assert_eq!(lines(places_bytes, clamps), [""; 0]);
}

/// `saturating_sub` is for remainders, which may be zero. Differences of positions use `exact`, which reports an overflow as an error.
/// Increase this number only for remainders.
#[test]
fn saturating_sub_is_rare() {
    let found = lines(places_bytes, |line| line.contains("saturating_sub"));
    assert!(
        found.len() <= 41,
        "{} lines:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Arguments that belong together need a type with a name: a tuple would hide the number of arguments.
#[test]
fn tuples_do_not_hide_a_sixth_argument() {
    let sources = sources();
    let ours = sources.iter().filter(|(path, _)| !path.contains("tests"));
    let mut found = Vec::new();
    for (path, text) in ours {
        let many = with_tuples(text).into_iter().filter(|f| f.arguments > 5);
        found.extend(many.map(|f| format!("{path}:{}: {}", f.line, f.name)));
    }
    assert_eq!(found, [""; 0]);
}
