//! Lists of names of variables, dimensions and groups, as in `-v` and `-g`: `temp,/g/wind*,!*_bnds`.
//!
//! A name matches objects in any group; `/g/v` is a path from the root, and `g/v` the end of a path. In a pattern `*` matches any
//! characters, `?` one character, and `[a-c]` and `[!a-c]` one of a set, but never a `/`. An entry with a leading `!` removes objects from
//! the selection of the remaining entries; a list with only `!` entries starts from all objects. Removing a group also removes its
//! subgroups. A backslash makes the next character ordinary. A text that equals the name of an object is this name, even if it looks like a
//! pattern.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{DimId, GroupId, Name, Schema, VarId};

use crate::diagnostic::nearest;
use crate::escape::{trim_nuls, unescape_name};
use crate::pattern::PathGlob;

/// Splits comma-separated lists into names. A comma after a backslash is part of a name.
pub fn names<'a>(lists: impl IntoIterator<Item = &'a OsStr>) -> Vec<Vec<u8>> {
    let mut names = vec![];
    for list in lists {
        let mut name = vec![];
        let mut escaped = false;
        for &byte in list.as_encoded_bytes() {
            if byte == b',' && !escaped {
                names.push(std::mem::take(&mut name));
                continue;
            }
            escaped = byte == b'\\' && !escaped;
            name.push(byte);
        }
        names.push(name);
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Returns the variables that a list selects.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for an entry without match, and for an empty selection.
pub fn variables(schema: &Schema, list: &[Vec<u8>]) -> Result<BTreeSet<VarId>> {
    let objects = schema
        .var_ids()
        .zip(&schema.vars)
        .map(|(id, var)| NamedObject {
            id,
            group: var.group,
            own: trim_nuls(var.name.as_bytes()),
        });
    let all = SelectableObjects {
        what: "variable",
        schema,
        objects: objects.collect(),
    };
    all.select(list, |_| vec![])
}

/// Returns the dimensions that a list selects.
///
/// # Errors
/// Like [`variables`].
pub fn dimensions(schema: &Schema, list: &[Vec<u8>]) -> Result<BTreeSet<DimId>> {
    let objects = (0..).map(DimId).zip(&schema.dims);
    let objects = objects.map(|(id, dim)| NamedObject {
        id,
        group: dim.group,
        own: trim_nuls(dim.name.as_bytes()),
    });
    let all = SelectableObjects {
        what: "dimension",
        schema,
        objects: objects.collect(),
    };
    all.select(list, |_| vec![])
}

/// Returns the groups that a list selects; `/` is the root.
///
/// # Errors
/// Like [`variables`].
pub fn groups(schema: &Schema, list: &[Vec<u8>]) -> Result<BTreeSet<GroupId>> {
    let objects = (0..).map(GroupId).zip(&schema.groups);
    let objects = objects.map(|(id, group)| NamedObject {
        id,
        group: group.parent.unwrap_or(id),
        own: match group.parent {
            Some(_) => trim_nuls(group.name.as_bytes()),
            None => b"",
        },
    });
    let all = SelectableObjects {
        what: "group",
        schema,
        objects: objects.collect(),
    };
    all.select(list, |id| above(schema, id))
}

/// Returns the ancestors of a group, nearest first. Parents have smaller ids, so the loop ends.
fn above(schema: &Schema, id: GroupId) -> Vec<GroupId> {
    let above = |id: &GroupId| schema.group(*id)?.parent.filter(|p| p < id);
    std::iter::successors(above(&id), above).collect()
}

/// A named object in a group.
struct NamedObject<'s, I> {
    id: I,
    group: GroupId,
    /// The name without groups; empty for the root.
    own: &'s [u8],
}

struct SelectableObjects<'s, I> {
    what: &'static str,
    schema: &'s Schema,
    objects: Vec<NamedObject<'s, I>>,
}

