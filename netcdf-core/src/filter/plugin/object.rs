//! Metadata of an ELF shared object. It is read before loading, because loading runs the object's code.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use object::LittleEndian;
use object::elf::{self, FileHeader64, SectionHeader64};
use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _};
use object::read::{ReadCache, ReadRef};

/// The names that a plugin defines and uses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SharedObject {
    /// The names of libraries that are loaded as dependencies.
    pub needed: Vec<String>,
    /// Defined functions and data of the [`interfaces`](is_interface_name) of HDF5 and netCDF-C.
    pub defined: Vec<String>,
    /// Undefined names of the same interfaces.
    pub undefined: Vec<String>,
    /// The linker's build id, in hexadecimal digits; empty without a build id.
    pub build: String,
}

impl SharedObject {
    pub(super) fn defines(&self, name: &str) -> bool {
        self.defined.iter().any(|n| n == name)
    }
}

/// Machine names by their number in the header.
const MACHINES: &[(u16, &str)] = &[
    (elf::EM_386, "x86"),
    (elf::EM_MIPS, "mips"),
    (elf::EM_PPC, "powerpc"),
    (elf::EM_PPC64, "powerpc64"),
    (elf::EM_S390, "s390x"),
    (elf::EM_ARM, "arm"),
    (elf::EM_X86_64, "x86_64"),
    (elf::EM_AARCH64, "aarch64"),
    (elf::EM_RISCV, "riscv64"),
    (elf::EM_LOONGARCH, "loongarch64"),
];

/// The maximum name length in bytes. All known names have less than a hundred.
const MAX_NAME: usize = 4096;
/// The maximum number of names of each kind. libhdf5 and libnetcdf together have fewer than ten thousand.
const MAX_NAMES: usize = 1 << 16;

/// Checks whether a name belongs to HDF5, to netCDF-C or to its codec libraries.
fn is_interface_name(name: &[u8]) -> bool {
    let starts = [&b"H5"[..], b"nc_", b"ncaux_", b"NC"];
    starts.iter().any(|start| name.starts_with(start))
}

/// The maximum table size in bytes: half a million symbols take 12 MB.
const MAX_TABLE: u64 = 64 << 20;

/// Returns the number of the machine that this program was built for, if it can load plugins.
pub(super) fn machine() -> Option<u16> {
    let usable = cfg!(all(target_pointer_width = "64", target_endian = "little"));
    let this = MACHINES
        .iter()
        .find(|(_, name)| *name == std::env::consts::ARCH);
    this.filter(|_| usable).map(|(number, _)| *number)
}

type ElfHeader = FileHeader64<LittleEndian>;
type ObjectSection = SectionHeader64<LittleEndian>;

/// A file with reads limited to the maximum table size.
#[derive(Clone, Copy)]
struct ObjectParts<'a>(&'a ReadCache<File>);

impl<'a> ReadRef<'a> for ObjectParts<'a> {
    fn len(self) -> Result<u64, ()> {
        self.0.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        match size <= MAX_TABLE {
            true => self.0.read_bytes_at(offset, size),
            false => Err(()),
        }
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        self.0.read_bytes_at_until(range, delimiter)
    }
}

/// Reads the names in a file.
///
/// # Errors
/// Returns the reason if the file is not a shared object for this machine.
pub(super) fn read(path: &Path) -> Result<SharedObject, String> {
    let file = File::open(path).map_err(|e| crate::error::plain(&e))?;
    let cache = ReadCache::new(file);
    let parts = ObjectParts(&cache);
    let header: &ElfHeader = parts.read_at(0).map_err(|()| NO_ELF.to_owned())?;
    check(header)?;
    let damaged = |_| damaged();
    if usize::from(header.e_shentsize.get(LittleEndian)) != size_of::<ObjectSection>() {
        return Err(NO_SECTIONS.to_owned());
    }
    let sections = header.section_headers(LittleEndian, parts);
    let sections = sections.map_err(damaged)?;
    if sections.is_empty() {
        return Err(NO_SECTIONS.to_owned());
    }
    let mut object = SharedObject::default();
    for section in sections {
        let names = || {
            let link = usize::try_from(section.sh_link(LittleEndian)).ok();
            let names = link
                .and_then(|n| sections.get(n))
                .ok_or_else(self::damaged)?;
            names.data(LittleEndian, parts).map_err(damaged)
        };
        match section.sh_type(LittleEndian) {
            elf::SHT_DYNSYM => {
                let table = section.data_as_array(LittleEndian, parts);
                object.symbols(table.map_err(damaged)?, names()?)?;
            }
            elf::SHT_DYNAMIC => {
                let table = section.data_as_array(LittleEndian, parts);
                object.needs(table.map_err(damaged)?, names()?)?;
            }
            elf::SHT_NOTE => object.notes(section, parts),
            _ => {}
        }
    }
    Ok(object)
}

const NO_ELF: &str = "not an ELF file";
const NO_SECTIONS: &str = "no section table";

/// Checks that the header belongs to a shared object for this machine.
fn check(header: &ElfHeader) -> Result<(), String> {
    let about = &header.e_ident;
    if about.magic != elf::ELFMAG {
        return Err(NO_ELF.to_owned());
    }
    let little = about.data == elf::ELFDATA2LSB;
    let number = header.e_machine.get(LittleEndian);
    let number = if little { number } else { number.swap_bytes() };
    if about.class != elf::ELFCLASS64 || !little || Some(number) != machine() {
        let bits = match about.class {
            elf::ELFCLASS32 => " (32 bits)",
            _ => "",
        };
        let known = MACHINES.iter().find(|(n, _)| *n == number);
        let built = known.map_or_else(|| format!("machine {number}"), |(_, n)| (*n).to_owned());
        let here = std::env::consts::ARCH;
        return Err(format!("built for {built}{bits}, not for {here}"));
    }
    match header.e_type.get(LittleEndian) {
        elf::ET_DYN => Ok(()),
        _ => Err("not a shared object".to_owned()),
    }
}

