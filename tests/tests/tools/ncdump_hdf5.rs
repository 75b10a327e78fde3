//! Snapshots of `ncdump` of HDF5 files that are not netCDF-4.

use std::io::{Seek, SeekFrom, Write};

use netcdf_tools_tests::files::testdata;
use netcdf_tools_tests::harness::{CommandOutput, Sandbox};
use netcdf_tools_tests::snapshots;

fn ncdump(args: &[&str]) -> CommandOutput {
    let args = [&["ncdump"], args].concat();
    Sandbox::new().run(ncdump::run, &args)
}

snapshots! {
    ncdump =>
    links_that_lead_nowhere: "-h", "-s", "%hdf5/structures/old.h5";
    an_external_link_that_leads_nowhere: "-h", "%hdf5/structures/dense.h5";
    own_attributes_of_netcdf_in_other_forms: "-s", "%hdf5/properties.h5";
    a_group_with_a_slash_behind: "-g", "/group/", "%hdf5/properties.h5";
    an_image_of_the_metadata_cache: "%hdf5/structures/cache_image.h5";
    a_link_of_a_class_of_users: "%hdf5/user_link.h5";
    groups_within_themselves: "-h", "%hdf5/hostile/loops.h5";
    data_in_other_files: "%hdf5/external.h5";
    data_of_other_datasets: "-s", "-v", "rows,missing,counting", "%hdf5/virtual_v110.h5";
    text_of_a_dataset_of_the_same_file: "-v", "of_own", "%hdf5/virtual_text.h5";
    text_of_a_dataset_of_another_file: "-v", "of_other", "%hdf5/virtual_text.h5";
    data_of_a_file_outside: "-v", "outside", "%hdf5/virtual_text.h5";
    fewer_records_than_the_dimension: "-s", "%netcdf4/short.nc";
    types_of_all_classes: "%hdf5/structures/types_new.h5";
    chunks_at_edges_that_are_not_filtered: "-s", "%hdf5/edges.h5";
    deflate_without_compression: "-s", "%hdf5/deflate_0.h5";
    types_are_those_that_were_committed: "%hdf5/same_types.h5";
    a_mat_file: "-s", "%hdf5/matlab.mat";
    tables: "-s", "%hdf5/pytables.h5";
    one_file_of_several: "-h", "%hdf5/family_0.h5";
    one_file_of_several_of_a_new_version: "-h", "%hdf5/family_new_0.h5";
    one_file_of_several_kinds: "-h", "%hdf5/multi-s.h5";
}

/// The same objects in the oldest and the newest form.
#[test]
fn types_are_the_same_in_old_files() {
    let new = ncdump(&["-n", "types", "%hdf5/structures/types_new.h5"]);
    let old = ncdump(&["-n", "types", "%hdf5/structures/types_old.h5"]);
    assert_eq!(old.to_string(), new.to_string());
}

/// Names in the symbol tables of old groups have offsets that count as lengths, not as addresses.
#[test]
fn addresses_and_lengths_of_all_sizes() {
    let text = |name: &str| ncdump(&["-n", "sizes", &format!("%hdf5/{name}")]).to_string();
    let same = text("sizes_2_2.h5");
    assert!(same.contains("30, 31, 32, 33, 34 ;"), "{same}");
    assert_eq!(text("sizes_2_8.h5"), same);
    assert_eq!(text("sizes_8_4.h5"), same);
}

