//! What an ELF shared object says of itself, read before it is loaded: loading runs its code.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// What a plugin is needed for, and what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Object {
    /// Names of libraries that are loaded with it.
    pub needed: Vec<String>,
    /// Names of functions and data that others may use.
    pub defined: Vec<String>,
    /// Names that others have to define.
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
                object.symbols(&parts.table(section)?, &names);
            }
            DYNAMIC => {
                let names = parts.names(section, &sections)?;
                object.needs(&parts.table(section)?, &names);
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
        let cut = || "its tables are damaged".to_owned();
        if len > MOST {
            return Err(cut());
        }
        let mut bytes = vec![];
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| (&self.file).take(len).read_to_end(&mut bytes))
            .map_err(|e| crate::error::plain(&e))?;
        match bytes.len() as u64 == len {
            true => Ok(bytes),
            false => Err(cut()),
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
            None => Err("its tables are damaged".to_owned()),
        }
    }
}

impl Object {
    fn symbols(&mut self, table: &[u8], names: &[u8]) {
        for symbol in table.chunks_exact(24) {
            let name = name(names, u32_at(symbol, 0).into());
            let binding = symbol.get(4).map_or(0, |info| info >> 4);
            let is_weak = binding == 2;
            match (u16_at(symbol, 6), name.is_empty()) {
                (_, true) => {}
                (0, false) if is_weak => {}
                (0, false) => self.undefined.push(name),
                (_, false) if binding == 0 => {}
                (_, false) => self.defined.push(name),
            }
        }
    }

    fn needs(&mut self, table: &[u8], names: &[u8]) {
        let entries = table.chunks_exact(16);
        let entries = entries.take_while(|entry| u64_at(entry, 0) != 0);
        let needed = entries.filter(|entry| u64_at(entry, 0) == 1);
        self.needed
            .extend(needed.map(|entry| name(names, u64_at(entry, 8))));
    }
}

/// The name that begins at a place of the table of names.
fn name(names: &[u8], at: u64) -> String {
    let rest = usize::try_from(at).ok().and_then(|at| names.get(at..));
    let name = rest.and_then(|rest| rest.split(|&b| b == 0).next());
    String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
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
        assert!(object.undefined.iter().any(|n| n == "malloc"));
        assert!(!object.defines("H5PLget_plugin_info"));
    }

    #[test]
    fn damage_is_survived() {
        let Ok(bytes) = std::fs::read(std::env::current_exe().unwrap()) else {
            return;
        };
        let mut bytes = bytes[..bytes.len().min(1 << 16)].to_vec();
        for n in 0..64 * 8 {
            bytes[n / 8] ^= 1 << (n % 8);
            let _ = wrong(&bytes);
            bytes[n / 8] ^= 1 << (n % 8);
        }
    }
}
