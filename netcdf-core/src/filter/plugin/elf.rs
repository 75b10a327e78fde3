//! What an ELF shared object says of itself, read before it is loaded: loading runs its code.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// What a plugin is needed for, and what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Object {
    /// Names of libraries that are loaded with it.
    pub needed: Vec<String>,
    /// Names of functions and data that others may use, of those that are [`asked for`](is_asked_for).
    pub defined: Vec<String>,
    /// Names that others have to define, of the same.
    pub undefined: Vec<String>,
}

impl Object {
    pub(super) fn defines(&self, name: &str) -> bool {
        self.defined.iter().any(|n| n == name)
    }
}

/// Machines by their number in the header.
const MACHINES: &[(u16, &str)] = &[
    (3, "x86"),
    (8, "mips"),
    (20, "powerpc"),
    (21, "powerpc64"),
    (22, "s390x"),
    (40, "arm"),
    (62, "x86_64"),
    (183, "aarch64"),
    (243, "riscv64"),
    (258, "loongarch64"),
];

/// Bytes of a name, at most. None that we know has a hundred.
const LONGEST: usize = 4096;
/// Names that are kept of a kind, at most. All those of libhdf5 and libnetcdf are not ten thousand.
const NAMES: usize = 1 << 16;

/// Whether a name is one of HDF5, of netCDF-C or of its codec libraries.
fn is_asked_for(name: &[u8]) -> bool {
    let starts = ["H5", "nc_", "ncaux_", "NC"];
    starts
        .iter()
        .any(|start| name.starts_with(start.as_bytes()))
}

/// Bytes of a table, at most: half a million symbols are 12 MB.
const MOST: u64 = 64 << 20;

/// The number of the machine that this program was built for, if plugins can be loaded on it.
pub(super) fn machine() -> Option<u16> {
    let usable = cfg!(all(target_pointer_width = "64", target_endian = "little"));
    let this = MACHINES
        .iter()
        .find(|(_, name)| *name == std::env::consts::ARCH);
    this.filter(|_| usable).map(|(number, _)| *number)
}

/// Reads what the file says.
///
/// # Errors
/// Why it is not a shared object for this machine.
pub(super) fn read(path: &Path) -> Result<Object, String> {
    let file = File::open(path).map_err(|e| crate::error::plain(&e))?;
    let mut parts = Parts { file };
    let header = parts.get(0, 64).map_err(|_| "not an ELF file".to_owned())?;
    check(&header)?;
    let sections = parts.sections(&header)?;
    let mut object = Object::default();
    for section in &sections {
        match section.kind {
            SYMBOLS => {
                let names = parts.names(section, &sections)?;
                object.symbols(&parts.table(section)?, &names)?;
            }
            DYNAMIC => {
                let names = parts.names(section, &sections)?;
                object.needs(&parts.table(section)?, &names)?;
            }
            _ => {}
        }
    }
    Ok(object)
}

/// That the header is one of a shared object for this machine.
fn check(header: &[u8]) -> Result<(), String> {
    if !header.starts_with(b"\x7fELF") {
        return Err("not an ELF file".to_owned());
    }
    let class = header.get(4).copied();
    let order = header.get(5).copied();
    let number = u16_at(header, if order == Some(2) { 17 } else { 18 });
    if class != Some(2) || order != Some(1) || Some(number) != machine() {
        let bits = if class == Some(1) { " (32 bits)" } else { "" };
        let known = MACHINES.iter().find(|(n, _)| *n == number);
        let built = known.map_or_else(|| format!("machine {number}"), |(_, n)| (*n).to_owned());
        let here = std::env::consts::ARCH;
        return Err(format!("built for {built}{bits}, not for {here}"));
    }
    match u16_at(header, 16) {
        3 => Ok(()),
        _ => Err("not a shared object".to_owned()),
    }
}

/// Type of the section with dynamic symbols.
const SYMBOLS: u32 = 11;
/// Type of the section with what the dynamic linker wants to know.
const DYNAMIC: u32 = 6;

/// An entry of the table of sections.
#[derive(Debug, Clone, Copy)]
struct Section {
    kind: u32,
    offset: u64,
    size: u64,
    link: u32,
}

/// Parts of a file.
struct Parts {
    file: File,
}