impl SharedObject {
    fn symbols(&mut self, table: &[elf::Sym64<LittleEndian>], names: &[u8]) -> Result<(), String> {
        for symbol in table {
            let name = from(names, symbol.st_name(LittleEndian).into())?;
            if !is_interface_name(name) {
                continue;
            }
            match symbol.is_undefined(LittleEndian) {
                true if symbol.is_weak() => {}
                true => keep(&mut self.undefined, name)?,
                false if symbol.is_local() => {}
                false => keep(&mut self.defined, name)?,
            }
        }
        Ok(())
    }

    fn needs(&mut self, table: &[elf::Dyn64<LittleEndian>], names: &[u8]) -> Result<(), String> {
        let entries = table.iter().map(|entry| {
            let tag = entry.d_tag.get(LittleEndian);
            (tag, entry.d_val.get(LittleEndian))
        });
        let entries = entries.take_while(|(tag, _)| *tag != elf::DT_NULL);
        for (_, at) in entries.filter(|(tag, _)| *tag == elf::DT_NEEDED) {
            keep(&mut self.needed, from(names, at)?)?;
        }
        Ok(())
    }

    /// Notes only identify the build, so damaged notes are ignored.
    fn notes(&mut self, section: &ObjectSection, parts: ObjectParts<'_>) {
        let Ok(Some(mut notes)) = section.notes(LittleEndian, parts) else {
            return;
        };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == b"GNU" && note.n_type(LittleEndian) == elf::NT_GNU_BUILD_ID {
                let digits = note
                    .desc()
                    .iter()
                    .take(64)
                    .map(|byte| format!("{byte:02x}"));
                self.build = digits.collect();
            }
        }
    }
}

/// Adds the name at the start of `rest` to `names`.
fn keep(names: &mut Vec<String>, rest: &[u8]) -> Result<(), String> {
    if names.len() == MAX_NAMES {
        return Err(damaged());
    }
    names.push(name(rest)?);
    Ok(())
}

fn damaged() -> String {
    "its tables are damaged".to_owned()
}

/// Returns the table of names from an offset on.
fn from(names: &[u8], at: u64) -> Result<&[u8], String> {
    let rest = usize::try_from(at).ok().and_then(|at| names.get(at..));
    rest.ok_or_else(damaged)
}

/// Returns the name at the start of `names`.
fn name(names: &[u8]) -> Result<String, String> {
    let most = names.get(..MAX_NAME).unwrap_or(names);
    let name = most.split(|&b| b == 0).next().unwrap_or_default();
    match name.len() == most.len() {
        true => Err(damaged()),
        false => Ok(String::from_utf8_lossy(name).into_owned()),
    }
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
    fn objects_for_other_machines() {
        assert_eq!(wrong(b"# a text"), "not an ELF file");
        let Some(machine) = machine() else { return };
        let stub = super::super::stub::object("libhdf5.so", machine);
        assert_eq!(wrong(&stub), "no section table");
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
    fn missing_tables() {
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

    /// The test program is an object with symbols, but no plugin.
    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn a_real_object() {
        let object = read(&std::env::current_exe().unwrap()).unwrap();
        assert!(object.needed.iter().any(|n| n.starts_with("libc.so")));
        assert!(!object.defines("H5PLget_plugin_info"));
        // Some linkers write a note with the build id.
        assert!(
            object.build.is_empty() || object.build.len() >= 16,
            "{}",
            object.build
        );
        // A function that the object defines itself is not an undefined name.
        assert!(object.undefined.iter().all(|n| n != "malloc"));
    }

    /// Builds an object with one section each for symbols, names, and the linker's dependencies.
    fn complete(names: &[u8], symbols: &[[u64; 3]], dynamic: &[[u64; 2]]) -> Vec<u8> {
        let mut object = super::super::stub::object("x", machine().unwrap());
        object.truncate(64);
        let parts = [
            (elf::SHT_DYNSYM, symbols.as_flattened()),
            (3, &[]),
            (elf::SHT_DYNAMIC, dynamic.as_flattened()),
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

    /// Builds a symbol from its name, whether it is defined, and its binding.
    fn symbol(name: u64, defined: bool, binding: u64) -> [u64; 3] {
        [name | binding << 36 | u64::from(defined) << 48, 0, 0]
    }

    fn read_bytes(bytes: &[u8]) -> Result<SharedObject, String> {
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
    fn interface_names_are_collected() {
        if machine().is_none() {
            return;
        }
        let object = read_bytes(&small()).unwrap();
        assert_eq!(object.defined, ["H5PLget_plugin_info"]);
        assert_eq!(object.undefined, ["H5Tget_size"]);
        assert_eq!(object.needed, ["libhdf5.so"]);
    }

    #[test]
    fn unterminated_names_are_rejected() {
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
        // A long name outside the interfaces is skipped.
        assert_eq!(of(&[symbol(1, true, 1)], &[]), Ok(SharedObject::default()));
        let many = vec![symbol(1, true, 1); MAX_NAMES + 1];
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
