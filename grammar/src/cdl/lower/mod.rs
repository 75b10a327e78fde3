//! From syntax to schema: resolves names, lays out types, converts values, and reports what does not fit.

mod assign;
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
mod typed;
mod types;
mod variables;

pub use assign::{AssignedAttribute, AssignmentOwner, assign};
#[cfg(test)]
pub(super) use list::items;
pub use needs::{Need, Needs};

use std::collections::{HashMap, HashSet};

use netcdf_core::limits::Limits;
use netcdf_core::model::{GroupId, Kind, Name, Schema, TypeId, VarId};

use super::ast::StatementWord;
use super::data_list::DataList;
use super::split::continues_name;
use crate::diagnostic::{Anchor, Reporter, nearest};
use names::DefinedNames;
pub(crate) use names::{atomic, is_reserved, split_path};
pub(super) use type_order::order_types;

/// Sections of a group that are often written without their last letter.
const SECTIONS: [&str; 3] = ["types", "dimensions", "variables"];

/// The parts of the text that a pass reads. Most texts are read once. If a variable or a type uses a dimension or a type of a
/// later group, which `ncdump` can print, all definitions are read first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LowerPass {
    /// Everything.
    All,
    /// Everything, but something was used before its definition: reading stops.
    Forward,
    /// Groups, dimensions and types.
    Definitions,
    /// Types made of types of later groups, after `Definitions`; repeated as long as more of them can be defined.
    Types,
    /// The rest, after `Definitions`.
    Rest,
}

/// The schema under construction.
pub(crate) struct Lower<'s> {
    pub(crate) schema: Schema,
    pub(crate) report: Reporter<'s>,
    pub(crate) needs: Needs,
    pub(crate) format: Option<Kind>,
    pub(crate) data: Vec<DataList>,
    pub(crate) replaced: Vec<DataList>,
    data_of: HashMap<VarId, usize>,
    names: DefinedNames,
    /// The filters that attributes define.
    chains: HashMap<VarId, chain::AttributeChain>,
    /// Names whose definition failed: they are reported as missing only once.
    failed: HashSet<Name>,
    /// Names that netCDF does not allow and for which a warning was given.
    illegal: HashSet<Name>,
    /// Whether there is a new variable with the name of a section.
    pub(crate) keyword_variables: bool,
    /// Variables with such names, before they are defined.
    keywords: HashSet<(GroupId, Name)>,
    /// The parts of the text being read.
    pub(crate) pass: LowerPass,
    /// Types made of types that are not defined yet.
    postponed: HashSet<(GroupId, Name)>,
    /// Whether a type may be postponed: not if no more definitions can follow.
    may_wait: bool,
    /// Whether a part of the current type was not found.
    waits: bool,
    /// Alignments of the compound types so far.
    alignments: HashMap<TypeId, u64>,
    /// What types are made of.
    made_of: HashMap<TypeId, types::MadeOf>,
    /// The requested kind.
    kind: Option<Kind>,
    limits: Limits,
    /// The group whose declarations are read.
    pub(crate) group: GroupId,
    /// Where the piece of text begins.
    pub(crate) start: Anchor,
    /// Length of the attribute's text.
    length: usize,
    /// In JSON, the path of what is defined, for messages.
    pub(crate) path: String,
}

impl<'s> Lower<'s> {
    pub(crate) fn new(report: Reporter<'s>, kind: Option<Kind>, limits: Limits) -> Self {
        Self {
            schema: Schema::new(kind.unwrap_or(Kind::CLASSIC)),
            report,
            needs: Needs::default(),
            format: None,
            data: vec![],
            replaced: vec![],
            data_of: HashMap::new(),
            names: DefinedNames::default(),
            chains: HashMap::new(),
            failed: HashSet::new(),
            illegal: HashSet::new(),
            keyword_variables: false,
            keywords: HashSet::new(),
            pass: LowerPass::All,
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
            path: String::new(),
        }
    }

    /// Before the definitions.
    pub(crate) fn first_pass(&mut self) {
        self.pass = LowerPass::Definitions;
        self.may_wait = true;
    }

    /// Number of types made of others that are not defined yet.
    pub(crate) fn postponed(&self) -> usize {
        match self.report.has_errors() {
            true => 0,
            false => self.postponed.len(),
        }
    }