impl Parts {
    fn get(&mut self, offset: u64, len: u64) -> Result<Vec<u8>, String> {
        if len > MOST {
            return Err(damaged());
        }
        let mut bytes = vec![];
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| (&self.file).take(len).read_to_end(&mut bytes))
            .map_err(|e| crate::error::plain(&e))?;
        match bytes.len() as u64 == len {
            true => Ok(bytes),
            false => Err(damaged()),
        }
    }

    fn sections(&mut self, header: &[u8]) -> Result<Vec<Section>, String> {
        let (size, count) = (u16_at(header, 58), u16_at(header, 60));
        if size != 64 || count == 0 {
            return Err("it has no table of sections".to_owned());
        }
        let table = self.get(u64_at(header, 40), u64::from(size) * u64::from(count))?;
        let section = |s: &[u8]| Section {
            kind: u32_at(s, 4),
            offset: u64_at(s, 24),
            size: u64_at(s, 32),
            link: u32_at(s, 40),
        };
        Ok(table.chunks_exact(64).map(section).collect())
    }

    fn table(&mut self, section: &Section) -> Result<Vec<u8>, String> {
        self.get(section.offset, section.size)
    }

    /// The names that a section's entries refer to.
    fn names(&mut self, section: &Section, all: &[Section]) -> Result<Vec<u8>, String> {
        let names = usize::try_from(section.link).ok().and_then(|n| all.get(n));
        match names {
            Some(names) => self.table(names),
            None => Err(damaged()),
        }
    }
}

impl Object {
    fn symbols(&mut self, table: &[u8], names: &[u8]) -> Result<(), String> {
        for symbol in table.chunks_exact(24) {
            let name = from(names, u32_at(symbol, 0).into())?;
            if !is_asked_for(name) {
                continue;
            }
            let binding = symbol.get(4).map_or(0, |info| info >> 4);
            let is_weak = binding == 2;
            match u16_at(symbol, 6) {
                0 if is_weak => {}
                0 => keep(&mut self.undefined, name)?,
                _ if binding == 0 => {}
                _ => keep(&mut self.defined, name)?,
            }
        }
        Ok(())
    }

    fn needs(&mut self, table: &[u8], names: &[u8]) -> Result<(), String> {
        let entries = table.chunks_exact(16);
        let entries = entries.take_while(|entry| u64_at(entry, 0) != 0);
        for entry in entries.filter(|entry| u64_at(entry, 0) == 1) {
            keep(&mut self.needed, from(names, u64_at(entry, 8))?)?;
        }
        Ok(())
    }
}

/// Keeps the name at the beginning of `rest`.
fn keep(names: &mut Vec<String>, rest: &[u8]) -> Result<(), String> {
    if names.len() == NAMES {
        return Err(damaged());
    }
    names.push(name(rest)?);
    Ok(())
}

fn damaged() -> String {
    "its tables are damaged".to_owned()
}

/// The table of names from a place on.
fn from(names: &[u8], at: u64) -> Result<&[u8], String> {
    let rest = usize::try_from(at).ok().and_then(|at| names.get(at..));
    rest.ok_or_else(damaged)
}

