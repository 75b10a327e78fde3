//! Names: bytes, validated and normalised on creation.

use std::fmt;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::is_nfc;

use crate::error::{Error, ErrorKind, Result};

/// Longest name in bytes (`NC_MAX_NAME`).
pub const MAX_NAME: usize = 256;

/// The name of a dimension, variable, attribute, type, member or group.
///
/// A name from a file may contain any bytes and stays unchanged. [`Name::checked`] validates a new name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<[u8]>);

impl Name {
    /// A name as stored in a file, unchecked.
    #[must_use]
    pub fn stored(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// Returns a name to write, checked against the rules of the file format document ("Note on names") and converted to Unicode
    /// normalisation form C.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadName`] if the name is empty, longer than [`MAX_NAME`] bytes or not UTF-8, does not start with a letter, a
    /// digit, `_` or a multi-byte character, contains `/` or control characters, or ends with a blank.
    pub fn checked(bytes: &[u8]) -> Result<Self> {
        let bad = |why: &str| {
            let shown = String::from_utf8_lossy(bytes);
            Err(Error::new(
                ErrorKind::BadName,
                format!("name `{shown}` {why}"),
            ))
        };
        let Ok(text) = std::str::from_utf8(bytes) else {
            return bad("is not UTF-8");
        };
        let normal = if is_nfc(text) {
            None
        } else {
            Some(text.nfc().collect::<String>())
        };
        let name = normal.as_deref().unwrap_or(text).as_bytes();
        let Some(&first) = name.first() else {
            return bad("is empty");
        };
        if name.len() > MAX_NAME {
            return bad("is longer than 256 bytes");
        }
        if !(first.is_ascii_alphanumeric() || first == b'_' || first >= 0x80) {
            return bad("starts with a character that is not a letter, digit or underscore");
        }
        if name.contains(&b'/') {
            return bad("contains a slash");
        }
        if name.iter().any(|&b| b < 0x20 || b == 0x7f) {
            return bad("contains a control character");
        }
        if name.last() == Some(&b' ') {
            return bad("ends with a blank");
        }
        Ok(Self(name.into()))
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns whether the name is `text`.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        &*self.0 == text.as_bytes()
    }
}

impl std::borrow::Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// Objects by name.
pub type ByName<T> = std::collections::HashMap<Name, T, foldhash::fast::RandomState>;

/// Shares one allocation between equal names.
#[derive(Debug, Default)]
pub struct Interner(std::collections::HashSet<Name, foldhash::fast::RandomState>);

impl Interner {
    /// Returns the name with these stored bytes.
    pub fn stored(&mut self, bytes: &[u8]) -> Name {
        if let Some(name) = self.0.get(bytes) {
            return name.clone();
        }
        let name = Name::stored(bytes);
        self.0.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises() {
        let name = Name::checked("e\u{301}t\u{e9}".as_bytes()).unwrap();
        assert_eq!(name.as_bytes(), "\u{e9}t\u{e9}".as_bytes());
    }

    #[test]
    fn allows_special_characters_inside() {
        for ok in ["a b", "x+y", "_", "9lives", "a%b", "w\\z", "\u{6d77}"] {
            assert!(Name::checked(ok.as_bytes()).is_ok(), "{ok}");
        }
    }

    #[test]
    fn refuses_what_the_document_refuses() {
        for bad in ["", " a", "a/b", "a ", "-a", "a\tb", "a\x7f"] {
            let e = Name::checked(bad.as_bytes()).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::BadName, "{bad:?}");
        }
        assert!(Name::checked(&[b'a'; 257]).is_err());
        assert!(Name::checked(b"a\xff").is_err());
    }

    #[test]
    fn interner_shares() {
        let mut names = Interner::default();
        let (a, b) = (names.stored(b"units"), names.stored(b"units"));
        assert!(Arc::ptr_eq(&a.0, &b.0));
    }
}
