//! Store entries that are not keys, or not unique keys: every tool reports them.

use netcdf_tools_tests::harness::{CommandOutput, Sandbox};

const GROUP: &[u8] = br#"{"zarr_format":2}"#;
const ARRAY: &[u8] = br#"{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|i1","fill_value":0,"order":"C","filters":null,"compressor":null}"#;

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
        }
    }
    !crc
}

/// Builds a zip file of uncompressed members, each with its name in the central directory, its name in the local header, and its bytes.
fn zip(members: &[(&[u8], &[u8], &[u8])]) -> Vec<u8> {
    let (mut file, mut directory) = (vec![], vec![]);
    let len = |bytes: &[u8]| u16::try_from(bytes.len()).expect("a short text");
    for (name, local, bytes) in members {
        let at = u32::try_from(file.len()).expect("a small file");
        let size = u32::from(len(bytes)).to_le_bytes();
        // Version, flags, method, time and date.
        let mut about = vec![20, 0, 0, 8, 0, 0, 0, 0, 0, 0];
        about.extend(crc(bytes).to_le_bytes());
        about.extend([size, size].concat());
        file.extend(
            [
                b"PK\x03\x04",
                &about[..],
                &len(local).to_le_bytes(),
                &[0, 0],
                local,
                bytes,
            ]
            .concat(),
        );
        let head = [b"PK\x01\x02\x14\0", &about[..], &len(name).to_le_bytes()].concat();
        directory.extend([&head[..], &[0; 12], &at.to_le_bytes(), name].concat());
    }
    let (at, size) = (file.len(), directory.len());
    let number = |n: usize| u32::try_from(n).expect("a small file").to_le_bytes();
    let count = u16::try_from(members.len()).expect("few").to_le_bytes();
    let end = [
        b"PK\x05\x06\0\0\0\0",
        &count[..],
        &count,
        &number(size),
        &number(at),
        &[0, 0],
    ];
    [file, directory, end.concat()].concat()
}

fn all(sandbox: &Sandbox, name: &str) -> [CommandOutput; 4] {
    let at = format!("@{name}");
    [
        sandbox.run(ncdump::run, &["ncdump", &at]),
        sandbox.run(nccopy::run, &["nccopy", "-k", "nc4", &at, "@out.nc"]),
        sandbox.run(zdump::run, &["zdump", "tree", &at]),
        sandbox.run(zdump::run, &["zdump", "check", &at]),
    ]
}

#[test]
fn invalid_keys_are_reported() {
    let sandbox = Sandbox::new();
    let same = |name: &'static [u8], bytes: &'static [u8]| (name, name, bytes);
    let file = zip(&[
        same(b".zgroup", GROUP),
        same(b"ok/", b""),
        same(b"ok/.zarray", ARRAY),
        same(b"ok/0", b"\x01\x02"),
        same(b"tab\tname/.zarray", ARRAY),
        same(b"lat\xe9/.zarray", ARRAY),
        same(b"../up/.zarray", ARRAY),
        same(b"/abs/.zarray", ARRAY),
        same(b"x//y/.zarray", ARRAY),
    ]);
    sandbox.write("s.zip", file);
    let [dumped, copied, tree, checked] = all(&sandbox, "s.zip");
    for output in [&dumped, &copied, &tree] {
        let names = "../up/.zarray, /abs/.zarray, lat\\xe9/.zarray, tab\\tname/.zarray, x//y/.zarray: not read";
        assert!(output.message().contains(names), "{output}");
        assert_eq!(output.code, 0, "{output}");
    }
    assert_eq!(
        checked.text().matches("error key-illegal").count(),
        5,
        "{checked}"
    );
    assert_eq!(checked.code, 1);
    assert!(!checked.text().contains("ok/: "), "{checked}");
}

#[test]
#[cfg(target_os = "linux")]
fn invalid_file_names_in_stores_are_reported() {
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::new();
    let keys = [
        (".zgroup", GROUP),
        ("ok/.zarray", ARRAY),
        ("tab\tname/.zarray", ARRAY),
    ];
    let store = sandbox.store("s.zarr", &keys);
    let odd = store.join(std::ffi::OsStr::from_bytes(b"lat\xe9"));
    std::fs::create_dir(&odd).expect("a directory");
    let [dumped, copied, tree, checked] = all(&sandbox, "s.zarr");
    for output in [&dumped, &copied, &tree] {
        assert!(
            output.message().contains("lat\\xe9, tab\\tname: not read"),
            "{output}"
        );
        assert_eq!(output.code, 0, "{output}");
    }
    assert_eq!(
        checked.text().matches("error key-illegal").count(),
        2,
        "{checked}"
    );
}

#[test]
fn duplicate_members_are_reported() {
    let sandbox = Sandbox::new();
    let same = |name: &'static [u8], bytes: &'static [u8]| (name, name, bytes);
    let file = zip(&[
        same(b".zgroup", GROUP),
        same(b"a/.zarray", ARRAY),
        same(b"a/0", b"\x01\x02"),
        same(b"a/0", b"\x03\x04"),
    ]);
    sandbox.write("s.zip", file);
    let [dumped, copied, tree, checked] = all(&sandbox, "s.zip");
    for output in [&dumped, &copied, &tree] {
        assert!(output.message().contains("a/0: several times"), "{output}");
    }
    assert!(dumped.text().contains("a = 3, 4 ;"), "{dumped}");
    assert!(checked.text().contains("error key-twice"), "{checked}");
}

#[test]
fn members_with_two_names_are_damage() {
    let sandbox = Sandbox::new();
    let file = zip(&[
        (b".zgroup", b".zgroup", GROUP),
        (b"a/.zarray", b"a/.zarray", ARRAY),
        (b"a/0", b"b/0", b"\x01\x02"),
    ]);
    sandbox.write("s.zip", file);
    let [dumped, copied, _, checked] = all(&sandbox, "s.zip");
    for output in [&dumped, &copied] {
        assert!(
            output.message().contains("another name than the directory"),
            "{output}"
        );
        assert_eq!(output.code, 1, "{output}");
    }
    assert!(checked.text().contains("error key-named"), "{checked}");
}