/// The name at the beginning.
fn name(names: &[u8]) -> Result<String, String> {
    let most = names.get(..LONGEST).unwrap_or(names);
    let name = most.split(|&b| b == 0).next().unwrap_or_default();
    match name.len() == most.len() {
        true => Err(damaged()),
        false => Ok(String::from_utf8_lossy(name).into_owned()),
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let rest = bytes.get(at..).and_then(|rest| rest.first_chunk());
    rest.copied().unwrap_or([0; N])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(bytes: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libx.so");
        std::fs::write(&path, bytes).unwrap();
        read(&path).unwrap_err()
    }

    #[test]
    fn what_is_not_for_this_machine() {
        assert_eq!(wrong(b"# a text"), "not an ELF file");
        let Some(machine) = machine() else { return };
        let stub = super::super::stub::object("libhdf5.so", machine);
        assert_eq!(wrong(&stub), "it has no table of sections");
        assert_eq!(wrong(&stub[..60]), "not an ELF file");
        let mut other = stub.clone();
        other[18] = 40;
        assert!(wrong(&other).starts_with("built for arm, not for "));
        other[4] = 1;
        assert!(wrong(&other).starts_with("built for arm (32 bits), not for "));
        let mut other = stub.clone();
        other[5] = 2;
        other[17] = 22;
        other[18] = 0;
        let why = wrong(&other);
        assert!(why.starts_with("built for "), "{why}");
        let mut program = stub;
        program[16] = 2;
        assert_eq!(wrong(&program), "not a shared object");
    }

    #[test]
    fn tables_that_are_not_there() {
        let Some(machine) = machine() else { return };
        let mut object = super::super::stub::object("libhdf5.so", machine);
        object[40] = 0xff;
        object[41] = 0xff;
        object[58] = 64;
        object[60] = 1;
        assert_eq!(wrong(&object), "its tables are damaged");
        object[44] = 0xff;
        assert_eq!(wrong(&object), "its tables are damaged");
    }

    /// The program that runs the tests is an object with symbols, but no plugin.
    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn a_real_object() {
        let object = read(&std::env::current_exe().unwrap()).unwrap();
        assert!(object.needed.iter().any(|n| n.starts_with("libc.so")));
        assert!(!object.defines("H5PLget_plugin_info"));
        // Of its own functions none is asked for.
        assert!(object.undefined.iter().all(|n| n != "malloc"));
    }

    /// A complete object with one section each: symbols, their names, and what the linker wants to know.
    fn complete(names: &[u8], symbols: &[[u64; 3]], dynamic: &[[u64; 2]]) -> Vec<u8> {
        let mut object = super::super::stub::object("x", machine().unwrap());
        object.truncate(64);
        let parts = [
            (SYMBOLS, symbols.as_flattened()),
            (3, &[]),
            (DYNAMIC, dynamic.as_flattened()),
        ];
        let mut table = vec![];
        for (kind, numbers) in parts {
            let offset = object.len() as u64;
            match kind {
                3 => object.extend_from_slice(names),
                _ => object.extend(numbers.iter().flat_map(|n| n.to_le_bytes())),
            }
            let size = object.len() as u64 - offset;
            // Name and kind, flags, address, offset, size, link and more.
            let section = [u64::from(kind) << 32, 0, 0, offset, size, 1, 0, 0];
            table.extend(section.iter().flat_map(|n| n.to_le_bytes()));
        }
        let offset = object.len() as u64;
        object[40..48].copy_from_slice(&offset.to_le_bytes());
        object[58..60].copy_from_slice(&64_u16.to_le_bytes());
        object[60..62].copy_from_slice(&3_u16.to_le_bytes());
        object.extend(table);
        object
    }

    /// A symbol: its name, whether it is defined, and its binding.
    fn symbol(name: u64, defined: bool, binding: u64) -> [u64; 3] {
        [name | binding << 36 | u64::from(defined) << 48, 0, 0]
    }

    fn read_bytes(bytes: &[u8]) -> Result<Object, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, bytes).unwrap();
        read(file.path())
    }

    const TABLE: &[u8] = b"\0H5PLget_plugin_info\0H5Tget_size\0other\0libhdf5.so\0";

    fn small() -> Vec<u8> {
        let symbols = [
            symbol(0, false, 0),
            symbol(1, true, 1),
            symbol(21, false, 1),
            symbol(33, true, 1),
            symbol(33, false, 1),
            symbol(26, true, 0),
        ];
        complete(TABLE, &symbols, &[[1, 39], [0, 0], [1, 1]])
    }

    #[test]
    fn names_that_are_asked_for_are_kept() {
        if machine().is_none() {
            return;
        }
        let object = read_bytes(&small()).unwrap();
        assert_eq!(object.defined, ["H5PLget_plugin_info"]);
        assert_eq!(object.undefined, ["H5Tget_size"]);
        assert_eq!(object.needed, ["libhdf5.so"]);
    }

    #[test]
    fn names_without_an_end_are_none() {
        if machine().is_none() {
            return;
        }
        let long = b"H5".repeat(5000);
        let of = |symbols: &[[u64; 3]], dynamic: &[[u64; 2]]| {
            read_bytes(&complete(&long, symbols, dynamic))
        };
        let damaged = Err("its tables are damaged".to_owned());
        assert_eq!(of(&[symbol(0, true, 1)], &[]), damaged);
        assert_eq!(of(&[], &[[1, 0]]), damaged);
        assert_eq!(of(&[symbol(10001, true, 1)], &[]), damaged);
        // A long name of others is passed by.
        assert_eq!(of(&[symbol(1, true, 1)], &[]), Ok(Object::default()));
        let many = vec![symbol(1, true, 1); NAMES + 1];
        assert_eq!(read_bytes(&complete(TABLE, &many, &[])), damaged);
        assert!(read_bytes(&complete(TABLE, &many[1..], &[])).is_ok());
    }

    #[test]
    fn damage_is_survived() {
        if machine().is_none() {
            return;
        }
        let mut bytes = small();
        let whole = read_bytes(&bytes).unwrap();
        let mut seen = [false; 3];
        for n in 0..bytes.len() * 8 {
            bytes[n / 8] ^= 1 << (n % 8);
            match read_bytes(&bytes) {
                Ok(object) if object == whole => seen[0] = true,
                Ok(_) => seen[1] = true,
                Err(_) => seen[2] = true,
            }
            bytes[n / 8] ^= 1 << (n % 8);
        }
        assert_eq!(seen, [true; 3]);
    }
}
