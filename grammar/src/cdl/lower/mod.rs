//! From syntax to schema: names are resolved, types laid out, values converted, and what does not fit is reported.

mod atomic;
mod attributes;
mod chain;
mod compounds;
mod list;
mod names;
mod needs;
mod quantize;
mod special;
mod type_order;
mod types;
mod variables;

#[cfg(test)]
pub(super) use list::items;
pub use needs::{Need, Needs};

use std::collections::{HashMap, HashSet};

use netcdf_core::limits::Limits;
use netcdf_core::model::{GroupId, Kind, Name, Schema, TypeId, VarId};

use super::ast::Word;
use super::read::DataList;
use super::split::continues_name;
use crate::diagnostic::{Anchor, Reporter, nearest};
use names::Names;
pub(crate) use names::is_reserved;
pub(super) use type_order::order_types;

/// Sections of a group that are misspelt without their last letter.
const SECTIONS: [&str; 3] = ["types", "dimensions", "variables"];

/// What of the text is read. Most texts are read once. Where a variable or a type uses a dimension or a type of a group
/// that comes later, as `ncdump` prints it for such files, all definitions are read first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Everything.
    All,
    /// Everything, but something was used that is not defined yet: reading stops.
    Forward,
    /// Groups, dimensions and types.
    Definitions,
    /// Types that are made of types of later groups, after `Definitions`; as often as there are more of them.
    Types,
    /// What is left, after `Definitions`.
    Rest,
}

/// The schema in the making.
pub(super) struct Lower<'s> {
    pub(super) schema: Schema,
    pub(super) report: Reporter<'s>,
    pub(super) needs: Needs,
    pub(super) format: Option<Kind>,
    pub(super) data: Vec<DataList>,
    pub(super) replaced: Vec<DataList>,
    data_of: HashMap<VarId, usize>,
    names: Names,
    /// What attributes said of filters.
    chains: HashMap<VarId, chain::Chain>,
    /// Names whose definition failed: that they are not there was said once.
    failed: HashSet<Name>,
    /// Names that netCDF does not allow, of which this was said.
    illegal: HashSet<Name>,
    /// Whether there is a new variable whose name is that of a section.
    pub(super) keyword_variables: bool,
    /// Variables with such names, before they are defined.
    keywords: HashSet<(GroupId, Name)>,
    /// What of the text is read.
    pub(super) pass: Pass,
    /// Types that are made of types which are not defined yet.
    postponed: HashSet<(GroupId, Name)>,
    /// Whether a type may be postponed: not where nothing more can be found.
    may_wait: bool,
    /// Whether something that the type in hand is made of was not found.
    waits: bool,
    /// Alignments of the compound types so far.
    alignments: HashMap<TypeId, u64>,
    /// What types are made of.
    made_of: HashMap<TypeId, types::MadeOf>,
    /// The kind that was asked for.
    kind: Option<Kind>,
    limits: Limits,
    /// The group whose declarations are read.
    pub(super) group: GroupId,
    /// Where the piece of text begins.
    pub(super) start: Anchor,
    /// Length of the attribute's text.
    length: usize,
}

impl<'s> Lower<'s> {
    pub(super) fn new(report: Reporter<'s>, kind: Option<Kind>, limits: Limits) -> Self {
        Self {
            schema: Schema::new(kind.unwrap_or(Kind::Classic)),
            report,
            needs: Needs::default(),
            format: None,
            data: vec![],
            replaced: vec![],
            data_of: HashMap::new(),
            names: Names::default(),
            chains: HashMap::new(),
            failed: HashSet::new(),
            illegal: HashSet::new(),
            keyword_variables: false,
            keywords: HashSet::new(),
            pass: Pass::All,
            postponed: HashSet::new(),
            may_wait: false,
            waits: false,
            alignments: HashMap::new(),
            made_of: HashMap::new(),
            kind,
            limits,
            group: GroupId::ROOT,
            start: Anchor { offset: 0, line: 1 },
            length: 0,
        }
    }

    /// Before the definitions.
    pub(super) fn first_pass(&mut self) {
        self.pass = Pass::Definitions;
        self.may_wait = true;
    }

    /// How many types are made of others that are not defined yet.
    pub(super) fn postponed(&self) -> usize {
        match self.report.has_errors() {
            true => 0,
            false => self.postponed.len(),
        }
    }

    /// Postponed types come next. Unless they `may_wait` on, what they lack is an error.
    pub(super) fn types_pass(&mut self, may_wait: bool) {
        self.pass = Pass::Types;
        self.may_wait = may_wait;
        self.group = GroupId::ROOT;
        self.keywords.clear();
    }

    /// After the definitions: the rest of the text comes next.
    pub(super) fn second_pass(&mut self) {
        self.pass = Pass::Rest;
        self.may_wait = false;
        self.group = GroupId::ROOT;
        self.keywords.clear();
    }

    /// Whether what a path leads to may be defined further on: nothing is said then, the text is read in two passes.
    fn is_later(&mut self, absolute: bool) -> bool {
        if absolute && self.pass == Pass::All {
            self.pass = Pass::Forward;
        }
        self.waits |= self.may_wait;
        self.may_wait || self.pass == Pass::Forward
    }