/// Moves a chunk beyond 4 GiB, after a hole.
#[test]
fn a_chunk_beyond_4_gib() {
    let file = "hdf5/structures/old.h5";
    let whole = std::fs::read(testdata(file)).unwrap();
    let base = 512; // the user block
    let tree = whole
        .windows(6)
        .position(|w| &w[..4] == b"TREE" && w[4..] == [1, 0]);
    // The first key follows the header: bytes, mask, offsets of two dimensions and of the element.
    let key = tree.expect("a leaf of a tree of chunks") + 24;
    let number = |at: usize| u64::from_le_bytes(whole[at..at + 8].try_into().unwrap());
    let (len, child) = (number(key) & 0xffff_ffff, number(key + 32));
    let at = usize::try_from(base + child).unwrap();
    let chunk = &whole[at..at + usize::try_from(len).unwrap()];

    let sandbox = Sandbox::new();
    let far = 5 << 30;
    let mut moved = whole.clone();
    moved[key + 32..key + 40].copy_from_slice(&u64::to_le_bytes(far - base));
    moved[at..at + chunk.len()].fill(0xee);
    let path = sandbox.write("old.h5", moved);
    let mut out = std::fs::File::options().write(true).open(path).unwrap();
    out.seek(SeekFrom::Start(far)).unwrap();
    out.write_all(chunk).unwrap();
    let dump = |file| sandbox.run(ncdump::run, &["ncdump", "-v", "chunked", file]);
    assert_eq!(
        dump("@old.h5").to_string(),
        dump(&format!("%{file}")).to_string()
    );
}

/// Groups at the maximum depth, and more names in one group than are shown.
#[test]
fn groups_have_limits() {
    let deep = ncdump(&["-h", "%hdf5/hostile/deep.h5"]);
    assert_eq!(deep.code, 1, "what lies deeper is not shown");
    let deep = deep.to_string();
    assert_eq!(deep.matches("group: g {").count(), 255, "{deep}");
    assert!(
        deep.contains("groups nested more than 256 deep in /g/g/"),
        "{deep}"
    );
    let lattice = ncdump(&["-h", "%hdf5/hostile/lattice.h5"]).to_string();
    assert!(lattice.matches("group: ").count() < 1000, "{lattice}");
    assert!(
        lattice.contains("b: skipped: a group that is already shown under other names"),
        "{lattice}"
    );
}

/// An intact superblock of a file replaces a damaged superblock.
#[test]
fn a_damaged_superblock() {
    for (file, place) in [("hdf5/groups_dense.h5", 30), ("hdf5/chunks_v110.h5", 12)] {
        let sandbox = Sandbox::new();
        let mut bytes = std::fs::read(testdata(file)).unwrap();
        bytes[place] ^= 1;
        sandbox.write("damaged.h5", bytes);
        let said = sandbox
            .run(ncdump::run, &["ncdump", "-h", "@damaged.h5"])
            .to_string();
        assert!(
            said.contains("the checksum of the superblock is "),
            "{said}"
        );
    }
}

/// A file with links to many other files: only a few files are open at a time.
#[test]
fn links_to_many_files() {
    let said = ncdump(&["%hdf5/links_many.h5"]).to_string();
    let count = said.matches("100, 101, 102").count();
    assert_eq!(count, 100, "{said}");
    #[cfg(target_os = "linux")]
    {
        let env = netcdf_core::env::Env::default();
        let path = testdata("hdf5/links_many.h5");
        let open = || {
            let all = std::fs::read_dir("/proc/self/fd").unwrap();
            let targets = all.filter_map(|e| std::fs::read_link(e.ok()?.path()).ok());
            targets.filter(|t| t.ends_with("hdf5/external.h5")).count()
        };
        let container = netcdf_core::io::locator::input(
            &netcdf_core::io::locator::Location::of_path(&path),
            &mut std::io::empty(),
        )
        .unwrap();
        let reader = netcdf_core::format::open(container, &env).unwrap();
        assert_eq!(reader.schema().vars.len(), 100);
        // Other tests may have open files.
        assert!((1..=70).contains(&open()), "{}", open());
    }
}

