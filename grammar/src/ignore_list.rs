//! Lists of names to ignore in a comparison, as in `--ignore`: `history,/g/v,*_bnds,v:comment`.
//!
//! A name stands for objects and attributes with this name in any group. `/g/v` is a path from the root, and `g/v` the end of a path.
//! `v:units` is an attribute of objects with the name or path `v`, and `:history` a dataset attribute. Patterns and escapes follow
//! [`selection`](crate::selection).

use crate::escape::unescape_name;
use crate::pattern::PathGlob;

/// Names to ignore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoreList(Vec<IgnoreEntry>);

/// A list entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct IgnoreEntry {
    /// The whole entry: the name of an object or attribute.
    whole: NamePattern,
    /// Owner and name of an attribute if the entry has a colon; `None` as owner stands for the dataset.
    attribute: Option<(Option<NamePattern>, NamePattern)>,
}

/// A name or path, or a pattern of either.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NamePattern {
    plain: String,
    glob: Option<PathGlob>,
    /// Whether the text begins at the root.
    rooted: bool,
}

impl NamePattern {
    fn new(text: &[u8]) -> Self {
        let mut plain = vec![];
        unescape_name(text, &mut plain);
        let text = String::from_utf8_lossy(text);
        Self {
            plain: String::from_utf8_lossy(&plain).into_owned(),
            glob: PathGlob::new(&text),
            rooted: text.starts_with('/'),
        }
    }

    /// Returns whether the text names an attribute.
    fn names(&self, name: &str) -> bool {
        let matches = |glob: &PathGlob| glob.matches(&format!("/{name}"));
        self.plain == name
            || self
                .glob
                .as_ref()
                .is_some_and(|glob| !self.rooted && matches(glob))
    }

    /// Returns whether the text is a path or the end of one.
    fn leads_to(&self, path: &str) -> bool {
        let end = |at: usize| path.get(at..).unwrap_or_default();
        let mut ends = path.match_indices('/').map(|(at, _)| end(at));
        let matches = |glob: &PathGlob, path: &str| glob.matches(path);
        match (&self.glob, self.rooted) {
            _ if self.plain == path => true,
            (Some(glob), true) => matches(glob, path),
            (Some(glob), false) => ends.any(|end| matches(glob, end)),
            (None, true) => false,
            (None, false) => ends.any(|end| end.strip_prefix('/') == Some(&self.plain)),
        }
    }
}

impl IgnoreEntry {
    fn new(text: &[u8]) -> Self {
        let colon = text.iter().rposition(|&b| b == b':');
        let parts = colon.and_then(|at| Some((text.get(..at)?, text.get(at + 1..)?)));
        let owner = |text: &[u8]| match text {
            b"" | b"/" => None,
            text => Some(NamePattern::new(text)),
        };
        Self {
            whole: NamePattern::new(text),
            attribute: parts.map(|(o, name)| (owner(o), NamePattern::new(name))),
        }
    }

    fn has_attribute(&self, owner: &str, name: &str) -> bool {
        let own = |(pattern, attribute): &(Option<NamePattern>, NamePattern)| {
            let owns = match pattern {
                Some(pattern) => pattern.leads_to(owner),
                None => owner == "/",
            };
            owns && attribute.names(name)
        };
        self.whole.names(name) || self.attribute.as_ref().is_some_and(own)
    }
}

impl IgnoreList {
    /// Parses the entries of a list. Entries may match no object.
    #[must_use]
    pub fn new(list: &[Vec<u8>]) -> Self {
        Self(list.iter().map(|text| IgnoreEntry::new(text)).collect())
    }

    /// Returns whether the object with this path is ignored.
    #[must_use]
    pub fn has_object(&self, path: &str) -> bool {
        self.0.iter().any(|entry| entry.whole.leads_to(path))
    }

    /// Returns whether an attribute of the object with the path `owner` is ignored.
    #[must_use]
    pub fn has_attribute(&self, owner: &str, name: &str) -> bool {
        self.0.iter().any(|entry| entry.has_attribute(owner, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::names;
    use std::ffi::OsStr;

    fn list(text: &str) -> IgnoreList {
        IgnoreList::new(&names([OsStr::new(text)]))
    }

    #[test]
    fn names_stand_for_objects_and_attributes() {
        let out = list("history,v,/g/w,h/x,b*");
        assert!(out.has_attribute("/", "history") && out.has_attribute("/g/v", "history"));
        assert!(out.has_object("/v") && out.has_object("/g/v") && out.has_object("/g/w"));
        assert!(out.has_object("/g/h/x") && out.has_object("/bounds") && out.has_object("/g/b"));
        assert!(!out.has_object("/w") && !out.has_object("/x") && !out.has_object("/vv"));
        assert!(!out.has_object("/v/u"), "the group itself is ignored");
        assert!(out.has_attribute("/u", "bounds") && !out.has_attribute("/u", "units"));
    }

    #[test]
    fn attributes_of_some_objects() {
        let out = list(r"v:units,:title,/g/*:c*,a\:b");
        assert!(out.has_attribute("/v", "units") && out.has_attribute("/g/v", "units"));
        assert!(!out.has_attribute("/w", "units") && !out.has_object("/v"));
        assert!(out.has_attribute("/", "title") && !out.has_attribute("/v", "title"));
        assert!(out.has_attribute("/g/w", "comment") && !out.has_attribute("/w", "comment"));
        assert!(out.has_attribute("/w", "a:b"));
        assert!(!IgnoreList::default().has_object("/v"));
    }
}