impl<I: Copy + Ord> SelectableObjects<'_, I> {
    /// Returns the objects that a list selects. Removing an object also removes the objects in `within`.
    fn select(&self, list: &[Vec<u8>], within: impl Fn(I) -> Vec<I>) -> Result<BTreeSet<I>> {
        let mut found = BTreeSet::new();
        let mut out = BTreeSet::new();
        let mut only_out = true;
        for text in list {
            let named = self.exact(text);
            match text.strip_prefix(b"!").filter(|_| named.is_empty()) {
                Some(rest) => out.extend(self.matches_of(rest)?),
                None => {
                    only_out = false;
                    found.extend(match named.is_empty() {
                        true => self.matches_of(text)?,
                        false => named,
                    });
                }
            }
        }
        if only_out {
            found.extend(self.objects.iter().map(|o| o.id));
        }
        let goes = |id: &I| out.contains(id) || within(*id).iter().any(|o| out.contains(o));
        found.retain(|id| out.is_empty() || !goes(id));
        if found.is_empty() && !out.is_empty() {
            let what = format!("the list selects no {}", self.what);
            return Err(Error::new(ErrorKind::NotFound, what));
        }
        Ok(found)
    }

    /// Returns the objects that an entry matches, at least one.
    fn matches_of(&self, text: &[u8]) -> Result<Vec<I>> {
        let mut plain = vec![];
        unescape_name(text, &mut plain);
        let glob = std::str::from_utf8(text).ok().and_then(PathGlob::new);
        let found = match (self.exact(text), &glob) {
            (named, None) if named.is_empty() => self.exact(&plain),
            (named, Some(glob)) if named.is_empty() => self.matching(text, glob),
            (named, _) => named,
        };
        match found.is_empty() {
            false => Ok(found),
            true if glob.is_some() => {
                let shown = String::from_utf8_lossy(text);
                let what = format!("no {} matches {shown}", self.what);
                Err(Error::new(ErrorKind::NotFound, what))
            }
            true => Err(self.missing(&plain)),
        }
    }

    /// Returns the objects with the name `text`, as given or normalised.
    fn exact(&self, text: &[u8]) -> Vec<I> {
        let found = self.called(text);
        match normal(text).filter(|n| n != text && found.is_empty()) {
            Some(text) => self.called(&text),
            None => found,
        }
    }

    fn called(&self, text: &[u8]) -> Vec<I> {
        let ids = |is: &dyn Fn(&NamedObject<'_, I>) -> bool| {
            let found = self.objects.iter().filter(|o| is(o));
            found.map(|o| o.id).collect::<Vec<_>>()
        };
        let own = ids(&|o| !o.own.is_empty() && o.own == text);
        if !own.is_empty() || !text.contains(&b'/') {
            return own;
        }
        let path = match text.strip_suffix(b"/") {
            Some(path) if self.what == "group" => path,
            Some(_) | None => text,
        };
        if path.is_empty() || path.starts_with(b"/") {
            return ids(&|o| self.path(o) == path);
        }
        let whole = [b"/", path].concat();
        let names = ids(&|o| self.path(o).ends_with(&whole));
        match names.is_empty() {
            // As in the C tools, the first name may be the end of a group's name.
            true => ids(&|o| self.path(o).ends_with(path)),
            false => names,
        }
    }

    fn matching(&self, text: &[u8], glob: &PathGlob) -> Vec<I> {
        let matches = |path: &str| match text.first() {
            Some(b'/') => glob.matches(path),
            Some(_) | None => path
                .match_indices('/')
                .any(|(at, _)| glob.matches(path.get(at..).unwrap_or_default())),
        };
        let path = |o: &NamedObject<'_, I>| String::from_utf8_lossy(&self.path(o)).into_owned();
        let found = self.objects.iter().filter(|o| match o.own {
            b"" => text == b"*",
            _ => matches(&path(o)),
        });
        found.map(|o| o.id).collect()
    }

    /// Returns the path of an object; empty for the root.
    fn path(&self, o: &NamedObject<'_, I>) -> Vec<u8> {
        if o.own.is_empty() {
            return vec![];
        }
        let mut path = match self.schema.group_path(o.group) {
            root if root == "/" => vec![],
            path => path.into_bytes(),
        };
        path.push(b'/');
        path.extend_from_slice(o.own);
        path
    }

    fn missing(&self, text: &[u8]) -> Error {
        let shown = String::from_utf8_lossy(text);
        let what = format!("{shown}: No such {}", self.what);
        let e = Error::new(ErrorKind::NotFound, what);
        match self.near(&shown) {
            Some(near) => e.with_remedy(format!("did you mean `{near}`?")),
            None => e,
        }
    }

    /// Returns a likely intended name: the same name in another group, or a similar name.
    fn near(&self, text: &str) -> Option<String> {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let Some((_, last)) = text.rsplit_once('/') else {
            let names: Vec<_> = self.objects.iter().map(|o| lossy(o.own)).collect();
            let names = names.iter().map(String::as_str);
            return nearest(text, names.filter(|n| !n.is_empty())).map(str::to_owned);
        };
        let elsewhere = self.objects.iter().find(|o| o.own == last.as_bytes());
        if let Some(o) = elsewhere.filter(|_| !last.is_empty()) {
            return Some(lossy(&self.path(o)));
        }
        let paths: Vec<_> = self.objects.iter().map(|o| lossy(&self.path(o))).collect();
        let root = text.starts_with('/');
        let paths = paths.iter().map(|p| match root {
            true => p.as_str(),
            false => p.strip_prefix('/').unwrap_or(p),
        });
        nearest(text, paths.filter(|p| !p.is_empty())).map(str::to_owned)
    }
}