/// The names of external files are damaged or incomplete. The error concerns one dataset, and is reported when its data is read.
#[test]
fn damaged_lists_of_external_files() {
    let whole = std::fs::read(testdata("hdf5/external.h5")).unwrap();
    let place = |what: &[u8]| {
        let mut places = (0..whole.len()).rev();
        places.find(|&at| whole[at..].starts_with(what)).unwrap()
    };
    // The third slot, from byte 30 on, gets the remaining data, two bytes.
    let slot = [30u64, u64::MAX].map(u64::to_le_bytes).concat();
    let size = place(&slot) + 8;
    for (at, bytes, message) in [
        (place(b"HEAP"), &b"XEAP"[..], "expected signature `HEAP`"),
        (
            size,
            &2u64.to_le_bytes(),
            "external files for 34 bytes of 40",
        ),
    ] {
        let sandbox = Sandbox::new();
        let mut damaged = whole.clone();
        damaged[at..at + bytes.len()].copy_from_slice(bytes);
        sandbox.write("damaged.h5", damaged);
        for name in ["external_1.raw", "external_2.raw"] {
            let raw = testdata(&format!("hdf5/{name}"));
            sandbox.write(name, std::fs::read(raw).unwrap());
        }
        let run = |args: &[&str]| {
            let args = [&["ncdump"], args, &["@damaged.h5"]].concat();
            sandbox.run(ncdump::run, &args)
        };
        let head = run(&["-h"]).clean().text();
        assert!(head.contains("int x(phony_dim_0)"), "{head}");
        let data = run(&[]);
        assert_eq!(data.code, 1);
        assert!(data.message().contains(message), "{data}");
        assert!(data.message().contains(" in /x"), "{data}");
    }
}

/// Copies to all kinds have the same values: moved, rechunked and converted.
#[test]
fn copies_of_fewer_records_than_the_dimension() {
    let dump =
        |sandbox: &Sandbox, file: &str| sandbox.run(ncdump::run, &["ncdump", "-n", "short", file]);
    let sandbox = Sandbox::new();
    let whole = dump(&sandbox, "%netcdf4/short.nc").clean().text();
    assert!(whole.contains("bare = 7, _, _, _, _ ;"), "{whole}");
    for options in [
        ["-k", "nc4"],
        ["-k", "cdf5"],
        ["-c", "t/3"],
        ["-d", "1"],
        ["-k", "nczarr"],
    ] {
        let args = [
            &["nccopy"],
            options.as_slice(),
            &["%netcdf4/short.nc", "@copy"],
        ];
        let _ = sandbox.run(nccopy::run, &args.concat()).clean();
        let copy = dump(&sandbox, "@copy").clean().text();
        let data = |text: &str| text.split_once("data:").map(|(_, data)| data.to_owned());
        assert_eq!(data(&copy), data(&whole), "{options:?}");
        let _ = std::fs::remove_file(sandbox.path("copy"));
        let _ = std::fs::remove_dir_all(sandbox.path("copy"));
    }
}

/// Data that is moved late, together with other data, still belongs to its variable.
#[test]
fn copies_name_variables_with_missing_external_data() {
    let sandbox = Sandbox::new();
    sandbox.write("a.h5", std::fs::read(testdata("hdf5/external.h5")).unwrap());
    let output = sandbox.run(nccopy::run, &["nccopy", "@a.h5", "@b.nc"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.code, 1);
    assert!(said.contains("external_1.raw: cannot open"), "{said}");
    assert!(said.contains(" in /x"), "{said}");
    assert_eq!(sandbox.names(), ["a.h5"]);
}

/// Dimensions without names have the numbers of the C tool (4.10). The C tool skips variables when it first reads types within unnamed
/// types; each variable has its own dimension length.
#[test]
fn numbers_of_dimensions_without_names() {
    let shown = ncdump(&["-h", "%hdf5/phony.h5"]).text();
    let of_c = [
        "a_nested", "b", "a", "c", "e_nested", "f", "i", "j_lists", "k_ref", "l",
    ];
    for (number, name) in of_c.iter().enumerate() {
        let shape = format!(" {name}(phony_dim_{number}) ;");
        assert!(shown.contains(&shape), "{shape} {shown}");
    }
}
