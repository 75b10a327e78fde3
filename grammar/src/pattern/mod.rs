//! Names of variables and dimensions in options: paths from the root, patterns, escapes.
//!
//! `v` is the variable `v` of the root group, `/g/v` a variable of group `g`. In a pattern `*` matches any characters, `?` one character,
//! and `[a-c]` and `[!a-c]` one of a set, but never a `/`; `*` alone means all variables of all groups. A backslash makes the next
//! character ordinary. A text that equals the name of a variable is this name, even if it looks like a pattern.

use netcdf_core::model::{GroupId, Name, Schema, VarId};

use crate::diagnostic::nearest;
use crate::escape::unescape_name;
use crate::mistake::Mistake;

mod glob;

pub(crate) use glob::PathGlob;

/// A name or pattern, with its position in an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern<'a> {
    text: &'a str,
    /// The offset in the option's text.
    pub at: usize,
}

/// The variables that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedVariables {
    /// The variables, at least one.
    pub ids: Vec<VarId>,
    /// Whether the pattern is the name of the only variable.
    pub by_name: bool,
}

impl<'a> Pattern<'a> {
    /// Returns a pattern at position `at`.
    #[must_use]
    pub fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// Returns whether the pattern matches all variables.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.text == "*"
    }

    /// Returns the matching variables.
    ///
    /// # Errors
    /// Returns a mistake if no variable matches.
    pub fn variables(&self, schema: &Schema) -> Result<MatchedVariables, Mistake> {
        let matched = |ids: Vec<VarId>, by_name: bool| MatchedVariables { ids, by_name };
        if self.is_everything() && !schema.vars.is_empty() {
            return Ok(matched(schema.var_ids().collect(), false));
        }
        if let Some(id) = named(schema, self.text) {
            return Ok(matched(vec![id], true));
        }
        let Some(glob) = PathGlob::new(self.text) else {
            return Err(self.unknown(schema));
        };
        let matching = |id: &VarId| glob.matches(&schema.var_path(*id));
        let found: Vec<_> = schema.var_ids().filter(matching).collect();
        if found.is_empty() {
            let message = format!("no variable matches `{}`", self.text);
            return Err(Mistake::unmatched(self.at, message));
        }
        Ok(matched(found, false))
    }

    /// Returns the variable with this name; patterns are not expanded.
    ///
    /// # Errors
    /// Returns a mistake if the variable does not exist.
    pub fn variable(&self, schema: &Schema) -> Result<VarId, Mistake> {
        named(schema, self.text).ok_or_else(|| self.unknown(schema))
    }

    fn unknown(&self, schema: &Schema) -> Mistake {
        let paths: Vec<_> = schema.var_ids().map(|id| schema.var_path(id)).collect();
        let message = format!("there is no variable `{}`", self.text);
        Mistake::unmatched(self.at, message).with_hint(near(self.text, &paths))
    }
}

/// Returns a hint at a likely intended object: the same name in a group, or a similar name.
pub(crate) fn near(text: &str, paths: &[String]) -> Option<String> {
    let name = text.strip_prefix('/').unwrap_or(text);
    let elsewhere = |p: &&String| p.strip_suffix(name).is_some_and(|g| g.ends_with('/'));
    let found = paths.iter().find(elsewhere).map(String::as_str);
    let found = found.or_else(|| nearest(name, paths.iter().map(|p| p.trim_start_matches('/'))));
    found.map(|near| format!("did you mean `{near}`?"))
}

fn named(schema: &Schema, text: &str) -> Option<VarId> {
    let (group, name) = locate(schema, text)?;
    let vars = &schema.group(group)?.vars;
    let is = |id: &&VarId| schema.var(**id).is_some_and(|v| v.name == name);
    vars.iter().find(is).copied()
}

/// Returns the group of a path, and its last name.
pub(crate) fn locate(schema: &Schema, text: &str) -> Option<(GroupId, Name)> {
    let path = text.strip_prefix('/').unwrap_or(text);
    let mut parts = path.split('/').map(name);
    let mut last = parts.next()?;
    let mut group = GroupId::ROOT;
    for next in parts {
        let inner = &schema.group(group)?.groups;
        let is = |id: &&GroupId| schema.group(**id).is_some_and(|g| g.name == last);
        group = *inner.iter().find(is)?;
        last = next;
    }
    Some((group, last))
}

/// Returns an unescaped name.
fn name(text: &str) -> Name {
    let mut bytes = vec![];
    unescape_name(text.as_bytes(), &mut bytes);
    Name::checked(&bytes).unwrap_or_else(|_| Name::stored(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec_tests::schema;

    fn found(text: &str) -> Result<Vec<String>, String> {
        let schema = schema();
        let found = Pattern::new(text, 0).variables(&schema);
        let MatchedVariables { ids, by_name } = found.map_err(|e| e.shown(text))?;
        let mark = if by_name { "=" } else { "" };
        let shown = ids
            .iter()
            .map(|&id| format!("{mark}{}", schema.var_path(id)));
        Ok(shown.collect())
    }

    #[test]
    fn names_are_paths_from_the_root() {
        assert_eq!(found("temp").unwrap(), ["=/temp"]);
        assert_eq!(found("/temp").unwrap(), ["=/temp"]);
        assert_eq!(found("g/temp").unwrap(), ["=/g/temp"]);
        assert_eq!(found("/g/h/deep").unwrap(), ["=/g/h/deep"]);
        assert_eq!(found(r"a\ b").unwrap(), ["=/a b"]);
        assert_eq!(found("gro\u{308}\u{df}e").unwrap(), ["=/größe"]);
    }

    #[test]
    fn patterns_stay_within_a_group() {
        assert_eq!(found("t*").unwrap(), ["/temp", "/time", "/t*"][..2]);
        assert_eq!(found("/g/*").unwrap(), ["/g/temp"]);
        assert_eq!(found("*/temp").unwrap(), ["/g/temp"]);
        assert_eq!(found("*/*/deep").unwrap(), ["/g/h/deep"]);
        assert_eq!(found("t[ie]m?").unwrap(), ["/temp", "/time"]);
        assert_eq!(found("*").unwrap().len(), schema().vars.len());
    }

    #[test]
    fn a_name_wins_over_a_pattern() {
        assert_eq!(found("x*").unwrap(), ["=/x*"]);
        assert_eq!(found(r"x\*").unwrap(), ["=/x*"]);
        assert_eq!(found("x?").unwrap(), ["/x*", "/xy"]);
    }

    #[test]
    fn unmatched_patterns_are_mistakes() {
        let no = "no variable matches `q*`\n  q*\n  ^";
        assert_eq!(found("q*").unwrap_err(), no);
        let no = "there is no variable `deep`\n  deep\n  ^\n  hint: did you mean `/g/h/deep`?";
        assert_eq!(found("deep").unwrap_err(), no);
        let no = "there is no variable `tmep`\n  tmep\n  ^\n  hint: did you mean `temp`?";
        assert_eq!(found("tmep").unwrap_err(), no);
        assert!(found(r"t\*").is_err() && found("g/nosuch").is_err() && found("").is_err());
    }
}
