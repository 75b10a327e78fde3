//! Conversion of syntax to a schema: resolves names, lays out types, converts values, and reports errors.

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
mod typed_attributes;
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

/// Section keywords that are often misspelled without the last letter.
const SECTIONS: [&str; 3] = ["types", "dimensions", "variables"];

/// The declarations that a pass reads. Most texts need one pass. If a variable or a type uses a dimension or a type of a later group, which
/// `ncdump` can print, the first pass reads all definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LowerPass {
    /// All declarations.
    All,
    /// All declarations, but a reference precedes its definition: the pass stops.
    Forward,
    /// Groups, dimensions and types.
    Definitions,
    /// Types that depend on types of later groups, after `Definitions`. The pass repeats until it defines no further type.
    Types,
    /// All remaining declarations, after `Definitions`.
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
    /// Names with failed definitions; each is reported as missing only once.
    failed: HashSet<Name>,
    /// Names that netCDF forbids and that already caused a warning.
    illegal: HashSet<Name>,
    /// Whether a new variable has the name of a section.
    pub(crate) keyword_variables: bool,
    /// Variables with section names, before their definition.
    keywords: HashSet<(GroupId, Name)>,
    /// The declarations that the current pass reads.
    pub(crate) pass: LowerPass,
    /// Types that depend on undefined types.
    postponed: HashSet<(GroupId, Name)>,
    /// Whether a type may be postponed, because more definitions can follow.
    may_wait: bool,
    /// Whether a component of the current type is undefined.
    waits: bool,
    /// Alignments of the compound types so far.
    alignments: HashMap<TypeId, u64>,
    /// The component counts of types.
    made_of: HashMap<TypeId, types::MadeOf>,
    /// The requested kind.
    kind: Option<Kind>,
    limits: Limits,
    /// The current group.
    pub(crate) group: GroupId,
    /// The start of the current piece of text.
    pub(crate) start: Anchor,
    /// Length of the attribute's text.
    length: usize,
    /// The path of the current object in JSON, for messages.
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

    /// Starts the definition pass.
    pub(crate) fn first_pass(&mut self) {
        self.pass = LowerPass::Definitions;
        self.may_wait = true;
    }

    /// Returns the number of types that depend on undefined types.
    pub(crate) fn postponed(&self) -> usize {
        match self.report.has_errors() {
            true => 0,
            false => self.postponed.len(),
        }
    }

    /// Starts a pass over postponed types. Unless types `may_wait`, missing components are errors.
    pub(crate) fn types_pass(&mut self, may_wait: bool) {
        self.pass = LowerPass::Types;
        self.may_wait = may_wait;
        self.group = GroupId::ROOT;
        self.keywords.clear();
    }

    /// Starts the pass over the remaining declarations.
    pub(crate) fn second_pass(&mut self) {
        self.pass = LowerPass::Rest;
        self.may_wait = false;
        self.group = GroupId::ROOT;
        self.keywords.clear();
    }

    /// Returns whether the target of a path may be defined later. In this case no error is reported, and the text is read in two passes.
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

    /// Returns a message, in JSON with the path of the current object.
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

    /// Records the use of a feature that only the netCDF-4 model has.
    fn enhanced(&mut self, at: usize, what: impl Into<String>) {
        if self.needs.enhanced.is_none() {
            self.needs.enhanced = Some(self.need(at)(what.into()));
        }
    }

    /// Returns the name of a new object; `what` is its kind for messages.
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

    /// Returns the name written as `word`. A file may contain a name that netCDF forbids; a warning explains why other programs may refuse
    /// it.
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

    /// Reports a duplicate definition.
    fn duplicate(&mut self, word: StatementWord<'_>, what: &str) {
        self.error(word.at, format!("{what} `{}` is defined twice", word.text));
    }

    /// Reports that `word` is undefined, unless its definition failed.
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
        // `dimension:` is parsed as the start of an attribute, as in `dimension:units = "m"`.
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

    /// Records a declaration that cannot be parsed, so that its names are not reported as undefined.
    pub(crate) fn record_failed(&mut self, declaration: &[u8]) {
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
        // As in ncgen, a later list for a variable replaces an earlier one.
        if let Some(place) = self.data_of.get(&var).and_then(|&i| self.data.get_mut(i)) {
            self.replaced.push(std::mem::replace(place, list));
            let message = format!(
                "`{}` has two lists of values; the later list takes precedence",
                word.text
            );
            return self.warning(word.at, message);
        }
        self.data_of.insert(var, self.data.len());
        self.data.push(list);
    }
}