/// Returns the text with normalised names, or `None` if the names are invalid.
fn normal(text: &[u8]) -> Option<Vec<u8>> {
    let parts = text.split(|&b| b == b'/').map(|part| match part {
        b"" => Some(vec![]),
        part => Some(Name::checked(part).ok()?.as_bytes().to_vec()),
    });
    Some(parts.collect::<Option<Vec<_>>>()?.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec_tests::schema;
    use netcdf_core::model::{Atomic, Storage, Variable};

    fn list(text: &str) -> Vec<Vec<u8>> {
        names([OsStr::new(text)])
    }

    fn found(text: &str) -> std::result::Result<Vec<String>, String> {
        let schema = schema();
        let ids = variables(&schema, &list(text)).map_err(|e| e.to_string())?;
        Ok(ids.into_iter().map(|id| schema.var_path(id)).collect())
    }

    fn found_groups(text: &str) -> std::result::Result<Vec<String>, String> {
        let schema = schema();
        let ids = groups(&schema, &list(text)).map_err(|e| e.to_string())?;
        Ok(ids.into_iter().map(|id| schema.group_path(id)).collect())
    }

    #[test]
    fn names_are_those_of_any_group() {
        assert_eq!(found("temp").unwrap(), ["/temp", "/g/temp"]);
        assert_eq!(found("/temp").unwrap(), ["/temp"]);
        assert_eq!(found("g/temp,/temp").unwrap(), ["/temp", "/g/temp"]);
        assert_eq!(found("h/deep").unwrap(), ["/g/h/deep"]);
        assert_eq!(found("gro\u{308}\u{df}e").unwrap(), ["/größe"]);
        assert_eq!(found("a b").unwrap(), ["/a b"]);
        assert_eq!(found(r"a\ b").unwrap(), ["/a b"]);
    }

    #[test]
    fn patterns_are_those_of_any_group_too() {
        assert_eq!(found("tem*").unwrap(), ["/temp", "/g/temp"]);
        assert_eq!(found("/tem*").unwrap(), ["/temp"]);
        assert_eq!(found("g/*").unwrap(), ["/g/temp"]);
        assert_eq!(found("/*/*/*").unwrap(), ["/g/h/deep"]);
        assert_eq!(found("*").unwrap().len(), schema().vars.len());
    }

    #[test]
    fn exclamation_marks_remove_objects() {
        assert_eq!(found("tem*,!/temp").unwrap(), ["/g/temp"]);
        assert_eq!(found("!/temp,tem*").unwrap(), ["/g/temp"]);
        let all = schema().vars.len();
        assert_eq!(found("!deep").unwrap().len(), all - 1);
        assert_eq!(found("!t*,!deep").unwrap().len(), all - 4);
        let none = "the list selects no variable";
        assert_eq!(found("temp,!t*").unwrap_err(), none);
        let no = "demp: No such variable (did you mean `deep`?)";
        assert_eq!(found("!demp").unwrap_err(), no);
    }

    #[test]
    fn a_name_wins_over_a_pattern() {
        assert_eq!(found("x*").unwrap(), ["/x*"]);
        assert_eq!(found(r"x\*").unwrap(), ["/x*"]);
        assert_eq!(found("x?").unwrap(), ["/x*", "/xy"]);
        assert_eq!(found("!x*,x?").unwrap(), ["/xy"]);
        assert!(found(r"te\*").is_err());
        let mut odd = schema();
        for name in ["!temp", "a,b"] {
            odd.add_var(Variable {
                name: Name::stored(name.as_bytes()),
                group: GroupId::ROOT,
                ty: Atomic::Int.into(),
                dims: vec![],
                attributes: vec![],
                storage: Storage::default(),
            });
        }
        for (text, name) in [("!temp", "!temp"), (r"\!temp", "!temp"), (r"a\,b", "a,b")] {
            let ids = variables(&odd, &list(text)).unwrap();
            let paths: Vec<_> = ids.iter().map(|id| odd.var_path(*id)).collect();
            assert_eq!(paths, [format!("/{name}")]);
        }
    }

    #[test]
    fn hints_for_unknown_names() {
        let no = "tmep: No such variable (did you mean `temp`?)";
        assert_eq!(found("tmep").unwrap_err(), no);
        let no = "x/deep: No such variable (did you mean `/g/h/deep`?)";
        assert_eq!(found("x/deep").unwrap_err(), no);
        assert_eq!(found("q*").unwrap_err(), "no variable matches q*");
        assert_eq!(found("qqqq").unwrap_err(), "qqqq: No such variable");
        let bytes = variables(&schema(), &[b"\xff*".to_vec()]).unwrap_err();
        let bytes = bytes.to_string();
        assert!(bytes.starts_with("\u{fffd}*: No such variable"), "{bytes}");
    }

    #[test]
    fn groups_by_name_path_and_pattern() {
        assert_eq!(found_groups("/").unwrap(), ["/"]);
        assert_eq!(found_groups("h").unwrap(), ["/g/h"]);
        assert_eq!(found_groups("/g/h/,g").unwrap(), ["/g", "/g/h"]);
        assert_eq!(found_groups("g/?").unwrap(), ["/g/h"]);
        assert_eq!(found_groups("*").unwrap(), ["/", "/g", "/g/h"]);
        assert_eq!(found_groups("!h").unwrap(), ["/", "/g"]);
        assert_eq!(found_groups("!g").unwrap(), ["/"]);
        let no = "g/hh: No such group (did you mean `g/h`?)";
        assert_eq!(found_groups("g/hh").unwrap_err(), no);
        assert!(found_groups("!/").is_err());
    }
}
