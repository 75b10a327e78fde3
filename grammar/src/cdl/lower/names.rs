//! Definitions by group and name, and the resolution of references.

use std::collections::HashMap;
use std::hash::Hash;

use netcdf_core::Result;
use netcdf_core::model::kind::Model;
use netcdf_core::model::{Atomic, DimId, GroupId, Kind, Name, Schema, TypeId, VarId};

use crate::escape::{is_keyword, unescape_name};

/// The owner of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum OwnerName {
    Group(GroupId),
    Var(VarId),
}

/// A map for looking up all names of a file.
pub(super) type NameMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// All defined names.
#[derive(Debug, Default)]
pub(super) struct DefinedNames {
    /// Names by escaped text.
    written: NameMap<Box<str>, Name>,
    pub(super) groups: NameMap<(GroupId, Name), GroupId>,
    pub(super) dims: NameMap<(GroupId, Name), DimId>,
    pub(super) types: NameMap<(GroupId, Name), TypeId>,
    pub(super) vars: NameMap<(GroupId, Name), VarId>,
    /// Attribute indices of owners with many attributes.
    pub(super) attributes: NameMap<OwnerName, NameMap<Name, usize>>,
    /// Types of all groups.
    everywhere: NameMap<Name, Vec<TypeId>>,
}

impl DefinedNames {
    /// Returns the name written as `text`.
    pub(super) fn name(&mut self, text: &str) -> Result<Name> {
        if let Some(name) = self.written.get(text) {
            return Ok(name.clone());
        }
        let name = name(text)?;
        self.written.insert(text.into(), name.clone());
        Ok(name)
    }

    /// Registers a type by name without group.
    pub(super) fn add_type(&mut self, group: GroupId, name: &Name, id: TypeId) {
        self.types.insert((group, name.clone()), id);
        self.everywhere.entry(name.clone()).or_default().push(id);
    }

    /// Returns the types with this name in any group.
    pub(super) fn types_named(&self, name: &Name) -> &[TypeId] {
        self.everywhere
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns the group at an absolute path without its last name.
    pub(super) fn group_at(&mut self, groups: &[&str]) -> Option<GroupId> {
        let mut at = GroupId::ROOT;
        for text in groups {
            let name = reference(text);
            at = *self.groups.get(&(at, name))?;
        }
        Some(at)
    }
}

/// Searches `group` and its ancestors.
pub(super) fn outwards<T: Copy>(
    map: &NameMap<(GroupId, Name), T>,
    schema: &Schema,
    group: GroupId,
    name: &Name,
) -> Option<T> {
    let mut key = (group, name.clone());
    loop {
        if let Some(&found) = map.get(&key) {
            return Some(found);
        }
        key.0 = schema.group(key.0)?.parent?;
    }
}

/// Returns whether a path is absolute, and its components. A single name has one component and is not absolute.
pub(crate) fn split_path(text: &str) -> (bool, Vec<&str>) {
    let Some(path) = text.strip_prefix('/') else {
        return (false, vec![text]);
    };
    let (mut parts, mut start, mut escaped) = (vec![], 0, false);
    for (at, byte) in path.bytes().enumerate() {
        if byte == b'/' && !escaped {
            parts.push(path.get(start..at).unwrap_or_default());
            start = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    parts.push(path.get(start..).unwrap_or_default());
    (true, parts)
}

/// Returns the name in a reference. Looking up a name needs no validation.
pub(super) fn reference(text: &str) -> Name {
    match name(text) {
        Ok(name) => name,
        Err(_) => Name::stored(&plain(text)),
    }
}

/// Returns the name in a definition.
///
/// Names with illegal characters are accepted if the characters are escaped in a way that netCDF-C lacks: such names come from existing
/// files.
fn name(text: &str) -> Result<Name> {
    if !text.contains('\\') {
        return Name::checked(text.as_bytes());
    }
    let bytes = plain(text);
    match Name::checked(&bytes) {
        Ok(name) => Ok(name),
        Err(_) if has_unusual_escape(text) && bytes.len() <= netcdf_core::model::name::MAX_NAME => {
            Ok(Name::stored(&bytes))
        }
        Err(e) => Err(e),
    }
}

fn plain(text: &str) -> Vec<u8> {
    let mut bytes = vec![];
    unescape_name(text.as_bytes(), &mut bytes);
    bytes
}

/// Returns whether a name has an escape that netCDF-C never writes: a byte by number, `/`, or a first character other than a digit.
fn has_unusual_escape(text: &str) -> bool {
    let mut rest = text.as_bytes();
    if let [b'\\', first, ..] = rest
        && !first.is_ascii_digit()
    {
        return true;
    }
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'\\', [b'/' | b'%', ..]) => return true,
            (b'\\', [_, after @ ..]) => after,
            _ => after,
        };
    }
    false
}

/// Returns the atomic type with this keyword.
pub(crate) fn atomic(text: &str) -> Option<Atomic> {
    let alias = match text {
        "real" => "float",
        "long" | "integer" => "int",
        "ulong" | "uinteger" => "uint",
        other => other,
    };
    Atomic::ALL.into_iter().find(|a| a.name() == alias)
}

/// Returns whether the name is reserved, so that it needs an escape.
///
/// In kinds without extended types, their keywords are ordinary names.
pub(crate) fn is_reserved(text: &str, kind: Option<Kind>) -> bool {
    match text {
        word if is_keyword(word.as_bytes()) => true,
        "ubyte" | "ushort" | "uint" | "int64" | "uint64" | "ulong" | "uinteger" => {
            kind.is_some_and(|kind| kind.model != Model::Classic)
        }
        "string" => kind.is_some_and(Kind::is_enhanced),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Option<Vec<u8>> {
        name(text).ok().map(|n| n.as_bytes().to_vec())
    }

    #[test]
    fn names_with_escapes() {
        assert_eq!(bytes("a\\ b"), Some(b"a b".to_vec()));
        assert_eq!(bytes("\\9x"), Some(b"9x".to_vec()));
        assert_eq!(bytes("caf\\%e9"), Some(b"caf\xe9".to_vec()));
        assert_eq!(bytes("a\\/b"), Some(b"a/b".to_vec()));
        assert_eq!(bytes("\\-a"), Some(b"-a".to_vec()));
    }

    #[test]
    fn names_that_netcdf_refuses() {
        assert_eq!(bytes("a\\ "), None);
        assert_eq!(bytes(&"a".repeat(257)), None);
        assert_eq!(bytes(&format!("\\%01{}", "a".repeat(256))), None);
    }

    #[test]
    fn paths() {
        assert_eq!(split_path("a.b"), (false, vec!["a.b"]));
        assert_eq!(split_path("/g/h\\/i/x"), (true, vec!["g", "h\\/i", "x"]));
        assert_eq!(split_path("/x\\\\/y"), (true, vec!["x\\\\", "y"]));
    }
}