    /// Reports an error at a position of the piece.
    pub(super) fn error(&mut self, at: usize, message: impl Into<String>) {
        self.report
            .error(self.start, self.start.offset + at as u64, message);
    }

    fn hint(&mut self, at: usize, message: impl Into<String>, hint: Option<String>) {
        let offset = self.start.offset + at as u64;
        self.report
            .error_with_hint(self.start, offset, message, hint);
    }

    fn warning(&mut self, at: usize, message: impl Into<String>) {
        self.report
            .warning(self.start, self.start.offset + at as u64, message);
    }

    fn need(&self, at: usize) -> impl FnOnce(String) -> Need + use<> {
        let (anchor, offset) = (self.start, self.start.offset + at as u64);
        move |what| Need {
            what,
            anchor,
            offset,
        }
    }

    /// Something that only the netCDF-4 model has.
    fn enhanced(&mut self, at: usize, what: impl Into<String>) {
        if self.needs.enhanced.is_none() {
            self.needs.enhanced = Some(self.need(at)(what.into()));
        }
    }

    /// The name of something new; `what` says of what.
    fn new_name(&mut self, word: Word<'_>, what: &str) -> Option<Name> {
        if is_reserved(word.text, self.kind) {
            let hint = format!("write `\\{}` to use it as a name", word.text);
            let message = format!(
                "`{}` is a keyword and cannot be the name of a {what}",
                word.text
            );
            self.hint(word.at, message, Some(hint));
            return None;
        }
        self.name(word)
    }

    /// The name that is written as `word`. One that netCDF does not allow comes from a file that has it; the warning
    /// says why other programs may not take it.
    fn name(&mut self, word: Word<'_>) -> Option<Name> {
        let name = match self.names.name(word.text) {
            Ok(name) => name,
            Err(e) => {
                self.error(word.at, e.what().to_string());
                return None;
            }
        };
        if word.text.contains('\\')
            && let Err(e) = Name::checked(name.as_bytes())
            && self.illegal.insert(name.clone())
        {
            let message = format!("{}; accepted, because it is spelled with escapes", e.what());
            self.warning(word.at, message);
        }
        Some(name)
    }

    /// Reports that something is defined twice.
    fn duplicate(&mut self, word: Word<'_>, what: &str) {
        self.error(word.at, format!("{what} `{}` is defined twice", word.text));
    }

    /// Reports that `word` is not defined, unless its definition failed before.
    fn undefined<'a>(&mut self, word: Word<'_>, what: &str, known: impl Iterator<Item = &'a Name>) {
        let (_, parts) = names::split_path(word.text);
        let last = names::reference(parts.last().copied().unwrap_or_default());
        if self.report.is_full() || !self.failed.insert(last.clone()) {
            return;
        }
        let mut known: Vec<String> = known.map(ToString::to_string).collect();
        known.sort_unstable();
        let hint = nearest(&last.to_string(), known.iter().map(String::as_str));
        let hint = hint.map(|name| format!("there is a {what} `{name}`"));
        // `dimension:` is read as the beginning of an attribute, `dimension:units = "m"`.
        let section = SECTIONS
            .iter()
            .find(|s| s.strip_suffix('s') == Some(word.text));
        let hint = section.map(|s| format!("the section is `{s}:`")).or(hint);
        self.hint(
            word.at,
            format!("{what} `{}` is not defined", word.text),
            hint,
        );
    }

    /// Takes note of a declaration that is not understood: that its names are not defined will not be said.
    pub(super) fn give_up(&mut self, declaration: &[u8]) {
        for word in declaration
            .split(|&b| !continues_name(b))
            .filter(|word| !word.is_empty())
        {
            self.failed
                .insert(names::reference(&String::from_utf8_lossy(word)));
        }
    }

    /// `group: name {`
    pub(super) fn open_group(&mut self, word: Word<'_>) -> Option<GroupId> {
        self.enhanced(word.at, "a group");
        let name = self.new_name(word, "group")?;
        let key = (self.group, name);
        if let Some(&group) = self.names.groups.get(&key)
            && matches!(self.pass, Pass::Rest | Pass::Types)
        {
            return Some(group);
        }
        if let Some(&group) = self.names.groups.get(&key) {
            self.duplicate(word, "group");
            return Some(group);
        }
        let group = self.schema.add_group(self.group, key.1.clone());
        self.names.groups.insert(key, group);
        Some(group)
    }

    /// A data list for the variable `word`.
    pub(super) fn data_list(&mut self, word: Word<'_>, list: impl FnOnce(VarId) -> DataList) {
        let Some(var) = self.find_var(word) else {
            return self.undefined_var(word);
        };
        let list = list(var);
        // As with ncgen, of two lists for a variable the later one counts.
        if let Some(place) = self.data_of.get(&var).and_then(|&i| self.data.get_mut(i)) {
            self.replaced.push(std::mem::replace(place, list));
            let message = format!(
                "`{}` has two lists of values; the later one counts",
                word.text
            );
            return self.warning(word.at, message);
        }
        self.data_of.insert(var, self.data.len());
        self.data.push(list);
    }
}