    /// Begins a pass over postponed types. Unless they `may_wait` further, missing parts are errors.
    pub(crate) fn types_pass(&mut self, may_wait: bool) {
        self.pass = LowerPass::Types;
        self.may_wait = may_wait;
        self.group = GroupId::ROOT;
        self.keywords.clear();
    }

    /// Begins the pass over the rest of the text, after the definitions.
    pub(crate) fn second_pass(&mut self) {
        self.pass = LowerPass::Rest;
        self.may_wait = false;
        self.group = GroupId::ROOT;
        self.keywords.clear();
    }

    /// Whether the target of a path may be defined later. Then nothing is reported, and the text is read in two passes.
    fn is_later(&mut self, absolute: bool) -> bool {
        if absolute && self.pass == LowerPass::All {
            self.pass = LowerPass::Forward;
        }
        self.waits |= self.may_wait;
        self.may_wait || self.pass == LowerPass::Forward
    }

    /// Reports an error at a position of the piece.
    pub(crate) fn error(&mut self, at: usize, message: impl Into<String>) {
        let message = self.with_path(message.into());
        self.report
            .error(self.start, self.start.offset + at as u64, message);
    }

    fn hint(&mut self, at: usize, message: impl Into<String>, hint: Option<String>) {
        let offset = self.start.offset + at as u64;
        let message = self.with_path(message.into());
        self.report
            .error_with_hint(self.start, offset, message, hint);
    }

    fn warning(&mut self, at: usize, message: impl Into<String>) {
        let message = self.with_path(message.into());
        self.report
            .warning(self.start, self.start.offset + at as u64, message);
    }

    /// A message, in JSON after the path of what is defined.
    fn with_path(&self, message: String) -> String {
        match self.path.is_empty() {
            true => message,
            false => format!("{}: {message}", self.path),
        }
    }

    fn need(&self, at: usize) -> impl FnOnce(String) -> Need + use<> {
        let (anchor, offset) = (self.start, self.start.offset + at as u64);
        move |what| Need {
            what,
            anchor,
            offset,
        }
    }

    /// Notes a use of something that only the netCDF-4 model has.
    fn enhanced(&mut self, at: usize, what: impl Into<String>) {
        if self.needs.enhanced.is_none() {
            self.needs.enhanced = Some(self.need(at)(what.into()));
        }
    }

    /// The name of something new; `what` is its kind for messages.
    fn new_name(&mut self, word: StatementWord<'_>, what: &str) -> Option<Name> {
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

    /// The name written as `word`. A name that netCDF does not allow comes from a file with such a name; a warning says why
    /// other programs may refuse it.
    fn name(&mut self, word: StatementWord<'_>) -> Option<Name> {
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
    fn duplicate(&mut self, word: StatementWord<'_>, what: &str) {
        self.error(word.at, format!("{what} `{}` is defined twice", word.text));
    }

    /// Reports that `word` is not defined, unless its definition failed before.
    fn undefined<'a>(
        &mut self,
        word: StatementWord<'_>,
        what: &str,
        known: impl Iterator<Item = &'a Name>,
    ) {
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

    /// Notes a declaration that cannot be parsed, so that its names are not reported as undefined.
    pub(crate) fn give_up(&mut self, declaration: &[u8]) {
        for word in declaration
            .split(|&b| !continues_name(b))
            .filter(|word| !word.is_empty())
        {
            self.failed
                .insert(names::reference(&String::from_utf8_lossy(word)));
        }
    }

    /// `group: name {`
    pub(crate) fn open_group(&mut self, word: StatementWord<'_>) -> Option<GroupId> {
        self.enhanced(word.at, "a group");
        let name = self.new_name(word, "group")?;
        let key = (self.group, name);
        if let Some(&group) = self.names.groups.get(&key)
            && matches!(self.pass, LowerPass::Rest | LowerPass::Types)
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

    /// Adds a data list for the variable `word`.
    pub(crate) fn data_list(
        &mut self,
        word: StatementWord<'_>,
        list: impl FnOnce(VarId) -> DataList,
    ) {
        let Some(var) = self.find_var(word) else {
            return self.undefined_var(word);
        };
        let list = list(var);
        // As in ncgen, the later of two lists for a variable counts.
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
