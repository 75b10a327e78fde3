//! A shared object without contents, except for its name.
//!
//! Many plugins declare that they need libhdf5 or libnetcdf. The dynamic linker accepts any loaded object with that name. With this object,
//! the linker does not load a second HDF5, which would conflict with the functions that we provide to plugins.

#[cfg(any(target_os = "linux", test))]
pub(super) use elf::object;

/// Checks whether a stub replaces a needed library.
pub(super) fn replaces(needed: &str) -> bool {
    let hdf5 = needed.starts_with("libhdf5") || needed.starts_with("libnetcdf");
    hdf5 && needed.contains(".so")
}

/// The bytes of the object. Only the dynamic linker of Linux accepts it.
#[cfg(any(target_os = "linux", test))]
mod elf {
    /// Bytes of the ELF header and of a program header.
    const HEADER: u64 = 64;
    const PROGRAM: u64 = 56;
    /// Bytes of a symbol and of a dynamic section entry.
    const SYMBOL: u64 = 24;
    const ENTRY: u64 = 16;

    /// Returns the object for `machine` (the number in ELF headers), 64 bits, little-endian.
    pub(in crate::filter::plugin) fn object(name: &str, machine: u16) -> Vec<u8> {
        let mut names = vec![0];
        names.extend_from_slice(name.as_bytes());
        names.resize(name.len().saturating_add(2).next_multiple_of(8), 0);
        let len = names.len() as u64;
        let symbols = HEADER + 2 * PROGRAM;
        let hash = symbols + SYMBOL;
        let strings = hash + 16;
        let dynamic = strings + len;
        let entries: [[u64; 2]; 7] = [
            [14, 1],      // DT_SONAME: the name after the first NUL
            [4, hash],    // DT_HASH
            [5, strings], // DT_STRTAB
            [6, symbols], // DT_SYMTAB
            [10, len],    // DT_STRSZ
            [11, SYMBOL], // DT_SYMENT
            [0, 0],       // DT_NULL
        ];
        let size = ENTRY * entries.len() as u64;
        let mut out = header(machine);
        // PT_LOAD and PT_DYNAMIC, readable and writable: the linker relocates the dynamic section.
        for (kind, from, size, align) in [(1, 0, dynamic + size, 0x10000), (2, dynamic, size, 8)] {
            put(
                &mut out,
                &[kind | 6 << 32, from, from, from, size, size, align],
            );
        }
        put(&mut out, &[0, 0, 0]); // the null symbol
        put(&mut out, &[1 | 1 << 32, 0]); // hash table: a bucket, a chain, both empty
        out.extend_from_slice(&names);
        put(&mut out, entries.as_flattened());
        out
    }

    /// Returns the ELF header of a shared object with two program headers and no sections.
    pub(super) fn header(machine: u16) -> Vec<u8> {
        let mut out = b"\x7fELF\x02\x01\x01".to_vec();
        out.resize(16, 0);
        out.extend_from_slice(&3u16.to_le_bytes());
        out.extend_from_slice(&machine.to_le_bytes());
        out.extend_from_slice(&1u32.to_le_bytes());
        put(&mut out, &[0, HEADER, 0]);
        out.extend_from_slice(&[0; 4]);
        for n in [64u16, 56, 2, 64, 0, 0] {
            out.extend_from_slice(&n.to_le_bytes());
        }
        out
    }

    fn put(out: &mut Vec<u8>, numbers: &[u64]) {
        for n in numbers {
            out.extend_from_slice(&n.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_libraries() {
        for (name, is) in [
            ("libhdf5.so.103", true),
            ("libhdf5_serial.so.103", true),
            ("libnetcdf.so.22", true),
            ("libnetcdf-3622e713.so.22", true),
            ("libblosc.so.1", false),
            ("libhdf5.dylib", false),
        ] {
            assert_eq!(replaces(name), is, "{name}");
        }
    }

    #[test]
    fn headers_have_their_sizes() {
        let object = object("libhdf5.so.103", 62);
        assert_eq!(elf::header(62).len(), 64);
        assert_eq!(object.len() % 8, 0);
        assert_eq!(&object[..4], b"\x7fELF");
        assert!(object.windows(16).any(|w| w == b"\0libhdf5.so.103\0"));
    }
}
