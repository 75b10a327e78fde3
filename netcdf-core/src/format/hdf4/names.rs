//! Converts stored names to netCDF names.
//!
//! Bytes that netCDF does not allow are escaped as `%` and two hexadecimal digits. Repeated names get the suffix `_2`, `_3` and so on.

use std::collections::{HashMap, HashSet};

use crate::model::Name;
use crate::model::name::MAX_NAME;

/// The names in one namespace.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<Vec<u8>, foldhash::fast::RandomState>,
    next: HashMap<Vec<u8>, u64, foldhash::fast::RandomState>,
}

impl Names {
    /// Returns the name for the next object with a stored name.
    pub(super) fn add(&mut self, stored: &[u8]) -> Name {
        let plain = escaped(stored);
        if self.taken.insert(plain.clone()) {
            return Name::stored(&plain);
        }
        loop {
            let next = self.next.entry(plain.clone()).or_insert(2);
            let number = format!("_{next}");
            *next = next.saturating_add(1);
            let mut name = plain.clone();
            cut(&mut name, MAX_NAME.saturating_sub(number.len()));
            name.extend_from_slice(number.as_bytes());
            if self.taken.insert(name.clone()) {
                return Name::stored(&name);
            }
        }
    }
}

/// Escapes the bytes that netCDF does not allow.
fn escaped(stored: &[u8]) -> Vec<u8> {
    if Name::checked(stored).is_ok() {
        return stored.to_vec();
    }
    let mut name = Vec::with_capacity(stored.len());
    let last = stored.len().saturating_sub(1);
    let mut at = 0usize;
    for chunk in stored.utf8_chunks() {
        for c in chunk.valid().chars() {
            let edge = (at == 0 && c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_')
                || (at == last && c == ' ');
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).as_bytes();
            at = at.saturating_add(bytes.len());
            match edge || c == '/' || c.is_ascii_control() {
                true => escape(bytes, &mut name),
                false => name.extend_from_slice(bytes),
            }
        }
        at = at.saturating_add(chunk.invalid().len());
        escape(chunk.invalid(), &mut name);
    }
    cut(&mut name, MAX_NAME);
    match name.first() {
        None => b"_".to_vec(),
        Some(b'%') => [b"_", &*name].concat(),
        Some(_) => name,
    }
}

fn escape(bytes: &[u8], name: &mut Vec<u8>) {
    for byte in bytes {
        name.extend_from_slice(format!("%{byte:02X}").as_bytes());
    }
}

/// Shortens a name at a character boundary.
fn cut(name: &mut Vec<u8>, most: usize) {
    while name.len() > most || std::str::from_utf8(name).is_err() {
        name.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_one_of_netcdf() {
        for (stored, name) in [
            (&b"a b:c%d"[..], "a b:c%d"),
            (b"a/b", "a%2Fb"),
            (b"/a\x01 ", "_%2Fa%01%20"),
            (b" x", "_%20x"),
            (b"", "_"),
            (b"caf\xe9", "caf%E9"),
            ("caf\u{e9}".as_bytes(), "caf\u{e9}"),
        ] {
            let got = Names::default().add(stored);
            assert!(got.is(name), "{got}");
            assert!(Name::checked(got.as_bytes()).is_ok());
        }
        let long = "\u{e9}/".repeat(200);
        let name = Names::default().add(long.as_bytes());
        assert!(Name::checked(name.as_bytes()).is_ok());
    }

    #[test]
    fn names_differ() {
        let mut names = Names::default();
        let mut add = |name: &[u8]| names.add(name).to_string();
        let got = [add(b"a"), add(b"a_2"), add(b"a"), add(b"a"), add(b"b")];
        assert_eq!(got, ["a", "a_2", "a_3", "a_4", "b"]);
        let long = [b'x'; 256];
        assert_eq!(add(&long).len(), 256);
        assert!(add(&long).ends_with("x_2"));
    }
}
